#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever the size of the dumps: a picture for a ticket is at most 300 KB of SVG and 1,600 px wide, the page
2 MB. On the samples, on a generated pair of 100,000 nodes a side in three patterns, and on every case of
DUMPS where that folder is there.

VERNIER names the program, SAMPLES the folder of samples.
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import scale_pair

VERNIER = os.environ["VERNIER"]
SAMPLES = os.environ["SAMPLES"]
DUMPS = os.environ.get("DUMPS", "")
SVG_BYTES, SVG_WIDTH, PAGE_BYTES = 300000, 1600, 2000000


class Budgets(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def check(self, *more, command="compare"):
        out = os.path.join(self.folder, "out")
        done = subprocess.run([VERNIER, command, *more, "-o", out, "--format", "html,svg", "--exit-zero", "--quiet"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        pictures = glob.glob(os.path.join(out, "*.svg"))
        for path in pictures:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertLessEqual(len(text.encode()), SVG_BYTES, path)
            self.assertLessEqual(float(re.search(r'<svg [^>]*width="([\d.]+)"', text).group(1)), SVG_WIDTH, path)
        page = os.path.join(out, "index.html")
        self.assertLessEqual(os.path.getsize(page), PAGE_BYTES, page)
        shutil.rmtree(out)
        return len(pictures)

    def test_pages_and_pictures_of_the_samples_keep_their_budget(self):
        for name in ("gpt", "ranks"):
            sides = [os.path.join(SAMPLES, name, side) for side in ("golden", "target")]
            for more in ([], ["--depth", "9"], ["--view", "boxes"], ["--view", "card"], ["--lang", "zh"]):
                with self.subTest(name, more=more):
                    self.assertGreaterEqual(self.check(*sides, *more), 2)
            self.assertGreaterEqual(self.check(sides[1], "--depth", "9", command="graph"), 1)

    def test_a_hundred_thousand_nodes_a_side_keep_the_budget(self):
        for pattern in ("clean", "scattered", "noisy"):
            sides = scale_pair.write_pair(os.path.join(self.folder, pattern), pattern)
            for more in ([], ["--depth", "5"], ["--view", "boxes"], ["--view", "boxes", "--depth", "4"],
                         ["--focus", "layers.120", "--depth", "6"]):
                with self.subTest(pattern, more=more):
                    self.assertGreaterEqual(self.check(*sides, *more), 2)
            for more in ([], ["--depth", "5"]):  # what comes again is folded: one page
                with self.subTest(pattern, more=more):
                    self.assertGreaterEqual(self.check(sides[1], *more, command="graph"), 1)
            shutil.rmtree(os.path.join(self.folder, pattern))

    def test_a_page_of_six_thousand_pairs_that_all_differ_keeps_the_budget(self):
        tensor = '{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4], "Max": %g, "Min": -1, "Mean": 0.1, "Norm": %g}'
        for side, norm in (("golden", 1.0), ("target", 1.5)):
            for step in range(3):
                for rank in range(2000):
                    to = os.path.join(self.folder, side, "step%d" % step, "rank%d" % rank)
                    os.makedirs(to)
                    with open(os.path.join(to, "dump.json"), "w", encoding="utf-8") as file:
                        file.write('{"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": null, "data": '
                                   '{"Functional.linear.0.forward": {"input_args": [%s], "input_kwargs": {}, "output": [%s]}}}'
                                   % (tensor % (1, 1), tensor % (norm, norm)))
        out = os.path.join(self.folder, "out")
        subprocess.run([VERNIER, "compare", os.path.join(self.folder, "golden"), os.path.join(self.folder, "target"), "-o", out,
                        "--format", "html", "--exit-zero", "--quiet"], check=True, stderr=subprocess.DEVNULL)
        page = os.path.join(out, "index.html")
        self.assertLessEqual(os.path.getsize(page), PAGE_BYTES)
        with open(page, encoding="utf-8") as file:
            self.assertIn("ranks 0–1999", file.read())  # alike: one column

    def test_every_case_of_the_sample_set_keeps_the_budget(self):
        cases = sorted(glob.glob(os.path.join(DUMPS, "*", "target_*"))) if DUMPS else []
        for target in cases:
            with self.subTest(target):
                self.check(os.path.join(os.path.dirname(target), "bench"), target)


if __name__ == "__main__":
    unittest.main()
