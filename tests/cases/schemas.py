#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/schema describes every summary.json to its last key, and the lines of docs/json.md give what stands there. (Every
summary that any case leaves behind is held against its schema too: program.py.)"""
import importlib.util
import json
import os
import re
import shutil

import schema
from program import Case, SAMPLES, VERNIER, main, run

ROOT = os.path.dirname(schema.FOLDER)
SIDES = ("golden", "target")


def sample(*names):
    return os.path.join(SAMPLES, *names)


def load(name, *path):
    spec = importlib.util.spec_from_file_location(name, sample(*path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Schemas(Case):
    def commands(self):
        gpt, ranks = [sample("gpt", side) for side in SIDES], [sample("ranks", side) for side in SIDES]
        curves = [sample("curves", side + ".csv") for side in SIDES]
        tokens = load("make_tokens", "tokens", "make-tokens.py")
        tokens.write(self.folder, tokens.batch("temperature", 4, 50, 1), "jsonl")
        db = self.path("nights.db")
        yield "compare", ["compare", *gpt, "--history", db]
        yield "compare", ["compare", *ranks, "--history", db]
        yield "runs", ["compare", "--runs", gpt[0], gpt[0], gpt[1]]
        yield "graph", ["graph", gpt[0]]
        yield "locate", ["locate", gpt[0]]
        yield "check", ["check", ranks[0]]
        yield "curves", ["curves", *curves]
        yield "advise", ["advise", "skip", curves[1], "--threshold", "5"]
        yield "monitor", ["monitor", sample("monitor")]
        yield "history", ["history", db]
        for name, sides in (("before", [gpt[0], gpt[0]]), ("now", gpt)):
            run("compare", *sides, "-o", self.path("reports", name), "--format", "json")
        yield "changes", ["compare", self.path("reports", "before"), self.path("reports", "now")]
        yield "history", ["history", self.path("reports")]
        yield "checklist", ["checklist", *[sample("config", name) for name in ("bench_pretrain.sh", "target_pretrain.yaml")]]
        yield "tokens", ["tokens", self.path("golden.jsonl"), self.path("target.jsonl")]
        load("make_precheck", "precheck", "make-precheck.py").write(self.path("precheck"))
        yield "precheck", ["precheck", *[self.path("precheck", name) for name in sorted(os.listdir(self.path("precheck")))]]
        yield "study", ["study", sample("study", "after.yaml")]

    def test_a_summary_holds_no_key_that_its_schema_does_not_name(self):
        seen = set()
        for name, words in self.commands():
            shutil.rmtree(self.out, ignore_errors=True)
            code, _, said = run(*words, "-o", self.out, "--format", "json", "--title", "ticket 42")
            self.assertIn(code, (0, 1), (words, said))
            path = os.path.join(self.out, "summary.json")
            self.assertEqual(schema.summary_faults(path, known_only=True), [], words)
            with open(path, encoding="utf-8") as file:
                summary = json.load(file)
            self.assertEqual((summary["schema"], summary["title"]), ("vernier.%s/1" % name, "ticket 42"))
            seen.add(name)
        shutil.rmtree(self.out)

    def test_every_schema_that_the_program_names_is_there(self):
        named = set()
        for folder, _, names in os.walk(os.path.join(ROOT, "..", "src")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    named |= set(re.findall(r'"vernier\.([a-z-]+/[0-9])"', file.read()))
        named.discard("shard/2")  # read by the version that wrote it alone
        files = {name.replace(".schema.json", "").replace("-1", "/1") for name in os.listdir(schema.FOLDER)}
        self.assertEqual(files - {"common"}, named)

    def test_a_wrong_summary_is_found(self):
        code, _, _ = run("compare", *[sample("gpt", side) for side in SIDES], "-o", self.out, "--format", "json")
        path = os.path.join(self.out, "summary.json")
        with open(path, encoding="utf-8") as file:
            good = json.load(file)
        for damage in (lambda d: d.pop("verdict"), lambda d: d.update(partial="no"), lambda d: d.update(status="fine"),
                       lambda d: d["pairs"][0]["first_divergence"].update(value="much"),
                       lambda d: d["pairs"][0]["counts"].update(slots=1.5)):
            document = json.loads(json.dumps(good))
            damage(document)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(document, file)
            self.assertEqual(len(schema.summary_faults(path)), 1)
        os.remove(path)

    def test_a_dump_as_lines_is_as_its_schema_says(self):
        run("convert", sample("gpt", "golden"), "-o", self.path("x.jsonl"))
        with open(self.path("x.jsonl"), encoding="utf-8") as file:
            header, *lines = [json.loads(line) for line in file]
        rules = schema.read("dump-1.schema.json")["$defs"]
        self.assertEqual(schema.faults(header, rules["header"], known_only=True), [])
        for line in lines:
            self.assertEqual(schema.faults(line, rules["line"], known_only=True), [])

    def test_the_page_for_agents_names_what_there_is(self):
        with open(os.path.join(ROOT, "llms.txt"), encoding="utf-8") as file:
            text = file.read()
        for command, words in re.findall(r"`vernier ([a-z]+)([^`]*)`", text):
            _, help_text, _ = run("help", *([] if command == "help" else [command]))
            for option in re.findall(r"--?[a-z-]+", words.replace("--help", "")):
                self.assertRegex(help_text, r"(?<![a-z-])%s(?![a-z-])" % option, command)
        rules = schema.read("compare-1.schema.json")["properties"]
        first = rules["pairs"]["items"]["properties"]["first_divergence"]["properties"]
        named = re.findall(r"`([a-z_]+)`", text[text.index("`first_divergence` (null"):text.index("`coverage` says")])
        self.assertLessEqual(set(named), set(first) | {"first_divergence"})
        kinds = re.findall(r"^- ([a-z]+): ", text[text.index("by kind of first divergence"):], re.M)
        with open(os.path.join(ROOT, "..", "src", "compare", "judge", "comparison.c"), encoding="utf-8") as file:
            known = set(re.findall(r'"([a-z]+)"', file.read()))
        self.assertEqual(set(kinds) - {"none"}, {"output", "argument", "parameter", "input", "missing"})
        self.assertLessEqual(set(kinds), known)
        for link in re.findall(r"\]\(([^)]+)\)", text):
            self.assertTrue(os.path.exists(os.path.join(ROOT, link)), link)


if __name__ == "__main__":
    main()
