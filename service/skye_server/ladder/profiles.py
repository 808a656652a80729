"""Profiles: public names of players, each claimed by one player key.

A name and a profile lie in two slots:

    skye:{sN}:name.NAME:claim      string  the id of the player who has the name, or `_BLOCKED`
    skye:{player.ID}:profile       string  the `Profile` of the player; without a name once it is deleted

Each lies in a slot of its own. A claim ends with its profile; a blocked name stays until it is unblocked. A
player has one profile, which ends when it is deleted, or after thirty days without a rated game; one that
a rated game has used leaves what a new one must keep.

The name decides. It is claimed first, together with a due entry, and the profile is written then; a claim
whose profile was not written, or has another name since, is removed when the entry is due. The entry also
ends a profile that was used in no rated game for thirty days, and finishes a deletion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from skye_server.error_codes import Problem
from skye_server.games.due import Due
from skye_server.ladder.ladders import LADDERS
from skye_server.ladder.results import NOBODY, LadderResults, Shown
from skye_server.players.codec import RecordCodec
from skye_server.store.commit import MAX_ATTEMPTS, back_off
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.lua_scripts import PUBLISH, REPLICATE, Script
from skye_server.store.shards import key_of, player_key, shard_key, shard_of

NAME_PATTERN: Final = "[a-z0-9_-]{3,20}"
"""The form of names."""

DAY_MS: Final = 86_400_000

RENAMED_MS: Final = 7 * DAY_MS
"""How long a name stays at least, in milliseconds."""

UNUSED_MS: Final = 30 * DAY_MS
"""After how many milliseconds a name ends that was used in no rated game."""

RESERVED: Final = frozenset(
    {
        "admin",
        "administrator",
        "anonymous",
        "anybody",
        "api",
        "bot",
        "bots",
        "everybody",
        "guest",
        "help",
        "host",
        "ladder",
        "moderator",
        "nobody",
        "null",
        "official",
        "operator",
        "player",
        "players",
        "root",
        "server",
        "skye",
        "skye-server",
        "spectator",
        "staff",
        "support",
        "system",
        "undefined",
        "you",
    }
)
"""Names that nobody can claim."""

_BLOCKED: Final = "!"
_CLAIMING_MS: Final = 60_000
"""How long a process may take from the claim of a name to the profile."""

# KEYS: claim, due entries. ARGV: 1 the player, 2 the due entry, 3 when it is due. Returns 0 if another player
# has the name.
_CLAIM: Final = Script(
    PUBLISH
    + """
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
publish(KEYS[2])
return 1
"""
)

# KEYS: claim. ARGV: 1 the player. Removes the claim if it is that of the player.
_RELEASE: Final = Script(
    "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1"
)

# KEYS: profile. ARGV: 1 the profile as it was read (empty: none), 2 the new one (empty: none).
_CHANGE: Final = Script(
    REPLICATE
    + """
local stored = redis.call('GET', KEYS[1]) or ''
if stored ~= ARGV[2] then
  if stored ~= ARGV[1] then return 0 end
  if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2]) end
