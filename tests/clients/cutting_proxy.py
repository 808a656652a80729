"""A TCP proxy that cuts connections, holds them silent, or refuses them."""

import contextlib
import random
import socket
import threading

from tests.support.waiting import MAX_WAIT_S


class CuttingProxy:
    """Forwards connections to a server, and cuts each after a random number of bytes of the response.

    :param target: the host and port of the server.
    :param cut_after: the least and the greatest number of bytes before a cut; None cuts nothing.
    :param seed: of the random numbers.
    """

    def __init__(self, target, cut_after=None, seed=0):
        self.target, self.cut_after = target, cut_after
        self.silent = False
        self.cuts = 0
        self.connections = 0
        self._random = random.Random(seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open = set()
        self._closed = False
        self._threads = []
        self._start(self._accept)

    @property
    def url(self):
        """The address of the proxy."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self):
        """Stop listening, cut every connection, and wait for the threads."""
        self._closed = True
        _shut(self._listener)
        self._threads[0].join()
        for each in list(self._open):
            _shut(each)
        for thread in self._threads:
            thread.join()

    def _start(self, target, *args):
        thread = threading.Thread(target=target, args=args)
        thread.start()
        self._threads.append(thread)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._connect, client)

    def _connect(self, client):
        try:
            server = socket.create_connection(self.target, timeout=MAX_WAIT_S)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        self._open |= {client, server}
        if self._closed:
            _shut(client)
            _shut(server)
        self._start(self._forward, client, server, None)
        left = self._random.randint(*self.cut_after) if self.cut_after else None
        self._forward(server, client, left)
        self._open -= {client, server}

    def _forward(self, source, sink, left):
        try:
            while data := source.recv(4096):
                if self.silent:
                    continue
                if left is not None and len(data) >= left:
                    sink.sendall(data[:left])
                    self.cuts += 1
                    break
                left = None if left is None else left - len(data)
                sink.sendall(data)
        except OSError:
            pass
        _shut(source)
        _shut(sink)


def _shut(connection):
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
