#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command `vernier locate`: a small training step of 16 ranks is played through with one defect
planted, its dumps are written as the dump tool writes them, and rank, step, op and path must be found.

The ranks are 2 data-parallel x 4 pipeline x 2 tensor-parallel. Every rank knows masks of -Inf and
unset receive buffers, which must never be accused.
"""
import json
import os
import random
import shutil

from program import Case, main, run

RANKS, STAGES, LAYERS, MICRO = 16, 4, 2, 2
NAN, INF = float("nan"), float("inf")


class Value:
    """A tensor: its statistics, and whether it carries the planted trouble."""

    def __init__(self, size, bad=None):
        self.size, self.bad = size, bad

    def node(self, dialect):
        top, low, mean, norm = self.size, -self.size / 2, self.size / 10, self.size * 3
        if self.bad == "NaN":
            top = low = mean = norm = NAN
        elif self.bad == "Inf":
            top = mean = norm = INF
        elif self.bad == "mask":
            low = mean = -INF
            norm = INF
        node = {"type": dialect.tensor, "dtype": dialect.dtype, "shape": [4, 8],
                "Max": top, "Min": low, "Mean": mean, "Norm": norm}
        if dialect.requires_grad:
            node["requires_grad"] = False
        return node


class Dialect:
    """How a framework writes its dumps."""

    def __init__(self, framework):
        mindspore = framework == "mindspore"
        self.framework = framework
        self.tensor = "torch.Tensor" if framework == "pytorch" else "mindspore.Tensor"
        self.dtype = "torch.float32" if framework == "pytorch" else "Float32"
        self.requires_grad = framework == "pytorch"
        self.returns = mindspore  # collectives return their result
        self.module = "Cell" if mindspore else "Module"
        self.functional = "Mint" if mindspore else "Functional"

    def group(self, ranks):
        if self.framework == "mindspore" and len(ranks) == RANKS:
            return {"type": "str", "value": "hccl_world_group"}
        kind = "mindspore.ProcessGroup" if self.framework == "mindspore" else "torch.ProcessGroup"
        return {"type": kind, "group_ranks": list(ranks), "group_id": "%08x" % hash(tuple(ranks)).__abs__()}


def integer(value):
    return {"type": "int", "value": value}


class Rank:
    def __init__(self, world, number):
        self.world, self.number = world, number
        self.data, self.construct, self.calls, self.order = {}, {}, {}, []
        self.parent = None
        self.infected = None  # how trouble first came: ("born", op) or ("arrived", ...)
        self.queue = []  # sends not yet received, by (source, destination)

    def name(self, prefix, api, direction="forward"):
        number = self.calls.get((prefix, api, direction), 0)
        self.calls[(prefix, api, direction)] = number + 1
        return "%s.%s.%d.%s" % (prefix, api, number, direction)

    def record(self, name, inputs, kwargs, outputs, parameters=None):
        if name.endswith("backward"):
            entry = {"input": inputs, "output": outputs}
        else:
            entry = {"input_args": inputs, "input_kwargs": kwargs, "output": outputs}
        if parameters is not None:
            entry["parameters"] = parameters
        self.data[name] = entry
        self.construct[name] = self.parent
        self.order.append(name)

    def compute(self, api, inputs, direction="forward", weight=None):
        """An API whose output is bad if an input is, or if the defect is planted here."""
        dialect, world = self.world.dialect, self.world
        name = self.name(dialect.functional, api, direction)
        bad = next((v.bad for v in inputs if v.bad in ("NaN", "Inf")), None)
        if weight is not None and weight.bad:
            bad = bad or weight.bad
        if world.is_here(self.number, name):
            self.infect(("born", name))
            bad = world.kind
        out = Value(world.random.uniform(0.5, 9), bad)
        args = [v.node(dialect) for v in inputs] + ([weight.node(dialect)] if weight else [])
        self.record(name, args, {}, [out.node(dialect)])
        world.places.append((self.number, name))
        return out

    def attention(self, value):
        """A masked softmax in good health: -Inf goes in and out of the mask, not out of the softmax."""
        dialect = self.world.dialect
        bad = value.bad if value.bad in ("NaN", "Inf") else None
        masked = Value(value.size, bad or "mask")
        self.record(self.name("Tensor", "masked_fill"), [value.node(dialect), {"type": "bool", "value": True},
                                                         {"type": "float", "value": -INF}], {}, [masked.node(dialect)])
        return self.compute("softmax", [masked])

    def infect(self, how):
        if self.infected is None:
            self.infected = how


class World:
    """Plays one step; `plant` is (rank, op name), or the kinds of inputs that come in bad."""

    def __init__(self, seed, dialect, style, plant=None, kind="NaN", weight=None, batch=None):
        self.random = random.Random(seed)
        self.dialect, self.style, self.plant, self.kind = dialect, style, plant, kind
        self.bad_weight, self.bad_batch = weight, batch
        self.places = []
        self.ranks = [Rank(self, number) for number in range(RANKS)]
        self.mail = {}
        self.play()

    def is_here(self, rank, name):
        return self.plant == (rank, name)

    def group_of(self, rank, kind):
        if kind == "tp":
            return [rank - rank % 2, rank - rank % 2 + 1]
        if kind == "dp":
            return [rank % 8, rank % 8 + 8]
        return list(range(RANKS))

    # ---- communication

    def collective(self, api, kind, values, root=None):
        """All ranks of all groups of a kind at once; values by rank, result by rank."""
        results = {}
        for group in sorted({tuple(self.group_of(r, kind)) for r in values}):
            names = {r: self.ranks[r].name("Distributed", api) for r in group}
            givers = [r for r in group if values[r].bad in ("NaN", "Inf") and (root is None or r == root)]
            for r in group:
                bad = values[givers[0]].bad if givers else None
                if root == r:
                    bad = values[r].bad
                result = Value(values[r].size * len(group), bad)
                if givers and r not in givers:
                    self.ranks[r].infect(("arrived", {(g, names[g]) for g in givers}))
                kwargs = {}
                if kind != "world" or self.dialect.framework == "mindspore":
                    kwargs["group"] = self.dialect.group(group)
                args, after = self.arguments(api, values[r], result, group, root, r)
                self.ranks[r].record(names[r], args, kwargs, after)
                results[r] = result
        return results

    def arguments(self, api, given, result, group, root, rank):
        node = given.node(self.dialect)
        garbage = Value(3e38, "NaN").node(self.dialect)
        out = result.node(self.dialect)
        if root is not None:
            return [node if rank == root else garbage, integer(root)], [out]
        if api == "all_reduce" or self.dialect.returns:
            return [node], [out]
        if api == "all_gather":
            return [[garbage for _ in group], node], [[out for _ in group], node]
        return [garbage, node], [out, node]  # reduce_scatter_tensor, all_gather_into_tensor

    def send(self, source, target, value):
        rank = self.ranks[source]
        node = value.node(self.dialect)
        if self.style == "batch":
            name = rank.name("Distributed", "batch_isend_irecv")
            op = {"class_type": "torch.distributed.P2POp", "tensor": node, "op": "isend", "peer": target, "tag": 0,
                  "group_id": None}
            rank.record(name, [[op]], {}, [[op]])
        else:
            name = rank.name("Distributed", "isend" if self.style == "async" else "send")
            rank.record(name, [node], {"dst": integer(target)}, [node])
        self.mail.setdefault((source, target), []).append((value, name))

    def receive(self, target, source):
        value, name = self.mail[(source, target)].pop(0)
        rank = self.ranks[target]
        if value.bad in ("NaN", "Inf"):
            rank.infect(("arrived", {(source, name)}))
        garbage, node = Value(7.0, "NaN").node(self.dialect), value.node(self.dialect)
        stale = Value(0.5).node(self.dialect)
        if self.style == "batch":
            ops = [{"class_type": "torch.distributed.P2POp", "tensor": t, "op": "irecv", "peer": source, "tag": 0,
                    "group_id": None} for t in (garbage, node)]
            rank.record(rank.name("Distributed", "batch_isend_irecv"), [[ops[0]]], {}, [[ops[1]]])
        elif self.style == "async":  # recorded before it has come
            rank.record(rank.name("Distributed", "irecv"), [stale], {"src": integer(source)}, [stale])
        else:
            rank.record(rank.name("Distributed", "recv"), [garbage, integer(source)], {}, [node])
        return Value(value.size, value.bad)

    # ---- the step

    def weight(self, rank, layer):
        bad = self.kind if self.bad_weight == (rank, layer) else None
        return Value(0.25, bad)

    def layer(self, number, values, stage_ranks, direction):
        outputs = {}
        for r in stage_ranks:
            rank, weight = self.ranks[r], self.weight(r, number)
            if weight.bad and rank.infected is None and direction == "forward":
                rank.infect(("born", None))
            rank.parent = "%s.layers.%d.Layer.%s.0" % (self.dialect.module, number, direction)
            value = rank.attention(values[r]) if direction == "forward" else values[r]
            outputs[r] = rank.compute("linear", [value], direction, weight if direction == "forward" else None)
        outputs = self.collective("all_reduce", "tp", outputs)
        for r in stage_ranks:
            rank = self.ranks[r]
            outputs[r] = rank.compute("gelu", [outputs[r]], direction)
            rank.parent = None
        return outputs

    def stage(self, stage):
        return [r for r in range(RANKS) if r % 8 // 2 == stage]

    def flow(self, direction, before=None):
        values = {}
        stages = range(STAGES) if direction == "forward" else range(STAGES - 1, -1, -1)
        move = 2 if direction == "forward" else -2
        for position, stage in enumerate(stages):
            ranks = self.stage(stage)
            for r in ranks:
                values[r] = self.receive(r, r - move) if position else self.first_value(r, direction, before)
            outputs = {r: values[r] for r in ranks}
            for layer in range(LAYERS):
                outputs = self.layer(layer, outputs, ranks, direction)
            for r in ranks:
                values[r] = outputs[r]
                if position + 1 < STAGES:
                    self.send(r, r + move, outputs[r])
        return values

    def first_value(self, rank, direction, before):
        bad = direction == "forward" and self.bad_batch == rank
        if bad:
            self.ranks[rank].infect(("born", None))
        if before:
            return Value(1.5, before[rank].bad)  # the gradient of a bad loss
        return Value(1.5, self.kind if bad else None)

    def play(self):
        for _ in range(MICRO):
            forward = self.flow("forward")
            gradients = self.flow("backward", forward)
        every = {r: gradients[r] for r in range(RANKS)}
        every = self.collective("reduce_scatter_tensor", "dp", every)
        every = {r: self.ranks[r].compute("norm", [every[r]]) for r in range(RANKS)}
        every = self.collective("all_reduce", "world", every)
        every = self.collective("all_gather", "dp", every)
        self.collective("broadcast", "world", every, root=0)

    def write(self, folder, step):
        for rank in self.ranks:
            path = os.path.join(folder, "step%d" % step, "rank%d" % rank.number)
            os.makedirs(path)
            head = {"task": "statistics", "level": "mix", "framework": self.dialect.framework, "dump_data_dir": None,
                    "data": rank.data}
            for name, content in (("dump.json", head), ("construct.json", rank.construct), ("stack.json", {})):
                with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                    json.dump(content, file)


class Locate(Case):
    def locate(self, *arguments):
        code, _, stderr = run("locate", os.path.join(self.folder, "dump"), "-o", self.out, "--format", "json", *arguments)
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            return code, json.load(file), stderr

    def check_path(self, world, summary, origin):
        """Every infected rank is in exactly one spread, from a rank that gave it at that communication."""
        reached = {}
        for spread in summary["spread"]:
            for rank in spread["to_ranks"]:
                self.assertNotIn(rank, reached)
                reached[rank] = (spread["from_rank"], spread["through"] + ".forward")
        for rank in world.ranks:
            if rank.infected and rank.infected[0] == "arrived" and rank.number != origin:
                self.assertIn(reached.get(rank.number), rank.infected[1], (rank.number, reached))
            else:
                self.assertNotIn(rank.number, reached)

    def test_fifty_planted_defects_are_found_with_rank_step_op_and_path(self):
        for seed in range(50):
            chooser = random.Random(1000 + seed)
            dialect = Dialect(chooser.choice(["pytorch", "pytorch", "mindspore", "mindtorch"]))
            style = chooser.choice(["plain", "async", "batch"])
            clean = World(seed, dialect, style)
            plant, kind = chooser.choice(clean.places), chooser.choice(["NaN", "Inf"])
            world = World(seed, dialect, style, plant=plant, kind=kind)
            step = chooser.randrange(1, 500)
            dump = os.path.join(self.folder, "dump")
            shutil.rmtree(dump, ignore_errors=True)
            if seed % 10 == 0:
                clean.write(dump, step - 1)
            world.write(dump, step)
            code, summary, stderr = self.locate()
            with self.subTest(seed=seed, plant=plant, kind=kind, style=style, framework=dialect.framework):
                self.assertEqual(code, 1, stderr)
                origin = summary["origins"][0]
                self.assertEqual((origin["step"], origin["rank"], origin["op"]), (step, *plant))
                self.assertEqual((origin["slot"], origin["kind"]), ("output.0", kind))
                self.assertEqual((origin["inputs_finite"], origin["level"]), (True, "critical"))
                self.assertEqual(len(summary["origins"]), 1)
                self.check_path(world, summary, plant[0])
                self.assertIn("born on rank %d, step %d, %s: inputs finite" % (plant[0], step, plant[1]), stderr)
                self.assertEqual(summary["verdict"], stderr.strip().split("\n")[-1])

    def test_clean_runs_with_masks_and_unset_buffers_are_finite(self):
        for seed, framework in enumerate(("pytorch", "mindspore", "mindtorch")):
            dump = os.path.join(self.folder, "dump")
            shutil.rmtree(dump, ignore_errors=True)
            World(seed, Dialect(framework), ("plain", "async", "batch")[seed]).write(dump, 0)
            code, summary, stderr = self.locate()
            self.assertEqual((code, summary["status"], summary["origins"]), (0, "pass", []), stderr)
            self.assertIn("FINITE", stderr)

    def test_a_weight_that_came_in_bad_is_named(self):
        world = World(3, Dialect("pytorch"), "plain", weight=(5, 1))
        world.write(os.path.join(self.folder, "dump"), 7)
        _, summary, stderr = self.locate()
        origin = summary["origins"][0]
        self.assertEqual((origin["rank"], origin["birth"], origin["slot"]), (5, "parameter", "input.1"), stderr)
        self.assertTrue(origin["op"].startswith("Functional.linear."))
        self.assertIn("the weight input.1 already holds NaN", stderr)

    def test_a_batch_that_came_in_bad_is_named(self):
        world = World(4, Dialect("pytorch"), "plain", batch=9)
        world.write(os.path.join(self.folder, "dump"), 0)
        _, summary, stderr = self.locate()
        origin = summary["origins"][0]
        self.assertEqual((origin["rank"], origin["birth"], origin["slot"]), (9, "input", "input.0"), stderr)
        self.assertIn("no earlier op produced it", stderr)
        self.check_path(world, summary, 9)

    def test_a_rank_whose_dump_is_missing_is_said_to_be_the_source(self):
        world = World(5, Dialect("pytorch"), "plain", plant=(6, "Functional.linear.0.forward"))
        dump = os.path.join(self.folder, "dump")
        world.write(dump, 0)
        shutil.rmtree(os.path.join(dump, "step0", "rank6"))
        _, summary, stderr = self.locate()
        self.assertEqual(summary["origins"][0]["birth"], "elsewhere", stderr)
        self.assertIn("came from a rank whose dump is missing", stderr)

    def test_an_overflow_in_the_sum_is_born_in_the_collective(self):
        world = World(6, Dialect("pytorch"), "plain")
        for number in (2, 3):
            result = world.ranks[number].data["Distributed.all_reduce.1.forward"]
            result["output"] = [Value(1.0, "Inf").node(world.dialect)]
        world.write(os.path.join(self.folder, "dump"), 0)
        _, summary, stderr = self.locate()
        origin = summary["origins"][0]
        self.assertEqual((origin["rank"], origin["birth"], origin["op"]),
                         (2, "communication", "Distributed.all_reduce.1.forward"), stderr)

    def test_all_outputs_are_written_and_the_same_again(self):
        world = World(8, Dialect("pytorch"), "plain", plant=(10, "Functional.softmax.1.forward"))
        world.write(os.path.join(self.folder, "dump"), 0)
        folders = [os.path.join(self.folder, name) for name in ("one", "two")]
        for folder, jobs in zip(folders, ("1", "5")):
            code, _, stderr = run("locate", os.path.join(self.folder, "dump"), "-o", folder, "--jobs", jobs)
            self.assertEqual(code, 1, stderr)
        names = sorted(os.listdir(folders[0]))
        self.assertEqual(names, ["index.html", "locate-step0.png", "locate-step0.svg", "locate.xlsx", "summary.json",
                                 "summary.md"])
        for name in names:
            if name == "summary.md":
                continue  # names the command line
            with open(os.path.join(folders[0], name), "rb") as one, open(os.path.join(folders[1], name), "rb") as two:
                self.assertEqual(one.read(), two.read(), name)
        self.assertLess(os.path.getsize(os.path.join(folders[0], "locate-step0.svg")), 300 << 10)

    def test_tensors_without_values_are_told_beside_those_that_are_finite(self):
        for untold, dtype, shape, told in ((30, "torch.float32", [4, 8], True), (30, "torch.float32", [0, 8], False), (1, "torch.float32", [4, 8], True)):
            leaf = {"type": "torch.Tensor", "dtype": dtype, "shape": shape, "Max": None, "Min": None, "Mean": None, "Norm": None}
            data = {"Torch.add.%d.forward" % i: {"input_args": [], "input_kwargs": {}, "output": [
                leaf if i < untold else dict(leaf, shape=[4, 8], Max=1.0, Min=-1.0, Mean=0.0, Norm=2.0)]} for i in range(40)}
            folder = os.path.join(self.folder, "untold%d%s" % (untold, told))
            os.makedirs(folder)
            with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as f:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, f)
            code, out, err = run("locate", folder, "-o", "all.json", cwd=self.folder)
            self.assertEqual((code, "No values of %d tensor" % untold in out + err), (0, told), out + err)
            with open(os.path.join(self.folder, "all.json"), encoding="utf-8") as f:
                self.assertEqual(json.load(f)["untold"], untold if told else 0)

    def test_an_infinity_whose_inputs_are_not_recorded_is_not_judged(self):
        """A cast passes on what masked_fill put there; nobody can tell where only results are recorded."""
        def dump(results_alone, least=-INF, cast="Tensor.float", filled=True, nan=False):
            def leaf(low, high=1.5):
                return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 16], "Max": NAN if nan and low is None else high,
                        "Min": NAN if nan and low is None else low, "Mean": 0.1 if low is None or low > -INF else low,
                        "Norm": 3.0 if low is None or low > -INF else INF}
            calls = [("Tensor.matmul", [leaf(-1.4), leaf(-2.0)], leaf(-1.4)),
                     ("Tensor.masked_fill", [leaf(-1.4), {"type": "float", "value": -INF}], leaf(-INF)) if filled else ("Tensor.tanh", [leaf(-1.4)], leaf(-1.0)),
                     (cast, [leaf(-INF if filled else -1.0)], leaf(least)),
                     ("Functional.softmax", [leaf(least)], leaf(None if nan else 0.0, 1.0))]
            data = {api + ".0.forward": {"output": [result]} if results_alone else {"input_args": given, "input_kwargs": {}, "output": [result]}
                    for api, given, result in calls}
            folder = self.path("dump%d" % len(os.listdir(self.folder)))
            os.makedirs(folder)
            with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as f:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}, f)
            return folder

        def told(folder):
            answers = []
            for command in ("locate", "check", "graph"):
                code, out, err = run(command, folder, "-o", self.path("all.json"))
                answers.append((code, " ".join(out.split()[:2]) if out.startswith("PARTIAL") else out.split()[0]))
            return answers, out
        partial = [(4, "PARTIAL FINITE"), (3, "PARTIAL NOT"), (4, "PARTIAL FINITE")]
        self.assertEqual([(0, "FINITE"), (0, "HOLDS"), (0, "FINITE")], told(dump(False))[0])
        self.assertEqual(partial, told(dump(True))[0])
        self.assertEqual(partial, told(dump(True, cast="Tensor.add"))[0])
        # What overflows by its inputs is red; without them it is not green.
        self.assertEqual([1, 1], [code for code, _ in told(dump(False, filled=False, cast="Tensor.log"))[0][:2]])
        self.assertEqual(partial, told(dump(True, filled=False, cast="Tensor.log"))[0])
        # No mask makes NaN.
        code, out, _ = run("locate", dump(True, nan=True), "-o", self.path("all.json"))
        self.assertEqual((1, True), (code, "Functional.softmax.0.forward: its inputs are not recorded, output.0 NaN" in out), out)
        # Nothing that is not finite: as before.
        self.assertEqual((0, "FINITE"), told(dump(True, least=-1.0, filled=False))[0][0])

    def test_a_rank_without_any_statistic_beside_others_is_no_finite_one(self):
        leaf = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 8], "Max": 1.0, "Min": -1.0, "Mean": 0.0, "Norm": 2.0}
        for rank, value in enumerate((leaf, {**leaf, "Max": None, "Min": None, "Mean": None, "Norm": None})):
            folder = os.path.join(self.folder, "run", "step0", "rank%d" % rank)
            os.makedirs(folder)
            with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as f:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "data": {
                    "Torch.add.%d.forward" % i: {"input_args": [value], "input_kwargs": {}, "output": [value]} for i in range(4)}}, f)
        for command, word in (("locate", "FINITE"), ("graph", "FINITE"), ("check", "HOLDS")):
            code, out, err = run(command, os.path.join(self.folder, "run"), "-o", "all.json", cwd=self.folder)
            self.assertEqual((code, out.startswith("PARTIAL " + word)), (4, True), out + err)
            self.assertIn("dumps without any statistic: 1, the first that of step 0, rank 1", err)

    def test_a_cut_dump_is_partial_and_a_clean_rest_exits_4(self):
        dump = os.path.join(self.folder, "dump")
        World(9, Dialect("pytorch"), "plain").write(dump, 0)
        path = os.path.join(dump, "step0", "rank3", "dump.json")
        with open(path, "r+b") as file:
            file.truncate(os.path.getsize(path) // 2)
        code, summary, stderr = self.locate()
        self.assertEqual((code, summary["partial"]), (4, True), stderr)
        self.assertIn("PARTIAL FINITE", stderr)

    def test_usage_errors_exit_2_and_missing_dumps_3(self):
        self.assertEqual(run("locate", "-o", self.out)[0], 2)
        self.assertEqual(run("locate", "a", "b", "-o", self.out)[0], 2)
        self.assertEqual(run("locate", self.folder, "-o", self.out)[0], 3)


if __name__ == "__main__":
    main()
