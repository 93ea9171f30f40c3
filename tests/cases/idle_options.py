#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What was asked for and not done is said in every mode: every option of every command is typed where it can do nothing."""
import json
import os
import re

from program import Case, SAMPLES, main, run


def sample(*names):
    return os.path.join(SAMPLES, *names)


INPUTS = {
    "compare": [sample("gpt", "golden"), sample("gpt", "target")],
    "graph": [sample("gpt", "golden")],
    "locate": [sample("ranks", "golden")],
    "check": [sample("ranks", "golden")],
    "checklist": [sample("config", "bench_pretrain.sh"), sample("config", "target_pretrain.yaml")],
    "curves": [sample("curves", "golden.csv"), sample("curves", "target.csv")],
    "advise": ["health", sample("curves", "target.csv")],
    "monitor": [sample("monitor")],
    "convert": [sample("curves", "golden.csv")],
    "explain": ["report"],
}
# A value that no input here has anything for.
VALUES = {
    "LIST": "7777", "NAME": "nosuch", "FILE": "nosuch.file", "DIR": "nosuch", "RUN": "nosuch", "DUMP": "nosuch", "CKPT": "nosuch",
    "CSV": "nosuch.csv", "N": "1", "X": "0.5", "A-B": "7777-8888", "I/N": "1/1", "FORM": "zz:{step} qq:{loss}", "RULE": "nosuch",
    "NAME=WHY": "nosuch=why", "NAME=VALUE": "frozen=nosuch*", "LAYOUT": "tp=3", "tp=N,pp=N,dp=N": "tp=3", "PID": "1", "SECONDS": "5",
    "URL": "http://x", "TEXT": "t", "W": "9", "GOLDEN,TARGET": "a,b", "FACTOR": "2",
}
# What is asked for is done, and leaves no other trace where nothing is found, or names what is so anyway.
DONE = {
    "compare": {"fuzzy", "overflow", "strict", "rules", "runs", "consistency", "shard", "history", "layer-mapping", "cell-mapping",
                "api-mapping", "parallel-merge", "write-mapping", "write-layer-mapping"},
    "graph": {"rules"},
    "check": {"rate", "tolerance", "vocab-size", "history", "skip", "layout"},
    "curves": {"exact", "criterion", "x", "smooth", "history"},
    "advise": {"threshold", "count"},
    "monitor": {"history"},
}
ALWAYS = {"golden", "target", "watch", "init"}


def options_of(command):
    """Each own option of a command with what its help calls the value; common ones that show in formats."""
    own = run("help", command)[1].split("Options of every command:")[0]
    found = re.findall(r"^  (?:-\w, |    )--([a-z-]+)(?: (\S+))?", own, re.M)
    return [(name, value) for name, value in found if name not in ALWAYS]


