"""The pages in a real browser: they draw, search, hover and click, and ask for nothing from the network."""

import io
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc.map import Map, Topics

HOSTILE = "<img src=x onerror=\"document.title='broken'\"></script><script>document.title='broken'</script> soup"
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1200,800",
)  # fmt: skip
WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")  # without a graphics card
NO_WEBGL = ("--disable-gpu", "--disable-3d-apis")
PATIENCE = 60  # seconds: the machine may be busy
pytestmark = [pytest.mark.peers, pytest.mark.slow]


@pytest.fixture(scope="module", params=["webgl", "canvas"])
def browser(request, tmp_path_factory):
    """Chromium with and without WebGL; ``browser.draws`` is how a map should be drawn."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed; see make test-peers")
    service = pytest.importorskip("selenium.webdriver.chrome.service", reason="selenium is not installed")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium or chromedriver is not installed")
    options = selenium.ChromeOptions()
    options.binary_location = chromium
    drawing = WEBGL if request.param == "webgl" else NO_WEBGL
    for flag in (*FLAGS, *drawing, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = selenium.Chrome(options=options, service=service.Service(driver))
    opened.draws = request.param
    yield opened
    opened.quit()


def wait_for(condition):
    """Wait until a condition holds, and return what it gives."""
    end = time.monotonic() + PATIENCE
    while not (value := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
    return value


def opened(browser, path: Path):
    """Open a page and give a function that finds an element by its id."""
    browser.get(f"{path.as_uri()}#{browser.draws}")
    wait_for(lambda: browser.execute_script("return document.documentElement.dataset.ready") == "yes")
    return lambda name: browser.find_element("id", name)


def pixels(browser, places):
    """Return the colors at places of the window, as it is shown."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    shown = image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    return [shown.getpixel((round(x), round(y))) for x, y in places]


def screenshot(browser, name):
    """Keep a picture in the folder that DOC2VECC_SCREENSHOTS names, if it does."""
    if folder := os.environ.get("DOC2VECC_SCREENSHOTS"):
        browser.save_screenshot(str(Path(folder) / f"{browser.draws}-{name}"))


def test_a_map_can_be_searched_hovered_and_clicked(browser, model, table, tmp_path):
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    texts = [HOSTILE, *table["text"].to_pylist()[1:]]
    changed = table.set_column(0, "text", pa.array(texts))
    Map.build(model, changed).save(tmp_path / "map.html", color=["topic_name", "stars"], title="Soup & code")
    find = opened(browser, tmp_path / "map.html")
    assert find("title").text == "Soup & code"
    assert find("count").text == "300 documents"
    assert "film" in find("legend").text
    assert browser.execute_script("return documentMap.kind") == browser.draws
    screenshot(browser, "map.png")

    hits = sum("compiler" in text for text in texts)
    find("search").send_keys("COMPILER")
    wait_for(lambda: find("count").text == f"{hits} of 300")
    find("search").send_keys("\ue007")  # Enter goes to the first hit
    shown = wait_for(lambda: find("card").text)
    assert "compiler" in shown
    assert "Nearest documents" in shown
    screenshot(browser, "hit.png")
    find("search").send_keys("\ue00c")  # Escape
    wait_for(lambda: find("count").text == "300 documents" and not find("card").is_displayed())
    find("all").click()

    actions = pytest.importorskip("selenium.webdriver").ActionChains(browser)
    x, y = browser.execute_script("return documentMap.place(0)")
    canvas = find("points")
    size = canvas.size
    actions.move_to_element_with_offset(canvas, round(x - size["width"] / 2), round(y - size["height"] / 2)).perform()
    wait_for(lambda: find("card").is_displayed())
    assert "Nearest documents" not in find("card").text
    actions.click().perform()
    wait_for(lambda: "Nearest documents" in find("card").text)
    near = browser.find_element("css selector", "#card button:not(.close)").text[:20]
    browser.find_element("css selector", "#card button:not(.close)").click()
    wait_for(lambda: find("card").text.replace("\n", " ").lstrip("× ").startswith(near))

    browser.find_element("css selector", "#legend button").click()
    largest = max(changed["topic_name"].to_pylist().count(one) for one in ("film", "food", "code"))
    wait_for(lambda: find("count").text == f"{largest} of 300")
    browser.execute_script("arguments[0].value = 1; arguments[0].onchange()", find("color"))
    wait_for(lambda: find("legend").text.split() == ["0", "16"])
    find("search").send_keys("onerror\ue007")  # Enter at once
    wait_for(lambda: find("count").text == "1 of 300")
    wait_for(lambda: "<img src=x onerror=" in find("card").text)
    assert browser.title == "Soup & code"
    assert browser.get_log("browser") == []
    loaded = browser.execute_script("return performance.getEntriesByType('resource').length")
    assert loaded == 0


