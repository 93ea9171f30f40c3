#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints and monitor folders of a small training run, clean or with one known defect:
make_states.py FOLDER weights|monitor clean|DEFECT [tp]

Weights move by a rate of 0.001; copies stand in rank0 and rank1 of a step, shares in Megatron's mp_rank_00 and mp_rank_01."""
import json
import math
import os
import random
import struct
import sys

RATE, STEPS = 0.001, (100, 200, 300)
WIDTH, WORDS, LAYERS = 6, 16, 2


def numbers(seed, count, scale=1.0):
    rng = random.Random(repr(seed))
    return [rng.gauss(0, 1) * scale for _ in range(count)]


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def bfloat16(value):
    """The two upper bytes of a float32, to the nearest even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def write_safetensors(path, tensors):
    """tensors: name → (dtype, shape, values)."""
    header, body = {}, b""
    for name, (dtype, shape, values) in sorted(tensors.items()):
        data = b"".join(struct.pack("<H", bfloat16(v)) if dtype == "BF16" else struct.pack("<f", v) for v in values)
        header[name] = dict(dtype=dtype, shape=shape, data_offsets=[len(body), len(body) + len(data)])
        body += data
    text = json.dumps(header).encode()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def shapes():
    yield "embed_tokens.weight", [WORDS, WIDTH]
    for layer in range(LAYERS):
        yield "layers.%d.up.weight" % layer, [WIDTH, WIDTH]
        yield "layers.%d.input_layernorm.weight" % layer, [WIDTH]
    yield "lm_head.weight", [WORDS, WIDTH]


def weight(name, shape, step, rank, tp, defect):
    """What a weight is at a step: its start, and where the optimizer took it."""
    seed = "embed" if name in ("embed_tokens.weight", "lm_head.weight") else name
    if tp and "layernorm" not in name:
        seed += str(rank)
    count = math.prod(shape)
    values = numbers(seed, count)
    for at in STEPS[:STEPS.index(step)]:
        if defect == "not-updated" or (defect == "stale" and name == "layers.0.up.weight" and at > STEPS[0]):
            continue
        reach = 100 * RATE * (50 if defect == "too-far" and name == "layers.1.up.weight" else 1)
        values = [v + reach * math.tanh(w) for v, w in zip(values, numbers((seed, at), count))]
    if step > STEPS[0] and rank and defect in ("replica", "norm-drift"):
        if name == ("layers.1.up.weight" if defect == "replica" else "layers.1.input_layernorm.weight"):
            values[0] += 0.01
    if step > STEPS[0] and defect == "untied" and name == "lm_head.weight":
        values[0] += 0.01
    if step > STEPS[0] and defect == "nan" and name == "layers.1.up.weight":
        values[0] = math.nan
    if defect == "constant" and name == "layers.1.up.weight":
        values = [0.0] * count
    return [float32(v) for v in values]


def state(name, shape, step, rank, values, defect):
    """What the optimizer keeps of a weight."""
    count = math.prod(shape)
    moment = numbers(("m", name, step), count, 0.0 if defect == "no-gradient" else .1)
    square = [v * v for v in numbers(("v", name, step), count, .1)]
    if name == "layers.1.up.weight":
        if defect == "moment-drift" and rank:
            moment[0] += 0.1
        if defect == "square":
            square[0] = -0.1
        if defect == "master":
            values = [v + 0.1 for v in values]
    kind = "BF16" if defect == "master-dtype" else "F32"
    return {"optimizer.exp_avg." + name: ("F32", shape, moment), "optimizer.exp_avg_sq." + name: ("F32", shape, square),
            "optimizer.fp32_from_fp16_params." + name: (kind, shape, values)}


def make_weights(folder, defect, tp=False):
    for step in STEPS:
        for rank in range(2):
            tensors = {}
            for name, shape in shapes():
                values = weight(name, shape, step, rank, tp, defect)
                half = name == "layers.1.up.weight"
                tensors[name] = ("BF16" if half else "F32", shape, values)
                tensors.update(state(name, shape, step, rank, values, defect))
            name = "iter_%07d/mp_rank_%02d/model.safetensors" if tp else "step%d/rank%d.safetensors"
            write_safetensors(os.path.join(folder, name % (step, rank)), tensors)


def row(name, step, values):
    norm = math.sqrt(math.fsum(v * v for v in values))
    return "0,%s,%d,%.12g,%.12g,%.12g,%.12g\n" % (name, step, norm, math.fsum(values) / len(values), min(values), max(values))


def make_monitor(folder, defect, tp=False):
    """Two copies, three steps; gradients before and after their mean was taken."""
    del tp
    files = {}
    for step in range(3):
        for name, shape in shapes():
            count = math.prod(shape)
            at = 0 if defect == "repeat" and name == "layers.1.up.weight" else step
            own = [[1 + v for v in numbers((name, at, rank), count)] for rank in range(2)]
            if defect == "zero" and name == "layers.1.up.weight":
                own = [[0.0] * count] * 2
            mean = [(a + b) / 2 for a, b in zip(*own)]
            if defect == "scale" and name == "layers.1.up.weight":
                mean = [2 * v for v in mean]
            for rank in range(2):
                drift = defect == "drift" and name == "layers.1.up.weight" and rank
                files.setdefault((rank, "unreduced"), []).append(row(name, step, own[rank]))
                files.setdefault((rank, "reduced"), []).append(row(name, step, own[rank] if drift else mean))
    for (rank, kind), rows in files.items():
        at = os.path.join(folder, "May06_15-00-01-rank%d-b2f0e6a%d" % (rank, rank))
        os.makedirs(at, exist_ok=True)
        with open(os.path.join(at, "grad_%s_0-2.csv" % kind), "w", encoding="utf-8") as file:
            file.write("vpp_stage,name,step,norm,mean,min,max\n" + "".join(rows))


# Class, where it is from, checkpoints or monitor, with shares ("tp"), the invariant that finds it and what it is.
DEFECTS = [
    ("replica", "TrainCheck DDP out of sync", "weights", "", "replicas", "a weight of one copy drifts"),
    ("norm-drift", "TrainCheck deepspeed-1801, BLOOM-176B", "weights", "tp", "tensor-copies", "a norm of one share drifts"),
    ("untied", "TTrace untied embeddings", "weights", "", "tied-embeddings", "the head leaves the embedding"),
    ("nan", "usual", "weights", "", "finite", "a weight holds NaN"),
    ("constant", "usual", "weights", "", "constant-weights", "a weight matrix is zero throughout"),
    ("stale", "TTrace stale parameter", "weights", "", "updates", "a weight stops to move"),
    ("not-updated", "TrainCheck optimizer built before the model moved", "weights", "", "updates", "no weight moves"),
    ("no-gradient", "TrainCheck optimizer built before the model moved", "weights", "", "optimizer-state", "no gradient reached the optimizer"),
    ("too-far", "TTrace wrong scaling", "weights", "", "weight-steps", "a weight moves fifty times too far"),
    ("moment-drift", "TrainCheck DDP out of sync", "weights", "", "optimizer-copies", "a moment of one copy drifts"),
    ("square", "usual", "weights", "", "optimizer-state", "a second moment is below 0"),
    ("master", "TrainCheck gradients not applied", "weights", "", "master-weights", "the model does not follow a master weight"),
    ("master-dtype", "usual", "weights", "", "master-weights", "master weights are bfloat16"),
    ("scale", "TTrace wrong scaling over DP", "monitor", "", "reduced-gradients", "one gradient is summed, others are averaged"),
    ("drift", "TTrace missing communication", "monitor", "", "gradient-copies", "one gradient is not reduced"),
    ("zero", "usual", "monitor", "", "zero-gradients", "one gradient is zero in every step"),
    ("repeat", "TTrace stale parameter", "monitor", "", "repeated-gradients", "one gradient is that of the first step in every step"),
]
CLEAN = [("weights", ""), ("weights", "tp"), ("monitor", "")]


def make(folder, kind, defect, shares=""):
    (make_weights if kind == "weights" else make_monitor)(folder, defect, bool(shares))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    make(sys.argv[1], sys.argv[2], "" if sys.argv[3] == "clean" else sys.argv[3], sys.argv[4] if len(sys.argv) == 5 else "")
