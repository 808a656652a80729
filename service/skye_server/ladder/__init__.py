"""The ladder: public names of players, rated games between them, and ratings that anyone can recompute.

Theory of operation. A *profile* gives the player of a key a public name. A *ladder* is a set of options, one
of four, so that its players meet one another. A ticket with `rated` waits for opponents on a ladder; the game
that begins names its ladder, and each seat the profile of its player.

    finished game ─▶ relay ─▶ append: number, result and record ─▶ fold: ratings up to a number ─▶ board
                              one script, once for each game         one script, by compare-and-set

A ladder lies in one slot. The results are numbered in the order in which they are appended, and that is the
order of the ratings, not the time of the end. The fold reads the ratings of the players of the results that
follow its position, and writes them with the new position, if no other process has done so: so each result is
rated once. A second fold, the *checkpoint*, follows 400 days later and removes the results that it has
passed: `verify` of an export starts from it.

What may fail:

- The process ends after the end of a game, or between the two steps: the entry of the relay stays, and a
  dispatcher appends, which finds the number of the game, and folds.
- Redis loses the end of a game whose result it has kept: the game may end again in another way. The first
  result counts, with its stored record.
- Redis loses a result that it has acknowledged: with all replicas required it does not; else the relay has
  settled the game, and `skye-server rebuild` appends it again, as long as the game is stored.
- A process ends between the claim of a name and the profile: the due entry of the name removes the claim.
"""
