"""A DNS server on the loopback address."""

import socket
import struct
import threading


class NameServer:
    """A DNS server that has the address 127.0.0.1 of names that begin with `ok`, and is silent about others.

    `asked` are the names that it was asked for, as the requests spell them.
    """

    def __init__(self):
        self.asked = []

    def __enter__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(self, *_):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()

    def _serve(self):
        while query := self._socket.recvfrom(4096):
            data, client = query
            if not data:
                return
            self.asked.append(data[12:-4])
            if data[13:15].lower() == b"ok":
                self._socket.sendto(_answer(data), client)


def _answer(query):
    end = query.index(0, 12) + 5  # the name, its type and its class
    is_ipv4 = query[end - 4 : end - 2] == b"\0\1"
    record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes([127, 0, 0, 1])
    return query[:2] + struct.pack(">5H", 0x8180, 1, is_ipv4, 0, 0) + query[12:end] + record * is_ipv4
