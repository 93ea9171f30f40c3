#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pictures draw, held against what the tables say of the same dumps.

VERNIER names the program, SAMPLES the folder of samples.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import unittest

from program import Case, NO_SAMPLES, SAMPLES, SHARED, VERNIER, main


def tensor(norm, dtype="torch.float32", bad=None):
    value = norm if bad is None else bad
    return {"type": "torch.Tensor", "dtype": dtype, "shape": [4, 8], "Max": value, "Min": -value, "Mean": value / 8, "Norm": value}


def op(given, made, bad=None):
    return {"input_args": [tensor(given)], "input_kwargs": {}, "output": [tensor(made, bad=bad)]}


def pipeline(folder, wrong):
    """Eight ranks of two stages, each of two tensor groups: two layers, a reduction of the group, a send to the next stage,
    one reduction of all. One rank of the first stage is off from its second layer on."""
    group = list(range(wrong // 2 * 2, wrong // 2 * 2 + 2))
    for side in "golden", "target":
        for rank in range(8):
            def off(reached):
                return 1.01 if side == "target" and reached else 1

            def call(given, made, **arguments):
                return {"input_args": [tensor(given)], "input_kwargs": arguments, "output": [tensor(made)]}

            def ranks(members):
                return {"type": "torch.ProcessGroup", "group_ranks": members, "group_id": str(members[0])}

            stage, own, data = rank // 4, list(range(rank // 2 * 2, rank // 2 * 2 + 2)), {}
            given, reached = stage and rank - 4 in group, rank == wrong or stage and rank - 4 in group
            if stage:
                data["Distributed.recv.0.forward"] = call(5 * off(given), 5 * off(given), src={"type": "int", "value": rank - 4})
            data["Functional.linear.0.forward"] = call(1 * off(given), 2 * off(given))
            data["Functional.linear.1.forward"] = call(2 * off(given), 3 * off(reached))
            data["Distributed.all_reduce.0.forward"] = call(3 * off(reached), 6 * off(reached or rank in group), group=ranks(own))
            reached = reached or rank in group
            if not stage:
                data["Distributed.send.0.forward"] = dict(call(6 * off(reached), 0, dst={"type": "int", "value": rank + 4}), output=[])
            data["Distributed.all_reduce.1.forward"] = call(7 * off(reached), 9 * off(True), group=ranks(list(range(8))))
            place = os.path.join(folder, side, "step0", "rank%d" % rank)
            os.makedirs(place)
            with open(os.path.join(place, "dump.json"), "w", encoding="utf-8") as file:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)
    return os.path.join(folder, "golden"), os.path.join(folder, "target")


class Drawn(Case):
    def dump(self, name, data):
        folder = self.path(name, "step0", "rank0")
        os.makedirs(folder)
        with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
            json.dump({"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)
        return self.path(name)

    def run_it(self, *arguments):
        done = subprocess.run([VERNIER, *arguments, "-o", self.out], env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), capture_output=True)
        return done.returncode, (done.stdout + done.stderr).decode()

    def pair(self, golden, target, *more):
        return self.run_it("compare", self.dump("golden", golden), self.dump("target", target), "--format", "trace,json,html,csv", *more)

    def read(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read()

    def facts(self):
        return json.loads(self.read("summary.json"))


class Drawings(Drawn):
    def test_an_op_that_differs_by_its_input_alone_has_the_mark_of_its_status(self):
        names = ["Functional.linear.%d.forward" % i for i in range(900)]
        golden = {name: op(1 + i, 2 + i) for i, name in enumerate(names)}
        target = {name: op(1 + i if i < 300 else 1.1 * (1 + i), 2.1 + i if 300 <= i < 450 else 2 + i) for i, name in enumerate(names)}
        self.pair(golden, target)
        marks = [float(x) for x in re.findall(r"^box (\S+) \S+ \S+ \S+ fill=error\.\S+ stroke=error", self.read("profile-step0-rank0.trace"), re.M)]
        self.assertGreater(len([x for x in marks if x > 700]), 100)

    def test_where_nothing_was_compared_no_op_is_the_first_divergence(self):
        self.pair({"Functional.a.0.forward": op(1, 2)}, {"Functional.b.0.forward": op(7, 8)})
        self.assertIn("NOT COMPARED", self.facts()["verdict"])
        self.assertIsNone(self.facts()["pairs"][0].get("first_divergence"))
        self.assertFalse([name for name in os.listdir(self.out) if name.startswith("card")])
        page = self.read("index.html")
        self.assertIn("--layer-mapping", page)
        self.assertNotIn("first divergence</text>", page)

    def test_every_picture_stands_under_the_title_that_the_user_gave(self):
        ops = {"Functional.linear.%d.forward" % i: op(1 + i, 2 + i) for i in range(8)}
        self.pair(ops, dict(ops, **{"Functional.linear.3.forward": op(4, 5.5)}), "--title", "夜间任务 12, bf16")
        pictures = [name for name in os.listdir(self.out) if name.endswith(".trace")]
        self.assertGreater(len(pictures), 2)
        for name in pictures:
            self.assertIn("'夜间任务 12, bf16: ", self.read(name).split("\n")[0])
            self.assertRegex(self.read(name), r'(?m)^text (32|28) (32|28) start 15 weight=600 ink2 "夜间任务 12, bf16"$')

    def test_the_cross_of_a_nan_lies_on_no_name(self):
        nan = {"Functional.linear.%d.forward" % i: op(1, 2, bad=float("nan")) for i in range(15)}
        self.pair(nan, nan)
        trace = self.read("graph-step0-rank0.trace")
        crosses = [(float(x), float(y)) for x, y in re.findall(r"^path M (\S+) (\S+) L \S+ \S+ M .*stroke=nan", trace, re.M)]
        names = [(float(x), float(y), len(name) * 2.8) for x, y, name in re.findall(r'^text (\S+) (\S+) middle 10 \S+ "([^"]+)"', trace, re.M)]
        self.assertGreater(len(crosses), 11, trace[:3000])
        for x, y, half in names:
            self.assertFalse([at for at in crosses if abs(at[1] - y) < 12 and x - half < at[0] < x + half])

    def test_layers_that_look_the_same_in_all_runs_share_a_line_where_they_are_more_than_fit(self):
        ops = {"Module.layers.%d.mlp.Linear.forward.0" % i: op(1 + i, 2 + i) for i in range(90)}
        off = {name: op(1.01 * (1 + i), 1.01 * (2 + i)) if i > 20 else value for i, (name, value) in enumerate(ops.items())}
        sides = self.dump("golden", ops), self.dump("same", ops), self.dump("target", off)
        self.run_it("compare", "--runs", *sides, "--format", "trace")
        trace = self.read("runs.trace")
        self.assertIn("layers.0 … layers.20, 21 layers: equal in all runs", trace)
        self.assertRegex(trace, r"layers\.22 … .*68 layers")
        self.assertNotIn("in the workbook", trace)

    def test_ranks_without_a_partner_are_named_below_the_field(self):
        golden, target = pipeline(self.folder, 1)
        shutil.rmtree(os.path.join(target, "step0", "rank6"))
        self.run_it("compare", golden, target, "--format", "trace")
        self.assertIn('"only in golden: ranks 6"', self.read("field.trace"))

    def test_a_column_of_another_op_is_headed_by_its_name(self):
        names = ["Functional.linear.%d.forward" % i for i in range(8)]
        golden = {name: op(1 + i, 2 + i) for i, name in enumerate(names)}
        target = dict(golden)
        golden = {name.replace("linear.3", "gelu.0"): value for name, value in golden.items()}
        target["Functional.linear.3.forward"] = op(4, 5.5)
        self.pair(golden, target)
        card = self.read("card-step0-rank0.trace")
        self.assertIn('"gelu.0"', card)
        self.assertIn('"linear.3"', card)

    def test_nan_on_both_sides_is_marked_though_it_is_the_same(self):
        dump = {"Functional.linear.%d.forward" % i: op(1, 1, bad=float("nan")) for i in range(4)}
        self.pair(dump, dump)
        trace = self.read("graph-step0-rank0.trace")
        self.assertIn("NaN on both sides", trace)
        self.assertGreaterEqual(len(re.findall(r"^path .*stroke=nan", trace, re.M)), 5)

    def test_the_chip_of_the_verdict_is_the_status_of_the_pair(self):
        names = ["Functional.linear.%d.forward" % i for i in range(6)]
        golden = {name: op(1 + i, 2 + i) for i, name in enumerate(names)}
        for factor, chip in ((1 + 6e-6, "warning"), (1.1, "error")):
            target = dict(golden)
            target[names[3]] = op(4, 5 * factor)
            shutil.rmtree(self.out, ignore_errors=True)
            self.run_it("compare", self.dump("golden" + chip, golden), self.dump("target" + chip, target), "--format", "trace,json")
            self.assertEqual(self.facts()["status"], chip)
            head = self.read("graph-step0-rank0.trace").split("Overview")[0]
            self.assertIn("fill=%s.fill" % chip, head)

    def test_names_keep_their_order_whatever_their_script(self):
        name = "Functional.\u05dc\u05d9\u05e0.2.forward"
        self.run_it("compare", self.dump("golden", {name: op(1, 2)}), self.dump("target", {name: op(1, 3)}), "--format", "svg,html,csv")
        self.assertIn("\u05e0\u200e.2", self.read("graph-step0-rank0.svg"))
        with open(os.path.join(self.out, next(n for n in os.listdir(self.out) if n.startswith("rows"))), encoding="utf-8-sig") as file:
            self.assertTrue(any(name in cell for row in csv.reader(file) for cell in row))

    def test_a_floor_is_drawn_for_each_op_and_no_pass_lies_above_it(self):
        base = {"Functional.linear.%d.forward" % i: op(1 + i, 2 + i) for i in range(40)}

        def moved(sign, share):
            return {name: op(1 + i, (2 + i) * (1 + sign * share * 10.0 ** -(i % 4))) for i, name in enumerate(base)}

        noise = [arg for k, sign in enumerate((1, -1, 0.5)) for arg in ("--noise", self.dump("noise%d" % k, moved(sign, 1e-2)))]
        self.pair(base, moved(0.8, 1e-2), *noise)
        trace = self.read("profile-step0-rank0.trace")
        self.assertIn("noise floor of each op", trace)
        self.assertGreater(max(line.count("M ") for line in trace.split("\n") if "fill=noiseband" in line), 10)

    def test_the_op_that_the_verdict_names_has_a_row_and_a_disc_in_the_hierarchy(self):
        data = {}
        for layer in range(40):
            bad = float("nan") if layer >= 17 else None
            module = "Module.layers.%d.mlp.MLP.forward.0" % layer
            data["Functional.linear.%d.forward" % layer] = op(1, 1, bad=bad)
            data["Functional.gelu.%d.forward" % layer] = op(1, 1, bad=bad)
            data[module] = op(1, 1, bad=bad)
        self.run_it("graph", self.dump("only", data), "--format", "trace,json")
        place = self.facts()
        trace = self.read("graph-step0-rank0.trace")
        self.assertIn("NaN", json.dumps(place)[:2000])
        self.assertIn("fill=error.fill", trace.split("Overview")[0])
        discs = re.findall(r'^text .* weight=700 paper "1"$', trace, re.M)
        self.assertEqual(len(discs), 2)
        self.assertIn("linear.17", trace.split("Hierarchy", 1)[1])

    def ranks(self, name, ranks, wrong):
        """Ranks that reduce after their eighth op; one of them is off from its fourth on."""
        for rank in range(ranks):
            data, value = {}, 1.0
            for i in range(8):
                off = 1.01 if name == "target" and rank == wrong and i >= 3 else 1
                data["Functional.linear.%d.forward" % i] = op((1 + i) * (off if i > 3 else 1), (2 + i) * off)
            off = 1.01 if name == "target" else 1
            reduce = op(9 * (off if rank == wrong else 1), 9 * off)
            reduce["input_kwargs"] = {"group": {"type": "torch.ProcessGroup", "group_ranks": list(range(ranks)), "group_id": "1"}}
            data["Distributed.all_reduce.0.forward"] = reduce
            data["Functional.gelu.0.forward"] = op(9 * off, 9 * off)
            folder = self.path(name, "step0", "rank%d" % rank)
            os.makedirs(folder)
            with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
                json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)
        return self.path(name)

    def test_the_field_shows_the_rank_that_starts_and_names_the_way_to_the_others(self):
        for ranks, wrong in ((8, 5), (100, 62)):
            for name in ("golden", "target"):
                shutil.rmtree(self.path(name), ignore_errors=True)
            shutil.rmtree(self.out, ignore_errors=True)
            self.run_it("compare", self.ranks("golden", ranks, wrong), self.ranks("target", ranks, wrong), "--format", "trace,html,json")
            trace = self.read("field.trace")
            self.assertIn('"rank %d"' % wrong, trace)
            self.assertIn("rank %d → allreduce #9 → " % wrong, trace)
            self.assertEqual(len(re.findall(r"^text .* weight=700 paper .1.$", trace, re.M)), 1)
            if ranks > 64:
                self.assertIn("ranks 0–61, equal", trace)
            page = self.read("index.html")
            self.assertLess(page.index("Ranks × execution order"), page.index("Steps × ranks"))

    def test_the_way_over_the_ranks_goes_by_one_communication_after_the_other_and_stages_stand_together(self):
        self.run_it("compare", *pipeline(self.path("runs"), 2), "--format", "trace,html,json")
        trace = self.read("field.trace")
        self.assertIn("rank 2 → allreduce #3 → rank 3 → send #4 → ranks 6, 7 → allreduce #5 → ranks 0, 1, 4, 5", trace)
        self.assertEqual(re.findall(r'"(stage \d|rank \d)"', trace.split("Ranks ×")[1]),
                         ["stage 0", "stage 1", *("rank %d" % rank for rank in range(8))])
        self.assertIn('id="field-index"', self.read("index.html"))

    def test_ranks_with_the_same_fate_share_a_line_of_the_way_of_a_nan(self):
        golden, target = pipeline(self.path("runs"), 2)
        for rank in range(8, 40):
            shutil.copytree(os.path.join(golden, "step0", "rank0"), os.path.join(target, "step0", "rank%d" % rank))
        self.run_it("locate", target, "--format", "trace,json")
        self.assertIn('"ranks 4–7"', self.read("locate-step0.trace"))

    def test_ranks_that_are_all_equal_have_no_field(self):
        self.run_it("compare", self.ranks("golden", 4, -1), self.ranks("target", 4, -1), "--format", "trace,json")
        self.assertFalse(os.path.exists(os.path.join(self.out, "field.trace")))

    def test_a_sample_far_beyond_all_others_is_named_by_the_verdict_and_marked_in_the_picture(self):
        for name in "golden", "target":
            with open(self.path(name + ".jsonl"), "w", encoding="utf-8") as file:
                for sample in range(9):
                    far = 0.1 if sample == 5 else 0.0005
                    print(json.dumps({"log_probs": [-1 - i % 5 / 8 + (far * (-1) ** i if name == "target" else 0) for i in range(200)]}), file=file)
        self.run_it("tokens", self.path("golden.jsonl"), self.path("target.jsonl"), "--format", "trace,json")
        self.assertRegex(self.facts()["verdict"], "sample 5 is (199|200) times as far off as the median sample")
        self.assertRegex(self.read("tokens.trace"), r'weight=700 error\.text "sample 5"')

    def test_a_precheck_draws_every_api_in_its_bar_and_calls_of_one_api_as_one(self):
        with open(self.path("accuracy_checking_result_1.csv"), "w", encoding="utf-8") as file:
            print("API Name,Forward Test Success,Backward Test Success,Message", file=file)
            for i in range(3000):
                print("Functional.linear.%d,%s,pass," % (i, "error" if i % 100 == 7 else "pass"), file=file)
        self.run_it("precheck", self.path("accuracy_checking_result_1.csv"), "--format", "trace,json")
        trace = self.read("precheck.trace")
        for words in '"30 failed"', '"5,970 passed"', '"Functional.linear.forward ×30"', "calls 7, 107, 207, 307, 407, 507, …":
            self.assertIn(words, trace)

    def test_a_trend_of_all_ranks_is_no_departure_of_one(self):
        for rank in range(8):
            folder = self.path("monitor", "Jan01_00-00-00-rank%d-0000000%d" % (rank, rank))
            os.makedirs(folder)
            with open(os.path.join(folder, "grad_reduced_0-39.csv"), "w", encoding="utf-8") as file:
                print("vpp_stage,name,step,norm", file=file)
                for step in range(40):
                    for layer in range(3):
                        off = 8 if (rank, layer) == (5, 1) and step >= 30 else 1
                        print("0,layers.%d.weight,%d,%.6f" % (layer, step, off / (1 + step / 20)), file=file)
        self.run_it("monitor", self.path("monitor"), "--format", "trace,json")
        all_ranks, first, *others = re.split(r'^text \S+ \S+ start 13 ink "(?:all 8 ranks|rank \d)"', self.read("layers-grad_reduced.trace"), flags=re.M)[1:]
        self.assertGreater(len(set(re.findall(r"fill=heat\+(\d+)", all_ranks))), 4)
        self.assertEqual(set(re.findall(r"fill=heat\+(\d+)", first)), {"10", "20"})
        self.assertEqual(set(re.findall(r"fill=heat\+(\d+)", others[0])), {"10"})

    def test_what_cannot_be_checked_is_one_line_and_columns_have_heads(self):
        self.run_it("check", os.path.join(SAMPLES, "ranks", "target"), "--format", "trace")
        trace = self.read("check.trace")
        self.assertIn('"0·0"', trace)
        self.assertLess(trace.count("cannot be checked"), 6)


@unittest.skipUnless(SHARED, NO_SAMPLES)
class SharedDrawings(Drawn):
    def test_a_pass_above_its_floor_is_hollow_and_named_in_the_legend(self):
        dumps = os.path.join(SHARED, "data", "dumps3", "clip-bf16")
        self.run_it("compare", os.path.join(dumps, "bench"), os.path.join(dumps, "target_platform"), "--format", "trace,html")
        trace = self.read("graph-step0-rank0.trace")
        self.assertIn("pass by an allowance, above its floor", trace)
        self.assertGreaterEqual(len(re.findall(r"^box .* fill=paper stroke=pass.edge", trace, re.M)), 2)
        self.assertIn('class="k p"', self.read("index.html"))


if __name__ == "__main__":
    main()
