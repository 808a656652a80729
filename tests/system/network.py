"""A TCP proxy between two programs on the loopback address, which injects faults of the network.

A `Relay` forwards connections to a server through its `fault`, which a test can change at any time.
"""

import asyncio
import contextlib
import random
import socket
import struct
import threading

from tests.support.waiting import MAX_WAIT_S

REQUEST, ANSWER = "request", "answer"
_PIECE = 2**16
_AT_ONCE = struct.pack("ii", 1, 0)
"""SO_LINGER with a timeout of 0: closing resets the connection."""


class ConnectionCut(Exception):
    """The relay forwards `data`, and then resets or closes the connection."""

    def __init__(self, data, *, reset=True):
        super().__init__()
        self.data, self.reset = data, reset


class Link:
    """A connection through a relay. `blackholed`: it drops all data. `left`: the bytes before a cut."""

    def __init__(self, *writers):
        self._writers = writers
        self.blackholed = False
        self.left = None

    def answer(self, data):
        self._writers[0].write(data)

    def reset(self):
        for writer in self._writers:
            with contextlib.suppress(OSError):
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.close()

    def close(self):
        for writer in self._writers:
            writer.transport.abort()


class NoFault:
    """No fault: data is forwarded."""

    async def forward(self, _link, _kind, data):
        """Return the data to forward after a delay, or raise ConnectionCut to reset the connection."""
        return data


class Delay:
    """Every reply is delayed by a number of seconds, and up to `jitter` more."""

    def __init__(self, seconds, jitter=0.0):
        self._seconds, self._jitter = seconds, jitter
        self._dice = random.Random(1)

    async def forward(self, _link, kind, data):
        if kind == ANSWER:
            await asyncio.sleep(self._seconds + self._dice.random() * self._jitter)
        return data


class Trickle:
    """Every reply arrives in pieces of a number of bytes, at an interval in seconds."""

    def __init__(self, size, seconds):
        self._size, self._seconds = size, seconds

    async def forward(self, link, kind, data):
        while kind == ANSWER and len(data) > self._size:
            link.answer(data[: self._size])
            await asyncio.sleep(self._seconds)
            data = data[self._size :]
        return data


class Blackhole:
    """All data is dropped, without an error. A connection that has lost data drops all later data, too."""

    async def forward(self, link, _kind, _data):
        link.blackholed = True
        return b""


class ConnectionBreak:
    """Connections break after some bytes of requests or answers: they are reset, or with `silence` dropped.

    Bytes are counted from the request that contains `word`. `times` is the number of connections that break.
    """

    def __init__(self, kind, after=0, word=b"", times=1, *, silence=False):
        self._kind, self._after, self._word, self._silence = kind, after, word, silence
        self.times = times

    async def forward(self, link, kind, data):
        if link.left is None and kind == REQUEST and self.times and self._word in data:
            self.times -= 1
            link.left = self._after
        if link.left is None or kind != self._kind:
            return data
        passing, link.left = data[: link.left], max(link.left - len(data), 0)
        if link.left == 0:
            if not self._silence:
                raise ConnectionCut(passing)
            link.blackholed = True
        return passing


class RandomCuts:
    """Each connection is closed after a random number of bytes of answers; `cuts` is how many were."""

    def __init__(self, least, most):
        self._limits, self._dice = (least, most), random.Random(0)
        self.cuts = 0

    async def forward(self, link, kind, data):
        if kind == REQUEST:
            return data
        left = self._dice.randint(*self._limits) if link.left is None else link.left
        link.left = left - len(data)
        if link.left <= 0:
            self.cuts += 1
            raise ConnectionCut(data[:left], reset=False)
        return data


class Relay:
    """A relay to the server at `target`, as host and port.

    `links` are its open connections, `connections` the number of all.
    """

    def __init__(self, target):
        self._target = target
        self._relays = set()
        self.links = set()
        self.connections = 0
        self.fault = NoFault()
        self._up = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="relay")

    def __enter__(self):
        self._thread.start()
        assert self._up.wait(MAX_WAIT_S)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._down.set)
        self._thread.join(MAX_WAIT_S)
        assert not self._thread.is_alive()

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    def drop_open_connections(self):
        """Drop all data of open connections, like a firewall that has lost its state; new ones work."""
        for link in self.links.copy():
            link.blackholed = True

    async def _serve(self):
        self._loop, self._down = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._relay, "127.0.0.1", 0)
        self.host, self.port = server.sockets[0].getsockname()
        self._up.set()
        await self._down.wait()
        server.close()
        for link in self.links:
            link.close()
        await asyncio.gather(*self._relays)

    async def _relay(self, reader, writer):
        self.connections += 1
        relay = asyncio.current_task()
        self._relays.add(relay)
        relay.add_done_callback(self._relays.discard)
        link = Link(writer)
        try:
            onwards = await asyncio.open_connection(*self._target)
        except OSError:
            link.reset()
            return
        link = Link(writer, onwards[1])
        if self._down.is_set():
            link.close()
            return
        self.links.add(link)
        pumps = [
            asyncio.ensure_future(self._pump(link, REQUEST, reader, onwards[1])),
            asyncio.ensure_future(self._pump(link, ANSWER, onwards[0], writer)),
        ]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        self.links.discard(link)
        link.close()
        for pump in pumps:
            pump.cancel()  # a slow one sleeps
        await asyncio.gather(*pumps, return_exceptions=True)

    async def _pump(self, link, kind, source, sink):
        """Forward data in one direction, until one end closes."""
        with contextlib.suppress(OSError):
            while data := await source.read(_PIECE):
                try:
                    passing = b"" if link.blackholed else await self.fault.forward(link, kind, data)
                except ConnectionCut as cut:
                    sink.write(cut.data)
                    await sink.drain()
                    link.reset() if cut.reset else link.close()
                    return
                sink.write(passing)
                await sink.drain()


@contextlib.contextmanager
def unanswered():
    """A host and port that drop packets, so that no connection is established."""
    with socket.socket() as listener, contextlib.ExitStack() as callers:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):  # they fill the queue of those waiting to be let in
            caller = callers.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(listener.getsockname())
        yield listener.getsockname()
