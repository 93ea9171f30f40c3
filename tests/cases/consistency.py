#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training against inference: the same model, other names, other fusions, and a backward on one side."""
import json
import math
import os
import random
import shutil
import subprocess

from program import Case, VERNIER, main

LAYERS = 2


def tensor(*names, shape=None, factor=1):
    """The tensor of these parts, one behind the other."""
    values = []
    for name in names:
        chooser = random.Random(name)
        values += [factor * chooser.uniform(-1, 1) for _ in range(12)]
    return {"type": "torch.Tensor", "dtype": "torch.bfloat16", "shape": shape or [len(values)], "Max": max(values),
            "Min": min(values), "Mean": sum(values) / len(values), "Norm": math.sqrt(sum(v * v for v in values)),
            "requires_grad": False}


class Run:
    def __init__(self, wrong=None):
        self.data, self.construct, self.calls, self.wrong = {}, {}, {}, wrong

    def call(self, name, inputs, outputs, parent=None, weights=(), direction="forward"):
        call = self.calls[name, direction] = self.calls.get((name, direction), -1) + 1
        full = "Module.%s.%s.%d" % (name, direction, call)
        factor = 1.5 if name == self.wrong else 1
        entry = {"input_args": [tensor(value) for value in inputs], "input_kwargs": {},
                 "output": [tensor(*(outputs or ["gradient"]), factor=factor)]}
        if weights:
            entry["parameters"] = {"weight": tensor(*weights)}
        if direction == "backward":
            entry = {"input": [tensor("gradient")], "output": [tensor("gradient")]}
        self.data[full] = entry
        self.construct[full] = parent
        return full

    def write(self, folder):
        os.makedirs(folder)
        head = {"task": "statistics", "level": "L0", "framework": "pytorch", "dump_data_dir": None, "data": self.data}
        for name, content in (("dump.json", head), ("construct.json", self.construct), ("stack.json", {})):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        return folder


NAMES = {
    "inference": {"top": "model", "layer": "model.layers.%d.", "embed": "model.embed_tokens.VocabParallelEmbedding",
                  "qkv": ["self_attn.qkv_proj.QKVParallelLinear"], "o": "self_attn.o_proj.RowParallelLinear",
                  "up": ["mlp.gate_up_proj.MergedColumnParallelLinear"], "down": "mlp.down_proj.RowParallelLinear",
                  "model": "model.Qwen2Model"},
    "fsdp": {"layer": "_fsdp_wrapped_module.model.layers.%d._fsdp_wrapped_module.",
             "embed": "_fsdp_wrapped_module.model.embed_tokens.Embedding",
             "qkv": ["self_attn.%s_proj.Linear" % part for part in "qkv"], "o": "self_attn.o_proj.Linear",
             "up": ["mlp.gate_proj.Linear", "mlp.up_proj.Linear"], "down": "mlp.down_proj.Linear",
             "model": "_fsdp_wrapped_module.model.Qwen2Model"},
    "megatron": {"layer": "module.module.decoder.layers.%d.", "embed": "module.module.embedding.word_embeddings.VocabParallelEmbedding",
                 "qkv": ["self_attention.linear_qkv.ColumnParallelLinear"], "o": "self_attention.linear_proj.RowParallelLinear",
                 "up": ["mlp.linear_fc1.ColumnParallelLinear"], "down": "mlp.linear_fc2.RowParallelLinear",
                 "model": "module.module.GPTModel"},
}


def play(kind, wrong=None, backward=False, batches=1):
    names, run = NAMES[kind], Run(wrong)
    for batch in range(batches):
        mark = "b%d." % batch
        run.call(names["embed"], [mark + "tokens"], [mark + "h0"], weights=["embedding"])
        for layer in range(LAYERS):
            forward(run, names, mark, layer)
        run.call(names["model"], [mark + "tokens"], [mark + "h%d" % LAYERS])
        if backward:
            run.call(names["model"], [], [], direction="backward")
            forward(run, names, mark, LAYERS - 1)  # recomputed
            run.call(names["embed"], [], [], direction="backward")
    return run


def forward(run, names, mark, layer):
    place, value = names["layer"] % layer, lambda name: "%sl%d.%s" % (mark, layer, name)
    parts = {"qkv": "qkv", "up": ["gate", "up"]}
    for key, given in (("qkv", mark + "h%d" % layer), ("up", value("attended"))):
        modules = names[key]
        wanted = [[part] for part in parts[key]] if len(modules) > 1 else [list(parts[key])]
        for module, part in zip(modules, wanted):
            run.call(place + module, [given], [value(name) for name in part], weights=["w%d.%s" % (layer, name) for name in part])
        after, out = ("o", "attended") if key == "qkv" else ("down", None)
        result = value(out) if out else mark + "h%d" % (layer + 1)
        run.call(place + names[after], [value(key)], [result], weights=["w%d.%s" % (layer, after)])


class Consistency(Case):
    def compare(self, kind, *arguments, golden=None, target=None):
        for name, run in (("golden", golden or play("inference")), ("target", target or play(kind, backward=True))):
            run.write(os.path.join(self.folder, name))
        out = os.path.join(self.folder, "out")
        done = subprocess.run([VERNIER, "compare", os.path.join(self.folder, "golden"), os.path.join(self.folder, "target"),
                               "-o", out, "--format", "json", "--consistency", kind, *arguments], capture_output=True, text=True,
                              check=False)
        if not os.path.exists(os.path.join(out, "summary.json")):
            return done.returncode, None, done.stderr + done.stdout
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            return done.returncode, json.load(file)["pairs"][0], done.stderr + done.stdout

    def test_training_of_both_kinds_agrees_with_inference(self):
        for kind in ("fsdp", "megatron"):
            code, pair, stderr = self.compare(kind)
            self.assertEqual(code, 0, (kind, stderr))
            counts = pair["counts"]
            self.assertEqual((counts["ops_golden"], counts["ops_target"]), (10, 10))
            self.assertEqual((counts["unmatched_golden"], counts["unmatched_target"]), (0, 0))
            shutil.rmtree(self.folder)
            os.makedirs(self.folder)

    def test_later_batches_follow_the_backward(self):
        code, pair, stderr = self.compare("fsdp", golden=play("inference", batches=3),
                                          target=play("fsdp", backward=True, batches=3))
        self.assertEqual((code, pair["counts"]["ops_target"]), (0, 30), stderr)

    def test_a_wrong_part_of_a_fused_module_is_named(self):
        name = NAMES["fsdp"]["layer"] % 1 + "self_attn.k_proj.Linear"
        code, pair, stderr = self.compare("fsdp", target=play("fsdp", wrong=name))
        self.assertEqual(code, 1, stderr)
        self.assertEqual(pair["first_divergence"]["golden"], "Module.layers.1.self_attn.qkv_proj.forward.0")
        self.assertEqual((pair["first_divergence"]["kind"], pair["first_divergence"]["slot"]), ("output", "output.0"))

    def test_only_the_own_rules_know_it(self):
        code, _, stderr = self.compare("fsdp", "--rules", "msprobe26")
        self.assertEqual(code, 2, stderr)
        self.assertIn("--consistency goes with the rules vernier only", stderr)


if __name__ == "__main__":
    main()
