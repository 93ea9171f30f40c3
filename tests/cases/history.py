#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nightly reports with --history, and `vernier history`: fourteen nights with one regression and one
recovery, the same night twice, and every way in which the file can be unusable."""
import csv
import hashlib
import html
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

from program import Case, SAMPLES, VERNIER, main, run

GPT = os.path.join(SAMPLES, "gpt")
REGRESSION, RECOVERY, NIGHTS = 9, 12, 14


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def summary(folder):
    with open(os.path.join(folder, "summary.json")) as file:
        return json.load(file)


def tree(folder):
    return {name: digest(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}


class Nights(unittest.TestCase):
    """samples/nights: from the regression on until the recovery the runs part in blocks.2."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.history = os.path.join(cls.folder, "nights.db")
        cls.codes, cls.reports = [], []
        nights = os.path.join(cls.folder, "nights")
        subprocess.run([sys.executable, os.path.join(os.environ["SAMPLES"], "nights/make.py"), nights], check=True)
        for night in os.listdir(nights):
            os.rename(os.path.join(nights, night), os.path.join(cls.folder, night))
        for night in range(1, NIGHTS + 1):
            target = os.path.join(cls.folder, "2026-11-%02d" % night)
            report = os.path.join(cls.folder, "report%02d" % night)
            code, _, _ = run("compare", os.path.join(GPT, "golden"), target, "--history", cls.history, "-o", report,
                             "--format", "json,md,html" if night in (1, 9, 10, 12) else "json")
            cls.codes.append(code)
            cls.reports.append(report)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def names(self, index, change):
        changes = summary(self.reports[index - 1])["history"]["changes"]
        return [(item["kind"], item["name"] or item["place"]) for item in changes if item["change"] == change]

    def test_each_report_judges_its_own_night(self):
        bad = range(REGRESSION, RECOVERY)
        self.assertEqual([1 if night in bad else 0 for night in range(1, NIGHTS + 1)], self.codes)

    def test_the_regression_is_new_once_then_lasts_and_then_recovers(self):
        both = [("layer", "blocks.2"), ("pair", "step0/rank0")]
        self.assertEqual([], self.names(8, "new"))
        self.assertEqual(both, self.names(9, "new"))
        self.assertEqual([], self.names(10, "new"))
        self.assertEqual(both, self.names(10, "lasting"))
        self.assertEqual(both, self.names(12, "recovered"))
        self.assertEqual([], self.names(13, "recovered"))
        lasting = summary(self.reports[10])["history"]["changes"][0]
        self.assertEqual({"number": 9, "label": "2026-11-09"}, lasting["began"])

    def test_pages_and_texts_say_so_under_the_verdict(self):
        with open(os.path.join(self.reports[8], "summary.md")) as file:
            text = file.read()
        self.assertRegex(text.split("\n")[0], r"^\*\*DIVERGES\*\*")
        self.assertIn("Night 9 (2026-11-09) against night 8 (2026-11-08). New: blocks.2", text)
        self.assertRegex(text, "[▁▂▃▄▅▆▇]{8}█")
        with open(os.path.join(self.reports[9], "index.html")) as file:
            page = file.read()
        self.assertLess(page.index("DIVERGES"), page.index("Lasting: blocks.2"))
        self.assertIn("since night 9", page)

    def test_history_names_both_nights_and_the_layer(self):
        out = os.path.join(self.folder, "history")
        code, _, text = run("history", self.history, "-o", out, "--format", "html,md,json,xlsx,svg,png,csv")
        self.assertEqual(0, code)
        self.assertRegex(text.strip().split("\n")[-1], r"^STEADY .*14 nights.*night 12 \(2026-11-12\)")
        facts = summary(out)
        self.assertEqual("vernier.history/1", facts["schema"])
        events = [(e["night"]["number"], e["change"], e["name"], e["began"]["number"])
                  for e in facts["commands"][0]["events"] if e["kind"] == "layer"]
        self.assertEqual([(9, "new", "blocks.2", 9), (12, "recovered", "blocks.2", 9)], events)
        with open(os.path.join(out, "history.svg")) as file:
            picture = re.sub("<[^>]*>", "\n", file.read())
        self.assertIn("regression, night 9 (2026-11-09)", picture)
        self.assertIn("recovery, night 12 (2026-11-12)", picture)
        self.assertIn("blocks.2", picture)
        with open(os.path.join(out, "summary.md")) as file:
            rows = file.read()
        self.assertRegex(rows, r"\| 12 \| 2026-11-12 \| recovery \| blocks.2 ")
        self.assertRegex(rows, r"\| 9 \| 2026-11-09 \| \*\*regression\*\* \| \*\*blocks.2\*\* ")
        with zipfile.ZipFile(os.path.join(out, "history.xlsx")) as book:
            self.assertIn("blocks.2", book.read("xl/sharedStrings.xml").decode()
                          if "xl/sharedStrings.xml" in book.namelist() else "".join(
                book.read(name).decode() for name in book.namelist() if "sheets/" in name))
        with open(os.path.join(out, "history.csv"), newline="") as file:
            facts = list(csv.DictReader(file))
        self.assertEqual({str(n) for n in range(9, 12)},
                         {row["night"] for row in facts if row["name"] == "blocks.2" and row["status"] == "beyond"})

    def at_night(self, night):
        """The history as it was when that night was the newest."""
        path = os.path.join(self.folder, "until%d.db" % night)
        shutil.copyfile(self.history, path)
        with sqlite3.connect(path) as database:
            database.execute("DELETE FROM facts WHERE night > ?", (night,))
            database.execute("DELETE FROM nights WHERE number > ?", (night,))
        database.close()
        return path

    def test_the_exit_code_tells_whether_the_newest_night_is_worse(self):
        for night, code, word in ((8, 0, "STEADY"), (9, 1, "WORSE"), (10, 0, "STEADY"), (12, 0, "BETTER")):
            got, _, text = run("history", self.at_night(night), "-o", os.path.join(self.folder, "x"), "--format", "json")
            self.assertEqual((code, word), (got, text.strip().split("\n")[-1].split()[0]), night)
        got, _, _ = run("history", self.at_night(9), "-o", os.path.join(self.folder, "x"), "--exit-zero")
        self.assertEqual(0, got)

    def test_a_night_that_runs_twice_is_one_night_and_the_same_bytes(self):
        for night in (9, 14):
            before = digest(self.history)
            again = os.path.join(self.folder, "again")
            run("compare", os.path.join(GPT, "golden"), os.path.join(self.folder, "2026-11-%02d" % night), "--history",
                self.history, "-o", again, "--format", "json,html" if night == 9 else "json", LANG="de_DE.UTF-8", TZ="Asia/Tokyo")
            self.assertEqual(before, digest(self.history))
            self.assertEqual(digest(os.path.join(self.reports[night - 1], "summary.json")),
                             digest(os.path.join(again, "summary.json")))
            shutil.rmtree(again)

    def test_a_folder_of_reports_is_a_history_of_its_pairs(self):
        folder, out = os.path.join(self.folder, "kept"), os.path.join(self.folder, "x")
        for night in (7, 8, 9):
            shutil.copytree(self.reports[night - 1], os.path.join(folder, "night%d" % night))
        code, _, text = run("history", folder, "-o", out, "--format", "json,svg")
        self.assertEqual((code, text.strip().split("\n")[-1].split()[0]), (1, "WORSE"), text)
        self.assertIn("New: step 0, rank 0", text)
        code, _, text = run("history", os.path.join(folder, "night9"), os.path.join(folder, "night7", "summary.json"), "-o", out)
        self.assertEqual((code, text.strip().split("\n")[-1].split()[0]), (0, "BETTER"), text)
        with open(os.path.join(folder, "night8", "summary.json"), "w", encoding="utf-8") as file:
            file.write('{"schema": "vernier.compare/1", "pairs": [null, 7')
        code, _, text = run("history", folder, "-o", out, "--format", "json")
        self.assertEqual(code, 1)
        self.assertIn("this is not JSON", text)

    def test_reports_of_any_content_are_read_or_refused(self):
        folder, out = os.path.join(self.folder, "odd"), os.path.join(self.folder, "x")
        odd = ('{"schema": "vernier.compare/1", "pairs": [null, 5, {"step": null, "rank": {"a": 1}, "worst": [5], "first_divergence": 7, "status": []}],'
               ' "verdict": 7, "partial": "x"}', '{"schema": "vernier.", "pairs": {}}', '{"schema": "vernier.compare/1", "pairs": []}',
               '{"schema": "vernier.compare/1", "pairs": [{"step": 1e999, "rank": -1, "worst": [{"error_out": "NaN"}], "status": "error"}]}')
        for i, text in enumerate(odd):
            os.makedirs(os.path.join(folder, str(i)))
            with open(os.path.join(folder, str(i), "summary.json"), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertIn(run("history", folder, "-o", out, "--format", "json,svg,html")[0], (0, 1, 3))
        for i in range(len(odd)):
            for k in range(len(odd)):
                self.assertIn(run("compare", os.path.join(folder, str(i)), os.path.join(folder, str(k)), "-o", out, "--format", "json,md")[0], (0, 1, 3, 4))

    def test_the_same_content_under_another_label_is_another_night(self):
        path = self.at_night(14)
        run("compare", os.path.join(GPT, "golden"), os.path.join(self.folder, "2026-11-14"), "--history", path, "--title",
            "another night", "-o", os.path.join(self.folder, "x"), "--format", "json")
        facts = summary(os.path.join(self.folder, "x"))["history"]
        self.assertEqual({"number": 15, "label": "another night"}, facts["night"])

    def test_the_same_inputs_and_the_same_history_give_the_same_bytes(self):
        trees = []
        for _ in range(2):
            path, out = self.at_night(8), os.path.join(self.folder, "same")
            run("compare", os.path.join(GPT, "golden"), os.path.join(self.folder, "2026-11-09"), "--history", path,
                "-o", out, "--format", "html,md,json,xlsx,svg,png")
            trees.append((tree(out), digest(path)))
            shutil.rmtree(out)
        self.assertEqual(trees[0], trees[1])
        self.assertIn("history.svg", trees[0][0])

    def test_the_workbook_has_a_sheet_history(self):
        out = os.path.join(self.folder, "book")
        run("compare", os.path.join(GPT, "golden"), os.path.join(self.folder, "2026-11-09"), "--history",
            self.at_night(8), "-o", out, "--format", "xlsx")
        with zipfile.ZipFile(os.path.join(out, "compare.xlsx")) as book:
            self.assertIn('name="Night history"', book.read("xl/workbook.xml").decode())

    def test_the_date_comes_from_the_environment_alone(self):
        def made(path):
            with sqlite3.connect(path) as database:
                return [row[0] for row in database.execute("SELECT made FROM nights ORDER BY number")]
        path = os.path.join(self.folder, "dated.db")
        for extra in ({}, {"SOURCE_DATE_EPOCH": "1700000000"}):
            run("compare", os.path.join(GPT, "golden"), os.path.join(self.folder, "2026-11-0%d" % (1 + len(extra))),
                "--history", path, "-o", os.path.join(self.folder, "x"), "--format", "json", **extra)
        self.assertEqual([None, 1700000000], made(path))

    def test_a_run_in_chinese_says_it_in_chinese(self):
        out = os.path.join(self.folder, "zh")
        run("history", self.at_night(9), "-o", out, "--lang", "zh", "--format", "md,html,svg")
        with open(os.path.join(out, "summary.md")) as file:
            self.assertIn("第 9 夜", file.read())


class Killed(Case):
    def test_a_run_that_is_killed_leaves_whole_nights(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "nights.db")
            arguments = [VERNIER, "compare", os.path.join(GPT, "golden"), os.path.join(GPT, "golden"), "--history", path,
                         "-o", os.path.join(folder, "out"), "--format", "json", "--quiet", "--title"]
            self.assertEqual(0, subprocess.run(arguments + ["n0"], stderr=subprocess.DEVNULL).returncode)
            with sqlite3.connect(path) as database:
                facts = database.execute("SELECT count(*) FROM facts").fetchone()[0]
            database.close()
            for number in range(1, 9):
                process = subprocess.Popen(arguments + ["n%d" % number], stderr=subprocess.DEVNULL)
                time.sleep(0.04 * number)
                process.kill()
                process.wait()
            self.assertEqual(0, subprocess.run(arguments + ["last"], stderr=subprocess.DEVNULL).returncode)
            with sqlite3.connect(path) as database:
                counts = {row[0] for row in database.execute("SELECT count(*) FROM facts GROUP BY night")}
                self.assertEqual("ok", database.execute("PRAGMA integrity_check").fetchone()[0])
            database.close()
            self.assertEqual({facts}, counts)


class OtherCommands(Case):
    """curves and monitor keep their nights in the same file, each with numbers of its own."""

    def setUp(self):
        super().setUp()
        self.history = os.path.join(self.folder, "nights.db")
        self.samples = os.environ["SAMPLES"]

    def night(self, *arguments, formats="json"):
        out = os.path.join(self.folder, "out")
        code, _, _ = run(*arguments, "--history", self.history, "-o", out, "--format", formats)
        return code, summary(out)["history"]

    def names(self, facts, change):
        return [item["name"] for item in facts["changes"] if item["change"] == change]

    def test_a_loss_that_leaves_the_noise_is_new_and_then_recovers(self):
        curves = [os.path.join(self.samples, "curves", name) for name in ("golden.csv", "golden-again.csv", "target.csv")]
        codes, news = [], []
        for night, target in enumerate((0, 2, 2, 0), 1):
            code, facts = self.night("curves", curves[0], curves[target], "--noise", curves[1], "--title", "c%d" % night,
                                     formats="json,html,md,xlsx,svg")
            codes.append(code)
            news.append([self.names(facts, change) for change in ("new", "lasting", "recovered")])
        self.assertEqual([0, 1, 1, 0], codes)
        self.assertEqual([[[], [], []], [["loss"], [], []], [[], ["loss"], []], [[], [], ["loss"]]], news)
        with zipfile.ZipFile(os.path.join(self.folder, "out/curves.xlsx")) as book:
            self.assertIn('name="Night history"', book.read("xl/workbook.xml").decode())
        with open(os.path.join(self.folder, "out/summary.md")) as file:
            self.assertIn("Recovered: loss of target since night 2", file.read())
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out/history.svg")))

    def test_an_alarm_is_kept_with_its_object(self):
        monitor = os.path.join(self.samples, "monitor")
        code, facts = self.night("monitor", monitor, "--title", "m1", formats="json,html,md,xlsx,svg")
        self.assertEqual(1, code)
        alarmed = self.names(facts, "lasting")
        self.assertIn("grad_reduced layers.1.mlp.linear_fc1.weight", alarmed)
        less = os.path.join(self.folder, "less")
        shutil.copytree(monitor, less)
        for name in os.listdir(less):
            if "rank2" in name:
                shutil.rmtree(os.path.join(less, name))
        facts = self.night("monitor", less, "--title", "m2")[1]
        self.assertEqual([], self.names(facts, "recovered"), "the rank that had the alarm is missing")

    def test_a_rank_that_is_missing_has_not_recovered(self):
        ranks = os.path.join(self.samples, "ranks")
        self.assertEqual(1, self.night("compare", ranks + "/golden", ranks + "/target", "--title", "n1")[0])
        less = os.path.join(self.folder, "less")
        shutil.copytree(ranks + "/golden", less)
        shutil.rmtree(less + "/step0/rank2")
        code, facts = self.night("compare", ranks + "/golden", less, "--title", "n2")
        self.assertEqual(4, code)
        self.assertEqual([], [item["name"] for item in facts["changes"]
                              if item["change"] == "recovered" and item["kind"] == "layer"])
        facts = self.night("compare", ranks + "/golden", ranks + "/golden", "--title", "n3")[1]
        layers = [item["name"] for item in facts["changes"] if item["change"] == "recovered" and item["kind"] == "layer"]
        self.assertTrue(layers)
        code, _, text = run("history", self.history, "-o", os.path.join(self.folder, "h"))
        self.assertEqual((0, "BETTER"), (code, text.strip().split("\n")[-1].split()[0]))

    def test_a_stage_of_a_study_fails_and_passes_again(self):
        study = os.path.join(self.folder, "study.yaml")
        news = []
        for night, target in enumerate(("golden-again", "target", "golden-again"), 1):
            with open(study, "w") as file:
                file.write("long_run:\n  golden: %s/curves/golden.csv\n  target: %s/curves/%s.csv\n"
                           % (self.samples, self.samples, target))
            code, facts = self.night("study", study, "--title", "s%d" % night, formats="json,html,md,xlsx,svg")
            news.append((code, self.names(facts, "new"), self.names(facts, "recovered")))
        self.assertEqual([(0, [], []), (1, ["long_run"], []), (0, [], ["long_run"])], news)
        with open(os.path.join(self.folder, "out/study.md")) as file:
            self.assertIn("Recovered: `long_run` since night 2", file.read())

    def test_one_file_serves_all_commands(self):
        ranks = os.path.join(self.samples, "ranks")
        self.night("compare", ranks + "/golden", ranks + "/golden")
        self.night("monitor", os.path.join(self.samples, "monitor"))
        out = os.path.join(self.folder, "h")
        self.assertEqual(0, run("history", self.history, "-o", out)[0])
        self.assertEqual(["compare", "monitor"], [item["command"] for item in summary(out)["commands"]])
        self.assertTrue(os.path.exists(os.path.join(out, "history-monitor.svg")))


class Languages(Case):
    """What a night said is read in the language of the reader, not of the run that kept it."""
    COMMANDS = (
        ("compare", "ranks/golden", "ranks/target"),
        ("compare", "study/golden/end.safetensors", "study/target/end.safetensors"),
        ("check", "ranks/target"),
        ("curves", "study/golden/lr0.csv", "study/target/lr0.csv"),
        ("monitor", "monitor"),
    )

    def keep(self, arguments, lang, path):
        """The verdict as the command printed it."""
        paths = [os.path.join(SAMPLES, name) for name in arguments[1:]]
        out = run(arguments[0], *paths, "--history", path, "-o", self.out, "--format", "json", "--lang", lang)[1]
        return " ".join(out.strip().split("\n")[-1].split())

    def shown(self, path, lang):
        """The verdict of the only night, as `vernier history` shows it."""
        self.assertEqual(0, run("history", path, "-o", self.out, "--format", "html", "--lang", lang)[0])
        with open(os.path.join(self.out, "index.html"), encoding="utf-8") as file:
            page = file.read()
        cells = re.findall(r"<td[^>]*>(.*?)</td>", re.search("<th[^>]*>(?:verdict|结论)</th>.*?</table>", page, re.DOTALL).group(), re.DOTALL)
        return " ".join(html.unescape(re.sub("<[^>]*>", "", cells[-1])).split())

    def test_a_night_kept_in_one_language_is_told_in_the_other(self):
        for arguments in self.COMMANDS:
            paths = {lang: self.path("%s-%s.db" % ("-".join(arguments).replace("/", "-"), lang)) for lang in ("en", "zh")}
            said = {lang: self.keep(arguments, lang, path) for lang, path in paths.items()}
            self.assertNotEqual(said["en"], said["zh"])
            for kept in paths:
                for lang in paths:
                    with self.subTest(arguments, kept=kept, lang=lang):
                        self.assertEqual(self.shown(paths[kept], lang), said[lang])

    def test_a_study_kept_in_the_other_language_tells_stage_counts_and_symptom(self):
        path = self.path("zh.db")
        self.keep(("study", "study/before.yaml"), "zh", path)
        self.assertEqual(self.shown(path, "en"), "FAILED Local norms of step 1 (2 failed, 6 passed, 9 not done; "
                                                 "symptom: first-step difference)")

    def test_the_one_sentence_of_an_older_file_stands_as_it_is(self):
        path = self.path("old.db")
        self.keep(self.COMMANDS[0], "en", path)
        with sqlite3.connect(path) as database:
            database.execute("UPDATE nights SET verdict='DIVERGES at linear.8'")
        database.close()
        for lang in ("en", "zh"):
            self.assertEqual(self.shown(path, lang), "DIVERGES at linear.8")


class Locked:
    """Another process holds the file; this one must not, as its locks go with any file that it closes."""
    CODE = ("import sqlite3, sys; held = sqlite3.connect(sys.argv[1], isolation_level=None); "
            "held.execute('BEGIN ' + sys.argv[2]); print('held', flush=True); sys.stdin.read()")

    def __init__(self, path, kind):
        self.holder = subprocess.Popen([sys.executable, "-c", self.CODE, path, kind], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        self.holder.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.holder.communicate()


class Unusable(Case):
    """Whatever stands in the place of the history: the report is made, the file stays as it is, exit 5."""

    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "nights.db")

    def compare(self, path=None, target="golden"):
        return run("compare", os.path.join(GPT, "golden"), os.path.join(GPT, target), "--history", path or self.path,
                   "-o", self.out, "--format", "json,md", "--title", "n")

    def make(self):
        self.assertEqual(0, self.compare()[0])

    def refused(self, words, path=None):
        path = path or self.path
        before = digest(path) if os.path.isfile(path) else None
        code, _, text = self.compare(path, "target")
        self.assertEqual(5, code)
        self.assertIn(words, text)
        self.assertRegex(text.strip().split("\n")[-1], "^DIVERGES")
        if before:
            self.assertEqual(before, digest(path))
        facts = summary(self.out)
        self.assertTrue(any(words in problem["text"] for problem in facts["problems"]))
        self.assertEqual("error", facts["status"])
        return facts

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)

    def test_locked_by_another_process_keeps_last_night_in_the_report(self):
        self.make()
        with Locked(self.path, "IMMEDIATE"):
            facts = self.refused("locked by another process")
            self.assertEqual(2, len(facts["history"]["nights"]))
            self.assertTrue(facts["history"]["worse"])
        with Locked(self.path, "EXCLUSIVE"):
            self.assertEqual(1, len(self.refused("locked by another process")["history"]["nights"]))
            self.assertEqual(3, run("history", self.path, "-o", self.out)[0])

    def test_what_is_no_database_is_no_history(self):
        self.write(b"night,verdict\n1,SAME\n" * 500)
        self.refused("not a history of vernier")

    def test_a_database_of_somebody_else_is_left_alone(self):
        with sqlite3.connect(self.path) as database:
            database.execute("CREATE TABLE nights (a)")
        database.close()
        self.refused("not a history of vernier")

    def test_views_in_place_of_tables_are_refused(self):
        self.make()
        with sqlite3.connect(self.path) as database:
            database.execute("DROP TABLE facts")
            database.execute("CREATE VIEW facts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n")
        database.close()
        self.refused("not as they should be")

    def test_a_file_of_a_newer_version_is_refused(self):
        self.make()
        with sqlite3.connect(self.path) as database:
            database.execute("PRAGMA user_version=2")
        database.close()
        self.refused("newer version")
        code, _, text = run("history", self.path, "-o", self.out)
        self.assertEqual(3, code)
        self.assertIn("newer version", text)

    def test_a_file_with_damaged_pages_is_refused(self):
        self.make()
        with open(self.path, "rb") as file:
            whole = file.read()
        size = 4096
        for page in range(1, len(whole) // size):
            self.write(whole[:page * size] + b"\xa5" * size + whole[(page + 1) * size:])
            self.refused("damaged")
            self.assertEqual(3, run("history", self.path, "-o", self.out)[0])

    def test_a_truncated_file_is_not_written_to(self):
        self.make()
        with open(self.path, "rb") as file:
            whole = file.read()
        for length in (1, 15, 16, 50, 100, 4095, 4096, len(whole) - 4096, len(whole) - 1):
            self.write(whole[:length])
            code, _, text = self.compare(target="target")
            self.assertEqual(5, code, (length, text))
            with open(self.path, "rb") as file:
                self.assertEqual(whole[:length], file.read())

    def test_no_bytes_are_a_new_history(self):
        self.write(b"")
        self.make()
        self.assertEqual(1, len(summary(self.out)["history"]["nights"]))

    def test_a_folder_a_pipe_and_a_link_are_refused(self):
        os.mkdir(self.path)
        self.refused("not a regular file")
        os.rmdir(self.path)
        os.mkfifo(self.path)
        self.refused("not a regular file")
        os.remove(self.path)
        real = os.path.join(self.folder, "real.db")
        os.symlink(real, self.path)
        self.refused("symbolic link")
        self.assertFalse(os.path.exists(real))

    def test_a_folder_that_does_not_exist_is_not_made(self):
        self.refused("cannot be used", os.path.join(self.folder, "missing/nights.db"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "missing")))

    def test_a_file_that_may_not_be_written_costs_the_history_alone(self):
        self.make()
        os.chmod(self.path, 0o444)
        if os.access(self.path, os.W_OK):
            self.skipTest("this user may write everything")
        self.refused("cannot be used")

    def test_names_that_mean_something_to_the_library_are_files(self):
        for name in (":memory:", "file:x?mode=memory"):
            code = subprocess.run([VERNIER, "compare", os.path.join(GPT, "golden"), os.path.join(GPT, "golden"), "--history",
                                   name, "-o", "out", "--format", "json", "-q"], cwd=self.folder, stderr=subprocess.PIPE)
            self.assertEqual(0, code.returncode)
            self.assertTrue(os.path.isfile(os.path.join(self.folder, name)))

    def test_a_run_that_compares_nothing_is_no_night(self):
        os.mkdir(os.path.join(self.folder, "empty"))
        code, _, _ = run("compare", os.path.join(GPT, "golden"), os.path.join(self.folder, "empty"), "--history", self.path)
        self.assertEqual(3, code)
        self.assertFalse(os.path.exists(self.path))

    def test_hostile_names_stay_names(self):
        name = "</script><img src=x onerror=alert(1)>|`=1+1"
        run("compare", os.path.join(GPT, "golden"), os.path.join(GPT, "golden"), "--history", self.path, "--title", name,
            "-o", self.out, "--format", "html")
        run("history", self.path, "-o", self.out, "--format", "html,svg")
        for file in ("index.html", "history.svg"):
            with open(os.path.join(self.out, file)) as page:
                self.assertNotIn("<img", page.read())


if __name__ == "__main__":
    main()
