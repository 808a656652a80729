"""The rules of Isle of Skye: pure functions over immutable values, without input or output.

`new_game` creates a game, `play` makes a move or raises a `RuleError`, `legal_moves` lists the legal moves
of a seat, and `game_view` returns the game as a viewer may see it. The names in this module are those of
programs that play. These public modules have the rest: `skye.errors`, `skye.events`, `skye.views`,
`skye.fields`, `skye.rulesets`, `skye.evaluation`, `skye.tiles`, `skye.territory`, `skye.scoring`,
`skye.positions`, `skye.bots`, `skye.draws`, `skye.svg` and `skye.words`. All other modules may change.
"""

from skye.annotations import restore_annotations
from skye.bots.registry import BOTS, Bot, choose_move, play_out
from skye.errors import InvalidPosition, RuleError, SkyeError
from skye.positions.from_view import game_from_view
from skye.positions.importing import game_from_position
from skye.positions.record import Action, Record, replay
from skye.positions.record_json import record_from_json, record_to_json
from skye.positions.snapshot import game_hash, position_of
from skye.positions.text import position_from_text, position_to_text
from skye.rules.chance import chance_outcomes
from skye.rules.income import Income
from skye.rules.moves import CHANCE, Buy, Draw, FinishBuilding, Move, OfferLimits, Pass, SetOffer, TakeBack
from skye.rules.play import Outcome, legal_moves, offer_limits, play, rule_error
from skye.rules.setup import Options, new_game
from skye.rules.state import FinalPoints, GameState, Phase, Player
from skye.rulesets import BASE, Ruleset
from skye.scoring.final import TieBreak
from skye.territory.territory import Territory
from skye.tiles.tile_set import Place
from skye.visibility.game_views import game_view
from skye.visibility.observation import count_purses, determinize, observed_game

__version__ = "1.0.0"

__all__ = [
    "BASE",
    "BOTS",
    "CHANCE",
    "Action",
    "Bot",
    "Buy",
    "Draw",
    "FinishBuilding",
    "GameState",
    "InvalidPosition",
    "Move",
    "OfferLimits",
    "Options",
    "Outcome",
    "Pass",
    "Phase",
    "Place",
    "Player",
    "Record",
    "RuleError",
    "Ruleset",
    "SetOffer",
    "SkyeError",
    "TakeBack",
    "Territory",
    "TieBreak",
    "chance_outcomes",
    "choose_move",
    "count_purses",
    "determinize",
    "game_from_position",
    "game_from_view",
    "game_hash",
    "game_view",
    "legal_moves",
    "new_game",
    "observed_game",
    "offer_limits",
    "play",
    "play_out",
    "position_from_text",
    "position_of",
    "position_to_text",
    "record_from_json",
    "record_to_json",
    "replay",
    "rule_error",
]

restore_annotations(GameState, Player, FinalPoints, Income, Place, SetOffer, Territory)
