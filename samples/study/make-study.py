#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the made-up runs of the accuracy case in this folder; the same bytes every time.

    make-study.py [FOLDER]

Planted, as in the case of the accuracy guide:
  * the target computes its embedding in bf16, golden in fp32: its gradient norm of step 1 is 4.6 % larger;
  * the target's weight decay takes all weights, golden's leaves one-dimensional ones out: they are 8 % smaller
    after 10,000 steps, and the loss ends 0.1 higher;
  * after both are mended ("fixed") the loss stays within 0.03 of golden over 10,000 steps.
Everything else is equal but for noise: settings, tokens, initial weights, step 1, learning rate 0.
"""
import json
import math
import os
import struct
import sys

STEPS, EVERY = 10000, 20
WEIGHTS = [("embedding.word_embeddings.weight", (48, 16)), ("layers.0.input_norm.weight", (16,)),
           ("layers.0.attention.qkv.weight", (48, 16)), ("layers.0.attention.proj.weight", (16, 16)),
           ("layers.0.mlp_norm.weight", (16,)), ("layers.0.mlp.fc1.weight", (32, 16)),
           ("layers.0.mlp.fc2.weight", (16, 32)), ("layers.1.input_norm.weight", (16,)),
           ("layers.1.attention.qkv.weight", (48, 16)), ("layers.1.attention.proj.weight", (16, 16)),
           ("layers.1.mlp_norm.weight", (16,)), ("layers.1.mlp.fc1.weight", (32, 16)),
           ("layers.1.mlp.fc2.weight", (16, 32)), ("final_norm.weight", (16,)), ("head.weight", (48, 16))]


class Random:
    """Integers of a linear congruential generator: the same on every machine."""

    def __init__(self, seed):
        self.state = seed

    def unit(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def bell(self):
        return sum(self.unit() for _ in range(12)) - 6


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def npy(values):
    head = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d, %d), }" % (2, len(values) // 2)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + \
        struct.pack("<%di" % len(values), *values)


def safetensors(weights):
    head, body = {}, b""
    for (name, shape), values in zip(WEIGHTS, weights):
        data = struct.pack("<%df" % len(values), *values)
        head[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def curve(step):
    return 2.3 + 8.4 * (1 + step / 60) ** -0.55


def runs():
    """Loss and gradient norm of golden, its repetition, the target and the mended target."""
    shared, own = Random(1), {name: Random(seed) for name, seed in
                              (("golden", 2), ("again", 3), ("target", 4), ("fixed", 5))}
    lines = {name: ["step,loss,grad_norm,lr"] for name in own}
    for step in range(EVERY, STEPS + 1, EVERY):
        base = curve(step) + 0.02 * shared.bell()
        rate = 1e-4 * 0.5 * (1 + math.cos(math.pi * step / STEPS)) + 1e-6
        for name, random in own.items():
            loss = base + 0.005 * random.bell()
            if name == "target" and step > 1500:
                loss += 0.1 * (1 - math.exp(-(step - 1500) / 1500))
            norm = (0.6 + 3 / math.sqrt(step)) * math.exp(0.05 * random.bell())
            lines[name].append("%d,%.5f,%.4f,%.6e" % (step, loss, norm, rate))
    return {name: "\n".join(text) + "\n" for name, text in lines.items()}


def rate_zero(random):
    shared = Random(6)
    lines = ["step,loss,grad_norm,lr"]
    for step in range(1, 301):
        loss = 10.84 + 0.04 * shared.bell()
        norm = 16.6 + 0.5 * shared.bell()
        lines.append("%d,%.5f,%.4f,0.0" % (step, loss + 0.0009 * random.bell(), norm + 0.03 * random.bell()))
    return "\n".join(lines) + "\n"


SQUARES = [251.7912, 0.5422, 1.3667, 1.5066, 3.1986, 3.2613, 0.9796, 2.2454, 0.6833, 0.6342, 2.8444, 2.7182,
           0.4503, 1.4104, 1.8498]


def megatron_log():
    tensors = ", ".join("tensor(%.4f, device='cuda:0')" % value for value in SQUARES)
    line = (" [2025-05-06 07:00:0%d] iteration        %d/   10000 | consumed samples: %12d | elapsed time per "
            "iteration (ms): 900.0 | learning rate: 1.000000E-05 | global batch size:    32 | lm loss: %.6E | "
            "loss scale: 1.0 | grad norm: %.3f | number of skipped iterations:   0 | number of nan iterations:   0 |\n")
    return "print torch local norm:\n[%s]\n" % tensors + \
        line % (1, 1, 32, 10.84187, math.sqrt(sum(SQUARES))) + line % (2, 2, 64, 10.83542, 16.02)


def mindformers_log(seed, factor, second):
    random = Random(seed)
    squares = [value * (factor if i == 0 else (1 + 0.001 * random.bell()) ** 2) for i, value in enumerate(SQUARES)]
    sizes = ", ".join(str(math.prod(shape)) for _, shape in WEIGHTS)
    rows = [" ".join("%.8e" % value for value in squares[i:i + 5]) for i in range(0, len(squares), 5)]
    head = "2025-05-06 07:00:0%d,000 - mindformers[mindformers/core/callback/callback.py:%d] - INFO - "
    line = head + ("{ Epoch:[  1/  1], step:[    %d/10000], loss: %.5f, per_step_time: 900ms, lr: 1e-05, "
                   "overflow cond: False, loss_scale: 1.0, global_norm: [%.6f]\n")
    return head % (1, 120) + " norm_size: (%s)\nlocal_norm:\n[%s]\n" % (sizes, "\n ".join(rows)) + \
        line % (1, 485, 1, 10.84190, math.sqrt(sum(squares))) + line % (2, 485, 2, second, 16.03)


def initial_weights():
    random = Random(7)
    return [[1.0] * shape[0] if len(shape) == 1 else
            [0.02 * random.bell() for _ in range(math.prod(shape))] for _, shape in WEIGHTS]


def final_weights(seed, decay_all):
    moved, own = Random(8), Random(seed)
    out = []
    for (_, shape), values in zip(WEIGHTS, initial_weights()):
        shrink = 0.92 if decay_all and len(shape) == 1 else 1.0
        out.append([(value + 0.02 * moved.bell()) * shrink * (1 + 0.0005 * own.bell()) for value in values])
    return out


GOLDEN_SH = """#!/bin/bash
# Golden: PyTorch on GPUs.
torchrun pretrain_gpt.py \\
    --num-layers 2 --hidden-size 1024 --ffn-hidden-size 3584 --num-attention-heads 16 \\
    --seq-length 4096 --max-position-embeddings 4096 --vocab-size 131072 \\
    --norm-epsilon 1e-5 --attention-dropout 0.0 --hidden-dropout 0.0 \\
    --global-batch-size 32 --lr 1e-4 --min-lr 1e-6 --lr-decay-style cosine \\
    --adam-beta1 0.9 --adam-beta2 0.95 --adam-eps 1e-8 --weight-decay 0.1 --clip-grad 1.0 \\
    --bf16 --seed 42
