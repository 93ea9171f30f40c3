#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make site`: all links lead somewhere, no page asks another host, and the search finds words of both languages in a browser.

Skipped (exit code 77) without mkdocs or Chromium.
"""
import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import chrome

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.site = os.path.join(self.folder, "site")
        done = subprocess.run([sys.executable, os.path.join(TOP, "packaging", "site", "site.py"), self.site], stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stdout.decode())
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=self.site))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        shutil.rmtree(self.folder)

    def wait(self, page, width, expression):
        """What `expression` gives in the page, as soon as it is something."""
        browser = chrome.Chrome()
        try:
            tab = chrome.Page(browser, width=width)
            tab.open("http://127.0.0.1:%d/%s" % (self.server.server_address[1], page))
            end, found = time.monotonic() + 20, None
            while not found and time.monotonic() < end:
                found = tab.ask(expression)
                time.sleep(0.1)
            return found or ""
        finally:
            browser.close()

    def test_the_search_finds_pages(self):
        results = "document.querySelector('#mkdocs-search-results article') && document.getElementById('mkdocs-search-results').innerHTML"
        for word, page in (("checkpoint", "checkpoints.html"), ("bfloat16", ".html")):
            self.assertIn(page, self.wait("index.html?q=" + word, 1100, results), word)

    def test_first_pages_fit_a_phone_and_sample_reports_are_there(self):
        for page, word in (("index.html", "Install"), ("zh/index.html", "安装"), ("example/gpt.html", "DIVERGES")):
            self.assertIn(word, self.wait(page, 400, "document.body.innerText"), page)
        self.assertEqual(self.wait("noise.html", 400, "document.documentElement.scrollWidth <= innerWidth ? 'fits' : 'wide'"), "fits")


if __name__ == "__main__":
    if not chrome.find() or not shutil.which("mkdocs"):
        sys.exit(77)
    unittest.main()
