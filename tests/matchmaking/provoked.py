"""Requests about tickets that are refused."""

from tests.support.endpoints import PLAYER_KEY
from tests.support.provoked_problems import provokes


@provokes("ticket_not_found")
def a_ticket_of_another_player(service):
    criteria = {"name": "Ann", "seat_count": 2}
    ticket = service.call("POST", "/v1/matchmaking/tickets", criteria, "skye_key_" + 22 * "S").json["id"]
    return lambda: service.call("GET", f"/v1/matchmaking/tickets/{ticket}", token=PLAYER_KEY)