"""

TARGET_YAML = """# %s
seed: 42
optimizer:
  type: AdamW
  betas: [0.9, 0.95]
  eps: 1.e-8
  weight_decay: 0.1
lr_schedule:
  type: CosineWithWarmUpLR
  learning_rate: 1.e-4
  lr_end: 1.e-6
runner_wrapper:
  use_clip_grad: True
  max_grad_norm: 1.0
model:
  model_config:
    num_hidden_layers: 2
    hidden_size: 1024
    intermediate_size: 3584
    num_attention_heads: 16
    seq_length: 4096
    vocab_size: 131072
    rms_norm_eps: 1.e-5
    attention_dropout: 0.0
    hidden_dropout: 0.0
    compute_dtype: bfloat16
"""

NAMES = "target,benchmark\n" + "".join("model.%s,module.%s\n" % (name, name) for name, _ in WEIGHTS)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    curves, random = runs(), Random(9)
    tokens = npy([int(random.unit() * 131072) for _ in range(128)])
    start = safetensors(initial_weights())
    write(folder, "golden/pretrain.sh", GOLDEN_SH)
    write(folder, "golden/step1.log", megatron_log())
    write(folder, "golden/again.csv", curves["again"])
    write(folder, "names.csv", NAMES)
    write(folder, "target/pretrain.yaml", TARGET_YAML % "Target: MindSpore on NPUs, as it was first set up.")
    write(folder, "fixed/pretrain.yaml",
          TARGET_YAML % "Target, mended: embedding in fp32, one-dimensional weights do not decay.")
    write(folder, "target/step1.log", mindformers_log(10, 1.046 ** 2, 10.83561))
    write(folder, "fixed/step1.log", mindformers_log(11, 1.0008 ** 2, 10.83549))
    for name, seed in (("golden", 12), ("target", 13), ("fixed", 14)):
        write(folder, name + "/tokens.npy", tokens)
        write(folder, name + "/start.safetensors", start)
        write(folder, name + "/end.safetensors", safetensors(final_weights(seed, name == "target")))
        write(folder, name + "/long.csv", curves[name])
        write(folder, name + "/lr0.csv", rate_zero(Random(seed)))


if __name__ == "__main__":
    main()
