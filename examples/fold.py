"""Keep a view of a game current from its events alone.

    view = GET /v1/games/{game}
    for event in GET /v1/games/{game}/events?after={view["last_event"]}:
        fold(view, event)

Or build the view from the first event, with the ids of the tiles in the catalogue:

    view = begin(tiles)
    for event in GET /v1/games/{game}/events:
        fold(view, event)

After each event that completes a version, `view` is what GET would return to the same caller.
"""

CASTLE = {"x": 0, "y": 0, "rotation": 0}


def begin(tiles, color=None, host=False):
    """Return the view of a caller before the first event.

    :param tiles: the ids of all tiles of the catalogue.
    :param color: the colour of the caller's seat.
    :param host: whether the caller has the host token.
    """
    landscape = sorted(tile for tile in tiles if not tile.startswith("castle-"))
    return {
        "status": "lobby",
        "you": {"seat": None, "host": host, "color": color},
        "deadline": None,
        "round": 0,
        "rounds": None,
        "phase": None,
        "waiting_for": [],
        "bag": {"count": len(landscape), "tiles": landscape},
        "players": [],
        "result": None,
    }


def fold(view, event):
    """Apply one event to a view. An event of an unknown type changes the version and nothing else."""
    view["version"], view["last_event"] = event["version"], event["id"]
    enter = FOLDS.get(event["type"])
    if enter is not None:
        enter(view, view["players"], event)


def game_created(view, players, event):
    """Copy what the creator chose."""
    for field in ("name", "private", "seats", "options", "scoring_tiles", "fairness"):
        view[field] = event[field]
    view["id"], view["created_at"] = event["game"], event["at"]
    view["starting_seat"] = event["options"]["starting_seat"]


def player_joined(view, players, event):
    """A new player sits down behind the others, with a castle and nothing else."""
    if view["you"].get("color") == event["color"]:
        view["you"]["seat"] = event["seat"]
    players.append(
        {
            **{field: event[field] for field in ("seat", "name", "color", "bot")},
            "score": 0,
            "gold": 0,
            "tiles_drawn": [],
            "tiles_to_build": [],
            "offer_set": False,
            "build_finished": False,
            "territory": [{"tile": f"castle-{event['color']}", **CASTLE}],
        }
    )


def player_left(view, players, event):
    """Those behind move up, perhaps you too."""
    del players[event["seat"]]
    for seat, player in enumerate(players):
        player["seat"] = seat
    you = view["you"]
    if you["seat"] is not None and you["seat"] >= event["seat"]:
        you["seat"] = None if you["seat"] == event["seat"] else you["seat"] - 1


def game_started(view, players, event):
    """The lobby closes."""
    view["status"] = "playing"
    for field in ("scoring_tiles", "starting_seat", "rounds"):
        view[field] = event[field]


def round_started(view, players, event):
    """Everybody begins the round afresh."""
    view["round"], view["starting_seat"] = event["round"], event["starting_seat"]
    for player in players:
        player["offer_set"] = player["build_finished"] = False


def set_gold(view, players, event):
    """Purses as far as you may see them."""
    for told in event["players"]:
        players[told["seat"]]["gold"] = told["gold"]


def tiles_drawn(view, players, event):
    """Tiles leave the bag."""
    for told in event["players"]:
        drawn = [{"tile": tile, "price": None, "discard": None} for tile in told["tiles"]]
        players[told["seat"]]["tiles_drawn"] = drawn
        _bag(view, out=told["tiles"])


def offer_set(view, players, event):
    """Of an offer that is not yours, you learn only that it is set."""
    player = players[event["seat"]]
    player["offer_set"] = True
    if event["discard"] is not None:
        player["gold"] = event["gold"]
        _price(player, event)


def offers_revealed(view, players, event):
    """Now everybody sees every offer."""
    set_gold(view, players, event)
    for told in event["players"]:
        _price(players[told["seat"]], told)


def tiles_discarded(view, players, event):
    """The marked tiles go back into the bag."""
    for player in players:
        player["tiles_drawn"] = [d for d in player["tiles_drawn"] if d["tile"] not in event["tiles"]]
    _bag(view, back=event["tiles"])


def tile_bought(view, players, event):
    """A tile goes from the seller to the buyer, and gold the other way."""
    set_gold(view, players, event)
    seller = players[event["seller"]]
    seller["tiles_drawn"] = [d for d in seller["tiles_drawn"] if d["tile"] != event["tile"]]
    players[event["seat"]]["tiles_to_build"].append(event["tile"])


def tiles_kept(view, players, event):
    """Unsold tiles are their owners' to build."""
    for told in event["players"]:
        player = players[told["seat"]]
        player["tiles_drawn"] = []
        player["tiles_to_build"] += told["tiles"]


def tile_placed(view, players, event):
    """A tile goes from the hand to the territory."""
    player = players[event["seat"]]
    player["tiles_to_build"].remove(event["tile"])
    player["territory"].append({field: event[field] for field in ("tile", "x", "y", "rotation")})


def placement_taken_back(view, players, event):
    """The last tile goes back into the hand."""
    player = players[event["seat"]]
    player["tiles_to_build"].append(player["territory"].pop()["tile"])


def building_finished(view, players, event):
    """What had no place goes back into the bag."""
    player = players[event["seat"]]
    player["build_finished"], player["tiles_to_build"] = True, []
    _bag(view, back=event["returned"])


def round_scored(view, players, event):
    """Points."""
    for told in event["players"]:
        players[told["seat"]]["score"] = told["score"]


def game_finished(view, players, event):
    """Everything is public now."""
    set_gold(view, players, event)
    round_scored(view, players, event)
    view["status"], view["result"] = "finished", event["result"]
    view["fairness"]["seed"] = view["options"]["seed"] = event["seed"]


def game_aborted(view, players, event):
    """The game ends without a result."""
    view["status"] = "aborted"


def turn_changed(view, players, event):
    """Who must act now, and until when."""
    for field in ("phase", "waiting_for", "deadline"):
        view[field] = event[field]


def bot_took_over(view, players, event):
    """A seat is a bot's from now on; who has resigned looks on like anybody else."""
    players[event["seat"]]["bot"] = event["bot"]
    if event["reason"] == "resigned" and view["you"]["seat"] == event["seat"]:
        view["you"]["seat"] = None


def _price(player, offer):
    for drawn in player["tiles_drawn"]:
        drawn["price"] = offer["prices"].get(drawn["tile"])
        drawn["discard"] = drawn["tile"] == offer["discard"]


def _bag(view, out=(), back=()):
    tiles = sorted({*view["bag"]["tiles"], *back} - {*out})
    view["bag"] = {"count": len(tiles), "tiles": tiles}


FOLDS = {
    fold_of.__name__: fold_of
    for fold_of in (
        game_created,
        player_joined,
        player_left,
        game_started,
        round_started,
        tiles_drawn,
        offer_set,
        offers_revealed,
        tiles_discarded,
        tile_bought,
        tiles_kept,
        tile_placed,
        placement_taken_back,
        building_finished,
        round_scored,
        game_finished,
        game_aborted,
        turn_changed,
        bot_took_over,
    )
} | {"income_paid": set_gold}
