#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The known defects of msProbe, and the answer that the rules `vernier` give instead (docs/reference/rules.md).

test_c01 … are wrong results of its row report, test_w01 … of its graph tool, test_m… and test_r… of matching and of reading.
"""
import csv
import json
import math
import os
import re
import shutil
import struct
import subprocess

from program import Case, VERNIER, main

INF, NAN = float("inf"), float("nan")


def T(largest, least, mean, norm, **more):
    return dict({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 2], "Max": largest, "Min": least,
                 "Mean": mean, "Norm": norm, "requires_grad": False}, **more)


def io(inputs, outputs, **more):
    inputs = inputs if isinstance(inputs, list) else [inputs]
    outputs = outputs if isinstance(outputs, list) else [outputs]
    return dict({"input_args": inputs, "input_kwargs": {}, "output": outputs}, **more)


def integer(value):
    return {"type": "int", "value": value}


GOOD, OUT = T(1, 0, .5, 1), T(2, 0, 1, 3)
OP = "Functional.op.0.forward"


class BetterAnswers(Case):
    def write(self, side, data, construct=None, stack=None, task="statistics", framework="pytorch", file="dump.json"):
        folder = self.path(side)
        os.makedirs(folder, exist_ok=True)
        dump = {"task": task, "level": "mix", "framework": framework, "dump_data_dir": None, "data": data}
        construct = {name: None for name in data} if construct is None else construct
        for name, content in ((file, dump), ("construct.json", construct), ("stack.json", stack or {})):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                json.dump(content, out)
        return folder

    def run_vernier(self, *arguments, timeout=600):
        done = subprocess.run([VERNIER, *arguments], env=dict(os.environ, LC_ALL="C"), capture_output=True, text=True,
                              check=False, timeout=timeout)
        return done.returncode, done.stderr + done.stdout

    def run_compare(self, *arguments):
        out = self.path("out")
        shutil.rmtree(out, ignore_errors=True)
        code, stderr = self.run_vernier("compare", self.path("golden"), self.path("target"), "-o", out, "--format",
                                        "json,nodes,csv", *arguments)
        self.code, self.stderr, self.summary, self.nodes, self.rows = code, stderr, None, {}, {}
        if not os.path.exists(os.path.join(out, "summary.json")):
            return None
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            self.summary = json.load(file)
        for name in os.listdir(out):
            if name.startswith("nodes-"):
                with open(os.path.join(out, name), encoding="utf-8") as file:
                    nodes = json.load(file)
                self.nodes = {node["id"]: node for node in nodes["target"]}
                self.golden_nodes = {node["id"]: node for node in nodes["golden"]}
            if name.startswith("rows-"):
                with open(os.path.join(out, name), encoding="utf-8-sig", newline="") as file:
                    self.rows = {row["NPU Name"]: row for row in csv.DictReader(file)}
        return self.summary["pairs"][0]

    def compare(self, target, golden, *arguments, **more):
        self.write("target", target, **more)
        self.write("golden", golden, **more)
        return self.run_compare(*arguments)

    def status(self, target, golden, name=OP, **more):
        """Of one op with these entries."""
        self.compare({name: target}, {name: golden}, **more)
        return self.nodes[name]["status"]

    # ---- tensor files

    def npy(self, side, name, values, descr="<f4", shape=None):
        shape = "(%d,)" % len(values) if shape is None else shape
        code = {"<f4": "f", "<c8": "f", "|u1": "B", "<f8": "d"}[descr]
        header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
        header += " " * (63 - (len(header) + 10) % 64) + "\n"
        folder = self.path(side, "dump_tensor_data")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                       struct.pack("<%d%s" % (len(values), code), *values))

    def tensor_entry(self, side, name, values, place, dtype="torch.float32", descr="<f4", shape=None):
        file = "%s.%s.npy" % (name, place)
        if values is not None:
            self.npy(side, file, values, descr, shape)
        # Statistics that do not show the difference, so that the elements decide.
        return dict(T(1, 0, .5, 1), dtype=dtype, data_name=file, shape=[len(values or [0, 0, 0])])

    def tensors(self, target, golden, *arguments, count=None, **more):
        """Outputs of one op; its input is equal."""
        for side, outputs in (("target", target), ("golden", golden)):
            shutil.rmtree(self.path(side), ignore_errors=True)
            entry = io(self.tensor_entry(side, OP, [1, 2, 3, 4], "input.0"),
                       [self.tensor_entry(side, OP, values, "output.%d" % i, **more) for i, values in enumerate(outputs)])
            self.write(side, {OP: entry}, task="tensor")
        self.run_compare(*arguments)
        return self.nodes[OP]["status"]

    # ---- The row report

    def test_c01_what_cannot_be_compared_never_passes(self):
        self.assertEqual(self.status(io([GOOD, GOOD], OUT), io(GOOD, OUT)), "error")
        self.compare({OP: io(GOOD, OUT)}, {"Torch.other.0.forward": io(GOOD, OUT)})
        self.assertEqual((self.code, self.summary["verdict"][:12]), (3, "NOT COMPARED"))
        self.assertEqual(self.tensors([[1, NAN, 3]], [[1, 2, 3]]), "error")
        self.assertEqual(self.status(io(GOOD, T(1, 0, 0, 1, dtype="torch.int32")),
                                     io(GOOD, T(1, 0, 0, 1, dtype="torch.float32"))), "error")
        self.tensors([None], [[1, 2, 3]])
        self.assertEqual(self.code, 4, self.stderr)
        self.assertIn("tensor files that the dump names are missing", self.stderr)

    def test_c02_infinities_of_other_sign_and_other_places_of_nan_are_errors(self):
        self.assertEqual(self.status(io(GOOD, T(INF, 0, INF, INF)), io(GOOD, T(INF, -INF, NAN, INF))), "error")
        self.assertEqual(self.tensors([[1, INF, 3]], [[1, -INF, 3]]), "error")
        self.assertEqual(self.tensors([[1, NAN, 3]], [[1, 2, NAN]]), "error")
        self.assertIn(self.tensors([[1, NAN, 3]], [[1, NAN, 3]]), ("same", "pass"))

    def test_c03_nan_on_the_golden_side_alone_is_an_error(self):
        self.assertEqual(self.status(io(GOOD, OUT), io(GOOD, T(NAN, NAN, NAN, NAN))), "error")
        self.assertEqual(self.status(io(GOOD, T(NAN, NAN, NAN, NAN)), io(GOOD, OUT)), "error")

    def test_c04_a_quarter_of_the_elements_off_by_a_percent_is_no_pass(self):
        golden = [float(i + 1) for i in range(20)]
        for wrong in (5, 10, 19):
            target = [v * 1.01 if i < wrong else v for i, v in enumerate(golden)]
            self.assertEqual(self.tensors([target], [golden]), "error", wrong)

    def test_c05_every_output_is_judged_not_the_first_alone(self):
        self.assertEqual(self.status(io(GOOD, [OUT, T(2, 0, 1, 30)]), io(GOOD, [OUT, OUT])), "error")
        self.assertEqual(self.rows[OP + ".output.0"]["Result"], "pass")
        self.assertEqual(self.rows[OP + ".output.1"]["Result"], "error")
        self.assertEqual(self.tensors([[1, 2, 3], [1, 2, 30]], [[1, 2, 3], [1, 2, 3]]), "error")

    def bert(self, part, factor):
        first, name = "Module.bert.first.Linear.forward.0", "Module.bert.layer.0.%s.dense.Linear.forward.0" % part
        return {first: io(GOOD, T(1, 0, .5, 1 * factor)), name: io(T(1, 0, .5, 1 * factor), T(1, 0, .5, 2 * factor))}

    def test_c06_w03_a_module_called_output_has_inputs(self):
        shown = []
        for part in ("output", "outp", "input"):
            pair = self.compare(self.bert(part, 1.15), self.bert(part, 1))
            name = "Module.bert.layer.0.%s.dense.Linear.forward.0" % part
            shown.append((self.rows[name + ".input.0"]["Result"], self.rows[name + ".output.0"]["Result"],
                          pair["first_divergence"]["target"]))
        self.assertEqual(len(set(shown)), 1)
        self.assertEqual(shown[0][2], "Module.bert.first.Linear.forward.0")

    def test_c07_w08_equal_numbers_of_two_frameworks_agree(self):
        mindspore = dict(GOOD, type="mindspore.Tensor", dtype="Float32")
        del mindspore["requires_grad"]
        self.write("target", {"Mint.add.0.forward": io(mindspore, mindspore)}, framework="mindspore")
        self.write("golden", {"Torch.add.0.forward": io(dict(GOOD, requires_grad=True), GOOD)})
        pair = self.run_compare()
        self.assertEqual((self.code, pair["status"]), (0, "same"), self.stderr)

    def test_c08_devices_are_no_settings_of_the_model(self):
        def device(text):
            return io([GOOD, {"type": "str", "value": text}], OUT)

        self.assertIn(self.status(device("npu:0"), device("cuda:0")), ("same", "pass"))
        self.assertEqual(self.status(device("none"), device("mean")), "error")

    def backward(self, order, missing=()):
        names = ["Functional.r.%d.forward" % i for i in range(3)] + ["Functional.r.%d.backward" % i for i in order]
        data = {}
        for name in names:
            size = 1 + int(name.split(".")[2])
            entry = io(T(size, 0, .5, size), T(size, 0, .5, size))
            if name.endswith("backward"):
                entry = {"input": entry["input_args"], "output": entry["output"]}
            if name not in missing:
                data[name] = entry
        return data

    def test_c09_a_missing_backward_call_costs_itself_alone(self):
        self.compare(self.backward((2, 1, 0)), self.backward((2, 1, 0), ("Functional.r.2.backward",)))
        self.assertEqual([self.nodes["Functional.r.%d.backward" % i]["matched"] for i in range(3)],
                         ["Functional.r.0.backward", "Functional.r.1.backward", None])

    def test_c09_backward_calls_keep_their_partners_under_a_cell_mapping(self):
        def cells(prefix):
            names = ["%s.forward.0", "%s.forward.1", "%s.backward.1", "%s.backward.0"]
            return {name % prefix: io(T(i, 0, .5, i), T(i, 0, .5, i)) if "forward" in name else
                    {"input": [T(i, 0, .5, i)], "output": [T(i, 0, .5, i)]}
                    for i, name in ((i + 1, name) for i, name in enumerate(names))}

        with open(self.path("cells.yaml"), "w", encoding="utf-8") as file:
            file.write("fc.Dense: fc.Linear\n")
        self.write("target", cells("Cell.fc.Dense"), framework="mindspore")
        self.write("golden", cells("Module.fc.Linear"))
        pair = self.run_compare("--cell-mapping", self.path("cells.yaml"))
        self.assertEqual((self.code, pair["counts"]["same"]), (0, 8), self.stderr)

    def test_c10_ops_without_direction_and_ops_of_golden_alone_are_reported(self):
        pair = self.compare({OP: io(GOOD, OUT), "my.own.op": io(GOOD, T(9, 0, 1, 9))},
                            {OP: io(GOOD, OUT), "my.own.op": io(GOOD, OUT), "Torch.gone.0.forward": io(GOOD, OUT)})
        self.assertEqual(self.nodes["my.own.op"]["status"], "error")
        self.assertEqual([item["ops"] for item in pair["coverage"]["not_recorded"]], [1])

    def test_c11_fuzzy_works_in_every_mode(self):
        def calls(first, **more):
            return {"Functional.op.%d.forward" % (first + i): io(dict(T(i, 0, 1, i), **more), dict(T(i, 0, 1, i), **more))
                    for i in range(1, 4)}

        self.compare(calls(5), calls(0), "--fuzzy")
        self.assertEqual(self.code, 0, self.stderr)
        self.compare(calls(5, md5="aaaaaaaa"), calls(0, md5="aaaaaaaa"), "--fuzzy")
        self.assertEqual(self.code, 0, self.stderr)
        modules = [{"Module.fc.%s.forward.%d" % (name, call): io(GOOD, OUT) for name in ("Linear", "Norm")} for call in (0, 1)]
        self.compare(modules[1], modules[0], "--fuzzy")
        self.assertEqual({name: node["matched"] for name, node in self.nodes.items() if name.startswith("Module")},
                         {"Module.fc.Linear.forward.1": "Module.fc.Linear.forward.0",
                          "Module.fc.Norm.forward.1": "Module.fc.Norm.forward.0"})

    def test_c12_api_mapping_files_are_read_as_documented(self):
        target = {"Functional.mine.0.forward": io([GOOD, OUT], OUT)}
        golden = {"Torch.yours.0.forward": io([OUT, GOOD], OUT)}
        entry = ("  ms_api: Functional.mine\n  pt_api: Torch.yours\n  ms_args: [0, 1]\n  pt_args: [1, 0]\n"
                 "  ms_%s: [0]\n  pt_%s: [0]\n")
        for key in ("outputs", "output"):
            for text in ("- " + (entry % (key, key)).lstrip(), (entry % (key, key)).replace("\n  ", "\n")[2:]):
                with open(self.path("apis.yaml"), "w", encoding="utf-8") as file:
                    file.write(text)
                pair = self.compare(target, golden, "--api-mapping", self.path("apis.yaml"))
                self.assertEqual((self.code, pair["counts"]["same"]), (0, 3), (text, self.stderr))

    def test_c13_the_first_difference_is_always_told(self):
        data = {"Functional.a.0.forward": io(GOOD, GOOD), "Functional.b.0.forward": io(GOOD, T(0, 0, 0, 0))}
        for bad in (T(NAN, NAN, NAN, NAN), T(INF, 0, INF, INF), T(5, 0, 1, 5)):
            for folder in ("", "proc17"):
                for side in ("target", "golden"):
                    shutil.rmtree(self.path(side), ignore_errors=True)
                self.write(os.path.join("target", folder), dict(data, **{"Functional.b.0.forward": io(GOOD, bad)}))
                self.write(os.path.join("golden", folder), data)
                pair = self.run_compare()
                self.assertEqual(pair["first_divergence"]["target"], "Functional.b.0.forward", self.stderr)

    def test_c14_a_zero_of_golden_gives_no_infinite_error(self):
        self.assertIn(self.status(io(GOOD, T(1, -1, 1e-9, 1)), io(GOOD, T(1, -1, 0, 1))), ("pass", "same"))

    def test_c15_tiny_values_that_differ_are_seen(self):
        self.assertEqual(self.status(io(GOOD, T(3e-14, 0, 1e-14, 3e-14)), io(GOOD, T(1e-14, 0, 1e-14, 1e-14))), "error")
        self.assertEqual(self.tensors([[3e-14, 2e-14, 3e-14]], [[1e-14, 2e-14, 3e-14]]), "error")

    def test_c16_an_output_of_zeros_is_an_error(self):
        self.assertEqual(self.tensors([[0, 0, 0]], [[1, 1, 1]]), "error")
        self.assertEqual(self.status(io(GOOD, T(0, 0, 0, 0)), io(GOOD, OUT)), "error")

    def test_c17_imaginary_parts_and_unsigned_scalars_count(self):
        self.assertEqual(self.tensors([[1, 5, 2, 2]], [[1, 1, 2, 2]], dtype="torch.complex64", descr="<c8", shape="(2,)"), "error")
        self.assertEqual(self.tensors([[250]], [[5]], dtype="torch.uint8", descr="|u1", shape="()"), "error")
        self.assertEqual(self.tensors([[1.5]], [[1.0]]), "error")

    def test_c18_gradients_of_one_name_pair_one_to_one(self):
        name = "Module.fc.Linear.parameters_grad"
        entry = {"weight": [GOOD, OUT]}
        pair = self.compare({name: entry}, {name: entry})
        self.assertEqual((self.code, pair["counts"]["slots"], pair["counts"]["same"]), (0, 2, 2))

    def test_c19_a_rank_that_failed_shows_in_the_exit_code(self):
        for side in ("target", "golden"):
            for rank in (0, 3):
                self.write(os.path.join(side, "rank%d" % rank), {OP: io(GOOD, OUT)}, framework="mindtorch")
        with open(self.path("target", "rank3", "dump.json"), "w", encoding="utf-8") as file:
            file.write("{")
        self.run_compare()
        self.assertEqual(self.code, 4, self.stderr)
        self.assertEqual([pair["rank"] for pair in self.summary["pairs"]], [0, 3])

    def test_c19_ranks_pair_by_number(self):
        for side, ranks in (("target", (0, 2)), ("golden", (0, 1, 2))):
            for rank in ranks:
                self.write(os.path.join(side, "rank%d" % rank), {OP: io(GOOD, T(rank, 0, 1, rank + 1))})
        self.run_compare()
        self.assertEqual([(pair["rank"], pair["status"]) for pair in self.summary["pairs"]],
                         [(0, "same"), (1, "no data"), (2, "same")])
        self.assertEqual(self.code, 4)

    def test_c20_strings_of_any_kind_are_data(self):
        for text in ("=cmd|'/c calc'!A1", "\u0000\u0001", "a\nb", "<script>", "../../etc", "x" * 100000):
            self.assertEqual(self.status(io([GOOD, {"type": "str", "value": text}], OUT),
                                         io([GOOD, {"type": "str", "value": text}], OUT)), "same", text[:20])

    def test_c21_single_points_can_be_wrong(self):
        for side, size in (("target", 5), ("golden", 1)):
            self.write(side, {"loss.0.debug": T(size, 0, .5, size)}, construct={}, file="debug.json")
            os.path.exists(self.path(side, "dump.json")) and os.remove(self.path(side, "dump.json"))
        pair = self.run_compare()
        self.assertEqual((self.code, pair["status"]), (1, "error"), self.stderr)

    def test_c22_rows_stand_in_the_order_of_the_dump_and_zero_is_zero(self):
        names = ["Functional.%s.0.forward" % name for name in "zyxabc"]
        target = {name: io(GOOD, OUT) for name in names}
        golden = dict(target, **{names[0]: io(GOOD, T(2, 0, 1, 3.5))})
        self.compare(target, golden)
        self.assertEqual(list(self.rows), [name + part for name in names for part in (".input.0", ".output.0")])
        self.assertEqual({row["Max diff"] for row in self.rows.values()}, {"0"})

    def test_c23_verdicts_stand_on_their_own_rows(self):
        a, b, weight = "Functional.a.0.forward", "Functional.b.0.forward", "Module.m.M.parameters_grad"
        target = {a: io(GOOD, T(5, 0, 1, 9)), weight: {"w": [GOOD]}, b: io(GOOD, OUT)}
        golden = {a: io(GOOD, OUT), weight: {"w": [GOOD]}, b: io(GOOD, OUT)}
        self.compare(target, golden)
        self.assertEqual([name for name, row in self.rows.items() if row["Result"] == "error"], [a + ".output.0"])

    # ---- The graph: verdicts

    def test_w01_a_group_of_loose_apis_rolls_up_in_tensor_mode(self):
        for side, factor in (("target", 1.5), ("golden", 1)):
            data = {}
            for name in ("Torch.a.0.forward", "Torch.b.0.forward"):
                data[name] = io(self.tensor_entry(side, name, [1, 2, 3], "input.0"),
                                self.tensor_entry(side, name, [1 * factor, 2, 3], "output.0"))
            self.write(side, data, task="tensor")
        pair = self.run_compare()
        self.assertEqual((pair["counts"]["error"], self.nodes["Torch.b.0.forward"]["status"]), (2, "error"))

    def test_w02_empty_is_not_always_red_in_checksum_mode(self):
        entry = io(dict(GOOD, md5="aaaaaaaa"), dict(GOOD, md5="bbbbbbbb"))
        self.assertEqual(self.status(entry, entry, name="Torch.empty.0.forward"), "same")
        self.assertEqual(self.nodes["Torch.empty.0.forward"]["precision_index"], 0)

    def test_w04_gradients_of_weights_are_judged(self):
        name = "Module.fc.Linear.parameters_grad"
        self.assertEqual(self.status({"w": [T(1, 0, .5, 1)]}, {"w": [T(1, 0, .5, .2)]}, name=name), "error")

    def test_w05_statistics_against_zero_and_nan_in_any_statistic_are_judged(self):
        self.assertEqual(self.status(io(GOOD, T(5, 0, 1, 5)), io(GOOD, T(0, 0, 0, 0))), "error")
        for bad in (T(2, 0, 1, NAN), T(2, 0, NAN, 3)):
            self.assertEqual(self.status(io(GOOD, bad), io(GOOD, OUT)), "error")

    def test_w06_surplus_items_of_either_side_and_missing_data_are_seen(self):
        self.assertEqual(self.status(io(GOOD, OUT), io([GOOD, GOOD], OUT)), "error")
        self.compare({OP: io(GOOD, OUT)}, {OP: io(GOOD, OUT), "Torch.b.0.forward": io(GOOD, OUT)},
                     construct={OP: None, "Torch.b.0.forward": None})
        self.assertEqual((self.code, self.summary["pairs"][0]["ops"]["no data"]), (0, 1))
        self.assertRegex(self.summary["verdict"], r"alone records 1 call of Torch\.b\.")

    def test_w07_max_counts_when_the_norm_is_equal(self):
        self.assertEqual(self.status(io(GOOD, T(10, -5, 1, 3)), io(GOOD, T(1, 0, 1, 3))), "error")

    # W9 (merging) stands in unit/rank_merge_test.c, W10 (links) in graph_examples.py, W11 there under X10.

    def test_w12_nodes_of_golden_alone_keep_the_micro_step_they_run_in(self):
        names = ["Module.a.A.forward.0", "Module.a.A.forward.7"]
        self.compare({names[0]: io(GOOD, OUT)}, {name: io(GOOD, OUT) for name in names})
        self.assertEqual(self.golden_nodes[names[1]]["micro_step"], 0)

    def test_w13_a_quarter_of_the_elements_off_by_a_fifth_is_an_error(self):
        self.assertEqual(self.tensors([[2, 4, 6, 9.6]], [[2, 4, 6, 8]]), "error")

    def test_w14_dtypes_of_qkv_and_gate_up_are_compared(self):
        for part in ("qkv_proj", "gate_up_proj"):
            self.assertEqual(self.status(io(GOOD, dict(OUT, dtype="torch.float16")), io(GOOD, OUT),
                                         name="Module.net.%s.Linear.forward.0" % part), "error")

    def test_w15_fuzzy_and_a_layer_mapping_work_together(self):
        with open(self.path("layers.yaml"), "w", encoding="utf-8") as file:
            file.write("TopLayer: {mine: yours}\n")
        self.write("target", {"Module.mine.A.forward.0": io(GOOD, OUT), "Torch.add.0.forward": io(GOOD, OUT)})
        self.write("golden", {"Module.yours.A.forward.0": io(GOOD, OUT), "Torch.add.5.forward": io(GOOD, OUT)})
        pair = self.run_compare("--fuzzy", "--layer-mapping", self.path("layers.yaml"))
        self.assertEqual((self.code, pair["counts"]["same"]), (0, 4), self.stderr)

    # ---- The graph: matching

    def test_m1_shifted_call_numbers_cost_nothing(self):
        target = {"Torch.add.%d.forward" % (i + 1): io(T(i, 0, 1, i + 1), OUT) for i in range(5)}
        golden = {"Torch.add.%d.forward" % i: io(T(i, 0, 1, i + 1), OUT) for i in range(5)}
        pair = self.compare(target, golden)
        self.assertEqual((self.code, pair["counts"]["same"]), (0, 10), self.stderr)

    def test_m2_a_renamed_wrapper_costs_nothing_below_it(self):
        def model(wrapper):
            top = "Module.%s.Wrapper.forward.0" % wrapper
            return {top: io(GOOD, OUT), "Torch.add.0.forward": io(GOOD, OUT), "Torch.mul.0.forward": io(OUT, OUT)}, \
                {top: None, "Torch.add.0.forward": top, "Torch.mul.0.forward": top}

        for side, wrapper in (("target", "mine"), ("golden", "yours")):
            data, construct = model(wrapper)
            self.write(side, data, construct=construct)
        pair = self.run_compare()
        self.assertEqual((self.code, pair["counts"]["unmatched_target"]), (0, 0), self.stderr)

    def test_m3_an_extra_call_in_front_shifts_no_pair(self):
        calls = {"Torch.mul.%d.forward" % i: io(T(i, 0, 1, i + 1), T(i, 0, 1, 2 * i + 1)) for i in range(4)}
        more = {"Torch.mul.0.forward": io(T(77, 0, 1, 77), T(77, 0, 1, 77))}
        more.update({"Torch.mul.%d.forward" % (i + 1): calls["Torch.mul.%d.forward" % i] for i in range(4)})
        for options in ((), ("--fuzzy",)):
            self.compare(more, calls, *options)
            self.assertEqual([self.nodes["Torch.mul.%d.forward" % i]["matched"] for i in range(5)],
                             [None] + ["Torch.mul.%d.forward" % i for i in range(4)], options)

    def test_m4_partners_are_one_to_one_under_a_mapping(self):
        with open(self.path("layers.yaml"), "w", encoding="utf-8") as file:
            file.write("TopLayer: {a: x, b: x}\n")
        self.write("target", {"Module.%s.A.forward.0" % name: io(GOOD, OUT) for name in "ab"})
        self.write("golden", {"Module.x.A.forward.0": io(GOOD, OUT)})
        pair = self.run_compare("--layer-mapping", self.path("layers.yaml"))
        self.assertEqual((pair["ops"]["no data"], self.code), (1, 0), self.stderr)

    def test_m5_the_report_says_how_much_matched(self):
        pair = self.compare({OP: io(GOOD, OUT)}, {OP: io(GOOD, OUT)})
        self.assertEqual((pair["counts"]["ops_golden"], pair["counts"]["ops_target"], pair["counts"]["unmatched_golden"],
                          pair["counts"]["unmatched_target"]), (1, 1, 0, 0))

    # ---- The graph: reading

    def test_r1_no_op_is_lost_with_its_parent(self):
        construct = {OP: "Module.zz.P.forward.0"}
        self.compare({OP: io(GOOD, OUT)}, {OP: io(GOOD, OUT)}, construct=construct)
        self.assertEqual((self.nodes[OP]["parent"], self.nodes[OP]["status"]), ("Module.zz.P.forward.0", "same"))

    def test_r2_a_missing_file_of_one_rank_ends_and_is_said(self):
        for side in ("target", "golden"):
            for rank in (0, 1):
                self.write(os.path.join(side, "rank%d" % rank), {OP: io(GOOD, OUT)})
        os.remove(self.path("target", "rank1", "dump.json"))
        self.run_compare()
        self.assertEqual(self.code, 4, self.stderr)
        self.assertIn("rank1", self.stderr)

    def test_r3_checksums_in_nested_lists_are_seen(self):
        def entry(md5):
            return io(GOOD, [[dict(GOOD, md5=md5)]])

        self.assertEqual(self.status(entry("aaaaaaaa"), entry("bbbbbbbb")), "error")
        self.assertEqual(self.summary["mode"], "checksum")

    def test_r4_checksums_of_one_side_leave_the_statistics(self):
        self.assertEqual(self.status(io(dict(GOOD, md5="aaaaaaaa"), OUT), io(GOOD, T(2, 0, 1, 9))), "error")

    def test_r5_structure_dumps_with_items_are_compared(self):
        item = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 2], "requires_grad": False}
        self.compare({OP: io(item, dict(item, shape=[2, 3]))}, {OP: io(item, item)}, task="structure")
        self.assertEqual((self.code, self.nodes[OP]["status"]), (1, "error"), self.stderr)

    def test_r6_nesting_of_any_depth_ends(self):
        leaf = "[" * 5000 + json.dumps(GOOD) + "]" * 5000
        for side in ("target", "golden"):
            os.makedirs(self.path(side))
            with open(self.path(side, "dump.json"), "w", encoding="utf-8") as file:
                file.write('{"task":"statistics","level":"mix","framework":"pytorch","data":{"%s":{"input_args":%s,"output":[%s]},'
                           '"Torch.ok.0.forward":%s}}' % (OP, leaf, json.dumps(OUT), json.dumps(io(GOOD, OUT))))
        self.run_compare()
        self.assertIn(self.code, (0, 4), self.stderr)
        self.assertEqual(self.nodes["Torch.ok.0.forward"]["status"], "same")

    def test_r8_the_block_that_adds_far_more_than_it_inherits_is_named(self):
        def blocks(added, count=24):
            data, error, value = {}, 0.0, 10.0
            for i in range(count):
                before, error = value * (1 + error), math.hypot(error, added(i))
                value *= 1.1
                after = value * (1 + error)
                data["Module.layers.%d.Block.forward.0" % i] = io(T(before, -before, 0.1, before), T(after, -after, 0.1, after))
            return data
        for added, named in ((lambda i: (i > 2) * 1e-4 + (i == 17) * 3e-3, True), (lambda i: (i > 2) * 1e-4, False), (lambda i: (i == 5) * 3e-3, False)):
            self.compare(blocks(added), blocks(lambda i: 0))
            found = re.search(r"layers.17 adds (\d+)x the error that it inherits \(relative error 3.7e-04 in, 3.1e-03 out\)", self.stderr)
            self.assertEqual((bool(found), "error that it inherits" in self.stderr), (named, named), self.stderr)
        self.assertIsNone(found)
        self.run_vernier("compare", self.path("golden"), self.path("target"), "-o", self.path("drawn"), "--format", "html")
        with open(self.path("drawn", "index.html"), encoding="utf-8") as file:
            rows = re.findall(r"<tr>(?:(?!</tr>).)*layers\.\d(?:(?!</tr>).)*</tr>", file.read(), re.S)
        self.assertIn("all of it", "".join(rows))

    def test_r9_an_error_of_any_size_is_drawn(self):
        for size in (1e19, 1e31, 1e33, 3e38, 1e200):
            self.write("golden", {OP: io(GOOD, OUT)}), self.write("target", {OP: io(GOOD, T(size, 0, size / 2, size))})
            code, said = self.run_vernier("compare", self.path("golden"), self.path("target"), "-o", self.path("drawn"), "--format", "svg,html",
                                          timeout=20)
            self.assertEqual(code, 1, said)

    def test_r7_steps_stand_in_the_order_of_their_numbers(self):
        for side in ("target", "golden"):
            for step in (10, 2):
                self.write(os.path.join(side, "step%d" % step, "rank0"), {OP: io(GOOD, OUT)})
        self.run_compare()
        self.assertEqual([pair["step"] for pair in self.summary["pairs"]], [2, 10])


if __name__ == "__main__":
    main()
