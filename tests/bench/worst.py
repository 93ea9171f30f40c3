# SPDX-License-Identifier: Apache-2.0
"""Inputs whose work was once the product of two of their counts: pairs of dumps, and the options that meet them."""
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import types


def tensor(norm):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 8], "Max": norm / 3, "Min": -norm / 4,
            "Mean": norm / 100, "Norm": norm, "requires_grad": False}


def op(norm, arguments=None):
    return {"input_args": [tensor(norm)], "input_kwargs": arguments or {}, "output": [tensor(norm + 1)]}


def write_pair(folder, golden, target, construct=None):
    for side, data in (("golden", golden), ("target", target)):
        os.makedirs(os.path.join(folder, side))
        for name, content in (("dump", {"task": "statistics", "level": "mix", "framework": "pytorch", "data": data}),
                              ("construct", construct or {})):
            with open(os.path.join(folder, side, name + ".json"), "w", encoding="utf-8") as out:
                json.dump(content, out)


def write_lines(folder, lines):
    path = os.path.join(folder, "file.yaml")
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    return path


def modules(count, name="m"):
    return {"Module.%s%d.Linear.forward.0" % (name, i): op(1 + i) for i in range(count)}


def slots(folder, count):
    """One op whose arguments have other names on the other side."""
    names = [{"%s%d" % (side, i): tensor(1 + i) for i in range(count)} for side in "ab"]
    write_pair(folder, *({"Functional.f.0.forward": op(1, arguments)} for arguments in names))
    return ["-o", "out.json"]


def chain(folder, count):
    """Modules each inside the one before."""
    golden = modules(count)
    names = list(golden)
    target = {name: op(1.5 + i) for i, name in enumerate(names)}
    write_pair(folder, golden, target, dict(zip(names, [None] + names)))
    return ["-o", "out.svg"]


def chain_database(folder, count):
    """The same, for the viewer, whose nodes list the modules above their partner."""
    return [*chain(folder, count)[:-1], "out.vis.db"]


def criteria(folder, count):
    """A rule for each op."""
    write_pair(folder, modules(count), modules(count))
    rules = ["  - ops: '%s'\n    limits: {norm: 0.1}" % name for name in modules(count)]
    return ["--criteria", write_lines(folder, ["rules:"] + rules), "-o", "out.json"]


def wildcards(folder, count):
    """A rule with wildcards for each op."""
    write_pair(folder, modules(count), modules(count))
    rules = ["  - ops: 'Module.*m%d.?inear*'\n    limits: {norm: 0.1}" % i for i in range(count)]
    return ["--criteria", write_lines(folder, ["rules:"] + rules), "-o", "out.json"]


def cells(folder, count):
    """A module that is called otherwise for each op."""
    write_pair(folder, modules(count), modules(count, "n"))
    return ["--cell-mapping", write_lines(folder, ["n%d.Linear: m%d.Linear" % (i, i) for i in range(count)]), "-o", "out.json"]


def cell_pieces(folder, count):
    """A mapping whose pieces stand in each name."""
    write_pair(folder, modules(count), modules(count, "n"))
    return ["--cell-mapping", write_lines(folder, ["%d.Lin: x%d" % (i, i) for i in range(count)]), "-o", "out.json"]


def layers(folder, count):
    """A class that has as many layers of other names as there are ops."""
    write_pair(folder, modules(count), modules(count, "n"))
    return ["--layer-mapping", write_lines(folder, ["TopLayer:"] + ["  n%d: m%d" % (i, i) for i in range(count)]), "-o", "out.json"]


def apis(folder, count):
    """An API that is called otherwise for each op."""
    write_pair(folder, *({"Functional.%s%d.0.forward" % (name, i): op(1 + i) for i in range(count)} for name in "fh"))
    lines = ["- ms_api: Functional.h%d\n  pt_api: Functional.f%d\n  ms_args: [0]\n  pt_args: [0]\n  ms_output: [0]\n  pt_output: [0]" %
             (i, i) for i in range(count)]
    return ["--api-mapping", write_lines(folder, lines), "-o", "out.json"]


