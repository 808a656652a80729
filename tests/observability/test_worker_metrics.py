"""The metrics of several worker processes, added up."""

import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest, multiprocess

from skye_server.observability import metrics_folder
from skye_server.observability.metrics_folder import FOLDER_VARIABLE
from skye_server.observability.worker_metrics import WorkerFiles, free_number

ROOT = Path(__file__).resolve().parents[2]
COUNTING = """
import sys
from skye_server.observability import worker_metrics
worker_metrics.count_as(int(sys.argv[1]))
from skye_server.observability.metrics import Metrics
metrics = Metrics()
metrics.answered("/v1/tiles", "GET", 200, 0.003)
metrics.stream_opened(of_player=False)
print("counted", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def start_worker(tmp_path, monkeypatch):
    """Return a function that starts a process, which counts one request and one stream and then waits."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    started = []

    def start(number):
        command = [sys.executable, "-c", COUNTING, str(number)]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout.readline() == b"counted\n"
        return process

    yield start
    for process in started:
        kill(process)


def kill(process):
    process.kill()
    process.communicate()


def totals(folder):
    """Return the sums of requests, of observed durations below 5 ms, and of open streams."""
    registry = CollectorRegistry()
    registry.register(WorkerFiles(str(folder)))
    route = {"route": "/v1/tiles", "method": "GET"}
    return (
        registry.get_sample_value("skye_requests_total", route | {"status": "200"}),
        registry.get_sample_value("skye_request_duration_seconds_bucket", route | {"le": "0.005"}),
        registry.get_sample_value("skye_open_streams"),
    )


def test_metrics_of_several_workers_are_added_up(start_worker, tmp_path):
    start_worker(0)
    start_worker(1)
    assert totals(tmp_path) == (2, 2, 2)


def test_counters_of_a_dead_worker_are_kept_but_not_its_gauges(start_worker, tmp_path):
    start_worker(0)
    kill(start_worker(1))
    multiprocess.mark_process_dead(1)
    assert totals(tmp_path) == (2, 2, 1)


def test_worker_continues_the_files_of_a_dead_worker(start_worker, tmp_path):
    kill(start_worker(0))
    multiprocess.mark_process_dead(0)
    start_worker(0)
    assert totals(tmp_path) == (2, 2, 1)
    assert len(list(tmp_path.iterdir())) == 4


def test_file_of_a_worker_killed_at_its_creation_is_skipped(start_worker, tmp_path):
    start_worker(0)
    (tmp_path / "counter_1.db").touch()
    assert totals(tmp_path) == (1, 1, 1)


def test_help_texts_survive_the_files(start_worker, tmp_path):
    start_worker(0)
    text = generate_latest(WorkerFiles(str(tmp_path))).decode()
    assert "# HELP skye_open_streams Open streams of server-sent events." in text
    assert 'skye_errors_total{code="not_found"} 0.0' in text
    assert "_created" not in text


def test_number_of_a_new_worker_is_the_lowest_that_is_free():
    assert [free_number(taken) for taken in ([], [0, 1], [1, 2], [2, 0])] == [0, 2, 0, 1]


def test_folders_of_killed_servers_are_removed_at_start(tmp_path, monkeypatch):
    monkeypatch.setattr(metrics_folder, "_SHARED_MEMORY", tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, "")
    (tmp_path / "skye-metrics-of-a-killed-server").mkdir()
    in_use = metrics_folder.create_folder()
    created = metrics_folder.create_folder()
    assert sorted(tmp_path.iterdir()) == sorted([in_use, created])
    assert created.stat().st_mode & 0o777 == 0o700
