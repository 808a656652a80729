"""Player keys: seats bound to them, the list of their games, and their replacement."""

import pytest

from skye_server.games.due import RELAY_MS
from skye_server.settings import Settings
from skye_server.store.games import EXPIRY_S
from skye_server.store.redis_games import RedisGames
from skye_server.store.redis_players import RedisPlayers
from skye_server.store.shards import key_of
from tests.support.dispatching import crash_before_relay, dispatch
from tests.support.playing import KEY, Service, client_error_code, limited, new_key, problem_code


def created(service, key, players=("Ann",), **more):
    """Return a game that the holder of a key creates, with a seat for the key."""
    return service.begin(key, players=[{"name": name} for name in players], **more)


def join(game, key, name="Eve", **more):
    return game.call("POST", "players", {"name": name, **more}, token=key)


def listed(service, key, query=""):
    return service.get(f"/v1/me/games{query}", key)["games"]


def ids(service, key):
    return [own["game"]["id"] for own in listed(service, key)]


# Seats.


def test_creating_with_a_key_binds_the_game_and_the_first_seat(service):
    key = new_key()
    game = service.begin(key, players=[{"bot": "random"}, {"name": "Ann"}, {"name": "Bob"}])
    assert game.created["game"]["you"] == {"seat": 1, "roles": ["host", "player"]}
    assert game.created["host_token"] is None
    assert [player["token"] is None for player in game.created["players"]] == [True, True, False]
    assert game.call("GET", token=key).json["you"] == {"seat": 1, "roles": ["host", "player"]}
    assert game.call("POST", "start", token=key).status_code == 200


def test_joining_with_a_key_binds_the_seat(service):
    key, game = new_key(), service.create_game(1, start=False)
    answer = join(game, key)
    assert (answer.status_code, answer.json["seat"], answer.json["token"]) == (201, 1, None)
    assert answer.json["game"]["you"] == {"seat": 1, "roles": ["player"]}
    game.call("POST", "start", token=game.host)
    assert problem_code(game.offer(0, 1, 1, token=key)) == "not_your_seat"
    actions = service.get(game.path("actions", 1), key)["actions"]
    assert game.call("PUT", "offer", actions[0]["body"], seat=1, token=key).status_code == 200


def test_key_without_a_role_is_a_spectator(service):
    game = service.create_game(2)
    assert game.call("GET", token=new_key()).json["you"] == {"seat": None, "roles": []}
    assert problem_code(game.offer(0, 1, 1, token=new_key())) == "not_your_seat"
    assert problem_code(game.call("POST", "abort", token=new_key())) == "host_only"
    assert problem_code(game.call("POST", "rematch", token=new_key())) == "not_your_seat"
    private = service.create_game(2, visibility="private")
    assert problem_code(private.call("GET", token=new_key())) == "game_not_found"


def test_key_holds_one_seat_of_a_game(service):
    key, game = new_key(), service.create_game(1, start=False)
    join(game, key)
    assert problem_code(join(game, key, "Eva")) == "already_seated"


def test_invitation_beside_a_key_seats_the_player_of_the_key(service):
    key = new_key()
    game = service.begin(visibility="private", players=[{"name": "Ann"}, {"invite": True}])
    code = game.created["invitations"][0]["code"]
    assert problem_code(join(game, key)) == "game_not_found"
    assert join(game, key, invite_code=code).json["seat"] == 1
    assert game.call("GET", token=key).json["you"]["seat"] == 1
    assert problem_code(join(game, new_key(), "Fay", invite_code=code)) == "invitation_over"


def test_leaving_frees_the_seat_from_the_key(service):
    key = new_key()
    for start in (False, True):
        game = service.create_game(2, start=False)
        join(game, key)
        if start:
            game.call("POST", "start", token=game.host)
        method, rest = ("POST", "resign") if start else ("DELETE", "")
        assert game.call(method, rest, seat=2, token=key).status_code == 200
        assert game.call("GET", token=key).json["you"]["seat"] is None
        assert (game.id in ids(service, key)) == start  # a player who resigned keeps the game in the list


