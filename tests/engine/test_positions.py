"""Positions: exported and imported again, as JSON and as text, complete, partial and wrong."""

import copy
import json
from itertools import pairwise
from random import Random

import pytest

from skye import (
    BOTS,
    CHANCE,
    InvalidPosition,
    Phase,
    TakeBack,
    chance_outcomes,
    determinize,
    game_from_position,
    game_from_view,
    game_view,
    legal_moves,
    new_game,
    observed_game,
    offer_limits,
    play,
    play_out,
    position_from_text,
    position_of,
    position_to_text,
)
from skye.positions import game_hash
from skye.positions.checking import FIRST_AMOUNT, GROWTH
from skye.rulesets import BASE
from skye.views import position_view
from tests.engine.playing import for_each_number_of_players, games, games_with_events, printed_by, seen_events
from tests.support.sizes import sized


def chance_games(players):
    """Yield the positions of a game with chance decisions until its first offer."""
    rng = Random(players)
    game = new_game(BASE.colors[:players], chance_nodes=True).game
    while game.is_chance_node:
        yield game
        game = play(game, CHANCE, rng.choice(chance_outcomes(game))[0]).game
    yield game


def games_with_next_draws(players):
    """Return the games of a whole game in which the draws of three rounds are named."""
    tiles = [f"L{number:02}" for number in range(1, 9 * players + 2)]
    game = game_from_position({"next_draws": tiles, "players": [{}] * players}, "lab")
    found, rng = [game], Random(players)
    while not found[-1].is_over:
        seat = found[-1].waiting_for[0]
        found.append(play(found[-1], seat, BOTS["random"](found[-1], seat, rng)).game)
    return found


@for_each_number_of_players
def test_next_draws_come_out_of_the_bag_before_those_of_the_seed(players):
    played = games_with_next_draws(players)
    for number in range(1, 4):
        begun = next(game for game in played if game.round == number)
        first = 3 * players * (number - 1) + 1
        drawn = [tile for player in begun.players for tile in player.tiles_on_offer]
        assert drawn == [f"L{tile:02}" for tile in range(first, first + 3 * players)]
    fourth = next(game for game in played if game.round == 4)
    assert fourth.players[0].tiles_on_offer[0] == f"L{9 * players + 1:02}"
    assert fourth.next_draws == ()


def test_next_draws_are_as_secret_as_the_seed():
    game = game_from_position(
        {
            "next_draws": ["L01"],
            "phase": "building",
            "players": [{"building_finished": True}, {"tiles_to_build": ["L02"]}],
        },
        "lab",
    )
    assert position_of(game)["next_draws"] == ["L01"]
    for viewer in (None, 0, 1):
        assert not {"seed", "next_draws"} & position_view(game, viewer).keys()
    assert observed_game(game, 1).next_draws == determinize(game, 1, Random(1)).next_draws == ()


@for_each_number_of_players
@pytest.mark.parametrize("seed", range(sized(1, 2)))
def test_exported_position_is_imported_as_the_same_game(players, seed):
    for game in [*games(seed, players), *chance_games(players), *games_with_next_draws(players)]:
        position = json.loads(json.dumps(position_of(game)))
        again = game_from_position(position)
        assert again == game
        assert position_of(again) == position


@for_each_number_of_players
def test_position_with_the_most_gold_and_score_is_imported_to_the_end(players):
    gold = FIRST_AMOUNT * players + 2 * GROWTH - 2 * (players - 1)
    seats = [
        {"gold": gold if seat == 0 else 2, "score": FIRST_AMOUNT + 2 * GROWTH} for seat in range(players)
    ]
    game, rng = game_from_position({"seed": "lab", "round": 2, "players": seats}), Random(players)
    while not game.is_over:
        seat = min(game.waiting_for)
        game = play(game, seat, BOTS["random"](game, seat, rng)).game
        assert game_from_position(position_of(game)) == game


@pytest.mark.parametrize(
    ("seat", "at", "reason"),
    [
        ({"gold": 2 * FIRST_AMOUNT + 3 * GROWTH - 1}, "/players", "23000 gold together in round 3"),
        ({"score": FIRST_AMOUNT + 3 * GROWTH + 1}, "/players/0/score", "at most 13000 in round 3"),
    ],
)
def test_amount_beyond_those_of_any_game_is_refused(seat, at, reason):
    with pytest.raises(InvalidPosition) as raised:
        game_from_position({"round": 3, "players": [seat, {"gold": 2}]}, "lab")
    ((pointer, text),) = raised.value.faults
    assert pointer == at
    assert reason in text


