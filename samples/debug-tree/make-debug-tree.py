#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two debug trees of a small model, as transformers' model_addition_debugger_context writes them:

    make-debug-tree.py OUT [--tensors] [--prune golden|target|both] [--nan]

OUT/golden is the reference, OUT/target the same model ported: the down projection of layer 2 gives other numbers, and
all that follows inherits them. With --tensors every tensor is a safetensors file beside the tree, as use_repr=False
writes them; --prune leaves out all layers but the first and the last, as do_prune_layers=True does; with --nan the
target's down projection gives a NaN. Then:

    vernier compare OUT/golden OUT/target
"""
import argparse
import copy
import json
import os
import struct

MODEL, LAYERS, ROWS, COLUMNS = "LlamaForCausalLM", 4, 2, 8
DEFECT = MODEL + ".model.layers.2.mlp.down_proj"


class Run:
    def __init__(self, folder, defect, tensors, nan):
        self.folder, self.tensors, self.nan = folder, tensors, nan
        self.wanted = defect
        self.spoilt = False
        self.seed = 1

    def numbers(self):
        """Numbers that look like activations; behind the defect every one is off."""
        out = []
        for _ in range(ROWS * COLUMNS):
            self.seed = (self.seed * 1103515245 + 12345) % 2147483648
            value = (self.seed / 2147483648 - 0.5) * 4
            out.append(value * 1.03 if self.spoilt else value)
        return out

    def tensor(self, name, values):
        count = len(values)
        mean = sum(values) / count
        std = (sum((x - mean) ** 2 for x in values) / (count - 1)) ** 0.5
        low, high = min(values), max(values)
        if any(x != x for x in values):
            mean = std = low = high = float("nan")
        out = {"shape": f"torch.Size([1, {ROWS}, {COLUMNS}])", "dtype": "torch.float32"}
        if self.tensors:
            data = struct.pack(f"<{count}f", *values)
            head = json.dumps({"data": {"dtype": "F32", "shape": [1, ROWS, COLUMNS],
                                        "data_offsets": [0, len(data)]}}).encode()
            with open(os.path.join(self.folder, name + ".safetensors"), "wb") as file:
                file.write(struct.pack("<Q", len(head)) + head + data)
            out["value"] = f"./{name}.safetensors"
        else:
            out["value"] = ["tensor([[" + ", ".join(f"{x:.4e}" for x in values[:3]) + ", ...]])"]
        for key, value in (("mean", mean), ("std", std), ("min", low), ("max", high)):
            out[key] = f"tensor({value:.4e})"
        return out

    def module(self, path, values, children=(), **kwargs):
        """A node; `children` are functions that take what flows into them and give (node, what flows out)."""
        node = {"module_path": path, "inputs": {"args": [self.tensor(path + "_inputs_args_0", values)]}}
        if kwargs:
            node["inputs"]["kwargs"] = kwargs
        node["outputs"] = None
        if children:
            node["children"] = []
        for child in children:
            inner, values = child(values)
            node["children"].append(inner)
        if not children:
            self.spoilt = self.spoilt or (self.wanted and path == DEFECT)
            values = self.numbers()
            if path == DEFECT and self.spoilt and self.nan:
                values[5] = float("nan")
            node["outputs"] = self.tensor(path + "_outputs", values)
        return node, values

    def layer(self, path):
        def leaf(name):
            return lambda values: self.module(f"{path}.{name}", values)

        def group(name, *leaves):
            return lambda values: self.module(f"{path}.{name}", values, [leaf(f"{name}.{x}") for x in leaves])

        parts = [leaf("input_layernorm"), group("self_attn", "q_proj", "k_proj", "v_proj", "o_proj"),
                 leaf("post_attention_layernorm"), group("mlp", "gate_proj", "up_proj", "act_fn", "down_proj")]
        return lambda values: self.module(path, values, parts, attention_mask="None", use_cache="False")

    def model(self):
        inner = MODEL + ".model"
        layers = [self.layer(f"{inner}.layers.{i}") for i in range(LAYERS)]
        parts = [lambda values: self.module(inner + ".embed_tokens", values), *layers,
                 lambda values: self.module(inner + ".norm", values)]
        children = [lambda values: self.module(inner, values, parts),
                    lambda values: self.module(MODEL + ".lm_head", values)]
        root, _ = self.module(MODEL, self.numbers(), children)
        del root["outputs"]
        return root


def prune(node):
    children = node.get("children", [])
    layers = [child for child in children if child["module_path"].rsplit(".", 1)[-1].isdigit()]
    if len(layers) > 2:
        node["children"] = [child for child in children if child not in layers[1:-1]]
    for child in node.get("children", []):
        prune(child)


def without_values(node):
    if isinstance(node, dict):
        node.pop("value", None)
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        without_values(inner)


def write(out, side, options):
    folder = os.path.join(out, side)
    os.makedirs(folder, exist_ok=True)
    root = Run(folder, side == "target", options.tensors, options.nan).model()
    if options.prune in (side, "both"):
        prune(root)
    summary = copy.deepcopy(root)
    without_values(summary)
    for name, tree in (("FULL_TENSORS", root), ("SUMMARY", summary)):
        with open(os.path.join(folder, f"{MODEL}_debug_tree_{name}.json"), "w", encoding="utf-8") as file:
            json.dump(tree, file, indent=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--tensors", action="store_true")
    parser.add_argument("--prune", choices=("golden", "target", "both"))
    parser.add_argument("--nan", action="store_true")
    options = parser.parse_args()
    for side in ("golden", "target"):
        write(options.out, side, options)


if __name__ == "__main__":
    main()
