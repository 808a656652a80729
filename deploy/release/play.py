"""Install the artefacts of `dist/` in empty environments, and play games through them: `make release-test`.

The checkout is hidden meanwhile: this program copies itself and the artefacts to a temporary folder, and goes
on there in a mount namespace where the folder of the checkout is empty. It imports the standard library only.
Containers of the images are started outside this namespace, since each has a file system of its own.
"""

import contextlib
import functools
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.error
import urllib.request
from pathlib import Path

from deploy.release.commands import SUMS, ReleaseError, run
from deploy.release.containers import play_images

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
PATHS = ("/play/", "/docs", "/docs/rules", "/docs/reference", "/openapi.yaml", "/play/-/client/index.js")

README_PROGRAM = "import importlib.metadata as m, sys; print(m.metadata(sys.argv[1]).get_payload())"


def report(text):
    """Print what has been tried."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def artefacts(dist, *patterns):
    """Return the artefacts of these patterns, one each."""
    found = []
    for pattern in patterns:
        [artefact] = dist.glob(pattern)
        found.append(artefact)
    return found


def environment(folder, *packages):
    """Create a virtual environment with these packages and what they need; return its folder of programs."""
    run(sys.executable, "-m", "venv", folder, cwd=folder.parent)
    pip = (folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, *packages, cwd=folder)
    return folder / "bin"


def first_program(text, language):
    """Return the first program of a README: the game in fifteen lines."""
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def play_engine(folder, wheel):
    """Play the game of the README."""
    programs = environment(folder, wheel)
    readme = run(programs / "python", "-c", README_PROGRAM, "skye-engine", cwd=folder)
    run(programs / "python", "-c", first_program(readme, "python"), cwd=folder)
    report(f"{wheel.name}: the game of the README")


def play_gym(folder, engine, gym):
    """Play a league of all kinds of bots, a benchmark, and the game of the README."""
    programs = environment(folder, engine, gym)
    run(programs / "skye-arena", "greedy", "strategist", "expert@1/1", "--games", "6", cwd=folder)
    bench = ("--pool=random,greedy,strategist", "--games=6", "--seats=2")
    run(programs / "skye-bench", "play", *bench, cwd=folder)
    readme = run(programs / "python", "-c", README_PROGRAM, "skye-gym", cwd=folder)
    run(programs / "python", "-c", first_program(readme, "python"), cwd=folder)
    report(f"{gym.name} on {engine.name}: a league, a benchmark, and the game of the README")


@contextlib.contextmanager
def serving(folder, *packages, **settings):
    """Serve on the data folder of the user, with an embedded server; yield the URL and the programs."""
    programs = environment(folder, *packages)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    environ |= {"SKYE_BIND": "127.0.0.1:0", "XDG_DATA_HOME": str(folder / "data"), **settings}
    log = folder / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [programs / "skye-server", "serve"], cwd=folder, env=environ, stdout=output, stderr=output
        )
    try:
        waiting = threading.Event()
        while not (found := re.search(r"health +(http://\S+)/healthz", log.read_text())):
            if process.poll() is not None:
                raise ReleaseError(f"skye-server serve ended:\n{log.read_text()}")
            waiting.wait(0.1)
        yield found[1], programs
    finally:
        process.terminate()
        process.wait(60)
    if process.returncode:
        raise ReleaseError(f"skye-server serve ended with {process.returncode}:\n{log.read_text()}")


def play_server(url, programs, folder):
    """Load the pages, and play the game of `skye-server demo`."""
    for path in PATHS:
        with urllib.request.urlopen(url + path, timeout=60) as response:  # noqa: S310 - our server
            if not response.read():
                raise ReleaseError(f"{path} is empty")
    run(programs / "skye-server", "--version", cwd=folder)
    run(programs / "skye-server", "demo", "--quiet", "--url", url, cwd=folder)
    if not any((folder / "data" / "skye-server").iterdir()):
        raise ReleaseError("the games are not in the data folder of the user")


def check_hunts(url, *, is_lab):
    """Open a bug hunt on a lab server; another server, where no plug-in is installed, has no such path."""
    request = urllib.request.Request(f"{url}/v1/lab/hunts", method="POST")  # noqa: S310 - our server
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            found = response.status
    except urllib.error.HTTPError as error:
        found = error.code
    if found != (201 if is_lab else 404):
        raise ReleaseError(f"POST /v1/lab/hunts responds {found}")


def play_python_client(folder, wheel, url):
    """Play the game of the README."""
    programs = environment(folder, wheel)
    readme = run(programs / "python", "-c", README_PROGRAM, "skye-client", cwd=folder)
    run(
        programs / "python",
        "-c",
        first_program(readme, "python").replace("http://127.0.0.1:8000", url),
        cwd=folder,
    )
    report(f"{wheel.name}: the game of the README")


def play_mcp(folder, packages, url):
    """Play a game by the tools of the MCP server."""
    programs = environment(folder, *packages)
    run(programs / "python", Path(__file__).with_name("mcp_game.py"), programs / "skye-mcp", url, cwd=folder)
    report(f"{packages[0].name}: a game by its tools")


def play_npm(folder, package, url):
    """Play the game of the README in Node, and from a bundle in Chromium."""
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    run("npm", "install", "--silent", "--no-audit", "--no-fund", package, "esbuild@0.28", cwd=folder)
    with tarfile.open(package) as files:
        readme = files.extractfile("package/README.md").read().decode()
    program = first_program(readme, "js").replace("http://127.0.0.1:8000", url)
    (folder / "game.js").write_text(program)
    run("node", "game.js", cwd=folder)
    report(f"{package.name}: the game of the README in Node")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        report(f"{package.name}: NOT tried in a browser: there is no Chromium")
        return
    (folder / "page.js").write_text(program + '\nawait fetch("/over", { method: "POST" });\n')
    run("npx", "esbuild", "page.js", "--bundle", "--format=esm", "--outfile=bundle.js", cwd=folder)
    (folder / "index.html").write_text('<script type="module" src="bundle.js"></script>')
    open_until_over(browser, folder)
    report(f"{package.name}: the game of the README in Chromium, bundled by esbuild")


def open_until_over(browser, folder):
    """Serve a folder, open it in a browser, and wait for its POST."""
    over = threading.Event()

    class Pages(http.server.SimpleHTTPRequestHandler):
        def do_POST(self):
            self.send_response(204)
            self.end_headers()
            over.set()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Pages, directory=folder)
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = (
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--remote-debugging-port=0",
        )
        command = [
            browser,
            *options,
            f"--user-data-dir={folder / 'profile'}",
            f"http://127.0.0.1:{server.server_port}/",
        ]
        output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        page = subprocess.Popen(command, start_new_session=True, **output)
        has_ended = over.wait(120)
        os.killpg(page.pid, signal.SIGKILL)  # the program may be a script that starts the browser
        page.wait()
        server.shutdown()
    if not has_ended:
        raise ReleaseError("the game in Chromium did not end")


def play_all(dist, folder):
    """Try all artefacts."""
    parts = ("engine", "client", "server", "gym", "hunts", "mcp")
    engine, client, server, gym, hunts, mcp = artefacts(
        dist, *(f"skye_{part}-*-none-any.whl" for part in parts)
    )
    compiled, compiled_gym = artefacts(dist / "compiled", "skye_engine-*.whl", "skye_gym-*.whl")
    sources = artefacts(dist, *(f"skye_{part}-*.tar.gz" for part in ("engine", "client", "server")))
    [package] = artefacts(dist, "skye-client-*.tgz")
    for number, (wheel, of_gym) in enumerate([(engine, gym), (compiled, gym), (compiled, compiled_gym)]):
        play_gym(folder / f"gym-{number}", wheel, of_gym)
    for number, wheel in enumerate((engine, compiled)):
        play_engine(folder / f"engine-{number}", wheel)
    with serving(folder / "server", compiled, client, server) as (url, programs):
        play_server(url, programs, folder / "server")
        check_hunts(url, is_lab=False)
        report(f"{server.name} on the compiled engine: its pages, and the game of the demo")
        play_python_client(folder / "client", client, url)
        play_mcp(folder / "mcp", (mcp, engine, client, gym), url)
        play_npm(folder / "npm", package, url)
    with serving(folder / "lab", compiled, client, server, hunts, SKYE_LAB="on") as (url, _):
        check_hunts(url, is_lab=True)
        report(f"{hunts.name}: a bug hunt of a lab server")
    with serving(folder / "sources", *sources) as (url, programs):
        play_server(url, programs, folder / "sources")
        report(f"{sources[-1].name}: its pages, and the game of the demo")


def hide(checkout, dist):
    """Copy the artefacts, and continue where the checkout cannot be read; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="skye-try-") as name:
        folder = Path(name)
        shutil.copytree(dist, folder / "dist", ignore=shutil.ignore_patterns("*.docker.tar"))
        shutil.copytree(Path(__file__).parent, folder / "deploy" / "release")
        python = Path(sys.base_prefix, "bin", "python3")
        script = 'mount -t tmpfs none "$1" && cd "$2" && exec "$3" -E -s -m deploy.release.play --hidden "$1"'
        command = (
            "unshare",
            "--mount",
            "--map-root-user",
            "sh",
            "-c",
            script,
            "sh",
            checkout,
            folder,
            python,
        )
        done = subprocess.run(command, env=_clean_environ(checkout), check=False)
        return done.returncode