def test_repeated_creation_with_a_key_returns_the_same_game(service):
    key = new_key()
    first, again = (service.call("POST", "/v1/games", {}, key, KEY) for _ in range(2))
    assert first.json == again.json
    other = service.call("POST", "/v1/games", {}, new_key(), KEY)
    assert other.json["game"]["id"] != first.json["game"]["id"]


def test_game_is_not_created_with_the_token_of_another_game(service):
    game = service.create_game(1, start=False)
    for token in (game.host, game.tokens[0]):
        assert problem_code(service.call("POST", "/v1/games", token=token)) == "player_key_only"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/me?unknown=1",
        "/v1/me/games?cursor=none",
        "/v1/me/games/records?limit=0",
        "/v1/me/records?cursor=none",
        "/v1/me/statistics?unknown=1",
        "/v1/me/events?after=none",
        "/v1/me/events/stream?unknown=1",
    ],
)
def test_player_is_authenticated_before_the_query_is_read(service, path):
    assert problem_code(service.call("GET", path)) == "player_key_required"
    assert problem_code(service.call("GET", path, token=new_key())) == "invalid_parameter"


def test_player_of_a_key_is_counted_and_keeps_the_id():
    service, key, other = limited(limit_games_per_key=5), new_key(), new_key()
    unused = service.get("/v1/me", key)
    assert (unused["active_game_count"], unused["max_active_game_count"], unused["last_event"]) == (
        0,
        5,
        "0-0",
    )
    created(service, key).call("POST", "abort", token=key)
    created(service, key)
    service.call("PUT", "/v1/me/key", {"key": other}, key)
    player = service.get("/v1/me", other)
    assert (player["id"], player["active_game_count"]) == (unused["id"], 1)
    assert player["last_event"] == service.get("/v1/me/events", other)["last_event"]
    assert Service().get("/v1/me", new_key())["max_active_game_count"] is None


def test_seat_and_host_of_a_key_receive_tokens_on_request(service):
    key = new_key()
    game = created(service, key)
    host = game.call("POST", "host-token", token=key)
    assert host.json["game"]["you"] == {"seat": 0, "roles": ["host", "player"]}
    assert service.get(game.path(), host.json["host_token"])["you"] == {"seat": None, "roles": ["host"]}
    seat = game.call("POST", "token", seat=0, token=key).json["token"]
    assert service.get(game.path(), seat)["you"] == {"seat": 0, "roles": ["player"]}
    assert service.get(game.path(), key)["you"] == {"seat": 0, "roles": ["host", "player"]}


def test_key_is_in_no_view_event_or_stored_value(service):
    key, other = new_key(), new_key()
    game = created(service, key, visibility="private")
    service.call("PUT", "/v1/me/key", {"key": other}, key)
    shown = [service.call("GET", game.path(rest), token=other).text for rest in ("", "events")]
    shown.append(service.call("GET", "/v1/me/games", token=other).text)
    for secret in (key, other):
        assert secret.removeprefix("skye_key_") not in f"{shown} {service.stored()}"
    players = {part for name in service.redis.keys("skye:{player.*") for part in name.decode().split("}")[:1]}
    for player in players:
        assert player.removeprefix("skye:{player.") not in str(shown)


# The list of games.


def test_games_that_wait_for_the_player_are_listed_first(service):
    key = new_key()
    lobby = created(service, key)
    service.clock.advance(1)
    waiting = created(service, key, ("Ann", "Bob"), auto_start=True)
    service.clock.advance(1)
    by_deadline = {}
    for turn_s in (180, 60, 240, 120):
        options = {"turn_ms": 1000 * turn_s}
        by_deadline[turn_s] = created(service, key, ("Ann", "Bob"), auto_start=True, options=options).id
    service.clock.advance(1)
    acted = created(service, key, ("Ann", "Bob"), auto_start=True)
    acted.offer(0, 1, 1)
    service.clock.advance(1)
    aborted = created(service, key)
    aborted.abort()
    urgent = [by_deadline[turn_s] for turn_s in sorted(by_deadline)]
    assert ids(service, key) == [*urgent, waiting.id, acted.id, lobby.id, aborted.id]
    first, *others = listed(service, key)
    assert [each["waiting"] for each in others[3:5]] == [True, False]
    assert (first["waiting"], first["deadline"] is not None) == (True, True)
    assert (first["seat"], first["roles"]) == (0, ["host", "player"])


