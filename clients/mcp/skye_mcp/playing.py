"""What the tools do, on the public API: a player with a key, and one method for each tool."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, cast

import anyio

from skye_client import ApiError, AsyncGame, AsyncGameView, AsyncPlayer, AsyncSkye, models
from skye_gym.agents import action_text, decision_id, decision_text, quoted, standing, take_backs_left
from skye_mcp.choice import Json, UnusableChoice, chosen_action
from skye_mcp.rulesets import load_ruleset

Progress = Callable[[float], Awaitable[None]]

MAX_WAIT_S: Final = 600
_PAGE: Final = 1000
_PROGRESS_S: Final = 5.0
"""How often a waiting tool reports progress, in seconds."""


class Playing:
    """The games of one player.

    :param skye: the client of the server.
    :param key: the player key, which no result contains.
    """

    def __init__(self, skye: AsyncSkye, key: str) -> None:
        self._skye = skye
        self._player = AsyncPlayer(skye.transport, key)

    def game(self, game: str) -> AsyncGame:
        """Return a game, for the player."""
        return self._player.game(game)

    async def list_games(self) -> str:
        """Return the player's games that go on, and the public lobbies."""
        own = await self._player.games.list(limit=20)
        lobbies = await self._skye.games.list(status="lobby", limit=20)
        lines = ["Your games:", *(_summary(one["game"]) for one in own["games"]), "\nPublic games to join:"]
        return "\n".join([*lines, *map(_summary, lobbies["games"])])

    async def history(self) -> str:
        """Return the player's latest finished games, and statistics of all of them."""
        past = await self._player.games.list_past(limit=20)
        found = await self._player.statistics()
        lines = [
            f"{each['games']} games of {each['player_count']} players: {each['wins']} won, "
            f"places from the first {each['places']}, mean points {each['mean_score']}"
            for each in found["by_player_count"]
        ]
        tiles = [f"{each['scoring_tile']} {each['mean_points']}" for each in found["by_scoring_tile"]]
        lines.append(f"Mean points by scoring tile: {', '.join(tiles) or 'none'}")
        return "\n".join([*lines, "\nYour latest games:", *map(_past_game, past["games"])])

    async def list_scenarios(self) -> str:
        """Return the scenarios with which a game can begin."""
        scenarios = await self._skye.catalogue.scenarios()
        return "\n".join(f"{one['name']}: {one['text']}" for one in scenarios)

    async def list_bots(self) -> str:
        """Return the bots against which a game can be played."""
        bots = await self._skye.catalogue.bots()
        return "\n".join(f"{bot['name']}: {bot['description']}" for bot in bots)

    async def create_game(
        self, name: str, bots: Sequence[str], seat_count: int | None, scenario: str | None, options: Json
    ) -> str:
        """Create a game with the player and bots; it starts when every seat is taken."""
        players = [{"name": name}, *({"bot": bot} for bot in bots)]
        body: dict[str, Any] = {"players": players, "auto_start": True, "options": dict(options)}
        body |= {"scenario": scenario} if scenario else {"seat_count": seat_count or len(players)}
        created = await self._player.request("POST", "/v1/games", body)
        return await self.describe(created["game"]["id"])

    async def join_game(self, game: str, name: str, invite_code: str | None) -> str:
        """Take a seat in a game."""
        player: models.PersonToJoin = {"name": name}
        if invite_code:
            player["invite_code"] = invite_code
        await self.game(game).join(player)
        return await self.describe(game)

    async def wait_for_turn(self, game: str, wait_s: float, progress: Progress) -> str:
        """Wait until the player must decide, or the game is over; return the decision."""
        if not await self._must_decide(game):
            await self._wait(game, min(wait_s, MAX_WAIT_S), progress)
        return await self.describe(game)

    async def act(
        self,
        game: str,
        decision: str,
        number: int | None,
        offer: Json | None,
        place: Json | None,
        take_back: bool,
        wait_s: float,
        progress: Progress,
    ) -> str:
        """Make the chosen action; return the next decision.

        :raises UnusableChoice: for a decision that is over, or no legal action.
        :raises ApiError: when the server refuses the action.
        """
        view = await self._own_view(game)
        if not view.get("actions"):
            raise UnusableChoice(f"There is nothing to decide.\n\n{standing(view)}")
        if decision != decision_id(view):
            current = await self._decision(view)
            raise UnusableChoice(
                f"Decision {decision} is over: the action was made already, or the game went on.\n\n{current}"
            )
        action = chosen_action(view["actions"], number, offer, place, take_back=take_back)
        if take_back and not take_backs_left(view, await self._events(view)):
            raise UnusableChoice("No more placements can be taken back in this round.")
        seat = self.game(game).seat(view["you"]["seat"])
        after = await seat.act(action, include=["actions"])
        if after.get("actions") or after["status"] != "playing":
            return await self._decision(cast("Json", after))
        return await self.wait_for_turn(game, wait_s, progress)

    async def legal_actions(self, game: str) -> Sequence[Json]:
        """Return the legal actions of the player."""
        actions: Sequence[Json] = (await self._view(game)).get("actions") or ()
        return actions

    async def what_if(self, game: str, placements: Sequence[Json]) -> str:
        """Return the effect of placements on the points of the player."""
        view = await self._view(game)
        seat = self.game(game).seat(view["you"]["seat"])
        tried = await seat.request("POST", "/what-if", {"placements": placements})
        return _points(tried)

    async def scores(self, game: str) -> str:
        """Return the points of all players, round by round."""
        view, scores = await self._view(game), await self.game(game).scores()
        names = [quoted(player["name"]) for player in view["players"]]
        lines = []
        for of_seat in scores["players"]:
            rounds = [
                f"round {one['round']}: "
                + ", ".join(f"{tile['scoring_tile']} {tile['points']}" for tile in one["scoring_tiles"])
                for one in of_seat["rounds"]
            ]
            lines.append("\n  ".join([f"{names[of_seat['seat']]}: {of_seat['score']} points", *rounds]))
        return "\n".join(lines)

    async def describe(self, game: str) -> str:
        """Return the decision of the player, or the state of the game if there is none."""
        return await self._decision(await self._own_view(game))

    async def _view(self, game: str) -> Json:
        return cast("Json", await self.game(game).get(include=["actions"]))

    async def _own_view(self, game: str) -> Json:
        """Return the view of a game, after taking back the seat if the server has taken it over."""
        view = await self._view(game)
        if not any(action["type"] == "return" for action in view.get("actions") or ()):
            return view
        with contextlib.suppress(ApiError):  # the game may just have ended
            await self.game(game).seat(view["you"]["seat"]).return_to_seat()
        return await self._view(game)

    async def _decision(self, view: Json) -> str:
        if not view.get("actions"):
            return standing(view)
        await load_ruleset(self._skye, view["ruleset"])
        return decision_text(view, await self._events(view))

    async def _events(self, view: Json) -> Sequence[Json]:
        """Return all events up to a view."""
        events: list[Json] = []
        while (last := events[-1]["id"] if events else 0) < view["last_event"]:
            page = await self.game(view["id"]).event_page(after=last, limit=_PAGE)
            if not page["events"]:
                break
            events += cast("list[Json]", page["events"])
        return events

    async def _must_decide(self, game: str) -> bool:
        view = await self._own_view(game)
        return bool(view.get("actions")) or view["status"] not in ("lobby", "playing")

    async def _wait(self, game: str, wait_s: float, progress: Progress) -> None:
        followed = await AsyncGameView.open(self.game(game))

        async def report() -> None:
            seconds = 0.0
            while True:
                await progress(seconds)
                await anyio.sleep(_PROGRESS_S)
                seconds += _PROGRESS_S

        with anyio.move_on_after(wait_s):
            try:
                async with anyio.create_task_group() as group:
                    group.start_soon(report)
                    await followed.until_my_turn()
                    group.cancel_scope.cancel()
            except ExceptionGroup as failed:
                raise failed.exceptions[0] from None


