"""What the policy knows of each legal action: numbers from the game and from `skye.evaluation`.

| columns | contents                                                                                     |
|---------|----------------------------------------------------------------------------------------------|
| 0 - 5   | the type of the action, one-hot: discard, price, buy, pass, finish building, place           |
| 6       | rounds left / 5                                                                              |
| 7, 8    | gold of the seat, and of the richest rival, / 10                                             |
| 9       | the value of one gold                                                                        |
| 10      | the turn to buy, from 0 (first) to 1 (last)                                                  |
| 11      | the lead / 20                                                                                |
| 12      | tiles on offer that the seat can afford / 4                                                  |
| 13, 14  | what the tile gains the seat, and the rival who gains most, / 10                             |
| 15      | the rank of the tile among those in hand or on offer                                         |
| 16      | a price: the gold / 10                                                                       |
| 17, 18  | its worth minus the gain of the seat; the gain of the rival minus its worth, / 10            |
| 19, 20  | the gold left after it / 10; the rival can pay it                                            |
| 21, 22  | an offer: the gain of the other priced tile to the seat, and to the rival, / 10              |
| 23      | the price of that tile / 10                                                                  |
| 24, 25  | a placement: what it gains / 10; what it gains less than the best place of the tile / 10     |
| 26, 27  | an offer: the two best gains of the seat among the tiles that rivals have drawn, / 10        |
| 28, 29  | the two best gains of a rival among its own tiles / 10                                       |
"""

from skye_gym.envs.extras import missing_extra

try:
    import numpy as np
except ModuleNotFoundError as error:
    raise missing_extra(error, "training") from None

from skye import Buy, GameState, Place
from skye.evaluation import gold_value, placement_values, territory_value, tile_gain
from skye_gym.encoding import EncodedGame, decode_move

SIZE = 30
"""The number of features of an action."""

DISCARD, PRICE, BUY, PASS, FINISH, PLACE = range(6)
TURN = 6
TILE = 13
MONEY = 16
OFFER = 21
SPOT = 24
MARKET = 26


def action_features(encoded: EncodedGame) -> np.ndarray:
    """Return the features of the legal actions, of shape (actions, `SIZE`), in their order."""
    game, seat = encoded.game, encoded.seat
    legal = encoded.legal_actions()
    rows = np.zeros((len(legal), SIZE), np.float32)
    rows[:, TURN : TURN + 7] = _turn(game, seat)
    if game.phase == "pricing":
        _offer(rows, encoded, legal)
    elif game.phase == "buying":
        _purchases(rows, game, seat, legal)
    else:
        _placements(rows, game, seat, legal)
    return rows


def _rivals(game: GameState, seat: int) -> list[int]:
    return [rival for rival in range(len(game.players)) if rival != seat]


def _purse(game: GameState, seat: int) -> int:
    player = game.players[seat]
    return player.gold + (player.stakes if game.phase == "pricing" else 0)


def _turn(game: GameState, seat: int) -> list[float]:
    players = game.players
    rivals = _rivals(game, seat)
    gold = _purse(game, seat)
    prices = [price for rival in rivals for price in players[rival].prices] if game.phase == "buying" else []
    return [
        (game.rounds - game.round) / 5,
        gold / 10,
        max(_purse(game, rival) for rival in rivals) / 10,
        gold_value(game, seat),
        (seat - game.starting_seat) % len(players) / (len(players) - 1),
        (players[seat].score - max(players[rival].score for rival in rivals)) / 20,
        sum(price <= gold for price in prices) / 4,
    ]


