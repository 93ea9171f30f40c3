#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Noise runs of tensor dumps: the floor of whole tensors is measured, not taken from the type."""
import json
import math
import os
import random
import shutil
import struct
import subprocess

from program import Case, VERNIER, main

OPS, SIZE = 12, 64


def npy(path, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack("<%df" % len(values), *values))


def dump(folder, noise, seed, defect=None):
    """A chain of ops whose every output is off by `noise` (relative), that of op `defect[0]` by `defect[1]` more.
    The statistics are those of the exact run: only the tensors tell."""
    tensors = os.path.join(folder, "dump_tensor_data")
    os.makedirs(tensors)
    exact, other, data, construct = random.Random(1), random.Random(seed), {}, {}
    for op in range(OPS):
        name = "Functional.linear.%d.forward" % op
        values = [exact.uniform(1, 2) for _ in range(SIZE)]
        statistics = {"Max": max(values), "Min": min(values), "Mean": sum(values) / SIZE,
                      "Norm": math.sqrt(sum(v * v for v in values))}
        off = [noise * other.gauss(0, 1) for _ in values]
        if defect and op == defect[0]:
            off = [o + defect[1] * other.choice((-1, 1)) for o in off]
        npy(os.path.join(tensors, name + ".output.0.npy"), [v * (1 + o) for v, o in zip(values, off)])
        data[name] = {"input_args": [], "input_kwargs": {}, "output": [
            {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [SIZE], "requires_grad": True,
             "data_name": name + ".output.0.npy", **statistics}]}
        construct[name] = None
    with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
        json.dump({"task": "tensor", "level": "L1", "framework": "pytorch", "dump_data_dir": tensors, "data": data},
                  file)
    with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as file:
        json.dump(construct, file)
    return folder


