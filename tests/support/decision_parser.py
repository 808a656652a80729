"""A parser of decisions that knows the text alone: it rebuilds the facts that the text states."""

import json
import re

from skye import BASE

_CELL = re.compile(r"\((-?\d+),(-?\d+)\) (\S+) r(\d+) ([a-z]{4})")
_OFFER = re.compile(r"  of seat (\d+)(?: for (\d+))?(, marked for discard)?: (\S+) sides ")
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
        "bag": bag(sections["Bag"][0]),
        "players": [player(line) for line in players],
    }
    for each in facts["players"]:
        each["offer_set"] = phase != "pricing" or each["offer_set"]
    (me,) = [each for each in facts["players"] if each.pop("is_me")]
    facts["me"] = me["seat"]
    me["territory"] = [cell(line.strip()) for line in sections["Your territory"][1:]]
    for line in sections["Territories of the others"][1:]:
        seat, cells = re.fullmatch(r"  seat (\d+): (.*)", line).groups()
        facts["players"][int(seat)]["territory"] = [cell(each) for each in cells.split("; ")]
    for line in sections.get("Tiles on offer", [])[1:]:
        seat, price, discard, tile = _OFFER.match(line).groups()
        known = bool(discard) if price or discard else None
        offer = {"tile": tile, "price": price and int(price), "discard": known}
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
    its, *facts = rest.split(": ", 1)[1].split(", ")
    gold = facts.pop(0).removeprefix("gold ")
    words = {
        word: int(count) for count, word in (each.split(" ", 1) for each in facts if each[0].isdecimal())
    }
    counted = next((each for each in facts if each.startswith("counted ")), "")
    income = next((each for each in facts if each.startswith("next income ")), "")
    hand = next((each for each in facts if each.startswith("in hand ")), "in hand ")
    return {
        "seat": int(seat),
        "name": name,
        "is_me": rest.startswith(" (you)"),
        "color": next(each for each in facts if each in BASE.colors),
        "score": int(its.removesuffix(" points")),
        "gold": number(gold),
        "counted": int(counted.split()[1]) if counted else None,
        "income": int(income.split()[2]) if income else None,
        "objects": {word: count for word, count in words.items() if word not in ("tiles", "by scrolls")},
        "scroll_points": words["by scrolls"],
        "tiles": words["tiles"],
        "offer_set": "offer set" in facts,
        "building_finished": "building finished" in facts,
        "tiles_to_build": hand.split()[2::2],
        "tiles_on_offer": [],
    }


def cell(text):
    x, y, tile, rotation, _ = _CELL.match(text).groups()
    return {"tile": tile, "x": int(x), "y": int(y), "rotation": int(rotation)}


def bag(line):
    count, listed = re.fullmatch(r"Bag \((\d+) tiles\): ?(.*)", line).groups()
    tiles = []
    for part in listed.split(", ") if listed else ():
        first, *last = part.split(" to ")
        numbers = range(int(first[-2:]), int(last[0][-2:]) + 1) if last else [int(first[-2:])]
        tiles += [f"{first[:-2]}{each:02}" for each in numbers]
    return {"count": int(count), "tiles": tiles}


def trades(sections):
    """Return the number of the round, the offers by seat, and the purchases by seat."""
    title = next((name for name in sections if name.startswith("Prices and purchases")), None)
    if title is None:
        return None
    offers, purchases = {}, {}
    for line in sections[title][1:]:
        seat, text = re.fullmatch(r"  seat (\d+): (.*)", line).groups()
        offer, *purchase = text.split("; ")
        discard, *prices = offer.removeprefix("discarded ").split(", ")
        priced = [each.split(" for ") for each in prices]
        offers[int(seat)] = (discard, {tile: int(price) for tile, price in priced})
        if purchase and purchase != ["passed"]:
            bought = re.fullmatch(r"bought (\S+) from seat (\d+) for (\d+)", purchase[0])
            purchases[int(seat)] = (bought[1], int(bought[2]), int(bought[3]))
    return int(title.split()[-1]), offers, purchases
