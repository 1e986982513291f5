"""The stages of a report. Nothing that is loaded below here may tell anybody that it runs: what a client's video says leaves no trace."""

import os

# onnxruntime from 1.29 on sends what it does to its maker, from its first session on, unless this is set before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
