"""Proposals: what a game stores of a question on which its people must agree; see `games.agreements`."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from skye.words import Word


class ProposalKind(Word):
    """What is proposed: to end the game without a result, or to pause it."""

    ABORT = "abort", "the game ends without a result."
    PAUSE = "pause", "the game pauses."


class ProposalOutcome(Word):
    """How a proposal ended; one that is open at the end of the game expires."""

    ACCEPTED = "accepted", "all people who play agreed."
    REFUSED = "refused", "one of them did not."
    EXPIRED = "expired", "its time was over, or the game."
    WITHDRAWN = "withdrawn", "its player withdrew it, or gave the seat up."


class AbortReason(Word):
    """Why a game could be aborted: by its host alone, or because its people agreed."""

    LOBBY = "lobby", "the game had not begun."
    ALONE = "alone", "at most one person had played."
    LABORATORY = (
        "laboratory",
        "the game began from a record, a position or a scenario, or has a manual clock.",
    )
    HOST_ABORTED = "host_aborted", "its host was allowed to by `host_may_abort`."
    OTHERS_ABSENT = "others_absent", "the server had played the seats of all others for more than a day."
    AGREED = (
        "agreed",
        "the people who played agreed. The others name why its host needed no agreement.",
    )


class Proposal(Struct, frozen=True):
    """The open proposal of a game.

    :param seat: the seat that made it; None: the host, whose token acts for no seat.
    :param expires_ms: when it ends without agreement, in milliseconds since 1970.
    :param agreed: the other seats that have accepted it, in the order of their answers.
    :param set_ms: when it was set to expire then, by which outages count.
    """

    kind: ProposalKind
    seat: int | None
    expires_ms: int
    agreed: tuple[int, ...] = ()
    set_ms: int = 0


class Proposed(NamedTuple):
    """The last proposal of a kind that a seat, or the host, has made, whatever became of it.

    :param made_ms: when it was made, in milliseconds since 1970.
    """

    kind: ProposalKind
    seat: int | None
    round: int
    made_ms: int
