"""Faults of language-model engines cross process borders whole, and carry the exit code of "no provider answered"."""

from __future__ import annotations

import pickle

from stages.engines.completion import Fault, ProviderError


def test_a_provider_error_survives_pickling() -> None:
    error = ProviderError("broken.gguf: cannot be loaded", fault=Fault.UNAVAILABLE, hint="Fetch it again.")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.message, copy.fault, copy.hint, copy.code) == (error.message, Fault.UNAVAILABLE, "Fetch it again.", "unavailable")
    assert copy.exit_code == 6
