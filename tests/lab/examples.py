"""The examples of the laboratory in the contract; see `tests.contract.examples`."""


def lab(recorder):
    """Advance the clock of a lab server, set faults of a game, and delete all games."""
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
    game = recorder.send("POST", "/v1/games", body).json["game"]["id"]
    recorder.record("lab", "A lab server.", "GET", "/v1/lab")
    recorder.record(
        "hour", "Let idempotency keys expire.", "POST", "/v1/lab/clock", {"advance_ms": 3_600_000}
    )
    faults = f"/v1/lab/games/{game}/faults"
    fault = {"fault": "status=503", "requests": 3, "method": "POST"}
    recorder.record("unavailable", "The next three POST fail.", "PUT", faults, fault)
    recorder.record("left", "Three requests have the fault.", "GET", faults)
    recorder.record("removed", "No request has a fault.", "DELETE", faults)
    inbox = "/v1/lab/inbox/mail"
    challenge = {"type": "webhook_challenge", "data": {"challenge": "portree"}}
    recorder.record("challenge", "A challenge, which the inbox repeats.", "POST", inbox, challenge)
    recorder.record("failing", "Events get 503.", "PUT", inbox, {"fault": "status=503"})
    recorder.record("challenge", "It has received a challenge.", "GET", inbox)
    recorder.record("empty", "It is empty.", "DELETE", inbox)
    recorder.record("one", "There was one game.", "DELETE", "/v1/lab/games")


SCENES = (lab,)
