#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The forms of templates/logs.forms: each example line gives what stands below it.

VERNIER names the program, SOURCE the folder of the sources.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

VERNIER = os.environ["VERNIER"]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(TOP, "templates", "logs.forms")
EVENTS = ("skip", "overflow", "nan", "abort", "error", "restart", "checkpoint")


def forms():
    found = []
    with open(TABLE, encoding="utf-8") as f:
        for line in f:
            key, _, rest = line.strip().partition(" ")
            if line.startswith("#") or not key:
                continue
            if key == "form":
                found.append({"form": rest})
            elif key == "line":
                found[-1].setdefault("lines", []).append(rest.strip())
            else:
                found[-1][key] = rest.strip()
    return found


class Table(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def read(self, text, *options):
        path, out = os.path.join(self.folder.name, "a.log"), os.path.join(self.folder.name, "out")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        p = subprocess.run([VERNIER, "curves", path, "-o", out, "--format", "json,csv", *options], capture_output=True, text=True)
        self.assertIn(p.returncode, (0, 4), p.stderr + text)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
            run = json.load(f)["runs"][0]
        with open(os.path.join(out, "curves.csv"), encoding="utf-8") as f:
            rows = [row.split(",") for row in f.read().splitlines()]
        heads = [head.split(": ")[-1] for head in rows[0]]
        return run, {name: [(float(row[0]), float(row[i])) for row in rows[1:] if row[i]] for i, name in enumerate(heads) if i}

    def test_names_of_series_are_sorted_and_each_is_found(self):
        for name in ("log.words", "series.names"):
            with open(os.path.join(os.path.dirname(TABLE), name), encoding="utf-8") as f:
                rows = [line.strip("\n").split(" ") for line in f if not line.startswith("#")]
            names = [row[0].encode() for row in rows if len(row) > 1]
            self.assertEqual((names, len(names)), (sorted(set(names)), len(rows)))
        for row in rows:
            if row[1] in ("loss", "lr", "grad_norm", "eval_loss", "throughput"):
                text = "step,%s,%s\n1,2.5,9.5\n2,2.25,9.25\n" % (row[0], "other" if row[1] == "loss" else "loss")
                self.assertIn(row[1], self.read(text)[1], row)

    def test_each_example_gives_what_stands_below_it(self):
        for form in forms():
            for line in form["lines"]:
                with self.subTest(form["form"] + ": " + line):
                    self.example(form, line + "\n", form["gives"])

    def example(self, form, line, gives):
        if form["role"] in EVENTS:
            kind, step = re.fullmatch(r"(\w+) at (\d+)", gives).groups()
            run, _ = self.read("step: 49 loss: 6.75\nstep: 50 loss: 6.5\n" + line)
            self.assertIn((kind, int(step)), [(e["kind"], e["step"]) for e in run["events"]])
        elif form["role"] == "heading":
            self.assertEqual(self.read(line + "  loss: 6.5\n")[1].get("loss"), [(50, 6.5)])
        elif form["role"] == "beside":
            name, value = gives.split()
            step, series = (50, self.read("Epoch:[  2/  3], step:[   10/   40], loss: 6.5, lr: 0.1\n" + line)[1])
            self.assertEqual(series.get(name), [(step, float(value))])
        elif form["role"] == "passed":
            self.assertEqual(self.read("step: 50 loss: 6.5\n" + line)[1].get("loss"), [(50, 6.5)])
        elif form["role"] == "evaluation":
            run, series = self.read("s:50 trl:6.5 lr:0.01 norm:2.5\n" + line)
            self.assertEqual(series.get("loss"), [(50, 6.5)])
            if gives.startswith("eval_loss"):
                self.assertEqual(series.get("eval_loss"), [(50, float(gives.split()[1]))])
        else:
            step, name, value = re.fullmatch(r"step (\d+) (\w+) (\S+)", gives).groups()
            self.assertEqual(self.read(line if "loss" in name else 2 * line)[1].get(name), [(int(step), float(value))])

    def test_at_least_fifteen_spellings_of_events_name_their_writers(self):
        events = [form for form in forms() if form["role"] in EVENTS]
        self.assertGreaterEqual(len(events), 15)
        self.assertTrue(all("from" in form for form in events))

    def test_a_file_of_the_user_has_the_same_form(self):
        path = os.path.join(self.folder.name, "own.forms")
        with open(path, "w", encoding="utf-8") as f:
            f.write("form own\n  role training\n  match at {step} the price is {loss}\n  line at 1 the price is 2.5\n"
                    "form own\n  role skip\n  match too wild at {step}\n")
        run, series = self.read("at 1 the price is 2.5\nat 2 the price is 2.25\ntoo wild at 2\n", "--patterns", path)
        self.assertEqual(series["loss"], [(1, 2.5), (2, 2.25)])
        self.assertEqual([(e["kind"], e["step"]) for e in run["events"]], [("skip", 2)])

    def test_what_is_said_twice_by_two_processes_happened_once(self):
        text = "".join("Gradient overflow. Skipping step\n" * 2 + "Loss scaler reducing loss scale to %g\n" % (2.0 ** (15 - i)) * 2 for i in range(12))
        run, _ = self.read("step: 1 loss: 2.5\n" + text + "step: 13 loss: 2.25\n")
        self.assertEqual(sum(e["kind"] == "skip" for e in run["events"]), 12)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
