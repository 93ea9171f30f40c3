#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first hour of a new user: from the built program to a ticket that can be pasted, with the commands of the README
and nothing that the terminal did not say.

VERNIER names the program, SAMPLES the folder of samples.
"""
import os
import re
import shlex
import unittest
import urllib.parse

from program import SAMPLES, Case, main
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
        for words in ("**DIVERGES**", "Module: Module.blocks.2.attn.qkv.Linear.forward.0", "rounded to bfloat16",
                      "Look at next:", "train.py:41", "## To repeat", " vernier "):
            self.assertIn(words, ticket)
        self.assertLess(len(ticket.encode()), 60000)


if __name__ == "__main__":
    main()
