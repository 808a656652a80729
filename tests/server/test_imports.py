"""The modules that the launcher and gunicorn's master process import."""

import subprocess
import sys
from pathlib import Path


def test_launcher_and_gunicorn_master_load_no_part_of_the_application():
    """The launcher starts faster, and gevent could not patch modules that the master has imported."""
    code = "import sys, skye_server.server.launcher, skye_server.worker.worker; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"flask", "redis", "marshmallow", "skye", "skye_server.store.redis_store"} & set(
        loaded.stdout.split()
    )
