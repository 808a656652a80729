"""Play a whole game with the Python client of openapi-generator."""

import sys

from skye_client import ApiClient, ApiException, Configuration
from skye_client.api import HistoryApi, LobbyApi, PlayApi
from skye_client.models import BotToSeat, FirstPlayer, FreshGame, GameToCreate, PersonToSeat

PASSED_OVER = ("UnknownAction", "TakeBackAction")


def act(play, game, action):
    """Send one action by the operation of its type."""
    kind, place = type(action).__name__, (game, 0)
    if kind == "OfferAction":
        play.set_offer(*place, action.body)
    elif kind in ("PurchaseAction", "PassAction"):
        play.purchase(*place, action.body)
    elif kind == "PlacementAction":
        play.place_tile(*place, action.body)
    else:
        play.finish_building(*place)


def main(url):
    """Play against a bot, and read all events of the game."""
    players = [FirstPlayer(PersonToSeat(name="Ann")), FirstPlayer(BotToSeat(bot="random"))]
    lobby = LobbyApi(ApiClient(Configuration(host=url)))
    created = lobby.create_game(game_to_create=GameToCreate(FreshGame(players=players, auto_start=True)))
    client = ApiClient(Configuration(host=url, access_token=created.players[0].token))
    lobby, play, game = LobbyApi(client), PlayApi(client), created.game.id
    refused, unknown = [], set()
    while lobby.get_game(game).status != "finished":
        listed = [action.actual_instance for action in play.list_actions(game, 0).actions]
        unknown |= {action.type for action in listed if type(action).__name__ == "UnknownAction"}
        known = [action for action in listed if type(action).__name__ not in PASSED_OVER]
        try:
            act(play, game, known[0])
        except ApiException as error:
            refused.append(error.data.code)
    events = HistoryApi(client).list_events(game).events
    unknown |= {e.actual_instance.type for e in events if type(e.actual_instance).__name__ == "UnknownEvent"}
    sys.stdout.write(f"finished {len(events) > 50} {sorted(unknown)} {refused}\n")


main(sys.argv[1])