def _summary(game: Json) -> str:
    names = ", ".join(quoted(player["name"]) for player in game["players"])
    return f"  {game['id']} ({game['status']}, {len(game['players'])} of {game['seat_count']} seats): {names}"


def _past_game(game: Json) -> str:
    others = [player for player in game["players"] if player["seat"] != game["seat"]]
    names = ", ".join(f"{quoted(player['name'])} {player['score']}" for player in others)
    own = game["players"][game["seat"]]
    end = "" if own["end"]["type"] == "played" else f" ({own['end']['type']})"
    place = f"place {game['place']} of {len(game['players'])}"
    return f"  {game['game_id']} {game['finished_at']}: {place}, {own['score']} points{end}; against {names}"


def _points(tried: Json) -> str:
    """Return what placements change, by scoring tile."""
    lines = ["Points if it scored now, before -> after:"]
    for placement in tried["placements"]:
        if not placement["legal"]:
            lines.append(
                f"  Not legal: {action_text({'type': 'place', 'body': placement})}: {placement['detail']}"
            )
    for tile in tried["scoring_tiles"]:
        lines.append(f"  {tile['slot']} {tile['scoring_tile']}: {tile['before']} -> {tile['after']}")
    return "\n".join([*lines, "  scrolls: {before} -> {after}".format(**tried["scroll_points"])])
