#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Approved pictures: one of each kind, drawn by the program as text (--format trace) and kept in tests/approved.

A change of a picture then shows in review as changed lines. Look at the picture (as PNG), then approve:

    VERNIER=build/release/vernier SAMPLES=samples python3 tests/cases/approved.py --approve
"""
import bisect
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

VERNIER = os.environ["VERNIER"]
SAMPLES = os.path.abspath(os.environ["SAMPLES"])
APPROVED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "approved")
SHOWN, COLUMNS = 20, 160  # changed lines of a picture, and how much of each


# ---- inputs, made in the folder of the test

def stats(size):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 8], "requires_grad": False,
            "Max": size, "Min": -size / 2, "Mean": size / 10, "Norm": size * 3}


def write_json(value, *parts):
    os.makedirs(os.path.join(*parts[:-1]), exist_ok=True)
    with open(os.path.join(*parts), "w") as file:
        json.dump(value, file)


def small_dump(factor, *folder):
    """Three ops; from the second on everything is `factor` as large."""
    data = {}
    for index, name in enumerate(("embedding.0", "linear.0", "softmax.0")):
        into, out = 1.0 + index, (2.0 + index) * (factor if index else 1)
        data["Functional.%s.forward" % name] = {
            "input_args": [stats(into * (factor if index > 1 else 1))], "input_kwargs": {}, "output": [stats(out)]}
    write_json({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": data},
               *folder, "dump.json")


def many_pairs(folder):
    """9 steps of 20 ranks; rank 3 differs from step 5 on, in step 7 rank 11 has no dump."""
    for step in range(9):
        for rank in range(20):
            place = ("step%d" % step, "rank%d" % rank)
            small_dump(1, folder, "many", "golden", *place)
            if (step, rank) != (7, 11):
                small_dump(1.5 if rank == 3 and step >= 5 else 1, folder, "many", "target", *place)


def nan_ranks(folder):
    """The sample of four ranks; NaN is born in rank 2 and comes to the others by the all_reduce that follows."""
    shutil.copytree(os.path.join(SAMPLES, "ranks", "target"), os.path.join(folder, "nan"))
    for rank in range(4):
        path = os.path.join(folder, "nan", "step0", "rank%d" % rank, "dump.json")
        with open(path) as file:
            dump = json.load(file)
        first = "Functional.layer_norm.2.backward" if rank == 2 else "Distributed.all_reduce.12.forward"
        bad = False
        for name, op in dump["data"].items():
            for slot in op.get("input_args", []) + op.get("input", []) if bad else []:
                if isinstance(slot, dict) and "Norm" in slot:
                    slot.update(Max=float("nan"), Min=float("nan"), Mean=float("nan"), Norm=float("nan"))
            bad = bad or name == first
            for slot in op.get("output", []) if bad else []:
                if isinstance(slot, dict) and "Norm" in slot:
                    slot.update(Max=float("nan"), Min=float("nan"), Mean=float("nan"), Norm=float("nan"))
        with open(path, "w") as file:
            json.dump(dump, file)


def several_runs(folder):
    for name, factor in (("run1", 1), ("run2", 1), ("run3", 1.5), ("run4", 1)):
        small_dump(factor, folder, "runs", name)


def nights(folder, name, count):
    """A database of nights: from night 6 on the linear is off, night 10 mends it."""
    small_dump(1, folder, "frozen")
    for night in range(1, count + 1):
        dump = os.path.join(folder, "2026-10-%02d" % night)
        small_dump(1.5 if 6 <= night < 10 else 1, dump)
        run(folder, "compare", "frozen", os.path.basename(dump), "--history", name, "-o", "night", "--format", "json")
        shutil.rmtree(dump)


def other_monitor(folder):
    """The monitor's sample; the last objects of the copy are half as large."""
    shutil.copytree(os.path.join(SAMPLES, "monitor"), os.path.join(folder, "other"))
    for base, _, names in os.walk(os.path.join(folder, "other")):
        for name in names:
            path = os.path.join(base, name)
            with open(path) as file:
                lines = file.read().split("\n")
            for i, line in enumerate(lines):
                field = line.split(",")
                if len(field) > 3 and field[1].startswith("layers.1.mlp"):
                    field[3] = "%.9f" % (float(field[3]) / 2)
                    lines[i] = ",".join(field)
            with open(path, "w") as file:
                file.write("\n".join(lines))


