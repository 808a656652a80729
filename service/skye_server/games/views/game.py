"""Views of a game, with their shapes: the engine's views plus the fields of the game.

The engine's `visibility` decides what a caller may see; this module only assembles views.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, TypedDict

import skye
import skye.views
from skye import GameState, Phase, TieBreak, position_of
from skye.draws import commitment
from skye.fields import BySeat, Color, Count, Keywords, Round, RulesetName, ScoringTileId, Seat
from skye.positions import Position
from skye.rulesets import MAX_PLAYERS, MAX_ROUNDS, MAX_SLOTS
from skye.territory import castle_alone
from skye.views import GameStateView, UsedScoringTileView, territory_tiles_view, used_scoring_tiles_view
from skye_server.games.absence import outcome_of
from skye_server.games.authorization import SPECTATOR, Caller, hash_token, invitation_id
from skye_server.games.events import SeatClock
from skye_server.games.game import (
    Clock,
    Game,
    GameOptions,
    OnTimeout,
    Origin,
    OriginType,
    PublicFrom,
    Rated,
    SeedSource,
    Status,
    Visibility,
)
from skye_server.games.game import Seat as GameSeat
from skye_server.games.proposals import AbortReason, Proposal, ProposalKind
from skye_server.games.public_counters import counters_for
from skye_server.games.seat_ends import SeatEnd, SeatOutcome, Takeover
from skye_server.games.transitions import state_begun
from skye_server.games.views.fields import (
    MAX_LEFT_MS,
    MAX_TURN_MS,
    BotName,
    GameId,
    GameName,
    InvitationId,
    IssuedToken,
    LadderName,
    LadderPoints,
    Nonce,
    PlayerName,
    ProfileName,
    Roles,
    SeatCount,
    Seed,
    Timestamp,
    Version,
)


class FairnessView(TypedDict):
    """The proof that all draws were fixed in advance; see `GET /docs/fairness`."""

    commitment: Annotated[
        str,
        Keywords(maxLength=64, pattern="^[0-9a-f]{64}$"),
        "The SHA-256 of the nonce, if the game has one, followed by the seed, in UTF-8; in hexadecimal.",
    ]
    nonce: Annotated[
        Nonce | None,
        "32 random hexadecimal digits that precede a seed that the creator chose; null until the "
        "game is finished, and always null if the server chose the seed.",
    ]
    seed: Annotated[Seed | None, "The seed of all draws; null until the game is finished."]
    seed_source: Annotated[SeedSource, "Who chose the seed."]


class SeatOutcomeView(TypedDict):
    """How a seat ended; until the game is over, how it would end now.

    While the content is hidden, the times are null and the counts are 0.
    """

    type: Annotated[SeatEnd, "How the seat ended."]
    at: Annotated[
        Timestamp | None,
        "The date on which the seat was given up: the deadline that was missed, or the time of the "
        "resignation. Null if it was not.",
    ]
    bot: Annotated[BotName | None, "The bot that plays the seat from then on; null if it was not given up."]
    round: Annotated[Round | None, "The round of the date; null if the seat was not given up."]
    phase: Annotated[Phase | None, "The phase of the date; null if the seat was not given up."]
    missed_deadlines: Annotated[Count, "How many deadlines the seat has missed."]
    server_decisions: Annotated[Count, "How many decisions of the seat the server made."]
    decisions: Annotated[
        Count,
        "How many decisions the game has for the seat, from its beginning to its end: three in each round.",
    ]


class TakeoverView(TypedDict):
    """The server plays the seat, and its player may take it back."""

    bot: Annotated[BotName, "The bot that plays the seat."]
    at: Annotated[Timestamp, "The deadline whose miss led to it."]
    round: Annotated[Round, "The round of this deadline."]
    phase: Annotated[Phase, "The phase of this deadline."]
    counts_as_absent_at: Annotated[
        Timestamp,
        "From then on, and once a round that began later has ended, the others may abort the game without "
        "the player of the seat.",
    ]


class SeatClockView(TypedDict):
    """The clock of a seat in a game with a budget (`budget_ms`). It runs while the seat must act."""

    remaining_ms: Annotated[
        Count,
        Keywords(maximum=MAX_LEFT_MS),
        "The milliseconds left when the clock last started or stopped; it has as many while it stands.",
    ]
    runs_out_at: Annotated[
        Timestamp | None, "When nothing will be left, while the clock runs; null while it stands."
    ]


class PlayerView(skye.views.SeatInPlayView):
    """One seat, as the caller may see it."""

    name: PlayerName
    bot: Annotated[BotName | None, "The bot that plays the seat; null for a person."]
    deadline: Annotated[
        Timestamp | None, "The deadline of the open decision of the seat; null if there is none."
    ]
    clock: Annotated[SeatClockView | None, "The clock of the seat; null without a budget, and in the lobby."]
    takeover: Annotated[
        TakeoverView | None,
        "Since when the server plays the seat, while its player may take it back; null otherwise, and while "
        "the content is hidden.",
    ]
    end: Annotated[SeatOutcomeView, "How the seat ended, or would end now."]


class SeatResultView(skye.views.SeatResultView):
    """The points of one seat at the end, by source, and how the seat ended."""

    end: Annotated[SeatOutcomeView, "How the seat ended, or would end now."]


class GameResultView(skye.views.PlacesView):
    """The result of a game."""

    players: Annotated[BySeat[SeatResultView], "The points of each seat, in seat order."]


class TimeLimitsView(TypedDict):
    """The time limits of a game."""

    turn_ms: Annotated[
        Count | None, Keywords(maximum=MAX_TURN_MS), "Milliseconds for each decision; null: no limit."
    ]
    budget_ms: Annotated[
        Count | None, Keywords(maximum=MAX_TURN_MS), "Milliseconds of each seat for the game; null: no limit."
    ]
    increment_ms: Annotated[
        Count,
        Keywords(maximum=MAX_TURN_MS),
        "Milliseconds that each decision adds to what its seat has left of `budget_ms`.",
    ]


class GameOptionsView(TimeLimitsView):
    """The options that the creator of a game chose."""

    scoring_tiles: Annotated[
        Sequence[ScoringTileId] | None,
        Keywords(minItems=1, maxItems=MAX_SLOTS, uniqueItems=True),
        "The scoring tiles named for slots A to D; null: drawn.",
    ]
    first_seat: Annotated[
        Seat | None,
        "The seat named to start round 1; null: drawn. In the lobby a seat of the lobby, whose player at the "
        "start begins; the seed draws if nobody sits there. After the start its number is that in the game.",
    ]
    tie_break: Annotated[TieBreak, "What breaks a tie."]
    open_gold: Annotated[bool, "Whether all gold is public."]
    max_pause_ms: Annotated[
        Count, Keywords(maximum=MAX_TURN_MS), "The longest pause, in milliseconds; 0: the game cannot pause."
    ]
    clock: Annotated[Clock, "The clock of the deadlines."]
    on_timeout: Annotated[OnTimeout, "What happens when a seat misses its deadline."]
    hints: Annotated[
        bool, "Whether the server shows gains of placements and the list of the bag before the end."
    ]
    public_from: Annotated[PublicFrom, "When spectators see the content of the game."]
    host_may_abort: Annotated[bool, "Whether the host may abort the game alone, however many people play it."]


class RatedPlayerView(TypedDict):
    """A player of a rated game, as the ladder showed the player when the game began."""

    seat: Seat
    name: Annotated[ProfileName, "The name of the player's profile."]
    bot: Annotated[bool, "Whether the player says to be a program."]
    rating: Annotated[LadderPoints, "The rating before the game."]
    uncertainty: Annotated[Count, "The standard deviation of the rating."]
    provisional: Annotated[bool, "Whether the rating had fewer than ten games."]


class RatedView(TypedDict):
    """What a rated game counts for."""

    ladder: Annotated[LadderName, "The ladder."]
    players: Annotated[BySeat[RatedPlayerView], "The players, in seat order."]


class ViewerView(TypedDict):
    """The seat and the roles of the caller's token. A caller without a role is a spectator."""

    seat: Annotated[Seat | None, "The seat that the token acts for."]
    roles: Roles


