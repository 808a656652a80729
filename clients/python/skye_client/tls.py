"""The TLS context that all clients of a process share."""

from __future__ import annotations

import ssl
from functools import cache

import httpx


@cache
def tls_context() -> ssl.SSLContext:
    """Return the default context of httpx.

    To load its certificates takes more than nine tenths of the time in which a client is created.
    """
    return httpx.create_ssl_context()
