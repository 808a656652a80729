"""The commands of the image other than gunicorn."""

import subprocess
import sys

from tests.deploy.facts import ROOT
from tests.deploy.servers import Instance
from tests.support.waiting import MAX_WAIT_S, waited_for


def test_image_health_check_fails_until_the_api_answers(redis_server, folder):
    def health():
        command = [sys.executable, "-m", "skye_server.server.healthcheck"]
        return subprocess.run(command, cwd=ROOT, env=environ, check=False, timeout=MAX_WAIT_S).returncode

    served = Instance(folder / "api.sock", redis_server.url)
    environ = served.environ | {"SKYE_BIND": f"0.0.0.0:{served.port}"}
    assert health() == 1
    served.start()
    try:
        assert waited_for(lambda: health() == 0)  # each try has a timeout of its own
    finally:
        served.end()
