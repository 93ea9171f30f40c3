#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: with and without script, from a file and under a strict policy.

VERNIER names the program, SAMPLES the folder of samples. Skipped (exit code 77) without Chromium.
"""
import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import chrome

VERNIER = os.environ["VERNIER"]
SAMPLES = os.environ["SAMPLES"]
POLICY = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'"

# Text whose contrast is below 4.5, by computed styles. Backgrounds with an image (hatch) are passed over:
# their text stands on a plate.
CONTRAST = r"""
(function () {
  function rgb(text) { var m = text.match(/[\d.]+/g).map(Number); return m.length < 4 ? m.concat(1) : m; }
  function light(c) { return c.slice(0, 3).map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); })
    .reduce(function (sum, v, i) { return sum + v * [0.2126, 0.7152, 0.0722][i]; }, 0); }
  function ground(at) { for (; at; at = at.parentElement) { var s = getComputedStyle(at), c = rgb(s.backgroundColor);
    if (s.backgroundImage !== "none") return null; if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; }
  var poor = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), checked = 0;
  for (var node; (node = walk.nextNode());) {
    var e = node.parentElement;
    if (!node.data.trim() || e.closest("svg,script,details:not([open])") || !e.getClientRects().length) continue;
    var back = ground(e);
    if (!back) continue;
    var a = light(rgb(getComputedStyle(e).color)), b = light(back);
    checked++;
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) poor.push(node.data.slice(0, 40));
  }
  return {poor: poor, checked: checked};
})()"""

# Blocks of the page that lie on each other or stick out of it.
LAYOUT = r"""
(function () {
  var bad = [], wide = document.documentElement.scrollWidth > innerWidth + 1;
  var blocks = Array.prototype.slice.call(document.querySelectorAll("header,h2,h3,main>p,figure,main>.t,.cols>div,details,footer"));
  var boxes = blocks.map(function (e) { return e.getBoundingClientRect(); });
  for (var i = 0; i < blocks.length; i++) for (var k = i + 1; k < blocks.length; k++) {
    var a = boxes[i], b = boxes[k];
    if (blocks[i].contains(blocks[k]) || !a.width || !b.width || !a.height || !b.height) continue;
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
      bad.push(blocks[i].tagName + "/" + blocks[k].tagName + ": " + blocks[k].textContent.slice(0, 30));
  }
  return {overlaps: bad, wide: wide};
})()"""

SEEN = r"""
(function () {
  function area(e) { var r = e.getBoundingClientRect(); return r.width * r.height; }
  var figures = Array.prototype.slice.call(document.querySelectorAll("figure>svg,figure>img"));
  return {verdict: area(document.querySelector("#verdict h1")), word: document.querySelector(".v .word").textContent,
          tables: Array.prototype.filter.call(document.querySelectorAll("table"), area).length,
          figures: figures.length, seen: figures.filter(function (f) { return area(f) > 20000 && (f.complete !== false) && f.naturalWidth !== 0; }).length,
          tools: !document.getElementById("tools") ? "none" : document.getElementById("tools").hidden ? "hidden" : "shown",
          size: parseFloat(getComputedStyle(document.querySelector(".v")).fontSize)};
})()"""


def build(out, *more):
    subprocess.run([VERNIER, "compare", os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target"),
                    "-o", out, "--format", "html,svg", "--exit-zero", "--quiet", *more], check=True, stderr=subprocess.DEVNULL)
    return "file://" + os.path.join(out, "index.html")


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_):
        pass


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.one = build(os.path.join(cls.folder, "one"))
        cls.chinese = build(os.path.join(cls.folder, "zh"), "--lang", "zh")
        build(os.path.join(cls.folder, "linked"), "--html", "folder")
        cls.browser = chrome.Chrome()
        handler = functools.partial(Handler, directory=cls.folder)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.root = "http://127.0.0.1:%d/" % cls.server.server_port

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.shutdown()
        cls.server.server_close()
        shutil.rmtree(cls.folder)

    def open(self, url, **options):
        page = chrome.Page(self.browser, **options)
        self.addCleanup(page.close)
        page.open(url)
        if os.environ.get("SCREENSHOTS"):
            page.screenshot(os.path.join(os.environ["SCREENSHOTS"], self.id().split(".")[-1] + str(page.chrome.number) + ".png"))
        return page

    def check_seen(self, page, tools):
        seen = page.ask(SEEN)
        self.assertGreater(seen["verdict"], 5000)
        self.assertGreaterEqual(seen["size"], 24)
        self.assertGreaterEqual(seen["tables"], 4)
        self.assertGreaterEqual(seen["figures"], 3)
        self.assertEqual(seen["seen"], seen["figures"])
        self.assertEqual(seen["tools"], tools)
        return seen

    def check_read(self, page):
        layout = page.ask(LAYOUT)
        self.assertEqual(layout, {"overlaps": [], "wide": False})
        contrast = page.ask(CONTRAST)
        self.assertGreater(contrast["checked"], 50)
        self.assertEqual(contrast["poor"], [])

    def test_a_file_with_script_shows_everything_and_asks_for_nothing(self):
        for dark in (False, True):
            for url in (self.one, self.chinese):
                page = self.open(url, dark=dark)
                self.check_seen(page, "shown")
                self.check_read(page)
                self.assertEqual(page.requests(), [url])
                self.assertEqual(page.complaints(), [])

    def test_a_file_without_script_shows_the_same_but_the_tools(self):
        page = self.open(self.one, script=False)
        self.check_seen(page, "hidden")
        self.check_read(page)
        self.assertEqual(page.complaints(), [])

    def test_a_narrow_window_does_not_scroll_sideways(self):
        page = self.open(self.one, width=400)
        self.check_seen(page, "shown")
        self.assertEqual(page.ask(LAYOUT), {"overlaps": [], "wide": False})

    def test_the_linked_page_is_complete_under_a_strict_policy(self):
        page = self.open(self.root + "linked/index.html")
        self.check_seen(page, "none")
        self.check_read(page)
        self.assertTrue(all(url.startswith(self.root) for url in page.requests()))
        self.assertEqual([c for c in page.complaints() if "favicon" not in c], [])

    def test_the_single_file_keeps_its_words_under_a_strict_policy(self):
        page = self.open(self.root + "one/index.html")
        self.assertEqual(page.ask("document.querySelector('.v .word').textContent"), "DIVERGES")
        self.assertGreaterEqual(page.ask("document.querySelectorAll('table').length"), 4)

    def test_search_filter_fold_and_jump_work_from_the_keyboard(self):
        page = self.open(self.one)
        shown = "Array.prototype.filter.call(document.querySelectorAll('main tbody tr'), function (r) { return r.querySelector('.k') && (r.querySelector('td[title]') || r.querySelector('code')) && !r.hidden; }).length"
        everything = page.ask(shown)
        page.key("/", "/")
        self.assertEqual(page.ask("document.activeElement.id"), "tool-search")
        page.type("layer_norm.4.backward")
        few = page.ask(shown)
        self.assertTrue(0 < few < 10, few)
        self.assertIn(str(few), page.ask("document.getElementById('tool-said').textContent"))
        self.assertGreater(page.ask("document.querySelectorAll('svg .hit').length"), 0)
        page.key("Enter")
        self.assertIn("layer_norm.4", page.ask("document.querySelector('tr[aria-current]').textContent"))
        page.ask("document.getElementById('tool-copy').click()")
        page.key("Escape")
        self.assertEqual(page.ask(shown), everything)
        page.ask("(function () { var s = document.getElementById('tool-status'); s.value = 'W'; s.dispatchEvent(new Event('change')); })()")
        self.assertTrue(0 < page.ask(shown) < everything)
        page.ask("document.getElementById('tool-open').click()")
        self.assertTrue(page.ask("Array.prototype.every.call(document.querySelectorAll('details'), function (d) { return d.open; })"))
        page.ask("document.getElementById('tool-first').click()")
        self.assertEqual(page.ask("document.activeElement.id"), "first-divergence")
        self.assertEqual(page.complaints(), [])


if __name__ == "__main__":
    if not chrome.find():
        sys.exit(77)
    unittest.main()
