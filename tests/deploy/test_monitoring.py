"""The alerts and the dashboard name metrics that exist, the units of systemd are valid."""

import json
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from skye_server.error_codes import ERROR_CODES
from tests.deploy.facts import DEPLOY
from tests.support.playing import Service

ALERTS = yaml.safe_load((DEPLOY / "monitoring" / "alerts.yaml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((DEPLOY / "monitoring" / "dashboard.json").read_text())
UNITS = DEPLOY / "systemd"


@pytest.fixture(scope="module")
def metrics():
    """The names of all metrics, without the endings of their samples."""
    text = Service().call("GET", "/metrics").text
    return set(re.findall(r"# TYPE (\w+)", text))


def named(expression):
    """Return the metrics of an expression, without the endings of samples of a histogram."""
    return {name.removesuffix("_bucket") for name in re.findall(r"skye_\w+", expression)}


@pytest.mark.parametrize("alert", ALERTS, ids=lambda one: one["alert"])
def test_alert_names_metrics_codes_and_what_to_do(alert, metrics):
    assert named(alert["expr"]) <= metrics
    assert set(re.findall(r'code="(\w+)"', alert["expr"])) <= ERROR_CODES.keys()
    assert alert["annotations"]["summary"].endswith(".")


def test_dashboard_shows_exactly_the_metrics_there_are(metrics):
    expressions = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    assert set().union(*map(named, expressions)) == metrics


def test_routes_left_out_of_the_duration_exist():
    routes = re.search(
        r'route!~"([^"]+)"', next(one["expr"] for one in ALERTS if one["alert"] == "SkyeSlow")
    )[1]
    rules = {re.sub(r"<[^>]+>", "x", str(rule)) for rule in Service().app.url_map.iter_rules()}
    for route in routes.split("|"):
        assert any(re.fullmatch(route, rule) for rule in rules), route


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_units_of_systemd_are_valid_and_the_server_is_closed(tmp_path):
    names = {path.name: path.name.replace("@", "@serve") for path in UNITS.glob("skye*")}
    for source, name in names.items():
        text = (UNITS / source).read_text()
        for program in ("/opt/skye/bin/skye-server", "/usr/sbin/nginx"):  # they need not be installed
            text = text.replace(program, sys.executable)
        (tmp_path / name).write_text(text)
    template = tmp_path / "skye@.service"
    template.write_text((tmp_path / "skye@serve.service").read_text())
    for command in (
        ["verify", "--man=no", *(tmp_path / name for name in names.values())],
        ["security", "--offline=yes", "--threshold=15", "--no-pager", template],
    ):
        done = subprocess.run(["systemd-analyze", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
