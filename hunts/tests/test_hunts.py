"""Bug hunts: isolated from each other and from the server, with reports that are judged by a replay."""

import json
import subprocess
import sys

import pytest
import yaml

from skye_hunts import reports
from skye_hunts.defects import DEFECTS
from skye_hunts.evidence import InvalidEvidence
from skye_server.http.framework import collaborators
from tests.support.playing import Service, problem_code

HUNTS = "/v1/lab/hunts"
MISSING = "game_without_last_event"
"""A defect that one request shows."""


@pytest.fixture
def lab(any_redis):
    with Service(any_redis, lab=True) as service:
        yield service


class Hunt:
    """A hunt with the given defects only; it is a service for `Game`."""

    def __init__(self, lab, *defects, **body):
        self.lab = lab
        opened = lab.call("POST", HUNTS, {"count": 1, **body})
        assert opened.status_code == 201, opened.text
        self.view = opened.json
        self.path = opened.headers["Location"]
        if defects:
            key = f"skye-hunt:{{{self.view['id']}}}"
            stored = json.loads(lab.redis.get(key)) | {"defects": list(defects)}
            lab.redis.set(key, json.dumps(stored), keepttl=True)

    def call(self, method, path, body=None, token=None, headers=(), **more):
        path = path if path.startswith(self.view["api"]) else self.view["api"] + path
        return self.lab.call(method, path, body, token, headers, **more)

    get, create_game, begin = Service.get, Service.create_game, Service.begin

    def report(self, evidence, operation="get_game", kind="contract", **more):
        body = {"operation": operation, "class": kind, "evidence": evidence, **more}
        answer = self.lab.call("POST", f"{self.path}/reports", body)
        assert answer.status_code == 200, answer.text
        return answer.json

    def verdict(self, *args, **kwargs):
        return self.report(*args, **kwargs)["verdict"]


def recorded(hunt, seed="one"):
    """Return a game of a hunt, created and read, as a client records it."""
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    body |= {"options": {"seed": seed}} if seed else {}
    created = hunt.call("POST", "/v1/games", body)
    path = created.headers["Location"]
    read = hunt.call("GET", path)
    return [
        {
            "method": "POST",
            "path": f"http://localhost{hunt.view['api']}/v1/games",
            "body": json.dumps(body),
            "status": created.status_code,
            "response_body": created.text,
        },
        {"path": path, "status": read.status_code, "response_body": read.text},
    ]


def in_har(evidence):
    """Return evidence as an HTTP Archive."""
    entries = [
        {
            "startedDateTime": "2027-01-15T08:00:00.000Z",
            "request": {
                "method": each.get("method", "GET"),
                "url": each["path"],
                "headers": [{"name": ":authority", "value": "localhost"}, {"name": "Host", "value": "x"}],
                **(
                    {"postData": {"mimeType": "application/json", "text": each["body"]}}
                    if "body" in each
                    else {}
                ),
            },
            "response": {"status": each["status"], "content": {"text": each["response_body"]}},
        }
        for each in evidence
    ]
    return {"log": {"version": "1.2", "creator": {"name": "a proxy"}, "entries": entries}}


# Isolation.


def test_hunt_shares_no_game_with_the_server_or_another_hunt(lab):
    one, other = Hunt(lab, MISSING), Hunt(lab, MISSING)
    of_hunt, of_server = one.create_game(2), lab.create_game(2)
    assert "last_event" not in of_hunt.call("GET").json
    assert "last_event" in of_server.call("GET").json
    for elsewhere in (lab, other):
        assert problem_code(elsewhere.call("GET", f"/v1/games/{of_hunt.id}")) == "game_not_found"
    assert problem_code(one.call("GET", f"/v1/games/{of_server.id}")) == "game_not_found"
    assert [each["id"] for each in one.get("/v1/games")["games"]] == [of_hunt.id]
    assert [each["id"] for each in lab.get("/v1/games")["games"]] == [of_server.id]
    assert other.get("/v1/games")["games"] == []


