"""Defects of the class `rules`."""

from __future__ import annotations

from typing import Any, Final

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import response_body
from skye_hunts.witnesses import GAME, SEAT_0, get, post, scenario

_CASTLE: Final = ("castle-red", 0, 0, 0)
_TOP: Final = (_CASTLE, ("L01", 1, 0, 0), ("L04", 2, 0, 180))
_BLOCK: Final = (*_TOP, ("L02", 0, 1, 0), ("L06", 1, 1, 90), ("L07", 2, 1, 0))
_LINE: Final = (_CASTLE, ("L01", 0, 1, 0), ("L04", 0, 2, 0))
_COLUMN: Final = (*_LINE, ("L02", 0, 3, 270), ("L03", 0, 4, 0), ("L05", 0, 5, 90))
_FINISHED: Final = post(f"{GAME}/players/0/building/finish", None, SEAT_0)


def _scoring(scoring_tile: str, *territories: dict[str, Any]) -> dict[str, Any]:
    return post("/v1/scoring", {"territories": territories, "scoring_tiles": [scoring_tile]})


def _territory(*tiles: tuple[str, int, int, int], **more: Any) -> dict[str, Any]:
    placed = [{"tile": tile, "x": x, "y": y, "rotation": rotation} for tile, x, y, rotation in tiles]
    return {"tiles": placed, **more}


def _reports(body: Any, scoring_tile: str) -> list[Any]:
    """Return the report of a scoring tile for each territory."""
    return [
        report
        for territory in body["territories"]
        for report in territory["scoring_tiles"]
        if report["scoring_tile"] == scoring_tile
    ]


@defect("medium", "score_territories", response_body)
@breaks("`squares`: 2 points for each block of 2x2 tiles; blocks may overlap.")
@shown_by(_scoring("squares", _territory(*_BLOCK)), at="/territories/0/scoring_tiles/0/points")
def overlapping_square_lost(body: Any) -> None:
    """Count overlapping blocks once."""
    for report in _reports(body, "squares"):
        if len(report["awards"]) > 1:
            report["points"] -= report["awards"].pop()["points"]


@defect("hard", "score_territories", response_body)
@breaks("`vertical_lines`: a run of 3 or more tiles is one line, however long.")
@shown_by(_scoring("vertical_lines", _territory(*_COLUMN)), at="/territories/0/scoring_tiles/0/points")
def long_line_counts_twice(body: Any) -> None:
    """Count a run of six tiles as two lines."""
    for report in _reports(body, "vertical_lines"):
        for award in report["awards"]:
            if len(award["tiles"]) >= 6:
                award["points"] += 3
                report["points"] += 3


@defect("medium", "score_territories", response_body)
@breaks("A majority: those who tie for first get 5 each, and nobody gets 2.")
@shown_by(
    _scoring("most_gold", *[_territory(_CASTLE, gold=gold) for gold in (9, 9, 4)]),
    at="/territories/2/scoring_tiles/0/points",
)
def second_place_after_a_tie(body: Any) -> None:
    """Give 2 points to the others after a tie for first."""
    reports = _reports(body, "most_gold")
    if [report["points"] for report in reports].count(5) > 1:
        for report in reports:
            report["points"] = report["points"] or 2


@defect("hard", "finish_building", response_body, changes=["finish_building", "get_game"])
@breaks("A tie is broken by the leftover gold.")
@shown_by(scenario("tie_broken_by_gold"), _FINISHED, at="/result/winners")
def tie_is_not_broken(game: Any) -> None:
    """Let all with the most points share the win."""
    if game["result"] is not None:
        scores = {player["seat"]: player["score"] for player in game["result"]["players"]}
        best = max(scores.values())
        game["result"]["winners"] = [seat for seat, score in scores.items() if score == best]


@defect("hard", "get_round", response_body)
@breaks("Catch-up income is paid for each player with strictly more points.")
@shown_by(scenario("full_catch_up"), _FINISHED, get(f"{GAME}/rounds/5"), at="/players/4/income/catch_up")
def catch_up_for_three_at_most(report: Any) -> None:
    """Pay catch-up income for at most three players."""
    for player in report["players"]:
        income = player["income"]
        if income is not None and income["catch_up"] > 9:
            income["total"] -= income["catch_up"] - 9
            income["catch_up"] = 9


@defect("hard", "get_scores", response_body)
@breaks("The points of a scroll are doubled when it lies in a completed area.")
@shown_by(scenario("largest_territory"), get(f"{GAME}/scores"), at="/players/0/final/scrolls")
def scroll_of_an_open_area_is_doubled(scores: Any) -> None:
    """Double the points of a scroll in an open area."""
    for player in scores["players"]:
        for scroll in player["final"]["scrolls"]:
            if not scroll["completed"] and scroll["points"] > 1:
                player["final"]["scroll_points"] += scroll["points"]
                scroll["points"] *= 2


@defect("easy", "list_places", response_body)
@breaks("A tile may be placed in any rotation in which the terrain matches.")
@shown_by(scenario("building_last_seat"), get(f"{GAME}/players/0/places?tile=L28", SEAT_0), at="/places")
def no_place_with_rotation_270(page: Any) -> None:
    """Leave places with one rotation out."""
    page["places"] = [place for place in page["places"] if place["rotation"] != 270]
