"""What follows from the event log of a game with player keys, computed without the code of the service.

A *decision* is the server's if its last move was: after `timed_out`, or while the seat is taken over. A seat
that a person held at the start was *given up* if one of its reasons holds at the end; the earliest counts.
"""

from collections import Counter
from datetime import datetime

SECOND_MS = 1000
DAY_MS = 86_400_000
SHORT_MS = 10 * SECOND_MS
SHORT_SHARE = 24
"""The time of a taken-over seat for a decision, while somebody is present: `SHORT_MS`, or that part of the
time of a decision if it is more; never more than the time of a decision."""

LATE_BOT = "greedy"
"""The bot of the server that decides after a missed deadline."""

MISSED_IN_ROW = 2
"""After how many missed deadlines in a row a seat is taken over, if its player has ever acted."""

MAKES_MOVE = (
    "offer_set", "tile_bought", "purchase_passed", "tile_placed", "placement_taken_back", "building_finished",
)  # fmt: skip
MAKES_DECISION = ("offer_set", "tile_bought", "purchase_passed", "building_finished")


class Absence:
    """How and when the server began to decide for a seat: the bot, the round and the phase of that time."""

    def __init__(self, kind, at, bot, round_number, phase):
        self.kind, self.at, self.bot, self.round, self.phase = kind, at, bot, round_number, phase
        self.absent_ms = ms_of(at) + DAY_MS

    def __eq__(self, other):
        return vars(self) == vars(other)

    __hash__ = None


class Wait:
    """A wait for a decision in a phase: how long it has lasted up to the time since which it goes on."""

    def __init__(self, phase, since_ms):
        self.phase, self.since_ms, self.lasted_ms = phase, since_ms, 0

    def until(self, now_ms):
        return self.lasted_ms + now_ms - self.since_ms


class FoldedSeat:
    """A seat as the events leave it; `waits` are the milliseconds of each decision of its player.

    `wait` is the open one, `offer_wait` that for an offer of the server, which the player may replace. `left`
    is set once the player cannot come back, `takeover` while the player can, `unconfirmed` afterwards until
    an own decision, and `majority` while the server has made more than half of all decisions.
    """

    def __init__(self, player, decisions):
        self.name, self.color, self.is_person = player["name"], player["color"], player["held"]
        self.decisions = decisions
        self.has_acted = self.is_late = self.has_server_offer = False
        self.left = self.takeover = self.unconfirmed = self.majority = None
        self.missed = self.missed_in_row = self.server_decisions = self.score = self.gold = 0
        self.deadline = self.late_for = self.expects = self.returned_ms = self.clock = None
        self.requested = None
        self.points = Counter()
        self.waits, self.wait, self.offer_wait = [], None, 0

    @property
    def is_absent(self):
        """Whether a bot of the server plays the seat."""
        return bool(self.left or self.takeover)

    @property
    def absence(self):
        """The take-over that the player has not ended yet by a return and a decision."""
        return self.takeover or self.unconfirmed

    def given_up(self, rounds):
        """Return the absence by which the seat was given up, None if it was not."""
        taken = self.absence
        reasons = [self.left, taken if taken and taken.round < rounds else None, self.majority]
        found = [reason for reason in reasons if reason] if self.is_person else []
        return min(found, key=lambda reason: ms_of(reason.at), default=None)

    def end(self, rounds):
        """How the seat ended, or would end now."""
        reason = self.given_up(rounds)
        return {
            "type": reason.kind if reason else "played",
            "at": reason.at if reason else None,
            "bot": reason.bot if reason else None,
            "round": reason.round if reason else None,
            "phase": reason.phase if reason else None,
            "missed_deadlines": self.missed,
            "server_decisions": self.server_decisions,
            "decisions": self.decisions,
        }


