"""The rules of Isle of Skye: pure functions over immutable values, without input or output.

`new_game` creates a game, `play` makes a move or raises a `RuleError`, `legal_moves` and `offer_limits`
list the legal moves of a seat, and the `..._as_seen_by` functions hide what a viewer may not see.
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
from skye.moves import (
    CHANCE,
    MAX_GOLD,
    Buy,
    Draw,
    FinishBuilding,
    Move,
    OfferLimits,
    Pass,
    SetOffer,
    TakeBack,
)
from skye.observation import count_purses, determinize, observed_game
from skye.placement_gains import placement_gains, territory_worth_view
from skye.position import Position, game_hash, position_as_seen_by, position_of
from skye.position_import import game_from_position
from skye.position_reading import Fault, InvalidPosition
from skye.position_text import position_from_text, position_to_text
from skye.record import (
    Action,
    Record,
    action_of,
    actions_as_seen_by,
    apply_actions,
    move_from,
    move_view,
    replay,
)
from skye.report_views import (
    ObjectCountsView,
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
from skye.score_reports import (
    scores_as_seen_by,
    scoring_tile_catalogue,
    territory_report,
    territory_scores,
    what_if,
)
from skye.scoring import SCORING_TILES
from skye.setup import PLAYERS, Options, new_game
from skye.territory import Territory, castle_alone
from skye.territory_summary import TerritorySummary
from skye.tiles import COLORS, LANDSCAPE, OBJECTS, ROTATED_TILES, TILES, RotatedTile, Terrain, Tile
from skye.view_import import game_from_view
from skye.views import (
    ActionView,
    BagView,
    GameResultView,
    GameStateView,
    GameView,
    SeatInPlayView,
    SeedView,
    TerritoryTileView,
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
    "GRID_REACH",
    "LANDSCAPE",
    "LIMIT",
    "MAX_ENCODED_PRICE",
    "MAX_GOLD",
    "OBJECTS",
    "PLAYERS",
    "ROTATED_TILES",
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
    "Game",
    "GameFinishedView",
    "GameResultView",
    "GameStateView",
    "GameView",
    "InvalidPosition",
    "InvalidRecord",
    "InvalidSetup",
    "InvalidTerritory",
    "Move",
    "ObjectCountsView",
    "OfferLimits",
    "Options",
    "Outcome",
    "Pass",
    "Phase",
    "Place",
    "PlacementGainsView",
    "Player",
    "Position",
    "Record",
    "RotatedTile",
    "RoundView",
    "RuleError",
    "ScoredTerritoriesView",
    "ScoresView",
    "ScoringTileView",
    "SeatEndView",
    "SeatInPlayView",
    "SeedView",
    "SetOffer",
    "TakeBack",
    "Terrain",
    "Territory",
    "TerritorySummary",
    "TerritoryTileView",
    "TerritoryView",
    "TerritoryWorthView",
    "TieBreak",
    "Tile",
    "UsedScoringTileView",
    "WhatIfView",
    "action_of",
    "actions_as_seen_by",
    "apply_actions",
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
    "position_as_seen_by",
    "position_from_text",
    "position_of",
    "position_to_text",
    "replay",
    "round_report",
    "schedule",
    "scores_as_seen_by",
    "scoring_tile_catalogue",
    "scoring_tiles_view",
    "territory_report",
    "territory_scores",
    "territory_view",
    "territory_worth_view",
    "what_if",
]
