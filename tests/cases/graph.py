#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command `vernier graph` as its users call it."""
import filecmp
import json
import os
import shutil
import sqlite3
import subprocess
import xml.dom.minidom

import program
from program import Case, SAMPLES, main

GPT = os.path.join(SAMPLES, "gpt", "golden")
RANKS = os.path.join(SAMPLES, "ranks", "golden")


def run(*arguments, **environment):
    return program.run("graph", *arguments, **environment)


def tensor(top, norm=1.0, mean=0.5):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 2], "Max": top, "Min": 0.0, "Mean": mean,
            "Norm": norm, "requires_grad": False}


class Graph(Case):
    def load(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return json.load(file)

    def test_a_dump_is_counted_drawn_and_listed(self):
        code, stdout, stderr = run(GPT, "-o", self.out, "--format", "html,md,json,svg,png,xlsx,nodes,vis-db")
        self.assertEqual((code, stdout.startswith("FINITE    421 ops: no overflow level. 1 dump")), (0, True), stderr)
        self.assertEqual(sorted(os.listdir(self.out)),
                         ["boxes-step0-rank0.png", "boxes-step0-rank0.svg", "graph-step0-rank0.png", "graph-step0-rank0.svg", "graph.vis.db", "graph.xlsx", "index.html",
                          "nodes-step0-rank0.json", "summary.json", "summary.md"])
        dump = self.load("summary.json")["dumps"][0]
        self.assertEqual((dump["ops"], dump["micro_steps"], dump["hierarchy"]), (421, 1, True))
        nodes = self.load("nodes-step0-rank0.json")["target"]
        self.assertEqual(nodes[-1]["id"], "DefaultModel")
        self.assertEqual(sum(n["type"] == "module" for n in nodes) - 1, dump["modules"])
        svg = xml.dom.minidom.parse(os.path.join(self.out, "graph-step0-rank0.svg"))
        self.assertTrue(svg.getElementsByTagName("title")[0].firstChild.data.startswith("Hierarchy: FINITE    421 ops: no overflow level."))
        self.assertLess(os.path.getsize(os.path.join(self.out, "graph-step0-rank0.svg")), 300 << 10)

    def test_on_paper_the_tree_is_open_to_its_leaves_and_its_heading_stands_with_it(self):
        run(GPT, "-o", self.out, "--format", "pdf,trace")
        self.assertEqual(sorted(os.listdir(self.out)), ["boxes-step0-rank0.pdf", "boxes-step0-rank0.trace", "graph-step0-rank0.pdf", "graph-step0-rank0.trace",
                                                         "report.pdf"])
        if not shutil.which("pdftotext"):
            self.skipTest("pdftotext is not here")
        pages = subprocess.run(["pdftotext", "-layout", os.path.join(self.out, "report.pdf"), "-"],
                               stdout=subprocess.PIPE, check=True).stdout.decode().split("\f")
        self.assertIn("qkv", "".join(pages))  # a module of the third level, folded in the overview
        with open(self.path("out", "graph-step0-rank0.trace"), encoding="utf-8") as file:
            self.assertNotIn('"qkv"', file.read())
        self.assertIn("Hierarchy", pages[0])
        self.assertIn("Arrows lead from", pages[0])  # the boxes, whole, below their heading
        self.assertIn("4 levels deep", pages[1])
        self.assertIn("Overview", pages[1])
        self.assertNotRegex("".join(pages), r"FINITE at\b")

    def test_overflow_levels_follow_the_worked_example(self):
        good, bad = tensor(1.0), tensor(float("inf"), float("nan"), float("nan"))
        cases = {"Torch.mul.0.forward": (good, bad, "critical"), "Torch.mul.1.forward": (bad, bad, "high"),
                 "Torch.mul.2.forward": (bad, good, "medium"), "Torch.mul.3.forward": (good, tensor(1.0, 101.0), "high"),
                 "Torch.mul.4.forward": (good, tensor(1.0, float("nan")), None),
                 "Torch.mul.5.forward": (tensor(1.0, 0.0), tensor(1.0, 100.0), None),
                 "Torch.empty.0.forward": (good, bad, None), "Tensor.masked_fill_.0.forward": (bad, bad, None)}
        data = {name: {"input_args": [i], "input_kwargs": {}, "output": [o]} for name, (i, o, _) in cases.items()}
        for name, content in (("dump.json", {"task": "statistics", "level": "mix", "framework": "pytorch", "data": data}),
                              ("construct.json", {name: None for name in data})):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        code, _, stderr = run(os.path.join(self.folder, "dump.json"), "-o", self.out, "--format", "json,nodes")
        self.assertEqual(code, 0, stderr)
        levels = {n["id"]: n["overflow_level"] for n in self.load("nodes-step0-rank0.json")["target"]}
        for name, (_, _, level) in cases.items():
            self.assertEqual(levels[name], level, name)
        self.assertIn("Inf       at Torch.mul.0.forward, step 0, rank 0: the first critical; overflow levels: 1 critical, 2 high, 1 medium.", stderr)

    def test_a_picture_says_how_many_levels_it_leaves_out(self):
        def chain(folder, levels, by):
            paths = ["Module." + ".".join("m%d" % i for i in range(level + 1)) + ".Block.forward.0" for level in range(levels)]
            construct = {path: above for path, above in zip(paths, [None, *paths])}
            data = {path: {"input_args": [tensor(by)], "input_kwargs": {}, "output": [tensor(by, by)]} for path in reversed(paths)}
            for name, content in (("dump.json", {"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}),
                                  ("construct.json", construct)):
                os.makedirs(os.path.join(self.folder, folder), exist_ok=True)
                with open(os.path.join(self.folder, folder, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)
            return os.path.join(self.folder, folder)

        def drawn():
            with open(os.path.join(self.out, "graph-step0-rank0.trace"), encoding="utf-8") as file:
                return file.read()

        for levels in (8, 9, 30):
            run(chain("golden", levels, 1.0), "-o", self.out, "--format", "trace")
            self.assertEqual("the upper 8 of %d levels are drawn" % levels in drawn(), levels > 8)
            self.assertEqual("24 levels deep of the %d that the dump has" % levels in drawn(), levels > 24)
            program.run("compare", chain("golden", levels, 1.0), chain("target", levels, 1.5), "-o", self.out, "--format", "trace")
            self.assertEqual("the upper 8 of %d levels are drawn" % levels in drawn(), levels > 8)

    def test_names_are_read_however_deep_they_stand(self):
        data, construct, path = {}, {}, "Module"
        for level in range(40):
            above = path + ".Block.forward.0" if level else None
            path += ".m%d" % level
            name, call = path + ".Block.forward.0", "Functional.linear.%d.forward" % level
            for each, parent in ((name, above), (call, name)):
                data[each] = {"input_args": [tensor(1.0 + level)], "input_kwargs": {}, "output": [tensor(2.0 + level)]}
                construct[each] = parent
        for name, content in (("dump.json", {"task": "statistics", "level": "mix", "framework": "pytorch", "data": data}),
                              ("construct.json", construct)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        code, _, stderr = run(os.path.join(self.folder, "dump.json"), "--depth", "40", "-o", self.out, "--format", "trace")
        self.assertEqual(code, 0, stderr)
        with open(os.path.join(self.out, "graph-step0-rank0.trace"), encoding="utf-8") as file:
            drawn = file.read()
        for level in range(40):
            self.assertIn('"m%d"' % level, drawn)
            if level < 39:  # the last holds nothing but its call
                self.assertIn('"linear.%d"' % level, drawn)

    def test_weights_that_are_bad_or_tell_nothing_are_told(self):
        for weight, words in ((tensor(float("nan")), "NaN       at Module.f.Linear.forward.0, step 0, rank 0: the first medium; overflow levels: 1 medium."),
                              (dict(tensor(None, None, None), Min=None), "1 of 2 ops have tensors without statistics"), (tensor(1.0), "no overflow level.")):
            data = {name: {"input_args": [tensor(1.0)], "input_kwargs": {}, "output": [tensor(1.0)]}
                    for name in ("Module.f.Linear.forward.0", "Torch.mul.0.forward")}
            data["Module.f.Linear.forward.0"]["parameters"] = {"weight": weight, "bias": tensor(1.0)}
            for name, content in (("dump.json", {"task": "statistics", "level": "mix", "framework": "pytorch", "data": data}),
                                  ("construct.json", {name: None for name in data})):
                with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)
            code, out, _ = run(os.path.join(self.folder, "dump.json"), "-o", os.path.join(self.folder, "v.md"))
            self.assertEqual(code, 0)
            self.assertIn(words, out)

    def test_ops_whose_results_tell_nothing_are_not_judged_and_a_dump_without_ops_is_none(self):
        leaf = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 8], "Max": 1.0, "Min": -1.0, "Mean": 0.0, "Norm": 2.0}
        null = {**leaf, "Max": None, "Min": None, "Mean": None, "Norm": None}
        add = {"input_args": [leaf], "input_kwargs": {}, "output": [null]}
        for count, code, said in ((3, 0, "NOT JUDGED  3 ops: no op records statistics of its results"), (0, 3, "NO DATA   no dump holds an op.")):
            path = self.write("dump.json", json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch",
                                                       "data": {"Torch.add.%d.forward" % i: add for i in range(count)}}))
            got, out, err = run(path, "-o", self.out, "--format", "json")
            self.assertEqual((got, said in out), (code, True), out + err)
            with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["status"], "pass" if count else "no data")

    def test_all_ranks_stand_in_one_database_and_communication_is_linked(self):
        code, _, stderr = run(RANKS, "-o", os.path.join(self.folder, "x.vis.db"))
        self.assertEqual(code, 0, stderr)
        database = sqlite3.connect(os.path.join(self.folder, "x.vis.db"))
        config = database.execute("SELECT graph_type, task, node_colors, rank_list FROM tb_config").fetchone()
        self.assertEqual(config, ("build", "", "null", "[0, 1, 2, 3]"))
        row = database.execute("SELECT matched_distributed, data_source FROM tb_nodes WHERE rank=1 AND "
                               "node_name='Distributed.all_reduce.0.forward'").fetchone()
        self.assertEqual(sorted(json.loads(row[0])["nodes_info"]), ["0", "2", "3"])
        self.assertEqual(row[1], "NPU")
        database.close()

    def test_the_same_input_gives_the_same_bytes(self):
        one, two = os.path.join(self.folder, "one"), os.path.join(self.folder, "two")
        run(RANKS, "-o", one, "--jobs", "1", "--format", "html,json,svg,png,xlsx,nodes,vis-db")
        run(RANKS, "-o", two, "--jobs", "3", "--format", "html,json,svg,png,xlsx,nodes,vis-db", TZ="Asia/Shanghai")
        self.assertEqual(os.listdir(one).sort(), os.listdir(two).sort())
        for name in os.listdir(one):
            self.assertTrue(filecmp.cmp(os.path.join(one, name), os.path.join(two, name), shallow=False), name)

    def test_a_bad_rank_does_not_stop_the_others(self):
        dump = os.path.join(self.folder, "dump")
        shutil.copytree(RANKS, dump)
        with open(os.path.join(dump, "step0", "rank0", "dump.json"), "w", encoding="utf-8") as file:
            file.write("{")
        code, _, stderr = run(dump, "-o", self.out)
        self.assertEqual(code, 4, stderr)
        self.assertIn("3 dumps", stderr)
        self.assertEqual(len(self.load("summary.json")["dumps"]), 3)

    def test_usage_errors_exit_2_and_missing_dumps_3(self):
        self.assertEqual(run("-o", self.out)[0], 2)
        self.assertEqual(run(GPT, RANKS, "-o", self.out)[0], 2)
        self.assertEqual(run(self.folder, "-o", self.out)[0], 3)


if __name__ == "__main__":
    main()
