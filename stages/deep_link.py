"""From a read claim to an address that opens the video at its instant: derived each time, never stored, never from a model.

Viewers differ in what they let through, so one claim has several addresses, each in the only form that survived where it is used.
Chrome's PDF viewer prepends `http://` to a relative address whose part before the first `/` has two dots and does not start with `.`;
SumatraPDF drops the `#fragment` of a relative one; Firefox's PDF viewer follows http(s) only. Hence for the PDF `./go/c0007.html`, a
page that forwards to the anchor, and a web address where the video or the bundle has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from stages.claim import ReadClaim
from stages.instant import Span

__all__ = ["DeepLink", "LinkCheck", "deep_link", "media_path", "proof_path", "quoted_span", "seconds", "web_address"]

_YOUTUBE = ("youtube.com", "youtu.be", "youtube-nocookie.com")
_VIMEO = ("vimeo.com",)


@dataclass(frozen=True, slots=True)
class DeepLink:
    """The addresses of one read claim. Paths are relative to the bundle's folder and use `/`."""

    anchor: str
    """The claim's code, which is also its fragment in `report.html`."""
    page: str
    """`go/c0007.html`: forwards to the anchor."""
    media: str
    """`media/x.mp4#t=17.380`, which a browser opens at the instant without any script."""
    web: str
    """An https address that plays the instant, or empty."""

    @property
    def pdf(self) -> str:
        """The page as a PDF viewer must be given it."""
        return f"./{self.page}"


@dataclass(frozen=True, slots=True)
class LinkCheck:
    """What the delivered media showed when it was decoded at a claim's instant."""

    reason: str = ""
    """Why the link is not delivered, empty when it holds: `text_differs`, `no_frame`, `outside_speech`, `silent`, `undecodable`."""
    detail: str = ""
    """For people and logs: what was read there, or the level of the sound."""

    @property
    def verified(self) -> bool:
        return not self.reason


def proof_path(claim_id: str) -> str:
    """Where the bundle keeps the picture that proves a read claim: `proof/c0007.jpg`."""
    return f"proof/{_name(claim_id)}.jpg"


def media_path(slug: str) -> str:
    """Where the bundle keeps the delivered video."""
    return f"media/{slug}.mp4"


def deep_link(claim: ReadClaim, slug: str, *, url: str = "", link_base: str = "") -> DeepLink:
    """The addresses of `claim`. `url` is the video's own web address, `link_base` the address that the bundle's folder is published under.

    The video's own address is preferred: it shows the source. Raises `ValueError` when either is not http or https.
    """
    page = f"go/{_name(claim.id)}.html"
    web = ""
    if url:
        web = web_address(url, claim.instant.ms)
    elif link_base:
        web = f"{_checked(link_base).geturl().rstrip('/')}/{slug}/{page}"
    return DeepLink(claim.id, page, f"{media_path(slug)}#t={seconds(claim.instant.ms)}", web)


def quoted_span(claim: ReadClaim) -> Span:
    """How long the words that `claim` quotes are said or shown: from the first word's start to the last one's end, for speech whose
    words have times; else the span of the evidence that holds the instant."""
    item = next(item for item in claim.evidence if claim.instant in item.span)
    said = ""
    for word in item.words:
        if word.span.start < claim.instant:
            continue
        said = f"{said} {word.text.strip()}".strip()
        if len(said.replace(" ", "")) >= len(claim.quote.replace(" ", "")):
            return Span(claim.instant, max(claim.instant, word.span.end))
    return item.span


def web_address(url: str, ms: int) -> str:
    """`url` at `ms` milliseconds: YouTube's `t=` (whole seconds, floored), Vimeo's `#t=`, Media Fragments anywhere else.

    A time or fragment that `url` already carries is replaced. Raises `ValueError` when `url` is not an http or https address.
    """
    parts = _checked(url)
    host = (parts.hostname or "").removeprefix("www.").removeprefix("m.")
    if host in _YOUTUBE:
        kept = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if key not in ("t", "start")]
        return urlunsplit(parts._replace(query=urlencode([*kept, ("t", f"{ms // 1000}s")]), fragment=""))
    if host in _VIMEO:
        return urlunsplit(parts._replace(fragment=f"t={ms // 1000}s"))
    return urlunsplit(parts._replace(fragment=f"t={seconds(ms)}"))


def _checked(url: str) -> SplitResult:
    """The parts of an http(s) address in ASCII: what may not stand in an address is percent-encoded, the rest is as given (RFC 3986)."""
    parts = urlsplit(quote(url.strip(), safe="/:?#[]@!$&'()*+,;=~%"))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"not a web address: {url!r}")
    return parts


def _name(claim_id: str) -> str:
    return claim_id.lower().replace("-", "")


def seconds(ms: int) -> str:
    """Seconds with three decimals, exact: no float in between."""
    return f"{ms // 1000}.{ms % 1000:03d}"
