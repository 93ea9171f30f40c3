#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matching as users ask for it on the command line; with the reference dumps beside the repository, the fuzzy
node matching of msProbe."""
import glob
import json
import os
import shutil

import program
from program import Case, SAMPLES, SHARED, main, needs_samples

GPT = (os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target"))
FIELDS = ("matched", "precision_index", "parent", "micro_step")


def run(*arguments):
    code, _, err = program.run(*arguments)
    return code, err


def without(folder, dropped):
    """Takes an op out of every dump below the folder and closes the gap in the call numbers after it."""
    api, number, direction = dropped.rsplit(".", 2)
    for path in glob.glob(os.path.join(folder, "**", "*.json"), recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        content = json.loads(text)
        if os.path.basename(path) == "dump.json":
            for way in ("forward", "backward"):
                content["data"].pop("%s.%s.%s" % (api, number, way), None)
            text = json.dumps(content)
        elif os.path.basename(path) == "construct.json":
            for way in ("forward", "backward"):
                content.pop("%s.%s.%s" % (api, number, way), None)
            text = json.dumps(content)
        for call in range(int(number) + 1, 200):
            for way in ("forward", "backward"):
                text = text.replace('"%s.%d.%s"' % (api, call, way), '"%s.%d.%s"' % (api, call - 1, way))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class Matching(Case):
    def summary(self, *arguments):
        code, stderr = run("compare", *arguments, "-o", self.path("out.json"))
        self.assertIn(code, (0, 1), stderr)
        with open(self.path("out.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_a_missing_call_costs_itself_and_nothing_else(self):
        target = self.path("target")
        shutil.copytree(GPT[0], target)
        without(target, "Functional.linear.5.forward")
        pair = self.summary(GPT[0], target)["pairs"][0]
        counts = pair["counts"]
        self.assertEqual((counts["unmatched_golden"], counts["unmatched_target"]), (2, 0))
        self.assertEqual((counts["error"], counts["warning"]), (0, 0))
        self.assertEqual(pair["first_divergence"]["golden"], "Functional.linear.5.forward")
        self.assertEqual(pair["first_divergence"]["kind"], "missing")

    def test_a_side_without_the_hierarchy_of_the_other_is_told(self):
        target = self.path("target")
        shutil.copytree(GPT[0], target)
        for path in glob.glob(os.path.join(target, "**", "construct.json"), recursive=True):
            os.remove(path)
        for sides in ((GPT[0], target), (target, GPT[0])):
            code, stderr = run("compare", *sides, "-o", self.path("out.json"))
            self.assertEqual(code, 0, stderr)
            self.assertRegex(stderr, "target/.*records no hierarchy")
        for folder in (target, GPT[0]):
            self.assertNotIn("hierarchy", run("compare", folder, folder, "-o", self.path("out.json"))[1])

    def test_what_was_inferred_can_be_given_back(self):
        target, mapping = self.path("target"), self.path("rows.yaml")
        shutil.copytree(GPT[1], target)
        without(target, "Functional.linear.5.forward")
        inferred = self.summary(GPT[0], target, "--write-mapping", mapping)
        with open(mapping, encoding="utf-8") as file:
            self.assertIn("Functional.linear.5.forward.input.0: Functional.linear.6.forward.input.0\n", file.read())
        given = self.summary(GPT[0], target, "--data-mapping", mapping)
        self.assertEqual(inferred["pairs"], given["pairs"])

    def test_modules_under_other_paths_can_be_given_back_as_a_layer_mapping(self):
        target, mapping = self.path("target"), self.path("layers.yaml")
        shutil.copytree(GPT[1], target)
        for path in glob.glob(os.path.join(target, "**", "*.json"), recursive=True):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("Module.blocks.", "Module.trunk.layers.").replace(".mlp.", ".feed_forward."))
        inferred = self.summary(GPT[0], target, "--write-layer-mapping", mapping)
        with open(mapping, encoding="utf-8") as file:
            self.assertTrue(file.read().endswith("TopLayer:\n  trunk.layers: blocks\nBlock:\n  feed_forward: mlp\n"))
        given = self.summary(GPT[0], target, "--layer-mapping", mapping)
        self.assertEqual(inferred["pairs"], given["pairs"])

    def test_a_mapping_option_takes_a_file_only_where_one_is_meant(self):
        mapping = self.write("layers.yaml", "TopLayer: {a: b}\n")
        for options in (["--layer-mapping"], ["--layer-mapping", mapping], ["--layer-mapping=" + mapping],
                        ["--cell-mapping"], ["--api-mapping"]):
            self.assertEqual(self.summary(*options, *GPT)["pairs"][0]["counts"]["unmatched_target"], 0)

    def test_a_bad_mapping_file_is_named_with_its_line_and_exits_3(self):
        mapping = self.write("rows.yaml", "a: b\nc: [d]\n")
        code, stderr = run("compare", *GPT, "--data-mapping", mapping, "-o", self.path("out.json"))
        self.assertEqual(code, 3)
        self.assertIn("rows.yaml:2: expected a name, found a list", stderr)

    @needs_samples("dumps")
    def test_the_peers_fuzzy_nodes_are_those_of_its_graph(self):
        references = glob.glob(os.path.join(SHARED, "data", "dumps", "*", "reference", "graph", "*.fuzzy.json"))
        self.assertTrue(references)
        for reference in sorted(references):
            case = reference.split(os.sep + "reference" + os.sep)[0]
            target = os.path.basename(reference).split(".")[0]
            out = self.path("nodes")
            run("compare", os.path.join(case, "bench", "step0"), os.path.join(case, target, "step0"), "-o", out,
                "--rules", "msprobe26", "--fuzzy", "--format", "nodes")
            with open(os.path.join(out, "nodes-step0-rank0.json"), encoding="utf-8") as file:
                got = json.load(file)
            with open(reference, encoding="utf-8") as file:
                graphs = json.load(file)["graphs"]
            for side, graph in (("golden", "Bench_0_0"), ("target", "NPU_0_0")):
                nodes = {node["id"]: node for node in got[side]}
                for want in graphs[graph]:
                    for field in FIELDS:
                        if field in want:
                            self.assertEqual(nodes[want["id"]][field], want[field], (reference, want["id"], field))
            shutil.rmtree(out)


if __name__ == "__main__":
    main()
