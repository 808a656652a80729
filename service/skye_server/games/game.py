"""A hosted game: its seats, options and lobby around a game state of the engine. Immutable values, no I/O.

The engine identifies players by seat and colour. The game adds names, token hashes, bots and deadlines.
`version` counts accepted changes, `last_event` counts events.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from msgspec import Struct

from skye import GameState, Options, Ruleset, TieBreak
from skye.rulesets import BASE, MAX_PLAYERS, ruleset_of
from skye.words import Word
from skye_server.games.events import AnyEvent, SeatClock, TurnChanged
from skye_server.games.proposals import AbortReason, Proposal, ProposalKind, Proposed
from skye_server.games.seat_ends import Departure, Left, Takeover


class Status(Word):
    """The stage of a game."""

    LOBBY = "lobby", "players can take seats."
    PLAYING = "playing", "the game has begun."
    FINISHED = "finished", "the game is over and has a result."
    ABORTED = "aborted", "the game ended early, without a result."


class OnTimeout(Word):
    """How the server decides for a seat that misses a deadline, or that it has taken over."""

    AUTO = "auto", "it passes when the seat should buy; it prices and builds as a bot does."
    BOT = "bot", "it decides as a bot does."


class SeedSource(Word):
    """The origin of the seed: a creator who chose it knows every draw in advance."""

    SERVER = "server", "the server, at random."
    CREATOR = "creator", "the creator of the game, who can compute every draw in advance."


URL_BOT: Final = "url"
"""The name of every bot at a URL, which a dispatcher asks for its moves; see `skye_server.url_bots.bots`."""


class Clock(Word):
    """The clock of a game: that of the server, or one that the host advances."""

    REAL = "real", "the server's clock."
    MANUAL = "manual", "a clock that only the host advances."


class Visibility(Word):
    """Who can find and read a game."""

    PUBLIC = "public", "the game is listed, and anyone can read it."
    PRIVATE = "private", "the game is not listed, and 404 for clients without one of its tokens."


class PublicFrom(Word):
    """When spectators see the content of a game."""

    START = "start", "at once."
    END = (
        "end",
        (
            "when it is over; until then they see only its players and its status. A host without a seat is "
            "a spectator."
        ),
    )


class TileKind(Word):
    """The kind of a tile."""

    LANDSCAPE = "landscape"
    CASTLE = "castle"


class Role(Word):
    """What a caller may do in a game."""

    HOST = (
        "host",
        "may start the game, seat bots and invite players, and abort a game that one person plays.",
    )
    PLAYER = "player", "holds a seat."
    INVITED = "invited", "holds an unused invitation code."


class InvitationEnd(Word):
    """Why an invitation code is no longer valid."""

    BEGUN = "begun", "the game began before anyone used it."
    WITHDRAWN = "withdrawn", "the host revoked it."
    USED = "used", "a player took a seat with it."
    ABORTED = "aborted", "the game was aborted before anyone used it."


class EndedInvitation(NamedTuple):
    """An invitation code that is no longer valid, by its hash, and why."""

    code: str
    end: InvitationEnd


MAX_ENDED_INVITATIONS: Final = 20
"""How many ended invitations a game keeps, the latest; earlier codes are treated like any unknown token."""


class OriginType(Word):
    """What a game began from, if it did not begin with a new game."""

    RECORD = "record", "the record of another game."
    POSITION = "position", "a position that the creator sent."
    SCENARIO = "scenario", "a position that the server offers, by its name."


class Origin(Struct, frozen=True):
    """Where a game that did not begin with a new game comes from; `scenario` names the scenario."""

    type: OriginType
    scenario: str | None = None


class RatedPlayer(Struct, frozen=True):
    """A player of a rated game, as the ladder showed the player when the game began.

    :param rating, uncertainty: in the points that a ladder shows.
    :param is_bot: whether the player says to be a program.
    """

    name: str
    is_bot: bool
    rating: int
    uncertainty: int
    is_provisional: bool


class Rated(Struct, frozen=True):
    """The ladder of a rated game, and its players by seat."""

    ladder: str
    players: tuple[RatedPlayer, ...]


class Deadline(NamedTuple):
    """The deadline of a seat, and when it was set to this time, by which outages count."""

    at_ms: int
    set_ms: int


class Pause(NamedTuple):
    """The pause of a game: when it ends by itself, and what is left of the time for the open decisions.

    :param left_ms: by seat; None for a seat without a deadline.
    :param set_ms: when it was set to end then, by which outages count.
    :param began_ms: when it began, moved on by outages: nothing moves by the same time twice.
    """

    until_ms: int
    left_ms: tuple[int | None, ...]
    set_ms: int = 0
    began_ms: int = 0

    def moved(self, until_ms: int) -> Pause:
        """Return the pause after an outage, by when it ends then."""
        return self._replace(until_ms=until_ms, began_ms=self.began_ms + until_ms - self.until_ms)


MAX_PAUSE_MS: Final = 86_400_000
"""The longest pause of a game whose options name no other."""


class GameOptions(Struct, frozen=True):
    """The options of a game. Without `turn_ms` and `budget_ms` there are no deadlines.

    `turn_ms` is the time for each decision. `budget_ms` is the time of a seat for the whole game, to which
    each of its decisions adds `increment_ms`.

    `host_may_abort` lets the host abort the game alone, however many people play it.

    `first_seat` is a seat of the lobby: the player who sits there when the game starts begins round 1.

    `nonce` is part of the commitment to a seed that the creator chose; it is as secret as the seed.
    """

    seed: str
    seed_source: SeedSource = SeedSource.SERVER
    scoring_tiles: tuple[str, ...] | None = None
    first_seat: int | None = None
    tie_break: TieBreak = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False
    turn_ms: int | None = None
    on_timeout: OnTimeout = OnTimeout.AUTO
    nonce: str | None = None
    clock: Clock = Clock.REAL
    ruleset: str = BASE.id
    hints: bool = True
    public_from: PublicFrom = PublicFrom.START
    budget_ms: int | None = None
    increment_ms: int = 0
    max_pause_ms: int = MAX_PAUSE_MS
    host_may_abort: bool = False

    def for_engine(self, first_seat: int | None) -> Options:
        """Return the options of the engine.

        :param first_seat: the seat that starts round 1, by its number in the game; None draws it.
        """
        return Options(self.scoring_tiles, first_seat, self.tie_break, self.open_gold, self.ruleset)


class Seat(Struct, frozen=True, omit_defaults=True):
    """A seat and its player. `token` is the hash of the seat's token, empty if there is none.

    `player` is the id of the player whose key the seat is bound to, empty if there is none.
    `bot` names the bot that plays the seat, from the start or since the player resigned or was taken over; a
    bot at a URL until it is released. `url_bot` is the id of that bot, also of one that plays no longer.
    `resigned_player` is the id of the player who resigned: that player keeps the game in the own list,
    without a role. `resigned_token` is the hash of the token that the player had: in a private game it still
    reads what spectators see.
    `revisions` counts what the player took back or repeated: moves, names, tokens, bots at URLs.
    `reservation` is the hash of the reservation by which the player of the old game took a seat of a rematch.

    The log determines the other fields (`games.absence`). `is_person`: a person held the seat when the game
    began, also one whose bot at a URL plays it. `has_acted`: it has made a move of its own. `decisions` is
    how many decisions the game has for it. `missed_in_row` counts the deadlines missed since its last
    decision of its own. `server_decisions` are those that the server made; `offer_by_server` is set while its
    offer is one of them and not revealed yet. `timed_out_ms` is the deadline that it has missed, until the
    server has made that decision. `takeover` is set while the server plays and the player may return;
    `unconfirmed` is the take-over that a return ended which no own decision has followed yet. `left` is set
    when the player has left finally, and `majority` while the server has made more than half of all its
    decisions.
    """

    name: str
    color: str
    token: str = ""
    bot: str | None = None
    player: str = ""
    url_bot: str = ""
    resigned_player: str = ""
    resigned_token: str = ""
    revisions: int = 0
    reservation: str = ""
    is_person: bool = False
    has_acted: bool = False
    decisions: int = 0
    missed_deadlines: int = 0
    missed_in_row: int = 0
    server_decisions: int = 0
    offer_by_server: bool = False
    timed_out_ms: int | None = None
    takeover: Takeover | None = None
    unconfirmed: Takeover | None = None
    left: Left | None = None
    majority: Departure | None = None

    @property
    def is_free(self) -> bool:
        """Whether nobody has taken the seat; only a lobby has free seats among the taken ones."""
        return not self.color

    @property
    def is_held(self) -> bool:
        """Whether somebody has a token or a player key for the seat."""
        return bool(self.token or self.player)

    @property
    def is_present(self) -> bool:
        """Whether a person plays the seat, also by a bot at a URL."""
        return self.is_person and self.takeover is None and self.left is None

    @property
    def can_return(self) -> bool:
        """Whether the player may take the seat back from the server."""
        return self.takeover is not None

    @property
    def is_by_server(self) -> bool:
        """Whether the open decision of the seat is the server's: after a missed deadline, or taken over."""
        return self.timed_out_ms is not None or self.takeover is not None or self.left is not None

    @property
    def has_url_bot(self) -> bool:
        """Whether a bot at a URL plays the seat."""
        return self.bot == URL_BOT

    @property
    def asks_url_bot(self) -> bool:
        """Whether a bot at a URL is asked for decisions: also one whose seat the server has taken over."""
        return self.has_url_bot or (self.takeover is not None and self.takeover.replaced == URL_BOT)


