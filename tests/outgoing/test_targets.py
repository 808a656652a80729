"""The URLs and addresses to which the server sends nothing."""

import pytest

from skye_server.outgoing.sender import Sender
from skye_server.outgoing.targets import TargetError, TargetPolicy
from skye_server.settings import Settings
from tests.support.receiver import Receiver

FORBIDDEN = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001",
    "127.255.255.254", "0", "0.0.0.0", "10.0.0.1", "10.1", "167772161", "172.16.0.1", "172.31.255.255",
    "192.168.0.1", "0xc0.0xa8.0.1", "3232235521", "169.254.169.254", "2852039166", "0xa9fea9fe",
    "0251.0376.0251.0376", "169.254.170.2", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192",
    "198.18.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "[::1]", "[::]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:169.254.169.254]", "[::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]",
    "[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]",
    "[0:0:0:0:0:0:0:1]", "localhost",
]  # fmt: skip

MALFORMED = [
    "ftp://example.org/", "file:///etc/passwd", "gopher://example.org/", "//example.org/", "example.org",
    "https://", "https:///path", "https://user@example.org/", "https://user:secret@example.org/",
    "https://example.org:99999/", "https://example.org:22/", "https://example.org:6379/", "https://[::1",
    "https://a..example/", "https://.example/", "https://./", "https://example../",
    f"https://{64 * 'a'}.example/", f"https://{100 * 'abc.'}example/", "https://-a.example/",
    "https://a%00.example/",
    "https://a*b.example/", "https://[1:2]/", "https://example.org/#fragment",
    "https://example.org\\@127.0.0.1/", "http://example.org/",
]  # fmt: skip


@pytest.fixture
def public():
    return TargetPolicy(Settings())


@pytest.mark.parametrize("host", FORBIDDEN)
def test_forbidden_address_is_refused_in_every_spelling(host, public):
    target = public.target_of(f"https://{host}/hook")
    with pytest.raises((TargetError, OSError)):  # some systems do not resolve every spelling
        public.address_of(target)


def test_most_spellings_are_refused_as_addresses(public):
    refused = 0
    for host in FORBIDDEN:
        try:
            public.address_of(public.target_of(f"https://{host}/hook"))
        except TargetError:
            refused += 1
        except OSError:
            pass
    assert refused >= 40


@pytest.mark.parametrize("url", MALFORMED)
def test_malformed_url_is_refused_before_a_look_up(url, public):
    with pytest.raises(TargetError):
        public.target_of(url)


@pytest.mark.parametrize(
    "host", ["93.184.216.34", "[2606:2800:220:1:248:1893:25c8:1946]", "[::ffff:8.8.8.8]"]
)
def test_public_address_is_allowed(host, public):
    public.address_of(public.target_of(f"https://{host}/hook"))


def test_name_with_one_forbidden_address_is_refused():
    policy = TargetPolicy(Settings(), lambda *_: ["93.184.216.34", "10.0.0.1"])
    with pytest.raises(TargetError):
        policy.address_of(policy.target_of("https://example.org/"))


def test_connection_goes_to_the_address_that_was_checked():
    answers = [["127.0.0.1"], ["127.0.0.9"]]
    settings = Settings(webhooks_http=True, webhooks_private=True, webhooks_ports=())
    with Receiver() as receiver:
        sender = Sender(TargetPolicy(settings, lambda *_: answers.pop(0)))
        reply = sender.post(
            f"http://rebound.example:{receiver.port}/", ["whsec_" + 32 * "A"], "msg_1", b'{"type":""}'
        )
    assert reply.status == 204
    assert len(answers) == 1, "the name is resolved once"
    assert receiver.received[0].headers["host"] == f"rebound.example:{receiver.port}"


def test_name_that_changes_its_address_is_refused_when_it_is_sent_to():
    answers = [["93.184.216.34"], ["127.0.0.1"]]
    policy = TargetPolicy(Settings(webhooks_http=True, webhooks_ports=()), lambda *_: answers.pop(0))
    with Receiver() as receiver:
        url = f"http://rebound.example:{receiver.port}/"
        policy.address_of(policy.target_of(url))  # as when the webhook was created
        reply = Sender(policy).post(url, ["whsec_" + 32 * "A"], "msg_1", b"{}")
    assert (reply.is_forbidden, reply.error) == (
        True,
        "This is an address of a private network, or of this machine.",
    )
    assert not receiver.received


@pytest.mark.parametrize(
    "host", ["example.org.", f"{63 * 'a'}.example", "xn--bcher-kva.example", "_a.example"]
)
def test_name_that_can_be_looked_up_is_accepted(host, public):
    assert public.target_of(f"https://{host}/hook").host == host
