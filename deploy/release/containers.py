"""Play games in containers of podman made of the images in `dist/`, as restricted as those of compose.yaml.

The containers have no network except a loopback interface, and reach a Redis of this machine at a socket.
"""

import contextlib
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from deploy.release.commands import ReleaseError, run

RUNTIMES = ((), ("--runtime=crun",), ("--runtime=runc",))
"""The runtime that podman chooses, then each by name: one may not support the control groups of the host."""

OPTIONS = ("--rm", "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges")
CONNECT = "import socket; socket.create_connection(('127.0.0.1', 8080)).close()"
MAX_START_S = 60


def load(folder, dist, name):
    """Load an image; return its name."""
    [archive] = dist.glob(f"{name}-*.docker.tar")
    return (
        run("podman", "load", "--quiet", "--input", archive, cwd=folder)
        .strip()
        .removeprefix("Loaded image: ")
    )


def limit(name, most):
    """Return the option for a limit: a container may not have more than this process."""
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
    return f"--ulimit={name}={most if hard == resource.RLIM_INFINITY else min(hard, most)}"


def working_podman(folder, image):
    """Return the command `podman run` with the options that work here.

    :raises ReleaseError: if none works; the text has the fault of each.
    """
    faults = []
    for runtime in RUNTIMES:
        command = ("podman", *runtime, "run", *OPTIONS, limit("nofile", 20_000), limit("nproc", 4_096))
        try:
            run(*command, "--network=none", image, "true", cwd=folder)
        except ReleaseError as fault:
            faults.append(str(fault))
        else:
            return command
    raise ReleaseError("\n".join(faults))


@contextlib.contextmanager
def container(podman, folder, name, *command):
    """Run a container."""
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen([*podman, f"--name={name}", *command], cwd=folder, stdout=log, stderr=log)
    try:
        yield
    except ReleaseError as fault:
        raise ReleaseError(f"{fault}\n{(folder / f'{name}.log').read_text()}") from fault
    finally:
        run("podman", "stop", "--ignore", name, cwd=folder)
        process.wait(MAX_START_S)


def wait_until_it_succeeds(folder, *command):
    """Run a command until it succeeds.

    :raises ReleaseError: if it fails for a minute.
    """
    deadline = time.monotonic() + MAX_START_S
    while True:
        try:
            run(*command, cwd=folder)
        except ReleaseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)
        else:
            return


def play_images(dist, report):
    """Play a game through the API, and one through the MCP server in front of it.

    :raises ReleaseError: if it does not work.
    """
    redis = shutil.which("redis-server") or shutil.which("valkey-server")
    if not list(dist.glob("*.docker.tar")):
        report("images: NOT tried: they are not in dist/ (`make release-images` builds them)")
        return
    if redis is None or shutil.which("podman") is None:
        report("images: NOT tried: there is no podman, or neither redis-server nor valkey-server")
        return
    with tempfile.TemporaryDirectory(prefix="skye-images-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server, mcp = load(folder, dist, "skye-server"), load(folder, dist, "skye-mcp")
        store = subprocess.Popen(
            [
                redis,
                "--port",
                "0",
                "--save",
                "",
                "--unixsocket",
                folder / "redis.sock",
                "--unixsocketperm",
                "777",
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            podman = working_podman(folder, server)
            api = f"skye-try-{folder.name[-8:]}"
            settings = ("--env=SKYE_REDIS_URL=unix:///redis/redis.sock", f"--volume={folder}:/redis:z")
            with container(podman, folder, api, "--network=none", *settings, server):
                inside = ("podman", "exec", api)
                wait_until_it_succeeds(folder, *inside, "python", "-m", "skye_server.server.healthcheck")
                run(*inside, "skye-server", "demo", "--quiet", cwd=folder)
                report(f"{server}: a game of the demo, in a container")
                with container(podman, folder, f"{api}-mcp", f"--network=container:{api}", mcp):
                    inside = ("podman", "exec", f"{api}-mcp", "python", "-c")
                    wait_until_it_succeeds(folder, *inside, CONNECT)
                    game = Path(__file__).with_name("mcp_game.py").read_text()
                    run(*inside, game, "http://127.0.0.1:8080/mcp", cwd=folder)
                report(f"{mcp}: a game by its tools, in a container")
        finally:
            store.terminate()
            store.wait()
