"""The past games of a player key, which outlive the games themselves, and statistics of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, TypedDict

from flask import Blueprint, Response

from skye.fields import BySeat, Color, Count, Keywords, RulesetName, ScoringTileId, Seat, Seats
from skye.rulesets import MAX_PLAYERS, MIN_PLAYERS
from skye.views import PlaceOfSeatView
from skye_server.contract.fields import QueryInteger
from skye_server.contract.objects import Query, page_cursor
from skye_server.games import past_games as past
from skye_server.games.game import OnTimeout, Status, Visibility
from skye_server.games.past_games import PastGame, PastSeat
from skye_server.games.seat_ends import SeatEnd
from skye_server.games.views.fields import (
    MAX_OPAQUE_LENGTH,
    MAX_TURN_MS,
    BotName,
    GameId,
    GameName,
    PlayerName,
    Timestamp,
)
from skye_server.games.views.game import SeatOutcomeView, outcome_view, time_view, timestamp
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import player_of_request, takes
from skye_server.http.responses import json_response, link_to_next
from skye_server.openapi.operations import Link, ResponseDoc, of_player
from skye_server.store.game_index import cursor_of, place_of

blueprint = Blueprint("Past games", __name__, url_prefix="/v1/me")

_MAX_SCORING_TILES = 1_000
"""The most scoring tiles that statistics list; the rulesets of a server have far fewer."""


class PastGamesQuery(Query):
    """Which past games of a player to list."""

    limit = QueryInteger(1, 100, "The most games to return.", load_default=20)
    cursor = page_cursor()


class PastClockView(TypedDict):
    """The clock of a past game."""

    turn_ms: Annotated[
        Count | None, Keywords(maximum=MAX_TURN_MS), "Milliseconds for each decision; null: no limit."
    ]
    budget_ms: Annotated[
        Count | None, Keywords(maximum=MAX_TURN_MS), "Milliseconds of each seat for the game; null: no limit."
    ]
    increment_ms: Annotated[
        Count,
        Keywords(maximum=MAX_TURN_MS),
        "Milliseconds that each decision added to what its seat had left.",
    ]
    on_timeout: Annotated[OnTimeout, "What happened when a seat missed its deadline."]


class PastSeatView(TypedDict):
    """A seat of a past game."""

    seat: Seat
    name: PlayerName
    color: Annotated[Color, "The player's colour."]
    bot: Annotated[
        BotName | None, "The bot that played the seat at the end, unless it took over; null for a person."
    ]
    score: Annotated[Count, "The points; of an aborted game those that the seat had."]
    end: Annotated[SeatOutcomeView, "How the seat ended."]


class PastGameView(TypedDict):
    """A game of a player that is over, as its result shows it; the game itself may have expired."""

    game_id: GameId
    name: GameName
    ruleset: RulesetName
    visibility: Annotated[Visibility, "Who could find and read the game."]
    status: Annotated[Status, "How the game ended: `finished`, or `aborted`, without a result."]
    started_at: Annotated[Timestamp, "When the game started."]
    finished_at: Annotated[Timestamp, "When the game finished, or was aborted."]
    clock: Annotated[PastClockView, "The clock of the game."]
    seat: Annotated[Seat, "The player's seat, also one that the player has given up."]
    place: Annotated[
        int | None,
        Keywords(minimum=1, maximum=MAX_PLAYERS),
        "The place of the player's seat; null if the game was aborted.",
    ]
    winners: Annotated[Seats, "The winners, as the result of the game names them."]
    placing: Annotated[
        Sequence[PlaceOfSeatView],
        Keywords(maxItems=MAX_PLAYERS),
        "The places of all seats, as the result of the game has them; empty if it was aborted.",
    ]
    absent: Annotated[
        Seats,
        "The seats whose players were absent when the others aborted the game; empty if it finished.",
    ]
    players: Annotated[BySeat[PastSeatView], "All seats, in seat order."]


class PastGameList(TypedDict):
    """A page of a player's past games."""

    games: Annotated[Sequence[PastGameView], Keywords(maxItems=100), "The games, the last to end first."]
    next_cursor: Annotated[
        str | None, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The `cursor` of the next page; null on the last."
    ]
    now: Annotated[Timestamp, "The time of the response, by the server's clock."]


