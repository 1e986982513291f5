"""A time stamp over a delivered bundle, from an authority of one's choice (RFC 3161): proof that the bundle existed then, as it is.

It is a later step of its own: a report needs no network, and the stamp changes no byte of it. Only the SHA-256 of the manifest goes out,
and the manifest names every file by its hash.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import httpx
from rfc3161_client import HashAlgorithm, PKIStatus, TimestampRequestBuilder, TimeStampResponse, decode_timestamp_response

from stages.errors import StageFailed, VerificationFailed
from stages.manifest import MANIFEST, manifest_problems
from stages.store import write_atomically

__all__ = ["stamp"]

_TIMEOUT_S: Final = 30.0
_LARGEST: Final = 1 << 20
"""A stamp takes some kilobytes."""


def stamp(folder: Path, url: str) -> tuple[Path, str]:
    """Ask the authority at `url` to stamp the bundle `folder`; returns `<folder>.tsr` beside it and the time in it (ISO 8601, UTC).

    Raises `VerificationFailed` when the bundle is not as it was delivered, `StageFailed` when the authority does not stamp.
    """
    if problems := list(manifest_problems(folder)):
        raise VerificationFailed(f"{folder}: {problems[0]}.", hint="Only a whole bundle can be stamped.", code="bundle_problems")
    request = (
        TimestampRequestBuilder().data((folder / MANIFEST).read_bytes()).hash_algorithm(HashAlgorithm.SHA256).nonce(nonce=True).build()
    )
    answer = _asked(url, request.as_bytes())
    response = _decoded(url, answer)
    if response.tst_info.message_imprint.message != request.message_imprint.message or response.tst_info.nonce != request.nonce:
        raise StageFailed(f"{url}: the stamp is of something else.", hint="Try another authority.", code="stamp_mismatch")
    target = folder.with_name(f"{folder.name}.tsr")
    write_atomically(target, answer)
    return target, response.tst_info.gen_time.isoformat()


def _asked(url: str, request: bytes) -> bytes:
    headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
    try:
        with httpx.stream("POST", url, content=request, headers=headers, timeout=_TIMEOUT_S) as reply:
            reply.raise_for_status()
            answer = b""
            for block in reply.iter_bytes():
                answer += block
                if len(answer) > _LARGEST:
                    raise StageFailed(f"{url}: the answer is no time stamp.", hint="Check the address.", code="stamp_refused")
            return answer
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise StageFailed(
            f"{url}: no time stamp ({error}).", hint="Check the address, or try again later.", code="stamp_refused"
        ) from error


def _decoded(url: str, answer: bytes) -> TimeStampResponse:
    try:
        response = decode_timestamp_response(answer)
        granted = PKIStatus(response.status) in (PKIStatus.GRANTED, PKIStatus.GRANTED_WITH_MODS)
    except ValueError as error:
        raise StageFailed(f"{url}: the answer is no time stamp ({error}).", hint="Check the address.", code="stamp_refused") from error
    if not granted:
        reason = " ".join(response.status_string or ["no reason given"])
        raise StageFailed(f"{url}: refused to stamp ({reason}).", hint="Try another authority.", code="stamp_refused")
    return response
