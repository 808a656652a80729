"""What the relay derives of games, as stored: lists of public games, and games and events of players."""

from skye_server.games.player_events import PlayerEventType
from skye_server.players.codec import followed_games, player_events


def contents(service, *prefixes):
    """Return what is stored under keys that begin with the prefixes."""
    return {key: value for key, value in service.stored().items() if key.startswith(prefixes)}


def derived(service):
    """Return the lists, and of each player the games and the events of each game, without positions."""
    found = {}
    for key, value in contents(service, b"skye:{index}:", b"skye:{player.").items():
        if key.endswith(b":events"):
            found[key] = {}
            for _, fields in value:
                event = player_events.decode(fields[b"e"])
                # It has the version of the game when it was derived.
                is_seat = event.type == PlayerEventType.SEAT_TAKEN
                found[key].setdefault(event.game, []).append((event.type, event.seat) if is_seat else event)
        elif key.endswith(b":games"):
            states = {game: followed_games.decode(record) for game, record in value.items()}
            found[key] = {game: (each.seat, each.turn, each.over) for game, each in states.items()}
        elif not key.endswith(b":versions"):
            found[key] = {member for member, _ in value} if key.endswith(b":order") else value
    return found


def forget_derived(service):
    """Delete the lists, and what is stored of players except the tickets that they wait with."""
    for key in contents(service, b"skye:{index}:", b"skye:{player."):
        if not key.endswith(b":seeks"):
            service.redis.delete(key)
