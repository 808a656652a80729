"""Requests of the server to URLs that clients name: below webhooks and bots at URLs, which share all of it.

Theory of operation. A *receiver* is a URL with its secret, its status and the account that its requests count
for. A webhook and a bot at a URL each have one, under an owner: a player, a game, or the bot itself. A
*message* is what a receiver is sent: an event, or a decision. `ReceiverStore` holds both, and for each
receiver its *progress*, up to where messages were queued, and its *circuit*, how often it has failed in a
row. A process holds none of this: any dispatcher sends any message.

    event of the log, decision          (what follows the cursor)
      │ queue: messages and cursor, one step
      ▼
    pending ◀─────── record: failed, `next_ms` ◀──────┐
      │ next: the first message about a game,         │
      │       unless the circuit is open              │
      ▼                                               │
    slot of the account ─▶ Sender ─▶ the URL ─▶ reply ┴─▶ record: delivered, failed for the last time
                           looks the name up once,        (or skipped, without a request)
                           checks the address, connects

The request that names a URL sends a challenge first, and the receiver is active once it has repeated it. The
features decide what is queued and when it is repeated (`webhooks.dispatching`, `url_bots.dispatching`). An
entry of the due queue says that there may be work; handling it again does no harm. What may fail:

- The process ends before the messages are queued: the entry in the due queue is older, and the cursor moves
  in the step that queues. That step compares the cursor as it was read, so two dispatchers queue nothing
  twice.
- The process ends after it has sent a message and before it has recorded that: the lease of the entry ends,
  and another dispatcher sends the message again under the same id. A bot's move is committed under that id
  and the name of the decision, so it is played once.
- A dispatcher is suspended while it sends: a result is written only over the message as it was read.
- A receiver fails: the later messages about the same game wait for this one, those about other games do not.
  After several failures in a row the circuit opens, and one attempt at a time probes the receiver; the end of
  a process during a probe costs some seconds. A slow receiver occupies slots of its own account only.
- The queue is full: the cursor stays, and further events wait in the log.
- Redis has lost messages and the cursor: both begin again from an earlier cursor, and the ids of messages
  from an earlier number. Without any cursor a webhook goes on with what happens from then on. Redis has lost
  an entry of the due queue: the next event adds one, and so does `skye-server rebuild`.
"""
