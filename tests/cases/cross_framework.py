#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same numbers in the spelling of PyTorch, MindSpore and MSAdapter are the same run.

The samples are PyTorch dumps; this test writes them anew as the other frameworks would.
"""
import json
import os
import random
import re
import shutil
import subprocess

from program import Case, SAMPLES, VERNIER, main

GOLDEN = os.path.join(SAMPLES, "gpt", "golden")
TARGET = os.path.join(SAMPLES, "gpt", "target")

APIS = {"Functional.linear": "Functional.dense", "Functional.layer_norm": "MintFunctional.layer_norm",
        "Functional.gelu": "MintFunctional.gelu", "Functional.embedding": "MintFunctional.embedding",
        "Torch.norm": "Mint.norm", "Torch.matmul": "Functional.matmul"}
CLASSES = {"Linear": "Dense"}
WEIGHTS = {"LayerNorm": {"weight": "gamma", "bias": "beta"}, "Embedding": {"weight": "embedding_table"}}
DTYPES = {"bool": "Bool", "int64": "Int64", "int32": "Int32", "float32": "Float32", "float16": "Float16",
          "bfloat16": "BFloat16"}


def api_name(name):
    for pytorch, mindspore in APIS.items():
        if name.startswith(pytorch + "."):
            return mindspore + name[len(pytorch):]
    return name


def module_name(name):
    parts = name.split(".")
    parts[0] = "Cell"
    return ".".join(CLASSES.get(part, part) for part in parts)


def mindspore_name(name):
    return module_name(name) if name.startswith("Module.") else api_name(name)


def mindspore_value(value):
    """Tensors and dtypes as MindSpore names them; without requires_grad."""
    if isinstance(value, list):
        return [mindspore_value(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: mindspore_value(item) for key, item in value.items() if key != "requires_grad"}
    if value.get("type") == "torch.Tensor":
        value["type"] = "mindspore.Tensor"
        value["dtype"] = DTYPES[value["dtype"].split(".")[1]]
    if value.get("type") == "torch.dtype":
        value.update(type="mindspore.dtype", value=DTYPES[value["value"].split(".")[1]])
    return value


def weights_of(name, weights):
    owner = [names for kind, names in WEIGHTS.items() if ".%s." % kind in name]
    return {owner[0].get(key, key) if owner else key: item for key, item in weights.items()}


def mindspore_entry(name, entry):
    entry = mindspore_value(entry)
    if "parameters_grad" in name:
        return weights_of(name, entry)
    if "parameters" in entry:
        entry["parameters"] = weights_of(name, entry["parameters"])
    if name.startswith("Functional.softmax"):  # its keyword argument by position
        entry.setdefault("input_args", []).extend(entry.pop("input_kwargs", {}).values())
    return entry


def rewrite(folder, name_of, entry_of, framework):
    """All dumps below the folder, in place."""
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            if name == "dump.json":
                content["framework"] = framework
                content["data"] = {name_of(op): entry_of(op, entry) for op, entry in content["data"].items()}
            elif name == "construct.json":
                content = {name_of(op): parent and name_of(parent) for op, parent in content.items()}
            else:
                content = {key: [[name_of(op) for op in group[0]], group[1]] for key, group in content.items()}
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)


CHAIN = [("Functional.layer_norm", "LayerNorm"), ("Functional.linear", "MatMul"), ("Functional.softmax", "Softmax"),
         ("Torch.matmul", "BatchMatMul"), ("Functional.linear", "MatMul"), ("Tensor.add", "Add"),
         ("Functional.gelu", "Gelu"), ("Functional.linear", "MatMul")]


class Kernels:
    """One network as PyTorch calls it and as MindSpore's kernels run it, with almost the same numbers."""

    def __init__(self, defect=None, casts=False, fused=()):
        self.rng = random.Random(4)
        self.rows = ["Op Type,Op Name,Task ID,Stream ID,Timestamp,Input/Output,Slot,Data Size,Data Type,Shape,Max Value,"
                     "Min Value,Avg Value,L2Norm Value"]
        self.data, self.time, calls = {}, 17 * 10 ** 14, {}
        before = self.statistics()
        for number in range(3 * len(CHAIN)):
            api, kernel = CHAIN[number % len(CHAIN)]
            call = calls[api] = calls.get(api, -1) + 1
            shape = [2, 4, 16, 16] if kernel == "Softmax" else [2, 16, 64]
            inputs, after = [(before, shape)], self.statistics()
            if kernel in ("MatMul", "LayerNorm"):
                inputs.append((self.statistics(), [64, 64]))
            self.data["%s.%d.forward" % (api, call)] = {
                "input_args": [self.leaf(*tensor) for tensor in inputs] + [{"type": "float", "value": 1e-05}],
                "input_kwargs": {}, "output": [self.leaf(after, shape)]}
            if number not in fused:
                for slot, tensor in enumerate(inputs):
                    self.row(kernel, number, "input", slot, *tensor)
                self.row(kernel, number, "output", 0, after, shape, 1.1 if number == defect else 1)
            if casts and kernel == "Softmax":
                self.row("Cast", 100 + number, "input", 0, after, [3, 3])
                self.row("Cast", 100 + number, "output", 0, after, [3, 3])
            before = after

    def statistics(self):
        top = self.rng.uniform(1, 5)
        return {"Max": top, "Min": -self.rng.uniform(1, 5), "Mean": self.rng.uniform(0.01, 0.1),
                "Norm": top * self.rng.uniform(5, 9)}

    def leaf(self, statistics, shape):
        return dict(type="torch.Tensor", dtype="torch.float32", shape=shape, requires_grad=False, **statistics)

    def row(self, kernel, number, side, slot, statistics, shape, factor=1.0):
        self.time += 1
        values = [repr(statistics[key] * factor * (1 + 1e-7)) for key in ("Max", "Min", "Mean", "Norm")]
        self.rows.append('%s,Default/net/layers/%s-op%d,0,0,%d,%s,%d,0,float32,"(%s)",%s' % (
            kernel, kernel, number, self.time, side, slot, ",".join(map(str, shape)), ",".join(values)))

    def write(self, folder):
        for side in ("pytorch", "kernels"):
            os.makedirs(os.path.join(folder, side))
        with open(os.path.join(folder, "pytorch", "dump.json"), "w", encoding="utf-8") as file:
            json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None,
                       "data": self.data}, file)
        with open(os.path.join(folder, "kernels", "statistic.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join(self.rows) + "\n")


class CrossFramework(Case):
    def copy(self, source, name):
        to = os.path.join(self.folder, name)
        shutil.copytree(source, to)
        return to

    def mindspore(self, source, name="mindspore"):
        to = self.copy(source, name)
        rewrite(to, mindspore_name, mindspore_entry, "mindspore")
        return to

    def msadapter(self, source):
        to = self.copy(source, "msadapter")
        rewrite(to, lambda name: name, lambda _, entry: mindspore_value(entry), "mindtorch")
        return to

    def compare(self, golden, target, *options):
        out = os.path.join(self.folder, "out.json")
        done = subprocess.run([VERNIER, "compare", golden, target, "-o", out, *options],
                              env=dict(os.environ, LC_ALL="C"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(out, encoding="utf-8") as file:
            return done.returncode, json.load(file)

    def check_same(self, golden, target, *options):
        code, summary = self.compare(golden, target, *options)
        self.assertTrue(summary["verdict"].startswith("SAME "), summary["verdict"])
        self.assertEqual(code, 0)
        counts = summary["pairs"][0]["counts"]
        self.assertEqual((counts["unmatched_golden"], counts["unmatched_target"], counts["error"]), (0, 0, 0))
        self.assertEqual(summary["problems"], [])

    def test_mindspore_and_pytorch_of_the_same_numbers_are_the_same(self):
        mindspore = self.mindspore(GOLDEN)
        self.check_same(GOLDEN, mindspore)
        self.check_same(mindspore, GOLDEN)

    def test_msadapter_is_like_both(self):
        msadapter = self.msadapter(GOLDEN)
        self.check_same(GOLDEN, msadapter)
        self.check_same(msadapter, self.mindspore(GOLDEN))

    def test_a_defect_is_found_across_frameworks(self):
        code, summary = self.compare(GOLDEN, self.mindspore(TARGET))
        first = summary["pairs"][0]["first_divergence"]
        self.assertEqual(code, 1)
        self.assertEqual((first["target"], first["golden"], first["kind"], first["slot"]),
                         ("Functional.dense.8.forward", "Functional.linear.8.forward", "output", "output.0"))

    def test_names_that_really_differ_come_from_the_cell_mapping(self):
        mindspore = self.mindspore(GOLDEN)
        text = re.compile(r"Cell\.blocks\.(\d+)\.mlp\.")
        rewrite(mindspore, lambda name: text.sub(r"Cell.blocks.\1.feed_forward.", name), lambda _, entry: entry,
                "mindspore")
        mapping = os.path.join(self.folder, "cells.yaml")
        with open(mapping, "w", encoding="utf-8") as file:
            file.write("feed_forward: mlp\n")
        self.check_same(GOLDEN, mindspore, "--cell-mapping", mapping)

    def compare_kernels(self, **how):
        Kernels(**how).write(self.folder)
        sides = [os.path.join(self.folder, side) for side in ("pytorch", "kernels")]
        code, summary = self.compare(*sides)
        self.assertEqual(self.compare(*sides[::-1])[0], code)
        return code, summary["pairs"][0]

    def test_calls_of_pytorch_pair_with_kernels_of_statistic_csv(self):
        code, pair = self.compare_kernels()
        self.assertEqual((code, pair["counts"]["pass"], pair["counts"]["error"]), (0, 60, 0))

    def test_a_defect_is_found_in_its_kernel(self):
        code, pair = self.compare_kernels(defect=9)
        first = pair["first_divergence"]
        self.assertEqual((code, first["golden"], first["target"]),
                         (1, "Functional.linear.3.forward", "Default/net/layers/MatMul-op9.0.forward"))

    def test_kernels_without_a_call_and_calls_without_a_kernel_cost_nothing_else(self):
        code, pair = self.compare_kernels(casts=True, fused=(5, 13, 14))
        self.assertEqual((code, pair["counts"]["error"]), (0, 0))
        self.assertEqual(pair["counts"]["pass"], 60 - 3 * 2)

    def test_what_was_inferred_can_be_given_back(self):
        mindspore, mapping = self.mindspore(TARGET), os.path.join(self.folder, "rows.yaml")
        _, inferred = self.compare(GOLDEN, mindspore, "--write-mapping", mapping)
        _, given = self.compare(GOLDEN, mindspore, "--data-mapping", mapping)
        self.assertEqual(inferred["pairs"], given["pairs"])


if __name__ == "__main__":
    main()
