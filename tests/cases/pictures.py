#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of pictures, --focus, --templates, and machines without fonts.

VERNIER names the program, SAMPLES the folder of samples.
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "browser"))
import scale_pair

from program import Case, SAMPLES, VERNIER, main

GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
NO_FONT = "<fontconfig></fontconfig>"
ONE_FONT = ("<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig>"
            "<dir>/usr/share/fonts/truetype/dejavu</dir></fontconfig>")


class Pictures(Case):
    def run_it(self, *arguments, **environment):
        env = dict(os.environ, LC_ALL="C", NO_COLOR="1", **environment)
        done = subprocess.run([VERNIER, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stderr.decode()

    def compare(self, *more, sides=GPT, **environment):
        return self.run_it("compare", *sides, *more, **environment)

    def read(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def test_every_error_that_a_picture_shows_stands_in_the_tables(self):
        for sample in ("gpt", "ranks"):
            sides = [os.path.join(SAMPLES, sample, side) for side in ("golden", "target")]
            self.compare("-o", self.out, "--format", "svg,html,csv", sides=sides)
            page = self.read("index.html")
            self.assertIn("deciding rel. diff", page)
            cells = set(re.findall(r"<td[^>]*>(?:<[^>]*>)*([^<]+)", page))
            picture = self.read("graph-step0-rank0.svg")
            self.assertIn("deciding rel. diff", picture)
            shown = set(re.findall(r">(\d\.\d\de-\d\d|0\.\d{3,})<", picture))
            self.assertGreater(len(shown), 2)
            self.assertEqual(shown - cells, set())
            shutil.rmtree(self.out)

    def test_a_tree_that_is_longer_than_a_page_becomes_pages_in_every_format(self):
        sides = scale_pair.write_pair(os.path.join(self.folder, "pair"), "noisy", 4000)
        code, said = self.compare("-o", self.out, "--depth", "5", "--format", "svg,png,pdf,html", sides=sides)
        self.assertEqual(code, 1, said)
        pages = sorted(name for name in os.listdir(self.out) if re.fullmatch(r"graph-step0-rank0.*\.svg", name))
        self.assertGreater(len(pages), 2)
        self.assertEqual(pages, sorted(["graph-step0-rank0.svg"] +
                                       ["graph-step0-rank0-%d.svg" % i for i in range(2, len(pages) + 1)]))
        for i, name in enumerate(["graph-step0-rank0.svg"] + ["graph-step0-rank0-%d.svg" % i for i in range(2, len(pages) + 1)]):
            text = self.read(name)
            self.assertLessEqual(len(text.encode()), 300000)
            self.assertTrue("page %d of %d" % (i + 1, len(pages)) in text)
            self.assertEqual("continued: " in text, i > 0)
            self.assertTrue(os.path.exists(os.path.join(self.out, name[:-4] + ".png")))
        self.assertTrue("page %d of %d" % (len(pages), len(pages)) in self.read("index.html"))
        with open(os.path.join(self.out, "graph-step0-rank0.pdf"), "rb") as file:
            self.assertEqual(len(re.findall(rb"/Type /Page\b", file.read())), len(pages))
        self.assertFalse(any(re.fullmatch(r"graph-.*-2\.pdf", name) for name in os.listdir(self.out)))

    def test_a_single_file_has_its_further_pages_beside_it(self):
        sides = scale_pair.write_pair(os.path.join(self.folder, "pair"), "noisy", 4000)
        os.makedirs(self.out)
        self.compare("-o", os.path.join(self.out, "bug.svg"), "--depth", "5", sides=sides)
        self.assertTrue({"bug.svg", "bug-2.svg", "bug-3.svg"} <= set(os.listdir(self.out)))

    def test_a_focus_that_no_node_fits_is_an_error_with_what_is_spelled_like_it(self):
        code, said = self.compare("-o", self.out, "--focus", "blocks.1.atn.qkv")
        self.assertEqual(code, 2)
        self.assertIn("no node is called 'blocks.1.atn.qkv'", said)
        self.assertIn("'blocks.1.attn.qkv'", said)
        self.assertEqual(os.listdir(self.out), [])

    def test_templates_replace_page_script_style_theme_and_words(self):
        source = os.path.join(os.path.dirname(SAMPLES), "templates")
        own = os.path.join(self.folder, "own")
        os.makedirs(own)
        script = "// of the house\r\ndocument.title = 'house';\r\n"
        with open(os.path.join(own, "page.js"), "w", encoding="utf-8", newline="") as file:
            file.write(script)
        self.write("own/page.css", "body { --house: 1 }\n")
        with open(os.path.join(source, "vernier.theme"), encoding="utf-8") as file:
            theme = file.read()
        self.assertIn("#A50F15", theme)
        self.write("own/vernier.theme", theme.replace("#A50F15", "#123456"))
        with open(os.path.join(source, "page.html"), encoding="utf-8") as file:
            self.write("own/page.html", file.read().replace("<main>", "<main data-house='1'>"))
        with open(os.path.join(source, "words.zh"), encoding="utf-8") as file:
            self.write("own/words.zh", file.read().replace("en: Overview\nzh: 总览", "en: Overview\nzh: 鸟瞰"))
        code, said = self.compare("-o", self.out, "--templates", own, "--lang", "zh", "--format", "html,svg")
        self.assertEqual(code, 1, said)
        page = self.read("index.html")
        plain = script.replace("\r\n", "\n")
        digest = base64.b64encode(hashlib.sha256(plain.encode()).digest()).decode()
        self.assertTrue("<script>" + plain + "</script>" in page)
        self.assertTrue("script-src 'sha256-" + digest + "'" in page)
        self.assertTrue("--house: 1" in page)
        self.assertTrue("data-house='1'" in page)
        self.assertTrue("鸟瞰" in page)
        self.assertTrue("#123456" in self.read("graph-step0-rank0.svg"))

    def test_a_script_that_would_end_its_element_is_refused(self):
        own = os.path.dirname(self.write("own/page.js", "var a = '</script>';\n"))
        code, said = self.compare("-o", self.out, "--templates", own, "--format", "html")
        self.assertNotEqual(code, 1)
        self.assertIn("page.js", said)

    def test_without_any_font_the_pictures_are_drawn_and_it_is_said(self):
        conf = self.write("none.conf", NO_FONT)
        code, said = self.compare("-o", self.out, "--format", "png,svg", FONTCONFIG_FILE=conf)
        self.assertEqual(code, 1, said)
        self.assertIn("no font is installed", said)
        self.assertGreater(os.path.getsize(os.path.join(self.out, "graph-step0-rank0.png")), 10000)
        code, said = self.compare("-o", self.out, "--format", "svg,html", FONTCONFIG_FILE=conf)
        self.assertNotIn("font", said)

    def test_without_a_chinese_font_png_that_nobody_asked_for_is_left_out(self):
        conf = self.write("one.conf", ONE_FONT)
        code, said = self.compare("-o", self.out, "--lang", "zh", FONTCONFIG_FILE=conf)
        self.assertEqual(code, 1, said)
        self.assertIn("fonts-noto-cjk", said)
        self.assertFalse([name for name in os.listdir(self.out) if name.endswith(".png")])
        self.assertTrue("首个" in self.read("graph-step0-rank0.svg"))

    def test_without_a_chinese_font_png_that_was_asked_for_is_in_english(self):
        conf = self.write("one.conf", ONE_FONT)
        code, said = self.compare("-o", self.out, "--lang", "zh", "--format", "png,svg", FONTCONFIG_FILE=conf)
        self.assertEqual(code, 1, said)
        self.assertIn("in English", said)
        self.assertTrue("Divergence tree" in self.read("graph-step0-rank0.svg"))
        self.assertTrue(os.path.exists(os.path.join(self.out, "graph-step0-rank0.png")))


if __name__ == "__main__":
    main()
