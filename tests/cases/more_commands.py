# SPDX-License-Identifier: Apache-2.0
"""What small_inputs leaves out, large enough that the work is shared by several threads: checksums, tensors of
several parts, folders of tensors, overflow over ranks, two monitors, ranks that are merged, a study. For programs that
run every command once: under valgrind, under ThreadSanitizer, built by several compilers.
"""
import array
import json
import os
import shutil
import struct
import subprocess
import zlib

import checkpoints
import parallel_merge
import small_inputs

VERNIER = os.environ["VERNIER"]
OPS, NAMES = 140, 200
SAMPLES = small_inputs.SAMPLES


def npy(path, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + array.array("f", values).tobytes())


def write_json(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file)


def read_golden():
    with open("golden/step0/rank0/dump.json", encoding="utf-8") as file:
        return json.load(file)


def write_checksums(name, salt):
    content = read_golden()
    content["task"] = "md5"
    for op, entry in content["data"].items():
        for key in ("input_args", "output"):
            for tensor in entry.get(key) or []:
                if isinstance(tensor, dict) and "dtype" in tensor:
                    tensor["md5"] = "%08x" % zlib.crc32((op + key + salt).encode())
    write_json(os.path.join(name, "dump.json"), content)


def write_elements(name, off):
    """Many small tensors, and one of several parts."""
    data = {}
    for op in range(OPS):
        call = "Functional.linear.%d.forward" % op
        values = [1 + i / 8 + off * (op == 70) for i in range(8)] * (90000 if op == 3 else 1)
        file = call + ".output.0.npy"
        os.makedirs(os.path.join(name, "dump_tensor_data"), exist_ok=True)
        npy(os.path.join(name, "dump_tensor_data", file), values)
        data[call] = {"input_args": [], "input_kwargs": {}, "output": [
            {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [len(values)], "Max": 2.0, "Min": 1.0, "Mean": 1.5,
             "Norm": 4.0, "requires_grad": True, "data_name": file}]}
    write_json(os.path.join(name, "dump.json"), {"task": "tensor", "level": "L1", "framework": "pytorch", "data": data})


def write_tensor_set(name, off):
    for step in (0, 1):
        os.makedirs(os.path.join(name, "step%d" % step))
        for i in range(20):
            npy(os.path.join(name, "step%d" % step, "Torch.add.%d.forward.output.0.npy" % i), [1.0, 2.0, 3.0 + off * (i == 9)])


def write_overflow():
    for rank in (0, 1, 2):
        content = read_golden()
        if rank == 1:
            list(content["data"].values())[3]["output"][0].update(Max=float("nan"), Norm=float("nan"))
        write_json("overflow/step0/rank%d/dump.json" % rank, content)


def write_monitor(name, factor):
    for rank in (0, 1):
        folder = os.path.join(name, "May06_15-00-01-rank%d-b2f0e6ab" % rank)
        os.makedirs(folder)
        for first in (0, 3):
            with open(os.path.join(folder, "grad_reduced_%d-%d.csv" % (first, first + 2)), "w", encoding="utf-8") as file:
                file.write("vpp_stage,name,step,norm,mean\n")
                for step in range(first, first + 3):
                    for i in range(NAMES):
                        file.write("0,layers.%d.weight,%d,%g,0.1\n" % (i, step, (1 + step + i % 7) * factor))


def write_weights():
    weights = checkpoints.model()
    checkpoints.write_safetensors("weights.safetensors", weights)
    moved = {name: checkpoints.moved(weight, i) if i % 3 else weight for i, (name, weight) in enumerate(weights.items())}
    checkpoints.write_safetensors("weights2.safetensors", moved)


def write_health():
    os.makedirs("healthy")
    write_json("healthy/health_ckpts.json", [{"is_health": i % 2, "ckpt_name": "llama_rank_0-%d_1.safetensors" % (i * 10)}
                                             for i in range(1, 5)])


def run(*arguments):
    done = subprocess.run([VERNIER, *arguments], env=dict(os.environ, LC_ALL="C", NO_COLOR="1", SOURCE_DATE_EPOCH="1700000000"),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode in (0, 1), done.stdout


def write_results():
    """What only the program can make: parts of a comparison, nights."""
    for part in ("1", "2"):
        run("compare", "golden", "target", "--shard", part + "/2", "--format", "html,md,json,svg,csv,junit", "-o", "shards/" + part)
    for night, target in enumerate(("golden", "target", "golden")):
        run("compare", "golden", target, "--title", "night %d" % night, "--history", "kept.db", "--format", "json", "-o", "night")


def make_more_inputs():
    """To be called after make_inputs, in the same folder."""
    shutil.copytree("golden", "again")
    write_weights()
    write_health()
    write_results()
    write_checksums("sums", "")
    write_checksums("sums2", "other")
    for name, off in (("elements", 0), ("elements2", 0.25), ("elements3", 1e-6)):
        write_elements(name, off)
    write_tensor_set("set", 0)
    write_tensor_set("set2", 1)
    write_overflow()
    write_monitor("monitored", 1)
    write_monitor("monitored2", 1.5)
    parallel_merge.World().write("whole")
    parallel_merge.World(tp=2, pp=2).write("shared")


MORE_COMMANDS = {
    "weights": (["compare", "weights.safetensors", "weights2.safetensors"], "html,md,json,csv"),
    "three runs": (["compare", "--runs", "golden", "again", "target"], "html,md,json,svg,csv"),
    "shards": (["merge", "shards"], "html,md,json,svg,csv,junit"),
    "nights": (["history", "kept.db"], "html,md,json,svg,csv"),
    "a case study": (["study", os.path.join(SAMPLES, "study", "before.yaml")], "html,md,json,svg"),
    "healthy": (["advise", "health", "healthy"], "html,md,json,csv"),
    "checksums": (["compare", "sums", "sums2"], "html,md,json,svg,csv,nodes,junit"),
    "elements": (["compare", "elements", "elements2"], "md,json,csv,xlsx"),
    "noise": (["compare", "elements", "elements2", "--noise", "elements3"], "md,json"),
    "tensor sets": (["compare", "set", "set2"], "md,json,csv"),
    "ranks of an overflow": (["locate", "overflow"], "html,md,json,svg"),
    "two monitors": (["monitor", "a=monitored", "b=monitored2"], "html,md,json,csv"),
    "merged ranks": (["compare", "whole", "shared", "--parallel-merge", "target:tp=2,pp=2"], "md,json,nodes"),
    "graph of merged ranks": (["graph", "shared", "--parallel-merge", "tp=2,pp=2"], "json,vis-db"),
    "msProbe's rules": (["compare", "golden/step0/rank0", "target/step0/rank0", "--rules", "msprobe26"], "xlsx,csv,nodes,vis-db"),
    "boxes in Chinese": (["compare", "golden", "target", "--view", "boxes", "--lang", "zh"], "svg,html"),
    "redacted": (["compare", "golden", "target", "--redact", "--overflow"], "html,md,json"),
    "a missing run": (["compare", "golden", "absent"], "json"),
    "an unknown option": (["compare", "golden", "target", "--unknown"], "json"),
}


def every_command():
    """All of both, by name, each without --jobs."""
    found = {}
    for name, (arguments, formats) in {**small_inputs.COMMANDS, **MORE_COMMANDS}.items():
        words = list(arguments)
        if "--jobs" in words:
            del words[words.index("--jobs"):words.index("--jobs") + 2]
        found[name] = (words, formats)
    return found


def make_every_input():
    small_inputs.make_inputs()
    make_more_inputs()


