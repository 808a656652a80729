"""Credentials as files, secrets of Kubernetes and `.env` files with CRLF give them, and hostile ones."""

SECRET = "l6yOVLPmm-CEdpKcTgB-IA"
KEY = f"skye_key_{SECRET}"

STRIPPED = {"newline": f"{KEY}\n", "CR": f"{KEY}\r", "CRLF": f"{KEY}\r\n", "spaces": f" {KEY} \t"}
"""What is sent without the white space around it."""

_HALVES = KEY[:20], KEY[20:]

REFUSED = {
    "empty": "",
    "white space": " \r\n",
    "newline within": "\n".join(_HALVES),
    "CR within": "\r".join(_HALVES),
    "space within": " ".join(_HALVES),
    "NUL": f"{KEY}\0",
    "é": f"{KEY}é",
    "zero-width space": f"{KEY}\u200b",
    "lone surrogate": f"{KEY}\udc80",
    "scheme": f"Bearer {KEY}",
    "10 KB": KEY + 10_000 * "a",
}
"""What is refused before anything is sent."""


def shows_credential(text):
    """Return whether a text has a part of the credentials: no error, log line or result may."""
    return any(part in text for part in (SECRET[:8], SECRET[-8:], KEY[9:20], 40 * "a"))
