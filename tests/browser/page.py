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

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
import chrome
import drawings
import made
import scale_pair

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
  var blocks = Array.prototype.slice.call(document.querySelectorAll("header,h2,h3,main>p,figure,main>.t,.cols>div,details,footer"))
    .filter(function (e) { return !e.parentElement.closest("details:not([open])"); });
  var boxes = blocks.map(function (e) { return e.getBoundingClientRect(); });
  for (var i = 0; i < blocks.length; i++) for (var k = i + 1; k < blocks.length; k++) {
    var a = boxes[i], b = boxes[k];
    if (blocks[i].contains(blocks[k]) || !a.width || !b.width || !a.height || !b.height) continue;
    if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
      bad.push(blocks[i].tagName + "/" + blocks[k].tagName + ": " + blocks[k].textContent.slice(0, 30));
  }
  return {overlaps: bad, wide: wide};
})()"""

# Text of inline pictures whose contrast is below 4.5 against the shape painted last under its middle, and
# texts that lie on each other, in the fonts of this machine. Hatched ground is passed over, as above.
PICTURES = r"""
(function () {
  function rgb(text) { return text.match(/[\d.]+/g).map(Number); }
  function light(c) { return c.slice(0, 3).map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); })
    .reduce(function (sum, v, i) { return sum + v * [0.2126, 0.7152, 0.0722][i]; }, 0); }
  var poor = [], over = [], checked = 0;
  document.querySelectorAll("figure>svg").forEach(function (svg) {
    if (!svg.getClientRects().length || svg.closest("details:not([open])")) return;
    var paper = rgb(getComputedStyle(document.body).backgroundColor), shapes = [], texts = [];
    svg.querySelectorAll("rect,circle,path,polygon,text").forEach(function (e) {
      if (e.closest("defs,pattern,clipPath")) return;
      var style = getComputedStyle(e), box = e.getBoundingClientRect();
      if (e.nodeName !== "text") {
        if (style.fill !== "none" && e.nodeName !== "path") shapes.push({box: box, fill: style.fill, part: parseFloat(style.fillOpacity) * parseFloat(style.opacity)});
        return;
      }
      (e.children.length ? Array.prototype.slice.call(e.querySelectorAll("tspan")) : [e]).forEach(function (part) {
        var at = part.getBoundingClientRect(), x = at.left + at.width / 2, y = at.top + at.height / 2, ground = paper;
        if (!part.textContent.trim() || !at.width) return;
        shapes.forEach(function (s) {
          if (s.box.left > x || s.box.right < x || s.box.top > y || s.box.bottom < y) return;
          if (s.fill.indexOf("url") === 0) ground = null;
          else if (ground || s.part > 0.99) ground = (ground || paper).map(function (v, i) { return v + (rgb(s.fill)[i] - v) * s.part; });
        });
        if (!ground) return;
        var a = light(rgb(getComputedStyle(part).fill)), b = light(ground);
        checked++;
        if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) poor.push(part.textContent.slice(0, 40));
      });
      texts.push({box: box, text: e.textContent});
    });
    for (var i = 0; i < texts.length; i++) for (var k = i + 1; k < texts.length; k++) {
      var a = texts[i].box, b = texts[k].box;
      if (a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
        over.push(texts[i].text.slice(0, 30) + " / " + texts[k].text.slice(0, 30));
    }
  });
  return {poor: poor, over: over, checked: checked};
})()"""

# Cells broken into more than three lines in a column of less than 64 px, tables that are cut where they cannot
# be scrolled, and labels of inline pictures smaller than 6 px on the screen (`small`; exponents are smaller).
READABLE = r"""
(function () {
  var said = {thin: [], cut: [], small: []};
  function lines(cell) { var range = document.createRange(), tops = {}; range.selectNodeContents(cell);
    Array.prototype.forEach.call(range.getClientRects(), function (r) { tops[Math.round(r.top / 8)] = 1; }); return Object.keys(tops).length; }
  document.querySelectorAll("td,th").forEach(function (cell) {
    if (cell.getClientRects().length && cell.clientWidth < 64 && lines(cell) > 3) said.thin.push(cell.textContent.slice(0, 40) + ": " + cell.clientWidth);
  });
  document.querySelectorAll(".t").forEach(function (box) {
    if (box.scrollWidth > box.clientWidth + 1) said.cut.push(box.querySelector("table").getAttribute("aria-label") + ": " + box.scrollWidth + " in " + box.clientWidth);
  });
  document.querySelectorAll("figure>svg text").forEach(function (text) {
    var svg = text.ownerSVGElement, size = parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    if (size && size < 6) said.small.push(text.textContent.slice(0, 40) + ": " + size);
  });
  return said;
})()"""

SEEN = r"""
(function () {
  function area(e) { var r = e.getBoundingClientRect(); return r.width * r.height; }
  var figures = Array.prototype.slice.call(document.querySelectorAll("figure>svg,figure>img"));
  return {verdict: area(document.querySelector("#verdict h1")), word: document.querySelector(".v .word").textContent,
          tables: Array.prototype.filter.call(document.querySelectorAll("table"), area).length,
          all_tables: document.querySelectorAll("table").length,
          figures: figures.length, seen: figures.filter(function (f) { return area(f) > 20000 && (f.complete !== false) && f.naturalWidth !== 0; }).length,
          tools: !document.getElementById("tools") ? "none" : document.getElementById("tools").hidden ? "hidden" : "shown",
          size: parseFloat(getComputedStyle(document.querySelector(".v")).fontSize)};
})()"""


def run(out, *arguments):
    done = subprocess.run([VERNIER, *arguments, "-o", out, "--format", "html,svg", "--exit-zero", "--quiet"],
                          cwd=SAMPLES, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode in (0, 3), done.stderr   # 3: of two structures no value was compared
    return "file://" + os.path.join(out, "index.html")


def build(out, *more):
    return run(out, "compare", "gpt/golden", "gpt/target", *more)


# Every command that writes a page: what it is called with, how many tables and figures it has at least.
COMMANDS = {
    "compare": (["compare", "gpt/golden", "gpt/target"], 4, 3),
    "boxes": (["compare", "gpt/golden", "gpt/target", "--view", "boxes", "--focus", "first-divergence"], 4, 3),
    "peer": (["compare", "gpt/golden", "gpt/target", "--palette", "msprobe", "--rules", "msprobe26"], 3, 2),
    "ranks": (["compare", "ranks/golden", "ranks/target"], 4, 3),
    "same": (["compare", "gpt/golden", "gpt/golden"], 2, 1),
    "partial": (["compare", "gpt/golden", "{cut}"], 4, 1),
    "structure": (["compare", "{structure}", "{structure}"], 2, 0),
    "parted": (["compare", "{cut}", "gpt/target"], 4, 3),
    "graph": (["graph", "gpt/target"], 1, 1),
    "overflow": (["graph", "{nan}"], 1, 1),
    "locate": (["locate", "{nan}"], 1, 1),
    "curves": (["curves", "curves/golden.csv", "curves/target.csv", "--noise", "curves/golden-again.csv"], 1, 1),
    "monitor": (["monitor", "monitor"], 1, 1),
    "checklist": (["checklist", "config/bench_pretrain.sh", "config/target_pretrain.yaml"], 1, 1),
    "advise": (["advise", "skip", "{log}"], 1, 1),
    "health": (["advise", "health", "{health}", "{health}/worker_0.log", "--threshold", "270"], 1, 1),
    "weights": (["compare", "{weights}", "{moved}"], 1, 1),
    "history": (["history", "{nights}"], 1, 1),
    "study": (["study", "study/before.yaml"], 1, 1),
    "runs": (["compare", "--runs", "gpt/golden", "gpt/target", "gpt/golden"], 1, 1),
    "merge": (["merge", "{parts}/1", "{parts}/2"], 4, 3),
    "metrics": (["merge", "{tables}"], 1, 1),
}


# Figures without a title for a screen reader, or with no table on the page that says the same.
NAMELESS = r"""
(function () {
  var bad = [];
  document.querySelectorAll("figure").forEach(function (figure) {
    var svg = figure.querySelector("svg");
    if (!svg || svg.getAttribute("role") !== (svg.querySelector("a") ? "group" : "img") || !svg.querySelector("title").textContent.trim()) bad.push(figure.textContent.slice(0, 40));
  });
  if (document.querySelector("figure") && !document.querySelector("table")) bad.push("no table");
  document.querySelectorAll("table").forEach(function (table) {
    if (!table.getAttribute("aria-label") || !table.querySelector("th[scope]")) bad.push("table " + table.textContent.slice(0, 30));
  });
  return bad;
})()"""


# What a reader without eyes or mouse stumbles over: levels of headings that are skipped, landmarks of one name, what
# scrolls and cannot be reached, references to nothing, fields and buttons without a name, ids that come twice.
STUMBLES = r"""
(function () {
  var bad = [], level = 0, names = {}, ids = {};
  function seen(e) { return e.getClientRects().length > 0; }
  document.querySelectorAll("h1,h2,h3,h4").forEach(function (h) {
    var own = Number(h.tagName[1]);
    if (own > level + 1) bad.push("level " + level + " to " + own + ": " + h.textContent.slice(0, 30));
    level = own;
  });
  document.querySelectorAll("[role=region],section,nav,aside").forEach(function (e) {
    var name = e.getAttribute("aria-label");
    if (names[name]) bad.push("landmark twice: " + name);
    names[name] = true;
  });
  document.querySelectorAll("main,main *").forEach(function (e) {
    if (e.ownerSVGElement || !seen(e) || e.scrollWidth <= e.clientWidth + 1 || !/auto|scroll/.test(getComputedStyle(e).overflowX)) return;
    if (e.tabIndex < 0 && !e.querySelector("a,button,input,[tabindex='0']")) bad.push("cannot be scrolled: " + e.tagName + " " + e.textContent.slice(0, 30));
  });
  document.querySelectorAll("[id]").forEach(function (e) { if (ids[e.id]) bad.push("id twice: " + e.id); ids[e.id] = true; });
  document.querySelectorAll("a[href^='#'],[aria-labelledby],[aria-describedby]").forEach(function (e) {
    var to = e.getAttribute("aria-labelledby") || e.getAttribute("aria-describedby") || decodeURIComponent(e.getAttribute("href").slice(1));
    to.split(" ").forEach(function (id) { if (id.indexOf("op=") !== 0 && !document.getElementById(id)) bad.push("leads nowhere: " + id); });
  });
  document.querySelectorAll("button,input,select,a[href]").forEach(function (e) {
    if (!(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label"))) bad.push("no name: " + e.outerHTML.slice(0, 60));
  });
  return bad;
})()"""


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
        inputs = made.all_of(cls.folder)
        cls.pages = {}
        for name, (arguments, _, _) in COMMANDS.items():
            arguments = [inputs.get(word, word) for word in arguments]
            cls.pages[name] = run(os.path.join(cls.folder, name), *arguments)
            run(os.path.join(cls.folder, "linked-" + name), *arguments, "--html", "folder")
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

    def check_seen(self, page, tools, tables=4, figures=3):
        seen = page.ask(SEEN)
        self.assertGreater(seen["verdict"], 5000)
        self.assertGreaterEqual(seen["size"], 24)
        self.assertGreaterEqual(seen["tables"], tables)
        self.assertGreaterEqual(seen["figures"], figures)
        self.assertEqual(seen["seen"], seen["figures"])
        if tools:
            self.assertEqual(seen["tools"], tools)
        return seen

    def check_read(self, page):
        layout = page.ask(LAYOUT)
        self.assertEqual(layout, {"overlaps": [], "wide": False})
        contrast = page.ask(CONTRAST)
        self.assertGreater(contrast["checked"], 10)
        self.assertEqual(contrast["poor"], [])
        pictures = page.ask(PICTURES)
        self.assertEqual((pictures["poor"][:9], pictures["over"][:9]), ([], []))

    def test_the_card_of_an_op_fits_a_narrow_window_and_is_read_in_the_dark(self):
        for options in ({"width": 400}, {"dark": True}):
            page = self.open(self.chinese + "#op=Functional.layer_norm.4.backward", **options)
            page.ask("new Promise(function (done) { setTimeout(done, 50); })")
            self.assertIn("layer_norm.4", page.ask(self.CARD))
            self.assertEqual(page.ask(CONTRAST)["poor"], [])
            self.assertFalse(page.ask("document.documentElement.scrollWidth > innerWidth + 1"))

    def test_on_paper_what_introduces_a_picture_stays_with_it(self):
        for name, url in self.pages.items():
            with self.subTest(name):
                page = self.open(url)
                page.call("Emulation.setEmulatedMedia", media="print", features=[])
                self.assertEqual([], page.ask("Array.prototype.filter.call(document.querySelectorAll('figure'), function (f) {"
                                              " for (var e = f.previousElementSibling; e && /^(H2|H3|P)$/.test(e.tagName) && e.className !== 'note'; e = e.previousElementSibling)"
                                              "   if (getComputedStyle(e).breakAfter !== 'avoid') return true;"
                                              " return getComputedStyle(f).breakInside !== 'avoid'; }).map(function (f) { return f.previousElementSibling.textContent.slice(0, 60); })"))

    def test_every_page_with_script_is_read_in_light_and_dark(self):
        for name, url in self.pages.items():
            for dark in (False, True):
                with self.subTest(name, dark=dark):
                    page = self.open(url, dark=dark)
                    self.check_seen(page, None, *COMMANDS[name][1:])
                    self.check_read(page)
                    self.assertEqual(page.requests(), [url])
                    self.assertEqual(page.complaints(), [])

    def test_every_page_without_script_shows_the_same(self):
        for name, url in self.pages.items():
            with self.subTest(name):
                with_script, without = self.open(url), self.open(url, script=False)
                first, second = (self.check_seen(page, None, *COMMANDS[name][1:]) for page in (with_script, without))
                self.assertEqual({k: v for k, v in first.items() if k not in ("tools",)},
                                 {k: v for k, v in second.items() if k not in ("tools",)})
                self.assertNotEqual(second["tools"], "shown")
                self.assertEqual(without.complaints(), [])

    def test_every_linked_page_is_complete_under_the_policy(self):
        for name in self.pages:
            for dark in (False, True):
                with self.subTest(name, dark=dark):
                    page = self.open(self.root + "linked-" + name + "/index.html", dark=dark)
                    self.check_seen(page, "none", *COMMANDS[name][1:])
                    self.check_read(page)
                    self.assertTrue(all(url.startswith(self.root) for url in page.requests()))
                    self.assertEqual([c for c in page.complaints() if "favicon" not in c], [])

    def test_every_page_fits_a_narrow_window(self):
        for name, url in self.pages.items():
            with self.subTest(name):
                self.assertEqual(self.open(url, width=400).ask(LAYOUT), {"overlaps": [], "wide": False})

    def test_tables_and_pictures_are_read_in_a_narrow_window_and_on_paper(self):
        for name in self.pages:
            for url in (self.pages[name], self.root + "linked-" + name + "/index.html"):
                with self.subTest(name, url=url[:4]):
                    page = self.open(url, width=400)
                    seen = page.ask(READABLE)
                    self.assertEqual((seen["thin"], seen["small"]), ([], []))
                    self.assertGreaterEqual(min(page.ask("Array.prototype.map.call(document.querySelectorAll('figure>*:first-child'), function (f) { return f.getBoundingClientRect().width; })") or [720]), 720)
                    paper = self.open(url, width=1016)
                    paper.call("Emulation.setEmulatedMedia", media="print")
                    self.assertEqual(paper.ask(READABLE)["cut"], [])

    def test_every_figure_says_in_words_what_it_shows(self):
        for name, url in self.pages.items():
            with self.subTest(name):
                self.assertEqual(self.open(url).ask(NAMELESS), [])

    def test_print_is_light_and_leaves_the_tools_out(self):
        page = self.open(self.one, dark=True)
        page.call("Emulation.setEmulatedMedia", media="print")
        self.assertEqual(page.ask("getComputedStyle(document.getElementById('tools')).display"), "none")
        self.assertEqual(page.ask("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(page.ask("(function () { var t = document.querySelector('figure>svg text'); return getComputedStyle(t).fill; })()"),
                         page.ask("(function () { var t = document.querySelector('figure>svg text'), s = document.createElement('span'); s.style.color = t.getAttribute('fill') || '#000'; document.body.appendChild(s); var c = getComputedStyle(s).color; s.remove(); return c; })()"))

    def test_tab_leads_to_verdict_sections_and_tools_in_order_and_focus_is_seen(self):
        page = self.open(self.one)
        seen = []
        for _ in range(40):
            page.key("Tab")
            at = page.ask("(function () { var e = document.activeElement, r = e.getBoundingClientRect(); return {tag: e.tagName, id: e.id, href: e.getAttribute('href') || '', on: r.width * r.height > 0 && r.top >= -1 && r.left >= -1, outline: getComputedStyle(e).outlineStyle}; })()")
            seen.append(at)
        self.assertEqual(seen[0]["href"], "#verdict")
        self.assertTrue(all(at["on"] for at in seen[:20] if at["tag"] != "BODY"), seen[:20])
        self.assertTrue(all(at["outline"] != "none" for at in seen if at["tag"] in ("BUTTON", "INPUT", "SELECT", "SUMMARY")))
        ids = [at["id"] for at in seen]
        self.assertLess(ids.index("tool-search"), ids.index("tool-copy"))
        self.assertTrue("SUMMARY" in [at["tag"] for at in seen])

    def test_enter_folds_and_unfolds_a_section(self):
        page = self.open(self.one)
        page.ask("document.querySelector('details summary').focus()")
        state = "document.querySelector('details').open"
        before = page.ask(state)
        page.key("Enter", "\r")
        self.assertNotEqual(page.ask(state), before)
        page.key("Enter", "\r")
        self.assertEqual(page.ask(state), before)

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

    CARD = "(function () { var c = document.getElementById('op'); return c.hidden ? '' : c.textContent; })()"

    def icicle(self, what):
        return self.view.ask("vernierIcicle." + what)

    def wait(self):
        self.view.ask("new Promise(function (done) { setTimeout(done, 60); })")

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.view.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=1, button="none" if kind == "mouseMoved" else "left")
        self.wait()

    def test_the_hierarchy_is_entered_to_the_first_divergence_by_keyboard_alone(self):
        self.view = page = self.open(self.one)
        for _ in range(80):
            page.key("Tab")
            if page.ask("document.activeElement.id") == "icicle-canvas":
                break
        self.assertEqual(page.ask("document.activeElement.id"), "icicle-canvas")
        for step in "blocks.2", "attn", "qkv":
            for _ in range(60):
                if step in self.icicle("cursor()").split(".") or "." + step + "." in self.icicle("cursor()"):
                    break
                page.key("ArrowRight")
            page.key("Enter", "\r")
            page.key("ArrowDown")
        self.assertEqual(self.icicle("path()"), ["blocks.2", "attn", "qkv"])
        self.assertEqual(self.icicle("cursor()"), "Functional.linear.8.forward")
        self.assertIn("in=blocks.2/attn/qkv", page.ask("location.hash"))
        self.assertIn("golden 45.67", page.ask("document.getElementById('icicle-said').textContent"))
        page.key("Enter", "\r")
        self.wait()
        self.assertIn("error, starts here", page.ask(self.CARD))
        page.ask("document.getElementById('icicle-canvas').focus()")
        for _ in range(3):
            page.key("Escape")
        self.assertEqual(self.icicle("path()"), [])
        self.assertEqual(page.complaints(), [])

    def test_the_hierarchy_is_entered_by_pointer_alone_and_a_folded_row_opens(self):
        self.view = page = self.open(self.one)
        page.ask("document.getElementById('icicle').scrollIntoView()")
        for _ in range(3):
            at = page.ask("(function () { var c = document.getElementById('icicle-canvas').getBoundingClientRect(), f = vernierIcicle.first(); return [c.left + f[0], c.top + f[1]]; })()")
            self.click(*at)
        self.assertIn("attn", self.icicle("path()"))
        self.assertGreater(page.ask("document.querySelectorAll('#icicle-list li').length"), 1)
        fold = page.ask("(function () { var t = Array.prototype.filter.call(document.querySelectorAll('figure svg text'), function (t) { return /agree|same statistics/.test(t.textContent) && t.querySelector('title'); })[0];"
                        " t.scrollIntoView({block: 'center'}); var r = t.getBoundingClientRect(); return [r.left + 20, r.top + r.height / 2]; })()")
        self.click(*fold)
        self.assertTrue(page.ask(self.CARD))
        self.assertTrue(self.icicle("cursor()"))
        self.assertEqual(page.complaints(), [])

    def test_an_address_keeps_the_place_in_the_hierarchy(self):
        self.view = page = self.open(self.one + "#op=Functional.linear.8.forward&in=blocks.2/attn")
        self.wait()
        self.assertEqual(self.icicle("path()"), ["blocks.2", "attn"])
        self.assertEqual(self.icicle("cursor()"), "Functional.linear.8.forward")
        self.assertIn("error, starts here", page.ask(self.CARD))
        for mode in "error", "growth", "added", "dtype":
            page.ask("(function () { var s = document.getElementById('icicle-mode'); s.value = '%s'; s.dispatchEvent(new Event('change')); })()" % mode)
        page = self.open(self.one, script=False)
        self.assertTrue(page.ask("document.getElementById('icicle').hidden"))
        self.assertEqual(page.complaints(), [])

    def test_a_table_is_sorted_by_its_heads_and_back(self):
        page = self.open(self.one)
        names = "Array.prototype.map.call(document.querySelectorAll('table[aria-label=Ops] tbody tr'), function (r) { return r.cells[0].textContent; })"
        page.ask("document.querySelectorAll('details').forEach(function (d) { d.open = true; })")
        came = page.ask(names)
        head = "document.querySelector('table[aria-label=Ops] thead th:nth-child(5)%s')"
        errors = "Array.prototype.map.call(document.querySelectorAll('table[aria-label=Ops] tbody tr'), function (r) { return r.cells[4].textContent; })"
        page.ask((head % " button") + ".focus()")
        for way in "ascending", "descending", None:
            page.key("Enter", "\r")
            self.assertEqual(page.ask((head % "") + ".getAttribute('aria-sort')"), way)
            if way == "descending":
                numbers = [float(e) for e in page.ask(errors) if e[0].isdigit()]
                self.assertEqual(numbers, sorted(numbers, reverse=True))
        self.assertEqual(page.ask(names), came)
        self.assertEqual(page.complaints(), [])

    def test_of_a_long_table_the_rows_stay_that_hold_all_the_words_typed(self):
        page = self.open(self.one)
        page.ask("document.querySelectorAll('details').forEach(function (d) { d.open = true; })")
        shown = "Array.prototype.filter.call(document.querySelectorAll('table[aria-label=Ops] tbody tr'), function (r) { return r.getBoundingClientRect().height > 0; }).map(function (r) { return r.textContent; })"
        whole = page.ask(shown)
        page.ask("(function () { var f = document.querySelector('input.filter[aria-label$=Ops]'); f.focus(); f.value = 'linear.8 forward'; f.dispatchEvent(new Event('input')); })()")
        left = page.ask(shown)
        self.assertTrue(left and len(left) < len(whole))
        self.assertTrue(all("linear.8" in row and "forward" in row for row in left), left)
        page.ask("(function () { var f = document.querySelector('input.filter[aria-label$=Ops]'); f.value = ''; f.dispatchEvent(new Event('input')); })()")
        self.assertEqual(page.ask(shown), whole)
        self.assertEqual(page.complaints(), [])

    def test_curves_are_read_off_zoomed_and_hidden_by_name(self):
        page = self.view = self.open(run(os.path.join(self.folder, "curves-view"), "curves", "study/golden/long.csv", "study/target/long.csv"))
        at = page.ask("(function () { var c = document.getElementById('curves-canvas'); c.scrollIntoView({block: 'center'}); var r = c.getBoundingClientRect(); return [r.left, r.top]; })()")

        def mouse(kind, x, button="none"):
            page.call("Input.dispatchMouseEvent", type=kind, x=at[0] + x, y=at[1] + 100, button=button, clickCount=1)

        mouse("mouseMoved", 400)
        said = page.ask("document.getElementById('curves-said').textContent")
        self.assertIn("long 3.2", said)
        self.assertIn("target/long 3.3", said)
        mouse("mousePressed", 300, "left")
        mouse("mouseMoved", 500, "left")
        mouse("mouseReleased", 500, "left")
        low, high = page.ask("vernierCurves.range()")
        self.assertTrue(1500 < low < high < 4500)
        page.ask("document.querySelector('#curves-names button').click()")
        self.assertEqual(page.ask("vernierCurves.shown()"), ["target/long"])
        page.ask("document.getElementById('curves-log').click()")
        page.ask("(function () { var s = document.getElementById('curves-smooth'); s.value = 50; s.dispatchEvent(new Event('input')); })()")
        page.ask("document.getElementById('curves-canvas').focus()")
        page.key("Escape")
        self.assertEqual(page.ask("vernierCurves.range()"), [20, 10000])
        self.assertEqual(page.ask("document.querySelector('table[aria-label=Differences] th').textContent"), "Finding")
        self.assertEqual(page.complaints(), [])

    def test_the_index_names_every_op_of_the_table_with_its_numbers(self):
        page = self.open(self.one)
        page.ask("document.getElementById('tool-search').value = 'forward'")
        page.ask("document.getElementById('tool-search').dispatchEvent(new Event('input'))")
        wanted = page.ask("Array.prototype.filter.call(document.querySelectorAll('table[aria-label=Ops] tbody tr'), function (r) {"
                          " return r.textContent.toLowerCase().indexOf('forward') >= 0; }).map(function (r) {"
                          " return [r.querySelector('code').textContent, '#' + r.cells[0].textContent, r.cells[3].textContent + ' → ' + r.cells[4].textContent]; })")
        self.assertGreater(len(wanted), 100)
        for name, number, errors in wanted[:3] + wanted[60:70] + wanted[-3:]:
            page.ask("location.hash = 'op=%s'" % name)
            page.ask("new Promise(function (done) { setTimeout(done, 20); })")
            card = page.ask(self.CARD)
            self.assertIn(name, card)
            self.assertIn(number + " / 421", card)
            self.assertIn("in %s, out %s" % tuple(errors.split(" → ")), card)
        self.assertIn("%d of 421 ops" % len(wanted), page.ask("document.getElementById('tool-said').textContent"))

    def test_an_address_opens_at_its_op_and_the_card_leads_on(self):
        page = self.open(self.one + "#op=Functional.linear.8.forward")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        card = page.ask(self.CARD)
        self.assertIn("error, starts here", card)
        self.assertIn("in =, out 2.88e-05".split(",")[0], card)
        self.assertGreater(page.ask("document.querySelectorAll('svg .hit').length"), 0)
        page.ask("document.querySelector('#op-to a').click()")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        self.assertEqual(page.ask("document.querySelector('#op-from a').textContent"), "Functional.linear.8.forward")
        name = page.ask("decodeURIComponent(location.hash.slice(4))")
        page.key("n", "n")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        self.assertNotEqual(page.ask("decodeURIComponent(location.hash.slice(4))"), name)
        page.key("p", "p")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        self.assertEqual(page.ask("decodeURIComponent(location.hash.slice(4))"), name)
        page.ask("document.execCommand = function () { window.copied = document.querySelector('body>textarea').value; return true; };"
                 "Object.defineProperty(window, 'isSecureContext', {value: false}); 0")
        page.ask("document.getElementById('op-markdown').click()")
        text = page.ask("window.copied")
        self.assertIn("`%s`" % name, text)
        self.assertIn("#op=", text)
        page.key("Escape")
        self.assertEqual(page.ask(self.CARD), "")
        self.assertEqual(page.ask("location.hash"), "")
        self.assertEqual(page.complaints(), [])

    def test_ops_that_no_table_holds_are_found_and_what_is_no_op_opens_nothing(self):
        page = self.open(self.one + "#op=no.such.op")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        self.assertEqual(page.ask(self.CARD), "")
        page.ask("document.querySelector('table[aria-label=Ops]').remove()")
        page.key("/", "/")
        page.type("functional.linear.3.forward")
        self.assertIn("1 of 421 ops", page.ask("document.getElementById('tool-said').textContent"))
        page.key("Enter")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        self.assertIn("Functional.linear.3.forward", page.ask(self.CARD))
        self.assertEqual(page.complaints(), [])

    def test_no_page_has_what_a_screen_reader_or_the_keyboard_stumbles_over(self):
        for name, url in sorted(self.pages.items()):
            page = self.open(url, width=400)
            page.ask("document.getElementById('tool-open').click()")
            page.ask("new Promise(function (done) { setTimeout(done, 50); })")
            with self.subTest(name):
                self.assertEqual(page.ask(STUMBLES), [])

    @unittest.skipUnless(os.path.exists(os.environ.get("AXE", "")), "AXE names no axe.min.js")
    def test_axe_finds_nothing(self):
        with open(os.environ["AXE"], encoding="utf-8") as file:
            axe = file.read()
        for name, url in sorted({**self.pages, "chinese": self.chinese}.items()):
            for options in ({}, {"dark": True}, {"width": 400}):
                with self.subTest(name, **options):
                    page = self.open(url, **options)
                    page.ask("document.querySelectorAll('details').forEach(function (d) { d.open = true; })")
                    page.ask(axe + "; 1")
                    found = page.ask("axe.run().then(function (r) { return {passes: r.passes.length, violations: r.violations.map("
                                     "function (v) { return v.id + ': ' + v.nodes[0].html.slice(0, 120); })}; })")
                    self.assertGreater(found["passes"], 10)
                    self.assertEqual(found["violations"], [])

    def test_a_page_of_a_hundred_thousand_ops_opens_in_half_a_second_and_finds_in_a_tenth(self):
        """In time of the processor, which the load of the machine leaves alone."""
        sides = scale_pair.write_pair(os.path.join(self.folder, "scale"), "scattered")
        url = run(os.path.join(self.folder, "large"), "compare", *sides)
        shutil.rmtree(os.path.join(self.folder, "scale"))
        page = self.open("about:blank")
        page.call("Performance.enable")

        def spent():
            page.ask("new Promise(function (done) { requestAnimationFrame(function () { setTimeout(done, 0); }); })")
            return {one["name"]: one["value"] for one in page.call("Performance.getMetrics")["metrics"]}["ThreadTime"]

        page.open(url)
        self.assertLess(spent(), 0.5)
        self.assertIn("all 99,960 ops", page.ask("document.getElementById('tool-search').placeholder"))
        page.key("/", "/")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        times = []
        for text in ("layer_norm", "linear.3.", "layers.120", "l", "nothing"):
            before = spent()
            page.ask("document.getElementById('tool-search').value = '%s'" % text)
            page.ask("document.getElementById('tool-search').dispatchEvent(new Event('input'))")
            times.append(spent() - before)
        self.assertLess(sorted(times)[2], 0.1, times)
        self.assertEqual(page.complaints(), [])

    def test_pairs_are_found_by_rank_and_lead_to_their_files(self):
        page = self.open(self.pages["ranks"])
        page.ask("document.getElementById('tool-search').value = 'rank 2'")
        page.ask("document.getElementById('tool-search').dispatchEvent(new Event('input'))")
        self.assertIn("1 row", page.ask("document.getElementById('tool-said').textContent"))
        links = page.ask("Array.prototype.map.call(document.querySelectorAll('table[aria-label=Pairs] a, figure svg a'), function (a) { return a.getAttribute('href'); })")
        self.assertGreaterEqual(len(links), 8)
        folder = os.path.join(self.folder, "ranks")
        self.assertEqual([link for link in links if not os.path.exists(os.path.join(folder, link))], [])
        own = sorted(set(link for link in links if link.endswith(".html")))
        self.assertGreater(len(own), 1)
        page = self.open(os.path.join(os.path.dirname(self.pages["ranks"]), own[-1]))
        self.check_seen(page, "shown")
        self.check_read(page)
        page.key("n", "n")
        page.ask("new Promise(function (done) { setTimeout(done, 50); })")
        self.assertIn(own[-1] + "#op=", page.ask("location.href"))
        self.assertEqual(page.ask("document.querySelector('main a').getAttribute('href')"), "index.html")
        self.assertEqual(page.complaints(), [])

    def test_the_field_of_ranks_is_read_by_keyboard_and_leads_to_the_op_on_the_page_of_its_pair(self):
        self.view = page = self.open(run(os.path.join(self.folder, "field"), "compare", *drawings.pipeline(os.path.join(self.folder, "pipeline"), 2)))
        said = "document.getElementById('field-said').textContent"
        page.ask("document.getElementById('field-canvas').focus()")
        self.assertIn("rank 2, stage 0 · #2 / 5 · 1e-2", page.ask(said))
        page.key("ArrowDown")
        self.assertIn("rank 3, stage 0 · #2 / 5 · within tolerance", page.ask(said))
        page.key("ArrowUp")
        page.key("Enter")
        self.wait()
        self.assertIn("page-step0-rank2.html#op=@2", page.ask("location.href"))
        self.assertIn("Functional.linear.1.forward", page.ask(self.CARD))
        self.assertEqual(page.complaints(), [])

    def test_the_field_of_ranks_is_read_by_the_pointer_alone_at_every_width(self):
        url = run(os.path.join(self.folder, "pointer"), "compare", *drawings.pipeline(os.path.join(self.folder, "pointed"), 2))
        for width in (1280, 400):
            self.view = page = self.open(url, width=width)
            page.ask("document.getElementById('field-canvas').scrollIntoView({block: 'center'})")
            left, top, wide, ranks, ticks = page.ask("""(function () {
                var area = document.getElementById("field-canvas").getBoundingClientRect();
                var lines = document.getElementById("field-index").textContent.trim().split("\\n");
                return [area.left, area.top, area.width, lines.slice(1).map(function (line) { return line.split("|")[0]; }), Number(lines[0])];
            })()""")
            height = max(2, min(16, 640 // len(ranks)))
            at = left + 86 + 1.5 * (wide - 86) / ticks, top + height * (ranks.index("2") + 0.5)
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
            self.assertIn("rank 2, stage 0 · #2 / 5 · 1e-2", page.ask("document.getElementById('field-said').textContent"), width)
            self.click(*at)
            self.wait()
            self.assertIn("page-step0-rank2.html#op=@2", page.ask("location.href"))
            self.assertEqual(page.complaints(), [])


if __name__ == "__main__":
    if not chrome.find():
        sys.exit(77)
    unittest.main()
