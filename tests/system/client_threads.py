"""Clients in threads, which run until the test stops them."""

import threading
import time
import traceback

from tests.support.waiting import MAX_RUN_S


class ClientThreads:
    """A number of threads, each of which calls `_run` with its own number and ends when `_stopped` is set.

    Leaving the `with` block sets it, and waits for the threads, which may check thousands of games first. An
    error of one thread, which `wrong` stores, stops all.
    """

    def __init__(self, size):
        self.wrong = []
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._guard, args=(self._run, n)) for n in range(size)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        until = time.monotonic() + MAX_RUN_S
        for thread in self._threads:
            thread.join(max(0, until - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            self.wrong.append(f"a client is still waiting after {MAX_RUN_S} s")

    def _run(self, number):
        raise NotImplementedError

    def _guard(self, run, *args):
        """Run a function; store its error, which stops all threads."""
        try:
            run(*args)
        except Exception:  # noqa: BLE001 - the test reports every exception
            self.wrong.append(traceback.format_exc())
            self._stopped.set()
