"""How long the page of `ratchet report` takes to open in a browser; prints Markdown.

    python benchmarks/page.py [--sites 5000] [--runs 5]

Makes a tree with so many sites (the small engine tree, and generated files of fifty reads), writes its page,
and opens that in a headless chromium whose profile is new each time. It needs the extra `browser`, chromium
and chromedriver. Times are those of the page's own clock, from the start of its navigation.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.page.browser import FLAGS  # noqa: E402

TREE = ROOT / "examples" / "engine" / "sglang"
A_FILE = 50
FIELDS = ("page_size", "moe_a2a_backend", "disable_overlap_schedule", "tp_size", "no_such_field")
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 3, "mobile": True}
TIMES = """
const page = performance.getEntriesByType("navigation")[0];
const paint = performance.getEntriesByName("first-contentful-paint")[0];
return [page.domContentLoadedEventEnd, paint.startTime];
"""
SORT = """
const start = performance.now();
document.querySelector("#sites-table th:nth-child(2) button").click();
document.body.getBoundingClientRect();
return performance.now() - start;
"""
FILTER = """
const start = performance.now();
const select = document.querySelector("#sites select");
select.value = "global-config-read";
select.dispatchEvent(new Event("change"));
document.body.getBoundingClientRect();
return performance.now() - start;
"""


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sites", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ratchet-bench-") as scratch:
        page, sites, seconds = make(Path(scratch), chosen.sites)
        desk = [opened(page, None) for _ in range(chosen.runs)]
        phone = [opened(page, PHONE) for _ in range(chosen.runs)]
        size = page.stat().st_size
    print(f"Measured on {machine()}; medians of {chosen.runs}, each in a browser of its own.\n")
    print(f"{sites:,} sites: {size / 1e6:.1f} MB, written in {seconds:.1f} s with an empty cache.\n")
    print("| | DOMContentLoaded | first paint | sort | filter |\n|---|---:|---:|---:|---:|")
    for name, runs in (("desk, 1280 px", desk), ("phone, 390 px", phone)):
        figures = [statistics.median(column) for column in zip(*runs, strict=True)]
        print(f"| {name} | " + " | ".join(f"{figure:.0f} ms" for figure in figures) + " |")


def make(scratch: Path, sites: int) -> tuple[Path, int, float]:
    """A page, how many sites it shows, and the seconds that it took to write."""
    tree, page = scratch / "sglang", scratch / "page.html"
    shutil.copytree(TREE, tree)
    for number in range(sites // A_FILE):
        folder = tree / "srt" / "models" / f"family_{number % 10}"
        folder.mkdir(exist_ok=True)
        reads = "".join(f"    get_server_args().{FIELDS[at % len(FIELDS)]}\n" for at in range(A_FILE))
        text = f"from sglang.srt.server_args import get_server_args\n\n\ndef read_{number}():\n{reads}"
        (folder / f"model_{number}.py").write_text(text, encoding="utf-8")
    start = time.perf_counter()
    options = ("--pack", "sglang", "--root", tree, "--cache-dir", scratch / "cache", "--format", "json")
    done = subprocess.run(
        [sys.executable, "-m", "ratchet", "report", "--html", page, *options],
        cwd=scratch,
        capture_output=True,
        text=True,
        check=True,
    )
    return page, json.loads(done.stdout)["sites"], time.perf_counter() - start


def opened(page: Path, device: dict[str, Any] | None) -> tuple[float, float, float, float]:
    """Milliseconds until the document was ready and first painted, and those of a sort and of a filter."""
    from selenium import webdriver

    with tempfile.TemporaryDirectory(prefix="ratchet-bench-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*FLAGS, f"--user-data-dir={profile}", "--window-size=1280,900"):
            options.add_argument(flag)
        driver = webdriver.Chrome(
            options=options, service=webdriver.ChromeService(shutil.which("chromedriver"))
        )
        try:
            if device:
                driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", device)
            driver.get(page.as_uri())
            time.sleep(1)  # the first paint is reported after it
            ready, painted = driver.execute_script(TIMES)
            return ready, painted, driver.execute_script(SORT), driver.execute_script(FILTER)
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
