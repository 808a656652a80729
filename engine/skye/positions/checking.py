"""Check a parsed position against the rules of the game."""

from __future__ import annotations

from skye.errors import Fault
from skye.positions.parsing import PlayerFields, PositionFields, PositionReader
from skye.rules.state import GameState, Phase

FIRST_AMOUNT = 10_000
"""The maximum score of a seat, and gold for each seat, before the first round."""

GROWTH = 1_000
"""What is added to these maxima in each round: more than the gold of all seats, or a score, grows.

So a game stays within them, and each position that it exports can be imported.
"""


def excessive_amounts(game: GameState) -> list[Fault]:
    """Return faults for the gold and the scores of a game in play that exceed the limits of a position."""
    if game.is_over:
        return []
    growth = GROWTH * game.round
    faults = [
        Fault(f"/players/{seat}/score", f"a score is at most {FIRST_AMOUNT + growth} in round {game.round}")
        for seat, player in enumerate(game.players)
        if player.score > FIRST_AMOUNT + growth
    ]
    max_gold = FIRST_AMOUNT * len(game.players) + growth
    if sum(player.gold + player.stakes for player in game.players) > max_gold:
        faults.append(
            Fault("/players", f"all seats have at most {max_gold} gold together in round {game.round}")
        )
    return faults