end
replicate(KEYS[1])
return 1
"""
)


class Profile(msgspec.Struct, array_like=True, frozen=True):
    """What a player says in public. Times are milliseconds since 1970, UTC.

    :param name: empty once the profile is deleted.
    :param named_ms: when the player took the name.
    :param is_used: whether a rated game has begun with a name of this profile.
    """

    name: str
    is_bot: bool
    description: str
    link: str | None
    created_ms: int
    named_ms: int
    is_used: bool = False


profiles: Final = RecordCodec(Profile, "profile")


class Profiles:
    """The profiles of a store. Every method raises Problem store_unavailable."""

    def __init__(self, calls: RedisCalls, now_ms: Callable[[], int]) -> None:
        self._calls = calls
        self._now_ms = now_ms

    def of(self, player: str) -> Profile | None:
        """Return the profile of a player, None without one."""
        profile = self._read(player)[1]
        return profile if profile is not None and self.owner(profile.name) == player else None

    def owner(self, name: str) -> str | None:
        """Return the id of the player who has claimed a name; None if nobody has, or it is blocked."""
        holder = self._holder(name)
        return None if holder == _BLOCKED else holder

    def named(self, name: str) -> tuple[str, Profile] | None:
        """Return the player and the profile of a name, None if there is none."""
        player = self.owner(name)
        profile = None if player is None else self._read(player)[1]
        return None if player is None or profile is None or profile.name != name else (player, profile)

    def put(self, player: str, sent: dict[str, Any], charge: Callable[[], None]) -> Profile:
        """Write the profile of a player, and return it.

        :param sent: `name`, `bot`, `description` and `link`.
        :param charge: is called before the player claims a name that is free.
        :raises Problem: profile_name_taken, renamed_lately, bot_is_final, too_much_contention, and those of
            `charge`.
        """
        name, now_ms, is_charged = sent["name"], self._now_ms(), False
        if name in RESERVED:
            raise Problem("profile_name_taken", "This name is reserved.")
        for attempt in range(MAX_ATTEMPTS):
            stored, before = self._read(player)
            profile = _changed(before, sent, now_ms)
            holder = self._holder(name)
            if holder not in (None, player):
                raise Problem("profile_name_taken")
            if holder is None and not is_charged:
                charge()
                is_charged = True
            if not self._claim(name, player, now_ms):
                raise Problem("profile_name_taken")
            if before is not None and before.name not in ("", name):
                self._claim(before.name, player, now_ms)  # the entry that removes it
            if self._change(player, stored, profiles.encode(profile)):
                if before is not None and before.name not in ("", name):
                    self._release(before.name, player)
                self._show(player, profile)
                return profile
            back_off(attempt)
        raise Problem("too_much_contention")

    def delete(self, player: str) -> None:
        """Delete the profile of a player, if there is one; games and ratings stay without the name.

        A profile that a rated game has used leaves what a new one must keep: whether the player is a program,
        and when the name was taken. Otherwise a deletion would make a person of a bot.
        """
        for attempt in range(MAX_ATTEMPTS):
            stored, profile = self._read(player)
            if profile is None or not profile.name:
                return
            self._show(player, None)
            self._claim(profile.name, player, self._now_ms())  # the entry that finishes this
            kept = msgspec.structs.replace(profile, name="", description="", link=None)
            if self._change(player, stored, profiles.encode(kept) if profile.is_used else b""):
                self._release(profile.name, player)
                return
            back_off(attempt)
        raise Problem("too_much_contention")

    def use(self, player: str) -> Profile | None:
        """Note that a rated game begins with the profile of a player; return it, None if it is gone."""
        for attempt in range(MAX_ATTEMPTS):
            stored, profile = self._read(player)
            if profile is None or not profile.name:
                return None
            if profile.is_used:
                return profile
            used = msgspec.structs.replace(profile, is_used=True)
            if self._change(player, stored, profiles.encode(used)):
                return used
            back_off(attempt)
        raise Problem("too_much_contention")

    def attend(self, entry: str) -> int | None:
        """Remove a claim that no profile has, or a profile that was not used in time.

        :param entry: the name, as the owner of its keys.
        :returns: when to look again, in milliseconds since 1970; None for never.
        """
        name, now_ms = entry.partition("/")[0].removeprefix("name."), self._now_ms()
        player = self.owner(name)
        if player is None:
            return None
        profile = self._read(player)[1]
        if profile is None or profile.name != name:
            self._release(name, player)
            return None
        if profile.is_used:
            return None
        if now_ms < profile.named_ms + UNUSED_MS:
            return profile.named_ms + UNUSED_MS
        self.delete(player)
        return None

    def block(self, name: str) -> None:
        """Take a name from the player who has it, so that nobody can claim it."""
        key, player = _claim_key(name), self.owner(name)
        self._calls.call(key, lambda server: server.set(key, _BLOCKED), writes=True)
        if player is not None:
            self.delete(player)

    def unblock(self, name: str) -> None:
        """Let a blocked name be claimed again."""
        self._release(name, _BLOCKED)

    def _show(self, player: str, profile: Profile | None) -> None:
        """Write the name on the ladders on which the player has a rating."""
        for ladder in LADDERS:
            results = LadderResults(self._calls, ladder)
            if results.ratings([player])[0].last:
                results.show(player, shown_of(profile))

    def _holder(self, name: str) -> str | None:
        """Return what a claim holds: the id of a player, or `_BLOCKED`."""
        key = _claim_key(name)
        found = self._calls.call(key, lambda server: expect_bytes(server.get(key)))
        return None if found is None else found.decode()

    def _claim(self, name: str, player: str, now_ms: int) -> bool:
        owner = f"name.{name}"
        keys = [_claim_key(name), shard_key(shard_of(owner), "due.profile")]
        return bool(self._calls.run_script(_CLAIM, keys, [player, f"{owner}/", now_ms + _CLAIMING_MS]))

    def _release(self, name: str, player: str) -> None:
        self._calls.run_script(_RELEASE, [_claim_key(name)], [player])

    def _read(self, player: str) -> tuple[bytes, Profile | None]:
        key = player_key(player, "profile")
        stored = self._calls.call(key, lambda server: expect_bytes(server.get(key)))
        return stored or b"", None if stored is None else profiles.decode(stored)

    def _change(self, player: str, stored: bytes, new: bytes) -> bool:
        return bool(self._calls.run_script(_CHANGE, [player_key(player, "profile")], [stored, new]))


def shown_of(profile: Profile | None) -> Shown:
    """Return what the pages of a ladder show of a profile."""
    return NOBODY if profile is None else Shown(profile.name, profile.is_bot)


def name_entry(name: str, due_ms: int) -> Due:
    """Return the due entry of a name."""
    return Due("profile", f"name.{name}/", due_ms)


def _claim_key(name: str) -> str:
    return key_of(f"name.{name}", "claim")


def _changed(before: Profile | None, sent: dict[str, Any], now_ms: int) -> Profile:
    """Return a profile after a request.

    :raises Problem: renamed_lately, bot_is_final.
    """
    changed = {"is_bot": sent["bot"], "description": sent["description"], "link": sent["link"]}
    if before is None:
        return Profile(name=sent["name"], created_ms=now_ms, named_ms=now_ms, **changed)
    if before.is_used and before.is_bot and not sent["bot"]:
        raise Problem("bot_is_final")
    if before.name == sent["name"]:
        return msgspec.structs.replace(before, **changed)
    if now_ms < before.named_ms + RENAMED_MS:
        seconds = (before.named_ms + RENAMED_MS - now_ms + 999) // 1000
        raise Problem(
            "renamed_lately",
            f"A name stays for a week: this one for {seconds} more seconds.",
            seconds=seconds,
        )
    return msgspec.structs.replace(before, name=sent["name"], named_ms=now_ms, **changed)
