"""Rulesets as values: a second one plays whole games, and data files are checked and corrected."""

import hashlib
import hmac
import pickle
from dataclasses import replace
from random import Random

import pytest

from skye import (
    CHANCE,
    Action,
    Options,
    Pass,
    Record,
    SetOffer,
    Territory,
    chance_outcomes,
    choose_move,
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
    record_from_json,
    record_to_json,
    replay,
    rule_error,
)
from skye.bots import BOTS
from skye.draws import SeededDraws
from skye.errors import InvalidPosition, InvalidRecord, InvalidSetup
from skye.events import IncomePaid, OffersRevealed
from skye.positions import game_hash
from skye.rulesets import BASE, RULESETS, InvalidRulesetData, parse_data, register, ruleset_of
from skye.scoring import FinalScoring
from skye.views import event_view, scored_territories_view, scoring_tile_catalogue_view
from tests.support.second_ruleset import LAKESIDE_SHEEP, SECOND, registered

OPTIONS = Options(ruleset="second")
FOUR_DRAWN = replace(SECOND, id="four_drawn", tiles_drawn=4, minimum_price=2)
BY_FOUR_DRAWN = Options(ruleset="four_drawn")

for_two_and_three = pytest.mark.parametrize("players", [2, 3])


@pytest.fixture(autouse=True, scope="module")
def _second_ruleset():
    with registered(SECOND, FOUR_DRAWN):
        yield


def begun(players=2, seed="second", options=OPTIONS):
    return new_game(players, seed=seed, options=options).game


def states(players=2, seed="second", options=OPTIONS):
    """Return every state of a random game."""
    game, rng = begun(players, seed, options), Random(seed)
    found = [game]
    while not game.is_over:
        seat = rng.choice(game.waiting_for)
        game = play(game, seat, choose_move("random", game, seat, rng)).game
        found.append(game)
    return found


@pytest.mark.parametrize(
    ("bot", "players"),
    [("random", 2), ("random", 3), ("greedy", 2), ("greedy", 3), ("strategist", 3)],
)
def test_bot_plays_a_whole_game_of_the_second_ruleset(bot, players):
    game = play_out(begun(players), bot, Random(1)).game
    assert (game.is_over, game.round, game.rounds, game.ruleset) == (True, 4, 4, SECOND)
    assert [len(player.points) for player in game.players] == [4] * players
    built = [placed.tile for player in game.players for placed in player.territory.placed[1:]]
    assert sorted([*game.bag, *built]) == sorted(SECOND.tiles.landscape)
    assert any(tile.startswith("T") for tile in built)


@pytest.mark.parametrize("bot", BOTS)
def test_bot_plays_a_game_in_which_seats_draw_four_tiles(bot):
    game, log = play_out(begun(2, options=BY_FOUR_DRAWN), bot, Random(1))
    assert game.is_over
    assert {len(event.prices[0]) for event in log if isinstance(event, OffersRevealed)} == {3}


def test_second_ruleset_has_its_own_numbers():
    assert (len(SECOND.tiles.landscape), SECOND.slots, [*SECOND.players]) == (40, ("A", "B", "C"), [2, 3])
    assert (SECOND.max_rounds, SECOND.rounds(3)[0]) == (4, ("A", "B"))
    paid = next(
        event for event in new_game(2, seed="x", options=OPTIONS).events if isinstance(event, IncomePaid)
    )
    assert [income.castle for income in paid.incomes] == [7, 7]


@pytest.mark.parametrize("options", [OPTIONS, BY_FOUR_DRAWN])
def test_listed_moves_are_those_that_break_no_rule(options):
    rng = Random(3)
    for game in rng.sample(states(2, options=options)[:-1], 12):
        for seat in range(2):
            moves = legal_moves(game, seat)
            assert all(
                rule_error(game, seat, move) is None for move in rng.sample(moves, min(len(moves), 40))
            )
            limits = offer_limits(game, seat)
            if limits is not None:
                assert len(moves) == len({*moves}) == _number_of_offers(limits)


