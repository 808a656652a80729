"""The report of a round: what each seat received, drew, offered, bought, built and scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from skye.events import (
    BuildingFinished,
    BuyPassed,
    Event,
    IncomePaid,
    OfferSet,
    OffersRevealed,
    PlacementTakenBack,
    RoundScored,
    RoundStarted,
    TileBought,
    TilePlaced,
    TilesDiscarded,
    TilesDrawn,
    TilesKept,
)
from skye.game import Game
from skye.visibility import event_as_seen_by

View: TypeAlias = dict[str, Any]


def round_report(viewer: int | None, game: Game, events: Iterable[Event], number: int) -> View | None:
    """Return the report of round `number` so far of a game from its events; None before it has begun.

    It is made from what the viewer may see of the events, so it holds nothing else.
    """
    of_round = list(_events_of(events, number))
    if not of_round:
        return None
    seats = [_blank(seat) for seat in range(len(game.players))]
    report: View = {
        "round": number,
        "starting_seat": None,
        "discards": [],
        "purchases": [],
        "players": seats,
        "complete": False,
    }
    for event in of_round:
        seen = event_as_seen_by(viewer, event, scoring_tiles=game.scoring_tiles, open_gold=game.open_gold)
        _enter(report, seats, event, seen)
    return report


def _events_of(events: Iterable[Event], number: int) -> Iterator[Event]:
    current = 0
    for event in events:
        if isinstance(event, RoundStarted):
            current = event.round
        if current == number:
            yield event


def _blank(seat: int) -> View:
    return {
        "seat": seat,
        "income": None,
        "tiles_drawn": [],
        "offer": None,
        "purchase": None,
        "tiles_kept": [],
        "gold_lost": None,
        "placements": [],
        "tiles_returned": [],
        "scoring_tiles": None,
        "score": None,
    }


def _enter(report: View, seats: list[View], event: Event, seen: View) -> None:  # noqa: C901 - a table of cases
    """Enter one event in the report; `seen` is what the viewer may see of it."""
    match event:
        case RoundStarted():
            report["starting_seat"] = seen["starting_seat"]
        case IncomePaid():
            for paid in seen["players"]:
                seats[paid["seat"]]["income"] = {
                    source: paid[source] for source in ("castle", "whisky", "catch_up", "total")
                }
        case TilesDrawn():
            for drawn in seen["players"]:
                seats[drawn["seat"]]["tiles_drawn"] = drawn["tiles"]
        case OfferSet() if seen["discard"] is not None:
            seats[seen["seat"]]["offer"] = {"discard": seen["discard"], "prices": seen["prices"]}
        case OffersRevealed():
            for offer in seen["players"]:
                seats[offer["seat"]]["offer"] = {"discard": offer["discard"], "prices": offer["prices"]}
        case TilesDiscarded():
            report["discards"] = seen["tiles"]
        case TileBought():
            bought = {name: seen[name] for name in ("seat", "tile", "seller", "price")}
            report["purchases"].append(bought | {"pass": False})
            seats[seen["seat"]]["purchase"] = bought | {"pass": False}
        case BuyPassed():
            passed = {"seat": seen["seat"], "tile": None, "seller": None, "price": None, "pass": True}
            report["purchases"].append(passed)
            seats[seen["seat"]]["purchase"] = passed
        case TilesKept():
            for kept in seen["players"]:
                seats[kept["seat"]]["tiles_kept"] = kept["tiles"]
                seats[kept["seat"]]["gold_lost"] = kept["gold_lost"]
        case TilePlaced():
            placed = {name: seen[name] for name in ("tile", "x", "y", "rotation")}
            seats[seen["seat"]]["placements"].append(placed)
        case PlacementTakenBack():
            seats[seen["seat"]]["placements"].pop()
        case BuildingFinished():
            seats[seen["seat"]]["tiles_returned"] = seen["returned"]
        case RoundScored():
            report["complete"] = True
            for scored in seen["players"]:
                seats[scored["seat"]]["scoring_tiles"] = scored["scoring_tiles"]
                seats[scored["seat"]]["score"] = scored["score"]
        case _:
            pass  # what else happens is not part of a round's report