class NoiseOfTensors(Case):
    def first_divergence(self, noise, defect, runs):
        dumps = [dump(os.path.join(self.folder, "run%d" % i), noise, 10 + i) for i in range(runs + 1)]
        target = dump(os.path.join(self.folder, "target"), noise, 99, defect)
        out = os.path.join(self.folder, "out.json")
        options = [part for run in dumps[1:] for part in ("--noise", run)]
        done = subprocess.run([VERNIER, "compare", dumps[0], target, *options, "-o", out],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(out, encoding="utf-8") as file:
            pair = json.load(file)["pairs"][0]
        shutil.rmtree(self.folder)
        os.mkdir(self.folder)
        self.assertEqual(done.returncode, 1 if pair["first_divergence"] else 0)
        return pair["first_divergence"]

    def test_noise_larger_than_that_of_the_type_is_not_accused(self):
        self.assertIsNotNone(self.first_divergence(1e-4, None, 0))
        self.assertIsNone(self.first_divergence(1e-4, None, 3))

    def test_a_defect_below_the_floor_of_the_type_is_found_where_runs_are_quieter(self):
        self.assertIsNone(self.first_divergence(2e-7, (5, 4e-6), 0))
        first = self.first_divergence(2e-7, (5, 4e-6), 3)
        self.assertEqual(first["target"], "Functional.linear.5.forward")
        self.assertLess(first["noise"], 4e-6)

    def test_one_noise_run_is_enough_for_a_floor(self):
        self.assertIsNone(self.first_divergence(1e-4, None, 1))
        first = self.first_divergence(1e-4, (3, 1e-2), 1)
        self.assertEqual(first["target"], "Functional.linear.3.forward")

    def test_a_copy_of_the_target_is_no_noise_run_and_a_run_of_equal_statistics_is_one(self):
        golden = dump(os.path.join(self.folder, "golden"), 2e-7, 1)
        target = dump(os.path.join(self.folder, "target"), 2e-7, 2, (5, 1e-3))
        for seed, defect, code, refused in ((2, (5, 1e-3), 1, True), (3, (5, 1e-3), 0, False)):
            noise = dump(os.path.join(self.folder, "noise%d" % seed), 2e-7, seed, defect)
            done = subprocess.run([VERNIER, "compare", golden, target, "--noise", noise, "-o",
                                   os.path.join(self.folder, "out.json")],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertEqual("a copy of it" in done.stdout, refused, done.stdout)


WIDE, TOKENS, EXPERTS = 4, 48, 4


def routed(folder, seed, files, defect=(None, 1), text=None, wide=WIDE):
    """A router gives tokens to experts, of which some are equally good for eight tokens: numbers of rows, indices that no
    recorded op gave, an argument that tells the numbers and what follows differ from run to run."""
    tensors = os.path.join(folder, "dump_tensor_data")
    os.makedirs(tensors)
    exact, other, data, calls = random.Random(1), random.Random(seed), {}, {}

    def leaf(name, shape, values, dtype="torch.float32"):
        out = {"type": "torch.Tensor", "dtype": dtype, "shape": shape, "requires_grad": False, "Max": max(values), "Min": min(values),
               "Mean": sum(values) / len(values), "Norm": math.sqrt(sum(v * v for v in values))}
        if files and dtype == "torch.float32" and len(shape) == 1:
            out["data_name"] = name + ".npy"
            npy(os.path.join(tensors, name + ".npy"), values)
        return out

    def op(api, inputs, outputs, *plain):
        calls[api] = calls.get(api, -1) + 1
        name = "%s.%d.forward" % (api, calls[api])
        outputs = [(shape, [v * (defect[1] if name == defect[0] else 1) * (1 + 1e-6 * other.gauss(0, 1)) for v in values])
                   for shape, values in outputs]
        data[name] = {"input_args": [leaf("%s.input.%d" % (name, i), *given) for i, given in enumerate(inputs)] + list(plain),
                      "input_kwargs": {}, "output": [leaf("%s.output.%d" % (name, i), *gives) for i, gives in enumerate(outputs)]}
        return outputs[0][1]

    given = [exact.gauss(0, 1) for _ in range(TOKENS)]
    weights = [[exact.gauss(0, 1) for _ in range(8)] for _ in range(EXPERTS + 3)]
    best = [exact.sample(range(EXPERTS), 2) for _ in range(TOKENS)]
    ties = exact.sample(range(TOKENS), 8)
    hidden = op("Functional.gelu", [([TOKENS], given)], [([TOKENS], [math.tanh(v) for v in given])])
    chosen = [best[i][i in ties and other.random() < 0.5] for i in range(TOKENS)]
    counts = text or str([chosen.count(e) for e in range(EXPERTS)])
    mixed = list(hidden)
    for e in range(EXPERTS):
        rows = [i for i in range(TOKENS) if chosen[i] == e]
        given = [hidden[i] for i in rows for _ in range(wide)]
        op("Tensor.__getitem__", [([TOKENS], hidden), ([len(rows)], rows, "torch.int64")], [([len(rows), wide], given)],
           {"type": "list", "value": counts})
        scaled = op("Functional.linear", [([len(rows), wide], given), ([8], weights[e])],
                    [([len(rows), wide], [v * (1 + e / 4) for v in given])])
        for row, i in enumerate(rows):
            mixed[i] = scaled[row * wide]
    for i in range(3):
        weight = weights[EXPERTS + i]
        mixed = op("Functional.linear", [([TOKENS], mixed), ([8], weight)], [([TOKENS], [math.tanh(v + weight[0]) for v in mixed])])
    with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
        json.dump({"task": "tensor" if files else "statistics", "level": "L1", "framework": "pytorch", "data": data}, file)
    with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as file:
        json.dump(dict.fromkeys(data), file)


class NoiseOfRouters(Case):
    def verdict(self, noise, **given):
        shutil.rmtree(self.path("target"), ignore_errors=True)
        routed(self.path("target"), **given)
        options = [part for i in range(noise) for part in ("--noise", self.path("noise%d" % i))]
        done = subprocess.run([VERNIER, "compare", self.path("golden"), self.path("target"), *options, "-o", self.path("out.json")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def test_what_noise_decides_is_no_difference_and_hides_no_other(self):
        for files in (False, True):
            for side, seed in [("golden", 100)] + [("noise%d" % i, 200 + i) for i in range(3)]:
                shutil.rmtree(self.path(side), ignore_errors=True)
                routed(self.path(side), seed, files)
            for noise in (1, 3):
                for seed in range(300, 304):
                    code, said = self.verdict(noise, seed=seed, files=files)
                    self.assertEqual(code, 0, said)
            for name, factor in (("Functional.gelu.0.forward", 1.001), ("Functional.linear.1.forward", 6), ("Functional.linear.5.forward", 4)):
                code, said = self.verdict(3, seed=300, files=files, defect=(name, factor))
                self.assertEqual(code, 1, said)
                self.assertIn("at " + name, said)

    def test_what_does_not_vary_between_the_runs_stays_exact(self):
        for side, seed in [("golden", 100)] + [("noise%d" % i, 200 + i) for i in range(3)]:
            routed(self.path(side), seed, False)
        for given, words in ((dict(wide=WIDE + 1), "shape"), (dict(text="[0, 0, 0, 900]"), "argument"), (dict(text="all"), "argument"),
                             (dict(text="[12, 12, 12, 6, 6]"), "argument")):
            code, said = self.verdict(3, seed=300, files=False, **given)
            self.assertEqual(code, 1, said)
            self.assertRegex(said, r"at Tensor\.__getitem__\.0\.forward.*" + words)


if __name__ == "__main__":
    main()
