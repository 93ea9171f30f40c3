#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every row of the speed targets against its yardstick in the same run (docs/performance.md).

    run.py BUILD_FOLDER [--rounds N] [--tensor-mb N] [--small] [--only WORD,...]

The least of the rounds, pinned to one processor (two where two threads are asked for). Times are those on the
processor, but for two threads, where only the clock tells: there the machine must be idle. --small runs everything on tiny
inputs and judges nothing: it only shows that the programs work. Exit 1 if a ratio is over its target.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

import worst

HERE = os.path.dirname(os.path.abspath(__file__))


def aside(work, *arguments):
    """Done in a process of its own: what this one once took would count as the peak memory of every program after it."""
    with concurrent.futures.ProcessPoolExecutor(1) as other:
        return other.submit(work, *arguments).result()


def deflate(book, rounds):
    """Seconds for deflating the parts of a workbook, as hard as the program does (level 5), and their bytes."""
    with zipfile.ZipFile(book) as parts:
        parts = [parts.read(name) for name in parts.namelist()]
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        for part in parts:
            work = zlib.compressobj(5, zlib.DEFLATED, -15)
            work.compress(part)
            work.flush()
        seconds.append(time.process_time() - start)
    return least(seconds), sum(map(len, parts))


class Bench:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.vernier = os.path.join(self.build, "vernier")
        self.folder = tempfile.mkdtemp(prefix="vernier-bench-")
        self.rows = []  # what, measured, target, unit, better, note
        self.lines = []

    def say(self, text):
        self.lines.append(text)
        print(text, flush=True)

    def row(self, what, measured, target, unit="x", at_least=False, note=""):
        good = measured >= target if at_least else measured <= target
        verdict = "" if self.options.small else "ok" if good else "OVER"
        self.rows.append((what, measured, target, at_least, unit, verdict, note))
        print("%-46s %8.2f %s %s %g %-4s %s" % (what, measured, unit, ">=" if at_least else "<=", target, verdict, note),
              flush=True)

    def program(self, name, *arguments, processors=1):
        path = os.path.join(self.build, "tests", "bench_" + name)
        text = self.run([path, *map(str, arguments)], processors)[1]
        out = {}
        for line in text.splitlines():
            word, _, rest = line.partition(" ")
            pairs = dict(re.findall(r"(\w+)=(\S+)", rest))
            if pairs:
                out[word] = {key: float(value) if re.fullmatch(r"[-+.\de]+", value) else value
                             for key, value in pairs.items()}
        return out

    def run(self, command, processors=1, check=(0, 1), cwd=None):
        """Seconds, standard output and peak memory in bytes of one program."""
        allowed = os.sched_getaffinity(0)
        start = time.perf_counter()
        # The program inherits it. A function between fork and exec would copy this interpreter on its account.
        os.sched_setaffinity(0, set(sorted(allowed)[:processors]))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=cwd)
        os.sched_setaffinity(0, allowed)
        text = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        if process.returncode not in check:
            raise SystemExit("%s ended with %d" % (" ".join(command), process.returncode))
        if processors == 1:  # time on the processor: what others do does not count
            seconds = usage.ru_utime + usage.ru_stime
        return seconds, text, usage.ru_maxrss * 1024

    def peaks(self, command):
        """Peak memory in bytes of a program: its own, and with the files that are mapped."""
        process, own, whole = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), 0, 0
        while process.poll() is None:
            with open("/proc/%d/status" % process.pid, encoding="utf-8") as file:
                sizes = {name: int(size) << 10 for name, size in re.findall(r"(\w+):\s+(\d+) kB", file.read())}
            own, whole = max(own, sizes.get("RssAnon", 0)), max(whole, sizes.get("VmHWM", 0))
            time.sleep(0.002)
        return own, whole

    # ---- dumps

    def make_dumps(self, name, ops, *how):
        folder = os.path.join(self.folder, name)
        self.program("make_dumps", folder, ops, *how)
        return [os.path.join(folder, side, "dump.json") for side in ("golden", "target")]

    def compare(self, files, jobs, *how):
        how = how or ("-o", os.path.join(self.folder, "out.json"))
        return self.run([self.vernier, "compare", *map(os.path.dirname, files), "--jobs", str(jobs), "-q", *how],
                        processors=jobs)

    def dumps(self):
        files = self.make_dumps("dumps", 60 if self.options.small else 100000)
        size = os.path.getsize(files[0])
        for jobs, target in ((1, 4.5), (2, 4)):
            seconds, scans, peaks = [], [], []
            self.compare(files, jobs)  # warm
            for _ in range(self.options.rounds):
                taken, _, peak = self.compare(files, jobs)
                scans.append(self.program("scan", 1, *files)["scan"]["limit"])
                seconds.append(taken)
                peaks.append(peak)
            ours, scan = least(seconds), least(scans)
            if jobs == 1:
                verdict = ours
            self.row("compare 2 x %.0f MB, %d thread%s, to verdict" % (size / 1e6, jobs, "s"[:jobs - 1]), ours / scan,
                     target, "x scan", note="%.0f ms%s, scan %.0f ms" % (1e3 * ours, " on the clock"[:13 * (jobs - 1)],
                                                                       1e3 * scan))
        beyond = max(0, least(peaks) - sum(map(os.path.getsize, files)))
        self.row("peak memory of it beyond the mapped input", beyond / size, 1, "x file",
                 note="%.0f MB" % (beyond / 1e6))
        out = os.path.join(self.folder, "out")
        graph = self.least_of("graph", os.path.dirname(files[0]), "--format", "json", "-o", out)
        self.row("graph of %.0f MB, json" % (size / 1e6), graph / verdict, 0.6, "x the verdict of two",
                 note="%.2f s, verdict %.2f s" % (graph, verdict))
        own, whole = self.peaks([self.vernier, "compare", *map(os.path.dirname, files), "-j", "1", "-q", "--format", "vis-db", "-o", out])
        self.row("peak memory of vis-db without the mapped input", own / 1e6, 150, "MB", note="with what is mapped %.0f MB" % (whole / 1e6))
        shutil.rmtree(out)
        shutil.rmtree(os.path.dirname(os.path.dirname(files[0])))

    def least_of(self, *words):
        """Seconds of a command as users type it, one thread."""
        command = [self.vernier, *words, "-j", "1", "-q"]
        return least([self.run(command, check=(0, 1, 4))[0] for _ in range(self.options.rounds)])

    def slope(self):
        counts = (100, 1000) if self.options.small else (10000, 100000, 1000000)
        points = []
        for count in counts:
            files = self.make_dumps("slope", count, "small")
            self.compare(files, 1)
            rounds = min(3, self.options.rounds)
            points.append((count, least([self.compare(files, 1)[0] for _ in range(rounds)])))
            shutil.rmtree(os.path.dirname(os.path.dirname(files[0])))
        start = self.run([self.vernier, "version"])[0]
        logs = [(math.log(n), math.log(max(t - start, 1e-4))) for n, t in points]
        self.row("slope of compare, %g to %g ops" % (counts[0], counts[-1]),
                 (logs[-1][1] - logs[0][1]) / (logs[-1][0] - logs[0][0]), 1.1, "",
                 note=", ".join("%g: %.2f s" % point for point in points))

    def worst(self):
        """Twice the input is twice the work where it once was four times."""
        for what, make, count in worst.CASES:
            points = []
            for size in (50, 100) if self.options.small else (count, 2 * count, 4 * count):
                folder = os.path.join(self.folder, "worst")
                command = [self.vernier, *aside(worst.command, make, folder, size), "-q"]
                points.append((size, least([self.run(command, check=(0, 1, 4), cwd=folder)[0]
                                             for _ in range(min(3, self.options.rounds))])))
                shutil.rmtree(folder)
            start = self.run([self.vernier, "version"])[0]
            first, last = ((math.log(n), math.log(max(t - start, 1e-4))) for n, t in (points[0], points[-1]))
            self.row("slope of " + what, (last[1] - first[1]) / (last[0] - first[0]), 1.2, "",
                     note=", ".join("%d: %.2f s" % point for point in points))

    def tables(self):
        """What tables and the whole report cost beside the verdict, one thread."""
        files = self.make_dumps("tables", 100 if self.options.small else 10000)
        out = os.path.join(self.folder, "report")
        def cost(*how):
            command = [self.vernier, "compare", *map(os.path.dirname, files), "-j", "1", "-q", "-o", out, *how]
            return least([self.run(command)[0] for _ in range(self.options.rounds)])
        verdict = cost("--format", "json")
        for name, target in (("csv", 4), ("vis-db", 10), ("xlsx", 8), ("", 6)):
            ours = cost(*(["--format", name] if name else []))
            if name == "xlsx":
                limit, size = aside(deflate, os.path.join(out, "compare.xlsx"), self.options.rounds)
                self.row("what xlsx adds, 10,000 ops", (ours - verdict) / limit, 2.5, "x deflate",
                         note="%.2f s, of its %.0f MB of XML %.2f s" % (ours - verdict, size / 1e6, limit))
                self.row("the workbook", os.path.getsize(os.path.join(out, "compare.xlsx")) / 1e6, 2, "MB")
            self.row((name or "the default report") + ", 10,000 ops", ours / verdict, target, "x json",
                     note="%.2f s, json %.3f s" % (ours, verdict))
        shutil.rmtree(out)
        def clock(jobs):  # of two processors, whatever runs on them
            command = [self.vernier, "compare", *map(os.path.dirname, files), "-j", str(jobs), "-q", "-o", out]
            return least([self.run(command, processors=2)[0] for _ in range(self.options.rounds)])
        one, two = clock(1), clock(2)
        self.row("the default report, two threads", two / one, 0.6, "x one thread",
                 note="%.2f s, one thread %.2f s, on the clock" % (two, one))
        shutil.rmtree(out)

    def ranks(self):
        """A run of many ranks, one of which parts from golden, with all default files."""
        count, ops = (4, 100) if self.options.small else (64, 20000)
        pair = self.make_dumps("pair", ops)
        folder, out = os.path.join(self.folder, "ranks"), os.path.join(self.folder, "report")
        for side in ("golden", "target"):
            for rank in range(count):
                place = os.path.join(folder, side, "step0", "rank%d" % rank)
                os.makedirs(place)
                os.link(pair[side == "target" and rank == count - 1], os.path.join(place, "dump.json"))
        def cost(command, *how):
            sides = ["golden", "target"] if command == "compare" else ["target"]
            line = [self.vernier, command, *[os.path.join(folder, side) for side in sides], "-j", "1", "-q", "-o", out, *how]
            return least([self.run(line)[0] for _ in range(min(3, self.options.rounds))])
        ours, verdict = cost("compare"), cost("compare", "--format", "json")
        megabytes = os.path.getsize(pair[0]) / 1e6
        self.row("%d ranks of %.0f MB, all default files" % (count, megabytes), ours / verdict, 1.3, "x json",
                 note="%.2f s, json %.2f s" % (ours, verdict))
        checked = cost("check", "--format", "json")
        self.row("check of %d ranks" % count, checked / verdict, 0.7, "x compare",
                 note="%.2f s, compare %.2f s" % (checked, verdict))
        for path in (folder, out):
            shutil.rmtree(path)

    # ---- tensors

    def tensors(self):
        size = 1 << 16 if self.options.small else self.options.tensor_mb * 1000000 // 64 * 64
        ours = self.program("element_metrics", size, 1, "all", self.options.rounds)
        beside = self.numpy(size)
        for dtype, target in (("float32", 2), ("bfloat16", 5), ("float16", 8)):
            row = ours["tensor-" + dtype]
            note = "%.2f GB/s, read %.2f GB/s, " % (row["gb_per_s"], row["read_gb_per_s"])
            if dtype in beside:
                note += "NumPy %.2f GB/s (%.0f x slower)" % (2e-9 * size / beside[dtype], beside[dtype] / row["ours"])
            else:
                note += "NumPy is not installed (python3-numpy)"
            self.row("tensors %s, 2 x %.0f MB, all metrics" % (dtype, size / 1e6), row["ours"] / row["limit"], target,
                     "x read", note=note)

    def numpy(self, size):
        """Seconds by dtype, of the first Python that has NumPy."""
        script = os.path.join(HERE, "numpy_metrics.py")
        for python in (sys.executable, "/usr/bin/python3"):
            if not os.path.exists(python):
                continue
            text = self.run([python, script, str(size), "1"])[1]
            found = re.findall(r"numpy dtype=(\S+) seconds=(\S+)", text)
            if found:
                return {dtype: float(seconds) for dtype, seconds in found}
        return {}

    def checkpoints(self):
        """Two files of bfloat16 weights, and two of tensors that are called as no weights are."""
        megabytes = 1 if self.options.small else self.options.tensor_mb * 2
        count = 40 if megabytes > 40 else 4
        rows = megabytes * 1000000 // count // 2 // 4096 + 1
        values = struct.pack("<4096H", *((i * 7919 % 256) << 3 | 0x3c00 | (i & 1) << 15 for i in range(4096)))
        moved = bytes(byte ^ (not at % 16) for at, byte in enumerate(values))
        golden, target = [os.path.join(self.folder, name + ".safetensors") for name in ("golden", "target")]

        def write(path, name, differs):
            head, size = {}, rows * len(values)
            for i in range(count):
                head[name % i] = {"dtype": "BF16", "shape": [rows, 4096], "data_offsets": [i * size, (i + 1) * size]}
            head = json.dumps(head)
            head += " " * (-len(head) % 8)
            with open(path, "wb") as file:
                file.write(struct.pack("<Q", len(head)) + head.encode())
                for i in range(count):
                    file.write((moved if differs(i) else values) * rows)

        def never(_):
            return False
        for kind, name in (("weights", "model.layers.%d.mlp.weight"), ("tensors", "layers.%d.output")):
            write(golden, name, never)
            for what, target_times, differs in (("all different", 5, lambda i: True), ("half equal", 5, lambda i: i % 2),
                                                ("equal", 1.5, never)):
                write(target, name, differs)
                ours = self.least_of("compare", golden, target, "--format", "json", "-o", os.path.join(self.folder, "out"))
                limit = self.program("scan", self.options.rounds, golden, target)["read"]["limit"]
                self.row("2 x %d MB of %s, bf16, %s" % (megabytes, kind, what), ours / limit, target_times, "x read",
                         note="%.2f s, reading %.2f s" % (ours, limit))

    # ---- outputs

    def workbook(self):
        rows = 200 if self.options.small else 100000
        row = self.program("workbook", rows, 20, min(3, self.options.rounds))["xlsx"]
        self.row("xlsx %d rows x 20 columns" % rows, row["ours"] / row["limit"], 4, "x deflate",
                 note="%.2f s for %.0f MB of XML" % (row["ours"], row["bytes"] / 1e6))
        self.row("peak memory of it", row["peak_mb"], 32, "MB")

    def pictures(self):
        boxes = 100 if self.options.small else 10000
        rows = self.program("pictures", boxes, self.options.rounds)
        for name, target in (("png", 2.5), ("svg", 30)):
            row = rows[name]
            self.row("%s of %d boxes" % (name.upper(), boxes), row["limit"] / row["ours"], target, "x cairo", True,
                     "%.1f ms, cairo %.1f ms, %.0f and %.0f kB" % (1e3 * row["ours"], 1e3 * row["limit"],
                                                                 row["bytes"] / 1e3, row["cairo_bytes"] / 1e3))
        self.row("peak memory of the PNG", rows["png"]["peak_mb"], 64, "MB")

    def chart(self):
        if self.options.small:  # it has one size
            return
        folder = os.path.join(self.folder, "chart")
        row = self.program("chart_points", folder)["chart"]
        self.row("chart of 1,000,000 points, PNG", row["ours"] / row["limit"], 2, "x 10,000 raw",
                 note="%.1f ms, raw %.1f ms" % (1e3 * row["ours"], 1e3 * row["limit"]))
        self.row("its SVG", row["kilobytes"], 200, "kB")
        shutil.rmtree(folder)

    def monitor(self):
        folder = os.path.join(self.folder, "monitor")
        megabytes = 1 if self.options.small else 256
        row = self.program("monitor_csv", folder, megabytes, 1)["monitor"]
        self.row("monitor CSV, %d MB" % megabytes, row["ours"] / row["limit"], 8, "x lines",
                 note="%.2f s, counting %.3f s" % (row["ours"], row["limit"]))
        for what, how, target in (("json", ("--format", "json"), 6), ("report", (), 12)):
            ours = self.least_of("monitor", folder, *how, "-o", os.path.join(self.folder, "out"))
            self.row("monitor of it, %s" % what, ours / row["limit"], target, "x lines", note="%.2f s" % ours)
        shutil.rmtree(folder)

    # A line of each dialect; %d is the step, %f the loss.
    LOGS = (
        ("CSV", "%d,%.4f,1.2,1e-05"),
        ("Megatron", " iteration %8d/ 1000000 | consumed samples: 64 | elapsed time per iteration (ms): 812.3 | learning rate: "
                     "6.0E-05 | global batch size:    64 | lm loss: %.6E | loss scale: 1.0 | grad norm: 1.234 |"),
        ("MindFormers", "INFO - { Epoch:[  1/  1], step:[%5d/1000000], loss: %6.3f, per_step_time: 812ms, lr: 1e-05, overflow "
                        "cond: False, loss_scale: 1.0, global_norm: [1.2], train_throughput_per_npu: 100.0T }"),
        ("DeepSpeed", "steps: %d loss: %.4f iter time (s): 0.812 samples/sec: 78.8"),
        ("torchtitan", "[rank0]: step: %2d  loss: %8.5f  grad_norm: 1.2  memory:  8.73GiB(18.38%%)  tps: 7,282  mfu: 12.1%%"),
        ("verl", "step:%d - actor/pg_loss:%.4f - actor/grad_norm:1.99 - actor/lr:1.0e-06 - critic/score/mean:0.004"),
        ("nanoGPT", "iter %d: loss %.4f, time 251.25ms, mfu 31.07%%"),
        ("MMEngine", "Epoch(train)  [1][%6d/1000000]  lr: 2.0e-02  eta: 0:00:00  time: 0.5  loss: %.4f  loss_cls: 0.2"),
        ("bar", "Epoch 0:  20%%|##| %d/1000000 [00:01<00:05, 13.47it/s, loss=%.4f, v_num=1]"),
        ("JSON lines", '{"current_steps": %d, "loss": %.4f, "lr": 1e-05, "epoch": 0.1, "percentage": 5.0}'),
    )

    def logs(self):
        """Logs of as many bytes each: reading takes long beside starting, whose time is taken off by turns."""
        paths = [os.path.join(self.folder, name) for name in ("a.log", "b.log")]
        out = os.path.join(self.folder, "a.json")

        def write(path, form, rows):
            with open(path, "w", encoding="utf-8") as file:
                file.write("step,loss,grad_norm,lr\n" if form.startswith("%d,") else "")
                file.writelines(form % (i, 9 / i) + "\n" for i in range(1, rows + 1))
        for name, form in self.LOGS:
            count = (25000 if self.options.small else 24000000) // len(form % (100000, 2.5))
            for path, rows in zip(paths, (2, count)):
                write(path, form, rows)
            times = [[self.run([*command, path])[0] for path in paths for command in
                      ([self.vernier, "curves", "-q", "-j", "1", "-o", out], ["wc", "-l"])]
                     for _ in range(self.options.rounds)]
            own, other, whole, counted = (min(column) for column in zip(*times))
            ours, limit = whole - own, max(counted - other, 1e-4)
            self.row("log of %d MB, %s" % (round(os.path.getsize(paths[1]) / 1e6), name), ours / limit, 12, "x lines",
                     note="%.3f s for %d lines, counting %.4f s" % (ours, count, limit))

    def curves(self):
        """Two tables of equal steps next to a script that compares them with pandas, which starts in the time counted."""
        script = os.path.join(HERE, "pandas_curves.py")
        for rows in (100, 1000) if self.options.small else (10000, 100000, 1000000):
            sides = [os.path.join(self.folder, name + ".csv") for name in ("golden", "target")]
            for path, seed, offset in zip(sides, (7919, 104729), (0, 0.01)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("step,loss,grad_norm\n")
                    file.writelines("%d,%.6f,%.5f\n" % (i, 2 + 9 / (1 + i / 1e4) + offset * (i > rows // 2) + (i * seed % 1009) / 2e4,
                                                        1 + (i * seed % 997) / 997) for i in range(1, rows + 1))
            limit = 0
            for python in (sys.executable, "/usr/bin/python3"):
                if not limit and os.path.exists(python) and "missing" not in self.run([python, script, *sides])[1]:
                    limit = least([self.run([python, script, *sides])[0] for _ in range(self.options.rounds)])
            if not limit:
                return self.say("no pandas here: the rows of curves are left out")
            size = sum(os.path.getsize(path) for path in sides)
            for what, target, out in (("json", 0.6, ["out.json"]), ("json and picture", 1.0, ["out.json", "out.svg"])):
                wanted = [word for name in out for word in ("-o", os.path.join(self.folder, name))]
                done = [self.run([self.vernier, "curves", *sides, "-q", "-j", "1", *wanted]) for _ in range(self.options.rounds)]
                ours = least([seconds for seconds, _, _ in done])
                self.row("curves, 2 x %d rows, %s" % (rows, what), ours / limit, target, "x pandas",
                         note="%.2f s, pandas %.2f s" % (ours, limit))
            if rows >= 1000000:
                self.row("peak memory of it", done[0][2] / size, 3, "x files", note="%.0f MB" % (done[0][2] / 1e6))

    def tokens(self):
        rows, width = (10, 1000) if self.options.small else (1000, 10000)
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, width)
        head += " " * (-(len(head) + 11) % 64) + "\n"
        sides = [os.path.join(self.folder, name) for name in ("g.npy", "t.npy")]
        for path, factor in zip(sides, (1.0, 1.001)):
            row = struct.pack("<%df" % width, *(-(i * 7919 % 1009) / 300 * factor for i in range(width)))
            with open(path, "wb") as file:
                file.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + row * rows)
        command = [self.vernier, "tokens", *sides, "-q", "-j", "1", "-o", os.path.join(self.folder, "tokens.json")]
        ours = min(self.run(command)[0] for _ in range(self.options.rounds))
        self.row("tokens, 2 x %d log-probabilities" % (rows * width), ours, 2, "s",
                 note="md5sum of both %.2f s" % min(self.run(["md5sum", *sides])[0] for _ in range(self.options.rounds)))

        lines = [os.path.join(self.folder, name) for name in ("g.jsonl", "t.jsonl")]
        for path, factor in zip(lines, (1.0, 1.001)):
            with open(path, "w", encoding="utf-8") as file:
                for i in range(rows):
                    values = ",".join("%.6f" % (-(j * 7919 % 1009) / 300 * factor) for j in range(width))
                    file.write('{"prompt": "p%d", "old_log_probs": [%s]}\n' % (i, values))
        done = [self.run([self.vernier, "tokens", *lines, "-q", "-j", "1", "-o", os.path.join(self.folder, "tokens.json")])
                for _ in range(self.options.rounds)]
        ours, limit = least([seconds for seconds, _, _ in done]), least(
            [self.run(["wc", "-l", *lines])[0] for _ in range(self.options.rounds)])
        self.row("tokens, 2 x %d of JSON Lines" % (rows * width), ours, 1.44, "s", note="counting lines %.2f s" % limit)
        self.row("peak memory of it", done[0][2] / 1e6, 250, "MB", note="with the mapped file")

    def small(self):
        """The report of a ticket, with all default files, beside starting and ending."""
        sample = os.path.join(HERE, "..", "..", "samples", "gpt")
        pair = [os.path.join(sample, side) for side in ("golden", "target")]
        out = os.path.join(self.folder, "small")
        ours, verdict = self.least_of("compare", *pair, "-o", out), self.least_of("compare", *pair, "-o", out, "--format", "json")
        empty = least([self.run([os.path.join(self.build, "tests", "bench_start")])[0] for _ in range(5 * self.options.rounds)])
        self.row("report of samples/gpt, all default files", ours / empty, 15, "x start",
                 note="%.0f ms; json %.0f ms, an empty program with all libraries %.1f ms" % (1e3 * ours, 1e3 * verdict, 1e3 * empty))
        shutil.rmtree(out)

    def start(self):
        # What starting any program costs here, and one with the same libraries, is not ours.
        programs = ([self.vernier, "version"], [os.path.join(self.build, "tests", "bench_start")], ["/bin/true"])
        times = [[self.run(program)[0] for program in programs] for _ in range(max(5, 8 * self.options.rounds))]
        ours, libraries, empty = (1e3 * least(column) for column in zip(*times))
        self.row("vernier version", ours, 4, "ms",
                 note="an empty program with all libraries %.1f ms, /bin/true %.1f ms" % (libraries, empty))
        files = self.make_dumps("start", 10)
        read = 1e3 * least([self.compare(files, 1)[0] for _ in range(max(5, 8 * self.options.rounds))])
        self.row("compare of ten ops, json alone", read, 4, "ms")
        if shutil.which("strace"):
            trace = os.path.join(self.folder, "trace")
            subprocess.run(["strace", "-f", "-e", "trace=open,openat", "-o", trace, self.vernier, "version"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(trace, encoding="utf-8", errors="replace") as file:
                fonts = sum("font" in line.split('"')[1].rsplit(".so", 1)[0].lower() and ".so" not in line
                            for line in file if '"' in line)
            self.row("font files it opens", fonts, 0, "")

    def table(self):
        print("\n| work | measured | target | |\n|---|---:|---:|---|")
        for what, measured, target, at_least, unit, verdict, note in self.rows:
            print("| %s | %.2f %s | %s %g | %s |" % (what, measured, unit, "≥" if at_least else "≤", target,
                                                 "; ".join(filter(None, (verdict, note)))))


def least(values):
    """What others on the machine do only adds time."""
    return min(values)


def load():
    return "%.2f %.2f %.2f" % os.getloadavg()


PARTS = ("start", "small", "dumps", "slope", "worst", "tables", "ranks", "tensors", "checkpoints", "workbook", "pictures", "chart", "monitor", "logs", "curves", "tokens")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tensor-mb", type=int, default=1000, help="of each tensor (default 1000)")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    options = parser.parse_args()
    if options.small:
        options.rounds = 1
    bench = Bench(options)
    before = load()
    try:
        for part in PARTS:
            if part in options.only.split(","):
                getattr(bench, part)()
    finally:
        shutil.rmtree(bench.folder)
    bench.table()
    print("\nload average before %s, after %s; %d processors; %d rounds" % (before, load(), os.cpu_count(),
                                                                        options.rounds))
    return 0 if options.small else int(any(row[5] == "OVER" for row in bench.rows))


if __name__ == "__main__":
    sys.exit(main())