@for_each_number_of_players
def test_text_form_is_imported_as_the_same_game(players):
    for game in [*games(players, players), *chance_games(players), *games_with_next_draws(players)]:
        text = position_to_text(position_of(game))
        assert "\n" not in text
        position = position_from_text(text)
        assert game_from_position(position) == game
        assert position_to_text(position) == text


@for_each_number_of_players
def test_position_as_a_seat_sees_it_gives_a_game_with_the_same_view(players):
    for number, played in enumerate(list(games(players, players))[::2]):
        game = played._replace(open_gold=number % 2 > 0)
        for viewer in (None, *range(players)):
            seen = json.loads(json.dumps(position_view(game, viewer)))
            again = game_from_position(position_from_text(position_to_text(seen)), "another seed")
            assert position_view(again, viewer) == seen or game.is_over
            assert unsealed(game_view(again, viewer)) == unsealed(game_view(game, viewer))


def unsealed(view):
    return view | {"fairness": None}


@for_each_number_of_players
def test_view_and_events_of_a_seat_give_a_game_that_it_cannot_tell_apart(players):
    for game, events in list(games_with_events(players, players))[::2]:
        options = {"tie_break": str(game.tie_break), "open_gold": game.open_gold}
        for seat in (0, players - 1):
            view = json.loads(json.dumps(game_view(game, seat) | {"options": options}))
            again = game_from_view(view, json.loads(json.dumps(seen_events(seat, events, game))))
            assert unsealed(game_view(again, seat)) == unsealed(game_view(game, seat))
            assert legal_moves(again, seat) == legal_moves(game, seat)
            assert offer_limits(again, seat) == offer_limits(game, seat)
            assert [purse(player) for player in again.players] == [purse(player) for player in game.players]
            assert again.players[0].points == game.players[0].points
            assert again.players[0].territory_sizes == game.players[0].territory_sizes


def test_events_after_the_last_one_of_the_view_are_ignored():
    for (game, events), (later_game, later_events) in pairwise(games_with_events(1, 2)):
        seen = [event | {"id": i} for i, event in enumerate(seen_events(0, later_events, later_game), 1)]
        view = game_view(game, 0) | {"last_event": len(events)}
        assert game_from_view(view, seen) == game_from_view(view, seen[: len(events)])


def purse(player):
    return player.gold + player.stakes


def test_view_alone_gives_a_game_with_the_same_legal_moves_but_taking_back():
    for game in games(1, 3):
        again = game_from_view(json.loads(json.dumps(game_view(game, 0))), seed="sampled")
        assert {*legal_moves(game, 0)} - {TakeBack()} == {*legal_moves(again, 0)} - {TakeBack()}


def test_position_of_players_alone_begins_a_game():
    game = game_from_position({"players": [{}, {}, {}]}, seed="lab")
    assert game == new_game(BASE.colors[:3], seed="lab").game


@for_each_number_of_players
@pytest.mark.parametrize("phase", ["pricing", "buying", "building"])
@pytest.mark.parametrize("number", [1, 3, 5])
def test_round_and_phase_alone_give_a_position_that_can_be_played(players, phase, number):
    game = game_from_position({"round": number, "phase": phase, "players": [{}] * players}, seed="lab")
    assert (game.round, str(game.phase)) == (number, phase)
    assert game_from_position(position_of(game)) == game
    assert play_out(game, rng=Random(1)).game.is_over


def test_fifth_round_buying_with_twelve_gold_takes_one_line():
    game = game_from_position(
        position_from_text("round=5 phase=buying start=1 | gold=3 | gold=12"), seed="lab"
    )
    assert (game.round, game.phase, game.waiting_for, game.players[1].gold) == (5, Phase.BUYING, (1,), 12)


def test_hash_is_stable_and_differs_between_positions():
    played = list(games(5, 2))
    assert len({game_hash(game) for game in played}) == len(set(played))
    code = "import skye; print(skye.positions.game_hash(skye.new_game(2, seed='seed').game))"
    assert int(printed_by(code)) == game_hash(new_game(BASE.colors[:2], seed="seed").game)