class GameOriginView(TypedDict):
    """What a game began from, if not from the start."""

    type: Annotated[OriginType, "What the game began from."]
    scenario: Annotated[str | None, Keywords(maxLength=40), "The name of the scenario; null for other types."]


class PauseView(TypedDict):
    """The pause of a game. No deadline runs meanwhile, and nobody can act."""

    until: Annotated[Timestamp, "When the game goes on by itself."]


class ProposalView(TypedDict):
    """A proposal that all people who play must accept. It never blocks play."""

    kind: Annotated[ProposalKind, "What is proposed."]
    seat: Annotated[Seat | None, "The seat that made it; null: the host, whose token acts for no seat."]
    agreed: Annotated[
        Sequence[Seat],
        Keywords(maxItems=MAX_PLAYERS, uniqueItems=True),
        "The other seats that have accepted it, in the order of their answers.",
    ]
    expires_at: Annotated[Timestamp, "When it ends without agreement, by the clock of the game."]


class GameView(GameStateView):
    """A game, as a caller may see it."""

    id: GameId
    name: GameName
    ruleset: RulesetName
    version: Annotated[
        Version,
        "The number of accepted changes; the `ETag` contains it. While `public_from` hides the game, "
        "spectators see that of the start, plus one for each change of who plays.",
    ]
    last_event: Annotated[
        Count,
        "The number of the last event: follow the game from here. While it is hidden, as for `version`.",
    ]
    status: Annotated[Status, "The status of the game."]
    visibility: Annotated[Visibility, "Who can find and read the game."]
    created_at: Annotated[Timestamp, "When the game was created."]
    seat_count: SeatCount
    auto_start: Annotated[bool, "Whether the game starts automatically as soon as every seat is taken."]
    reserved_seats: Annotated[
        Count, Keywords(maximum=MAX_PLAYERS), "How many of the seats are reserved by unused invitations."
    ]
    you: Annotated[ViewerView, "The seat and the roles of the caller's token."]
    options: Annotated[GameOptionsView, "The options that the creator chose."]
    origin: Annotated[GameOriginView | None, "What the game began from; null: the start."]
    deadline: Annotated[
        Timestamp | None,
        "The first deadline of the seats that must act; null: none. Each player has a `deadline` too.",
    ]
    fairness: Annotated[FairnessView, "The commitment to the seed, and the seed."]
    players: Annotated[BySeat[PlayerView], "The seats that are taken, in seat order."]
    result: Annotated[GameResultView | None, "The result; null until the game is finished."]
    proposal: Annotated[ProposalView | None, "The open proposal; null: none."]
    pause: Annotated[PauseView | None, "The pause of the game; null: it is not paused."]
    abort_reason: Annotated[AbortReason | None, "Why the game was aborted; null unless it was."]
    rated: Annotated[RatedView | None, "What the game counts for; null: it is not rated."]


