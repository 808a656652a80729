"""Two games that differ in one secret only, and all requests that read them."""

import secrets
from unittest import mock
from urllib.parse import urlencode

from tests.support.endpoints import ENDPOINTS
from tests.support.playing import Service, dice

SECRET = 1
"""The seat that keeps something to itself."""

MAX_GOLD = ["most_gold", "sheep", "squares", "most_ships"]
"""Scoring tiles of which one looks into purses."""


class Twins:
    """Two games that differ only in the requests that a test sends to one of them.

    The same key from the same address gives both the same id, and a clock that stands still the same times.
    The nonces of both commitments are the same, and all tokens.
    """

    def __init__(self, players=3, **options):
        key = {"Idempotency-Key": "twins-0123456789abcdefghijk"}
        options = {"scoring_tiles": MAX_GOLD, **options}
        with mock.patch.multiple(secrets, token_hex=lambda length: "00" * length, token_bytes=bytes):
            self.games = [Service().create_game(players, headers=key, options=options) for _ in range(2)]
            for game in self.games:  # the first request of a token stores its code, which has a random part
                game.service.get(game.path("watch-code"), game.host)
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
    """Return all callers except the secret seat, with their headers."""
    tokens = {f"seat {seat}": token for seat, token in enumerate(game.tokens) if seat != SECRET}
    return {**tokens, "the host": game.host, "a spectator": None, "a stranger": "skye_wrong"}


OF_ALL_GAMES = ("/v1/games", "/v1/records", "/v1/me")
"""Paths of what lists games, or belongs to a player."""


def questions(game, rounds):
    """Yield all requests that read a game."""
    seats = range(len(game.tokens))
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and endpoint.rule.startswith(OF_ALL_GAMES):
            query = f"?{urlencode(endpoint.query)}" if endpoint.query else ""
            asked = seats if endpoint.rule.endswith(("/actions", "/places")) else [SECRET]
            for seat in asked if "<seat:seat>" in endpoint.rule else [0]:
                for number in rounds if "<int:round>" in endpoint.rule else [1]:
                    path = endpoint.path(game, {"seat:seat": str(seat), "int:round": str(number)})
                    yield "GET", path + query, None
    yield "GET", game.path("events") + "?after=7&limit=3", None
    bag = game.view()["bag"]["tiles"]
    tried = {"placements": [{"tile": tile, "x": 0, "y": number + 1} for number, tile in enumerate(bag[:2])]}
    for seat in seats:
        yield "POST", game.path("what-if", seat), tried
        yield "POST", game.path("building/finish", seat), None
        yield "PUT", game.path("purchase", seat), {"tile": bag[0]}


def answers(game, caller, rounds):
    """Return all responses to a caller, with every header but the time of the response."""
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
