#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The text that other tools print of a small model, twice, the second time with one projection off:

    make-traces.py OUT [--defect 2.ffn_up]

OUT/golden and OUT/target hold llama.txt (llama.cpp's eval callback), debug_mode.txt (PyTorch's DebugMode), polygraphy.json,
quant_log.csv (torchao), paddle.log, and hook.jsonl: the modules of the same model as samples/hooks/torch_hook.py writes them.
Needs nothing but Python. Then:

    vernier compare OUT/golden/llama.txt OUT/target/llama.txt
    vernier compare OUT/golden/hook.jsonl OUT/target/llama.txt
"""
import argparse
import base64
import json
import math
import os
import random
import struct

LAYERS, TOKENS, WIDTH, WIDE = 4, 5, 16, 32
MODULES = {"attn_norm": ("input_layernorm", "LlamaRMSNorm"), "Qcur": ("self_attn.q_proj", "Linear"), "Kcur": ("self_attn.k_proj", "Linear"),
           "Vcur": ("self_attn.v_proj", "Linear"), "attn_out": ("self_attn.o_proj", "Linear"),
           "ffn_norm": ("post_attention_layernorm", "LlamaRMSNorm"), "ffn_gate": ("mlp.gate_proj", "Linear"),
           "ffn_act": ("mlp.act_fn", "SiLU"), "ffn_up": ("mlp.up_proj", "Linear"), "ffn_out": ("mlp.down_proj", "Linear")}


class Node:
    """What one step of the model gave: rows of numbers, from those of `inputs`."""
    def __init__(self, name, op, rows, inputs):
        self.name, self.op, self.rows, self.inputs = name, op, rows, inputs
        self.flat = [value for row in rows for value in row]

    def module(self):
        kind, dash, layer = self.name.rpartition("-")
        whole = {"embd": ("model.embed_tokens", "Embedding"), "result_norm": ("model.norm", "LlamaRMSNorm"),
                 "result_output": ("lm_head", "Linear")}
        if self.name in whole:
            return whole[self.name]
        if kind == "l_out":
            return "model.layers." + layer, "LlamaDecoderLayer"
        path, of = MODULES.get(kind, ("", ""))
        return ("model.layers.%s.%s" % (layer, path), of) if path else None


def run(defect="", noise=0.0, seed=1):
    """The nodes in the order in which they ran. `noise`: relative, as another order of adding up brings about."""
    rng, jitter, nodes = random.Random(seed), random.Random(7), []

    def give(name, op, rows, *inputs):
        rows = [[value * (1 + noise * jitter.gauss(0, 1)) for value in row] for row in rows]
        if name == defect:
            rows = [[value * 1.02 for value in row] for row in rows]
        nodes.append(Node(name, op, rows, inputs))
        return nodes[-1]

    def norm(name, given):
        return give(name, "MUL", [[v / math.sqrt(sum(x * x for x in row) / len(row) + 1e-6) for v in row] for row in given.rows], given)

    def linear(name, given, width):
        weight = [[rng.gauss(0, 1 / math.sqrt(len(given.rows[0]))) for _ in given.rows[0]] for _ in range(width)]
        return give(name, "MUL_MAT", [[sum(a * b for a, b in zip(row, column)) for column in weight] for row in given.rows], given)

    def both(name, op, one, other, function):
        rows = [[function(a, b) for a, b in zip(x, y)] for x, y in zip(one.rows, other.rows)]
        return give(name, op, rows, one, other)

    hidden = give("embd", "GET_ROWS", [[rng.gauss(0, 1) for _ in range(WIDTH)] for _ in range(TOKENS)])
    for i in range(LAYERS):
        taken = norm("attn_norm-%d" % i, hidden)
        q = linear("Qcur-%d" % i, taken, WIDTH)
        q = give("Qcur-%d" % i, "ROPE", [[math.cos(t) * v for v in row] for t, row in enumerate(q.rows)], q)
        k, v = linear("Kcur-%d" % i, taken, WIDTH), linear("Vcur-%d" % i, taken, WIDTH)
        mixed = both("kqv-%d" % i, "MUL_MAT", both("kq-%d" % i, "MUL", q, k, lambda a, b: math.tanh(a * b)), v, lambda a, b: a * b)
        hidden = both("ffn_inp-%d" % i, "ADD", linear("attn_out-%d" % i, mixed, WIDTH), hidden, lambda a, b: a + b)
        taken = norm("ffn_norm-%d" % i, hidden)
        gate = linear("ffn_gate-%d" % i, taken, WIDE)
        gate = give("ffn_act-%d" % i, "SILU", [[x / (1 + math.exp(-x)) for x in row] for row in gate.rows], gate)
        wide = both("ffn_swiglu-%d" % i, "MUL", gate, linear("ffn_up-%d" % i, taken, WIDE), lambda a, b: a * b)
        hidden = both("l_out-%d" % i, "ADD", linear("ffn_out-%d" % i, wide, WIDTH), hidden, lambda a, b: a + b)
    linear("result_output", norm("result_norm", hidden), 3 * WIDE)
    return nodes


def shown(items, text):
    """The first and the last three."""
    return [text(item) for item in items] if len(items) <= 6 else [text(x) for x in items[:3]] + ["..."] + [text(x) for x in items[-3:]]


def write_llama(path, nodes, mark="common_debug_cb_eval"):
    def sizes(node):
        return "{%d, %d, 1, 1}" % (len(node.rows[0]), len(node.rows))

    with open(path, "w", encoding="utf-8") as file:
        file.write("llama_model_loader: loaded meta data with 22 key-value pairs\n")
        for node in nodes:
            taken = ", ".join(given.name + sizes(given) for given in node.inputs)
            file.write("%s: %24s = (f32) %10s(%s}) = %s\n    [\n        [\n" % (mark, node.name, node.op, taken, sizes(node)))
            for line in shown(node.rows, lambda row: "[" + ", ".join(shown(row, lambda v: "%12.4f" % v)) + "],"):
                file.write("            %s\n" % line)
            file.write("        ],\n    ]\n    sum = %f\n" % sum(node.flat))


def write_debug_mode(path, nodes):
    names = {}

    def tensor(node):
        name = "t$%d" % names.setdefault(id(node), len(names))
        return "%s: f32[%d, %d]" % (name, len(node.rows), len(node.rows[0]))

    def size(node):
        return sum(abs(value) for value in node.flat)

    with open(path, "w", encoding="utf-8") as file:
        file.write("[nn.Mod] LlamaForCausalLM\n")
        for node in nodes:
            module = node.module()
            indent = "    " if module else "  "
            if module:
                file.write("  [nn.Mod] LlamaForCausalLM.%s\n" % module[0])
            name = {"MUL_MAT": "mm", "ADD": "add.Tensor", "SILU": "silu", "GET_ROWS": "embedding", "ROPE": "cos"}.get(node.op, "mul.Tensor")
            file.write("%saten::%s(%s)  ->  %s  # {'input_hash': ((%s), {}), 'hash': %r}\n" % (
                indent, name, ", ".join(map(tensor, node.inputs)), tensor(node),
                "".join("%r, " % size(given) for given in node.inputs), size(node)))


def array(values, shape):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % "".join("%d, " % n for n in shape)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%df" % len(values), *values)


def write_polygraphy(path, nodes):
    outputs = {}
    for node in nodes:
        outputs[node.name + "_" + node.op] = {"array": base64.b64encode(array(node.flat, [len(node.rows), len(node.rows[0])])).decode(),
                                              "polygraphy_class": "ndarray"}
    result = {"outputs": outputs, "runtime": 0.001, "runner_name": "trt-runner-N0", "polygraphy_class": "IterationResult"}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"lst": [["trt-runner-N0", [result]]], "polygraphy_class": "RunResults"}, file)


def write_quant_log(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        file.write("tag,counter_val,fqn,op,max_abs,avg,std,extra\n")
        for count, node in enumerate(node for node in nodes if node.module()):
            mean = sum(node.flat) / len(node.flat)
            spread = math.sqrt(sum((v - mean) ** 2 for v in node.flat) / len(node.flat))
            file.write("x,%d,%s,linear,%r,%r,%r,\n" % (count, node.module()[0], max(map(abs, node.flat)), mean, spread))


def write_paddle(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        for node in nodes:
            name = {"MUL_MAT": "matmul", "ADD": "add", "SILU": "silu", "GET_ROWS": "embedding", "ROPE": "fused_rope"}.get(node.op, "multiply")
            file.write("[PRECISION] in [device=gpu:0, op=%s, tensor=, dtype=fp32], numel=%d, num_nan=%d, num_inf=0, num_zero=0, "
                       "max=%e, min=%e, mean=%e\n" % (name, len(node.flat), sum(v != v for v in node.flat), max(node.flat),
                                                      min(node.flat), sum(node.flat) / len(node.flat)))


def write_hook(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schema": "vernier.dump/1", "framework": "pytorch", "level": "L0"}\n')
        for node in nodes:
            if not node.module() or (node.name.startswith("Qcur") and node.op == "ROPE"):
                continue
            module, of = node.module()
            file.write(json.dumps({
                "op": "LlamaForCausalLM." + module, "module": module, "class": of, "io": "output", "slot": "0", "dtype": "torch.float32",
                "shape": [1, len(node.rows), len(node.rows[0])], "max": max(node.flat), "min": min(node.flat),
                "mean": sum(node.flat) / len(node.flat), "norm": math.sqrt(sum(v * v for v in node.flat))}) + "\n")


WRITERS = {"llama.txt": write_llama, "debug_mode.txt": write_debug_mode, "polygraphy.json": write_polygraphy,
           "quant_log.csv": write_quant_log, "paddle.log": write_paddle, "hook.jsonl": write_hook}


def write(folder, nodes):
    os.makedirs(folder, exist_ok=True)
    for name, writer in WRITERS.items():
        writer(os.path.join(folder, name), nodes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--defect", default="2.ffn_up")
    arguments = parser.parse_args()
    layer, _, kind = arguments.defect.partition(".")
    write(os.path.join(arguments.out, "golden"), run())
    write(os.path.join(arguments.out, "target"), run("%s-%s" % (kind, layer)))
