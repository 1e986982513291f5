"""Figures: one command each, `python -m benchmarks.NAME`; README.md says what they printed, where, and what was not measured."""
