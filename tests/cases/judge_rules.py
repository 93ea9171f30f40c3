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

    def activation(self, folder, name, twin=None, other=1.0):
        """Three layers of linear and an activation, called `name`; in place of the middle one two calls of `twin`."""
        data = {}
        for layer in range(3):
            x, y, z = tensor(Y, 7 + layer), tensor(Y, 5 + layer / 3), tensor(Y, 3 + layer / 7)
            data["Functional.linear.%d.forward" % layer] = given(tensor(X, 10 + layer), tensor(W, 3)) | {"output": [x]}
            if twin and layer == 1:
                data["%s.0.forward" % twin] = given(x) | {"output": [y]}
                data["%s.1.forward" % twin] = given(y) | {"output": [tensor(Y, z["Norm"] * other)]}
            else:
                data["%s.%d.forward" % (name, layer - bool(twin and layer))] = given(x) | {"output": [z]}
            data["Tensor.sum.%d.forward" % layer] = given(tensor(Y, z["Norm"] * other) if layer == 1 else z) | {"output": [tensor([], 2 + layer)]}
        os.makedirs(folder + "/step0/rank0")
        with open(folder + "/step0/rank0/dump.json", "w", encoding="utf-8") as file:
            json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)

    def answer(self, golden, target, *words):
        done = self.vernier("compare", golden, target, "--format", "json", "-o", "s.json", *words)
        with open("s.json", encoding="utf-8") as file:
            return done.returncode, json.load(file)

    def test_an_api_at_whose_place_the_target_calls_another_is_named_and_never_same(self):
        self.activation("a", "Functional.hardtanh")
        self.activation("b", "Functional.relu")
        self.activation("c", "Functional.hardtanh", "Torch.clamp")
        self.activation("d", "Torch.hardtanh")
        for golden, target, said in (("a", "b", "3 calls of Functional.hardtanh are Functional.relu in the target; values are equal."),
                                     ("b", "a", "3 calls of Functional.relu are Functional.hardtanh in the target; values are equal."),
                                     ("a", "c", "1 call of Functional.hardtanh is Torch.clamp x2 in the target; values are equal."),
                                     ("c", "a", "At 1 place Torch.clamp x2 is Functional.hardtanh in the target; values are equal.")):
            code, summary = self.answer(golden, target)
            self.assertEqual((code, summary["status"], said in summary["verdict"], "SAME" in summary["verdict"], "one side only" in summary["verdict"]),
                             (0, "pass", True, False, False), summary["verdict"])
            code, summary = self.answer(golden, target, "--strict")
            self.assertEqual((code, summary["strict_differs"]), (1, True), summary["verdict"])
        with open("vernier.toml", "w", encoding="utf-8") as file:
            file.write("[compare]\nstrict = true\n")
        code, summary = self.answer("a", "b")
        self.assertEqual((code, "Judged by settings: --strict (vernier.toml)." in summary["verdict"]), (1, True), summary["verdict"])
        os.remove("vernier.toml")
        for strict in ((), ("--strict",)):
            code, summary = self.answer("a", "d", *strict)
            self.assertEqual((code, summary["verdict"]), (0, "SAME      bit for bit: 21 slots."))

    def test_an_agreement_names_the_value_nearest_to_its_tolerance_and_strict_counts_what_a_rule_lets_pass(self):
        self.activation("a", "Functional.relu")
        with open("a/step0/rank0/dump.json", encoding="utf-8") as file:
            dump = json.load(file)
        dump["data"]["Functional.linear.1.forward"]["output"][0]["Norm"] *= 1 + 1e-8
        out = dump["data"]["Functional.linear.2.forward"]["output"][0]
        out["Max"] += 3e-7 * out["Max"]
        os.makedirs("b/step0/rank0")
        with open("b/step0/rank0/dump.json", "w", encoding="utf-8") as file:
            json.dump(dump, file)
        code, summary = self.answer("a", "b", "--strict")
        nearest = summary["pairs"][0]["nearest_to_tolerance"]
        self.assertEqual((code, nearest["op"], nearest["slot"]), (0, "Functional.linear.2.forward", "output.0"), summary["verdict"])
        self.assertTrue(0.05 < nearest["share"] < 1, nearest)
        self.assertIn("; nearest to its tolerance: %.2g of it, at Functional.linear.2.forward output.0 (noise not measured)" % nearest["share"], summary["verdict"])
        for strict, code in (((), 0), (("--strict",), 1)):
            done, summary = self.compare(*strict)
            self.assertEqual(done.returncode, code, summary["verdict"])
            self.assertIn("3 values pass by a rule: noise-gradient 3.", summary["verdict"])

    def test_what_construct_json_omits_while_it_names_other_calls_is_left_out_by_no_setting(self):
        """A clamp is of low risk and may not be recorded; it is missing where construct.json names another call that is not, and not it."""
        x, y, z, out = tensor(X, 10), tensor(Y, 7), tensor(Y, 6), tensor(Y, 5)
        linear, relu = "Functional.linear.0.forward", "Functional.relu.0.forward"
        whole = {linear: given(x, tensor(W, 3)) | {"output": [y]}, "Torch.clamp.0.forward": given(y) | {"output": [z]}, relu: given(z) | {"output": [out]}}
        parts = {linear: whole[linear], relu: given(y) | {"output": [out]}}
        for folder, data, names in (("a", whole, None), ("b", parts, [linear, "Tensor.view.0.forward", relu]),
                                    ("c", parts, [linear, "Torch.clamp.0.forward", relu]), ("d", parts, [linear, relu])):
            os.makedirs(folder)
            with open(folder + "/dump.json", "w", encoding="utf-8") as file:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)
            if names:
                with open(folder + "/construct.json", "w", encoding="utf-8") as file:
                    json.dump(dict.fromkeys(names), file)
        firsts = [self.answer("a", target)[1]["pairs"][0]["first_divergence"]["kind"] for target in "bcd"]
        self.assertEqual(firsts, ["missing", "input", "input"])

    def test_a_share_of_a_summed_gradient_that_is_missing_leads_to_the_op_that_gave_it(self):
        """A value is taken by the loss and by a term that is added to it; the target leaves out the addition."""
        x, h, y, one = tensor(Y, 9), tensor(Y, 7), tensor(Y, 5), tensor([], 1)
        for folder, whole in (("a", True), ("b", False)):
            data = {"Tensor.exp.0.forward": given(tensor(X, 11)) | {"output": [tensor(X, 12)]},
                    "Functional.silu.0.forward": given(tensor(X, 12)) | {"output": [x]},
                    "Functional.relu.0.forward": given(x) | {"output": [h]}, "Functional.linear.0.forward": given(h, tensor(W, 3)) | {"output": [y]},
                    "Tensor.sum.0.forward": given(y) | {"output": [tensor([], 2)]}, "Tensor.mean.0.forward": given(h) | {"output": [tensor([], .4)]}}
            if whole:
                data["Tensor.add.0.forward"] = given(tensor([], 2), tensor([], .4)) | {"output": [tensor([], 2.4)]}
                data["Tensor.add.0.backward"] = {"input": [one], "output": [one, one]}
                data["Tensor.mean.0.backward"] = {"input": [one], "output": [tensor(Y, .06)]}
            data["Tensor.sum.0.backward"] = {"input": [one], "output": [tensor(Y, .5)]}
            data["Functional.linear.0.backward"] = {"input": [tensor(Y, .5)], "output": [tensor(Y, .8), tensor(W, .9)]}
            data["Functional.relu.0.backward"] = {"input": [tensor(Y, .86 if whole else .8)], "output": [tensor(Y, .7 if whole else .65)]}
            os.makedirs(folder)
            with open(folder + "/dump.json", "w", encoding="utf-8") as file:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)
        for golden, target in (("a", "b"), ("b", "a")):
            first = self.answer(golden, target)[1]["pairs"][0]["first_divergence"]
            self.assertEqual((first["kind"], first["golden"] or first["target"]), ("missing", "Tensor.add.0.forward"))

    def test_leading_axes_in_one_pass_by_a_rule_and_exchanged_axes_diverge(self):
        """A product takes [2, 9, 11] as [18, 11]; [9, 2, 11] is another tensor."""
        def write(folder, shape, backward):
            grad = tensor(shape, .5)
            data = {"Functional.linear.0.forward": given(tensor(X, 10), tensor(W, 3)) | {"output": [tensor(Y, 7)]},
                    "Functional.relu.0." + ("backward" if backward else "forward"): (
                        {"input": [grad]} if backward else given(grad)) | {"output": [grad]}}
            os.makedirs(folder, exist_ok=True)
            with open(folder + "/dump.json", "w", encoding="utf-8") as file:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)
        for backward, golden, target, code in ((1, [2, 9, 11], [18, 11], 0), (1, [18, 11], [2, 9, 11], 0), (1, [6, 1], [6, 1, 1], 0),
                                               (1, [2, 9, 11], [9, 2, 11], 1), (1, [4, 6], [6, 4], 1), (1, [2, 3, 5], [6, 5, 1], 1),
                                               (0, [2, 9, 11], [18, 11], 1)):
            write("a", golden, backward)
            write("b", target, backward)
            got, summary = self.answer("a", "b")
            self.assertEqual((got, "2 values pass by a rule: axes 2" in summary["verdict"], "SAME" in summary["verdict"]),
                             (code, code == 0, False), (golden, target, summary["verdict"]))
            self.assertEqual(self.answer("a", "b", "--without", "axes")[0], 1)

    def looks(self, change):
        """What is said of a change to a dump of four ops."""
        x, w, y, z = tensor(X, 10), tensor(W, 3), tensor(Y, 7), tensor(Y, 5)
        for folder in ("a", "b"):
            data = {"Functional.linear.0.forward": given(x, w) | {"output": [y]}, "Functional.dropout.0.forward": given(y) | {"output": [z]},
                    "Functional.dropout.0.backward": {"input": [tensor(Y, .4)], "output": [tensor(Y, .3)]},
                    "Functional.linear.0.backward": {"input": [tensor(Y, .3)], "output": [tensor(X, .2), tensor(W, .9)]}}
            data = json.loads(json.dumps(data))
            if folder == "b":
                change(data)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            with open(folder + "/dump.json", "w", encoding="utf-8") as file:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)
        return self.answer("a", "b")[1]["pairs"][0]["first_divergence"].get("look_at", "")

    def test_what_to_look_at_next_follows_from_the_numbers(self):
        def other_order(data):
            data["Functional.linear.0.forward"]["input_args"][1]["Mean"] *= 1 + 1e-6
            data["Functional.linear.0.forward"]["output"][0]["Norm"] = 6

        def other_numbers(data):
            data["Functional.linear.0.forward"]["input_args"][1]["Norm"] *= 1.001

        def other_seed(data):
            data["Functional.dropout.0.forward"]["output"][0]["Norm"] = 5.1

        def no_gradient(data):
            data["Functional.linear.0.backward"]["output"][0] = None

        self.assertIn("the order of elements", self.looks(other_order))
        self.assertEqual("", self.looks(other_numbers))
        self.assertIn("the seed", self.looks(other_seed))
        self.assertIn("requires_grad", self.looks(no_gradient))

    def test_explain_says_of_any_slot_by_how_much_it_differs_its_tolerance_and_the_rule_with_its_figures(self):
        self.compare()
        said = " ".join(self.vernier("explain", "s.json", "--op", "Functional.linear.0.forward.input.2").stdout.split())
        self.assertIn("input.2 differs by 1.0e-05; tolerance 1.9e-06; passes by `noise-gradient`: its last gradient was rounding alone", said)
        said = " ".join(self.vernier("explain", "s.json", "--op", "Functional.linear.0.forward.output.0").stdout.split())
        self.assertIn("output.0 differs by 1.0e-07; tolerance 1.0e-05", said)

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
