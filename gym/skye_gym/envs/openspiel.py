"""OpenSpiel: `pyspiel.load_game("python_isle_of_skye(players=3)")` after importing this module.

The parameter `ruleset` is the id of a ruleset, `base` by default. `actions` is `factored`, the default, or
`grid` (see `skye_gym.envs.actions`). There is no `list`, because OpenSpiel expects that an action has one
meaning.

The game is sequential with explicit chance and imperfect information: seats set their offers one after
another, each without knowing the others'. Utilities are from -1 to 1, as in the PettingZoo environment; their
sum is constant.

`resample` samples hidden information for OpenSpiel's Python `ISMCTSBot`: `bot.set_resampler(resample)`. The
C++ ISMCTS cannot be used, because it crashes on all games written in Python.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final, NamedTuple, Self

from skye_gym.envs.extras import missing_extra

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise missing_extra(error, "openspiel") from None

from skye.lookup import named
from skye.positions.snapshot import position_of
from skye.positions.text import position_to_text
from skye.rules.chance import chance_outcomes
from skye.rules.moves import CHANCE, SetOffer
from skye.rules.setup import Options, new_game
from skye.rules.state import PRICING, GameState
from skye.rulesets import BASE, Ruleset, ruleset_of
from skye.visibility.observation import determinize, sample_prices
from skye_gym.encoding import EncodedGame, encode_move, encoding_of
from skye_gym.envs.actions import FactoredActions, GridActions
from skye_gym.envs.arguments import whole_number
from skye_gym.envs.openspiel_observer import IsleOfSkyeObserver, chosen_text
from skye_gym.envs.rewards import rewards

_PARAMETERS: Final = {"players": 2, "ruleset": BASE.id, "actions": "factored"}
"""The parameters of the game with their defaults."""

_ENCODINGS: Final = {"factored": FactoredActions, "grid": GridActions}


def max_actions(ruleset: Ruleset, decisions: int = 3) -> int:
    """Return the maximum number of actions and draws of a game.

    A seat draws its tiles, offers and places as many, buys, and finishes building in each round; the draws of
    the setup are the scoring tiles and the starting seat.

    :param decisions: the number of actions of a placement.

    >>> max_actions(BASE), max_actions(BASE, 1)
    (430, 280)
    """
    of_seat = (2 + decisions) * ruleset.tiles_drawn + 2
    seats = max(players * len(ruleset.rounds(players)) for players in ruleset.players)
    return seats * of_seat + len(ruleset.slots) + 1


def _type_of(ruleset: Ruleset) -> pyspiel.GameType:
    return pyspiel.GameType(
        short_name="python_isle_of_skye",
        long_name="Python Isle of Skye",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.CONSTANT_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=ruleset.players[-1],
        min_num_players=ruleset.players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=_PARAMETERS,
    )


class IsleOfSkyeGame(pyspiel.Game):
    """The game for a number of players, 2 by default, in a ruleset.

    :param params: `players`; `ruleset`, the id of the ruleset; and `actions`, the encoding of actions.
    :raises TypeError: when the number of players is not a whole number.
    :raises ValueError: when there is no such ruleset or encoding.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        chosen = _PARAMETERS | params
        self.players = whole_number("players", chosen["players"])
        self.ruleset = ruleset_of(chosen["ruleset"])
        self.actions = named("encoding of actions", chosen["actions"], _ENCODINGS)
        self._max_actions = max_actions(self.ruleset, 3 if self.actions is FactoredActions else 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.actions.count(self.ruleset),
            max_chance_outcomes=len(encoding_of(self.ruleset).draws),
            num_players=self.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=2.0 - self.players,
            max_game_length=self._max_actions,
        )
        super().__init__(_type_of(self.ruleset), info, params)
        # Shared, because OpenSpiel creates an initial state for each tensor.
        options = Options(ruleset=self.ruleset.id)
        self.initial = EncodedGame(new_game(self.players, chance_nodes=True, options=options).game)

    def new_initial_state(self) -> IsleOfSkyeState:
        """Return the state before the draws of the setup."""
        return IsleOfSkyeState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> IsleOfSkyeObserver:
        """Return the observer, which converts states to tensors and strings.

        :raises ValueError: when there are parameters.
        """
        if params:
            raise ValueError("the observer has no parameters")
        iig_obs_type = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        return IsleOfSkyeObserver(iig_obs_type, self.ruleset, self.players, self._max_actions)


class _Step(NamedTuple):
    """An action, its player, and the round of the offer that it belongs to; 0 for public actions."""

    player: int
    action: int
    offer_of_round: int


class _Steps(tuple[_Step, ...]):
    """The actions so far. Copies share them, since OpenSpiel clones a state by a deep copy."""

    __slots__ = ()

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self