class TimeView(TypedDict):
    """The time of a response."""

    now: Annotated[
        Timestamp, "The time of the response, by the clock of the game; the `ETag` does not cover it."
    ]


class SeatSummaryView(TypedDict):
    """The player of a seat."""

    seat: Seat
    name: PlayerName
    color: Annotated[Color, "The player's colour."]
    bot: Annotated[BotName | None, "The bot that plays the seat; null for a person."]
    end: Annotated[SeatOutcomeView, "How the seat ended, or would end now."]


class GameSummaryView(TimeLimitsView):
    """A game in a list of games."""

    id: GameId
    name: GameName
    ruleset: RulesetName
    version: Annotated[Version, "The number of accepted changes; see `version` of the game."]
    status: Annotated[Status, "The status of the game."]
    created_at: Annotated[Timestamp, "When the game was created."]
    seat_count: SeatCount
    auto_start: Annotated[bool, "Whether the game starts automatically as soon as every seat is taken."]
    reserved_seats: Annotated[
        Count, Keywords(maximum=MAX_PLAYERS), "How many of the seats are reserved by unused invitations."
    ]
    round: Annotated[
        Count,
        Keywords(maximum=MAX_ROUNDS),
        "The round, counted from 1; 0 before the start, and while it is hidden (`public_from`).",
    ]
    phase: Annotated[Phase | None, "The phase that waits for decisions; null if none does."]
    origin: Annotated[GameOriginView | None, "What the game began from; null: the start."]
    players: Annotated[BySeat[SeatSummaryView], "The seats that are taken, in seat order."]
    rated: Annotated[RatedView | None, "What the game counts for; null: it is not rated."]


