"""An instance that tests upgrade and roll back."""

from tests.deploy.servers import Instance
from tests.support.ports import free_port

PREVIOUS, CURRENT = "tests.support.previous_release:app", "skye_server.wsgi:app"


class Upgradable:
    """An instance at a port of its own that is stopped and started again as another release."""

    def __init__(self, folder, name, url, **settings):
        self._instance, self.port = Instance(folder / f"{name}.sock", url, **settings), free_port()
        self.call = self._instance.call

    def start(self, application):
        self._instance.application = application
        self._instance.start(f"127.0.0.1:{self.port}")

    def restart(self, application):
        self._instance.end()
        self.start(application)

    def kill(self):
        self._instance.kill()