class FoldedGame:
    """A game as its events leave it; `counts` are the events of strangers.

    Every version is checked on the way: who is taken over when, the deadlines, and `end_changed`. `absent`
    are the seats that were absent when the game was aborted.
    """

    def __init__(self, events):
        self.seats, self.counts, self.options = [], Counter(), {}
        self.round, self.rounds, self.phase, self.waiting_for = 0, 0, None, []
        self.status, self.abort_reason, self.absent = "lobby", None, []
        self.started_at = self.finished_at = None
        self.proposal_kinds = {}
        self._turn, self._began_ms, self._resumed_ms = None, 0, 0
        self._paused_ms = self._paused_until = None
        self._decided, self._shown, self._version = set(), [], 0
        for number, event in enumerate(events, 1):
            assert event["id"] == number
            if event["version"] != self._version:
                self._check_ends()
                self._version = event["version"]
            if event["type"] in MAKES_MOVE:
                self._move(event)
            getattr(self, f"_{event['type']}", lambda _: None)(event)
        self._check_ends()

    # The course of the game.

    def _game_created(self, event):
        self.options = event["options"]

    def _game_started(self, event):
        self.rounds = event["round_count"]
        self.seats = [FoldedSeat(player, 3 * self.rounds) for player in event["players"]]
        self._shown = [seat.end(self.rounds) for seat in self.seats]
        self.status, self.started_at = "playing", event["at"]

    def _round_started(self, event):
        self.round = event["round"]

    def _offers_revealed(self, _):
        for seat in self.seats:
            seat.has_server_offer = False

    def _turn_changed(self, event):
        self.phase, self.waiting_for = event["phase"], event["waiting_for"]
        now_ms = ms_of(event["at"])
        turn = (self.round, self.phase, self.waiting_for if self.phase == "buying" else None)
        if self.phase and self._paused_ms is None and turn != self._turn:
            self._turn, self._began_ms = turn, now_ms
            for seat in self.seats:
                seat.returned_ms = seat.requested = None
        for number, seat in enumerate(self.seats):
            waits = number in self.waiting_for
            self._wait_for(seat, now_ms, waits=waits)
            seat.deadline = event["deadlines"][number]
            seat.clock = event["clocks"][number] if event["clocks"] else None
            assert waits or seat.deadline is None
            if waits:
                self._check_deadline(seat, now_ms)
        first = min((seat.deadline for seat in self.seats if seat.deadline), key=ms_of, default=None)
        assert event["deadline"] == first

    def _wait_for(self, seat, now_ms, *, waits):
        """End the wait for a decision that the seat has made, and begin the next one."""
        if self._paused_ms is not None:
            return
        if seat.wait and not (waits and seat.wait.phase == self.phase):
            seat.waits.append(seat.wait.until(now_ms))
            seat.wait = None
        if waits and not seat.wait:
            seat.wait = Wait(self.phase, now_ms)

    def _round_scored(self, event):
        for player in event["players"]:
            seat = self.seats[player["seat"]]
            seat.points.update({tile["scoring_tile"]: tile["points"] for tile in player["scoring_tiles"]})

    def _game_finished(self, event):
        self.status, self.finished_at = "finished", event["at"]
        for player in event["players"]:
            seat = self.seats[player["seat"]]
            seat.score, seat.gold = player["score"], player["gold"]

    def _game_aborted(self, event):
        self.status, self.abort_reason = "aborted", event["reason"]
        self.absent, self.finished_at = event["absent"], event["at"]
        for seat in self.seats:
            seat.score, seat.wait = seat.points.total(), None
        absent = [
            number for number, seat in enumerate(self.seats) if self._counts_as_absent(seat, event["at"])
        ]
        assert self.absent == absent

    def _counts_as_absent(self, seat, at):
        """Whether a seat is absent for more than a day, and a round that began later has ended."""
        taken = seat.takeover
        return bool(taken) and ms_of(at) >= taken.absent_ms and self.round >= taken.round + 2

    # Whose a decision is.

    def _move(self, event):
        number, kind = event["seat"], event["type"]
        seat = self.seats[number]
        assert not [other for other in self.seats if other.expects]
        if not seat.is_late and not seat.is_absent:
            seat.has_acted = True
            if kind in MAKES_DECISION:
                self._own_decision(seat, kind)
        elif kind in MAKES_DECISION:
            seat.offer_wait, seat.wait = seat.wait.until(ms_of(event["at"])), None
            self._server_decision(seat, kind)

    def _own_decision(self, seat, kind):
        seat.missed_in_row, seat.unconfirmed = 0, None
        if kind == "offer_set" and seat.has_server_offer:
            seat.has_server_offer = False
            seat.server_decisions -= 1
            seat.waits.append(seat.offer_wait)
            if not self._has_majority(seat):
                seat.majority = None
            self.counts["replaced the server's"] += 1

    def _server_decision(self, seat, kind):
        since = seat.late_for or seat.deadline
        seat.is_late, seat.late_for = False, None
        seat.has_server_offer = kind == "offer_set"
        seat.server_decisions += 1
        if seat.left:
            return
        self._decided.add(since)
        if self._has_majority(seat) and not seat.majority:
            bot = seat.takeover.bot if seat.takeover else LATE_BOT
            seat.majority = Absence("absent", since, bot, self.round, self.phase)

    @staticmethod
    def _has_majority(seat):
        return 2 * seat.server_decisions > seat.decisions

    # Missing deadlines, leaving and returning.

    def _timed_out(self, event):
        seat = self.seats[event["seat"]]
        assert not seat.is_absent
        assert seat.expects is None
        assert event["deadline"] == seat.deadline
        assert event["deadline"] not in self._decided, "a move came before a count of the same instant"
        seat.missed += 1
        seat.missed_in_row += 1
        seat.is_late, seat.late_for = True, event["deadline"]
        is_out = seat.clock is not None and seat.clock["runs_out_at"] == event["deadline"]
        is_gone = seat.missed_in_row >= MISSED_IN_ROW or not seat.has_acted or seat.unconfirmed
        is_gone = is_gone or seat.requested
        seat.expects = "out_of_time" if is_out else "timed_out" if is_gone else None
        self.counts["missed"] += 1

    def _bot_took_over(self, event):
        seat = self.seats[event["seat"]]
        self.counts[event["reason"]] += 1
        if event["reason"] == "resigned":
            assert not seat.left
            self.counts["resigned", event["seat"]] += 1
            self.counts["resigned while away"] += bool(seat.takeover)
            seat.left = Absence("resigned", event["at"], event["bot"], self.round, self.phase)
            seat.unconfirmed, seat.takeover = seat.takeover or seat.unconfirmed, None
            self._check_takeover(event, seat.left)
            return
        assert (seat.is_absent, seat.expects) == (False, event["reason"])
        seat.expects = None
        new = Absence("took_over", seat.late_for, event["bot"], self.round, self.phase)
        if event["reason"] == "out_of_time":
            new.kind = "out_of_time"
            seat.left = new
            self._check_takeover(event, new)
            return
        self.counts["taken over again"] += bool(seat.unconfirmed)
        seat.takeover, seat.unconfirmed = seat.unconfirmed or new, None
        self._check_takeover(event, seat.takeover)
        assert ms_of(event["counts_as_absent_at"]) == seat.takeover.absent_ms

    def _check_takeover(self, event, absence):
        found = (event["since"], event["round"], event["phase"])
        assert found == (absence.at, absence.round, absence.phase)

    def _takeover_requested(self, event):
        seat = self.seats[event["seat"]]
        assert self.options["turn_ms"] is None
        assert self.options["budget_ms"] is None
        assert event["seat"] in self.waiting_for
        assert event["by"] not in self.waiting_for
        assert seat.deadline is None
        assert not seat.is_absent
        assert not self.seats[event["by"]].is_absent
        assert ms_of(event["at"]) >= self._began_ms + DAY_MS
        assert ms_of(event["deadline"]) == ms_of(event["at"]) + DAY_MS
        seat.requested = event["deadline"], self._began_ms
        self.counts["take-overs requested"] += 1

    def _seat_returned(self, event):
        seat = self.seats[event["seat"]]
        assert seat.takeover
        seat.unconfirmed, seat.takeover, seat.requested = seat.takeover, None, None
        seat.is_late, seat.late_for = False, None
        seat.returned_ms = ms_of(event["at"]) if self._paused_ms is None else self._paused_ms
        if seat.wait:
            seat.wait = Wait(self.phase, seat.returned_ms)
        self.counts["returned"] += 1
        self.counts["returned", event["seat"]] += 1

    # Deadlines.

    @property
    def _is_anybody_present(self):
        return any(seat.is_person and not seat.is_absent for seat in self.seats)

    def _check_deadline(self, seat, now_ms):
        """Check the deadline of a seat that must act, by the time at which its decision began."""
        deadline_ms = seat.deadline and ms_of(seat.deadline)
        turn_ms, runs_out = self.options["turn_ms"], seat.clock and seat.clock["runs_out_at"]
        if seat.left:  # its bot decides in the next version
            return
        if seat.takeover:
            assert runs_out is None
            turn_ms = turn_ms or DAY_MS
            short_ms = min(turn_ms, max(SHORT_MS, turn_ms // SHORT_SHARE))
            if self._is_anybody_present:
                turn_ms = short_ms
            # A deadline that has passed stays when the last person goes: the server decides at once.
            least_ms = self._began_ms + (short_ms if deadline_ms <= now_ms else turn_ms)
            # A player who comes back shortens a time of which more than that may have passed already.
            assert least_ms <= deadline_ms <= max(now_ms, self._began_ms) + turn_ms
            return
        if turn_ms is None and runs_out is None:
            assert deadline_ms == self._requested_ms(seat)
            return
        times = [] if turn_ms is None else [self._began_ms + turn_ms]
        if times and seat.returned_ms is not None:
            times = [max(*times, seat.returned_ms + min(SHORT_MS, turn_ms))]
        times += [] if runs_out is None else [ms_of(runs_out)]
        # A decision that was the server's when the game paused is due at once when it goes on.
        assert deadline_ms == max(min(times), self._resumed_ms if seat.is_late else 0)

    def _requested_ms(self, seat):
        """Return the deadline that another player has asked for in this turn, None without one."""
        if seat.requested is None:
            return None
        deadline, began_ms = seat.requested
        return ms_of(deadline) + self._began_ms - began_ms  # moved by pauses and outages

    def _shift(self, later_ms):
        """Move the times of the open decisions after a pause or an outage."""
        self._began_ms += later_ms
        for seat in self.seats:
            if seat.absence:
                seat.absence.absent_ms += later_ms
            if seat.returned_ms is not None:
                seat.returned_ms += later_ms

    @property
    def _absent_times(self):
        return [seat.absence and seat.absence.absent_ms for seat in self.seats]

    def _game_paused(self, event):
        self._paused_ms, self._paused_until = ms_of(event["at"]), event["until"]
        for seat in self.seats:
            if seat.wait:
                seat.wait.lasted_ms = seat.wait.until(ms_of(event["at"]))
        self.counts["pauses"] += 1

    def _game_resumed(self, event):
        self._shift(ms_of(event["at"]) - self._paused_ms)
        self._paused_ms, self._resumed_ms = None, ms_of(event["at"])
        assert self._absent_times == [at and ms_of(at) for at in event["counts_as_absent_at"]]
        for seat in self.seats:
            if seat.wait:
                seat.wait.since_ms = ms_of(event["at"])
        self.counts["pauses ended by time"] += event["seat"] is None

    def _time_added(self, event):
        """Take the new times; they move by what came after they were set, and at most by `added_ms`."""
        moves, resumed_ms = [0], self._resumed_ms
        for number, seat in enumerate(self.seats):
            new = event["deadlines"][number]
            assert (new is None) is (seat.deadline is None)
            if new is not None and seat.is_late and ms_of(seat.deadline) == resumed_ms:
                self._resumed_ms = ms_of(new)
            moves += [] if new is None else [ms_of(new) - ms_of(seat.deadline)]
            seat.deadline = new
            seat.clock = event["clocks"][number] if event["clocks"] else None
            absent_at = event["counts_as_absent_at"][number]
            if seat.absence:
                seat.absence.absent_ms = ms_of(absent_at)
            if seat.wait:
                seat.wait.since_ms = min(ms_of(event["at"]), seat.wait.since_ms + event["added_ms"])
        if self._paused_ms is not None:
            self._paused_ms += ms_of(event["paused_until"]) - ms_of(self._paused_until)
            self._paused_until = event["paused_until"]
        longest = max(moves, key=abs)
        assert abs(longest) <= abs(event["added_ms"])
        self._began_ms += longest
        self.counts["outages"] += 1

    # Proposals.

    def _proposal_made(self, event):
        self.counts[f"{event['kind']} proposed"] += 1
        last = self.proposal_kinds.get((event["seat"], event["kind"]))
        if last:
            number, at = last
            assert number < self.round or ms_of(event["at"]) >= ms_of(at) + DAY_MS
            self.counts["repeated after a day"] += number == self.round
        self.proposal_kinds[event["seat"], event["kind"]] = self.round, event["at"]

    def _proposal_answered(self, event):
        self.counts["answered", event["seat"]] += 1

    def _proposal_ended(self, event):
        self.counts[f"{event['kind']} {event['outcome']}"] += 1

    # How seats end.

    def _end_changed(self, event):
        self._shown[event["seat"]] = event["end"]

    def _check_ends(self):
        """Check that the events have shown how each seat would end now, once each late decision is made."""
        if self.seats and not any(seat.is_late for seat in self.seats):
            wrong = [each for each in zip(self._shown, self.ends, strict=True) if each[0] != each[1]]
            assert not wrong, (self._version, wrong)

    @property
    def ends(self):
        return [seat.end(self.rounds) for seat in self.seats]

    @property
    def gave_up(self):
        """The seats that were given up: groups of one date, the earliest first."""
        dates = {}
        for number, seat in enumerate(self.seats):
            if reason := seat.given_up(self.rounds):
                dates.setdefault(ms_of(reason.at), []).append(number)
        return [seats for _, seats in sorted(dates.items())]

    @property
    def placing(self):
        """The places of those who stayed, by points and tie-break (R11), then the others, the last first."""
        stayed = [number for number in range(len(self.seats)) if not self._is_given_up(number)]
        places = [
            {"place": 1 + sum(self._rank(other) > self._rank(number) for other in stayed), "seat": number}
            for number in stayed
        ]
        places.sort(key=lambda each: (each["place"], each["seat"]))
        for group in reversed(self.gave_up):
            places += [{"place": place, "seat": seat} for place in [1 + len(places)] for seat in group]
        return places

    def _rank(self, number):
        seat = self.seats[number]
        return seat.score, seat.gold if self.options["tie_break"] == "total_gold" else seat.gold % 5

    @property
    def winners(self):
        first = [each["seat"] for each in self.placing if each["place"] == 1]
        return [number for number in first if not self._is_given_up(number)]

    def _is_given_up(self, number):
        return self.seats[number].given_up(self.rounds) is not None

    def bot_of(self, seat):
        """The bot that plays a seat now."""
        absence = seat.left or seat.takeover
        return absence and absence.bot

    @property
    def summary_players(self):
        """The seats as a summary of the game shows them."""
        return [
            {
                "seat": number,
                "name": seat.name,
                "color": seat.color,
                "bot": self.bot_of(seat),
                "end": seat.end(self.rounds),
            }
            for number, seat in enumerate(self.seats)
        ]

    @property
    def is_past(self):
        """Whether the histories of players have the game."""
        return self.status == "finished" or bool(self.absent)

    def past_game(self, seat):
        """Return what the history of the player of a seat has of the game, without its name and options."""
        is_finished = self.status == "finished"
        return {
            "status": self.status,
            "started_at": self.started_at,
            "finished_at": self.finished_at,
            "seat": seat,
            "place": self.place_of(seat) if is_finished else None,
            "winners": self.winners if is_finished else [],
            "placing": self.placing if is_finished else [],
            "absent": self.absent,
            "players": [
                player | {"bot": None, "score": self.seats[player["seat"]].score}
                for player in self.summary_players
            ],
        }

    def place_of(self, seat):
        """Return the place of a seat in a finished game."""
        return next(each["place"] for each in self.placing if each["seat"] == seat)


def statistics(past):
    """Return the statistics of a player by pairs of a past game of four people and the player's seat."""
    played = [(game, number) for game, number in past if game.status == "finished"]
    seats = [(game.seats[number], game.ends[number]) for game, number in played]
    stayed = [seat for seat, end in seats if end["type"] == "played"]
    tiles = sorted({tile for seat in stayed for tile in seat.points})
    waits = [wait for game, number in past for wait in game.seats[number].waits]
    places = [game.place_of(number) for game, number in played]
    types = Counter(end["type"] for _, end in seats)
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
        **{kind: types[kind] for kind in ("resigned", "out_of_time", "took_over", "absent")},
        "aborted": {
            "games": len(past) - len(played),
            "absent": sum(number in game.absent for game, number in past),
        },
        "missed_deadlines": sum(game.ends[number]["missed_deadlines"] for game, number in past),
        "server_decisions": sum(game.ends[number]["server_decisions"] for game, number in past),
        "by_player_count": [by_player_count] if played else [],
        "by_scoring_tile": [
            {"scoring_tile": tile, "games": len(points), "mean_points": _mean(points)}
            for tile in tiles
            for points in [[seat.points[tile] for seat in stayed if tile in seat.points]]
        ],
        "pace": {"decisions": len(waits), "mean_ms": _mean(waits)},
    }


def ms_of(timestamp):
    """Return a time of the API in milliseconds since 1970."""
    return round(datetime.fromisoformat(timestamp).timestamp() * 1000)


def _mean(numbers):
    return round(sum(numbers) / len(numbers), 2) if numbers else None