def test_hunt_shares_no_idempotency_key_and_player_key_with_the_server(lab):
    hunt, key = Hunt(lab), "skye_key_" + 24 * "A"
    headers = {"Idempotency-Key": "one"}
    made = [each.call("POST", "/v1/games", {}, key, headers) for each in (lab, hunt)]
    assert [answer.status_code for answer in made] == [201, 201]
    ours, theirs = (each.get("/v1/me/games", token=key)["games"] for each in (lab, hunt))
    assert len(ours) == len(theirs) == 1


def test_game_is_played_in_a_hunt_by_its_links(lab):
    hunt = Hunt(lab, MISSING)
    game = hunt.create_game(2)
    actions = game.call("GET", "actions", seat=0).json["actions"]
    assert all(action["href"].startswith(hunt.view["api"]) for action in actions)
    game.play_to("pricing", 2)
    assert game.abort().status_code == 200  # which ends the stream
    answer = game.call("GET", "events/stream")
    assert answer.text.count("\n\n") > 20
    assert lab.get("/v1/games")["games"] == []


def test_stream_of_a_hunt_sends_new_events(lab):
    game = Hunt(lab, MISSING).create_game(2)
    chunks = iter(game.call("GET", "events/stream", buffered=False).response)
    assert b"retry: " in next(chunks)
    game.offer(0, 1, 1)
    assert any(b"offer" in chunk for chunk, _ in zip(chunks, range(3), strict=False))
    chunks.close()


def test_link_that_is_joined_to_the_api_leads_into_the_hunt(lab):
    hunt, other = Hunt(lab, MISSING), Hunt(lab)
    game, api = hunt.create_game(2), hunt.view["api"]
    action = game.call("GET", "actions", seat=0).json["actions"][0]
    joined = lab.call("PUT", api + action["href"], action["body"], game.tokens[0])
    assert joined.status_code == 200, joined.text
    assert "last_event" not in lab.get(api + api + f"/v1/games/{game.id}")
    evidence = recorded(hunt)
    assert hunt.verdict([evidence[0], evidence[1] | {"path": api + evidence[1]["path"]}]) == "accepted"
    assert problem_code(lab.call("GET", f"{api}{other.view['api']}/v1/games")) == "lab_off"


def test_headers_and_documents_of_a_hunt_lead_into_the_hunt(lab):
    hunt = Hunt(lab, MISSING)
    api = hunt.view["api"]
    for _ in range(2):
        hunt.create_game(2)
    page = hunt.call("GET", "/v1/games?limit=1")
    assert page.headers["Link"].startswith(f"<{api}/v1/games?")
    assert hunt.call("GET", "/v1/games/none").headers["Link"].startswith(f"<{api}/docs/errors#")
    as_yaml, as_json = (hunt.call("GET", f"/openapi.{kind}") for kind in ("yaml", "json"))
    for document in (yaml.load(as_yaml.text, yaml.CSafeLoader), as_json.json):
        assert document["servers"][0]["url"] == f"http://localhost{api}"
    index = hunt.get("/v1")
    assert all(text.startswith(api) for text in index.values() if isinstance(text, str) and "/" in text[:1])


@pytest.mark.parametrize("path", ["/v1", "/openapi.yaml", "/docs", "{game}", "{game}/players/0/actions"])
def test_head_in_a_hunt_has_the_headers_of_get(lab, path):
    game = Hunt(lab, MISSING).create_game(2)
    sent = {"path": path.format(game=game.path()), "token": game.tokens[0]}
    get, head = (game.service.call(method, **sent) for method in ("GET", "HEAD"))
    assert get.data
    assert not head.data
    varying = {"Date", "X-Request-Id"}
    got, headed = ({each for each in answer.headers if each[0] not in varying} for answer in (get, head))
    assert (head.status_code, headed) == (get.status_code, got)


