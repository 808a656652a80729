"""Tokens, player keys, and the rights that they give in a game, without HTTP."""

import pytest
from msgspec.structs import replace

from skye_server.error_codes import Problem
from skye_server.games import authorization
from skye_server.games.authorization import (
    OWN_SEAT,
    SPECTATOR,
    Caller,
    Credentials,
    TokenSource,
    caller_of,
    hash_player_key,
    hash_token,
    identify,
    identify_player,
    players_of,
    require_host,
    require_no_seat,
    require_own_seat,
    require_seat,
    seat_of,
    watch_code,
)
from skye_server.games.game import FREE_SEAT, Game, GameOptions, PublicFrom, Role, Seat, Status

HOST, INVITE = "skye_host_" + 22 * "h", "skye_invite_" + 22 * "i"
ANN, BOB, OTHER = (f"skye_seat_{22 * letter}" for letter in "abo")
KEY = "skye_key_" + 22 * "k"
ANN_KEY, BOB_KEY, OTHER_KEY = "ann-id", "bob-id", "other-id"
GAME = Game(
    "game",
    "a game",
    hash_token(HOST),
    GameOptions("seed"),
    0,
    capacity=4,
    seats=(
        Seat("Ann", "red", hash_token(ANN), player=ANN_KEY),
        FREE_SEAT,
        Seat("Bob", "blue", hash_token(BOB), player=BOB_KEY),
    ),
    invites=(hash_token(INVITE),),
    host_player=ANN_KEY,
)
PRIVATE = Game(
    GAME.id, GAME.name, GAME.host, GAME.options, 0, private=True, seats=GAME.seats, invites=GAME.invites
)


def refused(code, call, *arguments, **keywords):
    """Check that a call is refused with a code; return the error."""
    with pytest.raises(Problem) as caught:
        call(*arguments, **keywords)
    assert caught.value.code == code
    return caught.value


@pytest.mark.parametrize(
    ("caller", "roles"),
    [
        (SPECTATOR, []),
        (Caller(seat=0), [Role.PLAYER]),
        (Caller(host=True), [Role.HOST]),
        (Caller(invited=True), [Role.INVITED]),
        (Caller(2, host=True), [Role.HOST, Role.PLAYER]),
    ],
)
def test_roles_of_a_caller(caller, roles):
    assert caller.roles == roles


def test_tokens_derive_from_the_nonce_the_key_and_the_role():
    source, again = (TokenSource("key", b"n" * 16) for _ in range(2))
    assert source.token("host") == again.token("host") == source.given["host"]
    tokens = [source.token("0"), TokenSource("other", b"n" * 16).token("0"), TokenSource("key").token("0")]
    assert len({*tokens, source.token("host")}) == 4
    assert all(authorization.is_token(token) and token.startswith("skye_seat_") for token in tokens)


def test_sources_without_a_nonce_differ():
    nonces = {TokenSource().nonce for _ in range(8)}
    assert len(nonces) == 8
    assert {len(nonce) for nonce in nonces} == {16}


def test_invites_of_a_source_are_its_invitation_codes_alone():
    source = TokenSource("key")
    source.token("host")
    codes = [source.token("invite0"), source.token("invite1")]
    assert source.invites == codes


@pytest.mark.parametrize(
    "text",
    ["", "skye_", HOST[:-1], HOST + "a", " " + HOST, KEY, "skye_" + 22 * "a", "skye_seat_" + 21 * "a" + "!"],
)
def test_other_texts_are_no_tokens(text):
    assert not authorization.is_token(text)


@pytest.mark.parametrize(("length", "valid"), [(21, False), (22, True), (64, True), (65, False)])
def test_player_keys_have_from_22_to_64_characters(length, valid):
    key = "skye_key_" + "k" * length
    assert authorization.is_player_key(key) is valid
    assert valid is (len(KEY) <= len(key) <= authorization.MAX_PLAYER_KEY_LENGTH)
    assert not authorization.is_player_key("x" + key)


def test_hashes_never_change():
    # Stored games contain them, so they may never change.
    assert hash_token(HOST) == "21aAzhB8mrGK0hgls3e3QQ"
    assert hash_player_key(KEY) == "6zlSzOu2yOUgxZW33tf3gQ"
    assert authorization.invitation_id(hash_token(INVITE)) == "1e60326cf86732f1"
    assert authorization.player_id(ANN_KEY) == "1fa411412668f69e"


@pytest.mark.parametrize(
    ("token", "caller"),
    [
        (HOST, Caller(host=True)),
        (INVITE, Caller(invited=True)),
        (ANN, Caller(seat=0)),
        (BOB, Caller(seat=2)),
        (OTHER, None),
    ],
)
def test_token_identifies_its_caller(token, caller):
    assert identify(GAME, Credentials(token)) == caller


@pytest.mark.parametrize(
    ("player", "caller"), [(ANN_KEY, Caller(0, host=True)), (BOB_KEY, Caller(2)), (OTHER_KEY, None)]
)
def test_player_key_identifies_its_caller(player, caller):
    assert identify_player(GAME, player) == identify(GAME, Credentials(KEY, player)) == caller
    assert seat_of(GAME, player) == (None if caller is None else caller.seat)


def test_host_without_a_seat_is_the_host():
    empty = Game("game", "", "", GameOptions("seed"), 0, host_player=ANN_KEY)
    assert identify_player(empty, ANN_KEY) == Caller(host=True)