class InvitationView(TypedDict):
    """An unused invitation, which reserves a seat."""

    id: InvitationId
    number: Annotated[
        int,
        Keywords(minimum=1),
        "The number of the invitation, from 1: no other one of the game has it.",
    ]


class InvitationCodeView(InvitationView):
    """An invitation and its code. The server shows the code only here."""

    code: Annotated[IssuedToken, "The code. Join with it as `Authorization: Bearer CODE`; it is valid once."]


def timestamp(ms: int) -> str:
    """Return milliseconds since 1970 as RFC 3339 in UTC.

    >>> timestamp(1_500)
    '1970-01-01T00:00:01.500Z'
    """
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def optional_timestamp(ms: int | None) -> str | None:
    """Return a time as `timestamp` does, None for none."""
    return None if ms is None else timestamp(ms)


def game_view(game: Game, caller: Caller) -> GameView:
    """Return the game as a caller may see it.

    While the content is hidden from the caller, the view is that of the lobby, apart from players and status.
    """
    is_shown = game.state is not None and caller.sees_content
    counters = counters_for(game, caller)
    played = skye.game_view(game.state, caller.seat) if game.state and is_shown else _lobby_view(game)
    if game.status is Status.ABORTED:
        played["phase"] = None
    if not game.waiting_for:
        played["waiting_for"] = ()
    deadlines: Sequence[int | None] = [None] * len(game.taken)
    deadlines = (game.turn.deadlines if is_shown else None) or deadlines
    clocks: Sequence[SeatClockView | None] = [None] * len(game.taken)
    clocks = (clock_views(game.clocks) if is_shown else None) or clocks
    players: list[PlayerView] = [
        {
            **player,
            "name": seat.name,
            "bot": seat.bot,
            "deadline": optional_timestamp(deadline_ms),
            "clock": clock,
            "takeover": takeover_view(seat.takeover) if is_shown else None,
            "end": seat_outcome_view(game, seat, is_shown=is_shown),
        }
        for (_, seat), player, deadline_ms, clock in zip(
            game.taken, played["players"], deadlines, clocks, strict=True
        )
    ]
    return {
        "id": game.id,
        "name": game.name,
        "ruleset": game.options.ruleset,
        "version": counters.version,
        "last_event": counters.last_event,
        "status": game.status,
        "visibility": visibility_of(game),
        "created_at": timestamp(game.created_ms),
        "seat_count": game.capacity,
        "auto_start": game.start_when_full,
        "reserved_seats": len(game.unused_invites),
        "you": {"seat": caller.seat, "roles": caller.roles},
        "options": options_view(game),
        "origin": origin_view(game.origin),
        "deadline": deadline_view(game, caller),
        "round": played["round"],
        "round_count": played["round_count"],
        "phase": played["phase"],
        "starting_seat": played["starting_seat"],
        "waiting_for": played["waiting_for"],
        "scoring_tiles": played["scoring_tiles"],
        "bag": bag_view(game, played["bag"], is_over=game.status is Status.FINISHED),
        "fairness": fairness_view(game),
        "players": players,
        "result": result_view(game, played["result"]),
        "proposal": proposal_view(game.proposal) if caller.sees_content else None,
        "pause": pause_view(game) if caller.sees_content else None,
        "abort_reason": game.abort_reason,
        "rated": rated_view(game.rated),
    }


def rated_view(rated: Rated | None) -> RatedView | None:
    """Return what a rated game counts for, None if it is not rated."""
    if rated is None:
        return None
    players: list[RatedPlayerView] = [
        {
            "seat": seat,
            "name": player.name,
            "bot": player.is_bot,
            "rating": player.rating,
            "uncertainty": player.uncertainty,
            "provisional": player.is_provisional,
        }
        for seat, player in enumerate(rated.players)
    ]
    return {"ladder": rated.ladder, "players": players}


def pause_view(game: Game) -> PauseView | None:
    """Return the pause of a game, None if it is not paused."""
    is_paused = game.pause is not None and game.status is Status.PLAYING
    return {"until": timestamp(game.pause.until_ms)} if is_paused and game.pause is not None else None


