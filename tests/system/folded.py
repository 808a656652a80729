"""What follows from the event log of a game with player keys, computed without the code of the service."""

from collections import Counter
from datetime import datetime

GIVEN_UP = ("resigned", "out_of_time", "took_over", "absent")


class FoldedSeat:
    """A seat as the events leave it; `waits` are the milliseconds of each decision of its player.

    `wait` is the phase in which the game waits for the seat, since when, and for how many milliseconds it had
    waited before a pause; None while it does not wait. `is_late` is set while the server makes the decision.
    `server_offer` is how long the game waited for an offer of the server that the player can replace.
    """

    def __init__(self, player):
        self.name, self.color = player["name"], player["color"]
        self.end, self.is_taken_over, self.bot = {"type": "played"}, False, None
        self.missed_deadlines = self.score = self.gold = 0
        self.points = Counter()
        self.waits, self.wait = [], None
        self.is_late, self.server_offer = False, None

    @property
    def gave_up(self):
        return self.end["type"] != "played"

    def decide(self, phase, at):
        """End the wait; a decision of the server is nobody's."""
        begun, since, before = self.wait
        waited = before + _ms_between(since, at)
        if not (self.is_late or self.is_taken_over):
            self.waits.append(waited)
        elif phase == begun == "pricing":
            self.server_offer = waited
        self.wait, self.is_late = None, False


class FoldedGame:
    """A game as its events leave it; `counts` are the events of strangers."""

    def __init__(self, events, tie_break):
        self.seats, self.counts = [], Counter()
        self.round, self.phase, self.waiting_for = 0, None, []
        self.status, self.abort_reason = "lobby", None
        self.started_at = self.finished_at = None
        self.is_paused = False
        self._tie_break = tie_break
        for number, event in enumerate(events, 1):
            assert event["id"] == number
            getattr(self, f"_{event['type']}", lambda _: None)(event)

    def _game_started(self, event):
        self.seats = [FoldedSeat(player) for player in event["players"]]
        self.status, self.started_at = "playing", event["at"]

    def _round_started(self, event):
        self.round = event["round"]

    def _turn_changed(self, event):
        self.phase, self.waiting_for = event["phase"], event["waiting_for"]
        for number, seat in enumerate(self.seats):
            waits = number in self.waiting_for
            if self.phase != "pricing":
                seat.server_offer = None
            if self.is_paused:
                continue
            if seat.wait and not (waits and seat.wait[0] == self.phase):
                seat.decide(self.phase, event["at"])
            if waits and not seat.wait:
                seat.wait = self.phase, event["at"], 0

    def _offer_set(self, event):
        seat = self.seats[event["seat"]]
        if seat.wait is None and seat.server_offer is not None and not seat.is_taken_over:
            seat.waits.append(seat.server_offer)
            seat.server_offer = None

    def _timed_out(self, event):
        self.seats[event["seat"]].missed_deadlines += 1
        self.seats[event["seat"]].is_late = True
        self.counts["missed"] += 1

    def _bot_took_over(self, event):
        seat = self.seats[event["seat"]]
        seat.is_taken_over, seat.bot = True, event["bot"]
        self.counts[event["reason"]] += 1
        self.counts["resigned", event["seat"]] += event["reason"] == "resigned"

    def _seat_returned(self, event):
        seat = self.seats[event["seat"]]
        assert seat.is_taken_over
        seat.is_taken_over, seat.is_late, seat.bot = False, False, None
        if seat.wait:
            seat.wait = seat.wait[0], event["at"], 0
        self.counts["returned"] += 1
        self.counts["returned", event["seat"]] += 1

    def _end_changed(self, event):
        seat = self.seats[event["seat"]]
        seat.end = event["end"]
        assert seat.end["missed_deadlines"] == seat.missed_deadlines

    def _proposal_made(self, event):
        self.counts[f"{event['kind']} proposed"] += 1

    def _proposal_answered(self, event):
        self.counts["answered", event["seat"]] += 1

    def _proposal_ended(self, event):
        self.counts[f"{event['kind']} {event['outcome']}"] += 1

    def _game_paused(self, event):
        self.counts["pauses"] += 1
        self.is_paused = True
        for seat in self.seats:
            if seat.wait:
                phase, since, before = seat.wait
                seat.wait = phase, None, before + _ms_between(since, event["at"])

    def _game_resumed(self, event):
        self.counts["pauses ended by time"] += event["seat"] is None
        self.is_paused = False
        for seat in self.seats:
            if seat.wait:
                seat.wait = seat.wait[0], event["at"], seat.wait[2]

    def _game_aborted(self, event):
        self.status, self.abort_reason = "aborted", event["reason"]

    def _round_scored(self, event):
        for player in event["players"]:
            seat = self.seats[player["seat"]]
            seat.points.update({tile["scoring_tile"]: tile["points"] for tile in player["scoring_tiles"]})

    def _game_finished(self, event):
        self.status, self.finished_at = "finished", event["at"]
        for player in event["players"]:
            seat = self.seats[player["seat"]]
            seat.score, seat.gold = player["score"], player["gold"]

    @property
    def gave_up(self):
        """The seats that were given up, those of one date together."""
        dates = sorted({seat.end["at"] for seat in self.seats if seat.gave_up})
        return [
            [number for number, seat in enumerate(self.seats) if seat.gave_up and seat.end["at"] == date]
            for date in dates
        ]

    @property
    def placing(self):
        """The place of each seat that stayed by points and tie-break (R11), then the others."""
        stayed = [number for number, seat in enumerate(self.seats) if not seat.gave_up]
        places = [
            {"place": 1 + sum(self._rank(other) > self._rank(number) for other in stayed), "seat": number}
            for number in stayed
        ]
        places.sort(key=lambda each: (each["place"], each["seat"]))
        for group in reversed(self.gave_up):
            places += [{"place": len(places) + 1, "seat": number} for number in group[:1]]
            places += [{"place": places[-1]["place"], "seat": number} for number in group[1:]]
        return places

    def _rank(self, number):
        seat = self.seats[number]
        return seat.score, seat.gold if self._tie_break == "total_gold" else seat.gold % 5

    @property
    def winners(self):
        first = [each["seat"] for each in self.placing if each["place"] == 1]
        return [number for number in first if not self.seats[number].gave_up]

    @property
    def summary_players(self):
        """The seats as a summary of the game shows them."""
        return [
            {
                "seat": number,
                "name": seat.name,
                "color": seat.color,
                "bot": seat.bot,
                "end": seat.end,
            }
            for number, seat in enumerate(self.seats)
        ]

    def past_game(self, seat):
        """Return what the history of the player of a seat has of the game, without its name and options."""
        (place,) = [each["place"] for each in self.placing if each["seat"] == seat]
        return {
            "status": "finished",
            "started_at": self.started_at,
            "finished_at": self.finished_at,
            "absent": [],
            "seat": seat,
            "place": place,
            "winners": self.winners,
            "placing": self.placing,
            "players": [
                player | {"bot": None, "score": self.seats[player["seat"]].score}
                for player in self.summary_players
            ],
        }


