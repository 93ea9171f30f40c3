#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What msProbe's config_check packs of one run, as a folder or, where OUT ends in .zip, as a zip:

    make-pack.py OUT [--plant env|pip|dataset|weights|hyperparameters|random ...] [--ranks N] [--steps N]

Then: vernier checklist BENCH CMP
"""
import argparse
import json
import os
import random
import zipfile

PARTS = ("env", "pip", "dataset", "weights", "hyperparameters", "random")
WEIGHTS = ["module.embedding.word_embeddings.weight"] + ["module.decoder.layers.%d.mlp.linear_fc1.weight" % i for i in range(3)]


def tensor(*seed):
    rng = random.Random("/".join(map(str, seed)))
    return {"max": rng.uniform(1, 2), "min": -rng.uniform(1, 2), "mean": rng.uniform(-0.1, 0.1), "norm": rng.uniform(3, 9)}


def files(plant, ranks, steps):
    """(path in the pack, text) of every file."""
    off = {part: part in plant for part in PARTS}
    yield "env", json.dumps({"PATH": "/usr/bin:/usr/%s" % ("bin" if off["env"] else "sbin"), "HCCL_ALGO": "level0:NA;level1:ring",
                             "HCCL_DETERMINISTIC": "false" if off["env"] else "true"}, indent=4)
    yield "pip", "torch=2.1.0\nnumpy=1.26.4\ntransformers=%s\nwheel=0.43.0\n" % ("4.37.2" if off["pip"] else "4.43.2")
    yield "hyperparameters/hyperparameters_static.json", json.dumps(
        {"num_layers": 2, "lr": 1e-05, "adam_beta2": 0.999 if off["hyperparameters"] else 0.95}, indent=4)
    for rank in range(ranks):
        calls = {"torch.manual_seed": {"/home/user/train.py:31": 1}, "torch.randn": {"/home/user/model/init.py:77": 12 + off["random"]}}
        yield "random/rank%d.json" % rank, json.dumps(calls, indent=4)
        for step in range(steps):
            place = "step%d/rank%d" % (step, rank)
            data = {name: tensor(name, step, rank, off["dataset"] and name == "labels" and step + 1 == steps) for name in ("input_ids", "labels")}
            yield "dataset/%s/dataset.json" % place, json.dumps({"args": {}, "kwargs": data}, indent=4)
            weights = {name: tensor(name, rank, off["weights"] and name == WEIGHTS[-1]) for name in WEIGHTS}
            yield "weights/%s/weight.json" % place, json.dumps(weights, indent=4)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--plant", action="append", choices=PARTS, default=[])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=2)
    args = parser.parse_args(arguments)
    made = list(files(args.plant, args.ranks, args.steps))
    if args.out.endswith(".zip"):
        with zipfile.ZipFile(args.out, "w", zipfile.ZIP_DEFLATED) as pack:
            for name, text in made:
                pack.writestr(name, text)
        return
    for name, text in made:
        path = os.path.join(args.out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
