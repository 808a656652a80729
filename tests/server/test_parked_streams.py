"""Parked streams: messages after a wake-up, the end of a stream, and the maximum number."""

import contextlib

import gevent
import gevent.socket
import pytest

from skye_server.worker.parked_streams import ParkedStreams
from tests.support.waiting import MAX_WAIT_S


class Client:
    """One end of a pair of sockets."""

    def __init__(self, end):
        self._end = end

    def send(self, data):
        self._end.sendall(data)

    def disconnect(self):
        self._end.close()


class News:
    """The frames of a stream, as a generator that yields nothing until there is more."""

    def __init__(self):
        self.left = []
        self.is_closed = False

    def frames(self):
        try:
            while True:
                frame = self.left.pop(0) if self.left else b""
                if frame is None:
                    return
                yield frame
        finally:
            self.is_closed = True


@pytest.fixture
def parked():
    """A parked stream, its frames, the functions called at its end, and the other end of its connection."""
    streams, news, ended = ParkedStreams(1), News(), []
    here, there = gevent.socket.socketpair()
    frames = news.frames()
    assert next(frames) == b""
    stream = streams.add(Client(here), frames, is_chunked=True)
    stream.at_end(ended.append, "ended")
    with contextlib.closing(here), contextlib.closing(there):
        there.settimeout(MAX_WAIT_S)
        yield streams, stream, news, ended, there


def received(end):
    """Return all that arrives until the connection is closed."""
    return b"".join(iter(lambda: end.recv(100), b""))


def test_woken_stream_sends_all_new_frames_in_chunks(parked):
    _, stream, news, _, end = parked
    for frames in ([b"data: 1\n\n"], [b"data: 2\n\n", b": heartbeat\n\n"]):
        news.left += frames
        stream.wake()
        expected = b"".join(b"%x\r\n%b\r\n" % (len(frame), frame) for frame in frames)
        assert b"".join(end.recv(1) for _ in expected) == expected


def test_stream_woken_while_it_sends_sends_once(parked):
    _, stream, news, _, end = parked
    news.left += [b"data: 1\n\n"]
    stream.wake()
    stream.wake()
    news.left += [None]
    assert received(end) == b"9\r\ndata: 1\n\n\r\n0\r\n\r\n"


def test_stream_that_is_over_sends_last_chunk_and_disconnects(parked):
    streams, stream, news, ended, end = parked
    assert streams.is_full
    news.left += [b"bye", None]
    stream.wake()
    assert received(end) == b"3\r\nbye\r\n0\r\n\r\n"
    assert (ended, news.is_closed, streams.is_full) == (["ended"], True, False)


def test_stream_without_chunks_ends_with_its_connection():
    streams, news = ParkedStreams(1), News()
    here, there = gevent.socket.socketpair()
    frames = news.frames()
    next(frames)
    news.left += [b"bye", None]
    streams.add(Client(here), frames, is_chunked=False).wake()
    with contextlib.closing(there):
        assert received(there) == b"bye"


def test_stream_of_disconnected_client_ends(parked):
    streams, stream, news, ended, end = parked
    end.close()
    news.left += [b"data: 1\n\n"] * 2
    stream.wake()
    streams.join(MAX_WAIT_S)
    assert (ended, news.is_closed, streams.is_full) == (["ended"], True, False)


def test_join_returns_when_all_streams_have_ended(parked):
    streams, stream, news, ended, _ = parked
    news.left += [None]
    gevent.spawn_later(0.01, stream.wake)
    streams.join(MAX_WAIT_S)
    assert ended == ["ended"]
