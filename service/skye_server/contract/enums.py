"""The enumerations of the API: words and ids, each list described once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from importlib import import_module

from skye import BOTS, Phase, Ruleset, TieBreak
from skye.rulesets import BASE, RULESETS
from skye.tiles import OBJECTS, SIDE_NAMES, Terrain
from skye.words import Word
from skye_server import error_codes
from skye_server.contract.fields import Requested, RulesetEnum, StringEnum
from skye_server.features import installed
from skye_server.games import events, game, player_events, proposals, stream_ends
from skye_server.games.game import (
    URL_BOT,
    Clock,
    OnTimeout,
    OriginType,
    PublicFrom,
    Role,
    SeedSource,
    Status,
    TileKind,
    Visibility,
)
from skye_server.games.player_events import BotMessageType, PlayerEventType
from skye_server.games.scenarios import SCENARIOS
from skye_server.games.seat_ends import SeatEnd
from skye_server.games.views import actions


class Inclusion(StringEnum):
    """An optional part of the view of a game."""

    choices = actions.Inclusion


class BotName(StringEnum):
    """The name of a bot."""

    meaning = f"The name of a bot; see `GET /v1/bots`. `{URL_BOT}` is a bot at a URL. There may be new ones."
    requested = Requested("SeatableBot", "A bot that can take a seat; see `GET /v1/bots`.", BOTS)
    choices = (*BOTS, URL_BOT)


class TieBreakRule(StringEnum):
    """What breaks a tie for the win (ruling R11).

    There may be new ones.
    """

    requested = Requested("ChosenTieBreak", "What breaks a tie for the win; see `TieBreakRule`.")
    choices = TieBreak


class TimeoutRule(StringEnum):
    """What happens when a seat misses its deadline.

    There may be new ones.
    """

    requested = Requested(
        "ChosenTimeoutRule", "What happens when a seat misses its deadline; see `TimeoutRule`."
    )
    choices = OnTimeout


class ClockName(StringEnum):
    """The clock that the deadlines of a game refer to.

    There may be new ones.
    """

    requested = Requested("ChosenClock", "The clock that the deadlines of a game refer to; see `ClockName`.")
    choices = Clock


class GameStatus(StringEnum):
    """The status of a game.

    There may be new ones.
    """

    requested = Requested(
        "ListedStatus",
        "A status that a list of games can be filtered by; see `GameStatus`.",
        (Status.LOBBY, Status.PLAYING, Status.FINISHED),
    )
    choices = Status


class GamePhase(StringEnum):
    """The phase of a round in which players must decide; income, discard and scoring are automatic.

    There will be no others in the ruleset `base`.
    """

    choices = Phase


class RulesetName(StringEnum):
    """The rules of a game, and with them its tiles, phases and numbers of players.

    `base`: the base game, see `GET /docs/rules`. `base+` and eight hexadecimal digits: the base game with
    tiles or tables that the operator of the server has corrected.

    There may be new ones.
    """

    requested = Requested(
        "ChosenRuleset",
        "The rules of a game; see `RulesetName`.\n\nA server whose operator has corrected `base` also "
        "accepts the ruleset that it names in `GET /v1/tiles`.",
    )
    choices = (BASE.id,)
    form = "^[a-z][a-z0-9_-]*([+][0-9a-f]{8})?$"

    def known(self) -> Collection[str]:
        """Return the rulesets of this server."""
        return RULESETS


class OriginName(StringEnum):
    """What a game began from, if not from the start.

    There may be new ones.
    """

    requested = Requested(
        "ListedOrigin", "An origin that a list of games can be filtered by; see `OriginName`."
    )
    choices = OriginType


class ScenarioName(StringEnum):
    """The name of a scenario; see `GET /v1/scenarios`. There may be new ones."""

    requested = Requested("ChosenScenario", "A scenario that a game can begin from; see `GET /v1/scenarios`.")
    choices = SCENARIOS


class VisibilityName(StringEnum):
    """Who can find and read a game.

    There may be new ones.
    """

    requested = Requested("ChosenVisibility", "Who can find and read a new game; see `VisibilityName`.")
    choices = Visibility


class PublicFromName(StringEnum):
    """When spectators see the content of a game.

    There may be new ones.
    """

    component = "PublicFrom"
    requested = Requested("ChosenPublicFrom", "When spectators see the content of a game; see `PublicFrom`.")
    choices = PublicFrom


class RoleName(StringEnum):
    """A role of a caller in a game.

    There may be new ones.
    """

    extensible = True
    choices = Role


class TakeoverReason(StringEnum):
    """Why a bot took over a seat.

    There may be new ones.
    """

    extensible = True
    choices = events.TakeoverReason


class SeatLeftReason(StringEnum):
    """Why a player no longer has a role in a game.

    There may be new ones.
    """

    extensible = True
    choices = player_events.SeatLeftReason


class InvitationEnd(StringEnum):
    """Why an invitation code is no longer valid.

    There may be new ones.
    """

    extensible = True
    choices = game.InvitationEnd


class SeatEndType(StringEnum):
    """How a seat ended.

    There may be new ones.
    """

    requested = Requested("RecordedSeatEnd", "How a seat of a record ended; see `SeatEndType`.")
    choices = SeatEnd


class ProposalKind(StringEnum):
    """What the people of a game are asked to agree to.

    There may be new ones.
    """

    extensible = True
    choices = proposals.ProposalKind


class ProposalOutcome(StringEnum):
    """How a proposal ended.

    There may be new ones.
    """

    extensible = True
    choices = proposals.ProposalOutcome


class AbortReason(StringEnum):
    """Why a game could be aborted.

    There may be new ones.
    """

    extensible = True
    choices = proposals.AbortReason
    explained = sorted(choices, key=lambda reason: reason is not proposals.AbortReason.AGREED)


class SeedSourceName(StringEnum):
    """Who chose the seed.

    There may be new ones.
    """

    extensible = True
    choices = SeedSource


class Color(RulesetEnum):
    """A player's colour; the castle has it too. There will be no others in the ruleset `base`."""

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the colours of a ruleset."""
        return ruleset.colors


class LandscapeTile(RulesetEnum):
    """The id of a landscape tile, L01 to L73; see `GET /v1/tiles`.

    There will be no others in the ruleset `base`.
    """

    component = "LandscapeTileId"
    of_field = "A landscape tile."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the landscape tiles of a ruleset."""
        return ruleset.tiles.landscape


