"""What laying out a report costs: ours, the same claims as one table, and Chromium's print of our page.

    python -m benchmarks.report_cost [--claims 400] [--most 2000] [--repeats 3] [--loaded]

The tables are what one writes first (`report_table.html.j2`): one `<table>` with WeasyPrint's defaults, one row for each thing said, the
same words, links, waveforms and picture bytes, the pictures as `data:` addresses. `table` says what the report says of its claims, as
often (answers, claims with their proof, quantities, cited evidence), and is tagged as the report is (PDF/UA-1), which its readers need as
much; `untagged` is the same without tags, `claims` says each claim once, untagged. None has badges, timeline, coverage, page numbers or
outline: they do less. What counts is the CPU of the whole process with its child: start of Python, imports, template, layout, writing.
"""

from __future__ import annotations

import argparse
import base64
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pikepdf
from jinja2 import Environment

from benchmarks.report_case import long_report
from benchmarks.side_by_side import Arm, Sample, interleaved, machine, ratio, require_quiet, run_arm
from stages.render import render_html, render_pdf
from stages.view import ReportView
from stages.wording import wording

__all__ = ["main"]

_TABLE: Final = Path(__file__).with_name("report_table.html.j2")
_OTHERS: Final = ("table", "untagged", "claims")


def main() -> int:
    arguments = _arguments()
    if arguments.arm:
        _do(arguments.arm, Path(arguments.folder))
        return 0
    require_quiet(arguments.loaded)
    with tempfile.TemporaryDirectory() as folder:
        case = _case(arguments.claims, Path(folder))
        arms = [_arm(name, case) for name in ("report", *_OTHERS)]
        samples = interleaved(arms, arguments.repeats)
        _gate(case, arguments.claims)
        print(machine())
        print(f"{'':10}{'claims':>8}{'CPU s':>9}{'ms/claim':>10}{'peak MB':>9}{'PDF kB':>9}")
        for name, runs in samples.items():
            _row(name, arguments.claims, sorted(runs, key=lambda run: run.cpu_s)[len(runs) // 2], case)
        if shutil.which("chromium"):
            _row("chromium", arguments.claims, run_arm(_arm("chromium", case)), case)
        for claims in sorted({arguments.most // 2, arguments.most} - {arguments.claims}):
            longer = _case(claims, Path(folder))
            _row("report", claims, run_arm(_arm("report", longer)), longer)
        for name in _OTHERS:
            print(f"CPU of `{name}` over CPU of the report, pair by pair: {ratio(samples['report'], samples[name])}")
    return 0


def _case(claims: int, folder: Path) -> Path:
    """A folder with the view and the page, so that no arm pays for drawing the pictures."""
    case = folder / str(claims)
    case.mkdir()
    view = long_report(claims)
    (case / "view.pickle").write_bytes(pickle.dumps(view))
    (case / "report.html").write_text(render_html(view))
    return case


def _arm(name: str, case: Path) -> Arm:
    return Arm(name, (sys.executable, "-m", "benchmarks.report_cost", "--arm", name, "--folder", str(case)))


def _do(name: str, case: Path) -> None:
    target = case / f"{name}.pdf"
    if name == "chromium":
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={case / 'profile'}", f"--print-to-pdf={target}"]
        page = f"file://{case / 'report.html'}"
        subprocess.run(["chromium", *options, page], check=True, capture_output=True, timeout=900)
        return
    view: ReportView = pickle.loads((case / "view.pickle").read_bytes())  # noqa: S301 - written by `_case` above
    target.write_bytes(render_pdf(view).pdf if name == "report" else _table(view, repeats=name != "claims", tagged=name == "table"))


def _table(view: ReportView, repeats: bool, tagged: bool) -> bytes:
    from weasyprint import HTML

    environment = Environment(autoescape=True)
    environment.filters["uri"] = lambda picture: "data:image/jpeg;base64," + base64.b64encode(picture).decode()
    page = environment.from_string(_TABLE.read_text()).render(view=view, t=wording(view.language), repeats=repeats)
    pdf: bytes = HTML(string=page).write_pdf(pdf_variant="pdf/ua-1" if tagged else None)
    return pdf


def _gate(case: Path, claims: int) -> None:
    """Each has every claim and each picture once, and no table more words than the report. Raises `RuntimeError`: nothing to compare."""
    pictures = claims * 9 // 10 + claims // 2  # a frame for each read claim, a crop for each on the screen
    most = 0
    for name in ("report", *_OTHERS):
        said = subprocess.run(["pdftotext", str(case / f"{name}.pdf"), "-"], check=True, capture_output=True, text=True, timeout=300).stdout
        if missing := [f"C-{n:04d}" for n in range(1, claims + 1) if f"C-{n:04d}" not in said]:
            raise RuntimeError(f"{name}: has no {missing[0]}")
        if (found := _pictures(case / f"{name}.pdf")) != pictures:
            raise RuntimeError(f"{name}: has {found} pictures, not {pictures}")
        most = most or len(said.split())
        if len(said.split()) > most:
            raise RuntimeError(f"{name}: has more words than the report")


def _pictures(pdf: Path) -> int:
    with pikepdf.open(pdf) as opened:
        return sum(isinstance(item, pikepdf.Stream) and str(item.get("/Subtype")) == "/Image" for item in opened.objects)


def _row(name: str, claims: int, sample: Sample, case: Path) -> None:
    size = (case / f"{name}.pdf").stat().st_size // 1000
    print(f"{name:10}{claims:>8}{sample.cpu_s:>9.1f}{1000 * sample.cpu_s / claims:>10.1f}{sample.peak_rss_bytes // 10**6:>9}{size:>9}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=400)
    parser.add_argument("--most", type=int, default=2000, help="the longest report, for how the cost grows")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--loaded", action="store_true", help="measure although the machine is busy")
    parser.add_argument("--arm", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
