#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wrong answer is the worst failure: what must hold of every judgement, whatever the numbers are.
Runs against themselves, swapped, made worse, cut, permuted and renamed.

VERNIER names the program, SAMPLES the folder of samples.
"""
import copy
import json
import os
import random
import shutil
import struct
import subprocess
import zlib

import small_inputs
from program import Case, SAMPLES, VERNIER, main

ORDER = {"same": 0, "pass": 1, "warning": 2, "error": 3}
OP = "Functional.linear.1.forward"


def npy(values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (117 - len(header)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<%df" % len(values), *values)


class Judgement(Case):
    def setUp(self):
        super().setUp()
        os.chdir(self.folder)
        small_inputs.make_inputs()
        with open("golden/step0/rank0/dump.json", encoding="utf-8") as file:
            self.golden = json.load(file)

    def run_once(self, *arguments):
        env = dict(os.environ, LC_ALL="C", NO_COLOR="1")
        done = subprocess.run([VERNIER, *arguments, "-o", "out", "--format", "json"], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=600)
        said = (done.stderr + done.stdout).decode().strip()
        summary = None
        if os.path.exists("out/summary.json"):
            with open("out/summary.json", encoding="utf-8") as file:
                summary = json.load(file)
            os.remove("out/summary.json")
        return done.returncode, summary, said.split("\n")[-1]

    def side(self, name, content, step=0, rank=0):
        folder = os.path.join(name, "step%d" % step, "rank%d" % rank)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
            json.dump(content, file)
        for extra in ("construct.json", "stack.json"):
            shutil.copy(os.path.join("golden/step0/rank0", extra), folder)
        return name

    def changed(self, change, op=OP):
        content = copy.deepcopy(self.golden)
        change(content["data"][op]["output"][0])
        return content

    def checksums(self, salt=""):
        content = copy.deepcopy(self.golden)
        content["task"] = "md5"
        for name, op in content["data"].items():
            for key in ("input_args", "input", "output"):
                for i, tensor in enumerate(op.get(key, [])):
                    if "dtype" in tensor:
                        mark = salt if name == OP and key == "output" else ""
                        tensor["md5"] = "%08x" % zlib.crc32(("%s%s%d%s" % (name, key, i, mark)).encode())
        return content

    def tensors(self, name, scale=1.0):
        content = copy.deepcopy(self.golden)
        content["task"] = "tensor"
        folder = os.path.join(name, "step0", "rank0", "dump_tensor_data")
        os.makedirs(folder)
        for op_name, op in content["data"].items():
            for key in ("input_args", "input", "output"):
                for i, tensor in enumerate(op.get(key, [])):
                    if "dtype" not in tensor:
                        continue
                    slot = "output" if key == "output" else "input"
                    tensor["data_name"] = "%s.%s.%d.npy" % (op_name, slot, i)
                    factor = scale if op_name == OP and slot == "output" else 1.0
                    values = [factor * (0.1 * k + 1) for k in range(6)]
                    tensor.update({"Max": max(values), "Min": min(values), "Mean": sum(values) / 6})
                    tensor["Norm"] = sum(v * v for v in values) ** 0.5
                    with open(os.path.join(folder, tensor["data_name"]), "wb") as file:
                        file.write(npy(values))
        return self.side(name, content)

    def test_v1_a_run_against_itself_is_the_same_in_each_mode(self):
        sides = [self.side("statistics", self.golden), self.side("checksums", self.checksums()), self.tensors("arrays"),
                 os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "ranks", "target")]
        modes = set()
        for side in sides:
            code, summary, said = self.run_once("compare", side, side)
            self.assertEqual((code, summary["status"]), (0, "same"), said)
            self.assertTrue(said.startswith("SAME "), said)
            modes.add(summary["mode"])
            for pair in summary["pairs"]:
                counts = pair["counts"]
                self.assertEqual((counts["warning"], counts["error"], counts["unmatched_golden"], counts["unmatched_target"]),
                                 (0, 0, 0, 0))
                self.assertIsNone(pair["first_divergence"])
        self.assertEqual(modes, {"statistics", "checksum", "tensor"})

    def test_v1_curves_settings_and_monitors_against_themselves_show_no_difference(self):
        code, summary, said = self.run_once("curves", "golden.csv", "golden.csv")
        self.assertEqual(code, 0, said)
        self.assertTrue(said.startswith("SAME"), said)
        config = os.path.join(SAMPLES, "config", "bench_pretrain.sh")
        code, summary, said = self.run_once("checklist", config, config)
        self.assertEqual(summary["mismatch"], [], said)
        self.assertEqual(self.run_once("monitor", "a=monitor", "b=monitor")[1]["status"],
                         self.run_once("monitor", "monitor")[1]["status"])

    def test_v2_swapping_the_sides_mirrors_the_report(self):
        pairs = [(self.side("a", self.golden), self.side("b", self.changed(lambda t: t.update(Norm=9.0)))),
                 (self.side("c", self.checksums()), self.side("d", self.checksums("x"))),
                 (self.tensors("e"), self.tensors("f", 1.5))]
        for golden, target in pairs:
            code, there, _ = self.run_once("compare", golden, target)
            back_code, back, _ = self.run_once("compare", target, golden)
            self.assertEqual((code, back_code), (1, 1))
            there, back = there["pairs"][0], back["pairs"][0]
            self.assertEqual(there["first_divergence"]["target"], back["first_divergence"]["golden"])
            self.assertEqual(there["first_divergence"]["kind"], back["first_divergence"]["kind"])
            for key, mirrored in (("ops_golden", "ops_target"), ("unmatched_golden", "unmatched_target"), ("slots", "slots")):
                self.assertEqual(there["counts"][key], back["counts"][mirrored])

    def test_v3_a_worse_difference_never_gets_a_better_state(self):
        for statistic in ("Norm", "Max", "Mean"):
            before = 0
            start = self.golden["data"][OP]["output"][0][statistic]
            for shift in (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1e6, 1e30):
                target = self.side("worse", self.changed(lambda t: t.update({statistic: start * (1 + shift)})))
                status = ORDER[self.run_once("compare", "golden/step0/rank0", target)[1]["status"]]
                self.assertGreaterEqual(status, before, (statistic, shift))
                before = status
            self.assertEqual(before, ORDER["error"], statistic)

    def test_v4_not_a_number_on_one_side_is_always_an_error_and_on_both_never_one(self):
        for bad in (float("nan"), float("inf"), float("-inf")):
            broken = self.changed(lambda t: t.update(Max=bad, Norm=bad))
            one, two = self.side("one", broken), self.side("two", broken)
            for golden, target in ((one, "golden/step0/rank0"), ("golden/step0/rank0", one)):
                code, summary, said = self.run_once("compare", golden, target)
                self.assertEqual((code, summary["status"]), (1, "error"), said)
            code, summary, said = self.run_once("compare", one, two)
            self.assertEqual((code, summary["status"]), (0, "same"), said)
        mixed = self.side("mixed", self.changed(lambda t: t.update(Max=float("nan"), Norm=float("inf"))))
        self.assertEqual(self.run_once("compare", one, mixed)[0], 1)

    def test_v5_another_shape_or_type_is_never_a_pass(self):
        for change in ({"shape": [3, 2]}, {"shape": [6]}, {"shape": []}, {"dtype": "torch.bfloat16"}, {"dtype": "torch.int64"}):
            target = self.side("other", self.changed(lambda t: t.update(change)))
            code, summary, said = self.run_once("compare", "golden/step0/rank0", target)
            self.assertIn(summary["pairs"][0]["status"], ("warning", "error"), (change, said))

    def test_v6_nothing_in_common_is_not_compared(self):
        other = copy.deepcopy(self.golden)
        other["data"] = {"Quite.different.%d.forward" % i: op for i, op in enumerate(other["data"].values()) if i < 1}
        other["data"]["Quite.different.0.forward"] = {"input_args": [], "input_kwargs": {}, "output": []}
        code, summary, said = self.run_once("compare", "golden/step0/rank0", self.side("strange", other))
        self.assertEqual(code, 3, said)
        self.assertIn("NOT COMPARED", said)
        code, summary, said = self.run_once("compare", self.side("empty", dict(self.golden, data={})), "golden/step0/rank0")
        self.assertNotIn(code, (0, 4), said)

    def test_v7_other_steps_ranks_or_levels_are_flagged(self):
        target = self.side("later", self.golden, step=5, rank=3)
        code, summary, said = self.run_once("compare", "golden/step0/rank0", target)
        self.assertTrue(summary["problems"], "step 0 against step 5 passed in silence: " + said)
        both = self.side("both", self.golden, step=1)
        self.side("both", self.golden, step=2)
        code, summary, said = self.run_once("compare", "golden", both)
        self.assertNotIn(code, (0,), said)
        level = self.side("level", dict(self.golden, level="L1"))
        code, summary, said = self.run_once("compare", "golden/step0/rank0", level)
        self.assertTrue(summary["problems"], "level mix against L1 passed in silence: " + said)

    def test_v8_partial_input_says_so_in_verdict_and_exit_code(self):
        for cut in (0.3, 0.6, 0.95):
            with open("golden/step0/rank0/dump.json", "rb") as file:
                data = file.read()
            target = self.side("cut", self.golden)
            with open("cut/step0/rank0/dump.json", "wb") as file:
                file.write(data[: int(len(data) * cut)])
            code, summary, said = self.run_once("compare", "golden/step0/rank0", target)
            self.assertEqual(code, 4, said)
            self.assertTrue(summary["partial"] and said.startswith("PARTIAL "), said)

    def test_v8_what_a_cut_file_still_holds_is_never_accused(self):
        source = os.path.join(SAMPLES, "gpt", "golden", "step0", "rank0")
        with open(os.path.join(source, "dump.json"), "rb") as file:
            data = file.read()
        shutil.copytree(source, "cut")
        os.chmod("cut", 0o755)
        for part in range(1, 14):
            os.remove("cut/dump.json")
            with open("cut/dump.json", "wb") as file:
                file.write(data[: len(data) * part // 15])
            for sides in ((source, "cut"), ("cut", source)):
                code, summary, said = self.run_once("compare", *sides)
                self.assertEqual((code, summary["pairs"][0]["status"]), (4, "same"), said)

    def test_v9_without_noise_runs_the_noise_is_unknown(self):
        code, summary, said = self.run_once("compare", "golden", "target")
        self.assertIn("noise not measured", said)
        self.assertIsNone(summary["noise_floor"])
        code, summary, said = self.run_once("curves", "golden.csv", "target.csv")
        self.assertIn("noise not measured", said)
        self.assertIsNone(summary["comparisons"][0].get("band"))

    def test_v9_the_tolerances_that_would_pass_pass_and_slightly_less_do_not(self):
        golden = "golden/step0/rank0"
        keys = {"NormRelativeErr": "norm", "MaxRelativeErr": "max", "MinRelativeErr": "min", "MeanRelativeErr": "mean"}

        def code_with(target, limits):
            with open("criteria.yaml", "w", encoding="utf-8") as file:
                file.write("limits: {%s}\n" % ", ".join("%s: %r" % (keys[k], v) for k, v in limits.items()))
            return self.run_once("compare", golden, target, "--criteria", "criteria.yaml")[0]

        for statistics in (("Norm",), ("Max",), ("Min", "Mean"), ("Max", "Min", "Mean", "Norm")):
            def change(leaf, statistics=statistics):
                for key in statistics:
                    leaf[key] = leaf[key] * 1.02 + 0.3 * leaf["Norm"] * (key == "Mean")
            target = self.side("t" + "".join(statistics), self.changed(change)) + "/step0/rank0"
            code, summary, _ = self.run_once("compare", golden, target)
            self.assertEqual(1, code)
            limits = summary["pairs"][0]["would_pass_at"]
            self.assertEqual(len(statistics), len(limits), limits)
            self.assertEqual(0, code_with(target, limits), limits)
            for key in limits:
                self.assertEqual(1, code_with(target, dict(limits, **{key: limits[key] * 0.999})), key)

    def test_v10_order_of_keys_and_names_of_folders_change_no_verdict(self):
        _, _, wanted = self.run_once("compare", "golden", "target")
        shutil.copytree("golden", "renamed run +1")
        _, _, said = self.run_once("compare", "renamed run +1", "target")
        self.assertEqual(said, wanted)
        mixer = random.Random(3)

        def mixed(value):
            if isinstance(value, dict):
                keys = list(value)
                mixer.shuffle(keys)
                return {key: mixed(value[key]) for key in keys}
            return [mixed(inner) for inner in value] if isinstance(value, list) else value

        for rank in ("rank0", "rank1"):
            path = os.path.join("renamed run +1", "step0", rank, "dump.json")
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            data = {name: mixed(op) for name, op in content.pop("data").items()}  # ops keep their order: it is time
            with open(path, "w", encoding="utf-8") as file:
                json.dump(dict(mixed(content), data=data), file)
        _, _, said = self.run_once("compare", "renamed run +1", "target")
        self.assertEqual(said, wanted)

    def test_v10_permuted_ranks_keep_status_and_counts(self):
        ranks = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
        _, wanted, _ = self.run_once("compare", *ranks)
        for side, source in zip(("p", "q"), ranks):
            for rank in range(4):
                shutil.copytree(os.path.join(source, "step0", "rank%d" % rank), os.path.join(side, "step0", "rank%d" % (3 - rank)))
        _, got, _ = self.run_once("compare", "p", "q")
        for pair in wanted["pairs"]:
            other = [p for p in got["pairs"] if p["rank"] == 3 - pair["rank"]][0]
            self.assertEqual((other["status"], other["counts"]), (pair["status"], pair["counts"]))
        self.assertEqual(got["status"], wanted["status"])

    def test_v10_a_table_in_two_files_is_one_curve(self):
        _, wanted, said = self.run_once("curves", "golden.csv", "target.csv")
        with open("target.csv", encoding="utf-8") as file:
            lines = file.readlines()
        os.mkdir("parts")
        for name, part in (("a.csv", lines[:15]), ("b.csv", lines[:1] + lines[15:])):
            with open(os.path.join("parts", name), "w", encoding="utf-8") as file:
                file.writelines(part)
        _, got, split = self.run_once("curves", "golden.csv", "target=parts/a.csv,parts/b.csv")
        self.assertEqual(split, said)
        self.assertEqual(got["comparisons"][0]["mae"], wanted["comparisons"][0]["mae"])


if __name__ == "__main__":
    main()
