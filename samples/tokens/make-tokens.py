#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Log-probabilities of one batch by an engine and by a trainer, with a planted cause:

    make-tokens.py OUT [--cause NAME] [--samples N] [--tokens N] [--form jsonl|one|npy|csv]

NAME: equal, noise, temperature (a factor 1.03), shift (a token), first (only the first token), end (only the last), growth
(with the position), routing (a tenth of the tokens far off), bfloat16 (one rounding step), nan, ids (another token), ragged.
--form: two JSON Lines as NeMo-RL writes them, one file with both columns, two .npy with mask.npy, two CSV. Then:

    vernier tokens OUT/golden.jsonl OUT/target.jsonl
"""
import argparse
import json
import os
import random
import struct

CAUSES = ("equal", "noise", "temperature", "shift", "first", "end", "growth", "routing", "bfloat16", "nan", "ids", "ragged")


def bfloat16(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return struct.unpack("<f", struct.pack("<I", (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000))[0]


def spoil(golden, cause, rng, prompt):
    """The target's log-probabilities; the prompt is masked and holds rubbish."""
    size = len(golden)
    noise = [x + rng.gauss(0, 1e-5) for x in golden]
    if cause in ("equal", "ids", "ragged"):
        return list(golden)
    if cause == "temperature":
        return [x * 1.03 for x in noise]
    if cause == "shift":
        return noise[1:] + [rng.uniform(-2, 0)]
    if cause == "first":
        noise[prompt] -= 0.7
    if cause == "end":
        noise[-1] -= 0.9
    if cause == "growth":
        return [x + rng.gauss(0, 1e-4 + 0.1 * (i / size) ** 2) for i, x in enumerate(golden)]
    if cause == "routing":
        return [x + rng.gauss(0, 0.3 if rng.random() < 0.1 else 1e-3) for x in golden]
    if cause == "bfloat16":
        return [bfloat16(x) for x in golden]
    if cause == "nan":
        noise[size // 2] = float("nan")
        noise[size // 3] = float("-inf")
    return noise


def batch(cause, samples, tokens, seed=1):
    """Rows of golden, target, ids, other ids, mask."""
    rng = random.Random(seed)
    out = []
    for i in range(samples):
        size, prompt = tokens - i % 5, 4 + i % 3
        golden = [struct.unpack("<f", struct.pack("<f", -abs(rng.gauss(0, 1.2)) - 1e-3))[0] for _ in range(size)]
        target = spoil(golden, cause, rng, prompt)
        mask = [0] * prompt + [1] * (size - prompt)
        ids = [rng.randrange(1000) for _ in range(size)]
        others = list(ids)
        for k in range(prompt):
            target[k] = rng.uniform(-9, 0)
        if cause == "ids" and i == 2:
            others[size // 2] += 1
        if cause == "ragged" and i == 1:
            target.pop()
        out.append((golden, target, ids, others, mask))
    return out


def padded(row, size, value=0):
    return list(row) + [value] * (size - len(row))


def npy(rows, kind):
    width = max(map(len, rows))
    head = "{'descr': '<%s', 'fortran_order': False, 'shape': (%d, %d), }" % ({"f": "f4", "q": "i8"}[kind], len(rows), width)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    body = b"".join(struct.pack("<%d%s" % (width, kind), *padded(row, width)) for row in rows)
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + body


def write(out, rows, form):
    os.makedirs(out, exist_ok=True)
    if form == "npy":
        for name, column, kind in (("golden", 0, "f"), ("target", 1, "f"), ("ids", 2, "q"), ("mask", 4, "q")):
            with open(os.path.join(out, name + ".npy"), "wb") as file:
                file.write(npy([row[column] for row in rows], kind))
        return
    width = max(len(row[0]) for row in rows)
    for side, column in (("golden", 0), ("target", 1)) if form != "one" else (("both", None),):
        with open(os.path.join(out, side + (".csv" if form == "csv" else ".jsonl")), "w", encoding="utf-8") as file:
            if form == "csv":
                file.write("sample,logprob,token_id,mask\n")
            for i, row in enumerate(rows):
                ids = row[2] if side != "target" else row[3]
                if form == "csv":
                    for k, value in enumerate(row[column]):
                        file.write("%d,%r,%d,%d\n" % (i, value, ids[k], row[4][k]))
                    continue
                names = {"generation_logprobs": row[0], "prev_logprobs": row[1]}
                if form == "jsonl":
                    names = {"generation_logprobs" if side == "golden" else "prev_logprobs": row[column]}
                line = {name: [padded(values, width - (len(row[0]) - len(values)))] for name, values in names.items()}
                line.update(token_ids=[padded(ids, width)], token_loss_mask=[padded(row[4], width)], input_lengths=[len(row[0])],
                            sample_loss_mask=[1], rewards=[0.5], content="text %d" % i)
                file.write(json.dumps(line) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--cause", choices=CAUSES, default="temperature")
    parser.add_argument("--samples", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--form", choices=("jsonl", "one", "npy", "csv"), default="jsonl")
    options = parser.parse_args()
    write(options.out, batch(options.cause, options.samples, options.tokens), options.form)


if __name__ == "__main__":
    main()
