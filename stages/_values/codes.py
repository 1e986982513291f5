"""Names with digits in them: "mp4", "PP-OCRv6", "5W30", "192.168.0.1", "91234-5678".

Such a run is content, compared letter by letter. Read as numbers, "PP-OCRv6" would be confirmed by any 6 and a telephone
number by its last digits.
"""

from __future__ import annotations

import re

from stages._values.units import glued_suffixes

__all__ = ["compact", "is_code"]

_NUMBER_SUFFIXES = glued_suffixes() | frozenset(
    """o a os as er ro ra do da to ta mo ma vo va no na st nd rd th x k mil mi bi h am pm e y de x mm feira
    vezes veces times ou to year years fps""".split()
)
_TIME = re.compile(r"\d+h\d{1,2}(?:m|min)?(?:\d{1,2}s?)?|\d+h\d+m(?:in)?\d+s?|\d+m(?:in)?\d+s?")
_TIMES = re.compile(r"\d+(?:x\d+)+(?P<suffix>[a-z]*)")
_POWER = re.compile(r"(?:\d+)?(?:mm|cm|dm|km|m|ft)[23]")
_CURRENCY = re.compile(r"(?:rs|usd|brl|eur|gbp)\d+")
_AMOUNT = re.compile(r"\d+(?P<suffix>[a-z]*)")
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+|\d+(?:\.\d+)?")
_DATE = re.compile(r"\d{1,2}([-./])\d{1,2}\1(?:\d{2}|\d{4})|\d{4}([-./])\d{1,2}\2\d{1,2}")
_JOINTS = re.compile(r"[-.:/]+")


def is_code(run: str) -> bool:
    """Whether an unbroken folded run of letters, digits and -_.:/@# is a name rather than a number with its unit."""
    if not any(char.isdecimal() for char in run):
        return False
    if any(mark in run for mark in ("_", "@", "://", "#")):
        return True
    if ".." in run:
        return any(is_code(end) for end in re.split(r"\.{2,}", run))
    pieces = _JOINTS.split(run)
    if any(char.isalpha() for char in run):
        return any(_is_name_piece(piece) for piece in pieces) or _is_hyphenated_name(run, pieces)
    return _is_digit_code(run)


def _is_name_piece(piece: str) -> bool:
    """Whether one alphanumeric piece mixes letters and digits in a way no number does."""
    if piece.isdecimal() or piece.isalpha():
        return False
    if any(form.fullmatch(piece) for form in (_TIME, _POWER, _CURRENCY)):
        return False
    for form in (_TIMES, _AMOUNT):
        match = form.fullmatch(piece)
        if match:
            return bool(match["suffix"]) and match["suffix"] not in _NUMBER_SUFFIXES
    return True


def _is_hyphenated_name(run: str, pieces: list[str]) -> bool:
    """\"gpt-4", "covid-19", "5w-30", "h.264"; not "10-15g", "5-minute", "f/2.8"."""
    for left, joint, right in zip(pieces, _JOINTS.findall(run), pieces[1:], strict=False):
        if not right.isdecimal():
            continue
        if joint == "-" and left[-1:].isalpha() and not (left.endswith("h") and left[:1].isdecimal()):
            return True
        if joint == "." and left in ("h", "v", "x"):
            return True
    return False


def _is_digit_code(run: str) -> bool:
    """Telephone, document and network numbers: digits that no number, date, range or clock is written with."""
    if _DATE.fullmatch(run):
        return False
    parts = run.split("-")
    if any(not _GROUPED.fullmatch(piece) for part in parts for piece in re.split(r"[:/]", part)):
        return any(part.count(".") >= 2 and not _DATE.fullmatch(part) for part in parts)
    if len(parts) == 1:
        return False
    years = all(len(part) == 4 and part[0] in "12" for part in parts)
    if len(parts) > 2 or parts[0].count(".") >= 2:
        return True
    return not years and len(parts[0]) >= 4 and len(parts[1]) >= 3 and "." not in run


def compact(text: str) -> str:
    """The letters and digits only: "PP-OCRv6" and "pp ocrv6" are one name."""
    return "".join(char for char in text if char.isalnum())
