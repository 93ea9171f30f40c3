#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier compare --runs`: one set-up run many times. The runs are made here from a sample with an op
that gives another result now and then, and everything after it inherits that."""
import filecmp
import json
import os
import shutil
import xml.dom.minidom

import program
from program import Case, SAMPLES, main

GPT = os.path.join(SAMPLES, "gpt", "golden")
RANKS = os.path.join(SAMPLES, "ranks", "golden")


def run(folder, *arguments, **environment):
    return program.run("compare", *arguments, cwd=folder, **environment)


def shake(path, first, factor, whole=True):
    """From the output of op `first` on every norm but those of weights is off by `factor`; with whole=False of that op alone."""
    with open(path, encoding="utf-8") as file:
        dump = json.load(file)
    started = False
    for name, entry in dump["data"].items():
        begins = name == first
        if begins:
            entry["output"][0]["Norm"] *= factor
            started = True
        elif started and whole:
            for key in ("input_args", "output", "input"):
                for leaf in (entry.get(key) or [])[:1]:
                    if isinstance(leaf, dict) and isinstance(leaf.get("Norm"), float):
                        leaf["Norm"] *= factor
    assert started, first
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dump, file)


class Runs(Case):
    def make(self, count, source=GPT):
        names = [f"run{i:02}" for i in range(1, count + 1)]
        for name in names:
            shutil.copytree(source, os.path.join(self.folder, name))
        return names

    def make_again(self, count):
        for name in [f"run{i:02}" for i in range(1, count + 1)]:
            shutil.rmtree(os.path.join(self.folder, name))
        return self.make(count)

    def dump_of(self, name, rank=0):
        return os.path.join(self.folder, name, "step0", f"rank{rank}", "dump.json")

    def load(self):
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_equal_runs_are_the_same_to_the_bit(self):
        names = self.make(3)
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual(code, 0, stderr)
        self.assertIn("SAME      3 runs, bit for bit: 421 ops each.", stderr)
        summary = self.load()
        self.assertEqual((summary["schema"], summary["identical"], summary["parting"]), ("vernier.runs/1", 3, 0))
        self.assertEqual(summary["born"], [])
        self.assertEqual(summary["noise"]["runs"], [])

    def test_a_flaky_op_is_found_with_how_often_and_where_it_is_born(self):
        names = self.make(9)
        for name, layer in (("run03", 4), ("run05", 4), ("run08", 8)):
            shake(self.dump_of(name), f"Functional.linear.{layer}.forward", 1.001)
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual(code, 1, stderr)
        verdict = stderr.splitlines()[-1]
        self.assertTrue(verdict.startswith("VARIES    9 runs: 6 identical, 3 diverge, always first in blocks.1-2.attn"),
                        verdict)
        summary = self.load()
        self.assertEqual(summary["common"], "run01")
        self.assertEqual([r["group"] for r in summary["runs"]], [0, 0, 1, 0, 1, 0, 0, 2, 0])
        first = summary["runs"][2]["first"]
        self.assertEqual((first["op"], first["slot"], first["inputs_same"]),
                         ("Functional.linear.4.forward", "output.0", True))
        self.assertEqual([layer["name"] for layer in summary["runs"][2]["layers"] if layer["first"]], ["blocks.1"])
        self.assertEqual(summary["runs"][7]["first"]["op"], "Functional.linear.8.forward")
        self.assertEqual(summary["born"][0]["runs"], 3)
        self.assertEqual(summary["noise"], {"golden": "run01", "runs": ["run03", "run05", "run08"],
                                            "largest": summary["noise"]["largest"]})
        self.assertAlmostEqual(summary["noise"]["largest"], 0.001, places=5)
        self.assertEqual(sorted(os.listdir(self.out)),
                         [".vernier-files", "index.html", "runs.png", "runs.svg", "runs.xlsx", "summary.json", "summary.md"])
        xml.dom.minidom.parse(os.path.join(self.out, "runs.svg"))

    def test_the_runs_that_part_serve_as_noise(self):
        names = self.make(3)
        for name, factor in (("run02", 1.001), ("run03", 0.9992)):
            shake(self.dump_of(name), "Functional.linear.4.forward", factor)
        shutil.copytree(os.path.join(self.folder, "run01"), os.path.join(self.folder, "target"))
        shake(self.dump_of("target"), "Functional.linear.4.forward", 1.0005)
        self.assertEqual(run(self.folder, "run01", "target", "-o", "a")[0], 1)
        code, _, stderr = run(self.folder, "run01", "target", "--noise", "run02", "--noise", "run03", "-o", "b")
        self.assertEqual(code, 0, stderr)

    def test_a_difference_within_tolerance_is_named_but_no_failure(self):
        names = self.make(3)
        shake(self.dump_of("run02"), "Functional.linear.4.forward", 1 + 1e-9, whole=False)
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual(code, 0, stderr)
        self.assertIn("AGREES    3 runs: 2 identical, 1 diverge, always first in blocks.1.attn", stderr)
        self.assertEqual(self.load()["runs"][1]["status"], "pass")

    def test_a_difference_within_tolerance_does_not_hide_where_a_run_goes_beyond_it(self):
        names = self.make(4)
        for name in ("run02", "run03"):
            shake(self.dump_of(name), "Functional.linear.0.forward", 1 + 1e-9, whole=False)
        shake(self.dump_of("run03"), "Functional.linear.8.forward", 1.001)
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out, "--format", "json,svg,md")
        self.assertEqual(code, 1, stderr)
        self.assertIn("VARIES    4 runs: 2 identical, 2 diverge, always first in blocks.0.attn; beyond tolerance: 1, "
                      "first in blocks.2.attn; largest rel. diff 1.0e-03.", stderr)
        runs = self.load()["runs"]
        self.assertIsNone(runs[1]["beyond"])
        self.assertEqual((runs[2]["first"]["op"], runs[2]["beyond"]["op"], runs[2]["beyond"]["module"]),
                         ("Functional.linear.0.forward", "Functional.linear.8.forward", "blocks.2.attn.qkv"))
        self.assertEqual([layer["name"] for layer in runs[2]["layers"] if layer["starts"]], ["blocks.2"])
        with open(os.path.join(self.out, "runs.svg"), encoding="utf-8") as file:
            picture = file.read()
        # Solid is where an error starts; the layer that only rounds otherwise inherits nothing red of its own.
        self.assertIn("run03 · blocks.0 · error, inherited", picture)
        self.assertIn("run03 · blocks.2 · error ·", picture)
        with open(os.path.join(self.out, "summary.md"), encoding="utf-8") as file:
            self.assertIn("`Functional.linear.8.forward`", file.read())

    def test_a_status_stands_once_in_the_legend_of_the_picture(self):
        names = self.make(3)
        shake(self.dump_of("run02"), "Functional.linear.4.forward", 1 + 1e-9, whole=False)
        shake(self.dump_of("run02"), "Functional.linear.8.forward", 1 + 1e-9, whole=False)
        run(self.folder, "--runs", *names, "-o", "runs.svg")
        with open(os.path.join(self.folder, "runs.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read().count(">pass</text>"), 1)

    def test_without_two_equal_runs_the_one_with_most_in_common_stands_for_all(self):
        names = self.make(3)
        shake(self.dump_of("run01"), "Functional.linear.0.forward", 1.01, whole=False)
        shake(self.dump_of("run02"), "Functional.linear.12.forward", 1.01)
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual(code, 1, stderr)
        self.assertEqual(self.load()["common"], "run03")
        self.assertIn("3 runs, none like another: 2 part from run03", stderr)

    def test_of_all_ranks_the_one_where_it_was_computed_speaks(self):
        names = self.make(4, RANKS)
        with open(self.dump_of("run04", 2), encoding="utf-8") as file:
            ops = [n for n, e in json.load(file)["data"].items() if n.startswith("Functional.linear") and e.get("output")]
        shake(self.dump_of("run04", 2), ops[1], 1.01, whole=False)
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out, "--format", "json")
        self.assertEqual(code, 1, stderr)
        summary = self.load()
        self.assertEqual((summary["identical"], summary["parting"]), (3, 1))
        self.assertEqual((summary["runs"][3]["first"]["rank"], summary["runs"][3]["first"]["op"]), (2, ops[1]))

    def test_a_run_that_cannot_be_read_costs_itself(self):
        names = self.make(4)
        with open(self.dump_of("run02"), "w", encoding="utf-8") as file:
            file.write("{")
        shutil.rmtree(os.path.join(self.folder, "run03"))
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual(code, 4, stderr)
        self.assertIn("PARTIAL SAME      2 runs, bit for bit", stderr)
        self.assertEqual([r["status"] for r in self.load()["runs"]], ["same", "no data", "no data", "same"])

    def test_a_run_that_tells_nothing_or_other_things_is_not_identical(self):
        def rewrite(name, change):
            with open(self.dump_of(name), encoding="utf-8") as file:
                dump = json.load(file)
            for entry in dump["data"].values():
                for key in ("input_args", "output"):
                    for leaf in entry.get(key) or []:
                        if isinstance(leaf, dict) and leaf.get("type") == "torch.Tensor":
                            change(leaf)
            with open(self.dump_of(name), "w", encoding="utf-8") as file:
                json.dump(dump, file)

        def null(leaf):
            leaf.update(Max=None, Min=None, Mean=None, Norm=None)

        names = self.make(3, source=GPT)
        for name in names:  # of ops without weights and keywords, so that nothing else is told
            with open(self.dump_of(name), encoding="utf-8") as file:
                dump = json.load(file)
            leaf = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}
            dump["data"] = {"Torch.add.%d.forward" % i: {"input_args": [leaf], "input_kwargs": {}, "output": [leaf]} for i in range(3)}
            with open(self.dump_of(name), "w", encoding="utf-8") as file:
                json.dump(dump, file)
        rewrite("run03", null)
        for given, code, said in ((names, 4, "PARTIAL SAME      2 runs, bit for bit"), (names[1:], 3, "NOT COMPARED  fewer than two runs could be compared.")):
            got, _, stderr = run(self.folder, "--runs", *given, "-o", self.out)
            self.assertEqual((got, said in stderr, "records no value" in stderr), (code, True, True), stderr)
        shutil.copy(self.dump_of("run01"), self.dump_of("run03"))
        rewrite("run03", lambda leaf: [leaf.pop(key, None) for key in ("Max", "Min", "Mean", "Norm")] and leaf.update(md5="0badcafe"))
        got, _, stderr = run(self.folder, "--runs", *names[1:], "-o", self.out)
        self.assertEqual((got, "this run records checksums, the most common one statistics" in stderr), (3, True), stderr)
        with open(self.dump_of("run01"), encoding="utf-8") as file:
            dump = json.load(file)
        null(dump["data"]["Torch.add.1.forward"]["output"][0])
        with open(self.dump_of("run03"), "w", encoding="utf-8") as file:
            json.dump(dump, file)
        got, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual((got, "only the most common one records a value: 1;" in stderr), (4, True), stderr)

    def cut(self, name, keep):
        with open(self.dump_of(name), encoding="utf-8") as file:
            dump = json.load(file)
        dump["data"] = {op: keep(op, entry) for op, entry in dump["data"].items() if keep(op, entry)}
        with open(self.dump_of(name), "w", encoding="utf-8") as file:
            json.dump(dump, file)

    def test_what_one_run_alone_records_is_not_said_to_be_the_same(self):
        names = self.make(2)
        self.cut("run02", lambda op, entry: entry if op.startswith("Functional.linear") else None)
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual((code, "PARTIAL SAME      2 runs, bit for bit in what they share." in stderr), (4, True), stderr)
        self.assertIn("the most common run alone records", stderr)
        names = self.make_again(2)
        self.cut("run02", lambda op, entry: {key: value for key, value in entry.items() if key != "output"})
        code, _, stderr = run(self.folder, "--runs", *names, "-o", self.out)
        self.assertEqual((code, "alone records outputs" in stderr), (4, True), stderr)

    def test_a_run_that_shares_no_op_is_left_out_and_no_other_run(self):
        names = self.make(3)
        self.cut("run03", lambda op, entry: entry if op.startswith("Module.") else None)
        for name in names[:2]:
            self.cut(name, lambda op, entry: None if op.startswith("Module.") else entry)
        for given, code, said in ((names, 4, "PARTIAL SAME      2 runs, bit for bit"), (names[1:], 3, "NOT COMPARED  fewer than two")):
            got, _, stderr = run(self.folder, "--runs", *given, "-o", self.out)
            self.assertEqual((got, said in stderr, "records nothing that the most common one records too" in stderr),
                             (code, True, True), stderr)

    def test_the_same_runs_give_the_same_bytes(self):
        names = self.make(4, RANKS)
        shake(self.dump_of("run02", 1), "Functional.linear.1.forward", 1.01)
        run(self.folder, "--runs", *names, "-o", "report", "--jobs", "1")
        os.rename(os.path.join(self.folder, "report"), os.path.join(self.folder, "one"))
        with open(os.path.join(self.folder, "one", "summary.md"), encoding="utf-8") as file:
            one = file.read().replace("--jobs 1", "--jobs 3")
        run(self.folder, "--runs", *names, "-o", "report", "--jobs", "3", TZ="Asia/Shanghai")
        with open(os.path.join(self.folder, "report", "summary.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), one)
        for name in ("index.html", "summary.json", "runs.svg", "runs.png", "runs.xlsx"):
            self.assertTrue(filecmp.cmp(os.path.join(self.folder, "one", name),
                                        os.path.join(self.folder, "report", name), shallow=False), name)

    def test_redact_leaves_the_folders_out(self):
        names = self.make(2)
        shake(self.dump_of("run02"), "Functional.linear.4.forward", 1.01)
        run(self.folder, "--runs", *[os.path.join(self.folder, n) for n in names], "--redact", "-o", self.out)
        for name in ("index.html", "summary.json", "summary.md", "runs.svg"):
            with open(os.path.join(self.out, name), encoding="utf-8") as file:
                self.assertNotIn(self.folder, file.read(), name)

    def test_wrong_usage_exits_2_and_nothing_to_read_3(self):
        names = self.make(2)
        self.assertEqual(run(self.folder, "--runs", names[0], "-o", self.out)[0], 2)
        self.assertEqual(run(self.folder, "--runs", *names, "--noise", names[0], "-o", self.out)[0], 2)
        self.assertEqual(run(self.folder, "--runs", *names, "--shard", "1/2", "-o", self.out)[0], 2)
        self.assertEqual(run(self.folder, "--runs", "a", "b", "-o", self.out)[0], 3)
        self.assertEqual(run(self.folder, "--runs", names[0], "b", "-o", self.out)[0], 3)


if __name__ == "__main__":
    main()