@pytest.mark.parametrize("path", ["/v1/lab", "/v1/lab/hunts", "/metrics", "/healthz", "/play/", "/../v1"])
def test_hunt_serves_neither_lab_nor_operations(lab, path):
    answer = Hunt(lab).call("GET", path)
    assert answer.status_code in (403, 404, 405)


def test_hunts_are_counted_in_no_metric_of_the_server(lab):
    hunt = Hunt(lab)
    before = lab.call("GET", "/metrics").text
    hunt.create_game(2)
    counted = [line for line in lab.call("GET", "/metrics").text.splitlines() if line not in before]
    assert not [line for line in counted if "skye_games" in line or "/v1/games" in line]


def test_emptying_the_lab_and_its_clock_leave_hunts_alone(lab):
    hunt = Hunt(lab)
    game = hunt.create_game(2)
    lab.call("POST", "/v1/lab/clock", {"advance_ms": 40 * 86_400_000})
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 0}
    assert game.call("GET").status_code == 200


def test_all_that_a_hunt_stores_begins_with_its_prefix(lab):
    hunt = Hunt(lab)
    lab.redis.flushall()
    Hunt.__init__(hunt, lab)
    key = "skye_key_" + 24 * "A"
    hunt.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, key)
    hunt.call("POST", "/v1/matchmaking/tickets", {"name": "Ann", "seat_count": 2}, key)
    hunt.create_game(2).play_to("pricing", 2)
    own = f"skye-hunt:{{{hunt.view['id']}}}".encode()
    assert {key for key in lab.redis.scan_iter() if not key.startswith(own)} == {b"skye-hunts"}


def test_other_worker_serves_the_same_hunt(lab):
    hunt = Hunt(lab, MISSING)
    game = hunt.create_game(2)
    with Service(lab.redis, lab=True) as other:
        answer = other.call("GET", f"{hunt.view['api']}/v1/games/{game.id}")
    assert answer.status_code == 200
    assert "last_event" not in answer.json


