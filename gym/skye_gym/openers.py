"""Openers of `urllib` that follow no redirect, and reach servers of this machine without a proxy."""

from __future__ import annotations

import urllib.request
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit


def opener_for(url: str, *handlers: Any) -> urllib.request.OpenerDirector:
    """Return an opener for the requests to a URL.

    A redirect is an `HTTPError`: to follow one turns POST into GET, and sends keys to another host. The
    environment names the proxy, unless the URL is of this machine, which a proxy elsewhere cannot reach.
    """
    direct = [urllib.request.ProxyHandler({})] if _is_of_this_machine(urlsplit(url).hostname or "") else []
    return urllib.request.build_opener(_NoRedirects, *direct, *handlers)


def _is_of_this_machine(host: str) -> bool:
    host = host.rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def http_error_302(self, *_: Any, **__: Any) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302
