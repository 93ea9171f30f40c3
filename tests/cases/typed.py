#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people type and do not quite mean: the answer says what a thing is, and its hint is a line that works when pasted."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

import checkpoints
from program import Case, SAMPLES, VERNIER, main, run


def sample(*names):
    return os.path.join(SAMPLES, *names)


GOLDEN, TARGET = sample("gpt", "golden"), sample("gpt", "target")


class Typed(Case):
    def typed(self, *words):
        return run(*words, cwd=self.folder)

    def paste(self, said):
        """The commands of a hint, each run as it stands; none may be wrong usage or find no input."""
        lines = re.findall(r"vernier (?:compare|graph|monitor|curves|explain|checklist) [^;\n]+", said.split("hint:")[-1])
        self.assertTrue(lines, said)
        for line in lines:
            words = shlex.split(line)[1:]
            if not {"A", "B", "GOLDEN", "TARGET"} & set(words):
                self.assertIn(run(*words, "--exit-zero", "-q", cwd=self.folder)[0], (0, 4), line)

    def test_one_dump_is_answered_with_the_run_beside_it_or_those_below_it(self):
        shutil.copytree(sample("gpt"), self.path("deep/a b/c"))
        for path in (GOLDEN, "deep", "deep/a b/c/target"):
            code, _, said = self.typed("compare", path)
            self.assertEqual(code, 2, said)
            self.assertIn("vernier compare ", said.split("hint:")[1])
            self.paste(said)

    def test_a_folder_of_two_runs_is_compared_where_their_names_say_which_is_which(self):
        code, out, said = self.typed(sample("gpt"), "-o", "x.md")
        self.assertEqual((code, out), self.typed("compare", GOLDEN, TARGET, "-o", "y.md")[:2])
        self.assertTrue(said.startswith("vernier compare %s %s" % (GOLDEN, TARGET)), said)

    def test_a_folder_of_several_kinds_lists_each_with_a_line_that_works(self):
        shutil.copytree(sample("gpt"), self.path("all/dumps"))
        shutil.copytree(sample("monitor"), self.path("all/monitored"))
        shutil.copy(sample("curves", "golden.csv"), self.path("all/train.csv"))
        code, out, said = self.typed("all")
        self.assertEqual((code, out), (2, ""), said)
        lines = [line.split(": vernier ") for line in said.splitlines() if ": vernier " in line and line.startswith("  ")]
        self.assertEqual({kind.strip(): path for kind, path in lines},
                         {"a dump": "all/dumps", "a training log": "all/train.csv", "monitor output": "all/monitored"})
        for _, path in lines:
            self.assertIn(self.typed(path, "--exit-zero", "-q")[0], (0, 4), path)

    def test_an_input_is_called_what_it_is_before_it_is_refused(self):
        self.typed("compare", GOLDEN, TARGET, "--format", "xlsx,png,svg,json", "--exit-zero", "-q")
        os.rename(self.path("vernier-compare"), self.path("report"))
        pictures = [name for name in os.listdir(self.path("report")) if name.endswith((".png", ".svg"))]
        self.write("broken.pdf", "%PDF-1.7\n" + "x" * 40)
        files = [(os.path.join("report", name), "this is a picture") for name in pictures]
        files += [("broken.pdf", "this is a picture"), (os.path.join("report", "compare.xlsx"), "this is a workbook")]
        for path, told in files:
            for command in ("graph", "curves", "check", "monitor", "locate"):
                code, out, said = self.typed(command, path)
                self.assertEqual((code, out), (3, ""), said)
                self.assertTrue(said.startswith("vernier: error: %s: %s" % (path, told)), said)
        for command, path, told in (("compare", sample("monitor"), "monitor output"), ("curves", GOLDEN, "a dump"), ("monitor", GOLDEN, "a dump"),
                                    ("graph", "report", "a report of vernier"), ("tokens", sample("curves", "golden.csv"), "a training log")):
            code, _, said = self.typed(command, path, path) if command == "compare" else self.typed(command, path)
            self.assertEqual(code, 3, said)
            self.assertIn("hint: this is %s: vernier " % told, said)
            self.paste(said)

    def test_a_slip_in_an_option_is_answered_with_the_option_that_is_meant(self):
        for words, told in ((["compare", GOLDEN, TARGET, "--limits", "norm=1e-2"], "did you mean --criteria?"),
                            (["compare", GOLDEN, TARGET, "-f", "json"], "did you mean --format?"), (["-v"], "vernier --version"),
                            (["compare", GOLDEN, TARGET, "--watch"], "--watch is an option of curves, monitor"), (["monitor", sample("monitor"), "--idle", "3"], "--watch")):
            code, _, said = self.typed(*words)
            self.assertEqual(code, 2, said)
            self.assertIn(told, said)
        for topic in ("noise", "tolerance"):
            self.assertEqual(self.typed("help", topic)[0], 0)

    def test_a_range_is_typed_with_a_dash_a_colon_or_two_dots(self):
        logs = [sample("curves", name) for name in ("golden.csv", "target.csv")]
        answers = {self.typed("curves", *logs, "--range", text, "--format", "json")[:2] for text in ("100-200", "100:200", "100..200")}
        self.assertEqual(len(answers), 1, answers)
        self.assertEqual({self.typed("graph", GOLDEN, "--step", text, "--format", "json", "-q")[0] for text in ("0-2", "0:2", "0..2")}, {0})
        self.assertEqual(self.typed("curves", *logs, "--range", "100")[0], 2)

    def test_two_runs_joined_by_a_comma_are_answered_with_the_line_that_compares_them(self):
        sides = [sample("curves", side + ".csv") for side in ("golden", "target")]
        _, _, said = self.typed("curves", ",".join(sides))
        self.assertIn("vernier curves %s %s\n" % tuple(sides), said)
        self.paste("hint:" + said[said.index("joined into one run"):])

    def test_the_places_of_two_single_dumps_stand_in_the_verdict(self):
        ranks = [sample("ranks", "golden", "step0", "rank%d" % rank) for rank in (0, 2)]
        self.assertIn("step 0, rank 0 against rank 2:", self.typed("compare", *ranks)[1])

    def test_a_type_of_the_monitor_is_known_by_its_first_words(self):
        self.assertEqual(self.typed("monitor", sample("monitor"), "--type", "grad", "--format", "json")[:2],
                         self.typed("monitor", sample("monitor"), "--type", "grad_reduced", "--format", "json")[:2])
        code, _, said = self.typed("monitor", sample("monitor"), "--type", "gra")
        self.assertEqual(code, 3)
        self.assertIn("there are types grad_reduced", said)

    def test_a_table_without_a_loss_names_its_columns_and_the_option(self):
        self.write("de.csv", "Schritt;Verlust\n" + "".join("%d;3,%d\n" % (step, 9 - step) for step in range(8)))
        self.assertIn("there are Verlust: --loss NAME", self.typed("curves", "de.csv")[1])
        self.assertIn("Nothing was judged: no series is known as a loss. Name the one that is.\n\n  vernier curves RUN --loss NAME\n",
                      self.typed("explain", "vernier-curves")[1])
        self.assertIn("loss 3.90 to 3.20", self.typed("curves", "de.csv", "--loss", "Verlust")[1])
        self.assertIn("No run was compared with another", self.typed("explain", "vernier-curves")[1])

    def test_a_folder_of_runs_is_several_runs_wherever_their_logs_lie_and_however_the_loss_is_called(self):
        for loss in ("loss", "actor/pg_loss", "train_loss"):
            for run_name, bias in (("npu", 0.1), ("gpu", 0)):
                for place in ("runs/%s/files/history.jsonl", "flat/%s.jsonl"):
                    self.write(loss.replace("/", "-") + "/" + place % run_name,
                               "".join('{"step": %d, "%s": %.3f}\n' % (step, loss, 9 / step + bias) for step in range(1, 40)))
            for place, line in (("runs", "runs/gpu %s/runs/npu"), ("flat", "flat/gpu.jsonl %s/flat/npu.jsonl")):
                at = loss.replace("/", "-")
                said = self.typed("curves", "%s/%s" % (at, place))[2]
                self.assertIn("To compare two: vernier curves %s/%s\n" % (at, line % at), said)
                self.assertIn("OUTSIDE   tolerance from step 1: ", said)

    def test_a_path_that_is_not_there_is_answered_with_the_one_next_to_it_that_is_spelled_like_it(self):
        shutil.copytree(sample("gpt"), self.path("a b"))
        for words in (("compare", "a b/golden", "a b/tagret"), ("graph", "a b/tagret/"), ("curves", "a b/tagret")):
            self.assertIn("hint: did you mean 'a b/target'?\n", self.typed(*words)[2])
        self.assertIn("no file has a name of this pattern", self.typed("curves", "a b/*.csv")[2])

    def test_msprobe_s_framework_and_help_may_stand_in_front(self):
        self.assertEqual(self.typed("-f", "pytorch", "compare", "-tp", TARGET, "-gp", GOLDEN, "-o", "x.md")[0], 1)
        self.assertEqual(self.typed("--lang", "zh", "--help")[:2], self.typed("--help", "--lang", "zh")[:2])
        self.assertIn("vernier advise skip x.log", (self.write("x.log", ""), self.typed("advise", "x.log"))[1][2])

    def test_a_folder_of_logs_is_answered_with_the_line_that_gives_each_its_role(self):
        shutil.copytree(sample("curves"), self.path("logs"))
        self.assertIn("vernier curves logs/golden.csv logs/target.csv --noise logs/golden-again.csv\n", self.typed("curves", "logs")[2])

    def test_a_file_that_no_part_of_the_answer_fills_is_said_even_when_quiet(self):
        for name in ("golden", "target"):
            checkpoints.write_safetensors(self.path(name + ".safetensors"), {"fc.weight": checkpoints.Tensor([2], [1.0, 2.0])})
        code, _, said = self.typed("compare", "golden.safetensors", "target.safetensors", "-o", "x.junit.xml", "-q")
        self.assertEqual(code, 0)
        self.assertIn("x.junit.xml: -o: nothing was written", said)

    def test_init_writes_settings_a_script_and_ci_files_that_work_and_leaves_what_is_there(self):
        shutil.copytree(sample("gpt"), self.path("runs"))
        os.mkdir(self.path("job"))
        code, out, said = self.typed("init", "runs/golden", "runs/target", "--noise", "runs/golden", "--ci", "github", "-o", "job")
        self.assertEqual(code, 0, said)
        self.assertRegex(out, "^WROTE +vernier.toml, nightly.sh, .github/actions/vernier/action.yml, .github/workflows/accuracy.yml; ")
        folder = os.path.realpath(self.path("runs"))
        with open(self.path("job", ".github/workflows/accuracy.yml"), encoding="utf-8") as file:
            self.assertIn("          golden: '%s/golden'\n          target: '%s/target'\n" % (folder, folder), file.read())
        self.assertIn("runs/golden", run("config", cwd=self.path("job"))[1])
        os.unlink(self.path("job", "vernier.toml"))  # golden is no noise of its own
        done = subprocess.run(["sh", "nightly.sh"], cwd=self.path("job"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, PATH=os.path.dirname(VERNIER) + ":" + os.environ["PATH"]))
        self.assertEqual((done.returncode, done.stdout.decode()[:23]), (1, "## target\n\n**DIVERGES**"), done.stderr)
        self.assertTrue(os.path.exists(self.path("job/reports/target/index.html")))
        self.write("job/nightly.sh", "mine")
        code, out, said = self.typed("init", "runs/golden", "runs/target", "-o", "job")
        self.assertIn("WROTE     vernier.toml; ", out)
        code, out, said = self.typed("init", "runs/golden", "runs/target", "-o", "job", "-q")
        self.assertEqual((code, out, "nightly.sh: this file is there and was left" in said), (0, "", True), said)
        self.assertEqual(self.typed("study", "--init", "runs", "-q")[0], 0)

    def test_init_knows_logs_and_the_runs_of_the_folder(self):
        os.mkdir(self.path("job"))
        self.assertEqual(self.typed("init", sample("curves", "golden.csv"), sample("curves", "target.csv"), "-o", "job")[0], 0)
        with open(self.path("job/nightly.sh"), encoding="utf-8") as file:
            self.assertIn("\ncommand=curves ", file.read())
        shutil.copytree(sample("gpt"), self.path("here"))
        self.assertEqual(run("init", cwd=self.path("here"))[0], 0)
        self.assertEqual((self.typed("init")[0], self.typed("init", "no", "such")[0], self.typed("init", GOLDEN)[0]), (2, 3, 2))

    def test_a_monitor_is_watched_as_logs_are(self):
        shutil.copytree(sample("monitor"), self.path("grows"))
        code, out, _ = self.typed("monitor", "grows", "--watch", "--interval", "0.1", "--idle", "0.3", "--format", "json")
        self.assertEqual((code, out), self.typed("monitor", "grows", "--format", "json")[:2])