class StatisticsBySizeView(TypedDict):
    """Statistics of the games with a number of players."""

    player_count: Annotated[int, Keywords(minimum=MIN_PLAYERS, maximum=MAX_PLAYERS), "The number of players."]
    games: Annotated[Count, "How many games."]
    wins: Annotated[Count, "How many of them the player won, alone or with others."]
    places: Annotated[
        Sequence[Annotated[Count, "How often."]],
        Keywords(minItems=MIN_PLAYERS, maxItems=MAX_PLAYERS),
        "How often the player had each place, the first place first.",
    ]
    mean_score: Annotated[
        float | None, "The mean points of the games that the player played to the end; null: none."
    ]


class StatisticsByTileView(TypedDict):
    """Statistics of the games with a scoring tile that the player played to the end."""

    scoring_tile: Annotated[ScoringTileId, "The scoring tile."]
    games: Annotated[Count, "How many games."]
    mean_points: Annotated[float, "The mean points for the scoring tile, summed over all rounds of a game."]


class PaceView(TypedDict):
    """How fast the player decides, without the decisions that the server made."""

    decisions: Annotated[Count, "How often games waited for a decision that the player made."]
    mean_ms: Annotated[float | None, "For how many milliseconds, on average; null without a decision."]


class AbortedGamesView(TypedDict):
    """Games that were aborted because players were absent. They are not among `games`: nobody won or lost."""

    games: Annotated[Count, "How many games."]
    absent: Annotated[Count, "In how many of them the player was absent."]


class StatisticsView(TypedDict):
    """Statistics of a player's past games."""

    games: Annotated[Count, "How many games finished."]
    against_bots: Annotated[Count, "How many of them were played against bots only."]
    resigned: Annotated[Count, "How many of them the player resigned."]
    out_of_time: Annotated[Count, "In how many of them the player used up `budget_ms`."]
    took_over: Annotated[
        Count, "In how many of them the server took the seat over, and the player did not take it back."
    ]
    absent: Annotated[Count, "In how many of them the server made more than half of the player's decisions."]
    aborted: Annotated[AbortedGamesView, "The games that were aborted because players were absent."]
    missed_deadlines: Annotated[Count, "How many deadlines the player missed, in all games."]
    server_decisions: Annotated[Count, "How many decisions the server made for the player, in all games."]
    by_player_count: Annotated[
        Sequence[StatisticsBySizeView],
        Keywords(maxItems=MAX_PLAYERS),
        "The games by their number of players, without numbers that the player never played with.",
    ]
    by_scoring_tile: Annotated[
        Sequence[StatisticsByTileView],
        Keywords(maxItems=_MAX_SCORING_TILES),
        "The games by their scoring tiles, sorted by id.",
    ]
    pace: Annotated[PaceView, "How fast the player decides."]
    now: Annotated[Timestamp, "The time of the response, by the server's clock."]


@blueprint.route("/records")
@of_player(
    ResponseDoc(
        200,
        "A page of the past games.",
        PastGameList,
        links=[Link("list_own_records", "The next page.", {"cursor": "$response.body#/next_cursor"})],
        headers=["Link"],
    ),
    errors=["not_acceptable", "invalid_parameter"],
)
@takes(query=PastGamesQuery)
def list_own_records(query: dict[str, Any]) -> Response:
    """List the past games of a player key, also those that have expired.

    The history of the key: each finished game in which the key had a seat, also one that it has given up, and
    each game that was aborted because players were absent, the last to end first. A game stays for
    `SKYE_HISTORY_TTL_S`, ten years by default, after it has expired or was deleted; a history has the latest
    10,000 games. Private games are included. Games that began from a record, a position or a scenario are
    left out, and games whose clock the host advances.

    `GET /v1/me/games/records` exports the whole records of games that are still stored.
    """
    its, player = collaborators(), player_of_request()
    found, last = its.player_history.page(player, query["limit"], place_of(query.get("cursor")))
    cursor = None if last is None else cursor_of(last)
    view = {"games": [_past_game_view(*game) for game in found], "next_cursor": cursor}
    following = [] if cursor is None else link_to_next("/v1/me/records", query | {"cursor": cursor})
    return json_response(view | time_view(its.games.now_ms()), more_headers=following)


