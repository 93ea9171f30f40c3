#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every value is accounted for: what was read is compared, set aside with a reason, or makes the verdict PARTIAL.

Two runs that differ, or a run that holds NaN, never come out as equal or healthy with exit 0 and no word. Each input of tests/data/accounted was
answered so once; the rows say what the answer has to be. VERNIER names the program.
"""
import os
import shutil

from program import DATA, Case, main, run

INPUTS = os.path.join(DATA, "accounted")


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
            self.holds("compare", "head-lost/golden", "head-lost/target_%s_half_gone" % half, code=4, says=["PARTIAL"])

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
                whole = open(os.path.join(folder, "model.safetensors"), "rb").read()
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
        self.holds("compare", golden, other, code=1, says=["checksums differ"])
        odd = self.write("d.txt", text % 18 + "  [new] kernel<t: f32[4]>\n")
        self.holds("compare", golden, odd, code=4, says=["in no form that is known"])


if __name__ == "__main__":
    main()
