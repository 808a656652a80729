"""The public modules: which names they have, what they check, and that their values cannot be changed."""

import copy
import dataclasses
import importlib
import pickle
from dataclasses import FrozenInstanceError
from random import Random

import pytest

import skye
from skye import errors, events, svg, territory, views
from tests.support.reference import functions_without_example, public_modules

WITH_FIELDS = [skye.SetOffer("L01", ()), skye.Place("L01", 0, 1, 0), skye.Buy("L01"), skye.Draw("L01")]
PLAIN = [skye.Pass(), skye.TakeBack(), skye.FinishBuilding()]


@pytest.fixture
def game():
    return skye.new_game(3, seed="interface").game


@pytest.mark.parametrize("name", public_modules(skye))
def test_every_public_function_has_an_example(name):
    assert functions_without_example(name) == []


def test_public_modules_have_all_errors_events_and_views():
    assert {each.__name__ for each in errors.RULE_ERRORS} <= set(vars(errors))
    assert {each.__name__ for each in events.EVENT_TYPES} <= set(events.__all__)
    for kinds in ("events", "game", "reports"):
        module = importlib.import_module(f"skye.visibility.types.{kinds}")
        assert {each for each in vars(module) if each.endswith("View") and each[0] != "_"} <= {*views.__all__}


def test_moves_of_different_types_are_distinct_and_true():
    moves = [*WITH_FIELDS, *PLAIN]
    assert all(moves)
    assert len(set(moves)) == len(moves)
    assert [moves.index(move) for move in moves] == list(range(len(moves)))
    assert len({hash(move) for move in PLAIN}) == len(PLAIN)
    assert [copy.deepcopy(move) for move in moves] == moves


TAKES_A_SEAT = {
    "play": lambda game, seat: skye.play(game, seat, skye.Pass()),
    "rule_error": lambda game, seat: skye.rule_error(game, seat, skye.Pass()),
    "legal_moves": skye.legal_moves,
    "offer_limits": skye.offer_limits,
    "choose_move": lambda game, seat: skye.choose_move("random", game, seat),
    "placement_gains_view": lambda game, seat: views.placement_gains_view(game, seat, "L07"),
    "territory_worth_view": views.territory_worth_view,
    "what_if_view": lambda game, seat: views.what_if_view(game, seat, []),
}
TAKES_A_VIEWER = {
    "game_view": skye.game_view,
    "event_view": lambda game, viewer: views.event_view(game, viewer, events.PurchasePassed(0)),
    "scores_view": views.scores_view,
    "position_view": views.position_view,
    "actions_view": lambda game, viewer: views.actions_view(game, viewer, []),
    "round_view": lambda game, viewer: views.round_view(game, viewer, [], 1),
    "observed_game": skye.observed_game,
    "determinize": lambda game, viewer: skye.determinize(game, viewer, Random(1)),
}
EITHER = TAKES_A_SEAT | TAKES_A_VIEWER


@pytest.mark.parametrize("name", EITHER)
@pytest.mark.parametrize("seat", [skye.CHANCE, 3, 99])
def test_seat_that_does_not_exist_is_the_same_value_error(game, name, seat):
    with pytest.raises(ValueError, match=f"^there is no seat {seat}: this game has the seats 0 to 2$"):
        EITHER[name](game, seat)


@pytest.mark.parametrize("name", EITHER)
@pytest.mark.parametrize("seat", ["0", 1.0, True])
def test_seat_that_is_no_integer_is_a_type_error(game, name, seat):
    with pytest.raises(TypeError, match="a seat is an int"):
        EITHER[name](game, seat)


@pytest.mark.parametrize("name", EITHER)
def test_swapped_arguments_are_a_type_error(game, name):
    with pytest.raises(TypeError, match="the first argument is a GameState, not int"):
        EITHER[name](0, game)


@pytest.mark.parametrize("name", TAKES_A_VIEWER)
def test_viewer_without_a_seat_is_a_spectator(game, name):
    TAKES_A_VIEWER[name](game, None)


def offer(prices):
    return lambda game: skye.play(game, 0, skye.SetOffer(game.players[0].tiles_on_offer[0], prices(game)))