def stages(folder, count):
    """Row tables of ranks that have ten rows each and none in common, as stages of a model have."""
    head = "NPU Name,Bench Name,Max diff,NormRelativeErr"
    os.makedirs(os.path.join(folder, "tables"))
    for rank in range(count // 10):
        with open(os.path.join(folder, "tables", "compare_result_rank%d_1.csv" % rank), "w", encoding="utf-8") as out:
            out.write("\n".join([head] + ["Functional.f%d.0.forward.output.0,x,0.1,%d%%" % (10 * rank + i, i) for i in range(10)]) + "\n")
    return ["merge", "tables", "-o", "out.json"]


def passes(folder, count):
    """Forward passes of an inference engine: as many tensors in one file as there are modules."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases"))
    import torch_checkpoints
    for side in ("golden", "target"):
        os.makedirs(os.path.join(folder, side, "rank0"))
        rows = {"m%d" % i: torch_checkpoints.Tensor(types.SimpleNamespace(shape=[2], values=[i, 1])) for i in range(count)}
        torch_checkpoints.torch_save(os.path.join(folder, side, "rank0", "Pass0.pt"), rows)
    return ["-o", "out.json"]


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


def iterations(count):
    """A log of Megatron in which every step was skipped."""
    return "".join(" iteration %8d/ 1000000 | lm loss: %.6E | loss scale: 1.0 | grad norm: %.3f | number of skipped iterations:   1 |"
                   " number of nan iterations:   0 |\n" % (i, 9 / i, 1 + i % 7) for i in range(1, count + 1))


def skipped(folder, count):
    """Two logs in which every step was skipped."""
    for side in ("golden", "target"):
        write(folder, side + ".log", iterations(count))
    return ["curves", "-g", "golden.log", "-t", "target.log", "-o", "out.json"]


def noises(folder, count):
    """As many noise runs whose names share both ends."""
    options = []
    for i in range(count):
        name = "seed_of_a_long_name_%d_and_its_tail.csv" % i
        write(folder, name, "step,loss\n1,%d\n2,%d.5\n" % (3 + i, 2 + i))
        options += ["--noise", name]
    write(folder, "golden.csv", "step,loss\n1,2\n2,1\n")
    write(folder, "target.csv", "step,loss\n1,2.5\n2,1.5\n")
    return ["curves", "-g", "golden.csv", "-t", "target.csv", *options, "-o", "out.svg"]


def recomputed(folder, count):
    """Modules whose forward runs again before each backward: as many passes as there are modules."""
    data = modules(count)
    for i in reversed(range(count)):
        data["Module.m%d.Linear.forward.1" % i] = op(1 + i)
        data["Module.m%d.Linear.backward.1" % i] = {"input": [tensor(1)], "output": [tensor(2)]}
    write_pair(folder, data, data, {name: None for name in data})
    return ["graph", "golden", "-o", "out.svg"]


def study(folder, count):
    """A case whose stages all read one long log."""
    write(folder, "run.log", iterations(count))
    write(folder, "study.yaml", "".join("%s: {golden: run.log, target: run.log}\n" % stage for stage in ("step1_loss", "long_run")) +
          "skip: {target: run.log, threshold: 3, count: 10}\n")
    return ["study", "study.yaml", "-o", "out.json"]


def draft(folder, count):
    """Folders with a log each, of which a draft of a case uses two."""
    for side in ("gpu", "npu"):
        for i in range(count // 4):
            write(folder, os.path.join(side, "run%d" % i, "train.log"), iterations(2))
    return ["study", "--init", "gpu", "npu", "-o", "study.yaml"]


def step_dump(step, count):
    """A step of modules whose weights are drawn, but one, which is a constant."""
    data = modules(count)
    for i, one in enumerate(data.values()):
        value = tensor(1 + i + step / 8)
        one["parameters"] = {"weight": dict(value, Max=1, Min=1, Mean=1, Norm=32**0.5) if i == 0 else value}
    return data


def write_dump(folder, name, data):
    write(folder, os.path.join(name, "dump.json"),
          json.dumps({"task": "statistics", "level": "mix", "framework": "pytorch", "data": data}))


def steps(folder, count):
    """The dumps of many steps, which `check` holds against each other."""
    for step in range(count // 2):
        write_dump(folder, os.path.join("run", "step%d" % step, "rank0"), step_dump(step, 4))
    return ["check", "run", "-o", "out.json"]


def noise(folder, count):
    """A pair beside many runs of golden's set-up on other machines."""
    words = []
    for run in range(-2, count // 4):
        name = {-2: "golden", -1: "target"}.get(run, "noise%d" % run)
        write_dump(folder, name, {op_name: op(1 + i + run / 1e6) for i, op_name in enumerate(modules(8))})
        words += ["--noise", name] if run >= 0 else []
    return [*words, "-o", "out.json"]


def rank_dump(folder, name, step, rank, data):
    write_dump(folder, os.path.join(name, "step%d" % step, "rank%d" % rank), data)


def transfer(kind, peer, value):
    return {"input_args": [value], "input_kwargs": {kind: {"type": "int", "value": peer}}, "output": [value]}


def pipeline(folder, count):
    """A NaN that one rank after the other hands on to the next."""
    bad = dict(tensor(1), Max=float("nan"), Norm=float("nan"))
    for rank in range(count // 4):
        data = {"Module.m.Linear.forward.0": op(1)}
        if rank:
            data["Distributed.recv.0.forward"] = transfer("src", rank - 1, bad)
        data["Module.n.Linear.forward.0"] = {"input_args": [bad if rank else tensor(1)], "input_kwargs": {}, "output": [bad]}
        data["Distributed.send.0.forward"] = transfer("dst", rank + 1, bad)
        rank_dump(folder, "run", 0, rank, data)
    return ["locate", "run", "-o", "out.json"]


def births(folder, count):
    """Ranks in each of which a NaN of its own is born."""
    for rank in range(count // 4):
        rank_dump(folder, "run", 0, rank, {"Module.m.Linear.forward.0": op(float("nan"))})
    return ["locate", "run", "-o", "out.json"]


def layout(folder, count):
    """As many ranks, of which each two share a model."""
    for rank in range(count // 4 * 2):
        rank_dump(folder, "run", 0, rank, step_dump(rank, 2))
    return ["check", "run", "--layout", "tp=2,dp=%d" % (count // 4), "-o", "out.json"]


def biases(folder, count):
    """Two steps of one rank whose gradients of biases are all off."""
    for step in range(2):
        data = step_dump(step, count)
        for i in range(count):
            data["Module.m%d.Linear.backward.0" % i] = {"input": [tensor(1)], "output": [tensor(2)]}
            data["Module.m%d.Linear.parameters_grad" % i] = {"weight": [tensor(5 + i + step)], "bias": [tensor(6 + i + step)]}
        rank_dump(folder, "run", step, 0, data)
    return ["check", "run", "-o", "out.json"]


def frozen(folder, count):
    """A configuration that lists each frozen weight by its name."""
    for step in range(2):
        rank_dump(folder, "run", step, 0, step_dump(step, count))
    write(folder, "train.yaml", "freeze_parameters: [%s]\n" % ", ".join("m%d" % i for i in range(count)))
    return ["check", "run", "--run-config", "train.yaml", "-o", "out.json"]


def expected(folder, count):
    """As many expectations as there are weights, half of them with wildcards."""
    words = []
    for step in range(2):
        rank_dump(folder, "run", step, 0, step_dump(step, count))
    for i in range(count):
        words += ["--expect", ("trained=m%d.weight" if i % 2 else "trained=*m%d.wei*") % i]
    return ["check", "run", *words, "-o", "out.json"]


def write_monitor(folder, name, norms, factor):
    """`norms`: how many have each of so many types."""
    for kind, count in enumerate(norms):
        rows = ("0,w%d,%d,%g,%g,%g,\"[4, 8]\",torch.float32\n" % (i, step, *[factor * (1 + i % 7 + step / 100)] * 3)
                for step in range(8) for i in range(count))
        write(folder, os.path.join(name, "May06_15-00-00-rank0-0c77d1e0", "type%d_0-7.csv" % kind),
              "vpp_stage,name,step,norm,mean,max,shape,dtype\n" + "".join(rows))


def apart(folder, count):
    """Two monitored runs with as many norms, all of which lie apart."""
    write_monitor(folder, "golden", [count], 1)
    write_monitor(folder, "target", [count], 2)
    return ["monitor", "a=golden", "b=target", "-o", "out.json"]


def monitor_types(folder, count):
    """Two monitored runs with many types of a few norms each."""
    for name, factor in (("golden", 1), ("target", 2)):
        write_monitor(folder, name, [4] * (count // 8), factor)
    return ["monitor", "a=golden", "b=target", "-o", "out.json"]


def monitor_ranks(folder, count):
    """A monitored run of many ranks."""
    for rank in range(count // 2):
        for kind in ("grad", "param"):
            write(folder, os.path.join("run", "May06_15-00-00-rank%d-0c77d1e0" % rank, kind + "_0-1.csv"),
                  "vpp_stage,name,step,norm\n0,w,0,%d\n0,w,1,2\n" % rank)
    return ["monitor", "run", "-o", "out.json"]


def columns(folder, count, name="s"):
    """Two logs with as many series."""
    for side, off in (("golden", 0), ("target", 1)):
        head = "step,loss," + ",".join("%s%d" % (name, i) for i in range(count))
        rows = ("%d,%g,%s" % (step, 3 + off, ",".join("%d" % (i + off) for i in range(count))) for step in range(1, 5))
        write(folder, side + ".csv", "\n".join([head, *rows]) + "\n")
    return ["curves", "-g", "golden.csv", "-t", "target.csv", "-o", "out.json"]


def losses(folder, count):
    """Two logs with as many losses, all of which are judged."""
    return columns(folder, count, "loss_")


def keys(folder, count):
    """A log in which each record has a series of its own."""
    write(folder, "run.log", "".join("step: %d loss: %.4f k%d: %d\n" % (i + 1, 3 / (i + 1), i, i) for i in range(count)))
    return ["curves", "run.log", "-o", "out.json"]


def rank_logs(folder, count):
    """A folder with the log of each rank."""
    for rank in range(count // 2):
        write(folder, os.path.join("run", "rank%d.log" % rank), iterations(3))
    return ["curves", "run", "-o", "out.json"]


def starts(folder, count):
    """A folder with the logs of many starts of one process, each with a series of its own, the last start first."""
    for i in range(count // 2):
        lines = ("[2024-01-%02d %02d:%02d:00] iteration %d/ 100000 | lm loss: %.4f | own%d loss: 1.5 |\n" %
                 ((30 - i // 1440), (1439 - i % 1440) // 60, (1439 - i % 1440) % 60, 10 * (count - i) + k, 2 + k / 10, i) for k in range(5))
        write(folder, os.path.join("run", "log%06d.log" % i), "".join(lines))
    return ["curves", "run", "-o", "out.json"]


def like_logs(folder, count):
    """A folder with the logs of many starts that begin alike."""
    for i in range(count // 2):
        write(folder, os.path.join("run", "log%06d.log" % i), iterations(10))
    return ["curves", "run", "-o", "out.json"]


def rank_lines(folder, count):
    """A log of which each line is another rank's."""
    write(folder, "run.log", "".join("[Rank %d] step 1 loss 2.5 lr 1e-4\n" % rank for rank in range(10 * count)))
    return ["curves", "run.log", "-o", "out.json"]


def run_rows(folder, count):
    """A table of which each row is another run's."""
    write(folder, "run.csv", "run,step,metric,value\n" + "".join("r%d,1,loss,2.5\n" % run for run in range(5 * count)))
    return ["curves", "run.csv", "-o", "out.json"]


def run_columns(folder, count):
    """A dashboard's export with three columns a run."""
    head = "step," + ",".join("r%d - loss,r%d - loss__MIN,r%d - loss__MAX" % (run, run, run) for run in range(2 * count))
    write(folder, "run.csv", head + "\n" + "".join("%d%s\n" % (step, ",1.5" * (6 * count)) for step in range(1, 9)))
    return ["curves", "run.csv", "-o", "out.json"]


def epochs(folder, count):
    """A table of many epochs with steps of their own, of which the last two are run again and again."""
    half = count // 2
    rows = [(i + 1, 1 if i % 2 else 10) for i in range(half)]
    rows += [(half + 5 - 5 * (i % 2), 5 - 4 * (i % 2)) for i in range(half)]
    write(folder, "run.csv", "epoch,step,loss\n" + "".join("%d,%d,%g\n" % (*row, 2 + i % 7) for i, row in enumerate(rows)))
    return ["curves", "run.csv", "-o", "out.json"]


def groups(folder, count):
    """A graph database of communications, each with the group it is over."""
    group = {"type": "torch.ProcessGroup", "group_ranks": [0, 1], "group_id": "g1"}
    data = {"Distributed.all_reduce.%d.forward" % i: op(1 + i, {"group": group}) for i in range(count)}
    write_pair(folder, data, data)
    return ["-o", "out.vis.db"]


def renamed(folder, count):
    """Modules that are called otherwise, written as a mapping of rows and of layers."""
    write_pair(folder, modules(count), modules(count, "n"))
    return ["--write-mapping", "rows.yaml", "--write-layer-mapping", "layers.yaml", "-o", "out.json"]


def parts(folder, count):
    """As many parts of a run, a rank each; VERNIER writes them."""
    ranks = count // 16
    for side in ("golden", "target"):
        for rank in range(ranks):
            rank_dump(folder, side, 0, rank, {name: op(1 + i + (side == "target")) for i, name in enumerate(modules(4))})
    for i in range(1, ranks + 1):
        subprocess.run([os.environ["VERNIER"], "compare", "golden", "target", "--shard", "%d/%d" % (i, ranks), "-qq", "-j", "1",
                        "--format", "json", "-o", "parts/%d" % i], cwd=folder, check=False)
    return ["merge", "parts", "-o", "out.json"]


NIGHTS = """
PRAGMA application_id = 1987210856;
PRAGMA user_version = 1;
CREATE TABLE nights (command TEXT NOT NULL, number INTEGER NOT NULL, label TEXT NOT NULL, verdict TEXT NOT NULL, state INTEGER NOT NULL,
    partial INTEGER NOT NULL, made INTEGER, PRIMARY KEY (command, number)) WITHOUT ROWID;
CREATE TABLE facts (command TEXT NOT NULL, night INTEGER NOT NULL, kind TEXT NOT NULL, place TEXT NOT NULL, name TEXT NOT NULL,
    metric TEXT NOT NULL, state INTEGER NOT NULL, value REAL, position INTEGER NOT NULL, note TEXT NOT NULL,
    PRIMARY KEY (command, night, kind, place, name, metric)) WITHOUT ROWID;
"""


def write_nights(folder, count, names):
    path = os.path.join(folder, "nights.db")
    with contextlib.closing(sqlite3.connect(path)) as data:
        data.executescript(NIGHTS.replace("\n   ", ""))
        data.executemany("INSERT INTO nights VALUES ('compare', ?, ?, 'SAME', 0, 0, NULL)", ((i, "n%d" % i) for i in range(1, count + 1)))
        data.executemany("INSERT INTO facts VALUES ('compare', ?, 'layer', '', ?, 'forward', ?, 0.5, ?, '')",
                         ((i, "blocks.%d" % k, (i + k) % 2 * 4, k) for i in range(1, count + 1) for k in range(names)))
        data.commit()
    return ["history", "nights.db", "-o", "out.json"]


def nights(folder, count):
    """The facts of many nights, which a report lays side by side."""
    return write_nights(folder, count // 2, 4)


def night_names(folder, count):
    """A few nights with many names."""
    return write_nights(folder, 8, count)


FIRST_STEPS = "step: 1 loss: 2.5\nstep: 2 loss: 2.5\nstep: 3 loss: 2.0\n"


def long_lines(folder, count):
    """Lines that repeat what a reader of a line looks around for."""
    write(folder, "run.log", FIRST_STEPS + "<loss>x " * (20 * count) + "\na: " + ",".join(["111"] * (20 * count)) + "\n< " + "1/2 [ " * (40 * count) + "\n")
    return ["curves", "run.log", "-o", "out.json"]


def loss_keys(folder, count):
    """A log in which each record has a loss of its own."""
    write(folder, "run.log", "".join("step: %d loss_%d: %.4f\n" % (i + 1, i, 3 / (i + 1)) for i in range(4 * count)))
    return ["curves", "run.log", "-o", "out.json"]


def rank_steps(folder, count):
    """A log of ranks of which each has a step of its own."""
    write(folder, "run.log", "".join("[Rank %d] step %d loss 2.5 lr 1e-4\n" % (rank, rank + 1) for rank in range(4 * count)))
    return ["curves", "run.log", "-o", "out.json"]


def restarts(folder, count):
    """A table of many series whose step falls every sixth row."""
    steps, step = [], 0
    for i in range(20 * count):
        step += -1 if i % 6 == 5 else 1
        steps.append("%d,%d,1,1,1,1,1,1,1,1\n" % (step, 2 + i % 3))
    write(folder, "run.csv", "step,loss,a,b,c,d,e,f,g,h\n" + "".join(steps))
    return ["curves", "run.csv", "-o", "out.json"]


def epochs_back(folder, count):
    """A log whose first two epochs come again behind many others."""
    half = 20 * count
    places = [(i + 1, 1) for i in range(half)] + [(1 + i % 2, 1 + i % 5) for i in range(half)]
    write(folder, "run.log", "".join("epoch: %d step: %d loss: %.4f\n" % (*place, 2 + i % 3) for i, place in enumerate(places)))
    return ["curves", "run.log", "-o", "out.json"]


def coarse(folder, count):
    """Two runs, of which the seldom one is dense for a while."""
    dense = 4 * count
    golden = [*range(dense + 1, 2 * dense + 1), *(dense * (i + 4) for i in range(dense + 10))]
    target = [*range(1, 2 * dense + 1), golden[-1] + 1]
    for side, run in (("golden", golden), ("target", target)):
        write(folder, side + ".csv", "step,loss\n" + "".join("%d,%.3f\n" % (x, 2 + x % 7 * 0.01) for x in run))
    return ["curves", "-g", "golden.csv", "-t", "target.csv", "-o", "out.json"]


def norm_spikes(folder, count):
    """A norm that leaps every forty steps."""
    rows = ("%d,2,%.4f\n" % (i + 1, (1 + i * 37 % 101 / 2000) * (50 if i % 40 == 39 else 1)) for i in range(80 * count))
    write(folder, "run.csv", "step,loss,grad_norm\n" + "".join(rows))
    return ["advise", "skip", "run.csv", "-o", "out.json"]


def monitor_steps(folder, count):
    """Monitored ranks of which each has steps of its own."""
    for rank in range(count // 4):
        rows = ("0,w,%d,1.5\n" % (100 * rank + step) for step in range(100))
        write(folder, "run/rank_%d/grad_reduced_0-9.csv" % rank, "vpp_stage,name,step,norm\n" + "".join(rows))
    return ["monitor", "run", "-o", "out.json"]


def uneven_columns(folder, count):
    """JSON columns, a long one and many short ones."""
    columns = ", ".join('"a%d": [1]' % i for i in range(2 * count))
    write(folder, "run.json", '{"loss": [%s], %s}' % (",".join(["1.5"] * (10 * count)), columns))
    return ["curves", "run.json", "-o", "out.json"]


def long_keys(folder, count):
    """Configurations with a long key above many others."""
    for side in "ab":
        write(folder, side + ".json", json.dumps({"lr": 1, "k" * (6 * count): {"a%d" % i: i for i in range(count)}}))
    return ["checklist", "a.json", "b.json", "-o", "out.json"]


def long_series_keys(folder, count):
    """The same in what training left."""
    series = {"loss%d" % i: [i, 2] for i in range(count)}
    write(folder, "a.json", json.dumps({"loss": [1, 2, 3], "k" * (10 * count): series}))
    return ["curves", "a.json", "-o", "out.json"]


def anchors(folder, count):
    """Configurations in YAML with many anchors."""
    for side in "ab":
        write(folder, side + ".yaml", "lr: 1\n" + "".join("k%d: &a%d 1\n" % (i, i) for i in range(count // 2)))
    return ["checklist", "a.yaml", "b.yaml", "-o", "out.json"]


def aliases(folder, count):
    """Configurations that say one long text again and again."""
    for side in "ab":
        write(folder, side + ".yaml", "lr: &a %s\n" % ("x" * 30 * count) + "".join("k%d: *a\n" % i for i in range(count)))
    return ["checklist", "a.yaml", "b.yaml", "-o", "out.json"]


def unclosed(folder, count):
    """Scripts with names in braces that nothing closes."""
    for side in "ab":
        write(folder, side + ".sh", "#!/bin/bash\nX='%s'\npython train.py --lr \"$X\"\n" % ("${a " * (20 * count)))
    return ["checklist", "a.sh", "b.sh", "-o", "out.json"]


def merge_names(folder, count):
    """Row tables of which a list of names says what is taken."""
    rows = ("Functional.f%d.0.forward.output.0,x,0.1,1%%\n" % i for i in range(4 * count))
    write(folder, "tables/compare_result_rank0_1.csv", "NPU Name,Bench Name,Max diff,NormRelativeErr\n" + "".join(rows))
    names = "".join("  - g%d\n" % i for i in range(4 * count))
    write(folder, "c.yaml", "api:\n" + names + "  - f0.0\ncompare_index:\n  - Max diff\n")
    return ["merge", "tables", "--config", "c.yaml", "-o", "out.json"]


def runs(folder, count):
    """As many runs, held against each other."""
    for i in range(count // 2):
        write_dump(folder, "r%d" % i, {"Module.m.Linear.forward.0": op(1 + i % 2)})
    return ["compare", "--runs", *("r%d" % i for i in range(count // 2)), "-o", "out.json"]


def write_graph(folder, name, parents, entry):
    write_dump(folder, name, {key: entry for key in parents})
    write(folder, name + "/construct.json", json.dumps(parents))


def api_chain(folder, count):
    """APIs each inside the one before."""
    names = ["Functional.f%d.0.forward" % i for i in range(8 * count)]
    root = "Module.m.M.forward.0"
    for side in ("golden", "target"):
        write_graph(folder, side, {root: None, **dict(zip(names, [root, *names]))}, op(1))
    return ["compare", "golden", "target", "-o", "out.junit.xml", "--format", "junit"]


def recomputed_aside(folder, count):
    """Modules that are recomputed at the root, behind many others there."""
    parents = {"Module.p.P.forward.0": None, "Module.p.P.backward.0": None}
    parents.update({"Module.a%d.L.forward.0" % i: None for i in range(2 * count)})
    return recomputed_below(folder, "Module.p.P.forward.0", parents, 2 * count)


def recomputed_deep(folder, count):
    """Modules that are recomputed below a chain of others."""
    parents, last = {}, {}
    for i in range(2 * count):
        for way in ("forward", "backward"):
            name = "Module.q%d.P.%s.0" % (i, way)
            parents[name] = last.get(way)
            last[way] = name
    return recomputed_below(folder, last["forward"], parents, 2 * count)


def recomputed_below(folder, parent, parents, count):
    parents.update({"Module.m%d.b.c.L.forward.0" % i: parent for i in range(count)})
    for i in range(count):
        parents["Module.m%d.b.c.L.forward.1" % i] = parents["Module.m%d.b.c.L.backward.1" % i] = None
    write_dump(folder, "run", {name: {"input_args" if "forward" in name else "input": [], "output": [], "is_recompute": True} for name in parents})
    write(folder, "run/construct.json", json.dumps(parents))
    return ["graph", "run", "-o", "out.json"]


def weights_before(folder, count):
    """One op with many weights, in two steps."""
    def weight(norm):
        return {**tensor(norm), "dtype": "torch.bfloat16"}
    for side, off in (("golden", 0), ("target", 1e-4)):
        for step in range(2):
            weights = {"w%d" % i: weight(2 + off + i) for i in range(4 * count)}
            rank_dump(folder, side, step, 0, {"Module.m.M.forward.0": {**op(1), "parameters": weights}})
    return ["compare", "golden", "target", "-o", "out.json"]


def biases_before(folder, count):
    """One op with many biases, in two steps."""
    for side, off in (("golden", 0), ("target", 0.01)):
        for step in range(2):
            weights = {"b%d" % i: {**tensor(2 + i + 0.1 * step + off * step), "shape": [8]} for i in range(4 * count)}
            rank_dump(folder, side, step, 0, {"Module.m.M.forward.0": {**op(1), "parameters": weights}})
    return ["compare", "golden", "target", "-o", "out.json"]


def unlike_ranks(folder, count):
    """Ranks of which no two share a weight."""
    for rank in range(count // 2):
        rank_dump(folder, "run", 0, rank, {name: {**entry, "parameters": {"weight": tensor(1 + 17 * rank + i)}}
                                           for i, (name, entry) in enumerate(modules(10).items())})
    return ["check", "run", "-o", "out.json"]


def shared_matrix(folder, count):
    """Ranks that share one matrix, but no model, and of which each hands something on to the one before it."""
    for rank in range(count // 2):
        data = {"Module.p.Embedding.forward.0": {**op(1), "parameters": {"weight": tensor(7)}},
                **{name: {**entry, "parameters": {"weight": tensor(1 + 17 * rank + i)}}
                   for i, (name, entry) in enumerate(modules(2).items())}}
        if rank:
            data["Distributed.send.0.forward"] = transfer("dst", (rank * 7919) % rank, tensor(1))
        rank_dump(folder, "run", 0, rank, data)
    return ["check", "run", "-o", "out.json"]


def rank_groups(folder, count):
    """A rank that talks in many groups with the others, all of which hold many weights."""
    for rank in range(4):
        data = step_dump(0, count)
        for i in range(count if rank == 0 else 0):
            group = {"type": "torch.ProcessGroup", "group_ranks": [0, *([1, 2, 3] if i % 2 else [2, 1]), *[9 + i]]}
            data["Distributed.all_reduce.%d.forward" % i] = {"input_args": [tensor(1)], "input_kwargs": {"group": group}, "output": [tensor(1)]}
        rank_dump(folder, "run", 0, rank, data)
    return ["check", "run", "-o", "out.json"]


def slot_order(folder, count):
    """Shares of one op whose arguments stand in another order on the other rank."""
    for side in ("golden", "target"):
        for rank in range(2):
            names = ["a%d" % i for i in range(count)][::1 - 2 * rank]
            rank_dump(folder, side, 0, rank, {"Module.m.M.forward.0": op(1, {name: tensor(1 + rank + len(name)) for name in names})})
    return ["compare", "golden", "target", "--parallel-merge", "tp=2", "-o", "out.json"]


def command(make, folder, count):
    """The words of the command, to be called in the folder, in which its input now lies."""
    words = make(folder, count)
    return [*(["compare", "golden", "target"] if words[0][0] == "-" else []), *words, "-j", "1"]


CASES = (("slots of other names in one op", slots, 10000), ("a chain of parents, its picture", chain, 10000),
         ("a chain of parents, its graph database", chain_database, 2500),
         ("criteria that name each op", criteria, 5000),
         ("criteria with wildcards for each op", wildcards, 5000), ("a cell mapping that names each op", cells, 5000),
         ("a cell mapping whose pieces stand in each name", cell_pieces, 5000), ("a layer mapping that names each op", layers, 5000),
         ("an API mapping that names each op", apis, 5000),
         ("a forward pass in one file", passes, 5000),
         ("expectations that name each weight", expected, 2500), ("logs with many losses", losses, 1000))
