"""Event streams and long polls of games and players, and the change notifications that wake them.

Theory of operation. A *change notification* is a message of Redis that a game or a player has changed,
without data; `ChangeNotifier` wakes what waits for it in this process. An *event stream* is what one client
gets: `GameStream` of a game, `PlayerStream` of a player key. It holds the client's token and role, and its
position: the last change or event that was sent. A long poll is one page of it. A *feed* (`GameFeeds`) reads
a game once for all its streams in this process, and puts each *batch* of changes into the *queue* of every
stream; events are rendered once for all callers of a seat.

    commit script, relay ─▶ channel of Redis ─▶ ChangeNotifier
                                                  │ wakes
              ┌──────────────────────┬────────────┴──────────┐
              ▼                      ▼                       ▼
          long poll             PlayerStream             feed of a game
          reads the log         reads the player's       reads the log once for all
          after `after`         events                     │ batch
              │                      │                     ▼
              │                      │                   StreamQueue ─▶ GameStream   one of each for a client
              ▼                      ▼                                      │
             page                 http/sse ◀────────────────────────────────┘

`StreamClock` wakes feeds and the streams of players when nothing changes: for a heartbeat, for a look at the
store without a notification, and when a client has gone. `OpenStreams` limits how many a client has open.

Every reader reads from its own position, so a failure between two steps delays events, and loses none that
Redis has:

- A notification is lost with its connection: each new subscription counts as a change, and every reader looks
  without a notification after ten seconds, or at the deadline of its game.
- A change comes between a read and the wait: readers watch the channel before they read.
- A client reads slowly: its queue is full and drops what follows, and the stream then reads the log.
- A batch does not follow the last change that the stream has sent, as after a failover: the stream reads the
  log. If the log does not have that change any more, the stream ends with `history_lost`.
- Redis fails: a stream sends a comment, and reads again after half a second.
- The caller loses the role: a stream authenticates its token again when the seats have changed; a player key
  or a watch code, which no game shows, with every batch.
- The connection, the worker or the machine fails: the client has its position, and sends `Last-Event-ID`.
"""