WRONG_TYPES = {
    "no move": lambda game: skye.play(game, 0, None),
    "game as bot": lambda game: skye.choose_move(game, "random"),
    "game as bots": lambda game: skye.play_out("random", game),
    "number as bot": lambda game: skye.choose_move(1, game),
    "tuple as move": lambda game: skye.play(game, 0, ("L01", 0, 1, 0)),
    "dictionary of prices": offer(lambda game: dict.fromkeys(game.players[0].tiles_on_offer[1:], 1)),
    "price with a fraction": offer(
        lambda game: tuple((tile, 1.0) for tile in game.players[0].tiles_on_offer[1:])
    ),
    "price that is true": offer(
        lambda game: tuple((tile, True) for tile in game.players[0].tiles_on_offer[1:])
    ),
    "no prices": offer(lambda _: None),
    "seed of a number": lambda _: skye.new_game(2, seed=7),
    "color instead of colors": lambda _: skye.new_game("red"),
    "options as dictionary": lambda _: skye.new_game(2, options={}),
    "no prices by tile": lambda _: skye.SetOffer.of("L01", None),
    "no text of a position": lambda _: skye.position_from_text(None),
    "no record": lambda _: skye.replay(None),
    "no source of samples": lambda game: skye.determinize(game, 0, None),
    "number as source": lambda game: skye.choose_move("random", game, 0, 5),
    "coordinate with a fraction": lambda game: game.players[0].territory.place("L28", 0.0, -1, 0),
}


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_value_of_a_wrong_type_is_a_type_error_with_a_sentence(game, name):
    with pytest.raises(TypeError, match=r" (is|are) .* not ") as raised:
        WRONG_TYPES[name](game)
    assert raised.traceback[-1].path.is_relative_to(skye.__path__[0])


CASTLE = territory.castle_alone("red")
WRONG_VALUES = {
    "round": lambda game: game.slots_scored_in(0),
    "slot": lambda game: game.scoring_tile("E"),
    "bot": lambda game: skye.choose_move("brilliant", game),
    "number of bots": lambda game: skye.play_out(game, ["random"] * 2),
    "seed and chance": lambda _: skye.new_game(2, seed="x", chance_nodes=True),
    "color": lambda _: territory.castle_alone("pink"),
    "tile": lambda _: CASTLE.legal_places("L99"),
    "placed tile": lambda _: CASTLE.place("L99", 0, -1, 0),
    "rotation": lambda _: CASTLE.place("L28", 0, -1, 45),
    "object": lambda _: skye.BASE.tiles.by_id["L01"].count("dragon"),
    "scoring tile": lambda _: skye.BASE.scoring_tile("dragons"),
    "tie-break": lambda _: skye.BASE.final.winners([1], [1], "dice"),
    "players": lambda _: skye.BASE.rounds(7),
    "picture": lambda _: svg.scoring_tile_svg("dragons"),
    "view": lambda _: skye.game_from_view({}),
}


@pytest.mark.parametrize("name", WRONG_VALUES)
def test_value_that_does_not_exist_is_a_value_error_with_a_sentence(game, name):
    with pytest.raises(ValueError, match=" ") as raised:
        WRONG_VALUES[name](game)
    assert type(raised.value) is ValueError


@pytest.mark.parametrize(
    "options",
    [
        skye.Options(tie_break="dice"),
        skye.Options(scoring_tiles=["sheep"] * 4),
        skye.Options(first_seat=True),
        skye.Options(first_seat=3),
    ],
)
def test_invalid_option_is_an_invalid_setup(options):
    with pytest.raises(errors.InvalidSetup):
        skye.new_game(3, options=options)


def test_new_game_without_seed_draws_another_each_time():
    first, second = skye.new_game().game, skye.new_game().game
    assert first.seed != second.seed
    assert len(first.seed) == 32
    assert first.scoring_tiles == skye.new_game(2, seed=first.seed).game.scoring_tiles


SHARED = {
    "frontier": CASTLE.frontier,
    "cells": CASTLE.summary.cells,
    "road ends": CASTLE.summary.road_ends,
    "connected": CASTLE.summary.connected,
    "areas": CASTLE.summary.areas,
    "bots": skye.BOTS,
    "tiles": skye.BASE.tiles.by_id,
    "rotated tiles": skye.BASE.tiles.rotated,
    "fitting rotations": skye.BASE.tiles.fitting_rotations,
    "tiles as data": skye.BASE.data.tiles,
    "scoring tiles": skye.BASE.scoring_tiles,
    "points of scrolls": skye.BASE.final.objects_per_point,
    "events": events.EVENT_TYPES,
}


@pytest.mark.parametrize("shared", SHARED.values(), ids=SHARED)
def test_shared_value_cannot_be_changed(shared):
    with pytest.raises(AttributeError):
        shared.clear()


def test_moves_and_games_cannot_be_changed(game):
    with pytest.raises(AttributeError):
        game.round = 2
    with pytest.raises(FrozenInstanceError):
        skye.Buy("L01").tile = "L02"


def values():
    game, happened = skye.play_out(skye.new_game(2, seed="values").game, "random", Random(1))
    placed = game.players[0].territory
    return [
        game, *game.players, *happened, *WITH_FIELDS, *PLAIN, *skye.Phase, *skye.TieBreak, placed,
        skye.Options(), skye.Outcome(game, happened), skye.OfferLimits((), 5, 1),
        skye.Record(("red", "blue"), "x", skye.Options(), (skye.Action(0, skye.Pass()),)),
        *placed.summary.areas, skye.BASE.scoring_tiles["sheep"], skye.BASE.tiles.rotated["L01", 90],
        skye.BASE.final.score(placed.summary, 7), skye.BASE,
    ]  # fmt: skip


