"""The command line `skye-server`: its help, and what `doctor` finds."""

import re
import resource

import pytest
import redis
from click.testing import CliRunner

from skye_server.cli.__main__ import main
from skye_server.server.embedded_redis import DataFolder
from skye_server.store.connection.failures import describe_failure
from tests.support.ports import free_port


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setenv("SKYE_BIND", f"127.0.0.1:{free_port()}")
    monkeypatch.setenv("SKYE_DATA_DIR", str(tmp_path / "data"))

    def run(*arguments, **environ):
        return CliRunner().invoke(main, arguments, env=environ)

    return run


def test_help_lists_each_command_with_its_purpose(run):
    shown = run("--help")
    assert shown.exit_code == 0
    for command in ("serve", "demo", "doctor", "openapi", "settings"):
        assert f"\n  {command} " in shown.stdout
        assert run(command, "--help").exit_code == 0


def test_version_is_that_of_the_distribution(run):
    assert run("--version").stdout.startswith("skye-server ")


@pytest.mark.parametrize("arguments", [["fly"], ["serve", "--fast"], ["openapi", "another.yaml"]])
def test_unknown_command_or_option_exits_with_2(run, arguments):
    shown = run(*arguments)
    assert (shown.exit_code, "Usage:" in shown.stderr) == (2, True)


def test_shell_completion_names_the_commands():
    environ = {"_SKYE_SERVER_COMPLETE": "bash_complete", "COMP_WORDS": "skye-server do", "COMP_CWORD": "1"}
    shown = CliRunner().invoke(main, [], prog_name="skye-server", env=environ)
    assert "doctor" in shown.stdout


def test_doctor_of_a_new_installation_finds_no_error(run, tmp_path):
    shown = run("doctor")
    assert shown.exit_code == 0
    assert "can be created" in shown.stdout
    assert not (tmp_path / "data").exists()


def test_doctor_reports_a_data_folder_in_use(run, tmp_path):
    folder = DataFolder(tmp_path / "data")
    try:
        shown = run("doctor")
    finally:
        folder.close()
    assert shown.exit_code == 1
    assert "are being served already" in shown.stdout


def test_doctor_checks_the_embedded_server_that_runs(run, tmp_path):
    folder = DataFolder(tmp_path / "data")
    try:
        folder.lock_files(str(tmp_path / "redis.sock"))
        shown = run("doctor")
    finally:
        folder.close()
    assert "are being served" in shown.stdout
    assert f"error    the Redis at unix://{tmp_path}/redis.sock does not respond" in shown.stdout


def test_doctor_reports_a_redis_that_does_not_respond(run):
    shown = run("doctor", SKYE_REDIS_URL=f"redis://:secret@127.0.0.1:{free_port()}", SKYE_REDIS_WAIT_MS="0")
    assert shown.exit_code == 1
    assert "does not respond" in shown.stdout
    assert "secret" not in shown.stdout


@pytest.mark.parametrize(
    ("user", "database", "reason"),
    [
        ("nobody:secret@", "", "refuses commands .*password"),
        ("", "/99", "refuses commands .*DB index is out of range"),
    ],
)
def test_doctor_passes_on_the_reason_of_redis(run, redis_server, user, database, reason):
    shown = run("doctor", SKYE_REDIS_URL=f"redis://{user}{redis_server.address}{database}")
    assert shown.exit_code == 1
    assert re.search(f"error    the Redis at .*{reason}", shown.stdout), shown.stdout
    assert "secret" not in shown.stdout


def test_reason_of_a_failure_has_no_password():
    error = redis.InvalidResponse("malformed reply: AUTH sec/ret")
    shown = describe_failure(error, "redis://:sec%2Fret@cache")
    assert shown == "sends replies that are not those of a Redis (malformed reply: AUTH ***)"


@pytest.mark.parametrize(("limit", "level"), [(128, "error"), (1024, "warning"), (-1, "ok")])
def test_doctor_judges_the_hard_limit_of_open_files(run, monkeypatch, limit, level):
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (64, limit))
    shown = run("doctor")
    (line,) = [line for line in shown.stdout.splitlines() if " open " in line]
    assert line.startswith(level)
    assert (shown.exit_code, "ulimit -n" in line) == (level == "error", False)


@pytest.mark.parametrize("path", ["", "data"])
@pytest.mark.parametrize("command", [["doctor"], ["games", "list"], ["backup", "file"]])
def test_data_folder_that_is_none_is_reported_in_one_sentence(run, tmp_path, command, path):
    (tmp_path / "text").touch()
    folder = tmp_path / "text" / path
    shown = run(*command, SKYE_DATA_DIR=str(folder))
    assert shown.exit_code == 1
    assert f"The data folder {folder} cannot be written: Not a directory. Set SKYE_DATA_DIR" in shown.output


def test_doctor_reports_a_data_folder_that_cannot_be_created(run):
    shown = run("doctor", SKYE_DATA_DIR="/proc/skye")
    assert (shown.exit_code, "The data folder /proc/skye cannot be written" in shown.stdout) == (1, True)


def test_doctor_reports_what_redis_should_change(run, redis_server, redis_client):
    redis_client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        shown = run("doctor", SKYE_REDIS_URL=redis_server.url)
    finally:
        redis_client.config_set("maxmemory-policy", "noeviction")
    assert shown.exit_code == 0
    assert "warning  Redis may evict games" in shown.stdout


def test_doctor_reports_misspelt_and_invalid_settings(run):
    assert "did you mean SKYE_WORKERS?" in run("doctor", SKYE_WORKER="2").stdout
    shown = run("doctor", SKYE_WORKERS="none")
    assert (shown.exit_code, "SKYE_WORKERS='none'" in shown.stderr) == (2, True)
    assert "Usage" not in shown.stderr
