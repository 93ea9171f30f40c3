#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of every page of docs, and of the READMEs, is run as it stands there, on samples that have the names the page
uses; what a page shows as printed is what is printed.

Commands stand in fences, a line each, from `vernier` on. A fence `console` shows what its lines print. PLACES says which sample
stands for a name; what cannot be run here is in NOT_RUN with the test that does.
"""
import glob
import gzip
import json
import importlib.util
import os
import re
import shutil
import subprocess
import tarfile
import unittest

import small_inputs
from program import SAMPLES, VERNIER, Case, main

ROOT = os.path.dirname(SAMPLES)
DOCS = os.path.join(ROOT, "docs")
GOLDEN, TARGET = "gpt/golden", "gpt/target"
STEPS = "".join(" iteration %8d/ 60 | consumed samples: %8d | learning rate: 1.0E-04 | lm loss: %.6E | grad norm: 1.500 |\n"
                "s:%d trl:%.4f lr:1e-4 norm:1.5\n" % (i, i * 8, 9 - i / 20, i, 9 - i / 20) for i in range(1, 40))
# The names that pages use: a sample, or the text of a file.
ANYWHERE = {"gpu_dump": GOLDEN, "npu_dump": TARGET, "gpu": GOLDEN, "npu": TARGET, "golden": GOLDEN, "target": TARGET,
            "tonight": TARGET, "GOLDEN": GOLDEN, "TARGET": TARGET, "DUMP": GOLDEN, "dump": "ranks/golden", "samples": ""}
PLACES = {
    "advise.md": {"train.log": STEPS, "output": "health", "worker_0.log": STEPS, "worker_2.log": STEPS},
    "checklist.md": {"pretrain_gpt.sh": "config/bench_pretrain.sh", "pretrain_llama.yaml": "config/target_pretrain.yaml",
                     "config.json": '{"seed": 1, "hidden_size": 8}', "train_args.json": '{"learning_rate": 1e-4}',
                     "run.yaml": "config/target_pretrain.yaml"},
    "checkpoints.md": {"golden": "weights", "target": "weights",
                       **{name: json.dumps({"model.layers.%d.weight" % i: "%064x" % (i * 0x9E3779B97F4A7C15) for i in range(1, 5)})
                          for name in ("trainer.json", "converter.json")},
                       "engine.txt": "".join("%064x  model.layers.%d.weight\n" % (i * 0x9E3779B97F4A7C15, i) for i in range(1, 5))},
    "checks.md": {"monitor_output": "monitor", "train.yaml": "config/target_pretrain.yaml"},
    "curves.md": {"train.log": STEPS, "gpu.log": "curves/golden.csv", "npu.log": "curves/target.csv",
                  "gpu-again.log": "curves/golden-again.csv", "gpu": "logs/gpu", "npu": "logs/npu", "npu-fixed": "logs/npu-fixed",
                  "gpu-again": "logs/gpu-again", "values.csv": "objective,step\n" + "".join("%g,%d\n" % (9 - i / 9, i) for i in range(30))},
    "from-msprobe.md": {"compare.json": '{"npu_path": "./npu_dump", "bench_path": "./gpu_dump", "is_print_compare_log": true}'},
    "history.md": {"2026-11-09": TARGET},
    "merge.md": {"parts": "shards", "golden": "ranks/golden", "target": "ranks/target"},
    "monitor.md": {"grad_reduced_0-29.csv": "vpp_stage,name,step,norm,mean\n" + "".join("0,fc.weight,%d,1.5,0.5\n" % i for i in range(30)),
                   "monitor_output": "monitor", "out_gpu": "monitor", "out_npu": "monitor"},
    "noise.md": {"golden2": TARGET, "golden3": GOLDEN, "golden4": GOLDEN, "target": "ranks/target"},
    "runs.md": {"run01": GOLDEN, "run02": GOLDEN, "run03": TARGET, "run05": GOLDEN},
    "study.md": {"study.yaml": "study/after.yaml", "after.md": "study/after.md", "fixed": "study/fixed", "names.csv": "study/names.csv",
                 "golden": "study/golden", "target": "study/target", "gpu": "study/golden", "npu": "study/target"},
}
NOT_RUN = {
    "vernier check checkpoints/ --rate 3e-4": "tests/cases/check.py, with checkpoints that it writes",
    "vernier curves gpu.log npu.log --watch --interval 60 -o charts/": "it watches for ever; tests/cases/curves.py stops it",
    "vernier precheck trainer.json converter.json engine.txt": "tests/cases/other_outputs.py, with lists that it writes",
    "vernier compare golden.pt target.safetensors": "tests/cases/torch_checkpoints.py, with files that it writes",
    "vernier compare inference/ training/ --consistency megatron": "tests/cases/consistency.py, with dumps that it writes",
    "vernier compare one-gpu/ cluster/ --parallel-merge target:tp=2,pp=4": "tests/cases/parallel_merge.py, of clusters that it writes",
    "vernier compare gpu/ npu/ --parallel-merge tp=2,pp=4": "tests/cases/parallel_merge.py",
    "vernier compare one-gpu/ cluster/ --parallel-merge target:cp=2,loss=mean": "tests/cases/parallel_merge.py",
    "vernier compare gpu/ npu/ --parallel-merge golden:dp=4 --parallel-merge target:tp=2,ep=4": "tests/cases/parallel_merge.py",
    "vernier compare gpu/ npu/ --parallel-merge golden:tp=8 --parallel-merge target:tp=4,pp=2,vpp=2": "tests/cases/parallel_merge.py",
    "vernier compare gpu/ npu/ --parallel-merge compare.json": "tests/cases/parallel_merge.py",
    "vernier graph cluster/ --parallel-merge tp=2,pp=4": "tests/cases/parallel_merge.py",
}
# What a page names beside vernier, and a synopsis is no command.
SHIMS = "scancel() { :; }; source() { cat >/dev/null; }; man() { cat >/dev/null; }; JOB=1; set -o pipefail\n"
SYNOPSIS = " [-o PATH]..."


def pages():
    return [path for path in sorted(glob.glob(DOCS + "/*.md") + glob.glob(DOCS + "/zh/*.md") + glob.glob(DOCS + "/**/reference/*.md", recursive=True)
            + glob.glob(ROOT + "/README*.md"))]


def fences(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"(?ms)^```(\w*)\n(.*?)^```", file.read())


def commands(path):
    for language, text in fences(path):
        for line in text.split("\n") if language != "console" else ():
            line = re.sub(r"\s+#.*", "", line)
            if re.match(r"(build/release/)?vernier ", line):
                yield re.sub("^build/release/", "", line.replace(SYNOPSIS, ""))


def load(name, *path):
    spec = importlib.util.spec_from_file_location(name, os.path.join(SAMPLES, *path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Pages(Case):
    maxDiff = None

    def run_line(self, line, folder):
        path = os.path.dirname(VERNIER) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(["bash", "-c", SHIMS + line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env={**os.environ, "PATH": path, "LC_ALL": "C", "LANG": "C", "NO_COLOR": "1"})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def place(self, folder, name, what):
        """A sample, what a script of the samples or small_inputs made, or a text, under the name that the page uses."""
        to = os.path.join(folder, name)
        source = os.path.join(SAMPLES, what) if "\n" not in what and what[:1] != "{" else None
        if source and not os.path.exists(source):
            source = self.path("made", what)
        if os.path.lexists(to):
            return
        if not source:
            with open(to, "w", encoding="utf-8") as file:
                file.write(what)
        elif not what:
            os.symlink(source, to)
        elif os.path.isdir(source):
            shutil.copytree(source, to)
        else:
            shutil.copy(source, to)  # a command may write there

    def make(self):
        """What no sample holds ready: logs in folders, parts, health lists, checkpoints, tokens, pre-checks."""
        os.makedirs(self.path("made"))
        here = os.getcwd()
        os.chdir(self.path("made"))
        small_inputs.make_inputs()
        os.chdir(here)
        os.rename(self.path("made", "ckpt"), self.path("made", "health"))
        for name, source in (("gpu", "golden"), ("npu", "target"), ("gpu-again", "golden-again")):
            os.makedirs(self.path("made", "logs", name))
            shutil.copy(os.path.join(SAMPLES, "curves", source + ".csv"), self.path("made", "logs", name, "loss.csv"))
        os.makedirs(self.path("made", "logs", "npu-fixed"))
        with open(os.path.join(SAMPLES, "curves", "golden.csv"), encoding="utf-8") as file, \
                open(self.path("made", "logs", "npu-fixed", "loss.csv"), "w", encoding="utf-8") as fixed:
            fixed.write(file.read().replace(".1", ".2"))
        os.makedirs(self.path("made", "weights"))
        shutil.copy(os.path.join(SAMPLES, "study/golden/start.safetensors"), self.path("made", "weights"))

    def pack(self, folder):
        """The archives of input.md."""
        with tarfile.open(os.path.join(folder, "golden.tar.gz"), "w:gz") as tar:
            tar.add(os.path.join(SAMPLES, GOLDEN), "golden")
        shutil.make_archive(os.path.join(folder, "target"), "zip", os.path.join(SAMPLES, TARGET))
        with tarfile.open(os.path.join(folder, "runs.tgz"), "w:gz") as tar:
            tar.add(os.path.join(SAMPLES, GOLDEN), "gpu")
            tar.add(os.path.join(SAMPLES, TARGET), "npu")
        with tarfile.open(os.path.join(folder, "logs.tar.gz"), "w:gz") as tar:
            tar.add(os.path.join(SAMPLES, "curves/golden.csv"), "gpu.log")
        with open(os.path.join(SAMPLES, "curves/target.csv"), "rb") as file, gzip.open(os.path.join(folder, "npu.log.gz"), "wb") as out:
            out.write(file.read())

    def page_folder(self, page):
        folder = self.path("pages", page)
        os.makedirs(folder)
        own = PLACES.get(page, {})
        for name, what in {**ANYWHERE, **own}.items():
            self.place(folder, name, what)
        if page == "tokens.md":
            tokens = load("make_tokens", "tokens", "make-tokens.py")
            for form in ("jsonl", "one", "npy"):
                tokens.write(self.path("made", form), tokens.batch("temperature", 4, 50, 1), form)
                for name in os.listdir(self.path("made", form)):
                    shutil.copy(self.path("made", form, name), folder)
            for name, source in (("rollout.jsonl", "golden.jsonl"), ("train.jsonl", "target.jsonl"),
                                 ("train_data_step7.jsonl", "both.jsonl")):
                os.rename(os.path.join(folder, source), os.path.join(folder, name))
            for to, name, source in (("debug", "train_data_step1.jsonl", "train_data_step7.jsonl"),
                                     ("debug", "train_data_step2.jsonl", "train_data_step7.jsonl"),
                                     ("rollout", "step1.jsonl", "rollout.jsonl"), ("train", "step1.jsonl", "train.jsonl")):
                os.makedirs(os.path.join(folder, to), exist_ok=True)
                shutil.copy(os.path.join(folder, source), os.path.join(folder, to, name))
        if page == "input.md":
            self.pack(folder)
        if page == "compare.md":
            for report in ("before", "after"):
                self.run_line("vernier compare golden target --format json -o %s/" % report, folder)
        if page == "engines.md":
            traces = load("make_traces", "traces", "make-traces.py")
            for side, defect in (("golden", ""), ("target", "ffn_up-2")):
                shutil.rmtree(os.path.join(folder, side), ignore_errors=True)
                traces.write(os.path.join(folder, side), traces.run(defect))
        if page == "precheck.md":
            load("make_precheck", "precheck", "make-precheck.py").write(folder)
        if page == "checkpoints.md":
            load("make_other_tools", "other-tools", "make-other-tools.py").write(folder)
            made = load("make_checkpoints", "mindspore-checkpoint", "make-checkpoints.py")
            torch, mindspore = made.models()
            for name, data in (("golden.safetensors", made.safetensors(torch)), ("target.safetensors", made.safetensors(torch)),
                               ("target.ckpt", made.checkpoint(mindspore))):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
        return folder

    def test_every_command_of_every_page_runs(self):
        self.make()
        seen, folders, failed = set(), {}, []
        for path in pages():
            page = os.path.basename(path)
            for line in commands(path):
                if line in NOT_RUN or (page, line) in seen:
                    seen.add(line if line in NOT_RUN else (page, line))
                    continue
                seen.add((page, line))
                folder = folders.setdefault(page, None) or self.page_folder(page)
                folders[page] = folder
                quick = " --format md,json" if re.match(r"vernier (compare|graph|locate|check|checklist|curves|advise|monitor|history|"
                                                        r"study|tokens|precheck|merge) ", line) and not re.search(
                    r"--format|-o -|-o \S+\.\w|--init|\|\|", line) else ""
                code, _, said = self.run_line(line + quick, folder)
                if code not in (0, 1):
                    failed.append((page, line, code, said[-400:]))
        self.assertEqual(failed, [])
        self.assertEqual(sorted(set(NOT_RUN) - seen), [], "these stand in no page any more")
        self.assertGreater(len(seen), 50)
        shutil.rmtree(self.path("pages"))

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed")
    def test_what_a_page_shows_is_what_is_printed(self):
        os.symlink(SAMPLES, self.path("samples"))
        count = 0
        for path in pages():
            for line, answer in [pair for language, text in fences(path) if language == "console"
                                 for pair in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", text)]:
                _, printed, said = self.run_line(line, self.folder)
                self.assertEqual(printed, answer, (path, line, said))
                count += 1
        self.assertGreaterEqual(count, 15)


if __name__ == "__main__":
    main()