def deadline_view(game: Game, caller: Caller) -> str | None:
    """Return the deadline of a game, None without one and while the caller may not see it."""
    is_shown = game.deadline_ms is not None and caller.sees_content
    return timestamp(game.deadline_ms) if is_shown and game.deadline_ms is not None else None


def bag_view(game: Game, bag: skye.views.BagView, *, is_over: bool) -> skye.views.BagView:
    """Return the bag, in a game without hints only its number of tiles until it is over."""
    return bag if game.options.hints or is_over else {"count": bag["count"], "tiles": None}


def proposal_view(proposal: Proposal | None) -> ProposalView | None:
    """Return the open proposal, None for none."""
    if proposal is None:
        return None
    return {
        "kind": proposal.kind,
        "seat": proposal.seat,
        "agreed": proposal.agreed,
        "expires_at": timestamp(proposal.expires_ms),
    }


def clock_views(clocks: Sequence[SeatClock]) -> Sequence[SeatClockView] | None:
    """Return the clocks of the seats, None without a budget."""
    if not clocks:
        return None
    return [
        {
            "remaining_ms": clock.remaining_ms,
            "runs_out_at": optional_timestamp(clock.runs_out_ms),
        }
        for clock in clocks
    ]


def result_view(game: Game, result: skye.views.GameResultView | None) -> GameResultView | None:
    """Return the result of a game, with how each seat ended; None for no result."""
    if result is None:
        return None
    players: list[SeatResultView] = [
        {**player, "end": seat_outcome_view(game, seat)}
        for seat, player in zip(game.seats, result["players"], strict=True)
    ]
    return {"winners": result["winners"], "placing": result["placing"], "players": players}


def seat_outcome_view(game: Game, seat: GameSeat, *, is_shown: bool = True) -> SeatOutcomeView:
    """Return how a seat ended, or would end now.

    :param is_shown: whether the caller may see how far the game is.
    """
    return outcome_view(outcome_of(game, seat)) if is_shown else outcome_view(_shown_before_the_end(seat))


def _shown_before_the_end(seat: GameSeat) -> SeatOutcome:
    """Return what everybody may know of how a seat would end: who plays it now."""
    if seat.left is not None:
        return SeatOutcome(seat.left.end, bot=seat.left.bot)
    if seat.takeover is not None:
        return SeatOutcome(SeatEnd.TOOK_OVER, bot=seat.takeover.bot)
    return SeatOutcome()


def outcome_view(outcome: SeatOutcome) -> SeatOutcomeView:
    """Return how a seat ended."""
    return {
        "type": outcome.end,
        "at": optional_timestamp(outcome.at_ms),
        "bot": outcome.bot,
        "round": outcome.round,
        "phase": outcome.phase,
        "missed_deadlines": outcome.missed_deadlines,
        "server_decisions": outcome.server_decisions,
        "decisions": outcome.decisions,
    }


def takeover_view(takeover: Takeover | None) -> TakeoverView | None:
    """Return the take-over of a seat, None for none."""
    if takeover is None:
        return None
    return {
        "bot": takeover.bot,
        "at": timestamp(takeover.at_ms),
        "round": takeover.round,
        "phase": takeover.phase,
        "counts_as_absent_at": timestamp(takeover.absent_ms),
    }


def _lobby_view(game: Game) -> skye.views.GameView:
    ruleset = game.ruleset
    landscape = ruleset.tiles.landscape
    return {
        "ruleset": ruleset.id,
        "round": 0,
        "round_count": None,
        "phase": None,
        "starting_seat": game.first_seat,
        "waiting_for": (),
        "scoring_tiles": named_scoring_tiles(game),
        "bag": {"count": len(landscape), "tiles": landscape},
        "fairness": {"commitment": None, "seed": None},
        "players": [
            {
                "seat": number,
                "color": seat.color,
                "score": 0,
                "gold": 0,
                "tiles_on_offer": (),
                "tiles_to_build": (),
                "offer_set": False,
                "building_finished": False,
                "territory": territory_tiles_view(castle_alone(seat.color, ruleset.id).placed),
            }
            for number, seat in game.taken
        ],
        "result": None,
    }


