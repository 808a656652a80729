"""The caller of a game after a command: found in the game as the command has changed it."""

from msgspec.structs import replace

from skye_server.commands.attempts import Attempt
from skye_server.games.authorization import SPECTATOR, Caller, Credentials, TokenSource, hash_token
from skye_server.games.game import FREE_SEAT, Game, GameOptions, Seat

HOST, ANN, BOB = "skye_host_" + 22 * "h", "skye_seat_" + 22 * "a", "skye_seat_" + 22 * "b"
SEATS = (Seat("Ann", "red", hash_token(ANN)), FREE_SEAT, Seat("Bob", "blue", hash_token(BOB), player="bob"))
LOBBY = Game("game", "a game", hash_token(HOST), GameOptions("seed"), 0, seats=SEATS)


def attempt(game, caller, *credentials, **more):
    return Attempt("game", game, caller, 0, credentials=Credentials(*credentials), **more)


def test_caller_after_the_start_has_the_seat_of_the_token():
    started = replace(LOBBY, seats=(SEATS[0], SEATS[2]))
    for credentials in ((BOB,), ("skye_key_...", "bob")):
        after = attempt(LOBBY, Caller(seat=2), *credentials).caller_after(started)
        assert after == Caller(seat=1).in_game(started)


def test_caller_whose_token_lost_its_role_is_none():
    left = replace(LOBBY, seats=(SEATS[0], FREE_SEAT, FREE_SEAT))
    assert attempt(LOBBY, Caller(seat=2), BOB).caller_after(left) is None
    for spectator in ((SPECTATOR,), (Caller(watching=True), "skye_watch_...")):
        assert attempt(LOBBY, *spectator).caller_after(left) == spectator[0].in_game(left)


def test_caller_of_a_new_game_has_the_role_of_the_new_token():
    tokens = TokenSource("key")
    host, seat = tokens.token("host"), tokens.token("0")
    new = replace(LOBBY, host=hash_token(host), seats=(Seat("Ann", "red", hash_token(seat)), *SEATS[1:]))
    created = attempt(None, SPECTATOR, is_entered=True, tokens=tokens).caller_after(new)
    assert created == Caller(host=True).in_game(new)
    del tokens.given["host"]
    entered = attempt(LOBBY, Caller(seat=2), BOB, is_entered=True, tokens=tokens).caller_after(new)
    assert entered == Caller(seat=0).in_game(new)