def _gains(game: GameState, seat: int, tiles: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """Return what each tile gains the seat, and the rival who gains most."""
    rivals = _rivals(game, seat)
    return {
        tile: (tile_gain(game, seat, tile), max(tile_gain(game, rival, tile) for rival in rivals))
        for tile in tiles
    }


def _offer(rows: np.ndarray, encoded: EncodedGame, legal: list[int]) -> None:
    game, seat, draft = encoded.game, encoded.seat, encoded.draft
    tiles = game.players[seat].tiles_on_offer
    gains = _gains(game, seat, tiles)
    ranked = sorted(tiles, key=lambda tile: gains[tile][0])
    rows[:, MARKET : MARKET + 4] = _market(game, seat)
    if not draft:
        rows[:, DISCARD] = 1
        for row, tile in zip(rows, tiles, strict=True):
            row[TILE : TILE + 3] = gains[tile][0] / 10, gains[tile][1] / 10, ranked.index(tile)
        return
    kept = [tile for tile in tiles if tile != tiles[draft[0]]]
    tile, other = kept if len(draft) == 1 else reversed(kept)
    price_of = encoded.encoding.price_of
    rows[:, PRICE] = 1
    rows[:, TILE : TILE + 3] = gains[tile][0] / 10, gains[tile][1] / 10, ranked.index(tile)
    asked = 0 if len(draft) == 1 else price_of(draft[1])
    rows[:, OFFER : OFFER + 3] = gains[other][0] / 10, gains[other][1] / 10, asked / 10
    prices = np.array([price_of(action) for action in legal], np.float32)
    rows[:, MONEY : MONEY + 5] = _money(game, seat, gains[tile], prices, asked).T


def _market(game: GameState, seat: int) -> list[float]:
    """Return the two best gains of a seat among the tiles of rivals, and of a rival among its own."""
    own, theirs = [0.0, 0.0], [0.0, 0.0]
    for rival in _rivals(game, seat):
        for tile in game.players[rival].tiles_on_offer:
            own.append(tile_gain(game, seat, tile) / 10)
            theirs.append(tile_gain(game, rival, tile) / 10)
    return [*sorted(own)[:-3:-1], *sorted(theirs)[:-3:-1]]


def _money(
    game: GameState, seat: int, gains: tuple[float, float], prices: np.ndarray, spent: int = 0
) -> np.ndarray:
    rivals = _rivals(game, seat)
    richest = max(_purse(game, rival) for rival in rivals)
    worth = prices * gold_value(game, seat)
    return np.stack(
        [
            prices / 10,
            (worth - gains[0]) / 10,
            (gains[1] - worth) / 10,
            (_purse(game, seat) - spent - prices) / 10,
            prices <= richest - 2 * (game.phase == "pricing"),
        ]
    )


def _purchases(rows: np.ndarray, game: GameState, seat: int, legal: list[int]) -> None:
    moves = [decode_move(game, seat, [action]) for action in legal]
    gains = _gains(game, seat, tuple(move.tile for move in moves if isinstance(move, Buy)))
    best = sorted(gains.values(), reverse=True)
    for row, move in zip(rows, moves, strict=True):
        if not isinstance(move, Buy):
            row[PASS] = 1
            continue
        seller = next(player for player in game.players if move.tile in player.tiles_on_offer)
        price = seller.prices[seller.tiles_on_offer.index(move.tile)]
        gain = gains[move.tile]
        row[BUY] = 1
        row[TILE : TILE + 3] = gain[0] / 10, gain[1] / 10, best.index(gain)
        row[MONEY : MONEY + 5] = _money(game, seat, gain, np.array([price], np.float32))[:, 0]


def _placements(rows: np.ndarray, game: GameState, seat: int, legal: list[int]) -> None:
    moves = [decode_move(game, seat, [action]) for action in legal]
    if not isinstance(moves[0], Place):
        rows[:, FINISH] = 1
        return
    now = territory_value(game, seat)
    values = {tile: placement_values(game, seat, tile) for tile in game.players[seat].tiles_to_build}
    best = {tile: max(of_tile.values()) for tile, of_tile in values.items() if of_tile}
    ranked = sorted(best, key=best.__getitem__)
    rows[:, PLACE] = 1
    for row, place in zip(rows, moves, strict=True):
        value = values[place.tile][place]
        row[TILE] = (best[place.tile] - now) / 10
        row[TILE + 1] = len(values[place.tile]) / 40
        row[TILE + 2] = ranked.index(place.tile)
        row[SPOT : SPOT + 2] = (value - now) / 10, (best[place.tile] - value) / 10
