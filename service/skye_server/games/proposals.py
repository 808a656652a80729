"""Proposals: what a game stores of a question on which its people must agree; see `games.agreements`."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct


class ProposalKind(StrEnum):
    """What is proposed: to end the game without a result, or to pause it."""

    ABORT = "abort"
    PAUSE = "pause"


class ProposalOutcome(StrEnum):
    """How a proposal ended; one that is open at the end of the game expires."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class AbortReason(StrEnum):
    """Why a game could be aborted: by its host alone, or because its people agreed."""

    LOBBY = "lobby"
    ALONE = "alone"
    HOST_NOT_PLAYING = "host_not_playing"
    LABORATORY = "laboratory"
    AGREED = "agreed"


class Proposal(Struct, frozen=True):
    """The open proposal of a game.

    :param seat: the seat that made it; None: the host, whose token acts for no seat.
    :param expires_ms: when it ends without agreement, in milliseconds since 1970.
    :param agreed: the other seats that have accepted it, in the order of their answers.
    """

    kind: ProposalKind
    seat: int | None
    expires_ms: int
    agreed: tuple[int, ...] = ()


class Proposed(NamedTuple):
    """A proposal that a seat, or the host, made in a round, whatever became of it."""

    kind: ProposalKind
    seat: int | None
    round: int
