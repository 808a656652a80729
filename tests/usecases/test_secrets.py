"""Secrets: what one seat keeps to itself makes no difference to any byte that another caller gets."""

import secrets
from itertools import combinations, product
from unittest import mock
from urllib.parse import urlencode

import pytest

from service.storage.codec import decode_match
from service.storage.redis_store import RedisStore
from service.web.collaborators import collaborators
from tests.support.endpoints import ENDPOINTS, PLAYER_KEY
from tests.support.playing import Game, Service, dice, offer
from tests.support.sizes import sampled

SECRET = 1
"""The seat that keeps something to itself."""

MAX_GOLD = ["most_gold", "sheep", "squares", "most_ships"]
"""Scoring tiles of which one looks into purses."""


class Twins:
    """Two games that are the same in all but what is done differently in them.

    The same key from the same address gives both the same id, and a clock that stands still the same times.
    The nonces of both commitments are the same, too.
    """

    def __init__(self, players=3, **options):
        key = {"Idempotency-Key": "twins"}
        options = {"scoring_tiles": MAX_GOLD, **options}
        with mock.patch.object(secrets, "token_hex", return_value="0" * 32):
            self.games = [Service().table(players, headers=key, options=options) for _ in range(2)]
        assert self.games[0].id == self.games[1].id

    def __iter__(self):
        return iter(self.games)

    def play_to(self, phase, number, seed):
        """Play both in the same way to a phase of a round; return the view then."""
        one, other = [game.play_to(phase, number, dice(seed)) for game in self]
        assert one == other
        return one

    def differ(self, *offers):
        """Let the secret seat set one offer after another: each is (prices, discard) for the one game, and
        the same for the other.
        """
        for in_each in offers:
            for game, (prices, discard) in zip(self, in_each, strict=True):
                assert game.offer(SECRET, *prices, discard=discard).status_code == 200

    def set_prices(self, *seats):
        """Let seats set the same prices in both games."""
        for game in self:
            for seat in seats:
                assert game.offer(seat, 2, 1).status_code == 200


def callers(game):
    """Return who may ask, and how: everybody but the secret seat."""
    tokens = {f"seat {seat}": token for seat, token in enumerate(game.tokens) if seat != SECRET}
    return {**tokens, "the host": game.host, "a spectator": None, "a stranger": "skye_wrong"}


def questions(game, rounds):
    """Yield all that can be asked of a game without changing it."""
    seats = range(len(game.tokens))
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and "tile" not in endpoint.rule:
            query = f"?{urlencode(endpoint.query)}" if endpoint.query else ""
            asked = seats if endpoint.rule.endswith(("/actions", "/places")) else [SECRET]
            for seat in asked if "<int:seat>" in endpoint.rule else [0]:
                for number in rounds if "<int:round>" in endpoint.rule else [1]:
                    path = endpoint.path(game, {"int:seat": str(seat), "int:round": str(number)})
                    yield "GET", path + query, None
    yield "GET", game.path("events") + "?after=7&limit=3", None
    bag = game.view()["bag"]["tiles"]
    tried = {"placements": [{"tile": tile, "x": 0, "y": number + 1} for number, tile in enumerate(bag[:2])]}
    for seat in seats:
        yield "POST", game.path("what-if", seat), tried
        yield "POST", game.path("build/finish", seat), None
        yield "POST", game.path("purchase", seat), {"tile": bag[0]}


def answers(game, caller, rounds):
    """Return all that a caller is answered, with every header but the time of the response."""
    received = {}
    last = game.view()["last_event"]
    for method, path, body in questions(game, rounds):
        answer = game.service.call(
            method, path, body, callers(game).get(caller, caller), {"X-Request-Id": "the-same"}
        )
        headers = sorted(header for header in answer.headers if header[0] != "Date")
        received[method, path] = (answer.status, headers, body_of(answer, last))
    return received


def body_of(answer, last):
    """Return the body of a response; of an event stream, all up to the last event that there is."""
    if answer.mimetype != "text/event-stream":
        return answer.data
    read = b""
    with answer:
        for message in answer.iter_encoded():
            read += message
            if b"id: %d\n" % last in message:
                break
    return read


def assert_nothing_shows(twins, rounds=(1,)):
    one, other = twins
    before = [game.service.stored() for game in twins]
    assert before[0] != before[1]
    for caller in callers(one):
        assert answers(one, caller, rounds) == answers(other, caller, rounds), caller
    own = [answers(game, game.tokens[SECRET], rounds) for game in twins]
    assert own[0] != own[1]
    assert [game.service.stored() for game in twins] == before


@pytest.mark.parametrize(
    ("offers", "open_gold"),
    sampled(product(combinations([((1, 1), 0), ((3, 1), 0), ((1, 1), 2)], 2), [False, True]), 3),
)
def test_an_offer_does_not_show_until_all_are_set(offers, open_gold):
    twins = Twins(open_gold=open_gold)
    twins.differ(offers)
    twins.set_prices(0)
    assert_nothing_shows(twins)


