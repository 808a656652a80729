"""The rules of Isle of Skye: pure functions over immutable values, without input or output.

`new_game` creates a game, `play` makes a move or raises a `RuleError`, `legal_moves` and `offer_limits`
list the legal moves of a seat, and the `..._as_seen_by` functions hide what a viewer may not see.
"""

from skye.bots.cooperative_yield import on_checkpoint
from skye.bots.registry import BOTS, Bot, choose_move
from skye.encoding import (
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
from skye.errors import RULE_ERRORS, InvalidRecord, InvalidSetup, InvalidTerritory, RuleError
from skye.events import EVENT_TYPES, Event
from skye.positions.from_view import game_from_view
from skye.positions.importing import game_from_position
from skye.positions.parsing import Fault, InvalidPosition
from skye.positions.record import (
    Action,
    Record,
    action_of,
    actions_as_seen_by,
    apply_actions,
    move_from,
    move_view,
    replay,
)
from skye.positions.snapshot import Position, game_hash, position_as_seen_by, position_of
from skye.positions.text import position_from_text, position_to_text
from skye.rules.chance import chance_outcomes
from skye.rules.draws import commitment
from skye.rules.moves import (
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
from skye.rules.play import Outcome, legal_moves, offer_limits, play
from skye.rules.schedule import SLOTS, schedule
from skye.rules.setup import PLAYERS, Options, new_game
from skye.rules.state import GameState, Phase, Player, TieBreak
from skye.scoring.final import TIE_BREAKS
from skye.scoring.scoring_tiles import SCORING_TILES
from skye.territory.areas import Area
from skye.territory.frontier import Place
from skye.territory.summary import TerritorySummary
from skye.territory.territory import Territory, castle_alone
from skye.tiles.catalogue import COLORS, LANDSCAPE, OBJECTS, ROTATED_TILES, TILES, RotatedTile, Terrain, Tile
from skye.tiles.geometry import LIMIT, ROTATIONS, coordinates_of
from skye.views.events import EventView, GameFinishedView, RoundView, SeatEndView
from skye.views.game import (
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
from skye.views.reports import (
    ObjectCountsView,
    PlacementGainsView,
    ScoredTerritoriesView,
    ScoresView,
    ScoringTileView,
    TerritoryView,
    TerritoryWorthView,
    WhatIfView,
)
from skye.visibility.gains import placement_gains, territory_worth_view
from skye.visibility.game_views import event_as_seen_by, game_as_seen_by, scoring_tiles_view, territory_view
from skye.visibility.observation import count_purses, determinize, observed_game
from skye.visibility.round_reports import round_report
from skye.visibility.score_reports import (
    scores_as_seen_by,
    scoring_tile_catalogue,
    territory_report,
    territory_scores,
    what_if,
)

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
    "GameFinishedView",
    "GameResultView",
    "GameState",
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
