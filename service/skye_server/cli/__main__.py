"""The commands: `skye-server COMMAND`.

A command is a module with a function `main` that returns the exit code. The module is imported only when the
command runs.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "serve": (
        "skye_server.server.launcher",
        "serve the API, with an embedded Redis unless SKYE_REDIS_URL names one",
    ),
    "demo": ("skye_server.cli.demo", "play a whole game on the running server"),
    "openapi": ("skye_server.cli.openapi", "print a document of the contract, as `make openapi` writes it"),
    "settings": ("skye_server.settings", "print the table of settings"),
}

WITH_OPTIONS = {"demo", "openapi"}
"""The commands whose `main` parses options, including `--help`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default the one of the command line; return its exit code."""
    match sys.argv[1:] if arguments is None else arguments:
        case [name, *options] if name in WITH_OPTIONS or (name in COMMANDS and not options):
            command = import_module(COMMANDS[name][0]).main
            code: int = command(options) if name in WITH_OPTIONS else command()
            return code
    print("usage: skye-server COMMAND\n", file=sys.stderr)
    for name, (_, meaning) in COMMANDS.items():
        print(f"  {name:10}{meaning}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