def _number_of_offers(limits):
    """Count the ways to split gold: by stars and bars, for prices of at least the minimum."""
    kept = len(limits.tiles) - 1
    spare, ways = limits.gold - kept * limits.minimum, 1
    for k in range(1, kept + 1):
        ways = ways * (spare + k) // k
    return len(limits.tiles) * ways


def test_tile_of_base_that_the_ruleset_lacks_is_no_tile():
    territory = begun().players[0].territory
    with pytest.raises(ValueError, match="no landscape tile 'L40'"):
        territory.legal_places("L40")
    with pytest.raises(ValueError, match="no landscape tile 'T01'"):
        Territory.parse("castle-red").legal_places("T01")
    assert Territory.parse("castle-red T01@0,-1", "second") == territory.place("T01", 0, -1, 0)


def test_territories_of_two_rulesets_differ():
    assert Territory.parse("castle-red", "second") != Territory.parse("castle-red")
    assert (
        eval(repr(Territory.parse("castle-red", "second")), {"Territory": Territory}).ruleset_id == "second"
    )


@for_two_and_three
def test_positions_and_their_text_give_the_same_game(players):
    for game in states(players):
        position = position_of(game)
        assert position["ruleset"] == "second"
        assert game_from_position(position) == game
        assert game_from_position(position_from_text(position_to_text(position))) == game


def test_text_of_a_position_names_the_ruleset_unless_it_is_base():
    assert "rules=second" in position_to_text(position_of(begun()))
    assert "rules" not in position_to_text(position_of(new_game(2, seed="x").game))


def test_short_position_is_completed_by_its_ruleset():
    game = game_from_position(
        {"ruleset": "second", "round": 3, "phase": "buying", "players": [{}, {}]}, "lab"
    )
    assert game.ruleset is SECOND
    assert len(game.scoring_tiles) == 3
    assert {*game.bag} < {*SECOND.tiles.landscape}
    four = game_from_position({"ruleset": "four_drawn", "phase": "building", "players": [{}, {}]}, "lab")
    assert [len(player.tiles_to_build) for player in four.players] == [3, 3]


@pytest.mark.parametrize("options", [OPTIONS, BY_FOUR_DRAWN])
def test_record_survives_json_and_replays(options):
    game, rng, actions = begun(options=options), Random(5), []
    while not game.is_over:
        seat = game.waiting_for[0]
        actions.append(Action(seat, choose_move("random", game, seat, rng)))
        game = play(game, seat, actions[-1].move).game
    record = Record(
        game.players and tuple(player.color for player in game.players), "second", options, (*actions,)
    )
    written = record_to_json(record)
    assert written["ruleset"] == options.ruleset
    assert replace(record_from_json(written), draws=None) == record
    assert replay(record)[-1].game == game


def test_record_from_a_position_names_the_ruleset_of_the_position():
    record = Record(("red", "blue"), None, Options(), (), states()[9])
    assert record_to_json(record)["ruleset"] == "second"


@for_two_and_three
def test_seat_sees_a_game_of_the_same_ruleset(players):
    for game in Random(1).sample(states(players)[:-1], 6):
        for seen in (observed_game(game, 0), determinize(game, 0, Random(2))):
            assert seen.ruleset is SECOND
            assert game_view(seen, 0)["players"] == game_view(game, 0)["players"]
        view = game_view(game, 0)
        again = game_from_view(view)
        assert view["ruleset"] == again.ruleset_id == "second"
        assert {*again.bag} == {*game.bag}
        assert [(player.territory, player.score) for player in again.players] == [
            (player.territory, player.score) for player in game.players
        ]


def test_view_with_events_gives_the_points_of_each_round():
    game, log = new_game(3, seed="second", options=OPTIONS)
    game, more = play_out(game, "random", Random(1))
    events = [event_view(game, 0, event) for event in (*log, *more)]
    again = game_from_view(game_view(game, 0), events)
    assert [player.points for player in again.players] == [player.points for player in game.players]
    assert again.winners == game.winners


