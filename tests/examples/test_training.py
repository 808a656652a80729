"""The training example, for a few seconds; skipped where its packages (the group `training`) are missing."""

import csv
import subprocess
import sys

import pytest

from tests.examples.conftest import EXAMPLES
from tests.support.waiting import MAX_RUN_S


def test_training_writes_a_model_and_its_curve(tmp_path):
    pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: the training is not tested")
    limits = ["--seconds=1", "--steps=2048", "--games=2", "--last=2"]
    command = [sys.executable, EXAMPLES / "training" / "train.py", *limits, f"--out={tmp_path}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MAX_RUN_S, check=False)
    assert done.returncode == 0, done.stderr
    [header, start, end] = csv.reader((tmp_path / "curve.csv").read_text().splitlines())
    assert header == ["steps", "seconds", "win_rate"]
    assert int(start[0]) < int(end[0])
    assert (tmp_path / "model.zip").stat().st_size > 0
