"""The command line: `skye-server COMMAND`."""

from __future__ import annotations

from importlib import import_module

import click

_COMMANDS = {
    "serve": "processes",
    "dispatch": "processes",
    "demo": "demo",
    "doctor": "doctor",
    "backup": "stored_games",
    "restore": "stored_games",
    "rebuild": "stored_games",
    "openapi": "openapi",
    "settings": "doctor",
    "games": "administration",
    "players": "administration",
}
"""The commands, each with the module of this package that has it, as a function of the same name."""

_EPILOG = """Settings are environment variables; `skye-server settings` lists them.

Exit codes: 0 done, or stopped by a signal; 1 failed, with the reason; 2 invalid options or settings.

\b
Completion in the shell (also zsh_source and fish_source):
  eval "$(_SKYE_SERVER_COMPLETE=bash_source skye-server)"
"""


class _Commands(click.Group):
    """Imports the module of a command only when it is needed: the server must start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature of click
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"skye_server.cli.{_COMMANDS[cmd_name]}"), cmd_name)
        return command


@click.command(
    "skye-server", cls=_Commands, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="skye-server", message="%(prog)s %(version)s")
def main() -> None:
    """Serve games of Isle of Skye over HTTP."""


if __name__ == "__main__":
    main(prog_name="skye-server")
