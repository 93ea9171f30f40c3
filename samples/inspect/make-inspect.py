#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Statistics logs as NVIDIA-DL-Framework-Inspect writes them for TransformerEngine, of two runs:

    make-inspect.py OUT [--ranks N] [--steps N] [--each-rank]

OUT/golden and OUT/target are log folders (nvdlfw_inspect_statistics_logs/nvdlfw_inspect_globalrank-0.log). In the target the
weight gradient of decoder.2.mlp.linear_fc2 is four times as large from half of the steps on. --each-rank: a folder a rank. Then:

    vernier monitor OUT/golden OUT/target
"""
import argparse
import math
import os
import random

PARTS = ("self_attention.linear_qkv", "mlp.linear_fc1", "mlp.linear_fc2")
STATISTICS = (("activation", 2.0), ("weight", 0.3), ("wgrad", 0.02))
DEFECT = "decoder.2.mlp.linear_fc2"


def write_log(path, steps, seed, defect):
    numbers = random.Random(seed)
    with open(path, "w", encoding="utf-8") as out:
        def put(name, step, value):
            out.write("INFO - %s \t\t\t\t iteration=%06d \t\t\t\t value=%.4f\n" % (name, step, value))

        for step in range(steps):
            for layer in range(4):
                for part in PARTS:
                    name = "decoder.%d.%s" % (layer, part)
                    for tensor, size in STATISTICS:
                        scale = size * math.exp(-step / 200) * (1 + 0.02 * numbers.gauss(0, 1))
                        if defect and name == DEFECT and tensor == "wgrad" and step >= steps // 2:
                            scale *= 4
                        put("%s_%s_min" % (name, tensor), step, -scale)
                        put("%s_%s_max" % (name, tensor), step, scale)
                        put("%s_%s_mean" % (name, tensor), step, scale / 1e4)
                        put("%s_%s_l2_norm" % (name, tensor), step, scale * 40)
                    put("%s_activation_fp8_underflows%%" % name, step, numbers.uniform(0.1, 0.2))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--each-rank", action="store_true")
    options = parser.parse_args()
    for side in ("golden", "target"):
        for rank in range(options.ranks):
            above = os.path.join(options.out, side, "rank_%d" % rank if options.each_rank else "")
            folder = os.path.join(above, "nvdlfw_inspect_statistics_logs")
            os.makedirs(folder, exist_ok=True)
            write_log(os.path.join(folder, "nvdlfw_inspect_globalrank-%d.log" % rank), options.steps, rank, side == "target")


if __name__ == "__main__":
    main()
