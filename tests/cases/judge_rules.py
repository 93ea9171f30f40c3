#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Why a value passes is said by the name of the rule; dumps of several steps are read once."""
import collections
import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest

VERNIER = os.environ["VERNIER"]
X, W, B, Y = [4, 16], [8, 16], [8], [4, 8]


def tensor(shape, norm):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": norm / 3, "Min": -norm / 3,
            "Mean": norm / 1000, "Norm": norm, "requires_grad": False}


def given(*tensors):
    return {"input_args": list(tensors), "input_kwargs": {}}


def steps(folder, count, off):
    """A bias that Adam moves by rounding noise: nothing gives it anything."""
    for step in range(count):
        k, bias = 1 + 1e-7 * step * off, 1 + step / 1000 + 1e-5 * step * off
        data = {"Functional.linear.0.forward": given(tensor(X, 10), tensor(W, 3 + step / 100), tensor(B, bias)) | {"output": [tensor(Y, 7 * k)]},
                "Functional.relu.0.forward": given(tensor(Y, 7 * k)) | {"output": [tensor(Y, 5 * k)]},
                "Tensor.sum.0.forward": given(tensor(Y, 5 * k)) | {"output": [tensor([], 2 * k)]},
                "Tensor.sum.0.backward": {"input": [tensor([], 1)], "output": [tensor(Y, .5)]},
                "Functional.relu.0.backward": {"input": [tensor(Y, .5)], "output": [tensor(Y, .4)]},
                "Functional.linear.0.backward": {"input": [tensor(Y, .4)], "output": [tensor(X, .3), tensor(W, .9), tensor(B, 1e-9)]}}
        os.makedirs("%s/step%d/rank0" % (folder, step))
        with open("%s/step%d/rank0/dump.json" % (folder, step), "w", encoding="utf-8") as file:
            json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)


class JudgeRules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        steps("golden", 4, 0)
        steps("target", 4, 1)

    def vernier(self, *words):
        return subprocess.run([VERNIER, *words], capture_output=True, text=True, check=False)

    def compare(self, *words):
        done = self.vernier("compare", "golden", "target", "--format", "json", "-o", "s.json", *words)
        with open("s.json", encoding="utf-8") as file:
            return done, json.load(file)

    def test_a_bias_that_noise_moved_is_not_said_to_be_given_anything(self):
        self.vernier("compare", "golden", "target", "--format", "csv", "-o", "out")
        with open("out/rows-step1-rank0.csv", encoding="utf-8") as file:
            rows = {row["NPU Name"]: row["Err_message"] for row in csv.DictReader(file)}
        self.assertIn("noise-gradient", rows["Functional.linear.0.forward.input.2"])

    def test_the_summary_counts_what_each_rule_excuses(self):
        summary = self.compare()[1]
        excused = summary["pairs"][1]["coverage"]["excused"]
        self.assertEqual([(one["rule"], one["slots"], one["slot"]) for one in excused], [("noise-gradient", 1, "input.2")])
        self.assertGreater(excused[0]["error"], excused[0]["floor"])

    def test_without_its_rule_the_bias_diverges_and_the_report_says_what_was_off(self):
        self.assertEqual(self.compare()[1]["status"], "pass")
        done, summary = self.compare("--without", "noise-gradient")
        self.assertEqual((done.returncode, summary["pairs"][1]["first_divergence"]["slot"]), (1, "input.2"))
        self.assertIn("judged without the rule noise-gradient", done.stderr)

    def test_a_check_or_an_unknown_rule_cannot_be_left_out(self):
        for rule in ("nonfinite", "no-such-rule"):
            done = self.vernier("compare", "golden", "target", "--without", rule)
            self.assertEqual(done.returncode, 2, rule)
            self.assertIn("--without: expected a rule", done.stderr)

    def explain(self, name):
        done = self.vernier("explain", "s.json", "--op", name)
        return done.returncode, " ".join(done.stdout.split()), done.stderr

    def test_why_any_op_passes_is_told_with_the_rule_and_its_figures(self):
        self.compare()
        code, text, _ = self.explain("Functional.linear.0.forward")
        self.assertEqual(code, 0)
        self.assertIn("step 1, rank 0", text)
        self.assertIn("differs by: 1.0e-05; tolerance: 1.9e-06; rule: noise-gradient", text)
        self.assertIn("noise-gradient input.2 warning, tolerance 1.9e-06", text)
        self.assertIn("No rule that excuses", self.explain("Tensor.sum.0.backward.output.0")[1])

    def test_why_an_op_on_one_side_counts_or_not_is_told(self):
        for step in range(4):
            path = "target/step%d/rank0/dump.json" % step
            with open(path, encoding="utf-8") as file:
                dump = json.load(file)
            dump["data"] = {name: op for name, op in dump["data"].items() if "backward" not in name}
            with open(path, "w", encoding="utf-8") as file:
                json.dump(dump, file)
        self.compare()
        text = self.explain("Functional.relu.0.backward")[1]
        self.assertIn("Golden alone holds it. kinds:", text)
        self.assertIn("kinds unmatched", text)

    def test_without_the_dumps_or_the_op_it_is_said_what_is_missing(self):
        self.compare()
        self.assertIn("neither do the two dumps", self.explain("wholly.unknown")[2])
        shutil.rmtree("golden")
        code, _, said = self.explain("Tensor.sum.0.forward")
        self.assertEqual(code, 2)
        self.assertIn("cannot be read here", said)

    @unittest.skipUnless(shutil.which("strace"), "strace is not here")
    def test_each_dump_of_several_steps_is_opened_once(self):
        for words in (["--format", "json", "-o", "s.json"], ["-o", "report"], ["--jobs", "1", "-o", "report"]):
            subprocess.run(["strace", "-f", "-o", "trace", "-e", "trace=openat", VERNIER, "compare", "golden", "target", *words],
                           capture_output=True, check=False)
            if not os.path.exists("trace"):
                self.skipTest("strace may not trace here")
            with open("trace", encoding="utf-8", errors="replace") as file:
                opened = collections.Counter(line.split('"')[1] for line in file if 'dump.json"' in line)
            self.assertEqual(set(opened.values()), {1}, opened)
            self.assertEqual(len(opened), 8)


if __name__ == "__main__":
    unittest.main()
