"""One function is a bot everywhere: in leagues, in games of a player key, and at a URL."""

import contextlib
import json
import sys
import threading
import traceback
import urllib.error
import urllib.request
from datetime import UTC, datetime
from random import Random

import pytest
from standardwebhooks import Webhook

from skye import (
    Buy,
    FinishBuilding,
    Pass,
    Place,
    SetOffer,
    TakeBack,
    count_purses,
    new_game,
    observed_game,
)
from skye.views import action_of_move, move_from_action
from skye_client import ConnectionFailedError, SkyeError, Turn, bot_command, bot_server, host
from skye_client.turns import as_decide, completed
from skye_gym.arena.bot_at_url import SECRET_VARIABLE, BotAtUrl
from skye_gym.arena.bot_process import Budget
from skye_gym.arena.entrants import entrant_from
from skye_gym.arena.match import play_match
from skye_gym.arena.turn import Turn as ArenaTurn
from skye_gym.arena.turn import chosen_move, function_named
from skye_server import docs as guide
from tests.clients import one_bot
from tests.contract.guide import programs
from tests.support.hostile_credentials import KEY
from tests.support.waiting import MAX_WAIT_S

SECRET = "whsec_" + 32 * "A"
GAME = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
SHAPES = ["decide", "made_of_a_move", "of_the_engine"]
NAME = "tests.clients.one_bot:"


@contextlib.contextmanager
def serving(bot):
    """Serve a bot in a thread; yield its URL."""
    with bot_server.make_server(as_decide(bot), SECRET) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/bot"
        server.shutdown()
        thread.join()


def in_process(bot):
    """Return a decider that calls a bot as the process of a league does."""

    class Decider:
        starting = False
        clock = staticmethod(lambda: 0.0)

        def decide(self, game, seat, rng):
            return chosen_move(bot, ArenaTurn(observed_game(game, seat), seat, rng, 60_000))

    return Decider()


@pytest.mark.parametrize("shape", SHAPES)
def test_bot_plays_a_game_of_a_league(shape):
    bot = function_named(NAME + shape)
    assert entrant_from(NAME + shape).command[-1] == NAME + shape
    assert play_match(["a", "b"], [in_process(bot)] * 2, "league")["failures"] == {}


@pytest.mark.parametrize("shape", SHAPES)
def test_bot_plays_the_games_of_a_player_key(skye, live, shape, tmp_path, monkeypatch):
    player = skye.player()
    player.games.create(GAME)
    (tmp_path / "key").write_text(f"{player.key}\n")
    arguments = ["host", NAME + shape, f"--key={tmp_path / 'key'}", f"--url={live.url}", "--until-over"]
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert bot_command.main(arguments) == 0
    assert [own["game"]["status"] for own in player.games.all()] == ["finished"]


@pytest.mark.parametrize("shape", SHAPES)
def test_bot_answers_signed_requests(shape, monkeypatch):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    with serving(function_named(NAME + shape)) as url:
        at_url = BotAtUrl(url, Budget(MAX_WAIT_S))
        result = play_match(["a", "b"], [at_url, in_process(one_bot.of_the_engine)], "url")
    assert result["failures"] == {}


def test_bot_of_the_guide_plays_everywhere(monkeypatch):
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    names = {}
    exec(programs(guide.source("writing-a-bot"))["mybot.py"], names)
    with serving(names["decide"]) as url:
        at_url = BotAtUrl(url, Budget(MAX_WAIT_S))
        assert play_match(["a", "b"], [at_url, in_process(names["decide"])], "guide")["failures"] == {}


def test_turn_of_a_league_has_what_a_turn_of_the_client_has():
    names = {name for name in dir(Turn({}, [], rng=Random(1), time_left_ms=1000)) if name[0] != "_"}
    game = new_game(2, seed="turn").game
    assert {name for name in dir(ArenaTurn(game, 0, Random(1), 1000)) if name[0] != "_"} == names - {
        "api_seat"
    }


def test_time_left_follows_from_the_deadline_and_the_time_of_the_server():
    players = [{"deadline": "2026-01-01T00:01:00.500Z"}, {"deadline": None}]
    at = {"now": "2026-01-01T00:00:00.000Z", "you": {"seat": 0}, "players": players}
    assert 0 < Turn(at, []).time_left_ms <= 60_500
    assert Turn(at | {"now": "2026-01-01T00:02:00.000Z"}, []).time_left_ms == 0
    assert Turn(at | {"you": {"seat": 1}}, []).time_left_ms is None


