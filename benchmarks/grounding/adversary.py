"""Share of lying drafts that the checker refuses: `python -m benchmarks.grounding.adversary --seed N`."""

from __future__ import annotations

import argparse

from benchmarks.grounding.lies import KINDS
from benchmarks.grounding.score import arguments, run


def main() -> None:
    parser = argparse.ArgumentParser(description="Share of lying drafts that the checker refuses.")
    run(KINDS, arguments(parser, drafts=20_400), lies=True)


if __name__ == "__main__":
    main()