class IdleOptions(Case):
    def answer(self, command, *words):
        code, out, said = run(command, *INPUTS[command], *words, "-q", "--format", "json", "-o", "o/", cwd=self.folder) \
            if command != "convert" else run(command, *INPUTS[command], *words, "-q", "-o", "o.csv", cwd=self.folder)
        return code, out, said

    def test_an_option_that_can_do_nothing_is_said_even_when_quiet(self):
        silent = []
        run("compare", *INPUTS["compare"], "--format", "json", "-o", "report/", cwd=self.folder)
        for command in sorted(INPUTS):
            usual = self.answer(command)
            for name, value in options_of(command):
                if name in DONE.get(command, ()):
                    continue
                typed = "--" + name
                if value:
                    value = value.strip("[]")
                    typed += "=" + VALUES.get(value, value.split("|")[0])
                code, out, said = self.answer(command, typed)
                if code in (2, 3):
                    self.assertIn("error", said, (command, typed))
                else:
                    if (code, out, said) == usual:
                        silent.append("%s %s" % (command, typed))
        self.assertEqual(silent, [], "these do nothing and say nothing")

    def test_an_option_without_effect_is_in_the_summary_where_nothing_is_printed(self):
        for words, expected in ((["--via", "nosuch"], "--via has no effect"), (["--theme", "dark"], "--theme has no effect: it shows in"),
                                (["--source-root", "/x"], "--source-root has no effect"), (["--rank", "0,9"], "no data of rank 9")):
            code, out, said = run("compare", *INPUTS["compare"], *words, "-qq", "--format", "json", "-o", "o/", cwd=self.folder)
            self.assertEqual((code, out, said), (1, "", ""), words)
            with open(self.path("o/summary.json"), encoding="utf-8") as file:
                texts = [problem["text"] for problem in json.load(file)["problems"]]
            self.assertTrue(any(text.startswith(expected) for text in texts), (words, texts))

    def test_a_setting_and_an_option_that_shows_are_not_mentioned(self):
        with open(self.path("vernier.toml"), "w", encoding="utf-8") as file:
            file.write('theme = "dark"\nlink = "http://x"\n')
        for words in ([], ["--link", "http://x", "-o", "x.chat"], ["--theme", "dark", "-o", "x.svg"], ["--title", "T", "-o", "x.md"],
                      ["--no-config"], ["--jobs", "1", "--color", "never"]):
            said = run("compare", *INPUTS["compare"], "--format", "json", *(words or ["-o", "o/"]), cwd=self.folder)[2] if not words or \
                "-o" not in words else run("compare", *INPUTS["compare"], *words, cwd=self.folder)[2]
            self.assertNotIn("no effect", said, words)

    def test_options_of_every_command_have_their_effect_with_each(self):
        for command in sorted(set(INPUTS) - {"explain", "convert", "advise"}):
            for words in (["--lang", "zh"], ["--title", "x"], ["--html", "folder"], ["--verbose"], ["--exit-zero"]):
                code, _, said = run(command, *INPUTS[command], *words, "-o", "o/", "--format", "html,md,svg", cwd=self.folder)
                self.assertIn(code, (0, 1, 4), said)
                self.assertNotRegex(said, "no effect|不起作用", (command, words))

    def test_a_mapping_that_names_nothing_of_the_target_is_said(self):
        rows = {"layer": "TopLayer:\n  nosuch: other\n", "cell": "no.such.Cell: other.Cell\n",
                "data": "Functional.nosuch.0.forward.input.0: Functional.nosuch.1.forward.input.0\n",
                "api": "- ms_api: mint.nosuch\n  pt_api: torch.nosuch\n  ms_args: [0]\n  pt_args: [0]\n  ms_output: [0]\n"
                       "  pt_output: [0]\n"}
        for kind, text in rows.items():
            with open(self.path(kind + ".yaml"), "w", encoding="utf-8") as file:
                file.write(text)
            said = run("compare", *INPUTS["compare"], "--%s-mapping=%s.yaml" % (kind, kind), "-q", "-o", "x.json", cwd=self.folder)[2]
            self.assertIn("--%s-mapping: no row names anything of the target" % kind, said)
        with open(self.path("fits.yaml"), "w", encoding="utf-8") as file:
            file.write("TopLayer:\n  blocks: blocks2\n")
        said = run("compare", *INPUTS["compare"], "--layer-mapping=fits.yaml", "-q", "-o", "x.json", cwd=self.folder)[2]
        self.assertNotIn("no row names", said)

    def test_numbers_and_names_of_a_filter_that_are_not_there_are_said(self):
        for words, expected in ((["check", sample("ranks", "golden"), "--rank", "0,9"], ["no data of rank 9"]),
                                (["locate", sample("ranks", "golden"), "--step", "0,4-6"], ["no data of step 4"]),
                                (["monitor", sample("monitor"), "--step", "5,400", "--type", "grad,actv"],
                                 ["no data of step 400", "no data of type 'actv'"]),
                                (["convert", sample("monitor"), "--step", "5,400", "--rank", "1,8", "--type", "grad,actv", "-o", "m.csv"],
                                 ["no data of step 400", "no data of type 'actv'", "no data of rank 8"])):
            said = run(*words, "-q", *([] if "-o" in words else ["-o", "o/", "--format", "json"]), cwd=self.folder)[2]
            for text in expected:
                self.assertIn(text, said)


if __name__ == "__main__":
    main()
