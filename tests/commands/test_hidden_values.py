"""Purses, the seed, the nonce and tokens are in no response to a caller without the right to see them."""

import secrets
from unittest import mock

import pytest

from skye_server.http.framework import collaborators
from skye_server.store.codec import decode_game
from skye_server.store.redis_store import RedisStore
from tests.commands.twins import MAX_GOLD, SECRET, body_of, questions
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import KEY, PAIR, Service, dice


def with_purses(received):
    """Yield every gold of a seat in a response, as (seat, gold)."""
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
    """Return all responses in JSON that could contain gold."""
    number = game.view()["round"]
    rests = ["", "events", "scores", "record", *(f"rounds/{n}" for n in range(1, number + 1))]
    return [game.service.get(game.path(rest), token) for rest in rests]


@pytest.mark.parametrize("open_gold", [False, True])
def test_purse_is_hidden_from_others_until_the_end_unless_gold_is_open(open_gold):
    game = Service().create_game(3, options={"open_gold": open_gold, "scoring_tiles": MAX_GOLD})
    throw = dice(8)
    seen = 0
    for phase, number in (("pricing", 1), ("buying", 1), ("building", 2), ("pricing", 3)):
        game.play_to(phase, number, throw)
        for viewer, token in enumerate([*game.tokens, None, game.host]):
            for seat, gold in with_purses(views(game, token)):
                seen += 1
                if seat == viewer:
                    assert gold is not None
                elif not open_gold:
                    assert gold is None, (viewer, seat)
    assert seen > 500
    over = Service().create_game(3, bots=dict.fromkeys(range(3), "random"), options={"open_gold": open_gold})
    assert None not in [player["gold"] for player in over.view()["players"]]


def test_values_that_depend_on_a_hidden_purse_are_hidden():
    game = Service().create_game(2, options={"scoring_tiles": MAX_GOLD, "first_seat": 0})
    game.play_to("building")
    scores = game.service.get(game.path("scores"), game.tokens[0])["players"]
    assert scores[0]["projected_score"] is not None
    assert scores[1]["projected_score"] is None
    tried = game.call("POST", "what-if", {"placements": []}, seat=0).json
    assert {tile["scoring_tile"]: tile["before"] for tile in tried["scoring_tiles"]}["most_gold"] is None
    opened = Service().create_game(2, options={"scoring_tiles": MAX_GOLD, "open_gold": True})
    tried = opened.call("POST", "what-if", {"placements": []}, seat=0).json
    assert {tile["scoring_tile"]: tile["before"] for tile in tried["scoring_tiles"]}["most_gold"] is not None


def nonce_of(game):
    """Return the nonce as it is stored."""
    return decode_game(RedisStore(game.service.redis).games.load(game.id)[0]).options.nonce


def test_seed_and_nonce_are_nowhere_until_the_game_is_over():
    needle = "a needle in a haystack"
    lobby = Service().create_game(2, seed=needle, start=False)
    for caller in (*lobby.tokens, lobby.host, None):
        assert needle not in lobby.call("GET", token=caller).text
    game = Service().create_game(2, seed=needle)
    nonce = nonce_of(game)
    for phase, number in (("pricing", 1), ("buying", 2), ("building", 2)):
        game.play_to(phase, number, dice(2))
        last = game.view()["last_event"]
        for caller in (game.tokens[0], game.host, None):
            for method, path, body in questions(game, [number]):
                answer = game.service.call(method, path, body, caller)
                shown = body_of(answer, last).decode() + str(answer.headers)
                assert needle not in shown
                assert nonce not in shown
    game = game.service.create_game(2, seed=needle, bots={0: "random", 1: "random"})
    assert game.view()["fairness"].items() >= {"seed": needle, "nonce": nonce_of(game)}.items()
    assert game.service.get(game.path("record"))["options"]["seed"] == needle


def test_seed_and_nonce_of_an_aborted_game_stay_hidden():
    needle = "a needle in a haystack"
    game = Service().create_game(2, seed=needle)
    for secret in (needle, nonce_of(game)):
        assert secret not in game.abort().text
        for method, path, body in questions(game, [1]):
            assert secret not in game.service.call(method, path, body, game.host).text


def test_tokens_are_returned_once_and_stored_as_hashes():
    service = Service()
    game = service.create_game(3, start=False, headers=KEY)
    codes = [
        game.call("POST", "invitations", token=game.host, headers={"Idempotency-Key": name}).json[
            "invitation"
        ]
        for name in "ab"
    ]
    joined = game.call("POST", "players", {"name": "Dee"}, token=codes[0]["code"], headers=KEY)
    tokens = [game.host, *game.tokens, joined.json["token"]]
    hidden = [*tokens, *(code["code"] for code in codes)]
    assert len(set(hidden)) == 7
    assert all(len(token) >= 22 for token in tokens)  # 128 bits in base 64
    assert game.call("POST", "start", token=game.host).status_code == 200
    everything = str(service.stored())
    assert not any(secret.removeprefix("skye_") in everything for secret in hidden)
    for token in tokens:
        for method, path, body in questions(game, [1]):
            shown = body_of(service.call(method, path, body, token), game.view()["last_event"]).decode()
            assert not any(other in shown for other in hidden)


def answers_to_a_player(prices):
    """Return the responses to a player key after another seat has set prices."""
    service = Service()
    options = {"seed": "twins", "first_seat": 0, "turn_ms": 60_000}
    fixed = {"token_hex": lambda _: "0" * 32, "randbits": lambda _: 7}
    with mock.patch.multiple(secrets, **fixed):
        game = service.begin(PLAYER_KEY, KEY, **PAIR, options=options)
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
