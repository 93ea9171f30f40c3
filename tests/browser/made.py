# SPDX-License-Identifier: Apache-2.0
"""Inputs of the browser tests that are no sample: made from the samples, or written out."""
import json
import os
import shutil
import struct
import subprocess
import sys

VERNIER = os.environ["VERNIER"]
SAMPLES = os.environ["SAMPLES"]


def with_nan(folder):
    """The sample's target with NaN in the outputs of its later ops."""
    to = os.path.join(folder, "nan", "step0", "rank0")
    shutil.copytree(os.path.join(SAMPLES, "gpt", "target", "step0", "rank0"), to)
    with open(os.path.join(to, "dump.json"), encoding="utf-8") as file:
        content = json.load(file)
    for op in list(content["data"].values())[30:]:
        for tensor in op.get("output", [])[:1]:
            if tensor and "Max" in tensor:
                tensor["Max"] = tensor["Mean"] = float("nan")
    with open(os.path.join(to, "dump.json"), "w", encoding="utf-8") as file:
        json.dump(content, file)
    return os.path.join(folder, "nan")


def cut(folder):
    """The sample's golden run with a dump that breaks off, under a path that is long."""
    to = os.path.join(folder, "a_run_under_question", "of_tonight")
    shutil.copytree(os.path.join(SAMPLES, "gpt", "golden"), to)
    with open(os.path.join(to, "step0", "rank0", "dump.json"), "r+b") as file:
        file.truncate(250000)
    return to


def structure(folder):
    """A dump of shapes, without values."""
    to = os.path.join(folder, "shapes")
    os.makedirs(os.path.join(to, "step0", "rank0"))
    shape = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4]}
    ops = {"Torch.relu.%d.forward" % i: {"input_args": [shape], "input_kwargs": {}, "output": [shape]} for i in range(30)}
    with open(os.path.join(to, "step0", "rank0", "dump.json"), "w", encoding="utf-8") as file:
        json.dump({"task": "structure", "level": "L1", "framework": "pytorch", "data": ops}, file)
    return to


def nights(folder):
    """What a nightly job kept."""
    to = os.path.join(folder, "nights")
    subprocess.run([sys.executable, os.path.join(SAMPLES, "nights", "make.py"), to], check=True)
    kept = os.path.join(folder, "nights.db")
    for night in sorted(name for name in os.listdir(to) if name != "golden"):
        subprocess.run([VERNIER, "compare", os.path.join(to, "golden"), os.path.join(to, night), "--history", kept, "-o",
                        os.path.join(folder, "night"), "--format", "json", "--exit-zero", "--quiet"], check=True,
                       stderr=subprocess.DEVNULL)
    return kept


def parts(folder):
    """Four ranks compared in two parts."""
    to = os.path.join(folder, "parts")
    for part in ("1/2", "2/2"):
        subprocess.run([VERNIER, "compare", os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target"),
                        "--shard", part, "-o", os.path.join(to, part[0]), "--exit-zero", "--quiet"], check=True,
                       stderr=subprocess.DEVNULL)
    return to


def log(folder):
    """A training log with a gradient norm that jumps twice."""
    path = os.path.join(folder, "train.log")
    with open(path, "w", encoding="utf-8") as file:
        for i in range(1, 301):
            file.write(" iteration %8d/ 300 | consumed samples: %8d | learning rate: 1.0E-04 | lm loss: %.6E | grad norm: %.3f |\n"
                       % (i, i * 8, 9 - i / 60, 50 if i in (97, 180) else 1.5 + i % 7 / 20))
    return path


def health(folder):
    """Marks of checkpoints and the log of the embedding norms that they come from."""
    to = os.path.join(folder, "marks")
    os.makedirs(to)
    bad = {160: 291.3603, 300: 288.25}
    with open(os.path.join(to, "health_ckpts.json"), "w", encoding="utf-8") as file:
        json.dump([{"is_health": int(i in bad), "ckpt_name": "llama_rank_0-1_%d.safetensors" % i} for i in range(20, 341, 20)], file)
    with open(os.path.join(to, "worker_0.log"), "w", encoding="utf-8") as file:
        for i in range(20, 341, 20):
            file.write("2026-05-06 15:00:01,000 - mindformers - INFO - { Epoch:[  1/  1], step:[%5d/  400], loss: 2.500, "
                       "per_step_time: 800ms, lr: 1e-5, overflow cond: False, loss_scale: 1.0, global_norm: [1.2]}\n"
                       "embedding_local_norm: %.4f\n" % (i, bad.get(i, 260 + i % 7 / 2)))
    return to


def weights(folder, name, moved):
    """A checkpoint of a few weights; `moved` is added to the values of one."""
    path, header, body = os.path.join(folder, name), {}, b""
    for layer in range(4):
        for part in ("q_proj", "k_proj", "v_proj", "o_proj"):
            by = moved if (layer, part) == (2, "v_proj") else 0
            values = [((i * 37 + layer * 11 + len(part)) % 101 - 50) / 50 + by * (i % 5) for i in range(256)]
            data = struct.pack("<256f", *values)
            header["model.layers.%d.self_attn.%s.weight" % (layer, part)] = {
                "dtype": "F32", "shape": [16, 16], "data_offsets": [len(body), len(body) + len(data)]}
            body += data
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)
    return path


def tables(folder):
    """The row tables of four ranks, as `compare --format csv` leaves them."""
    to = os.path.join(folder, "tables")
    subprocess.run([VERNIER, "compare", os.path.join(SAMPLES, "ranks", "golden"), os.path.join(SAMPLES, "ranks", "target"), "-o",
                    to, "--format", "csv", "--exit-zero", "--quiet"], check=True, stderr=subprocess.DEVNULL)
    return to


def all_of(folder):
    """The words {nan}, {nights}, … of a command line, and what they stand for."""
    shards = parts(folder)
    marks = health(folder)
    return {"{nan}": with_nan(folder), "{cut}": cut(folder), "{structure}": structure(folder), "{nights}": nights(folder), "{log}": log(folder), "{tables}": tables(folder),
            "{health}": marks, "{health}/worker_0.log": os.path.join(marks, "worker_0.log"),
            "{weights}": weights(folder, "golden.safetensors", 0), "{moved}": weights(folder, "target.safetensors", 1e-3),
            "{parts}/1": shards + "/1", "{parts}/2": shards + "/2"}
