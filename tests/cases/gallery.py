#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The committed pictures are what the program draws: docs/make-images.sh gives docs/images again, byte for byte.

After a change of a picture: look at it, then run docs/make-images.sh VERNIER DUMPS CURVES (docs/gallery.md). Pictures of
data that is not in samples/ are held where SHARED has it. VERNIER names the program.
"""
import glob
import os
import re
import subprocess
import tempfile
import unittest

from program import SHARED, VERNIER, also_with_samples, main

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "docs")
DATA = [folder for folder in (os.path.join(SHARED, "data", name) for name in ("dumps", "curves"))
        if os.path.isdir(folder)]


def texts(svg):
    return re.findall(r">([^<>\n]+)<", svg)


class Gallery(unittest.TestCase):
    @also_with_samples
    def test_every_committed_picture_is_what_its_command_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(DOCS, "make-images.sh")
            subprocess.run(["bash", script, VERNIER, *(DATA if len(DATA) == 2 else [])], check=True,
                           env={**os.environ, "IMAGES": folder, "EXAMPLES": folder})
            for name in ("gpt", "ranks", "curves", "monitor"):
                with open(os.path.join(folder, name + ".html"), "rb") as now, open(os.path.join(DOCS, "example", name + ".html"), "rb") as kept:
                    self.assertEqual(now.read(), kept.read(), "docs/example/%s.html: run docs/make-images.sh" % name)
            drawn = sorted(name for name in os.listdir(folder) if name.endswith(".svg"))
            self.assertGreaterEqual(len(drawn), 20)
            for name in drawn:
                with self.subTest(name):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        now = file.read()
                    with open(os.path.join(DOCS, "images", name), encoding="utf-8") as file:
                        kept = file.read()
                    self.assertEqual(texts(now), texts(kept))
                    self.assertEqual(now, kept)
            committed = {os.path.basename(path) for path in glob.glob(os.path.join(DOCS, "images", "*.svg"))}
            if len(DATA) == 2:
                self.assertEqual(sorted(committed - set(drawn)), [], "nothing draws these")

    def test_pictures_and_the_pages_that_show_them_name_each_other(self):
        shown = set()
        top = os.path.dirname(DOCS)
        for page in glob.glob(os.path.join(DOCS, "**", "*.md"), recursive=True) + glob.glob(os.path.join(top, "README*.md")):
            with open(page, encoding="utf-8") as file:
                shown.update(re.findall(r"images/([\w.-]+\.(?:svg|png))", file.read()))
        kept = set(os.listdir(os.path.join(DOCS, "images")))
        self.assertEqual(sorted(shown - kept), [], "shown, but not there")
        self.assertEqual(sorted(kept - shown), [], "there, but shown nowhere")


if __name__ == "__main__":
    main()
