"""The errors of the engine: `SkyeError` above all.

An illegal move, invalid setup or invalid record is a `RuleError` with one class for each reason, a stable
`code`, a `detail` for people, and `facts` for programs. None contains information that is hidden from the
seat. A position that no game can have is an `InvalidPosition`. Arguments of a wrong type or value, which no
player can cause, raise `TypeError` or `ValueError`.

>>> import skye
>>> game = skye.new_game(2, seed="errors").game
>>> try:
...     skye.play(game, 0, skye.Pass())
... except skye.RuleError as error:
...     print(error.code, error.facts)
wrong_phase {'phase': 'pricing', 'required_phase': 'buying'}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, NamedTuple


class SkyeError(Exception):
    """An error of the engine."""


class RuleError(SkyeError):
    """The rules do not allow this move now; the game is unchanged.

    :param detail: an English sentence about this case.
    :param facts: the values in the sentence, by name, as JSON data.
    """

    code: ClassVar[str] = "rule_error"
    meaning: ClassVar[str] = "The rules do not allow this."

    def __init__(self, detail: str, **facts: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts = facts


class WrongPhase(RuleError):
    """The move belongs to another phase."""

    code = "wrong_phase"
    meaning = "This action belongs to another phase of the round."


class GameOver(RuleError):
    """The game has ended."""

    code = "game_finished"
    meaning = "The game is over; it can no longer change."


class NotYourTurn(RuleError):
    """It is another seat's turn to buy."""

    code = "not_your_turn"
    meaning = "Players buy one after the other, and it is another seat's turn."


class TileNotYours(RuleError):
    """The tile is not one that the seat drew or has in hand."""

    code = "tile_not_yours"
    meaning = (
        "The seat cannot use the tile: it did not draw it (pricing), does not have it in hand (building), or "
        "the tile lies in a territory already."
    )


class OfferIncomplete(RuleError):
    """An offer must discard one of the three drawn tiles and price the other two."""

    code = "offer_incomplete"
    meaning = "An offer discards one of the three drawn tiles and prices each of the other two."


class PriceTooLow(RuleError):
    """A price is below 1 gold."""

    code = "price_too_low"
    meaning = "Each price is at least 1 gold."


class NotEnoughGold(RuleError):
    """The seat has too little gold."""

    code = "not_enough_gold"
    meaning = "The seat does not have the gold for this."


class OwnTile(RuleError):
    """A seat cannot buy its own tile."""

    code = "own_tile"
    meaning = "A seat cannot buy its own tile."


class TileNotForSale(RuleError):
    """No other seat offers this tile now."""

    code = "tile_not_for_sale"
    meaning = "No other seat offers this tile now."


class CellOccupied(RuleError):
    """The cell has a tile already."""

    code = "cell_occupied"
    meaning = "A tile lies on that cell already."


class NotAdjacent(RuleError):
    """The cell shares no edge with a tile of the territory."""

    code = "not_adjacent"
    meaning = "The cell shares no edge with a tile of the territory."


class TerrainMismatch(RuleError):
    """The terrain on a shared edge differs."""

    code = "terrain_mismatch"
    meaning = "The terrain on a shared edge does not match."


class BuildingAlreadyFinished(RuleError):
    """This seat has declared its build finished."""

    code = "building_finished"
    meaning = "The seat has declared its build finished for this round."


class PlaceableTilesLeft(RuleError):
    """A tile in hand still has a legal place (ruling R5)."""

    code = "placeable_tiles_left"
    meaning = "A tile in hand still has a legal place, so the build cannot be finished (ruling R5)."


class NothingToTakeBack(RuleError):
    """No placement of this round is left to take back (ruling R6)."""

    code = "nothing_to_take_back"
    meaning = "The seat has no placement of this round left to take back (ruling R6)."


class InvalidSetup(RuleError):
    """The players or options of a new game are invalid."""

    code = "invalid_setup"
    meaning = "The players or options of the game are invalid."


class InvalidTerritory(RuleError):
    """The tiles of a territory are not legally placed."""

    code = "invalid_territory"
    meaning = "The tiles are not legally placed."


class InvalidRecord(RuleError):
    """A record breaks a rule; `facts["action"]` is the number of the offending action, from 1."""

    code = "invalid_record"
    meaning = "The record breaks a rule; `params` has the number of the action."


RULE_ERRORS: tuple[type[RuleError], ...] = tuple(RuleError.__subclasses__())
"""All classes of rule errors."""


class Fault(NamedTuple):
    """An error in a position.

    :param pointer: the JSON pointer of the field; empty for the position itself.
    :param reason: the reason in English.
    """

    pointer: str
    reason: str


class InvalidPosition(SkyeError, ValueError):
    """A position that no game can have.

    :param faults: every fault found; also an attribute, as a tuple.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"{fault.pointer or '/'}: {fault.reason}" for fault in self.faults))

    def __reduce__(self) -> tuple[type[InvalidPosition], tuple[tuple[Fault, ...]]]:
        return InvalidPosition, (self.faults,)  # the default passes the message
