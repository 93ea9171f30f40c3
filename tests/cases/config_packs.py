#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs of msProbe's config_check (samples/config-pack), and what else a side tells besides settings: versions and dicts of logs,
settings that exclude each other, settings of a dump."""
import importlib.util
import json
import os
import shutil
import zipfile

from program import Case, SAMPLES, main, run

SPEC = importlib.util.spec_from_file_location("make_pack", os.path.join(SAMPLES, "config-pack", "make-pack.py"))
SAMPLE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(SAMPLE)


class ConfigPacks(Case):
    def make(self, name, *options):
        SAMPLE.main([self.path(name), *options])
        return self.path(name)

    def checklist(self, golden, target):
        code, _, said = run("checklist", golden, target, "-o", self.path("out.json"))
        with open(self.path("out.json"), encoding="utf-8") as file:
            return code, said, json.load(file)

    def test_two_equal_packs_agree(self):
        for ending in ("", ".zip"):
            code, said, _ = self.checklist(self.make("bench" + ending), self.make("cmp" + ending))
            self.assertIn("AGREES", said)
            self.assertEqual(code, 0)
            self.assertIn("AGREES", run(self.path("bench" + ending), self.path("cmp" + ending), "-o", self.path("out.json"))[2])

    def test_what_differs_is_named_with_both_values(self):
        bench = self.make("bench.zip")
        for part, key, values in (("env", "hccl_deterministic", ("true", "false")), ("pip", "transformers", ("4.43.2", "4.37.2")),
                                  ("dataset", "kwargs.labels", None), ("weights", "module.decoder.layers.2.mlp.linear_fc1.weight", None),
                                  ("hyperparameters", "beta2", ("0.95", "0.999")), ("random", "torch.randn init.py:77", ("12", "13"))):
            code, said, summary = self.checklist(bench, self.make(part + ".zip", "--plant", part))
            self.assertEqual((code, [row["key"] for row in summary["mismatch"]]), (1, [key]))
            if values:
                row = summary["mismatch"][0]
                self.assertEqual((row["golden"], row["target"]), values)

    def test_folders_of_machines_and_packages_without_numbers_are_no_difference(self):
        bench, other = self.make("bench"), self.make("cmp")
        self.write("cmp/env", json.dumps({"PATH": "/elsewhere", "HOME": "/root", "HCCL_DETERMINISTIC": "True",
                                          "HCCL_ALGO": "level0:NA;level1:ring"}))
        self.write("cmp/pip", "torch=2.1.0\nnumpy=1.26.4\ntransformers=4.43.2\nwheel=0.50\n")
        self.write("cmp/random/rank0.json", json.dumps({"torch.manual_seed": {"/other/train.py:31": 1},
                                                        "torch.randn": {"/other/model/init.py:77": 12}}))
        self.assertEqual(self.checklist(bench, other)[0], 0)

    def test_a_broken_part_costs_itself(self):
        bench, other = self.make("bench"), self.make("cmp", "--plant", "pip")
        self.write("cmp/weights/step0/rank0/weight.json", '{"module')
        code, said, summary = self.checklist(bench, other)
        self.assertIn("PARTIAL", said)
        self.assertIn("transformers", [row["key"] for row in summary["mismatch"]])
        self.assertEqual(code, 1)

    def test_what_else_lies_in_a_pack_is_told_and_what_macos_adds_is_not(self):
        bench, other = self.make("bench.zip"), self.path("cmp.zip")
        SAMPLE.main([self.path("cmp"), "--plant", "pip"])
        shutil.make_archive(self.path("cmp"), "zip", self.folder, "cmp")
        with zipfile.ZipFile(other, "a") as file:
            file.writestr("__MACOSX/", "")
            file.writestr("__MACOSX/cmp/._env", "x")
        code, said, summary = self.checklist(bench, other)
        self.assertEqual((code, "PARTIAL" in said, [row["key"] for row in summary["mismatch"]]), (1, False, ["transformers"]), said)
        self.write("cmp/notes.txt", "mine")
        self.assertRegex(self.checklist(bench, self.path("cmp"))[1], r"notes.txt: this is no part of a pack(.|\n)*PARTIAL")

    def test_arguments_are_read_behind_what_a_launcher_puts_in_front_of_lines(self):
        dotted = "------ arguments ------\n" + "".join("  %s %s %s\n" % (key, "." * 20, value) for key, value in
                                                       (("adam_beta2", "%s"), ("lr", "1e-05"), ("clip_grad", "1.0"), ("seed", "1234"), ("num_layers", "24")))
        fields = "INFO - Training/evaluation parameters TrainingArguments(\n" + "".join("%s=%s,\n" % pair for pair in (
            ("adam_beta1", "0.9"), ("adam_beta2", "%s"), ("bf16", "True"), ("fp16", "False"), ("learning_rate", "1e-05"), ("max_grad_norm", "1.0"),
            ("max_steps", "-1"), ("seed", "42"), ("warmup_ratio", "0.03"), ("weight_decay", "0.0"), ("do_train", "True"))) + ")\n{'loss': 2.1, 'epoch': 0.1}\n"
        for text in (dotted, fields):
            for front in ("", "[rank0]:2026-03-01 10:00:00,123 [INFO] " if text == dotted else "[rank0]: "):
                sides = [self.write(name, "".join(front + line for line in (text % value).splitlines(True))) for name, value in (("a.log", "0.95"), ("b.log", "0.999"))]
                code, said, summary = self.checklist(*sides)
                self.assertEqual((code, [(row["golden"], row["target"]) for row in summary["mismatch"]]), (1, [("0.95", "0.999")]), (front, said))

    def test_versions_and_configurations_that_logs_print_are_read(self):
        lines = "2024-11-28 10:00:01,001 - mindformers[mindformers/version_control.py:62] - INFO - MindSpore version: %s\n" \
                "2024-11-28 10:00:02,000 - INFO - { Epoch:[  1/  2], step:[    1/ 6500], loss: 9.990, lr: 1e-6 }\n"
        code, said, _ = self.checklist(self.write("a.log", lines % "2.4.10"), self.write("b.log", lines % "2.3.0"))
        self.assertIn("MindSpore 2.4.10 / 2.3.0", said)
        self.assertEqual(code, 1)
        lines = "Started a local Ray instance.\n" + "".join("(TaskRunner pid=44%%s) %s\n" % line for line in (
            "{'actor_rollout_ref': {'actor': {'calculate_entropy': False, 'clip_ratio': %s,", " 'optim': {'lr': 1e-06}}},",
            " 'data': {'train_batch_size': 1024}}", "step:1 - actor/pg_loss:-0.02 - actor/lr:1e-06"))
        sides = [self.write(name, lines.replace("pid=44%s", "pid=44" + name[0]).replace("%s", value)) for name, value in
                 (("1.log", "0.2"), ("2.log", "0.3"))]
        code, said, _ = self.checklist(*sides)
        self.assertIn("clip_ratio 0.2 / 0.3; 3 equal", said)
        self.assertEqual(code, 1)

    def test_settings_that_exclude_each_other_are_advice_on_both_sides(self):
        text = "use_skip_data_by_global_norm: %s\nmonitor_config:\n  monitor_on: True\n  check_for_global_norm: True\nseed: 1\n"
        both, one = self.write("both.yaml", text % "True"), self.write("one.yaml", text % "False")
        advice = [row for row in self.checklist(both, both)[2]["advice"] if "check_for_global_norm" in row["key"]]
        self.assertEqual([row["side"] for row in advice], ["both"])
        self.assertEqual([row for row in self.checklist(one, one)[2]["advice"] if "check_for_global_norm" in row["key"]], [])

    def test_lists_of_lists_are_shown_with_their_numbers(self):
        golden, target = (self.write(name, "seed: 1\ndataset_strategy: [[%d, 1], [4, 1]]\n" % size) for name, size in (("a.yaml", 4), ("b.yaml", 8)))
        self.assertIn("[[8, 1], [4, 1]]", run("checklist", golden, target, "-o", "-")[1])


    def test_one_pack_alone_is_shown_with_what_is_advised_against(self):
        pip = {"good": "torch=2.1.0\ntorch_npu=2.1.0.post8\nnumpy=1.26.4\n", "npu": "torch=2.2.0\ntorch_npu=2.1.0.post8\n",
               "numpy": "torch=2.1.0\nnumpy=2.0.1\n", "cann": "cann=8.1.RC1\ntorch_npu=2.1.0.post8\n"}
        for name, text in pip.items():
            self.write(name + "/pip", text)
            self.write(name + "/env", '{"HCCL_DETERMINISTIC": "true"}')
            self.write(name + "/hyperparameters/hyperparameters_static.json", '{"num_layers": 2, "hidden_size": 1024}')
            code, out, said = run("checklist", name, "-o", "out.md", cwd=self.folder)
            self.assertEqual(code, 0, said)
            self.assertIn("SHOWN", out)
            with open(self.path("out.md"), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual("versions that were not released for each other" in text, name != "good", name)
            self.assertIn("advises against the values of %d" % (name != "good"), out)
        self.assertIn("not released", run("checklist", "good", "npu", "-o", "-", "--format", "md", cwd=self.folder)[1])


if __name__ == "__main__":
    main()