def _clean_environ(checkout):
    """Return the environment without variables of Python, and folders of the checkout on the path."""
    path = [part for part in os.environ["PATH"].split(os.pathsep) if not part.startswith(str(checkout))]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    return kept | {"PATH": os.pathsep.join(path)}


def try_all(dist, checkout):
    """Try all artefacts, with the checkout hidden; return the exit code.

    :raises ReleaseError: if there are none, or one has a fault.
    """
    if not (dist / SUMS).exists():
        found = sorted(path.name for path in dist.iterdir()) if dist.is_dir() else []
        what = f"{len(found)} files but no {SUMS}, so its build has failed" if found else "no artefacts"
        raise ReleaseError(f"There are {what} in {dist}: `make release` builds a whole release.")
    run("sha256sum", "--quiet", "--check", SUMS, cwd=dist)
    code = hide(checkout, dist)
    if code == 0:
        play_images(dist, report)
    return code


def main():
    """Hide the checkout, then try all artefacts; return the exit code."""
    try:
        if sys.argv[1:2] == ["--hidden"]:
            if any(Path(sys.argv[2]).iterdir()):
                raise ReleaseError("the checkout can be read")
            play_all(Path("dist").resolve(), Path.cwd())
            return 0
        checkout = Path(__file__).resolve().parents[2]
        return try_all(Path(sys.argv[1] if len(sys.argv) > 1 else checkout / "dist").resolve(), checkout)
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
