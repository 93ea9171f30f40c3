#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each rule of the judge is worth: how many answers about recorded pairs change without it.

    VERNIER=… SAMPLES=… rules_worth.py           holds tests/data/rules.json
    VERNIER=… SAMPLES=… rules_worth.py --print   the table: rule, answers that change, which

The pairs: tests/data/witness (of runs on small models, CASE-TARGET, statistics alone), and the sample of a GPT of which one side was collected with
other settings. An answer is the exit code, the status and where each pair of steps and ranks parts. A rule that changes none
has no recorded case: it stands by its source, or goes.
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

import judge_rules

VERNIER, SAMPLES = os.environ["VERNIER"], os.environ["SAMPLES"]
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JSON = os.path.join(TESTS, "data", "rules.json")


def rule_ids():
    """Those that --without knows."""
    text = subprocess.run([VERNIER, "help", "rules"], capture_output=True, text=True, check=True).stdout
    text = text.split("excused by", 1)[1].split("--without", 1)[0]
    return re.findall(r"^  ([a-z][a-z-]+) ", text, re.M)


def collected(folder):
    """The sample of a GPT, whose target parts in the middle and is collected with other settings."""
    dumps = {}
    for side in ("golden", "target"):
        with open(os.path.join(SAMPLES, "gpt", side, "step0/rank0/dump.json"), encoding="utf-8") as file:
            dumps[side] = json.load(file)
    names = list(dumps["target"]["data"])
    kept = {"no-backward": ("golden", lambda i, name: ".backward" not in name),
            "no-gelu": ("target", lambda i, name: not re.match(r"Functional\.(gelu|softmax|layer_norm)\.", name)),
            "scope": ("target", lambda i, name: 40 <= i < len(names) - 40),
            "end": ("golden", lambda i, name: i < len(names) * 7 // 10)}
    for case, (of, keep) in kept.items():
        for side, dump in (("golden", dumps["golden"]), ("target", dumps[of])):
            data = {name: dump["data"][name] for i, name in enumerate(dump["data"]) if side == "golden" or keep(i, name)}
            os.makedirs(os.path.join(folder, case, side))
            with open(os.path.join(folder, case, side, "dump.json"), "w", encoding="utf-8") as file:
                json.dump({**dump, "data": data}, file)


def witnesses(folder):
    for path in sorted(glob.glob(os.path.join(TESTS, "data", "witness", "*.tar.xz"))):
        with tarfile.open(path) as archive:
            archive.extractall(os.path.join(folder, os.path.basename(path)[:-len(".tar.xz")]))
    collected(folder)
    for side, off in (("golden", 0), ("target", 1)):
        judge_rules.steps(os.path.join(folder, "bias-of-noise", side), 3, off)
    return sorted(os.listdir(folder))


def answer(folder, case, rule):
    words = ["--without", rule] if rule else []
    done = subprocess.run([VERNIER, "compare", os.path.join(folder, case, "golden"), os.path.join(folder, case, "target"), "--jobs", "1",
                           "-o", "-", "--format", "json", *words], capture_output=True, text=True, check=False)
    summary = json.loads(done.stdout)
    parts = [(pair["step"], pair["rank"], pair["status"],
              pair["first_divergence"] and [pair["first_divergence"][key] for key in ("kind", "target", "golden", "slot")])
             for pair in summary["pairs"]]
    return done.returncode, summary["status"], parts


def measure(rules):
    """rule -> the cases whose answer changes without it"""
    changes = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = witnesses(folder)
        asked = [(case, rule) for case in cases for rule in [None] + rules]
        answers = dict(zip(asked, pool.map(lambda one: answer(folder, *one), asked)))
    for case, rule in asked:
        if answers[case, rule] != answers[case, None]:
            changes[rule].append(case)
    return {rule: changes[rule] for rule in rules}


class RulesWorth(unittest.TestCase):
    def test_each_recorded_pair_needs_the_rules_that_it_is_kept_for(self):
        with open(JSON, encoding="utf-8") as file:
            wanted = json.load(file)["witness"]
        self.assertEqual(measure(list(wanted)), wanted,
                         "what a rule is worth has changed: look why, then write tests/data/rules.json")


if __name__ == "__main__":
    if sys.argv[1:] == ["--print"]:
        for rule, cases in measure(rule_ids()).items():
            print("%-16s %3d  %s" % (rule, len(cases), " ".join(cases)))
    else:
        unittest.main()
