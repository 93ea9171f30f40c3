# SPDX-License-Identifier: Apache-2.0
"""Writes the arrays of a JAX program as vernier.dump/1 (docs/dump-format.md), also from within jit:

    from jax_hook import Dump
    with Dump("run/golden", step=3, rank=0) as dump:     # tensors=True: the elements too, as .npy
        @jax.jit
        def block(x, w):
            dump.input("blocks.0.dense", x, kernel=w)    # names of your own, parts joined by points
            return dump.output("blocks.0.dense", x @ w)
    vernier compare run/golden run/target

Each call hands its array through a host callback, in the order of the program, and gives it back unchanged.
"""
import json
import os

import jax
import numpy


class Dump:
    def __init__(self, folder, step=0, rank=0, tensors=False):
        self.folder = os.path.join(folder, "step%d" % step, "rank%d" % rank)
        os.makedirs(os.path.join(self.folder, "dump_tensor_data"), exist_ok=True)
        self.file = open(os.path.join(self.folder, "dump.jsonl"), "w", encoding="utf-8")
        self.tensors, self.seen = tensors, {}
        self.file.write(json.dumps({"schema": "vernier.dump/1", "framework": "jax", "level": "L0"}) + "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        jax.effects_barrier()
        self.file.close()

    def input(self, op, *args, **params):
        """What an op takes: arrays by place, weights by name."""
        for slot, value in enumerate(args):
            self.tap(op, "input", slot, value)
        for slot, value in params.items():
            self.tap(op, "param", slot, value)

    def output(self, op, value):
        """What it gives, which is given back."""
        for slot, leaf in enumerate(jax.tree_util.tree_leaves(value)):
            self.tap(op, "output", slot, leaf)
        return value

    def tap(self, op, io, slot, value):
        jax.debug.callback(lambda array: self.write(op, io, str(slot), array), value, ordered=True)

    def write(self, op, io, slot, value):
        call = self.seen[op, io, slot] = self.seen.get((op, io, slot), -1) + 1
        data = numpy.asarray(value)
        line = {"op": op, "module": op, "class": "", "call": call, "io": io, "slot": slot, "dtype": str(data.dtype),
                "shape": list(data.shape)}
        if data.size:
            real = data.astype(numpy.float64)
            line.update(max=real.max(), min=real.min(), mean=real.mean(), norm=float(numpy.linalg.norm(real.ravel())))
        if self.tensors:
            line["file"] = "%s.%d.%s.%s.npy" % (op, call, io, slot)
            data = data.astype(numpy.float32) if data.dtype.name == "bfloat16" else data
            numpy.save(os.path.join(self.folder, "dump_tensor_data", line["file"]), data)
        self.file.write(json.dumps(line) + "\n")
