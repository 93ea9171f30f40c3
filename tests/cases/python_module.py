#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/python: the module gives what the program wrote, a function a command, and its sample runs."""
import gc
import inspect
import json
import os
import subprocess
import sys
import tempfile
import types

import schemas
from program import Case, SAMPLES, VERNIER, main, run

sys.path.insert(0, os.path.join(SAMPLES, "python"))
import vernier  # noqa: E402

GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
RANKS = [os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target")]


class PythonModule(Case):
    commands = schemas.Schemas.commands

    def test_each_function_gives_the_facts_of_its_command(self):
        seen = set()
        for name, (command, *words) in self.commands():
            if name == "runs":
                continue
            options = {"history": words[words.index("--history") + 1]} if "--history" in words else {}
            options.update({"threshold": "5"} if "--threshold" in words else {})
            places = words[:words.index("--history") if "--history" in words else words.index("--threshold")
                           if "--threshold" in words else len(words)]
            result = getattr(vernier, command)(*places, **options)
            code, _, _ = run(command, *words, "-o", self.path("s.json"))
            with open(self.path("s.json"), encoding="utf-8") as file:
                facts = json.load(file)
            self.assertEqual((result.exit_code, result.verdict.split()[0]), (code, facts["verdict"].split()[0]), name)
            self.assertEqual(set(result.facts), set(facts), name)
            self.assertIn("Why", result.explain())
            seen.add(command)
        with self.assertRaises(vernier.VernierError):
            vernier.merge(self.path("nothing"))
        functions = {name for name, value in vars(vernier).items() if inspect.isfunction(value) and name[0] != "_"}
        self.assertEqual(functions - {"program", "run", "explain", "merge", "convert"}, seen)
        self.assertLessEqual(functions, set(vernier.__all__))

    def test_a_result_is_typed_and_its_rows_are_those_of_the_table(self):
        result = vernier.compare(*RANKS)
        self.assertEqual((result.exit_code, result.differs, result.partial, result.status), (1, True, False, "error"))
        self.assertEqual([part["rank"] for part in result.coverage], [0, 1, 2, 3])
        self.assertEqual(result.coverage[0]["compared"], 689)
        self.assertEqual(result.first_divergence["slot"], "input.0")
        self.assertEqual(vernier.compare(*RANKS, lang="zh").first_divergence["target"], result.first_divergence["target"])
        self.assertEqual(vernier.compare(*RANKS, lang="zh").facts["origin"], result.facts["origin"])
        self.assertIn(" rank %d" % result.facts["pairs"][result.facts["origin"]]["rank"], result.verdict)
        run("compare", *RANKS, "-o", self.path("rows.csv"))
        with open(self.path("rows.csv"), encoding="utf-8") as file:
            self.assertEqual(sum(1 for _ in result.rows()), sum(1 for _ in file) - 1)
        self.assertEqual({row["Rank"] for row in result.rows()}, {"0", "1", "2", "3"})
        frames = types.SimpleNamespace(read_csv=lambda path: "frame of " + os.path.basename(path), DataFrame=lambda: "empty")
        sys.modules["pandas"] = frames
        try:
            self.assertEqual(result.frame(), "frame of rows.csv")
        finally:
            del sys.modules["pandas"]
        self.assertIsNone(vernier.compare(GPT[0], GPT[0]).first_divergence)

    def test_options_are_those_of_the_command_and_a_report_is_written_where_it_is_asked_for(self):
        result = vernier.compare(*RANKS, rank=1, exit_zero=True, focus=None, out=self.out, format="md")
        self.assertEqual((result.exit_code, [pair["rank"] for pair in result.facts["pairs"]]), (0, [1]))
        self.assertEqual(os.listdir(self.out).count("summary.md"), 1)
        with self.assertRaises(vernier.UsageError) as caught:
            vernier.compare(*GPT, noise=[GPT[1]])
        self.assertEqual((caught.exception.code, "noise" in str(caught.exception)), (2, True))

    def test_commands_take_as_many_inputs_as_on_the_command_line_and_one_noise_run_as_it_is(self):
        several = vernier.compare(GPT[0], GPT[1], GPT[0], runs=True)
        self.assertEqual(len(several.facts["runs"]), 3)
        with self.assertRaises(vernier.UsageError) as caught:
            vernier.compare(*GPT, noise=GPT[1])  # the target as its own noise: one path, not a list of letters
        self.assertIn("noise", str(caught.exception))
        self.assertEqual(vernier.check(GPT[0]).exit_code, vernier.check(*GPT[:1]).exit_code)

    def test_every_command_with_a_table_has_rows(self):
        for result in (vernier.graph(GPT[0]), vernier.check(GPT[0]), vernier.curves(os.path.join(SAMPLES, "curves", "golden.csv"))):
            self.assertGreater(sum(1 for _ in result.rows()), 30, result)
        self.assertEqual(list(vernier.locate(GPT[0]).rows()), [])  # no NaN, no origin

    def test_a_notebook_shows_the_verdict_the_card_and_five_rows(self):
        result = vernier.compare(*GPT)
        shown = result._repr_html_()
        self.assertTrue(shown.startswith("<p><strong>DIVERGES"), shown[:80])
        self.assertIn("<svg ", shown)
        self.assertEqual((shown.count("<tr>"), "more: <code>frame()" in shown), (6, True))
        self.assertIn("SAME", vernier.compare(GPT[0], GPT[0])._repr_html_())

    def test_another_language_is_whole(self):
        text = vernier.compare(*GPT).explain(lang="zh")
        self.assertNotIn("DIVERGES  at Functional.linear.8.forward, step 0", text)
        self.assertTrue(text.startswith("不一致"), text[:40])

    def test_what_has_no_result_is_an_exception_of_its_exit_code(self):
        with self.assertRaises(vernier.InputError) as caught:
            vernier.compare(self.path("nothing"), "here")
        self.assertEqual((caught.exception.code, caught.exception.result, "nothing" in str(caught.exception)), (3, None, True))
        self.write("file", "x")
        with self.assertRaises(vernier.OutputError):
            vernier.compare(*GPT, out=self.path("file", "below"))
        with self.assertRaises(vernier.UsageError):
            vernier.compare(*GPT, nosie="x")
        with self.assertRaises(vernier.InputError):
            vernier.explain(GPT[0])
        golden = self.write("g.jsonl", '{"schema": "vernier.dump/1"}\n{"name": "a", "shape": [2], "dtype": "float32"}\n')
        with self.assertRaises(vernier.InputError) as caught:
            vernier.compare(golden, golden)
        if caught.exception.result:
            self.assertEqual(caught.exception.result.status, "no data")

    def test_a_dump_and_a_log_are_converted(self):
        self.assertRegex(vernier.convert(GPT[0], self.path("g.jsonl")), "^CONVERTED")
        self.assertEqual(vernier.compare(GPT[0], self.path("g.jsonl")).status, "same")
        with self.assertRaises(vernier.InputError):
            vernier.convert(self.path("nothing"), self.path("n.jsonl"))

    def test_nothing_stays_behind_when_a_result_goes(self):
        before = set(os.listdir(tempfile.gettempdir()))
        result = vernier.compare(*GPT)
        mine = set(result.command) & {os.path.join(tempfile.gettempdir(), name, "rows.csv")
                                      for name in set(os.listdir(tempfile.gettempdir())) - before}
        self.assertEqual(len(mine), 1)
        del result
        gc.collect()
        self.assertFalse(os.path.exists(mine.pop()))

    def test_progress_is_told_while_the_program_runs_and_is_no_part_of_what_was_said(self):
        told = []
        result = vernier.compare(*RANKS, progress=lambda *what: told.append(what))
        self.assertEqual(max(done for done, _, _ in told), 4)
        self.assertEqual({pairs for _, pairs, _ in told}, {4})
        self.assertTrue(any(name.endswith("summary.json") for _, _, name in told))
        self.assertNotIn("progress ", result.said)

    def test_the_sample_runs(self):
        done = subprocess.run([sys.executable, os.path.join(SAMPLES, "python", "example.py")], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "VERNIER": VERNIER})
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("step 0, rank 0: 1276 of 1286 slots", "rounded to bfloat16", "410 rows beyond tolerance", "What to do next"):
            self.assertIn(words, text)


if __name__ == "__main__":
    main()
