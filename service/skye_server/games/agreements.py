"""Agreements: proposals that all people of a game must accept. A proposal never blocks play.

A game has at most one open proposal. A seat proposes each kind once in a round, and again a day after its
last one: in a slow game a round can take months. So a player whose proposal was refused cannot repeat it at
once. Each repetition in a round uses up a revision of the seat; those of a host without a seat are bounded by
the changes of the game. Who must agree depends on the kind (`needed_for`); a seat whose player cannot return
needs no agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from skye import Phase
from skye_server.error_codes import Problem
from skye_server.games.absence import absent_seats
from skye_server.games.authorization import Caller
from skye_server.games.events import AnyEvent, GameAborted, ProposalAnswered, ProposalEnded, ProposalMade
from skye_server.games.game import Game, PublicFrom, Status
from skye_server.games.pauses import begun
from skye_server.games.proposals import AbortReason, Proposal, ProposalKind, ProposalOutcome, Proposed
from skye_server.games.seat_ends import DAY_MS
from skye_server.games.transitions import (
    Transition,
    advance,
    after_revision,
    can_revise,
    check_change_limit,
    state_begun,
    state_in_play,
)

_MIN_OPEN_MS: Final = 600_000
_MAX_OPEN_MS: Final = 7 * DAY_MS


def people_of(game: Game) -> list[int]:
    """Return the seats that people play, or may take back."""
    return [number for number, seat in game.taken if seat.is_present or seat.can_return]


def needed_for(game: Game, kind: ProposalKind, now_ms: int) -> list[int]:
    """Return the seats whose people must agree to a proposal of a kind.

    A pause needs those who are present; to abort the game, also those who may come back, unless their
    take-over counts as absence.
    """
    if kind is ProposalKind.PAUSE:
        return [number for number, seat in game.taken if seat.is_present]
    absent = absent_seats(game, now_ms)
    return [number for number in people_of(game) if number not in absent]


def is_left_alone(game: Game, seat: int, now_ms: int) -> bool:
    """Return whether a person plays a seat, and all others who may come back count as absent."""
    if game.status is not Status.PLAYING or not absent_seats(game, now_ms) or not may_end_early(game):
        return False
    return needed_for(game, ProposalKind.ABORT, now_ms) == [seat]


def persons_of(game: Game) -> list[int]:
    """Return the seats that persons have held since the start, also those that they have given up."""
    return [number for number, seat in game.taken if seat.is_person]


def plays_alone(game: Game, seat: int) -> bool:
    """Return whether a person plays a seat, and no other person is present."""
    return [number for number, each in game.taken if each.is_present] == [seat]


def open_ms(game: Game) -> int:
    """Return how long a proposal stays open: the time of a decision, from ten minutes to seven days."""
    turn_ms = DAY_MS if game.options.turn_ms is None else game.options.turn_ms
    return min(max(turn_ms, _MIN_OPEN_MS), _MAX_OPEN_MS)


def propose(game: Game, seat: int | None, kind: ProposalKind, now_ms: int) -> Transition:
    """Make a proposal to the other people of a game.

    :param seat: the seat that makes it; None: the host, to all people.
    :raises Problem: game_not_started, game_aborted, game_finished, seat_played_by_bot, rated_game,
        proposal_open, already_proposed, too_many_changes.
    """
    _check_in_play(game, seat)
    if kind is ProposalKind.ABORT and not may_end_early(game):
        raise Problem("rated_game")
    if game.proposal is not None:
        raise Problem("proposal_open")
    if not _may_repeat(game, seat, kind, now_ms):
        raise Problem("already_proposed")
    if _is_repetition(game, seat, kind):
        if seat is None:
            check_change_limit(game)
        elif not can_revise(game, seat):
            raise Problem("too_many_changes")
        else:
            game = after_revision(game, seat)
    made = ProposalMade(seat, kind, now_ms + open_ms(game))
    after = after_proposal(game, made)
    return settled(advance(game, now_ms, [made], proposal=after.proposal, proposed=after.proposed), now_ms)


def can_propose(game: Game, seat: int, kind: ProposalKind, now_ms: int) -> bool:
    """Return whether a seat may make a proposal now, which other people must answer."""
    people = people_of(game) if game.status is Status.PLAYING else []
    if seat not in people or len(people) == 1 or not game.seats[seat].is_present or game.proposal is not None:
        return False
    if kind is ProposalKind.ABORT and not may_end_early(game):
        return False
    is_within_limit = can_revise(game, seat) or not _is_repetition(game, seat, kind)
    return is_within_limit and _may_repeat(game, seat, kind, now_ms)


def _last_of(game: Game, seat: int | None, kind: ProposalKind) -> Proposed | None:
    """Return the last proposal of a kind that a seat has made, None if it has made none."""
    return next((each for each in game.proposed if (each.kind, each.seat) == (kind, seat)), None)


def _is_repetition(game: Game, seat: int | None, kind: ProposalKind) -> bool:
    """Return whether a seat has made a proposal of a kind in this round."""
    last = _last_of(game, seat, kind)
    return last is not None and last.round == state_begun(game).round


def _may_repeat(game: Game, seat: int | None, kind: ProposalKind, now_ms: int) -> bool:
    """Return whether a seat has not made a proposal of a kind lately.

    A host who may not see how far the game is must not find out by a refusal that a round has ended.
    """
    last = _last_of(game, seat, kind)
    if last is None or now_ms >= last.made_ms + DAY_MS:
        return True
    sees_rounds = seat is not None or game.options.public_from is PublicFrom.START
    return sees_rounds and last.round != state_begun(game).round


def answer(game: Game, seat: int, now_ms: int, *, accept: bool) -> Transition:
    """Answer the open proposal. To refuse one's own proposal withdraws it; to accept again changes nothing.

    :raises Problem: game_not_started, game_aborted, game_finished, seat_played_by_bot, no_open_proposal.
    """
    _check_in_play(game, seat)
    proposal = game.proposal
    if proposal is None:
        raise Problem("no_open_proposal")
    if not accept and seat == proposal.seat:
        return _ended(game, ProposalOutcome.WITHDRAWN, now_ms)
    answered = ProposalAnswered(seat, proposal.kind, accept)
    if not accept:
        return _ended(game, ProposalOutcome.REFUSED, now_ms, answered)
    if seat in (proposal.seat, *proposal.agreed):
        return Transition(game)
    after = after_answer(game, answered)
    if _is_agreed(after, now_ms):
        return _ended(game, ProposalOutcome.ACCEPTED, now_ms, answered)
    return advance(game, now_ms, [answered], proposal=after.proposal)


def settled(transition: Transition, now_ms: int) -> Transition:
    """End the open proposal if the people who are left agree, or if its player or all others are gone.

    A proposal is not accepted because all others have resigned: they have given the game up, not agreed.
    """
    game = transition.game
    if game.proposal is None:
        return transition
    proposer, people = game.proposal.seat, people_of(game)
    is_gone = proposer is not None and not game.seats[proposer].is_present
    if is_gone or {*people} <= {proposer}:
        return transition.then(_ended(game, ProposalOutcome.WITHDRAWN, now_ms))
    if _is_agreed(game, now_ms):
        return transition.then(_ended(game, ProposalOutcome.ACCEPTED, now_ms))
    return transition


def expired(transition: Transition, until_ms: int, now_ms: int) -> Transition:
    """End the open proposal if its time was over at `until_ms`."""
    proposal = transition.game.proposal
    if proposal is None or proposal.expires_ms > until_ms:
        return transition
    return transition.then(_ended(transition.game, ProposalOutcome.EXPIRED, now_ms))


def after_proposal(game: Game, event: ProposalMade) -> Game:
    """Return a game after a proposal was made."""
    made_ms = event.expires_ms - open_ms(game)
    made = Proposed(event.kind, event.seat, state_begun(game).round, made_ms)
    others = [each for each in game.proposed if (each.kind, each.seat) != (event.kind, event.seat)]
    proposal = Proposal(event.kind, event.seat, event.expires_ms, set_ms=made_ms)
    return replace(game, proposal=proposal, proposed=(*others, made))


def after_answer(game: Game, event: ProposalAnswered) -> Game:
    """Return a game after a proposal was answered; a refusal ends it by the event that follows."""
    if game.proposal is None or not event.accepted:
        return game
    return replace(game, proposal=replace(game.proposal, agreed=(*game.proposal.agreed, event.seat)))


class _Effect(NamedTuple):
    """What an accepted proposal changes: the events, and the fields of the game."""

    events: Sequence[AnyEvent]
    fields: Mapping[str, Any]


def _aborted(game: Game, now_ms: int) -> _Effect:
    absent = absent_seats(game, now_ms)
    is_alone = len(absent) > 0 and len(needed_for(game, ProposalKind.ABORT, now_ms)) == 1
    reason = AbortReason.OTHERS_ABSENT if is_alone else AbortReason.AGREED
    fields = {"status": Status.ABORTED, "abort_reason": reason, "absent": absent}
    return _Effect([GameAborted(reason, absent)], fields)


def _paused(game: Game, now_ms: int) -> _Effect:
    event, fields = begun(game, now_ms)
    return _Effect([event], fields)


_EFFECTS: Final[Mapping[ProposalKind, Callable[[Game, int], _Effect]]] = {
    ProposalKind.ABORT: _aborted,
    ProposalKind.PAUSE: _paused,
}


def _ended(game: Game, outcome: ProposalOutcome, now_ms: int, *before: AnyEvent) -> Transition:
    assert game.proposal is not None
    kind = game.proposal.kind
    effect = _EFFECTS[kind](game, now_ms) if outcome is ProposalOutcome.ACCEPTED else _Effect([], {})
    events = [*before, ProposalEnded(kind, outcome), *effect.events]
    return advance(game, now_ms, events, proposal=None, **effect.fields)


def _is_agreed(game: Game, now_ms: int) -> bool:
    assert game.proposal is not None
    needed = needed_for(game, game.proposal.kind, now_ms)
    return {*needed} <= {game.proposal.seat, *game.proposal.agreed}


def _check_in_play(game: Game, seat: int | None) -> None:
    """Check that a game is in play, and that a person plays a seat.

    :raises Problem: game_not_started, game_aborted, game_finished, seat_played_by_bot.
    """
    if state_in_play(game).is_over:
        raise Problem("game_finished")
    if seat is not None and not game.seats[seat].is_present:
        raise Problem("seat_played_by_bot")


def needs_agreement(game: Game) -> bool:
    """Return whether only agreement ends a game early that more than one person plays."""
    return game.state is not None and game.origin is None and game.clock_ms is None


def may_end_early(game: Game) -> bool:
    """Return whether a game may be aborted: a rated one only until the first offer is set.

    No agreement lets a loser avoid a result that counts.
    """
    state = game.state
    if game.rated is None or state is None:
        return True
    is_first = state.round == 1 and state.phase is Phase.PRICING
    return is_first and not any(player.prices for player in state.players)


def may_ask_to_abort(game: Game, caller: Caller) -> bool:
    """Return whether a player who is not the host may propose to abort a game; over, it answers why not."""
    if caller.seat is None or not needs_agreement(game):
        return False
    return game.is_over or len(people_of(game)) > 1


def abort_alone(game: Game, caller: Caller, now_ms: int) -> AbortReason | None:
    """Return why a caller may abort a game without the agreement of others; None if the caller may not.

    No right hangs on whether the host plays: the server cannot know it.
    """
    reason = _abort_of_host(game) if caller.host else None
    if reason is None and caller.seat is not None and is_left_alone(game, caller.seat, now_ms):
        return AbortReason.OTHERS_ABSENT
    return reason


def _abort_of_host(game: Game) -> AbortReason | None:
    if game.state is None:
        return AbortReason.LOBBY
    if not needs_agreement(game):
        return AbortReason.LABORATORY
    if len(persons_of(game)) <= 1:
        return AbortReason.ALONE
    return AbortReason.HOST_ABORTED if game.options.host_may_abort else None


def may_delete(game: Game, caller: Caller) -> bool:
    """Return whether a caller may delete a game that is over: the host, if at most one person played it."""
    return caller.host and (not needs_agreement(game) or len(persons_of(game)) <= 1)