def test_game_instead_of_its_position_is_refused_with_the_way_to_it():
    game = new_game(2, seed="seed").game
    with pytest.raises(TypeError, match=r"JSON data, not GameState: position_of\(game\) returns it"):
        position_to_text(game)
    with pytest.raises(TypeError, match="JSON data, not str"):
        position_to_text("round=2 |")


BUYING = (
    "round=2 phase=buying start=0 seed=lab | red territory=L28@0,-1 offers=L01:2;L02:3 | blue offers=L03:1"
)
BUILDING = "round=2 phase=building seed=lab | red territory=L28@0,-1 build=L01,L02 | blue build=L03"


def set_at(position, pointer, value):
    *way, last = pointer.strip("/").split("/")
    for key in way:
        position = position[int(key)] if isinstance(position, list) else position[key]
    if isinstance(position, list):
        position.insert(int(last), value)
    else:
        position[last] = value


@pytest.mark.parametrize(
    ("text", "pointer", "value", "at", "reason"),
    [
        (BUYING, "/players/1/tiles_to_build", ["L01"], "/players/1/tiles_to_build/0", "L01 is at"),
        (BUYING, "/players/0/territory/1", {"tile": "L01", "x": 5, "y": 5, "rotation": 0},
         "/players/0/territory/1", "not joined"),
        (BUYING, "/players/0/territory/1", {"tile": "L45", "x": 1, "y": 0, "rotation": 0},
         "/players/0/territory/1", "shows"),
        (BUYING, "/players/0/territory/1", {"tile": "L99", "x": 1, "y": 0, "rotation": 0},
         "/players/0/territory/1/tile", "not the id of a tile"),
        (BUYING, "/players/0/territory/0/rotation", 45,
         "/players/0/territory/0/rotation", "not one of 0, 90"),
        (BUYING, "/players/0/territory/0/x", 101, "/players/0/territory/0/x", "from -100 to 100"),
        (BUYING, "/players/1/tiles_on_offer/1", {"tile": "L74", "price": 1},
         "/players/1/tiles_on_offer/1/tile", "not the id of a landscape tile"),
        (BUYING, "/players/1/tiles_on_offer/1", {"price": 1}, "/players/1/tiles_on_offer/1/tile", "missing"),
        (BUYING, "/players/1/tiles_on_offer/0/price", None, "/players/1/tiles_on_offer", "price"),
        (BUYING, "/players/1/color", "red", "/players/1/color", "seat 0"),
        (BUYING, "/players/1/color", "pink", "/players/1/color", "not one of"),
        (BUYING, "/players/0/gold", -1, "/players/0/gold", "not an integer from 0"),
        (BUYING, "/players/0/gold", True, "/players/0/gold", "not an integer from 0"),
        (BUYING, "/players/0/purse", 5, "/players/0/purse", "no such field"),
        (BUYING, "/players/0/placed_this_round", 1, "/players/0/placed_this_round", "building phase"),
        (BUYING, "/players/0/building_finished", True, "/players/0/building_finished", "building phase"),
        (BUYING, "/players/0/final", {"scroll_points": 0, "gold_points": 0}, "/players/0/final", "over"),
        (BUYING, "/buys", 2, "/buys", "phase is building"),
        (BUYING, "/players/0/a~b", 5, "/players/0/a~0b", "no such field"),
        (BUYING, "/round", 7, "/round", "not an integer from 1 to 6, the rounds of 2 players"),
        (BUYING, "/round", 0, "/round", "not an integer from 1 to 6"),
        ("round=5 seed=lab | | | | |", "/round", 6, "/round", "from 1 to 5, the rounds of 5 players"),
        (BUYING, "/round", "2", "/round", "integer"),
        (BUYING, "/phase", "income", "/phase", "not one of"),
        (BUYING, "/phase", None, "/phase", "over only after round 6"),
        (BUYING, "/phase", "building", "/players/0/tiles_on_offer", "no tiles are on offer"),
        (BUYING, "/phase", "pricing", "/players/1/tiles_on_offer", "draws 3"),
        (BUYING, "/scoring_tiles", ["sheep"], "/scoring_tiles", "uses 4"),
        (BUYING, "/scoring_tiles", ["sheep"] * 5, "/scoring_tiles", "at most 4"),
        (BUYING, "/scoring_tiles", ["sheep"] * 4, "/scoring_tiles/1", "two slots"),
        (BUYING, "/ruleset", "druids", "/ruleset", "not one of base"),
        (BUYING, "/tie_break", "cards", "/tie_break", "not one of"),
        (BUYING, "/players/0/points", [[1], [2]], "/players/0/points", "1 rounds are scored"),
        (BUYING, "/players/0/points", [[1] * 5], "/players/0/points/0", "at most 4"),
        (BUYING, "/players/0/points", [[-1]], "/players/0/points/0/0", "from 0 to"),
        (BUYING, "/players/0/points", [[]] * 7, "/players/0/points", "at most 6"),
        (BUYING, "/players/0/territory_sizes", [5], "/players/0/territory_sizes", "not a growing"),
        (BUYING, "/players", [{}], "/players", "2 to 5"),
        (BUILDING, "/players/0/building_finished", True, "/players/0/building_finished", "nothing left"),
        (BUILDING, "/players/1/placed_this_round", 1, "/players/1/placed_this_round", "only 0 tiles"),
        (BUILDING, "/round", 1, "/players/0/territory", "at most 0 tiles"),
        (BUILDING, "/players/1/tiles_to_build", ["L03", "L04", "L05", "L06"],
         "/players/1/tiles_to_build", "at most 3"),
        ("round=1 seed=lab | gold=9 offers=L01:x;L02:1;L03:1 |", "/players/0/offer_set", False,
         "/players/0/offer_set", "complete"),
        ("round=1 seed=lab | | gold=9", "/players/0/score", 3, "/players/0/score", "before round 1"),
        ("round=1 seed=lab | | gold=9", "/players/1/gold", 1, "/players/1/gold", "at least 2"),
        ("round=1 seed=lab | offer_set=yes |", "/players/1/offer_set", True, "/phase", "buying"),
        (BUILDING, "/next_draws", ["L04", "L04"], "/next_draws/1", "L04 is at /next_draws/0 already"),
        (BUILDING, "/next_draws", ["L99"], "/next_draws/0", "not the id of a landscape tile"),
        ("round=1 draws=L01 seed=lab | |", "/seed", None, "/next_draws", "chance decisions"),
        ("round=2 seed=lab | points=3 | ", "/players/0/score", 2, "/players/0/score", "come to 3"),
    ],
)  # fmt: skip
def test_fault_of_a_position_is_named_with_its_place_and_reason(text, pointer, value, at, reason):
    position = position_from_text(text)
    game_from_position(copy.deepcopy(position))
    set_at(position, pointer, value)
    with pytest.raises(InvalidPosition) as raised:
        game_from_position(position)
    assert [fault for fault in raised.value.faults if fault.pointer == at and reason in fault.reason], (
        raised.value
    )