def test_hits_stand_out_and_names_are_shown_once(browser, model, table, tmp_path):
    """Also hits of a category beyond those with a color; a part of an area may have the area's name."""
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    kinds = table.append_column("kind", pa.array([f"kind {i % 20}" for i in range(len(table))]))
    Map.build(model, kinds).save(tmp_path / "kinds.html", color="kind")
    find = opened(browser, tmp_path / "kinds.html")
    hits = [i for i, text in enumerate(table["text"].to_pylist()) if "compiler" in text]
    find("search").send_keys("compiler")
    wait_for(lambda: find("count").text == f"{len(hits)} of 300")
    wait_for(lambda: not browser.execute_script("return documentMap.isMoving()"))  # then all points are drawn
    gray = [i for i in hits if i % 20 >= 12]  # a legend has 12 colors
    places = browser.execute_script("return arguments[0].map(documentMap.place)", gray)
    accent = (10, 88, 202)
    near = [sum(abs(a - b) for a, b in zip(one, accent, strict=True)) < 40 for one in pixels(browser, places)]
    assert sum(near) > len(gray) / 2  # names cover some
    for _ in range(6):
        find("points").send_keys("+")
        wait_for(lambda: not browser.execute_script("return documentMap.isMoving()"))  # then all points are drawn
        names = browser.execute_script("return documentMap.names()")
        assert len(set(names)) == len(names)


def test_a_map_is_moved_and_enlarged(browser, model, table, tmp_path):
    """By keys, by dragging and by the wheel, which keeps the place under the pointer."""
    pytest.importorskip("openTSNE", reason="openTSNE is not installed")
    Map.build(model, table).save(tmp_path / "moved.html")
    find = opened(browser, tmp_path / "moved.html")
    canvas, actions = find("points"), pytest.importorskip("selenium.webdriver").ActionChains(browser)

    def place(i):
        return np.array(browser.execute_script("return documentMap.place(arguments[0])", i))

    before = place(0)
    actions.drag_and_drop_by_offset(canvas, 60, -40).perform()
    np.testing.assert_allclose(place(0) - before, [60, -40], atol=2)
    assert not find("card").is_displayed()  # a drag is no click
    canvas.send_keys("\ue014")  # right
    np.testing.assert_allclose(place(0) - before, [0, -40], atol=2)

    across = place(1) - place(0)
    middle = np.array([canvas.size["width"], canvas.size["height"]]) // 2
    spot = place(0)
    to_spot = [round(value) for value in spot - middle]
    origin = pytest.importorskip("selenium.webdriver.common.actions.wheel_input").ScrollOrigin
    actions.scroll_from_origin(origin.from_element(canvas, *to_spot), 0, -300).perform()
    wait_for(lambda: np.linalg.norm(place(1) - place(0)) > 1.2 * np.linalg.norm(across))
    np.testing.assert_allclose(place(0), spot, atol=3)
    find("all").click()
    np.testing.assert_allclose(place(0), before, atol=1)


def test_topics_can_be_read_and_found(browser, model, table, tmp_path):
    texts = pa.array([HOSTILE, *table["text"].to_pylist()[1:]])
    Topics.build(model, table.set_column(0, "text", texts), n_topics=3, date_column="day").save(
        tmp_path / "topics.html"
    )
    find = opened(browser, tmp_path / "topics.html")
    assert find("summary").text == "3 topics of 300 documents"
    assert len(browser.find_elements("css selector", "article svg rect")) == 30
    screenshot(browser, "topics.png")
    find("search").send_keys("waiter")
    wait_for(lambda: len([one for one in browser.find_elements("tag name", "article") if one.is_displayed()]) == 1)
    assert browser.title == "Topics"
    assert browser.get_log("browser") == []