def statistics(played):
    """Return the statistics of a player by pairs of a finished game of four people and the player's seat."""
    seats = [game.seats[number] for game, number in played]
    stayed = [seat for seat in seats if not seat.gave_up]
    tiles = sorted({tile for seat in stayed for tile in seat.points})
    waits = [wait for seat in seats for wait in seat.waits]
    places = [game.past_game(number)["place"] for game, number in played]
    by_player_count = {
        "player_count": 4,
        "games": len(played),
        "wins": sum(number in game.winners for game, number in played),
        "places": [places.count(place) for place in (1, 2, 3, 4)],
        "mean_score": _mean([seat.score for seat in stayed]),
    }
    return {
        "games": len(played),
        "against_bots": 0,
        "aborted": {"games": 0, "absent": 0},
        "missed_deadlines": sum(seat.missed_deadlines for seat in seats),
        "server_decisions": sum(seat.end.get("server_decisions", 0) for seat in seats),
        "by_player_count": [by_player_count] if played else [],
        "by_scoring_tile": [
            {"scoring_tile": tile, "games": len(points), "mean_points": _mean(points)}
            for tile in tiles
            for points in [[seat.points[tile] for seat in stayed if tile in seat.points]]
        ],
        "pace": {"decisions": len(waits), "mean_ms": _mean(waits)},
        **{end: sum(seat.end["type"] == end for seat in seats) for end in GIVEN_UP},
    }


def _mean(numbers):
    return round(sum(numbers) / len(numbers), 2) if numbers else None


def _ms_between(earlier, later):
    return round((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() * 1000)
