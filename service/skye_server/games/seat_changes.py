"""Changes that the rules do not know, in the lobby and in play: tokens, resigning, bots at URLs, clocks.

Every function that changes a game returns a `Transition` or raises a `Problem`.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from skye_server.cooperative_yield import Computation
from skye_server.error_codes import Problem
from skye_server.games.agreements import people_of
from skye_server.games.autoplay import after_deadline, hand_to_bot, play_bots
from skye_server.games.events import (
    BotChanged,
    ClockAdvanced,
    HostTokenRotated,
    SeatReturned,
    TokenRotated,
)
from skye_server.games.game import URL_BOT, Game, Status, with_seat
from skye_server.games.pauses import resume
from skye_server.games.seat_ends import SUBSTITUTE_BOT, SeatEnd
from skye_server.games.transitions import (
    Transition,
    advance,
    after_revision,
    can_revise,
    check_change_limit,
    state_in_play,
)


def rotate_token(game: Game, seat: int, token: str, now_ms: int) -> Transition:
    """Replace the token of a seat.

    :param token: the hash of the new token.
    :raises Problem: what `revised` raises.
    """
    game = revised(game, seat)
    seats = with_seat(game.seats, seat, replace(game.seats[seat], token=token))
    return advance(game, now_ms, [TokenRotated(seat)], seats=seats)


def rotate_host_token(game: Game, token: str, now_ms: int) -> Transition:
    """Replace the host token.

    :param token: the hash of the new token.
    :raises Problem: what `check_changeable` raises.
    """
    check_changeable(game)
    return advance(game, now_ms, [HostTokenRotated()], host=token)


def check_changeable(game: Game) -> None:
    """Check that the host may make one more change of a kind that could be repeated forever.

    Not in a game that is over: its rematch is found by its tokens.

    :raises Problem: game_aborted, game_finished, too_many_changes.
    """
    check_not_over(game)
    check_change_limit(game)


def revised(game: Game, seat: int) -> Game:
    """Return a game in which a seat has made one more change of a kind that could be repeated forever.

    :raises Problem: game_aborted, game_finished, too_many_changes.
    """
    check_not_over(game)
    if not can_revise(game, seat):
        raise Problem("too_many_changes")
    return after_revision(game, seat)


def resign(game: Game, seat: int, now_ms: int) -> Transition:
    """Hand a seat to a bot for the rest of the game, also one that is taken over.

    A pause ends with the last person.

    :raises Problem: game_not_started, game_aborted, game_finished, seat_played_by_bot.
    """
    if state_in_play(game).is_over:
        raise Problem("game_finished")
    if not game.seats[seat].can_return:
        _check_without_bot(game, seat)
    transition = hand_to_bot(game, seat, now_ms)
    if transition.game.pause is not None and not people_of(transition.game):
        transition = transition.then(resume(transition.game, None, now_ms))
    return transition


def return_to_seat(game: Game, seat: int, now_ms: int) -> Transition:
    """Let the player play a seat again that the server took over after missed deadlines.

    :raises Problem: game_not_started, game_aborted, game_finished, seat_not_taken_over.
    """
    if state_in_play(game).is_over:
        raise Problem("game_finished")
    left, takeover = game.seats[seat].left, game.seats[seat].takeover
    if left is not None and left.end is SeatEnd.OUT_OF_TIME:
        raise Problem("seat_not_taken_over", "The seat has no time left, so its player cannot take it back.")
    if takeover is None:
        raise Problem("seat_not_taken_over")
    return advance(game, now_ms, [SeatReturned(seat, takeover.replaced)])


def set_url_bot(game: Game, seat: int, url_bot: str, now_ms: int) -> Transition:
    """Let a bot at a URL play a seat, instead of its player or of another such bot.

    :param url_bot: the id of the bot.
    :raises Problem: game_aborted, game_finished, too_many_changes, seat_played_by_bot.
    """
    game = revised(game, seat)
    _check_without_bot(game, seat)
    after = replace(game.seats[seat], bot=URL_BOT, url_bot=url_bot)
    return advance(game, now_ms, [BotChanged(seat, URL_BOT)], seats=with_seat(game.seats, seat, after))


def release_url_bot(game: Game, seat: int, now_ms: int) -> Transition:
    """Let the player play the seat of a bot at a URL again; without a player, a bot of the server plays it.

    Each release follows a binding, which has counted as a revision.

    :raises Problem: game_aborted, game_finished, seat_without_url_bot.
    """
    check_not_over(game)
    before = game.seats[seat]
    if not before.has_url_bot:
        raise Problem("seat_without_url_bot")
    after = replace(before, bot=None if before.is_held else SUBSTITUTE_BOT)
    return advance(game, now_ms, [BotChanged(seat, after.bot)], seats=with_seat(game.seats, seat, after))


def _check_without_bot(game: Game, seat: int) -> None:
    """Check that no bot of the server plays a seat.

    :raises Problem: seat_played_by_bot.
    """
    if game.seats[seat].bot not in (None, URL_BOT):
        raise Problem("seat_played_by_bot")


def check_not_over(game: Game) -> None:
    """Check that a game is not over.

    :raises Problem: game_aborted, game_finished.
    """
    if game.is_over:
        raise Problem("game_aborted" if game.status is Status.ABORTED else "game_finished")


MAX_AHEAD_MS: Final = 100 * 366 * 86_400_000
"""How far the clock of a server for testers can be ahead of the real time."""


def advance_clock(game: Game, advance_ms: int) -> Transition:
    """Advance the clock of a game; each deadline that passes is applied at its own time.

    :raises Problem: clock_not_manual, game_aborted, game_finished, too_many_changes.
    """
    if game.clock_ms is None:
        raise Problem("clock_not_manual")
    check_changeable(game)
    target = game.clock_ms + advance_ms
    transition = Transition(game)
    while (due := transition.game.due_ms) is not None and due <= target:
        with Computation():
            transition = transition.then(after_deadline(replace(transition.game, clock_ms=due), due, due))
        transition = play_bots(transition, due)
    return transition.then(advance(transition.game, target, [ClockAdvanced()], clock_ms=target))
