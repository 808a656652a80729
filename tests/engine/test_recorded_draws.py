"""A recorded game keeps its draws, whatever the seed assigns later."""

from random import Random

import pytest

from skye import (
    BASE,
    Action,
    Options,
    Record,
    game_from_position,
    legal_moves,
    new_game,
    play,
    position_of,
    record_from_json,
    record_to_json,
    replay,
)
from skye.errors import InvalidRecord
from skye.events import RoundStarted
from skye.positions import apply_event
from tests.engine.playing import for_each_number_of_players
from tests.support.other_rules import change_draws, change_rules

NEXT_DRAWS = tuple(f"L{number:02}" for number in range(31, 46))


def played(players, *, position=None):
    """Return the record of a random game, and the outcomes as they were when it was played."""
    colors = BASE.colors[:players]
    rng = Random(players)
    begun = new_game(colors, seed="played")
    if position is not None:
        begun = begun._replace(game=position, events=())
    outcomes, actions = [begun], []
    while not outcomes[-1].game.is_over:
        game = outcomes[-1].game
        seat = rng.choice(game.waiting_for)
        moves = legal_moves(game, seat)
        move = rng.choice(moves)
        actions.append(Action(seat, move))
        outcomes.append(play(game, seat, move))
    return Record(colors, "played", Options(), tuple(actions), position), outcomes


def from_position(players):
    """Return a position whose next draws are named, up to the middle of a round."""
    return game_from_position(
        {"round": 3, "next_draws": [*NEXT_DRAWS], "players": [{}] * players}, seed="played"
    )


def from_start(_):
    return None


for_each_beginning = pytest.mark.parametrize("beginning", [from_start, from_position])


@for_each_number_of_players
@for_each_beginning
def test_events_give_each_state_under_other_draws_and_rules(beginning, players, monkeypatch):
    _, outcomes = played(players, position=beginning(players))
    change_draws(monkeypatch)
    change_rules(monkeypatch)
    game = outcomes[0].game
    for after, events in outcomes[1:]:
        for event in events:
            game = apply_event(game, event)
        assert game == after


@for_each_beginning
def test_record_gives_each_state_under_other_draws(beginning, monkeypatch):
    record, outcomes = played(3, position=beginning(3))
    exported = record_to_json(record)
    change_draws(monkeypatch)
    again = record_from_json(exported)
    assert replay(again) == outcomes
    assert record_to_json(again) == exported
    for outcome in outcomes:
        assert game_from_position(position_of(outcome.game)) == outcome.game
    assert new_game(BASE.colors[:3], seed="played").game.scoring_tiles != outcomes[0].game.scoring_tiles


def test_record_without_draws_is_drawn_from_its_seed():
    record, outcomes = played(2)
    assert replay(record_from_json(record_to_json(record) | {"draws": None})) == outcomes


def other(record, **changed):
    """Return a record with other draws."""
    return record | {"draws": record["draws"] | changed}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda draws: {"tiles": draws["tiles"][:6]}, "do not have 3 tiles of each seat in round 2"),
        (lambda _: {"tiles": []}, "do not have 3 tiles of each seat in round 1"),
        (lambda draws: {"tiles": draws["tiles"][:3] * 12}, "cannot be drawn now"),
        (lambda _: {"scoring_tiles": ["sheep"] * 4}, "sheep cannot be drawn now"),
        (lambda _: {"scoring_tiles": ["sheep"]}, "cannot be drawn now"),
        (lambda _: {"starting_seat": 2}, "2 cannot be drawn now"),
        (lambda _: {"starting_seat": [0]}, "cannot be drawn now"),
        (lambda _: {"tiles": 3}, "another format"),
    ],
)
def test_draws_that_cannot_have_been_made_are_refused(change, said):
    record, _ = played(2)
    exported = record_to_json(record)
    with pytest.raises(InvalidRecord, match=said):
        replay(record_from_json(other(exported, **change(exported["draws"]))))


def test_draws_that_differ_from_named_options_are_refused():
    record, _ = played(2)
    exported = record_to_json(record)
    seat = 1 - exported["draws"]["starting_seat"]
    exported["options"]["first_seat"] = seat
    with pytest.raises(InvalidRecord, match="name other scoring tiles or another first seat"):
        replay(record_from_json(exported))


def test_draws_have_the_tiles_of_each_round():
    record, outcomes = played(2)
    rounds = [event for outcome in outcomes for event in outcome.events if isinstance(event, RoundStarted)]
    assert len(record_to_json(record)["draws"]["tiles"]) == 3 * 2 * len(rounds)
