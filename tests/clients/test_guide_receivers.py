"""The receivers of the guide run as they are printed and downloaded."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from skye_server import docs as guide
from skye_server.outgoing.sender import new_secret, signed_headers
from tests.support.dispatching import dispatch
from tests.support.endpoints import PLAYER_KEY
from tests.support.launcher import ROOT
from tests.support.local_services import local_service
from tests.support.ports import accepts, free_port
from tests.support.programs import run
from tests.support.typescript import CLIENT, link_client
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.webhooks.support import create

PAGE = guide.source("webhooks")
RECEIVERS = dict(re.findall(r"^```\w+ (receiver_\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)) | {
    name: file.read_text() for name, file in guide.DOWNLOADS.items() if name.startswith("receiver_")
}
PYTHON = {name: text for name, text in RECEIVERS.items() if name.endswith(".py")}
WORKERD = ROOT / "tests" / "contract" / "generators" / "node_modules" / ".bin" / "workerd"
"""The runtime of Cloudflare's workers; `make generators` installs it."""


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
    (tmp_path / "receiver.mjs").write_text(RECEIVERS["receiver_express.mjs"])
    port, secret = free_port(), new_secret()
    command = ["node", "receiver.mjs"]
    with running(command, tmp_path, port, SECRET=secret, PORT=str(port)) as output:
        check(output, port, secret)


def test_node_receiver_of_the_guide_takes_http2_as_printed(tmp_path):
    """The proxy before the receiver is curl."""
    if not (shutil.which("node") and shutil.which("curl")):
        pytest.skip("there is no Node, or no curl")
    link_client(tmp_path)
    (tmp_path / "receiver.mjs").write_text(RECEIVERS["receiver_node.mjs"])
    port, secret = free_port(), new_secret()

    def sent(message, secret):
        body = json.dumps(message).encode()
        headers = signed_headers([secret], "msg_1", int(time.time()), body)
        named = [argument for name, value in headers.items() for argument in ("-H", f"{name}: {value}")]
        options = ["-sS", "--http2-prior-knowledge", "-w", " %{http_code}", *named]
        url = f"http://127.0.0.1:{port}/hook"
        return run("curl", *options, "--data-binary", body.decode(), url)

    with running(["node", "receiver.mjs"], tmp_path, port, SECRET=secret, PORT=str(port)) as output:
        challenge = {"type": "webhook_challenge", "data": {"challenge": "portree"}}
        assert sent(challenge, secret) == '{"challenge":"portree"} 200'
        assert sent(challenge, new_secret()) == " 401"
        assert sent({"type": "your_turn", "href": "/v1/games/a"}, secret) == " 204"
        assert waited_for(lambda: "msg_1 your_turn /v1/games/a" in output.read_text())


CONFIG = """
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .receiver)],
  sockets = [(name = "http", address = "127.0.0.1:{port}", http = (), service = "main")],
);
const receiver :Workerd.Worker = (
  compatibilityDate = "2025-01-01", bindings = [(name = "SECRET", text = "{secret}")], modules = [{modules}],
);
"""


def test_worker_of_the_guide_runs_as_printed(tmp_path):
    if not WORKERD.exists():
        pytest.skip("there is no workerd: run `make generators`")
    shutil.copytree(CLIENT / "src", tmp_path, dirs_exist_ok=True)
    (tmp_path / "receiver.mjs").write_text(RECEIVERS["receiver_worker.mjs"])
    files = {"receiver.mjs": "receiver.mjs", "skye-client": "index.js"}
    files |= {path.name: path.name for path in (CLIENT / "src").glob("*.js")}
    modules = ", ".join(f'(name = "{name}", esModule = embed "{file}")' for name, file in files.items())
    port, secret = free_port(), new_secret()
    config = CONFIG.format(port=port, secret=secret, modules=modules)
    (tmp_path / "config.capnp").write_text(config)
    with running([WORKERD, "serve", "config.capnp"], tmp_path, port) as output:
        check(output, port, secret)


BOT_PAGE = guide.source("writing-a-bot")
SIGNATURES = dict(re.findall(r"^```\w+ (signature\.\S+)\n(.*?)^```$", BOT_PAGE, re.MULTILINE | re.DOTALL))
CHECK_PYTHON = """
import json, sys
from signature import is_signed
print(json.dumps([is_signed(sent, body.encode(), secret) for sent, body, secret in json.load(sys.stdin)]))
"""
CHECK_JAVASCRIPT = """
import { readFileSync } from "node:fs";
import { isSigned } from "./signature.mjs";
console.log(JSON.stringify(JSON.parse(readFileSync(0)).map((each) => isSigned(...each))));
"""
CHECKS = {
    "signature.py": (sys.executable, "-c", CHECK_PYTHON),
    "signature.mjs": ("node", "--input-type=module", "-e", CHECK_JAVASCRIPT),
}


@pytest.mark.parametrize("name", CHECKS)
def test_signature_of_the_guide_is_checked_as_printed(name, tmp_path):
    if not shutil.which(CHECKS[name][0]):
        pytest.skip("there is no Node")
    (tmp_path / name).write_text(SIGNATURES[name])
    secret, other, now, body = new_secret(), new_secret(), int(time.time()), '{"type": "décision"}'
    signed = signed_headers([other, secret], "msg_1", now, body.encode())
    late = signed_headers([secret], "msg_1", now - 3600, body.encode())
    cases = [
        (signed, body, secret),
        (signed, f"{body} ", secret),
        (signed, body, new_secret()),
        (late, body, secret),
        (signed | {"webhook-signature": "v1,x é"}, body, secret),
    ]
    lower = [({name.lower(): value for name, value in headers.items()}, *rest) for headers, *rest in cases]
    found = run(*CHECKS[name], cwd=tmp_path, text=json.dumps(lower))
    assert json.loads(found) == [True, False, False, False, False]


@contextlib.contextmanager
def running_bot(folder):
    """Run the bot at a URL of the guide; yield it as a player of a new game."""
    (folder / "bot_flask.py").write_text(guide.DOWNLOADS["bot_flask.py"].read_text())
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
