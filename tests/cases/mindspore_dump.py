#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tree that MindSpore's Dump leaves (samples/mindspore-dump): ranks and iterations, graphs, constants, what is half written."""
import csv
import importlib.util
import os
import shutil

from program import Case, SAMPLES, main, run

SPEC = importlib.util.spec_from_file_location(
    "make_mindspore_dump", os.path.join(SAMPLES, "mindspore-dump", "make-mindspore-dump.py"))
SAMPLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(SAMPLE)


class MindSporeDump(Case):
    def make(self, name, *options):
        SAMPLE.main([self.path(name), *options])
        return self.path(name)

    def pair(self, *options, defect="MatMul-op7,1,1"):
        return self.make("golden", *options), self.make("target", *options, "--run", "2", "--defect", defect)

    def compare(self, golden, target):
        return run("compare", golden, target, "-o", self.out + ".json")

    def test_a_kernel_that_is_off_is_named_with_its_rank_and_iteration(self):
        for form, saved in (("o0", "statistic"), ("o0", "tensor"), ("o0", "full"), ("o2", "statistic"), ("o2", "tensor"), ("moved", "full")):
            with self.subTest(form=form, saved=saved):
                golden, target = self.pair("--form", form, "--saved", saved)
                code, _, said = self.compare(golden, target)
                self.assertRegex(said, r"DIVERGES  at \S*MatMul-op7.0.forward, step 1, rank 1: inputs agree")
                self.assertEqual(code, 1)
                for side in (golden, target):
                    shutil.rmtree(side)

    def test_columns_in_another_order_and_other_line_ends_are_the_same_table(self):
        golden, target = self.pair()
        for folder, _, names in os.walk(target):
            for name in names:
                if name != "statistic.csv":
                    continue
                with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                    rows = list(csv.reader(file))
                order = [8, 9, 1, 5, 11, 0, 3, 10, 6, 7, 13, 2, 4, 12]
                with open(os.path.join(folder, name), "w", encoding="utf-16", newline="") as file:
                    csv.writer(file).writerows([row[i] for i in order] for row in rows)
        code, _, said = self.compare(golden, target)
        self.assertRegex(said, r"DIVERGES  at \S*MatMul-op7.0.forward, step 1, rank 1: inputs agree")
        self.assertEqual(code, 1)

    def test_other_time_stamps_tasks_and_streams_are_no_difference(self):
        for saved in ("statistic", "tensor", "full"):
            code, _, said = self.compare(self.make(saved, "--saved", saved), self.make(saved + "2", "--saved", saved, "--run", "2"))
            self.assertRegex(said, "SAME .*3 steps x 2 ranks")
            self.assertEqual(code, 0)

    def test_the_kernels_of_a_tree_pair_with_the_calls_of_pytorch(self):
        golden = self.make("golden", "--form", "pytorch")
        target = self.make("target", "--defect", "MatMul-op7,1,1")
        code, _, said = self.compare(golden, target)
        self.assertRegex(said, r"DIVERGES  at MatMul-op7.0.forward, step 1, rank 1")
        self.assertEqual(code, 1)

    def test_kernels_of_o0_pair_with_those_of_o2_whose_names_hold_their_scope(self):
        golden = self.make("golden", "--form", "o0")
        for form in ("o2", "moved"):
            target = self.make(form, "--form", form, "--run", "2")
            self.assertRegex(self.compare(golden, target)[2], "SAME .*3 steps x 2 ranks, 84 slots\\.\n")
            self.assertRegex(self.compare(target, golden)[2], "SAME .*3 steps x 2 ranks, 84 slots\\.\n")
            target = self.make(form + "-off", "--form", form, "--run", "2", "--defect", "MatMul-op7,1,1")
            self.assertRegex(self.compare(golden, target)[2], r"DIVERGES  at \S*MatMul-op7.0.forward, step 1, rank 1: inputs agree")

    def test_the_folder_of_a_time_may_be_renamed(self):
        golden, target = self.pair("--form", "o2")
        for side, name in ((golden, "first"), (target, "second")):
            os.rename(os.path.join(side, os.listdir(side)[0]), self.path(name))
        self.assertRegex(self.compare(self.path("first"), self.path("second"))[2], r"MatMul-op7.0.forward, step 1, rank 1: inputs agree")

    def test_a_tree_may_be_named_at_any_of_its_folders(self):
        golden, target = self.pair()
        for inner in ("rank_1", "rank_1/Net", "rank_1/Net/0", "rank_1/Net/0/1"):
            said = self.compare(os.path.join(golden, inner), os.path.join(target, inner))[2]
            self.assertRegex(said, r"DIVERGES  at MatMul-op7.0.forward, step 1, rank 1")

    def test_the_execution_order_decides_where_time_stamps_are_all_one(self):
        golden, target = self.pair("--saved", "tensor")
        for side in (golden, target):
            for folder, _, names in os.walk(side):
                for name in names:
                    if name.endswith(".npy"):
                        parts = name.split(".")
                        parts[4] = "0"
                        os.rename(os.path.join(folder, name), os.path.join(folder, ".".join(parts)))
        self.assertRegex(self.compare(golden, target)[2], r"DIVERGES  at MatMul-op7.0.forward, step 1, rank 1: inputs agree")

    def test_constants_and_a_second_graph_are_stages(self):
        golden, target = self.pair("--saved", "tensor", defect="none,0,0")
        for side, factor in ((golden, 1), (target, 2)):
            shutil.copytree(os.path.join(side, "rank_0/Net/0/1"), os.path.join(side, "rank_0/Net/1/1"))
            os.makedirs(os.path.join(side, "rank_0/Net/0/constants"))
            SAMPLE.write_npy(os.path.join(side, "rank_0/Net/0/constants/Parameter.data-2.0.0.%d.output.0.DefaultFormat.float32.npy" % factor),
                             [0.25 * factor] * 12)
        code, _, said = self.compare(golden, target)
        self.assertRegex(said, r"DIVERGES  at data-2.0.forward, step 0 constants, rank 0")
        self.assertEqual(code, 1)

    def test_an_iteration_that_is_half_written_is_told_and_the_rest_compared(self):
        golden, target = self.pair()
        shutil.rmtree(os.path.join(target, "rank_0/Net/0/2"))
        os.makedirs(os.path.join(target, "rank_0/Net/0/2"))
        code, _, said = self.compare(golden, target)
        self.assertRegex(said, r"PARTIAL DIVERGES  at MatMul-op7.0.forward, step 1, rank 1")
        self.assertIn("holds neither statistic.csv nor tensors", said)
        self.assertEqual(code, 1)

    def test_two_runs_in_one_folder_are_refused_by_name(self):
        golden = self.make("golden", "--form", "o2")
        self.make("golden", "--form", "o2", "--run", "3")
        code, _, said = run("graph", golden, "-o", self.out + ".json")
        self.assertIn("holds several runs", said)
        self.assertEqual(code, 3)

    def test_an_overflow_flag_names_its_kernel(self):
        dump = self.make("dump", "--form", "o2", "--ranks", "1", "--steps", "1")
        folder = os.path.join(dump, "20241211163400/0/kernel_graph_1/1/0")
        with open(os.path.join(folder, "Opdebug.Node_OpDebug.2.0.1733905446002050.output.0.json"), "w", encoding="utf-8") as file:
            file.write('{"AI Core": {"model_id": 1, "stream_id": 0, "task_id": 2, "status": 32}, "L2 Atomic Add": {"stream_id": 0,'
                       ' "task_id": 0, "status": 0}}')
        self.assertRegex(run("locate", dump, "-o", self.out + ".json")[2], r"overflow flag of AI Core, status 32: task 2 on stream 0 is \S*MatMul-op7")


if __name__ == "__main__":
    main()
