#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs and folders that are not what they seem: links, pipes, devices, deep nesting, keys made to
collide, files far too large. Nothing hangs, nothing is written where it was not asked for.

VERNIER names the program. With FULL set the large ones are as large as the checklist asks.
"""
import json
import os
import re
import resource
import shutil
import socket
import stat
import subprocess
import unittest
import zipfile

import small_inputs
import program
from program import Case, VERNIER, main

SANITIZED = os.environ.get("SANITIZED") == "1"
FULL = bool(os.environ.get("FULL"))


class HostileFiles(Case):
    def setUp(self):
        super().setUp()
        os.chdir(self.folder)
        small_inputs.make_inputs()

    def run_once(self, *arguments, out="out", formats="json,md", timeout=600, memory=None, **more):
        env = dict(os.environ, LC_ALL="C", NO_COLOR="1", ASAN_OPTIONS="detect_stack_use_after_return=1")
        limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory and not SANITIZED else None
        done = subprocess.run([VERNIER, *arguments, "-o", out, "--format", formats], env=env, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit, **more)
        said = (done.stderr + done.stdout).decode()
        self.assertIn(done.returncode, (0, 1, 3, 4, 5), said)
        return done.returncode, said

    def replace_dump(self, text, side="golden"):
        path = os.path.join(side, "step0", "rank0", "dump.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.join(side, "step0", "rank0")

    def test_an_output_never_takes_the_place_of_a_pipe_or_a_device(self):
        os.mkfifo("r.json")
        code, said = self.run_once("compare", "golden", "golden", out="r.json", formats="json")
        self.assertEqual(code, 5)
        self.assertIn("r.json: this is a device or a pipe", said)
        self.assertTrue(stat.S_ISFIFO(os.stat("r.json").st_mode))
        code, said = self.run_once("compare", "golden", "golden", "--write-mapping", "r.json")
        self.assertEqual(code, 5)
        self.assertTrue(stat.S_ISFIFO(os.stat("r.json").st_mode))
        os.symlink("elsewhere.json", "link.json")
        self.assertEqual(self.run_once("compare", "golden", "golden", out="link.json", formats="json")[0], 0)

    def test_sheets_that_share_one_part_are_refused(self):
        name = "rows-step0-rank0.xlsx"
        with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as book:
            many = range(200)
            book.writestr("xl/workbook.xml", "<workbook><sheets>%s</sheets></workbook>" % "".join(
                '<sheet name="s%d" id="r%d"/>' % (i, i) for i in many))
            book.writestr("xl/_rels/workbook.xml.rels", "<Relationships>%s</Relationships>" % "".join(
                '<Relationship Id="r%d" Type="x/worksheet" Target="sheet.xml"/>' % i for i in many))
            book.writestr("xl/sheet.xml", "<worksheet><sheetData>%s</sheetData></worksheet>" %
                          ('<row><c r="XFD1"><v>1</v></c></row>' * 300))
        os.mkdir("books")
        shutil.move(name, "books")
        code, said = self.run_once("merge", "books")
        self.assertEqual(code, 3)
        self.assertIn("two sheets in one part", said)

    def test_a_sheet_of_empty_cells_costs_no_more_than_its_bytes(self):
        os.mkdir("books")
        with zipfile.ZipFile("books/rows-step0-rank0.xlsx", "w", zipfile.ZIP_DEFLATED) as book:
            book.writestr("xl/workbook.xml", '<workbook><sheets><sheet name="s" id="r"/></sheets></workbook>')
            book.writestr("xl/_rels/workbook.xml.rels",
                          '<Relationships><Relationship Id="r" Type="x/worksheet" Target="s.xml"/></Relationships>')
            head = '<row><c t="str"><v>NPU Name</v></c><c t="str"><v>Cosine</v></c></row>'
            book.writestr("xl/s.xml", "<worksheet><sheetData>%s%s</sheetData></worksheet>" %
                          (head, '<row><c r="XFD1"><v>1</v></c></row>' * 4000))
        code, said = self.run_once("merge", "books")
        self.assertEqual(code, 3)
        self.assertIn("empty cells", said)

    def test_a_date_that_no_calendar_has_harms_no_workbook(self):
        for seconds in ("9223372036854775807", "253402300800", "-1"):
            os.environ["SOURCE_DATE_EPOCH"] = seconds
            try:
                code, said = self.run_once("compare", "golden", "golden", out="r.xlsx", formats="xlsx")
            finally:
                del os.environ["SOURCE_DATE_EPOCH"]
            self.assertEqual(code, 0, said)
            self.assertTrue(zipfile.is_zipfile("r.xlsx"))

    def test_a_workbook_without_files_to_write_to_is_told(self):
        for files in range(4, 14):
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
            done = subprocess.run([VERNIER, "compare", "golden", "golden", "-o", "r.xlsx"], stderr=subprocess.PIPE,
                                  stdin=subprocess.DEVNULL, preexec_fn=limit)
            # 127: too few for the program's own libraries.
            self.assertIn(done.returncode, (0, 3, 5, 127), done.stderr)
            self.assertEqual(os.path.exists("r.xlsx") and zipfile.is_zipfile("r.xlsx"), done.returncode == 0)
            if done.returncode == 0:
                os.remove("r.xlsx")

    def test_pipes_devices_sockets_and_proc_files_are_refused_at_once(self):
        os.mkfifo("pipe")
        server = socket.socket(socket.AF_UNIX)
        server.bind("socket")
        words = [["compare", "golden"], ["graph"], ["locate"], ["curves"], ["monitor"], ["checklist", "pipe"], ["advise", "skip"]]
        paths = ["pipe", "socket", "/dev/zero", "/dev/tty", "/dev/full", "/proc/self/mem", "/proc/kmsg"]
        for i, path in enumerate(paths):
            for command in words if FULL or path == "pipe" else words[i % 6:i % 6 + 1]:
                code, said = self.run_once(*command, path)  # it would wait for ever
                self.assertEqual(code, 3, (command, path, said))
        server.close()

    def test_a_pipe_inside_a_folder_costs_itself_alone(self):
        os.mkfifo("golden/step0/rank0/notes")
        os.remove("golden/step0/rank1/dump.json")
        os.mkfifo("golden/step0/rank1/dump.json")
        code, said = self.run_once("compare", "golden", "target")
        self.assertEqual(code, 1, said)
        self.assertIn("PARTIAL", said)

    def test_broken_stacks_are_told_whatever_is_written(self):
        """They are read late, when an output asks for them."""
        for ranks in (("rank0", "rank1"), ("rank1",)):
            for side in ("golden", "target"):
                for rank in ranks:
                    with open(os.path.join(side, "step0", rank, "stack.json"), "w", encoding="utf-8") as file:
                        file.write("[]")
            for formats in ("json", "csv,json", "xlsx,json", "svg,html,json", "vis-db,json"):
                for words in (["golden", "target"], ["golden/step0/rank1", "target/step0/rank1"],
                              ["--runs", "golden", "target"]):
                    if words[0] == "--runs" and formats == "vis-db,json":
                        continue
                    code, said = self.run_once("compare", *words, formats=formats)
                    self.assertEqual(code, 1, said)
                    if words[0] != "--runs":
                        self.assertIn("PARTIAL DIVERGES", said, (formats, words))
                        self.assertIn("expected a JSON object", said, (formats, words))
            for words in ("golden", "golden/step0/rank1"):
                code, said = self.run_once("graph", words, formats="vis-db,json,svg")
                self.assertEqual(code, 4, said)
                self.assertIn("expected a JSON object", said, words)
            small_inputs.make_inputs()

    def test_links_that_loop_and_folders_without_end_do_not_hang(self):
        os.symlink("loop", "loop")
        os.symlink(".", "golden/again")
        os.symlink("..", "golden/step0/up")
        os.symlink("..", "monitor/up")
        for words, codes in ((["compare", "loop", "golden"], (3,)), (["compare", "golden", "golden"], (0,)),
                             (["monitor", "monitor"], (0, 1)), (["curves", "monitor"], (1, 3, 4))):
            code, said = self.run_once(*words)
            self.assertIn(code, codes, (words, said))
        deep = "deep"
        for _ in range(400 if FULL else 100):
            deep = os.path.join(deep, "d")
        os.makedirs(deep)
        for command in ("monitor", "curves", "locate"):
            self.assertEqual(self.run_once(command, "deep")[0], 3)

    def test_outputs_are_never_written_through_a_link(self):
        with open("precious", "w", encoding="utf-8") as file:
            file.write("precious")
        os.mkdir("out")
        for name in ("summary.json", "summary.md", "index.html"):
            os.symlink("../precious", os.path.join("out", name))
        code, said = self.run_once("compare", "golden", "target", formats="json,md,html")
        self.assertEqual(code, 1, said)
        for name in ("summary.json", "summary.md", "index.html"):
            self.assertFalse(os.path.islink(os.path.join("out", name)))
        os.symlink("precious", "one.svg")
        env = dict(os.environ, LC_ALL="C")
        subprocess.run([VERNIER, "compare", "golden", "target", "-o", "one.svg"], env=env, stderr=subprocess.DEVNULL)
        self.assertFalse(os.path.islink("one.svg"))
        with open("precious", encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_tensor_files_are_not_looked_for_outside_of_the_dump(self):
        with open("secret.npy", "wb") as file:
            file.write(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" + b" " * 60 + b"\n" + b"\0" * 4)
        with open("golden/step0/rank0/dump.json", encoding="utf-8") as file:
            content = json.load(file)
        content["task"] = "tensor"
        data = os.path.join("golden", "step0", "rank0", "dump_tensor_data")
        os.makedirs(data)
        os.symlink(os.path.abspath("secret.npy"), os.path.join(data, "link.npy"))
        names = ["../../../../secret.npy", os.path.abspath("secret.npy"), "link.npy", "a/../../x", "..\\x", "C:\\x", ""]
        tensors = [t for op in content["data"].values() for k in ("input_args", "output", "input") for t in op.get(k, []) if "dtype" in t]
        for i, tensor in enumerate(tensors):
            tensor["data_name"] = names[i % len(names)]
        rank = self.replace_dump(json.dumps(content))
        trace = shutil.which("strace")
        program = [trace, "-f", "-o", "trace", "-e", "trace=open,openat"] if trace else []
        done = subprocess.run([*program, VERNIER, "compare", rank, rank, "-o", "out", "--format", "json"],
                              env=dict(os.environ, LC_ALL="C", ASAN_OPTIONS="detect_leaks=0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        with open("out/summary.json", encoding="utf-8") as file:
            problems = json.dumps(json.load(file)["problems"])
        self.assertTrue("leads out of the folder" in problems or "symbolic link" in problems, problems)
        if trace and os.path.exists("trace"):
            with open("trace", encoding="utf-8", errors="replace") as file:
                self.assertNotIn("secret", file.read())

    def test_outputs_follow_the_umask(self):
        for mask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
            shutil.rmtree("out", ignore_errors=True)
            self.run_once("compare", "golden", "target", formats="json,xlsx,svg", umask=mask)
            for name in os.listdir("out"):
                self.assertEqual(stat.S_IMODE(os.stat(os.path.join("out", name)).st_mode), mode, name)

    def test_a_million_brackets_are_refused_with_little_stack(self):
        count = 10 ** 6 if FULL else 10 ** 5
        for text in ('{"data": ' + "[" * count, '{"data": {"a.b.0.forward": ' + '{"x":' * (count // 4), "[" * count,
                     '{"data": {"a.b.0.forward": {"input_args": ' + "[" * count + "]" * count + "}}}"):
            code, said = self.run_once("compare", self.replace_dump(text), "target/step0/rank0")
            self.assertIn(code, (1, 3, 4), said)
            if code != 3:
                self.assertIn("PARTIAL", said)
            with open("deep.json", "w", encoding="utf-8") as file:
                file.write(text)
            with open("deep.yaml", "w", encoding="utf-8") as file:
                file.write(text)
            for words in (["curves", "deep.json"], ["checklist", "deep.json", "deep.json"], ["checklist", "deep.yaml", "deep.yaml"],
                          ["compare", "golden", "target", "--criteria", "deep.yaml"], ["advise", "health", "deep.json"]):
                self.assertEqual(self.run_once(*words)[0], 3, words)
        for name in ("construct.json", "stack.json"):
            with open(os.path.join("target", "step0", "rank0", name), "w", encoding="utf-8") as file:
                file.write("[" * count)
        code, said = self.run_once("compare", "target/step0/rank0", "target/step0/rank0")
        self.assertIn(code, (3, 4), said)

    def test_settings_too_deep_or_below_a_long_path_are_left_out_and_told(self):
        deep = {"lr": 1}
        for _ in range(80):
            deep = {"a": deep, "lr": 2}
        texts = {"deep.json": json.dumps(deep), "deep.yaml": json.dumps(deep), "long.json": json.dumps({"lr": 1, "k" * 1025: {"a": 1}}),
                 "long.yaml": "lr: 1\n? %s\n: {a: 1}\n" % ("k" * 1025), "long.toml": "lr = 1\n[%s]\na = 1\n" % ("k" * 1025),
                 "fits.json": json.dumps({"lr": 1, "k" * 1024: {"a": 1}}), "fits.yaml": "lr: 1\n" + "".join("k%d: &a%d 1\n" % (i, i) for i in range(1000)),
                 "anchors.yaml": "lr: 1\n" + "".join("k%d: &a%d 1\n" % (i, i) for i in range(1001))}
        for name, text in texts.items():
            for copy in (name, "other-" + name):
                with open(copy, "w", encoding="utf-8") as file:
                    file.write(text)
            code, said = self.run_once("checklist", name, "other-" + name)
            told = "1 group of settings is deeper than 64 levels or below a path of more than 1024 bytes" in said
            refused = "anchors.yaml:1002: more than 1000 anchors" in said
            self.assertEqual((code, told, refused), (3, False, True) if name == "anchors.yaml" else (0, False, False) if name.startswith("fits")
                             else (4, True, False), name + said)

    def test_a_long_text_that_aliases_repeat_is_read_no_more_often_than_the_file_is_large_and_the_rest_is_told(self):
        for copies, code in ((20, 0), (4000, 4)):
            for name in ("golden.yaml", "target.yaml"):
                with open(name, "w", encoding="utf-8") as file:
                    file.write("lr: &a %s\n" % ("x" * 24000) + "list: [%s]\n" % ", ".join(["*a"] * 60) +
                               "".join("k%d: *a\n" % i for i in range(copies)))
            answer, said = self.run_once("checklist", "golden.yaml", "target.yaml")
            self.assertEqual((answer, "its aliases ('*name') repeat so much text" in said), (code, code == 4), said)

    def test_a_chain_of_a_hundred_thousand_parents_and_a_cycle_are_built(self):
        depth = 100000 if FULL else 3000
        chain = {"Module.m%d.A.forward.0" % i: "Module.m%d.A.forward.0" % (i + 1) for i in range(depth)}
        data = {name: {"input_args": [], "input_kwargs": {}, "output": []} for name in list(chain)[:3]}
        for last in (None, "Module.m0.A.forward.0"):
            chain["Module.m%d.A.forward.0" % depth] = last
            rank = self.replace_dump(json.dumps({"task": "statistics", "level": "mix", "data": data}))
            with open(os.path.join(rank, "construct.json"), "w", encoding="utf-8") as file:
                json.dump(chain, file)
            for words in (["compare", rank, rank], ["graph", rank]):
                code, said = self.run_once(*words, formats="json,svg,html")
                self.assertIn(code, (0, 3, 4), said)

    def test_keys_that_collide_are_read_in_linear_time(self):
        """Keys with one sum, one xor and one length, and keys with equal FNV-1a prefixes."""
        def seconds(count):
            keys = ["Functional.%s.0.forward" % "".join(("ab", "ba")[i >> k & 1] for k in range(20)) for i in range(count)]
            data = {key: {"input_args": [], "input_kwargs": {}, "output": []} for key in keys}
            rank = self.replace_dump(json.dumps({"task": "statistics", "level": "L1", "data": data}))
            began = os.times().children_user  # of the processor: no load of the machine counts
            self.run_once("compare", rank, rank, formats="json")
            return os.times().children_user - began
        small, large = seconds(2000), seconds(20000)
        self.assertLess(large, 40 * (small + 0.05))  # 100 times were it quadratic

    def test_names_of_ten_megabytes_and_a_million_empty_keys_survive(self):
        size = 10 ** 7 if FULL else 10 ** 5
        empty = ",".join(['"":{}'] * (size // 10))
        for text in ('{"task":"statistics","data":{"%s":{"input_args":[],"output":[]}}}' % ("x" * size),
                     '{"task":"statistics","data":{%s}}' % empty,
                     '{"task":"statistics","data":{"a.b.0.forward":{"input_args":[],"input_kwargs":{%s},"output":[]}}}' % empty):
            rank = self.replace_dump(text)
            for words in (["compare", rank, rank], ["graph", rank]):
                self.run_once(*words, formats="json,html,svg,csv" if words[0] == "compare" else "json,html,svg")

    def test_one_line_without_an_end_needs_bounded_memory(self):
        size = 1 << 30 if FULL else 1 << 24
        with open("line.log", "wb") as file:
            file.write(b"iteration 1/ 10 | lm loss: 2.5 | ")
            file.truncate(size)
        for path, words in (("line.log", ["curves"]), ("line.log", ["advise", "skip"])):
            code, said = self.run_once(*words, path, memory=size + (256 << 20))
            self.assertIn(code, (0, 1, 3, 4), said)

    def test_a_log_without_a_match_names_the_patterns_and_the_closest_line(self):
        with open("none.log", "w", encoding="utf-8") as file:
            for i in range(10 ** 7 if FULL else 10 ** 4):
                file.write("nothing here %d\n" % i)
            file.write("iteration nearly: loss\n")
        code, said = self.run_once("curves", "none.log")
        self.assertEqual(code, 3, said)
        self.assertTrue("Megatron" in said or "pattern" in said or "closest" in said, said)

    def test_a_dump_of_more_than_four_gigabytes_is_streamed(self):
        """The tail is a hole, as file systems leave them after a crash."""
        rank = os.path.join("golden", "step0", "rank0")
        with open(os.path.join(rank, "dump.json"), "r+b") as file:
            file.truncate((4 << 30) + (1 << 20) if FULL else 1 << 26)
        began = os.times().children_user
        code, said = self.run_once("compare", rank, "target/step0/rank0", timeout=600)
        self.assertEqual(code, 1, said)
        self.assertIn("NUL bytes", said)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, (6 << 20) if SANITIZED else (5 << 20))
        self.assertGreaterEqual(os.times().children_user, began)

    def test_odd_starts_and_ends_of_a_dump(self):
        with open("target/step0/rank0/dump.json", encoding="utf-8") as file:
            text = file.read()
        for odd, codes in (("", (3,)), (" \n\t", (3,)), ("{}", (1, 3)), ("\ufeff" + text, (1,)), (text.replace("\n", "\r\n"), (1,)),
                           (text + "\0" * 4096, (1,)), (text + "garbage", (1,)), (text + text, (1,)), ("[]", (3,)), ("null", (3,)),
                           ("\xff\xfe{", (3,))):
            code, said = self.run_once("compare", "golden/step0/rank0", self.replace_dump(odd, "target"))
            self.assertIn(code, codes, (odd[:20], said))

    @unittest.skipUnless(shutil.which("strace"), "strace is not here")
    def test_a_dump_costs_fifteen_questions_to_the_system_however_many_there_are(self):
        """What counts where the dumps are on a server: each question is a round trip, whatever its size. One lists what is next to the dump."""
        asked = {}
        for ranks in (4, 12):
            root = "far%d" % ranks
            for side in ("golden", "target"):
                for rank in range(ranks):
                    shutil.copytree(side + "/step0/rank0", "%s/%s/step0/rank%d" % (root, side, rank))
            done = subprocess.run(["strace", "-f", "-o", "trace", "-e", "trace=%file,%desc", VERNIER, "compare", root + "/golden",
                                   root + "/target", "-o", "out", "--format", "json"], env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if not os.path.exists("trace") or os.path.getsize("trace") == 0:
                self.skipTest("strace may not trace here")
            self.assertEqual(done.returncode, 1)
            with open("trace", encoding="utf-8", errors="replace") as file:
                lines = file.readlines()
            asked[ranks] = sum("/step0/rank" in line for line in lines)
            self.assertEqual(sum('"/proc/self/cgroup"' in line for line in lines), 1)
        self.assertLessEqual((asked[12] - asked[4]) / 16, 15, asked)

    @unittest.skipUnless(shutil.which("strace"), "strace is not here")
    def test_no_network_call_and_no_child_process(self):
        for name, (arguments, _) in small_inputs.COMMANDS.items():
            done = subprocess.run(["strace", "-f", "-o", "trace", "-e", "trace=%net,%process", VERNIER, *arguments, "-o", "out"],
                                  env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if not os.path.exists("trace") or os.path.getsize("trace") == 0:
                self.skipTest("strace may not trace here")
            with open("trace", encoding="utf-8", errors="replace") as file:
                calls = re.findall(r"^\d+ +(\w+)\((.*)", file.read(), re.M)
            for call, rest in calls:
                if call in ("clone", "clone3"):
                    self.assertIn("CLONE_THREAD", rest, name)
                self.assertNotIn(call, ("socket", "connect", "bind", "sendto", "fork", "vfork"), (name, call, rest))
            self.assertEqual([call for call, _ in calls].count("execve"), 1, name)
            self.assertIn(done.returncode, (0, 1), name)


if __name__ == "__main__":
    main()