def test_server_that_is_no_lab_imports_no_defect():
    program = (
        "import sys; from skye_server import create_app; from skye_server.settings import Settings;"
        "create_app(Settings(redis_url='memory://'));"
        "print([name for name in sys.modules if name.startswith(('skye_hunts.apps', 'skye_hunts.defects'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Opening and ending.


def test_same_seed_gives_the_same_defects(lab):
    def chosen(**body):
        view = lab.call("POST", HUNTS, body).json
        return collaborators(lab.app).features["hunts"].hunt(view["id"]).defects

    assert chosen(count=1, seed="a") == chosen(count=1, seed="a")


def test_copy_has_the_defects_of_the_original_and_no_key(lab):
    original = Hunt(lab, MISSING, name="Class 7")
    copy = Hunt(lab, name="Ann", copy_of=original.view["id"])
    assert copy.view["key"] is copy.view["seed"] is None
    assert copy.verdict(recorded(copy)) == "accepted"
    assert problem_code(lab.call("POST", f"{copy.path}/reveal", token="skye_hunt_no")) == "hunt_key_required"
    key = original.view["key"]
    table = lab.call("GET", f"{original.path}/scores", token=key, headers={"Accept": "text/csv"})
    assert table.mimetype == "text/csv"
    lines = table.text.splitlines()
    assert lines[1].split(",")[1:5] == ["Class 7", "1", "0", "0"]
    assert lines[2].split(",")[1:5] == ["Ann", "1", "1", "0"]
    revealed = lab.call("POST", f"{copy.path}/reveal", token=key).json
    assert [(each["name"], each["found"]) for each in revealed["defects"]] == [(MISSING, True)]


def test_reveal_ends_the_hunt_and_deletes_its_games(lab):
    hunt = Hunt(lab, MISSING)
    game = hunt.create_game(2)
    answer = lab.call("POST", f"{hunt.path}/reveal", token=hunt.view["key"])
    (defect,) = answer.json["defects"]
    assert (defect["name"], defect["class"], defect["found"]) == (MISSING, "contract", False)
    assert problem_code(game.call("GET")) == "hunt_ended"
    assert problem_code(lab.call("POST", HUNTS, {"copy_of": hunt.view["id"]})) == "hunt_ended"
    assert not [key for key in lab.redis.scan_iter() if b":api:" in key]
    assert lab.get(f"{hunt.path}/score")["left"] == [{"class": "contract", "defects": 1}]


def test_hunt_that_expired_is_gone_with_its_games(lab):
    hunt = Hunt(lab)
    hunt.create_game(2)
    lab.redis.delete(f"skye-hunt:{{{hunt.view['id']}}}")
    lab.redis.zadd("skye-hunts", {hunt.view["id"]: 1})
    assert problem_code(hunt.call("GET", "/v1/games")) == "hunt_not_found"
    Hunt(lab)
    assert not [key for key in lab.redis.scan_iter() if b":api:" in key]


@pytest.mark.parametrize(
    "body", [{"count": 0}, {"count": 101}, {"classes": ["none"]}, {"seed": ""}, {"name": "\x00"}]
)
def test_hunt_with_wrong_choices_is_refused(lab, body):
    assert problem_code(lab.call("POST", HUNTS, body)) == "invalid_body"


# Reports.


@pytest.mark.parametrize("seed", ["one", None])
def test_report_with_recorded_requests_is_accepted_once(lab, seed):
    hunt = Hunt(lab, MISSING)
    evidence = recorded(hunt, seed)
    assert hunt.verdict(evidence) == "accepted"
    again = hunt.report(evidence)
    assert again["verdict"] == "already_found"
    score = again["score"]
    assert (len(score["found"]), score["left"], score["false_reports"]) == (1, [], 0)


def test_defect_that_is_reported_twice_at_the_same_time_counts_once(lab, monkeypatch):
    hunt = Hunt(lab, MISSING)
    evidence, hunts, others = recorded(hunt), collaborators(lab.app).features["hunts"], []
    judge = hunts.judge

    def judge_while_another_reports(*report):
        judgement = judge(*report)
        if not others:
            others.append(None)
            others[0] = hunt.verdict(evidence)
        return judgement

    monkeypatch.setattr(hunts, "judge", judge_while_another_reports)
    report = hunt.report(evidence)
    assert (others, report["verdict"]) == (["accepted"], "already_found")
    assert len(report["score"]["found"]) == 1


def test_report_as_har_is_accepted(lab):
    hunt = Hunt(lab, MISSING)
    assert hunt.verdict(in_har(recorded(hunt))) == "accepted"


def test_replays_of_an_address_have_a_budget_of_time(lab, monkeypatch):
    budget = reports.Budget("replays", 15_000)  # milliseconds of a minute
    monkeypatch.setattr(reports, "_REPLAYS", budget)
    monkeypatch.setattr(reports, "_REPORT_MS", 10_000)  # what each report costs at least
    hunt = Hunt(lab, MISSING)
    body = {"operation": "get_game", "class": "contract", "evidence": recorded(hunt)}

    def answer_to(address):
        sent = {"environ_base": {"REMOTE_ADDR": address}}
        return lab.call("POST", f"{hunt.path}/reports", body, **sent)

    assert answer_to("192.0.2.1").json["verdict"] == "accepted"
    refused = answer_to("192.0.2.1")
    assert problem_code(refused) == "too_many_requests"
    assert 1 <= int(refused.headers["Retry-After"]) <= budget.window_s
    assert answer_to("192.0.2.2").json["verdict"] == "already_found"


def test_report_that_ends_with_the_budget_of_its_address_counts_nothing(lab, monkeypatch):
    def too_slow(*_, **__):
        raise InvalidEvidence("too_slow", "The replay takes too long.")

    monkeypatch.setattr(reports, "replay", too_slow)
    hunt = Hunt(lab, MISSING)
    body = {"operation": "get_game", "class": "contract", "evidence": recorded(hunt)}
    assert lab.call("POST", f"{hunt.path}/reports", body).json["verdict"] == "too_slow"
    monkeypatch.setattr(reports, "_REPLAYS", reports.Budget("replays", 1000))
    assert problem_code(lab.call("POST", f"{hunt.path}/reports", body)) == "too_many_requests"
    assert lab.get(f"{hunt.path}/score")["false_reports"] == 1


def test_replays_leave_no_keys(lab):
    hunt = Hunt(lab, MISSING)
    hunt.report(recorded(hunt))
    assert not [key for key in lab.redis.scan_iter() if key.startswith(b"skye-replay")]


def test_reports_that_show_something_else_are_rejected_with_the_reason(lab):
    hunt = Hunt(lab, MISSING)
    evidence = recorded(hunt)
    assert hunt.verdict(evidence, kind="rules") == "other_class"
    assert hunt.verdict(evidence, operation="create_game") == "other_operation"
    assert hunt.verdict(evidence[:1], operation="create_game") == "no_difference"
    assert hunt.report([{"path": "/v1/tiles"}])["score"]["false_reports"] == 4


def test_report_with_edited_responses_is_rejected(lab):
    hunt = Hunt(lab, MISSING)
    created, read = recorded(hunt)
    body = json.loads(read["response_body"]) | {"version": 77}
    assert hunt.verdict([created, read | {"response_body": json.dumps(body)}]) == "edited"
    assert hunt.verdict([created, read | {"status": 500}]) == "edited"


@pytest.mark.parametrize("member", ["body", "response_body"])
def test_report_with_a_body_nested_too_deeply_is_rejected(lab, member):
    hunt = Hunt(lab, MISSING)
    created, read = recorded(hunt)
    deep = '{"options":' + 1500 * "[" + 1500 * "]" + "}"
    assert hunt.verdict([created | {member: deep}, read]) == "edited"


def test_record_is_checked_up_to_requests_that_are_sent_together(lab):
    hunt = Hunt(lab, "lost_update_of_a_player")
    *before, last = DEFECTS["lost_update_of_a_player"].witness
    evidence = [*before, last | {"response_body": '{"name": "Ann"}'}]  # or Zoe: it depends on their order
    assert (
        hunt.verdict([evidence[0] | {"status": 500}, *evidence[1:]], "get_player", "concurrency") == "edited"
    )
    assert hunt.verdict(evidence, "get_player", "concurrency") == "accepted"


def test_report_with_evidence_of_another_hunt_is_rejected(lab):
    hunt, other = Hunt(lab, MISSING), Hunt(lab, MISSING)
    assert hunt.verdict(recorded(other)) == "other_hunt"


def test_report_whose_draws_differ_is_not_reproducible(lab):
    hunt = Hunt(lab, MISSING)
    body = json.dumps({"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True})
    evidence = [{"method": "POST", "path": "/v1/games", "body": body}, {"path": "/v1/games/{{1/game/id}}"}]
    assert hunt.verdict(evidence) == "not_reproducible"


@pytest.mark.parametrize(
    "request_",
    [
        {"path": "/v1/lab"},
        {"path": "/v1/lab/hunts/{id}/api/v1/lab/hunts"},
        {"path": "/v1/lab/hunts/{id}/reports", "method": "POST", "body": "{}"},
        {"path": "/metrics"},
        {"path": "/v1/games/{{{{1/game/id}}}}"},
        {"path": "/v1/games/{{{{9/id}}}}"},
        {"path": "/v1/games/none/events?wait_ms=1001"},
        {"path": "/v1/games/none/events?wait%5Fms=60000"},
        {"path": "/v1/me/%77ebhooks", "method": "POST", "body": "{}"},
        {"path": "http://[::1/v1/games"},
        {"path": "/v1/games", "together": True},
        {"path": "/v1/games", "headers": [{"name": "Accept", "value": "a\r\nb: c"}]},
    ],
)
def test_evidence_that_cannot_be_replayed_is_rejected(lab, request_):
    hunt = Hunt(lab, MISSING)
    path = request_["path"].replace("{id}", hunt.view["id"]).replace("{{{{", "{{").replace("}}}}", "}}")
    assert hunt.verdict([request_ | {"path": path}]) == "invalid_evidence"


@pytest.mark.parametrize("sent", [{"path": "/v1/me/{{1/game/name}}"}, {"path": "/v1?{{1/game/name}}=1001"}])
@pytest.mark.parametrize("together", [False, True])
def test_references_that_lead_to_what_is_not_replayed_are_rejected(lab, sent, together):
    hunt = Hunt(lab, MISSING)
    name = "wait_ms" if "?" in sent["path"] else "webhooks"
    evidence = [{"path": "/v1/games", "method": "POST", "body": json.dumps({"name": name})}]
    assert hunt.verdict([*evidence, {"path": "/v1"}, sent | {"together": together}]) == "invalid_evidence"


def test_evidence_may_wait_for_a_second(lab):
    hunt = Hunt(lab, MISSING)
    assert hunt.verdict([{"path": "/v1/games/none/events?wait_ms=1000"}]) == "no_difference"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"evidence": []}, "invalid_body"),
        ({"evidence": {"log": {"entries": [{"request": {"url": 7}}]}}}, "invalid_body"),
        ({"evidence": {"log": {"entries": []}}}, "invalid_body"),
        ({"evidence": [{"path": "/v1"}] * 101}, "invalid_body"),
        ({"evidence": [{"path": "/v1", "body": "x" * 300_000}]}, "body_too_large"),
        ({"evidence": json.loads("[" * 60 + "]" * 60)}, "invalid_body"),
    ],
)
def test_report_in_a_wrong_form_is_refused(lab, body, code):
    hunt = Hunt(lab)
    answer = lab.call("POST", f"{hunt.path}/reports", {"operation": "get_game", "class": "rules", **body})
    assert problem_code(answer) == code
    assert lab.get(f"{hunt.path}/score")["false_reports"] == 0


