"""Audit the locked packages for known vulnerabilities (pip-audit): `python deploy/audit.py`, in `make lint`.

The exit status is 1 if a package is vulnerable. A package index that does not respond, or does not know a
package, causes a warning only.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).with_name("requirements-dev.lock")  # a superset of requirements.lock
TIMEOUT_S = 120


def run_pip_audit() -> dict[str, Any] | None:
    """Return the JSON report of pip-audit, None if it has no result."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--requirement", LOCK]
    options = ["--format", "json", "--progress-spinner", "off", "--timeout", "10"]
    try:
        done = subprocess.run(  # noqa: S603 - a program and arguments of our own
            [*command, *options], capture_output=True, check=False, timeout=TIMEOUT_S
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return report


def summarize(report: dict[str, Any] | None) -> tuple[int, str]:
    """Return the exit status for a report of pip-audit, and the message to print."""
    if report is None:
        return 0, "The locked packages were NOT audited: PyPI does not respond."
    packages = report["dependencies"]
    vulnerable = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in {flaw['fix_versions'] or 'none'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    if vulnerable:
        return 1, "\n".join(["Locked packages are known to be vulnerable:", *vulnerable])
    unknown = [package["name"] for package in packages if "skip_reason" in package]
    if unknown:
        return 0, f"{len(unknown)} of {len(packages)} locked packages were NOT audited: not in PyPI."
    return 0, ""


def main() -> int:
    """Audit the packages, print the message, and return the exit status."""
    status, message = summarize(run_pip_audit())
    if message:
        sys.stderr.write(message + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