def test_game_of_a_turn_has_the_exact_purses(skye, live):
    player, seen = skye.player(), []
    game = player.game(player.games.create(GAME)["game"]["id"])

    def decide(turn):
        if turn.view["phase"] != "pricing":
            seen.append((turn.view["last_event"], tuple(each.gold for each in turn.game.players)))
        return turn.moves[0]

    host(player.key, decide, url=live.url, until_over=True)
    events = game.event_page(limit=1000)["events"]
    for last, purses in seen:
        assert purses == count_purses([event for event in events if event["id"] <= last], 2)
    assert len(seen) > 12


@pytest.mark.parametrize(
    "move",
    [
        SetOffer("L01", (("L02", 3),)),
        Place("L01", 0, 1, 90),
        Buy("L01"),
        Pass(),
        TakeBack(),
        FinishBuilding(),
    ],
)
def test_move_and_action_convert_both_ways(move):
    assert move_from_action(action_of_move(move)) == move


@pytest.mark.parametrize(
    "action",
    [
        None,
        [],
        "buy",
        {},
        {"type": "return", "body": None},
        {"type": []},
        {"type": "buy"},
        {"type": "buy", "body": 3},
        {"type": "buy", "body": {"tile": []}},
        {"type": "set_offer", "body": {"discard": "L01", "prices": 3}},
    ],
)
def test_what_is_no_action_is_one_clear_error(action):
    with pytest.raises(ValueError, match="no action that makes a move"):
        move_from_action(action)


def test_decision_without_a_request_gets_that_of_the_listed_action():
    listed = {"type": "buy", "method": "PUT", "href": "/v1"}
    for action in ({"type": "buy", "body": 1}, {"type": "buy", "body": 1, "method": None, "href": None}):
        assert completed(action, [listed]) == listed | {"body": 1}


@pytest.mark.parametrize("action", [None, [], {}, {"type": 3}, {"type": "place", "body": None}])
def test_decision_that_is_no_legal_action_is_one_clear_error(action):
    with pytest.raises(SkyeError, match="`decide` returned"):
        completed(action, [{"type": "buy", "method": "PUT", "href": "/v1"}])


@pytest.mark.parametrize(
    ("path", "headers", "data", "status"),
    [
        ("/", {}, b"{}", 401),
        ("/x", {"webhook-timestamp": 400 * "9"}, b"", 401),
        ("/", {"Content-Length": "9" * 30}, b"", 413),
        ("/", {"Content-Length": "-1"}, b"", 411),
    ],
)
def test_unsigned_request_to_a_bot_is_refused(path, headers, data, status):
    with serving(one_bot.decide) as url:
        request = urllib.request.Request(url + path, data, headers)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=MAX_WAIT_S)
        assert refused.value.code == status
        assert SECRET[6:] not in refused.value.read().decode()


def signed(message):
    """Return the body and the headers of a signed request."""
    body, now = json.dumps(message), datetime.now(UTC)
    signature = Webhook(SECRET).sign("msg_1", now, body)
    stamp = str(int(now.timestamp()))
    headers = {"webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": signature}
    return body.encode(), headers


def decision():
    turn = ArenaTurn(new_game(2, seed="turn").game, 0, Random(1), 1000)
    data = {"seat": 0, "time_left_ms": 1000, "game": {**turn.view}, "actions": [*turn.actions]}
    return {"type": "decision", "data": data}


def test_bot_repeats_the_challenge_of_its_server():
    body, headers = signed({"type": "webhook_challenge", "data": {"challenge": "abc"}})
    assert bot_server.answer(body, headers, one_bot.decide, SECRET) == (200, {"challenge": "abc"})


def test_repeated_request_gets_the_same_answer():
    def decide(turn):
        return {"type": "set_offer", "body": {"dice": turn.rng.random()}}

    answers = [bot_server.answer(*signed(decision()), decide, SECRET) for _ in range(2)]
    assert answers[0] == answers[1]


def test_bot_that_fails_is_an_error_that_only_its_log_explains(caplog):
    def fails(_turn):
        raise LookupError("my strategy")

    status, shown = bot_server.answer(*signed(decision()), fails, SECRET)
    assert (status, "my strategy" in json.dumps(shown)) == (500, False)
    assert 'raise LookupError("my strategy")' in caplog.text
    assert "bot_server.py" not in caplog.text.partition("\n")[2]  # after the line of the log


