"""Enumerations of games: their options, status and callers."""

from __future__ import annotations

from collections.abc import Collection

from skye import BOTS, Phase
from skye.rulesets import BASE, RULESETS
from skye.scoring import TIE_BREAKS
from skye_server.contract.fields import StringEnum
from skye_server.games.game import URL_BOT, Clock, OnTimeout, OriginType, Role, SeedSource, Status, Visibility
from skye_server.games.scenarios import SCENARIOS


class Inclusion(StringEnum):
    """An optional part of the view of a game.

    `actions`: the legal actions of the caller's seat.
    """

    choices = ("actions",)


class BotName(StringEnum):
    """The name of a bot; see `GET /v1/bots`. `url` is a bot at a URL. There may be new ones."""

    extensible = True
    choices = (*BOTS, URL_BOT)


class SeatableBot(StringEnum):
    """A bot that can take a seat; see `GET /v1/bots`."""

    choices = BOTS


class TieBreakRule(StringEnum):
    """What breaks a tie for the win (ruling R11).

    `leftover_gold`: the gold left after every 5 gold have become a point. `total_gold`: all the gold. Players
    who are still tied share the win.

    There may be new ones.
    """

    extensible = True
    choices = TIE_BREAKS


class ChosenTieBreak(StringEnum):
    """What breaks a tie for the win; see `TieBreakRule`."""

    choices = TIE_BREAKS


class TimeoutRule(StringEnum):
    """What happens when a seat misses its deadline.

    `auto`: the server takes one action for the seat, which then plays on. `bot`: a bot plays the seat for the
    rest of the game.

    There may be new ones.
    """

    extensible = True
    choices = OnTimeout


class ChosenTimeoutRule(StringEnum):
    """What happens when a seat misses its deadline; see `TimeoutRule`."""

    choices = OnTimeout


class ClockName(StringEnum):
    """The clock that the deadlines of a game refer to.

    `real`: the server's clock. `manual`: a clock that only the host advances.

    There may be new ones.
    """

    extensible = True
    choices = Clock


class ChosenClock(StringEnum):
    """The clock that the deadlines of a game refer to; see `ClockName`."""

    choices = Clock


class GameStatus(StringEnum):
    """The status of a game.

    `lobby`: players can take seats. `playing`: the game has begun. `finished`: the game is over and has a
    result. `aborted`: the host ended the game, which has no result.

    There may be new ones.
    """

    extensible = True
    choices = Status


class ListedStatus(StringEnum):
    """A status that a list of games can be filtered by; see `GameStatus`."""

    choices = (Status.LOBBY, Status.PLAYING, Status.FINISHED)


class GamePhase(StringEnum):
    """The phase of a round in which players must decide; income, discard and scoring are automatic.

    `pricing`: all seats set their offers. `buying`: the seats buy or pass, one after the other. `building`:
    all seats place their tiles.

    There will be no others in the ruleset `base`.
    """

    choices = Phase


class RulesetName(StringEnum):
    """The rules of a game, and with them its tiles, phases and numbers of players.

    `base`: the base game, see `GET /docs/rules`. `base+` and eight hexadecimal digits: the base game with
    tiles or tables that the operator of the server has corrected.

    There may be new ones.
    """

    extensible = True
    choices = (BASE.id,)
    form = "^[a-z][a-z0-9_-]*([+][0-9a-f]{8})?$"


class ChosenRuleset(StringEnum):
    """The rules of a game; see `RulesetName`.

    A server whose operator has corrected `base` also accepts the ruleset that it names in `GET /v1/tiles`.
    """

    choices = (BASE.id,)

    def known(self) -> Collection[str]:
        """Return the rulesets of this server."""
        return RULESETS


class OriginName(StringEnum):
    """What a game began from, if not from the start.

    `record`: the record of another game. `position`: a position that the creator sent. `scenario`: a position
    that the server offers, by its name.

    There may be new ones.
    """

    extensible = True
    choices = OriginType


class ListedOrigin(StringEnum):
    """An origin that a list of games can be filtered by; see `OriginName`."""

    choices = OriginType


class ScenarioName(StringEnum):
    """The name of a scenario; see `GET /v1/scenarios`. There may be new ones."""

    extensible = True
    choices = SCENARIOS


class ChosenScenario(StringEnum):
    """A scenario that a game can begin from; see `GET /v1/scenarios`."""

    choices = SCENARIOS


class VisibilityName(StringEnum):
    """Who can find and read a game.

    `public`: the game is listed, and anyone can read it. `private`: the game is not listed, and 404 for
    clients without one of its tokens.

    There may be new ones.
    """

    extensible = True
    choices = Visibility


class ChosenVisibility(StringEnum):
    """Who can find and read a new game; see `VisibilityName`."""

    choices = Visibility


class RoleName(StringEnum):
    """A role of a caller in a game.

    `host`: may start, abort and delete the game, seat bots and invite players. `player`: holds a seat.
    `invited`: holds an unused invitation code.

    There may be new ones.
    """

    extensible = True
    choices = Role


class TakeoverReason(StringEnum):
    """Why a bot took over a seat.

    `resigned`: the player left the game. `timed_out`: the player missed a deadline, and the option
    `on_timeout` of the game is `bot`.

    There may be new ones.
    """

    extensible = True
    choices = ("resigned", "timed_out")


class SeedSourceName(StringEnum):
    """Who chose the seed.

    `server`: the server, at random. `creator`: the creator of the game, who can compute every draw in
    advance.

    There may be new ones.
    """

    extensible = True
    choices = SeedSource
