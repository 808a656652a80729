"""The text of a decision in a game of the engine, as `skye-mcp` shows it for a game of a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skye.rules.moves import Move, TakeBack
from skye.rules.play import legal_moves, offer_limits
from skye.rules.state import GameState
from skye.views import game_view, move_view, placement_gains_view, what_if_view
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


def local_decision(
    game: GameState,
    seat: int,
    names: Sequence[str] | None = None,
    *,
    listed: bool = True,
    wording: Wording = PLAIN,
) -> str:
    """Return the text of a seat's decision, from what the seat may see.

    >>> import skye
    >>> print(local_decision(skye.new_game(2, seed="text").game, 0).splitlines()[-1])
      1: discard L41, offer L47 for 1, L19 for 1

    :param names: by seat, the name of the player.
    :param listed: whether the text lists the legal actions.
    :param wording: the words and the orientation.
    :raises ValueError: when there is no such seat, or the scoring tiles are not drawn yet.
    """
    view = game_view(game, seat)
    players: list[dict[str, Any]] = [
        {**player, "name": f"player {number}" if names is None else names[number]}
        for number, player in enumerate(view["players"])
    ]
    of_server = {"id": "local", "status": "playing", "you": {"seat": seat}, "players": players}
    actions = [_action(game, seat, move) for move in legal_actions(game, seat)]
    tiles = players[seat]["tiles_to_build"]
    places = [place for tile in tiles for place in placement_gains_view(game, seat, tile)] if listed else ()
    now = {tile["slot"]: tile["before"] for tile in what_if_view(game, seat, [])["scoring_tiles"]}
    decision = {**view, **of_server, "actions": actions}
    return decision_text(decision, now, places, listed=listed, wording=wording)


def _action(game: GameState, seat: int, move: Move) -> Mapping[str, Any]:
    view = dict(move_view(move))
    action: dict[str, Any] = {"type": view.pop("type"), "body": view}
    limits = offer_limits(game, seat)
    return action if limits is None else {**action, "constraints": limits._asdict()}
