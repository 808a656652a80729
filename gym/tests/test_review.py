"""Reviews of finished games: which decisions, losses, luck, the account, the page, and the command."""

import json
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from skye import (
    BASE,
    Action,
    Options,
    Place,
    Record,
    SetOffer,
    TakeBack,
    choose_move,
    determinize,
    legal_moves,
    new_game,
    play,
    record_to_json,
    replay,
)
from skye_gym.judge import LIKELY
from skye_gym.review import moves, review_game, review_move, review_to_json, review_to_markdown, samples_for
from skye_gym.review.command import main
from skye_gym.review.game import _choices
from skye_gym.review.moves import _candidates, has_choice

SAMPLES = 12


@cache
def record_of(rounds, bot="greedy"):
    """Return the record of the last rounds of a game of two, as one that began from a position."""
    game, actions, begun = new_game(2, seed="reviewed").game, [], None
    while not game.is_over:
        if begun is None and game.round > len(BASE.rounds(2)) - len(rounds):
            begun = game
        seat = game.waiting_for[0]
        move = choose_move(bot, game, seat, Random(len(actions)))
        if begun is not None:
            actions.append(Action(seat, move))
        game = play(game, seat, move).game
    colors = tuple(player.color for player in begun.players)
    return Record(colors, begun.seed, Options(), tuple(actions), begun)


def last_round():
    return record_of(BASE.rounds(2)[-1:])


@cache
def reviewed():
    return review_game(last_round(), samples=SAMPLES)


def test_account_of_each_seat_sums_to_its_final_margin():
    review = reviewed()
    scores = [player.score for player in review.game.players]
    for seat, account in enumerate(review.accounts):
        explained = account.start + account.luck - account.losses + account.losses_of_others
        assert explained + account.rest == pytest.approx(account.final)
        assert account.final == scores[seat] - scores[1 - seat]
    assert sum(account.rest for account in review.accounts) == pytest.approx(0)


def test_account_has_the_losses_that_are_shown_and_no_other():
    data = review_to_json(reviewed(), ["Ann", "Bob"])
    for seat, player in enumerate(data["players"]):
        shown = [each for each in data["decisions"] if each["difference"] and each["seat"] == seat]
        assert player["account"]["losses"] == pytest.approx(
            sum(each["loss"]["value"] for each in shown), abs=0.02
        )
    for each in data["decisions"]:
        assert (each["best"] is None) == (each["loss"] is None) == (not each["difference"])
        assert each["loss"] is None or each["loss"]["low"] > 0


def test_same_seed_gives_the_same_review():
    again = review_game(last_round(), samples=SAMPLES)
    assert review_to_json(again) == review_to_json(reviewed())


def test_page_escapes_names_and_has_every_picture_that_it_shows():
    page, pictures = review_to_markdown(reviewed(), ["<b>`|![x](y)", "Bob"])
    assert '`"<b>\'/![x](y)"`' in page
    assert all(f"]({name})" in page for name in pictures)
    assert all(picture.startswith("<svg ") for picture in pictures.values())


@cache
def planted():
    """Return a game, the seat that buys, and its worst and its best move, which differ by 12 points."""
    for number in range(40):
        game = new_game(2, seed=f"blunder/{number}").game
        while game.round < game.rounds or game.phase != "buying":
            seat = game.waiting_for[0]
            game = play(game, seat, choose_move("greedy", game, seat, Random(1))).game
        seat = game.waiting_for[0]
        margins = {move: margin_at_the_end(game, seat, move) for move in legal_moves(game, seat)}
        worst, best = (choose(margins, key=margins.__getitem__) for choose in (min, max))
        if margins[worst] <= margins[best] - 12:
            return game, seat, worst, best
    raise AssertionError("no blunder in forty games")


def test_planted_blunder_is_found_with_a_better_move():
    game, seat, worst, best = planted()
    assert review_move(game, seat, worst, samples=SAMPLES).is_loss
    assert not review_move(game, seat, best, samples=SAMPLES).is_loss


def test_loss_is_none_if_the_second_member_sees_a_gain(monkeypatch):
    values_in = moves.values_in
    game, seat, worst, _ = planted()
    alone = review_move(game, seat, worst, samples=SAMPLES)

    def swapped(samples, seat, compared, seed, member=LIKELY):
        values = values_in(samples, seat, compared, seed, member)
        return [row[::-1] for row in values] if member is moves.SECOND else values

    monkeypatch.setattr(moves, "values_in", swapped)
    doubted = review_move(game, seat, worst, samples=SAMPLES)
    assert doubted.loss.value == alone.loss.value
    assert doubted.loss.low < 0
    assert not doubted.is_loss


def margin_at_the_end(game, seat, move):
    """Return the margin of a seat when all play on as the strategist."""
    game = play(game, seat, move).game
    while not game.is_over:
        mover = game.waiting_for[0]
        game = play(game, mover, choose_move("strategist", game, mover, Random(1))).game
    return game.players[seat].score - game.players[1 - seat].score


def test_placement_that_can_still_follow_is_no_alternative():
    game = last_round().position
    while game.phase != "building":
        seat = game.waiting_for[0]
        game = play(game, seat, choose_move("greedy", game, seat, Random(1))).game
    seat = game.waiting_for[0]
    for move in legal_moves(game, seat):
        if isinstance(move, Place):
            after = play(game, seat, move).game
            _, *others = _candidates(game, seat, move, Random(1))
            assert not set(others) & set(legal_moves(after, seat))


