"""A browser without a window, that opens pages from disk."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
"""How a browser is started, here and where the page is measured."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESK = 390, 1280


class Browser:
    """A browser with what the tests ask of it; `profile` is a folder for its own files."""

    def __init__(self, profile: Path) -> None:
        webdriver = pytest.importorskip("selenium.webdriver", reason="needs the extra `browser`")
        program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
        driver = shutil.which("chromedriver")
        if program is None or driver is None:
            pytest.skip("needs chromium and chromedriver")
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self._driver: Any = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        self._chain: Any = webdriver.ActionChains

    def open(self, page: Path, width: int = DESK, scheme: str = "light") -> None:
        """Open a page in a window of this width, in pixels, and wait until it is built."""
        device = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
        self._driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", device)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self._driver.get(page.as_uri())
        assert self.run("return document.documentElement.dataset.ready"), self.errors()

    def run(self, script: str, *arguments: object) -> Any:
        """What a script in the page returns."""
        return self._driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements, as they are in the document."""
        script = "return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)"
        return [str(text) for text in self.run(script, selector)]

    def attribute(self, selector: str, name: str) -> str | None:
        """An attribute of the first element."""
        script = "return document.querySelector(arguments[0]).getAttribute(arguments[1])"
        found: str | None = self.run(script, selector, name)
        return found

    def click(self, selector: str, text: str | None = None) -> None:
        """Click the first element, of those with this text where one is given."""
        for element in self._driver.find_elements("css selector", selector):
            if text is None or self.run("return arguments[0].textContent", element) == text:
                self.run("arguments[0].scrollIntoView({block: 'center'})", element)
                element.click()
                # What opens says so in an event of its own, later.
                self._driver.execute_async_script("setTimeout(arguments[0], 50)")
                return
        raise AssertionError(f"there is no {selector} {text or ''}")

    def choose(self, label: str, value: str) -> None:
        """Choose a value of the list with this label."""
        script = """
            const labels = [...document.querySelectorAll("label")];
            const label = labels.find((each) => each.firstChild.textContent === arguments[0]);
            const select = label.querySelector("select");
            select.value = arguments[1];
            select.dispatchEvent(new Event("change", { bubbles: true }));
            return select.value;
        """
        assert self.run(script, label, value) == value

    def focus(self, selector: str) -> None:
        """Give the focus to the first element."""
        self.run("document.querySelector(arguments[0]).focus()", selector)

    def press(self, *keys: str) -> None:
        """Press keys, by their names in WebDriver (`TAB`) or as text."""
        from selenium.webdriver.common.keys import Keys

        named: Sequence[str] = [getattr(Keys, key, key) for key in keys]
        self._chain(self._driver).send_keys(*named).perform()

    def focused(self) -> str:
        """The text of the element with the focus."""
        return str(self.run("return document.activeElement.textContent"))

    def errors(self) -> list[str]:
        """What the page complained about since this was asked last."""
        return [str(entry["message"]) for entry in self._driver.get_log("browser")]

    def close(self) -> None:
        """End the browser."""
        self._driver.quit()