@blueprint.route("/statistics")
@of_player(ResponseDoc(200, "The statistics.", StatisticsView), errors=["not_acceptable"])
def get_own_statistics() -> Response:
    """Get statistics of the past games of a player key.

    They count each game that `GET /v1/me/records` has or had, once. Points count in games that the player
    played to the end. A decision is the time in which a game waits for the player, by the server's clock,
    without pauses; one that the server made is not the player's.
    """
    its, player = collaborators(), player_of_request()
    return json_response(
        _statistics_view(its.player_history.statistics(player)) | time_view(its.games.now_ms())
    )


def _past_game_view(game_id: str, game: PastGame) -> PastGameView:
    return {
        "game_id": game_id,
        "name": game.name,
        "ruleset": game.ruleset,
        "visibility": Visibility.PRIVATE if game.private else Visibility.PUBLIC,
        "status": game.status,
        "started_at": timestamp(game.started_ms),
        "finished_at": timestamp(game.finished_ms),
        "clock": {
            "turn_ms": game.turn_ms,
            "budget_ms": game.budget_ms,
            "increment_ms": game.increment_ms,
            "on_timeout": game.on_timeout,
        },
        "seat": game.seat,
        "place": game.place,
        "winners": game.winners,
        "placing": [{"place": place, "seat": seat} for place, seat in game.placing],
        "absent": game.absent,
        "players": [_past_seat_view(number, seat) for number, seat in enumerate(game.seats)],
    }


def _past_seat_view(number: int, seat: PastSeat) -> PastSeatView:
    return {
        "seat": number,
        "name": seat.name,
        "color": seat.color,
        "bot": seat.bot,
        "score": seat.score,
        "end": outcome_view(seat.outcome),
    }


_GIVEN_UP: Final = [str(end) for end in SeatEnd if end is not SeatEnd.PLAYED]


def _statistics_view(counters: Mapping[str, int]) -> dict[str, Any]:
    decisions = counters.get(past.DECISIONS, 0)
    return {
        "games": counters.get(past.GAMES, 0),
        "against_bots": counters.get(past.AGAINST_BOTS, 0),
        **{end: counters.get(end, 0) for end in _GIVEN_UP},
        "aborted": {
            "games": counters.get(past.ABORTED, 0),
            "absent": counters.get(past.ABORTED_ABSENT, 0),
        },
        "missed_deadlines": counters.get(past.MISSED_DEADLINES, 0),
        "server_decisions": counters.get(past.SERVER_DECISIONS, 0),
        "by_player_count": list(_by_player_count(counters)),
        "by_scoring_tile": list(_by_scoring_tile(counters)),
        "pace": {"decisions": decisions, "mean_ms": _mean(counters.get(past.DECISION_MS, 0), decisions)},
    }


def _by_player_count(counters: Mapping[str, int]) -> Iterator[StatisticsBySizeView]:
    for size in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        if games := counters.get(f"{past.GAMES_OF}{size}", 0):
            places = range(1, size + 1)
            yield {
                "player_count": size,
                "games": games,
                "wins": counters.get(f"{past.WINS_OF}{size}", 0),
                "places": [counters.get(f"{past.PLACES_OF}{size}:{place}", 0) for place in places],
                "mean_score": _mean(
                    counters.get(f"{past.POINTS_OF}{size}", 0), counters.get(f"{past.PLAYED_OF}{size}", 0)
                ),
            }


def _by_scoring_tile(counters: Mapping[str, int]) -> Iterator[StatisticsByTileView]:
    tiles = [name.removeprefix(past.TILE_GAMES) for name in counters if name.startswith(past.TILE_GAMES)]
    for tile in sorted(tiles)[:_MAX_SCORING_TILES]:
        if games := counters[f"{past.TILE_GAMES}{tile}"]:
            points = counters.get(f"{past.TILE_POINTS}{tile}", 0)
            yield {"scoring_tile": tile, "games": games, "mean_points": round(points / games, 2)}


def _mean(total: int, number: int) -> float | None:
    return round(total / number, 2) if number else None
