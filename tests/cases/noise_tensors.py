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


if __name__ == "__main__":
    main()