def test_watch_code_derives_from_secret_host_token_and_credential():
    code = watch_code(b"secret", "host", KEY)
    assert authorization.is_token(code)
    assert code.startswith("skye_watch_")
    others = [
        watch_code(b"other", "host", KEY),
        watch_code(b"secret", "", KEY),
        watch_code(b"secret", "host", ""),
    ]
    assert len({code, *others}) == 4
    assert caller_of(PRIVATE, Credentials(code), watches=True) == Caller(watching=True)
    refused("game_not_found", caller_of, PRIVATE, Credentials(code))


def test_seat_of_a_source_has_a_token_or_none():
    source, tokenless = TokenSource(), TokenSource()
    assert source.seat is None
    assert hash_token(source.given["1"] if source.seat_token(1, has_token=True) else "") == hash_token(
        source.seat[1]
    )
    assert source.seat[0] == 1
    assert tokenless.seat_token(2, has_token=False) == ""
    assert tokenless.seat == (2, None)


def test_prefix_of_a_token_names_its_kind():
    kinds = [TokenSource("key").token(role)[:-22] for role in ("host", "3", "invite12")]
    assert kinds == ["skye_host_", "skye_seat_", "skye_invite_"]


def role(game, *credentials, **more):
    """Return the role of the caller of a request."""
    return caller_of(game, Credentials(*credentials, **more))


def test_role_of_a_public_game():
    assert role(GAME, None) == SPECTATOR
    assert role(GAME, KEY, OTHER_KEY) == Caller(has_key=True)
    assert role(GAME, ANN) == role(GAME, ANN, invite=INVITE) == Caller(seat=0)
    assert role(GAME, None, invite=INVITE) == role(GAME, OTHER, invite=INVITE) == Caller(invited=True)
    assert role(GAME, None, invite=OTHER) == role(GAME, None, invite=BOB) == SPECTATOR
    assert role(GAME, OTHER, is_retired=True) == SPECTATOR
    refused("token_unknown", role, GAME, OTHER)


def test_role_of_a_private_game_hides_it_from_strangers():
    for token, player in ((None, ""), (OTHER, ""), (KEY, OTHER_KEY)):
        refused("game_not_found", role, PRIVATE, token, player)
    assert role(PRIVATE, BOB) == role(PRIVATE, KEY, BOB_KEY) == Caller(seat=2)
    assert role(PRIVATE, None, invite=INVITE) == Caller(invited=True)
    assert role(PRIVATE, OTHER, is_retired=True) == SPECTATOR


@pytest.mark.parametrize(
    ("caller", "is_anonymous"),
    [
        (SPECTATOR, True),
        (SPECTATOR.in_game(GAME), True),
        (Caller(seat=0), False),
        (Caller(host=True), False),
        (Caller(invited=True), False),
        (Caller(watching=True), False),
        (Caller(has_key=True), False),
    ],
)
def test_only_caller_without_role_and_credential_is_anonymous(caller, is_anonymous):
    assert caller.is_anonymous is is_anonymous


def test_caller_sees_nothing_before_the_game_is_known():
    assert not any(each.sees_content or each.sees_hints for each in (SPECTATOR, Caller(0, host=True)))


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("public_from", PublicFrom)
def test_seatless_caller_sees_content_of_public_games(status, public_from):
    game = replace(GAME, status=status, options=GameOptions("seed", public_from=public_from))
    is_hidden = status is Status.PLAYING and public_from is PublicFrom.END
    for caller in (SPECTATOR, Caller(host=True), Caller(watching=True), Caller(has_key=True)):
        assert caller.in_game(game).sees_content is not is_hidden
    assert Caller(seat=2).in_game(game).sees_content


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("hints", [True, False])
def test_caller_sees_hints_of_games_with_hints_or_over(status, hints):
    game = replace(GAME, status=status, options=GameOptions("seed", hints=hints))
    is_over = status in (Status.FINISHED, Status.ABORTED)
    assert SPECTATOR.in_game(game).sees_hints is (hints or is_over)


def test_players_of_a_game():
    assert players_of(GAME) == {ANN_KEY, BOB_KEY}
    assert players_of(None) == frozenset()


def test_own_seat_is_required():
    assert require_own_seat(GAME, Caller(seat=2), 2) == require_own_seat(GAME, Caller(seat=2), OWN_SEAT) == 2
    assert "seat 0" in refused("not_your_seat", require_own_seat, GAME, Caller(seat=2), 0).detail
    refused("not_your_seat", require_own_seat, GAME, Caller(host=True), 0)
    refused("token_required", require_own_seat, GAME, Caller(), 0)
    refused("seat_not_found", require_own_seat, GAME, SPECTATOR, 1)


def test_taken_seat_is_required():
    assert [require_seat(GAME, SPECTATOR, seat) for seat in (0, 2)] == [0, 2]
    assert require_seat(GAME, Caller(seat=2), OWN_SEAT) == 2
    for seat in (1, 3, 4):
        assert refused("seat_not_found", require_seat, GAME, SPECTATOR, seat).params == {"seat_count": 4}
    refused("token_required", require_seat, GAME, Caller(), OWN_SEAT)
    refused("not_your_seat", require_seat, GAME, Caller(host=True), OWN_SEAT)


def test_second_seat_of_a_player_is_refused():
    require_no_seat(GAME, OTHER_KEY)
    require_no_seat(GAME, "")
    for player, seat in ((ANN_KEY, 0), (BOB_KEY, 2)):
        assert refused("already_seated", require_no_seat, GAME, player).params == {"seat": seat}


def test_host_is_required():
    require_host(Caller(host=True))
    refused("token_required", require_host, Caller())
    refused("host_only", require_host, Caller(seat=0))
