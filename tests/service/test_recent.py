"""Tables that are remembered are those that the store holds, to the byte."""

import random

from engine import COLORS, legal_moves, offer_limits
from engine.moves import SetOffer
from service.codec import decode_table, encode_table
from service.recent import RecentTables
from service.seating import join, open_table, start
from service.steps import make_move
from service.table import GameOptions, Seat, Table


def opened(game_id="game", players=4):
    table = Table(game_id, "A game", "host", GameOptions("seed"), created_ms=1000, start_when_full=False)
    step = open_table(table, (), 1000)
    for color in COLORS[:players]:
        step = step.then(join(step.table, Seat("Somebody", color), 1000))
    return start(step.table, 1000).table


def test_a_table_in_memory_is_the_one_that_its_bytes_hold_through_a_whole_game():
    table, dice = opened(), random.Random(1)
    while table.waiting_for:
        seat = table.waiting_for[0]
        limits = offer_limits(table.game, seat)
        if limits is None:
            move = dice.choice(legal_moves(table.game, seat))
        else:
            discard, one, other = limits.tiles
            move = SetOffer(discard, ((one, 1), (other, 2)))
        table = make_move(table, seat, move, 2000).table
        assert decode_table(encode_table(table)) == table
    assert encode_table(decode_table(encode_table(table))) == encode_table(table)


def test_a_table_is_found_only_by_the_bytes_it_is_stored_as():
    recent, table = RecentTables(), opened()
    stored = encode_table(table)
    recent.keep(stored, table)
    assert recent.decoded("game", stored) is table
    later = encode_table(opened(players=3))
    assert recent.decoded("game", later) == decode_table(later)
    assert recent.decoded("game", stored) is not table


def test_the_table_remembered_longest_makes_room():
    recent = RecentTables(most=2)
    tables = [opened(name) for name in ("a", "b", "c")]
    for table in tables:
        recent.keep(encode_table(table), table)
    assert recent.decoded("a", encode_table(tables[0])) is not tables[0]
    assert recent.decoded("c", encode_table(tables[2])) is tables[2]