class IsleOfSkyeState(pyspiel.State):
    """A game between two decisions, and the actions so far."""

    def __init__(self, game: IsleOfSkyeGame) -> None:
        super().__init__(game)
        self.actions = game.actions(game.initial)
        self.steps = _Steps()

    @property
    def encoded(self) -> EncodedGame:
        """The game, with an incomplete offer."""
        return self.actions.encoded

    @property
    def chosen(self) -> tuple[int | None, int | None]:
        """The index of the tile and the number of the cell that are chosen in an incomplete placement."""
        return self.actions.tile, self.actions.cell

    def current_player(self) -> int:
        """Return the seat that decides, or the player id of chance or of a terminal state."""
        return int(pyspiel.PlayerId.TERMINAL) if self.encoded.game.is_over else self.encoded.seat

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.actions.legal) if player == self.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of the possible draws with their probabilities."""
        encoding = self.encoded.encoding
        return sorted(
            (encoding.encode_draw(draw), share) for draw, share in chance_outcomes(self.encoded.game)
        )

    def _apply_action(self, action: int) -> None:
        game, seat = self.encoded.game, self.encoded.seat
        secret = game.round if game.phase is PRICING and seat >= 0 else 0
        self.steps = _Steps((*self.steps, _Step(seat, action, secret)))
        if seat == CHANCE:
            self.actions.continue_with(self.encoded.play(action)[0])
        else:
            self.actions.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {self.encoded.encoding.draws[action]}"
        return self.actions.describe(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.encoded.game.is_over

    def returns(self) -> list[float]:
        """Return the utility of each seat, from -1 to 1; 0 before the end."""
        game = self.encoded.game
        return rewards(game) if game.is_over else [0.0] * len(game.players)

    def public_steps(self) -> list[tuple[int, int]]:
        """Return the player and the action of every step; the action is -1 while it is secret."""
        return [(step.player, -1 if self._is_secret(step) else step.action) for step in self.steps]

    def secret_actions(self, player: int) -> list[int]:
        """Return the actions of a player's secret offer."""
        if self.encoded.game.phase is not PRICING:
            return []
        return [step.action for step in self.steps if step.player == player and self._is_secret(step)]

    def _is_secret(self, step: _Step) -> bool:
        game = self.encoded.game
        return game.phase is PRICING and step.offer_of_round == game.round

    def __str__(self) -> str:
        game = self.encoded.game
        text = (
            position_to_text(position_of(game)) if game.starting_seat >= 0 else f"setup {game.scoring_tiles}"
        )
        text += chosen_text(self.chosen)
        return f"{text} {list(self.encoded.draft)}" if self.encoded.draft else text


_rng = Random()


def resample(state: IsleOfSkyeState, player: int, rng: Random | None = None) -> IsleOfSkyeState:
    """Return a random state in the information set of a player: it samples secret offers.

    `history` and `serialize` of the result still have the actions of the secret offers, because OpenSpiel
    cannot change them; `steps` has those of the sample.

    :param rng: the source of the samples; unseeded by default. `functools.partial(resample, rng=Random(1))`
        is a resampler that repeats its samples.
    """
    sampled = state.clone()
    encoded = state.encoded
    game, draft = encoded.game, encoded.draft
    if game.phase is not PRICING or game.is_chance_node:
        return sampled
    rng = rng or _rng
    after = determinize(game, player, rng, explicit_chance=True)
    prices_of = {seat: other.prices for seat, other in enumerate(after.players) if other.prices}
    if draft:
        prices_of[encoded.seat] = sample_prices(game.ruleset, after.players[encoded.seat].gold, rng)
    prices_of.pop(player, None)
    offers = {seat: _offer_actions(after, seat, prices) for seat, prices in prices_of.items()}
    if encoded.seat in offers:
        draft = tuple(offers[encoded.seat][: len(draft)])
    sampled.actions.continue_with(EncodedGame(after, draft, encoded.decider))
    sampled.steps = _Steps(
        [
            step._replace(action=offers[step.player].pop(0))
            if step.offer_of_round == game.round and offers.get(step.player)
            else step
            for step in state.steps
        ]
    )
    return sampled


def _offer_actions(game: GameState, seat: int, prices: tuple[int, ...]) -> list[int]:
    """Return the actions of the offer with these prices, 0 for the tile to discard."""
    priced = dict(zip(game.players[seat].tiles_on_offer, prices, strict=True))
    discard = next(tile for tile, price in priced.items() if not price)
    kept = [(tile, price) for tile, price in priced.items() if price]
    return list(encode_move(game, seat, SetOffer(discard, tuple(kept))))


pyspiel.register_game(_type_of(BASE), IsleOfSkyeGame)
