"""Time between frames while maps are dragged and zoomed, in headless Chromium; the pages take turns.

``python -m benchmarks.map_frames map.html#webgl map.html#canvas``, in the environment of ``make test-peers``. Here,
Chromium computes WebGL on the processor; without ``#webgl``, the page then draws on a plain canvas.
"""

import argparse
import math
import shutil
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FLAGS = [
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
]  # fmt: skip
RECORD = """() => {
  window.frames_ = [];
  let last = 0;
  const next = (now) => { if (last) frames_.push(now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""
ROUNDS, SECONDS = 3, 2.5


def frames(page: Any, act: Callable[[int], None]) -> list[float]:  # noqa: ANN401
    """Act again and again for some seconds -> milliseconds between the frames meanwhile."""
    page.evaluate("() => { frames_.length = 0 }")
    end, step = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        act(step)
        page.wait_for_timeout(8)
        step += 1
    found: list[float] = page.evaluate("() => frames_.slice()")
    return found


def measure(page: Any, address: str) -> dict[str, list[float]]:  # noqa: ANN401
    """Open a map, drag and zoom it -> milliseconds until it is open, and between frames."""
    started = time.monotonic()
    page.goto(address)
    while not page.evaluate("() => document.documentElement.dataset.ready"):
        page.wait_for_timeout(20)
    opened = 1000 * (time.monotonic() - started)
    page.wait_for_timeout(1500)
    page.evaluate(RECORD)
    page.mouse.move(500, 400)
    page.mouse.down()
    dragged = frames(page, lambda i: page.mouse.move(500 + 200 * math.sin(i / 15), 400 + 100 * math.cos(i / 11)))
    page.mouse.up()
    zoomed = frames(page, lambda i: page.mouse.wheel(0, 40 if i // 40 % 2 else -40))
    return {"open": [opened], "drag": dragged, "zoom": zoomed}


def main() -> None:
    """Print mean, median and 95th percentile for each page."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+")
    found: dict[str, dict[str, list[float]]] = {}
    pages = parser.parse_args().pages
    with sync_playwright() as program:
        browser = program.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for _ in range(ROUNDS):
            for name in pages:
                file, _, wish = name.partition("#")
                page = browser.new_page(viewport={"width": 1200, "height": 800})
                for kind, values in measure(page, f"{Path(file).resolve().as_uri()}#{wish}").items():
                    found.setdefault(name, {}).setdefault(kind, []).extend(values)
                page.close()
        browser.close()
    for name, kinds in found.items():
        for kind, values in kinds.items():
            high = sorted(values)[int(0.95 * len(values))]
            middle = statistics.median(values)
            print(f"{name}: {kind} mean {statistics.mean(values):.0f} ms, median {middle:.0f}, 95 % {high:.0f}")


if __name__ == "__main__":
    main()