@pytest.mark.parametrize("value", values(), ids=lambda value: type(value).__name__)
def test_value_survives_pickling_and_copying(value):
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.copy(value) == value
    assert copy.deepcopy(value) == value


def test_summary_survives_pickling_and_copying():
    summary = skye.Territory.parse("castle-red L28@0,-1 L44@0,1/180").summary
    for again in (pickle.loads(pickle.dumps(summary)), copy.copy(summary), copy.deepcopy(summary)):
        assert (again.cells, again.connected, again.counts) == (
            summary.cells,
            summary.connected,
            summary.counts,
        )
        assert list(again.areas) == list(summary.areas)


ERRORS = [
    *(kind("A sentence.", tile="L01") for kind in errors.RULE_ERRORS),
    errors.InvalidPosition([errors.Fault("/round", "this is missing")]),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_error_is_a_skye_error_and_survives_pickling(error):
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(error, skye.SkyeError)
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert vars(copy.deepcopy(error)) == vars(error)


def test_values_are_short_in_a_session():
    game = skye.new_game(2, seed="shown").game
    placed = skye.Territory.parse("castle-red L28@0,-1")
    assert repr(game) == "<GameState round 1 of 6, pricing: 0 - 0, waiting for seats [0, 1]>"
    assert repr(game.players[0]) == "<Player red: 0 points, 5 gold, 1 tiles>"
    assert repr(skye.new_game(chance_nodes=True).game).endswith("waiting for a draw>")
    assert repr(placed) == "Territory.parse('castle-red L28@0,-1')"
    assert max(len(repr(value)) for value in values() if not isinstance(value, skye.Outcome)) < 1000


def test_territory_is_a_picture_in_a_notebook():
    placed = skye.Territory.parse("castle-red L28@0,-1")
    assert placed._repr_svg_() == svg.territory_svg(placed)


@pytest.mark.parametrize("position", [None, {"round": 3, "phase": "building", "players": [{}, {}]}])
def test_record_survives_json(position):
    started = None if position is None else skye.game_from_position(position, "lab")
    game = skye.new_game(2, seed="lab").game if started is None else started
    actions, rng = [], Random(2)
    while not game.is_over:
        seat = game.waiting_for[0]
        actions.append(skye.Action(seat, skye.choose_move("random", game, seat, rng)))
        game = skye.play(game, seat, actions[-1].move).game
    record = skye.Record(("red", "blue"), "lab", skye.Options(), tuple(actions), started)
    again = skye.record_from_json(skye.record_to_json(record, ["Ada", "Bob"]))
    assert dataclasses.replace(again, draws=None) == record
    assert skye.replay(again)[-1].game == game


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: record.pop("players"),
        lambda record: record.update(ruleset="druids"),
        lambda record: record.update(options=None),
        lambda record: record["options"].update(tie_break="dice"),
        lambda record: record["options"].update(seed=None),
        lambda record: record.update(actions=[{"seat": 0, "type": "jump"}]),
        lambda record: record.update(
            actions=[{"seat": 0, "type": "set_offer", "discard": None, "prices": None}]
        ),
        lambda record: record.update(
            actions=[{"seat": 0, "type": "set_offer", "discard": [], "prices": {"L01": 1, "L02": 1}}]
        ),
        lambda record: record.update(format=record["format"] + 1),
        lambda record: record["options"].update(open_gold="yes"),
        lambda record: record["options"].update(scoring_tiles=[[]]),
        lambda record: record.update(gave_up=[None]),
    ],
)
def test_damaged_record_is_an_invalid_record(damage):
    record = skye.record_to_json(skye.Record(("red", "blue"), "lab", skye.Options(), ()))
    damage(record)
    with pytest.raises(errors.InvalidRecord):
        skye.record_from_json(record)


def test_play_out_samples_the_draws_of_a_game_without_seed():
    game, log = skye.play_out(skye.new_game(2, chance_nodes=True).game, "random", Random(1))
    assert game.is_over
    assert isinstance(log[-1], events.GameFinished)


def test_bot_chooses_for_the_first_seat_that_can_act(game):
    assert skye.choose_move("random", game, rng=Random(1)) == skye.choose_move("random", game, 0, Random(1))
    over = skye.play_out(game).game
    with pytest.raises(ValueError, match="cannot act"):
        skye.choose_move("random", over, 0)
    with pytest.raises(ValueError, match="no seat can act"):
        skye.choose_move("random", over)
