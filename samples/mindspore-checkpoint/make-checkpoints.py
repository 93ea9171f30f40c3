#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One small model as a checkpoint of MindSpore and as one of PyTorch:

    make-checkpoints.py OUT [--cut N] [--crc]

OUT/golden.safetensors has PyTorch's names and q, k, v apart; OUT/target.ckpt MindSpore's names (gamma, embedding_table) and
one qkv, as save_checkpoint writes it. One weight of layer 1 was trained on. --cut: tensors of more than N bytes lie in
parts; --crc: with the checksum of crc_check=True. Then:

    vernier compare OUT/golden.safetensors OUT/target.ckpt
"""
import argparse
import json
import os
import random
import struct
import zlib

WIDTH, WORDS, LAYERS = 8, 12, 2


def varint(value):
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def value(name, shape, kind, content, packed=False):
    """One value of the checkpoint. A scalar has the size 0."""
    sizes = shape or [0]
    dims = field(1, b"".join(map(varint, sizes))) if packed else b"".join(field(1, size) for size in sizes)
    return field(1, field(1, name) + field(2, dims + field(2, kind) + field(3, content)))


def checkpoint(tensors, cut=0, crc=False, packed=False):
    """The file of tensors: (name, shape, type, content)."""
    out = b""
    for name, shape, kind, content in tensors:
        step = cut or len(content) or 1
        for at in range(0, max(len(content), 1), step):
            out += value(name, shape, kind, content[at:at + step], packed)
    return out + (b"crc_num" + zlib.crc32(out).to_bytes(10, "big") if crc else b"")


def floats(numbers):
    return struct.pack("<%df" % len(numbers), *numbers)


def safetensors(tensors):
    header, body = {}, b""
    for name, shape, _, content in tensors:
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + len(content)]}
        body += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def models():
    """The weights of both sides."""
    rng = random.Random(1)
    def weight(rows, columns=WIDTH):
        return floats([rng.gauss(0, 0.02) for _ in range(rows * columns)])
    torch, mindspore = [], []
    def both(name, other, shape, content):
        torch.append((name, shape, "Float32", content))
        mindspore.append((other, shape, "Float32", content))
    both("model.embed_tokens.weight", "model.tok_embeddings.embedding_table", [WORDS, WIDTH], weight(WORDS))
    for i in range(LAYERS):
        layer, other = "model.layers.%d." % i, "model.blocks.%d." % i
        both(layer + "input_layernorm.weight", other + "norm1.gamma", [WIDTH],
             floats([rng.uniform(0.9, 1.1) for _ in range(WIDTH)]))
        parts = [weight(WIDTH) for _ in "qkv"]
        torch += [(layer + "self_attn.%s_proj.weight" % x, [WIDTH, WIDTH], "Float32", parts[k]) for k, x in enumerate("qkv")]
        mindspore.append((other + "attention.qkv.weight", [3 * WIDTH, WIDTH], "Float32", b"".join(parts)))
        up = weight(2 * WIDTH)
        both(layer + "mlp.up_proj.weight", other + "ffn.w1.weight", [2 * WIDTH, WIDTH], up)
        if i == 1:
            moved = [x + rng.gauss(0, 1e-3) for x in struct.unpack("<%df" % (2 * WIDTH * WIDTH), up)]
            mindspore[-1] = mindspore[-1][:3] + (floats(moved),)
    mindspore.append(("epoch_num", [], "Int32", struct.pack("<i", 3)))
    return torch, mindspore


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--cut", type=int, default=0)
    parser.add_argument("--crc", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    torch, mindspore = models()
    with open(os.path.join(options.out, "golden.safetensors"), "wb") as file:
        file.write(safetensors(torch))
    with open(os.path.join(options.out, "target.ckpt"), "wb") as file:
        file.write(checkpoint(mindspore, options.cut, options.crc))


if __name__ == "__main__":
    main()
