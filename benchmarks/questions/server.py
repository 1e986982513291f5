"""A language model behind an OpenAI-compatible endpoint on loopback: llama.cpp's own server, in a process of its own.

python -m benchmarks.questions.server MODEL      prints the address, then serves until its standard input is closed
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from stages.models import get_model

__all__ = ["endpoint"]

_CONTEXT_TOKENS: Final = 4096


@contextlib.contextmanager
def endpoint(model: str) -> Iterator[str]:
    """The base URL of a server of `model` that ends with the block."""
    command = [sys.executable, "-m", "benchmarks.questions.server", model]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"{model}: its server did not start")
        try:
            yield f"{address}/v1"
        finally:
            process.terminate()


def main() -> None:
    """Serve until nobody is left to ask."""
    import psutil
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.verbosity = -1
    parameters.model.path = str(get_model(sys.argv[1]))
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.offline, parameters.ui, parameters.warmup = True, False, False
    parameters.n_ctx, parameters.n_parallel, parameters.n_gpu_layers = _CONTEXT_TOKENS, 1, 0
    parameters.n_batch = parameters.n_ubatch = 128
    idle = sum(busy < 50 for busy in psutil.cpu_percent(interval=0.3, percpu=True))
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = max(idle, 1)
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
