#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `vernier curves` judges and by what: noise runs that cover less or are of another configuration, ranks, files of
a folder that are not read, every series that matters, tolerances with a scale, where a difference begins. Curves are
made here from fixed draws."""
import json
import math
import os
import random
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import program
from program import SHARED, VERNIER, main, needs_samples

FINDINGS = os.path.join(SHARED, "data", "findings2")


class Case(program.Case):
    def curves(self, *arguments):
        code, _, said = program.run("curves", *arguments, "-o", self.out, "--format", "json")
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return code, json.load(file), said

    def csv(self, name, **series):
        names = list(series)
        return self.write(name, "step,%s\n" % ",".join(names) + "".join(
            "%d,%s\n" % (i + 1, ",".join(v if isinstance(v, str) else "%.6g" % v for v in row))
            for i, row in enumerate(zip(*series.values()))))


def falling(steps, seed, scatter=0.01, level=2.0):
    draw = random.Random(seed)
    return [level + 3 * math.exp(-i / 60) + draw.gauss(0, scatter) for i in range(steps)]


class NoiseRuns(Case):
    def setUp(self):
        super().setUp()
        self.golden = self.csv("golden.csv", loss=falling(400, 1))
        target = falling(400, 2)
        self.target = self.csv("target.csv", loss=target[:300] + [v + 0.5 for v in target[300:]])
        self.full = self.csv("full.csv", loss=falling(400, 3))

    def test_steps_that_no_noise_run_has_are_judged_by_the_tolerance(self):
        short = self.csv("short.csv", loss=falling(250, 4))
        for noise in ([short], [self.full, short], [short, self.full], [self.full]):
            code, summary, _ = self.curves("-g", self.golden, "-t", self.target, *(w for n in noise for w in ("--noise", n)))
            self.assertEqual(code, 1, summary["verdict"])
        code, _, said = self.curves("-g", self.golden, "-t", self.csv("seed.csv", loss=falling(400, 5)), "--noise", short)
        self.assertEqual((code, "do not have 150 of the steps" in said), (0, True), said)

    def test_a_noise_run_without_finite_losses_is_left_out_and_named(self):
        for word in ("nan", "inf"):
            bad = self.csv(word + ".csv", loss=[word] * 400)
            for noise in ([bad], [self.full, bad]):
                code, _, said = self.curves("-g", self.golden, "-t", self.target, *(w for n in noise for w in ("--noise", n)))
                self.assertEqual((code, word + ".csv: most losses of this noise run are NaN or Inf" in said), (1, True), said)

    def test_a_noise_run_of_another_configuration_is_left_out_and_named(self):
        other = self.csv("other.csv", loss=[v + 100 for v in falling(400, 6)])
        diverged = self.csv("diverged.csv", loss=[v + max(0, i - 200) * 0.02 for i, v in enumerate(falling(400, 7))])
        for noise in ([other], [diverged], [self.full, other], [self.full, other, diverged]):
            code, _, said = self.curves("-g", self.golden, "-t", self.target, *(w for n in noise for w in ("--noise", n)))
            self.assertEqual((code, "another configuration" in said), (1, True), said)

    def test_more_noise_runs_than_sixty_all_count(self):
        noise = [self.csv("n%d.csv" % i, loss=falling(60, 100 + i)) for i in range(70)]
        _, summary, said = self.curves("-g", self.golden, "-t", self.csv("t.csv", loss=falling(60, 9)),
                                       *(w for n in noise for w in ("--noise", n)))
        self.assertNotIn("left out", said)
        self.assertEqual(summary["comparisons"][0]["band"]["golden_runs"], 71)

    @needs_samples("findings2")
    def test_the_noise_runs_that_hid_a_target(self):
        folder = os.path.join(FINDINGS, "curves-noise")
        golden, target, full = (os.path.join(folder, name + ".csv") for name in ("golden", "target", "noise_full"))
        for name in ("noise_to_250", "noise_all_nan", "noise_all_inf", "noise_plus_100"):
            noise = os.path.join(folder, name + ".csv")
            self.assertEqual(self.curves("-g", golden, "-t", target, "--noise", noise)[0], 1, name)
            self.assertEqual(self.curves("-g", golden, "-t", target, "--noise", full, "--noise", noise)[0], 1, name)


class Files(Case):
    def test_a_rank_whose_loss_differs_from_golden_is_outside(self):
        for run in ("golden", "target"):
            for rank in range(3):
                self.write("%s/rank%d.log" % (run, rank), "".join(
                    "step: %d loss: %.4f\n" % (i + 1, v + (0.5 if (run, rank) == ("target", 0) and i > 200 else 0))
                    for i, v in enumerate(falling(400, 1))))
        golden, target = self.path("golden"), self.path("target")
        for pair in ((golden, target), (target, golden)):
            code, summary, _ = self.curves(*pair)
            self.assertEqual((code, "loss.rank0" in summary["verdict"]), (1, True), summary["verdict"])
        self.assertEqual(self.curves(target, target)[0], 0)

    def test_a_linked_or_unreadable_log_of_a_folder_is_named_and_partial(self):
        rows = "step,loss\n" + "".join("%d,%.4f\n" % (i, v) for i, v in enumerate(falling(60, 1)))
        golden = self.write("golden.csv", rows)
        self.write("elsewhere/b.csv", rows)
        for name, leads in (("outside", "../elsewhere/b.csv"), ("nothing", "nowhere.csv"), ("folder", "../elsewhere")):
            self.write(name + "/a.csv", rows)
            os.symlink(leads, self.path(name, "b.csv" if name != "folder" else "more"))
            code, _, said = self.curves(golden, self.path(name))
            self.assertEqual((code, "is not followed" in said), (4, True), said)
        self.write("inside/a.csv", rows)
        os.symlink("a.csv", self.path("inside", "latest.csv"))
        self.assertEqual(self.curves(golden, self.path("inside"))[0], 0)
        if os.geteuid():
            self.write("closed/a.csv", rows)
            os.chmod(self.write("closed/b.csv", rows), 0)
            code, _, said = self.curves(golden, self.path("closed"))
            self.assertEqual((code, "b.csv: cannot open" in said), (4, True), said)

    def test_of_a_key_that_comes_twice_the_last_value_counts(self):
        losses = falling(60, 1)
        golden = self.write("golden.jsonl", "".join('{"step": %d, "loss": %.4f}\n' % (i, v) for i, v in enumerate(losses)))
        for form, code in (('{"step": %d, "loss": %.4f, "loss": %.4f}\n', 1), ('{"step": %d, "x": %.4f, "loss": %.4f}\n', 1),
                           ('{"step": %d, "train": {"loss": %.4f, "loss": %.4f}}\n', 1)):
            twice = self.write("twice.jsonl", "".join(form % (i, v, v + 0.5) for i, v in enumerate(losses)))
            got, summary, _ = self.curves(golden, twice)
            self.assertEqual(got, code, summary["verdict"])


if __name__ == "__main__":
    main()
