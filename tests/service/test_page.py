"""The page in a real browser: type, click, read; nothing of a text is ever run."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.search import SearchIndex
from tests.service.conftest import EVIL
from tests.service.running import running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TYPED = "soup with salt"
pytestmark = [pytest.mark.peers, pytest.mark.slow]


@pytest.fixture(scope="module")
def browser():
    reason = "playwright is not installed; make test-peers installs it"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, service):
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.problems = []
    page.requested = []
    page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("request", lambda request: page.requested.append(request.url))
    page.goto(service.address + "/")
    page.wait_for_function("() => document.querySelector('#model').options.length === 2")
    yield page
    assert page.problems == []
    assert {url for url in page.requested if not url.startswith((service.address, "data:"))} == set()
    context.close()


def test_hits_come_as_one_types(page, service):
    page.locator("#query").press_sequentially(TYPED, delay=5)
    page.wait_for_function("() => document.querySelector('#status').textContent.includes('of 401 documents')")
    expected = service.client.post("/v1/search", json={"query": TYPED, "k": 12}).json()["hits"]
    page.wait_for_function(
        "text => document.querySelector('.hit p')?.textContent.trim() === text", arg=expected[0]["text"]
    )
    shown = page.locator(".hit")
    assert shown.count() == 12
    assert shown.first.locator("h2 b").text_content() == f"{expected[0]['similarity']:.3f}"
    marked = {mark.text_content(): mark.get_attribute("title") for mark in shown.first.locator("mark.adds").all()}
    assert marked.keys() & {"soup", "salt"}
    assert all(title.startswith("+0.") for title in marked.values())
    assert "rgba" in shown.first.locator("mark.adds").first.get_attribute("style")


def test_words_that_are_not_in_the_vocabulary_are_named(page):
    page.locator("#query").fill("soup <b> zzyqx, qqq")
    page.wait_for_function("() => document.querySelector('#unknown').textContent.endsWith('qqq')")
    assert page.locator("#unknown").text_content() == "not in the vocabulary: <b>, zzyqx, qqq"
    page.locator("#query").fill("soup")
    page.locator("#unknown").wait_for(state="hidden")


def test_the_keyboard_is_enough(page):
    page.locator("body").press("/")
    page.keyboard.type(TYPED)
    page.locator(".hit").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement === document.querySelectorAll('.hit')[1]")
    text = page.locator(".hit").nth(1).locator("p").first.text_content()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'reading'")
    assert page.locator("#reading .text").text_content() == text
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.querySelectorAll('.hit')[1]")
    assert not page.locator("#reading").is_visible()
    page.wait_for_function("() => document.querySelector('#map').ariaLabel.includes('areas')")  # it is drawn
    page.locator("#map").focus()
    page.keyboard.press("+")
    page.keyboard.press("Enter")
    page.locator("#reading").wait_for()
    page.locator("#tab-search").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#words").is_visible()
    assert not page.locator("#search").is_visible()


def test_a_point_of_the_map_is_read(page):
    page.locator("#areas li").first.wait_for()  # the map is drawn
    box = page.locator("#map").bounding_box()
    for place in ((x, y) for x in range(2, 18) for y in range(2, 18)):  # until a point is near the click
        page.mouse.click(box["x"] + place[0] * box["width"] / 20, box["y"] + place[1] * box["height"] / 20)
        if page.locator("#reading button").count():
            break
    page.wait_for_timeout(1000)  # the answer to a later click may still come
    read = page.locator("#reading .text").text_content()
    page.get_by_role("button", name="Find its neighbors").click()
    page.locator(".hit").first.wait_for()
    same = "text => [...document.querySelectorAll('.hit h2 + p')].some((one) => one.textContent.trim() === text)"
    page.wait_for_function(same, arg=read.strip())  # others with the same words may come before it
    assert page.locator(".hit h2 b").first.text_content() == "1.000"
    page.locator(".hit").nth(2).click()
    page.get_by_role("button", name="Compare with the query").click()
    page.locator("#first-shares mark").first.wait_for()
    assert page.locator("#first-shares").text_content() == read.strip()


def test_areas_have_names_and_the_map_lights_up(page):
    area = page.locator("#areas button").first
    area.wait_for()
    words = area.locator("span").text_content().replace(",", "")
    before = page.locator("#map").screenshot()
    area.click()
    page.locator(".hit").first.wait_for()
    assert page.locator("#query").input_value() == words
    assert not page.locator("#areas").is_visible()
    page.wait_for_function("() => document.querySelector('#status').textContent.includes('of 401')")
    assert page.locator("#map").screenshot() != before
    page.locator("#query").fill("")
    page.locator("#areas").wait_for()


def test_words_and_two_texts_and_card(page):
    page.locator("#tab-words").click()
    page.locator("#word").fill("actor - man + woman")
    page.locator("#neighbors li").first.wait_for()
    assert page.locator("#neighbors li").count() == 20
    page.locator("#word").fill("actoor")
    page.wait_for_function("() => document.querySelector('#words-status').textContent.includes('did you mean actor')")
    assert ["404" in problem for problem in page.problems] == [True]  # what the browser says of an unknown word
    page.problems.clear()
    page.locator("#tab-compare").click()
    page.locator("#first").fill("a good STORY")
    page.locator("#second").fill("great actors")
    page.locator("#first-shares mark").first.wait_for()
    assert page.locator("#first-shares").text_content() == "a good STORY"
    page.locator("#tab-card").click()
    page.locator("#card h2").wait_for()
    assert "dimension 16" in page.locator("#card").text_content()
    assert "vectors = model.transform" in page.locator("#card pre").text_content()


def test_texts_are_never_run(page):
    page.locator("#query").fill(EVIL)
    page.wait_for_function("() => document.querySelector('.hit')?.textContent.includes('<script>')")
    page.locator("#tab-compare").click()
    for place in ("#first", "#second"):
        page.locator(place).fill(EVIL)
    page.wait_for_function("() => document.querySelector('#first-shares').textContent.includes('<script>')")
    assert page.title() == "doc2vecc"
    assert page.locator("main script, main img").count() == 0
    # Even if our own code made the mistake, the policy of the page would stop it.
    refused = page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>'; return false } catch (error) { return true } }"
    )
    assert refused
    page.problems.clear()


def test_screen_readers_find_names(page):
    for element in page.locator("input, textarea, select, button, canvas:not([aria-hidden])").all():
        name = element.evaluate(
            "one => one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? ''"
        )
        assert name.strip(), element.get_attribute("id")
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize(("width", "scheme"), [(1200, "dark"), (360, "light")])
def test_narrow_and_dark(browser, service, tmp_path, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.goto(service.address + "/")
    page.locator("#query").fill(TYPED)
    page.locator(".hit").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    light = sum(int(part) for part in background[4:-1].split(","))
    assert (light > 3 * 128) == (scheme == "light")
    page.screenshot(path=tmp_path / "page.png")
    context.close()


def test_the_page_asks_for_a_key(browser, folder: Path, tmp_path):
    (tmp_path / "keys").write_text("0123456789abcdef\n")
    with running(folder / "reviews.d2v", "--api-key-file", tmp_path / "keys") as service:
        page = browser.new_page()
        page.goto(service.address + "/")
        page.wait_for_function("() => document.activeElement.id === 'key'")
        assert page.locator("#problem").text_content() == "Enter the key of this service"
        page.keyboard.type("fedcba9876543210")
        page.keyboard.press("Enter")
        page.locator("#problem", has_text="The service does not accept this key").wait_for()
        page.locator("#key").fill("0123456789abcdef")
        page.locator("#key").press("Enter")
        page.wait_for_function("() => document.querySelector('#model').options.length === 1")
        assert page.locator("#words").is_visible()  # there is no index to search in
        page.close()


def test_the_count_follows_changes_of_the_index(browser, folder: Path, tmp_path):
    shutil.copytree(folder / "reviews.index", tmp_path / "own.index")
    with running(folder / "reviews.d2v", "--index", tmp_path / "own.index") as service:
        page = browser.new_page()
        page.goto(service.address + "/")
        page.wait_for_function("() => document.querySelector('#size').textContent === '401 documents'")
        new = {"id": "new", "text": TYPED}
        assert service.client.post("/v1/documents", json={"documents": [new]}).json()["documents"] == 402
        page.locator("#query").fill(TYPED)
        page.wait_for_function("() => document.querySelector('#size').textContent === '402 documents'")
        page.close()


def test_a_title_is_the_heading_of_a_hit(browser, folder: Path, tmp_path):
    model = Doc2VecC.load(folder / "reviews.d2v")
    table = pa.table(
        {"year": [2001, 2002], "title": ["On soup", None], "note": ["", " "], "text": ["soup with salt", "a cold soup"]}
    )
    SearchIndex.build(model, table, tmp_path / "titles.index", columns=["year", "title", "note"])
    with running(folder / "reviews.d2v", "--index", tmp_path / "titles.index") as service:
        page = browser.new_page()
        page.goto(service.address + "/")
        page.locator("#query").fill(TYPED)
        page.locator(".hit").nth(1).wait_for()
        assert page.locator(".hit h2 strong").all_text_contents() == ["On soup", "2002"]
        spans = page.locator(".hit h2 > span:not(.meter)").all_text_contents()
        assert spans == ["document 0", "year: 2001", "document 1"]  # a column without a value is omitted
        page.locator(".hit").first.click()
        page.locator("#reading h2 strong", has_text="On soup").wait_for()
        page.close()


def test_the_interface_is_described_and_can_be_tried(browser, service):
    page = browser.new_page()
    page.goto(service.address + "/docs")
    page.locator("details").first.wait_for()
    assert page.locator("summary code", has_text="/v1/search").count() == 1
    page.locator("summary", has_text="/v1/similarity").click()
    trial = page.locator("details", has=page.locator("summary", has_text="/v1/similarity"))
    trial.locator("button").click()
    trial.locator("pre", has_text='"similarity"').wait_for()
    page.close()
