"""Install locked packages and distributions of this checkout into the environment of this Python.

    python deploy/install.py [--editable FOLDER ...] LOCK ...

uv installs them, which `requirements-uv.lock` pins; pip where uv has no wheel.
"""

import argparse
import subprocess
import sys
from pathlib import Path

LOCKED = ["--require-hashes", "--only-binary", ":all:"]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
UV = [sys.executable, "-m", "uv", "pip", "install", "--python", sys.executable]
UV_LOCK = Path(__file__).with_name("requirements-uv.lock")


def succeeds(command: list[str]) -> bool:
    """Run a command without its output, and return whether it succeeds."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def find_installer() -> list[str]:
    """Return the command of the installer: uv, which is installed if it is missing, or pip."""
    if succeeds([*UV[:3], "--version"]) or succeeds([*PIP, *LOCKED, "-r", str(UV_LOCK)]):
        return UV
    print("  uv cannot be installed here: pip takes its place, and several times as long.", flush=True)
    return PIP


def run(command: list[str]) -> None:
    """Run an installer, print what it has done so far, and all of its output if it fails."""
    output = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            output.append(line)
            if line.startswith(("Resolved", "Prepared", "Installed", "Installing collected")):
                print(f"  {line.strip():.70}", flush=True)
    if process.returncode:
        sys.exit("".join(output))


def main() -> None:
    """Install what the arguments name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("locks", nargs="*", metavar="LOCK", help="a file of packages with their hashes")
    parser.add_argument("--editable", nargs="+", default=[], metavar="FOLDER", help="a distribution")
    arguments = parser.parse_args()
    installer = find_installer()
    if arguments.locks:
        run([*installer, *LOCKED, *(part for lock in arguments.locks for part in ("-r", lock))])
    if arguments.editable:
        folders = [part for folder in arguments.editable for part in ("--editable", folder)]
        run([*installer, "--no-deps", "--no-build-isolation", *folders])


if __name__ == "__main__":
    main()
