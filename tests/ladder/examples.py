"""The examples of ladders in the contract; see `tests.contract.examples`."""

import random

from tests.ladder.endpoints import PROFILE
from tests.ladder.support import begin_rated

ANN, BOB = (f"skye_key_{word}" for word in ("dunvegan" * 3, "talisker" * 3))


def ladder(recorder):
    """Claim a name, play a rated game, and look at the ladder."""
    sent = {"name": "ann", "bot": False, "description": "Plays in the evening."}
    recorder.record("claimed", "The name is the player's.", "PUT", PROFILE, sent, ANN)
    recorder.record("own", "The own profile.", "GET", PROFILE, token=ANN)
    recorder.send("PUT", PROFILE, {"name": "bob_bot", "bot": True}, BOB)
    begin_rated(recorder.service, ANN, BOB).play_out(random.Random(4))
    recorder.record("rated", "A player who has played a rated game.", "GET", "/v1/players/ann")
    recorder.record("all", "The ladders.", "GET", "/v1/ladders")
    recorder.record("provisional", "No rating is certain yet.", "GET", "/v1/ladders/live_2")
    start = {"abridged": lambda text: text[:500]}
    recorder.record("one", "The start of the export.", "GET", "/v1/ladders/live_2/export", **start)
    recorder.record("one", "The start of a line.", "GET", "/v1/players/ann/records?ladder=live_2", **start)


SCENES = (ladder,)
