#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two runs of a small model through torch_hook.py, the second with a defect: its second block's `down` is scaled.

    try-torch.py OUT [--tensors] [--backward]
    vernier compare OUT/golden OUT/target
"""
import argparse

import torch

from torch_hook import Dump


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 4 * width)
        self.down = torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(self.norm(x))))


class Model(torch.nn.Module):
    def __init__(self, width=16, words=32, blocks=3):
        super().__init__()
        self.embed = torch.nn.Embedding(words, width)
        self.blocks = torch.nn.ModuleList(Block(width) for _ in range(blocks))
        self.head = torch.nn.Linear(width, words)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Scaled(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x) * 1.01


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--tensors", action="store_true")
    parser.add_argument("--backward", action="store_true")
    options = parser.parse_args()
    for side in ("golden", "target"):
        torch.manual_seed(1)
        model = Model()
        if side == "target":
            model.blocks[1].down.__class__ = Scaled
        ids = torch.arange(16).reshape(2, 8)
        with Dump(options.out + "/" + side, model, tensors=options.tensors, backward=options.backward):
            model(ids).square().mean().backward()


if __name__ == "__main__":
    main()