def test_error_of_a_bot_of_a_player_key_shows_its_lines(skye, live, monkeypatch, capsys):
    player = skye.player()
    player.games.create(GAME)
    with pytest.raises(ValueError, match="my strategy") as raised:
        host(player.key, one_bot.faulty, url=live.url)
    names = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert names[-2:] == ["host", "faulty"]
    monkeypatch.setattr(sys, "path", [*sys.path])
    arguments = ["host", f"{NAME}faulty", f"--key={player.key}", f"--url={live.url}"]
    assert bot_command.main(arguments) == 1
    printed = capsys.readouterr()
    assert "my debugging of round 1" in printed.out
    assert 'one_bot.py", line' in printed.err
    assert 'raise ValueError("my strategy")' in printed.err
    assert "anyio" not in printed.err
    assert "skye_client" not in printed.err


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("import nothing_there", "import nothing_there"),
        ("def bot(:", "SyntaxError"),
        ("bot = 1\njson.foo", 'faulty_bot.py", line 2'),
    ],
)
def test_error_in_the_module_of_a_bot_shows_its_line(source, shown, tmp_path, monkeypatch, capsys):
    (tmp_path / "faulty_bot.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "faulty_bot", raising=False)
    assert bot_command.main(["url", "faulty_bot:bot"]) == 1
    error = capsys.readouterr().err
    assert shown in error
    assert "importlib" not in error


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["url", "nothing:decide"], "there is no bot 'nothing:decide'"),
        (["url", "json:nothing"], "there is no bot 'json:nothing'"),
        (["url", "json:__doc__"], "it is no function"),
        (["host", "json:dumps"], "name a player key"),
        (["host", "json:dumps", "--key=/nothing"], "this is no player key (skye_key_...), and no file"),
        (["url", "json:dumps", "--host=192.0.2.1"], "--host 192.0.2.1 --port 5000 cannot be used: "),
        (["url", "json:dumps", "--host=::1"], "--host ::1 --port 5000 cannot be used: "),
        (
            ["host", "json:dumps", f"--key=skye_key_{22 * 'A'}", "--url=http://127.0.0.1:9"],
            "no server responds at http://127.0.0.1:9 (",
        ),
    ],
)
def test_command_refuses_what_cannot_be_a_bot(arguments, reason, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delenv("SKYE_PLAYER_KEY", raising=False)
    assert bot_command.main(arguments) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1
    assert ("--url names another server" in error) == ("no server" in reason)


@pytest.mark.parametrize(
    "option", ["--port=-1", "--port=65536", "--port=99999999999", "--port=x", "--host= "]
)
def test_command_refuses_a_port_or_host_that_cannot_be_one(option, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(SystemExit, match="2"):
        bot_command.main(["url", "json:dumps", option])
    assert f"error: argument {option.partition('=')[0]}: " in capsys.readouterr().err


def key_of(text, folder, content):
    """Return the key that the command sends, with a file of that content."""
    (folder / "key").write_bytes(content)
    return bot_command.player_key(text.format(folder / "key"))


@pytest.mark.parametrize(
    ("text", "content"),
    [(f" {KEY}\t", b""), (" {}\n", f"{KEY}\r\n".encode()), ("{}", f"{KEY}\n".encode("utf-8-sig"))],
)
def test_key_may_have_white_space_and_its_file_a_byte_order_mark(text, content, tmp_path):
    assert key_of(text, tmp_path, content) == KEY


@pytest.mark.parametrize(
    "content", [KEY.encode("utf-16"), KEY.encode("utf-16-le"), bytes(range(256)), b"hello", b""]
)
def test_file_without_a_key_is_one_clear_error(content, tmp_path):
    with pytest.raises(ValueError, match=r"no player key .*, and no file that can be read"):
        key_of("{}", tmp_path, content)


def test_command_refuses_a_ladder_that_the_server_lacks(live, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delenv("SKYE_PLAYER_KEY", raising=False)
    arguments = ["ladder", "json:dumps", "--name=ann", "--ladder=live_9", f"--url={live.url}"]
    assert bot_command.main(arguments) == 2
    assert "the server has no ladder 'live_9', but live_2, live_4" in capsys.readouterr().err
    assert not list(tmp_path.iterdir()), "no key for a player who cannot wait"


@pytest.mark.parametrize(
    ("options", "error"), [(["--name=admin"], "reserved"), ([], "name the player: --name, --key")]
)
def test_command_without_a_profile_does_not_say_that_it_waits(
    live, tmp_path, monkeypatch, capsys, options, error
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delenv("SKYE_PLAYER_KEY", raising=False)
    assert bot_command.main(["ladder", "json:dumps", f"--url={live.url}", *options]) == 2
    shown = capsys.readouterr().err
    assert error in shown
    assert "waiting" not in shown
    assert not list(tmp_path.iterdir()), "no key of a name that was refused"


@pytest.mark.parametrize("is_new", [True, False])
def test_key_file_of_a_claim_that_failed_otherwise_is_used_again(is_new, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SKYE_PLAYER_KEY", raising=False)
    file = tmp_path / "ann.key"
    if not is_new:
        file.write_text(f"{KEY}\n")
    with pytest.raises(ConnectionFailedError), bot_command.kept_key(None, "ann") as key:
        raise ConnectionFailedError("the response was lost")
    with bot_command.kept_key(None, "ann") as again:
        assert key == again == file.read_text().strip()
    assert "the player key is the one in ann.key" in capsys.readouterr().err