class AnyTile(RulesetEnum):
    """The id of a landscape tile, L01 to L73, or of a castle tile; see `GET /v1/tiles`.

    There will be no others in the ruleset `base`.
    """

    component = "TileId"
    of_field = "A tile."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the tiles of a ruleset."""
        return ruleset.tiles.by_id


class TileKindName(StringEnum):
    """The kind of a tile."""

    meaning = (
        f"The kind of a tile: `{TileKind.LANDSCAPE}`, or one of the five `{TileKind.CASTLE}` tiles. "
        "There may be new ones."
    )
    extensible = True
    choices = TileKind


class TerrainName(StringEnum):
    """The terrain on an edge, in the middle of a tile, or of an area.

    There will be no others in the ruleset `base`.
    """

    choices = tuple(terrain.label for terrain in Terrain)
    of_field = "The terrain."


class Side(StringEnum):
    """An edge of a tile. There will be no others under `/v1`."""

    choices = SIDE_NAMES
    of_field = "An edge."


class ObjectKind(StringEnum):
    """A kind of object on tiles. There will be no others in the ruleset `base`."""

    choices = OBJECTS


class ScoringTileId(RulesetEnum):
    """The id of a scoring tile; see `GET /v1/scoring-tiles`.

    There will be no others in the ruleset `base`.
    """

    of_field = "A scoring tile."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the scoring tiles of a ruleset."""
        return ruleset.scoring_tiles


class ScoringSlot(RulesetEnum):
    """The place of a scoring tile in a game; it decides in which rounds the tile is scored.

    In games of up to four players: `A` in rounds 1, 3 and 5, `B` in 2, 4 and 6, `C` in 3, 5 and 6, `D` in 4,
    5 and 6. In games of five: `A` in rounds 1, 2 and 4, `B` in 1, 3 and 5, `C` in 2, 4 and 5, `D` in 3, 4
    and 5.

    There will be no others in the ruleset `base`.
    """

    of_field = "A slot."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the slots of a ruleset."""
        return ruleset.slots


class StreamEndReason(StringEnum):
    """Why a stream ends.

    There may be new ones.
    """

    extensible = True
    choices = stream_ends.StreamEndReason


class PlayerStreamEndReason(StringEnum):
    """Why a player's stream ends.

    There may be new ones.
    """

    extensible = True
    choices = stream_ends.PlayerStreamEndReason


class StreamResume(StringEnum):
    """What a client does after the end of a stream, whatever the reason.

    There will be no others under `/v1`.
    """

    choices = stream_ends.StreamResume


class WebhookEventName(StringEnum):
    """A type of event that a webhook sends.

    There may be new ones.
    """

    requested = Requested(
        "ChosenWebhookEvent",
        "A type of event that a webhook can send; see `WebhookEventName`.",
        PlayerEventType,
    )
    choices = (*PlayerEventType, *BotMessageType)


class ErrorPlace(StringEnum):
    """A part of a request.

    There will be no others under `/v1`.
    """

    choices = error_codes.ErrorPlace


class ProblemCode(StringEnum):
    """The code of an error; see `GET /docs/errors`.

    A code never changes its meaning. There may be new ones.
    """

    extensible = True
    choices = error_codes.ERROR_CODES


@cache
def enumerations() -> dict[str, type[StringEnum]]:
    """Return the enumerations by the names of their components, with those of features."""
    modules = [name for feature in installed() for name in feature.enumerations]
    return {
        kind.component: kind
        for module in map(import_module, [__name__, *modules])
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, StringEnum) and kind not in (StringEnum, RulesetEnum)
    }


@cache
def component_of(words: type[Word]) -> str:
    """Return the name of the component of the enumeration that has these words."""
    (name,) = [name for name, kind in enumerations().items() if kind.choices is words]
    return name