def test_expired_game_leaves_the_list(service):
    key = new_key()
    gone, kept = created(service, key), created(service, key)
    service.redis.delete(key_of(gone.id, "game"), key_of(gone.id, "log"))
    assert ids(service, key) == [kept.id]


def test_game_whose_commit_failed_is_not_listed(service, monkeypatch):
    key, game = new_key(), service.create_game(1, start=False)
    with monkeypatch.context() as patched:
        patched.setattr(RedisGames, "commit", lambda *_: False)
        assert join(game, key).status_code == 503
    assert ids(service, key) == []
    service.clock.advance(120)
    assert ids(service, key) == []
    assert not service.redis.keys("skye:{player.*}:games")


def test_game_is_listed_though_the_worker_died_after_the_commit(service, monkeypatch):
    key, game = new_key(), service.create_game(1, start=False)
    with monkeypatch.context() as patched:
        crash_before_relay(patched)
        join(game, key)
    service.clock.advance(RELAY_MS / 1000)
    dispatch(service)
    assert ids(service, key) == [game.id]


def test_games_of_a_key_are_limited():
    service, key = limited(limit_games_per_key=2), new_key()
    games = [created(service, key) for _ in range(2)]
    refused = service.call("POST", "/v1/games", {}, key)
    assert client_error_code(refused) == "too_many_games"
    games[0].abort()
    assert service.call("POST", "/v1/games", {}, key).status_code == 201


def test_place_that_was_reserved_before_a_crash_is_free_after_a_minute(monkeypatch):
    service, key = limited(limit_games_per_key=1), new_key()
    with monkeypatch.context() as patched:
        patched.setattr(RedisGames, "commit", lambda *_: 1 / 0)
        assert service.call("POST", "/v1/games", {}, key).status_code == 500
    lobby = service.create_game(1, start=False)
    assert problem_code(join(lobby, key)) == "too_many_games"
    service.clock.advance(61)
    assert join(lobby, key).status_code == 201


def test_place_for_a_seat_that_another_player_took_is_free_at_once(monkeypatch):
    service, key = limited(limit_games_per_key=1), new_key()
    lobby, other = (service.create_game(1, start=False, seat_count=2) for _ in range(2))
    interleaved(monkeypatch, RedisGames, "commit", lambda: join(lobby, new_key(), "Fay"), before=True)
    assert problem_code(join(lobby, key)) == "game_full"
    assert join(other, key).status_code == 201


def test_games_that_the_player_has_left_count_no_longer():
    service, key = limited(limit_games_per_key=2), new_key()
    for _ in range(4):
        lobby = service.create_game(1, start=False)
        assert join(lobby, key).status_code == 201
        assert lobby.call("DELETE", seat=1, token=key).status_code == 200
    assert service.get("/v1/me", key)["active_game_count"] == 0


def test_games_that_have_expired_count_no_longer():
    service, key = limited(limit_games_per_key=1), new_key()
    game = created(service, key)
    service.redis.expire(key_of(game.id, "game"), EXPIRY_S)
    service.clock.advance(Settings().game_ttl_lobby_s)
    dispatch(service)
    assert service.get("/v1/me", key)["active_game_count"] == 0
    created(service, key)


# Replacement.


def replaced(service, old, new):
    return service.call("PUT", "/v1/me/key", {"key": new}, old)


def test_new_key_has_the_seats_of_the_old_one(service):
    old, new, newest = new_key(), new_key(), new_key()
    game = created(service, old)
    assert replaced(service, old, new).status_code == 200
    assert game.call("GET", token=new).json["you"] == {"seat": 0, "roles": ["host", "player"]}
    assert replaced(service, new, newest).status_code == 200
    assert ids(service, newest) == [game.id]
    for key in (old, new):
        assert problem_code(service.call("GET", "/v1/me/games", token=key)) == "token_unknown"
        assert problem_code(game.call("GET", token=key)) == "token_unknown"


