"""The catalogue: tiles, scoring tiles, scenarios and bots; health and the index."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from skye.fields import MAX_TILES, Component, Keywords, RulesetName, ScoringSlot
from skye.positions import Position
from skye.rulesets import MAX_NOTE_LENGTH, MAX_PLAYERS, MAX_ROUNDS, MAX_SCORING_TILES, MAX_SLOTS, MIN_PLAYERS
from skye.views import ScoringTileView
from skye_server.games.views.fields import BotName
from skye_server.games.views.types import TileView

_Path: TypeAlias = Annotated[str, Keywords(maxLength=60)]


class TileList(TypedDict):
    """All tiles of a ruleset."""

    ruleset: RulesetName
    tiles: Annotated[Sequence[TileView], Keywords(minItems=1, maxItems=MAX_TILES + MAX_PLAYERS), "The tiles."]


_Slots: TypeAlias = Annotated[Sequence[ScoringSlot], Keywords(minItems=1, maxItems=MAX_SLOTS)]


class RoundTable(TypedDict):
    """The rounds of a game for a number of players."""

    players: Annotated[int, Keywords(minimum=MIN_PLAYERS, maximum=MAX_PLAYERS), "The number of players."]
    rounds: Annotated[
        Sequence[Annotated[_Slots, "The slots that the round scores."]],
        Keywords(minItems=1, maxItems=MAX_ROUNDS),
        "The rounds in their order.",
    ]
    note: Annotated[
        str | None, Keywords(maxLength=MAX_NOTE_LENGTH), "What is doubtful about the table, or null."
    ]


class ScoringTileList(TypedDict):
    """All scoring tiles of a ruleset, and the rounds that score their slots."""

    ruleset: RulesetName
    scoring_tiles: Annotated[
        Sequence[ScoringTileView],
        Keywords(minItems=1, maxItems=MAX_SCORING_TILES),
        "The scoring tiles.",
    ]
    round_tables: Annotated[
        Sequence[RoundTable],
        Keywords(minItems=1, maxItems=MAX_PLAYERS - MIN_PLAYERS + 1),
        "The rounds for each number of players that can play.",
    ]


class Scenario(TypedDict):
    """A position to begin a game from, by its name."""

    name: Annotated[str, Component("ScenarioName"), "The value of `scenario` in `POST /v1/games`."]
    text: Annotated[str, Keywords(maxLength=200), "A description of the position."]
    position: Annotated[
        Position,
        Component("ScenarioPosition"),
        "The position, as `POST /v1/games` accepts it.",
    ]


class ScenarioList(TypedDict):
    """All scenarios."""

    scenarios: Annotated[Sequence[Scenario], Keywords(minItems=1, maxItems=1000), "The scenarios."]


class Bot(TypedDict):
    """A bot, and how well it plays."""

    name: Annotated[BotName, "The value of `bot` for a seat."]
    title: Annotated[str, Keywords(maxLength=60), "The name that players see."]
    description: Annotated[str, Keywords(maxLength=200), "How it plays."]
    win_percent: Annotated[
        int,
        Keywords(minimum=0, maximum=100),
        "How many of 100 two-player games against `greedy` it wins, measured; a shared win counts half.",
    ]
    decision_ms: Annotated[
        int,
        Keywords(minimum=1, maximum=60_000),
        "The 99th percentile of its decision times in these games, in milliseconds.",
    ]


class BotList(TypedDict):
    """All bots."""

    bots: Annotated[Sequence[Bot], Keywords(minItems=1, maxItems=100), "The bots, the weakest first."]


class Health(TypedDict):
    """The health of the server."""

    status: Annotated[Literal["ok"], 'Always "ok".']
    lab: Annotated[bool, "Whether the server is a lab for testers (`SKYE_LAB`)."]


class Readiness(Health):
    """The readiness of the server."""

    warnings: Annotated[
        Sequence[Annotated[str, Keywords(maxLength=200), "A sentence."]],
        Keywords(maxItems=10),
        "What an operator should change: the version, the eviction policy or the clock of Redis, or "
        "`SKYE_REDIS_REPLICAS`, if it is below the number of replicas.",
    ]
    dispatchers: Annotated[
        int,
        Keywords(minimum=0),
        "How many dispatchers are alive. Without any, missed deadlines are applied by the next request for "
        "their game.",
    ]


class LinkTarget(TypedDict):
    """The target of a link."""

    href: Annotated[_Path, "Its path."]
    type: Annotated[str, Keywords(maxLength=100), "Its media type."]


_Targets: TypeAlias = Annotated[Sequence[LinkTarget], Keywords(minItems=1, maxItems=10)]

LinkContext = TypedDict(
    "LinkContext",
    {
        "anchor": Annotated[_Path, "The path of the API."],
        "service-desc": Annotated[_Targets, "The documents of the contract."],
        "service-doc": Annotated[_Targets, "The guide."],
        "status": Annotated[_Targets, "The readiness of the server."],
    },
)
LinkContext.__doc__ = "The links of one API."


class ApiCatalog(TypedDict):
    """A linkset (RFC 9264) with an entry for each API."""

    linkset: Annotated[Sequence[LinkContext], Keywords(minItems=1, maxItems=10), "The APIs."]


class ServiceIndex(TypedDict):
    """The paths to begin with."""

    play: Annotated[_Path, "The web client, for playing in a browser."]
    games: Annotated[_Path, "The public games, and where to create one."]
    tiles: Annotated[_Path, "All tiles."]
    scoring_tiles: Annotated[_Path, "All scoring tiles."]
    scenarios: Annotated[_Path, "All scenarios."]
    bots: Annotated[_Path, "All bots."]
    lab: Annotated[_Path | None, "The laboratory of a server for testers; null on other servers."]
    guide: Annotated[_Path, "The guide."]
    reference: Annotated[_Path, "The reference."]
    contract: Annotated[_Path, "The contract."]