FREE_SEAT: Final = Seat("", "")
"""A seat of a lobby that its player has left."""


def with_seat(seats: tuple[Seat, ...], number: int, seat: Seat) -> tuple[Seat, ...]:
    """Return seats with one replaced or added, without free seats at the end."""
    padded = [*seats, *[FREE_SEAT] * (number + 1 - len(seats))]
    padded[number] = seat
    while padded and padded[-1].is_free:
        padded.pop()
    return tuple(padded)


class Counters(NamedTuple):
    """The version of a game, and the number of its last event."""

    version: int
    last_event: int


class Game(Struct, frozen=True):
    """Everything stored of a game except its event log. Times are milliseconds since 1970, UTC.

    `host_player` is the id of the player whose key created the game, empty if there is none.
    `seats` are by number; a lobby can have free ones between them (`FREE_SEAT`).
    `invites` are the hashes of invitation codes, each at the place of its number, so that no number is given
    twice: those that have ended in the lobby are empty. Each unused one reserves a seat. `ended_invites`
    are the latest codes that are no longer valid: their holders, and nobody else, get the reason.
    `ruleset_hash` is that of the data of its ruleset.
    `origin` is None for a game that began, or will begin, with a new game. `clock_ms` is the time of a
    manual clock. `deadlines` are those of the seats that must act, by seat from the start of the game;
    `clocks` are those of the seats in a game with a budget. While the game pauses (`pause`), it waits for no
    seat. `turn_began_ms` is when the phase began, or the turn of this buyer, moved on by pauses and outages,
    and `turn_set_ms` when this time was set.
    `started_first_seat` is the seat that the options name to start round 1, by its number since the start;
    None before the start, and if nobody sat there.
    `hidden_from` are the ids of players who took the game out of their own lists.
    `proposed` are the last proposals of each kind of each seat and of the host, also the open one. `outage`
    is the number of the last outage whose time the game has.
    `absent` are the seats whose players were absent when the game was aborted. `public` are the counters that
    spectators see of a game in play whose content is hidden from them; see `games.public_counters`. `rated`
    is set if its result counts on a ladder.
    """

    id: str
    name: str
    host: str
    options: GameOptions
    created_ms: int
    capacity: int = MAX_PLAYERS
    private: bool = False
    start_when_full: bool = False
    seats: tuple[Seat, ...] = ()
    status: Status = Status.LOBBY
    version: int = 0
    last_event: int = 0
    deadlines: tuple[Deadline | None, ...] = ()
    turn_began_ms: int = 0
    turn_set_ms: int = 0
    state: GameState | None = None
    invites: tuple[str, ...] = ()
    origin: Origin | None = None
    host_player: str = ""
    clock_ms: int | None = None
    ruleset_hash: str = ""
    proposal: Proposal | None = None
    proposed: tuple[Proposed, ...] = ()
    abort_reason: AbortReason | None = None
    absent: tuple[int, ...] = ()
    hidden_from: tuple[str, ...] = ()
    clocks: tuple[SeatClock, ...] = ()
    pause: Pause | None = None
    pause_count: int = 0
    outage: int = 0
    started_first_seat: int | None = None
    public: Counters | None = None
    rated: Rated | None = None
    ended_invites: tuple[EndedInvitation, ...] = ()

    @property
    def first_seat(self) -> int | None:
        """The seat that the options name to start round 1, by its number now; None: the seed draws it."""
        return self.options.first_seat if self.state is None else self.started_first_seat

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the game."""
        return ruleset_of(self.options.ruleset)

    @property
    def unused_invites(self) -> dict[int, str]:
        """The hashes of the unused invitation codes, by number from 1."""
        return {number: code for number, code in enumerate(self.invites, 1) if code}

    @property
    def taken(self) -> list[tuple[int, Seat]]:
        """The seats that are taken, with their numbers."""
        return [(number, seat) for number, seat in enumerate(self.seats) if not seat.is_free]

    @property
    def names(self) -> set[str]:
        """The names of the players."""
        return {seat.name for _, seat in self.taken}

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by its rules or because it was aborted."""
        return self.status in (Status.FINISHED, Status.ABORTED)

    @property
    def is_full_lobby(self) -> bool:
        """Whether the game waits for the host to start it: every seat of its lobby is taken."""
        return self.status is Status.LOBBY and len(self.taken) == self.capacity

    @property
    def is_timed(self) -> bool:
        """Whether decisions have deadlines of their own, not only when others ask for them."""
        return self.options.turn_ms is not None or self.options.budget_ms is not None

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """Return the seats that must act now."""
        is_running = self.status is Status.PLAYING and self.pause is None
        return self.state.waiting_for if self.state and is_running else ()

    @property
    def turn(self) -> TurnChanged:
        """The published turn: the phase, the seats that must act, the deadlines and the clocks by seat."""
        phase = self.state.phase if self.state and self.status is Status.PLAYING else None
        deadlines = tuple([None if each is None else each.at_ms for each in self.deadlines])
        return TurnChanged(phase, self.waiting_for, deadlines, self.clocks)

    @property
    def deadline_ms(self) -> int | None:
        """The first deadline of the seats that must act, None if they have none."""
        return min((each.at_ms for each in self.deadlines if each is not None), default=None)

    @property
    def next_bot(self) -> int | None:
        """Return the first seat that must act and for which a bot acts at once, None if there is none."""
        return next((seat for seat in self.waiting_for if self.has_bot_at_once(seat)), None)

    def has_bot_at_once(self, number: int) -> bool:
        """Return whether a bot of the server acts for a seat without a wait.

        If the player can take the seat back, the bot waits for the deadline (`skye_server.games.clocks`).
        """
        seat = self.seats[number]
        return seat.bot not in (None, URL_BOT) and not seat.can_return

    def absent_from_ms(self, number: int) -> int | None:
        """Return from when the take-over of a seat counts as absence; None until a later round has ended."""
        state, takeover = self.state, self.seats[number].takeover
        is_long = state is not None and takeover is not None and state.round > takeover.round + 1
        return takeover.absent_ms if is_long and takeover is not None else None

    @property
    def settles_ms(self) -> int | None:
        """When the game is aborted as proposed, since all who have not agreed are absent; None for never."""
        proposal = self.proposal
        if proposal is None or proposal.kind is not ProposalKind.ABORT or self.pause is not None:
            return None
        agreed = (proposal.seat, *proposal.agreed)
        people = [number for number, seat in self.taken if seat.is_present or seat.can_return]
        times = [self.absent_from_ms(number) for number in people if number not in agreed]
        known = [time for time in times if time is not None]
        return max(known) if known and len(known) == len(times) else None

    @property
    def due_ms(self) -> int | None:
        """When the game changes without a request: at its deadline, or when proposal or pause end."""
        if self.status is not Status.PLAYING:
            return None
        times = [
            self.deadline_ms,
            None if self.proposal is None else self.proposal.expires_ms,
            None if self.pause is None else self.pause.until_ms,
            self.settles_ms,
        ]
        return min((time for time in times if time is not None), default=None)

    def is_overdue(self, now_ms: int) -> bool:
        """Return whether seats have missed a deadline, or the time of a proposal or a pause is over."""
        return self.due_ms is not None and now_ms >= self.due_ms


class Change(NamedTuple):
    """One accepted change: the resulting version, its time and its events.

    The events are numbered without a gap; `first_event` is the number of the first.
    """

    version: int
    at_ms: int
    first_event: int
    events: tuple[AnyEvent, ...]

    @property
    def last_event(self) -> int:
        """The number of the last event."""
        return self.first_event + len(self.events) - 1


_JOINERS = str.maketrans("", "", "\u200c\u200d")


def name_key(name: str) -> str:
    r"""Return the form in which the names of one game must differ: NFKC, case folded, without joiners.

    >>> name_key("\uff21NN ") == name_key("ann")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_JOINERS)
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name, followed by a number if another player has it.

    >>> free_name("Greedy", []), free_name("Greedy", ["greedy", "Ann"])
    ('Greedy', 'Greedy 2')
    """
    keys, number, free = set(map(name_key, taken)), 1, name
    while name_key(free) in keys:
        number += 1
        free = f"{name[:36]} {number}"
    return free