class PositionRules:
    """Checks one position, and adds faults to its reader."""

    def __init__(self, reader: PositionReader, given: PositionFields) -> None:
        self._fault = reader.fault
        self._given = given
        self._seats = len(given.players)
        self._ruleset = given.ruleset
        self._drawn = self._most_of_a_round = given.ruleset.tiles_drawn  # all but the discard, and one bought
        self._slots = given.ruleset.rounds(self._seats)

    def check(self) -> None:
        """Check that all fields are consistent."""
        given = self._given
        if given.next_draws and given.seed is None:
            self._fault("/next_draws", "the draws of a game without a seed are chance decisions")
        self._check_colors()
        self._check_tiles()
        if given.round == 0:
            self._check_setup()
            return
        if given.phase is None and given.round != len(self._slots):
            self._fault("/phase", f"the game is over only after round {len(self._slots)}")
        for seat, player in enumerate(given.players):
            at = f"/players/{seat}"
            self._check_phase(player, at)
            self._check_size(player, at)
            self._check_history(player, at)
        self._check_turns()

    def _check_colors(self) -> None:
        taken: dict[str, int] = {}
        for seat, player in enumerate(self._given.players):
            if player.color is not None and taken.setdefault(player.color, seat) != seat:
                self._fault(
                    f"/players/{seat}/color",
                    f"the colour {player.color} is that of seat {taken[player.color]}",
                )

    def _check_tiles(self) -> None:
        """Check that no tile appears twice."""
        found: dict[str, str] = {}
        for seat, player in enumerate(self._given.players):
            at = f"/players/{seat}"
            placed = [place.tile for place in player.territory.placed[1:]] if player.territory else []
            for name, tiles in (
                ("territory", placed),
                ("tiles_on_offer", player.tiles_on_offer or []),
                ("tiles_to_build", player.tiles_to_build or []),
            ):
                for index, tile in enumerate(tiles):
                    here = f"{at}/{name}/{index}"
                    self._check_tile(tile, here, found)
        for index, tile in enumerate(self._given.next_draws):
            self._check_tile(tile, f"/next_draws/{index}", found)

    def _check_tile(self, tile: str, here: str, found: dict[str, str]) -> None:
        if tile in found:
            self._fault(here, f"{tile} is at {found[tile]} already")
        found.setdefault(tile, here)

    def _check_setup(self) -> None:
        given = self._given
        if not given.explicit_chance or given.phase is not Phase.PRICING:
            self._fault(
                "/round", "round 0 is the setup of a game with chance decisions: seed null, phase pricing"
            )
        for seat, player in enumerate(given.players):
            if (
                (player.territory and len(player.territory.placed) > 1)
                or player.tiles_on_offer
                or player.tiles_to_build
                or player.score
            ):
                self._fault(f"/players/{seat}", "players have nothing but their castle during the setup")

    def _check_phase(self, player: PlayerFields, at: str) -> None:
        phase = self._given.phase
        if phase is Phase.PRICING:
            self._check_pricing(player, at)
        elif phase is Phase.BUYING:
            self._check_buying(player, at)
        elif player.tiles_on_offer:
            self._fault(f"{at}/tiles_on_offer", "no tiles are on offer in this phase")
        if phase is Phase.BUILDING:
            self._check_building(player, at)
        elif phase is not None and player.placed_this_round:
            self._fault(f"{at}/placed_this_round", "tiles are placed in the building phase only")
        elif phase is not None and player.building_finished:
            self._fault(f"{at}/building_finished", "this belongs to the building phase")
        if phase is None and player.tiles_to_build:
            self._fault(f"{at}/tiles_to_build", "nothing is left to build when the game is over")

    def _check_pricing(self, player: PlayerFields, at: str) -> None:
        if player.tiles_to_build:
            self._fault(f"{at}/tiles_to_build", "nothing is to build in the pricing phase")
        drawn = player.tiles_on_offer
        if drawn is not None and len(drawn) != self._drawn:
            if not (self._given.explicit_chance and len(drawn) < self._drawn and not player.prices):
                self._fault(f"{at}/tiles_on_offer", f"each seat draws {self._drawn} tiles, not {len(drawn)}")
        elif player.prices and player.offer_withheld:
            self._fault(f"{at}/offer_set", "the offer of this seat is complete, and therefore set")
        elif player.prices and player.prices.count(0) != 1:
            self._fault(f"{at}/tiles_on_offer", "an offer discards one tile and prices the others")
        needed = self._ruleset.minimum_price * (self._drawn - 1)
        if player.gold is not None and player.gold + sum(player.prices) < needed:
            self._fault(f"{at}/gold", f"a seat needs at least {needed} gold to price its tiles")

    def _check_buying(self, player: PlayerFields, at: str) -> None:
        drawn = player.tiles_on_offer or []
        if len(drawn) >= self._drawn:
            self._fault(
                f"{at}/tiles_on_offer", f"a seat offers at most {self._drawn - 1} tiles in the buying phase"
            )
        elif len(player.prices) < len(drawn) or 0 in player.prices:
            self._fault(f"{at}/tiles_on_offer", "each tile on offer has a price; discarded tiles are gone")
        if len(player.tiles_to_build or []) > 1:
            self._fault(f"{at}/tiles_to_build", "a seat buys at most one tile each round")

    def _check_building(self, player: PlayerFields, at: str) -> None:
        hand = len(player.tiles_to_build or [])
        if hand + player.placed_this_round > self._most_of_a_round:
            self._fault(
                f"{at}/tiles_to_build", f"a seat gets at most {self._most_of_a_round} tiles each round"
            )
        if hand and player.building_finished:
            self._fault(f"{at}/building_finished", "a seat that has finished has nothing left to build")

    def _check_size(self, player: PlayerFields, at: str) -> None:
        """Check that the seat can have received its tiles by this round."""
        size = len(player.territory.placed) - 1 if player.territory else 0
        if player.placed_this_round > size:
            self._fault(f"{at}/placed_this_round", f"only {size} tiles lie in the territory")
        rounds = self._given.round - 1 + (self._given.phase is None)
        max_size = self._most_of_a_round * rounds + (player.placed_this_round if self._given.phase else 0)
        if size > max_size:
            self._fault(
                f"{at}/territory",
                f"a territory has at most {max_size} tiles beside the castle now, not {size}",
            )

    def _check_history(self, player: PlayerFields, at: str) -> None:
        scored = self._slots[: self._given.round - (self._given.phase is not None)]
        if player.points is not None and [len(points) for points in player.points] != list(map(len, scored)):
            self._fault(
                f"{at}/points", f"{len(scored)} rounds are scored, with {list(map(len, scored))} slots"
            )
        size = len(player.territory.placed) if player.territory else 1
        sizes = player.territory_sizes
        if sizes is not None and (
            len(sizes) != len(scored)
            or list(sizes) != sorted(sizes)
            or any(not 1 <= each <= size for each in sizes)
        ):
            self._fault(
                f"{at}/territory_sizes", f"this is not a growing size for each of {len(scored)} rounds scored"
            )
        self._check_score(player, at)

    def _check_score(self, player: PlayerFields, at: str) -> None:
        final = self._given.phase is None
        if player.final is not None and not final:
            self._fault(f"{at}/final", "final scoring comes when the game is over")
        elif player.final is not None and player.territory is not None and player.gold is not None:
            expected = self._ruleset.final.score(player.territory.summary, player.gold)
            if player.final != (expected.scroll_points, expected.gold_points):
                self._fault(
                    f"{at}/final",
                    f"scrolls give {expected.scroll_points} points here, and gold {expected.gold_points}",
                )
        elif player.score is not None and player.points is not None and not final:
            total = sum(map(sum, player.points))
            if player.score < total:
                self._fault(f"{at}/score", f"the points come to {total}")
        if self._given.round == 1 and not final and player.score:
            self._fault(f"{at}/score", "nobody has a score before round 1 is scored")

    def _check_turns(self) -> None:
        given = self._given
        players = given.players
        if given.phase is Phase.PRICING and all(player.offer_set for player in players):
            self._fault("/phase", "all seats have set their offers: the phase is buying")
        if given.phase is Phase.BUILDING and all(player.building_finished for player in players):
            self._fault("/phase", "all seats have finished: the round is over")
        if given.phase is not Phase.BUYING:
            expected = 0 if given.phase is Phase.PRICING else self._seats
            if given.buys not in (None, expected):
                self._fault("/buys", f"{expected} seats have had their turn to buy in this phase")
            return
        if given.buys == self._seats:
            self._fault("/buys", "all seats have had their turn: the phase is building")
        if given.starting_seat is not None and given.buys is not None:
            had_turn = {(given.starting_seat + turn) % self._seats for turn in range(given.buys)}
            for seat, player in enumerate(players):
                if player.tiles_to_build and seat not in had_turn:
                    self._fault(f"/players/{seat}/tiles_to_build", "this seat has not had its turn to buy")
