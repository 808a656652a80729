"""A public server by systemd: the nginx of `deploy/systemd` with TLS, in front of one instance."""

import contextlib
import http.client
import os
import shutil
import socket
import ssl
import subprocess

import pytest

from skye_server.server.processes import stop
from tests.deploy.facts import ROOT
from tests.deploy.servers import nginx_program
from tests.support.missing_programs import NO_NGINX, NO_TLS
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S, waited_for

OWN = ROOT / "deploy" / "systemd" / "nginx"
SHARED = ROOT / "deploy" / "nginx"


@pytest.fixture
def certificate(folder):
    """The folder of a certificate that signs itself."""
    if not shutil.which("openssl"):
        pytest.skip(NO_TLS)
    tls = folder / "tls"
    tls.mkdir()
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=skye"]
    command += ["-keyout", tls / "privkey.pem", "-out", tls / "fullchain.pem"]
    subprocess.run(command, check=True, capture_output=True)
    return tls


@pytest.fixture
def public(instance, folder, certificate):
    """The port of nginx in front of an instance, with the settings of the README."""
    program = nginx_program() or pytest.skip(NO_NGINX)
    served = instance(SKYE_TRUSTED_PROXIES="1")
    port, of_agents = free_port(), free_port()
    changed = {
        " /tmp/": f" {folder}/",
        "127.0.0.1:8000": f"127.0.0.1:{served.port}",
        "[::]:443": f"[::1]:{port}",
        " 443 ": f" 127.0.0.1:{port} ",
        "127.0.0.1:8081": f"127.0.0.1:{of_agents}",
        "/etc/skye/tls": str(certificate),
    }
    for file in (*OWN.iterdir(), SHARED / "nginx.conf", SHARED / "problems.conf"):
        text = file.read_text()
        for before, after in changed.items():
            text = text.replace(before, after)
        (folder / file.name).write_text(text)
    as_root = " user nobody nogroup;" if os.geteuid() == 0 else ""
    command = [program, "-c", folder / "nginx.conf", "-g", f"daemon off;{as_root}"]
    folder.chmod(0o711)
    served.start()
    process = subprocess.Popen(command)

    def listens():
        assert process.poll() is None, "nginx ended: its standard error says why"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False

    try:
        assert waited_for(listens)
        yield port
    finally:
        stop(process, MAX_WAIT_S)


def test_public_server_has_tls_and_limits_and_keeps_its_metrics(public):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def call(path):
        with contextlib.closing(
            http.client.HTTPSConnection("127.0.0.1", public, context=context, timeout=MAX_WAIT_S)
        ) as connection:
            connection.request("GET", path, headers={"X-Forwarded-For": "192.0.2.1"})
            return connection.getresponse()

    index = call("/v1")
    assert index.status == 200
    assert "RateLimit" in index.headers  # they are on behind a proxy
    assert call("/metrics").status == 404
