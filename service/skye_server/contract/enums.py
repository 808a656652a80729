"""The enumerations of the API: words and ids, each list described once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from importlib import import_module

from skye import BOTS, Phase, Ruleset
from skye.rulesets import BASE, RULESETS
from skye.scoring import TIE_BREAKS
from skye.tiles import OBJECTS, Terrain
from skye_server.contract.fields import Requested, RulesetEnum, StringEnum
from skye_server.error_codes import ERROR_CODES
from skye_server.features import installed
from skye_server.games import proposals
from skye_server.games.game import (
    URL_BOT,
    Clock,
    OnTimeout,
    OriginType,
    PublicFrom,
    Role,
    SeatEnd,
    SeedSource,
    Status,
    TileKind,
    Visibility,
)
from skye_server.games.player_events import DECISION, WEBHOOK_EVENTS
from skye_server.games.scenarios import SCENARIOS


class Inclusion(StringEnum):
    """An optional part of the view of a game.

    `actions`: the legal actions of the caller's seat.
    """

    choices = ("actions",)


class BotName(StringEnum):
    """The name of a bot; see `GET /v1/bots`. `url` is a bot at a URL. There may be new ones."""

    requested = Requested("SeatableBot", "A bot that can take a seat; see `GET /v1/bots`.", BOTS)
    choices = (*BOTS, URL_BOT)


class TieBreakRule(StringEnum):
    """What breaks a tie for the win (ruling R11).

    `leftover_gold`: the gold left after every 5 gold have become a point. `total_gold`: all the gold. Players
    who are still tied share the win.

    There may be new ones.
    """

    requested = Requested("ChosenTieBreak", "What breaks a tie for the win; see `TieBreakRule`.")
    choices = TIE_BREAKS


class TimeoutRule(StringEnum):
    """What happens when a seat misses its deadline.

    `auto`: the server takes one action for the seat, which then plays on. `bot`: a bot plays the seat, to the
    end of the game or until its player takes it back; while nobody plays, it decides at each deadline only. A
    seat that has used up `budget_ms` is always played by a bot, to the end of the game.

    There may be new ones.
    """

    requested = Requested(
        "ChosenTimeoutRule", "What happens when a seat misses its deadline; see `TimeoutRule`."
    )
    choices = OnTimeout


class ClockName(StringEnum):
    """The clock that the deadlines of a game refer to.

    `real`: the server's clock. `manual`: a clock that only the host advances.

    There may be new ones.
    """

    requested = Requested("ChosenClock", "The clock that the deadlines of a game refer to; see `ClockName`.")
    choices = Clock


class GameStatus(StringEnum):
    """The status of a game.

    `lobby`: players can take seats. `playing`: the game has begun. `finished`: the game is over and has a
    result. `aborted`: the game ended early, without a result.

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

    `record`: the record of another game. `position`: a position that the creator sent. `scenario`: a position
    that the server offers, by its name.

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

    `public`: the game is listed, and anyone can read it. `private`: the game is not listed, and 404 for
    clients without one of its tokens.

    There may be new ones.
    """

    requested = Requested("ChosenVisibility", "Who can find and read a new game; see `VisibilityName`.")
    choices = Visibility


class PublicFromName(StringEnum):
    """When spectators see the content of a game.

    `start`: at once. `end`: when it is over; until then they see only its players and its status. A host
    without a seat is a spectator.

    There may be new ones.
    """

    component = "PublicFrom"
    requested = Requested("ChosenPublicFrom", "When spectators see the content of a game; see `PublicFrom`.")
    choices = PublicFrom


class RoleName(StringEnum):
    """A role of a caller in a game.

    `host`: may start the game, seat bots and invite players, and abort a game that nobody else plays.
    `player`: holds a seat. `invited`: holds an unused invitation code.

    There may be new ones.
    """

    extensible = True
    choices = Role


class TakeoverReason(StringEnum):
    """Why a bot took over a seat.

    `resigned`: the player left the game. `timed_out`: the player missed a deadline, and the option
    `on_timeout` of the game is `bot`. `out_of_time`: the player has used up `budget_ms`.

    There may be new ones.
    """

    extensible = True
    choices = ("resigned", "timed_out", "out_of_time")


class SeatEndType(StringEnum):
    """How a seat ended.

    `played`: its player, or its bot, stayed to the end. `resigned`: its player left the game. `took_over`: a
    bot took over after a missed deadline. `out_of_time`: its player used up `budget_ms`, and a bot took over.
    A seat that did not end as `played` cannot win.

    There may be new ones.
    """

    requested = Requested("RecordedSeatEnd", "How a seat of a record ended; see `SeatEndType`.")
    choices = SeatEnd


class ProposalKind(StringEnum):
    """What the people of a game are asked to agree to.

    `abort`: the game ends without a result. `pause`: the game pauses.

    There may be new ones.
    """

    extensible = True
    choices = proposals.ProposalKind


class ProposalOutcome(StringEnum):
    """How a proposal ended.

    `accepted`: all people who play agreed. `refused`: one of them did not. `expired`: its time was over, or
    the game. `withdrawn`: its player withdrew it, or gave the seat up.

    There may be new ones.
    """

    extensible = True
    choices = proposals.ProposalOutcome


class AbortReason(StringEnum):
    """Why a game could be aborted.

    `agreed`: the people who played agreed. The others name why its host needed no agreement. `lobby`: the
    game had not begun. `alone`: no other person played. `host_not_playing`: the host held no seat.
    `laboratory`: the game began from a record, a position or a scenario, or has a manual clock.

    There may be new ones.
    """

    extensible = True
    choices = proposals.AbortReason


class SeedSourceName(StringEnum):
    """Who chose the seed.

    `server`: the server, at random. `creator`: the creator of the game, who can compute every draw in
    advance.

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
    """The kind of a tile: `landscape`, or one of the five `castle` tiles. There may be new ones."""

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

    choices = ("north", "east", "south", "west")
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

    `finished`, `aborted`: the game is over. `restart`: the server stops. `history_lost`: the store
    has lost events that the server had sent. `game_not_found`, `token_unknown`: the caller may no longer read
    the game. `not_public_yet`: the caller may read it when it is over (`public_from`).

    There may be new ones.
    """

    extensible = True
    choices = (
        "finished",
        "aborted",
        "restart",
        "history_lost",
        "game_not_found",
        "token_unknown",
        "not_public_yet",
    )


class PlayerStreamEndReason(StringEnum):
    """Why a player's stream ends.

    `restart`: the server stops. `history_lost`: the store has lost events that the server had
    sent. `token_unknown`: the key was replaced.

    There may be new ones.
    """

    extensible = True
    choices = ("restart", "history_lost", "token_unknown")


class StreamResume(StringEnum):
    """What a client does after the end of a stream, whatever the reason.

    `reconnect`: open the stream again, after the last event received. `reload`: load the data again, and
    follow from its `last_event`. `stop`: no event follows that changes the view.

    There will be no others under `/v1`.
    """

    choices = ("reconnect", "reload", "stop")


class WebhookEventName(StringEnum):
    """A type of event that a webhook sends.

    `seat_taken`: a player has a seat, or its number has changed. `your_turn`: the game waits for a decision.
    `deadline_near`: it is still open shortly before its deadline. `proposal_opened`: others propose to end or
    pause the game. `seat_left`: a player has left the game. `game_over`: the game is finished or aborted.
    `ticket_expired`: there were not enough players for a matchmaking ticket. `webhook_disabled`: another
    webhook has failed for five days. `decision`: the seat of a bot at a URL must decide.

    There may be new ones.
    """

    requested = Requested(
        "ChosenWebhookEvent",
        "A type of event that a webhook can send; see `WebhookEventName`.",
        WEBHOOK_EVENTS,
    )
    choices = (*WEBHOOK_EVENTS, DECISION)


class DeliveryStatus(StringEnum):
    """The status of a delivery.

    `pending`: an attempt is due or in progress. `delivered`: the receiver has accepted it. `failed`: the last
    attempt has failed. `skipped`: it was not sent, as it was stale and the format is that of a chat service.

    There may be new ones.
    """

    extensible = True
    choices = ("pending", "delivered", "failed", "skipped")


class ErrorPlace(StringEnum):
    """A part of a request.

    `body`: a value in the body. `path`, `query`: a parameter in the path or the query. `header`: a header.

    There will be no others under `/v1`.
    """

    choices = ("body", "path", "query", "header")


class ProblemCode(StringEnum):
    """The code of an error; see `GET /docs/errors`.

    A code never changes its meaning. There may be new ones.
    """

    extensible = True
    choices = ERROR_CODES


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
