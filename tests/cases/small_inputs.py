# SPDX-License-Identifier: Apache-2.0
"""Small inputs for every command, written into the working folder, and the commands that read them.

SAMPLES names the folder of samples, VERNIER the program that makes what only it can make: the parts of a
comparison, a history.
"""
import array
import atexit
import json
import os
import shutil
import struct
import subprocess
import tempfile

SAMPLES = os.environ["SAMPLES"]
PAIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "pair", "output")
TEXTS = "html,md,json,svg,csv"
STUDY = """title: "A small case"
names: {golden: GPU, target: NPU}
config: {golden: a.json, target: b.json}
tokens: {golden: tokens.npy, target: tokens.npy}
weights: {golden: golden.safetensors, target: target.safetensors}
step1_loss: {golden: train.log, target: train.log}
long_run: {golden: golden.csv, target: target.csv}
dumps: {golden: golden/step0/rank0, target: target/step0/rank0}
monitor: {target: monitor}
skip: {target: train.log}
health: {target: ckpt}
"""
made = {}


def npy(path, values, dtype="f"):
    head = "{'descr': '<%s4', 'fortran_order': False, 'shape': (%d,), }" % (dtype, len(values))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + array.array(dtype, values).tobytes())


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_dumps():
    """A pair of dumps with two ranks, one with a NaN, and one of tensors."""
    with open(PAIR, "rb") as file:
        golden, target, construct, stack = file.read().split(b"\xff")
    for side, dump in (("golden", golden), ("target", target), ("run2", golden), ("run3", target)):
        for rank in ("rank0", "rank1"):
            folder = os.path.join(side, "step0", rank)
            os.makedirs(folder, exist_ok=True)
            for name, data in (("dump.json", dump), ("construct.json", construct), ("stack.json", stack)):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
    content = json.loads(golden)
    list(content["data"].values())[3]["output"][0]["Max"] = float("nan")
    with open("nan.json", "w", encoding="utf-8") as file:
        json.dump(content, file)


def write_tensors():
    for side, off in (("tensors", 0.0), ("tensors2", 0.5)):
        folder = os.path.join(side, "dump_tensor_data")
        os.makedirs(folder)
        data = {}
        for op in range(2):
            values = [1 + i / 16 + off * op for i in range(16)]
            name = "Functional.linear.%d.forward" % op
            npy(os.path.join(folder, name + ".output.0.npy"), values)
            data[name] = {"input_args": [], "input_kwargs": {}, "output": [
                {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [16], "Max": max(values), "Min": min(values),
                 "Mean": sum(values) / 16, "Norm": 8.0 + off * op, "requires_grad": True, "data_name": name + ".output.0.npy"}]}
        write(os.path.join(side, "dump.json"), json.dumps({"task": "tensor", "level": "L1", "framework": "pytorch", "data": data}))


