"""The MCP server: whole games through it, errors that help, no secret, instances that end at any time."""

import json
import os
import random
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import anyio
import httpx
import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: the MCP server is not tested")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from skye_client import AsyncSkye, Skye, new_key
from skye_gym.agents import MAX_TAKE_BACKS
from skye_mcp import make_server
from tests.support.npx import npx
from tests.support.ports import accepts, free_port
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for

pytestmark = pytest.mark.filterwarnings("ignore")

DECISION = re.compile(r"Decision (\w+): act")
NUMBER = re.compile(r"(?:^  |: |; )(\d+): (?!take back)", re.MULTILINE)
NOT_APPLICABLE = Path(__file__).with_name("mcp_conformance.yaml")
MAX_DECISION = 5 * 1024
"""The goal for the median size of a decision, in bytes."""


async def call(client, tool, **arguments):
    """Return the text of a tool's result, and whether it is an error."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    return content.text, bool(result.is_error)


async def told(client, tool, **arguments):
    """Return the text of a result that must not be an error."""
    text, is_error = await call(client, tool, **arguments)
    assert not is_error, text
    return text


def game_of(text):
    return re.search(r"Game (\w+)", text)[1]


def decision_in(text):
    found = DECISION.search(text)
    return found and found[1]


async def play_on(client, text, dice, decisions=None):
    """Answer decisions at random until the game is over; return the last text."""
    game = game_of(text)
    while decision := decision_in(text):
        if decisions is not None:
            decisions.append(text)
        number = int(dice.choice(NUMBER.findall(text)))
        text = await told(client, "act", game=game, decision=decision, number=number)
    return text


@pytest.fixture
def use(live):
    """Call an async function with an MCP client in this process, and the key of its player."""

    def run(function):
        async def connected():
            key = new_key()
            skye = AsyncSkye(live.url)
            async with skye, Client(make_server(skye, lambda _headers: key)) as client:
                return await function(client, key)

        return anyio.run(connected)

    return run


def test_agent_plays_a_whole_game_with_a_call_for_each_decision(use):
    async def play(client, key):
        started = await told(client, "create_game", name="Agent", bots=["greedy"], seed="mcp")
        decisions = []
        ended = await play_on(client, started, random.Random(1), decisions)
        assert "The game is finished." in ended
        assert {re.search(r"phase (\w+)", text)[1] for text in decisions} == {"pricing", "buying", "building"}
        assert sorted(map(len, decisions))[len(decisions) // 2] <= MAX_DECISION
        assert key not in ended + "".join(decisions)

    use(play)


def test_agent_takes_back_a_seat_that_was_taken_over(use, skye):
    async def play(client, key):
        options = {"turn_ms": 60_000, "clock": "manual"}
        body = {"players": [{"name": "Agent"}, {"bot": "greedy"}], "auto_start": True, "options": options}
        player = skye.player(key)
        game = player.game(player.games.create(body)["game"]["id"])
        assert game.advance_clock(60_000)["players"][0]["takeover"] is not None
        assert decision_in(await told(client, "wait_for_turn", game=game.id))
        assert game.get()["players"][0]["takeover"] is None

    use(play)


def test_decision_hides_what_the_seat_must_not_see(use, skye):
    async def play(client, key):
        text = await told(client, "create_game", name="Agent", bots=[], seat_count=2)
        game = game_of(text)
        rival = skye.player()
        taken = rival.game(game).join({"name": "Rival"})
        seat = rival.game(game).seat(taken["seat"])
        (action,) = seat.actions()
        tiles = action["constraints"]["tiles"]
        seat.set_offer(tiles[0], {tiles[1]: 2, tiles[2]: 3})
        text = await told(client, "wait_for_turn", game=game)
        of_rival = [line for line in text.splitlines() if f"of seat {taken['seat']}" in line]
        assert len(of_rival) == 3
        assert not any(re.search(r"of seat \d for|discard", line) for line in of_rival)
        assert '"Rival": 0 points, gold hidden' in text
        assert "skye_" not in text
        assert key not in text

    use(play)


def test_wrong_choices_are_explained_with_legal_actions(use):
    async def play(client, _key):
        text = await told(client, "create_game", name="Agent", bots=["random"], seed="mcp")
        game, decision = game_of(text), decision_in(text)
        act = {"game": game, "decision": decision}
        assert "the numbers are 1 to 1" in (await call(client, "act", **act, number=9))[0]
        assert "exactly one of" in (await call(client, "act", **act))[0]
        offer = {"discard": "L99", "prices": {"L01": 1, "L02": 1}}
        wrong, is_error = await call(client, "act", **act, offer=offer)
        assert is_error
        assert "Legal actions: 1: discard" in wrong
        stale, is_error = await call(client, "act", game=game, decision="gone", number=1)
        assert is_error
        assert decision_in(stale) == decision
        unknown, is_error = await call(client, "scores", game="abcdefghijkm")
        assert is_error
        assert "game_not_found" in unknown

    use(play)


def test_illegal_placement_names_the_nearest_legal_ones(use):
    async def play(client, _key):
        text = await told(client, "create_game", name="Agent", bots=["random"], seed="mcp")
        game = game_of(text)
        while "phase building" not in text:
            number = int(NUMBER.findall(text)[-1])
            text = await told(client, "act", game=game, decision=decision_in(text), number=number)
        tile = re.search(r"Place (\w+)", text)[1]
        place = {"tile": tile, "x": 9, "y": 9, "rotation": 0}
        wrong, is_error = await call(client, "act", game=game, decision=decision_in(text), place=place)
        assert is_error
        assert f"nearest legal actions: 1: place {tile}" in wrong or f"place {tile} at" in wrong
        assert "Not legal" in await told(client, "what_if", game=game, placements=[place])

    use(play)


def test_placements_are_taken_back_by_a_word_and_only_a_few_times(use):
    async def play(client, _key):
        text = await told(client, "create_game", name="Agent", bots=["random"], seed="mcp")
        game, taken_back, refused = game_of(text), 0, ""
        while not refused:
            act = {"game": game, "decision": decision_in(text)}
            assert "take back" not in text.split("Legal actions")[-1]
            if "Take back: your last placement" in text:
                text = await told(client, "act", **act, take_back=True)
                taken_back += 1
            elif taken_back == MAX_TAKE_BACKS and "phase building" in text:
                text = await told(client, "act", **act, number=1)
                assert "Take back" not in text
                act["decision"] = decision_in(text)
                refused, is_error = await call(client, "act", **act, take_back=True)
                assert is_error
            else:
                text = await told(client, "act", **act, number=1)
        assert "No more placements can be taken back in this round" in refused

    use(play)


def test_texts_and_resources_are_those_of_the_server(use):
    async def read(client, _key):
        text = await told(client, "create_game", name="Agent", bots=["random"])
        game = game_of(text)
        topics = await told(client, "rules")
        assert "Rulings" in topics
        assert "lighthouse" in await told(client, "rules", topic="scoring tiles")
        assert "two_players" in await told(client, "list_scenarios")
        assert "strategist: " in await told(client, "list_bots")
        assert game in await told(client, "list_games")
        assert "Mean points by scoring tile: none" in await told(client, "history")
        record = (await client.read_resource(f"skye://games/{game}/record")).contents[0]
        assert json.loads(record.text)["ruleset" if "ruleset" in record.text else "format"]
        picture = (
            await client.read_resource(f"skye://games/{game}/players/0/territory/picture.svg")
        ).contents[0]
        assert picture.text.startswith("<svg")
        assert "R12" in (await client.read_resource("skye://rules")).contents[0].text
        (message,) = (await client.get_prompt("play")).messages
        assert message.content.text

    use(read)


def test_waiting_ends_after_its_time_and_reports_progress(use):
    async def wait(client, _key):
        text = await told(client, "create_game", name="Agent", bots=[], seat_count=2)
        reports = []

        async def note(progress, _total, _message):
            reports.append(progress)

        result = await client.call_tool(
            "wait_for_turn", {"game": game_of(text), "wait_s": 0.5}, progress_callback=note
        )
        assert "The game is lobby." in result.content[0].text
        assert reports

    use(wait)


def test_agent_who_is_removed_while_it_waits_gets_the_reason(use, skye):
    lobby = skye.games.create({"players": [{"name": "Ann"}], "seat_count": 2, "visibility": "private"})
    host = skye.game(lobby["game"]["id"], lobby["host_token"])
    code = host.invite()["invitation"]["code"]

    async def wait(client, _key):
        await told(client, "join_game", game=host.id, invite_code=code)

        async def remove(seconds, _total, _message):
            if seconds == 0:
                await anyio.to_thread.run_sync(host.seat(1).leave)

        result = await client.call_tool("wait_for_turn", {"game": host.id}, progress_callback=remove)
        assert result.is_error
        assert "game_not_found: " in result.content[0].text

    use(wait)


def wait_until_listening(process, port):
    assert waited_for(lambda: accepts(port) or process.poll() is not None)
    assert process.poll() is None, "the instance ended: its standard error says why"


@contextmanager
def instance(url, port):
    """An instance of the server over HTTP, until it is stopped."""
    command = [sys.executable, "-m", "skye_mcp", "--server", url, "--http", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_until_listening(process, port)
        yield process
    finally:
        process.kill()
        process.wait()


@asynccontextmanager
async def over_http(port, key):
    http = httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=MAX_WAIT_S)
    async with (
        http,
        Client(streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http)) as client,
    ):
        yield client


def test_key_is_the_bearer_over_http(live):
    port = free_port()

    async def play():
        async with over_http(port, None) as client:
            text, is_error = await call(client, "list_games")
            assert is_error
            assert "This needs a player key" in text
        async with over_http(port, new_key()) as client:
            assert "Your games:" in await told(client, "list_games")

    with instance(live.url, port):
        anyio.run(play)


def test_key_is_that_of_the_environment_on_standard_input(live, skye):
    key = new_key()
    skye.player(key).games.create({"name": "Mine", "players": [{"name": "Ann"}]})
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "skye_mcp", "--server", live.url],
        env={**os.environ, "SKYE_PLAYER_KEY": key},
    )

    async def read():
        async with Client(stdio_client(parameters)) as client:
            assert '(lobby, 1 of 5 seats): "Ann"' in await told(client, "list_games")

    anyio.run(read)


@contextmanager
def on_standard_input(url):
    """An instance of the server on standard input and output, which has answered."""
    command = [sys.executable, "-m", "skye_mcp", "--server", url]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert b'"id":1' in process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            stream.close()


@pytest.mark.parametrize(
    "end",
    [
        lambda process: process.send_signal(signal.SIGINT),
        lambda process: process.send_signal(signal.SIGTERM),
        lambda process: process.stdin.close(),
        lambda process: process.stdout.close(),
    ],
    ids=["Ctrl-C", "SIGTERM", "end of the input", "output closed"],
)
def test_server_on_standard_input_ends_with_its_user_or_client(live, end):
    with on_standard_input(live.url) as process:
        end(process)
        assert waited_for(lambda: process.poll() is not None)


def test_environment_that_cannot_be_used_is_an_error_without_a_traceback():
    command = [sys.executable, "-m", "skye_mcp", "--server", "https://skye.example"]
    variables = {**os.environ, "ALL_PROXY": "gopher://proxy.example", "NO_PROXY": ""}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Error: ALL_PROXY is not the address of a proxy" in done.stderr


@pytest.mark.parametrize(
    ("version", "options", "also"),
    [
        ("0.1.16", ["--suite", "all"], "server-sse-multiple-streams"),  # it wants sessions there
        pytest.param("0.2.0-alpha.12", ["--requirements", "2026-07-28"], None, marks=pytest.mark.full_size),
    ],
)
def test_conformance_suite_finds_only_what_does_not_apply(live, version, options, also, tmp_path):
    package, port = f"@modelcontextprotocol/conformance@{version}", free_port()
    expected = tmp_path / "expected.yaml"
    expected.write_text(NOT_APPLICABLE.read_text() + (f"  - {also}\n" if also else ""))
    own = ("--url", f"http://127.0.0.1:{port}/mcp", "--expected-failures", expected)
    with instance(live.url, port):
        done = npx(package, "conformance", "server", *own, *options, cwd=tmp_path, others=["node"])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "tools-list: " in done.stdout


def test_inspector_shows_the_tools_over_standard_input(live, tmp_path):
    options = ("-e", f"SKYE_SERVER={live.url}", "--method", "tools/list")
    options += ("--connect-timeout", 1000 * MAX_WAIT_S)
    done = npx(
        "@modelcontextprotocol/inspector@2.12.0",
        *("mcp-inspector", "--cli", Path(sys.executable).with_name("skye-mcp"), *options),
        cwd=tmp_path,
        others=["node"],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"create_game", "act"} < {tool["name"] for tool in json.loads(done.stdout)["tools"]}


def test_games_finish_while_instances_are_killed(live):
    """Agents play over two instances; each decision is made once.

    The instances are killed in turn, each while the other listens: on a busy machine, where instances start
    slowly, the agents would find none otherwise.
    """
    ports = [free_port(), free_port()]
    games = sized(3, 100)

    async def agent(number, results):
        key, dice, text = new_key(), random.Random(number), ""
        while "The game is finished." not in text:
            port = ports[dice.randrange(2)]
            with suppress(Exception):  # an instance was killed: the agent connects again
                async with over_http(port, key) as client:
                    if not text:
                        listed = await told(client, "list_games")
                        own = re.search(r"^  (\w+) \(playing", listed.partition("Public")[0], re.MULTILINE)
                        text = (
                            await told(client, "wait_for_turn", game=own[1])
                            if own
                            else await told(client, "create_game", name="Agent", bots=["random"] * 3)
                        )
                    text = await told(client, "wait_for_turn", game=game_of(text))
                    text = await play_on(client, text, dice)
        results.append((game_of(text), key))

    async def killer(holders, done):
        at = 0
        while not done.is_set():
            with anyio.move_on_after(sized(2, 10)):
                await done.wait()
            holders[at].send_signal(signal.SIGKILL)
            await anyio.to_thread.run_sync(holders[at].wait)
            holders[at] = subprocess.Popen(holders[at].args)
            await anyio.to_thread.run_sync(wait_until_listening, holders[at], ports[at])
            at = 1 - at

    async def play(holders, results):
        done = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(killer, holders, done)
            async with anyio.create_task_group() as agents:
                for number in range(games):
                    agents.start_soon(agent, number, results)
            done.set()

    results = []
    with instance(live.url, ports[0]) as one, instance(live.url, ports[1]) as other:
        holders = [one, other]
        try:
            anyio.run(lambda: play(holders, results))
        finally:
            for process in holders:
                process.kill()
                process.wait()
    assert len(results) == games
    for game, key in results:
        with Skye(live.url) as skye:
            record = skye.player(key).game(game).record()
        placed = [action["tile"] for action in record["actions"] if action["type"] == "place"]
        assert len(placed) == len(set(placed))