@pytest.mark.parametrize(
    ("players", "number", "open_gold"), sampled([(2, 4, True), (2, 4, False), (5, 2, True), (5, 2, False)], 3)
)
def test_nor_does_an_offer_of_a_later_round(players, number, open_gold):
    twins = Twins(players, open_gold=open_gold)
    view = twins.play_to("pricing", number, players)
    others = [seat for seat in range(players) if seat != SECRET]
    twins.set_prices(*others[:-1])
    throw = dice(number)
    limits = twins.games[0].actions(SECRET)[0]["constraints"]
    for game in twins:
        answer = game.call("PUT", "offer", offer(limits, throw), seat=SECRET)
        assert answer.status_code == 200
    assert view["round"] == number
    assert_nothing_shows(twins, range(1, number + 1))


@pytest.mark.parametrize("open_gold", sampled([False, True], 2))
def test_an_offer_that_was_replaced_does_not_show_until_the_game_is_over(open_gold):
    twins = Twins(2, open_gold=open_gold)
    twins.differ((((1, 1), 0), ((3, 2), 2)), (((2, 2), 1), ((2, 2), 1)))
    twins.set_prices(0)
    assert_nothing_shows(twins)
    twins.play_to("building", 1, 5)
    assert_nothing_shows(twins)
    twins.play_to("pricing", 2, 5)
    assert_nothing_shows(twins, (1, 2))
    one, other = (game.play_out(dice(5)) for game in twins)
    assert one == other
    records = [game.service.get(game.path("record")) for game in twins]
    assert records[0] != records[1]


def test_a_stream_shows_no_secret():
    twins = Twins()
    twins.differ((((1, 1), 0), ((3, 2), 2)))
    twins.set_prices(0)
    for game in twins:
        assert game.call("DELETE", token=game.host).status_code == 200  # which ends the stream
    one, other = twins
    for caller in callers(one):
        assert streamed(one, callers(one)[caller]) == streamed(other, callers(other)[caller]), caller
    assert streamed(one, one.tokens[SECRET]) != streamed(other, other.tokens[SECRET])
    assert_nothing_shows(twins)


def streamed(game, token):
    """Return a whole stream of events, to its end."""
    return game.call("GET", "events/stream", token=token, headers={"X-Request-Id": "the-same"}).data


@pytest.mark.parametrize("open_gold", [False, True])
@pytest.mark.parametrize("on_timeout", ["auto", "bot"])
def test_a_bot_that_steps_in_knows_no_secret(on_timeout, open_gold):
    twins = Twins(turn_ms=1000, on_timeout=on_timeout, open_gold=open_gold)
    twins.differ((((1, 1), 0), ((3, 2), 2)))
    for game in twins:
        game.service.clock.advance(2)
        assert game.view()["phase"] == "buying"
    chosen = [
        [action for action in game.service.get(game.path("record"))["actions"] if action["seat"] != SECRET][
            :2
        ]
        for game in twins
    ]
    assert [action["type"] for action in chosen[0]] == ["set_offer", "set_offer"]
    assert chosen[0] == chosen[1]


# Purses and the seed.


def with_purses(received):
    """Yield everything in an answer that tells of a seat's gold, as (seat, gold)."""
    if isinstance(received, dict):
        if "seat" in received and "gold" in received:
            yield received["seat"], received["gold"]
        if "seat" in received and "final" in received:
            final = received["final"]
            yield from ((received["seat"], final[name]) for name in ("gold", "gold_points", "leftover_gold"))
            yield received["seat"], received["projected_score"]
    for inner in (
        received.values() if isinstance(received, dict) else received if isinstance(received, list) else ()
    ):
        yield from with_purses(inner)


def views(game, token):
    """Return all answers in JSON that could tell of gold."""
    number = game.view()["round"]
    rests = ["", "events", "scores", "record", *(f"rounds/{n}" for n in range(1, number + 1))]
    return [game.service.get(game.path(rest), token) for rest in rests]


@pytest.mark.parametrize("open_gold", [False, True])
def test_purse_is_hidden_from_others_until_the_end_unless_gold_is_open(open_gold):
    game = Service().table(3, options={"open_gold": open_gold, "scoring_tiles": MAX_GOLD})
    throw = dice(8)
    seen = 0
    for phase, number in (("pricing", 1), ("buying", 1), ("building", 2), ("pricing", 4), ("buying", 6)):
        game.play_to(phase, number, throw)
        for viewer, token in enumerate([*game.tokens, None, game.host]):
            for seat, gold in with_purses(views(game, token)):
                seen += 1
                if seat == viewer:
                    assert gold is not None
                elif not open_gold:
                    assert gold is None, (viewer, seat)
    game.play_out(throw)
    golds = [player["gold"] for player in game.view()["players"]]
    assert None not in golds
    assert seen > 1000


