"""Verify from the public record of a finished game that its seed determined every draw.

    python examples/verify_draws.py http://127.0.0.1:8000/v1/games/GAME [COMMITMENT]

COMMITMENT is the `fairness.commitment` that you saved when the game began; by default the program gets the
current one from the server. The program uses only the standard library, and no code of the service. It does
not verify a game that began from a position, or that it cannot read: exit status 2.
"""

import hashlib
import hmac
import http.client
import json
import sys
import urllib.parse
import urllib.request


class Unfair(Exception):
    """A draw differs from the one that the seed determines."""


class Unsupported(Exception):
    """The game began from a position, so its record does not have every draw."""


def pick(seed, record, label, choices):
    """Return the draw: HMAC-SHA256 of the label with the seed as key, modulo the size of the sorted list."""
    if record["ruleset"] != "base":
        label = f"{record['ruleset']}/{label}"
    number = int.from_bytes(hmac.digest(seed.encode(), label.encode(), "sha256"), "big")
    return choices[number % len(choices)]


def verify(record, commitment, tiles, scoring_tiles, used):
    """Verify every draw of a record; return their number, or raise Unfair if one differs, or Unsupported.

    `tiles` and `scoring_tiles` are the ids of the ruleset's landscape tiles and scoring tiles; `used` are the
    scoring tiles of the game, by slot.
    """
    if record["position"] is not None:
        raise Unsupported("the game began from a position")
    seed = record["options"]["seed"]
    if seed is None:
        raise Unfair("the seed is not published: the game is not over")
    committed = (record["nonce"] or "") + seed
    if hashlib.sha256(committed.encode()).hexdigest() != commitment:
        raise Unfair("the seed does not match the commitment")
    verified = _scoring_tiles(seed, record, scoring_tiles, used)
    return verified + _starting_seat(seed, record) + _tiles(seed, record, tiles)


def _scoring_tiles(seed, record, scoring_tiles, used):
    if record["options"]["scoring_tiles"] is not None:
        return 0  # the creator named them
    left = sorted(scoring_tiles)
    for slot, tile in used.items():
        if pick(seed, record, f"scoring/{slot}", left) != tile:
            raise Unfair(f"scoring tile {slot}")
        left.remove(tile)
    return len(used)


def _starting_seat(seed, record):
    """Verify the starting seat: the first seat to buy or to pass."""
    if record["options"]["first_seat"] is not None:
        return 0  # the creator named it
    first = next(action["seat"] for action in record["actions"] if action["type"] in ("buy", "pass"))
    if pick(seed, record, "start", range(len(record["players"]))) != first:
        raise Unfair("the starting seat")
    return 1


def _tiles(seed, record, tiles):
    """Verify the tiles drawn; track the bag through draws, discards and returned tiles."""
    seats = range(len(record["players"]))
    bag, hands, placed, offers = set(tiles), {}, {}, {}
    number = 0
    for action in record["actions"]:
        seat, kind = action["seat"], action["type"]
        if kind == "set_offer":
            offers[seat] = action
            if len(offers) == len(seats):  # all seats have set their offers
                number += 1
                _check_round(seed, record, number, bag, [offers[seat] for seat in seats])
                hands = {seat: set(offers[seat]["prices"]) for seat in seats}
                placed = {seat: [] for seat in seats}
                bag.update(offer["discard"] for offer in offers.values())
                offers = {}
        elif kind == "buy":
            for hand in hands.values():
                hand.discard(action["tile"])
            hands[seat].add(action["tile"])
        elif kind == "place":
            hands[seat].remove(action["tile"])
            placed[seat].append(action["tile"])
        elif kind == "take_back":
            hands[seat].add(placed[seat].pop())
        elif kind == "finish_building":
            bag |= hands[seat]
    return number * len(seats) * 3


def _check_round(seed, record, number, bag, offers):
    """Draw for each seat in order; its offer names the three tiles that it drew."""
    for seat, offer in enumerate(offers):
        shown = {offer["discard"], *offer["prices"]}
        for n in (1, 2, 3):
            tile = pick(seed, record, f"draw/{number}/{seat}/{n}", sorted(bag))
            if tile not in shown:
                raise Unfair(f"round {number}, seat {seat}: {tile} should have been drawn")
            bag.remove(tile)


def _read(url):
    with urllib.request.urlopen(url) as response:
        return json.load(response)


def main(arguments):
    """Verify the record of the game at a URL; return the exit status."""
    if len(arguments) not in (1, 2):
        print("Usage: verify_draws.py http://127.0.0.1:8000/v1/games/GAME [COMMITMENT]", file=sys.stderr)
        return 2
    url = arguments[0].rstrip("/")
    record, game = _read(url + "/record"), _read(url)
    commitment = arguments[1] if len(arguments) > 1 else game["fairness"]["commitment"]
    catalogue, ruleset = url.rpartition("/games/")[0], urllib.parse.quote(record["ruleset"])
    tiles = _read(f"{catalogue}/tiles?ruleset={ruleset}")["tiles"]
    scoring_tiles = _read(f"{catalogue}/scoring-tiles?ruleset={ruleset}")["scoring_tiles"]
    landscape = [tile["id"] for tile in tiles if tile["kind"] == "landscape"]
    used = {tile["slot"]: tile["scoring_tile"] for tile in game["scoring_tiles"]}
    try:
        draws = verify(record, commitment, landscape, [tile["id"] for tile in scoring_tiles], used)
    except Unfair as error:
        print(f"NOT as committed: {error}")
        return 1
    except Unsupported as error:
        print(f"Not verified: {error}")
        return 2
    print(f"All {draws} draws follow from the seed that was committed to.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError, http.client.HTTPException) as error:
        print(f"Not verified: {sys.argv[1]}: {error}", file=sys.stderr)
        sys.exit(2)
