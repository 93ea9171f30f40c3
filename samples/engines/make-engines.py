#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What inference engines dump of a small model, twice, the second time with one projection planted:

    make-engines.py OUT [--defect layers.2.self_attn.qkv_proj]

OUT/golden and OUT/target hold one folder a writer: passes (SGLang and vLLM: a dict a forward pass), dumper (SGLang's dumper: a file
a value), shards (the same of two tensor-parallel ranks, in golden of one), trtllm (TensorRT-LLM's hook: a file a tensor), intermediates
(vLLM's intermediate logging: a folder a module), arrays (a .npz a run, as a hook of one's own leaves them in JAX or anywhere), and
rollout.pt (slime's debug data: log-probabilities of the engine and of the trainer). Needs torch and numpy. Then:

    vernier compare OUT/golden/passes OUT/target/passes
"""
import argparse
import os

import torch

LAYERS, WIDTH = 4, 16


def run(weights, ids, defect):
    """Modules in the order in which they run, each with input and output. Names are not in the order of the alphabet."""
    out = []

    def module(name, given, key, scale=1.0):
        gives = torch.tanh(given @ weights[key]) * (1.02 if name == "model." + defect else scale)
        out.append((name, given, gives))
        return gives

    hidden = weights["embed"][ids]
    out.append(("model.embed_tokens", ids, hidden))
    for i in range(LAYERS):
        layer = "model.layers.%d." % i
        mixed = module(layer + "self_attn.qkv_proj", hidden, "qkv")
        mixed = module(layer + "self_attn.attn", mixed, "attn")
        hidden = hidden + module(layer + "self_attn.o_proj", mixed, "o")
        wide = module(layer + "mlp.gate_up_proj", hidden, "up")
        hidden = hidden + module(layer + "mlp.down_proj", wide, "down")
    module("lm_head", hidden, "head")
    return out


def write_passes(folder, passes):
    folder = os.path.join(folder, "TP0_PP0_Rank0_pid%d" % (1000 + len(folder)))
    os.makedirs(folder)
    for number, (ids, modules) in enumerate(passes):
        tensors = {name: [gives] if name.endswith(".attn") else gives for name, _, gives in modules}
        tensors["model.forward_batch_info.input_ids"] = ids
        torch.save(tensors, os.path.join(folder, "Pass%05d.pt" % number))


def write_dumper(folder, passes, extra):
    folder = os.path.join(folder, "dump_20260801_1011%02d" % extra)
    os.makedirs(folder)
    index = 0

    def dump(step, name, value, **tags):
        nonlocal index
        index += 1
        tags = {"step": step, "rank": 0, "dump_index": index, "name": name, "recompute_status": "disabled", **tags}
        torch.save({"value": value, "meta": {**tags, "world_size": 1, "dims": "s h"}},
                   os.path.join(folder, "___".join("%s=%s" % tag for tag in tags.items()) + ".pt"))

    for i in range(extra):
        dump(0, "warm_up", torch.ones(3))
    for step, (ids, modules) in enumerate(passes):
        dump(step, "input_ids", ids)
        for name, given, gives in modules:
            dump(step, "non_intrusive__%s.inputs.0" % name, given)
            dump(step, "non_intrusive__%s.output" % name, gives)
            if name.endswith("o_proj"):
                dump(step, "attn_out", gives, layer_id=name.split(".")[2])


def write_shards(folder, passes, ranks):
    """Of the projections that ranks share each writes its part, of all else a copy; `dims` tell which."""
    os.makedirs(folder)
    for rank in range(ranks):
        place = {"tp_rank": rank, "tp_size": ranks, "cp_rank": 0, "cp_size": 1}
        for index, (name, _, gives) in enumerate(passes[0][1], 1):
            shared = name.endswith(("qkv_proj", "gate_up_proj")) and ranks > 1
            value = gives.chunk(ranks, -1)[rank].clone() if shared else gives
            meta = {"sglang_parallel_info": place, "dims": "t h[tp]" if shared else "t h"}
            torch.save({"value": value, "meta": meta},
                       os.path.join(folder, "step=0___rank=%d___dump_index=%d___name=non_intrusive__%s.output.pt" % (rank, index, name)))


def write_trtllm(folder, passes):
    folder = os.path.join(folder, "rank0")
    os.makedirs(folder)
    indexes = {}
    for name, given, gives in passes[0][1]:
        path = []
        for part in name.split("."):
            path.append(part)
            indexes.setdefault("-".join(path), len(indexes) + 1)
        shown = "-".join("%d.%s" % (indexes["-".join(path[:i + 1])], part) for i, part in enumerate(path))
        torch.save(given, os.path.join(folder, shown + "-input.x.pt"))
        torch.save(gives, os.path.join(folder, shown + "-output.0.pt"))


def write_intermediates(folder, passes):
    for step, (_, modules) in enumerate(passes):
        for name, given, gives in modules:
            place = os.path.join(folder, "step_%d" % step, name)
            os.makedirs(place)
            torch.save(given, os.path.join(place, "inputs_0_cuda_0.pt"))
            torch.save(gives, os.path.join(place, "outputs_cuda_0.pt"))
        with open(os.path.join(folder, "step_%d" % step, "module_calls.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(name for name, _, _ in modules) + "\n")


def write_rollout(path, off=0.0):
    """Of two samples the trainer's log-probabilities are off from the sixth token of the answer on."""
    samples = []
    for k in range(2):
        engine = [-0.05 * (1 + (3 * i + k) % 11) for i in range(12)]
        samples.append({"index": k, "tokens": list(range(100, 116)), "response_length": 12, "loss_mask": [1] * 12, "reward": 1.0, "status": "completed",
                        "rollout_log_probs": engine, "log_probs": [v - (off if i > 5 else 0) for i, v in enumerate(engine)]})
    torch.save({"rollout_id": 0, "samples": samples}, path)


def write_arrays(folder, passes):
    import numpy
    folder = os.path.join(folder, "step0", "rank0")
    os.makedirs(folder)
    numpy.savez(os.path.join(folder, "activations.npz"), **{name: gives.numpy() for name, _, gives in passes[0][1]})


def write(out, defect):
    torch.manual_seed(1)
    weights = {name: torch.randn(WIDTH, WIDTH) / 4 for name in ("qkv", "attn", "o", "up", "down", "head")}
    weights["embed"] = torch.randn(32, WIDTH)
    batches = [torch.arange(7) * 3 % 32, torch.tensor([11]), torch.tensor([4])]
    for side, planted in (("golden", ""), ("target", defect)):
        passes = [(ids, run(weights, ids, planted)) for ids in batches]
        write_passes(os.path.join(out, side, "passes"), passes)
        write_dumper(os.path.join(out, side, "dumper"), passes, 3 if side == "target" else 0)
        write_shards(os.path.join(out, side, "shards"), passes, 2 if side == "target" else 1)
        write_trtllm(os.path.join(out, side, "trtllm"), passes)
        write_intermediates(os.path.join(out, side, "intermediates"), passes)
        write_rollout(os.path.join(out, side, "rollout.pt"), 0.3 if planted else 0.0)
        write_arrays(os.path.join(out, side, "arrays"), passes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--defect", default="layers.2.self_attn.qkv_proj")
    arguments = parser.parse_args()
    write(arguments.out, arguments.defect)
