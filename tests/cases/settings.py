# SPDX-License-Identifier: Apache-2.0
"""vernier.toml, VERNIER_* and 'vernier config'; VERNIER, SAMPLES."""
import json
import os
import re
import shutil
import unittest

from program import SAMPLES, Case, run

GPT = os.path.join(SAMPLES, "gpt")
SIDES = (os.path.join(GPT, "golden"), os.path.join(GPT, "target"))
FULL = """# the defaults of a team
format = ["html", "json"]
lang = 'en'
html = "file"
theme = "light"
palette = "vernier"
redact = true
jobs = 2
color = "never"

[compare]
noise = [
    "again",   # from the folder of this file
]
[curves]
noise = "nowhere.csv"   # of pairs alone
limits = "ABSOLUTE=0.5"
criterion = "long"
"""


class Settings(Case):
    def setUp(self):
        super().setUp()
        os.makedirs(self.path("below", "deep"))
        os.chdir(self.path("below", "deep"))

    def settings(self, text, name="vernier.toml"):
        return self.write(name, text)

    def again(self):
        """Another run of golden, with a little noise."""
        shutil.copytree(SIDES[0], self.path("again"))
        path = self.path("again", "step0", "rank0", "dump.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r'("Norm": )(\d+\.\d+)', lambda m: m[1] + repr(float(m[2]) * (1 + 1e-7)), text))

    def summary(self, *words, **environment):
        code, _, said = run("compare", *SIDES, "-o", "s.json", *words, **environment)
        with open("s.json", encoding="utf-8") as file:
            return code, said, json.load(file)

    def test_a_file_above_counts_and_says_where_the_noise_comes_from(self):
        self.again()
        self.settings(FULL.replace("redact = true\n", ""))
        code, said, facts = self.summary()
        self.assertEqual(code, 1)
        self.assertIn("../../vernier.toml:11: --noise ../../again is set here, not on the command line", said)
        self.assertIn("../../again", json.dumps(facts["pairs"][0]) + json.dumps(facts["noise_floor"]) + json.dumps(facts["problems"]))
        self.assertIn("--noise ../../again is set here", json.dumps(facts["problems"]))
        self.assertNotIn("noise not measured", facts["verdict"])
        typed = self.summary("--no-config", "--noise", "../../again")[2]
        self.assertEqual(typed["verdict"] + " Judged by settings: --noise (../../vernier.toml).", facts["verdict"])
        self.assertIn("noise not measured", self.summary("--no-config")[2]["verdict"])

    def test_a_verdict_says_itself_which_settings_decided_it_also_when_quiet(self):
        self.write("c.yaml", "limits: {norm: 1e9, mean: 1e9, max: 1e9, min: 1e9}\n")
        self.settings('[compare]\ncriteria = "c.yaml"\n')
        told = "Judged by settings: --criteria (../../vernier.toml)."
        notice = "../../vernier.toml:2: --criteria ../../c.yaml is set here"
        code, out, said = run("compare", "-q", *SIDES, "--format", "junit", "-o", "j.xml")
        self.assertEqual((code, out, said.count("\n")), (0, "", 1))
        self.assertIn(notice, said)
        with open("j.xml", encoding="utf-8") as file:
            self.assertIn(told, file.read())
        self.assertEqual(run("compare", "-qq", *SIDES, "-o", "j.xml"), (0, "", ""))
        code, out, said = run("compare", *SIDES, "-o", "made/", "--format", "json,md")
        self.assertEqual((code, out.startswith("AGREES"), out.endswith(told + "\n"), said.count(notice)), (0, True, True, 1))
        for name in ("summary.json", "summary.md"):
            with open(os.path.join("made", name), encoding="utf-8") as file:
                self.assertIn(told, file.read())
        self.assertIn("判定依据设置：--criteria (../../vernier.toml)。", run("compare", *SIDES, "--lang", "zh", "-o", "j.xml")[1])
        self.assertIn("--criteria (VERNIER_COMPARE_CRITERIA).",
                      run("compare", *SIDES, "-o", "j.xml", VERNIER_COMPARE_CRITERIA="../../c.yaml")[1])
        self.assertNotIn("Judged by", run("compare", *SIDES, "--criteria", "../../c.yaml", "-o", "j.xml")[1])
        run("compare", *SIDES, "--shard", "1/1", "-o", "part/")
        os.rename("../../vernier.toml", "../../gone.toml")
        self.assertIn(told, run("merge", "part", "-o", "whole/", "--format", "json")[1])

    def test_curves_say_which_settings_decided_them(self):
        golden, again, target = (os.path.join(SAMPLES, "curves", name) for name in ("golden.csv", "golden-again.csv", "target.csv"))
        shutil.copy(again, self.path("again.csv"))
        self.settings('[curves]\nnoise = "again.csv"\nlimits = ["ABSOLUTE=0.5", "MEAN=2"]\n')
        told = " Judged by settings: --noise (../../vernier.toml), --limits (../../vernier.toml)."
        code, out, said = run("curves", golden, target, "-o", "made/", "--format", "json,md,sarif")
        self.assertIn("vernier.toml:3: --limits ABSOLUTE=0.5,MEAN=2 is set here", said)
        typed = run("curves", golden, target, "-o", "t.json", "--no-config", "--noise", "../../again.csv", "--limits", "ABSOLUTE=0.5,MEAN=2")
        self.assertEqual((code, out), (typed[0], typed[1].rstrip("\n") + "." + told + "\n"))
        for name in ("summary.json", "summary.md", "vernier.sarif"):
            with open(os.path.join("made", name), encoding="utf-8") as file:
                self.assertIn(told, file.read())
        self.assertIn("。判定依据设置：--noise", run("curves", golden, target, "--lang", "zh", "-o", "t.json")[1])
        self.assertEqual(run("curves", target, "-o", "t.json")[1].count("Judged"), 0)
        code, out, said = run("curves", golden, again, "-o", "t.json")
        self.assertEqual((code, "--noise comes from ../../vernier.toml; --no-config" in said), (2, True))

    def test_stages_of_a_study_are_judged_by_the_settings_of_their_commands(self):
        self.write("c.yaml", "limits: {norm: 1e9, mean: 1e9, max: 1e9, min: 1e9}\n")
        shutil.copy(os.path.join(SAMPLES, "curves", "golden-again.csv"), self.path("again.csv"))
        self.settings('[compare]\ncriteria = "c.yaml"\n[curves]\nnoise = "again.csv"\nlimits = "ABSOLUTE=9"\n')
        curves = "{golden: %s/curves/golden.csv, target: %s/curves/target.csv" % (SAMPLES, SAMPLES)
        self.write("study.yaml", "dumps: {golden: %s, target: %s}\nlong_run: %s}\nnoise: %s, runs: %s/curves/golden-again.csv}\n" %
                   (*SIDES, curves, curves, SAMPLES))
        stages = {}
        for extra in ([], ["--no-config"]):
            code, out, said = run("study", "../../study.yaml", "-o", "s.json", *extra)
            with open("s.json", encoding="utf-8") as file:
                stages[not extra] = {stage["stage"]: stage for stage in json.load(file)["stages"]}
            told = "Judged by settings: --noise (../../vernier.toml), --criteria (../../vernier.toml)."
            self.assertEqual((code, told in out, "--criteria ../../c.yaml is set here" in said), (1, not extra, not extra))
        self.assertEqual([stages[kept]["dumps"]["status"] for kept in (True, False)], ["passed", "failed"])
        self.assertIn("Judged by settings: --criteria", stages[True]["dumps"]["number"])
        self.assertIn("times the noise", stages[True]["long_run"]["number"])
        self.assertNotIn("times the noise", stages[False]["long_run"]["number"])
        self.assertEqual(stages[True]["noise"], stages[False]["noise"], "a stage that names its runs keeps them, and its limits")
        said = run("study", "../../study.yaml", "-o", "s.json", "-q", "--exit-zero")[2]
        self.assertIn("--criteria ../../c.yaml is set here", said)

    def test_an_agreement_that_a_setting_made_is_told_to_ci(self):
        self.write("c.yaml", "limits: {norm: 1e9, mean: 1e9, max: 1e9, min: 1e9}\n")
        self.settings('[compare]\ncriteria = "c.yaml"\n')
        told = "Judged by settings: --criteria (../../vernier.toml)."
        ranks = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]
        formats = ["--format", "json,sarif,codequality,github"]
        self.assertEqual(run("compare", *ranks, "-o", "made/", *formats)[0], 0)
        for part in ("1/2", "2/2"):
            run("compare", *ranks, "--shard", part, "-o", "parts/" + part[0], "--format", "json")
        self.assertEqual(run("merge", "parts", "-o", "merged/", *formats)[0], 0)
        for folder in ("made", "merged"):
            for name in ("vernier.sarif", "gl-code-quality-report.json", "annotations.txt"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                self.assertEqual((text.count(told), "error" in text), (1, False), name)
            with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
                facts = json.load(file)
            self.assertTrue(all(pair["verdict"].endswith(told) for pair in facts["pairs"]), facts["pairs"][0])
        self.assertEqual(run("compare", *ranks, "--no-config", "-o", "made/", *formats)[0], 1)
        with open("made/vernier.sarif", encoding="utf-8") as file:
            self.assertNotIn("Judged", file.read())

    def test_the_value_of_another_option_is_no_option(self):
        self.settings('lang = "zh"\n')
        self.settings('lang = "en"\n', "other.toml")
        for words in (("--title", "--no-config"), ("--title", "--config=../../other.toml"), ("--title", "--lang", "--title=en")):
            with self.subTest(words=words):
                self.assertIn("vernier: 错误", run("compare", "a", "b", *words, "-o", "z.md")[2])
                self.assertIn("vernier: 错误", run(*words, "compare", "a", "b", "-o", "z.md")[2])
        self.assertIn("vernier: 错误", run("compare", "-o", "--no-config", "a", "b")[2])
        for words in (("--title=x", "--no-config"), ("-q", "--no-config"), ("-o", "z.md", "--config", "../../other.toml")):
            self.assertIn("vernier: error", run("compare", "a", "b", *words)[2])

    def test_what_is_wrong_with_settings_is_said_in_their_language(self):
        self.settings('lang = "zh"\njobz = 1\n')
        said = run("config")[2]
        self.assertIn("未知的设置 'jobz'", said)
        self.assertNotIn("unknown", said)

    def test_the_command_to_repeat_a_report_holds_the_settings(self):
        self.again()
        self.settings('[compare]\nnoise = "again"\n')
        run("compare", *SIDES, "-o", "r.md")
        with open("r.md", encoding="utf-8") as file:
            self.assertIn("--noise ../../again", file.read())

    def test_the_command_line_counts_before_the_environment_before_the_file(self):
        self.settings('lang = "zh"\n[compare]\nlang = "en"\n')
        self.assertIn("vernier: error", run("compare", "a", "b")[2])
        self.assertIn("vernier: 错误", run("graph", "a")[2])
        self.assertIn("vernier: error", run("graph", "a", VERNIER_LANG="en")[2])
        self.assertIn("vernier: 错误", run("graph", "a", "--lang", "zh", VERNIER_LANG="en")[2])
        self.assertIn("vernier: error", run("graph", "a", "--no-config", VERNIER_LANG="zh")[2])

    def test_no_command_fails_because_of_what_is_set(self):
        self.again()
        self.settings(FULL)
        made = {}
        for name, words in (("graph", [SIDES[0]]), ("compare", SIDES), ("check", [SIDES[0]]), ("locate", [SIDES[0]]),
                            ("curves", [os.path.join(SAMPLES, "curves", "golden.csv")]),
                            ("monitor", [os.path.join(SAMPLES, "monitor")]), ("convert", [SIDES[0], "-o", "d.jsonl"]),
                            ("compare", ["--runs", *SIDES]), ("explain", ["made/summary.json"])):
            out = [] if "-o" in words or name == "explain" else ["-o", "made/"]
            codes = [run(name, *words, *out, *extra)[0] for extra in (["--no-config", "--format", "json"][:1 + 2 * bool(out)], [])]
            made[name] = codes
            with self.subTest(command=name):
                self.assertEqual(codes[0], codes[1])
                self.assertLess(codes[1], 2)
            if name == "graph":
                self.assertEqual(sorted(os.listdir("made")), ["index.html", "summary.json"])

    def test_checkpoints_are_compared_as_without_settings_of_dumps(self):
        self.settings('[compare]\nnoise = "nowhere"\n')
        code, _, said = run("compare", "--runs", *SIDES, "-o", "r.json")
        self.assertNotIn("nowhere", said)
        self.assertLess(code, 2)
        code, _, said = run("compare", *SIDES, "-o", "r.json")
        self.assertEqual((code, "nowhere: no such file" in said), (3, True))

    def test_what_is_wrong_with_a_file_is_told_with_its_line(self):
        for text, line, words in (('jobz = 1', 1, "did you mean jobs?"), ('\noutput = "x"', 2, "only be given on the command line"),
                                  ('templates = "x"', 1, "only be given on the command line"),
                                  ('exit-zero = true', 1, "only be given on the command line"),
                                  ('[comapre]\nnoise = "x"', 2, "did you mean compare?"),
                                  ('[compare]\nnosie = "x"', 2, "did you mean noise?"), ('[version]\nlang = "en"', 2, "is no command"),
                                  ('lang = "fr"', 1, "expected one of en|zh"), ('jobs = "2"', 1, "expected a whole number"),
                                  ('jobs = 1.5', 1, "end of the line"), ('redact = 1', 1, "expected true or false"),
                                  ('lang = zh', 1, "expected a text in quotes"), ('lang = "zh', 1, "end of the text in quotes"),
                                  ('lang = "a\\n"', 1, "after a backslash"), ('format = ["a" "b"]', 1, "expected , or ]"),
                                  ('format = [', 1, "expected a text in quotes"), ('lang = ["en"]', 1, "expected a text in quotes"),
                                  ('lang = "en"\nlang = "zh"', 2, "first in line 1"), ('[a', 1, "expected [NAME]"),
                                  ('[[a]]', 1, "expected [NAME]"), ('= 1', 1, "NAME = VALUE"), ('\0', 1, "NAME = VALUE")):
            with self.subTest(text=text):
                self.settings(text)
                code, out, said = run("compare", *SIDES)
                self.assertEqual((code, os.path.exists("vernier-compare")), (2, False))
                self.assertIn("../../vernier.toml:%d: " % line, said)
                self.assertIn(words, said)
                self.assertEqual(run("config")[0], 2)
                self.assertEqual(run("help", "compare")[0], 0)

    def test_odd_files_are_read_or_refused(self):
        for text, good in (("", True), ("\ufeff# nothing\r\nlang = \"en\"\r\n", True), ("x" * (2 << 20), False),
                           ('format = [ # a\n\n "html",\n]', True), ('lang = "en" # end', True), ("[compare]", True)):
            self.settings(text)
            self.assertEqual(run("config")[0], 0 if good else 2, text[:40])
        self.assertEqual(run("config", "--config", "nowhere.toml")[0], 3)
        self.assertEqual(run("config", "--config", ".")[0], 3)
        self.assertEqual(run("config", "more")[0], 2)

    def test_config_says_what_is_in_force_and_what_may_be(self):
        self.settings(FULL)
        code, text, _ = run("config")
        self.assertEqual((code, "  compare.noise = ../../again  (../../vernier.toml:12)\n" in text), (0, True))
        code, text, _ = run("config", VERNIER_JOBS="3", VERNIER_COMPARE_NOISE="/a:/b")
        for line in ("settings of ../../vernier.toml", "  jobs = 3  (VERNIER_JOBS)\n",
                     "  compare.noise = /a, /b  (VERNIER_COMPARE_NOISE)\n", "VERNIER_COMPARE_CRITERIA"):
            self.assertIn(line, text)
        self.assertNotIn("jobs = 2", text)
        self.assertNotIn("again", text)
        self.assertIn("no vernier.toml is in force", run("config", "--no-config")[1])
        self.settings('lang = "zh"', "other.toml")
        self.assertIn("settings of ../../other.toml", run("config", "--config=../../other.toml", LC_ALL="C")[1] +
                      run("config", "--config=../../other.toml", "--lang", "en")[1])

    def test_a_variable_that_is_no_value_is_refused(self):
        for name, value in (("VERNIER_REDACT", "maybe"), ("VERNIER_JOBS", "many"), ("VERNIER_LANG", "fr")):
            code, _, said = run("graph", SIDES[0], **{name: value})
            self.assertEqual(code, 2)
            self.assertIn(value, said)

    def test_redaction_that_is_set_leaves_folders_out(self):
        self.again()
        self.settings(FULL)
        code, said, facts = self.summary()
        self.assertNotIn(self.folder, said + json.dumps(facts))
        self.assertNotIn("again", json.dumps(facts))


if __name__ == "__main__":
    unittest.main()
