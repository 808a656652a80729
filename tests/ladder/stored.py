"""What the server stores of ladders; for `tests.store`, which checks calls and formats of the whole store."""

import random

from skye_server.ladder.profiles import Profile
from skye_server.ladder.rated_games import Note
from skye_server.ladder.ratings import Rating
from skye_server.ladder.results import Change, LadderResults, Result, Shown
from tests.ladder.endpoints import PROFILE
from tests.ladder.support import begin_rated, new_player, put_profile
from tests.support.comparing import with_fields_of

STORED = {
    "profile": Profile,
    "rating": Rating,
    "rated_ticket": Note,
    "result": Result,
    "change": Change,
    "shown": Shown,
}
"""The types of stored values by their names in the schema."""

MAKE = {LadderResults: lambda calls: LadderResults(calls, "live_2")}
RESULT = Result("game", 2, ("ann", "bob"), ("a", "b"), (1, 2), (False, False), True, b"")
CALLS = {
    LadderResults: {
        "append": lambda ladder: ladder.append(RESULT),
        "rate": lambda ladder: ladder.rate(),
        "show": lambda ladder: ladder.show("ann", Shown("ann", False)),
        "meet": lambda ladder: ladder.meet(["ann", "bob"], ["t1", "t2"], 1, 5),
        "position": lambda ladder: ladder.position("last"),
        "after": lambda ladder: list(ladder.after(0, 9)),
        "result": lambda ladder: ladder.result(1),
        "changes": lambda ladder: ladder.changes([1]),
        "numbers_of": lambda ladder: ladder.numbers_of("ann", None, 9),
        "ratings": lambda ladder: ladder.ratings(["ann"]),
        "standing": lambda ladder: ladder.standing("ratings"),
        "page": lambda ladder: ladder.page(0, 9),
        "size": lambda ladder: ladder.size(),
        "rank": lambda ladder: ladder.rank("ann"),
        "meetings": lambda ladder: ladder.meetings([("ann", "bob")], 1),
        "forget": lambda ladder: ladder.forget(9),
    },
}
"""A call of every method of the stores."""


def use(service):
    """Send requests that use the stores."""
    game = begin_rated(service, new_player(service, "ann"), new_player(service, "bob"))
    game.play_out(random.Random(1))
    assert service.get("/v1/players/ann")["results"]


def reads(service, key):
    """Store values; return requests that read them, by the patterns of their keys."""
    put_profile(service, key, "cyd")
    return {"*:profile": lambda: service.call("GET", PROFILE, token=key)}


def check_written(service, data):
    """Check that the values of a fixture are read: its ladder has the result and the names of a game."""
    for path, kept in data["ladder"].items():
        assert with_fields_of(kept, service.get(path)) == kept
