"""Compile the TypeScript client and the bot on it, once for all processes of a test run."""

import fcntl
import os
import shutil

import pytest

from tests.support.launcher import ROOT
from tests.support.missing_programs import NO_NODE
from tests.support.programs import run

BOT = ROOT / "examples" / "typescript"
CLIENT = ROOT / "clients" / "typescript"


def build(tmp_path_factory):
    """Generate the types of the contract, and check and compile the client and the bot.

    Skips the test where there is no node 20 with npm, or where the packages are not installed.

    :param tmp_path_factory: The fixture of pytest, whose folder shows that another process has built them.
    """
    _skip_without_node()
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    built = folder / "typescript-is-built"
    with (folder / "typescript.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            run("npm", "run", "build", cwd=BOT)
            built.touch()


def _skip_without_node():
    installed = shutil.which("node") and shutil.which("npm")
    if not (installed and all((package / "node_modules").is_dir() for package in (BOT, CLIENT))):
        pytest.skip(NO_NODE)
    if int(run("node", "--version")[1:].partition(".")[0]) < 20:
        pytest.skip(NO_NODE)


def link_client(folder, *packages):
    """Let programs in a folder import the client, and packages that are installed for it."""
    modules = folder / "node_modules"
    modules.mkdir()
    (modules / "skye-client").symlink_to(CLIENT)
    for package in packages:
        (modules / package).symlink_to(CLIENT / "node_modules" / package)
