"""The record of a run while it goes: `batch.json` says at any moment what is finished.

A run that was killed, or that a full disk ended, must be no riddle: what it finished is on record, and so is where the rest stood.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from stages.batch_record import BatchRecord, VideoOrder, unfinished_row, write_batch_record
from stages.errors import unwritable
from stages.events import Advanced, Event, Finished, Watch
from stages.gap_record import write_gaps
from stages.render import render_index
from stages.settings import Settings
from stages.store import write_atomically

__all__ = ["Ledger"]

_RECORDED_EVERY_S: Final = 5.0


class Ledger:
    """A watch that passes on what it is told, and keeps the rows."""

    def __init__(self, settings: Settings, orders: Sequence[VideoOrder], ignored: tuple[str, ...], watch: Watch) -> None:
        self._settings, self._ignored, self._watch = settings, ignored, watch
        self._rows = {order.slug: unfinished_row(order, "") for order in orders}
        self._orders = {order.slug: order for order in orders}
        self._written = 0.0

    def __call__(self, event: Event) -> None:
        self._watch(event)
        if isinstance(event, Advanced):
            self._rows[event.slug] = unfinished_row(self._orders[event.slug], event.stage)
        elif isinstance(event, Finished):
            self._rows[event.row.slug] = event.row
            if time.monotonic() - self._written > _RECORDED_EVERY_S:
                self.write()

    def record(self) -> BatchRecord:
        return BatchRecord(tuple(sorted(self._rows.values(), key=lambda row: (row.source, row.slug))), self._ignored)

    def write(self) -> None:
        try:
            write_batch_record(self._settings.out, self.record())
        except OSError as error:
            raise unwritable(self._settings.out, error, "--out") from error
        self._written = time.monotonic()

    def close(self) -> None:
        """The last word, for programs and for people."""
        self.write()
        record = self.record()
        page = render_index(record, self._settings.language or record.language, self._settings.archive).encode()
        try:
            write_gaps(self._settings.out, record.tickets)
            write_atomically(self._settings.out / "index.html", page)
        except OSError as error:
            raise unwritable(self._settings.out, error, "--out") from error
