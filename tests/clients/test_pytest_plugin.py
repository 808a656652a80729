"""The pytest plugin of the Python client, used as its users use it: installed from its wheel."""

import os
import textwrap
from pathlib import Path

import pytest

from deploy.release.commands import run
from tests.support.launcher import ROOT
from tests.support.ports import accepts
from tests.support.programs import finished
from tests.support.waiting import waited_for
from tests.support.wheels import built, environment, third_party_packages

EXAMPLES = ROOT / "examples" / "testing"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels of the client, the engine and the service."""
    folders = [ROOT / "clients" / "python", ROOT / "engine", ROOT / "service"]
    return [built(folder, tmp_path_factory.mktemp("wheel")) for folder in folders]


def installed(folder, wheels):
    """Return the Python of an environment with wheels and the packages of third parties."""
    python = environment(folder / "env", *wheels)
    site = run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=folder).strip()
    others = third_party_packages(folder / "third party")
    Path(site, "others.pth").write_text(f"{others}\n")
    return python


@pytest.fixture(scope="module")
def python(tmp_path_factory, wheels):
    """The Python of an environment with the client and the service."""
    return installed(tmp_path_factory.mktemp("all"), wheels)


@pytest.fixture
def run_tests(python, tmp_path):
    """A function that runs pytest in that environment, on a module of tests, with options."""

    def run_tests(source, *options, on=python):
        (tmp_path / "test_it.py").write_text(textwrap.dedent(source))
        return run_pytest(on, tmp_path, "test_it.py", *options)

    return run_tests


def run_pytest(python, folder, *options):
    """Run pytest as its users do; return its output."""
    unset = [f"--unset={name}" for name in os.environ if name.startswith(("PYTEST_", "SKYE_"))]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder]
    done = finished("env", *unset, *command, *options, cwd=folder)
    return done.stdout + done.stderr


FIXTURES = """
    import urllib.request

    import skye_client

    def test_server_answers(skye_server):
        with urllib.request.urlopen(skye_server + "/healthz") as answer:
            assert answer.status == 200
        assert "site-packages" in skye_client.__file__

    def test_client_is_of_that_server(skye_client, skye_server):
        assert skye_client.transport.url == skye_server
        assert skye_client.catalogue.scenarios()

    def test_game_starts_for_two(skye_game):
        game = skye_game()
        view = game.view()
        assert (view["status"], view["waiting_for"]) == ("playing", [0, 1])
        assert game.acting.number == 0
        assert [each["you"]["seat"] for each in (game.view(0), game.view(1), view)] == [0, 1, None]

    def test_game_takes_a_number_of_players_and_options(skye_game):
        view = skye_game(players=5, options={"open_gold": True}).view()
        assert len(view["players"]) == 5
        assert view["players"][4]["gold"] is not None

    def test_bot_has_no_token(skye_game):
        game = skye_game(players=[{"name": "Ann"}, {"bot": "random"}])
        assert game.tokens[0] is not None
        assert game.tokens[1] is None

    def test_game_begins_from_a_scenario(skye_game):
        view = skye_game(scenario="last_action", players=[{"name": "Ann"}, {"bot": "greedy"}]).view()
        assert view["origin"] == {"type": "scenario", "scenario": "last_action"}
        assert [player["name"] for player in view["players"]] == ["Ann", "Greedy"]

    def test_game_begins_from_a_position(skye_game):
        game = skye_game(position={"round": 5, "phase": "buying", "players": [{}, {"gold": 12}]})
        assert game.view(1)["players"][1]["gold"] == 12

    def test_game_begins_from_a_record(skye_game):
        record = skye_game(players=[{"bot": "random"}, {"bot": "random"}]).host.record()
        assert skye_game(record=record, stop_at=3).view()["origin"]["type"] == "record"

    def test_clock_advances(skye_game, skye_clock):
        game = skye_game(options={"clock": "manual", "turn_ms": 5000})
        assert skye_clock(game, 5000)["phase"] == "buying"

    def test_refused_advance_is_an_error(skye_game, skye_clock):
        try:
            skye_clock(skye_game(), 5)
        except skye_client.ApiError as error:
            assert error.code == "clock_not_manual"
        else:
            raise AssertionError
"""
STORAGE = """
    def test_storage(skye_game):
        assert skye_game().view()["status"] == "playing"
"""


def test_every_fixture_works_in_memory(run_tests):
    printed = run_tests(FIXTURES)
    assert "10 passed" in printed, printed


@pytest.mark.usefixtures("redis_program")
def test_every_fixture_works_on_a_redis_of_its_own(run_tests):
    printed = run_tests(FIXTURES, "-o", "skye_storage=redis")
    assert "10 passed" in printed, printed


def test_settings_reach_the_started_server(run_tests):
    source = """
        import pytest
        import skye_client

        def test_only_one_game_a_minute(skye_game):
            skye_game()
            with pytest.raises(skye_client.ApiError, match="too_many_requests"):
                skye_game()
    """
    settings = "skye_settings=SKYE_LAB=off\nSKYE_LIMITS=on\nSKYE_LIMIT_GAMES_PER_MINUTE=1"
    printed = run_tests(source, "-o", settings)
    assert "1 passed" in printed, printed


def test_fixtures_reach_the_server_without_the_proxy_of_the_environment(run_tests, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    printed = run_tests(STORAGE)
    assert "1 passed" in printed, printed


def test_server_that_does_not_start_is_an_error_with_its_output(run_tests):
    printed = run_tests(STORAGE, "-o", "skye_settings=SKYE_WORKERS=none")
    assert "The server for the tests did not start:" in printed, printed
    assert "SKYE_WORKERS" in printed
    assert "Traceback" not in printed


@pytest.mark.usefixtures("redis_program")
def test_killed_pytest_leaves_no_server_and_no_folder(run_tests, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    source = """
        import os
        import signal
        from pathlib import Path

        def test_killed(skye_game, skye_server):
            assert skye_game().view()["status"] == "playing"
            Path("address").write_text(skye_server)
            os.kill(os.getpid(), signal.SIGKILL)
    """
    run_tests(source, "-o", "skye_storage=redis")
    port = int((tmp_path / "address").read_text().rpartition(":")[2])
    assert waited_for(lambda: not accepts(port))
    assert waited_for(lambda: not list((tmp_path / "temporary").glob("skye-*")))


def test_unknown_storage_is_an_error(run_tests):
    printed = run_tests(STORAGE, "-o", "skye_storage=paper")
    assert "skye_storage is 'paper'; use memory or redis" in printed, printed


def test_missing_service_is_an_error_that_names_the_package(run_tests, wheels, tmp_path):
    printed = run_tests(STORAGE, on=installed(tmp_path, wheels[:1]))
    assert "install skye-client[pytest]" in printed, printed
    assert "-o skye_url=" in printed
    assert "1 error" in printed


def test_client_alone_tests_against_a_running_server(run_tests, wheels, tmp_path, live):
    printed = run_tests(FIXTURES, "-o", f"skye_url={live.url}", on=installed(tmp_path, wheels[:1]))
    assert "10 passed" in printed, printed


def test_example_suite_passes_on_a_server_in_memory(python):
    printed = run_pytest(python, EXAMPLES)
    assert "24 passed" in printed, printed


def test_example_suite_passes_on_a_running_server(python, url):
    printed = run_pytest(python, EXAMPLES, "-o", f"skye_url={url}")
    assert "24 passed" in printed, printed
