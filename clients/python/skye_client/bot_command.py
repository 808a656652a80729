"""The command `skye-bot`: a function `decide(turn) -> action` plays at a server, or as a bot at a URL.

`skye-bot host module:function --key KEY` plays all games of a player key, `skye-bot ladder module:function`
rated games, and `skye-bot url module:function` answers the signed requests of a server. The same function
plays in leagues: `skye-arena module:function`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import os
import secrets
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final

import anyio

from skye_client import webhooks
from skye_client._async.client import AsyncSkye
from skye_client._sync.client import Skye
from skye_client.bot_errors import explained, own_frames
from skye_client.bot_server import make_server
from skye_client.errors import ApiError, ConnectionFailedError, InvalidWebhookError, SkyeError
from skye_client.hosting import CONCURRENCY, RULESETS, URL, host
from skye_client.keys import new_key
from skye_client.messages import MAX_PORT
from skye_client.rated import chosen_ladder, claim
from skye_client.turns import as_decide, function_named
from skye_client.version import __version__

KEY_VARIABLE: Final = "SKYE_PLAYER_KEY"
SECRET_VARIABLE: Final = "SKYE_BOT_SECRET"  # noqa: S105 - the name of a variable
_KEY: Final = "skye_key_"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(format="%(message)s")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what the bot prints appears at once, also in a file
    sys.path.insert(0, str(Path.cwd()))
    try:
        status: int = options.function(options)
    except Exception as error:
        if own_frames(error) is not None or isinstance(error, SyntaxError):
            sys.stderr.write(f"skye-bot: the bot {options.bot} failed\n{explained(error)}\n")
            return 1
        if not isinstance(error, (SkyeError, ValueError, OSError)):
            raise
        other = "; --url names another server" if isinstance(error, ConnectionFailedError) else ""
        sys.stderr.write(f"skye-bot: {error}{other}\n")
        return 2
    return status


def play_games(options: argparse.Namespace) -> int:
    """Play all games of a player key."""
    decide = as_decide(function_named(options.bot))
    host(
        player_key(options.key),
        decide,
        concurrency=options.concurrency,
        url=options.url,
        until_over=options.until_over,
        rulesets=options.ruleset or RULESETS,
    )
    return 0


def play_ladder(options: argparse.Namespace) -> int:
    """Play rated games until Ctrl-C."""
    decide = as_decide(function_named(options.bot))
    with Skye(options.url) as client:
        ladder = chosen_ladder(client.ladders.list(), options.ladder)["id"]
    with kept_key(options.key, options.name) as key:
        name = anyio.run(_claimed, options.url, key, options.name)
    sys.stderr.write(f"skye-bot: {name} is waiting on {ladder}, for players of other networks\n")
    host(
        key,
        decide,
        concurrency=options.concurrency,
        url=options.url,
        ladder=ladder,
        name=name,
    )
    return 0


async def _claimed(url: str, key: str, name: str | None) -> str:
    """Return the name of a player; claim it if the player has none."""
    async with AsyncSkye(url) as client:
        return await claim(client.player(key), name)


@contextlib.contextmanager
def kept_key(text: str | None, name: str | None) -> Iterator[str]:
    """Give a player key to the claim of a name; without one, that of a file beside the bot.

    A new name creates the file before its claim, so that no name is claimed whose key is lost. A claim that
    the server refuses leaves no new file. After any other failure the name may be claimed: the file stays.

    :raises ValueError: when there is none; the message contains no key.
    """
    if text or os.environ.get(KEY_VARIABLE):
        yield player_key(text)
        return
    if name is None:
        raise ValueError(f"name the player: --name, --key, or the variable {KEY_VARIABLE}")
    path = Path(f"{name}.key")
    if path.exists():
        sys.stderr.write(f"skye-bot: the player key is the one in {path}\n")
        yield player_key(str(path))
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{new_key()}\n")
    try:
        yield player_key(str(path))
    except ApiError as error:
        if error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            path.unlink()
        raise
    finally:
        if path.exists():
            sys.stderr.write(f"skye-bot: the new player key is in {path}; keep it\n")


def serve(options: argparse.Namespace) -> int:
    """Answer the requests of a server until Ctrl-C."""
    decide = as_decide(function_named(options.bot))
    given = os.environ.get(SECRET_VARIABLE, "").strip()
    secret = given or f"whsec_{b64encode(secrets.token_bytes(32)).decode()}"
    with contextlib.suppress(InvalidWebhookError):  # checks the secret
        webhooks.unwrap(b"", {}, secret)
    try:
        bound = make_server(decide, secret, options.host, options.port)
    except (OSError, UnicodeError) as error:
        raise SkyeError(f"--host {options.host} --port {options.port} cannot be used: {error}") from error
    with bound as server:
        shown = f"the secret of {SECRET_VARIABLE}" if given else f"the secret {secret}"
        sys.stdout.write(f"http://{options.host}:{server.server_port}/bot with {shown}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return 0


def player_key(text: str | None) -> str:
    """Return a player key: a text, the content of a file, or that of the environment.

    :raises ValueError: when there is none; the message contains no key.
    """
    text = (text or os.environ.get(KEY_VARIABLE, "")).strip()
    if not text:
        raise ValueError(f"name a player key: --key, or the variable {KEY_VARIABLE}")
    if text.startswith(_KEY):
        return text
    with contextlib.suppress(OSError, ValueError):  # a path with NUL, or a file with other text than UTF-8
        key = Path(text).read_text(encoding="utf-8-sig").strip()
        if key.startswith(_KEY):
            return key
    raise ValueError(f"this is no player key ({_KEY}...), and no file that can be read")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="skye-bot", description=__doc__)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(required=True)
    hosts = commands.add_parser("host", help="play all games of a player key")
    hosts.add_argument("--key", help=f"the player key, or a file that has it; default: {KEY_VARIABLE}")
    hosts.add_argument("--url", default=URL, help="the address of the server; default: %(default)s")
    hosts.add_argument(
        "--concurrency", type=_count, default=CONCURRENCY, help="games at the same time; default: %(default)s"
    )
    hosts.add_argument("--until-over", action="store_true", help="end when all games are over")
    hosts.add_argument("--ruleset", action="append", help="a ruleset to play; default: base")
    hosts.set_defaults(function=play_games)
    ladder = commands.add_parser("ladder", help="play rated games, one after the other")
    ladder.add_argument("--name", help="the name to claim, or that of the player")
    ladder.add_argument("--ladder", help="where to wait, such as live_2; default: the first of the server")
    ladder.add_argument("--key", help=f"as of host; default: {KEY_VARIABLE}, or the file NAME.key")
    ladder.add_argument("--url", default=URL, help="the address of the server; default: %(default)s")
    ladder.set_defaults(function=play_ladder, concurrency=CONCURRENCY)
    urls = commands.add_parser(
        "url", help=f"answer signed requests, with the secret in {SECRET_VARIABLE} or a new one"
    )
    urls.add_argument(
        "--host", type=_host, default="127.0.0.1", help="the address to bind; default: %(default)s"
    )
    urls.add_argument("--port", type=_port, default=5000, help="the port; default: %(default)s")
    urls.set_defaults(function=serve)
    for command in (hosts, ladder, urls):
        command.add_argument("bot", metavar="module:function", help="a function decide(turn) -> action")
    return parser


def _host(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text.strip()


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= MAX_PORT:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to {MAX_PORT}")
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


if __name__ == "__main__":
    sys.exit(main())
