#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first hour of a new user: from the built program to a ticket that can be pasted, with the commands of the README
and nothing that the terminal did not say.

VERNIER names the program, SAMPLES the folder of samples.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest
import urllib.parse

from program import SAMPLES, VERNIER, Case, main, run
from terminal import on_terminal

README = os.path.join(os.path.dirname(SAMPLES), "README.md")
COMMANDS_MOST = 3


def commands():
    """Those of the README for one's own dumps, with the samples in place of these."""
    with open(README, encoding="utf-8") as file:
        lines = re.findall(r"(?m)^vernier (compare [^#\n]*)", file.read())
    places = {"gpu_dump/": "gpt/golden", "npu_dump/": "gpt/target", "gpu/step0/rank0": "gpt/golden/step0/rank0",
              "npu/step0/rank0": "gpt/target/step0/rank0"}
    return [[os.path.join(SAMPLES, places[word]) if word in places else word for word in shlex.split(line)] for line in lines]


@unittest.skipUnless(os.path.exists(README), "the README is not here")
class FirstHour(Case):
    def test_three_commands_lead_from_the_clone_to_a_ticket(self):
        typed = commands()
        self.assertLessEqual(len(typed) + 1, COMMANDS_MOST, "make builds, the others are of vernier")
        opened = []
        for words in typed:
            code, said = on_terminal(*words, cwd=self.folder, columns=80)
            self.assertEqual(code, 1, said)
            self.assertIn("DIVERGES  at Functional.linear.8.forward", said)
            self.assertRegex(said, r"■ linear\.8  Functional")
            for link in re.findall(r"report: \x1b\]8;;file://[^/]*(/[^\x1b]*)\x1b", said):
                opened.append(urllib.parse.unquote(link))
        # What the terminal links to is there, and is what is wanted: a page, a picture, a text.
        self.assertEqual([os.path.basename(path) for path in opened], ["index.html", "bug.svg", "bug.md"])
        texts = []
        for path in opened:
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
            self.assertIn("Functional.linear.8.forward", texts[-1])
        ticket = texts[-1]
        for words in ("**DIVERGES**", "Module: `Module.blocks.2.attn.qkv.Linear.forward.0`", "rounded to bfloat16",
                      "Look at next:", "train.py:41", "## To repeat", " vernier "):
            self.assertIn(words, ticket)
        self.assertLess(len(ticket.encode()), 60000)

    def test_two_commands_lead_from_two_dumps_to_a_nightly_job_that_mails_what_is_new(self):
        for name, side in (("gpu_dump", "golden"), ("npu_dump", "target")):
            shutil.copytree(os.path.join(SAMPLES, "gpt", side), os.path.join(self.folder, name))
        code, _, said = run("init", cwd=self.folder)
        self.assertEqual(code, 0, said)
        hint = re.search(r"to try: (.*)", said).group(1)
        # cron's PATH: the script finds the program that wrote it.
        nights = [subprocess.run(hint, shell=True, cwd=self.folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
                  for _ in range(2)]
        self.assertEqual([night.returncode for night in nights], [1, 1], nights[0].stderr)
        self.assertEqual(["Look at next:" in night.stdout for night in nights], [True, False], "an old difference is no news")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "reports", "npu_dump", "index.html")))

    def dumps_of_the_readme(self):
        for name, side in (("gpu_dump", "golden"), ("npu_dump", "target")):
            shutil.copytree(os.path.join(SAMPLES, "gpt", side), os.path.join(self.folder, name))
            os.makedirs(os.path.join(self.folder, name.split("_", maxsplit=1)[0]))
            os.symlink(os.path.join(self.folder, name, "step0"), os.path.join(self.folder, name.split("_", maxsplit=1)[0], "step0"))

    def ticket_and_night(self, lines):
        """Each line is typed in a shell as it stands; None is the one that the last answer named. The text of the ticket, and the night's."""
        said, proposed = [], None
        for line in lines:
            done = subprocess.run(line or proposed, shell=True, cwd=self.folder, capture_output=True, text=True,
                                  env=dict(os.environ, PATH=os.path.dirname(VERNIER) + ":/usr/bin:/bin", LC_ALL="C", NO_COLOR="1"))
            self.assertIn(done.returncode, (0, 1), (line, done.stderr))
            proposed = (re.findall(r"to try: (.*)", done.stdout) or [proposed])[0]
            said.append((done.stdout, re.findall(r"report: (\S+\.md)", done.stderr)))
        ticket = [path for _, paths in said for path in paths][0]
        with open(os.path.join(self.folder, ticket), encoding="utf-8") as file:
            ticket = file.read()
        self.assertIn("Module: `Module.blocks.2.attn.qkv.Linear.forward.0`", ticket)
        self.assertIn("Look at next:", said[-1][0])

    def test_five_commands_lead_from_the_clone_to_a_ticket_and_a_nightly_job(self):
        self.dumps_of_the_readme()
        with open(README, encoding="utf-8") as file:
            ours = re.findall(r"(?m)^(vernier compare [^#\n]*)", file.read())
        typed = ours + ["vernier init gpu_dump npu_dump", None]
        self.assertLessEqual(len(typed) + 1, 5, "make builds")
        self.ticket_and_night(typed)

    def test_five_commands_of_somebody_from_msprobe_lead_to_a_ticket_and_a_nightly_job(self):
        self.dumps_of_the_readme()
        with open(os.path.join(self.folder, "compare.json"), "w", encoding="utf-8") as file:
            json.dump({"npu_path": "./npu_dump", "bench_path": "./gpu_dump", "is_print_compare_log": True}, file)
        self.ticket_and_night(["vernier -f pytorch compare -i compare.json -o ./output", "vernier compare -i compare.json -o bug.md",
                               "vernier init -i compare.json", None])
        shutil.rmtree(os.path.join(self.folder, "reports"))  # the nights before
        self.ticket_and_night(["vernier compare -tp npu_dump -gp gpu_dump -s -o bug2.md", "vernier init -tp npu_dump -gp gpu_dump -o second", None])

    def test_the_command_lines_of_msprobe_lead_to_the_same_report(self):
        for name, side in (("gpu_dump", "golden"), ("npu_dump", "target")):
            shutil.copytree(os.path.join(SAMPLES, "gpt", side), os.path.join(self.folder, name))
        with open(os.path.join(self.folder, "compare.json"), "w", encoding="utf-8") as file:
            json.dump({"target_path": "npu_dump/step0/rank0/dump.json", "golden_path": "gpu_dump/step0/rank0/dump.json",
                       "stack_path": "npu_dump/step0/rank0/stack.json", "is_print_compare_log": True}, file)
        config = [os.path.join(SAMPLES, "config", name) for name in ("bench_pretrain.sh", "target_pretrain.yaml")]
        for line, code, verdict in (
                ("compare -tp npu_dump -gp gpu_dump -o a/", 1, "DIVERGES  at Functional.linear.8.forward"),
                ("compare --target_path npu_dump --golden_path gpu_dump --output_path b/ -fm", 1, "DIVERGES  at Functional.linear.8.forward"),
                ("compare -i compare.json -o c/", 1, "DIVERGES  at Functional.linear.8.forward"),
                ("graph_visualize -i compare.json -o d/", 1, "DIVERGES  at Functional.linear.8.forward"),
                ("graph_visualize -tp npu_dump -o e/", 0, "421 ops"),
                ("nan_analyze -i npu_dump -o f/", 0, ""), ("overflow_check -i npu_dump -o g/", 0, ""),
                ("config_check -c %s %s -o h/" % tuple(config), 1, "settings differ"),
                ("csv2tensorboard -i %s -o i/" % os.path.join(SAMPLES, "monitor"), 1, "NaN in grad_reduced")):
            done = run(*line.split(), cwd=self.folder)
            self.assertEqual((done[0], verdict in done[2]), (code, True), (line, done))
        self.assertTrue(any(name.startswith("events.out") for _, _, names in os.walk(os.path.join(self.folder, "i")) for name in names))


if __name__ == "__main__":
    main()
