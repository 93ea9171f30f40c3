#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SVG pictures look the same in librsvg, Chromium and LibreOffice: size and probed colours.

VERNIER names the program, SAMPLES the folder of samples. Skipped (exit code 77) where a program is missing.
"""
import glob
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom
import zlib

import chrome
import made

VERNIER = os.environ["VERNIER"]
SAMPLES = os.environ["SAMPLES"]
TOLERANCE = 20   # per channel, of 255: programs blend edges their own way
PROBES = 400


class Image:
    """A PNG of 8 bits a channel, not interlaced; transparent is white."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            part = data[at + 8:at + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", part)
                assert depth == 8 and interlace == 0 and colour in (2, 6), (path, depth, colour, interlace)
                self.channels = {2: 3, 6: 4}[colour]
            if kind == b"IDAT":
                packed += part
            at += size + 12
        self.rows, stride, raw = [], self.width * self.channels, zlib.decompress(packed)
        last = bytearray(stride)
        for y in range(self.height):
            start = y * (stride + 1)
            last = self.unfilter(raw[start], bytearray(raw[start + 1:start + 1 + stride]), last)
            self.rows.append(last)

    def unfilter(self, kind, row, up):
        back = self.channels
        for i in range(len(row) if kind else 0):
            a = row[i - back] if i >= back else 0
            b, c = up[i], up[i - back] if i >= back else 0
            if kind == 1:
                row[i] = (row[i] + a) & 255
            elif kind == 2:
                row[i] = (row[i] + b) & 255
            elif kind == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            else:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                row[i] = (row[i] + near) & 255
        return row

    def at(self, x, y):
        """The colour at a place given as fractions of the size."""
        column = min(self.width - 1, int(x * self.width))
        pixel = self.rows[min(self.height - 1, int(y * self.height))][column * self.channels:(column + 1) * self.channels]
        cover = pixel[3] / 255 if self.channels == 4 else 1
        return [round(v * cover + 255 * (1 - cover)) for v in pixel[:3]]


def quiet(image, x, y):
    """Whether the place lies in one colour, not near an edge, a letter or a hairline, which others draw a pixel aside."""
    near = [image.at(x + i / image.width, y + k / image.height) for i in (-3, 0, 3) for k in range(-3, 4)]
    return all(max(values) - min(values) <= 6 for values in zip(*near))


