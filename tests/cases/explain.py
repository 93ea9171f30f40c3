#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vernier explain: every kind of summary in words, nothing else read, whoever wrote the file."""
import json
import os
import shlex

import schemas
from program import Case, SAMPLES, main, run

GPT = [os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target")]
HEADINGS = ("Why", "What was compared, and what was not", "What to do next")
# What must stand in the explanation of the samples, by kind.
TOLD = {
    "compare": ("354", "output.0", "bfloat16", "1,276 slots, of 1,286 in golden"),
    "runs": ("blocks.2.attn", "deterministic"),
    "graph": ("421", "vernier check"),
    "locate": ("healthy", "1,106"),
    "check": ("cannot be checked", "a comparison with a golden run shows more"),
    "curves": ("stable offset", "From the step on where the curves part"),
    "advise": ("threshold", "longest row"),
    "monitor": ("AnomalyTurbulence", "layers.1.mlp.linear_fc1.weight"),
    "changes": ("unchanged",),
    "history": ("Of compare, in the newest night:", "Distributed.all_reduce"),
    "checklist": ("hidden_dropout", "Set them to the same values"),
    "tokens": ("explained by  temperature", "175"),
    "precheck": ("Functional.linear.2", "cosine similarity"),
    "study": ("not done", "Ladder of configurations"),
}


class Explain(Case):
    commands = schemas.Schemas.commands

    def summary(self, **members):
        return self.write("some.json", json.dumps({"schema": "vernier.compare/1", **members}))

    def refused(self, code, *words):
        got, out, said = run("explain", *words, cwd=self.folder)
        self.assertEqual((got, out), (code, ""), said)
        return said

    def test_every_kind_of_summary_is_explained(self):
        seen = {}
        for name, words in self.commands():
            run(*words, "-o", self.out, "--format", "json")
            code, text, said = run("explain", self.out)
            self.assertEqual((code, said), (0, text), name)
            lines = text.split("\n")
            for heading in HEADINGS[::2]:
                self.assertIn(heading, lines, name)
            with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                verdict = json.load(file)["verdict"]
            self.assertTrue("".join(text.split()).startswith("".join(verdict.split())), (name, verdict))
            seen[name] = seen.get(name, "") + text
            code, chinese, _ = run("explain", self.out, "--lang", "zh")
            self.assertIn("为什么", chinese)
            self.assertNotIn("What to do next", chinese)
        self.assertEqual(set(seen), set(TOLD))
        for name, parts in TOLD.items():
            for part in parts:
                self.assertIn(part, " ".join(seen[name].split()) if "  " not in part else seen[name], name)

    def test_a_checkpoint_and_a_study_that_fails_are_explained(self):
        path = self.write("w.json", json.dumps({
            "schema": "vernier.weights/1", "status": "error", "verdict": "DIFFERS   1 weight", "counts": {"compared": 2},
            "weights": [{"golden": "a.weight", "status": "error", "rel_l2": 0.5, "worst_at": "[0, 1]"},
                        {"golden": "b.weight", "status": "same"}]}))
        text = run("explain", path)[1]
        self.assertIn("a.weight", text)
        self.assertNotIn("b.weight", text)
        for command, shown in (("vernier curves 'a b.log' c.log", True), ("vernier curves a; rm -rf x", False),
                               ("rm -rf x", False), ("vernier curves $(id)", False), ("vernier curves 'a", False)):
            path = self.write("s.json", json.dumps({"schema": "vernier.study/1", "status": "error", "verdict": "FAILED",
                                                    "stages": [{"status": "failed", "title": "Loss", "command": command}]}))
            self.assertEqual(command in run("explain", path)[1], shown, command)

    def test_of_many_nights_the_newest_are_told(self):
        nights = [{"label": "2026-11-%02d" % day, "status": "pass", "new": 0} for day in range(1, 15)]
        path = self.write("h.json", json.dumps({"schema": "vernier.history/1", "status": "pass", "verdict": "STEADY",
                                                "commands": [{"command": "compare", "nights": nights, "changes": []}]}))
        text = run("explain", path)[1]
        self.assertIn("Of compare, nothing changed in the newest night.", text)
        self.assertEqual((text.count("2026-11-"), "2026-11-14" in text, "2026-11-02" in text), (12, True, False), text)
        self.assertIn("… and 2 earlier in the summary", text)

    def test_where_a_run_goes_beyond_tolerance_is_told_beside_where_it_leaves(self):
        path = self.write("r.json", json.dumps({"schema": "vernier.runs/1", "status": "error", "verdict": "VARIES", "runs": [
            {"path": "a", "status": "error", "differing_ops": 3, "first": {"op": "Torch.a.0.forward"}, "beyond": {"op": "Torch.b.0.forward"}}]}))
        text = run("explain", path)[1]
        self.assertLess(text.index("Torch.a.0.forward"), text.index("Torch.b.0.forward"))

    def test_a_calm_and_an_empty_comparison_are_told_apart(self):
        for status, words in (("same", "equal bit for bit"), ("pass", "nowhere by more than the noise"),
                              ("no data", "That is no pass")):
            text = run("explain", self.summary(status=status, verdict="X", pairs=[{}]))[1]
            self.assertIn(words, " ".join(text.split()))
        self.assertIn("speaks of the rest alone", " ".join(run("explain", self.summary(partial=True))[1].split()))

    def test_each_kind_of_divergence_has_its_own_advice(self):
        said = set()
        for kind in ("output", "argument", "parameter", "input", "missing"):
            text = run("explain", self.summary(status="error", pairs=[{"first_divergence": {
                "kind": kind, "target": "Tensor.add.1.forward", "slot": "s.7"}}]))[1]
            self.assertIn("Tensor.add.1.forward", text)
            said.add(text[text.index("Look at next"):].split("\n")[0])
        self.assertEqual(len(said), 5)

    def test_an_op_is_looked_up_or_the_nearest_named(self):
        run("compare", *GPT, "-o", self.out, "--format", "json")
        code, text, _ = run("explain", self.out, "--op", "Functional.linear.8.forward")
        self.assertEqual(code, 0)
        self.assertIn("Here the runs diverge", text)
        self.assertIn("The runs diverge before it", run("explain", self.out, "--op", "Torch.norm.26.forward")[1])
        self.assertIn("did you mean Torch.norm.26.forward?", self.refused(2, self.out, "--op", "Torch.norm.26.forwrd"))
        self.assertIn("did you mean Functional.linear.8.forward?", self.refused(2, self.out, "--op", "linear.8"))
        self.assertIn("--focus NAME", self.refused(2, self.out, "--op", "nothing of the kind"))

    def test_what_is_no_summary_is_refused_and_said(self):
        for text, words in (("", "expected the JSON of a summary"), ('{"schema": "vernier.compare/1", ', "or a part"),
                            ("[1]", "it has no 'schema'"), ('{"schema": "vernier.compare/2"}', "found 'vernier.compare/2'"),
                            ('{"schema": "vernier.dump/1"}', "this is a dump"), ('{"schema": 7}', "it has no 'schema'"),
                            ("[" * 100000, "expected the JSON"), ("\0\xff", "expected the JSON")):
            self.assertIn(words, self.refused(3, self.write("x.json", text)))
        self.refused(3, self.path("none.json"))
        self.refused(3, GPT[0])
        self.assertIn("explain needs one summary.json", self.refused(2))
        self.summary(verdict="X")
        self.assertIn("explain writes text", self.refused(2, "some.json", "-o", "x.svg"))
        self.assertIn("--redact to the command", self.refused(2, "some.json", "--redact"))

    def test_a_summary_that_holds_other_types_is_refused_and_nothing_is_made_up(self):
        for members, words in (({"pairs": 5}, "'pairs' is no list"), ({"verdict": 7}, "'verdict' is no text"),
                               ({"status": [1]}, "'status' is no text"), ({"pairs": [7]}, "'pairs' holds what is no object"),
                               ({"pairs": []}, "status is 'error', and 'pairs' is empty"), ({"partial": "no"}, "neither true"),
                               ({"pairs": [{"first_divergence": []}]}, "'first_divergence' is no object"),
                               ({"problems": {}}, "'problems' is no list")):
            with self.subTest(members=members):
                self.assertIn("not a valid summary: ", self.refused(3, self.summary(**{"status": "error", "verdict": "DIVERGES  at x", "pairs": [{}], **members})))
                self.assertIn(words, self.refused(3, "some.json"))
        for kind, members in (("check", {"invariants": {"a": 1}}), ("study", {"stages": 3}), ("history", {"commands": [2]})):
            path = self.write("k.json", json.dumps({"schema": "vernier.%s/1" % kind, "verdict": "X", **members}))
            self.assertIn("not a valid summary: '%s'" % list(members)[0], self.refused(3, path))
        text = run("explain", self.summary(status="error", verdict="DIVERGES  at x", pairs=[{}]))[1]
        for words in ("Compared were", "no pass", "Dump both"):
            self.assertNotIn(words, text)

    def test_names_of_a_stranger_stay_names(self):
        name = "a\x1b'`*|c\nSAME"
        path = self.summary(status="error", verdict="DIVERGES\x1b[2J", golden={"path": "g $(id)"}, target=["no path"], pairs=[
            {"first_divergence": {"kind": "output", "target": name, "slot": 7, "later": -1, "value": "NaN"}},
            {}], problems=[{"text": "x"}])
        code, text, _ = run("explain", path)
        self.assertEqual(code, 0)
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\nSAME", text)
        for line in text.split("\n"):
            if line.startswith("  vernier"):
                words = shlex.split(line)
                self.assertEqual((words[:4], words[-2] in ("--focus", "--noise")), (["vernier", "compare", "g $(id)", "TARGET"], True))
        for form in ("md", "jira", "fragment", "html"):
            self.assertEqual(run("explain", path, "--format", form)[0], 0)


if __name__ == "__main__":
    main()