def test_verdict_depends_on_nothing_hidden():
    game = new_game(2, seed="hidden").game
    game = play(game, 1, choose_move("greedy", game, 1, Random(1))).game
    move = choose_move("random", game, 0, Random(1))
    verdict = review_move(game, 0, move, samples=SAMPLES)
    other = determinize(game, 0, Random(5))
    assert review_move(other, 0, move, samples=SAMPLES) == verdict


def test_placement_taken_back_and_offer_replaced_are_not_reviewed():
    record = last_round()
    actions = list(record.actions)
    placed = next(at for at, each in enumerate(actions) if hasattr(each.move, "rotation"))
    seat = actions[placed].seat
    actions[placed + 1 : placed + 1] = [Action(seat, TakeBack()), actions[placed]]
    first = actions[0]
    assert isinstance(first.move, SetOffer)
    (one, price), (other, more) = first.move.prices
    replaced = SetOffer(one, ((first.move.discard, price), (other, more)))
    actions.insert(0, Action(first.seat, replaced))
    changed = replace(record, actions=tuple(actions))
    states = [outcome.game for outcome in replay(changed)]
    choices = [*_choices(changed, states)]
    before = [outcome.game for outcome in replay(record)]
    assert [each[1:2] + each[3:] for each in choices] == [
        (each[1], each[3]) for each in _choices(record, before)
    ]
    assert next(game for number, _, game, _ in choices if number == 2) == states[0]
    assert all(has_choice(game, seat) for _, seat, game, _ in choices)


def test_game_that_is_not_over_is_refused():
    record = replace(last_round(), actions=last_round().actions[:-1])
    with pytest.raises(ValueError, match="not over"):
        review_game(record, samples=SAMPLES)


def test_few_samples_are_refused():
    game = new_game(2, seed="few").game
    move = choose_move("greedy", game, 0, Random(1))
    with pytest.raises(ValueError, match="smallest number"):
        review_move(game, 0, move, samples=11)


def test_larger_budget_has_more_samples():
    assert samples_for(4, 60) < samples_for(4, 120) < samples_for(2, 120)


@pytest.mark.parametrize("wrapped", [False, True], ids=["record", "lines"])
def test_command_writes_the_page_the_figures_and_the_pictures(tmp_path, capsys, wrapped):
    data = record_to_json(last_round())
    lines = [json.dumps({"game": 0, "record": data})] * 2 if wrapped else [json.dumps(data, indent=1)]
    path = tmp_path / "game.json"
    path.write_text("\n".join(lines))
    out = tmp_path / "page"
    assert main([str(path), f"--out={out}", "--budget=1", f"--game={int(wrapped)}"]) == 0
    written = {each.name for each in out.iterdir()}
    assert {"review.md", "review.json", "seat-0.svg", "seat-1.svg"} <= written
    assert json.loads((out / "review.json").read_text())["format"] == 1
    printed = capsys.readouterr()
    assert "review.md" in printed.out
    assert "the fewest samples, 12, take about 8 s of CPU" in printed.err
    assert "more than the budget of 1 s" in printed.err


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "there is no record 0"),
        ("{", "neither a record"),
        ("[]", "there is no record 0"),
        ('{"actions": 1}', "review: "),
        ('{"record": 1}', "no JSON object"),
        ('{"actions": [], "players": 3}', "review: "),
        ("[" * 100_000, "review: "),
    ],
)
def test_command_refuses_what_is_no_record(tmp_path, capsys, content, reason):
    path = tmp_path / "game.json"
    path.write_text(content)
    assert main([str(path), f"--out={tmp_path / 'page'}"]) == 2
    assert reason in capsys.readouterr().err


MISSING = object()


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        ("players/0/name", MISSING, "/players/0/name is a string"),
        ("players/1/name", 5, "/players/1/name is a string"),
        ("players/1/name", "\ud800", "/players/1/name is a string"),
        ("players/1", MISSING, "1 players, and its position 2"),
        ("players", [], "0 players, and its position 2"),
        ("players/0", "Ann", "/players/0 is not an object"),
        ("players/0/color", None, "/players/0/color is not a string"),
        ("options/seed", 5, "/options/seed is not a string or null"),
        ("actions/0/seat", True, "/actions/0/seat is not a whole number"),
        ("actions/0/seat", 7, "no seat 7"),
        ("actions/0/discard", [], "/actions/0/discard is not a string"),
        ("actions/0/discard", "L\n01", "is not among the tiles drawn"),
        ("actions", [], "the game of this record is not over"),
        ("draws", 5, "/draws is not an object"),
        ("format", 99, "format 99"),
    ],
)
def test_command_refuses_a_malformed_record_on_one_line(tmp_path, capsys, at, value, reason):
    data = json.loads(json.dumps(record_to_json(last_round())))
    *parents, last = [int(part) if part.isdigit() else part for part in at.split("/")]
    owner = data
    for part in parents:
        owner = owner[part]
    if value is MISSING:
        del owner[last]
    else:
        owner[last] = value
    path = tmp_path / "game.json"
    path.write_text(json.dumps(data))
    out = tmp_path / "page"
    assert main([str(path), f"--out={out}"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("skye-review: ")
    assert reason in line
    assert not out.exists()
