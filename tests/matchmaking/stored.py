"""What the server stores of tickets; for `tests.store`, which checks calls and formats of the whole store."""

from skye_server.matchmaking.pools import NewTicket, TicketPools
from skye_server.matchmaking.tickets import TicketData
from tests.matchmaking.endpoints import TICKETS
from tests.support.comparing import with_fields_of
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import new_key
from tests.support.stored_fixture import WAITING_KEY

STORED = {"ticket": TicketData}
"""The types of stored values by their names in the schema."""

TICKET = "pool" + "1" * 4
CALLS = {
    TicketPools: {
        "announce": lambda pools: pools.announce("ann", TICKET, 1, 1000),
        "join": lambda pools: pools.join(NewTicket(TICKET, 1, "ann", b"criteria", 1000, 1, "game", "", 1000)),
        "look": lambda pools: pools.look(TICKET, 1, 5, 9),
        "form_group": lambda pools: pools.form_group([TICKET], "game", 1),
        "last_matched": lambda pools: pools.last_matched(TICKET, "ann"),
        "claim_key": lambda pools: pools.claim_key("ann", "key", b"digest"),
        "open_tickets": lambda pools: pools.open_tickets("ann"),
        "waiting": lambda pools: pools.waiting(1),
        "ticket": lambda pools: pools.ticket(TICKET),
        "tickets": lambda pools: pools.tickets([TICKET]),
        "group": lambda pools: pools.group("game", TICKET),
        "game_created": lambda pools: pools.game_created("game", [pools.ticket(TICKET)]),
        "drop_expired": lambda pools: pools.drop_expired(TICKET, 1, cancel=True),
        "forget": lambda pools: pools.forget("ann", [TICKET]),
    },
}
"""A call of every method of the stores."""


def use(service):
    """Send requests that use the stores."""
    keys = [new_key(), new_key()]
    wanted = {"name": "Ann", "seat_count": 2}
    found = [service.call("POST", TICKETS, wanted, key).json["status"] for key in keys]
    assert found == ["waiting", "matched"]
    assert service.get("/v1/me/games", keys[0])["games"]


def reads(service, key):
    """Store values; return requests that read them, by the patterns of their keys."""
    ticket = service.call("POST", TICKETS, {"name": "Ann", "seat_count": 3}, key).json["id"]
    return {"*:request:*": lambda: service.call("GET", f"{TICKETS}/{ticket}", token=key)}


def check_written(service, data):
    """Check that the values of a fixture are read: its ticket is matched."""
    ticket = data["waiting_player"]["ticket"]
    (listed,) = service.get(TICKETS, WAITING_KEY)["tickets"]
    assert with_fields_of(ticket, listed) == ticket
    wanted = data["waiting_player"]["body"] | {"name": "Bob"}
    matched = service.call("POST", TICKETS, wanted, PLAYER_KEY).json
    found = service.get(f"{TICKETS}/{ticket['id']}", WAITING_KEY)
    assert (found["status"], found["game_id"]) == ("matched", matched["game_id"])
