#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command lines of msProbe's users: their options are ours, compare.json names the sides, and swapped names are noticed."""
import json
import os
import shutil

from program import Case, SAMPLES, main, run

GOLDEN, TARGET = os.path.join(SAMPLES, "gpt/golden"), os.path.join(SAMPLES, "gpt/target")


class FromMsprobe(Case):
    def compare(self, *words):
        return run("compare", *words, "--format", "json", cwd=self.folder)

    def report(self, folder="vernier-compare"):
        with open(self.path(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_their_options_name_the_same_sides_as_ours(self):
        _, expected, _ = self.compare(GOLDEN, TARGET)
        sides = {key: value for key, value in self.report().items() if key in ("golden", "target", "verdict")}
        for words in (["-tp", TARGET, "-gp", GOLDEN], ["-gp", GOLDEN, "-tp", TARGET], ["--target_path", TARGET, "--golden_path", GOLDEN],
                      ["--target_path=" + TARGET, "--golden-path=" + GOLDEN], ["-m", TARGET, "-g", GOLDEN, "-out", "vernier-compare"],
                      ["-tp", TARGET, "-gp", GOLDEN, "--output_path", "vernier-compare", "-s", "-hl", "-da", "--fuzzy_match", "--rank", "0"],
                      ["--npu_path", TARGET, "--bench_path", GOLDEN]):
            with self.subTest(words):
                shutil.rmtree(self.path("vernier-compare"))
                code, out, said = self.compare(*words)
                self.assertEqual((code, out), (1, expected), said)
                self.assertEqual({key: self.report().get(key) for key in sides}, sides)

    def test_compare_json_names_both_sides_wherever_it_lies(self):
        _, expected, _ = self.compare(GOLDEN, TARGET)
        os.makedirs(self.path("there"))
        shutil.copytree(GOLDEN, self.path("there", "g"))
        shutil.copytree(TARGET, self.path("there", "t"))
        for keys in (("npu_path", "bench_path"), ("target_path", "golden_path"), ("npu_json_path", "bench_json_path")):
            self.write("there/any name.json", json.dumps({keys[0]: "./t", keys[1]: "./g", "is_print_compare_log": True}, indent=4))
            for words in (["compare", "-i", "there/any name.json"], ["compare", "--input_path=there/any name.json"],
                          ["compare", "there/any name.json"], ["there/any name.json"]):
                with self.subTest((keys, words)):
                    code, out, said = run(*words, "-o", "x.md", cwd=self.folder)
                    self.assertEqual((code, out), (1, expected), said)

    def test_compare_json_of_one_side_and_another_command_say_what_to_type(self):
        self.write("one.json", json.dumps({"npu_path": TARGET}))
        code, _, said = self.compare("one.json")
        self.assertEqual(code, 2)
        self.assertIn("vernier graph " + TARGET, said)
        for words, line in ((["graph", "-tp", TARGET, "-gp", GOLDEN], "vernier compare -g GOLDEN -t TARGET"),
                            (["graph", "-i", "one.json"], "compare")):
            code, _, said = run(*words, cwd=self.folder)
            self.assertIn(code, (2, 3))
            self.assertIn(line, said)

    def test_sides_whose_names_contradict_their_order_are_noticed(self):
        for golden, target, swapped in (("target", "golden", True), ("npu", "gpu", True), ("待测", "标杆 run", True), ("npu_run2", "gpu_run1", True),
                                        ("调试侧", "标杆侧", True), ("a/npu/step0", "a/gpu/step0", True), ("golden", "target", False),
                                        ("npu1", "npu2", False), ("one", "two", False), ("npu2gpu", "gpu2npu", False), ("标杆", "待测", False)):
            with self.subTest((golden, target)):
                for name, source in ((golden, GOLDEN), (target, TARGET)):
                    if not os.path.exists(self.path(name)):
                        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
                        os.symlink(source, self.path(name))
                _, _, said = self.compare(golden, target)
                self.assertEqual("look swapped" in said, swapped, said)
                _, _, said = self.compare("-g", golden, "-t", target)
                self.assertNotIn("look swapped", said)

    def test_a_proposed_pair_has_golden_first(self):
        for folder, golden, target in (("我的", "标杆 run", "待测"), ("mine", "gpu", "npu"), ("cpu and npu", "cpu", "npu")):
            for name, source in ((golden, GOLDEN), (target, TARGET)):
                shutil.copytree(source, self.path(folder, name))
            _, _, said = self.compare(folder)
            self.assertLess(0, said.find("/" + golden))
            self.assertLess(said.rfind("/" + golden), said.rfind("/" + target), said)
        shutil.copytree(os.path.join(SAMPLES, "curves"), self.path("logs"))
        _, _, said = run("curves", "logs", cwd=self.folder)
        self.assertIn("curves logs/golden.csv logs/target.csv", said)


if __name__ == "__main__":
    main()
