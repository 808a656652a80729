"""The command `demo` without a server that it can play on: each error is reported, without a traceback."""

import ast
import sys

import pytest
from click.testing import CliRunner

from skye_server.cli.__main__ import main
from tests.support.launcher import ROOT
from tests.support.ports import free_port
from tests.support.scripted_endpoint import serving


def demo(*options, **environ):
    """Run the demo, which must fail; return what it reports."""
    played = CliRunner().invoke(main, ["demo", *options], env=environ)
    assert (played.exit_code, played.stdout) == (1, "")
    assert "Traceback" not in played.stderr
    return played.stderr


def test_demo_without_a_server_reports_it_in_one_line():
    port = free_port()
    reported = demo(SKYE_BIND=f"127.0.0.1:{port}")
    assert reported.startswith(f"Error: No server responds at http://127.0.0.1:{port} (")
    assert reported.endswith("or `make serve` in a checkout.\n")
    assert reported.count("\n") == 1


@pytest.mark.parametrize("url", ["ftp://here", "127.0.0.1:8000", "http://here:port"])
def test_demo_reports_an_invalid_url(url):
    reported = demo("--url", url)
    assert reported.startswith(f"Error: {url} is not a URL such as http://127.0.0.1:8000.")


@pytest.mark.parametrize("answer", [b"<html>tea</html>", None])
def test_demo_ends_at_a_response_that_is_no_json_or_none(answer):
    with serving(lambda *_: answer) as server:
        reported = demo("--url", server.url.removesuffix("/v1"))
    assert reported.startswith("Error: No valid response: POST /v1/games: ")


def test_demo_ends_with_the_problem_that_the_server_reports(service):
    refused = service.call("POST", "/v1/games", {"options": {"seed": "s" * 65}})
    with serving(
        lambda *_: (refused.status_code, {"Content-Type": refused.content_type}, refused.data)
    ) as server:
        reported = demo("--url", server.url.removesuffix("/v1"))
    assert "The server reported a problem:" in reported
    assert '"status": 422' in reported
    assert '"code": "invalid_body"' in reported


def test_demo_imports_no_rules():
    """The demo plays listed actions, with the client package."""
    imported = set()
    for module in ("cli/demo", "cli/terminal"):
        for node in ast.walk(ast.parse((ROOT / "service" / "skye_server" / f"{module}.py").read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module)
    ours = {"skye_server.settings", "skye_server.cli.settings_errors", "skye_server.cli.terminal"}
    assert {name.partition(".")[0] for name in imported - ours} <= sys.stdlib_module_names | {
        "click",
        "rich",
        "skye_client",
    }
