"""A bot that knows no rules, over a client generated from openapi.yaml; `bot.py --help` says more."""

import argparse
import random
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar, cast

import httpx
import skye_client.models as m
from skye_client import AuthenticatedClient, Client
from skye_client.api.history import list_events
from skye_client.api.lobby import create_game, get_game, join_game
from skye_client.api.play import finish_building, list_actions, place_tile, purchase, set_offer
from skye_client.api.scoring import try_placements

T = TypeVar("T")
P = ParamSpec("P")
PATIENCE = httpx.Timeout(40)  # seconds; a long poll takes up to 30


def ask(kind: type[T], call: Callable[P, object], *args: P.args, **named: P.kwargs) -> T:
    """Send a request until it is answered. That is safe: an Idempotency-Key makes a write count once."""
    answer: object = None
    for delay in (0.2, 0.5, 1, 2, 5, 10, 20):
        try:
            answer = call(*args, **named)
        except httpx.TransportError as error:
            answer = error
        if isinstance(answer, kind):
            return answer
        if isinstance(answer, m.Problem) and answer.status not in (429, 503):
            break
        time.sleep(delay)
    raise RuntimeError(answer)


def sit_down(url: str, game: str | None, bots: int) -> tuple[str, str]:
    """Join a game, or open one with so many bots; return its id and the token of the seat."""
    client, key, me = Client(url, timeout=PATIENCE), str(uuid.uuid4()), m.PersonToSeat("Python")
    if game is not None:
        guest = cast(AuthenticatedClient, client)  # the generator takes a token that may be sent for a must
        seat = ask(m.TakenSeat, join_game.sync, game, client=guest, body=me, idempotency_key=key)
        return game, seat.token or ""
    new = m.FreshGame(players=[me, *[m.BotToSeat(m.BotName.GREEDY)] * bots], start=True)
    created = ask(m.CreatedGame, create_game.sync, client=client, body=new, idempotency_key=key)
    return created.game.id, created.players[0].token or ""


def play(client: AuthenticatedClient, game_id: str) -> m.Game:
    """Act when it is the seat's turn, and wait for events when not; return the game when it is over."""
    while True:
        game = ask(m.Game, get_game.sync, game_id, client=client)
        if game.you.seat is None or game.status not in (m.GameStatus.LOBBY, m.GameStatus.PLAYING):
            return game
        if game.you.seat in game.waiting_for:
            with suppress(RuntimeError):  # refused when a deadline was faster: look again
                act(client, game_id, game.you.seat)
        else:
            ask(m.EventList, list_events.sync, game_id, client=client, after=game.last_event, wait_ms=30_000)


def act(client: AuthenticatedClient, game: str, seat: int) -> m.Game:
    """Send one of the legal actions: prices of a third of the gold, any purchase, the best of some places."""
    actions = ask(m.ActionList, list_actions.sync, game, seat, client=client).actions
    places = [action.body for action in actions if isinstance(action, m.PlacementAction)]
    buys = [action.body for action in actions if isinstance(action, m.PurchaseAction | m.PassAction)]
    key = str(uuid.uuid4())

    def gain(place: m.Placement) -> int:
        tried = ask(m.WhatIf, try_placements.sync, game, seat, client=client, body=m.Trial([place]))
        return sum((points.after or 0) - (points.before or 0) for points in tried.scoring_tiles)

    if isinstance(action := actions[0], m.OfferAction):
        discard, *sold = random.sample(action.constraints.tiles, 3)
        offer = m.Offer(discard, m.Prices.from_dict(dict.fromkeys(sold, action.constraints.gold // 3)))
        return ask(m.Game, set_offer.sync, game, seat, client=client, body=offer, idempotency_key=key)
    if buys:
        buy = random.choice(buys)
        return ask(m.Game, purchase.sync, game, seat, client=client, body=buy, idempotency_key=key)
    if places:
        best = max(random.sample(places, min(len(places), 12)), key=gain)
        return ask(m.Game, place_tile.sync, game, seat, client=client, body=best, idempotency_key=key)
    return ask(m.Game, finish_building.sync, game, seat, client=client, idempotency_key=key)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play one whole game of Isle of Skye.")
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the server (%(default)s)")
    parser.add_argument("--game", help="a game to take a seat in; without it, one is opened")
    parser.add_argument("--bots", type=int, default=2, help="bots to open a game with (%(default)s)")
    options = parser.parse_args()
    joined, token = sit_down(options.api, options.game, options.bots)
    print("playing", joined, flush=True)
    players = play(AuthenticatedClient(options.api, token, timeout=PATIENCE), joined).players
    for player in sorted(players, key=lambda player: -player.score):
        print(f"{player.score:4} {player.name}")
