"""Chromium without a window, driven by its own protocol over two pipes."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-extensions",
    "--disable-component-update",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)

PATIENCE = 60
"""Seconds until a browser that says nothing is given up."""


def find_browser():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of one browser; what it reports meanwhile is in `events`."""

    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.write_to = os.pipe()
        self.read_from, to_write = os.pipe()
        # The browser reads commands from descriptor 3 and writes to descriptor 4.
        script = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        command = [path, *SWITCHES, f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *command],
            pass_fds=(to_read, to_write),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.numbers, self.rest, self.events = itertools.count(1), b"", []
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in targets if one["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """The prediction to a command."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self.write_to, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == number:
                assert "error" not in found, found
                return found["result"]
            self.events.append(found)

    def _next(self):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read_from], [], [], PATIENCE)
            part = os.read(self.read_from, 1 << 20) if ready else b""
            if not part:
                raise EOFError("The browser ended, or says nothing any more.")
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def wait_for(self, method):
        """The next event of a kind."""
        while True:
            for k, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(k)
            self.events.append(self._next())

    def open(self, path, width=1280, dark=False):
        """Show a file in a window of some width."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.reader("dark" if dark else "light")
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.wait_for("Page.loadEventFired")

    def reader(self, scheme, media=""):
        """What the reader prefers, "dark" or "light", on the screen or in "print"."""
        required = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=required)

    def run(self, script):
        """The value of an expression of JavaScript on the page."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press_tab(self):
        """Move the focus on by the keyboard."""
        key = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", **key)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    def picture(self, path, whole=True):
        """A picture of the page, as a file."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self):
        """The page as it is printed on A4."""
        size = {"paperWidth": 8.27, "paperHeight": 11.69}
        return base64.b64decode(self.call("Page.printToPDF", **size)["data"])

    def names(self):
        """Role and name of each element that assistive technology is told of."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node.get("ignored") and "role" in node
        ]

    def close(self):
        """End the browser."""
        os.close(self.write_to)
        os.close(self.read_from)
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()
