"""Whole random games, every step compared with the reference implementation in `tests/reference`.

Each run plays the same games; a run in full size plays random ones. `SKYE_TEST_GAMES` in the environment says
how many random games each test plays for each number of players.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import Phase as Stage
from hypothesis import strategies as st

from skye import (
    Buy,
    FinishBuilding,
    GameState,
    Move,
    Options,
    Pass,
    Phase,
    Place,
    Record,
    RuleError,
    SetOffer,
    TakeBack,
    Territory,
    legal_moves,
    play,
    position_of,
    replay,
)
from skye.events import BuildingFinished, Event, GameFinished, IncomePaid, RoundScored, TilesKept
from skye.positions import action_of
from skye.rulesets import BASE
from tests.engine.playing import printed_by
from tests.reference.chance import as_world
from tests.reference.game import ReferenceGame, Seat
from tests.reference.play import Beginning, Step, attempt, beginning, whole_game
from tests.reference.reported import reported_areas, reported_by_engine, reported_by_reference
from tests.reference.rounds import SCORED
from tests.reference.world import areas_of, legal_places
from tests.support.sizes import sized

STRANDED = ("L07", "L45", "L21")  # tiles without a pasture edge
MOVES_TRIED = 8
ATTEMPTS = 4

some_games = settings(
    max_examples=int(os.environ.get("SKYE_TEST_GAMES", sized("2", "5"))),
    derandomize="SKYE_TEST_GAMES" not in os.environ and sized(True, False),
    deadline=None,
    phases=[Stage.explicit, Stage.reuse, Stage.generate],  # a smaller seed makes no smaller game
    suppress_health_check=list(HealthCheck),
)


def in_random_games(test: Callable[..., None]) -> Callable[..., None]:
    """Give a test numbers of players and random seeds."""
    seeded = some_games(given(seed=st.integers(0, 2**64 - 1))(test))
    return pytest.mark.parametrize("players", [2, 3, 4, 5])(seeded)


@in_random_games
def test_every_step_is_that_of_the_reference_game(players: int, seed: int):
    chance = Random(seed)
    begun = beginning(chance, players)
    reference = begun.reference_game()
    assert reported_by_engine(begun.game()) == reported_by_reference(reference)
    for step in whole_game(chance, begun.game()):
        assert reference.allows(step.seat, step.move)
        reference.make(step.seat, step.move)
        assert reported_by_engine(step.after.game) == reported_by_reference(reference)
        territory = step.after.game.players[step.seat].territory
        assert reported_areas(territory) == Counter(areas_of(reference.seats[step.seat].world))
        for event in step.after.events:
            assert event_is_true(event, reference), event
        check_gold(step)
        check_tiles(step.after.game)
    assert reference.phase is None


def check_gold(step: Step) -> None:
    """Check that gold comes only as income, and goes only with unsold tiles."""
    came = sum(income.total for event in paid(step.after.events) for income in event.incomes)
    went = sum(sum(event.gold_lost) for event in step.after.events if isinstance(event, TilesKept))
    assert all_gold(step.after.game) == all_gold(step.before) + came - went
    assert all(player.gold >= 0 for player in step.after.game.players)


def paid(events: tuple[Event, ...]) -> list[IncomePaid]:
    return [event for event in events if isinstance(event, IncomePaid)]


def all_gold(game: GameState) -> int:
    return sum(player.gold + player.stakes for player in game.players)


def check_tiles(game: GameState) -> None:
    """Check that each of the 73 tiles is in exactly one place."""
    out = [tile for player in game.players for tile in (*player.tiles_on_offer, *player.tiles_to_build)]
    built = [placed.tile for player in game.players for placed in player.territory.placed[1:]]
    assert sorted([*game.bag, *out, *built]) == sorted(BASE.tiles.landscape)


@in_random_games
def test_tiles_without_a_place_go_back_into_the_bag_and_the_game_goes_on(players: int, seed: int):
    chance = Random(seed)
    game, reference = all_pasture_outside(chance, players)
    returned: list[str] = []
    for step in whole_game(chance, game):
        reference.make(step.seat, step.move)
        assert reported_by_engine(step.after.game) == reported_by_reference(reference)
        returned += [tile for event in step.after.events for tile in tiles_returned(event)]
    assert set(STRANDED) <= set(returned)


def all_pasture_outside(chance: Random, players: int) -> tuple[GameState, ReferenceGame]:
    """Play until the first build, then give the first seat a territory where water and mountain end (R5)."""
    begun = Beginning(list(BASE.colors[:players]), f"seed {chance.random()}", Options())
    reference = begun.reference_game()
    game = begun.game()
    for step in whole_game(chance, game):
        reference.make(step.seat, step.move)
        game = step.after.game
        if game.phase is Phase.BUILDING:
            break
    territory = Territory.parse(f"castle-{BASE.colors[0]} L28@1,0/180 L39@-1,0")
    first = game.players[0]._replace(territory=territory, tiles_to_build=STRANDED)
    game = game._replace(
        players=(first, *(player._replace(tiles_to_build=()) for player in game.players[1:]))
    )
    for seat in reference.seats:
        seat.hand = []
    reference.seats[0].hand, reference.seats[0].world = list(STRANDED), as_world(territory)
    reference.bag = set(BASE.tiles.landscape) - {"L28", "L39", *STRANDED}
    return game, reference


def tiles_returned(event: Event) -> tuple[str, ...]:
    return event.tiles_returned if isinstance(event, BuildingFinished) else ()


def event_is_true(event: Event, reference: ReferenceGame) -> bool:
    seats = reference.seats
    match event:
        case IncomePaid():
            return list(map(tuple, event.incomes)) == reference.incomes and event.gold == purses(reference)
        case RoundScored():
            return list(map(list, event.points)) == [seat.points[-1] for seat in seats]
        case GameFinished():
            return (
                list(map(list, event.tile_points)) == [by_slot(reference, seat) for seat in seats]
                and list(zip(event.scroll_points, event.gold_points, strict=True))
                == [seat.final for seat in seats]
                and list(event.scores) == [seat.score for seat in seats]
                and event.gold == purses(reference)
                and list(event.winners) == reference.winners
            )
        case _:
            return True


def purses(reference: ReferenceGame) -> tuple[int, ...]:
    return tuple(seat.purse for seat in reference.seats)


def by_slot(reference: ReferenceGame, seat: Seat) -> list[int]:
    totals = dict.fromkeys("ABCD", 0)
    for slots, points in zip(SCORED[len(reference.seats)], seat.points, strict=True):
        for slot, number in zip(slots, points, strict=True):
            totals[slot] += number
    return list(totals.values())


@in_random_games
def test_every_listed_move_is_accepted_and_nothing_is_left_off_the_list(players: int, seed: int):
    chance = Random(seed)
    begun = beginning(chance, players)
    reference = begun.reference_game()
    for step in whole_game(chance, begun.game()):
        seat = chance.choice([step.seat, chance.randrange(players)])
        listed = legal_moves(step.before, seat)
        assert Counter(listed) == Counter(all_moves(reference, seat))
        for move in chance.sample(listed, min(len(listed), MOVES_TRIED)):
            assert reference.allows(seat, move)
            play(step.before, seat, move)
        reference.make(step.seat, step.move)


def all_moves(reference: ReferenceGame, number: int) -> list[Move]:
    """Return the legal moves of a seat in the reference implementation, found by trying all moves."""
    seat = reference.seats[number]
    moves: list[Move] = [*map(Buy, BASE.tiles.landscape), Pass(), TakeBack(), FinishBuilding()]
    if reference.phase == "pricing":
        prices = range(1, seat.purse + sum(seat.stakes.values()) + 1)
        for discard in seat.drawn:
            one, other = [tile for tile in seat.drawn if tile != discard]
            moves += [SetOffer(discard, ((one, p), (other, q))) for p in prices for q in prices]
    if reference.phase == "building" and not seat.done:
        moves += [Place(tile, *place) for tile in seat.hand for place in legal_places(seat.world, tile)]
    return [move for move in moves if reference.allows(number, move)]


def in_drawn_order(game: GameState, seat: int, move: Move) -> Move:
    """Return an offer with its tiles in the order in which they were drawn, as offers are listed."""
    if not isinstance(move, SetOffer):
        return move
    drawn = game.players[seat].tiles_on_offer
    return SetOffer(move.discard, tuple(sorted(move.prices, key=lambda pair: drawn.index(pair[0]))))


@in_random_games
def test_move_is_refused_exactly_when_the_reference_game_forbids_it(players: int, seed: int):
    chance = Random(seed)
    begun = beginning(chance, players)
    reference = begun.reference_game()
    for step in whole_game(chance, begun.game()):
        for seat, move in [attempt(chance, step.before) for _ in range(ATTEMPTS)]:
            as_it_was = position_of(step.before)
            try:
                play(step.before, seat, move)
            except RuleError:
                assert not reference.allows(seat, move)
                assert position_of(step.before) == as_it_was
                assert move not in legal_moves(step.before, seat)
            else:
                assert reference.allows(seat, move)
                assert in_drawn_order(step.before, seat, move) in legal_moves(step.before, seat)
        reference.make(step.seat, step.move)


@in_random_games
def test_same_seed_and_actions_give_the_same_bytes(players: int, seed: int):
    chance = Random(seed)
    begun = beginning(chance, players)
    outcomes = [begun.outcome(), *(step.after for step in whole_game(chance, begun.game()))]
    actions = [action_of(outcome.events[0]) for outcome in outcomes[1:]]

    again = replay(Record(tuple(begun.colors), begun.seed, begun.options, tuple(filter(None, actions))))

    assert repr(again).encode() == repr(outcomes).encode()


def digest_of_a_game(seed: int) -> str:
    chance = Random(seed)
    steps = list(whole_game(chance, beginning(chance, 4).game()))
    return hashlib.sha256(repr(steps).encode()).hexdigest()


def test_another_process_plays_the_same_game_whatever_its_hash_seed():
    code = "from tests.engine.test_whole_games import digest_of_a_game; print(digest_of_a_game(1))"
    assert [printed_by(code, hash_seed) for hash_seed in ("1", "2")] == [digest_of_a_game(1)] * 2
