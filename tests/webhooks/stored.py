"""What the server stores of webhooks; for `tests.store`, which checks calls and formats of all stores."""

from skye_server.webhooks.game_events import GameCursor
from tests.support.comparing import with_fields_of

STORED = {"webhook_cursor": GameCursor}
"""The types of stored values by their names in the schema."""

CALLS = {}
"""`tests.store.test_read_marks` calls `ReceiverStore`, which bots at URLs share."""


def use(service):
    """Send no requests: those of `tests.store` use the store."""


def reads(service, key):
    """Store values; return requests that read them, by the patterns of their keys."""
    path = "/v1/me/webhooks"
    webhook = service.call("POST", path, {"url": "https://receiver.invalid/hook"}, key).json["id"]
    return {"*:webhooks": lambda: service.call("GET", f"{path}/{webhook}", token=key)}


def check_written(service, data):
    """Check that the values of a fixture are read."""
    for kept in data["webhooks"]:
        for rest, shown in (("", kept["view"]), ("/deliveries", kept["deliveries"])):
            assert with_fields_of(shown, service.get(kept["path"] + rest, kept["token"])) == shown
        assert service.call("POST", f"{kept['path']}/test", token=kept["token"]).status_code == 200
