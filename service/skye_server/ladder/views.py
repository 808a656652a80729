"""What the API shows of profiles and ladders: shapes, and the functions that return them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, TypedDict

from skye.fields import BySeat, Count, Keywords, Seat, Seats
from skye.rulesets import MAX_PLAYERS, MIN_PLAYERS
from skye.views import PlaceOfSeatView
from skye_server.games.views.fields import GameId, LadderPoints, ProfileName, SeatCount, Timestamp
from skye_server.games.views.game import timestamp
from skye_server.ladder.ladders import LADDERS, Ladder, LadderId
from skye_server.ladder.profiles import Profile
from skye_server.ladder.ratings import Rating
from skye_server.ladder.results import Change, Result, Size, Standing

MAX_DESCRIPTION: Final = 300
MAX_LISTED: Final = 100
MAX_RESULTS: Final = 20
"""How many results a player's page shows."""


class ProfileView(TypedDict):
    """The public name of a player."""

    name: ProfileName
    bot: Annotated[bool, "Whether the player says to be a program."]
    description: Annotated[str, Keywords(maxLength=MAX_DESCRIPTION), "What the player says; may be empty."]
    link: Annotated[str | None, Keywords(maxLength=2048), "A page about the player; null: none."]
    created_at: Annotated[Timestamp, "When the profile was created."]


class OwnProfileView(ProfileView):
    """The profile of a player key."""

    name_changeable_at: Annotated[Timestamp, "From when the name can be changed."]
    expires_at: Annotated[
        Timestamp | None,
        "When the profile ends unless a rated game begins with it; null: it does not end by itself.",
    ]


class RatingView(TypedDict):
    """The rating of a player on a ladder."""

    ladder: Annotated[LadderId, "The ladder."]
    rating: Annotated[LadderPoints, "The rating: 60 times the mean of the model; a new player has 1500."]
    uncertainty: Annotated[Count, "60 times the standard deviation of the model."]
    provisional: Annotated[bool, "Whether there are fewer than ten rated games."]
    rank: Annotated[int | None, Keywords(minimum=1), "The rank; null while the rating is provisional."]
    games: Annotated[Count, "The number of rated games. One without a winner is not rated."]
    gave_up: Annotated[Count, "How many games of the ladder the player has given up."]


class RatingChangeView(TypedDict):
    """What a rated game changed for a player."""

    seat: Seat
    before: Annotated[LadderPoints, "The rating before the game was counted."]
    after: Annotated[LadderPoints, "The rating after it."]


class RatedResultView(TypedDict):
    """A rated game that is over."""

    ladder: Annotated[LadderId, "The ladder."]
    number: Annotated[int, Keywords(minimum=1), "The number of the result on the ladder: its order counts."]
    game_id: GameId
    finished_at: Annotated[Timestamp, "When the game finished."]
    names: Annotated[
        Sequence[ProfileName],
        Keywords(minItems=MIN_PLAYERS, maxItems=MAX_PLAYERS),
        "The names of the players when the game began, in seat order.",
    ]
    placing: Annotated[
        Sequence[PlaceOfSeatView],
        Keywords(minItems=MIN_PLAYERS, maxItems=MAX_PLAYERS),
        "The places of all seats, the first place first.",
    ]
    gave_up: Annotated[Seats, "The seats that their players gave up."]
    counted: Annotated[bool, "Whether it changed ratings: it had a winner."]
    changes: Annotated[
        BySeat[RatingChangeView] | None,
        "The ratings of the players before and after, in seat order; null while the game is being counted.",
    ]


class PlayerPageView(ProfileView):
    """A player: the profile, the ratings, and the last rated games."""

    ratings: Annotated[
        Sequence[RatingView], Keywords(maxItems=len(LADDERS)), "The ratings, of each ladder that has one."
    ]
    results: Annotated[
        Sequence[RatedResultView], Keywords(maxItems=MAX_RESULTS), "The last rated games, the latest first."
    ]


class LadderView(TypedDict):
    """A ladder: its games and its size."""

    id: Annotated[LadderId, "The id of the ladder."]
    seat_count: SeatCount
    turn_ms: Annotated[Count, "Milliseconds for each decision."]
    player_count: Annotated[Count, "How many players have a rating that is not provisional."]
    result_count: Annotated[Count, "How many games have been counted: the number of the last result."]


class LadderList(TypedDict):
    """The ladders."""

    ladders: Annotated[Sequence[LadderView], Keywords(maxItems=len(LADDERS)), "The ladders."]


class StandingView(TypedDict):
    """A player on a ladder."""

    rank: Annotated[int, Keywords(minimum=1), "The rank."]
    name: Annotated[ProfileName | None, "The name; null once the profile is deleted."]
    bot: Annotated[bool, "Whether the player says to be a program."]
    rating: Annotated[LadderPoints, "The rating."]
    uncertainty: Annotated[Count, "The standard deviation of the rating."]
    games: Annotated[Count, "The number of rated games."]
    gave_up: Annotated[Count, "How many games of the ladder the player has given up."]


class StandingList(TypedDict):
    """A page of a ladder."""

    ladder: Annotated[LadderView, "The ladder."]
    players: Annotated[
        Sequence[StandingView], Keywords(maxItems=MAX_LISTED), "The players, the highest rating first."
    ]
    next_cursor: Annotated[
        str | None, Keywords(maxLength=256), "The `cursor` of the next page; null on the last."
    ]


def profile_view(profile: Profile) -> ProfileView:
    """Return a profile as everybody sees it."""
    return {
        "name": profile.name,
        "bot": profile.is_bot,
        "description": profile.description,
        "link": profile.link,
        "created_at": timestamp(profile.created_ms),
    }


def rating_view(ladder: str, rating: Rating, rank: int | None) -> RatingView:
    """Return the rating of a player on a ladder."""
    return {
        "ladder": LadderId(ladder),
        "rating": rating.shown,
        "uncertainty": rating.uncertainty,
        "provisional": rating.is_provisional,
        "rank": rank,
        "games": rating.games,
        "gave_up": rating.gave_up,
    }


def result_view(ladder: str, number: int, result: Result, change: Change | None) -> RatedResultView:
    """Return a rated game that is over."""
    placing = sorted((place, seat) for seat, place in enumerate(result.places))
    return {
        "ladder": LadderId(ladder),
        "number": number,
        "game_id": result.game_id,
        "finished_at": timestamp(result.finished_ms),
        "names": result.names,
        "placing": [{"place": place, "seat": seat} for place, seat in placing],
        "gave_up": [seat for seat, gave_up in enumerate(result.gave_up) if gave_up],
        "counted": result.has_winner,
        "changes": None if change is None else change_view(change),
    }


def change_view(change: Change) -> list[RatingChangeView]:
    """Return what a rated game changed."""
    pairs = zip(change.before, change.after, strict=True)
    return [{"seat": seat, "before": before, "after": after} for seat, (before, after) in enumerate(pairs)]


def ladder_view(ladder: Ladder, size: Size) -> LadderView:
    """Return a ladder."""
    return {
        "id": ladder.id,
        "seat_count": ladder.seats,
        "turn_ms": ladder.turn_ms,
        "player_count": size.players,
        "result_count": size.results,
    }


def standing_view(rank: int, standing: Standing) -> StandingView:
    """Return a player on a page of a ladder."""
    rating = standing.rating
    return {
        "rank": rank,
        "name": standing.shown.name,
        "bot": standing.shown.is_bot,
        "rating": rating.shown,
        "uncertainty": rating.uncertainty,
        "games": rating.games,
        "gave_up": rating.gave_up,
    }
