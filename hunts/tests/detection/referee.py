"""The second implementation of the rules as a referee: it plays along with random games over HTTP.

    python -m hunts.tests.detection.referee http://127.0.0.1:8000

After each action it compares what the API shows with its own game; in between, it scores territories.
"""

import random
import sys

import httpx

from skye.views import move_from
from tests.reference.chance import as_world, grown_territory
from tests.reference.game import ReferenceGame
from tests.reference.rounds import SCORED
from tests.reference.scoring import NAMES, Side, points_of, scroll_points
from tests.reference.world import legal_places
from tests.support.playing import NAMES as PLAYERS
from tests.support.playing import offer
from tests.support.waiting import MAX_WAIT_S

GAMES = 2
"""The first with two players, the second with five."""

TERRITORIES = 40
"""How many groups of random territories it scores."""


class Differs(AssertionError):
    """The API shows something else than the rules say."""


def same(shown, expected, *where):
    """Compare what the API shows with what the rules say."""
    if shown != expected:
        raise Differs(f"{where}: {shown}, by the rules {expected}")


class Refereed:
    """A game over HTTP, and the same game of the referee."""

    def __init__(self, http, chance, players):
        self.http, self.chance = http, chance
        seed = f"referee {players}"
        names = [{"name": name} for name in PLAYERS[:players]]
        body = {"players": names, "auto_start": True, "options": {"seed": seed}}
        created = self._json("POST", "/v1/games", body)
        self.path = f"/v1/games/{created['game']['id']}"
        self.tokens = [player["token"] for player in created["players"]]
        colors = [player["color"] for player in created["game"]["players"]]
        self.rules = ReferenceGame(colors, seed, None, None, "leftover_gold")
        self.compare(created["game"])

    def _json(self, method, path, body=None, token=None):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        answer = self.http.request(method, path, json=body, headers=headers)
        if answer.is_error:
            raise Differs(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer.json()

    def play(self):
        """Play random legal actions to the end."""
        while self.rules.phase:
            seat = self.chance.choice(self.rules.waiting_for())
            self.compare_places(seat)
            listed = self._json("GET", f"{self.path}/players/{seat}/actions", token=self.tokens[seat])
            forward = [action for action in listed["actions"] if action["type"] != "take_back"]
            action = self.chance.choice(listed["actions"] if self.chance.random() < 0.2 else forward)
            if "constraints" in action:
                action["body"] = offer(action["constraints"], self.chance)
            self._act(seat, action)
        for number in range(1, self.rules.round + 1):
            self._compare_round(number)

    def _act(self, seat, action):
        before, round_before = self.rules.phase, self.rules.round
        move = move_from(action["type"], action["body"] or {})
        same(self.rules.allows(seat, move), True, "legal", before, move)
        shown = self._json(action["method"], action["href"], action["body"], self.tokens[seat])
        self.rules.make(seat, move)
        self.compare(shown, seat)
        other = self.chance.randrange(len(self.tokens))
        self.compare(self._json("GET", self.path, token=self.tokens[other]), other)
        self.compare_players(other)
        if self.rules.round != round_before or not self.rules.phase:
            self._compare_round(round_before)
            self.compare_scores()

    def compare(self, view, seat=None):
        """Compare a view of a game with the rules."""
        rules = self.rules
        same([tile["scoring_tile"] for tile in view["scoring_tiles"]], rules.scoring_tiles, "scoring tiles")
        same((view["round"], view["phase"]), (rules.round, rules.phase), "round and phase")
        same(view["waiting_for"], rules.waiting_for(), "waiting for")
        same(sorted(view["bag"]["tiles"]), sorted(rules.bag), "bag")
        if rules.phase:
            same(view["starting_seat"], rules.start, "starting seat")
        else:
            same(view["result"]["winners"], rules.winners, "winners")
        for shown in view["players"]:
            self.compare_player(shown, own=shown["seat"] == seat)

    def compare_player(self, shown, *, own):
        """Compare a seat of a view with the rules."""
        seat, where = self.rules.seats[shown["seat"]], (self.rules.round, self.rules.phase, shown["seat"])
        world = {(tile["x"], tile["y"]): (tile["tile"], tile["rotation"]) for tile in shown["territory"]}
        same(world, seat.world, "territory", *where)
        same(shown["score"], seat.score, "score", *where)
        same(sorted(each["tile"] for each in shown["tiles_on_offer"]), sorted(seat.drawn), "offer", *where)
        same(sorted(shown["tiles_to_build"]), sorted(seat.hand), "tiles to build", *where)
        is_shown = own or self.rules.phase is None
        same(shown["gold"], seat.purse if is_shown else None, "gold", *where)
        prices = {
            each["tile"]: each["price"] for each in shown["tiles_on_offer"] if each["price"] is not None
        }
        is_shown = own or self.rules.phase != "pricing"
        same(prices, seat.stakes if is_shown else {}, "prices", *where)

    def compare_players(self, viewer):
        """Compare the seats one by one, and their list."""
        token = self.tokens[viewer]
        for shown in self._json("GET", f"{self.path}/players", token=token)["players"]:
            self.compare_player(shown, own=shown["seat"] == viewer)
        number = self.chance.randrange(len(self.tokens))
        player = self._json("GET", f"{self.path}/players/{number}", token=token)
        self.compare_player(player, own=number == viewer)

    def compare_places(self, seat):
        """Compare the places for a tile that a seat may build."""
        hand = self.rules.seats[seat].hand if self.rules.phase == "building" else []
        if hand:
            tile = self.chance.choice(hand)
            path = f"{self.path}/players/{seat}/places?tile={tile}"
            places = self._json("GET", path, token=self.tokens[seat])["places"]
            shown = {(place["x"], place["y"], place["rotation"]) for place in places}
            same(shown, legal_places(self.rules.seats[seat].world, tile), "places of", tile)

    def _compare_round(self, number):
        report = self._json("GET", f"{self.path}/rounds/{number}")
        slots = SCORED[len(self.tokens)][number - 1]
        for player, seat in zip(report["players"], self.rules.seats, strict=True):
            points = dict(zip(slots, seat.points[number - 1], strict=True))
            shown = {tile["slot"]: tile["points"] for tile in player["scoring_tiles"]}
            same(shown, points, "points of round", number)
        if number == self.rules.round - 1 or not self.rules.phase:
            current = self.rules.round
            shown = self._json("GET", f"{self.path}/rounds/{current}")["players"]
            parts = [player["income"] for player in shown]
            same(
                [(part["castle"], part["whisky"], part["catch_up"], part["total"]) for part in parts],
                [(*income, sum(income)) for income in self.rules.incomes],
                "income of round",
                current,
            )

    def compare_scores(self):
        """Compare the scores, with what the scrolls are worth now."""
        for player, seat in zip(
            self._json("GET", f"{self.path}/scores")["players"], self.rules.seats, strict=True
        ):
            same(player["score"], seat.score, "score")
            same(player["final"]["scroll_points"], scrolls(seat.world), "points of scrolls")


def scrolls(world):
    """Return the points of the scrolls of a territory."""
    return sum(points for _, _, points in scroll_points(world))


def score(http, chance):
    """Compare the points of random territories."""
    territories = [grown_territory(chance, chance.randint(0, 18)) for _ in range(chance.randint(1, 5))]
    golds = [chance.randint(0, 12) for _ in territories]
    tiles = chance.sample(NAMES, 4)
    body = {
        "territories": [
            {"tiles": [placed._asdict() for placed in territory.placed], "gold": gold}
            for territory, gold in zip(territories, golds, strict=True)
        ],
        "scoring_tiles": tiles,
    }
    answer = http.post("/v1/scoring", json=body)
    answer.raise_for_status()
    sides = [Side(as_world(territory), gold) for territory, gold in zip(territories, golds, strict=True)]
    by_rules = [points_of(tile, sides) for tile in tiles]
    for number, shown in enumerate(answer.json()["territories"]):
        points = [each["points"] for each in shown["scoring_tiles"]]
        same(points, [each[number] for each in by_rules], "points of", tiles, body["territories"][number])
        same(shown["scroll_points"], scrolls(sides[number].world), "points of scrolls")


def main(url):
    """Referee games and territories; raise an error at the first difference."""
    chance = random.Random("referee")
    with httpx.Client(base_url=url, timeout=MAX_WAIT_S) as http:
        for number in range(GAMES):
            Refereed(http, chance, 2 + 3 * number).play()
        for _ in range(TERRITORIES):
            score(http, chance)


if __name__ == "__main__":
    main(sys.argv[1])