def logs(folder):
    norms = [9.0 if step in (40, 41, 90) else 1.2 + 4 * 0.9 ** step for step in range(1, 121)]
    with open(os.path.join(folder, "norms.csv"), "w") as file:
        file.write("step,loss,grad_norm\n" + "".join("%d,2.0,%.4f\n" % pair for pair in enumerate(norms, 1)))
    write_json([{"is_health": int(step in (60, 80)), "ckpt_name": "m_rank_0-1_%d.safetensors" % step}
                for step in range(20, 121, 20)], folder, "output", "health_ckpts.json")
    with open(os.path.join(folder, "worker_0.log"), "w") as file:
        for step in range(1, 121):
            file.write("{ Epoch:[  1/  3], step:[%5d/  200], loss: 0.000, per_step_time: 8200ms, lr: 1e-05, "
                       "overflow cond: False, loss_scale: 1.0, global_norm: [1.5]\nembedding_local_norm: %r\n"
                       % (step, 300.0 if step in (58, 79) else 100.0 + step % 7))


def many_runs(folder):
    """Twelve runs; the eighth leaves the others half way, the ninth becomes NaN."""
    for run in range(12):
        with open(os.path.join(folder, "run%02d_of_a_sweep_with_a_long_name.csv" % run), "w") as file:
            file.write("step,loss\n")
            for step in range(1, 61):
                loss = 2 + 8 * 0.93 ** step + 0.01 * (step * (run + 3) % 7) + (0.05 * (step - 30) if run == 7 and step > 30 else 0)
                file.write("%d,%s\n" % (step, "nan" if run == 8 and step > 50 else "%.4f" % loss))


def curve_pairs(folder):
    """Runs that are equal up to step 60; RL runs whose rollout difference grows; a target that spikes early; 40,000 steps."""
    draw = random.Random(3)
    noise = lambda count, size: [draw.gauss(0, size) for _ in range(count)]
    falling = lambda count: [2 + 6 * 0.96 ** i + v for i, v in enumerate(noise(count, 0.01))]
    def table(name, **series):
        with open(os.path.join(folder, name), "w") as file:
            file.write("step," + ",".join(name.replace("__", "/") for name in series) + "\n")
            file.writelines("%d,%s\n" % (i + 1, ",".join("%.4f" % v for v in row)) for i, row in enumerate(zip(*series.values())))
    first = falling(120)
    table("first-golden.csv", loss=first)
    table("first-target.csv", loss=[v + (3e-3 * (i - 59) if i >= 60 else 0) for i, v in enumerate(first)])
    for side in ("golden", "target"):
        grows = [0.04 * (1 + v) * (1 + max(0, i - 60) / 20 * (side == "target")) for i, v in enumerate(noise(120, 0.1))]
        table("rl-%s.csv" % side, actor__pg_loss=noise(120, 0.01), actor__entropy=[0.8 - 0.002 * i + v for i, v in enumerate(noise(120, 0.01))],
              rollout_probs_diff_mean=grows)
    table("spikes-golden.csv", loss=falling(120))
    table("spikes-target.csv", loss=[v + {9: 9, 10: 7, 79: 3}.get(i, 0) for i, v in enumerate(falling(120))])
    table("band.csv", loss=[2 + 4 * 0.9998 ** i + v + (1 if i == 25000 else 0) for i, v in enumerate(noise(40000, 0.05))])


def broken_laws(folder):
    with tarfile.open(os.path.join(os.path.dirname(APPROVED), "defects", "recorded.tar.xz")) as archive:
        for member in archive.getmembers():
            if member.name.split("/")[0] == "tp-gradient" and (member.isfile() or member.isdir()):
                archive.extract(member, folder)


def row_tables(folder):
    os.makedirs(os.path.join(folder, "tables"))
    for rank, factor in ((2, 1), (10, 4)):
        with open(os.path.join(folder, "tables", "compare_result_rank%d_20260101000000.csv" % rank), "w") as file:
            file.write("NPU Name,Bench Name,NormRelativeErr,Max diff\n")
            for call in range(6):
                file.write("Tensor.add.%d.forward.input.0,x,%d%%,%g\n" % (call, 2 * call * factor, 0.5 * call))


