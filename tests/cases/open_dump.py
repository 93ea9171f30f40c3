#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vernier.dump/1 (docs/dump-format.md): written by convert, by the hooks of samples/hooks, by hand; read by compare, graph and
locate."""
import glob
import json
import os
import shutil
import subprocess
import sys
import unittest

from program import Case, SAMPLES, main, run

HOOKS = os.path.join(SAMPLES, "hooks")
GPT = os.path.join(SAMPLES, "gpt")
HEADER = {"schema": "vernier.dump/1", "framework": "pytorch"}


def has_torch(python):
    return subprocess.run([python, "-c", "import torch, numpy"], stderr=subprocess.DEVNULL).returncode == 0


TORCH = next((p for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p) and has_torch(p)), None)


def tensor(op, io, slot, norm, **more):
    return dict({"op": op, "module": op, "class": "Linear", "io": io, "slot": slot, "dtype": "torch.float32", "shape": [4],
                 "max": norm / 2, "min": -norm / 2, "mean": 0.0, "norm": norm}, **more)


class OpenDump(Case):
    def lines(self, name, items, header=HEADER):
        return self.write(name, "".join(json.dumps(item) + "\n" for item in [header] + items))

    def compare(self, golden, target, *options):
        code, _, said = run("compare", golden, target, "-o", self.out, *options, cwd=self.folder)
        return code, said

    def rows(self, *arguments):
        """The rows of a comparison without the columns about stacks, which stay with the dump."""
        code, _, said = run("compare", *arguments, "-o", self.path("rows.csv"), cwd=self.folder)
        with open(self.path("rows.csv"), encoding="utf-8-sig") as file:
            return code, said, [line for line in file]

    def test_what_is_converted_is_the_same_dump(self):
        for side in ("golden", "target"):
            code, _, said = run("convert", os.path.join(GPT, side), "-o", self.path(side))
            self.assertEqual(code, 0, said)
            self.assertIn("421 ops of 1 dump", said)
            self.assertEqual(self.compare(os.path.join(GPT, side), side)[0], 0)
            run("convert", self.path(side), "-o", self.path("again-" + side))
            with open(self.path(side, "step0/rank0/dump.jsonl"), "rb") as one, open(self.path("again-" + side, "step0/rank0/dump.jsonl"), "rb") as two:
                self.assertEqual(one.read(), two.read())
        code, said = self.compare("golden", "target")
        self.assertEqual(code, 1)
        self.assertEqual(said.split("\n")[-2], self.compare(os.path.join(GPT, "golden"), os.path.join(GPT, "target"))[1].split("\n")[-2])

    def test_what_runs_again_and_what_is_flagged_stays_so(self):
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}
        data = {"task": "statistics", "level": "L1", "framework": "pytorch", "data": {
            "Functional.relu.%d.forward" % i: {"is_recompute": i > 1, **({"is_nan": True} if i == 1 else {}), "input_args": [tensor],
                                               "output": [tensor]} for i in range(4)}}
        self.write("dump.json", json.dumps(data))
        run("convert", "dump.json", "-o", "a.jsonl", cwd=self.folder)
        run("convert", "a.jsonl", "-o", "b.jsonl", cwd=self.folder)
        with open(self.path("b.jsonl"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file][1:]
        self.assertEqual([row["is_recompute"] for row in rows], [False] * 4 + [True] * 4)
        self.assertEqual([row.get("is_nan") for row in rows], [None] * 2 + [True] * 2 + [None] * 4)

    def test_statistics_keep_their_words_and_integers(self):
        data = {"task": "statistics", "level": "L1", "framework": "pytorch", "data": {"Functional.relu.0.forward": {
            "input_args": [{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": float("inf"), "Min": float("nan"),
                            "Mean": 2.0, "Norm": 3, "requires_grad": True}, {"type": "int", "value": 3}, None],
            "input_kwargs": {"inplace": {"type": "bool", "value": False}}, "output": []}}}
        self.write("d/dump.json", json.dumps(data))
        run("convert", "d", "-o", "x.jsonl", cwd=self.folder)
        with open(self.path("x.jsonl"), encoding="utf-8") as file:
            text = file.read()
        for words in ('"max": "Infinity"', '"min": "NaN"', '"mean": 2.0', '"norm": 3,', '"slot": "inplace"'):
            self.assertIn(words, text)
        self.assertEqual(self.compare("d", "x.jsonl")[0], 0)

    def test_debug_trees_are_converted_with_their_modules(self):
        subprocess.run([sys.executable, os.path.join(SAMPLES, "debug-tree", "make-debug-tree.py"), self.folder, "--prune", "both"], check=True)
        for side in ("golden", "target"):
            run("convert", side, "-o", side + ".jsonl", cwd=self.folder)
        code, said = self.compare("golden.jsonl", "target.jsonl")
        other, again = self.compare("golden", "target")
        self.assertEqual((code, said.split("\n")[-2]), (other, again.split("\n")[-2]))
        self.assertEqual(self.compare("target", "target.jsonl")[0], 0)

    def test_the_defect_of_the_recorded_runs_is_named(self):
        recorded = os.path.join(HOOKS, "recorded")
        code, said = self.compare(os.path.join(recorded, "golden"), os.path.join(recorded, "target"))
        self.assertEqual(code, 1)
        self.assertIn("DIVERGES  at Model.blocks.1.down, ", said)
        self.assertIn("inputs agree", said)
        code, _, said = run("graph", os.path.join(recorded, "golden"), "-o", self.out)
        self.assertIn("15 modules", said)

    @unittest.skipUnless(TORCH, "PyTorch is not here")
    def test_the_hook_of_pytorch_finds_the_defect(self):
        for options in ([], ["--tensors"], ["--backward"]):
            subprocess.run([TORCH, "-W", "ignore", os.path.join(HOOKS, "try-torch.py"), self.path("torch"), *options], check=True)
            code, said = self.compare("torch/golden", "torch/target")
            self.assertEqual(code, 1, said)
            self.assertIn("DIVERGES  at Model.blocks.1.down, ", said)
            self.assertEqual(self.compare("torch/golden", "torch/golden")[0], 0)
            shutil.rmtree(self.path("torch"))

    def test_the_hooks_are_short(self):
        for name in glob.glob(os.path.join(HOOKS, "*_hook.py")):
            with open(name, encoding="utf-8") as file:
                self.assertLessEqual(len(file.readlines()), 200, name)

    def test_calls_directions_and_gradients_are_ops_of_their_own(self):
        def side(name, norm):
            self.lines(name, [tensor("fc", "output", 0, 1.0), tensor("fc", "output", 0, norm, call=1),
                              tensor("fc", "output", 0, 2.0, direction="backward"), tensor("fc", "grad", "weight", 3.0)])
        side("a.jsonl", 1.0)
        side("b.jsonl", 1.5)
        code, said = self.compare("a.jsonl", "b.jsonl")
        self.assertEqual(code, 1)
        self.assertIn("fc#1", said)

    def test_tensor_files_beside_it_are_compared_by_element(self):
        import array
        for side, last in (("a", 4.0), ("b", 5.0)):
            head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"
            head += b" " * (-(len(head) + 11) % 64) + b"\n"
            body = b"\x93NUMPY\x01\0" + len(head).to_bytes(2, "little") + head + array.array("f", [1, 2, 3, last]).tobytes()
            self.write(side + "/dump_tensor_data/t.npy", body)
            self.lines(side + "/dump.jsonl", [tensor("fc", "output", 0, 5.0, file="t.npy")])
        code, said = self.compare("a", "b")
        self.assertEqual(code, 1, said)
        self.assertIn("at fc", said)

    def test_a_nan_is_located(self):
        self.lines("a.jsonl", [tensor("fc", "input", 0, 1.0), dict(tensor("fc", "output", 0, 1.0), max="NaN", norm="NaN")])
        code, _, said = run("locate", "a.jsonl", "-o", self.out, cwd=self.folder)
        self.assertEqual(code, 1, said)
        self.assertIn("fc", said)

    def test_what_is_broken_costs_itself(self):
        good = tensor("fc", "output", 0, 1.0)
        self.lines("a.jsonl", [good])
        head, line = json.dumps(HEADER) + "\n", json.dumps(good) + "\n"
        for text in (head + "nonsense\n" + line, head + line + line[:20], head + '{"op": "x"}\n' + line, head + "[1]\n\n" + line,
                     head + '{"op": "", "io": "input", "slot": 0}\n' + line, head + line + "{" * 3000):
            self.write("b.jsonl", text)
            code, said = self.compare("a.jsonl", "b.jsonl")
            self.assertEqual(code, 4, said)
            self.assertIn("PARTIAL SAME", said)
        for text, words in ((line, "no dump"), ('{"schema": "vernier.dump/2"}\n' + line, "expected the schema 'vernier.dump/1'"),
                            ('{"schema": \n' + line, "no JSON object"), (head, "no tensor could be read")):
            self.write("b.jsonl", text)
            code, said = self.compare("a.jsonl", "b.jsonl")
            self.assertEqual(code, 3, said)
            if words != "no dump":
                self.assertIn(words, said)

    def test_a_statistic_that_is_no_number_is_lost_and_told(self):
        good = tensor("fc", "output", 0, 1.0)
        self.lines("a.jsonl", [good, tensor("out", "output", 0, 1.0)])
        for key in ("max", "min", "mean", "norm"):
            for value in ({"a": 1}, []):
                self.lines("b.jsonl", [good, {**tensor("out", "output", 0, 1.0), key: value}])
                for sides in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl"), ("b.jsonl", "b.jsonl")):
                    code, said = self.compare(*sides, "--format", "json")
                    self.assertEqual(code, 4, said)
                    self.assertIn("PARTIAL", said)
                with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                    notice = next(n for n in json.load(file)["problems"] if "a list or an object" in json.dumps(n))
                self.assertEqual(notice["line"], 3)

    def test_names_with_control_characters_are_escaped(self):
        self.lines("a.jsonl", [tensor("fc\x1b[31m", "output", 0, 1.0)])
        self.lines("b.jsonl", [tensor("fc\x1b[31m", "output", 0, 2.0)])
        self.assertNotIn("\x1b", self.compare("a.jsonl", "b.jsonl")[1])

    def test_convert_says_what_it_cannot_do(self):
        for arguments, code, words in (([], 2, "needs a dump"), (["absent"], 3, "no such file"),
                                       ([GPT + "/golden", "-o", "x.svg"], 2, ".jsonl files"),
                                       ([GPT + "/golden", "-o", "x.jsonl", "--title", "x"], 2, "--title would have no effect"),
                                       ([GPT + "/golden", "-o", "x.jsonl", "--open"], 2, "--open would have no effect")):
            found, _, said = run("convert", *arguments, cwd=self.folder)
            self.assertEqual(found, code, said)
            self.assertIn(words, said)
        for rank in (0, 1):
            self.lines("two/step0/rank%d/dump.jsonl" % rank, [tensor("fc", "output", 0, 1.0)])
        code, _, said = run("convert", "two", "-o", "x.jsonl", cwd=self.folder)
        self.assertEqual(code, 2)
        self.assertIn("one file takes one dump", said)
        self.assertEqual(run("convert", "two", "--rank", "1", "-o", "x.jsonl", cwd=self.folder)[0], 0)
        code, _, said = run("convert", "two", "-o", "two", cwd=self.folder)
        self.assertEqual(code, 2)
        self.assertIn(" is an input", said)

    def test_convert_never_writes_over_a_dump_that_it_reads(self):
        for rank in (0, 1):
            self.lines("gg/step0/rank%d/dump.jsonl" % rank, [tensor("fc", "output", 0, 1.0, mine=rank)])
        os.link(self.path("gg/step0/rank0/dump.jsonl"), self.path("same.jsonl"))
        texts = {}
        for rank in (0, 1):
            with open(self.path("gg/step0/rank%d/dump.jsonl" % rank), encoding="utf-8") as file:
                texts[rank] = file.read()
        for dump, out in (("gg/step0/rank0", "gg/"), ("gg/step0/rank0/dump.jsonl", "gg"), ("gg/step0", "gg"), ("gg/step0/rank0", "same.jsonl")):
            code, _, said = run("convert", dump, "-o", out, cwd=self.folder)
            self.assertEqual(code, 2, said)
            self.assertIn("this file is an input: it is not written over", said)
            for rank, text in texts.items():
                with open(self.path("gg/step0/rank%d/dump.jsonl" % rank), encoding="utf-8") as file:
                    self.assertEqual(file.read(), text)

    def test_convert_writes_the_first_of_two_dumps_of_one_step_and_rank_and_names_the_other(self):
        for name in ("rank", "rank0"):
            self.lines("mixed/step0/%s/dump.jsonl" % name, [tensor("fc", "output", 0, 1.0)])
        code, _, said = run("convert", "mixed", "-o", "lines", cwd=self.folder)
        self.assertEqual(code, 4, said)
        for words in ("step0/rank/dump.jsonl", "step0/rank0/dump.jsonl", "is of the same step and rank"):
            self.assertIn(words, said)

    def test_convert_writes_over_no_dump_of_another_run(self):
        for side, mine in (("gpu", 1.0), ("npu", 2.0)):
            self.lines(side + "/step0/rank0/dump.jsonl", [tensor("fc", "output", 0, mine)])
        with open(self.path("npu/step0/rank0/dump.jsonl"), encoding="utf-8") as file:
            before = file.read()
        code, _, said = run("convert", "gpu", "-o", "npu", cwd=self.folder)
        self.assertEqual(code, 2, said)
        self.assertIn("there is a dump already", said)
        with open(self.path("npu/step0/rank0/dump.jsonl"), encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(run("convert", "gpu", "-o", "lines", cwd=self.folder)[0], 0)
        self.assertEqual(run("convert", "gpu", "-o", "lines", cwd=self.folder)[0], 2)

    def test_convert_counts_a_dump_once_whatever_the_number_of_outputs(self):
        self.lines("a.jsonl", [tensor("fc", "output", 0, 1.0)])
        code, _, said = run("convert", "a.jsonl", "-o", "b.jsonl", "-o", "c.jsonl", cwd=self.folder)
        self.assertEqual(code, 0, said)
        self.assertIn("1 op of 1 dump as", said)


if __name__ == "__main__":
    main()