def test_what_hangs_on_a_hidden_purse_is_not_told():
    game = Service().table(2, options={"scoring_tiles": MAX_GOLD, "starting_seat": 0})
    game.play_to("building")
    scores = game.service.get(game.path("scores"), game.tokens[0])["players"]
    assert scores[0]["projected_score"] is not None
    assert scores[1]["projected_score"] is None
    tried = game.call("POST", "what-if", {"placements": []}, seat=0).json
    assert {tile["id"]: tile["before"] for tile in tried["scoring_tiles"]}["most_gold"] is None
    opened = Service().table(2, options={"scoring_tiles": MAX_GOLD, "open_gold": True})
    tried = opened.call("POST", "what-if", {"placements": []}, seat=0).json
    assert {tile["id"]: tile["before"] for tile in tried["scoring_tiles"]}["most_gold"] is not None


def test_the_seed_is_nowhere_until_the_game_is_over():
    needle = "a needle in a haystack"
    lobby = Service().table(2, seed=needle, start=False)
    for caller in (*lobby.tokens, lobby.host, None):
        assert needle not in lobby.call("GET", token=caller).text
    game = Service().table(3, seed=needle)
    throw = dice(2)
    for phase, number in (("pricing", 1), ("buying", 3), ("building", 6)):
        game.play_to(phase, number, throw)
        last = game.view()["last_event"]
        for caller in (*game.tokens, game.host, None):
            for method, path, body in questions(game, range(1, number + 1)):
                answer = game.service.call(method, path, body, caller)
                assert needle not in body_of(answer, last).decode()
                assert needle not in str(answer.headers)
    view = game.play_out(throw)
    assert view["fairness"]["seed"] == view["options"]["seed"] == needle
    assert game.service.get(game.path("record"))["options"]["seed"] == needle


def nonce_of(game):
    """Return the nonce as it is stored."""
    return decode_match(RedisStore(game.service.redis).load(game.id)[0]).options.nonce


def test_nonce_is_in_no_response_until_the_game_is_over():
    game = Service().table(2)
    nonce = nonce_of(game)
    for phase in ("pricing", "buying", "building"):
        game.play_to(phase, 1, dice(2))
        for caller in (*game.tokens, game.host, None):
            for method, path, body in questions(game, [1]):
                answer = game.service.call(method, path, body, caller)
                assert nonce not in body_of(answer, game.view()["last_event"]).decode()
    assert game.play_out(dice(2))["fairness"]["nonce"] == nonce


def test_seed_and_nonce_of_an_aborted_game_stay_hidden():
    needle = "a needle in a haystack"
    game = Service().table(2, seed=needle)
    for secret in (needle, nonce_of(game)):
        assert secret not in game.call("DELETE", token=game.host).text
        for method, path, body in questions(game, [1]):
            assert secret not in game.service.call(method, path, body, game.host).text


# Tokens.


def test_tokens_are_told_once_and_stored_as_hashes():
    service = Service()
    key = {"Idempotency-Key": "once"}
    game = service.table(3, start=False, headers=key)
    joined = game.call("POST", "players", {"name": "Dee"}, headers={"Idempotency-Key": "another"})
    tokens = [game.host, *game.tokens, joined.json["token"]]
    assert len(set(tokens)) == 5
    assert all(len(token) >= 22 for token in tokens)  # 128 bits in base 64
    assert game.call("POST", "start", token=game.host).status_code == 200
    everything = str(service.stored())
    for token in tokens:
        assert token not in everything
        assert token.removeprefix("skye_") not in everything
        for method, path, body in questions(game, [1]):
            shown = body_of(service.call(method, path, body, token), game.view()["last_event"]).decode()
            assert not any(other in shown for other in tokens)


def answers_to_a_player(prices):
    """Return what the API answers to a player key after another seat has set prices."""
    service = Service()
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "start": True}
    body["options"] = {"seed": "twins", "starting_seat": 0, "turn_ms": 60_000}
    fixed = {"token_hex": lambda _: "0" * 32, "randbits": lambda _: 7}
    with mock.patch.multiple(secrets, **fixed):
        created = service.call("POST", "/v1/games", body, PLAYER_KEY, {"Idempotency-Key": "twins"}).json
        game = Game(service, created)
        assert game.offer(SECRET, *prices).status_code == 200
        seen = [
            service.call("GET", path, token=PLAYER_KEY).data for path in ("/v1/me/games", "/v1/me/events")
        ]
        collaborators(service.app).change_notifier.stop()
        return [*seen, service.call("GET", "/v1/me/events/stream", token=PLAYER_KEY).data]


def test_games_and_events_of_a_player_show_no_price_of_others():
    cheap, dear = answers_to_a_player((1, 2)), answers_to_a_player((3, 1))
    assert cheap == dear
    assert b"your_turn" in cheap[1]