def test_draws_are_chance_decisions_in_a_game_without_seed():
    rng = Random(1)
    game = new_game(3, chance_nodes=True, options=OPTIONS).game
    drawn = 0
    while not game.is_over:
        if game.is_chance_node:
            outcomes = chance_outcomes(game)
            assert sum(chance for _, chance in outcomes) == pytest.approx(1)
            game, drawn = play(game, CHANCE, rng.choice(outcomes)[0]).game, drawn + 1
        else:
            seat = game.waiting_for[0]
            game = play(game, seat, choose_move("random", game, seat, rng)).game
    assert drawn == 3 + 1 + 4 * 3 * 3
    assert {*game.scoring_tiles} < {*SECOND.scoring_tiles}


def test_hash_of_a_game_depends_on_its_ruleset():
    corrected = register(BASE.corrected("L20 WPWM/P - sheep*3", "corrections.txt"))
    with registered(corrected):
        position = position_of(new_game(2, seed="x").game)
        games = [game_from_position({**position, "ruleset": name}) for name in ("base", corrected.id)]
        assert len({game_hash(game) for game in games}) == len({*games}) == 2


def test_label_of_a_draw_begins_with_the_ruleset():
    digest = hmac.new(b"seed", b"second/draw/1/0/1", hashlib.sha256).digest()
    index = int.from_bytes(digest, "big") % 40
    assert SeededDraws("seed", ruleset_id="second").index("draw/1/0/1", 40) == index
    assert begun(seed="seed").players[0].tiles_on_offer[0] == SECOND.tiles.landscape[index]
    scoring = hmac.new(b"seed", b"second/scoring/A", hashlib.sha256).digest()
    left = sorted(SECOND.scoring_tiles)
    assert begun(seed="seed").scoring_tiles[0] == left[int.from_bytes(scoring, "big") % len(left)]


def test_catalogue_and_scores_are_those_of_the_ruleset():
    assert [view["id"] for view in scoring_tile_catalogue_view(SECOND)] == list(SECOND.scoring_tiles)
    territory = Territory.parse("castle-red T05@0,-1", "second")
    view = scored_territories_view(SECOND, [territory], [9], ["lakeside_sheep"])["territories"][0]
    assert view["scoring_tiles"][0]["points"] == 1
    assert (view["gold_points"], view["leftover_gold"]) == (2, 1)


def test_unknown_ruleset_is_refused():
    with pytest.raises(InvalidSetup, match="no ruleset 'druids'"):
        new_game(2, options=Options(ruleset="druids"))
    with pytest.raises(InvalidSetup, match="no ruleset"):
        new_game(2, options=Options(ruleset=["base"]))
    with pytest.raises(InvalidPosition, match="/ruleset: this is not one of base"):
        game_from_position({"ruleset": "druids", "players": [{}, {}]}, "lab")
    with pytest.raises(InvalidPosition, match="/ruleset"):
        game_from_position({"ruleset": 1, "players": [{}, {}]}, "lab")
    with pytest.raises(ValueError, match="no ruleset 'druids'"):
        Territory.parse("castle-red", "druids")
    with pytest.raises(ValueError, match="no ruleset 'druids'"):
        ruleset_of("druids")
    with pytest.raises((InvalidPosition, ValueError), match="ruleset"):
        game_from_view({**game_view(begun(), 0), "ruleset": "druids"})


@pytest.mark.parametrize("ruleset", ["druids", None, ["base"], {}])
def test_record_of_an_unknown_ruleset_is_refused(ruleset):
    record = record_to_json(Record(("red", "blue"), "lab", Options(), ()))
    with pytest.raises(InvalidRecord):
        record_from_json({**record, "ruleset": ruleset})


def test_setup_follows_the_ruleset():
    for players in (4, ["red", "blue", "green"], ["red", "red"]):
        with pytest.raises(InvalidSetup):
            new_game(players, seed="x", options=OPTIONS)
    with pytest.raises(InvalidSetup, match="uses 3 different scoring tiles, for slots A to C"):
        new_game(2, seed="x", options=replace(OPTIONS, scoring_tiles=("squares", "sheep", "most_gold")))
    chosen = ("lakeside_sheep", "squares", "most_gold")
    assert begun(options=replace(OPTIONS, scoring_tiles=chosen)).scoring_tiles == chosen


