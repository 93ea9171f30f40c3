#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `vernier curves` judges and by what: noise runs that cover less or are of another configuration, ranks, files of
a folder that are not read, every series that matters, tolerances with a scale, where a difference begins. Curves are
made here from fixed draws."""
import html
import json
import math
import os
import random
import re
import shutil
import struct
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


class Numbering(Case):
    def test_records_without_a_step_take_golden_s_with_what_happened_between_them(self):
        losses = falling(60, 1, scatter=0.05)
        golden = self.write("golden.log", "".join("step %d loss %.4f grad_norm %.3f\n" % (100 + 5 * i, v, 1 + i / 10) for i, v in enumerate(losses)))
        lines = ["2026-01-01 10:%02d:%02d loss %.4f grad_norm %s\n" % (i // 60, i % 60, v, "nan" if i == 20 else "%.3f" % (1 + i / 10))
                 for i, v in enumerate(losses)]
        lines.insert(31, "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 1024.0\n")
        code, summary, said = self.curves(golden, self.write("target.log", "".join(lines)))
        self.assertEqual((code, "they get its steps" in said), (1, True), said)  # the NaN of one side
        run = summary["runs"][1]
        self.assertEqual([(run["series"][name][key]) for name in ("loss", "grad_norm") for key in ("first", "last")], [100, 395] * 2)
        self.assertEqual(run["series"]["grad_norm"]["nonfinite"], [200])
        self.assertEqual({(event["kind"], event["step"]) for event in run["events"]}, {("skip", 255)})

    def test_a_log_of_means_with_a_burst_of_records_agrees_with_the_log_of_every_step(self):
        fine = falling(1100, 2)
        steps = [*range(100, 1001, 100), *range(1001, 1090)]
        coarse = ["%d,%.6f\n" % (step, sum(fine[step - 100:step]) / 100) for step in steps]
        code, summary, said = self.curves(self.csv("fine.csv", loss=fine), self.write("coarse.csv", "step,loss\n" + "".join(coarse)))
        self.assertEqual((code, summary["comparisons"][0]["points"]), (0, len(steps)), said)


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
        self.write("closed/a.csv", rows)
        os.chmod(self.write("closed/b.csv", rows), 0)
        os.chmod(self.folder, 0o755)
        done = subprocess.run([shutil.copy(VERNIER, self.folder), "curves", golden, "closed", "-o", "-", "--format", "json", "--no-config"],
                              user=None if os.geteuid() else 65534, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, "b.csv: cannot open" in done.stderr), (4, True), done.stderr)

    def test_of_a_key_that_comes_twice_the_last_value_counts(self):
        losses = falling(60, 1)
        golden = self.write("golden.jsonl", "".join('{"step": %d, "loss": %.4f}\n' % (i, v) for i, v in enumerate(losses)))
        for form, code in (('{"step": %d, "loss": %.4f, "loss": %.4f}\n', 1), ('{"step": %d, "x": %.4f, "loss": %.4f}\n', 1),
                           ('{"step": %d, "train": {"loss": %.4f, "loss": %.4f}}\n', 1)):
            twice = self.write("twice.jsonl", "".join(form % (i, v, v + 0.5) for i, v in enumerate(losses)))
            got, summary, _ = self.curves(golden, twice)
            self.assertEqual(got, code, summary["verdict"])


def scattered(steps, seed, level=0.67, scatter=0.006, rho=0.0, away=lambda i: 0.0):
    draw, state, out = random.Random(seed), 0.0, []
    for i in range(steps):
        state = rho * state + math.sqrt(1 - rho * rho) * draw.gauss(0, scatter)
        out.append(level + state + away(i))
    return out


class Draws(Case):
    """Shares over fixed draws: each is a pair of its own in a folder of its own."""
    def findings(self, pairs):
        def judge(pair):
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                paths = []
                for name, values in zip("gtn", pair):
                    paths += [os.path.join(folder, name + ".csv")]
                    with open(paths[-1], "w", encoding="utf-8") as file:
                        file.write("step,loss\n" + "".join("%d,%.9g\n" % (i + 1, v) for i, v in enumerate(values)))
                words = ["-g", paths[0], "-t", paths[1]] + (["--noise", paths[2]] if len(paths) > 2 else [])
                done = subprocess.run([VERNIER, "curves", *words, "-o", os.path.join(folder, "o"), "--format", "json", "-q"],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                with open(os.path.join(folder, "o", "summary.json"), encoding="utf-8") as file:
                    found = json.load(file)["comparisons"][0]
                return done.returncode, found["finding"]
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(judge, pairs))

    def test_the_same_curves_times_any_factor_get_the_same_finding(self):
        kinds = [(falling(200, 1), [v + 0.05 for v in falling(200, 2)]), (falling(200, 1), falling(200, 2)),
                 (falling(200, 1, 0.1), falling(200, 2, 0.1)), (falling(200, 1), [v + 0.001 * i for i, v in enumerate(falling(200, 2))]),
                 (scattered(200, 1, 0, 1), scattered(200, 2, 0, 1)), (scattered(200, 1, 0, 1), scattered(200, 2, 0.6, 1)),
                 (falling(200, 1), falling(200, 2), falling(200, 3)), (falling(200, 1), [v + 0.2 for v in falling(200, 2)], falling(200, 3))]
        for kind in kinds:
            factors = (1, 1e-9, 1e-4, 64, 1e9, -1, -1e-3)
            found = self.findings([tuple([f * v for v in run] for run in kind) for f in factors])
            self.assertEqual(len(set(found)), 1, dict(zip(factors, found)))


class Marks(Case):
    def pair(self, away, steps=1200, disturb=lambda i, v: v):
        golden, target = scattered(steps, 1, 2, 0.004), scattered(steps, 2, 2, 0.004, away=away)
        code, summary, said = self.curves(self.csv("g.csv", loss=golden), self.csv("t.csv", loss=[disturb(i, v) for i, v in enumerate(target)]))
        return code, summary["verdict"], summary["comparisons"][0]

    def test_the_beginning_is_found_within_2_percent_of_the_steps(self):
        spiky = lambda i, v: v + 3 if i % 97 == 0 else v
        shapes = {"step": (lambda i: 0.06 if i >= 600 else 0, 600), "late step": (lambda i: 0.06 if i >= 1080 else 0, 1080),
                  "ramp": (lambda i: 0.0002 * max(0, i - 600), 600), "late ramp": (lambda i: 0.0006 * max(0, i - 950), 950),
                  "saturating": (lambda i: 0.1 * (1 - math.exp(-max(0, i - 300) / 250)), 300), "slow": (lambda i: 0.0002 * i, 0)}
        for name, (away, begins) in shapes.items():
            for disturb in (lambda i, v: v, spiky):
                code, verdict, found = self.pair(away, disturb=disturb)
                self.assertEqual(code, 1, name)
                self.assertLessEqual(abs(found["tolerance"]["onset_estimate"] - 1 - begins), 24, (name, verdict))

    def test_it_leaves_where_the_mean_crosses_the_band_and_begins_before(self):
        code, verdict, found = self.pair(lambda i: 0.1 * (1 - math.exp(-max(0, i - 300) / 250)))
        crossing = next(i for i in range(1200) if 0.1 * (1 - math.exp(-max(0, i - 300) / 250)) > 0.02)
        self.assertLessEqual(abs(found["tolerance"]["leaves_at"] - 1 - crossing), 24, verdict)
        self.assertRegex(verdict, r"from step 3[0-9]{2}: .*; the difference begins at step (29|30|31)[0-9] \(")

    def test_a_bump_that_comes_back_is_named_with_its_length(self):
        code, verdict, found = self.pair(lambda i: 0.05 * math.exp(-((i - 600) / 60) ** 2))
        self.assertRegex(verdict, r"; it leaves the tolerance at step 5[34][0-9] and returns at step 6[56][0-9] \(1[0-4][0-9] of")
        _, sharp, _ = self.pair(lambda i: 0.5 if 590 <= i < 650 else 0)
        self.assertIn("; it leaves the tolerance at step 591 and returns at step 651 (60 of", sharp)
        self.assertEqual(found["tolerance"]["onset_estimate"], None)
        self.assertGreater(found["tolerance"]["returns_at"], found["tolerance"]["leaves_at"])

    def test_the_first_step_that_differs_is_named_where_the_runs_are_equal_before(self):
        golden = falling(60, 1)
        target = [v + (2e-4 if i >= 40 else 0) for i, v in enumerate(golden)]
        paths = self.csv("g.csv", loss=golden), self.csv("t.csv", loss=target)
        code, summary, _ = self.curves(*paths)
        self.assertEqual((code, summary["comparisons"][0]["first_difference"]), (0, 41))
        self.assertIn("equal in all printed digits up to step 40, the first that differs is step 41", summary["verdict"])
        code, summary, _ = self.curves(*paths, "--exact")
        self.assertEqual((code, summary["verdict"].split()[:4] == ["DIFFERS", "from", "step", "41:"]), (1, True), summary["verdict"])
        self.assertEqual(self.curves(*paths, "--exact", "--digits", "3")[0], 0)
        self.assertEqual(self.curves(paths[0], paths[0], "--exact")[0], 0)
        sooner = self.csv("sooner.csv", loss=[v + (1e-4 if i >= 20 else 0) for i, v in enumerate(golden)])
        self.assertIn("from step 21: the loss of sooner", self.curves("-g", paths[0], "-t", paths[1], "-t", sooner, "--exact")[1]["verdict"])
        for wrong in (["--digits", "3"], ["--exact", "--digits", "0"], ["--exact", "--digits", "2.5"]):
            self.assertEqual(program.run("curves", *paths, *wrong)[0], 2)


    def test_what_explodes_moves_away_and_a_ramp_in_scatter_is_no_stable_offset(self):
        for away in (lambda i: math.exp((i - 250) / 20) - 1 if i >= 250 else 0, lambda i: 0.001 * max(0, i - 150)):
            code, summary, _ = self.curves(self.csv("g.csv", loss=falling(400, 1, 0.05)),
                                           self.csv("t.csv", loss=[v + away(i) for i, v in enumerate(falling(400, 2, 0.05))]))
            self.assertEqual((code, summary["verdict"].split()[0]), (1, "DIVERGES"), summary["verdict"])

    def test_steps_at_which_neither_run_has_a_value_are_not_missing(self):
        blank = ["" if i % 10 == 0 else "%.6g" % v for i, v in enumerate(falling(200, 3))]
        golden = self.csv("golden.csv", loss=blank)
        for name, at, missing in (("same.csv", (), 0), ("one.csv", (77,), 1)):
            code, summary, said = self.curves(golden, self.csv(name, loss=["" if i in at else v for i, v in enumerate(blank)]))
            self.assertEqual((code, summary["verdict"].split()[0], "loss is missing at 1 step" in said), (0, "SAME", missing == 1), said)

    def test_an_evaluation_that_noise_runs_lack_too_is_no_loss_of_the_target(self):
        def run_of(name, seed, evaluated):
            loss = falling(200, seed, 0.001)
            series = {"loss": loss, "eval_loss": ["%.6g" % v if i % 10 == 0 else "" for i, v in enumerate(loss)]}
            return self.csv(name, **(series if evaluated else {"loss": loss}))
        golden, target = run_of("golden.csv", 1, True), run_of("target.csv", 2, False)
        self.assertEqual(self.curves(golden, target)[0], 4)
        code, summary, _ = self.curves(golden, target, "--noise", run_of("noise.csv", 3, False))
        self.assertEqual((code, summary["verdict"][:12]), (0, "WITHIN NOISE"))

    def test_a_metric_that_noise_runs_move_as_far_is_not_outside(self):
        def run_of(name, seed, off):
            draw = random.Random(seed)
            return self.csv(name, loss=falling(200, seed, 0.001),
                            accuracy=[0.5 + 0.0015 * i + draw.gauss(0, 0.02) + off for i in range(200)])
        golden, target = run_of("golden.csv", 1, 0), run_of("target.csv", 2, 0.3)
        self.assertEqual(self.curves(golden, target)[0], 1)
        code, _, said = self.curves(golden, target, "--noise", run_of("one.csv", 3, 0.12), "--noise", run_of("two.csv", 4, -0.1))
        self.assertEqual(code, 0, said)
        self.assertIn("accuracy differs by", said)

    def test_what_a_run_says_by_step_moves_with_its_steps(self):
        """Trainers count from 0 or from 1: blanks, skipped steps and local norms are of the moved steps too."""
        loss = falling(60, 5)
        blank = ["" if i == 30 else "%.6g" % v for i, v in enumerate(loss)]
        golden = self.csv("golden.csv", loss=blank)
        moved = self.write("moved.csv", "step,loss\n" + "".join("%d,%s\n" % pair for pair in enumerate(blank)))
        self.assertEqual(self.curves(golden, moved)[0], 0)

        def log(name, first):
            return self.write(name, "".join(
                "norm_size: (4, 8)\nlocal_norm:\n[%.3f 0.5]\n2025-05-06 07:00:00,101 - mindformers[callback.py:485] - INFO - "
                "{ Epoch:[  1/  1], step:[%5d/   61], loss: %.5f, per_step_time: 8200ms, lr: 1e-05, overflow cond: %s, "
                "loss_scale: 1.0, global_norm: [1.5]\n" % (1 + i / 100, i + first, v, i == 40) for i, v in enumerate(loss)))
        code, summary, said = self.curves(log("a.log", 1), log("b.log", 2))
        self.assertEqual((code, summary["verdict"][:4]), (0, "SAME"), said)
        events = [[(e["kind"], e["step"]) for e in run["events"]] for run in summary["runs"]]
        self.assertEqual(events[0], events[1])

    def test_spikes_of_the_target_alone_are_named_from_its_first_steps_on(self):
        golden, calm = falling(200, 1), falling(200, 2)
        for at, size in ((5, 6), (20, 30), (120, 2)):
            loss = [v + (size if at <= i < at + 3 else 0) for i, v in enumerate(calm)]
            _, summary, _ = self.curves(self.csv("g.csv", loss=golden), self.csv("t.csv", loss=loss))
            self.assertRegex(summary["verdict"], "the loss spikes 1 time in the target alone, at step (%d|%d|%d) " % (at + 1, at + 2, at + 3))
            self.assertNotIn("spikes", self.curves(self.path("t.csv"), self.path("g.csv"))[1]["verdict"])
            self.assertRegex(self.curves(self.path("t.csv"))[1]["verdict"], "^SPIKES")
        norm = [1 + 0.05 * (i * 7 % 5) for i in range(200)]
        _, summary, _ = self.curves(self.csv("g.csv", loss=golden, grad_norm=norm),
                                    self.csv("t.csv", loss=calm, grad_norm=[60 if i in (13, 14) else v for i, v in enumerate(norm)]))
        self.assertIn("the gradient norm spikes 1 time in the target alone, at step 14 to 60", summary["verdict"])
        self.assertNotIn("spikes", self.curves(self.csv("w.csv", loss=[11 * math.exp(-i / 5) + 2 for i in range(200)]))[1]["verdict"].replace("spikes 0", ""))

    def test_a_run_alone_whose_loss_ends_above_its_lowest_says_so(self):
        rises = [v + (0.01 * (i - 150) if i > 150 else 0) for i, v in enumerate(falling(300, 1))]
        self.assertRegex(self.curves(self.csv("r.csv", loss=rises))[1]["verdict"], r"^RISES +from 2\.\d+ at step 1[2-6]\d")
        self.assertNotIn("RISES", self.curves(self.csv("q.csv", loss=falling(300, 1, 0.2)))[1]["verdict"])

    def test_a_run_that_counts_its_steps_otherwise_is_named(self):
        golden = falling(80, 1, 0.05)
        for by, target in ((1, golden[1:] + [1.9]), (-2, [4.9, 4.8] + golden[:-2])):
            code, summary, _ = self.curves(self.csv("g.csv", loss=golden), self.csv("t.csv", loss=target))
            where = "%d common step%s %s" % (abs(by), "s" * (abs(by) > 1), "later" if by > 0 else "before")
            self.assertIn("at each step the target has golden's value of " + where, summary["verdict"])
        self.assertNotIn("at each step", self.curves(self.path("g.csv"), self.csv("t.csv", loss=falling(80, 2, 0.05)))[1]["verdict"])

    def test_what_comes_nearer_to_golden_is_no_stable_offset(self):
        slow = [2 + 3 * math.exp(-i / 60) + v for i, v in enumerate(scattered(200, 2, 0, 0.02))]
        fast = [2 + 3 * math.exp(-i / 30) + v for i, v in enumerate(scattered(200, 1, 0, 0.02))]
        code, summary, _ = self.curves(self.csv("g.csv", loss=fast), self.csv("t.csv", loss=slow))
        self.assertEqual((code, "stable" in summary["verdict"], "on average" in summary["verdict"]), (1, False, True), summary["verdict"])

    def test_few_steps_tell_no_scatter_that_explains_a_difference(self):
        self.csv("g.csv", loss=[2.0, 1.0, 2.0, 1.0]), self.csv("t.csv", loss=[4.0, 2.0, 4.0, 2.0])
        self.assertEqual(self.curves(self.path("g.csv"), self.path("t.csv"))[0], 1)

    def test_a_difference_that_scatter_explains_says_so(self):
        code, summary, _ = self.curves(self.csv("g.csv", loss=falling(200, 1, 0.08)), self.csv("t.csv", loss=falling(200, 2, 0.08)))
        self.assertEqual(code, 0)
        self.assertRegex(summary["verdict"], r"golden's own scatter of 0\.0[6-9]\d? explains it; another run of golden with --noise would decide")


class OtherSeries(Case):
    """Series beside a loss that agrees: what moves is judged, what scatters is not."""
    def judge(self, name, golden, target, *options, **more):
        loss = falling(len(golden), 1)
        paths = [self.csv(side + ".csv", loss=loss if side == "g" else [v + 1e-4 * (i % 3) for i, v in enumerate(loss)], **{name: values})
                 for side, values in (("g", golden), ("t", target))]
        return self.curves(*paths, *options)

    def test_a_series_that_matters_is_outside_where_its_end_moves(self):
        draw = random.Random(4)
        def wide(level, factor=lambda i: 1.0):
            return [level * factor(i) * (1 + 0.1 * draw.gauss(0, 1)) for i in range(80)]
        grows = lambda i: 1 + 2 * i / 80
        for name, level in (("grad_norm", 1.5), ("rollout/logprob_abs_diff", 0.01), ("training/rollout_probs_diff_mean", 0.004), ("actor/ppo_kl", 0.02),
                            ("actor/entropy", 1.2), ("critic/score/mean", 0.5), ("actor/pg_clipfrac", 0.05), ("aux_loss", 0.01), ("reward", 3.0),
                            ("eval_loss", 2.0), ("params_norm", 40.0), ("layers.3.grad_norm", 0.3)):
            with self.subTest(name=name):
                code, summary, _ = self.judge(name, wide(level), wide(level, grows))
                self.assertEqual((code, name.split("/")[-1].split(".")[-1].replace("grad_norm", "gradient norm") in summary["verdict"]
                                  or name in summary["verdict"]), (1, True), summary["verdict"])
                code, summary, _ = self.judge(name, wide(level), wide(level))
                self.assertIn(code, (0, 4) if name == "eval_loss" else (0,), (name, summary["verdict"]))

    def test_a_series_that_scatters_as_golden_does_is_not_borderline(self):
        draw = random.Random(5)
        noisy = lambda factor: [factor * (0.3 + 0.06 * draw.gauss(0, 1)) for _ in range(80)]
        for factor, finding in ((1, "cannot tell"), (1.6, "borderline")):
            _, summary, _ = self.judge("grad_norm", noisy(1), noisy(factor))
            self.assertEqual([item["finding"] for item in summary["comparisons"] if item["series"] == "grad_norm"], [finding])

    def test_counters_times_and_settings_are_not_judged(self):
        for name in ("step_time_ms", "throughput", "kl_coef", "epoch", "actor/pg_clipfrac_max"):
            code, summary, _ = self.judge(name, [1 + i / 100 for i in range(80)], [4 + i / 100 for i in range(80)])
            self.assertEqual(code, 0, (name, summary["verdict"]))

    def test_a_learning_rate_of_another_recipe_is_outside(self):
        code, summary, _ = self.judge("lr", [1e-4] * 80, [1e-3] * 80)
        self.assertEqual((code, "learning rate" in summary["verdict"]), (1, True), summary["verdict"])

    def test_a_learning_rate_whose_schedule_is_shifted_says_by_how_much(self):
        rate = lambda i: 1e-3 * min(1, (i + 1) / 50) * 0.5 * (1 + math.cos(math.pi * i / 400))
        for by, where in ((20, "20 common steps before"), (-7, "7 common steps later")):
            _, summary, _ = self.judge("lr", [rate(i) for i in range(400)], [rate(max(0, i - by)) for i in range(400)])
            self.assertIn("; at each step the target has golden's value of " + where, summary["verdict"])
        steps = [1e-3 * 0.5 ** (i // 100) for i in range(400)]
        _, summary, _ = self.judge("lr", steps, [2 * v for v in steps])
        self.assertNotIn("at each step", summary["verdict"])

    def test_steps_that_stand_out_are_not_explained_by_the_scatter_of_the_others(self):
        golden, target = falling(400, 1, 0.02), falling(400, 2, 0.02)
        _, summary, _ = self.curves(self.csv("g.csv", loss=golden), self.csv("t.csv", loss=target[:397] + [v + 1.5 for v in target[397:]]))
        self.assertNotIn("explains", summary["verdict"])

    def test_a_policy_loss_around_0_is_judged_by_its_scatter(self):
        golden = scattered(80, 1, 0, 1e-3)
        target = [v + 2e-5 * (i % 2) for i, v in enumerate(golden)]
        code, summary, _ = self.curves(self.csv("g.csv", loss=golden), self.csv("t.csv", loss=target))
        self.assertEqual((code, " %" in summary["verdict"], "scatters around 0" in summary["verdict"]), (0, False, True), summary["verdict"])
        for away in (lambda v: 3 * v, lambda v: v + 3e-3):
            code, summary, _ = self.curves(self.csv("g.csv", loss=golden), self.csv("t.csv", loss=[away(v) for v in golden]))
            self.assertEqual(code, 1, summary["verdict"])

    def test_one_run_names_what_drifts_from_its_own_past_and_what_is_not_finite(self):
        draw = random.Random(4)
        grown = [0.004 * (1 + 5 * i / 80) * (1 + 0.1 * draw.gauss(0, 1)) for i in range(80)]
        code, summary, _ = self.curves(self.csv("r.csv", loss=falling(80, 1), lr=[0.0] * 80, **{"rollout_probs_diff_mean": grown}))
        self.assertRegex(summary["verdict"], "^DRIFTS .*rollout_probs_diff_mean grows to ×[345].* at learning rate 0")
        code, summary, _ = self.curves(self.csv("r.csv", loss=falling(80, 1), **{"actor/grad_norm": [1.0] * 80, "critic/grad_norm": ["1"] * 7 + ["nan"] * 5 + ["1"] * 68}))
        self.assertRegex(summary["verdict"], "^NaN +at step 8 of critic/grad_norm")

    def test_the_trainers_record_of_abnormal_norms_is_read_alone(self):
        path = self.write("abnormal_global_norm.json", '{"2": [45.70246, 45.70650], "1370": [88.25, 2.3125], "2000": [31.5]}')
        code, summary, _ = self.curves(path)
        self.assertEqual(code, 0)
        self.assertRegex(summary["verdict"], "^STOPPED +3 times for an abnormal norm.*step 2: the norm was 45.70, 45.71 after the recovery: the data or the model; "
                         "step 1,370: the norm was 88.25, 2.31[23] after the recovery: a fault of that one run; step 2,000: the norm was 31.50, no recovery")
        self.assertEqual(program.run(path, "-o", self.out)[0], 0)

    def test_the_batch_of_a_spike_says_what_repeats_in_it(self):
        draw = random.Random(3)
        for step in range(40, 60):
            ids = [7] * 58 + [draw.randrange(9000) for _ in range(6)] if step == 49 else [draw.randrange(9000) for _ in range(64)]
            head = "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 64), }".ljust(117) + "\n"
            self.write("data/step_%d/rank_0/tokens.npy" % step, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<64q", *ids))
        loss = falling(100, 1)
        loss[49] += 5
        log = self.csv("train.csv", loss=loss)
        code, _, said = self.curves(log, "--tokens", self.path("data"))
        self.assertRegex(said, r"step_49/rank_0/tokens.npy: spike at step 50: id 7 is 90.6 % of the 64 tokens .* no id is more than [3-9]")
        for name, text in (("vocab.json", '{"a": 0, "\\u0120the": 7}'), ("tokenizer.json", '{"model": {"vocab": {"a": 0, "\\u0120the": 7}}, "added_tokens": []}'),
                           ("vocab.txt", "a\nb\nc\nd\ne\nf\ng\n\u0120the\n")):
            said = self.curves(log, "--tokens", self.path("data"), "--vocab", self.write(name, text))[2]
            self.assertIn("spike at step 50: id 7 ('\u0120the') is 90.6 %", said)
        self.assertEqual(program.run("curves", log, "--tokens", self.path("data"), "--vocab", log)[0], 0)
        self.assertEqual(program.run("curves", log, "--tokens", self.path("data"), "--vocab", self.write("v.json", '{"a": "b"}'), "-o", self.out)[0], 3)
        self.assertEqual(program.run("curves", log, "--vocab", log, "-o", self.out)[0], 2)
        code, _, said = program.run("curves", log, "--tokens", self.path(), "-o", self.out)
        self.assertEqual((code, "holds no step_N/rank_N" in said), (3, True), said)


class Pictures(Case):
    def drawn(self, *arguments):
        program.run("curves", *arguments, "-o", self.out, "--format", "svg")
        with open(os.path.join(self.out, "curves.svg"), encoding="utf-8") as file:
            return file.read()

    def test_both_marks_stand_in_the_picture_with_their_words(self):
        away = lambda i: 0.1 * (1 - math.exp(-max(0, i - 300) / 250))
        picture = self.drawn(self.csv("g.csv", loss=scattered(1200, 1, 2, 0.004)), self.csv("t.csv", loss=scattered(1200, 2, 2, 0.004, away=away)))
        self.assertIn("leaves the tolerance", picture)
        self.assertRegex(picture, "begins at (29|30|31)[0-9]")
        bump = lambda i: 0.05 * math.exp(-((i - 600) / 60) ** 2)
        picture = self.drawn(self.path("g.csv"), self.csv("t.csv", loss=scattered(1200, 2, 2, 0.004, away=bump)))
        self.assertRegex(picture, "leaves the tolerance, returns at 6[56][0-9]")

    def test_the_relative_error_of_a_negative_loss_has_the_sign_of_the_difference(self):
        picture = self.drawn(self.csv("g.csv", loss=[-v for v in falling(200, 1)]), self.csv("t.csv", loss=[-v - 0.2 for v in falling(200, 2)]))
        self.assertRegex(html.unescape(re.sub("<[^>]*>", " ", picture[picture.index("Relative error"):])), r"[−-]\d+(\.\d+)? %\s+whole-run mean")

    def test_every_number_of_a_picture_is_in_its_tables(self):
        """But ticks of axes, and the windows of filters that notes give."""
        samples = os.path.join(program.SAMPLES, "curves"), os.path.join(program.SAMPLES, "study")
        draw = random.Random(2)
        rollout = lambda factor: {"loss": scattered(120, 1, 0, 1e-3), "rollout_probs_diff_mean": [0.004 * factor(i) * (1 + 0.1 * draw.gauss(0, 1)) for i in range(120)]}
        pairs = [[os.path.join(samples[0], "golden.csv"), os.path.join(samples[0], "target.csv"), "--noise", os.path.join(samples[0], "golden-again.csv")],
                 [os.path.join(samples[1], side, "long.csv") for side in ("golden", "target")], [os.path.join(samples[0], "target.csv")],
                 [self.csv("g.csv", **rollout(lambda i: 1)), self.csv("t.csv", **rollout(lambda i: 1 + 2 * (i > 60)))],
                 [self.csv("e.csv", loss=falling(60, 1)), self.csv("d.csv", loss=[v + (2e-4 if i >= 40 else 0) for i, v in enumerate(falling(60, 1))])]]
        for pair in pairs:
            program.run("curves", *pair, "-o", self.out, "--format", "svg,json,csv")
            pool = set()
            for name in ("curves.csv", "summary.json"):
                with open(os.path.join(self.out, name), encoding="utf-8") as file:
                    pool.update(abs(float(word)) for word in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w.])", file.read()))
            with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                verdict = json.load(file)["verdict"]
            pool = sorted(pool)
            with open(os.path.join(self.out, "curves.svg"), encoding="utf-8") as file:
                texts = [html.unescape(re.sub("<[^>]*>", "", text)) for text in re.findall(r"<text[^>]*>(.*?)</text>", file.read(), re.S)]
            for text in texts:
                text = re.sub(r"mean, of [\d,]+|mean of [\d,]+ over|[±3]+ sigma|dashed: ±[\d.]+ %|of the last [\d,]+|pixel columns: [\d,]+|resolution [^)]*|middle 90 %|beyond the edges: \d+", "", text)
                if re.fullmatch(r"[−+]?[\d.,]+(e[-+]\d+)?[kM]?", text) or text in verdict:
                    continue
                for word, share in re.findall(r"(?<![\w.])([\d,]*\d\.?\d*(?:e[-+]\d+)?)(?![\w.])( %)?", text):
                    value, digits = float(word.replace(",", "")), word.replace(",", "")
                    mantissa = digits.split("e")[0]
                    unit = 10.0 ** ((int(digits.split("e")[1]) if "e" in digits else 0) - (len(mantissa.split(".")[1]) if "." in mantissa else 0))
                    near = lambda shown: any(abs(shown - other) <= 0.51 * unit for other in pool)
                    self.assertTrue(near(value) or (share and any(abs(value - 100 * other) <= 0.51 * unit for other in pool)), (text, word))

    def test_the_run_that_the_verdict_names_is_labelled_and_panels_are_in_natural_order(self):
        runs = [self.csv("seed%d.csv" % k, loss=falling(80, k, level=2 + (0.8 if k == 7 else 0.02 * k))) for k in range(1, 13)]
        picture = self.drawn(*sorted(runs))
        self.assertIn("seed7", picture)
        with open(os.path.join(self.out, "curves-runs.svg"), encoding="utf-8") as file:
            panels = file.read()
        places = [panels.index("seed%d<" % k) for k in (2, 9, 10, 11)]
        self.assertEqual(places, sorted(places))

    def test_inf_draws_no_line_and_counts_as_nan_does(self):
        norm = ["%.3f" % (0.8 + 0.001 * (i % 5)) for i in range(100)] + ["inf"] * 40
        picture = self.drawn(self.csv("i.csv", loss=["%.3f" % (5 / (i + 1)) for i in range(120)] + ["nan"] * 20, grad_norm=norm))
        self.assertIn("NaN 60", picture)
        self.assertIn("Points that are NaN or Inf: 60.", picture)

    def test_a_difference_that_goes_to_and_fro_is_no_bump(self):
        golden = scattered(800, 1, 2, 0.001)
        paths = self.csv("g.csv", loss=golden), self.csv("t.csv", loss=[v + 0.05 * math.sin(i / 25) for i, v in enumerate(golden)])
        _, summary, _ = self.curves(*paths)
        self.assertNotIn("returns at", summary["verdict"])

    def test_many_points_are_a_band_and_at_most_40_marks_an_edge(self):
        draw = random.Random(1)
        noisy = lambda: self.csv("m%d.csv" % draw.randrange(1000), loss=[2 + draw.gauss(0, 0.05) for _ in range(80000)])
        picture = self.drawn(noisy(), noisy())
        self.assertIn("the band is the middle 90 %", picture)
        self.assertLess(len(picture), 200000)


if __name__ == "__main__":
    main()
