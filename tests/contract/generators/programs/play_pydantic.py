"""Play a whole game with the pydantic models of datamodel-code-generator, over the standard library."""

import json
import sys
import urllib.error
import urllib.request

import models


def call(url, method, path, token=None, body=None):
    """Send a request; return the JSON of the answer.

    :raises HTTPError: if the request is refused.
    """
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=180) as answer:
        return json.load(answer)


def main(url):
    """Play against a bot, and read all events of the game."""
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
    created = models.CreatedGame.model_validate(call(url, "POST", "/v1/games", None, body))
    path, token = f"/v1/games/{created.game.id.root}", created.players[0].token.root
    refused, unknown = [], set()
    while models.Game.model_validate(call(url, "GET", path, token)).status.root != "finished":
        listed = models.ActionList.model_validate(
            call(url, "GET", f"{path}/players/0/actions", token)
        ).actions
        unknown |= {one.root.root.type for one in listed if isinstance(one.root, models.UnknownAction)}
        passed_over = (models.UnknownAction, models.TakeBackAction)
        action = next(one for one in listed if not isinstance(one.root, passed_over))
        sent = action.model_dump(mode="json", by_alias=True, exclude_unset=True)
        try:
            call(url, sent["method"], sent["href"], token, sent.get("body"))
        except urllib.error.HTTPError as error:
            refused.append(models.Problem.model_validate_json(error.read()).code.root)
    events = models.EventList.model_validate(call(url, "GET", f"{path}/events", token)).events
    unknown |= {event.root.root.type for event in events if isinstance(event.root, models.UnknownEvent)}
    sys.stdout.write(f"finished {len(events) > 50} {sorted(unknown)} {refused}\n")


main(sys.argv[1])
