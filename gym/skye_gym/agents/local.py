"""The text of a decision in a game of the engine, as `skye-mcp` shows it for a game of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skye.events import Event
from skye.rules.moves import Move, TakeBack
from skye.rules.play import legal_moves, offer_limits
from skye.rules.state import GameState, check_scoring_tiles
from skye.views import action_of_move, event_view, game_view
from skye_gym.agents.decision import decision_text
from skye_gym.agents.wording import PLAIN, Wording


def legal_actions(game: GameState, seat: int) -> Sequence[Move]:
    """Return the legal moves of a seat in the order of the text, without `TakeBack`: games must end.

    In the pricing phase that is one offer, an example: any other that the limits allow is legal, too.

    >>> import skye
    >>> legal_actions(skye.new_game(2, seed="text").game, 0)
    [SetOffer(discard='L41', prices=(('L47', 1), ('L19', 1)))]

    :raises ValueError: when there is no such seat.
    """
    moves = [move for move in legal_moves(game, seat) if not isinstance(move, TakeBack)]
    return moves if offer_limits(game, seat) is None else moves[:1]


def local_decision(  # noqa: PLR0913 - the parts of a text
    game: GameState,
    seat: int,
    names: Sequence[str] | None = None,
    *,
    events: Sequence[Event] = (),
    listed: bool = True,
    wording: Wording = PLAIN,
) -> str:
    """Return the text of a seat's decision, from what the seat may see.

    >>> import skye
    >>> print(local_decision(skye.new_game(2, seed="text").game, 0).splitlines()[-1])
      1: discard L41, offer L47 for 1, L19 for 1

    :param names: by seat, the name of the player.
    :param events: all events of the game so far; see `decision_text`.
    :param listed: whether the text lists the legal actions.
    :param wording: the words and the orientation.
    :raises ValueError: when there is no such seat, or the scoring tiles are not drawn yet.
    """
    check_scoring_tiles(game)
    view = game_view(game, seat)
    players: list[dict[str, Any]] = [
        {**player, "name": f"player {number}" if names is None else names[number]}
        for number, player in enumerate(view["players"])
    ]
    of_server = {
        "id": "local",
        "status": "playing",
        "you": {"seat": seat},
        "players": players,
        "options": {"tie_break": str(game.tie_break), "open_gold": game.open_gold},
        "actions": [_action(game, seat, move) for move in legal_actions(game, seat)],
    }
    seen = [event_view(game, seat, event) for event in events]
    return decision_text({**view, **of_server}, seen, listed=listed, wording=wording)


def _action(game: GameState, seat: int, move: Move) -> Mapping[str, Any]:
    limits = offer_limits(game, seat)
    return {**action_of_move(move), **({} if limits is None else {"constraints": limits._asdict()})}
