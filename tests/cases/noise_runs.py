#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Noise runs of the reference cases beside the repository, each as golden and as target: no clean run is accused by
the others, and a defect is found whichever of them is golden."""
import glob
import json
import os
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from program import SHARED, VERNIER, main, needs_samples

NOISE = os.path.join(SHARED, "data", "noise")
CLEAN = ("bench", "noise1", "noise2", "noise3", "target_clean")


def compare(golden, target, noise):
    handle, out = tempfile.mkstemp(suffix=".json")
    os.close(handle)
    options = [part for run in noise for part in ("--noise", run)]
    done = subprocess.run([VERNIER, "compare", golden, target, *options, "--jobs", "1", "-o", out],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as file:
        summary = json.load(file)
    os.unlink(out)
    return done.returncode, summary


@needs_samples("noise")
class NoiseRuns(unittest.TestCase):
    def cases(self):
        return sorted(os.path.dirname(path) for path in glob.glob(os.path.join(NOISE, "*", "truth.json")))

    def test_no_clean_run_is_accused_by_the_others(self):
        work = []
        for case in self.cases():
            runs = [os.path.join(case, run) for run in CLEAN if os.path.isdir(os.path.join(case, run))]
            for i, golden in enumerate(runs):
                target = runs[i - 1]
                rest = [run for run in runs if run not in (golden, target)]
                work += [(golden, target, rest), (golden, target, rest[:1])]
        self.assertGreater(len(work), 0)
        with ThreadPoolExecutor(2) as pool:
            for job, (code, summary) in zip(work, pool.map(lambda job: compare(*job), work)):
                with self.subTest(golden=job[0], target=job[1], noise=len(job[2])):
                    self.assertEqual(code, 0, summary["verdict"])

    def test_a_defect_is_found_whichever_run_is_golden(self):
        for case in self.cases():
            with open(os.path.join(case, "truth.json"), encoding="utf-8") as file:
                truth = json.load(file)
            runs = [os.path.join(case, run) for run in CLEAN[:4]]
            for name, target in truth["targets"].items():
                for golden in runs[1:2] if target["kind"] != "none" else ():
                    noise = [run for run in runs if run != golden]
                    _, summary = compare(golden, os.path.join(case, name), noise)
                    for pair in summary["pairs"]:
                        want = target["ranks"]["rank%d" % pair["rank"]]["first_entry"]
                        first = pair["first_divergence"]
                        with self.subTest(case=case, target=name, golden=golden):
                            found = (first["golden"], first["target"]) if first else (None,)
                            self.assertIn(want, found)


if __name__ == "__main__":
    main()
