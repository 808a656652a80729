"""The receivers of the guide run as they are printed."""

import contextlib
import os
import re
import shutil
import subprocess
import sys

import pytest

from skye_server import docs as guide
from skye_server.webhooks.sender import new_secret
from tests.support.dispatching import dispatch
from tests.support.endpoints import PLAYER_KEY
from tests.support.ports import accepts, free_port
from tests.support.typescript import CLIENT, link_client
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.webhooks.support import create, local_service

PAGE = guide.source("webhooks")
PYTHON = dict(re.findall(r"^```python (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
(EXPRESS,) = re.findall(r"^```js\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@contextlib.contextmanager
def running(command, folder, port, **environ):
    """Run a receiver until the end of the context; yield the file of its output."""
    output = folder / "output"
    with output.open("w") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=os.environ | environ, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            assert waited_for(lambda: accepts(port) or process.poll() is not None)
            assert process.poll() is None, output.read_text()
            yield output
        finally:
            process.terminate()
            process.wait(MAX_WAIT_S)


def check(output, port, secret):
    """Check that a receiver answers the challenge, prints events, and refuses other signatures."""
    url = f"http://127.0.0.1:{port}/hook"
    with local_service() as service:
        create(service, url, secret=secret, types=["your_turn"])
        forged = service.call("POST", "/v1/me/webhooks", {"url": url}, PLAYER_KEY).json
        assert forged["problem"] == "The response has the status 401."
        game = service.create_game(2, key=PLAYER_KEY, options={"first_seat": 0})
        dispatch(service)
        assert waited_for(lambda: f" your_turn /v1/games/{game.id}" in output.read_text())


@pytest.mark.parametrize("name", PYTHON)
def test_python_receiver_of_the_guide_runs_as_printed(name, tmp_path):
    pytest.importorskip("fastapi")
    (tmp_path / name).write_text(PYTHON[name])
    module, port, secret = name.removesuffix(".py"), free_port(), new_secret()
    commands = {
        "receiver_flask": ["flask", "--app", module, "run", "--port"],
        "receiver_fastapi": ["uvicorn", f"{module}:app", "--port"],
    }
    command = [sys.executable, "-m", *commands[module], str(port)]
    with running(command, tmp_path, port, SECRET=secret) as output:
        check(output, port, secret)


def test_express_receiver_of_the_guide_runs_as_printed(tmp_path):
    if not shutil.which("node") or not (CLIENT / "node_modules" / "express").is_dir():
        pytest.skip("there is no Express")
    link_client(tmp_path, "express")
    (tmp_path / "receiver.mjs").write_text(EXPRESS)
    port, secret = free_port(), new_secret()
    command = ["node", "receiver.mjs"]
    with running(command, tmp_path, port, SECRET=secret, PORT=str(port)) as output:
        check(output, port, secret)


@contextlib.contextmanager
def running_bot(folder):
    """Run the bot at a URL of the guide; yield it as a player of a new game."""
    (program,) = re.findall(
        r"^```python bot_flask.py\n(.*?)^```$", guide.source("writing-a-bot"), re.MULTILINE | re.DOTALL
    )
    (folder / "bot_flask.py").write_text(program)
    port, secret = free_port(), new_secret()
    command = [sys.executable, "-m", "flask", "--app", "bot_flask", "run", "--port", str(port)]
    with running(command, folder, port, SECRET=secret):
        yield {"bot_url": f"http://127.0.0.1:{port}/bot", "secret": secret}


def test_bot_at_a_url_of_the_guide_plays_as_printed(tmp_path):
    with running_bot(tmp_path) as player, local_service() as service:
        forged = service.call("POST", "/v1/games", {"players": [player | {"secret": new_secret()}]})
        assert forged.json["errors"][0]["detail"] == "The response has the status 401."
        body = {"players": [player, {"bot": "random"}], "auto_start": True}
        created = service.call("POST", "/v1/games", body)
        assert created.status_code == 201, created.text
        dispatch(service)
        path = f"/v1/games/{created.json['game']['id']}"
        assert service.get(path)["status"] == "finished"
        found = service.get(f"{path}/players/0/bot/deliveries", created.json["host_token"])["deliveries"]
        assert {(each["status"], each["attempts"]) for each in found} == {("delivered", 1)}
