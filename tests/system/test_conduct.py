"""Metrics and logs of several worker processes, over HTTP."""

import json
import re
import urllib.error
import urllib.request

from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.processes import kill_worker, workers_of


def fetch(launched, path):
    """Return the status and the text of a response, on a new connection so that any worker can respond."""
    try:
        with urllib.request.urlopen(launched.url + path, timeout=MAX_WAIT_S) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def counted(launched, route):
    text = fetch(launched, "/metrics")[1]
    found = re.search(rf'skye_requests_total{{method="GET",route="{route}",status="200"}} (\d+)', text)
    return int(found[1]) if found else 0


def test_metrics_of_any_worker_include_killed_ones_and_logs_are_json(launch):
    launched = launch(SKYE_WORKERS="2", SKYE_LOG_LEVEL="info")
    for _ in range(20):
        fetch(launched, "/v1/scoring-tiles")
    assert {counted(launched, "/v1/scoring-tiles") for _ in range(10)} == {20}
    before = workers_of(launched)
    kill_worker(launched)
    assert waited_for(lambda: len(workers_of(launched)) == 2 and workers_of(launched) != before)
    for _ in range(10):
        fetch(launched, "/v1/scoring-tiles")
    assert {counted(launched, "/v1/scoring-tiles") for _ in range(10)} == {30}
    fetch(launched, "/v1/scoring-tiles?secret=1")
    launched.end()
    received = [json.loads(line) for line in launched.printed.splitlines() if line.startswith("{")]
    assert "/v1/scoring-tiles" in [line.get("route") for line in received]
    assert {"skye_server.http.middleware", "gunicorn.error"} <= {line["logger"] for line in received}
    assert "gunicorn.access" not in {line["logger"] for line in received}
    assert "secret" not in launched.printed
