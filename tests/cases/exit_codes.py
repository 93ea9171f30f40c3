#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command and every way it can end: the exit code, what is said last, and what is there then.

VERNIER names the program, SAMPLES the folder of samples.
"""
import gzip
import json
import os
import shutil
import subprocess
import tempfile
import unittest

import small_inputs
from program import SAMPLES, VERNIER, main

CONFIG = os.path.join(SAMPLES, "config")

# Command, exit code, arguments. Files and folders are those of setUp.
TABLE = [
    ("compare", 0, ["golden", "golden"]),
    ("compare", 1, ["golden", "target"]),
    ("compare", 0, ["golden", "target", "--exit-zero"]),
    ("compare", 2, ["golden"]),
    ("compare", 2, ["golden", "target", "third"]),
    ("compare", 2, ["golden", "target", "--unknown"]),
    ("compare", 2, ["golden", "target", "--step", "2-1-"]),
    ("compare", 3, ["golden", "absent"]),
    ("compare", 3, ["golden", "empty"]),
    ("compare", 3, ["golden", "noise.bin"]),
    ("compare", 3, ["golden", "target", "--rank", "7"]),
    ("compare", 3, ["golden", "target", "--criteria", "noise.bin"]),
    ("compare", 4, ["golden", "cut"]),
    ("compare", 1, ["cut", "target"]),
    ("graph", 0, ["golden"]),
    ("graph", 2, []),
    ("graph", 2, ["golden", "target"]),
    ("graph", 3, ["absent"]),
    ("graph", 3, ["empty"]),
    ("graph", 4, ["cut"]),
    ("check", 0, ["golden"]),
    ("check", 1, ["nan.json"]),
    ("check", 1, ["nan.json", "--skip", "softmax=why"]),
    ("check", 2, ["golden", "--skip", "softmax"]),
    ("check", 2, []),
    ("check", 3, ["absent"]),
    ("check", 4, ["cut"]),
    ("locate", 0, ["golden"]),
    ("locate", 1, ["nan.json"]),
    ("locate", 0, ["nan.json", "--exit-zero"]),
    ("locate", 2, []),
    ("locate", 2, ["golden", "target"]),
    ("locate", 3, ["absent"]),
    ("locate", 3, ["empty"]),
    ("locate", 4, ["cut"]),
    ("curves", 0, ["golden.csv"]),
    ("curves", 0, ["golden.csv", "golden.csv"]),
    ("curves", 2, ["golden.csv", "far.csv", "--noise", "golden.csv"]),
    ("curves", 2, []),
    ("curves", 2, ["-t", "golden.csv"]),
    ("curves", 2, ["golden.csv", "--smooth", "many"]),
    ("curves", 3, ["absent.csv"]),
    ("curves", 3, ["noise.bin"]),
    ("curves", 3, ["empty"]),
    ("advise", 0, ["skip", "train.log"]),
    ("advise", 2, []),
    ("advise", 2, ["fly", "train.log"]),
    ("advise", 2, ["skip", "train.log", "--threshold", "high"]),
    ("advise", 3, ["skip", "absent.log"]),
    ("advise", 3, ["skip", "noise.bin"]),
    ("advise", 3, ["health", "empty"]),
    ("checklist", 0, [os.path.join(CONFIG, "bench_pretrain.sh")] * 2),
    ("checklist", 1, [os.path.join(CONFIG, "bench_pretrain.sh"), os.path.join(CONFIG, "target_pretrain.yaml")]),
    ("checklist", 0, [os.path.join(CONFIG, "bench_pretrain.sh")]),
    ("checklist", 3, [os.path.join(CONFIG, "bench_pretrain.sh"), "absent.yaml"]),
    ("checklist", 3, [os.path.join(CONFIG, "bench_pretrain.sh"), "empty.yaml"]),
    ("monitor", 1, ["monitor"]),
    ("monitor", 0, ["quiet"]),
    ("monitor", 2, []),
    ("monitor", 2, ["monitor", "--rank", "x"]),
    ("monitor", 3, ["absent"]),
    ("monitor", 3, ["empty"]),
]


class ExitCodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        os.chdir(cls.folder)
        small_inputs.make_inputs()
        os.mkdir("empty")
        open("empty.yaml", "w").close()
        with open("noise.bin", "wb") as file:
            file.write(bytes(range(256)) * 4)
        shutil.copytree("golden", "cut")
        with open("cut/step0/rank1/dump.json", "r+b") as file:
            file.truncate(2500)
        with open("golden.csv", encoding="utf-8") as file:
            rows = [line.split(",") for line in file.read().split("\n") if line]
        with open("far.csv", "w", encoding="utf-8") as file:
            for i, row in enumerate(rows):
                file.write(",".join(row if i == 0 else [row[0]] + ["%g" % (float(cell) * 3 + 5) for cell in row[1:]]) + "\n")
        for name, bad in (("monitor", "nan"), ("quiet", "1.0")):
            shutil.rmtree(name, ignore_errors=True)
            folder = os.path.join(name, "May06_15-00-01-rank0-b2f0e6ab")
            os.makedirs(folder)
            with open(os.path.join(folder, "grad_reduced_0-7.csv"), "w", encoding="utf-8") as file:
                file.write("vpp_stage,name,step,norm\n")
                for step in range(8):
                    file.write("0,layers.0.weight,%d,%s\n" % (step, bad if step == 5 else "1.0"))

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        shutil.rmtree(cls.folder)

    def run_once(self, command, arguments, out="out", formats=None):
        env = dict(os.environ, LC_ALL="C", NO_COLOR="1")
        formats = ["--format", formats] if formats else ["--format", "md,json"]
        done = subprocess.run([VERNIER, command, *arguments, "-o", out, *formats], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=600)
        return done.returncode, (done.stderr + done.stdout).decode()

    def test_every_command_and_outcome_has_its_code(self):
        for command, expected, arguments in TABLE:
            shutil.rmtree("out", ignore_errors=True)
            code, said = self.run_once(command, arguments)
            label = "%s %s: %s" % (command, " ".join(arguments), said)
            with self.subTest(command=command, arguments=arguments):
                self.check(code, expected, said, label)

    def check(self, code, expected, said, label):
        self.assertEqual(code, expected, label)
        self.assertTrue(said.strip(), label)
        if code in (2, 3):
            self.assertTrue("vernier: error: " in said or "NOT COMPARED" in said, label)
        if code == 4:
            self.assertTrue("PARTIAL" in said.strip().split("\n")[-1], label)
        if code in (0, 1, 4):
            with open("out/summary.json", encoding="utf-8") as file:
                summary = json.load(file)
            self.assertEqual(summary["verdict"], said.strip().split("\n")[-1], label)
            self.assertEqual(summary["partial"], "PARTIAL" in summary["verdict"], label)

    def test_an_output_that_cannot_be_written_is_5_and_changes_nothing(self):
        """A file where a folder is wanted, a folder that cannot be made, a folder where a file is wanted."""
        for (command, *arguments), _ in small_inputs.COMMANDS.values():
            with open("blocker", "w", encoding="utf-8") as file:
                file.write("mine")
            name = "shard-1-of-2.json" if "--shard" in arguments else "summary.json"
            shutil.rmtree("taken", ignore_errors=True)
            os.makedirs(os.path.join("taken", name))
            for out in ("blocker/sub", "blocker", "/proc/no/such"):
                code, said = self.run_once(command, arguments, out)
                self.assertEqual(code, 5, (command, out, said))
            code, said = self.run_once(command, arguments, "taken", "json")
            self.assertEqual(code, 5, (command, said))
            self.assertEqual(os.listdir("taken"), [name])
            with open("blocker", encoding="utf-8") as file:
                self.assertEqual(file.read(), "mine")

    def test_a_refused_input_leaves_no_folder(self):
        for name in ("idle", "refused"):
            os.makedirs(name)
        with open("words.csv", "w", encoding="utf-8") as file:
            file.write("x")
        for command, given in (("tokens", "nope"), ("tokens", "idle"), ("curves", "idle"), ("curves", "words.csv"), ("monitor", "nope"),
                               ("precheck", "words.csv"), ("advise skip", "words.csv"), ("convert", "nope"), ("graph", "nope")):
            for out in ([], ["-o", "new/folder/"], ["-o", "new/one.json"]):
                done = subprocess.run([VERNIER, *command.split(), os.path.join("..", given), *out], cwd="refused", stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
                self.assertIn(done.returncode, (2, 3), done.stderr)
                self.assertEqual(os.listdir("refused"), [], (command, out))

    def test_a_single_file_in_a_new_folder_is_written(self):
        for (command, *arguments), _ in small_inputs.COMMANDS.values():
            if command not in ("convert", "study") and "--shard" not in arguments:
                shutil.rmtree("fresh", ignore_errors=True)
                code, said = self.run_once(command, arguments, "fresh/one/facts.json", "json")
                self.assertIn(code, (0, 1, 4), (command, said))
                self.assertEqual(os.listdir("fresh/one"), ["facts.json"])

    def test_a_report_into_a_folder_that_is_an_input_is_refused_and_one_beside_its_steps_is_not(self):
        before = {}
        for at, _, names in os.walk("golden"):
            for name in names:
                with open(os.path.join(at, name), "rb") as file:
                    before[os.path.join(at, name)] = file.read()
        code, said = self.run_once("compare", ["golden", "target"], "golden")
        self.assertEqual(code, 2, said)
        self.assertIn("golden: this folder is an input", said)
        self.assertIn("hint: name a folder of its own", said)
        code, said = self.run_once("compare", ["golden", "target"], "golden/report")
        self.assertEqual(code, 1, said)
        shutil.rmtree("golden/report")
        self.assertEqual(sorted(os.path.join(at, name) for at, _, names in os.walk("golden") for name in names), sorted(before))
        for path, data in before.items():
            with open(path, "rb") as file:
                self.assertEqual(file.read(), data, path)

    def test_a_file_of_another_kind_is_told_by_what_it_is(self):
        with open("lp.jsonl", "w", encoding="utf-8") as file:
            for number in range(3):
                file.write(json.dumps({"content": "text %d" % number, "generation_logprobs": [[-0.5, -1.25]], "input_lengths": [2]}) + "\n")
        with open("twice.csv.gz", "wb") as file, open("golden.csv", "rb") as log:
            file.write(gzip.compress(gzip.compress(log.read())))
        with open("noise.bin", "wb") as file:
            file.write(bytes(range(256)) * 20)
        for words, told in ((["compare", "lp.jsonl", "lp.jsonl"], "vernier tokens GOLDEN TARGET"),
                            (["check", "lp.jsonl"], "vernier tokens GOLDEN TARGET"),
                            (["curves", "lp.jsonl"], "this is log-probabilities of tokens: vernier tokens lp.jsonl"),
                            (["tokens", "golden.csv"], "this is a training log: vernier curves golden.csv"),
                            (["monitor", "golden.csv"], "this is a training log: vernier curves golden.csv"),
                            (["curves", "twice.csv.gz"], "packed by gzip twice"), (["compare", "twice.csv.gz", "golden"], "packed by gzip twice"),
                            (["curves", "noise.bin"], "noise.bin: this is no text"), (["precheck", "golden"], "vernier precheck golden/*.csv"), (["precheck", "empty"], "vernier precheck empty/*.csv")):
            code, said = self.run_once(words[0], words[1:])
            self.assertEqual(code, 3, (words, said))
            self.assertIn(told, said, words)
        code, said = self.run_once("graph", ["golden", "target"])
        self.assertEqual(code, 2, said)
        self.assertIn("hint: two are compared by: vernier compare GOLDEN TARGET", said)

    def test_an_input_of_another_command_is_told_what_reads_it(self):
        dump = os.path.join("golden", "step0", "rank0", "dump.json")
        for command in ("curves", "tokens", "monitor", "advise skip"):
            for given in ("golden", dump):
                code, said = self.run_once(*command.split()[:1], [*command.split()[1:], given])
                self.assertEqual(code, 3, said)
                self.assertIn("hint: this is a dump: vernier graph %s; two are compared by: vernier compare A B" % given, said)
        code, said = self.run_once("curves", ["empty"])
        self.assertNotIn("this is a dump", said)
        self.assertIn("the folder holds no file of tokens", self.run_once("tokens", ["empty"])[1])
        for command in ("locate", "check", "graph"):
            self.assertIn("vernier curves LOG", self.run_once(command, ["golden.csv"])[1])

    def test_slips_in_topics_and_leading_options_are_answered(self):
        for words, meant in ((["help", "log"], "help logs"), (["help", "format"], "help formats"), (["help", "rule"], "help rules"),
                             (["help", "fromats"], "help formats"), (["help", "compar"], "help compare"), (["--hlep"], "--help"),
                             (["--verison"], "--version"), (["compar"], "compare")):
            done = subprocess.run([VERNIER, *words], env=dict(os.environ, LC_ALL="C"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("did you mean 'vernier %s'?" % meant, done.stderr.decode())

    def said(self, *words, given=None, **environment):
        done = subprocess.run([VERNIER, *words], env=dict(os.environ, LC_ALL="C", **environment), input=given, cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stderr.decode(), done.stdout.decode()

    def test_a_file_of_another_user_is_refused_with_what_to_ask_for(self):
        if os.geteuid():
            os.chmod("golden.csv", 0)
            other = {}
        else:
            os.chmod("golden.csv", 0o600)
            other = {"user": 65534}  # nobody
        os.chmod(".", 0o755)
        shutil.copy(VERNIER, "program")  # the build may lie where no other user comes
        done = subprocess.run([os.path.abspath("program"), "curves", "golden.csv", "--format", "json", "-o", "-"], capture_output=True, text=True, **other)
        os.chmod("golden.csv", 0o644)
        os.remove("program")
        self.assertEqual((done.returncode, "ask for read permission" in done.stderr), (3, True), done.stderr)

    def test_where_no_report_can_be_written_the_verdict_is_printed(self):
        os.mkdir("locked")
        shutil.copy(VERNIER, "program")
        shutil.copytree("golden", "locked/golden")
        shutil.copytree("target", "locked/target")
        os.chmod(".", 0o755)
        os.chmod("locked", 0o555)
        other = {} if os.geteuid() else {"user": 65534}  # nobody
        for words, verdict in ((["compare", "golden", "target"], "DIVERGES"), (["convert", "golden"], "")):
            done = subprocess.run([os.path.abspath("program"), *words], cwd="locked", capture_output=True, text=True, **other)
            self.assertEqual((done.returncode, done.stdout[:8], "-o FOLDER names another place" in done.stderr),
                             (5, verdict, True), done.stderr)
        os.chmod("locked", 0o755)
        shutil.rmtree("locked")
        os.remove("program")

    def test_what_other_programs_call_a_thing_is_understood(self):
        for words, meant in ((["vis", "c"], "vernier graph'"), (["help", "csv2tensorboard"], "vernier help monitor'"), (["run_ut"], "vernier precheck'"), (["diff", "a"], "vernier compare'"),
                             (["对比"], "vernier compare'"), (["help", "nan_analyze"], "vernier help locate'"),
                             (["compare", "--Output_Dir=x"], "--output?"),
                             (["compare", "--json"], "--format json?"), (["compare", "--tolerance", "1"], "--criteria?"),
                             (["curves", "--tolerance", "1"], "--limits?"), (["compare", "a", "b", "--format", "Markdown"], "mean md?"),
                             (["compare", "a", "b", "--lang", "english"], "mean en?"),
                             (["compare", "a", "b", "--color=no"], "mean never?")):
            code, told, _ = self.said(*words, LANG="C")
            self.assertEqual(code, 2)
            self.assertIn("did you mean ", told)
            self.assertIn(meant, told)
        for chinese in ("zh_CN", "cn", "Chinese", "zh-TW", "中文"):
            self.assertIn("是不是 zh？", self.said("compare", "a", "b", "--lang", chinese)[1], chinese)
        # A name that the command does not have is not offered.
        self.assertNotIn("did you mean", self.said("graph", "--tolerance", "1")[1])
        self.assertNotIn("did you mean", self.said("history", "a", "--format", "xml")[1])
        self.assertIn("no command follows '-q'", self.said("-q")[1])
        self.assertIn("no command follows '-q\\x1B'", self.said("-q\x1b")[1])
        self.assertIn("vernier advise skip LOG, or", self.said("advise")[1])

    def test_dashes_and_commas_of_text_are_called_what_they_are(self):
        for word, typed in (("\u2013o", "-o"), ("\u2014\u2014noise", "--noise"), ("\uff0d\uff0dstep", "--step"), ("\u2212j", "-j")):
            code, told, _ = self.said("compare", "golden", "target", word, "x")
            self.assertEqual((code, "'%s' begins with a dash that is no '-'\n  hint: an option is typed with '-': %s\n" % (word, typed) in told),
                             (2, True), told)
        self.assertIn("hint: an option is typed with '-': --help", self.said("\u2014help")[1])
        self.assertNotIn("typed with '-'", self.said("\u2014")[1])
        for words in (["--step", "0\uff0c1"], ["--format", "html\uff0cmd"], ["--parallel-merge", "target:tp=2\uff0cpp=2"]):
            self.assertIn("its commas are of full width: type ','", self.said("compare", "golden", "golden", *words)[1])
        self.assertIn("separated by commas: html,json", self.said("compare", "golden", "golden", "--format", "html json")[1])

    def test_a_summary_is_explained_from_standard_input_and_by_its_name_alone(self):
        summary = self.said("compare", "golden", "golden", "-o", "-", "--format", "json")[2].encode()
        code, told, out = self.said("explain", "-", given=summary)
        self.assertEqual((code, told, out[:4]), (0, "", "SAME"))
        with open(os.path.join(self.folder, "s.json"), "wb") as file:
            file.write(summary)
        self.assertIn("SAME", self.said("s.json")[2])
        self.assertEqual(self.said("compare", "golden", "golden", "-o", "a.json", "--history", "n.db")[0], 0)
        code, told, out = self.said("n.db", "-o", "h.md")
        self.assertEqual((code, out[:6]), (0, "STEADY"), told)
        self.assertIn("every command writes one", self.said("explain", "golden")[1])
        self.assertNotIn("hint: this is read", self.said("explain", "-", given=b"")[1])
        self.assertEqual(self.said("compare", "-", "golden", given=b"{")[0], 3)

    def test_a_run_that_is_given_a_name_where_none_is_taken_is_told_what_to_write(self):
        self.assertIn("write --golden golden", self.said("compare", "golden=golden", "target=target")[1])
        self.assertIn("leave 'gpu=' out", self.said("locate", "gpu=golden")[1])

    def test_a_run_given_twice_is_told_and_a_folder_of_ci_files_names_the_first(self):
        told = self.said("compare", "--runs", "golden", "golden/", "-o", "a.json")[1]
        self.assertIn("this run is given twice: that it agrees with itself is no evidence", told)
        told = self.said("compare", "golden", "golden", "-o", "ci/", "--format", "sarif,junit,github")[1]
        self.assertIn("report: ci/junit.xml (3 files, ", told)

    def test_usage_of_the_program_itself(self):
        for arguments, code in (([], 2), (["help"], 0), (["--help"], 0), (["version"], 0), (["--version"], 0), (["nonsense"], 2),
                                (["help", "nonsense"], 2), (["help", "rules"], 0)):
            done = subprocess.run([VERNIER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, code, arguments)
        for command in sorted({arguments[0] for arguments, _ in small_inputs.COMMANDS.values()}):
            done = subprocess.run([VERNIER, command, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)


if __name__ == "__main__":
    main()
