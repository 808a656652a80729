"""A finished game explained: what each decision lost, and what the draws gave.

`review_game` reviews a record, `review_move` one decision. `skye-review RECORD` writes the review of a record
as JSON and as a page of Markdown with pictures.

A decision is compared with alternatives by one member of `skye_gym.judge`, in samples of what its seat
did not know then. First some samples choose the best alternative; then other samples measure what the chosen
move loses against it. So the interval of a loss knows nothing of the choice; it includes what the model may
be wrong about, and what a second member says of the same two moves. A decision is shown as a loss only if its
interval excludes 0; of all others the review says that it found no difference.

The luck of a draw is the predicted margin after it minus the one before it: the mean over other draws from
the same bag. For each seat

    final margin = prediction at the start + luck - own losses + losses of the others + rest

where each loss of another seat counts divided by the number of its opponents. The rest is what no loss and no
draw explains: differences that were not found, and errors of the model.
"""

from skye_gym.review.game import Account, Decision, DrawLuck, Review, review_game, samples_for
from skye_gym.review.moves import Verdict, review_move
from skye_gym.review.page import review_to_json, review_to_markdown

__all__ = [
    "Account",
    "Decision",
    "DrawLuck",
    "Review",
    "Verdict",
    "review_game",
    "review_move",
    "review_to_json",
    "review_to_markdown",
    "samples_for",
]
