"""A random player that checks each response against openapi.yaml.

    python -m hunts.tests.detection.random_player http://127.0.0.1:8000

It plays whole games as the soak does, and requests other resources of each game meanwhile.
"""

import random
import re
import sys
from urllib.parse import urlsplit

from tests.contract.checked import Contract, read_document
from tests.system.players import open_match
from tests.system.soak import AsFlask
from tests.system.wire import Wire, bearer

GAMES = 2
READS = 2
"""How many other resources it requests before each action."""

KNOWN = {"tile": "L01", "scoring_tile": "squares", "scenario": "two_players", "bot": "random"}
"""The values of parameters that do not depend on the game."""


def reads_of(contract):
    """Return the paths of the resources that it can request: those with parameters that it knows."""
    found = []
    for method, path, operation in contract.operations():
        parameters = map(contract.resolve, operation.get("parameters", ()))
        query = [each["name"] for each in parameters if each.get("required") and each["in"] == "query"]
        filled = path + "".join(f"?{name}={{{name}}}" for name in query)
        names = set(re.findall(r"{(\w+)}", filled))
        is_read = method == "get" and path.startswith("/v1") and "/stream" not in path
        if is_read and names <= KNOWN.keys() | {"game", "seat", "round", "number"}:
            found.append(filled)
    return found


def play(wire, dice, reads, seed):
    """Play a game to its end."""
    match = open_match(wire, seed, lambda _: wire)
    tokens = [None, match.host, *[seat.token for seat in match.seats]]
    while not match.is_over:
        for path in dice.sample(reads, READS):
            numbers = {name: dice.randint(0, 6) for name in ("seat", "round", "number")}
            filled = path.format(game=match.game, **numbers, **KNOWN)
            wire.ask_until_answered("GET", filled, headers=bearer(dice.choice(tokens)))
        match.step(dice)


def main(url):
    """Play, and raise an error at the first response that the contract does not describe."""
    contract = Contract(read_document())
    dice = random.Random("player")

    def check(method, path, reply):
        contract.check(method, path.partition("?")[0], AsFlask(reply))

    wire = Wire([urlsplit(url).port], dice, check)
    for number in range(GAMES):
        play(wire, dice, reads_of(contract), f"player/{number}")


if __name__ == "__main__":
    main(sys.argv[1])
