"""A review as JSON, and as a page of Markdown with pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from skye.rules.moves import Buy, Move, SetOffer
from skye.rules.play import play
from skye.svg import territory_svg, tile_svg
from skye.tiles.tile_set import Place
from skye.views import action_of_move, move_view
from skye_gym import judge
from skye_gym.agents import action_text, quoted, tile_text
from skye_gym.arena.ratings import Interval
from skye_gym.review.game import Decision, Review

_FORMAT: Final = 1
"""The format of the JSON of a review."""

_INTRODUCTION: Final = """\
A loss is what the chosen move lost against the best alternative that was found, in points of the margin over
the mean of the other seats at the end, by what the seat knew then. It is listed where its interval (99 % of
the samples, and 3 points for errors of the model) excludes 0; in all other decisions no difference was
found. The luck of a draw is the predicted margin after it minus the mean over other draws. For each seat,
final = start + luck - losses + losses of the others + rest: the rest is what no loss and no draw explains."""


def review_to_json(review: Review, names: Sequence[str] = ()) -> dict[str, Any]:
    """Return a review as JSON data. Points are rounded to a hundredth.

    :param names: by seat, the name of the player.
    """
    game = review.game
    return {
        "format": _FORMAT,
        "judge": judge.VERSION,
        "samples": review.samples,
        "ruleset": game.ruleset_id,
        "scoring_tiles": [*game.scoring_tiles],
        "scores": [player.score for player in game.players],
        "winners": [*game.winners],
        "players": [
            {
                "seat": seat,
                "name": names[seat] if names else None,
                "account": {name: _rounded(value) for name, value in account._asdict().items()},
            }
            for seat, account in enumerate(review.accounts)
        ],
        "draws": [
            {"round": draw.round, "luck": [_interval(luck) for luck in draw.luck]} for draw in review.draws
        ],
        "decisions": [_decision(each) for each in review.decisions],
    }


def _decision(decision: Decision) -> dict[str, Any]:
    number, seat, game, move, verdict = decision
    found = verdict.is_loss and verdict.best is not None
    return {
        "action": number,
        "seat": seat,
        "round": game.round,
        "phase": str(game.phase),
        "move": move_view(move),
        "difference": found,
        "best": move_view(verdict.best) if found and verdict.best is not None else None,
        "loss": _interval(verdict.loss) if found else None,
    }


def _rounded(value: float) -> float:
    return round(value, 2) + 0.0  # not -0.0


def _interval(interval: Interval) -> dict[str, float]:
    return {name: _rounded(value) for name, value in interval._asdict().items()}


def review_to_markdown(review: Review, names: Sequence[str] = ()) -> tuple[str, dict[str, str]]:
    """Return the page of a review, and its pictures: SVG by the name of the file.

    :param names: by seat, the name of the player, which may be any text.
    """
    players = [f"{seat} {_escaped(names[seat])}" if names else str(seat) for seat in range(_seats(review))]
    pictures: dict[str, str] = {}
    losses = [each for each in review.decisions if each.verdict.is_loss]
    losses.sort(key=lambda each: -each.verdict.loss.value)
    sections = [_section(each, players[each.seat], pictures) for each in losses]
    for seat, player in enumerate(review.game.players):
        pictures[f"seat-{seat}.svg"] = territory_svg(player.territory, coordinates=True)
    lines = [
        "# A game explained",
        "",
        _INTRODUCTION,
        f"Each loss was measured in {review.samples} samples.",
        "",
        *_table(
            ["seat", "score", "final", "start", "luck", "losses", "losses of the others", "rest"],
            [
                [
                    players[seat] + (" (won)" if seat in review.game.winners else ""),
                    str(review.game.players[seat].score),
                    *map(_signed, (each.final, each.start, each.luck, -each.losses)),
                    *map(_signed, (each.losses_of_others, each.rest)),
                ]
                for seat, each in enumerate(review.accounts)
            ],
        ),
        "",
        f"## Losses: {len(losses)} of {len(review.decisions)} decisions",
        "",
        *(["No difference found in any decision."] if not losses else []),
        *[line for section in sections for line in section],
        "## Draws",
        "",
        "Luck by seat, with its 99 % interval.",
        "",
        *_table(
            ["round", *players],
            [[str(draw.round), *map(_with_interval, draw.luck)] for draw in review.draws],
        ),
        "",
        "## Territories at the end",
        "",
        *[f"Seat {player}\n\n![seat {seat}](seat-{seat}.svg)\n" for seat, player in enumerate(players)],
    ]
    return "\n".join(lines).rstrip() + "\n", pictures


def _seats(review: Review) -> int:
    return len(review.accounts)


def _section(decision: Decision, player: str, pictures: dict[str, str]) -> Iterable[str]:
    number, seat, game, move, verdict = decision
    assert verdict.best is not None, "a loss has a better alternative"
    yield f"### Round {game.round}, {game.phase}, seat {player}: {_with_interval(verdict.loss)}"
    yield ""
    for title, each in (("Played", move), ("Better", verdict.best)):
        yield f"{title}: {action_text(action_of_move(each))}"
        yield ""
    for title, each in (("Played", move), ("Better", verdict.best)):
        if isinstance(each, Place):
            name = f"action-{number}-{title.lower()}.svg"
            after = play(game, seat, each).game.players[seat].territory
            pictures[name] = territory_svg(after, title=title, coordinates=True)
            yield f"![{title.lower()}: {action_text(action_of_move(each))}]({name})"
            yield ""
    for tile in _tiles(move, verdict.best):
        name = f"tile-{tile}.svg"
        pictures[name] = tile_svg(tile, 0, game.ruleset)
        yield f"![{tile_text(tile, 0, ruleset=game.ruleset)}]({name})"
        yield ""


def _tiles(*moves: Move) -> Iterable[str]:
    """Return the tiles of offers and purchases, each once."""
    tiles: list[str] = []
    for move in moves:
        if isinstance(move, SetOffer):
            tiles += [move.discard, *[tile for tile, _ in move.prices]]
        elif isinstance(move, Buy):
            tiles.append(move.tile)
    return dict.fromkeys(sorted(tiles))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    for cells in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(cells)} |"


def _signed(value: float) -> str:
    return f"{_rounded(value):+.1f}"


def _with_interval(interval: Interval) -> str:
    return f"{_signed(interval.value)} [{_signed(interval.low)}, {_signed(interval.high)}]"


def _escaped(name: str) -> str:
    """Return a name that a stranger chose as code, so that it is no Markdown."""
    return "`" + quoted(name).replace("`", "'").replace("|", "/") + "`"
