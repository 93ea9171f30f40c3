# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium over the DevTools protocol, through a pipe: needs nothing but Python."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--remote-debugging-pipe"]


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Chrome:
    def __init__(self):
        self.profile = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()

        def wire():
            os.dup2(to_read, 100)
            os.dup2(to_write, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen([find(), *FLAGS, "--user-data-dir=" + self.profile, "about:blank"],
                                        preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number = 0
        self.rest = b""
        self.events = []

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            data = os.read(self.back, 1 << 16)
            if not data:
                raise EOFError("the browser ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)


class Page:
    """A tab. `script` False: scripts of the page do not run (ours for measuring do)."""

    def __init__(self, chrome, script=True, dark=False, width=1280):
        self.chrome = chrome
        target = chrome.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = chrome.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media="screen",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def call(self, method, **params):
        return self.chrome.call(method, self.session, **params)

    def open(self, url):
        self.chrome.events = []
        self.call("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.chrome.events):
            self.chrome.events.append(self.chrome.receive())

    def close(self):
        self.chrome.call("Target.closeTarget", targetId=self.target)

    def ask(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"])[:400])
        return result["result"].get("value")

    def key(self, key, text=None):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def requests(self):
        self.ask("1")  # collects what has come in since
        return [e["params"]["request"]["url"] for e in self.chrome.events
                if e.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        self.ask("1")
        said = []
        for event in self.chrome.events:
            if event.get("method") == "Log.entryAdded":
                said.append(event["params"]["entry"]["text"])
            if event.get("method") == "Runtime.exceptionThrown":
                said.append(str(event["params"])[:300])
            if event.get("method") == "Runtime.consoleAPICalled":
                said.append(str(event["params"])[:300])
        return said

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
