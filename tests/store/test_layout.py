"""The number of the layout: what another one, or none, keeps a program from; and an unfinished restore."""

import io

import pytest

from skye_server.cli.__main__ import main
from skye_server.dispatch import process
from skye_server.http.framework import collaborators
from skye_server.server import launcher
from skye_server.server.processes import LaunchError
from skye_server.settings import Settings
from skye_server.store import backup as backups
from skye_server.store.backup import BackupError, check_backup
from skye_server.store.layout import KEY, LAYOUT, RESTORE_KEY, UNFINISHED, VERSION
from skye_server.store.redis_store import RedisStore
from tests.store.test_redis_store import commit
from tests.support.playing import Service, problem_code

OWN, NEXT = f"{LAYOUT} {VERSION}", f"{LAYOUT + 1} 1.4.0"
OTHER, UNNUMBERED = f"layout {LAYOUT + 1}, of skye-server 1.4.0", "no number of a layout"


@pytest.fixture(params=[OTHER, UNNUMBERED])
def refusal(request, any_redis):
    """What a program says of a Redis with data of another layout, or without a number."""
    RedisStore(any_redis).games.commit(commit(1))
    if request.param == OTHER:
        any_redis.set(KEY, NEXT)
    return request.param


def test_number_is_written_where_there_are_no_data_and_stays(any_redis):
    store = RedisStore(any_redis)
    store.fill_bucket("x", 10**6, 10**7)
    store.outages.sign(1000)
    assert store.claim_layout() == ""
    store.games.commit(commit(1))
    assert (store.claim_layout(), store.layout_refusal()) == ("", "")
    store.delete_all()
    assert any_redis.get(KEY) == OWN.encode()


def test_data_of_another_layout_or_without_a_number_are_refused(any_redis, refusal):
    store, before = RedisStore(any_redis), sorted(any_redis.keys())
    assert refusal in store.layout_refusal()
    assert refusal in store.claim_layout()
    assert sorted(any_redis.keys()) == before


@pytest.mark.parametrize("any_redis", ["redis"], indirect=True)
def test_no_program_starts_on_data_of_another_layout(redis_server, refusal, monkeypatch, capsys, tmp_path):
    from click.testing import CliRunner  # noqa: PLC0415 - of this test alone

    environ = {"SKYE_REDIS_URL": redis_server.url}
    file = str(tmp_path / "file")
    for command in (["backup", file], ["rebuild"], ["games", "list"], ["players", "show", "x"], ["doctor"]):
        done = CliRunner().invoke(main, command, env=environ)
        assert (done.exit_code, refusal in done.output) == (1, True), done.output
    with pytest.raises(LaunchError, match=refusal):
        launcher._check_store(Settings(redis_url=redis_server.url))  # noqa: SLF001 - needs no processes
    monkeypatch.setenv("SKYE_REDIS_URL", redis_server.url)
    assert process.main() == 1
    assert refusal in capsys.readouterr().err


def test_process_refuses_requests_and_gives_no_sign_on_another_layout(any_redis, refusal):
    with Service(any_redis) as service:
        check_refused(service, refusal)
        any_redis.set(KEY, OWN)
        check_accepted(service)


def test_process_refuses_requests_and_gives_no_sign_during_a_restore(any_redis):
    with Service(any_redis) as service:
        any_redis.set(RESTORE_KEY, "digest")
        check_refused(service, UNFINISHED)
        any_redis.delete(RESTORE_KEY)
        check_accepted(service)


def test_process_that_used_the_games_numbers_those_of_a_server_that_lost_all(any_redis):
    with Service(any_redis) as service:
        signs = collaborators(service.app).games.signs
        signs.uptime = RedisStore(any_redis).outages.read().uptime  # as in a process that was started
        assert [signs.turn(gives_signs=True) for _ in range(2)] == [True, True]
        any_redis.flushall()
        RedisStore(any_redis).games.commit(commit(1))  # of another process, before this one looks again
        assert signs.turn(gives_signs=True)
        assert any_redis.get(KEY) == OWN.encode()
        assert service.call("GET", "/v1/games").status_code == 200


def check_refused(service, reason):
    signs, store = collaborators(service.app).games.signs, RedisStore(service.redis)
    signs.uptime = store.outages.read().uptime  # as in a process that was started
    assert not signs.turn(gives_signs=True)
    for method, path in (("GET", "/v1/games"), ("POST", "/v1/games"), ("GET", "/readyz")):
        answer = service.call(method, path, {} if method == "POST" else None)
        assert (answer.status_code, problem_code(answer)) == (503, "store_unavailable")
        assert reason in answer.json["detail"]
    assert service.get("/healthz")["status"] == "ok"
    assert store.outages.read().uptime.sign_ms == 0


def check_accepted(service):
    signs = collaborators(service.app).games.signs
    assert [signs.turn(gives_signs=True) for _ in range(2)] == [False, True]
    assert service.call("GET", "/v1/games").status_code == 200
    assert service.get("/readyz")["status"] == "ok"
    assert RedisStore(service.redis).outages.read().uptime.sign_ms > 0


@pytest.mark.parametrize(("layout", "reason"), [(NEXT, OTHER), ("", UNNUMBERED)])
def test_backup_of_another_layout_is_refused(any_redis, tmp_path, monkeypatch, layout, reason):
    store, file, write = RedisStore(any_redis), io.BytesIO(), backups._write_frame  # noqa: SLF001 - a header
    monkeypatch.setattr(
        backups,
        "_write_frame",
        lambda packed, value: write(
            packed, value | {"layout": layout} if isinstance(value, dict) and "kind" in value else value
        ),
    )
    store.games.commit(commit(1))
    store.backup(file)
    (tmp_path / "file").write_bytes(file.getvalue())
    with pytest.raises(BackupError, match=reason):
        check_backup(tmp_path / "file")
