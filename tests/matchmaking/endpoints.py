"""The operations on tickets; see `tests.support.endpoints`."""

TICKETS = "/v1/matchmaking/tickets"
ENDPOINTS = (
    ("POST", TICKETS, "lobby", "player", lambda _: {"name": "Ann", "seat_count": 5, "options": {}}),
    ("GET", TICKETS, "lobby", "player"),
    ("GET", f"{TICKETS}/<ticket>", "ticket", "player"),
    ("DELETE", f"{TICKETS}/<ticket>", "ticket", "player"),
)
"""The arguments of each `Endpoint`."""


def with_ticket(service, game, key):
    """Create a ticket of a player key."""
    game.ticket = service.call("POST", TICKETS, {"name": "Ann", "seat_count": 4}, key).json["id"]


STAGES = {"ticket": with_ticket}
