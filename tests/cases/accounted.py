#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every value is accounted for: what was read is compared, set aside with a reason, or makes the verdict PARTIAL.

Two runs that differ, or a run that holds NaN, never come out as equal or healthy with exit 0 and no word. Each input of tests/data/accounted was
answered so once; the rows say what the answer has to be. Single changes: conservation.py; values planted in every place of a format: planted.py.
"""
import json
import os
import shutil
import struct
import subprocess

import planted
from program import DATA, SHARED, VERNIER, Case, crc32c, main, needs_samples, run

INPUTS = os.path.join(DATA, "accounted")
FINDINGS = os.path.join(SHARED, "data", "findings2")
# Every row of the README of these inputs that no test above has: folder, arguments, exit code, what is said.
ROWS = [
    *[("curves-noise", ("curves", "-g", "golden.csv", "-t", "target.csv", *before, "--noise", "noise_%s.csv" % noise), 1, "OUTSIDE .* from step 300")
      for noise in ("to_250", "all_nan", "all_inf", "plus_100") for before in ((), ("--noise", "noise_full.csv"))],
    ("repeated-names", ("curves", "golden.jsonl", "key_twice.jsonl"), 1, "OUTSIDE"),
    ("checklist", ("checklist", "golden.sh", "target.sh"), 0, "3 equal; not known, as no file sets a variable: beta2"),
    ("monitor", ("monitor", "GOLDEN=golden", "TARGET=layer_missing"), 4, "GOLDEN alone has 1 name: layers.2.weight"),
    ("one-rank-apart", ("curves", "golden", "target"), 1, "OUTSIDE .* from step 201: loss.rank0"),
    ("settings-above/job", ("curves", "../../curves-noise/golden.csv", "../../curves-noise/target.csv", "--no-config"), 1, "OUTSIDE"),
]


class Accounted(Case):
    def holds(self, *arguments, code, says=(), not_says=()):
        got, _, said = run(*arguments, "--no-config", "-o", self.out, "--format", "json", cwd=INPUTS)
        self.assertIn(got, code if isinstance(code, tuple) else (code,), said)
        for text in says:
            self.assertRegex(said, text)
        for text in not_says:
            self.assertNotRegex(said, text)
        return said

    def test_nan_that_only_a_count_records_is_nan_for_every_command(self):
        self.holds("compare", "counted-nan/golden", "counted-nan/target", code=1, says=["DIVERGES +at Default/net/MatMul-op2"])
        self.holds("locate", "counted-nan/target", code=1, says=["NaN +born .*MatMul-op2"])
        self.holds("check", "counted-nan/target", code=1, says=["BROKEN .*MatMul-op2.* holds NaN"])
        self.holds("graph", "counted-nan/target", code=0, says=["NaN +at .*MatMul-op2"])

    def test_nan_in_what_golden_did_not_record_is_named(self):
        self.holds("compare", "nan-beyond-golden/golden_forward", "nan-beyond-golden/target_backward_nan", code=(1, 4),
                   says=[r"holds NaN at Functional\.linear\.5\.backward, output\.0 \(9 tensors"])
        self.holds("compare", "nan-beyond-golden/golden_plain", "nan-beyond-golden/target_api_nan", code=(1, 4),
                   says=[r"holds NaN at Functional\.exotic\.0\.forward"])

    def test_an_op_that_the_device_flagged_is_a_difference(self):
        self.holds("compare", "flagged-nan/golden", "flagged-nan/target", code=1, says=[r"Functional\.linear\.3\.forward"])
        self.holds("graph", "flagged-nan/target", code=0, says=["NaN +at Functional.linear.3"])
        self.holds("check", "flagged-nan/target", code=1, says=[r"output\.0 holds NaN"], not_says=["forward,  holds"])

    def test_a_norm_of_nan_is_a_nan_of_the_tensor(self):
        self.holds("locate", "locate/norm_nan", code=1, says=["NaN +born"])
        self.holds("check", "locate/norm_nan", code=1, says=["BROKEN"])

    def test_what_holds_nan_on_both_sides_counts_as_compared_nowhere(self):
        self.holds("compare", "all-nan/a", "all-nan/b", code=3, says=["both sides hold NaN"])

    def test_what_is_no_checksum_outweighs_no_statistic(self):
        for name in ("na", "none"):
            self.holds("compare", "checksum-placeholder/%s_golden" % name, "checksum-placeholder/%s_target" % name, code=1,
                       says=["DIVERGES"])
        self.holds("compare", "checksum-placeholder/equal_golden", "checksum-placeholder/equal_target_nan", code=1, says=["NaN"])

    def test_a_line_with_statistics_is_a_tensor_whatever_its_value_says(self):
        self.holds("compare", "value-null/golden.jsonl", "value-null/target.jsonl", code=1, says=["DIVERGES"])

    def test_a_noise_run_of_another_configuration_is_named_and_left_out(self):
        for noise in ("noise_other_run", "noise_50_percent"):
            self.holds("compare", "dump-noise/golden", "dump-noise/target", "--noise", "dump-noise/" + noise, code=1,
                       says=["left out", "DIVERGES"])

    def test_a_dump_without_its_head_is_partial_like_one_without_its_tail(self):
        for half in ("first", "second"):
            self.holds("compare", "head-lost/golden", "head-lost/target_%s_half_gone" % half, code=4,
                       says=["PARTIAL", "Golden alone records the %s 20 ops. Either part of the target's dump was lost, or its" % half.replace("second", "last")])

    def test_a_weight_file_beside_the_folders_of_a_dump_does_not_hide_the_dump(self):
        self.holds("compare", "dump-beside-weights/golden", "dump-beside-weights/target", code=1, says=["DIVERGES", "are not compared"])

    def test_keys_of_any_kind_name_what_is_below_them(self):
        self.holds("compare", "keys-of-other-kinds/golden.pt", "keys-of-other-kinds/target.pt", code=1,
                   says=[r"0\.\(bfloat16, float32\)\.exp_avg"])

    def test_shared_dicts_are_bounded_by_the_size_of_the_file(self):
        self.holds("compare", "shared-dicts/e19.pt", shutil.copy(os.path.join(INPUTS, "shared-dicts/e19.pt"), self.path("copy.pt")),
                   code=3, says=["more dicts and lists than a checkpoint needs"])

    def test_every_file_of_a_folder_of_weights_is_read_or_named(self):
        self.holds("compare", "weights-left-out/golden", "weights-left-out/target", code=1, says=["b.weight differs"])
        for name, content in (("more.gguf", b"GGUF"), ("more.NPZ", b"no zip"), ("deeper/model.safetensors", None)):
            folders = [self.path(name, side) for side in ("golden", "target")]
            for folder in folders:
                shutil.copytree(os.path.join(INPUTS, "weights-left-out/golden"), folder)
                with open(os.path.join(folder, "model.safetensors"), "rb") as file:
                    whole = file.read()
                self.write(os.path.join(folder, name), content or whole)
            said = self.holds("compare", *folders, code=4, says=["PARTIAL SAME"])
            self.assertIn(os.path.join(folders[1], name.split("/")[0]), said)

    def test_copies_of_a_weight_in_two_files_are_one_weight(self):
        folders = [self.path(side) for side in ("golden", "target")]
        for folder in folders:
            shutil.copytree(os.path.join(INPUTS, "weights-left-out/golden"), folder)
            shutil.copy(os.path.join(folder, "model.safetensors"), os.path.join(folder, "other.safetensors"))
        self.holds("compare", *folders, code=0, says=["SAME"], not_says=["PARTIAL"])

    def test_layers_that_were_exchanged_under_new_names_are_named(self):
        self.holds("compare", "crossed-layers/golden.safetensors", "crossed-layers/target.safetensors", code=4,
                   says=[r"'model\.layers\.0\.weight' of golden is 'module\.layers\.1\.weight'"])

    def test_kernels_and_tensors_in_lists_of_debug_mode_are_compared(self):
        self.holds("compare", "debugmode-triton/a.txt", "debugmode-triton/b.txt", code=1,
                   says=[r"DIVERGES +at triton_poi_fused_relu_1.*output\.out_ptr0"])
        self.holds("compare", "debugmode-fused-optimizer/a.txt", "debugmode-fused-optimizer/b.txt", code=1,
                   says=[r"DIVERGES +at aten::_fused_adamw_.*input\.1\.1"])

    def test_a_tensor_in_two_hashes_is_compared_by_both_and_an_unknown_line_is_named(self):
        text = "[nn.Mod] Net\n  aten::relu(t: f32[4])  ->  t: f32[4]  # {'input_hash': (((1.5, 17),), {}), 'hash': (2.5, %d)}\n"
        golden, same, other = (self.write(name, text % number) for name, number in (("a.txt", 18), ("b.txt", 18), ("c.txt", 19)))
        self.holds("compare", golden, same, code=0, says=["SAME"])
        self.holds("compare", golden, other, code=1, says=[r"differs \(checksums\)"])
        odd = self.write("d.txt", text % 18 + "  [new] kernel<t: f32[4]>\n")
        self.holds("compare", golden, odd, code=4, says=["in no form that is known"])

    def test_two_columns_of_tokens_are_compared_or_named(self):
        self.holds("tokens", "tokens/both_golden.jsonl", "tokens/both_target.jsonl", code=4, says=["differ at 40 tokens"])
        self.holds("tokens", "tokens/both_golden.jsonl", shutil.copy(os.path.join(INPUTS, "tokens/both_golden.jsonl"), self.path("same.jsonl")),
                   code=0, says=["SAME"])
        self.holds("tokens", "tokens/golden.jsonl", "tokens/two_names.jsonl", code=4, says=["'log_probs' and 'logprobs'"])

    def test_of_a_name_that_comes_twice_in_a_line_of_tokens_the_last_counts(self):
        golden = self.write("a.jsonl", '{"logprobs": [-1.0, -2.0]}\n')
        target = self.write("b.jsonl", '{"logprobs": [-1.0, -2.0], "logprobs": [-1.0, -3.0]}\n')
        self.holds("tokens", golden, target, code=1, says=["DIFFERS", "the last one counts"])
        table = self.write("c.csv", "sample,logprob,logprobs\n0,-1.0,-1.5\n0,-2.0,-2.5\n")
        self.holds("tokens", table, self.write("d.csv", "sample,logprob\n0,-1.0\n0,-2.0\n"), code=4, says=["'logprob' and 'logprobs'"])

    def test_log_probabilities_under_other_names_are_said_to_be_left_out(self):
        line = '{"logprobs": [-1.0, -2.0], "ref_logprobs": [-1.0, %s]}\n'
        self.holds("tokens", self.write("a.jsonl", line % -2.0), self.write("b.jsonl", line % -9.0), code=0, says=["are not compared"])

    def test_runs_that_differ_by_a_count_of_nan_are_not_equal(self):
        folders = []
        for i in range(3):
            folders.append(shutil.copytree(os.path.join(INPUTS, "counted-nan", "target" if i == 2 else "golden"), self.path("run%d" % i)))
        got, _, said = run("compare", "--runs", *folders, "--no-config", "-o", self.out, "--format", "json")
        self.assertEqual(1, got, said)

    def test_texts_of_tokens_are_compared(self):
        self.holds("tokens", "tokens/ids_text_golden.jsonl", "tokens/ids_text_target.jsonl", code=1, says=["other tokens"])

    def test_tokens_that_are_infinite_on_both_sides_are_no_comparison(self):
        self.holds("tokens", "tokens/all_inf.jsonl", shutil.copy(os.path.join(INPUTS, "tokens/all_inf.jsonl"), self.path("copy.jsonl")),
                   code=3, says=["infinite on both sides"])

    def test_whole_numbers_above_2_to_the_53rd_are_compared_to_the_last_digit(self):
        self.holds("compare", "big-integers/golden.jsonl", "big-integers/target.jsonl", code=1, says=["DIVERGES"])
        head = '{"schema": "vernier.dump/1"}\n{"op": "m", "io": "output", "slot": "0", "dtype": "torch.int64", "shape": [1], "max": %d}\n'
        for a, b in ((2 ** 53 + 1, 2 ** 53), (-(2 ** 63) + 1, -(2 ** 63)), (10 ** 30 + 1, 10 ** 30)):
            self.holds("compare", self.write("a.jsonl", head % a), self.write("b.jsonl", head % b), code=1, says=["DIVERGES"])
            self.holds("compare", self.path("a.jsonl"), self.write("b.jsonl", head % a), code=0, says=["SAME"])

    def test_a_file_of_another_ending_beside_the_tensors_is_named(self):
        self.holds("compare", "other-endings/golden", "other-endings/target", code=4, says=[r"b\.NPY"])

    def test_ops_that_hold_nothing_are_no_data_of_graph(self):
        self.holds("graph", "locate/empty_ops", code=3, says=["NO DATA"])

    def test_no_line_of_a_report_begins_as_a_command_of_a_runner(self):
        for name in ("txt", "md", "jira"):
            _, out, _ = run("compare", "workflow-commands/golden", "workflow-commands/target", "-o", "-", "--format", name, "--no-config", cwd=INPUTS)
            self.assertIn("::error", out)
            self.assertNotRegex(out, r"(?m)^\s*(::|##\[)")

    def test_the_order_of_files_that_say_none_is_that_of_modules(self):
        numpy = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(79) + b"\n"
        names = ["lm_head", "model.embed_tokens", "model.layers.0.mlp", "model.layers.0.self_attn", "model.layers.0", "model.layers.10.mlp",
                 "model.layers.2.mlp", "model.norm"]
        for side, scale in (("golden", 1.0), ("target", 1.5)):
            for name in names:
                late = name in ("lm_head", "model.norm", "model.layers.10.mlp", "model.layers.0", "model.layers.0.mlp", "model.layers.2.mlp")
                value = struct.pack("<2f", 1.0 * (scale if late else 1), 2.0)
                self.write("%s/%s.npy" % (side, name), numpy + value)
        self.holds("compare", self.path("golden"), self.path("target"), code=1,
                   says=[r"DIVERGES +at model\.layers\.0\.mlp", "order of the files is not known"])

    def test_sums_alone_are_said_to_be_compared(self):
        self.holds("compare", "printed-elements/golden.txt", "printed-elements/target_rows_swapped.txt", code=0, says=["the sum alone was compared"])

    def test_every_dump_of_a_folder_is_read_or_named(self):
        """Next to the equal dumps of step 0, rank 0 there is a dump that differs."""
        def dump(norm):
            stats = {"Max": 3.0, "Min": -3.0, "Mean": 0.1}
            ops = {"Functional.linear.%d.forward" % i: {"input_args": [], "input_kwargs": {}, "output": [dict(
                stats, Norm=norm if i == 2 else 7.0 + i, type="torch.Tensor", dtype="torch.float32", shape=[4, 8])]} for i in range(4)}
            return json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, "data": ops})
        where, line = "step0/rank0/dump.json", '{"schema": "vernier.dump/1"}\n{"op": "a", "io": "output", "slot": "0", "max": %d}\n'
        for other in ("step0/rank0/dump_1.json", "step0/rank0/dump.json.bak", "step0/rank0/Dump.JSON", "step0/rank0/debug.json", "step0/rank0/dump.jsonl",
                      "step0/rank0/old/dump.json", "step0/dump.json", "step00/rank0/dump.json", "step0/rank/dump.json",
                      "step0/rank00/dump.json", "step0/rank0.bak/dump.json"):
            folders = [self.path("siblings", other.replace("/", "-"), side) for side in ("golden", "target")]
            for number, folder in enumerate(folders):
                self.write(os.path.join(folder, where), dump(9.0))
                self.write(os.path.join(folder, other), line % number if other.endswith("l") else dump(9.0 + number))
            said = self.holds("compare", *folders, code=4, says=["PARTIAL SAME"])
            self.assertTrue(any(os.path.join(folders[1], *other.split("/")[:n]) + ":" in said for n in (1, 2, 3)), (other, said))
        ranks = [self.path("siblings", "step0-dump.json", side) for side in ("golden", "target")]
        for folder in ranks:
            os.remove(os.path.join(folder, "step0", "dump.json"))
        self.holds("compare", *ranks, "--rank", "0,7", code=0, says=["no data of rank 7, which was asked for"])
        self.holds("compare", *ranks, "--step", "0-7", code=0, says=["SAME"])
        above = [self.path("above", side) for side in ("golden", "target")]
        for number, folder in enumerate(above):
            self.write(os.path.join(folder, "dump.json"), dump(9.0))
            self.write(os.path.join(folder, where), dump(9.0 + number))
        self.holds("compare", *above, code=4, says=["PARTIAL SAME", "target/step0: this folder holds a dump"])

    def test_what_follows_the_end_of_a_file_is_not_understood(self):
        head = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(79) + b"\n"
        text = '{"task": "statistics", "data": {"Functional.relu.0.forward": {"output": [{"type": "torch.Tensor", "dtype": "torch.float32", ' \
               '"shape": [2], "Max": 1.0, "Min": %s, "Mean": 0.5, "Norm": 1.0}]}}}\n'
        for name, one, more in (("dump.json", text % 0.0, text % 0.25), ("a.npy", head + struct.pack("<2f", 1, 2), head + struct.pack("<2f", 3, 4))):
            whole = one if isinstance(one, bytes) else one.encode()
            golden = self.write("golden/" + name, whole)
            target = self.write("target/" + name, whole + (more if isinstance(more, bytes) else more.encode()))
            self.holds("compare", golden, target, code=4, says=["PARTIAL SAME"])

    def test_tensor_files_that_no_entry_names_are_named(self):
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}
        for side in ("golden", "target"):
            self.write(side + "/dump.json", json.dumps({"task": "statistics", "data": {"Functional.relu.0.forward": {"output": [tensor]}}}))
            self.write(side + "/dump_tensor_data/Functional.relu.0.forward.output.0.npy", b"x" + side.encode())
        self.holds("compare", self.path("golden"), self.path("target"), code=4, says=["PARTIAL SAME", "1 file is named by no entry of the dump"])

    @needs_samples("findings2")
    def test_every_row_of_the_second_attack_has_the_answer_that_a_user_needs(self):
        for folder, arguments, code, says in ROWS:
            with self.subTest(folder=folder, arguments=arguments):
                got, _, said = run(*arguments, "-o", self.out, "--format", "json", cwd=os.path.join(FINDINGS, folder))
                self.assertEqual(code, got, said)
                self.assertRegex(said, says)

    @needs_samples("findings2")
    def test_parts_links_and_settings_of_the_second_attack_are_named(self):
        def script(*words):
            return subprocess.run(words, capture_output=True, text=True, check=False).stdout
        self.assertIn("exit 4", script("sh", os.path.join(FINDINGS, "stale-part", "run.sh"), VERNIER, self.path("stale")))
        said = script("sh", os.path.join(FINDINGS, "unreadable-log", "run.sh"), VERNIER, self.path("links"))
        self.assertIn("link: exit 4", said)
        self.assertIn("dangling: exit 4", said)
        for kind in ("url", "escaped", "semicolon"):
            script("python3", "-B", os.path.join(FINDINGS, "merge-part", "make.py"), VERNIER, self.path(kind), kind)
            _, _, said = run("merge", self.path(kind, "part"), "-o", self.path(kind, "report"), "--format", "html,json,svg,csv")
            self.assertRegex(said, "it is left out", kind)
        folder = os.path.join(FINDINGS, "flagged-nan")
        shutil.copy(os.path.join(FINDINGS, "jobs", "vernier.toml"), self.folder)
        self.assertEqual(1, run("compare", os.path.join(folder, "golden"), os.path.join(folder, "target"), "-o", self.out, cwd=self.folder)[0])

    def test_a_weight_that_one_side_alone_trains_is_named(self):
        def dump(side, *trained):
            def tensor(grad):
                return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 4], "Max": 1.5, "Min": -1.25, "Mean": 0.25, "Norm": 2.5,
                        "requires_grad": grad}
            self.write("%s/dump.json" % side, json.dumps({"task": "statistics", "level": "L0", "data": {
                "Module.fc%d.Linear.forward.0" % i: {"input_args": [dict(tensor(i == 1), Norm=3.5 + i)], "parameters": {"weight": tensor(grad)},
                                                     "output": [dict(tensor(True), Norm=4.5 + i)]} for i, grad in enumerate(trained)}}))
            return self.path(side)
        golden = dump("g", True, True, True)
        for target, said in ((dump("t", True, False, False), "2 weights require a gradient on one side only, first parameters.weight of Module.fc1.Linear.forward.0 in golden"),
                             (dump("u", True, True, True), None)):
            _, _, text = run("compare", golden, target, "-o", self.path("o.json"))
            self.assertEqual("on one side only" in text, said is not None, text)
            self.assertIn(said or "SAME", text)

    def monitors(self, side, *names, change=None):
        """A monitor's table of three weights and 30 steps; `change` scales one statistic."""
        rows = ["0,w%d,%d,%s" % (i, step, ",".join("%.4f" % ((i + 1) * (1 + 0.02 * ((7 * step + 3 * i) % 5)) * (
            change(name, i) if change else 1)) for name in names)) for step in range(30) for i in range(3)]
        text = "vpp_stage,name,step,%s\n%s\n" % (",".join(names), "\n".join(rows))
        self.write("%s/rank_0/weight_grad_step0-29.csv" % side, text)
        return self.path(side), text

    def test_a_monitor_without_norms_is_compared_by_its_other_magnitudes(self):
        golden, _ = self.monitors("g", "max", "min", "mean")
        for statistic in ("max", "min"):
            target, _ = self.monitors("t", "max", "min", "mean", change=lambda name, i: 50 if name == statistic and i == 1 else 1)
            self.holds("monitor", golden, target, code=1, says=["DIFFERS +%s of weight_grad w1 is 50.0x golden's from step 0 on" % statistic])
        self.holds("monitor", *[self.monitors(side, "mean")[0] for side in "ab"], code=4, says=["are not compared with each other"])

    def test_a_statistic_of_one_monitor_and_steps_that_come_twice_are_named(self):
        golden, text = self.monitors("g", "norm", "max")
        target, _ = self.monitors("t", "norm")
        for sides, name in (((golden, target), "g"), ((target, golden), "g")):
            self.holds("monitor", *sides, code=0, says=["%s alone has 1 name: weight_grad.max" % name])
        again = self.write("again/rank_0/weight_grad_step0-29.csv", text + "0,w1,5,99.0,1.0\n")
        self.holds("monitor", golden, os.path.dirname(os.path.dirname(again)), code=0, says=["steps were written again"])

    def test_numbers_of_tokens_that_are_not_compared_are_named(self):
        head, row = "sample,logprob,reward,entropy\n", "0,-%d.5,%s,0.25\n"
        table = [self.write(side + ".csv", head + "".join(row % (i, reward) for i in range(5))) for side, reward in (("a", "1.0"), ("b", "9.0"))]
        self.holds("tokens", *table, code=0, says=["b.csv: values under other names are not compared: reward, entropy"])
        lines = '{"logprobs": [-1.0, -2.0], "advantages": [0.5, %s], "reward": %s, "prompt": "a"}\n'
        self.holds("tokens", self.write("a.jsonl", lines % (1, 2)), self.write("b.jsonl", lines % (3, 4)), code=0,
                   says=["not compared: advantages, reward;"])
        tree = '{"samples": [{"rollout_log_probs": [-1.0, -2.0], "reward": %s}]}\n'
        self.holds("tokens", self.write("a.json", tree % 1), self.write("b.json", tree % 3), code=0, says=["not compared: reward;"])

    def test_samples_of_tokens_pair_by_their_id(self):
        for line in ('{"sample_id": %d, "logprobs": [-1.%d, -2.0]}\n', '{"index": %d, "logprobs": [-1.%d, -2.0], "choices": []}\n'):
            lines = [line % (i, i) for i in range(4)]
            golden, turned = (self.write(name, "".join(part)) for name, part in (("a.jsonl", lines), ("b.jsonl", lines[::-1])))
            self.holds("tokens", golden, turned, code=0, says=["SAME +all 8"])
            swapped = "".join(lines[::-1]).replace("-1.1", "-9", 1).replace("-1.2", "-1.1", 1)
            self.holds("tokens", golden, self.write("c.jsonl", swapped), code=1, says=["DIFFERS"])
            self.holds("tokens", golden, self.write("d.jsonl", "".join([line % (7, 0), *lines[1:]])), code=0, says=["ids of samples are not"])
        both = [self.write(name, planted.torch_file({"logprobs": ("tensor", [-1.0, -2.0]), **more})) for name, more in (
            ("a.pt", {}), ("b.pt", {"old_log_probs": ("tensor", [-9.0, -2.0])}))]
        self.holds("tokens", *both, code=0, says=["not compared: old_log_probs"])

    def test_rows_of_tokens_pair_by_their_index(self):
        rows = ["%d,%d,-%d.5\n" % (sample, index, 10 * sample + index) for sample in range(2) for index in range(5)]
        golden, other = self.write("a.csv", "sample,index,logprob\n" + "".join(rows)), rows[:5][::-1] + rows[5:]
        self.holds("tokens", golden, self.write("b.csv", "sample,index,logprob\n" + "".join(other)), code=0, says=["SAME +all 10"])
        swapped = "".join(other).replace("0,4,-4.5", "0,0,-4.5", 1).replace("0,0,-0.5", "0,4,-0.5", 1)
        self.holds("tokens", golden, self.write("c.csv", "sample,index,logprob\n" + swapped), code=1, says=["DIFFERS"])

    def test_what_lies_next_to_what_is_read_is_named(self):
        """A packed copy, a helper's folder, a second table, tensors of another kind, a table under no name of the monitor, a rank's log."""
        dump = json.dumps({"task": "statistics", "data": {"Functional.relu.0.forward": {"output": [
            {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}]}}})
        table = "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,Avg Value,L2Norm Value\n" \
            'MatMul,MatMul-op1,0,0,1,output,0,24,float32,"(2,3)",1.5,-1.0,0.25,2.0\n'
        log = "".join("iteration %d/ 100 | lm loss: %.4f | grad norm: %.3f |\n" % (i, 9 - i / 9, 1 + i / 7) for i in range(1, 40))
        monitor = self.monitors("m", "norm")[1]
        kernel = "MatMul.MatMul-op9.0.0.1.output.0.DefaultFormat.float32.bin"
        rows = [("compare", "step0/rank0/dump.json", dump, "step0/rank0/dump.json.gz", 0, "packed file is next to one of its name"),
                ("compare", "step0/rank0/dump.json", dump, "step0/rank0/more.npz", 0, "named by no entry of it"),
                ("compare", "step0/rank0/dump.json", dump, "step0/proc77/dump.json", 0, "proc folders next to rank folders"),
                ("compare", "rank_0/Net/0/1/statistic.csv", table, "rank_0/Net/0/1/statistic_1.csv", 4, "is not read"),
                ("compare", "rank_0/Net/0/1/statistic.csv", table, "rank_0/Net/0/1/" + kernel, 4, "has no row of it"),
                ("monitor", "rank_0/grad_reduced_step0-29.csv", monitor, "rank_0/mine.csv", 4, "called as none of the monitor"),
                ("curves", "rank0.log", log, "rank1.log", 0, "rank 1 is in one run only")]
        for number, (command, name, content, other, code, says) in enumerate(rows):
            sides = [self.path("beside%d" % number, side) for side in ("golden", "target")]
            for side in sides:
                self.write(os.path.join(side, name), content)
            self.write(os.path.join(sides[1], other), content)
            with self.subTest(other=other):
                self.holds(command, *sides, code=code, says=[says])

    def test_numbers_that_were_asked_for_and_that_no_dump_has_are_named(self):
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": 1.0}
        for side in ("golden", "target"):
            for folder in ("plain", "single/step0/rank"):
                self.write("%s/%s/dump.json" % (side, folder), json.dumps({"task": "statistics", "data": {"Functional.relu.0.forward": {"output": [tensor]}}}))
        for quiet in ((), ("--quiet",)):
            for folder, option, says in (("plain", "--rank", "no number of its rank"), ("plain", "--step", "no number of its step"),
                                         ("single", "--rank", "no data of rank 7"), ("single", "--step", "no data of step 7")):
                self.holds("compare", self.path("golden", folder), self.path("target", folder), option, "0,7", *quiet, code=0, says=[says])

    def dump_of(self, name, norm):
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0, "Min": 0.0, "Mean": 0.5, "Norm": norm}
        self.write(name + "/dump.json", json.dumps({"task": "statistics", "data": {
            "Functional.relu.%d.forward" % i: {"output": [dict(tensor, Norm=norm if i == 1 else 1.0)]} for i in range(3)}}))
        return self.path(name)

    def report_of(self, name, norm):
        golden, target = self.dump_of("golden", 1.0), self.dump_of("target-of-" + name.replace("/", "-"), norm)
        run("compare", golden, target, "--no-config", "-o", self.path(name), "--format", "json")
        return self.path(name)

    def test_two_reports_with_other_figures_say_so(self):
        same, agrees, far, further = (self.report_of(name, norm) for name, norm in (("same", 1.0), ("agrees", 1.000001), ("far", 3.0), ("further", 9.0)))
        self.holds("compare", same, agrees, code=0, says=["UNCHANGED", "verdicts differ; before: SAME .* Now: AGREES"])
        self.holds("compare", far, further, code=0, says=["UNCHANGED", "differs by 2.* differs by 8"])
        with open(os.path.join(agrees, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        summary["coverage"]["set_aside"]["ignored"] = summary["coverage"]["compared"] - 2
        summary["coverage"]["compared"] = 2
        self.write("fewer/summary.json", json.dumps(summary))
        self.holds("compare", agrees, self.path("fewer"), code=0, says=["the second report compares 2 values, the first one "])

    def test_a_night_that_left_no_report_is_no_calm_one(self):
        for night in range(3):
            self.report_of("nights/n%d" % night, 1.0)
        self.holds("history", self.path("nights"), code=0, says=["STEADY"], not_says=["no report"])
        os.mkdir(self.path("nights", "n3"))
        self.holds("history", self.path("nights"), code=4, says=["n3: there is no report here"])
        self.report_of("nights/n4", 1.0)
        self.holds("history", self.path("nights"), code=0, says=["n3: there is no report here"])

    def test_a_setting_that_one_side_alone_has_is_counted(self):
        line = "torchrun pretrain.py --lr 1e-4 --seed 3%s\n"
        golden, target = self.write("a.sh", line % " --my-own 7"), self.write("b.sh", line % "")
        for sides in ((golden, target), (target, golden)):
            self.holds("checklist", *sides, code=0, says=["outside of the checklist 1 on one side only"])

        said = self.holds("checklist", golden, self.write("c.sh", "source ./env.sh\n" + line % " --my-own 7"), code=0)
        self.assertIn("sources './env.sh', which is not read", said)

    def test_numbers_next_to_weights_that_differ_are_named(self):
        tree = {"model": {"a": ("tensor", [1.0, 2.0])}, "step": 3, "betas": [0.9, 0.95], "name": "x"}
        golden, copy = (self.write(name, planted.torch_file(tree)) for name in ("g.pt", "copy.pt"))
        self.holds("compare", golden, copy, code=0, says=["SAME"], not_says=["next to the weights"])
        for key, value in (("step", 4), ("betas", [0.9, 0.999]), ("name", "y"), ("more", 1)):
            self.holds("compare", golden, self.write("t.pt", planted.torch_file({**tree, key: value})), code=0, says=["SAME", "next to the weights"])

    def test_values_of_event_files_and_of_tables_of_apis_are_in_the_account(self):
        def record(data):
            sums = [(crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF for crc in map(crc32c, (struct.pack("<Q", len(data)), data))]
            return struct.pack("<QI", len(data), sums[0]) + data + struct.pack("<I", sums[1])
        head = b"\x09" + struct.pack("<d", 1.7e9)
        values = [head + b"\x10" + bytes([step]) + b"\x2a\x0d\x0a\x0b\x0a\x04loss\x15" + struct.pack("<f", 9 - step) for step in range(8)]
        events = self.write("events.out.tfevents.1.host", record(head + b"\x1a\x0dbrain.Event:2") + b"".join(map(record, values)))
        table = self.write("p.csv", "API Name,Forward Test Success,Backward Test Success,Message\nFunctional.relu.0,pass,SKIP,\n")
        for command, name, seen in (("curves", events, 8), ("precheck", table, 2)):
            self.holds(command, name, code=0)
            with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["coverage"]["seen"], seen)

    def test_a_statistic_that_one_of_several_runs_lacks_and_a_norm_of_nan_are_named(self):
        runs = [self.dump_of("run%d" % i, 1.0) for i in range(3)]
        self.holds("compare", "--runs", *runs, code=0, says=["SAME"])
        path = os.path.join(runs[2], "dump.json")
        with open(path, encoding="utf-8") as file:
            dump = json.load(file)
        del dump["data"]["Functional.relu.1.forward"]["output"][0]["Norm"]
        self.write(path, json.dumps(dump))
        self.holds("compare", "--runs", *runs, code=4, says=["records a value: 1"], not_says=["times"])
        self.holds("graph", self.dump_of("norm", float("nan")), code=0, says=["1 norm is NaN"])

    def test_cells_and_rows_of_tables_of_ranks_are_counted(self):
        rows = ["Functional.relu.%d.forward.output.0,x,0.%d%%,7,7" % (i, i) for i in range(4)]
        for change, code, says in ((lambda: rows, 0, "ALIKE"), (lambda: rows[:-1], 0, "1 row is not in each table"),
                                   (lambda: rows + rows[:1], 0, "comes twice"),
                                   (lambda: rows[:-1] + [rows[-1].replace("0.3%", "big")], 4, "is no number")):
            for rank in range(3):
                self.write("rows/compare_result_rank%d_2026.csv" % rank, "\n".join(
                    ["NPU Name,Bench Name,NormRelativeErr,NPU max,Bench max", *(change() if rank == 1 else rows)]) + "\n")
            self.holds("merge", self.path("rows"), code=code, says=[says])


if __name__ == "__main__":
    main()
