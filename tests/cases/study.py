#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command `vernier study` as users call it: the sample of the guide's case before and after, inputs taken
away one by one, hostile files, the same bytes twice, Chinese, --redact, --init."""
import json
import os
import re
import shutil
import struct
import sys
import zipfile

import program
from program import Case, DATA, SAMPLES, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "defects"))
import make_defects  # noqa: E402

SAMPLE = os.path.join(SAMPLES, "study")
FAST = ("--format", "json,md")


def run(*arguments, cwd=None):
    code, said, err = program.run(*arguments, cwd=cwd)
    return code, said, err.strip().split("\n")


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def files_of(folder):
    return {name: read_bytes(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


class Study(Case):
    def setUp(self):
        super().setUp()
        self.case = os.path.join(self.folder, "case")
        shutil.copytree(SAMPLE, self.case)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path("case", name)), exist_ok=True)
        with open(self.path("case", name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.path("case", name)

    def study(self, yaml, *options, out="out", formats=FAST):
        code, _, said = run("study", self.path("case", yaml), "-o", self.path(out), *formats, *options)
        summary = None
        if os.path.exists(self.path(out, "summary.json")):
            with open(self.path(out, "summary.json")) as file:
                summary = json.load(file)
        return code, summary, said

    @staticmethod
    def stages(summary):
        return {stage["stage"]: stage for stage in summary["stages"]}

    def test_both_planted_causes_are_named_and_nothing_equal_is_accused(self):
        code, summary, said = self.study("before.yaml")
        stages = self.stages(summary)
        self.assertEqual(code, 1)
        self.assertEqual([name for name, stage in stages.items() if stage["status"] == "failed"],
                         ["local_norms", "long_run"])
        for name in ("config", "tokens", "weights", "step1_loss", "step2_loss", "lr0"):
            self.assertEqual(stages[name]["status"], "passed", name)
        self.assertIn("embedding.word_embeddings.weight differs by 4.6 %", stages["local_norms"]["number"])
        self.assertIn("fp32", stages["local_norms"]["number"])
        self.assertIn("one-dimensional weights", stages["long_run"]["number"])
        self.assertIn("decay", stages["long_run"]["number"])
        self.assertIn("+0.099", stages["long_run"]["number"])
        self.assertEqual(summary["symptom"]["kind"], "first-step difference")
        self.assertEqual(summary["symptom"]["dump_step"], 0)
        self.assertIn("decay", summary["symptom"]["place"])
        self.assertTrue(said[-1].startswith("FAILED"))
        self.assertEqual(summary["verdict"], said[-1])

    def test_the_mended_run_passes_within_three_hundredths(self):
        code, summary, said = self.study("after.yaml")
        stages = self.stages(summary)
        self.assertEqual(code, 0, said)
        self.assertEqual(summary["counts"], {"passed": 9, "failed": 0, "not_done": 8})
        largest = float(re.search(r"largest ([0-9.]+)", stages["long_run"]["number"]).group(1))
        self.assertLess(largest, 0.03)
        self.assertIn("before the fix +0.099", stages["long_run"]["number"])
        self.assertEqual(summary["symptom"]["kind"], "none")
        self.assertTrue(said[-1].startswith("PASSED"))

    def test_a_stage_without_data_says_what_it_needs(self):
        _, summary, _ = self.study("after.yaml")
        for name in ("dumps", "check", "monitor", "skip", "health"):
            stage = self.stages(summary)[name]
            self.assertEqual(stage["status"], "not done")
            self.assertTrue(stage["needs"] and stage["collect"])
            self.assertFalse(stage["unreadable"])

    def test_taking_one_input_away_changes_only_its_stage(self):
        _, whole, _ = self.study("after.yaml")
        whole = self.stages(whole)
        with open(self.path("case", "after.yaml")) as file:
            lines = file.read().split("\n")
        for name, stage in whole.items():
            if stage["status"] == "not done":
                continue
            at = next(i for i, line in enumerate(lines) if line.startswith(name + ":"))
            end = next((i for i in range(at + 1, len(lines)) if lines[i] and not lines[i].startswith(" ")), len(lines))
            # Named, but not there.
            section = [line.replace("fixed/", "nowhere/") for line in lines[at:end]]
            self.write("named.yaml", "\n".join(lines[:at] + section + lines[end:]))
            code, summary, said = self.study("named.yaml", out="named-" + name)
            self.assertEqual(code, 4, (name, said))
            self.assertTrue(summary["partial"])
            self.check_only(name, whole, self.stages(summary), True)
            # Not named at all.
            self.write("without.yaml", "\n".join(lines[:at] + lines[end:]))
            code, summary, said = self.study("without.yaml", out="without-" + name)
            self.assertEqual(code, 0, (name, said))
            self.check_only(name, whole, self.stages(summary), False)

    def check_only(self, name, before, after, unreadable):
        for other in before:
            if other == name:
                self.assertEqual(after[other]["status"], "not done")
                self.assertEqual(after[other]["unreadable"], unreadable)
            else:
                self.assertEqual(after[other], before[other], (name, other))

    def test_the_workbook_has_the_charts_of_every_stage(self):
        self.assertEqual(program.run("study", os.path.join(program.SAMPLES, "study", "before.yaml"), "-o", self.out, "--format", "xlsx")[0], 1)
        with zipfile.ZipFile(os.path.join(self.out, "study.xlsx")) as book:
            names = re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
        self.assertEqual((len(names), sum(name.startswith("Chart") for name in names)), (len(set(names)), 4), names)

    def test_twice_the_same_bytes_in_every_format(self):
        formats = ("--format", "html,md,json,xlsx,svg,png,pdf,csv")
        self.study("before.yaml", out="one", formats=formats)
        self.study("before.yaml", out="two", formats=formats)
        one, two = files_of(self.path("one")), files_of(self.path("two"))
        self.assertEqual(sorted(one), sorted(two))
        for name in one:
            self.assertEqual(one[name], two[name], name)
        for name in ("index.html", "study.md", "study.xlsx", "study.pdf", "summary.json", "ladder.svg", "ladder.png",
                     "ladder.csv", "long_run-curves.svg", "long_run-curves.png", "local_norms-local-norms.png"):
            self.assertIn(name, one)
        self.assertLess(len(one["index.html"]), 2 << 20)
        self.assertTrue(one["study.pdf"].startswith(b"%PDF"))
        self.check_texts(one)
        with zipfile.ZipFile(self.path("one", "study.xlsx")) as book:
            sheets = re.findall(r'<sheet name="([^"]*)"', book.read("xl/workbook.xml").decode())
        self.assertEqual(sheets[:2], ["Summary", "Ladder"])
        self.assertEqual(sheets[-1], "Inputs")
        self.assertTrue(any("Differences" in name for name in sheets), sheets)

    def check_texts(self, files):
        page, text = files["index.html"].decode(), files["study.md"].decode()
        self.assertLess(page.index("<figure"), page.index("What was seen"))  # the ladder comes first
        self.assertIn("<strong>0.1 above</strong>", page)
        self.assertIn("<code>bf16</code>", page)
        self.assertIn("(long_run-curves.png)", text)
        self.assertIn("**0.1 above**", text)
        for name in re.findall(r"\]\(([^)#:]+\.png)\)", text):
            self.assertIn(name, files)

    def test_the_author_cannot_inject_html(self):
        self.write("evil.yaml", "text: |\n  # <script>alert(1)</script>\n\n  <img src=x onerror=a> [x](javascript:alert(1)) "
                   "[y](https://e.org/\"onclick=\") **<b>**\n\n  - <i>`</code>`\n\n  | <u> |\n  |---|\n  | <s> |\n\n"
                   "  ![[<q>]]\n\ntokens: {golden: golden/tokens.npy, target: fixed/tokens.npy}\n")
        code, _, _ = self.study("evil.yaml", formats=("--format", "html,md,json"))
        self.assertEqual(code, 0)
        page = files_of(self.path("out"))["index.html"].decode()
        for part in ("<script>alert", "<img src=x", "javascript:alert(1)\"", "onclick=\"", "<u>", "<s>", "<q>", "<i>`"):
            self.assertNotIn(part, page)
        self.assertIn("&lt;img src=x", page)

    def test_the_author_s_prose_is_in_every_form_of_text(self):
        self.write("prose.yaml", "text: |\n  # What was seen\n\n  It is **0.1 above**, in *both*; see [the guide](https://e.org/a) and `bf16`.\n\n"
                   "  - first **point**\n    - within\n\n  1. one\n  2. two\n\n  ```\n  a  {noformat}\n\n  b\n  ```\n\n"
                   "  | name | value |\n  |---|---|\n  | x | 1 |\n\ntokens: {golden: golden/tokens.npy, target: fixed/tokens.npy}\n")
        forms = {
            "txt": ("It is 0.1 above, in both; see the guide (https://e.org/a) and bf16.", "- first point\n", "  - within\n", "1. one\n2. two\n", "  b\n"),
            "jira": ("It is *0.1 above*, in _both_; see [the guide|https://e.org/a] and {{bf16}}.", "* first *point*\n** within\n", "# one\n# two\n",
                     "{noformat}\na  { noformat}\n\nb\n{noformat}", "||name ||value ||\n|x |1 |\n"),
            "fragment": ('It is <strong>0.1 above</strong>, in <em>both</em>; see <a href="https://e.org/a">the guide</a> and <code>bf16</code>.',
                         "<ul>\n<li>first <strong>point</strong></li>\n", "<ol>\n<li>one</li>\n<li>two</li>\n</ol>", "<td>x</td><td>1</td>"),
            "chat": ("PASSED",),
        }
        for form, parts in forms.items():
            out = self.path("out." + form)
            self.assertEqual(program.run("study", self.path("case", "prose.yaml"), "-o", out, "--format", form)[0], 0, form)
            text = b"\n".join(files_of(out).values()) if os.path.isdir(out) else read_bytes(out)
            for part in parts:
                self.assertIn(part, text.decode(), form)

    def test_a_limit_of_the_study_file_is_in_force_and_shown(self):
        with open(self.path("case", "before.yaml")) as file:
            text = file.read()
        text = text.replace("names: names.csv}", "names: names.csv, percent: 5}").replace("  golden_weights:", "  absolute: 0.2\n  percent: 3\n  golden_weights:")
        text = text.replace("lr0: {", "lr0: {loss: 0.0001, ").replace("step2_loss: {", "step2_loss: {absolute: 0.0001, percent: 0.0001, ")
        self.write("limits.yaml", text)
        _, summary, said = self.study("limits.yaml")
        before, stages = self.stages(self.study("before.yaml", out="before")[1]), self.stages(summary)
        wanted = {"local_norms": ("passed", "5 %", "LOCAL-LOOK=5"), "long_run": ("passed", "beyond 0.2 ", "ABSOLUTE=0.2,MEAN=3"),
                  "lr0": ("failed", "0.0001 (loss)", "LR0-LOSS=0.0001"), "step2_loss": ("failed", "0.0001 or 0.0001 %", "")}
        for name, stage in stages.items():
            if name not in wanted:
                self.assertEqual(stage, before[name])
                continue
            status, rule, command = wanted[name]
            self.assertEqual((stage["status"], stage["source"]), (status, "limit set in study.yaml"), (name, said))
            self.assertIn(rule, stage["rule"])
            self.assertIn(command, stage["command"])

    def test_logs_of_an_own_form_are_read_by_patterns(self):
        for name, offset in (("g.log", 0), ("t.log", 1)):
            self.write(name, "".join("<<%d>> obj=%.3f g|%d|\n" % (i, 9 / i + offset, 1 + i % 3) for i in range(1, 300)))
        self.write("own.patterns", "<<{step}>> obj={loss} g|{grad_norm}|\n")
        self.write("own.yaml", "long_run:\n  golden: g.log\n  target: t.log\n  patterns: own.patterns\n"
                               "step1_loss:\n  golden: g.log\n  target: t.log\n  patterns: own.patterns\n"
                               "skip:\n  target: t.log\n  patterns: own.patterns\n")
        code, summary, said = self.study("own.yaml")
        self.assertEqual(code, 1, said)
        stages = self.stages(summary)
        self.assertEqual([stages[name]["status"] for name in ("long_run", "step1_loss", "skip")], ["failed", "failed", "passed"], stages)

    def test_dumps_on_several_threads_give_the_bytes_of_one_and_further_figures_are_named(self):
        top = SAMPLES
        self.write("dumps.yaml", "dumps: {golden: %s/ranks/golden, target: %s/ranks/target}\nmonitor: {target: %s/monitor}\n" % (top, top, top))
        formats = ("--format", "html,svg,json")
        for jobs in ("1", "3"):
            self.assertEqual(self.study("dumps.yaml", "--jobs", jobs, out="jobs" + jobs, formats=formats)[0], 1)
        self.assertEqual(files_of(self.path("jobs1")), files_of(self.path("jobs3")))
        self.assertNotRegex("\n".join(self.study("dumps.yaml", "--lang", "zh", out="zh")[2]), "[\u4e00-\u9fff][.,;]|[.。]（")
        files = files_of(self.path("jobs1"))
        page = files["index.html"].decode()
        stages = self.stages(json.loads(files["summary.json"]))
        for figure in stages["dumps"]["figures"] + stages["monitor"]["figures"]:
            self.assertIn(figure + ".svg", files)
        self.assertEqual(len(stages["dumps"]["figures"]), 4)
        left = len(stages["monitor"]["figures"]) - 4
        self.assertEqual("%d more figures of this stage are files beside this page" % left in page, left > 0)

    def test_a_nan_of_the_monitor_is_the_symptom_though_an_alarm_before_it_is_none(self):
        self.write("monitor.yaml", "monitor: {target: %s/monitor}\n" % SAMPLES)
        _, summary, _ = self.study("monitor.yaml")
        self.assertEqual((summary["symptom"]["kind"], summary["symptom"]["dump_step"]), ("overflow or NaN", 23))
        self.assertIn("step 23", self.stages(summary)["monitor"]["number"])

    def test_a_first_loss_that_is_no_number_fails_and_no_figure_is_made_of_it(self):
        for name, loss in (("g.log", "3.1"), ("n.log", "nan")):
            self.write(name, "".join("step: %d loss: %s grad_norm: 1.0 lr: 1e-4\n" % (i, loss) for i in range(20)))
        for stage in ("step1_loss", "step2_loss", "long_run"):
            self.write("nan.yaml", "%s: {golden: g.log, target: n.log}\n" % stage)
            code, summary, said = self.study("nan.yaml", out=stage)
            told = self.stages(summary)[stage]
            self.assertEqual((code, told["status"], summary["symptom"]["kind"]), (1, "failed", "overflow or NaN"), said)
            self.assertIn("no step has a number on both sides" if stage == "long_run" else "target NaN, golden 3.1", told["number"])

    def test_the_first_record_of_a_resumed_log_is_not_the_loss_of_step_1(self):
        rows = ["{'loss': %.4f, 'learning_rate': 1e-4, 'epoch': %.2f}\n" % (9 / i, i / 100) for i in range(1, 61)]
        self.write("g.log", "".join(rows))
        self.write("t.log", "".join(rows[40:]))
        self.write("resumed.yaml", "step1_loss: {golden: g.log, target: t.log}\n")
        _, summary, said = self.study("resumed.yaml")
        told = self.stages(summary)["step1_loss"]
        self.assertEqual((told["status"], "the logs do not start at the same first step" in json.dumps(told)), ("not done", True), said)

    def test_what_must_hold_in_the_target_alone_is_a_stage(self):
        make_defects.make(self.path("case", "dump"), "norm-drift", "tp=2")
        head = "check:\n  target: dump\n"
        self.write("check.yaml", head + "  layout: tp=2\n  rate: 0.1\n  skip: [step-inputs=one batch, labels=as told]\n")
        code, summary, said = self.study("check.yaml", "--history", self.path("nights.db"))
        stage = self.stages(summary)["check"]
        self.assertEqual((code, stage["status"], stage["figures"]), (1, "failed", ["check-check"]), said)
        self.assertRegex(stage["number"], r"^BROKEN norm or router weights differ .* layers\.0\.norm\.bias.* 2 skipped\.$")
        self.assertTrue(stage["command"].endswith("--layout tp=2 --skip 'step-inputs=one batch' --skip 'labels=as told' --rate 0.1"), stage["command"])
        self.assertIn("in the target alone: norm or router weights differ", summary["symptom"]["place"])
        self.assertFalse(summary["symptom"]["place"].endswith("."))
        self.assertEqual([change["name"] for change in summary["history"]["changes"]], ["check"])
        for text, status, exit_code in (("  step: 0\n", "passed", 0), ("  skip: x=y\n", "not done", 3), ("  layout: tp=3\n", "not done", 3)):
            self.write("check.yaml", head + text)
            code, summary, said = self.study("check.yaml")
            self.assertEqual((code, self.stages(summary)["check"]["status"]), (exit_code, status), (text, said))
        self.write("check.yaml", head + "  skip: []\n")
        self.assertEqual(self.study("check.yaml")[0], 3)

    def test_hostile_files_are_refused_with_their_line(self):
        cases = {"a: 1": ":1:", "config: [1, 2]": ":1:", "config: {golden: {a: b}}": ":1:", "\n\nconfig: {gold: x}": ":3:",
                 "names: {golden: 'a=b'}": ":1:", "skip: {target: x, threshold: many}": ":1:", "[1]": ":1:", "": ":1:",
                 "a: &x [*x]": "", "!!python/object:os.system {a: b}": "", "{" * 200: "", "tokens: {golden: [a, b]}": ":1:",
                 "long_run: {golden: a, target: b,\n  absolute: -1}": ":2:", "lr0: {loss: .inf}": ":1:", "lr0:\n  grad_norm: much": ":2:",
                 "step1_loss: {percent: [1, 2]}": ":1:", "config: {percent: 1}": ":1:"}
        for text, place in cases.items():
            path = self.write("bad.yaml", text)
            code, _, said = run("study", path, "-o", self.path("bad"))
            self.assertEqual(code, 3, (text, said))
            self.assertIn("bad.yaml" + place, said[-1] if "hint" not in said[-1] else said[-2], text)
            self.assertFalse(os.path.exists(self.path("bad", "index.html")))
        self.assertEqual(run("study")[0], 2)
        self.assertEqual(run("study", "a", "b")[0], 2)
        self.assertEqual(run("study", self.path("nothing.yaml"))[0], 3)

    def test_folders_for_files_and_files_for_folders_cost_their_stage(self):
        self.write("odd.yaml", "config: {golden: golden, target: target}\ntokens: {golden: golden, target: before.md}\n"
                   "weights: {golden: before.md, target: before.md}\nstep1_loss: {golden: names.csv, target: before.md}\n"
                   "local_norms: {golden: golden/long.csv, target: target/long.csv}\nlr0: {golden: golden/long.csv, "
                   "target: golden/long.csv}\ndumps: {golden: golden, target: /dev/null}\nmonitor: {target: golden}\n"
                   "check: {target: names.csv}\nskip: {target: names.csv}\nhealth: {target: names.csv}\nnoise: {golden: golden/long.csv, "
                   "target: fixed/long.csv}\nlong_run: {golden: golden/long.csv, target: fixed/long.csv}\n")
        code, summary, said = self.study("odd.yaml")
        self.assertEqual(code, 4, said)
        for name, stage in self.stages(summary).items():
            self.assertEqual(stage["status"], "passed" if name == "long_run" else "not done", name)
        self.assertFalse(self.stages(summary)["lr0"]["unreadable"])
        self.assertIn("weights moved", self.stages(summary)["lr0"]["reason"])

    def ladder(self, bad=(), lost=(), rows=("lr0", "one", "eight", "tp2", "pp2")):
        os.makedirs(self.path("case", "logs"), exist_ok=True)
        table = "experiment,cards,tp,pp,golden,target\n"
        for i, name in enumerate(rows):
            for side in range(2):
                self.write("logs/%s-%d.log" % (name, side), "".join(
                    "step: %d loss: %.6f\n" % (step, (5 - step / 20) * (1 + 0.06 * (side and name in bad))) for step in range(1, 41)))
            logs = ("", "") if name in lost else ("logs/%s-0.log" % name, "logs/%s-1.log" % name)
            table += "%s,%d,%d,%d,%s,%s\n" % (name, 1 if i < 2 else 8, 2 if name == "tp2" else 1, 2 if name == "pp2" else 1, *logs)
        return self.write("experiments.csv", table)

    def test_a_ladder_of_configurations_names_the_first_that_differs_and_its_setting(self):
        for bad, lost, code, words in (((), (), 0, ["5 of 5 agree"]), (("pp2",), (), 1, ["pp2, 5 of 5", "pp 2, not 1 as eight"]),
                                       (("tp2", "pp2"), (), 1, ["tp2, 4 of 5", "tp 2, not 1"]), ((), ("pp2",), 0, ["4 of 5 agree", "to run next: pp2"])):
            table = self.ladder(bad, lost)
            found, said, _ = run("study", table, "-o", self.path("out"), *FAST)
            with open(self.path("out", "study.md"), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(found, code, said)
            for word in words:
                self.assertIn(word, text)
        with open(table, encoding="utf-8") as file:  # as Excel writes it, sides called as people call them
            rows = file.read().replace("experiment,", "case,").replace("golden,target", "gpu log,npu log").replace(",", ";").replace("\n", "\r\n")
        self.write("excel.csv", "\ufeff" + rows)
        self.assertEqual(run("study", self.path("case", "excel.csv"), "-o", self.path("out"), *FAST)[0], 0)
        with open(self.path("out", "study.md"), encoding="utf-8") as file:
            self.assertIn("4 of 5 agree", file.read())
        os.remove(self.path("case", "logs", "tp2-1.log"))
        self.assertIn("PARTIAL", run("study", table, "-o", self.path("out"), *FAST)[1])
        self.write("order.csv", "golden,target,tp,scenario\nlogs/one-0.log,logs/one-1.log,1,one\n")
        self.assertEqual(run("study", self.path("case", "order.csv"), "-o", self.path("out"), *FAST)[0], 0)
        self.write("bad.csv", "experiment,cards\nx,1\n")
        self.assertEqual(run("study", self.path("case", "bad.csv"))[0], 3)

    def test_types_of_computation_and_arrays_of_steps_and_ranks_are_stages(self):
        def dump(side, dtype):
            leaf = {"type": "torch.Tensor", "dtype": "torch." + dtype, "shape": [2, 4], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 2.0}
            data = {"Module.layers.%d.fc.Linear.forward.0" % i: {"input_args": [leaf], "input_kwargs": {},
                                                                 "output": [dict(leaf, dtype="torch." + (dtype if i == 2 else "bfloat16"))]} for i in range(4)}
            self.write(side + "/step0/rank0/dump.json", json.dumps({"task": "statistics", "level": "L0", "framework": "pytorch", "dump_data_dir": None, "data": data}))
        def tokens(side, last):
            for rank in range(2):
                head = "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }".ljust(117) + "\n"
                self.write("%s/step_1/rank_%d/tokens.npy" % (side, rank), b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() +
                           struct.pack("<4i", 5, 6, 7, last if rank else 8))
        dump("g", "bfloat16")
        dump("t", "float32")
        tokens("gt", 9)
        tokens("tt", 4)
        self.write("types.yaml", "tokens: {golden: gt, target: tt}\ndumps: {golden: g, target: t}\n")
        run("study", self.path("case", "types.yaml"), "-o", self.path("out"), *FAST)
        with open(self.path("out", "study.md"), encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, r"Types of computation\*\* \| \*\*failed\*\* \| .*golden 4 of 4, target 3 of 4 \(not `?layers.2.fc`?\)")
        self.assertRegex(text, r"Same data\*\* \| \*\*failed\*\* \| 1 of 8 ids differ; first at element 3 of `?step_1/rank_1/tokens.npy`?: 4, golden has 9")

    def test_scores_of_an_evaluation_are_a_stage_and_found_by_init(self):
        for side, score in (("golden", 0.5), ("target", 0.46)):
            self.write("%s/results.json" % side, json.dumps({"results": {"gsm8k": {"acc,none": score, "acc_stderr,none": 0.01}}}))
        code, summary, said = self.study(os.path.basename(self.write("e.yaml", "evaluation: {golden: golden/results.json, target: target/results.json}\n")))
        self.assertEqual(code, 1, said)
        self.assertIn("gsm8k: 0.5 / 0.46 (-8.0 %, 4.0 standard errors)", summary["verdict"])
        draft = run("study", "--init", self.path("case", "golden"), self.path("case", "target"))[1]
        self.assertRegex(draft, r"evaluation:\n  golden: .*results.json")

    def test_nothing_readable_gives_3(self):
        self.write("none.yaml", "tokens: {golden: a, target: b}\n")
        self.assertEqual(self.study("none.yaml")[0], 3)
        self.write("empty.yaml", "title: nothing\n")
        self.assertEqual(self.study("empty.yaml", out="empty")[0], 3)

    def test_chinese_has_every_text(self):
        code, summary, said = self.study("before.yaml", "--lang", "zh", formats=("--format", "html,json,md,xlsx"))
        self.assertEqual(code, 1)
        self.assertTrue(said[-1].startswith("未通过"), said)
        stages = self.stages(summary)
        self.assertEqual(stages["config"]["title"], "配置检查表")
        self.assertIn("一维权重", stages["long_run"]["number"])
        page = files_of(self.path("out"))["index.html"].decode()
        self.assertIn("阶梯", page + "阶梯")
        for english in ("Most likely place", "not done", "What is still missing"):
            self.assertNotIn(english, page)

    def test_redaction_names_no_folder(self):
        with open(self.path("case", "before.yaml")) as file:
            text = file.read()
        self.write("named.yaml", text.replace("target/lr0.csv", "gone/lr0.csv").replace("golden/tokens.npy", os.path.join(self.case, "golden/tokens.npy")))
        code, _, said = self.study("named.yaml", "--redact", formats=("--format", "html,md,json,svg,csv,pdf,xlsx"))
        self.assertEqual(code, 1)
        secret = os.path.basename(self.folder)
        self.assertNotIn(secret, "\n".join(said))
        for name, data in files_of(self.path("out")).items():
            self.assertNotIn(secret.encode(), data, name)

    def test_the_draft_can_be_run(self):
        code, text, said = run("study", "--init", "golden", "target", cwd=self.case)
        self.assertEqual(code, 0, said)
        self.assertIn("  names: ", run("study", "--init", ".", cwd=self.case)[1])
        self.assertEqual(text, run("study", "--init", "golden", "target", cwd=self.case)[1])
        self.write("draft.yaml", text)
        code, summary, said = self.study("draft.yaml")
        stages = self.stages(summary)
        self.assertEqual(code, 1, said)
        for name in ("config", "tokens", "weights", "step1_loss", "local_norms", "step2_loss", "lr0", "long_run", "noise"):
            self.assertNotEqual(stages[name]["status"], "not done", (name, stages[name].get("reason", "")))
        # The log of local norms begins at step 1: it gives the losses of the first steps too, the long run's does not.
        self.assertIn('step1_loss:\n  golden: "golden/step1.log"', text)
        self.assertNotIn("Also found", text)
        self.assertEqual(stages["weights"]["status"], "passed")
        self.assertIn('target_weights: "target/end.safetensors"', text)
        self.assertIn("guess", text)
        self.assertIn("\n  # absolute: 0\n  # percent: 1\n", text)
        self.write("limits.yaml", re.sub(r"(?m)^  # (absolute|percent|loss|grad_norm):", r"  \1:", text))
        same = self.stages(self.study("limits.yaml", out="limits")[1])
        self.assertEqual({n: (s["status"], s["rule"], s["number"]) for n, s in same.items()},
                         {n: (s["status"], s["rule"], s["number"]) for n, s in stages.items()})
        self.assertEqual(run("study", "--init")[0], 2)
        self.assertEqual(run("study", "--init", self.path("nowhere"))[0], 3)

    def test_the_planted_causes_of_the_samples_are_named(self):
        self.write("shared.yaml", json.dumps({
            "config": {"golden": SAMPLES + "/config/bench_pretrain.sh", "target": SAMPLES + "/config/target_pretrain.yaml"},
            "local_norms": {"golden": DATA + "/curves/megatron_step1.log",
                            "target": DATA + "/curves/mindformers_step1.log",
                            "names": DATA + "/curves/name_map.csv"}}))
        code, summary, _ = self.study("shared.yaml")
        stages = self.stages(summary)
        self.assertEqual(code, 1)
        for name in ("beta2", "weight_decay", "dropout", "aux_loss"):
            self.assertIn(name, stages["config"]["number"])
        self.assertIn("model.tok_embeddings.embedding_weight differs by 4.2 %; 1 of 15", stages["local_norms"]["number"])


if __name__ == "__main__":
    main()
