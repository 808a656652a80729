"""Requests to receivers that misbehave, and to those that the certificate does not name."""

import socket
import ssl
import subprocess
import time
from email.utils import formatdate

import pytest
from standardwebhooks import Webhook

from skye_server.outgoing import sender as sending
from skye_server.outgoing.sender import MAX_ANSWER_BYTES, Sender, new_secret
from skye_server.outgoing.targets import TargetPolicy
from skye_server.settings import Settings
from tests.support.receiver import Receiver, respond

BODY = b'{"type":"your_turn","data":{}}'
SETTINGS = Settings(webhooks_http=True, webhooks_private=True, webhooks_ports=())


def post(url, resolve=None, **time):
    policy = TargetPolicy(SETTINGS, *([] if resolve is None else [resolve]))
    return Sender(policy).post(url, [new_secret()], "msg_1", BODY, **time)


def test_signatures_of_both_secrets_verify_with_standardwebhooks():
    old, new = new_secret(), new_secret()
    with Receiver() as receiver:
        Sender(TargetPolicy(SETTINGS)).post(receiver.url, [new, old], "msg_1", BODY)
    (received,) = receiver.received
    for secret in (old, new):
        assert Webhook(secret).verify(received.body, received.headers) == {"type": "your_turn", "data": {}}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed(status):
    with (
        Receiver() as other,
        Receiver(lambda _, handler: respond(handler, status, Location=other.url)) as receiver,
    ):
        assert post(receiver.url).status == status
        assert not other.received


def test_answer_that_is_too_long_is_not_read():
    def endless(_received, handler):
        handler.send_response(200)
        handler.end_headers()
        for _ in range(10_000):
            handler.wfile.write(bytes(1000))

    with Receiver(endless) as receiver:
        reply = post(receiver.url)
    assert not reply.is_ok
    assert reply.error == f"The response is longer than {MAX_ANSWER_BYTES} bytes."


@pytest.mark.parametrize("part", ["head", "body"])
def test_receiver_of_a_byte_at_a_time_is_given_up(part):
    def slow(_received, handler):
        text = b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n" + b"X: y\r\n" * 999
        sent = 0 if part == "head" else len((handler.wfile.write(text[:41] + b"\r\n") and b"") or b"")
        while True:
            handler.wfile.write(text[sent : sent + 1])
            sent += 1
            time.sleep(0.05)

    with Receiver(slow) as receiver:
        reply = post(receiver.url, seconds=0.5)
    assert (reply.is_ok, reply.error) == (False, "No complete response within 0.5 s.")


def test_receiver_that_accepts_no_connection_is_given_up():
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        reply = post(f"http://127.0.0.1:{server.getsockname()[1]}/", seconds=0.3)
    assert (reply.status, reply.error) == (None, "No complete response within 0.3 s.")


def test_response_that_is_no_http_is_an_error():
    with Receiver(lambda _, handler: handler.wfile.write(b"garbage\r\n\r\n") and None) as receiver:
        assert post(receiver.url).error == "The response is not valid HTTP."


@pytest.fixture
def certificate(tmp_path, monkeypatch):
    """Return a TLS context of a server named `hooks.example`, which the sender trusts."""
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    names = ["-subj", "/CN=hooks.example", "-addext", "subjectAltName=DNS:hooks.example"]
    subprocess.run(
        [*command, *names, "-days", "2", "-keyout", key, "-out", cert], check=True, capture_output=True
    )
    trusting = ssl.create_default_context(cafile=cert)
    monkeypatch.setattr(sending, "_tls", lambda: trusting)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context


def test_certificate_is_checked_against_the_name_of_the_url(certificate):
    with Receiver(tls=certificate) as receiver:
        named = [post(f"https://{name}:{receiver.port}/", resolve=lambda *_: ["127.0.0.1"]) for name in NAMES]
    assert [reply.status for reply in named] == [204, None]
    assert named[1].error == "TLS failed: CERTIFICATE_VERIFY_FAILED."


NAMES = ["hooks.example", "other.example"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120),
        ("in two minutes", 120),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("-5", 0),
        ("soon", 0),
        ("Fri, 99 Abc 99999 99:99:99 GMT", 0),
        ("9" * 40, 0),
    ],
)
def test_retry_after_is_a_number_or_a_date(text, seconds):
    if text == "in two minutes":
        text = formatdate(time.time() + 120, usegmt=True)
    with Receiver(lambda _, handler: respond(handler, 503, Retry_After=text)) as receiver:
        assert post(receiver.url).retry_after_s == pytest.approx(seconds, abs=60 if seconds else 0)
