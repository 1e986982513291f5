"""docs/commands.md is the help of every command, word for word; `FRAME_ORACLE_REGENERATE=1` writes it anew. Shell completion answers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from flows.cli import oracle

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "commands.md"
_HEAD = "# Commands\n\nThe help of every command, as `--help` prints it.\n"


def _helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    context = click.Context(command, info_name=name, terminal_width=110, max_content_width=110)
    yield name, command.get_help(context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found
            yield from _helps(found, f"{name} {child}")


def test_the_page_of_commands_is_their_help() -> None:
    page = _HEAD + "".join(f"\n## {name}\n\n```\n{text}\n```\n" for name, text in _helps(oracle, "frame-oracle"))
    if os.environ.get("FRAME_ORACLE_REGENERATE"):
        _PAGE.write_text(page)
    assert _PAGE.read_text() == page


def test_every_command_and_option_says_what_it_does() -> None:
    def walk(command: click.Command) -> Iterator[click.Command]:
        yield command
        for child in getattr(command, "commands", {}).values():
            yield from walk(child)

    for command in walk(oracle):
        assert command.help, command.name
        assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == []


def test_a_shell_completes_commands_and_choices() -> None:
    def complete(words: str, place: int) -> str:
        asked = {"_FRAME_ORACLE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(place)}
        command = [sys.executable, "-m", "flows.cli"]
        return subprocess.run(command, cwd=_ROOT, env=os.environ | asked, capture_output=True, text=True, timeout=30).stdout

    assert "plain,watch" in complete("frame-oracle wa", 1)
    assert "plain,briefing" in complete("frame-oracle report --mode b", 3)
