"""A parser of decisions that knows the text alone: it rebuilds the facts that the text states."""

import json
import re

from skye import BASE

_CELL = re.compile(r"\((-?\d+),(-?\d+)\) (\S+) r(\d+) (.*)")
_OFFER = re.compile(r"  of seat (\d+)(?: for (\d+))?(, marked for discard)?: (.*)")
_TILE = re.compile(r"(\S+) ([a-z]{4})/([a-z])(?: ([NESW+]+)(?= |$))?(?: (.*))?")
_KINDS = "whi|she|cat|far|bro|shi|lig"
_OBJECT = re.compile(rf"(\d*)({_KINDS})")
_OBJECTS = re.compile(rf"(\d*({_KINDS}) ?)+")
_SCORING = re.compile(r"  (\w) (\w+) \(rounds ([\d, ]+)( THIS ROUND)?\): (.*)")


def parsed(text):
    """Return the facts of a decision."""
    head, *blocks = text.split("\n\n")
    sections = {block.splitlines()[0].split(" (")[0].rstrip(":"): block.splitlines() for block in blocks}
    number, count, phase = re.search(r"^Round (\d+) of (\d+), phase (\w+)\.$", head, re.MULTILINE).groups()
    title, *players = sections["Players"]
    start, waiting = re.search(r"seat (\d+) starts the round; waiting for ([\d, ]+)\)", title).groups()
    facts = {
        "ruleset": re.search(r"^Ruleset (\S+)\. ", head, re.MULTILINE)[1],
        "round": int(number),
        "round_count": int(count),
        "phase": phase,
        "starting_seat": int(start),
        "waiting_for": [*map(int, waiting.split(", "))],
        "scoring_tiles": [scoring_tile(line) for line in sections["Scoring tiles"][1:]],
        "tie_break": tie_break(head),
        "bag": bag(sections["Bag"]),
        "players": [player(line) for line in players],
    }
    for each in facts["players"]:
        each["offer_set"] = phase != "pricing" or each["offer_set"]
    (me,) = [each for each in facts["players"] if each.pop("is_me")]
    facts["me"] = me["seat"]
    for line in sections["Territories"][1:]:
        seat, cells = re.fullmatch(r"  seat (\d+)(?: \(you\))?: (.*)", line).groups()
        facts["players"][int(seat)]["territory"] = [cell(each) for each in cells.split("; ")]
    for line in sections.get("Tiles on offer", [])[1:]:
        seat, price, discard, tile = _OFFER.match(line).groups()
        known = bool(discard) if price or discard else None
        offer = {**tile_in(tile), "price": price and int(price), "discard": known}
        facts["players"][int(seat)]["tiles_on_offer"].append(offer)
    facts["trades"] = trades(sections)
    facts["since"] = [line.strip() for line in sections.get("Since your last decision", [])[1:]]
    return facts


def scoring_tile(line):
    slot, name, rounds, _, points = _SCORING.fullmatch(line).groups()
    found = [each.split("/") for each in points.split(", ")]
    return {
        "slot": slot,
        "scoring_tile": name,
        "rounds": [*map(int, rounds.split(", "))],
        "now": [number(now) for now, _ in found],
        "so_far": [number(so_far) for _, so_far in found],
    }


def number(text):
    return int(text) if text.isdecimal() else None


def player(line):
    seat, rest = re.fullmatch(r"  seat (\d+) (.*)", line).groups()
    name, end = json.JSONDecoder().raw_decode(rest)
    rest = rest[end:]
    rest, _, hand = rest.partition(", in hand: ")
    its, *facts = rest.split(": ", 1)[1].split(", ")
    gold = facts.pop(0).removeprefix("gold ")
    words = {
        word: int(count) for count, word in (each.split(" ", 1) for each in facts if re.match(r"\d+ ", each))
    }
    counted = next((each for each in facts if each.startswith("counted ")), "")
    income = next((each for each in facts if each.startswith("next income ")), "")
    return {
        "seat": int(seat),
        "name": name,
        "is_me": rest.startswith(" (you)"),
        "color": next(each for each in facts if each in BASE.colors),
        "score": int(its.removesuffix(" points")),
        "gold": number(gold),
        "counted": int(counted.split()[1]) if counted else None,
        "income": int(income.split()[2]) if income else None,
        "objects": objects_in(next((each for each in facts if _OBJECTS.fullmatch(each)), "").split()),
        "scroll_points": words["by scrolls"],
        "tiles": words["tiles"],
        "offer_set": "offer set" in facts,
        "building_finished": "building finished" in facts,
        "tiles_to_build": [tile_in(each) for each in hand.split("; ")] if hand else [],
        "tiles_on_offer": [],
    }


def tie_break(head):
    """Return the option that the rule in words means."""
    return "leftover_gold" if "gold left after each 5" in head else "total_gold"


def tile_in(text):
    """Return a tile and its features as it is turned."""
    tile, sides, middle, roads, rest = _TILE.fullmatch(text).groups()
    words = (rest or "").split()
    scrolls = [word.removeprefix("*") for word in words if word.startswith("*")]
    return {
        "tile": tile,
        "sides": sides,
        "middle": middle,
        "roads": roads.split("+") if roads else [],
        "objects": objects_in(word for word in words if not word.startswith("*")),
        "scroll": scrolls[0] if scrolls else None,
    }


def objects_in(words):
    found = [_OBJECT.fullmatch(word).groups() for word in words]
    return {name: int(count or 1) for count, name in found}


def cell(text):
    x, y, tile, rotation, features = _CELL.match(text).groups()
    return {**tile_in(f"{tile} {features}"), "x": int(x), "y": int(y), "rotation": int(rotation)}


def bag(lines):
    (count,) = re.fullmatch(r"Bag \((\d+) tiles\):", lines[0]).groups()
    return {
        "count": int(count),
        "tiles": [tile_in(each) for line in lines[1:] for each in line.strip().split("; ")],
    }


def trades(sections):
    """Return by round its number, the offers by seat, and the purchases by seat, None for a pass."""
    title = next((name for name in sections if name.startswith("Discards, prices and purchases")), None)
    found = []
    for line in sections[title][1:] if title else []:
        number, text = re.fullmatch(r"  round (\d+): (.*)", line).groups()
        offers, purchases = {}, {}
        for each in text.split("; "):
            seat, rest = re.fullmatch(r"s(\d+) (.*)", each).groups()
            discard, *parts = rest.removeprefix("-").split()
            prices = dict(part.split("=") for part in parts if "=" in part)
            offers[int(seat)] = (discard, {tile: int(price) for tile, price in prices.items()})
            if parts[-1] == "passed":
                purchases[int(seat)] = None
            elif parts[-1].startswith("+"):
                purchases[int(seat)] = parts[-1].removeprefix("+")
        found.append((int(number), offers, purchases))
    return found
