#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What would silently have no effect is refused, and what tells nothing is no result: options beside inputs they do not
fit, values that a variable of a script left empty, noise runs that measure nothing, dumps without an op.

VERNIER names the program, SAMPLES the folder of samples.
"""
import json
import os
import shutil
import subprocess

import small_inputs
from program import Case, VERNIER, main

CHECKPOINTS = ["compare", "golden.safetensors", "target.safetensors"]

# Arguments, and a word that the message has to hold.
REFUSED = [
    (["merge", "shards", "--config", "study.yaml"], "--config"),
    (["merge", "tables", "--history", "new.db"], "--history"),
    (["merge", "tables", "--write-mapping", "map.yaml"], "--write-mapping"),
    (["merge", "tables", "--write-layer-mapping", "map.yaml"], "--write-layer-mapping"),
    (["study", "--init", "golden", "--format", "json"], "--format"),
    (["study", "--init", "golden", "--history", "new.db"], "--history"),
    (["study", "--init", "golden", "-o", "a.yaml", "-o", "b.yaml"], "one -o"),
    (["advise", "health", "ckpt", "--threshold", "2"], "--threshold"),
    (["advise", "health", "ckpt", "train.log", "--count", "2"], "--count"),
    (["advise", "skip", "train.log", "--count", "18446744073709551615"], "2147483647"),
    (["graph", "golden", "--depth", "4294967297"], "2147483647"),
    (["compare", "--runs", "golden", "run2", "--overflow"], "--overflow"),
    (["compare", "--runs", "golden", "run2", "--write-layer-mapping", "map.yaml"], "--write-layer-mapping"),
    (["compare", "golden", "target", "--criteria", ""], "--criteria"),
    (["compare", "golden", "target", "--rank="], "--rank"),
    (["graph", "golden", "--templates", ""], "--templates"),
    (["compare", "golden", "target", "--rules", "msprobe26", "--criteria", "criteria.yaml"], "--criteria"),
    (["compare", "golden", "target", "--noise", "target"], "--noise"),
    (["compare", "golden", "target", "--write-mapping", "m.yaml", "--write-layer-mapping", "m.yaml"], "one file"),
    (["compare", "golden", "target", "--history", "new.json", "-o", "new.json"], "one file"),
    (["compare", "golden", "target", "-o", "golden/step0/rank0/dump.json"], "is an input"),
    (["compare", "golden", "target", "--write-mapping", "target/step0/rank1/stack.json"], "is an input"),
    (["compare", "golden", "target", "-o", "golden"], "is an input"),
    (["compare", "golden/step0", "target", "-o", "./golden/step0/"], "is an input"),
    (["compare", "golden", "target", "-o", "golden/step0/rank0"], "is an input"),
    (["curves", "golden.csv", "--golden", "target.csv", "-o", "./target.csv"], "is an input"),
    (["curves", "a=golden.csv", "b=target.csv", "-o", "target.csv"], "is an input"),
    (["checklist", "a.json,study.yaml", "b.json", "-o", "a.json"], "is an input"),
    (["study", "--init", "golden", "-o", "golden/step0/rank0/construct.json"], "is an input"),
    (["advise", "skip", "train.log", "--format", "csv", "-o", "train.log"], "train.log"),
]


def run(*arguments, output="out"):
    shutil.rmtree("out", ignore_errors=True)
    done = subprocess.run([VERNIER, *arguments, *(["-o", output] if "-o" not in arguments else [])],
                          env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, (done.stderr + done.stdout).decode(errors="replace")


class NoEffect(Case):
    def setUp(self):
        super().setUp()
        os.chdir(self.folder)
        small_inputs.make_inputs()
        small_inputs.write("criteria.yaml", "limits:\n  norm: 0.01\n")

    def summary(self, *arguments):
        code, said = run(*arguments, output="out.json")
        with open("out.json", encoding="utf-8") as file:
            return code, said, json.load(file)

    def empty_dump(self, name):
        shutil.copytree("golden", name)
        for rank in ("rank0", "rank1"):
            path = os.path.join(name, "step0", rank, "dump.json")
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(dict(content, data={}), file)

    def test_an_option_that_fits_not_is_refused_by_its_name(self):
        before = sorted(os.listdir())
        for arguments, word in REFUSED:
            code, said = run(*arguments)
            self.assertEqual(code, 2, (arguments, said))
            self.assertIn(word, said, arguments)
        self.assertEqual(sorted(set(os.listdir()) - {"out"}), before)

    def test_a_file_of_a_format_that_the_command_has_not_is_refused_and_no_folder_of_its_name(self):
        os.remove("nights.db")
        for arguments, output in ((["merge", "shards"], "x.db"), (["merge", "tables"], "x.xml"),
                                  (["curves", "golden.csv"], "deep/x.db")):
            code, said = run(*arguments, output=output)
            self.assertEqual(code, 2, said)
            self.assertIn(output, said)
            self.assertFalse(os.path.exists(output))
        os.mkdir("nights.db")  # a folder that is there is what is meant
        code, said = run("curves", "golden.csv", output="nights.db")
        self.assertEqual(code, 0, said)

    def test_a_folder_of_results_does_not_take_the_place_of_an_input(self):
        os.mkdir("mine")
        shutil.move("golden.csv", "mine/curves.csv")
        with open("mine/curves.csv", "rb") as file:
            before = file.read()
        code, said = run("curves", "mine/curves.csv", "--format", "csv", output="mine")
        self.assertEqual(code, 2, said)
        self.assertIn("mine/curves.csv: this file is an input", said)
        with open("mine/curves.csv", "rb") as file:
            self.assertEqual(file.read(), before)

    def test_an_output_without_a_path_is_refused(self):
        code, said = run("compare", "golden", "target", output="")
        self.assertEqual(code, 2, said)
        self.assertIn("--output", said)

    def test_a_folder_without_row_tables_among_others_is_told_and_the_rest_partial(self):
        code, said = run("merge", "tables", "ckpt")
        self.assertEqual(code, 4, said)
        self.assertIn("ckpt: no row table", said)
        self.assertIn("PARTIAL", said)

    def test_options_of_dumps_compare_checkpoints_slot_by_slot(self):
        for option in (["--fuzzy"], ["--overflow"], ["--depth", "2"], ["--consistency", "fsdp"]):
            code, said = run(*CHECKPOINTS, *option)
            self.assertNotIn("checkpoints", said, option)
            self.assertIn(code, (1, 3), said)

    def test_a_row_table_that_was_cut_makes_the_result_partial(self):
        path = "tables/compare_result_rank1_20260101000000.csv"
        with open(path, "rb+") as file:
            file.truncate(os.path.getsize(path) - 12)
        code, said = run("merge", "tables")
        self.assertEqual(code, 4, said)
        self.assertIn(path + ":3: the last line has no end", said)

    def test_runs_without_an_op_are_not_compared(self):
        self.empty_dump("none")
        code, said, summary = self.summary("compare", "--runs", "none", "none")
        self.assertEqual(code, 3, said)
        self.assertIn("NOT COMPARED", said)
        self.assertNotIn("SAME", json.dumps(summary["verdict"]))

    def test_a_noise_run_without_the_ops_of_golden_leaves_the_noise_unknown(self):
        self.empty_dump("none")
        plain = run("compare", "golden", "target")
        code, said = run("compare", "golden", "target", "--noise", "none")
        self.assertEqual(code, 1, said)
        self.assertIn("noise is unknown", said)
        self.assertIn("noise not measured", said)
        self.assertEqual(said.splitlines()[-1], plain[1].splitlines()[-1])

    def test_golden_as_its_own_noise_is_told_to_tell_nothing(self):
        code, said = run("compare", "golden", "target", "--noise", "golden/.")
        self.assertEqual(code, 1, said)
        self.assertIn("golden itself does not describe its noise", said)

    def test_the_noise_of_one_rank_is_not_that_of_another(self):
        shutil.rmtree(os.path.join("run2", "step0", "rank1"))
        code, said = run("compare", "golden", "target", "--noise", "run2")
        self.assertEqual(code, 1, said)
        self.assertIn("this noise run has no dump of step 0, rank 1", said)

    def test_a_noise_run_of_few_steps_does_not_make_a_difference_noise(self):
        with open("golden.csv", encoding="utf-8") as file:
            lines = file.read().splitlines()
        with open("short.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(lines[:1] + [lines[1].replace(lines[1].split(",")[1], "99.5")]) + "\n")
        with open("other.csv", "w", encoding="utf-8") as file:
            file.write("step,speed\n1,2\n2,3\n")
        for noise in ("short.csv", "other.csv"):
            code, said = run("curves", "golden.csv", "target.csv", "--noise", noise)
            self.assertIn(noise + ": this noise run has too few of the 39 steps", said)
            self.assertIn("noise not measured", said)
            self.assertNotIn("WITHIN NOISE", said)
        code, said = run("curves", "short.csv", "target.csv", "--noise", "golden.csv")
        self.assertNotIn("WITHIN NOISE", said)
        self.assertEqual(code, 1, said)


if __name__ == "__main__":
    main()
