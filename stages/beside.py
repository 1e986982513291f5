"""What is seen together with a line, or said next to a sentence: a label and its figure are two pieces of evidence."""

from __future__ import annotations

from collections.abc import Sequence

from stages.evidence import Channel, Evidence

__all__ = ["beside"]


def beside(item: Evidence, items: Sequence[Evidence]) -> list[Evidence]:
    """Of `items`, the trusted lines on the screen at the item's instant, or the trusted sentences before and after it."""
    line = [other for other in items if other.channel is item.channel and other.quotable]
    if item.channel is Channel.TELA:
        return [other for other in line if other is not item and item.instant in other.span]
    if item not in line:
        return []
    place = line.index(item)
    return [*line[max(place - 1, 0) : place], *line[place + 1 : place + 2]]
