"""The configuration of gunicorn, for `make serve` and for production.

    SKYE_REDIS_URL=redis://... gunicorn --config python:skye_server.worker.gunicorn_conf skye_server.wsgi:app

The settings come from the environment. `make serve` passes a socket that it has bound.
"""

import gc
import os
import resource
import shutil
import signal
import sys
from typing import Any

import gevent
from prometheus_client import multiprocess

from skye_server.observability import metrics_folder, worker_metrics
from skye_server.redis_url import MEMORY_URL
from skye_server.server.processes import death_signal_setter
from skye_server.setting_parsers import address as parse_address
from skye_server.settings import Settings, SettingsError
from skye_server.worker import open_files, unix_sockets

try:
    settings = Settings.from_environment(os.environ)
except SettingsError as error:
    sys.exit(f"These settings cannot be used:\n{error}")
if settings.redis_url is None:
    sys.exit("SKYE_REDIS_URL is not set: name the Redis that stores the games, or use `skye-server serve`.")

bind = str(settings.bind)
# Games in the memory of one process are invisible to others.
workers = 1 if settings.redis_url == MEMORY_URL else settings.workers
worker_class = "skye_server.worker.worker.Worker"
# The soft limit of open files is often far below the hard one.
_, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
if refusal := open_files.refusal(max_files):
    sys.exit(f"{refusal}.")
worker_connections = open_files.connections(max_files)
# The worker loads the application, after gevent has patched the standard library.
preload_app = False

timeout = 30
graceful_timeout = 10
keepalive = 75  # longer than the 60 s of common proxies: the proxy must close idle connections first

loglevel = settings.log_level
logger_class = "skye_server.observability.gunicorn_logs.JsonLogger"
accesslog = None  # the application writes its own, at log level info
errorlog = "-"

_own_metrics_folder = None
if metrics_folder.FOLDER_VARIABLE not in os.environ:  # the launcher has created one, for dispatchers too
    _own_metrics_folder = metrics_folder.create_folder()

# All gunicorns of a user would share one control socket under the home folder.
control_socket_disable = True
# Heartbeat files of the workers: they need no disk, and the disk may be read-only.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - gunicorn chooses random names

# Above these: 414 and 431. The worker limits the size of a whole head.
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190
sendfile = False  # it would bypass `Connection`, which holds back the head of a response
forwarder_headers = ""  # no header of a client sets SCRIPT_NAME or PATH_INFO


def on_starting(server: Any) -> None:
    """Choose the addresses to bind; gunicorn calls this before it binds.

    The health listener is added to those of the command line.
    """
    _check_addresses(server.cfg.bind)
    addresses = [unix_sockets.address_to_bind(address) for address in server.cfg.bind]
    bound_by_launcher = any(address.startswith("fd://") for address in addresses)
    if settings.health_bind is not None and not bound_by_launcher:
        addresses.append(str(settings.health_bind))
    server.cfg.set("bind", addresses)


def _check_addresses(addresses: list[str]) -> None:
    """Exit if other hosts would reach the API unprotected, by `SKYE_BIND` or `--bind`."""
    for address in addresses:
        if not address.startswith(("unix:", "fd:")) and (refusal := settings.refusal(parse_address(address))):
            sys.exit(refusal)


_set_death_signal = death_signal_setter(signal.SIGKILL)


def pre_fork(server: Any, worker: Any) -> None:
    """Give a worker its number; gunicorn calls this in the master before each fork."""
    worker.number = worker_metrics.free_number(other.number for other in server.WORKERS.values())


def post_fork(server: Any, worker: Any) -> None:
    """Prepare the metrics and the signals of a worker; gunicorn calls this in the worker after each fork.

    The kernel kills a worker when its master ends. gunicorn's own check runs once a second, and until then
    the port would stay in use.
    """
    _set_death_signal(worker.ppid)
    worker_metrics.count_as(worker.number)
    # Until the worker installs its handlers, those inherited from the master would put a signal into a queue
    # that the worker does not read, and the master would wait its whole graceful timeout for this worker.
    terminating = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
    for number in terminating:
        signal.signal(number, signal.SIG_DFL)
    while not server.SIG_QUEUE.empty():
        if server.SIG_QUEUE.get_nowait() in terminating:
            sys.exit(0)


def post_worker_init(worker: Any) -> None:
    """Publish Unix sockets, give signs of life, log warnings, and freeze the garbage collector.

    gunicorn calls this when a worker can serve.
    """
    from skye_server.http.framework import collaborators  # noqa: PLC0415 - loaded after gevent has patched

    collaborators(worker.wsgi).games.signs.start(gives_signs=True)
    for listener in worker.sockets:
        unix_sockets.publish(listener.getsockname())
    if worker.age == 1:  # one worker is enough to warn
        for line in settings.warnings(settings.bind):
            worker.log.warning(line)
        if settings.redis_url != MEMORY_URL:
            gevent.spawn(_warn_of_the_store, worker)
    if settings.redis_url == MEMORY_URL and settings.dispatchers:
        _dispatch_in(worker)
    # All objects loaded by now are permanent. A full collection of them would block every request for 20 ms;
    # the garbage of requests is found in the young generations.
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 20, 200)


def child_exit(server: Any, worker: Any) -> None:  # noqa: ARG001 - gunicorn's signature
    """Remove the gauges of a worker that has ended; gunicorn calls this in the master."""
    multiprocess.mark_process_dead(worker.number)


def on_exit(server: Any) -> None:  # noqa: ARG001 - gunicorn's signature
    """Remove the metrics; gunicorn calls this in the master before it ends."""
    if _own_metrics_folder is not None:
        shutil.rmtree(_own_metrics_folder, ignore_errors=True)


def _warn_of_the_store(worker: Any) -> None:
    from skye_server.http.framework import collaborators  # noqa: PLC0415 - loaded after gevent has patched

    games = collaborators(worker.wsgi).games
    for warning in games.store.warnings():
        worker.log.warning(warning)


def _dispatch_in(worker: Any) -> None:
    """Run a dispatcher in the only worker: no other process can read its memory."""
    from skye_server.dispatch.process import dispatcher  # noqa: PLC0415 - loaded after gevent has patched
    from skye_server.http.framework import collaborators  # noqa: PLC0415 - as above

    gevent.spawn(dispatcher(collaborators(worker.wsgi).games).run)
