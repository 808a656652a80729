"""`skye-server games` and `players`, and rotated backups, on the store of a server that runs."""

import fcntl
import json

import pytest
from click.testing import CliRunner

from skye_server.cli.__main__ import main
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of
from tests.support.playing import Service

KEY = "skye_key_" + 22 * "a"
NEW_KEY = "skye_key_" + 22 * "b"


@pytest.fixture
def service(redis_client):
    store = RedisStore(redis_client)
    store.claim_layout()
    return Service(redis_client, store)


@pytest.fixture
def run(redis_server):
    def run(*arguments, exit_code=0, **options):
        environ = {"SKYE_REDIS_URL": redis_server.url}
        done = CliRunner().invoke(main, arguments, env=environ, **options)
        assert done.exit_code == exit_code, done.output
        return done

    return run


def created(service, name="Ann", **body):
    """Create a game with a player who has the key; return its id."""
    answer = service.call("POST", "/v1/games", {"players": [{"name": name}], **body}, token=KEY)
    return answer.json["game"]["id"]


def lines(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_games_are_listed_shown_and_deleted(service, run):
    private = created(service, visibility="private", name="Jörg")
    public = created(service, name="Bob")
    assert {game["game"] for game in lines(run("games", "list", "--json"))} == {private, public}
    assert lines(run("games", "list", "--status", "finished", "--json")) == []
    (shown,) = lines(run("games", "show", private, "--json"))
    assert (shown["visibility"], shown["seats"][0]["name"]) == ("private", "Jörg")
    assert shown["players"] == ["Jörg"]
    assert shown["host_player"] == service.get("/v1/me", token=KEY)["id"]
    assert "seed" not in json.dumps(shown)
    printed = run("games", "show", private).stdout
    assert private in printed
    assert printed.count("Jörg") == 2
    run("games", "delete", private, input="n\n", exit_code=1)
    run("games", "delete", private, input="y\n")
    run("games", "delete", public, "--yes")
    assert service.call("GET", f"/v1/games/{private}").json["code"] == "game_not_found"
    assert lines(run("games", "list", "--json")) == []


def test_game_that_cannot_be_read_is_named_and_the_others_are_shown(service, run):
    damaged, kept = created(service), created(service, name="Bob")
    service.redis.set(key_of(damaged, "game"), b"damaged")
    listed = run("games", "list", "--json")
    assert [game["game"] for game in lines(listed)] == [kept]
    assert f"{damaged} cannot be read" in listed.stderr
    assert f"{damaged} cannot be read" in run("games", "show", damaged, exit_code=1).stderr
    run("players", "show", service.get("/v1/me", token=KEY)["id"])


def test_games_of_a_status_and_an_age_are_deleted_together(service, run):
    old = [created(service) for _ in range(3)]
    begun = created(service, auto_start=True, seat_count=2, players=[{"name": "Ann"}, {"name": "Bob"}])
    service.clock.advance(86_400)
    young = created(service)
    assert service.clock.now == 1_800_086_400  # 2027-01-16T08:00
    many = ("games", "delete", "--status", "lobby", "--before", "2027-01-15T12:00")
    run(*many, input="n\n", exit_code=1)
    assert "Deleted 3 games." in run(*many, input="y\n").stderr
    left = [json.loads(line)["game"] for line in run("games", "list", "--json").stdout.splitlines()]
    assert sorted(left) == sorted([begun, young])
    assert not set(left) & set(old)
    run("games", "delete", exit_code=2)
    run("games", "delete", young, "--status", "lobby", exit_code=2)


@pytest.mark.parametrize("command", [["games", "show", "none"], ["games", "delete", "none", "--yes"]])
def test_unknown_game_or_player_is_named(run, command):
    assert "There is no game none." in run(*command, exit_code=1).stderr
    assert "There is no player none." in run("players", "block", "none", exit_code=1).stderr


@pytest.mark.parametrize("command", [["games", "show"], ["players", "show"], ["players", "block"]])
def test_secret_in_place_of_an_id_is_not_repeated(run, command):
    refused = run(*command, KEY, exit_code=1)
    assert KEY not in refused.output
    assert "id of" in refused.stderr


def test_unfinished_restore_is_warned_of(redis_client, run, tmp_path):
    redis_client.set("skye:{clock}:restore", "digest")
    for command in (["games", "list"], ["rebuild"]):
        assert "Warning: A restore into this server has not finished" in run(*command).stderr
    assert "has not finished" in run("backup", str(tmp_path / "file"), exit_code=1).stderr
    assert "error    A restore into this server has not finished" in run("doctor", exit_code=1).stdout
    redis_client.delete("skye:{clock}:restore")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["none/file"], "The folder none does not exist."),
        (["--keep", "2", "none"], "The folder none does not exist."),
        (["--keep", "2", "text"], "The folder text is not a folder."),
        (["text"], "text exists already."),
        (["."], ". is a folder."),
        (["/dev/full"], "/dev/full is not a regular file."),
        (["--keep", "2", "-"], "FILE is a folder"),
    ],
)
def test_file_that_cannot_be_written_is_refused_by_its_name(run, tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").touch()
    refused = run("backup", *arguments, exit_code=2 if "-" in arguments else 1)
    assert reason in refused.stderr
    assert "unfinished" not in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


@pytest.mark.usefixtures("redis_client")
def test_unfinished_file_of_a_killed_backup_is_removed(run, tmp_path):
    stem = "skye-20260101T00000{}.000000Z.backup.unfinished"
    killed, running, other = (tmp_path / name for name in (stem.format(1), stem.format(2), "x.unfinished"))
    for path in (killed, running, other):
        path.touch()
    with running.open("rb") as written:
        fcntl.flock(written, fcntl.LOCK_EX)
        run("backup", "--keep", "1", str(tmp_path))
    assert [path.exists() for path in (killed, running, other)] == [False, True, True]


@pytest.mark.parametrize("is_replaced", [False, True])
def test_blocked_player_is_refused_until_unblocked(service, run, is_replaced):
    created(service)
    player, key = service.get("/v1/me", token=KEY)["id"], KEY
    if is_replaced:
        answer = service.call("PUT", "/v1/me/key", {"key": NEW_KEY}, token=KEY)
        assert answer.status_code < 300, answer.text
        key = NEW_KEY
    run("players", "block", player)
    (shown,) = lines(run("players", "show", player, "--json"))
    counts = {"games": 1, "active_games": 1, "past_games": 0}
    assert shown | {"player": player, "blocked": True} | counts == shown
    for method, path, body in (
        ("GET", "/v1/me", None),
        ("POST", "/v1/games", {}),
        ("PUT", "/v1/me/key", {"key": "skye_key_" + 22 * "c"}),
    ):
        refused = service.call(method, path, body, token=key)
        assert (refused.status_code, refused.json["code"]) == (401, "token_unknown")
        assert "blocked" in refused.json["detail"]
    run("players", "unblock", player)
    assert service.get("/v1/me", token=key)["id"] == player


def test_deleted_player_has_no_games_and_the_games_stay(service, run):
    game = created(service)
    past = created(service, players=[{"name": "Ann"}, {"bot": "random"}], auto_start=True)
    offer = service.get(f"/v1/games/{past}/players/0/actions", KEY)["actions"][0]
    service.call(offer["method"], offer["href"], offer["body"], KEY)
    service.call("POST", f"/v1/games/{past}/players/0/resign", token=KEY)
    player = service.get("/v1/me", token=KEY)["id"]
    (shown,) = lines(run("players", "show", player, "--json"))
    assert (shown["games"], shown["past_games"]) == (2, 1)
    run("players", "delete", player, "--yes")
    assert service.get("/v1/me/records", token=KEY)["games"] == []
    assert service.get("/v1/me/statistics", token=KEY)["games"] == 0
    assert service.get("/v1/me/games", token=KEY)["games"] == []
    assert service.get(f"/v1/games/{game}")["id"] == game


def test_games_with_hidden_names_are_in_no_list(redis_client):
    service = Service(redis_client, RedisStore(redis_client), hidden_names=("rude",))
    shown = created(service)
    created(service, name="A RuDe One")
    hidden = created(service, players=[{"name": "rude"}])
    assert [game["id"] for game in service.get("/v1/games")["games"]] == [shown]
    assert service.get(f"/v1/games/{hidden}")["id"] == hidden


def test_rotated_backups_are_the_newest(service, run, tmp_path):
    created(service)
    (tmp_path / "skye-of-mine.backup").touch()
    made = []
    for _ in range(4):
        run("backup", "--keep", "2", str(tmp_path))
        made = sorted({*made, *(path.name for path in tmp_path.iterdir())})
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [*[name for name in made if "of-mine" not in name][-2:], "skye-of-mine.backup"]
