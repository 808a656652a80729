"""Asks PyPI whether a locked package is known to be vulnerable: `python deploy/audit.py`, in `make lint`.

Exit status 1: one is. Where PyPI cannot be asked, or does not know a package, that is said, and is no fault.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).with_name("requirements-dev.lock")  # which holds what requirements.lock does, and more
LIMIT_S = 120


def asked() -> dict[str, Any] | None:
    """Return what pip-audit finds, in its own form; None when it could not ask."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--requirement", LOCK]
    options = ["--format", "json", "--progress-spinner", "off", "--timeout", "10"]
    try:
        done = subprocess.run(  # noqa: S603 - a program and arguments of our own
            [*command, *options], capture_output=True, check=False, timeout=LIMIT_S
        )
        found: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return found


def verdict(found: dict[str, Any] | None) -> tuple[int, str]:
    """Return the exit status for what pip-audit has found, and what to tell about it."""
    if found is None:
        return 0, "The locked packages were NOT audited: PyPI does not answer."
    packages = found["dependencies"]
    vulnerable = [
        f"{package['name']} {package['version']}: {flaw['id']}, mended in {flaw['fix_versions'] or 'none'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    if vulnerable:
        return 1, "\n".join(["Locked packages are known to be vulnerable:", *vulnerable])
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if unknown:
        return 0, f"{len(unknown)} of {len(packages)} locked packages were NOT audited: PyPI tells nothing."
    return 0, ""


def main() -> int:
    """Ask and tell."""
    status, told = verdict(asked())
    if told:
        sys.stderr.write(told + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
