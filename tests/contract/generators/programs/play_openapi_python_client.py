"""Play a whole game with the client of openapi-python-client."""

import sys

from skye_client import AuthenticatedClient, Client, models
from skye_client.api.history import list_events
from skye_client.api.lobby import create_game, get_game
from skye_client.api.play import finish_building, list_actions, place_tile, purchase, set_offer

SENT_BY = {
    models.OfferAction: set_offer,
    models.PurchaseAction: purchase,
    models.PassAction: purchase,
    models.PlacementAction: place_tile,
}
PASSED_OVER = (models.ActionOfLaterVersion, models.TakeBackAction)


def act(client, game, action):
    """Send one action by the operation of its type; return the answer."""
    if isinstance(action, models.FinishAction):
        return finish_building.sync(game, 0, client=client)
    return SENT_BY[type(action)].sync(game, 0, client=client, body=action.body)


def main(url):
    """Play against a bot, and read all events of the game."""
    players = [models.PersonToSeat(name="Ann"), models.BotToSeat(bot=models.SeatableBot.RANDOM)]
    created = create_game.sync(client=Client(url), body=models.FreshGame(players=players, auto_start=True))
    client, game = AuthenticatedClient(url, created.players[0].token), created.game.id
    refused, unknown = [], set()
    while get_game.sync(game, client=client).status != "finished":
        listed = list_actions.sync(game, 0, client=client).actions
        unknown |= {action.type_ for action in listed if isinstance(action, models.ActionOfLaterVersion)}
        answer = act(client, game, next(action for action in listed if not isinstance(action, PASSED_OVER)))
        if isinstance(answer, models.Problem):
            refused.append(answer.code)
    events = list_events.sync(game, client=client).events
    unknown |= {event.type_ for event in events if isinstance(event, models.EventOfLaterVersion)}
    sys.stdout.write(f"finished {len(events) > 50} {sorted(unknown)} {refused}\n")


main(sys.argv[1])
