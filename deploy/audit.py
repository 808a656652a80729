"""Audit the locked packages for known vulnerabilities: `python deploy/audit.py`, in `make lint`.

pip-audit audits every lock of Python packages, and npm those of the packages that are shipped. The exit
status is 1 if a package is vulnerable. Packages that could not be audited, because a package index does not
respond or does not know them, are named; with `--complete`, as a release is built, the status is then 1 too.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
NPM_LOCKS = ("clients/typescript/package-lock.json", "web/package-lock.json")
TIMEOUT_S = 120
_MAX_NAMES = 5


class Report(NamedTuple):
    """What an audit of a lock has found: vulnerable packages, those not audited, and the number of all."""

    vulnerable: list[str]
    missed: list[str]
    number: int


def locks(root: Path = ROOT) -> list[Path]:
    """Return every lock of Python packages in the repository."""
    return sorted([*root.glob("deploy/requirements*.lock"), *root.glob("tests/**/requirements*.lock")])


def read_pip(report: dict[str, Any]) -> Report:
    """Return what a JSON report of pip-audit says."""
    packages = report["dependencies"]
    vulnerable = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in {flaw['fix_versions'] or 'none'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    missed = [package["name"] for package in packages if "skip_reason" in package]
    return Report(vulnerable, missed, len(packages))


def read_npm(report: dict[str, Any]) -> Report:
    """Return what a JSON report of `npm audit` says."""
    flaws = report["vulnerabilities"]
    vulnerable = [f"{name} {flaw['range']}: {flaw['severity']} (npm)" for name, flaw in flaws.items()]
    return Report(vulnerable, [], report["metadata"]["dependencies"]["total"])


def summarize(reports: Mapping[str, Report | None], *, is_complete: bool = False) -> tuple[int, str]:
    """Return the exit status for reports about locks, and the message to print.

    :param reports: by the name of the lock; None where there is none.
    :param is_complete: whether every package must have been audited.
    """
    vulnerable = sorted({line for report in reports.values() if report for line in report.vulnerable})
    missed = [line for name, report in reports.items() if (line := _missed(name, report))]
    lines = ["Locked packages are known to be vulnerable:", *vulnerable] if vulnerable else []
    lines += ["Locked packages were NOT audited:", *missed] if missed else []
    return int(bool(vulnerable or (is_complete and missed))), "\n".join(lines)


def _missed(name: str, report: Report | None) -> str:
    if report is None:
        return f"{name}: all, since the package index does not respond"
    more = ", ..." if len(report.missed) > _MAX_NAMES else ""
    shown = f"{', '.join(report.missed[:_MAX_NAMES])}{more}"
    return (
        f"{name}: {len(report.missed)} of {report.number}, not in the index: {shown}" if report.missed else ""
    )


def _report(*command: object) -> dict[str, Any] | None:
    """Return the JSON that a program prints, None if it prints none."""
    try:
        done = subprocess.run(  # noqa: S603 - programs and arguments of our own
            [*map(str, command)], capture_output=True, check=False, timeout=TIMEOUT_S
        )
        report: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    return report


def _pip(lock: Path) -> Report | None:
    command = (sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", "--requirement", lock)
    report = _report(*command, "--format", "json", "--progress-spinner", "off", "--timeout", "10")
    return read_pip(report) if report is not None and "dependencies" in report else None


def _npm(lock: Path) -> Report | None:
    report = _report("npm", "audit", "--package-lock-only", "--json", "--prefix", lock.parent)
    return read_npm(report) if report is not None and "vulnerabilities" in report else None


def main(arguments: list[str]) -> int:
    """Audit the packages, print the message, and return the exit status."""
    reports = {str(lock.relative_to(ROOT)): _pip(lock) for lock in locks()}
    reports |= {name: _npm(ROOT / name) for name in NPM_LOCKS}
    status, message = summarize(reports, is_complete="--complete" in arguments)
    if message:
        sys.stdout.write(message + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
