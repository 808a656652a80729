"""How gunicorn serves the API: here, and in production.

    SKYE_REDIS_URL=redis://... gunicorn --config python:service.server.gunicorn_conf service.wsgi:app

The settings come from the environment, as everything's do. `make serve` hands over a socket it has bound.
"""

import gc
import os
import resource
import signal
import sys
from typing import Any

import gevent

from service.observability import shared_counters as tally
from service.server.processes import death_signal_setter
from service.settings import MEMORY_URL, Settings, SettingsError

try:
    settings = Settings.from_environment(os.environ)
except SettingsError as error:
    sys.exit(f"These settings cannot be used:\n{error}")
if settings.redis_url is None:
    sys.exit("SKYE_REDIS_URL is not set: name the Redis that keeps the games, or use `make serve`.")

if settings.health_bind is not None and settings.health_bind.port == settings.bind.port:
    sys.exit("SKYE_HEALTH_BIND needs another port than SKYE_BIND: a listener is known by its port.")

bind = str(settings.bind)
# Games in the memory of a process are known to that process alone.
workers = 1 if settings.redis_url == MEMORY_URL else settings.workers
worker_class = "service.server.worker.Worker"
# Each connection may need one to Redis besides, and a process may often open few unless it asks for more.
_, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
worker_connections = 2000 if most_files < 0 else min(2000, most_files // 2 - 50)
# The application's modules must be loaded after gevent has patched the standard library, which a worker does.
preload_app = False

timeout = 30
graceful_timeout = 10
keepalive = 75  # longer than the 60 s of common proxies, so that it is they who close idle connections

loglevel = settings.log_level
logger_class = "service.observability.gunicorn_logs.JsonLogger"
accesslog = None  # the application writes its own, at log level info
errorlog = "-"

tally.share()  # the memory in which the workers count for /metrics

# It would be one file under the home folder for every gunicorn of a user.
control_socket_disable = True
# The workers' signs of life need no disk, and the disk may be read-only.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - gunicorn draws the names

# Beyond these it is 414 and 431; a head as a whole is bounded by the worker.
limit_request_line = 8190
limit_request_fields = 100
limit_request_field_size = 8190
sendfile = False  # which would go past the head that a connection of ours keeps back
forwarder_headers = ""  # no client says by a header at which path the API is mounted


def on_starting(server: Any) -> None:
    """Add the health listener to those of the command line; gunicorn calls this before it binds."""
    of_launcher = any(address.startswith("fd://") for address in server.cfg.bind)  # it has bound all of them
    if settings.health_bind is not None and not of_launcher:
        server.cfg.set("bind", [*server.cfg.bind, str(settings.health_bind)])


_set_death_signal = death_signal_setter(signal.SIGKILL)


def post_fork(server: Any, worker: Any) -> None:
    """Prepare the signals of a worker; gunicorn calls this after each fork.

    A worker ends with its master, at once: gunicorn's own check each second would leave it holding the port.
    """
    _set_death_signal(worker.ppid)
    # Until the worker installs its handlers, those inherited from the master would put a signal into a queue
    # that nobody reads, and the master would wait its whole graceful timeout for this worker.
    ending = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
    for number in ending:
        signal.signal(number, signal.SIG_DFL)
    while not server.SIG_QUEUE.empty():
        if server.SIG_QUEUE.get_nowait() in ending:
            sys.exit(0)


def post_worker_init(worker: Any) -> None:
    """Keep what is loaded from the garbage collector; gunicorn calls this when a worker can serve."""
    if worker.age == 1 and settings.redis_url != MEMORY_URL:  # one worker is enough to warn
        gevent.spawn(_warn_of_eviction, worker)
    # What is loaded by now stays for good. Looking all through it for garbage would hold up every request for
    # 20 ms, time and again; and what requests leave behind is found while it is young.
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 20, 200)


def _warn_of_eviction(worker: Any) -> None:
    from service.web.collaborators import collaborators  # noqa: PLC0415 - loaded after gevent has patched

    warning = collaborators(worker.wsgi).games.eviction_warning()
    if warning is not None:
        worker.log.warning(warning)
