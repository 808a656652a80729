"""A game and its seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack, cast
from urllib.parse import quote

from skye_client import models as m
from skye_client._sync.events import events
from skye_client._sync.iteration import Iteration
from skye_client._sync.transport import Transport
from skye_client.following import SILENCE_S, Follower
from skye_client.keys import checked_credential
from skye_client.options import CallOptions, ReadOptions, SendOptions, waiting


class Game:
    """One game, as a seat, the host or a spectator.

    :param token: the token of a seat or of the host; None for a spectator.
    :raises InvalidCredentialError: when the token cannot be one.
    """

    def __init__(self, transport: Transport, game_id: str, token: str | None = None) -> None:
        self.transport = transport
        self.id = game_id
        self.token = None if token is None else checked_credential(token)
        self.path = f"/v1/games/{quote(game_id, safe='')}"

    def __repr__(self) -> str:
        """Return the id, without the token."""
        return f"{type(self).__name__}({self.id!r})"

    def request(
        self, method: str, path: str = "", body: object = None, **options: Unpack[SendOptions]
    ) -> Any:
        """Send any request about this game, as `Skye.request` does; `path` follows that of the game."""
        options.setdefault("token", self.token)
        return self.transport.json(method, self.path + path, body=body, **options)

    def get(self, *, include: Sequence[m.Inclusion] = (), **options: Unpack[ReadOptions]) -> m.Game:
        """Return the view of the game for the caller.

        :param include: `["actions"]` adds the legal actions of the caller's seat.
        """
        query = {"include": ",".join(include) or None}
        return cast(m.Game, self.request("GET", query=query, **options))

    def join(self, player: m.PlayerToSeat, **options: Unpack[CallOptions]) -> m.TakenSeat:
        """Take a seat, or as the host seat a bot; return the token, which the server does not send again.

        :raises InvalidCredentialError: when `invite_code` cannot be a code.
        """
        code = cast("m.PersonToJoin", player).get("invite_code")
        body = player if code is None else {**player, "invite_code": checked_credential(code)}
        return cast(m.TakenSeat, self.request("POST", "/players", body, **options))

    def players(self, **options: Unpack[ReadOptions]) -> Sequence[m.Player]:
        """Return the seats that are taken, as the caller may see them."""
        listed = cast(m.PlayerList, self.request("GET", "/players", **options))
        return listed["players"]

    def invite(self, **options: Unpack[CallOptions]) -> m.CreatedInvitation:
        """Reserve a seat, as the host; return the invitation with the code for the invited player."""
        return cast("m.CreatedInvitation", self.request("POST", "/invitations", **options))

    def invitations(self, **options: Unpack[ReadOptions]) -> Sequence[m.Invitation]:
        """Return the unused invitations, as the host."""
        listed = self.request("GET", "/invitations", **options)
        return cast("Sequence[m.Invitation]", listed["invitations"])

    def revoke_invitation(self, invitation_id: str, **options: Unpack[CallOptions]) -> m.Game:
        """Make an unused invitation invalid, as the host."""
        path = f"/invitations/{quote(invitation_id, safe='')}"
        return cast("m.Game", self.request("DELETE", path, **options))

    def watch_code(self, **options: Unpack[ReadOptions]) -> str:
        """Return the code with which spectators read a private game, as the host."""
        return cast("m.WatchCode", self.request("GET", "/watch-code", **options))["code"]

    def start(self, **options: Unpack[CallOptions]) -> m.Game:
        """Start the game, with the host token."""
        return cast(m.Game, self.request("POST", "/start", **options))

    def abort(self, **options: Unpack[CallOptions]) -> m.Game:
        """End the game without a result; propose it to the others if several people play."""
        return cast(m.Game, self.request("POST", "/abort", **options))

    def pause(self, **options: Unpack[CallOptions]) -> m.Game:
        """Pause the game; propose it to the others if several people play."""
        return cast("m.Game", self.request("POST", "/pause", **options))

    def resume(self, **options: Unpack[CallOptions]) -> m.Game:
        """End the pause of the game."""
        return cast("m.Game", self.request("POST", "/resume", **options))

    def delete(self, **options: Unpack[CallOptions]) -> None:
        """Hide a game that is over from the own lists; delete it, as the host, if nobody else played."""
        self.request("DELETE", **options)

    def rotate_host_token(self, **options: Unpack[CallOptions]) -> m.HostToken:
        """Replace the host token; this object sends the new one from now on."""
        rotated = cast(m.HostToken, self.request("POST", "/host-token", **options))
        self.token = rotated["host_token"]
        return rotated

    def rematch(self, *, first_seat: int | None = None, **options: Unpack[CallOptions]) -> m.TakenSeat:
        """Take the caller's seat in the rematch of this game; the first call creates it.

        :param first_seat: the seat that starts it, which only the host may name; the next one if left out.
        """
        body = None if first_seat is None else {"first_seat": first_seat}
        return cast(m.TakenSeat, self.request("POST", "/rematch", body=body, **options))

    def find_rematch(self, **options: Unpack[ReadOptions]) -> m.GameSummary | None:
        """Return the rematch of this game, or None while there is none."""
        return cast(m.Rematch, self.request("GET", "/rematch", **options))["game"]

    def events(
        self, after: int = 0, *, silence_s: float = SILENCE_S, fault: str | None = None
    ) -> Iteration[m.Event]:
        """Yield each event after the one with the number `after`, once and in order, until the game is over.

        The iterator resumes after a lost connection or a restart of the server, replaces a stream that is
        silent for `silence_s` seconds, and uses long polling where a proxy blocks streams.

        :param silence_s: the seconds without a byte after which a stream is replaced.
        :param fault: the fault to inject into the first stream, such as `cut_after=3` (`SKYE_LAB=on`).
        :raises HistoryLostError: when the server has lost events that were already delivered.
        :raises ApiError: when the game or the token does not exist any more.
        """
        follower = Follower(after, fault)
        return Iteration(events(self.transport, self.path, self.token, follower, silence_s))

    def event_page(
        self,
        *,
        after: int = 0,
        limit: int | None = None,
        wait_ms: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> m.EventList:
        """Return one page of events.

        :param after: the number of the last event that the caller has.
        :param limit: the maximum number of events.
        :param wait_ms: how long to wait for the first event, in milliseconds (long poll).
        """
        query = {"after": after, "limit": limit, "wait_ms": wait_ms}
        options = waiting(options, wait_ms, self.transport.timeout_s)
        return cast("m.EventList", self.request("GET", "/events", query=query, **options))

    def round(self, number: int, **options: Unpack[ReadOptions]) -> m.RoundReport:
        """Return the report of a round."""
        return cast(m.RoundReport, self.request("GET", f"/rounds/{number}", **options))

    def rounds(self, **options: Unpack[ReadOptions]) -> Sequence[m.ListedRound]:
        """Return the reports of the rounds that have begun."""
        listed = cast(m.RoundList, self.request("GET", "/rounds", **options))
        return listed["rounds"]

    def record(self, **options: Unpack[ReadOptions]) -> m.ExportedRecord:
        """Return the record of a game that is over: its options and all actions."""
        return cast(m.ExportedRecord, self.request("GET", "/record", **options))

    def position(self, **options: Unpack[ReadOptions]) -> m.ExportedPosition:
        """Return the position without hidden information; other games can start from it."""
        return cast(m.ExportedPosition, self.request("GET", "/position", **options))

    def at(self, event: int, **options: Unpack[ReadOptions]) -> m.Game:
        """Return the view of the game for the caller after an event."""
        return cast(m.Game, self.request("GET", query={"at_event": event}, **options))

    def advance_clock(self, advance_ms: int, **options: Unpack[CallOptions]) -> m.Game:
        """Advance the manual clock, as the host."""
        body = {"advance_ms": advance_ms}
        return cast(m.Game, self.request("POST", "/clock", body=body, **options))

    def scores(self, **options: Unpack[ReadOptions]) -> m.Scores:
        """Return the points of every seat, with what earned them."""
        return cast(m.Scores, self.request("GET", "/scores", **options))

    def seat(self, number: int) -> Seat:
        """Return the resource of one seat."""
        return Seat(self, number)


class Seat:
    """One seat of a game."""

    def __init__(self, game: Game, number: int) -> None:
        self.game = game
        self.number = number

    def __repr__(self) -> str:
        """Return the game and the number, without the token."""
        return f"{type(self).__name__}({self.game!r}, {self.number})"

    def request(
        self, method: str, path: str = "", body: object = None, **options: Unpack[SendOptions]
    ) -> Any:
        """Send any request about this seat; `path` follows the path of the seat."""
        return self.game.request(method, f"/players/{self.number}{path}", body, **options)

    def change(self, changes: m.PlayerChanges, **options: Unpack[CallOptions]) -> m.Game:
        """Change the name or the colour of the player in the lobby."""
        return cast("m.Game", self.request("PATCH", "", body=changes, **options))

    def leave(self, **options: Unpack[CallOptions]) -> m.Game:
        """Leave the lobby; the host may remove another player."""
        return cast("m.Game", self.request("DELETE", "", **options))

    def resign(self, **options: Unpack[CallOptions]) -> m.Game:
        """Resign from a game that has begun: a bot plays for the seat."""
        return cast("m.Game", self.request("POST", "/resign", **options))

    def return_to_seat(self, **options: Unpack[CallOptions]) -> m.Game:
        """Take the seat back that a bot took over after a missed deadline."""
        return cast("m.Game", self.request("POST", "/return", **options))

    def request_takeover(self, **options: Unpack[CallOptions]) -> m.Game:
        """Ask for this seat to be taken over, as the player of another: see `agreements` of that seat."""
        return cast("m.Game", self.request("POST", "/takeover", **options))

    def answer_proposal(self, *, accept: bool, **options: Unpack[CallOptions]) -> m.Game:
        """Accept or refuse the open proposal; the seat that made it withdraws it with false."""
        return cast("m.Game", self.request("POST", "/proposal", body={"accept": accept}, **options))

    def rotate_token(self, **options: Unpack[CallOptions]) -> m.TakenSeat:
        """Replace the token of the seat; the game of this object sends the new one from now on."""
        taken = cast("m.TakenSeat", self.request("POST", "/token", **options))
        self.game.token = taken["token"]
        return taken

    def actions(self, **options: Unpack[ReadOptions]) -> Sequence[m.Action]:
        """Return the legal actions, each with a request that `act` sends; empty when the seat cannot act.

        A later version of the server may add types of actions: `is_known` tells.
        """
        listed = self.request("GET", "/actions", **options)
        return cast(Sequence[m.Action], listed["actions"])

    def act(
        self,
        action: Mapping[str, Any],
        *,
        include: Sequence[m.Inclusion] = (),
        **options: Unpack[CallOptions],
    ) -> m.Game:
        """Send an action of `actions` unchanged; its type may be newer than this client.

        :param include: `["actions"]` adds the next legal actions of the seat to the view.
        """
        game = self.game.transport.json(
            action["method"],
            action["href"],
            body=action.get("body"),
            token=self.game.token,
            query={"include": ",".join(include)} if include else None,
            **options,
        )
        return cast(m.Game, game)

    def set_offer(
        self,
        discard: m.LandscapeTileId,
        prices: Mapping[m.LandscapeTileId, int],
        **options: Unpack[CallOptions],
    ) -> m.Game:
        """Discard one of the three drawn tiles, and set the prices of the other two.

        :param discard: the id of the tile to discard.
        :param prices: the price of each other tile in gold.
        """
        body = {"discard": discard, "prices": prices}
        return cast(m.Game, self.request("PUT", "/offer", body=body, **options))

    def buy(self, tile: m.LandscapeTileId, **options: Unpack[CallOptions]) -> m.Game:
        """Buy a tile from another seat."""
        return cast(m.Game, self.request("PUT", "/purchase", body={"tile": tile}, **options))

    def pass_turn(self, **options: Unpack[CallOptions]) -> m.Game:
        """Buy nothing this round."""
        return cast(m.Game, self.request("PUT", "/purchase", body={"tile": None}, **options))

    def purchase(self, **options: Unpack[ReadOptions]) -> m.CurrentPurchase:
        """Return what the seat bought in this round, or that it passed."""
        return cast(m.CurrentPurchase, self.request("GET", "/purchase", **options))

    def place(
        self,
        tile: m.LandscapeTileId,
        x: int,
        y: int,
        rotation: m.Rotation = 0,
        **options: Unpack[CallOptions],
    ) -> m.Game:
        """Place a tile.

        :param x: columns east of the castle.
        :param y: rows south of the castle.
        :param rotation: clockwise degrees: 0, 90, 180 or 270.
        """
        body = {"tile": tile, "x": x, "y": y, "rotation": rotation}
        return cast(m.Game, self.request("POST", "/placements", body=body, **options))

    def take_back(self, number: int, **options: Unpack[CallOptions]) -> m.Game:
        """Take back the last placement of this round.

        :param number: the number of the placement in this round, from 1.
        """
        return cast(m.Game, self.request("DELETE", f"/placements/{number}", **options))

    def finish_building(self, **options: Unpack[CallOptions]) -> m.Game:
        """Declare the build finished."""
        return cast(m.Game, self.request("POST", "/building/finish", **options))

    def what_if(self, placements: Sequence[m.Placement], **options: Unpack[ReadOptions]) -> m.TriedPlacements:
        """Return the effect of placements on the points, without making them."""
        body = {"placements": placements}
        return cast(m.TriedPlacements, self.request("POST", "/what-if", body=body, **options))

    def places(self, tiles: Sequence[m.LandscapeTileId], **options: Unpack[ReadOptions]) -> m.Places:
        """Return every legal placement of up to 8 tiles, with the change that each would make."""
        query = {"tile": [tiles] if isinstance(tiles, str) else list(tiles)}
        return cast(m.Places, self.request("GET", "/places", query=query, **options))

    def territory(self, **options: Unpack[ReadOptions]) -> m.TerritoryReport:
        """Return the territory with its areas."""
        return cast(m.TerritoryReport, self.request("GET", "/territory", **options))

    def territory_svg(self, *, coordinates: bool = False, **options: Unpack[ReadOptions]) -> str:
        """Return the picture of the territory, as SVG.

        :param coordinates: whether the picture shows the coordinates.
        """
        return self.game.transport.text(
            "GET",
            f"{self.game.path}/players/{self.number}/territory/picture.svg",
            token=self.game.token,
            query={"coordinates": "true" if coordinates else None},
            **options,
        )


def seats_of(
    transport: Transport, created: m.CreatedGame | m.CreatedGameTokens, key: str | None = None
) -> list[Seat]:
    """Return the seats of a created game in order, each with its token.

    :param key: the player key for seats without a token.
    """
    fields: Mapping[str, Any] = created
    game_id = fields["game"]["id"] if "game" in fields else fields["game_id"]
    return [
        Game(transport, game_id, player["token"] or key).seat(player["seat"]) for player in created["players"]
    ]
