#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks that hold one model in parts are merged: the same numbers shared out otherwise agree.

A small transformer is written as one rank would dump it, and as ranks of any tensor, pipeline and
virtual pipeline layout would; every rank's statistics are those of its share of the same numbers.
"""
import json
import math
import os
import random
import shutil

from program import Case, main, run

LAYERS, HIDDEN, TOKENS = 8, 8, 4


def tensor(values, shape, requires_grad=True):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": max(values), "Min": min(values),
            "Mean": sum(values) / len(values), "Norm": math.sqrt(sum(v * v for v in values)),
            "requires_grad": requires_grad}


class Numbers:
    """What the model computes, whoever computes it. `wrong` names a value that comes out wrong."""

    def __init__(self, wrong=None):
        self.wrong = wrong

    def values(self, name, size):
        chooser = random.Random(name)
        values = [chooser.uniform(-1, 1) for _ in range(size)]
        return [v * 1.5 for v in values] if name == self.wrong else values


class Rank:
    def __init__(self, layout, number):
        self.layout, self.number = layout, number
        self.construct, self.data, self.calls = {}, {}, {}
        self.parents = [None]

    def api(self, name, inputs, outputs, kwargs=None, direction="forward"):
        key = name + direction
        call = self.calls.get(key, 0)
        self.calls[key] = call + 1
        full = "%s.%d.%s" % (name, call, direction)
        self.construct[full] = self.parents[-1]
        self.data[full] = {"input_args": inputs, "input_kwargs": kwargs or {}, "output": outputs}

    def module(self, name, direction, inputs, outputs, parameters=None):
        """To be called when the module is done; enter() came before."""
        entry = {"input_args": inputs, "input_kwargs": {}, "output": outputs} if direction == "forward" else \
                {"input": inputs, "output": outputs}
        if parameters:
            entry["parameters"] = parameters
        self.parents.pop()
        self.data["%s.%s.0" % (name, direction)] = entry

    def enter(self, name, direction):
        full = "%s.%s.0" % (name, direction)
        self.construct[full] = self.parents[-1]
        self.parents.append(full)

    def write(self, folder):
        os.makedirs(folder)
        head = {"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None, "data": self.data}
        for name, content in (("dump.json", head), ("construct.json", self.construct), ("stack.json", {})):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)


class World:
    """One step of the model on tp x pp x dp ranks, numbered with tp fastest and pp slowest."""

    def __init__(self, tp=1, pp=1, vpp=1, dp=1, numbers=None, global_layers=False):
        self.tp, self.pp, self.vpp, self.dp = tp, pp, vpp, dp
        self.global_layers = global_layers
        self.numbers = numbers or Numbers()
        self.ranks = [self.play(number) for number in range(tp * pp * dp)]

    # ---- shares

    def whole(self, name, width=HIDDEN):
        return tensor(self.numbers.values(name, TOKENS * width), [TOKENS, width])

    def share(self, name, t, width=4 * HIDDEN):
        values = self.numbers.values(name, TOKENS * width)
        own = [v for i, v in enumerate(values) if i % self.tp == t]
        return tensor(own, [TOKENS, width // self.tp])

    def partial(self, name, t):
        """A term of the sum over the tensor-parallel ranks."""
        values = self.numbers.values(name, TOKENS * HIDDEN)
        if self.tp == 1:
            return tensor(values, [TOKENS, HIDDEN])
        terms = [[v * 0.25 + random.Random(name + str(i)).uniform(-1, 1) for v in values] for i in range(self.tp - 1)]
        last = [v - sum(term[i] for term in terms) for i, v in enumerate(values)]
        return tensor((terms + [last])[t], [TOKENS, HIDDEN])

    # ---- the model

    def play(self, number):
        rank = Rank(self, number)
        t, d, p = number % self.tp, number // self.tp % self.dp, number // (self.tp * self.dp)
        world = {"type": "torch.ProcessGroup", "group_ranks": [number - t + i for i in range(self.tp)],
                 "group_id": "tp%d" % (number // self.tp)}
        rank.copy = "copy%d." % d
        size = {"type": "int", "value": 4 * HIDDEN // self.tp}
        rank.api("Torch.empty", [size], [self.share("buffer", t)])
        rank.api("Torch.ones", [{"type": "int", "value": 4}], [self.whole("ones")])
        chunks = range(self.vpp)
        for chunk in chunks:
            self.chunk(rank, t, p, chunk, "forward", world)
        for chunk in reversed(chunks):
            self.chunk(rank, t, p, chunk, "backward", world)
        return rank

    def transfer(self, rank, p, chunk, direction, entering):
        step = self.tp * self.dp
        first, last = p == 0, p == self.pp - 1
        if self.pp == 1:
            return
        forward = direction == "forward"
        at_start = (first and chunk == 0) if forward else (last and chunk == self.vpp - 1)
        at_end = (last and chunk == self.vpp - 1) if forward else (first and chunk == 0)
        ahead = (rank.number + step) % (step * self.pp)
        behind = (rank.number - step) % (step * self.pp)
        value = self.whole("sent")
        if entering and not at_start:
            peer = behind if forward else ahead
            rank.api("Distributed.recv", [value], [value], {"src": {"type": "int", "value": peer}})
        if not entering and not at_end:
            peer = ahead if forward else behind
            rank.api("Distributed.send", [value], [], {"dst": {"type": "int", "value": peer}})

    def chunk(self, rank, t, p, chunk, direction, group):
        top = "Module.%d.module" % chunk
        per = LAYERS // (self.pp * self.vpp)
        start = (chunk * self.pp + p) * per
        first, last = start == 0, start + per == LAYERS
        forward = direction == "forward"
        self.transfer(rank, p, chunk, direction, True)
        rank.enter(top + ".GPT", direction)
        if first and forward:
            rank.enter(top + ".embedding.Embedding", direction)
            rank.api("Functional.embedding", [self.whole("tokens")], [self.whole("hidden0")])
            rank.module(top + ".embedding.Embedding", direction, [self.whole("tokens")], [self.whole("hidden0")])
        if last and not forward:
            self.head(rank, top, direction)
        rank.enter(top + ".decoder.Block", direction)
        numbers = range(start, start + per)
        for layer in numbers if forward else reversed(numbers):
            self.layer(rank, t, top, layer, layer if self.global_layers else layer - start, direction, group)
        ends = self.whole("hidden%d" % (start + per)), self.whole("grad%d" % (start + per)), self.whole("grad%d" % start)
        inner = [self.whole("hidden%d" % start)] if first else [None]
        rank.module(top + ".decoder.Block", direction, inner if forward else [ends[1]], [ends[0]] if forward else [ends[2]])
        if last and forward:
            self.head(rank, top, direction)
        out = self.whole("logits") if last else ends[0]
        rank.module(top + ".GPT", direction, [self.whole("tokens")] if forward else [self.whole("loss") if last else ends[1]],
                    [out] if forward else [self.whole("grad0") if first else ends[2]])
        self.transfer(rank, p, chunk, direction, False)

    def head(self, rank, top, direction):
        name = top + ".head.Head"
        end = "hidden%d" % LAYERS
        ways = [self.whole(end)], [self.whole("logits")]
        rank.enter(name, direction)
        if direction == "forward":
            rank.api("Torch.matmul", *ways)
        rank.module(name, direction, *(ways if direction == "forward" else ([self.whole("loss")], [self.whole("grad%d" % LAYERS)])))

    def layer(self, rank, t, top, layer, shown, direction, group):
        name = "%s.decoder.layers.%d" % (top, shown)
        hidden, done = self.whole("hidden%d" % layer), self.whole("hidden%d" % (layer + 1))
        rank.enter(name + ".Layer", direction)
        if direction == "backward":
            gradients = [self.whole("grad%d" % (layer + 1))], [self.whole("grad%d" % layer)]
            rank.module(name + ".Layer", direction, *gradients)
            return
        label = "l%d." % layer
        rank.enter(name + ".fc1.ColumnParallelLinear", direction)
        rank.api("Torch.matmul", [hidden, self.share(label + "w1", t)], [self.share(label + "fc1", t)])
        rank.module(name + ".fc1.ColumnParallelLinear", direction, [hidden], [self.share(label + "fc1", t)],
                    {"weight": self.share(label + "w1", t)})
        rank.api("Functional.gelu", [self.share(label + "fc1", t)], [self.share(label + "gelu", t)])
        rank.enter(name + ".fc2.RowParallelLinear", direction)
        product = self.partial("hidden%d" % (layer + 1), t)
        rank.api("Torch.matmul", [self.share(label + "gelu", t), self.share(label + "w2", t)], [product])
        if self.tp > 1:
            rank.api("Distributed.all_reduce", [product], [done], {"group": group})
        rank.module(name + ".fc2.RowParallelLinear", direction, [self.share(label + "gelu", t)], [done],
                    {"weight": self.share(label + "w2", t)})
        rank.module(name + ".Layer", direction, [hidden], [done])

    def write(self, folder, step=0):
        for rank in self.ranks:
            rank.write(os.path.join(folder, "step%d" % step, "rank%d" % rank.number))
        return folder


class ParallelMerge(Case):
    def setUp(self):
        super().setUp()
        self.one = World().write(os.path.join(self.folder, "one"))

    def dump(self, name, **layout):
        return World(**layout).write(os.path.join(self.folder, name))

    def compare(self, golden, target, *arguments):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        code, _, stderr = run("compare", golden, target, "-o", out, "--format", "json,nodes", *arguments)
        path = os.path.join(out, "summary.json")
        if not os.path.exists(path):
            return code, None, stderr
        with open(path, encoding="utf-8") as file:
            return code, json.load(file), stderr

    def check_agrees(self, layout, golden=None, **more):
        many = self.dump("many", **more)
        code, summary, stderr = self.compare(golden or self.one, many, "--parallel-merge", "target:" + layout)
        self.assertEqual(code, 0, stderr)
        self.assertEqual(len(summary["pairs"]), 1)
        counts = summary["pairs"][0]["counts"]
        self.assertEqual((counts["warning"], counts["error"], counts["unmatched_golden"], counts["unmatched_target"]),
                         (0, 0, 0, 0), stderr)
        self.assertGreater(counts["same"] + counts["pass"], 150)
        shutil.rmtree(many)

    def test_shares_of_tensors_agree_with_one_rank(self):
        self.check_agrees("tp=2", tp=2)
        self.check_agrees("tp=4", tp=4)

    def test_stages_agree_with_one_rank(self):
        self.check_agrees("pp=2", pp=2)
        self.check_agrees("pp=4", pp=4)
        self.check_agrees("pp=4", pp=4, global_layers=True)

    def test_virtual_stages_agree_with_one_rank(self):
        self.check_agrees("pp=2,vpp=2", pp=2, vpp=2)
        self.check_agrees("pp=2,vpp=4", pp=2, vpp=4)

    def test_shares_stages_and_virtual_stages_agree_with_one_rank(self):
        self.check_agrees("tp=2,pp=2", tp=2, pp=2)
        self.check_agrees("tp=2,pp=2,vpp=2", tp=2, pp=2, vpp=2)
        self.check_agrees("tp=4,pp=4", tp=4, pp=4)

    def test_two_layouts_agree_with_each_other(self):
        golden = self.dump("golden", tp=2, pp=2)
        target = self.dump("target", tp=4, pp=2, vpp=2)
        code, _, stderr = self.compare(golden, target, "--parallel-merge", "golden:tp=2,pp=2", "--parallel-merge",
                                       "target:tp=4,pp=2,vpp=2")
        self.assertEqual(code, 0, stderr)

    def test_one_layout_for_both_sides_agrees(self):
        golden, target = self.dump("golden", tp=2, pp=2), self.dump("target", tp=2, pp=2)
        code, summary, stderr = self.compare(golden, target, "--parallel-merge", "tp=2,pp=2")
        self.assertEqual(code, 0, stderr)
        self.assertTrue(stderr.strip().split("\n")[-1].startswith("SAME"), stderr)
        self.assertEqual(len(summary["pairs"]), 1)

    def test_a_wrong_number_in_a_late_stage_is_found_where_it_starts(self):
        many = self.dump("many", tp=2, pp=2, vpp=2, numbers=Numbers("l5.fc1"))
        code, summary, stderr = self.compare(self.one, many, "--parallel-merge", "target:tp=2,pp=2,vpp=2")
        self.assertEqual(code, 1, stderr)
        first = summary["pairs"][0]["first_divergence"]
        self.assertEqual(first["kind"], "output")
        self.assertEqual(first["golden"], "Torch.matmul.10.forward")
        self.assertEqual(first["module"], "Module.0.module.decoder.layers.5.fc1.ColumnParallelLinear.forward.0")

    def test_copies_are_compared_each_with_its_own(self):
        golden, target = self.dump("golden", dp=2), self.dump("target", tp=2, pp=2, dp=2)
        code, summary, stderr = self.compare(golden, target, "--parallel-merge", "golden:tp=1", "--parallel-merge",
                                             "target:tp=2,pp=2")
        self.assertEqual(code, 0, stderr)
        self.assertEqual([(pair["step"], pair["rank"]) for pair in summary["pairs"]], [(0, 0), (0, 1)])

    def test_the_rules_of_msprobe_merge_as_the_peer_does(self):
        golden, target = self.dump("golden", tp=2, pp=2), self.dump("target", tp=2, pp=2)
        code, _, stderr = self.compare(golden, target, "--parallel-merge", "tp=2,pp=2", "--rules", "msprobe26")
        self.assertEqual(code, 0, stderr)
        with open(os.path.join(self.folder, "out", "nodes-step0-rank0.json"), encoding="utf-8") as file:
            nodes = json.load(file)
        self.assertTrue(all(node["matched"] for node in nodes["target"]), stderr)

    def test_the_peers_configuration_file_is_read(self):
        many = self.dump("many", tp=2, pp=2, vpp=2)
        path = os.path.join(self.folder, "compare.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"npu_path": "x", "bench_path": "y", "parallel_merge": {
                "npu": {"rank_size": 4, "tp": 2, "pp": 2, "vpp": 2, "order": "tp-cp-ep-dp-pp"},
                "bench": {"rank_size": 1, "tp": 1, "pp": 1}}}, file)
        code, _, stderr = self.compare(self.one, many, "--parallel-merge", path)
        self.assertEqual(code, 0, stderr)

    # ---- what cannot be merged

    def test_a_missing_rank_is_said_and_costs_its_copy_only(self):
        golden, target = self.dump("golden", dp=2), self.dump("target", tp=2, pp=2, dp=2)
        shutil.rmtree(os.path.join(target, "step0", "rank7"))
        code, summary, stderr = self.compare(golden, target, "--parallel-merge", "golden:tp=1", "--parallel-merge",
                                             "target:tp=2,pp=2,rank_size=8")
        self.assertEqual(code, 4, stderr)
        self.assertIn("has no rank 7", stderr)
        self.assertEqual([pair["status"] != "no data" for pair in summary["pairs"]], [True, False])

    def test_nothing_is_compared_where_no_copy_is_whole(self):
        many = self.dump("many", tp=2, pp=2)
        shutil.rmtree(os.path.join(many, "step0", "rank1"))
        code, _, stderr = self.compare(self.one, many, "--parallel-merge", "target:tp=2,pp=2")
        self.assertEqual(code, 3, stderr)
        self.assertIn("no copy of the model has all its ranks", stderr)

    def test_a_rank_whose_hierarchy_is_cut_or_missing_is_told_and_no_node_is_twice_in_the_graph(self):
        for number, rules in ((1, "vernier"), (3, "vernier"), (3, "msprobe26")):
            many = self.dump("many", tp=2, pp=2)
            path = os.path.join(many, "step0", "rank%d" % number, "construct.json")
            with open(path, "r+b") as file:
                file.truncate(os.path.getsize(path) // 2)
            for damage in ("cut", "missing"):
                graph = os.path.join(self.folder, "graph.db")
                code, _, stderr = run("graph", many, "--parallel-merge", "tp=2,pp=2", "--rules", rules, "-o", graph)
                self.assertEqual(code, 4, (number, rules, damage, stderr))
                self.assertTrue(os.path.exists(graph))
                self.assertIn("rank%d/construct.json" % number, stderr)
                self.assertIn("PARTIAL", stderr)
                if damage == "cut":
                    os.remove(path)
            code, _, stderr = self.compare(self.one, many, "--parallel-merge", "target:tp=2,pp=2", "--rules", rules)
            self.assertIn(code, (1, 4), stderr)
            self.assertIn("PARTIAL", stderr)
            shutil.rmtree(many)

    def test_a_rank_that_cannot_be_read_fails_its_pair(self):
        many = self.dump("many", tp=2)
        with open(os.path.join(many, "step0", "rank1", "dump.json"), "w", encoding="utf-8") as file:
            file.write("no dump")
        code, _, stderr = self.compare(self.one, many, "--parallel-merge", "target:tp=2")
        self.assertEqual(code, 3, stderr)
        self.assertIn("rank1", stderr)

    def test_factors_that_do_not_fit_are_refused(self):
        many = self.dump("many", tp=2, pp=2)
        for layout, words in (("tp=3", "4 ranks cannot be tp 3 x pp 1"), ("tp=4,pp=2", "4 ranks cannot be tp 4 x pp 2"),
                              ("tp=2,vpp=2", "need pipeline stages"), ("tp=2,pp=2,rank_size=2", "rank_size is 2"),
                              ("tp=0", "expected a whole number above 0"), ("tp=x", "expected a whole number above 0"),
                              ("xp=2", "expected tp, pp, vpp, cp, ep, dp, loss, order or rank_size"), ("2", "expected a list like"),
                              ("tp=2,pp=2,order=TP", "expected lower-case names"),
                              ("tp=2,pp=2,order=tp-dp", "has no pp"), ("tp=2,pp=2,order=tp-tp-pp", "at most once")):
            code, _, stderr = self.compare(self.one, many, "--parallel-merge", "target:" + layout)
            self.assertEqual(code, 2, (layout, stderr))
            self.assertIn(words, stderr, layout)

    def test_broken_configuration_files_are_refused(self):
        path = os.path.join(self.folder, "compare.json")
        for text, words in (("{\"parallel_merge\": {\"npu\": {\"tp\": 2", "breaks off"), ("{}", "no object parallel_merge"),
                            ("{\"parallel_merge\": 3}", "expected an object with npu and bench"),
                            ("{\"parallel_merge\": {\"npu\": {\"tp\": true}}}", "expected a number or a text at 'tp'"),
                            ("{\"parallel_merge\": {\"npu\": {\"tp\": 1.5}}}", "whole number above 0"), ("[]", "no JSON")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            code, _, stderr = self.compare(self.one, self.one, "--parallel-merge", path)
            self.assertEqual(code, 3, (text, stderr))
            self.assertIn(words, stderr, text)

    # ---- one dump

    def test_graph_shows_the_merged_hierarchy(self):
        many = self.dump("many", tp=2, pp=2)
        out = os.path.join(self.folder, "graph")
        code, _, stderr = run("graph", many, "--parallel-merge", "tp=2,pp=2", "-o", out, "--format", "nodes,json,vis-db")
        self.assertEqual(code, 0, stderr)
        with open(os.path.join(out, "nodes-step0-rank0.json"), encoding="utf-8") as file:
            text = file.read()
        for layer in range(LAYERS):
            self.assertIn("Module.0.module.decoder.layers.%d.Layer.forward.0" % layer, text)
        self.assertIn("Torch.matmul_rank2.0.forward", text)


if __name__ == "__main__":
    main()
