# SPDX-License-Identifier: Apache-2.0
"""Small inputs for every command, written into the working folder, and the commands that read them.

SAMPLES names the folder of samples.
"""
import json
import os

SAMPLES = os.environ["SAMPLES"]
PAIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "pair", "output")
TEXTS = "html,md,json,svg,csv"


def make_inputs():
    """Written anew at each call. A pair of dumps with two ranks, curves, configurations, a log with skips, a monitor: all small."""
    with open(PAIR, "rb") as file:
        golden, target, construct, stack = file.read().split(b"\xff")
    for side, dump in (("golden", golden), ("target", target)):
        for rank in ("rank0", "rank1"):
            folder = os.path.join(side, "step0", rank)
            os.makedirs(folder, exist_ok=True)
            for name, data in (("dump.json", dump), ("construct.json", construct), ("stack.json", stack)):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
    with open("nan.json", "w", encoding="utf-8") as file:
        content = json.loads(golden)
        list(content["data"].values())[3]["output"][0]["Max"] = float("nan")
        json.dump(content, file)
    for name in ("golden", "target"):
        with open(os.path.join(SAMPLES, "curves", name + ".csv"), encoding="utf-8") as file:
            lines = file.readlines()[:40]
        with open(name + ".csv", "w", encoding="utf-8") as file:
            file.writelines(lines)
    with open("train.log", "w", encoding="utf-8") as file:
        for i in range(1, 40):
            file.write(" iteration %8d/ 60 | consumed samples: %8d | learning rate: 1.0E-04 | lm loss: %.6E | "
                       "grad norm: %.3f |\n" % (i, i * 8, 9 - i / 20, 900 if i == 20 else 1.5))
    for rank in (0, 1):
        folder = os.path.join("monitor", "May06_15-00-01-rank%d-b2f0e6ab" % rank)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "grad_reduced_0-4.csv"), "w", encoding="utf-8") as file:
            file.write("vpp_stage,name,step,norm,mean\n")
            for step in range(5):
                for name in ("layers.0.weight", "layers.1.weight"):
                    file.write("0,%s,%d,%g,0.1\n" % (name, step, 1 + step + rank))


COMMANDS = {
    "compare": (["compare", "golden", "target", "--jobs", "1"], TEXTS + ",nodes,junit"),
    "graph": (["graph", "golden"], TEXTS + ",nodes"),
    "locate": (["locate", "nan.json"], TEXTS),
    "curves": (["curves", "golden.csv", "target.csv"], TEXTS),
    "advise": (["advise", "skip", "train.log"], TEXTS),
    "checklist": (["checklist", os.path.join(SAMPLES, "config", "bench_pretrain.sh"),
                   os.path.join(SAMPLES, "config", "target_pretrain.yaml")], "html,md,json,csv"),
    "monitor": (["monitor", "monitor"], TEXTS),
}
