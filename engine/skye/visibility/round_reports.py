"""The report of a round: what each seat received, drew, offered, bought, built and scored."""

from __future__ import annotations

from collections.abc import Iterable

from skye.events import Event, RoundStarted, with_rounds
from skye.rules.state import GameState, check_seat
from skye.visibility.game_views import event_view
from skye.visibility.types.events import EventView, RoundPurchaseView, RoundView, SeatRoundView


def round_view(
    game: GameState, viewer: int | None, events: Iterable[Event], number: int, begun: GameState | None = None
) -> RoundView | None:
    """Return the report of a round, derived from the events that a viewer may see.

    >>> import skye
    >>> game, events = skye.new_game(2, seed="report")
    >>> round_view(game, None, events, 1)["players"][0]["income"]
    {'castle': 5, 'whisky': 0, 'catch_up': 0, 'total': 5}

    :param viewer: a seat, or None for a spectator.
    :param events: all events of the game.
    :param number: the number of the round, from 1.
    :param begun: the position from which the game began, if any; the report of its round starts there.
    :returns: the report so far, or None if the round has not begun.
    """
    check_seat(game, viewer, spectator=True)
    numbered = with_rounds(events, 0 if begun is None else begun.round)
    of_round = [event for of, event in numbered if of == number]
    if begun is not None and begun.round == number:
        starting_seat = begun.starting_seat
    elif of_round and isinstance(of_round[0], RoundStarted):
        starting_seat = of_round[0].starting_seat
    else:
        return None
    report: RoundView = {
        "round": number,
        "starting_seat": starting_seat,
        "tiles_discarded": [],
        "purchases": [],
        "players": [_blank(seat) for seat in range(len(game.players))],
        "complete": False,
    }
    for event in of_round:
        _add_event(report, event_view(game, viewer, event))
    return report


def _blank(seat: int) -> SeatRoundView:
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


def _add_event(report: RoundView, seen: EventView) -> None:  # noqa: C901 - a table of cases
    """Add an event, as the viewer may see it, to the report."""
    seats = report["players"]
    match seen["type"]:
        case "income_paid":
            for paid in seen["players"]:
                seats[paid["seat"]]["income"] = {
                    "castle": paid["castle"],
                    "whisky": paid["whisky"],
                    "catch_up": paid["catch_up"],
                    "total": paid["total"],
                }
        case "tiles_drawn":
            for drawn in seen["players"]:
                seats[drawn["seat"]]["tiles_drawn"] = drawn["tiles"]
        case "offer_set":
            if seen["discard"] is not None and seen["prices"] is not None:
                seats[seen["seat"]]["offer"] = {"discard": seen["discard"], "prices": seen["prices"]}
        case "offers_revealed":
            for offer in seen["players"]:
                seats[offer["seat"]]["offer"] = {"discard": offer["discard"], "prices": offer["prices"]}
        case "tiles_discarded":
            report["tiles_discarded"] = seen["tiles"]
        case "tile_bought":
            _add_purchase(report, seen["seat"], seen["tile"], seen["seller"], seen["price"])
        case "purchase_passed":
            _add_purchase(report, seen["seat"])
        case "tiles_kept":
            for kept in seen["players"]:
                seats[kept["seat"]]["tiles_kept"] = kept["tiles"]
                seats[kept["seat"]]["gold_lost"] = kept["gold_lost"]
        case "tile_placed":
            seats[seen["seat"]]["placements"].append(
                {"tile": seen["tile"], "x": seen["x"], "y": seen["y"], "rotation": seen["rotation"]}
            )
        case "placement_taken_back":
            del seats[seen["seat"]]["placements"][-1:]  # empty if the tile was placed before the position
        case "building_finished":
            seats[seen["seat"]]["tiles_returned"] = seen["tiles_returned"]
        case "round_scored":
            report["complete"] = True
            for scored in seen["players"]:
                seats[scored["seat"]]["scoring_tiles"] = scored["scoring_tiles"]
                seats[scored["seat"]]["score"] = scored["score"]
        case _:
            pass  # other events are not part of a round's report


def _add_purchase(
    report: RoundView, seat: int, tile: str | None = None, seller: int | None = None, price: int | None = None
) -> None:
    purchase: RoundPurchaseView = {"seat": seat, "tile": tile, "seller": seller, "price": price}
    report["purchases"].append(purchase)
    report["players"][seat]["purchase"] = purchase
