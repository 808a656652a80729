"""Games of two in which a seat has used up its revisions (`MAX_REVISIONS`)."""

from skye_server.games.transitions import MAX_REVISIONS


def game_with_used_up_changes(service, phase):
    """Create a game of two players in which seat 0 has used up its revisions.

    :param phase: "pricing" (the seat sets its offer repeatedly) or "building" (it places and takes back).
    """
    record = service.get(service.create_game(2, bots={0: "random", 1: "random"}).path("record"))
    actions, repeated = record["actions"], {"pricing": "set_offer", "building": "place"}[phase]
    first = next(n for n, action in enumerate(actions) if (action["seat"], action["type"]) == (0, repeated))
    again = [{"round": 1, "phase": phase, "seat": 0, "type": "take_back"}] if phase == "building" else []
    repeats = [*again, actions[first]] * (MAX_REVISIONS // 2)
    record["actions"] = [*actions[: first + 1], *repeats, *actions[first + 1 :]]
    record["players"] = [player | {"bot": None} for player in record["players"]]
    return service.begin(record=record, stop_at=first + 1 + len(repeats))
