#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small network as MindSpore's Dump leaves it, and as PyTorch calls it, with one kernel off:

    make-mindspore-dump.py OUT [--form o0|o2|moved|pytorch] [--saved statistic|tensor|full] [--defect KERNEL,STEP,RANK]
                           [--run N] [--ranks N] [--steps N]

o0: OUT/rank_R/Net/0/STEP with execution_order; o2: OUT/TIME/R/MODEL/ID/STEP; moved: OUT/rank_R/TIME/step_STEP, as msProbe moves
it; pytorch: OUT/stepSTEP/rankR/dump.json. --run gives other time stamps, tasks, streams and numbers of models. Then:

    vernier compare GOLDEN TARGET
"""
import argparse
import json
import math
import os
import random
import struct

CHAIN = [("Conv2D", "Conv2D-op12", "Functional.conv2d"), ("ReLU", "ReLU-op4", "Functional.relu"), ("MatMul", "MatMul-op7", "Functional.linear"),
         ("BiasAdd", "BiasAdd-op9", "Tensor.add"), ("ReLU", "ReLU-op5", "Functional.relu"), ("MatMul", "MatMul-op8", "Functional.linear"),
         ("SoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits-op1", "Functional.cross_entropy")]
SCOPE, SHAPE = "Default/network-WithLossCell/_backbone-Net/", (3, 4)


def values(step, rank, defect):
    """(kernel, its number in the chain, what goes in, what comes out)."""
    rng = random.Random(100 * step + rank)
    single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
    now = [single(rng.gauss(0, 1)) for _ in range(12)]
    for number, kernel in enumerate(CHAIN):
        after = [max(x, 0.0) if kernel[0] == "ReLU" else single(0.9 * x + rng.gauss(0, 0.2)) for x in now]
        if defect == (kernel[1], step, rank):
            after = [single(1.08 * x) for x in after]
        yield kernel, number, now, after
        now = after


def statistics(numbers):
    return max(numbers), min(numbers), sum(numbers) / len(numbers), math.sqrt(sum(x * x for x in numbers))


def write_npy(path, numbers):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"
    head += b" " * (117 - len(head)) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<12f", *numbers))


def write_iteration(folder, step, rank, args):
    os.makedirs(folder)
    ge = args.form != "o0"
    rows = ["Op Type,Op Name,Task ID,Stream ID,Timestamp,%s,Slot,Data Size,Data Type,%sShape,Max Value,Min Value,Avg Value,L2Norm Value"
            % (("Input/Output", "Format,") if ge else ("IO", ""))]
    for (kind, name, _), number, *sides in values(step, rank, args.defect):
        name = (SCOPE + name).replace("/", "_") if ge else name
        task, stream = number + 10 * args.run, args.run
        for side, numbers in zip(("input", "output"), sides):
            time = 1733905446000000 + 10 ** 9 * args.run + 1000 * number + 100 * (side == "output") + step
            if args.saved != "tensor":
                rows.append('%s,%s,%d,%d,%d,%s,0,48,%s,%s"(3,4)",%s' % (
                    kind, name, task, stream, time, side, "DT_FLOAT" if ge else "float32", "ND," if ge else "",
                    ",".join(repr(value) for value in statistics(numbers))))
            if args.saved != "statistic":
                write_npy(os.path.join(folder, "%s.%s.%d.%d.%d.%s.0.DefaultFormat.float32.npy" % (kind, name, task, stream, time, side)),
                          numbers)
    if len(rows) > 1:
        with open(os.path.join(folder, "statistic.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")


def write_calls(folder, step, rank, args):
    os.makedirs(folder)
    data, calls = {}, {}
    leaf = lambda numbers: dict(zip(("Max", "Min", "Mean", "Norm"), statistics(numbers)), type="torch.Tensor", dtype="torch.float32",
                                shape=list(SHAPE), requires_grad=False)
    for (_, _, api), _, given, gives in values(step, rank, args.defect):
        calls[api] = calls.get(api, -1) + 1
        data["%s.%d.forward" % (api, calls[api])] = {"input_args": [leaf(given)], "input_kwargs": {}, "output": [leaf(gives)]}
    with open(os.path.join(folder, "dump.json"), "w", encoding="utf-8") as file:
        json.dump({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data}, file)


def write_rank(rank, args):
    time = "202412111634%02d" % args.run
    for step in range(args.steps):
        if args.form == "pytorch":
            write_calls(os.path.join(args.out, "step%d" % step, "rank%d" % rank), step, rank, args)
            continue
        inner = {"o0": "rank_%d/Net/0/%d" % (rank, step), "o2": "%s/%d/kernel_graph_1/%d/%d" % (time, rank, 1 + args.run, step),
                 "moved": "rank_%d/%s/step_%d" % (rank, time, step)}[args.form]
        write_iteration(os.path.join(args.out, inner), step, rank, args)
    if args.form == "o0":
        order = os.path.join(args.out, "rank_%d" % rank, "execution_order")
        os.makedirs(order)
        with open(os.path.join(order, "ms_execution_order_graph_0.csv"), "w", encoding="utf-8") as file:
            file.write("NodeExecutionOrder-FullNameWithScope\n" + "".join("%s%s\n" % (SCOPE, kernel[1]) for kernel in CHAIN))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--form", choices=("o0", "o2", "moved", "pytorch"), default="o0")
    parser.add_argument("--saved", choices=("statistic", "tensor", "full"), default="statistic")
    parser.add_argument("--defect")
    parser.add_argument("--run", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--steps", type=int, default=3)
    args = parser.parse_args(arguments)
    if args.defect:
        name, step, rank = args.defect.split(",")
        args.defect = (name, int(step), int(rank))
    for rank in range(args.ranks):
        write_rank(rank, args)


if __name__ == "__main__":
    main()
