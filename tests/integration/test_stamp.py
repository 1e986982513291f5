"""A time stamp from a real authority on loopback: openssl's, behind a web server of our own."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stages.errors import StageFailed, VerificationFailed
from stages.stamp import stamp
from tests.report_case import delivered

_CONFIG = """
[tsa]
default_tsa = own
[own]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""


def _openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60).stdout


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of the authority, and its certificate. `/other` stamps something else, `/page` answers with a page."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("authority")
    key, certificate, config = folder / "key.pem", folder / "cert.pem", folder / "tsa.cnf"
    config.write_text(_CONFIG.format(folder=folder))
    (folder / "serial").write_text("01\n")
    extension = ["-addext", "extendedKeyUsage=critical,timeStamping"]
    _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate), "-subj", "/CN=tsa", *extension)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            (folder / "query.tsq").write_bytes(query)
            if self.path == "/other":
                (folder / "else.txt").write_text("something else")
                _openssl("ts", "-query", "-data", str(folder / "else.txt"), "-sha256", "-cert", "-out", str(folder / "query.tsq"))
            signer = ["-signer", str(certificate), "-inkey", str(key), "-config", str(config)]
            _openssl("ts", "-reply", "-queryfile", str(folder / "query.tsq"), *signer, "-out", str(folder / "reply.tsr"))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>" if self.path == "/page" else (folder / "reply.tsr").read_bytes())

        def log_message(self, *arguments: object) -> None:
            """Nothing on the tests' screen."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", certificate
    server.shutdown()
    server.server_close()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    shutil.copytree(delivered(), tmp_path / "bolo")
    return tmp_path / "bolo"


def test_openssl_accepts_the_stamp_of_the_manifest(authority: tuple[str, Path], bundle: Path) -> None:
    url, certificate = authority
    target, moment = stamp(bundle, url)
    assert target == bundle.with_name("bolo.tsr") and moment.startswith("20")
    said = _openssl("ts", "-verify", "-data", str(bundle / "manifest-sha256.txt"), "-in", str(target), "-CAfile", str(certificate))
    assert b"Verification: OK" in said
    assert not list(bundle.rglob("*.tsr")), "the bundle itself is not touched"


@pytest.mark.parametrize(("path", "code"), [("/other", "stamp_mismatch"), ("/page", "stamp_refused")])
def test_what_is_no_stamp_of_this_bundle_is_refused(authority: tuple[str, Path], bundle: Path, path: str, code: str) -> None:
    with pytest.raises(StageFailed) as caught:
        stamp(bundle, authority[0] + path)
    assert caught.value.code == code
    assert not bundle.with_name("bolo.tsr").exists()


def test_nobody_there_and_no_address(bundle: Path) -> None:
    for url in ("http://127.0.0.1:9/", "nonsense"):
        with pytest.raises(StageFailed):
            stamp(bundle, url)


def test_a_changed_bundle_is_not_stamped(bundle: Path) -> None:
    (bundle / "report.html").write_text("changed")
    with pytest.raises(VerificationFailed, match=r"report\.html"):
        stamp(bundle, "http://127.0.0.1:9/")
