#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The debug tree of Hugging Face transformers (samples/debug-tree) through compare, graph and locate."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

VERNIER = os.environ["VERNIER"]
MAKE = os.path.join(os.environ["SAMPLES"], "debug-tree", "make-debug-tree.py")
MODEL = "LlamaForCausalLM"
DEFECT = MODEL + ".model.layers.2.mlp.down_proj"


class DebugTrees(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def make(self, *options):
        subprocess.run([sys.executable, MAKE, self.folder, *options], check=True)

    def run_vernier(self, *arguments):
        done = subprocess.run([VERNIER, *arguments], env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, (done.stderr + done.stdout).decode()

    def test_the_module_that_differs_first_is_named(self):
        self.make()
        code, said = self.run_vernier("compare", "golden", "target")
        self.assertEqual(code, 1, said)
        self.assertIn("DIVERGES", said)
        self.assertIn(f"at {DEFECT}, ", said)
        self.assertIn("inputs agree", said)
        code, said = self.run_vernier("compare", "golden", "golden")
        self.assertEqual(code, 0)
        self.assertIn("SAME", said)

    def test_layers_that_one_side_prunes_are_a_setting_and_no_divergence(self):
        for side in ("golden", "target"):
            self.make("--prune", side)
            other = os.path.join(self.folder, "whole-" + side)
            subprocess.run([sys.executable, MAKE, other], check=True)
            pair = ("golden", other + "/golden") if side == "golden" else (other + "/target", "target")
            for golden, target in (pair, pair[::-1]):
                code, said = self.run_vernier("compare", golden, target)
                self.assertEqual(code, 0, said)
                self.assertIn("layers that the other leaves out", said)
        self.make("--prune", "golden")
        code, said = self.run_vernier("compare", "golden", "target")
        self.assertEqual(code, 1, said)  # layer 2 with the defect is left out; what follows feels it
        self.assertIn("compared: ", said)

    def test_full_and_summary_of_one_run_are_the_same(self):
        self.make()
        names = [f"golden/{MODEL}_debug_tree_{x}.json" for x in ("FULL_TENSORS", "SUMMARY")]
        self.assertEqual(self.run_vernier("compare", *names)[0], 0)

    def test_the_hierarchy_is_drawn(self):
        self.make()
        code, said = self.run_vernier("graph", "golden", "-o", "graph.svg")
        self.assertEqual(code, 0, said)
        self.assertIn("57 modules", said)
        with open(os.path.join(self.folder, "graph.svg"), encoding="utf-8") as file:
            self.assertIn("embed_tokens", file.read())

    def test_a_nan_is_located(self):
        self.make("--nan")
        code, said = self.run_vernier("locate", "target")
        self.assertEqual(code, 1, said)
        self.assertIn(f"{DEFECT}: inputs finite", said)
        self.assertEqual(self.run_vernier("locate", "golden")[0], 0)

    def test_tensors_beside_the_tree_are_compared_element_by_element(self):
        """Two elements change places: no statistic shows it."""
        self.make("--tensors")
        shutil.rmtree(os.path.join(self.folder, "target"))
        shutil.copytree(os.path.join(self.folder, "golden"), os.path.join(self.folder, "target"))
        name = MODEL + ".model.embed_tokens"
        with open(os.path.join(self.folder, "target", name + "_outputs.safetensors"), "rb+") as file:
            data = file.read()
            file.seek(len(data) - 16)
            file.write(data[-8:] + data[-16:-8])
        code, said = self.run_vernier("compare", "golden", "target")
        self.assertEqual((code, said.count("warning")), (1, 0), said)
        self.assertIn(f"at {name}, ", said)

    def test_pruned_on_both_sides_compares_what_is_there(self):
        self.make("--prune", "both")
        code, said = self.run_vernier("compare", "golden", "target")
        self.assertEqual(code, 1)
        self.assertIn(MODEL + ".model.layers.3", said)

    def test_a_tree_that_was_cut_is_refused(self):
        self.make()
        path = os.path.join(self.folder, "target", f"{MODEL}_debug_tree_SUMMARY.json")
        with open(path, "rb+") as file:
            file.truncate(1000)
        code, said = self.run_vernier("compare", f"golden/{MODEL}_debug_tree_SUMMARY.json", path)
        self.assertEqual(code, 3, said)
        self.assertIn("this is no whole debug tree", said)

    def test_no_output_is_written_over_a_tree(self):
        self.make()
        path = f"golden/{MODEL}_debug_tree_SUMMARY.json"
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            before = file.read()
        code, said = self.run_vernier("compare", "golden", "target", "-o", path)
        self.assertEqual(code, 2, said)
        with open(os.path.join(self.folder, path), encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(json.loads(before)["module_path"], MODEL)


if __name__ == "__main__":
    unittest.main()
