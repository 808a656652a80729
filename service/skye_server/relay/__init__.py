"""The relay: writes what lies in other slots than a game, from the game and its log.

Theory of operation. A commit writes one shard. What lies elsewhere and derives from the game follows: the
lists of public games, and of each player the record of the game, the events and the history. The *outbox* is
the set of changed games: entries of the kind `relay` in the due queue, `GAME`, and `GAME/PLAYER` for a player
who has lost the role, as the game no longer names that player. It grows by games, never by changes. A
*consumer* is a function of a *subject*, a game with its log. It derives what is missing after its *position*,
which it stores in the same step as what it writes. A process holds none of this.

    commit ─▶ due.relay: GAME, GAME/PLAYER                       one step, in the shard of the game
      │
      ├─ the worker, before it responds ────────┐
      └─ a dispatcher, RELAY_MS later: after a  ├─▶ relay ─▶ consumers, each from its position:
         crash or a failure, when a deadline    │     lists     the lists of public games      version
         is near, and every few days            │     players   records, events of players     last_event
      ┌─────────────────────────────────────────┘               └▶ due.webhook, if there are webhooks
      ▼                                               history   finished games of players      the past game
    settle: remove the entries, unless the game has changed since; or set GAME to when it is relayed again:
    when a deadline is near, and every few days, as the derived data of a game in play would expire

What may fail:

- The process ends after the commit, or during the relay: the entry stays, and a dispatcher relays the game as
  it is stored. A consumer that has written already finds its position and writes nothing.
- A consumer fails in the worker: the others run, the client gets its response, and a dispatcher follows. If
  the consumer fails there too, the game is *parked* (`due.parked`): it is tried again later each time, and no
  other game waits for it. While Redis fails, the entry is due again each second.
- Two processes relay commits of one game in the wrong order: a consumer with a later position than the commit
  writes nothing, and the entry stays due. `settle` compares the stored game with the one that was relayed.
- A process ends before it relays its commit, and another relays a later commit of the game: beside the entry
  stands the oldest version that is not relayed (`unrelayed`), and `settle` removes the entry only for the
  process that has relayed that version, or all that is stored. No time says what is relayed: the clocks of
  processes differ.
- Redis has lost writes: a dispatcher relays the game as it is stored, and a position ahead of it is set back.
- Entries or derived data are lost, or a backup was restored: `rebuild` relays every game, and every one that
  a list or a player's record names. What histories have of games that have expired derives from nothing, and
  stays.

Reads repair nothing. Only one step comes before the commit: taking a seat reserves a place among the player's
games (`players.player_games`), so that their number is limited exactly. A reservation without a commit
expires.
"""
