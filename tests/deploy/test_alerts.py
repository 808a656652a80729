"""Prometheus reads the queries of the dashboard, and each alert fires on its samples."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from tests.deploy.facts import DEPLOY
from tests.support.missing_programs import NO_PROMTOOL
from tests.support.waiting import MAX_RUN_S

PROMTOOL = shutil.which("promtool")
pytestmark = pytest.mark.skipif(PROMTOOL is None, reason=NO_PROMTOOL)

ALERTS = DEPLOY / "monitoring" / "alerts.yaml"
RULES = {rule["alert"]: rule for rule in yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]}
MINUTES = 40


def error(code, values):
    """Return samples of the errors with a code."""
    return {f'skye_errors_total{{code="{code}", instance="a"}}': values}


UP = {'skye_store_up{instance="a"}': f"1x{MINUTES}"}
ROUTE = 'route="/v1/games/<game>", method="GET", instance="a"'

FIRING = {
    "SkyeStoreUnreachable": {'skye_store_up{instance="a"}': f"0x{MINUTES}"},
    "SkyeInternalError": error("internal_error", f"0x{MINUTES - 2} 1 1"),
    "SkyeStoreRejectsWrites": UP | error("store_unavailable", f"0+1x{MINUTES}"),
    "SkyeStoreNearlyFull": {'skye_store_memory_ratio{instance="a"}': f"0.81x{MINUTES}"},
    "SkyeDataCorrupt": error("data_corrupt", f"0+1x{MINUTES}"),
    "SkyeDataNewer": error("data_newer", f"0+1x{MINUTES}"),
    "SkyeTooManyRequests": error("too_many_requests", f"0+120x{MINUTES}"),
    "SkyeSlow": {
        f'skye_request_duration_seconds_bucket{{le="0.25", {ROUTE}}}': f"0+9x{MINUTES}",
        f'skye_request_duration_seconds_bucket{{le="+Inf", {ROUTE}}}': f"0+10x{MINUTES}",
        f'skye_request_duration_seconds_bucket{{le="0.5", {ROUTE}}}': f"0+10x{MINUTES}",
    },
    "SkyeCommitConflicts": {
        'skye_commit_conflicts_total{instance="a"}': f"0+6x{MINUTES}",
        'skye_requests_total{method="PUT", instance="a"}': f"0+100x{MINUTES}",
        'skye_requests_total{method="GET", instance="a"}': f"0+900x{MINUTES}",
    },
    "SkyeManyStreams": {'skye_open_streams{instance="a"}': f"3001x{MINUTES}"},
    "SkyeTicketsWait": {
        'skye_waiting_tickets{instance="a"}': f"2x{MINUTES}",
        'skye_matchmaking_total{event="game", instance="a"}': f"7x{MINUTES}",
    },
    "SkyeNoDispatcher": {'skye_dispatchers{instance="a"}': f"0x{MINUTES}"},
    "SkyeNoSignOfLife": {'skye_sign_age_seconds{instance="a"}': f"61x{MINUTES}"},
    "SkyeClockDiffers": {'skye_clock_difference_seconds{instance="a"}': f"3x{MINUTES}"},
    "SkyeDueWorkWaits": {'skye_due_delay_seconds{kind="game", instance="a"}': f"11x{MINUTES}"},
}
"""Samples of each minute that make an alert fire at the end."""

QUIET = {
    "SkyeStoreRejectsWrites": {
        'skye_store_up{instance="a"}': f"0x{MINUTES - 4} 1x3",
    }
    | error("store_unavailable", f"0+9x{MINUTES - 4} 333x3"),
    "SkyeSlow": {
        name.replace("<game>", "<game>/events"): values for name, values in FIRING["SkyeSlow"].items()
    },
    "SkyeTicketsWait": FIRING["SkyeTicketsWait"]
    | {
        'skye_matchmaking_total{event="game", instance="a"}': f"7x{MINUTES}",
        'skye_matchmaking_total{event="game", instance="b"}': f"0+1x{MINUTES}",
    },
}
"""Samples that look similar, and must not."""


def checked(*arguments):
    """Run promtool; return its output."""
    done = subprocess.run(
        [PROMTOOL, *arguments], capture_output=True, text=True, check=False, timeout=MAX_RUN_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def trial(name, samples, *, fires):
    """Return the test of an alert for promtool."""
    rule, labels = RULES[name], {"instance": "a"}
    labels |= dict(re.findall(r'(code|kind)="(\w+)"', " ".join(samples)))
    expected = {"exp_labels": labels | rule["labels"], "exp_annotations": rule["annotations"]}
    return {
        "interval": "1m",
        "input_series": [{"series": series, "values": values} for series, values in samples.items()],
        "alert_rule_test": [
            {"eval_time": f"{MINUTES}m", "alertname": name, "exp_alerts": [expected] if fires else []}
        ],
    }


def test_every_alert_fires_on_its_samples_and_not_on_similar_ones(tmp_path):
    assert FIRING.keys() == RULES.keys()
    trials = [trial(name, samples, fires=True) for name, samples in FIRING.items()]
    trials += [trial(name, samples, fires=False) for name, samples in QUIET.items()]
    path = tmp_path / "trials.yaml"
    path.write_text(
        yaml.safe_dump({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": trials})
    )
    checked("test", "rules", path)


def test_queries_of_the_dashboard_are_valid(tmp_path):
    dashboard = json.loads((DEPLOY / "monitoring" / "dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    rules = [
        {"record": f"panel:{number}", "expr": query.replace("$__rate_interval", "1m")}
        for number, query in enumerate(queries)
    ]
    path = tmp_path / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(queries)} rules found" in checked("check", "rules", path)