def test_repeated_replacement_succeeds(service):
    old, new = new_key(), new_key()
    for _ in range(2):
        assert replaced(service, old, new).json["replaced"] is True
    assert problem_code(replaced(service, old, new_key())) == "token_unknown"


def test_key_in_use_replaces_no_other(service):
    old, used, retired = new_key(), new_key(), new_key()
    created(service, used)
    replaced(service, retired, new_key())
    for key in (used, retired, old):
        assert problem_code(replaced(service, old, key)) == "key_taken"
    assert listed(service, old) == []


def test_key_with_events_only_replaces_no_other(any_redis):
    service, used = Service(any_redis), new_key()
    game = created(service, used)
    game.call("POST", "abort", token=used)
    game.service.call("DELETE", game.path(), token=used)
    assert ids(service, used) == []
    assert problem_code(replaced(service, new_key(), used)) == "key_taken"


def interleaved(monkeypatch, kind, step, action, *, before):
    """Run an action before or after the next call of a step of the store; return a list with its result."""
    original, results = getattr(kind, step), []

    def overtaken(*arguments, **named):
        monkeypatch.setattr(kind, step, original)
        if before:
            results.append(action())
        reply = original(*arguments, **named)
        if not before:
            results.append(action())
        return reply

    monkeypatch.setattr(kind, step, overtaken)
    return results


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("again", [False, True])
def test_replacement_by_a_key_that_is_creating_a_game_orphans_none(any_redis, monkeypatch, before, again):
    service, old, new, newest = Service(any_redis), new_key(), new_key(), new_key()

    def replace():
        answer = replaced(service, old, new)
        if again and answer.status_code == 200:
            assert replaced(service, new, newest).status_code == 200
        return answer

    results = interleaved(monkeypatch, RedisPlayers, "reserve", replace, before=before)
    answer = service.call("POST", "/v1/games", {}, new)
    (result,) = results
    if before:
        assert (result.status_code, problem_code(answer)) == (200, "too_much_contention")
        owner = newest if again else new
        assert ids(service, owner) == []
        game = created(service, owner)
        assert ids(service, owner) == [game.id]
        assert len(service.redis.keys("skye:{player.*}:games")) == 1
    else:
        assert (problem_code(result), answer.status_code) == ("key_taken", 201)
        assert ids(service, new) == [answer.json["game"]["id"]]


def test_replacement_that_broke_off_is_completed_by_a_retry(service, monkeypatch):
    old, new = new_key(), new_key()
    game = created(service, old)
    with monkeypatch.context() as patched:
        patched.setattr(RedisPlayers, "replace_key", lambda *_: False)
        assert replaced(service, old, new).status_code == 503
    assert ids(service, old) == [game.id]
    assert problem_code(service.call("GET", "/v1/me/games", token=new)) == "token_unknown"
    assert replaced(service, old, new).status_code == 200
    assert ids(service, new) == [game.id]
    assert problem_code(service.call("GET", "/v1/me/games", token=old)) == "token_unknown"


@pytest.mark.parametrize("step", ["add_key", "replace_key"])
def test_one_of_two_replacements_at_once_gives_a_valid_key(service, monkeypatch, step):
    old, winner, loser = new_key(), new_key(), new_key()
    game, original = created(service, old), getattr(RedisPlayers, step)

    def overtaken(*arguments, **named):
        monkeypatch.setattr(RedisPlayers, step, original)
        assert replaced(service, old, winner).status_code == 200
        return original(*arguments, **named)

    monkeypatch.setattr(RedisPlayers, step, overtaken)
    assert problem_code(replaced(service, old, loser)) == "too_much_contention"
    assert ids(service, winner) == [game.id]
    for key in (old, loser):
        assert problem_code(service.call("GET", "/v1/me/games", token=key)) == "token_unknown"
        assert problem_code(game.call("GET", token=key)) == "token_unknown"
        assert problem_code(replaced(service, key, new_key())) == "token_unknown"


def test_key_works_on_every_worker(service):
    key = new_key()
    game = created(service, key)
    other = Service(service.redis)
    assert ids(other, key) == [game.id]
