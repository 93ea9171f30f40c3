#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two monitors of a small mixture of experts, of two runs:

    make-experts.py OUT [--steps N]

OUT/router/golden and OUT/router/target: msProbe's monitor with its hooks of the router, router_weight_similarity of the weights and
per_token_expert_entropy of the logits, two ranks. OUT/torchao/golden.csv and target.csv: torchao's quant_logger, a tensor a row.
In the target the router of layer 2 collapses, and the output of its expert is four times as large, from half of the steps on. Then:

    vernier monitor OUT/router/golden OUT/router/target
    vernier monitor OUT/torchao/golden.csv OUT/torchao/target.csv
"""
import argparse
import os
import random

HOOKS = (("moe_router_weight_hook", "router_weight_similarity", 0.05, 6.0), ("moe_router_logit_hook", "per_token_expert_entropy", 3.2, 0.3))
EXPERTS = ("mlp.experts.0.up_proj", "mlp.experts.0.down_proj")
LAYERS, DEFECT = 4, 2


def write_router(folder, rank, steps, defect):
    numbers, folder = random.Random(rank), os.path.join(folder, "May06_15-00-01-rank%d-b2f0e6a%d" % (rank, rank))
    os.makedirs(folder, exist_ok=True)
    for hook, title, size, factor in HOOKS:
        with open(os.path.join(folder, "%s_0-%d.csv" % (hook, steps - 1)), "w", encoding="utf-8") as file:
            file.write("vpp_stage,name,step,%s\n" % title)
            for step in range(steps):
                for layer in range(LAYERS):
                    off = factor if defect and layer == DEFECT and step >= steps // 2 else 1
                    file.write("0,layers.%d.mlp.router,%d,%r\n" % (layer, step, size * off * (1 + 0.01 * numbers.gauss(0, 1))))


def write_torchao(path, steps, defect):
    numbers, count = random.Random(1), 0
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("tag,counter_val,fqn,op,max_abs,avg,std,extra\n")
        for step in range(steps):
            for layer in range(LAYERS):
                for expert in EXPERTS:
                    off = 4 if defect and layer == DEFECT and expert == EXPERTS[1] and step >= steps // 2 else 1
                    size = off * (1 + 0.02 * numbers.gauss(0, 1))
                    file.write("x,%d,model.layers.%d.%s,linear,%r,%r,%r,\n" % (count, layer, expert, 3 * size, 0.01 * size, size))
                    count += 1


def write(out, steps=40):
    for side in ("golden", "target"):
        for rank in range(2):
            write_router(os.path.join(out, "router", side), rank, steps, side == "target")
        write_torchao(os.path.join(out, "torchao", side + ".csv"), steps, side == "target")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=40)
    arguments = parser.parse_args()
    write(arguments.out, arguments.steps)