def run(folder, *arguments):
    env = dict(os.environ, LC_ALL="C", LANG="C", NO_COLOR="1")
    done = subprocess.run([VERNIER, *arguments], env=env, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, (done.stderr + done.stdout).decode()


# ---- pictures: what makes the input, the command, and which of its pictures are kept under which names

PICTURES = (
    (None, ("compare", "{samples}/ranks/golden", "{samples}/ranks/target"),
     {"graph-step0-rank0": "tree", "card-step0-rank0": "card", "profile-step0-rank0": "profile", "overview": "matrix"}),
    (None, ("compare", "{samples}/gpt/golden", "{samples}/gpt/target", "--view", "boxes"), {"graph-step0-rank0": "boxes"}),
    (many_pairs, ("compare", "many/golden", "many/target"), {"overview": "matrix-small"}),
    (several_runs, ("compare", "--runs", "runs/run1", "runs/run2", "runs/run3", "runs/run4"), {"runs": "runs"}),
    (None, ("compare", "{samples}/study/golden/end.safetensors", "{samples}/study/target/end.safetensors"),
     {"weights": "weights"}),
    (None, ("graph", "{samples}/ranks/target", "--rank", "0"), {"graph-step0-rank0": "hierarchy", "boxes-step0-rank0": "hierarchy-boxes"}),
    (nan_ranks, ("locate", "nan"), {"locate-step0": "locate"}),
    (None, ("checklist", "{samples}/config/bench_pretrain.sh", "{samples}/config/target_pretrain.yaml"),
     {"settings": "checklist"}),
    (None, ("curves", "{samples}/study/golden/lr0.csv", "{samples}/study/target/lr0.csv"), {"curves": "curves-pair"}),
    (None, ("curves", "{samples}/curves/target.csv"), {"curves": "curves-one"}),
    (many_runs, ("curves", *("run%02d_of_a_sweep_with_a_long_name.csv" % run for run in range(12))),
     {"curves": "curves-many", "curves-runs": "curves-runs"}),
    (curve_pairs, ("curves", "first-golden.csv", "first-target.csv"), {"curves": "curves-first"}),
    (curve_pairs, ("curves", "rl-golden.csv", "rl-target.csv"), {"curves": "curves-rollout"}),
    (curve_pairs, ("curves", "spikes-golden.csv", "spikes-target.csv"), {"curves": "curves-spikes"}),
    (curve_pairs, ("curves", "band.csv"), {"curves": "curves-band"}),
    (broken_laws, ("check", "tp-gradient"), {"check": "check"}),
    (None, ("curves", "{samples}/study/golden/step1.log", "{samples}/study/target/step1.log"), {"local-norms": "norms"}),
    (logs, ("advise", "skip", "norms.csv"), {"skip": "advise-skip"}),
    (logs, ("advise", "health", "output", "worker_0.log", "--threshold", "270"), {"health": "advise-health"}),
    (None, ("monitor", "{samples}/monitor"),
     {"layers-grad_reduced": "monitor-layers", "lines-grad_reduced": "monitor-lines",
      "rank-layer-grad_reduced": "monitor-rank-layer", "ranks-grad_reduced": "monitor-ranks"}),
    (other_monitor, ("monitor", "gpu={samples}/monitor", "npu=other"), {"ratio-grad_reduced-norm": "monitor-ratio"}),
    (lambda folder: nights(folder, "few.db", 12), ("history", "few.db"), {"history": "history"}),
    (lambda folder: nights(folder, "many.db", 31), ("history", "many.db"), {"history": "history-narrow"}),
    (None, ("study", "{samples}/study/before.yaml"),
     {"ladder": "study-ladder", "local_norms-local-norms": "study-norms", "weights-weights": "study-weights",
      "config-settings": "study-settings"}),
    (row_tables, ("merge", "tables"), {"rank-metrics": "merge-metrics"}),
)


def draw(folder, tables=None):
    """The traces of all pictures by name; in `tables` those of each command with the numbers of its tables."""
    out = {}
    for number, (make, arguments, kept) in enumerate(PICTURES):
        place, target = os.path.join(folder, str(number)), os.path.join(folder, "out%d" % number)
        os.makedirs(place)
        if make:
            make(place)
        arguments = [argument.format(samples=SAMPLES) for argument in arguments]
        _, said = run(place, *arguments, "-o", target, "--format", "trace" if tables is None else "trace,csv,json,xlsx", "--redact")
        if tables is not None:
            tables.append((list(kept.values()), numbers_of(target), target))
        for file, name in kept.items():
            path = os.path.join(target, file + ".trace")
            if not os.path.exists(path):
                raise AssertionError("%s: no %s.trace; there are %s; %s" % (
                    " ".join(arguments), file, sorted(os.listdir(target) if os.path.isdir(target) else []), said))
            with open(path, encoding="utf-8") as trace:
                out[name] = trace.read()
    return out


NUMBER = r"(?<![\w.])-?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])"
# Counts of what is shown, windows of filters, resolutions, limits of rules and ratios of two values of a table are in none; ticks
# of axes and counts of ops are bare numbers.
NO_VALUES = re.compile(r"[\d,]+ (?:more )?(?:ops?|calls each|ranks x [\d,]+ steps, [\d,]+ names?)|×\d+(?= calls| \)|$)|mean, of [\d,]+|mean of [\d,]+ over|"
                       r"median, then mean, of [\d,]+|[±3]+ sigma|dashed: ±[\d.]+ %|of the last [\d,]+|first [\d,]+ steps|pixel columns: [\d,]+|"
                       r"resolution [^)]*|middle 90 %|one rounding: .*|other ranks at most [×÷][\d.]+|beyond the edges: \d+|rule: .*|.*above error\).*|digits of.*")
AXES = ("curves", "advise", "lines", "profile", "skip", "health", "hierarchy")
BARE = r"[−+×÷]?[\d.,]+(?:e[-+]\d+)?[kM]?(?: %)?"


def numbers_of(folder):
    """The sorted sizes of the numbers in the tables of a folder."""
    found = set()
    for base, _, names in os.walk(folder):
        for name in names:
            path, texts = os.path.join(base, name), []
            if name.endswith((".csv", ".json")):
                with open(path, encoding="utf-8") as file:
                    texts = [file.read()]
            elif name.endswith(".xlsx"):
                with zipfile.ZipFile(path) as book:
                    texts = [re.sub("<[^>]*>", " ", book.read(part).decode()) for part in book.namelist() if "sheet" in part or "sharedStrings" in part]
            for text in texts:
                found.update(abs(float(word)) for word in re.findall(NUMBER, text))
    return sorted(found)


def is_in(numbers, value, unit):
    at = bisect.bisect_left(numbers, value - 0.51 * unit)
    return at < len(numbers) and numbers[at] <= value + 0.51 * unit


def not_in_tables(trace, numbers, has_axes):
    """The numbers of the texts of a picture that no table has, as they are shown."""
    missing = []
    for line in trace.split("\n"):
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"(?:\[(?![^\]]*raise)|\s|$)', line)) if line.startswith("text") else ""
        if has_axes and re.fullmatch(BARE, text):
            continue
        text = NO_VALUES.sub("", text)
        for sign, word, share in re.findall(r"(?<![\w.:/])([÷]?)(\d[\d,]*\.?\d*(?:e[-+]?\d+)?)(?!\w|\.\d)( %)?", text):
            digits = word.replace(",", "")
            value, mantissa = float(digits), digits.split("e")[0]
            unit = 10.0 ** ((int(digits.split("e")[1]) if "e" in digits else 0) - (len(mantissa.split(".")[1]) if "." in mantissa else 0))
            near = is_in(numbers, value, unit) or (share and is_in(numbers, value / 100, unit / 100))
            if not near and not (sign and value and is_in(numbers, 1 / value, unit / value ** 2)):
                missing.append((word, text[:COLUMNS]))
    return missing


def approved(name):
    path = os.path.join(APPROVED, name + ".trace")
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


class Approved(unittest.TestCase):
    maxDiff = None

    def test_every_number_of_a_picture_is_in_the_tables_of_its_command(self):
        tables = []
        with tempfile.TemporaryDirectory() as folder:
            draw(folder, tables)
            for names, numbers, target in tables:
                for name in sorted(os.listdir(target)):
                    if name.endswith(".trace"):
                        with open(os.path.join(target, name), encoding="utf-8") as file:
                            missing = not_in_tables(file.read(), numbers, any(word in name + " ".join(names) for word in AXES))
                        self.assertEqual(missing, [], name)

    def test_every_picture_is_as_approved(self):
        with tempfile.TemporaryDirectory() as folder:
            drawn = draw(folder)
        changed = []
        for name, text in drawn.items():
            lines = list(difflib.unified_diff(approved(name).split("\n"), text.split("\n"), "approved/" + name + ".trace",
                                              "drawn", lineterm="", n=0))
            changed += [line[:COLUMNS] for line in lines[:SHOWN]] + (["… and %d more lines" % (len(lines) - SHOWN)] if len(lines) > SHOWN else [])
        self.assertFalse(changed, "pictures changed; look at them, then run this script with --approve:\n" + "\n".join(changed))
        self.assertEqual(sorted(os.listdir(APPROVED)), sorted(name + ".trace" for name in drawn))


def approve():
    with tempfile.TemporaryDirectory() as folder:
        drawn = draw(folder)
    shutil.rmtree(APPROVED, ignore_errors=True)
    os.makedirs(APPROVED)
    for name, text in drawn.items():
        with open(os.path.join(APPROVED, name + ".trace"), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--approve"]:
        approve()
    else:
        unittest.main()
