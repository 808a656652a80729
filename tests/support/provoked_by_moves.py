"""Moves, records and territories that the rules refuse."""

from tests.support.playing import dice
from tests.support.provoked_problems import provokes
from tests.support.used_up_changes import game_with_used_up_changes


@provokes("wrong_phase")
def a_purchase_while_prices_are_set(service):
    game = service.create_game()
    return lambda: game.call("PUT", "purchase", {"tile": None}, seat=0)


@provokes("not_your_turn")
def a_purchase_out_of_turn(service):
    game = service.create_game()
    (buyer,) = game.play_to("buying")["waiting_for"]
    return lambda: game.call("PUT", "purchase", {"tile": None}, seat=(buyer + 1) % 3)


@provokes("tile_not_yours")
def a_price_on_another_seats_tile(service):
    """A price for a tile that another seat drew."""
    game = service.create_game()
    (marked, priced, _), (theirs, _, _), _ = drawn(game)
    return lambda: game.call("PUT", "offer", {"discard": marked, "prices": {priced: 1, theirs: 1}}, seat=0)


@provokes("tile_not_yours")
def a_placement_of_a_tile_that_is_not_in_hand(service):
    game = service.create_game()
    theirs = game.play_to("building")["players"][1]["tiles_to_build"][0]
    return lambda: game.place(0, theirs, 0, 1)


@provokes("offer_incomplete")
def an_offer_of_one_tile(service):
    game = service.create_game()
    (marked, priced, _), _, _ = drawn(game)
    return lambda: game.call("PUT", "offer", {"discard": marked, "prices": {priced: 1}}, seat=0)


@provokes("price_too_low")
def a_price_of_nothing(service):
    """A price of 0 gold."""
    game = service.create_game()
    return lambda: game.offer(0, 1, 0)


@provokes("not_enough_gold")
def prices_beyond_the_purse(service):
    game = service.create_game()
    return lambda: game.offer(0, 3, 3)  # the first income is 5


@provokes("not_enough_gold")
def a_purchase_beyond_the_purse(service):
    game = service.create_game(2, options={"first_seat": 0})
    game.offer(0, 1, 2)
    game.offer(1, 3, 1)
    dear = next(tile["tile"] for tile in game.view()["players"][1]["tiles_on_offer"] if tile["price"] == 3)
    return lambda: game.call("PUT", "purchase", {"tile": dear}, seat=0)


@provokes("own_tile")
def a_purchase_of_a_tile_of_ones_own(service):
    """A purchase of the seat's own tile."""
    game = service.create_game()
    view = game.play_to("buying")
    (buyer,) = view["waiting_for"]
    own = view["players"][buyer]["tiles_on_offer"][0]["tile"]
    return lambda: game.call("PUT", "purchase", {"tile": own}, seat=buyer)


@provokes("tile_not_for_sale")
def a_purchase_of_a_tile_in_the_bag(service):
    game = service.create_game()
    view = game.play_to("buying")
    (buyer,) = view["waiting_for"]
    return lambda: game.call("PUT", "purchase", {"tile": view["bag"]["tiles"][0]}, seat=buyer)


@provokes("cell_occupied")
def a_placement_on_the_castle(service):
    game = service.create_game()
    tile = game.play_to("building")["players"][0]["tiles_to_build"][0]
    return lambda: game.place(0, tile, 0, 0)


@provokes("not_adjacent")
def a_placement_far_away(service):
    game = service.create_game()
    tile = game.play_to("building")["players"][0]["tiles_to_build"][0]
    return lambda: game.place(0, tile, 1, 1)


@provokes("terrain_mismatch")
def a_placement_of_water_on_the_castles_pasture(service):
    """A placement with another terrain at the castle's edge."""
    game = service.create_game(2)
    tile, x, y, rotation = unfitting(game)
    return lambda: game.place(0, tile, x, y, rotation)


@provokes("building_finished")
def a_second_finish(service):
    game = service.create_game(2)
    game.play_until(lambda view: any(player["building_finished"] for player in view["players"]))
    return lambda: game.call("POST", "building/finish", seat=0)


@provokes("placeable_tiles_left")
def a_finish_with_a_tile_that_has_a_place(service):
    game = service.create_game()
    game.play_to("building")
    return lambda: game.call("POST", "building/finish", seat=0)


@provokes("nothing_to_take_back")
def a_take_back_before_anything_is_placed(service):
    game = service.create_game()
    game.play_to("building")
    return lambda: game.call("DELETE", "placements/1", seat=0)


@provokes("nothing_to_take_back")
def a_take_back_of_what_an_earlier_round_has_built(service):
    game = service.create_game(2)
    game.play_to("building", 2)
    return lambda: game.call("DELETE", "placements/1", seat=0)


@provokes("not_last_placement")
def a_take_back_of_another_than_the_last_placement(service):
    game = service.create_game()
    game.play_to("building")
    place = next(action for action in game.actions(0) if action["type"] == "place")
    game.act(0, place)
    return lambda: game.call("DELETE", "placements/2", seat=0)


@provokes("too_many_changes")
def a_take_back_after_very_many(service):
    """A placement to take back after too many changes."""
    game = game_with_used_up_changes(service, "building")
    return lambda: game.call("DELETE", "placements/1", seat=0)


@provokes("too_many_changes")
def an_offer_replaced_very_often(service):
    game = game_with_used_up_changes(service, "pricing")
    return lambda: game.offer(0, 1, 1)


@provokes("game_not_over")
def the_record_of_a_game_in_play_to_begin_from(service):
    game = service.create_game(2)
    record = service.get(game.path("record"))
    return lambda: service.call("POST", "/v1/games", {"record": record})


@provokes("invalid_record")
def a_record_with_an_action_against_the_rules(service):
    game = service.create_game(2, bots={0: "random", 1: "random"})
    record = service.get(game.path("record"))
    record["actions"][1] = record["actions"][0]
    record["actions"][2] = {"round": 1, "phase": "buying", "seat": 0, "type": "pass"}
    return lambda: service.call("POST", "/v1/games", {"record": record})


@provokes("invalid_territory")
def a_territory_that_cannot_lie_so(service):
    """A territory whose tiles are not connected."""
    tiles = [{"tile": "castle-red", "x": 0, "y": 0}, {"tile": "L01", "x": 2, "y": 0}]
    return lambda: service.call("POST", "/v1/scoring", {"territories": [{"tiles": tiles}]})


def drawn(game):
    """Return the tiles that each seat has drawn."""
    return [[tile["tile"] for tile in player["tiles_on_offer"]] for player in game.view()["players"]]


def unfitting(game):
    """Play until a tile in seat 0's hand does not fit beside the castle; return that placement."""
    throw = dice(1)
    for number in range(1, 7):
        hand = game.play_to("building", number, throw)["players"][0]["tiles_to_build"]
        legal = [action["body"] for action in game.actions(0) if action["type"] == "place"]
        taken = {(tile["x"], tile["y"]) for tile in game.view()["players"][0]["territory"]}
        for tile in hand:
            for x, y in [cell for cell in ((0, 1), (0, -1), (1, 0), (-1, 0)) if cell not in taken]:
                for rotation in (0, 90, 180, 270):
                    if {"tile": tile, "x": x, "y": y, "rotation": rotation} not in legal:
                        return tile, x, y, rotation
    raise AssertionError("every tile fits")