SOURCE = os.path.join(os.path.dirname(os.path.abspath(SAMPLES)), "src")
TEXT = r'tr\(((?:"(?:[^"\\]|\\.)*"|STR_FMT|\s)+)\)'


def texts(statement):
    """The English texts of a statement in C, each as printf's format."""
    return ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text.replace("STR_FMT", '"%s"'))).replace("\\n", "").strip()
            for text in re.findall(TEXT, statement)]


def sources():
    for at, _, names in os.walk(SOURCE):
        for name in names:
            if name.endswith(".c"):
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    yield file.read()


@unittest.skipUnless(os.path.isdir(SOURCE), "the source is not here")
class Hints(Case):
    """Every message that proposes a line to type is caused in folders whose names a shell would take apart, and its lines are run."""

    def setUp(self):
        super().setUp()
        self.write("vernier.toml", 'format = ["json"]\n')
        self.here = "it's night 1/with a $long name " + "x" * 120
        for names, place in ((("gpt",), "gpt"), (("curves",), "logs"), (("monitor",), "mon"), (("monitor",), "two/a 1"), (("monitor",), "two/b 2"),
                             (("gpt",), "free"), (("gpt", "target"), "mixed/dump x"), (("gpt", "target"), "mixed/dump y")):
            shutil.copytree(sample(*names), self.path(self.here, place))
        for old, new in (("golden", "alpha"), ("target", "beta")):
            os.rename(self.path(self.here, "free", old), self.path(self.here, "free", new))
        shutil.copy(sample("curves", "golden.csv"), self.path(self.here, "mixed"))
        shutil.copy(sample("curves", "target.csv"), self.path(self.here, "mixed"))
        for side, ranks in (("golden", (0, 1)), ("target", (2, 3))):
            for rank in ranks:
                shutil.copytree(sample("ranks", side, "step0", "rank%d" % rank), self.path(self.here, "apart", side, "step0/rank%d" % rank))
        self.write(self.here + "/one.json", json.dumps({"npu_path": self.path(self.here, "gpt/target")}))
        self.write(self.here + "/with/study.yaml", "")
        subprocess.run(["sh", "-c", "cd \"$1\" && \"$2\" study --init ../gpt/golden ../gpt/target > study.yaml 2> /dev/null", "sh",
                        self.path(self.here, "with"), VERNIER], check=True)
        subprocess.run([sys.executable, sample("precheck", "make-precheck.py"), self.path(self.here, "checks")], check=True, stdout=subprocess.DEVNULL)
        run("compare", GOLDEN, TARGET, "-o", self.path(self.here, "both.vis.db"), "-q")

    def at(self, *names):
        return os.path.join(self.here, *names)

    def test_every_line_that_a_message_proposes_works_when_pasted(self):
        golden, target, csv = self.at("gpt/golden"), self.at("gpt/target"), "May06_15-00-01-rank0-b2f0e6ab/grad_reduced_0-9.csv"
        logs = [self.at("logs", name) for name in ("golden.csv", "target.csv")]
        said = [run(*words, cwd=self.folder)[2] for words in (
            ("curves", ",".join(logs)), ("graph", self.at("gpt")), ("check", self.at("two")), ("compare", self.at("gpt")), ("compare", golden),
            ("compare", self.at("one.json")), ("compare", target, golden), ("compare", self.at("free"), golden),
            ("compare", self.at("apart/golden"), self.at("apart/target")), (self.at("free"),), (self.at("mixed"),), ("curves", self.at("mon", csv)),
            ("curves", self.at("mon")), ("study", self.at("with")), ("study", self.at("gpt")), ("advise", "skip", *logs), ("advise", logs[0]), ("curves", golden),
            ("graph", self.at("mon")), ("history", self.at("both.vis.db")), ("precheck", self.at("checks")), ("curves", self.at("logs")))]
        wanted = {text for source in sources() for call in re.finditer(TEXT + r"[^;{]*?\b(?:SHELL_LINE|line_for_two)\(", source)
                  for text in texts(call.group(0))}
        self.assertGreater(len(wanted), 19)
        pasted = set()
        for text in wanted:
            form = re.compile(re.sub(r"%(?:\\?\.\\?\*)?s", "(.+)", re.escape(text).replace("\\%", "%")) + "$", re.M)
            found = [match for printed in said for match in form.finditer(printed)]
            self.assertTrue(found, "no message of this test is %r" % text)
            tail = text[text.rfind("%s") + 2:] if text.endswith((".csv", ".yaml")) else ""
            pasted |= {group + tail for match in found for group in match.groups() if re.match("vernier .*[^A-Z]$", group)}
        for line in sorted(pasted):
            done = subprocess.run(["sh", "-c", line], cwd=self.folder, capture_output=True,
                                  env=dict(os.environ, PATH=os.path.dirname(VERNIER) + ":" + os.environ["PATH"]))
            self.assertIn(done.returncode, (0, 1, 4), (line, done.stderr.decode()))

    def test_no_message_puts_a_path_into_a_line_to_type_without_quoting_it(self):
        bare = [text for source in sources() for text in texts(source) if re.search(r"vernier (?!help)[a-z]+(?: --?[a-z]+)* %s", text)]
        self.assertEqual(bare, [])


if __name__ == "__main__":
    main()
