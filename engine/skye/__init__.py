"""The rules of Isle of Skye: pure functions over frozen values, no input or output.

`new_game` begins a game, `play` makes a move or raises a `RuleError`, `legal_moves` and `offer_limits`
list what is open to a seat, and the `..._as_seen_by` functions say what a viewer may know.
"""

from skye.action_encoding import (
    ACTION_COUNT,
    DRAWS,
    GRID_REACH,
    MAX_ENCODED_PRICE,
    EncodedGame,
    decode_action,
    decode_draw,
    describe_action,
    encode_draw,
    encode_move,
)
from skye.areas import Area
from skye.bots import BOTS, Bot, choose_move
from skye.chance import chance_outcomes
from skye.checkpoint import on_checkpoint
from skye.draws import commitment
from skye.errors import RULE_ERRORS, InvalidRecord, InvalidSetup, InvalidTerritory, RuleError
from skye.event_views import EventView, GameFinishedView, RoundView, SeatEndView
from skye.events import EVENT_TYPES, Event
from skye.final_scoring import TIE_BREAKS
from skye.frontier import Place
from skye.game import Game, Phase, Player, TieBreak
from skye.geometry import LIMIT, ROTATIONS, coordinates_of
from skye.moves import CHANCE, Buy, Draw, FinishBuilding, Move, OfferLimits, Pass, SetOffer, TakeBack
from skye.observation import count_purses, determinize, observed_game
from skye.placement_gains import placement_gains, standing_view
from skye.position import Position, game_hash, position_as_seen_by, position_of
from skye.position_import import game_from_position
from skye.position_reading import Fault, InvalidPosition
from skye.position_text import position_from_text, position_to_text
from skye.record import Action, Record, action_of, actions_as_seen_by, move_from, move_view, play_on, replay
from skye.report_views import (
    PlacementGainsView,
    ScoredTerritoriesView,
    ScoresView,
    ScoringTileView,
    TerritoryView,
    TerritoryWorthView,
    WhatIfView,
)
from skye.round_report import round_report
from skye.rules import Outcome, legal_moves, offer_limits, play
from skye.schedule import SLOTS, schedule
from skye.scoring import SCORING_TILES
from skye.setup import PLAYERS, Options, new_game
from skye.standings import assess, scores_as_seen_by, scoring_tile_views, territory_report, what_if
from skye.territory import Territory, castle_alone
from skye.territory_summary import TerritorySummary
from skye.tiles import COLORS, FORMS, LANDSCAPE, OBJECTS, TILES, Form, Terrain, Tile
from skye.view_import import game_from_view
from skye.views import (
    ActionView,
    BagView,
    GameStateView,
    GameView,
    PlacedTileView,
    PlayerView,
    ResultView,
    SeedView,
    UsedScoringTileView,
)
from skye.visibility import event_as_seen_by, game_as_seen_by, scoring_tiles_view, territory_view

__version__ = "0.1.0"

__all__ = [
    "ACTION_COUNT",
    "BOTS",
    "CHANCE",
    "COLORS",
    "DRAWS",
    "EVENT_TYPES",
    "FORMS",
    "GRID_REACH",
    "LANDSCAPE",
    "LIMIT",
    "MAX_ENCODED_PRICE",
    "OBJECTS",
    "PLAYERS",
    "ROTATIONS",
    "RULE_ERRORS",
    "SCORING_TILES",
    "SLOTS",
    "TIE_BREAKS",
    "TILES",
    "Action",
    "ActionView",
    "Area",
    "BagView",
    "Bot",
    "Buy",
    "Draw",
    "EncodedGame",
    "Event",
    "EventView",
    "Fault",
    "FinishBuilding",
    "Form",
    "Game",
    "GameFinishedView",
    "GameStateView",
    "GameView",
    "InvalidPosition",
    "InvalidRecord",
    "InvalidSetup",
    "InvalidTerritory",
    "Move",
    "OfferLimits",
    "Options",
    "Outcome",
    "Pass",
    "Phase",
    "Place",
    "PlacedTileView",
    "PlacementGainsView",
    "Player",
    "PlayerView",
    "Position",
    "Record",
    "ResultView",
    "RoundView",
    "RuleError",
    "ScoredTerritoriesView",
    "ScoresView",
    "ScoringTileView",
    "SeatEndView",
    "SeedView",
    "SetOffer",
    "TakeBack",
    "Terrain",
    "Territory",
    "TerritorySummary",
    "TerritoryView",
    "TerritoryWorthView",
    "TieBreak",
    "Tile",
    "UsedScoringTileView",
    "WhatIfView",
    "action_of",
    "actions_as_seen_by",
    "assess",
    "castle_alone",
    "chance_outcomes",
    "choose_move",
    "commitment",
    "coordinates_of",
    "count_purses",
    "decode_action",
    "decode_draw",
    "describe_action",
    "determinize",
    "encode_draw",
    "encode_move",
    "event_as_seen_by",
    "game_as_seen_by",
    "game_from_position",
    "game_from_view",
    "game_hash",
    "legal_moves",
    "move_from",
    "move_view",
    "new_game",
    "observed_game",
    "offer_limits",
    "on_checkpoint",
    "placement_gains",
    "play",
    "play_on",
    "position_as_seen_by",
    "position_from_text",
    "position_of",
    "position_to_text",
    "replay",
    "round_report",
    "schedule",
    "scores_as_seen_by",
    "scoring_tile_views",
    "scoring_tiles_view",
    "standing_view",
    "territory_report",
    "territory_view",
    "what_if",
]
