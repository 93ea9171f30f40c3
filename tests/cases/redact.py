#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--redact: no folder, host or user name in any byte of any output, and the judgement is the same.

VERNIER names the program, SAMPLES the folder of samples.
"""
import io
import json
import os
import re
import shutil
import subprocess
import zipfile
import zlib

from program import Case, SAMPLES, VERNIER, main

SECRETS = [b"annalena", b"homebase", b"moonshot", b"trusted-run", b"doubtful-run", b"gpuhost17"]


def run(*arguments):
    env = dict(os.environ, LC_ALL="C", NO_COLOR="1")
    done = subprocess.run([VERNIER, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout + done.stderr


def unpacked(data):
    """The bytes as they are, the members of an archive, the streams of a PDF."""
    yield data
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield archive.read(name)
    if data.startswith(b"%PDF"):
        for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.S):
            try:
                yield zlib.decompress(stream)
            except zlib.error:
                yield stream


def everything(folder):
    for at, _, names in os.walk(folder):
        for name in names:
            yield name, name.encode()
            with open(os.path.join(at, name), "rb") as file:
                for part in unpacked(file.read()):
                    yield name, part


class Redact(Case):
    def setUp(self):
        super().setUp()
        self.base = os.path.join(self.folder, "homebase", "annalena", "moonshot")
        os.makedirs(self.base)

    def write(self, name, text):
        path = os.path.join(self.base, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def dumps(self):
        """The sample under a telling path, its stack frames too, and a file that breaks off."""
        sides = []
        for side, name in (("golden", "trusted-run"), ("target", "doubtful-run")):
            to = os.path.join(self.base, name)
            shutil.copytree(os.path.join(SAMPLES, "gpt", side), to)
            path = os.path.join(to, "step0", "rank0", "stack.json")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            text = re.sub(r"File [^,\"]*/([^/,\"]+), line", r"File /homebase/annalena/moonshot/\1, line", text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            sides.append(to)
        with open(path, "a", encoding="utf-8") as file:
            file.write("trailing")
        return sides

    def found(self, said):
        hits = {name for name, data in everything(self.out) for secret in SECRETS if secret in data}
        return hits | {"terminal" for secret in SECRETS if secret in said}

    def check(self, *arguments, formats="html,md,json,xlsx,svg,png,csv", tells=True):
        plain = run(*arguments, "-o", self.out, "--format", formats)
        if tells:
            self.assertTrue(self.found(plain[1]), "without --redact nothing tells: the test is void")
        shutil.rmtree(self.out)
        code, said = run(*arguments, "-o", self.out, "--format", formats, "--redact")
        self.assertEqual(code, plain[0], said)
        self.assertGreater(len(os.listdir(self.out)), 1)
        self.assertEqual(self.found(said), set())

    def test_compare_names_no_folder_anywhere(self):
        golden, target = self.dumps()
        self.check("compare", golden, target, "--noise", golden, formats="html,md,json,xlsx,svg,png,csv,nodes,pdf,junit,vis-db")
        with open(os.path.join(self.out, "summary.md"), encoding="utf-8") as file:
            self.assertTrue("vernier compare golden target --noise golden" in file.read())
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            reads = json.load(file)["pairs"][0]["read"]
        self.assertEqual([read["file"] for read in reads],
                         ["golden/step0/rank0/dump.json", "target/step0/rank0/dump.json"])

    def test_compare_under_the_rules_of_msprobe_names_no_folder(self):
        self.check("compare", *self.dumps(), "--rules", "msprobe26")

    def test_two_texts_that_differ_in_their_folder_alone_still_differ(self):
        golden, target = self.dumps()
        for side, path in ((target, "/homebase/moonshot/a.bin"), (golden, "/homebase/annalena/a.bin")):
            dump = os.path.join(side, "step0", "rank0", "dump.json")
            if side == target:  # nothing else differs
                shutil.copy(os.path.join(golden, "step0", "rank0", "dump.json"), dump)
            with open(dump, encoding="utf-8") as file:
                content = json.load(file)
            first = next(iter(content["data"].values()))
            first["input_kwargs"] = {"path": {"type": "str", "value": path}}
            with open(dump, "w", encoding="utf-8") as file:
                json.dump(content, file)
        self.check("compare", golden, target, formats="html,md,json,csv")
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["pairs"][0]["first_divergence"]["kind"], "argument")

    def test_locate_names_no_folder(self):
        golden = self.dumps()[0]
        path = os.path.join(golden, "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        for op in list(content["data"].values())[30:]:
            for tensor in op.get("output", [])[:1]:
                if "Max" in tensor:
                    tensor["Max"] = float("nan")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        self.check("locate", golden, formats="html,md,json,xlsx,svg,png")

    def test_curves_names_no_folder(self):
        logs = []
        for name, shift in (("gpu", 0.0), ("npu", 0.5)):
            lines = [" iteration %8d/ 60 | consumed samples: %8d | learning rate: 1.0E-04 | lm loss: %.6E | grad norm: 1.5 |"
                     % (i, i * 8, 9 - i / 20 + shift * (i > 30)) for i in range(1, 61)]
            lines.insert(20, "saving checkpoint at iteration 20 to /homebase/annalena/ckpt on gpuhost17")
            logs.append(self.write(name + ".log", "\n".join(lines) + "\n"))
        self.check("curves", *logs, formats="html,md,xlsx,json,svg,png")

    def test_noise_that_the_settings_name_tells_no_folder(self):
        """In a run of curves and in the stages of a study, by a path that is not absolute."""
        for apart, name in enumerate(("golden", "target", "moonshot/again")):
            rows = ["%d,%.6f" % (i, 3 - i / 50 + i % (7 + apart) / 1000) for i in range(60)]
            self.write("here/%s.csv" % name, "\n".join(["step,loss", *rows]) + "\n")
        self.write("here/vernier.toml", '[curves]\nnoise = "../here/moonshot/again.csv"\n')
        self.write("here/s.yaml", "long_run: {golden: golden.csv, target: target.csv}\n")
        os.chdir(os.path.join(self.base, "here"))
        self.check("curves", "golden.csv", "target.csv", formats="html,md,json,xlsx,csv")
        self.check("study", "s.yaml", formats="html,md,json,xlsx")

    def test_checklist_names_no_folder_and_no_host(self):
        sides = []
        for name, root in (("a.yaml", "annalena"), ("b.yaml", "moonshot")):
            sides.append(self.write(name, "seed: 1\ndata_path: /homebase/%s/data\nsave: moonshot/%s/ckpt\n"
                                          "master_addr: gpuhost17\n" % (root, root)))
        self.check("checklist", *sides, formats="html,md,json,xlsx,csv,svg")
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            self.assertTrue("data_path" in file.read())

    def test_messages_of_runs_that_fail_name_no_folder(self):
        golden, target = self.dumps()
        broken = self.write("trusted-run/broken/dump.json", "{ this is no dump")
        missing = os.path.join(self.base, "doubtful-run", "absent.json")
        own = os.path.dirname(self.write("annalena/page.html", "{{no such value}}"))
        blocked = self.write("moonshot/blocked", "a file")
        calls = [["compare", missing, target], ["compare", golden, broken], ["compare", golden, target, "--criteria", missing],
                 ["compare", golden, target, "--layer-mapping", missing], ["compare", golden, target, "--templates", missing],
                 ["compare", golden, target, "--templates", own, "-o", self.out],
                 ["compare", golden, target, "-o", os.path.join(blocked, "below")],
                 ["compare", golden, target, "--noise", missing], 
                 ["graph", missing], ["locate", missing], ["curves", "gpu=" + missing], ["monitor", missing],
                 ["checklist", missing, target], ["advise", "skip", missing]]
        for call in calls:
            with self.subTest(call[0] + " " + call[-1]):
                extra = [] if "-o" in call else ["-o", self.out]
                code, said = run(*call, *extra, "--redact")
                self.assertGreater(code, 0, said)
                self.assertEqual(self.found(said), set(), said)


if __name__ == "__main__":
    main()
