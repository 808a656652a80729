"""The examples of tickets in the contract; see `tests.contract.examples`."""

from tests.matchmaking.endpoints import TICKETS
from tests.support.dispatching import dispatch


def matchmaking(recorder):
    """Wait for other players with a ticket: too long, then until it is cancelled."""
    key = f"skye_key_{'dunvegan' * 3}"
    wanted = {"name": "Ann", "seat_count": 4, "options": {"turn_ms": 60_000}, "ttl_ms": 60_000}
    recorder.send("POST", TICKETS, wanted, key)
    recorder.service.clock.advance(60)
    dispatch(recorder.service)
    recorder.record("expired", "Nobody came.", "GET", "/v1/me/events", token=key)
    ticket = recorder.record("waiting", "The player waits for three others.", "POST", TICKETS, wanted, key)
    path = f"{TICKETS}/{ticket['id']}"
    recorder.record("existing", "The player waits already.", "POST", TICKETS, wanted, key)
    recorder.record("waiting", "The tickets that wait.", "GET", TICKETS, token=key)
    recorder.record("waiting", "The player still waits.", "GET", path, token=key)
    recorder.record("cancelled", "The player no longer waits.", "DELETE", path, token=key)


SCENES = (matchmaking,)
