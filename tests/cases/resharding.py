#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks with tokens of their own are merged: the same tokens spread over sequences, copies and experts otherwise agree, a wrong number
is found where it starts, and what cannot be merged is said.

A small model with experts is written as the ranks of any layout would dump it; every rank's statistics are those of its own tokens."""
import csv
import itertools
import json
import os
import random
import re
import shutil
import sys

from parallel_merge import tensor
from program import Case, main, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "defects"))
import scoreboard  # noqa: E402

LAYERS, HIDDEN, EXPERTS, SAMPLES, LENGTH = 2, 4, 4, 2, 8


def numbers(name, size):
    chooser = random.Random(name)
    return [chooser.uniform(-1, 1) for _ in range(size)]


class Rank:
    """One rank: part c of each sequence, copy d of the samples, part e of the experts, share t, stage p of the pipeline."""

    def __init__(self, world, number):
        self.world, self.number = world, number
        self.t, self.c, self.d = number % world.tp, number // world.tp % world.cp, number // world.tp // world.cp % world.dp
        self.e, self.p = number // world.tp % world.ep, number // (world.tp * world.cp * world.dp)
        self.data, self.construct, self.parents, self.calls = {}, {}, [None], {}
        half = LENGTH // (2 * world.cp)
        mine = [c for c in range(2 * world.cp) if c in (self.c, 2 * world.cp - 1 - self.c)]
        self.own = [(s, c * half + i) for s in range(SAMPLES) if s * world.dp // SAMPLES == self.d for c in mine for i in range(half)]

    def tokens(self, name, tokens=None, width=HIDDEN, dtype="torch.float32", share=False):
        """A tensor with a row a token."""
        tokens = self.own if tokens is None else tokens
        rows = [self.world.row(name, token, width) for token in tokens]
        if share and self.world.tp > 1:
            rows = [row[self.t::self.world.tp] for row in rows]
        rows = [[int(v * 1000) for v in row] if "int" in dtype else row for row in rows]
        shape = [len(rows), len(rows[0]) if rows else width]
        if not rows:
            return dict(type="torch.Tensor", dtype=dtype, shape=shape, Max=None, Min=None, Mean=None, Norm=None, requires_grad=False)
        return dict(tensor([v for row in rows for v in row], shape), dtype=dtype)

    def gradient(self, name, tokens=None):
        own = self.tokens(name, tokens)
        factor = self.world.batches if self.world.mean else 1
        return dict(own, **{key: own[key] and own[key] * factor for key in ("Max", "Min", "Mean", "Norm")})

    def weight(self, name, share=False):
        values = numbers(name, HIDDEN * HIDDEN)
        return tensor(values[self.t::self.world.tp] if share else values, [HIDDEN // self.world.tp if share else HIDDEN, HIDDEN])

    def term(self, name, tokens):
        """Gradient of a weight: a sum over tokens."""
        rows = [numbers("%s%s" % (name, token), HIDDEN * HIDDEN) for token in tokens] or [[0.0] * HIDDEN * HIDDEN]
        return tensor([sum(column) for column in zip(*rows)], [HIDDEN, HIDDEN])

    def scalar(self, name):
        values = [v for token in self.own for v in self.world.row(name, token, 1)]
        return tensor([sum(values) / len(values)], [])

    def api(self, name, inputs, outputs, **kwargs):
        call = self.calls[name] = self.calls.get(name, -1) + 1
        full = "%s.%d.forward" % (name, call)
        self.construct[full] = self.parents[-1]
        self.data[full] = {"input_args": inputs, "input_kwargs": kwargs, "output": outputs}

    def enter(self, name, direction="forward"):
        full = "Module.%s.%s.0" % (name, direction)
        self.construct[full] = self.parents[-1]
        self.parents.append(full)

    def leave(self, inputs, outputs, **parameters):
        full = self.parents.pop()
        entry = {"input_args": inputs, "input_kwargs": {}, "output": outputs} if ".forward." in full else {"input": inputs, "output": outputs}
        self.data[full] = dict(entry, parameters=parameters) if parameters else entry

    def play(self):
        each, last = LAYERS // self.world.pp, self.p == self.world.pp - 1
        mine, apart = range(self.p * each, (self.p + 1) * each), self.world.tp * self.world.cp * self.world.dp
        if self.p:
            self.api("Distributed.recv", [None, dict(type="int", value=self.number - apart)], [self.tokens("h%d" % mine[0])])
        else:
            self.enter("embedding.Embedding")
            self.leave([self.tokens("ids", width=1, dtype="torch.int64")], [self.tokens("h0")], weight=self.weight("embedding"))
        for local, layer in enumerate(mine):
            self.layer(layer, "layers.%d" % local)
        if not last:
            self.api("Distributed.send", [self.tokens("h%d" % mine.stop), dict(type="int", value=self.number + apart)], [])
        else:
            self.head()
        for local, layer in reversed(list(enumerate(mine))):
            self.backward(layer, "layers.%d" % local)

    def head(self):
        self.enter("head.Linear")
        self.api("Functional.linear", [self.tokens("h%d" % LAYERS), self.weight("head")], [self.tokens("logits")])
        self.leave([self.tokens("h%d" % LAYERS)], [self.tokens("logits")], weight=self.weight("head"))
        self.enter("loss.Loss")
        self.leave([self.tokens("logits")], [self.scalar("loss")])

    def layer(self, layer, name):
        self.enter(name + ".Layer")
        self.enter(name + ".attention.Attention")
        for turn in range(self.world.cp):
            if turn:
                self.api("Distributed.batch_isend_irecv", [], [])
            part = self.tokens("attention%d.%s" % (layer, "" if self.world.cp == 1 else "turn%d" % turn))
            self.api("Functional.scaled_dot_product_attention", [self.tokens("h%d" % layer)], [part])
        self.leave([self.tokens("h%d" % layer)], [self.tokens("a%d" % layer)], weight=self.weight("layers.%dattention" % layer))
        self.enter(name + ".mlp.MoE")
        self.enter(name + ".mlp.router.Router")
        counts = [float(sum(self.world.expert_of(layer, token) == e for token in self.own)) for e in range(EXPERTS)]
        self.leave([self.tokens("a%d" % layer)], [self.tokens("r%d" % layer, width=EXPERTS), dict(tensor(counts, [EXPERTS]), dtype="torch.int64")])
        if self.world.ep > 1:
            self.api("Distributed.all_to_all_single", [self.tokens("a%d" % layer)], [self.tokens("a%d" % layer)])
        for local, expert in enumerate(self.experts()):
            self.expert(layer, "%s.mlp.experts.%s" % (name, self.world.experts % (local if "local" in self.world.experts else expert)), expert)
        self.leave([self.tokens("a%d" % layer)], [self.tokens("m%d" % layer)])
        self.leave([self.tokens("h%d" % layer)], [self.tokens("h%d" % (layer + 1))])

    def experts(self):
        each = EXPERTS // self.world.ep
        return range(self.e * each, (self.e + 1) * each)

    def routed(self, layer, expert):
        """The tokens that an expert on this rank gets: those of all ranks whose experts are spread with its own."""
        group = [rank for rank in self.world.ranks if (rank.t, rank.p) == (self.t, self.p) and rank.number // (self.world.tp * self.world.ep) == self.number // (self.world.tp * self.world.ep)]
        return [token for rank in group for token in rank.own if self.world.expert_of(layer, token) == expert]

    def expert(self, layer, name, expert):
        tokens, of = self.routed(layer, expert), "l%dx%d" % (layer, expert)
        self.enter(name + ".MLP")
        self.enter(name + ".up.Linear")
        weight, up = self.weight(of, share=True), self.tokens("up%s" % of, tokens, share=True)
        self.api("Functional.linear", [self.tokens("in%d" % layer, tokens), weight], [up])
        self.leave([self.tokens("in%d" % layer, tokens)], [up], weight=weight)
        self.leave([self.tokens("in%d" % layer, tokens)], [self.tokens("out%s" % of, tokens)])

    def backward(self, layer, name):
        self.enter(name + ".Layer", "backward")
        for local, expert in reversed(list(enumerate(self.experts()))):
            tokens, path = self.routed(layer, expert), self.world.experts % (local if "local" in self.world.experts else expert)
            self.enter("%s.mlp.experts.%s.MLP" % (name, path), "backward")
            self.leave([self.gradient("gout%d" % layer, tokens)], [self.gradient("gin%d" % layer, tokens)])
        self.leave([self.gradient("g%d" % (layer + 1))], [self.gradient("g%d" % layer)])
        self.data["Module.%s.attention.Attention.parameters_grad" % name] = {"weight": [self.term("w%d" % layer, self.own)]}


class World:
    def __init__(self, cp=1, dp=1, ep=1, tp=1, pp=1, mean=False, wrong=None, experts="local_experts.%d"):
        self.cp, self.dp, self.ep, self.tp, self.pp, self.mean, self.wrong, self.experts = cp, dp, ep, tp, pp, mean, wrong, experts
        self.batches = cp * dp
        self.ranks = [Rank(self, number) for number in range(tp * cp * dp * pp)]

    def row(self, name, token, width):
        """What one token has there; `wrong` are a name and a token whose numbers are others."""
        values = numbers("%s%s" % (name, token), width)
        return [v * 1.5 + .1 for v in values] if self.wrong == (name, token) else values

    def expert_of(self, layer, token):
        return random.Random("x%d%s" % (layer, token)).randrange(EXPERTS)

    def write(self, folder):
        for rank in self.ranks:
            rank.play()
            at = os.path.join(folder, "step0", "rank%d" % rank.number)
            os.makedirs(at)
            head = {"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None, "data": rank.data}
            for name, content in (("dump.json", head), ("construct.json", rank.construct), ("stack.json", {})):
                with open(os.path.join(at, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)
        return folder


def scale(slot, factor):
    """All statistics of a tensor times a number."""
    slot.update({key: slot[key] * factor for key in ("Max", "Min", "Mean", "Norm")})


def unmerged(data):
    """The loss and the gradients of weights: name and tensor."""
    for name, entry in data.items():
        if name.endswith("parameters_grad"):
            yield name, entry["weight"][0]
        elif name.startswith("Module.loss"):
            yield name, entry["output"][0]


def leave_experts(folder, rank, numbers, router):
    """Only these experts of a rank have tokens; without `router` nothing tells how many there are."""
    at = os.path.join(folder, "step0", "rank%d" % rank)
    with open(os.path.join(at, "construct.json"), encoding="utf-8") as file:
        construct = json.load(file)
    with open(os.path.join(at, "dump.json"), encoding="utf-8") as file:
        dump = json.load(file)

    def stays(name):
        while name:
            found = re.search(r"experts\.(\d+)", name)
            if (found and int(found.group(1)) not in numbers) or (not router and "router" in name):
                return False
            name = construct.get(name)
        return True

    gone = {name for name in construct if not stays(name)}
    for name in gone:
        dump["data"].pop(name, None)
    construct = {name: above for name, above in construct.items() if name not in gone}
    for name, content in (("dump.json", dump), ("construct.json", construct)):
        with open(os.path.join(at, name), "w", encoding="utf-8") as file:
            json.dump(content, file)


class Resharding(Case):
    def dump(self, name, **layout):
        shutil.rmtree(self.path(name), ignore_errors=True)
        return World(**layout).write(self.path(name))

    def compare(self, golden, target, *layouts):
        """Code, the summary and what was said of two layouts, each with how it is told: ("dp=2", dict(dp=2))."""
        folders = [self.dump(name, **side[1]) for name, side in (("golden", golden), ("target", target))]
        for name, side in (("golden", golden), ("target", target)):
            layouts += ("--parallel-merge", "%s:%s" % (name, side[0]))
        shutil.rmtree(self.out, ignore_errors=True)
        code, _, said = run("compare", *folders, "-o", self.out, "--format", "json,csv,nodes", *layouts)
        path = os.path.join(self.out, "summary.json")
        if not os.path.exists(path):
            return code, None, said
        with open(path, encoding="utf-8") as file:
            return code, json.load(file), said

    def agrees(self, golden, target, least=40):
        code, summary, said = self.compare(golden, target)
        self.assertEqual((code, len(summary["pairs"])), (0, 1), said)
        counts = summary["pairs"][0]["counts"]
        self.assertEqual([counts[key] for key in ("warning", "error", "unmatched_golden", "unmatched_target")], [0, 0, 0, 0], said)
        self.assertGreaterEqual(counts["same"] + counts["pass"], least, said)
        return said

    def test_parts_of_a_sequence_agree_with_one_rank_and_with_each_other(self):
        one, two, four = ("tp=1", {}), ("cp=2", dict(cp=2)), ("cp=4", dict(cp=4))
        self.agrees(one, two)
        self.agrees(two, one)
        self.agrees(two, four)

    def test_parts_of_the_experts_agree_with_copies_that_hold_all_and_with_one_rank(self):
        for experts in ("local_experts.%d", "%d"):
            two = ("ep=2", dict(ep=2, dp=2, experts=experts))
            self.agrees(("dp=2", dict(dp=2, experts=experts)), two)
            self.agrees(two, ("tp=1", dict(experts=experts)))

    def test_experts_over_parts_of_a_sequence_copies_and_shares_agree(self):
        one = ("tp=1", {})
        self.agrees(one, ("cp=2,ep=2", dict(cp=2, ep=2)))
        self.agrees(one, ("cp=2,ep=4", dict(cp=2, dp=2, ep=4)))
        self.agrees(("dp=2", dict(dp=2)), ("cp=2,dp=2,ep=2", dict(cp=2, dp=2, ep=2)))
        self.agrees(one, ("tp=2,ep=2", dict(tp=2, dp=2, ep=2)))

    def test_every_layout_agrees_with_every_other_and_tells_a_wrong_token(self):
        """Routers count other tokens on each rank, as many in all: no pair of layouts can hold these counts against each other."""
        token = (1, 5)
        wrong = ("upl1x%d" % World().expert_of(1, token), token)
        layouts = ["tp=1", "dp=2", "cp=2", "cp=4", "ep=2,dp=2", "cp=2,dp=2", "tp=2,cp=2", "pp=2", "cp=2,pp=2", "ep=2,dp=2,pp=2", "tp=2,cp=2,ep=2,pp=2"]
        for text in layouts:
            sizes = {key: int(size) for key, size in (part.split("=") for part in text.split(","))}
            World(**sizes).write(self.path(text))
            World(**sizes, wrong=wrong).write(self.path(text + "w"))
        for golden, target in itertools.product(layouts, layouts):
            if golden == target or (len(golden) > 5 and len(target) > 5):
                continue
            code, pair, said = self.judged(self.path(golden), self.path(target), "golden:" + golden, "target:" + target)
            self.assertEqual((code, pair["first_divergence"]), (0, None), (golden, target, said))
            self.assertGreater(pair["counts"]["same"] + pair["counts"]["pass"], 40, (golden, target))
            if golden == "tp=1":
                code, pair, _ = self.judged(self.path(golden), self.path(target + "w"), "golden:" + golden, "target:" + target)
                self.assertEqual((code, pair["first_divergence"]["module"].split(".MLP")[0].rsplit(".up", 1)[0]),
                                 (1, "Module.layers.1.mlp.experts.local_experts.%d" % World().expert_of(1, token)), target)

    def test_one_wrong_token_is_found_where_it_starts_on_every_layout(self):
        token, at = (1, 5), "layers.1.mlp.experts.local_experts.%d.up.Linear.forward.0"
        expert = World().expert_of(1, token)
        wrong = ("upl1x%d" % expert, token)
        for golden, target in ((("dp=2", dict(dp=2)), ("ep=2", dict(ep=2, dp=2))), (("ep=2", dict(ep=2, dp=2)), ("dp=2", dict(dp=2))),
                               (("tp=1", {}), ("cp=2", dict(cp=2))), (("cp=2", dict(cp=2)), ("tp=1", {})),
                               (("tp=1", {}), ("cp=2,ep=2", dict(cp=2, ep=2)))):
            target[1]["wrong"] = wrong
            code, summary, said = self.compare(golden, target)
            self.assertEqual(code, 1, (golden, target, said))
            first = summary["pairs"][0]["first_divergence"]
            self.assertEqual((first["kind"], first["module"]), ("output", "Module." + at % expert), (golden, target))

    def test_real_runs_spread_otherwise_agree_and_a_wrong_expert_is_found(self):
        """Recorded from torch: rounding of sums in another order, an expert without tokens on some ranks."""
        scoreboard.unpack(self.folder)
        told = {"one": "tp=1", "dp=2": "dp=2,loss=mean", "dp=4": "cp=4,loss=mean", "ep=2": "ep=2,loss=mean"}
        for golden, target in itertools.permutations(told, 2):
            code, _, said = run("compare", self.path("spread-" + golden), self.path("spread-" + target), "-q", "-o", self.out, "--format", "json",
                                "--parallel-merge", "golden:" + told[golden], "--parallel-merge", "target:" + told[target])
            self.assertEqual((code, said), (0, ""), (golden, target))
            shutil.rmtree(self.out)
        for golden in told:
            run("compare", self.path("spread-" + golden), self.path("spread-ep=2-wrong"), "-q", "-o", self.out, "--format", "json",
                "--parallel-merge", "golden:" + told[golden], "--parallel-merge", "target:ep=2,loss=mean")
            with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["pairs"][0]["first_divergence"]["target"], "Model.experts.3", golden)
            shutil.rmtree(self.out)

    def test_the_mean_of_each_ranks_own_tokens_is_told(self):
        one = ("tp=1", {})
        code, summary, said = self.compare(one, ("cp=2", dict(cp=2, mean=True)))
        self.assertEqual(code, 1, said)
        first = summary["pairs"][0]["first_divergence"]
        self.assertIn("backward", first["target"])
        self.assertIn("loss=mean", str(first["observations"]))
        self.agrees(one, ("cp=2,loss=mean", dict(cp=2, mean=True)))
        self.agrees(one, ("ep=2,loss=mean", dict(ep=2, dp=2, mean=True)))
        self.agrees(("cp=2,loss=mean", dict(cp=2, mean=True)), ("cp=4", dict(cp=4)))

    def test_calls_between_modules_are_held_against_those_of_the_first_rank(self):
        """Recorded from torch, one sample a rank: the labels of the second rank reach as far as those of both."""
        told = {"one/step0/rank0": (32, (1.9563757181167603, -1.9418964385986328, -0.0206457432359457, 26.975637435913086),
                                    (63, 0, 31.09375, 208.88035583496094), 4.335699081420898),
                "two/step0/rank0": (16, (1.9563757181167603, -1.7984894514083862, -0.01472263503819704, 18.84530258178711),
                                    (57, 3, 27.25, 126.41202545166016), 4.361684322357178),
                "two/step0/rank1": (16, (1.7675366401672363, -1.9418964385986328, -0.02656884491443634, 19.301284790039062),
                                    (63, 0, 34.9375, 166.28590393066406), 4.309714317321777)}
        for place, (count, logits, labels, loss) in told.items():
            def slot(stats, *shape, dtype="float32"):
                return dict(type="torch.Tensor", dtype="torch." + dtype, shape=shape, requires_grad=dtype != "int64",
                            **dict(zip(("Max", "Min", "Mean", "Norm"), stats)))

            ids, flat = (slot(labels, *shape, dtype="int64") for shape in ((count // 16, 16), (count,)))
            calls = {"Module.model.head.Linear.forward.0": ([slot(logits, count // 16, 16, 64)], slot(logits, count // 16, 16, 64)),
                     "Tensor.reshape.4.forward": ([ids], flat),
                     "Functional.cross_entropy.0.forward": ([slot(logits, count, 64), flat], slot([loss] * 4))}
            data = {name: dict(input_args=taken, input_kwargs={}, output=[given]) for name, (taken, given) in calls.items()}
            self.write(self.path(place + "/dump.json"), json.dumps({"task": "statistics", "level": "mix", "framework": "pytorch", "data": data}))
            self.write(self.path(place + "/construct.json"), json.dumps(dict.fromkeys(data)))
        code, pair, said = self.judged(self.path("one"), self.path("two"), "target:dp=2")
        self.assertEqual((code, pair["first_divergence"]), (0, None), said)

    def test_calls_between_modules_of_a_later_stage_are_its_own_whatever_an_earlier_one_calls_so(self):
        def call(name, value):
            return name, dict(input_args=[tensor([value, value / 3], [2])], input_kwargs={}, output=[tensor([value + 1, value / 7], [2])])

        layer = "Module.layers.%d.Linear.forward.0"
        one = [call("Tensor.float.0.forward", 1), call(layer % 0, 2), call(layer % 1, 3), call("Tensor.float.1.forward", 4)]
        for place, calls in (("one/step0/rank0", one), ("two/step0/rank0", one[:2]),
                             ("two/step0/rank1", [call(layer % 0, 3), call("Tensor.float.0.forward", 4)])):
            self.write(self.path(place + "/dump.json"), json.dumps({"task": "statistics", "level": "mix", "framework": "pytorch", "data": dict(calls)}))
            self.write(self.path(place + "/construct.json"), json.dumps(dict.fromkeys(dict(calls))))
        code, pair, said = self.judged(self.path("one"), self.path("two"), "target:pp=2")
        self.assertEqual((code, pair["counts"]["same"], pair["counts"]["unmatched_golden"]), (0, 8, 0), said)

    def test_what_cannot_be_merged_is_said_for_each_tensor(self):
        summary = self.compare(("tp=1", {}), ("cp=2", dict(cp=2)))[1]
        texts = [problem["text"] for problem in summary["problems"]]
        for words in ("gradients of weights are terms of a sum", "single numbers that differ", "while they are exchanged"):
            self.assertTrue(any(words in text for text in texts), words)
        with open(os.path.join(self.out, "rows-step0-rank0.csv"), encoding="utf-8-sig") as file:
            told = {row[0] for row in csv.reader(file) if "cannot be compared" in str(row)}
        attention = ["Functional.scaled_dot_product_attention.%d.forward.%s.0" % (call, side) for call in (0, 2) for side in ("input", "output")]
        self.assertEqual(told, {"Module.loss.Loss.forward.0.output.0", *attention, *(name % layer for layer in range(LAYERS) for name in (
            "Module.layers.%d.attention.Attention.parameters_grad.weight", "Module.layers.%d.mlp.router.Router.forward.0.output.1"))})

    def edit(self, folder, ranks, change):
        """Changes what some ranks of a dump tell."""
        for rank in ranks:
            path = os.path.join(folder, "step0", "rank%d" % rank, "dump.json")
            with open(path, encoding="utf-8") as file:
                dump = json.load(file)
            change(dump["data"])
            self.write(path, json.dumps(dump))

    def judged(self, golden, target, *layout):
        """Code, the pair of the summary and what was said, of dumps that stand already."""
        shutil.rmtree(self.out, ignore_errors=True)
        code, _, said = run("compare", golden, target, "-o", self.out, "--format", "json,csv,nodes", *(word for part in layout for word in ("--parallel-merge", part)))
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return code, json.load(file)["pairs"][0], said

    def test_copies_of_a_weight_that_differ_are_found_whichever_is_wrong(self):
        golden = self.dump("golden")
        for rank in (0, 1):
            target = self.dump("target", cp=2)
            self.edit(target, [rank], lambda data: scale(data["Module.head.Linear.forward.0"]["parameters"]["weight"], 2))
            code, pair, said = self.judged(golden, target, "target:cp=2")
            self.assertIn("which are replicas of it", said)
            self.assertEqual((code, pair["first_divergence"]["module"]), (1, "Module.head.Linear.forward.0"), said)

    def test_what_cannot_be_merged_is_compared_where_the_layouts_are_alike(self):
        golden = self.dump("golden", cp=2)
        for wrong in ("gradients", "loss", "one"):
            target = self.dump("target", cp=2)
            self.edit(target, [1] if wrong == "one" else [0, 1], lambda data: [scale(slot, 100) for name, slot in unmerged(data) if ("loss" in name) == (wrong != "gradients")])
            code, pair, said = self.judged(golden, target, "cp=2")
            self.assertEqual(code, 1, (wrong, said))
            self.assertIn("loss" if wrong != "gradients" else "parameters_grad", pair["first_divergence"]["target"], said)
        code, pair, said = self.judged(golden, self.dump("target", cp=2), "cp=2")
        self.assertEqual((code, pair["coverage"]["unmerged"]), (0, 0), said)
        self.assertNotIn("cannot be merged over", said)

    def test_what_cannot_be_merged_is_counted_where_the_layouts_are_others(self):
        golden, target = self.dump("golden"), self.dump("target", cp=2)
        code, pair, said = self.judged(golden, target, "target:cp=2")
        self.assertEqual((code, pair["coverage"]["unmerged"]), (0, 9), said)
        self.assertIn("9 slots cannot be merged over ranks with other tokens.", said)
        golden, target = self.dump("golden", dp=2), self.dump("target", cp=2)
        pair = self.judged(golden, target, "golden:dp=2", "target:cp=2")[1]
        self.assertGreater(pair["coverage"]["unmerged"], 0)

    def test_nan_of_one_rank_is_found_whatever_can_be_merged(self):
        for value in (float("nan"), float("inf")):
            golden, target = self.dump("golden"), self.dump("target", cp=2)
            self.edit(target, [1], lambda data: [scale(slot, value) for name, slot in unmerged(data) if "loss" in name])
            code, pair, said = self.judged(golden, target, "target:cp=2")
            self.assertEqual(code, 1, said)
            self.assertIn("loss", pair["first_divergence"]["target"])

    def test_what_a_rank_lost_is_no_property_of_the_layout(self):
        def every_second(data):
            for name in [name for at, name in enumerate(data) if at % 2 and "embedding" not in name]:
                del data[name]

        def statistics(data):
            slot = data["Module.layers.1.attention.Attention.forward.0"]["output"][0]
            slot.update(Max=None, Min=None, Mean=None, Norm=None)

        def after_the_first(data):
            for name in list(data)[3:]:
                del data[name]

        for lose in (every_second, statistics, after_the_first):
            for rank in (0, 1):
                golden, target = self.dump("golden"), self.dump("target", cp=2)
                self.edit(target, [rank], lose)
                code, pair, said = self.judged(golden, target, "target:cp=2")
                self.assertIn(code, (4,) if rank or lose is statistics else (1, 4), (lose, rank, said))
                self.assertIn("PARTIAL" if code == 4 else "parallel merge", said)
                if lose is statistics or rank:
                    self.assertGreater(pair["coverage"]["lost"], 0, said)

    def test_a_weight_that_is_off_by_the_ratio_of_the_ranks_is_found(self):
        golden = self.dump("golden")
        for name in ("embedding.Embedding", "head.Linear"):
            target = self.dump("target", cp=2)
            self.edit(target, [0, 1], lambda data: scale(data["Module.%s.forward.0" % name]["parameters"]["weight"], .5))
            code, pair, said = self.judged(golden, target, "target:cp=2")
            self.assertEqual((code, pair["first_divergence"]["target"]), (1, "Module.%s.forward.0" % name), said)

    def test_experts_without_tokens_keep_the_others_their_numbers(self):
        """Of four experts the first and the last have tokens, or the first and the third; without a router only what is sure is compared."""
        for used in ((0, 3), (0, 2)):
            for router in (True, False):
                golden, target = self.dump("golden", dp=2), self.dump("target", dp=2, ep=2)
                for rank in (0, 1):
                    leave_experts(golden, rank, set(used), router)
                    leave_experts(target, rank, {expert % 2 for expert in used if expert // 2 == rank}, router)
                code, pair, said = self.judged(golden, target, "golden:dp=2", "target:ep=2")
                if router:
                    self.assertEqual((code, pair["counts"]["unmatched_golden"]), (0, 0), (used, said))
                elif used == (0, 3):
                    self.assertEqual(code, 4, said)
                    self.assertIn("no router shows how many there are", said)

    def test_layouts_that_do_not_fit_are_refused(self):
        golden, target = self.dump("golden"), self.dump("target", dp=2, cp=2)
        for layout, words in (("cp=3", "4 ranks for each share and stage cannot be parts of 3"), ("ep=3", "cannot be parts of 3"),
                              ("dp=2,ep=4", "the experts of ep 4 are not whole on 2 ranks"), ("cp=0", "whole number above 0"),
                              ("loss=max", "expected mean or sum"), ("cp=1000000000,dp=1000000000", "cannot be parts of"),
                              ("cp=2,order=tp-dp-pp", "has no cp"), ("ep=2,order=tp-dp-pp", "has no ep")):
            code, _, said = run("compare", golden, target, "-o", self.out, "--parallel-merge", "target:" + layout)
            self.assertEqual(code, 2, (layout, said))
            self.assertIn(words, said, layout)
        code, _, said = run("compare", golden, target, "-o", self.out, "--parallel-merge", "target:cp=2", "--rules", "msprobe26")
        self.assertEqual(code, 2, said)
        self.assertIn("msProbe merges no cp", said)


if __name__ == "__main__":
    main()