def write_checkpoints():
    for side, factor in (("golden", 1.0), ("target", 1.25)):
        header, body = {}, b""
        for i, name in enumerate(("embed.weight", "layers.0.norm.weight", "head.weight")):
            data = array.array("f", (j / 32 * (factor if i == 2 else 1) for j in range(32))).tobytes()
            header[name] = {"dtype": "F32", "shape": [4, 8], "data_offsets": [len(body), len(body) + len(data)]}
            body += data
        text = json.dumps(header).encode()
        with open(side + ".safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + body)


def write_training():
    """Curves, configurations, a log with skips, a monitor, a list of checkpoints, a study of them."""
    for name in ("golden", "target"):
        with open(os.path.join(SAMPLES, "curves", name + ".csv"), encoding="utf-8") as file:
            write(name + ".csv", "".join(file.readlines()[:40]))
    write("train.log", "".join(
        " iteration %8d/ 60 | consumed samples: %8d | learning rate: 1.0E-04 | lm loss: %.6E | grad norm: %.3f |\n"
        % (i, i * 8, 9 - i / 20, 900 if i == 20 else 1.5) for i in range(1, 40)))
    for rank in (0, 1):
        folder = os.path.join("monitor", "May06_15-00-01-rank%d-b2f0e6ab" % rank)
        os.makedirs(folder)
        write(os.path.join(folder, "grad_reduced_0-4.csv"), "vpp_stage,name,step,norm,mean\n" + "".join(
            "0,%s,%d,%g,0.1\n" % (name, step, 1 + step + rank)
            for step in range(5) for name in ("layers.0.weight", "layers.1.weight")))
    os.mkdir("ckpt")
    write("ckpt/health_ckpts.json", json.dumps([{"is_health": i % 2, "ckpt_name": "llama_rank_0-%d_1.safetensors" % (i * 10)}
                                                for i in range(1, 5)]))
    write("a.json", json.dumps({"seed": 1234, "learning_rate": 1e-4, "micro_batch_size": 2}))
    write("b.json", json.dumps({"seed": 1234, "learning_rate": 2e-4, "micro_batch_size": 2}))
    npy("tokens.npy", range(24), "i")
    for name, factor in (("golden.logp.npy", 1), ("target.logp.npy", 1.2)):
        npy(name, [-factor * (1 + i * 7 % 11) / 4 for i in range(24)])
    write("precheck.csv", "API Name,Forward Test Success,Backward Test Success,Message\nTorch.add.0,pass,error,other\nTorch.mul.1,warning,,\n")
    write("study.yaml", STUDY)
    os.mkdir("tables")
    for rank in (0, 1):
        write("tables/compare_result_rank%d_20260101000000.csv" % rank,
              "NPU Name,Bench Name,NormRelativeErr,Max diff,NPU max,Bench max,Requires_grad Consistent\n"
              "Tensor.add.0.forward.input.0,x,%d%%,4,9,9,True\nTorch.mul.0.forward.output.0,x,N/A,0.5,7,8,True\n" % (10 * rank))


def run(*arguments):
    environment = dict(os.environ, LC_ALL="C", NO_COLOR="1", ASAN_OPTIONS="detect_leaks=0", SOURCE_DATE_EPOCH="1700000000")
    done = subprocess.run([os.environ["VERNIER"], *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert done.returncode in (0, 1), done.stderr


def write_results():
    """What only the program can make."""
    for part in ("1", "2"):
        run("compare", "golden", "target", "--jobs", "1", "--shard", part + "/2", "--format", TEXTS + ",junit", "-o", "shards/" + part)
    for night, target in enumerate(("golden", "target", "golden")):
        run("compare", "golden", target, "--jobs", "1", "--title", "night %d" % night, "--history", "nights.db", "--format", "json",
            "-o", "shards/night")
    shutil.rmtree("shards/night")


def make_inputs():
    """Written anew at each call; what a test did to them is gone."""
    if "folder" not in made:
        made["folder"] = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, made["folder"])
        here = os.getcwd()
        os.chdir(made["folder"])
        for part in (write_dumps, write_tensors, write_checkpoints, write_training, write_results):
            part()
        os.chdir(here)
    for name in os.listdir(made["folder"]):
        if os.path.isdir(os.path.join(made["folder"], name)):
            shutil.rmtree(name, ignore_errors=True)
            shutil.copytree(os.path.join(made["folder"], name), name)
        else:
            shutil.copy(os.path.join(made["folder"], name), name)


# What each command is called here, what is behind `vernier`, and the formats it is asked for.
COMMANDS = {
    "compare": (["compare", "golden", "target", "--jobs", "1"], TEXTS + ",nodes,junit"),
    "shard": (["compare", "golden", "target", "--jobs", "1", "--shard", "1/2"], TEXTS + ",junit"),
    "runs": (["compare", "--jobs", "1", "--runs", "golden", "run2", "run3"], TEXTS),
    "tensors": (["compare", "tensors", "tensors2", "--jobs", "1"], TEXTS),
    "checkpoints": (["compare", "golden.safetensors", "target.safetensors", "--jobs", "1"], "html,md,json,csv"),
    "graph": (["graph", "golden"], TEXTS + ",nodes"),
    "check": (["check", "nan.json"], TEXTS),
    "locate": (["locate", "nan.json"], TEXTS),
    "curves": (["curves", "golden.csv", "target.csv"], TEXTS),
    "advise": (["advise", "skip", "train.log"], TEXTS),
    "health": (["advise", "health", "ckpt"], TEXTS),
    "checklist": (["checklist", os.path.join(SAMPLES, "config", "bench_pretrain.sh"),
                   os.path.join(SAMPLES, "config", "target_pretrain.yaml")], "html,md,json,csv"),
    "monitor": (["monitor", "monitor"], TEXTS),
    "history": (["history", "nights.db"], TEXTS),
    "study": (["study", "study.yaml", "--jobs", "1"], TEXTS),
    "merge": (["merge", "shards"], TEXTS + ",junit"),
    "tables": (["merge", "tables"], "md,json,csv"),
    "precheck": (["precheck", "precheck.csv"], TEXTS),
    "tokens": (["tokens", "golden.logp.npy", "target.logp.npy"], TEXTS),
}