def test_score_alone_belongs_to_no_scoring_tile():
    game = game_from_position(
        {"round": 3, "players": [{"score": 17}, {"score": 9, "points": [[4], [3]]}]}, "lab"
    )
    assert [player.score for player in game.players] == [17, 9]
    assert [player.points for player in game.players] == [((0,), (0,)), ((4,), (3,))]
    scores = game_view(game, None)["players"]
    assert [player["score"] for player in scores] == [17, 9]
    assert game_from_position(position_of(game)) == game


def test_number_without_fraction_is_an_integer():
    game = game_from_position({"round": 2.0, "players": [{"gold": 7.0}, {}]}, "lab")
    assert (game.round, repr(game.players[0].gold)) == (2, "7")


def test_all_faults_are_named_at_once():
    with pytest.raises(InvalidPosition) as raised:
        game_from_position({"round": 9, "tie_break": 5, "players": [{"gold": "much"}, {"color": "pink"}]})
    assert [fault.pointer for fault in raised.value.faults] == [
        "/round", "/tie_break", "/players/0/gold", "/players/1/color"
    ]  # fmt: skip


@pytest.mark.parametrize("junk", [None, [], "text", {}, {"players": "two"}, {"players": [1, 2]}])
def test_value_that_is_not_a_position_is_refused(junk):
    with pytest.raises(InvalidPosition):
        game_from_position(junk)


@pytest.mark.parametrize(
    "text", ["", "round=x | |", "round=1 | gold=x |", "size=1 | |", "| territory=L28 |", "| points=a |"]
)
def test_text_that_cannot_be_read_is_refused(text):
    with pytest.raises(InvalidPosition):
        game_from_position(position_from_text(text))
