#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stages of a step (verl's step_N/STAGE/step0/rank0, slime's STAGE/step0/rank0, graph and pynative) are an axis of their own."""
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from program import SAMPLES, Case, main, run

STAGES = ("actor_compute_log_prob", "critic_update", "actor_update")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Stages(Case):
    def tree(self, side, folders, planted=()):
        """A dump in each folder, the golden sample's own or, where planted, one with a defect."""
        for folder in folders:
            dump = "target" if folder in planted else "golden"
            shutil.copytree(os.path.join(SAMPLES, "gpt", dump, "step0", "rank0"), self.path(side, folder))
        return self.path(side)

    def compare(self, *arguments, out="out"):
        code, _, err = run("compare", *arguments, "-o", self.path(out), "--format", "html,json,svg,csv,junit")
        facts = os.path.join(self.path(out), "summary.json")
        summary = json.loads(text_of(facts)) if os.path.exists(facts) else None
        return code, summary, err

    def verl(self, side, planted=(), steps=(1, 2), stages=STAGES):
        return self.tree(side, ["step_%d/%s/step0/rank0" % (n, s) for n in steps for s in stages],
                         ["step_%d/%s/step0/rank0" % p for p in planted])

    def test_each_stage_is_compared_with_itself_and_named(self):
        golden = self.verl("golden")
        target = self.verl("target", [(2, "actor_update"), (2, "critic_update")])
        code, summary, _ = self.compare(golden, target)
        self.assertEqual(code, 1)
        self.assertEqual([(p["step"], p["stage"]) for p in summary["pairs"]],
                         [(n, s) for n in (1, 2) for s in STAGES])
        self.assertIn("step 2 critic_update, rank 0: ", summary["verdict"])
        self.assertEqual([p["status"] for p in summary["pairs"]], ["same"] * 4 + ["error"] * 2)
        names = [f for p in summary["pairs"] for f in p["files"].values()]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("graph-step2-rank0-actor_update.svg", os.listdir(self.out))
        page = text_of(self.path("out", "index.html"))
        self.assertIn("critic_", page)
        self.assertIn("Steps and stages", page)
        suites = re.findall(r'<testsuite name="([^"]*)"', text_of(self.path("out", "junit.xml")))
        self.assertEqual(len(set(suites)), 6)

    def test_the_samples_part_at_the_stage_and_rank_that_was_planted(self):
        make = os.path.join(SAMPLES, "stages", "make-stages.py")
        subprocess.run([sys.executable, make, self.path("made")], check=True)
        for framework, place in (("verl", "step 2 actor_update, rank 0"), ("slime", "step 0 update_actor, rank 0"), ("engine", "step 0, rank 1")):
            golden, target = self.path("made", "golden", framework), self.path("made", "target", framework)
            code, _, said = run("compare", golden, target, "-o", self.path("v.md"))
            self.assertEqual(code, 1, said)
            self.assertIn("at Functional.linear.8.forward (blocks.2.attn.qkv), %s:" % place, said)
            self.assertEqual(run("compare", golden, golden, "-o", self.path("v.md"))[0], 0)
        self.assertEqual(run("compare", self.path("made", "golden", "verl"), self.path("made", "target", "verl"), "--stage", "ref_compute_log_prob",
                             "-o", self.path("v.md"))[0], 0)

    def test_a_stage_on_one_side_is_told_and_not_compared_with_another(self):
        golden = self.verl("golden", steps=(1,), stages=("actor_update",))
        target = self.verl("target", steps=(1,), stages=("critic_update",))
        code, summary, err = self.compare(golden, target)
        self.assertEqual(code, 3)
        self.assertTrue(summary["verdict"].startswith("PARTIAL NOT COMPARED"), summary["verdict"])
        self.assertEqual(err.count("has no dump of this step, stage and rank"), 2)
        both = self.verl("both", steps=(1,), stages=("actor_update", "critic_update"))
        code, summary, err = self.compare(golden, both, out="more")
        self.assertEqual(code, 4)
        self.assertIn("PARTIAL SAME", summary["verdict"])

    def test_a_folder_that_holds_a_dump_and_is_no_stage_is_told(self):
        """Wherever below the root it lies, and however deep: the verdict is not one of the whole folder."""
        for root, folders, odd in (
                ("verl", ["step_1/actor_update/step0/rank0", "step_1/critic_update/step0/rank0"],
                 ("step_1/foo/bar", "foo", "foo/bar/rank0", "old/step_1/actor/step0/rank0", "step_1/critic_update/foo")),
                ("slime", ["generate/step0/rank0", "update_actor/step0/rank0"], ("foo", "generate/foo", "deep/a/b/c")),
                ("plain", ["step0/rank0", "step1/rank0"], ("foo/step0/rank0", "foo/bar/rank0", "step0/foo"))):
            golden = self.tree(root + "-golden", folders)
            for name in odd:
                target = self.tree(root + "-target", folders + [name])
                code, _, said = run("compare", golden, target, "-o", self.path("v.md"))
                self.assertEqual(code, 4, name)
                self.assertIn("this folder holds a dump and is not read", said)
                shutil.rmtree(target)

    def test_a_dump_that_lies_too_deep_is_named_where_it_lies(self):
        """What can be given in its place is said, and can be; a name that would do no better is not blamed."""
        root = self.tree("root", ["actor/step0/rank0", "critic/deep/deeper/step0/rank0"])
        code, _, said = run("graph", root, "-o", self.path("graph"))
        self.assertEqual((code, said.count("critic: this folder holds a dump and is not read")), (4, 1), said)
        self.assertIn("is too deep in it; name %s/critic/deep/deeper\n" % root, said)
        self.assertNotIn("rename", said)
        self.assertEqual(run("graph", root + "/critic/deep/deeper", "-o", self.path("graph"))[0], 0)
        other = self.tree("other", ["actor/step0/rank0", "critic/deep/deeper/step0/rank0"])
        code, _, said = run("compare", root, other, "-o", self.path("v.md"))
        self.assertEqual((code, said.count("is too deep"), "times)" in said), (4, 2, False), said)

    def test_one_stage_is_chosen(self):
        golden, target = self.verl("golden"), self.verl("target", [(2, "actor_update")])
        code, summary, _ = self.compare(golden, target, "--stage", "critic_update,actor_compute_log_prob")
        self.assertEqual((code, len(summary["pairs"])), (0, 4))
        self.assertIn("2 steps x 2 stages x 1 rank", summary["verdict"])
        code, _, err = self.compare(golden, target, "--stage", "nowhere", out="none")
        self.assertEqual(code, 3)
        self.assertIn("6 dumps of other steps, stages or ranks are there: step 1 ", err)
        self.assertIn("; ...", err)
        self.assertEqual(self.compare(golden, target, "--stage", "a,,b", out="bad")[0], 2)

    def test_parts_joined_say_what_one_process_says(self):
        golden, target = self.verl("golden"), self.verl("target", [(1, "actor_update")])
        _, whole, _ = self.compare(golden, target)
        for part in (1, 2):
            run("compare", golden, target, "--shard", "%d/2" % part, "-o", self.path("parts", str(part)),
                "--format", "html,json,svg,csv,junit")
        self.assertEqual(run("merge", self.path("parts"), "-o", self.path("joined"), "--format", "html,json,svg,csv,junit")[0], 1)
        joined = json.loads(text_of(self.path("joined", "summary.json")))
        self.assertEqual([dict(p, files=None) for p in joined["pairs"]], [dict(p, files=None) for p in whole["pairs"]])
        self.assertEqual(joined["verdict"], whole["verdict"])

    def test_rows_of_stages_in_one_table_name_them(self):
        golden, target = self.verl("golden", steps=(1,)), self.verl("target", steps=(1,))
        self.assertEqual(run("compare", golden, target, "-o", self.path("r.csv"))[0], 0)
        rows = list(csv.reader(text_of(self.path("r.csv")).splitlines()))
        self.assertEqual(rows[0][:3], ["Step", "Stage", "Rank"])
        self.assertEqual({r[1] for r in rows[1:]}, set(STAGES))
        self.compare(golden, target)
        self.assertEqual(run("merge", self.out, "-o", self.path("m.json"))[0], 0)
        ranks = json.loads(text_of(self.path("m.json")))
        self.assertIn("actor_update rank0", json.dumps(ranks))

    def test_a_folder_of_several_runs_is_refused_with_the_command_to_type(self):
        for names in (("golden", "target"), ("npu_run1", "gpu", "third")):
            folder = self.tree("+".join(names), [n + "/step0/rank0" for n in names])
            first, second = os.path.join(folder, sorted(names)[0]), os.path.join(folder, sorted(names)[1])
            for words in (("compare", folder, folder), ("compare", first, folder), ("graph", folder), ("locate", folder)):
                code, _, err = run(*words, "-o", self.out)
                self.assertEqual(code, 3, err)
                self.assertIn("%s: holds several runs: %s" % (folder, ", ".join(sorted(names))), err)
                self.assertIn("vernier compare %s %s\n" % (first, second), err)
        self.assertEqual(run("compare", folder, folder, "--stage", "gpu", "-o", self.out)[0], 0)

    def test_the_command_offered_for_runs_is_one_that_a_shell_takes(self):
        for names in (("run a", "run b"), ("golden $x", "target's")):
            folder = self.tree("+".join(names), [n + "/rank0" for n in names])
            told = "target" in names[1]  # the names say which is golden: without a command they are compared
            for words in ([] if told else [(folder,)]) + [("compare", folder), ("compare", folder, folder), ("graph", folder)]:
                err = run(*words, "-o", self.out)[2]
                offered = re.findall("vernier (compare .*)", err)
                self.assertEqual(shlex.split(offered[-1].split(";")[0]), ["compare"] + [os.path.join(folder, n) for n in names], err)

    def test_folders_of_free_names_are_offered_as_runs(self):
        names = [n + "/step0/rank0" for n in "ab"]
        stages, bare, alone = self.tree("P", names, [names[1]]), self.tree("F", ["x1", "x2"]), self.tree("alone", ["step0/rank0"])
        pair = lambda folder, a, b: "vernier compare %s/%s %s/%s" % (folder, a, folder, b)
        for code, words, said in ((2, ["compare", stages], "it holds a, b: %s\n" % pair(stages, "a", "b")), (2, ["compare", alone], "TARGET\n"),
                                  (2, [stages], "two runs: %s; stages of one: vernier graph %s\n" % (pair(stages, "a", "b"), stages)),
                                  (3, [bare], "compared by: %s\n" % pair(bare, "x1", "x2")),
                                  (3, ["compare", alone, bare], "holds several runs: x1, x2\n"),
                                  (3, ["compare", stages, alone], "a, b were taken for stages of one run; if they are runs: "
                                   "vernier compare %s/a %s\n" % (stages, alone)),
                                  (3, ["compare", stages + "/a", stages], pair(stages, "a", "b") + "\n"),
                                  (3, ["compare", stages, stages + "/a"], pair(stages, "b", "a") + "\n"),
                                  (3, ["compare", stages + "/b", stages], pair(stages, "b", "a") + "\n")):
            code_now, _, err = run(*words, "-o", self.path("r.json"))
            self.assertEqual(code_now, code, err)
            self.assertIn(said, err)
        code, out, err = run("compare", stages, stages, "-o", self.path("r.json"))
        self.assertEqual((code, "taken for stages" in err, "2 stages" in out), (0, False, True))
        self.assertNotIn("taken for stages", run("compare", alone, alone, "-o", self.path("r.json"))[2])

    def test_graph_and_locate_know_stages_and_graph_beside_pynative_has_its_own_files(self):
        mixed = self.tree("mixed", ["graph/step0/rank0", "pynative/step0/rank0"])
        code, summary, _ = self.compare(mixed, mixed)
        self.assertEqual((code, [p["stage"] for p in summary["pairs"]]), (0, ["graph", "pynative"]))
        names = [f for p in summary["pairs"] for f in p["files"].values()]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(run("graph", mixed, "-o", self.path("g"), "--format", "svg,json")[0], 0)
        self.assertIn("graph-step0-rank0-pynative.svg", os.listdir(self.path("g")))
        self.assertEqual(run("locate", mixed, "-o", self.path("l.json"), "--stage", "graph")[0], 0)
        code, _, err = run("compare", mixed, mixed, "-o", self.path("v.db"))
        self.assertEqual(code, 2, err)
        self.assertIn("choose one with --stage", err)
        self.assertEqual(run("compare", mixed, mixed, "--stage", "graph", "-o", self.path("v.db"))[0], 0)


if __name__ == "__main__":
    main()
