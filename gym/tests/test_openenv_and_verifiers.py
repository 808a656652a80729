"""The environments for training, in their frameworks: checked by these, and played from beginning to end."""

import http.client
import json
import os
import subprocess
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.missing_programs import NO_TRAINING
from tests.support.ports import free_port
from tests.support.programs import run
from tests.support.scripted_endpoint import serving
from tests.support.waiting import waited_for

pytestmark = pytest.mark.full_size

ROOT = Path(__file__).resolve().parents[2]

PLAYER = """
import json, sys
from skye_openenv import SkyeAction, SkyeEnv

with SkyeEnv(base_url=sys.argv[1]).sync() as client:
    begun = [client.reset(seed=seed).observation.text for seed in (7, 7, 8)]
    result, steps = client.reset(seed=7), 0
    while not result.done:
        result, steps = client.step(SkyeAction(reply='{"number": 1}')), steps + 1
    wrong = client.step(SkyeAction(reply="after the end")).observation.text
    client.reset(seed=7, split="prices")
    answered = client.step(SkyeAction(reply='{"L01": 0}'))
    client.reset(seed=7)
    illegal = client.step(SkyeAction(reply="no move")).observation.text
    print(json.dumps([begun, steps, result.reward, wrong, answered.reward, answered.done, illegal]))
"""


def framework(name):
    """Return the folder of programs of a framework, and the environment variables for them."""
    programs = ROOT / f".venv-{name}" / "bin"
    if not (programs / ("openenv" if name == "openenv" else "vf-eval")).exists():
        pytest.skip(NO_TRAINING)
    paths = {"PYTHONPATH": f"{ROOT / 'engine'}:{ROOT / 'gym'}:{ROOT / 'gym' / name}"}
    return programs, paths | {"PATH": f"{programs}:{os.environ['PATH']}"}


@contextmanager
def openenv_server(programs, environment):
    port = free_port()
    command = [programs / "uvicorn", "skye_openenv:app", "--port", str(port)]
    process = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.DEVNULL)

    def listens():
        assert process.poll() is None, "the server ended: its standard error says why"
        with suppress(OSError), closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200

    try:
        assert waited_for(listens)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def test_openenv_accepts_the_package_and_its_server():
    programs, environment = framework("openenv")
    command = (programs / "openenv", "validate")
    assert "PASS  static.manifest" in run(*command, ROOT / "gym/openenv", "--skip-build", **environment)
    with openenv_server(programs, environment) as url:
        assert "Verdict: PASS" in run(*command, "--url", url, **environment)


def test_openenv_client_plays_a_game_and_a_task_of_a_seed():
    programs, environment = framework("openenv")
    with openenv_server(programs, environment) as url:
        printed = run(programs / "python", "-c", PLAYER, url, **environment)
    (first, again, other), steps, reward, wrong, of_task, ended, illegal = json.loads(printed)
    assert first == again != other
    assert "phase pricing" in first
    assert 20 < steps < 60
    assert 0 < reward <= 1
    assert wrong == "The episode is over: call reset."
    assert (of_task, ended) == (0.0, True)
    assert illegal.endswith("Choose again.")


@pytest.mark.parametrize("kind", ["game", "area"])
def test_verifiers_finds_the_tasks_valid(kind, tmp_path):
    programs, environment = framework("verifiers")
    command = [programs / "vf-validate", "skye_verifiers", "-n", "3", "--runtime.type", "subprocess"]
    options = ["--no-rich", "--taskset.task.kind", kind]
    printed = run(*command, *options, cwd=tmp_path, **environment)
    assert '"valid_rate": 1.0' in printed


def tool_call(number, request):
    """Return a streamed response: the tool call of action 1, or the end of a game that is over."""
    over = "The game is over" in json.dumps(request["messages"][-1])
    call = {"name": "act", "arguments": '{"action": {"number": 1}}'}
    calls = {"tool_calls": [{"index": 0, "id": f"call{number}", "type": "function", "function": call}]}
    delta = {"role": "assistant", **({"content": "Done."} if over else calls)}
    common = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choices = [
        {"index": 0, "delta": delta, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "stop" if over else "tool_calls"},
    ]
    lines = [json.dumps({**common, "choices": [choice]}) for choice in choices]
    body = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    return 200, {"Content-Type": "text/event-stream"}, body.encode()


def test_verifiers_rewards_games_by_tool_calls(tmp_path):
    programs, environment = framework("verifiers")
    options = ["--no-push", "--no-rich", "-o", tmp_path / "out", "-m", "m", "--client.api-key-var", "KEY"]
    agent = ["--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess"]
    with serving(tool_call) as endpoint:
        command = [programs / "vf-eval", "skye_verifiers", "-n", "2", "--client.base-url", endpoint.url]
        run(*command, *agent, *options, cwd=tmp_path, KEY="key", **environment)
    (path,) = (tmp_path / "out").rglob("traces.jsonl")
    episodes = map(json.loads, path.read_text().splitlines())
    traces = [trace for episode in episodes for trace in episode["traces"]]
    assert [trace["stop_condition"] for trace in traces] == ["agent_completed"] * 2
    assert all(0 < trace["rewards"]["points"]["score"] <= 1 for trace in traces)
    assert all({"margin", "illegal"} <= trace["metrics"].keys() for trace in traces)
