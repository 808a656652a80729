"""The enumerations of the API: words and ids, each list described once."""

from __future__ import annotations

from typing import Any, Final

from skye import BOTS, COLORS, Phase
from skye.positions import RULESET
from skye.scoring import SCORING_TILES, SLOTS, TIE_BREAKS
from skye.tiles import LANDSCAPE, OBJECTS, TILES, Terrain
from skye_server.contract.fields import StringEnum
from skye_server.error_codes import ERROR_CODES
from skye_server.games.game import (
    Clock,
    OnTimeout,
    OriginType,
    Role,
    SeedSource,
    Status,
    TileKind,
    Visibility,
)
from skye_server.games.scenarios import SCENARIOS
from skye_server.games.webhook_events import WEBHOOK_EVENTS

DEFECT_CLASSES: Final = {
    "contract": "A response that the contract does not allow: a field is missing or has another type, an "
    "undocumented status, another media type.",
    "validation": "A request that the contract does not allow is accepted, or one that it allows is refused.",
    "authorization": "A caller does or reads what only another may.",
    "hidden_information": "A response reveals what the rules or the settings of a game hide from the caller.",
    "concurrency": "A change is lost, or applied to another version than the client named.",
    "idempotency": "A request that is sent again has another effect, or gets another response.",
    "caching": "Headers of HTTP, or what depends on them: validators, caches, `HEAD`.",
    "events": "Events are lost, repeated or out of order, or a client resumes at another event.",
    "rules": "The rules of the game or their scoring are not applied as `GET /docs/rules` says.",
    "state": "Time and effects of earlier requests: deadlines, undo, games that share state, slowness.",
}
"""The classes of defects of bug hunts, with their meanings."""


class Color(StringEnum):
    """A player's colour; the castle has it too. There will be no others in the ruleset `base`."""

    choices = COLORS


