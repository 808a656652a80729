"""Why event streams end, and what clients do then."""

from __future__ import annotations

from skye.words import Word

_LOST = "the store has lost events that the server had sent."
_GAME_OVER = "the game is over."
_UNREADABLE = "the caller may no longer read the game."


class StreamEndReason(Word):
    """Why a stream of the events of a game ends: the game is over, or a problem with this code."""

    FINISHED = "finished", _GAME_OVER
    ABORTED = "aborted", _GAME_OVER
    RESTART = "restart", "the server stops."
    HISTORY_LOST = "history_lost", _LOST
    GAME_NOT_FOUND = "game_not_found", _UNREADABLE
    TOKEN_UNKNOWN = "token_unknown", _UNREADABLE
    INVITATION_OVER = "invitation_over", "the invitation code of the caller is no longer valid."
    NOT_PUBLIC_YET = "not_public_yet", "the caller may read it when it is over (`public_from`)."


class PlayerStreamEndReason(Word):
    """Why a stream of the events of a player ends."""

    RESTART = StreamEndReason.RESTART, StreamEndReason.RESTART.meaning
    HISTORY_LOST = StreamEndReason.HISTORY_LOST, _LOST
    TOKEN_UNKNOWN = StreamEndReason.TOKEN_UNKNOWN, "the key was replaced."


class StreamResume(Word):
    """What a client does after the end of a stream."""

    RECONNECT = "reconnect", "open the stream again, after the last event received."
    RELOAD = "reload", "load the data again, and follow from its `last_event`."
    STOP = "stop", "no event follows that changes the view."
