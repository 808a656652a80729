"""The TLS context that all clients of a process share."""

from __future__ import annotations

import os
import ssl
from functools import cache
from typing import Final

import httpx

from skye_client.errors import InvalidEnvironmentError

_VARIABLES: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")


@cache
def tls_context() -> ssl.SSLContext:
    """Return the default context of httpx.

    To load its certificates takes more than nine tenths of the time in which a client is created.

    :raises InvalidEnvironmentError: when a variable names a file of certificates that cannot be read.
    """
    try:
        return httpx.create_ssl_context()
    except OSError as error:  # ssl.SSLError is one
        name = next((name for name in _VARIABLES if os.environ.get(name)), "The package certifi")
        reason = error.strerror or error
        raise InvalidEnvironmentError(f"{name} names no readable certificates: {reason}") from error