class LandscapeTile(StringEnum):
    """The id of a landscape tile, L01 to L73; see `GET /v1/tiles`.

    There will be no others in the ruleset `base`.
    """

    component = "LandscapeTileId"
    choices = LANDSCAPE

    def __init__(self, description: str = "A landscape tile.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class AnyTile(StringEnum):
    """The id of a landscape tile, L01 to L73, or of a castle tile; see `GET /v1/tiles`.

    There will be no others in the ruleset `base`.
    """

    component = "TileId"
    choices = TILES

    def __init__(self, description: str = "A tile.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class ScoringTileId(StringEnum):
    """The id of a scoring tile; see `GET /v1/scoring-tiles`.

    There will be no others in the ruleset `base`.
    """

    choices = SCORING_TILES

    def __init__(self, description: str = "A scoring tile.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class ScoringSlot(StringEnum):
    """The place of a scoring tile in a game; it decides in which rounds the tile is scored.

    In games of up to four players: `A` in rounds 1, 3 and 5, `B` in 2, 4 and 6, `C` in 3, 5 and 6, `D` in 4,
    5 and 6. In games of five: `A` in rounds 1, 2 and 4, `B` in 1, 3 and 5, `C` in 2, 4 and 5, `D` in 3, 4
    and 5.

    There will be no others in the ruleset `base`.
    """

    choices = SLOTS

    def __init__(self, description: str = "A slot.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class Inclusion(StringEnum):
    """An optional part of the view of a game.

    `actions`: the legal actions of the caller's seat.
    """

    choices = ("actions",)


class BotName(StringEnum):
    """The name of a bot; see `GET /v1/bots`. There may be new ones."""

    extensible = True
    choices = BOTS


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


class GamePhase(StringEnum):
    """The phase of a round in which players must decide; income, discard and scoring are automatic.

    `pricing`: all seats set their offers. `buying`: the seats buy or pass, one after the other. `building`:
    all seats place their tiles.

    There will be no others in the ruleset `base`.
    """

    choices = Phase


class RulesetName(StringEnum):
    """The rules of a game, and with them its tiles, phases and numbers of players.

    `base`: the base game, see `GET /docs/rules`.

    There may be new ones.
    """

    extensible = True
    choices = (RULESET,)


class ChosenRuleset(StringEnum):
    """The rules of a game; see `RulesetName`."""

    choices = (RULESET,)


class ListedStatus(StringEnum):
    """A status that a list of games can be filtered by; see `GameStatus`."""

    choices = (Status.LOBBY, Status.PLAYING, Status.FINISHED)


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


class TileKindName(StringEnum):
    """The kind of a tile: `landscape`, or one of the five `castle` tiles. There may be new ones."""

    extensible = True
    choices = TileKind


class ScenarioName(StringEnum):
    """The name of a scenario; see `GET /v1/scenarios`. There may be new ones."""

    extensible = True
    choices = SCENARIOS


class ChosenScenario(StringEnum):
    """A scenario that a game can begin from; see `GET /v1/scenarios`."""

    choices = SCENARIOS


class TakeoverReason(StringEnum):
    """Why a bot took over a seat.

    `resigned`: the player left the game. `timed_out`: the player missed a deadline, and the option
    `on_timeout` of the game is `bot`.

    There may be new ones.
    """

    extensible = True
    choices = ("resigned", "timed_out")


class StreamEndReason(StringEnum):
    """Why a stream ends.

    `finished`, `aborted`: the game is over. `restart`: the server stops. `history_lost`: the store
    has lost events that the server had sent. `game_not_found`, `token_unknown`: the caller may no longer read
    the game.

    There may be new ones.
    """

    extensible = True
    choices = ("finished", "aborted", "restart", "history_lost", "game_not_found", "token_unknown")


class StreamResume(StringEnum):
    """What a client does after the end of a stream, whatever the reason.

    `reconnect`: open the stream again, after the last event received. `reload`: load the data again, and
    follow from its `last_event`. `stop`: no event follows that changes the view.

    There will be no others under `/v1`.
    """

    choices = ("reconnect", "reload", "stop")


class TicketStatus(StringEnum):
    """The status of a ticket.

    `waiting`: there are not enough players yet. `matched`: the game has begun. `cancelled`: the player
    cancelled the ticket. `expired`: there were not enough players before `expires_at`.

    There may be new ones.
    """

    extensible = True
    choices = ("waiting", "matched", "cancelled", "expired")


class PlayerStreamEndReason(StringEnum):
    """Why a player's stream ends.

    `restart`: the server stops. `history_lost`: the store has lost events that the server had
    sent. `token_unknown`: the key was replaced.

    There may be new ones.
    """

    extensible = True
    choices = ("restart", "history_lost", "token_unknown")


class ChosenWebhookEvent(StringEnum):
    """A type of event that a webhook can send.

    `seat_taken`: a player has a seat. `your_turn`: the game waits for a decision. `deadline_near`: it is
    still open shortly before its deadline. `seat_left`: a player has left the game. `game_over`: the game is
    finished or aborted. `ticket_expired`: there were not enough players for a matchmaking ticket.
    `webhook_disabled`: another webhook has failed for five days.
    """

    choices = WEBHOOK_EVENTS


class WebhookEventName(StringEnum):
    """A type of event that a webhook sends.

    `seat_taken`: a player has a seat. `your_turn`: the game waits for a decision. `deadline_near`: it is
    still open shortly before its deadline. `seat_left`: a player has left the game. `game_over`: the game is
    finished or aborted. `ticket_expired`: there were not enough players for a matchmaking ticket.
    `webhook_disabled`: another webhook has failed for five days.

    There may be new ones.
    """

    extensible = True
    choices = WEBHOOK_EVENTS


class WebhookStatus(StringEnum):
    """The status of a webhook.

    `unverified`: its URL has not answered the challenge, and gets nothing else. `active`: it gets events.
    `disabled`: it has failed for five days; a successful test makes it active again.

    There may be new ones.
    """

    extensible = True
    choices = ("unverified", "active", "disabled")


class DeliveryStatus(StringEnum):
    """The status of a delivery.

    `pending`: an attempt is due or in progress. `delivered`: the receiver has accepted it. `failed`: the last
    attempt has failed.

    There may be new ones.
    """

    extensible = True
    choices = ("pending", "delivered", "failed")


class SeedSourceName(StringEnum):
    """Who chose the seed.

    `server`: the server, at random. `creator`: the creator of the game, who can compute every draw in
    advance.

    There may be new ones.
    """

    extensible = True
    choices = SeedSource


class TerrainName(StringEnum):
    """The terrain on an edge, in the middle of a tile, or of an area.

    There will be no others in the ruleset `base`.
    """

    choices = tuple(terrain.label for terrain in Terrain)

    def __init__(self, description: str = "The terrain.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class Side(StringEnum):
    """An edge of a tile. There will be no others under `/v1`."""

    choices = ("north", "east", "south", "west")

    def __init__(self, description: str = "An edge.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class ObjectKind(StringEnum):
    """A kind of object on tiles. There will be no others in the ruleset `base`."""

    choices = OBJECTS


class FaultyMethod(StringEnum):
    """The method of requests that have a fault: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.

    There will be no others under `/v1`.
    """

    choices = ("GET", "POST", "PUT", "PATCH", "DELETE")


class RecordedMethod(StringEnum):
    """A method of HTTP: `GET`, `HEAD`, `OPTIONS`, `POST`, `PUT`, `PATCH` or `DELETE`.

    There will be no others under `/v1`.
    """

    choices = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


class DefectClass(StringEnum):
    """A class of defects; see `GET /v1/lab/defects/classes`. There may be new ones."""

    extensible = True
    choices = DEFECT_CLASSES


class ChosenDefectClass(StringEnum):
    """A class of defects; see `GET /v1/lab/defects/classes`."""

    choices = DEFECT_CLASSES


_DIFFICULTIES: Final = ("easy", "medium", "hard")


class ChosenDifficulty(StringEnum):
    """How hard a defect is to find; see DefectDifficulty. `easy`, `medium` or `hard`."""

    choices = _DIFFICULTIES


class DefectDifficulty(StringEnum):
    """How hard a defect is to find.

    `easy`: one request shows it. `medium`: it takes a comparison of two responses, or a boundary. `hard`: it
    takes a rare state, a sequence or knowledge of the rules.

    There may be new ones.
    """

    extensible = True
    choices = _DIFFICULTIES


class ReportVerdict(StringEnum):
    """What the replay of a report has shown.

    `accepted`: a defect of this class at this operation. `already_found`: one that a report has found before.
    `no_difference`: a correct server sends the same responses. `other_class`, `other_operation`: the evidence
    shows a defect, but another one than the report says. `edited`: the hunt does not send the recorded
    responses. `not_reproducible`: two replays on a correct server differ. `other_hunt`: the evidence names
    another hunt. `invalid_evidence`: it cannot be replayed. `too_slow`: the replay takes too long.

    There may be new ones.
    """

    extensible = True
    choices = (
        "accepted",
        "already_found",
        "no_difference",
        "other_class",
        "other_operation",
        "edited",
        "not_reproducible",
        "other_hunt",
        "invalid_evidence",
        "too_slow",
    )


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


ENUMERATIONS: Final = {kind.component: kind for kind in StringEnum.__subclasses__()}
"""The enumerations by the names of their components."""
