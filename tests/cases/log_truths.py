#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What holds for every form of a log: a runtime's prefix changes nothing, doubled losses are never equal, and what is no
log is no curve.

VERNIER names the program.
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from log_forms import FORMS  # noqa: E402

VERNIER = os.environ["VERNIER"]
SHARED = os.environ.get("SHARED", "")
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?(?![\w.])")
PREFIXES = (
    ("a container", lambda i: "2026-04-10T10:%02d:%02d.000007919Z stdout F " % (i // 60 % 60, i % 60)),
    ("docker", lambda i: "2026-04-10T10:%02d:%02d.000007919Z " % (i // 60 % 60, i % 60)),
    ("kubectl", lambda i: "[pod/trainer-0/main] "),
    ("compose", lambda i: "trainer-1  | "),
    ("srun", lambda i: "0: "),
    ("the journal", lambda i: "Mar 05 10:%02d:%02d node7 python[17]: " % (i // 60 % 60, i % 60)),
    ("Ray", lambda i: "(Trainer pid=17, ip=10.0.0.1) "),
    ("Ray in colours", lambda i: "\x1b[36m(Trainer pid=17)\x1b[0m "),
    ("torchrun", lambda i: "[rank0]: "),
    ("a logger", lambda i: "2026-08-01 10:%02d:%02d,123 - INFO - " % (i // 60 % 60, i % 60)),
)
# All prefixes in front of all forms, and every shared file, only where asked for: they take minutes.
LONG = bool(os.environ.get("VERNIER_LONG_TESTS"))
# What carries no step of its own keeps none behind a prefix; a document of JSON is none behind one.
NOT_LINES = re.compile(r"^\s*[\[{]")

NO_LOGS = {
    "requirements.txt": "torch==2.1.0\nnumpy>=1.24.1\ntransformers==4.36.2\naccelerate==0.25.0\n",
    "README.md": "# Model\n\nTrain loss goes from 2.5 to 1.2 in 3 epochs.\n\n| model | params |\n|---|---|\n| tiny | 12 |\n",
    "QUOTES.md": "# Logs\n\nThe run DIVERGES from step 1: the loss is +0.04 above golden.\n\n| log | what |\n|---|---|\n| a | step 300 loss: 3.1, norm 4.5 |\n",
    "train.py": "for step in range(100):\n    loss = model(x)\n    print('step', step, 'loss', loss.item())\n",
    "config.yaml": "train:\n  lr: 0.001\n  epochs: 3\n  loss_weight: 0.5\nmodel:\n  depth: 12\n",
    "config.json": "{\"lr\": 0.001, \"epochs\": 3, \"loss\": \"mse\", \"steps\": 100}\n",
    "pytest.log": "============ test session starts ============\ncollected 12 items\n\ntests/test_a.py ....... [ 58%]\n12 passed in 3.21s\n",
    "make.log": "[1/12] Building C object a.o\n[2/12] Building C object b.o\n[12/12] Linking a\n",
    "pip.log": "Collecting torch\n  Downloading torch-2.1.0.whl (670.2 MB)\nInstalling collected packages: torch\nSuccessfully installed torch-2.1.0\n",
    "iris.csv": "sepal_length,sepal_width,species\n5.1,3.5,setosa\n4.9,3.0,setosa\n4.7,3.2,setosa\n",
    "points.tsv": "".join("%d\t%d\t%d\t%d\n" % (7919 * i % 5000, 31 * i % 300, 977 * i % 7000, 0) for i in range(1, 60)),
    "vocab.txt": "the 1\nof 2\nand 3\nin 4\n",
    "nvidia-smi.txt": "| GPU  Name        Persistence-M| Bus-Id        Disp.A |\n| 0  A100-SXM4   On   | 00000000:07:00.0 Off |\n|  45C    P0    62W / 400W |   1024MiB / 81920MiB |\n",
    "dmesg.log": "".join("[%5d.123456] usb 1-%d: new high-speed USB device number %d\n" % (i, i, i) for i in range(1, 20)),
    "access.log": "".join("10.0.0.%d - - [05/Mar/2026:10:00:%02d +0000] \"GET / HTTP/1.1\" 200 %d\n" % (i, i, 500 + i) for i in range(1, 30)),
    "gitlog.txt": "commit 0123abcd\nAuthor: A <a@b.c>\nDate:   Thu Mar 5 10:00:00 2026\n\n    loss: fix a bug in step 3\n",
    "notes.txt": "tried lr=0.002\n\n    xy loss: 1.3\n    uv loss:: 0.52\n    corr loss:: 0.2\n",
    "diff.patch": "--- a/train.py\n+++ b/train.py\n@@ -1,3 +1,3 @@\n-lr = 0.1\n+lr = 0.01\n",
    "traceback.txt": "Traceback (most recent call last):\n  File \"train.py\", line 12, in <module>\n    loss.backward()\nRuntimeError: shape mismatch\n",
    "state.json": "{\"global_step\": 0, \"epoch\": 1.0, \"log_history\": [], \"max_steps\": 100}\n",
    "poetry.lock": "[[package]]\nname = \"torch\"\nversion = \"2.1.0\"\noptional = false\n\n[[package]]\nname = \"numpy\"\nversion = \"1.24.1\"\n",
    "environment.yml": "name: train\ndependencies:\n  - python=3.10\n  - pytorch=2.1.0\n  - pip:\n      - transformers==4.36\n",
    "Dockerfile": "FROM nvcr.io/nvidia/pytorch:24.01-py3\nRUN pip install transformers==4.36\nENV STEPS=100 LOSS=mse\n",
    "model.c": "float loss = 0.0f;\nfor (int step = 0; step < 100; step++) {\n    loss += 0.5f * step;\n}\n",
    "sweep.csv": "trial,lr,batch_size,accuracy\n1,0.1,32,0.91\n2,0.01,64,0.93\n3,0.001,128,0.92\n",
    "housing.csv": "id,price,rooms,area\n1,221900,3,1180\n2,538000,3,2570\n3,180000,2,770\n4,604000,4,1960\n",
    "stocks.csv": "Date,Open,High,Low,Close,Volume\n2026-01-02,10.5,11.0,10.1,10.9,1000\n2026-01-05,10.9,11.2,10.7,11.1,1200\n",
    "embeddings.txt": "the 0.1 0.2 0.3 0.4\nof 0.2 0.1 0.5 0.3\nand 0.4 0.3 0.2 0.1\n",
    "merges.txt": "#version: 0.2\nt h\nth e\ni n\na n\n",
    "tokenizer.json": "{\"version\": \"1.0\", \"model\": {\"vocab\": {\"a\": 0, \"b\": 1, \"loss\": 2}}}\n",
    "results.json": "{\"hellaswag\": {\"acc\": 0.41, \"acc_norm\": 0.52}, \"arc\": {\"acc\": 0.3}}\n",
    "answers.jsonl": "".join("{\"id\": %d, \"question\": \"what?\", \"score\": %g}\n" % (i, i / 7) for i in range(1, 20)),
    "chat.jsonl": "".join("{\"messages\": [{\"role\": \"user\", \"content\": \"step %d loss 2.5\"}]}\n" % i for i in range(1, 9)),
    "ctest.log": "".join("%d/9 Test #%d: unit_%d ...........   Passed    0.%02d sec\n" % (i, i, i, 3 * i) for i in range(1, 10)),
    "cmake.log": "-- The C compiler identification is GNU 13.2.0\n-- Configuring done (0.5s)\n-- Generating done (0.1s)\n",
    "gcc.log": "train.c:12:5: warning: unused variable 'loss' [-Wunused-variable]\ntrain.c:40:9: warning: unused variable 'step'\n",
    "top.txt": "".join("%5d root  20   0  1.5g 0.9g S %4.1f  1.2  0:%02d.50 python\n" % (100 + i, 99 - 3.5 * i, i) for i in range(1, 20)),
    "npu-smi.txt": "| 0     910B1 | OK | 95.2  45  0 / 0 |\n| 0  0 | 0000:C1:00.0 | 5  0 / 0  3345 / 65536 |\n",
    "slurm.out": "srun: job 1234 queued and waiting for resources\nsrun: job 1234 has been allocated resources\nslurmstepd: error: *** STEP 1234.0 ON n1 CANCELLED\n",
    "ping.txt": "".join("64 bytes from 10.0.0.1: icmp_seq=%d ttl=64 time=%.3f ms\n" % (i, 0.3 + i / 100) for i in range(1, 20)),
    "mtr.log": "".join("10:00:%02d packets %d loss 0.%d%% rtt 12.%d ms\n" % (i, 100 * i, i % 3, i) for i in range(1, 20)),
    "evaluation.log": "".join("Evaluating batch %d/9: loss 0.%d\n" % (i, 90 - i) for i in range(9)),
    "iperf.txt": "".join("[  5]   %d.00-%d.00   sec   112 MBytes   94%d Mbits/sec\n" % (i, i + 1, i) for i in range(9)),
    "strace.txt": "".join("read(3, \"loss\", %d) = %d <0.000%03d>\n" % (4096, i, i) for i in range(1, 20)),
    "coverage.txt": "Name        Stmts   Miss  Cover\n-------------------------------\nloss.py        40      4    90%\nstep.py        20      1    95%\n",
    "bench.txt": "".join("matmul_%d   %d iterations   %.3f us/iter\n" % (2 ** i, 1000, 0.5 * 2 ** i) for i in range(1, 12)),
    "ls.txt": "total 48\n-rw-r--r-- 1 a a 1024 Mar  5 10:00 loss.py\n-rw-r--r-- 1 a a 2048 Mar  5 10:00 step.py\n",
}


class Truths(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def curves(self, *paths):
        out = os.path.join(self.folder.name, "out")
        p = subprocess.run([VERNIER, "curves", *paths, "-o", out, "--format", "json,csv"], capture_output=True, text=True)
        rows = []
        if p.returncode in (0, 1, 4) and os.path.exists(os.path.join(out, "curves.csv")):
            with open(os.path.join(out, "curves.csv"), encoding="utf-8", newline="") as f:
                rows = list(csv.reader(f))
        return p.returncode, p.stderr + p.stdout, rows

    def test_no_prefix_of_a_runtime_changes_what_a_form_gives(self):
        wrong = []
        for at, (name, text, *_rest) in enumerate(FORMS):
            if NOT_LINES.match(text) or "\r" in text or text.count("\n") < 2:
                continue
            clean = self.curves(self.write("a.log", text))
            lines = text[:-1].split("\n") if text.endswith("\n") else text.split("\n")
            for what, prefix in PREFIXES if LONG else (PREFIXES[at % len(PREFIXES)],):
                after = self.curves(self.write("a.log", "".join(prefix(i) + line + "\n" for i, line in enumerate(lines))))
                if clean[2] != after[2]:
                    wrong.append("%s after %s" % (name, what))
        self.assertEqual(wrong, [])

    def test_lines_that_processes_print_together_are_read_once(self):
        wrong = []
        for name, text, *_rest in FORMS if LONG else FORMS[::3]:
            if NOT_LINES.match(text) or "\r" in text or text.count("\n") < 2:
                continue
            lines = text[:-1].split("\n") if text.endswith("\n") else text.split("\n")
            got = [self.converted("".join((line + "\n") * times for line in lines)) for times in (1, 2)]
            wrong += [name] if got[0] != got[1] else []
        self.assertEqual(wrong, [])

    def test_processes_in_turn_and_a_launcher_among_them_are_read_once_and_a_log_that_stands_still_whole(self):
        lines = ["loss: %g\n" % (9 / i) for i in range(1, 21)]
        clean = self.converted("".join(lines))
        self.assertEqual(self.converted("torchrun starts\n" + "".join((a + b) * 2 for a, b in zip(lines[::2], lines[1::2])) + "done\n"), clean)
        self.assertEqual(self.converted("".join(line * 4 for line in lines)), clean)
        for text in ("loss: nan\nlr: 0.5\n" * 40, "".join("loss: %.1f\n" % (5 - i / 40) for i in range(100))):
            self.assertEqual(self.converted(text).count("\n"), 1 + text.count("loss"))

    def converted(self, text):
        out = os.path.join(self.folder.name, "a.csv")
        subprocess.run([VERNIER, "convert", self.write("a.log", text), "-o", out], capture_output=True, check=False)
        with open(out, encoding="utf-8") as f:
            return f.read()

    def test_doubled_losses_are_never_equal(self):
        equal = []
        for name, text, points, *_rest in FORMS:
            values = {float(value) for _, value in points if value == value and value} if points else set()
            doubled = NUMBER.sub(lambda m: repr(2 * float(m.group(0))) if float(m.group(0)) in values else m.group(0), text)
            if doubled != text:
                code = self.curves(self.write("g.log", text), self.write("t.log", doubled))[0]
                equal += [name] if code == 0 else []
        self.assertEqual(equal, [])

    def test_a_doubled_loss_of_a_shared_log_is_never_equal(self):
        """Every log of the shared collections, its judged losses doubled as they are printed."""
        equal, root = [], os.environ.get("SHARED", "")
        if not (LONG and os.path.isdir(root)):
            self.skipTest("takes minutes: VERNIER_LONG_TESTS=1")
        for path in sorted(glob.glob(root + "/data/wild*/**/*", recursive=True) + glob.glob(root + "/data/curves/**/*", recursive=True)):
            if not os.path.isfile(path) or os.path.getsize(path) > 3000000 or path.endswith((".md", ".json", ".gz")):
                continue
            with open(path, encoding="latin-1", newline="") as f:
                text = f.read()
            rows = self.curves(path)[2]
            heads = [i for i, head in enumerate(rows[0] if rows else []) if head.endswith(": loss")]
            values = {float(row[i]) for row in rows[1:] for i in heads if row[i]} - {0.0}
            doubled = NUMBER.sub(lambda m: "%.9g" % (2 * float(m.group(0))) if float(m.group(0)) in values else m.group(0), text)
            target = os.path.join(self.folder.name, os.path.basename(path))
            with open(target, "w", encoding="latin-1", newline="") as f:
                f.write(doubled)
            equal += [path] if doubled != text and self.curves(path, target)[0] == 0 else []
        self.assertEqual(equal, [])

    def test_each_line_of_a_log_is_counted_as_a_record_or_as_text(self):
        text = "seed 42\nusing 8 devices\n" + "".join("step %d loss %g\n" % (i, 9 / i) for i in range(1, 21)) + "bye\n"
        self.curves(self.write("a.log", text))
        with open(os.path.join(self.folder.name, "out", "summary.json"), encoding="utf-8") as f:
            found = json.load(f)["coverage"]
        self.assertEqual((found["seen"], found["compared"], sum(found["set_aside"].values())), (23, 20, 3))

    def test_what_is_no_log_is_no_curve_of_a_loss(self):
        self.assertGreaterEqual(len(NO_LOGS), 43)
        for name, text in NO_LOGS.items():
            with self.subTest(name):
                code, said, rows = self.curves(self.write(name, text))
                self.assertFalse(rows and any(head.endswith(": loss") for head in rows[0]), said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
