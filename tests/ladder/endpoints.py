"""The operations on profiles and ladders; see `tests.support.endpoints`."""

PROFILE = "/v1/me/profile"
ENDPOINTS = (
    ("PUT", PROFILE, "lobby", "player", lambda _: {"name": "ann", "bot": False}),
    ("GET", PROFILE, "profile", "player"),
    ("DELETE", PROFILE, "profile", "player"),
    ("GET", "/v1/players/<name>", "profile", None),
    ("GET", "/v1/players/<name>/records", "profile", None, None, (("ladder", "live_2"),)),
    ("GET", "/v1/ladders", "profile", None),
    ("GET", "/v1/ladders/<ladder>", "profile", None),
    ("GET", "/v1/ladders/<ladder>/export", "profile", None),
)
"""The arguments of each `Endpoint`."""


def with_profile(service, _game, key):
    """Create the profile of a player key."""
    service.call("PUT", PROFILE, {"name": "ann"}, key)


STAGES = {"profile": with_profile}
