"""What a program that reads untrusted content may take of the machine, held by the kernel: a few kilobytes can ask for all of it."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

__all__ = ["bound_process"]

_MEMORY_BYTES: Final = 12 << 30
"""Address space. 8K with every core busy stays below."""
_OUTPUT_BYTES: Final = 64 << 30
_CPU_S: Final = 24 * 3600


def bound_process(pid: int, memory_bytes: int = _MEMORY_BYTES, cpu_s: int = _CPU_S) -> None:
    """Bound the memory, the processor time and the files of a process that has just started; 0 is this one."""
    limits = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_FSIZE: _OUTPUT_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, amount in limits.items():
        with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):  # it has ended; or it is bound more narrowly already
            resource.prlimit(pid, kind, (amount, amount))
