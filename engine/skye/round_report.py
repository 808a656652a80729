"""The report of a round: what each seat received, drew, offered, bought, built and scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from skye.events import Event, RoundStarted
from skye.game import Game
from skye.visibility import event_as_seen_by

View: TypeAlias = dict[str, Any]


def round_report(viewer: int | None, game: Game, events: Iterable[Event], number: int) -> View | None:
    """Return the report of round `number` so far of a game from its events; None before it has begun.

    It is made from what the viewer may see of the events, and so can tell no more than they do.
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
        _tell(report, seats, seen)
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


def _tell(report: View, seats: list[View], event: View) -> None:  # noqa: C901 - a table of cases
    """Enter one event in the report."""
    match event["type"]:
        case "round_started":
            report["starting_seat"] = event["starting_seat"]
        case "income_paid":
            for paid in event["players"]:
                seats[paid["seat"]]["income"] = {
                    source: paid[source] for source in ("castle", "whisky", "catch_up", "total")
                }
        case "tiles_drawn":
            for drawn in event["players"]:
                seats[drawn["seat"]]["tiles_drawn"] = drawn["tiles"]
        case "offer_set" if event["discard"] is not None:
            seats[event["seat"]]["offer"] = {"discard": event["discard"], "prices": event["prices"]}
        case "offers_revealed":
            for offer in event["players"]:
                seats[offer["seat"]]["offer"] = {"discard": offer["discard"], "prices": offer["prices"]}
        case "tiles_discarded":
            report["discards"] = event["tiles"]
        case "tile_bought":
            bought = {name: event[name] for name in ("seat", "tile", "seller", "price")}
            report["purchases"].append(bought | {"pass": False})
            seats[event["seat"]]["purchase"] = bought | {"pass": False}
        case "buy_passed":
            passed = {"seat": event["seat"], "tile": None, "seller": None, "price": None, "pass": True}
            report["purchases"].append(passed)
            seats[event["seat"]]["purchase"] = passed
        case "tiles_kept":
            for kept in event["players"]:
                seats[kept["seat"]]["tiles_kept"] = kept["tiles"]
                seats[kept["seat"]]["gold_lost"] = kept["gold_lost"]
        case "tile_placed":
            placed = {name: event[name] for name in ("tile", "x", "y", "rotation")}
            seats[event["seat"]]["placements"].append(placed)
        case "placement_taken_back":
            seats[event["seat"]]["placements"].pop()
        case "building_finished":
            seats[event["seat"]]["tiles_returned"] = event["returned"]
        case "round_scored":
            report["complete"] = True
            for scored in event["players"]:
                seats[scored["seat"]]["scoring_tiles"] = scored["scoring_tiles"]
                seats[scored["seat"]]["score"] = scored["score"]
        case _:
            pass  # what else happens is not part of a round's report