def places_of(svg):
    """Places inside filled boxes, near their upper left corner, where no label stands, and a grid over all."""
    root = svg.documentElement
    width, height = float(root.getAttribute("width")), float(root.getAttribute("height"))
    found = []
    for rect in svg.getElementsByTagName("rect"):
        x, y, w, h = (float(rect.getAttribute(k) or 0) for k in ("x", "y", "width", "height"))
        group = rect.parentNode
        if rect.getAttribute("fill").startswith("#") and w >= 8 and h >= 8 and not group.getAttribute("transform"):
            found.append(((x + 3) / width, (y + 3) / height))
    grid = [((i + 0.5) / 16, (k + 0.5) / 16) for i in range(16) for k in range(16)]
    return found[::max(1, len(found) // PROBES)] + grid, width, height


def draw(folder, name, *arguments):
    """The pictures that a command writes into a folder."""
    to = os.path.join(folder, name)
    done = subprocess.run([VERNIER, *arguments, "-o", to, "--format", "svg", "--exit-zero", "--quiet"],
                          cwd=SAMPLES, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return sorted(glob.glob(os.path.join(to, "*.svg")))


# The pictures besides those of compare: what the command is called with.
COMMANDS = {
    "ranks": ["compare", "ranks/golden", "ranks/target"],
    "runs": ["compare", "--runs", "gpt/golden", "gpt/target", "gpt/golden"],
    "weights": ["compare", "{weights}", "{moved}"],
    "graph": ["graph", "gpt/target"],
    "curves": ["curves", "curves/golden.csv", "curves/target.csv", "--noise", "curves/golden-again.csv"],
    "monitor": ["monitor", "monitor"],
    "locate": ["locate", "{nan}"],
    "skip": ["advise", "skip", "{log}"],
    "health": ["advise", "health", "{health}", "{health}/worker_0.log", "--threshold", "270"],
    "history": ["history", "{nights}"],
    "checklist": ["checklist", "config/bench_pretrain.sh", "config/target_pretrain.yaml"],
    "metrics": ["merge", "{tables}"],
    "study": ["study", "study/before.yaml"],
}


class SvgTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        gpt = ["compare", "gpt/golden", "gpt/target", "--theme"]
        light = [*gpt, "light"]
        cls.pictures = draw(cls.folder, "tree", *light)  # tree, card, profile
        cls.pictures += draw(cls.folder, "chinese", *light, "--lang", "zh", "--palette", "msprobe")[:1]
        cls.pictures += draw(cls.folder, "boxes", *light, "--view", "boxes", "--focus", "first-divergence")[1:2]
        cls.pictures += draw(cls.folder, "dark", *gpt, "dark")[:2]
        inputs = made.all_of(cls.folder)
        for name, words in COMMANDS.items():
            pictures = draw(cls.folder, name, *[inputs.get(word, word) for word in words], "--theme", "light")
            assert pictures, name
            cls.pictures += pictures
        cls.browser = chrome.Chrome()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder)

    def compare(self, reference, other, places, what):
        wrong = []
        for x, y in places:
            a, b = reference.at(x, y), other.at(x, y)
            if max(abs(p - q) for p, q in zip(a, b)) > TOLERANCE:
                wrong.append(((round(x, 3), round(y, 3)), a, b))
        self.assertLessEqual(len(wrong), len(places) * 0.04, "%s: %s" % (what, wrong[:5]))

    def test_every_picture_is_well_formed_to_xmllint(self):
        self.assertGreaterEqual(len(self.pictures), 12)
        for path in self.pictures:
            subprocess.run(["xmllint", "--noout", "--nonet", path], check=True)

    def check(self, program):
        for path in self.pictures:
            with self.subTest(os.path.relpath(path, self.folder)):
                places, width, height = places_of(xml.dom.minidom.parse(path))
                subprocess.run(["rsvg-convert", path, "-o", path + ".rsvg.png"], check=True)
                rsvg = Image(path + ".rsvg.png")
                self.assertLessEqual(abs(rsvg.width - width) + abs(rsvg.height - height), 2)
                places = [place for place in places if quiet(rsvg, *place)]
                self.assertGreater(len(places), 60)
                program(path, rsvg, places, width, height)

    def test_chromium_shows_the_colours_of_librsvg_at_the_same_places(self):
        self.check(self.check_chromium)

    def test_libreoffice_shows_the_colours_of_librsvg_at_the_same_places(self):
        self.office = self.convert()
        if not self.office:
            self.skipTest("this LibreOffice has no Draw")
        self.check(self.check_office)

    def convert(self):
        """All pictures as LibreOffice draws them: by path. Their names are made distinct first."""
        to = os.path.join(self.folder, "office")
        os.makedirs(to)
        copies = [os.path.join(to, "%02d.svg" % i) for i in range(len(self.pictures))]
        for path, copy in zip(self.pictures, copies):
            shutil.copy(path, copy)
        subprocess.run(["soffice", "-env:UserInstallation=file://" + os.path.join(self.folder, "profile"), "--headless",
                        "--convert-to", "png", "--outdir", to, *copies], check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=400)
        drawn = {path: copy[:-4] + ".png" for path, copy in zip(self.pictures, copies)}
        return drawn if all(os.path.exists(png) for png in drawn.values()) else {}

    def check_chromium(self, path, rsvg, places, width, height):
        page = chrome.Page(self.browser)
        page.call("Emulation.setDeviceMetricsOverride", width=round(width), height=round(height), deviceScaleFactor=1, mobile=False)
        page.open("file://" + path)
        page.screenshot(path + ".chromium.png")
        page.close()
        shown = Image(path + ".chromium.png")
        self.assertLessEqual(abs(shown.width - width) + abs(shown.height - height), 2)
        self.compare(rsvg, shown, places, "Chromium")

    def check_office(self, path, rsvg, places, width, height):
        shown = Image(self.office[path])
        self.assertLess(abs(shown.width / shown.height / (width / height) - 1), 0.02)
        self.compare(rsvg, shown, places, "LibreOffice")


if __name__ == "__main__":
    if not chrome.find() or not all(shutil.which(name) for name in ("rsvg-convert", "soffice", "xmllint")):
        sys.exit(77)
    unittest.main()