DAMAGED = {
    "tile with too few words": "L05 PPPM/W",
    "id of another form": "l05 PPPM/W NE",
    "edges of another form": "L05 PPP/W NE",
    "letter of no terrain": "L05 PPPX/W NE",
    "no center": "L05 PPPM NE",
    "road of another side": "L05 PPPM/W NX",
    "side of two roads": "L05 PPPM/W NE,EW",
    "empty road": "L05 PPPM/W NE,",
    "object that does not exist": "L05 PPPM/W NE dragon",
    "object given twice": "L05 PPPM/W NE farm farm",
    "number of objects": "L05 PPPM/W NE sheep*x",
    "no objects": "L05 PPPM/W NE sheep*0",
    "scroll of nothing": "L05 PPPM/W NE scroll:dragon",
    "two scrolls": "L05 PPPM/W NE scroll:farm scroll:ship",
    "broch without a mountain": "L05 PPPP/W NE broch",
    "ship without water": "L05 PPPP/P NE ship",
    "lighthouse without water": "L05 PPPP/P NE lighthouse",
    "tile given twice": "L01 PWWW/P N",
    "number of players": "rounds six A B",
    "too many players": "rounds 6 A B",
    "no rounds": "rounds 2",
    "too many rounds": "rounds 2 A A A A A A A A A A A",
    "slot that does not exist": "rounds 2 A G",
    "slots out of order": "rounds 2 BA",
    "slot given twice": "rounds 2 AA",
    "note about nothing": "note",
    "note without text": "note L05",
    "note about a table without text": "note rounds 5",
    "note about no tile": "note tiles are doubtful",
    "damaged word": "\x00",
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_damaged_line_is_named_with_its_file(line):
    with pytest.raises(InvalidRulesetData, match=r"^my\.txt, line 3: .*\w"):
        parse_data(f"# tiles\nL01 PWWW/P N\n{line}\n", "my.txt")


@pytest.mark.parametrize(
    "line", ["L99 PPPP/P -", "castle-pink PPPP/P NS", "rounds 4 A B", "note T99 what", "note rounds 5 what"]
)
def test_correction_of_nothing_is_named_with_its_line(line):
    with pytest.raises(InvalidRulesetData, match=r"^my\.txt, line 2: there is nothing to correct"):
        SECOND.corrected(f"\n{line}", "my.txt")


@pytest.mark.parametrize(
    "text",
    [
        "rounds 2 A B C AB AC BC ABC",
        "rounds 3 A B C ABC ABC",
        "rounds 2 ABCDEF DEF DEF ABC",
        "L02 PMWP/M - scroll:lighthouse",
    ],
)
def test_correction_that_gives_no_ruleset_names_the_file(text):
    few = dict(list(SECOND.scoring_tiles.items())[:3])
    narrow = replace(SECOND, scoring_tiles=few, final=FinalScoring({"sheep": 1, **_scrolls(SECOND)}, 5))
    with pytest.raises(InvalidRulesetData, match=r"^my\.txt: the ruleset 'second\+\w{8}' has"):
        narrow.corrected(text, "my.txt")


def _scrolls(ruleset):
    return {tile.scroll: 1 for tile in ruleset.data.tiles.values() if tile.scroll}


def test_corrected_tile_changes_the_id_and_leaves_base_unchanged():
    before = BASE.data.text
    corrected = BASE.corrected("# a third sheep\nL20 WPWM/P - sheep*3\nnote L20 Corrected.\n", "my.txt")
    assert corrected.id == f"base+{corrected.data.hash}" != BASE.id
    assert (corrected.tiles.by_id["L20"].count("sheep"), BASE.tiles.by_id["L20"].count("sheep")) == (3, 2)
    assert (corrected.note("L20"), corrected.note("L06")) == ("Corrected.", BASE.note("L06"))
    assert list(corrected.tiles.by_id) == list(BASE.tiles.by_id)
    assert (BASE.id, BASE.data.text, RULESETS["base"]) == ("base", before, BASE)


def test_corrected_table_of_rounds_is_used_by_games():
    corrected = BASE.corrected("rounds 5 A BD AC BCD ABCD", "my.txt")
    with registered(corrected):
        game = new_game(5, seed="x", options=Options(ruleset=corrected.id)).game
        assert game.slots_scored_in(5) == ("A", "B", "C", "D")
        game = play_out(game, "random", Random(1)).game
        assert [len(points) for points in game.players[0].points] == [1, 2, 2, 3, 4]


def test_same_content_gives_the_same_id():
    line, table = "L20 WPWM/P - sheep*3", "rounds 5 A BD AC BCD ABCD"
    corrected = BASE.corrected(f"{line}\n{table}", "my.txt")
    assert BASE.corrected(f"{table}\n\n# twice\n  {line}  ", "other.txt").id == corrected.id
    assert BASE.corrected(line, "my.txt").corrected(table, "other.txt").id == corrected.id
    assert BASE.with_data(corrected.data.text, "stored").id == corrected.id
    assert corrected.with_data(BASE.data.text, "stored") is BASE
    assert BASE.corrected(line, "my.txt").id != corrected.id


@pytest.mark.parametrize("text", ["", "note L20 Seen.", "L20 WPWM/P - sheep*2", "rounds 5 AB AC BD ACD BCD"])
def test_correction_equal_to_base_is_base(text):
    assert BASE.corrected(text, "my.txt").id == "base"


def test_data_as_text_give_the_same_data():
    for ruleset in (BASE, SECOND):
        again = parse_data(ruleset.data.text, "again.txt")
        assert (again.tiles, again.rounds, again.hash) == (
            ruleset.data.tiles,
            ruleset.data.rounds,
            ruleset.data.hash,
        )


def test_notes_do_not_change_the_id():
    assert parse_data("note L01 what", "my.txt").hash == parse_data("", "my.txt").hash
    assert SECOND.note("T04") == "This tile is invented."


def test_values_of_the_ruleset_survive_pickling():
    game = states()[20]
    for value in (SECOND, BASE, LAKESIDE_SHEEP, game, game.players[0].territory, begun()):
        assert pickle.loads(pickle.dumps(value)) == value
    assert pickle.loads(pickle.dumps(SECOND)) is SECOND


@pytest.mark.parametrize(
    "change",
    [
        {"castle_income": 8},
        {"catch_up": (0, 0, 0, 0)},
        {"data": BASE.data, "catch_up": BASE.catch_up},
        {"scoring_tiles": {**SECOND.scoring_tiles, "sheep": BASE.scoring_tiles["sheep"]}},
    ],
)
def test_another_ruleset_with_a_known_id_is_refused(change):
    with pytest.raises(ValueError, match="another ruleset 'second'"):
        register(replace(SECOND, **change))
    assert ruleset_of("second") is register(SECOND) is register(replace(SECOND)) is SECOND


@pytest.mark.parametrize(
    "change",
    [
        {"id": "Second"},
        {"id": "second+1"},
        {"data": parse_data("", "empty.txt")},
        {"tiles_drawn": 6},
        {"minimum_price": 0},
        {"castle_income": 1},
        {"catch_up": (0,)},
        {"scoring_tiles": {"squares": BASE.scoring_tiles["squares"]}},
        {"final": replace(SECOND.final, objects_per_point={"sheep": 1})},
    ],
)
def test_values_that_do_not_fit_together_are_refused(change):
    with pytest.raises(ValueError, match=r"^the ruleset '.*' \w+"):
        replace(SECOND, **change)


def test_moves_of_another_number_of_tiles_are_refused():
    game = begun(options=BY_FOUR_DRAWN)
    first, second, third, fourth = game.players[0].tiles_on_offer
    assert rule_error(game, 0, SetOffer(first, ((second, 2), (third, 2)))).code == "offer_incomplete"
    assert (
        rule_error(game, 0, SetOffer(first, ((second, 2), (third, 2), (fourth, 1)))).code == "price_too_low"
    )
    assert rule_error(game, 0, SetOffer(first, ((second, 2), (third, 2), (fourth, 3)))) is None
    assert rule_error(game, 0, Pass()).code == "wrong_phase"
