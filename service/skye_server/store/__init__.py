"""The store on Redis, which holds all state of the service; `connection` calls the servers.

Theory of operation. A key belongs to an *owner* (a game, a player, a bot at a URL, a pool of tickets), to a
*shard*, or to the whole service. The id of an owner names its shard, one of 256 hash tags; a player has a tag
alone. So all that one change of a game writes is in one slot of a cluster. A *stored game* is a *header*
(format, version, checksum) and JSON; its *log* is a stream of the changes that led to it. A *commit* is what
one change writes: the game, an entry of the log, the idempotency record, entries of the due queue.
`games.GameStore` reads and saves games, and knows no caller; `redis_games` loads and commits bytes. A process
holds a cache of decoded games, each with the bytes that it was decoded from, and what it knows of the servers
(`connection`). Both may be out of date at any time: Redis decides.

    read ◀───────────────────────────────────────────────┐
      │ GET; the cached game if it has these bytes       │ no: another commit was first
      ▼                                                  │
    change ─▶ save ─▶ script COMMIT: is the header still the one that was read?
    (pure)    reserves                                   │ yes: write all, publish
              places of players                          ▼
                                            WAIT for replicas ─▶ the cache, the relay, the response

    each call: server of the key ─▶ circuit ─▶ batch ─▶ reply ─▶ is it late? still this server?
               again after a temporary error, within the retry budget of the request

What may fail:

- Another commit comes first: the header differs, nothing is written, and the command runs again on the game
  as it is then (`commands.attempts`), a bounded number of times.
- The reply is lost: the next attempt finds its own entry in the log, and counts as committed. If the log was
  replaced meanwhile, or the budget is spent, the outcome is unknown: the client gets `store_unavailable`, and
  sends the request again; an `Idempotency-Key` finds the record of the first.
- Too few replicas have a write: the next attempt writes again, even if nothing changes, because WAIT waits
  for writes of its own connection only. Without WAIT a failover may lose the last second: the checksum in the
  header shows a lost update, a missing position lost events (`following`), a position ahead lost games
  (`relay`).
- A master was replaced while it was suspended: after a late reply the server of the key is looked up again,
  and another one makes the reply count for nothing.
- A script fails halfway: Redis takes nothing back. So the script of a commit checks the types of its keys
  before the first write, and names all of them: Redis refuses it as a whole while their slot moves.
- A dispatcher ends while it handles an entry: its lease expires by the clock of Redis, and the entry is due
  again.
- A notification is lost: it has no data, and every reader has a position (`following`).
- Bytes are corrupt, or of a newer format: requests about this game get `data_corrupt` or `data_newer`, others
  go on.
- A game expires: its keys stay for another day, and a dispatcher deletes what refers to it.
- No worker can commit to all games for some seconds: the first that can again finds an outage, whose time
  is no played time (`outages`).
- A restore breaks off: a mark in Redis says so until it is repeated (`backup`).

`redis_store` names the modules that describe the keys.
"""
