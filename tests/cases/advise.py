#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command `vernier advise` as users call it: simulations against a count made here, suggestions
that catch what is planted, health of checkpoints with and without a log, damage, and exit codes.

VERNIER names the program, SHARED the folder of the sample set (may be absent).
"""
import json
import os
import random
import xml.etree.ElementTree

import program
from program import SHARED, main, needs_samples

SEEDS = (1, 2)


def run(*arguments):
    code, _, err = program.run("advise", *arguments)
    return code, err.strip().split("\n")


def simulate(norms, threshold, count):
    """The original's rule: >= counts, a normal step starts anew, the count-th in a row ends the run."""
    row, skipped = 0, []
    for step, norm in enumerate(norms, 1):
        row = row + 1 if norm >= threshold else 0
        if row:
            skipped.append(step)
        if row == count:
            return skipped, step
    return skipped, None


class Case(program.Case):
    def summary(self, *arguments, code=None):
        got, lines = run(*arguments, "-o", self.out, "--format", "json")
        if code is not None:
            self.assertEqual(got, code, lines)
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as f:
            return json.load(f), lines


class Skip(Case):
    def norms(self, seed, spikes):
        numbers = random.Random(seed)
        return [round(spikes.get(s, (1.2 + 4 * 0.97 ** s) * (1 + 0.08 * numbers.gauss(0, 1))), 6) for s in range(1, 801)]

    def log(self, norms):
        return self.write("a.csv", "step,loss,grad_norm\n" + "".join("%d,2.0,%.6f\n" % p for p in enumerate(norms, 1)))

    def test_a_simulation_is_that_of_the_original(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            start = numbers.randrange(200, 600)
            norms = self.norms(seed, {**{start + i: 9.0 for i in range(numbers.randrange(1, 6))}, 150: 5.5})
            path = self.log(norms)
            for threshold, count in ((5.5, 3), (5.5, 10), (1.0, 4), (100, 2), (norms[300], 2)):
                found = self.summary("skip", path, "--threshold", repr(threshold), "--count", str(count))[0]["skip"]
                skipped, abort = simulate(norms, threshold, count)
                self.assertEqual((found["skipped"], found["abort_at"]), (skipped, abort), (seed, threshold, count))
                self.assertEqual((found["threshold"], found["count"]), (threshold, count))

    def test_a_suggestion_catches_what_is_planted_and_nothing_else(self):
        for seed in SEEDS:
            planted = sorted(random.Random(seed).sample(range(200, 790), 4))
            norms = self.norms(seed, {s: 20.0 + seed for s in planted})
            best = self.summary("skip", self.log(norms), code=0)[0]["skip"]["suggested"]
            self.assertEqual(simulate(norms, best["threshold"], best["count"]), (planted, None), best)

    def test_a_run_without_spikes_gets_a_limit_that_skips_nothing(self):
        norms = self.norms(7, {})
        best = self.summary("skip", self.log(norms), code=0)[0]["skip"]["suggested"]
        self.assertEqual(simulate(norms[60:], best["threshold"], best["count"]), ([], None))

    def test_a_short_log_is_called_short_and_a_norm_of_nan_is_told(self):
        short = [31.0 if step == 9 else 1.0 for step in range(20)]
        _, lines = self.summary("skip", self.log(short), code=0)
        self.assertTrue(lines[-1].endswith("skipped, the only norm spike caught; the log is too short to know the tail of the norms"), lines)
        whole = self.norms(7, {})
        self.assertTrue(self.summary("skip", self.log(whole))[1][-1].endswith("skipped, the norm has no spike"))
        for broken, said in (([400], "NaN at 1 step, which no threshold skips: 401"),
                             ([400, 500, 501], "NaN at 3 steps, which no threshold skips: first 401")):
            for step in broken:
                whole[step] = float("nan")
            for more in ((), ("--threshold", "7.5")):
                verdict = self.summary("skip", self.log(whole), *more)[1][-1]
                self.assertTrue(verdict.endswith("; " + said), verdict)

    def test_the_warm_up_of_a_run_without_spikes_is_not_skipped(self):
        norms = [9.0 * 0.95 ** step + value for step, value in enumerate(self.norms(3, {}))]
        best = self.summary("skip", self.log(norms))[0]["skip"]["suggested"]
        self.assertEqual(simulate(norms, best["threshold"], best["count"]), ([], None), best)

    def test_skips_that_the_log_tells_are_compared(self):
        lines = []
        for step in range(1, 301):
            norm = 12.5 if step in (90, 91, 200) else 1.5
            lines.append("{ Epoch:[  1/  1], step:[%5d/  300], loss: 2.500, per_step_time: 8200ms, lr: 1e-05, overflow cond: False, "
                         "loss_scale: 1.0, global_norm: [%r]" % (step, norm))
            if norm > 10:
                lines.append("opt_global_step: %d, skip_data_grad_norm_threshold: 10.0, is_skip: [ True]" % step)
        path = self.write("worker_0.log", "\n".join(lines) + "\n")
        found = self.summary("skip", path, "--threshold", "10", "--count", "5", code=0)[0]["skip"]
        self.assertEqual(found["skipped"], [90, 91, 200])
        self.assertEqual(found["recorded"], {"threshold": 10, "skipped": [90, 91, 200]})

    def test_the_text_to_paste_holds_the_values(self):
        path = self.log(self.norms(1, {300: 30.0}))
        self.assertEqual(run("skip", path, "--threshold", "7.5", "--count", "4", "-o", self.out, "--format", "md,svg")[0], 0)
        with open(os.path.join(self.out, "summary.md"), encoding="utf-8") as f:
            text = f.read()
        self.assertIn("global_norm_spike_threshold: 7.5\n", text)
        self.assertIn("global_norm_spike_count_threshold: 4\n", text)
        xml.etree.ElementTree.parse(os.path.join(self.out, "skip.svg"))

    def test_a_log_without_norms_and_wrong_usage(self):
        path = self.write("a.csv", "step,loss\n1,2.0\n2,1.9\n")
        self.assertEqual(run("skip", path, "-o", self.out)[0], 3)
        path = self.log(self.norms(1, {}))
        for arguments in ((), ("frob", path), ("skip",), ("skip", path, "--threshold", "x"), ("skip", path, "--count", "0"), ("skip", path, "--threshold", "-1"), ("skip", path, "--threshold", "nan")):
            self.assertEqual(run(*arguments, "-o", self.out)[0], 2, arguments)
        self.assertEqual(run("skip", os.path.join(self.folder, "none.log"), "-o", self.out)[0], 3)


class Health(Case):
    def checkpoints(self, health, name="m_rank_0-%d_%d.safetensors", per_epoch=100):
        items = [{"is_health": bad, "ckpt_name": name % ((step - 1) // per_epoch + 1, (step - 1) % per_epoch + 1)} for step, bad in health]
        return self.write("output/health_ckpts.json", json.dumps(items, indent=4))

    def log(self, rank, values):
        return self.write("log/worker_%d.log" % rank, "".join(
            "{ Epoch:[%3d/  3], step:[%5d/  100], loss: 0.000, per_step_time: 8200ms, lr: 1e-05, overflow cond: False, loss_scale: 1.0, "
            "global_norm: [1.5]\nembedding_local_norm: %r\n" % ((s - 1) // 100 + 1, (s - 1) % 100 + 1, v) for s, v in enumerate(values, 1)))

    def test_the_newest_healthy_one_is_named(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            health = [(s, int(numbers.random() < 0.4)) for s in range(20, 301, 20)] + [(320, 1)]
            health[0] = (20, 0)
            newest = max(s for s, bad in health if not bad)
            path = self.checkpoints(health)
            self.assertEqual(run("health", path, "--count", "3", "-o", self.out)[0], 2)
            for argument in (path, os.path.dirname(path)):
                found = self.summary("health", argument, code=1)[0]["health"]
                self.assertEqual(found["newest_healthy"], "m_rank_0-%d_%d.safetensors" % ((newest - 1) // 100 + 1, (newest - 1) % 100 + 1))

    def test_causes_come_from_the_rank_that_was_over_the_limit(self):
        for seed in SEEDS:
            numbers = random.Random(seed)
            bad = sorted(numbers.sample(range(20, 301, 20), 2))
            ranks = {0: [], 4: []}
            for rank in ranks:
                ranks[rank] = [round(200 + 5 * numbers.gauss(0, 1), 4) for _ in range(300)]
            ranks[0][bad[0] - 1], ranks[4][bad[1] - 1] = 251.5, 263.25
            path = self.checkpoints([(s, int(s in bad)) for s in range(20, 301, 20)])
            logs = [self.log(rank, values) for rank, values in ranks.items()]
            found = self.summary("health", path, *logs, "--threshold", "240", code=1)[0]["health"]
            self.assertEqual(found["unhealthy_steps"], bad)
            self.assertEqual([(c["step"], c["rank"], c["value"]) for c in found["causes"]], [(bad[0], 0, 251.5), (bad[1], 4, 263.25)])

    def test_ranks_have_not_the_colours_of_target_and_noise(self):
        path = self.checkpoints([(s, 0) for s in range(20, 101, 20)])
        logs = [self.log(rank, [200.0 + rank + step % 3 for step in range(100)]) for rank in (0, 2, 4, 6)]
        picture = os.path.join(self.folder, "health.svg")
        run("health", path, *logs, "--threshold", "240", "-o", picture)
        root = xml.etree.ElementTree.parse(picture).getroot()
        strokes = [p.get("stroke") for p in root.iter("{http://www.w3.org/2000/svg}path") if len(p.get("d", "")) > 600]
        self.assertEqual(len(strokes), 4)
        for colour in strokes:  # greys: red, green and blue within a third of each other
            parts = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
            self.assertLess(max(parts) - min(parts), 24, colour)

    def test_checkpoints_of_epochs_of_unknown_length_stand_in_their_order(self):
        path = self.checkpoints([(50, 0), (100, 0), (150, 1), (200, 0)])
        picture = os.path.join(self.folder, "health.svg")
        run("health", path, "-o", picture)
        root = xml.etree.ElementTree.parse(picture).getroot()
        name = "{http://www.w3.org/2000/svg}"
        places = {"".join(t.itertext()): float(t.get("x")) for t in root.iter(name + "text")}
        labels = ["1_50", "1_100", "2_50", "2_100"]
        self.assertEqual(sorted(labels, key=places.get), labels)
        rings = [float(c.get("cx")) for c in root.iter(name + "circle")]
        self.assertEqual(rings, [places["2_100"]])

    def test_health_is_told_in_words_not_numbers(self):
        path = self.checkpoints([(20, 0), (40, 1), (60, 0)])
        self.assertEqual(run("health", path, "-o", self.out, "--format", "json,md,svg")[0], 1)
        found = self.summary("health", path)[0]["health"]
        self.assertEqual([c["health"] for c in found["checkpoints"]], ["healthy", "unhealthy", "healthy"])
        with open(os.path.join(self.out, "summary.md"), encoding="utf-8") as f:
            text = f.read()
        self.assertIn("unhealthy", text)
        self.assertNotIn("is_health", text)

    def test_all_healthy_exits_0_and_all_unhealthy_names_none(self):
        self.summary("health", self.checkpoints([(20, 0), (40, 0)]), code=0)
        found = self.summary("health", self.checkpoints([(20, 1), (40, 1)]), code=1)[0]["health"]
        self.assertIsNone(found["newest_healthy"])

    def test_broken_entries_are_said_and_the_rest_is_used(self):
        path = self.checkpoints([(20, 0), (40, 1), (60, 0)])
        with open(path, encoding="utf-8") as f:
            text = f.read()
        summary, lines = self.summary("health", self.write("output/health_ckpts.json", text[:-30]))
        self.assertTrue(summary["partial"] and any("health_ckpts.json" in line for line in lines), lines)
        self.assertEqual([c["health"] for c in summary["health"]["checkpoints"]], ["healthy", "unhealthy"])
        for name, text in (("a.json", "{}"), ("b.json", "[]"), ("c.json", ""), ("d.json", "nothing")):
            self.assertEqual(run("health", self.write(name, text), "-o", self.out)[0], 3, name)


@needs_samples("curves")
class Samples(Case):
    def test_what_was_planted_in_the_samples_is_found(self):
        base = os.path.join(SHARED, "data", "curves")
        with open(os.path.join(base, "expected.json"), encoding="utf-8") as f:
            want = json.load(f)
        log = want["mindformers/msrun_log"]
        found = self.summary("skip", os.path.join(base, "mindformers/msrun_log", log["loss_valid_in"]), "--threshold", str(log["threshold"]),
                             "--count", str(log["count_limit"]))[0]["skip"]
        self.assertEqual((found["skipped"], found["abort_at"]), (log["skipped_steps"], log["aborted_at"]))
        health = want["mindformers/output/health_ckpts.json"]
        found = self.summary("health", os.path.join(base, "mindformers/output"))[0]["health"]
        self.assertEqual(found["newest_healthy"], health["newest_healthy"])



class OwnFiles(program.Case):
    """The trainer's own files, as it writes them."""
    def advise(self, *arguments):
        code, _, said = program.run("advise", *arguments, "-o", self.out, "--format", "json")
        return code, said

    def log(self, norms, per_epoch=6500):
        line = "2024-11-28 10:00:00,123 - mindformers[callback.py:324] - INFO - "
        return self.write("worker_0.log", "".join(
            line + "{ Epoch:[  1/  2], step:[%5d/ %d], loss: 9.0, per_step_time: 8266ms, lr: 1e-06, overflow cond: False, loss_scale: 1.0, global_norm: [2.5]\n"
            % (step, per_epoch) + line + "embedding_local_norm: %.4f\n" % norm for step, norm in norms))

    def checkpoints(self, *names):
        return self.write("health_ckpts.json", json.dumps([{"is_health": int(bad), "ckpt_name": "m_rank_0-%s.safetensors" % name} for name, bad in names]))

    def test_the_numbers_of_a_name_are_read_so_that_the_log_has_the_step(self):
        norms = [(step, 330.5 if step == 400 else 250 + step % 7) for step in range(1, 601)]
        code, said = self.advise("health", self.checkpoints(("200_1", 0), ("400_1", 1), ("600_1", 0)), self.log(norms), "--threshold", "270")
        self.assertEqual((code, "(step 400)" in said, "step 600" in said), (1, True, True), said)
        code, said = self.advise("health", self.checkpoints(("100_2", 0), ("200_2", 1)), self.log(norms), "--threshold", "270")
        self.assertIn("(step 400)", said)
        code, said = self.advise("health", self.checkpoints(("1_200", 0), ("2_100", 1)), self.log(norms, 300), "--threshold", "270")
        self.assertIn("(step 400)", said)

    def test_a_log_alone_suggests_a_threshold_and_says_what_is_above_it(self):
        log = self.log([(step, 340 if step in (61, 62) else 250 + step % 7) for step in range(1, 201)])
        code, said = self.advise("health", log)
        self.assertEqual(code, 0)
        self.assertRegex(said, "SUGGESTED +threshold of the embedding norm 3[01][0-9].*steps 61, 62")
        code, said = self.advise("health", log, "--threshold", "400")
        self.assertRegex(said, "SIMULATED +threshold of the embedding norm 400.*no value at or above it")
        self.assertEqual(self.advise("health", self.write("no.log", "step: 1 loss: 2.5\nstep: 2 loss: 2.4\n"))[0], 3)

    @program.needs_samples("ascend", "skip-threshold-printed")
    def test_the_threshold_that_the_log_prints_stands_beside_the_suggestion(self):
        code, said = self.advise("skip", os.path.join(program.SHARED, "data", "ascend", "skip-threshold-printed", "train.log"))
        self.assertIn("the run's own threshold 3.0 skipped 3 steps (40, 77, 78) and ended it at step 78", said)


if __name__ == "__main__":
    main()