def named_scoring_tiles(game: Game) -> list[UsedScoringTileView]:
    """Return the scoring tiles that the creator named, with the rounds of a game with every seat taken."""
    named = game.options.scoring_tiles
    return used_scoring_tiles_view(game.ruleset, named, game.capacity) if named else []


def fairness_view(game: Game) -> FairnessView:
    """Return the commitment to the seed; the seed and the nonce once the game is finished."""
    options, is_over = game.options, game.status is Status.FINISHED
    return {
        "commitment": commitment(options.seed, options.nonce or ""),
        "nonce": options.nonce if is_over else None,
        "seed": options.seed if is_over else None,
        "seed_source": options.seed_source,
    }


def time_limits_view(options: GameOptions) -> TimeLimitsView:
    """Return the time limits of a game."""
    return {
        "turn_ms": options.turn_ms,
        "budget_ms": options.budget_ms,
        "increment_ms": options.increment_ms,
    }


def options_view(game: Game) -> GameOptionsView:
    """Return the options of a game; `fairness_view` has the seed."""
    options = game.options
    return {
        "scoring_tiles": options.scoring_tiles,
        "first_seat": game.first_seat,
        "tie_break": options.tie_break,
        "open_gold": options.open_gold,
        **time_limits_view(options),
        "max_pause_ms": options.max_pause_ms,
        "clock": options.clock,
        "on_timeout": options.on_timeout,
        "hints": options.hints,
        "public_from": options.public_from,
        "host_may_abort": options.host_may_abort,
    }


def origin_view(origin: Origin | None) -> GameOriginView | None:
    """Return what a game began from, None for a game that began with a new game."""
    return None if origin is None else {"type": origin.type, "scenario": origin.scenario}


def summary_view(game: Game, caller: Caller | None = None) -> GameSummaryView:
    """Return the summary of a game in a list of games, as a caller may see it.

    :param caller: None for a spectator.
    """
    caller = caller or SPECTATOR.in_game(game)
    is_shown = caller.sees_content
    state = game.state if is_shown else None
    return {
        "id": game.id,
        "name": game.name,
        "ruleset": game.options.ruleset,
        "version": counters_for(game, caller).version,
        "status": game.status,
        "created_at": timestamp(game.created_ms),
        "seat_count": game.capacity,
        "auto_start": game.start_when_full,
        **time_limits_view(game.options),
        "reserved_seats": len(game.unused_invites),
        "round": state.round if state else 0,
        "phase": state.phase if state and game.status is Status.PLAYING else None,
        "origin": origin_view(game.origin),
        "players": [
            {
                "seat": number,
                "name": seat.name,
                "color": seat.color,
                "bot": seat.bot,
                "end": seat_outcome_view(game, seat, is_shown=is_shown),
            }
            for number, seat in game.taken
        ],
        "rated": rated_view(game.rated),
    }


def invitation_view(number: int, code: str) -> InvitationCodeView:
    """Return a new invitation with its code."""
    return {"id": invitation_id(hash_token(code)), "number": number, "code": code}


def unused_invitations(game: Game) -> list[InvitationView]:
    """Return the unused invitations of a game, the oldest first."""
    return [{"id": invitation_id(hashed), "number": number} for number, hashed in game.unused_invites.items()]


def visibility_of(game: Game) -> Visibility:
    """Return who can find and read a game."""
    return Visibility.PRIVATE if game.private else Visibility.PUBLIC


def time_view(now_ms: int) -> TimeView:
    """Return the time of the response, as a part of the view of a game.

    It is not part of the view that `game_view` returns, which changes only with the version.

    >>> time_view(1_500)
    {'now': '1970-01-01T00:00:01.500Z'}
    """
    return {"now": timestamp(now_ms)}


def position_view(game: Game, caller: Caller, state: GameState | None = None) -> Position:
    """Return the position of a game as a caller may see it, or an earlier position.

    All callers may see all of a finished game, and so may the host of a game that began from a position.

    :param game: the earlier position.
    :raises Problem: game_not_started.
    """
    now = state_begun(game)
    began_from_position = game.origin is not None and game.origin.type is not OriginType.RECORD
    if now.is_over or (caller.host and began_from_position):
        return position_of(state or now)
    return skye.views.position_view(state or now, caller.seat)
