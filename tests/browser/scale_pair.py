#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a pair of dumps of any size: scale_pair.py FOLDER PATTERN [NODES].

A transformer over several micro steps. PATTERN says how the target differs from golden:
clean      not at all
scattered  one output in a thousand, each for itself
noisy      every tensor after the middle, more and more
"""
import json
import os
import random
import sys

MICRO_STEPS = 10
# A layer in call order: name, class of the module or prefix of the API, and the module that holds it.
LAYER = [("ln_1", "LayerNorm", ""), ("layer_norm", "Functional", "ln_1"),
         ("attn", "SelfAttention", ""), ("attn.qkv", "Linear", "attn"), ("linear", "Functional", "attn.qkv"),
         ("matmul", "Torch", "attn"), ("softmax", "Functional", "attn"), ("matmul", "Torch", "attn"),
         ("attn.proj", "Linear", "attn"), ("linear", "Functional", "attn.proj"), ("__add__", "Tensor", ""),
         ("ln_2", "LayerNorm", ""), ("layer_norm", "Functional", "ln_2"),
         ("mlp", "FeedForward", ""), ("mlp.fc_in", "Linear", "mlp"), ("linear", "Functional", "mlp.fc_in"),
         ("gelu", "Functional", "mlp"), ("mlp.fc_out", "Linear", "mlp"), ("linear", "Functional", "mlp.fc_out"),
         ("__add__", "Tensor", "")]
APIS = ("Functional", "Torch", "Tensor")


def layer_nodes(layer, micro_step, direction, calls):
    """(name, parent) of one layer's nodes, what is inside before what holds it."""
    def module(path, kind):
        return "Module.layers.%d%s.%s.%s.%d" % (layer, path and "." + path, kind, direction, micro_step)

    kinds = {path: kind for path, kind, _ in LAYER if kind not in APIS}
    block = module("", "Block")
    nodes = []
    for name, kind, holder in LAYER:
        parent = module(holder, kinds[holder]) if holder else block
        if kind in APIS:
            call = calls.setdefault((name, direction), 0)
            calls[(name, direction)] += 1
            nodes.append(("%s.%s.%d.%s" % (kind, name, call, direction), parent))
        else:
            nodes.append((module(name, kind), parent))
    nodes.append((block, None))
    # A module completes after everything in it.
    inside = {}
    for node, parent in nodes:
        inside.setdefault(parent, []).append((node, parent))
    done, stack = [], [(block, False, None)]
    while stack:
        node, opened, parent = stack.pop()
        if opened or node not in inside:
            done.append((node, parent))
            continue
        stack.append((node, True, parent))
        stack.extend((child, False, node) for child, _ in reversed(inside[node]))
    return done


def all_nodes(count):
    layers = max(1, count // (MICRO_STEPS * 2 * (len(LAYER) + 1)))
    calls = {}
    for micro_step in range(MICRO_STEPS):
        for layer in range(layers):
            yield from layer_nodes(layer, micro_step, "forward", calls)
        for layer in reversed(range(layers)):
            yield from layer_nodes(layer, micro_step, "backward", calls)


def tensor(norm):
    return ('{"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 256, 512], "Max": %.9g, "Min": %.9g, '
            '"Mean": %.9g, "Norm": %.9g, "requires_grad": true}' % (norm / 90, -norm / 91, norm / 5e5, norm))


def errors_of(pattern, count):
    """The relative error of the value that flows into node i, and of what comes out."""
    draw = random.Random(4)
    middle = count // 2
    for i in range(count):
        if pattern == "scattered":
            yield 0.0, (10 ** draw.uniform(-4, -1) if draw.random() < 0.001 else 0.0)
        elif pattern == "noisy" and i >= middle:
            grown = 1e-5 * 10 ** (3.0 * (i - middle) / middle)
            yield (grown * draw.uniform(0.5, 1) if i > middle else 0.0), grown * draw.uniform(0.6, 1.6)
        else:
            yield 0.0, 0.0


def write_side(folder, nodes, pattern):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "construct.json"), "w", encoding="utf-8") as file:
        json.dump(dict(nodes), file, indent=1)
    with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
        file.write('{"task": "statistics", "level": "mix", "framework": "pytorch", "dump_data_dir": null, "data": {\n')
        for i, ((name, _), (came, went)) in enumerate(zip(nodes, errors_of(pattern, len(nodes)))):
            backward = ".backward" in name
            inputs, outputs = ("input", "output") if backward else ("input_args", "output")
            file.write('%s"%s": {"%s": [%s], %s"%s": [%s]}' % (
                ",\n" if i else "", name, inputs, tensor((100 + i % 97) * (1 + came)),
                "" if backward else '"input_kwargs": {}, ', outputs, tensor((100 + (i + 1) % 97) * (1 + went))))
        file.write("\n}}\n")


def write_pair(folder, pattern, nodes=100000):
    """Gives the two sides."""
    names = list(all_nodes(nodes))
    sides = [os.path.join(folder, side, "step0", "rank0") for side in ("golden", "target")]
    write_side(sides[0], names, "clean")
    write_side(sides[1], names, pattern)
    return [os.path.join(folder, side) for side in ("golden", "target")]


if __name__ == "__main__":
    print(*write_pair(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 100000))
