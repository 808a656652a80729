"""What a seat may know of a game: its view and its events, and what follows from them by the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from skye.positions.from_view import game_from_view
from skye.rules.income import Income, incomes
from skye.rulesets import Ruleset
from skye.territory.summary import TerritorySummary
from skye.views import what_if_view
from skye.visibility.observation import count_purses

Json = Mapping[str, Any]

_OWN: Final = (
    "offer_set",
    "tile_bought",
    "purchase_passed",
    "tile_placed",
    "placement_taken_back",
    "building_finished",
)
"""The types of the events of a decision."""


class Trades(NamedTuple):
    """The offers and the purchases of a round, by seat."""

    round: int
    offers: Mapping[int, Json]
    purchases: dict[int, Json]


class Facts:
    """The view and the events of the seat that must decide, and what follows from them.

    :param view: the view.
    :param events: all events of the game so far, as the seat sees them, or none.
    """

    def __init__(self, view: Json, events: Sequence[Json] = ()) -> None:
        last = view.get("last_event")
        self.view = view
        self.events = [event for event in events if last is None or event.get("id", 0) <= last]
        self.seat: int = view["you"]["seat"]
        self.seats = range(len(view["players"]))
        self.game = game_from_view(view, self.events)
        self.ruleset: Ruleset = self.game.ruleset

    @property
    def _is_complete(self) -> bool:
        """Whether the events begin with the first round; not those of a game that began from a position."""
        return bool(self.events) and all(event["type"] != "position_set" for event in self.events)

    @cached_property
    def purses(self) -> tuple[int, ...] | None:
        """The gold by seat as the events show it, with the gold on tiles in the pricing phase; or None."""
        return count_purses(self.events, len(self.seats)) if self._is_complete else None

    @cached_property
    def summaries(self) -> Sequence[TerritorySummary]:
        """The summaries of the territories."""
        return [player.territory.summary for player in self.game.players]

    @cached_property
    def incomes(self) -> Sequence[Income]:
        """The incomes of the next round by seat, if nothing changes until then; none in the last round."""
        if self.game.round == self.game.rounds:
            return ()
        scores = [player.score for player in self.game.players]
        return incomes(self.ruleset, scores, self.summaries, self.game.round + 1)

    @cached_property
    def _tried(self) -> Sequence[Json]:
        return [what_if_view(self.game, seat, []) for seat in self.seats]

    @property
    def worth(self) -> Sequence[Mapping[str, int | None]]:
        """By seat, the points by slot if the scoring tile scored now; None if they depend on hidden gold."""
        return [{tile["slot"]: tile["before"] for tile in each["scoring_tiles"]} for each in self._tried]

    @property
    def scroll_points(self) -> Sequence[int]:
        """By seat, the points for scrolls if the game ended now."""
        return [each["scroll_points"]["before"] for each in self._tried]

    @cached_property
    def points(self) -> Sequence[Mapping[str, int | None]]:
        """By seat, the points so far by slot; None for each slot if the events do not show them."""
        if not self._is_complete:
            return [dict.fromkeys(self.ruleset.slots) for _ in self.seats]
        found: list[dict[str, int | None]] = [{} for _ in self.seats]
        for event in self.events:
            if event["type"] == "round_scored":
                for scored in event["players"]:
                    points = found[scored["seat"]]
                    for tile in scored["scoring_tiles"]:
                        points[tile["slot"]] = (points.get(tile["slot"]) or 0) + tile["points"]
        return found

    @cached_property
    def trades(self) -> Sequence[Trades]:
        """The trades of all rounds whose offers were revealed, in order, as the events show them."""
        found: list[Trades] = []
        number = 0
        for event in self.events:
            if event["type"] == "round_started":
                number = event["round"]
            elif event["type"] == "offers_revealed":
                found.append(Trades(number, {offer["seat"]: offer for offer in event["players"]}, {}))
            elif event["type"] in ("tile_bought", "purchase_passed") and found:
                found[-1].purchases[event["seat"]] = event
        return found

    @cached_property
    def since(self) -> Sequence[Json]:
        """The events since the last decision of the seat."""
        own = [
            number
            for number, event in enumerate(self.events)
            if event["type"] in _OWN and event["seat"] == self.seat
        ]
        return self.events[own[-1] + 1 :] if own else self.events