# Defects.


@pytest.mark.parametrize(
    "body",
    [
        b'{"name":' + b"[" * 1500 + b"]" * 1500 + b"}",
        b'{"name":"\xff"}',
        b'{"name":"Ann","name":"Bob"}',
        b'{"name":5,"prices":5,"placements":5}',
    ],
)
def test_defects_refuse_a_bad_body_as_the_server_does(lab, body):
    sent = {"data": body, "content_type": "application/json"}

    def refusals(service):
        game = service.create_game(2)
        of_seat = [("PATCH", ""), ("PUT", "offer"), ("POST", "what-if")]
        answers = [game.call(method, rest, seat=0, **sent) for method, rest in of_seat]
        answers += [service.call("POST", path, **sent) for path in ("/v1/games", game.path("players"))]
        return [problem_code(answer) for answer in answers]

    assert refusals(Hunt(lab, *DEFECTS)) == refusals(lab)


@pytest.mark.parametrize("number", ["²", "9" * 5000])
def test_defects_convert_no_text_that_is_no_number(lab, number):
    placements = [{"tile": "L01", "x": number, "y": 0, "rotation": 0}]
    last = {"Last-Event-ID": number.encode().decode("latin-1")}
    game = Hunt(lab, "coordinate_in_a_string", "resumed_stream_skips_one").create_game(2)
    assert problem_code(game.call("POST", "what-if", {"placements": placements}, seat=0)) == "invalid_body"
    assert problem_code(game.call("GET", "events/stream", headers=last)) == "invalid_parameter"
