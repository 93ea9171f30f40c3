#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of MindSpore (samples/mindspore-checkpoint) through compare: against PyTorch, in parts, and broken."""
import importlib.util
import json
import os
import struct
import subprocess
import sys

from program import Case, SAMPLES, main, run

MAKE = os.path.join(SAMPLES, "mindspore-checkpoint", "make-checkpoints.py")
spec = importlib.util.spec_from_file_location("make_checkpoints", MAKE)
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)

NORM = ("model.norm.gamma", [4], "Float32", make.floats([1, 2, 3, 4]))


class MindsporeCheckpoints(Case):
    def compare(self, golden, target):
        code, _, said = run("compare", golden, target, "-o", self.out, cwd=self.folder)
        path = os.path.join(self.out, "summary.json")
        summary = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                summary = json.load(file)
            os.remove(path)
        return code, summary, said

    def sample(self, *options):
        subprocess.run([sys.executable, MAKE, self.folder, *options], check=True)

    def refused(self, content, words):
        self.write("bad.ckpt", content)
        code, _, said = self.compare("bad.ckpt", "bad.ckpt")
        self.assertEqual(code, 3, said)
        self.assertIn(words, said)

    def partial(self, content, words, same=1):
        """What is broken costs itself: the rest is compared and the verdict says PARTIAL."""
        self.write("bad.ckpt", content)
        self.write("good.ckpt", make.checkpoint([NORM]))
        code, summary, said = self.compare("good.ckpt", "bad.ckpt")
        self.assertEqual((code, summary["partial"], summary["counts"]["same"]), (4, True, same), said)
        with open(os.path.join(self.out, "index.html"), encoding="utf-8") as page:
            self.assertIn(words, page.read())

    def test_renamed_and_fused_weights_of_the_other_framework_are_recognised(self):
        for options in ((), ("--cut", "100"), ("--crc",), ("--cut", "7", "--crc")):
            self.sample(*options)
            code, summary, said = self.compare("golden.safetensors", "target.ckpt")
            counts = summary["counts"]
            self.assertEqual((code, counts["same"], counts["fused"], counts["error"]), (1, 10, 6, 1), said)
            self.assertIn("model.blocks.1.ffn.w1.weight differs", summary["verdict"])

    def test_a_folder_of_one_rank_is_a_checkpoint(self):
        for side in ("a", "b"):
            self.write(side + "/rank_0/net-1_10.ckpt", make.checkpoint([NORM]))
        self.assertEqual(self.compare("a/rank_0", "b/rank_0")[0], 0)

    def test_every_type_and_spelling_is_read(self):
        types = [("Float32", "f", 4), ("Float16", "e", 2), ("Float64", "d", 8), ("Int8", "b", 1), ("Int16", "h", 2), ("Int32", "i", 4),
                 ("Int64", "q", 8), ("UInt8", "B", 1), ("UInt16", "H", 2), ("UInt32", "I", 4), ("UInt64", "Q", 8), ("Bool", "?", 1),
                 ("mindspore.float32", "f", 4)]
        tensors = [("w%d.weight" % i, [2], name, struct.pack("<2" + code, 1, 0)) for i, (name, code, _) in enumerate(types)]
        tensors += [("b.weight", [1], "BFloat16", b"\x80\x3f"), ("s", [], "Float32", make.floats([2])), ("e", [0], "Float32", b"")]
        self.write("a.ckpt", make.checkpoint(tensors))
        self.write("b.ckpt", make.checkpoint(tensors, packed=True))
        code, summary, said = self.compare("a.ckpt", "b.ckpt")
        self.assertEqual((code, summary["counts"]["same"]), (0, len(tensors) - 1), said)  # "e" has no element
        shapes = {w["golden"]: w["golden_shape"] for w in summary["weights"]}
        self.assertEqual((shapes["s"], shapes["e"], shapes["b.weight"]), ([], [0], [1]))

    def test_texts_are_passed_over(self):
        self.write("a.ckpt", make.checkpoint([NORM]))
        self.write("b.ckpt", make.checkpoint([NORM, ("choice_func", [0], "str", b"abc")]))
        self.assertEqual(self.compare("a.ckpt", "b.ckpt")[0], 0)

    def test_fields_that_are_not_known_are_skipped(self):
        inner = make.field(1, NORM[0]) + make.field(9, 5) + make.field(2, b"".join([
            make.field(1, 4), make.varint(7 << 3 | 5) + b"abcd", make.varint(8 << 3 | 1) + b"abcdefgh",
            make.field(2, "Float32"), make.field(3, NORM[3])]))
        self.write("a.ckpt", make.checkpoint([NORM]))
        self.write("b.ckpt", make.checkpoint([("first.weight", [1], "Int8", b"1")]) + make.field(1, inner) + make.field(3, "x"))
        _, summary, said = self.compare("a.ckpt", "b.ckpt")
        self.assertEqual(summary["counts"]["same"], 1, said)

    def test_what_is_not_read_is_refused_in_words(self):
        good = make.checkpoint([NORM])
        for magic in (0x7F3A5ED8, 0x7F3A5ED9, 0x7F3A5EDA):
            self.refused(struct.pack("<I", magic) + good, "the checkpoint is encrypted")
        self.refused(make.field(1, make.field(1, "map.weight") + make.field(3, b"abc")), "a MapTensor is not read")
        damaged = bytearray(make.checkpoint([NORM], crc=True))
        damaged[40] ^= 1
        self.refused(bytes(damaged), "the checksum at the end does not fit")
        self.refused(make.checkpoint([("w.weight", [2 ** 40, 2 ** 40], "Float32", b"abcd")]), "no weight could be read")

    def test_what_is_broken_costs_itself(self):
        good = make.checkpoint([NORM])
        other = make.checkpoint([("model.other.gamma", [400], "Float32", make.floats([0.5] * 400))])
        for size in (1, 2, 10, 40, len(other) - 1):
            self.partial(good + other[:size], "breaks off")
        self.partial(good + make.checkpoint([("x.gamma", [2], "Float32", b"abcd")]), "its bytes do not fit its shape")
        self.partial(good + make.checkpoint([("x.gamma", [2 ** 33, 2 ** 33], "Int8", b"a")]), "its bytes do not fit its shape")
        self.partial(good + make.checkpoint([("x.gamma", [1] * 65, "Int8", b"a")]), "breaks off")
        self.partial(good + make.checkpoint([("x.gamma", [1], "Int4\x1b[31m", b"a")]), "its type is not known")
        self.partial(good + make.field(1, b"\xff" * 40), "breaks off")
        self.partial(good + b"\x0a" + b"\xff" * 9 + b"\x01", "breaks off")

    def test_zeros_in_the_place_of_what_was_not_written_are_told(self):
        for end in (b"\0" * 2, b"\0" * 4096, b"\0\x05", b"\x02\x01a"):
            content = make.checkpoint([NORM]) + end
            self.partial(content, "breaks off")
            self.write("bad.ckpt", content)
            code, summary, said = self.compare("bad.ckpt", "bad.ckpt")
            self.assertEqual((code, summary["partial"]), (4, True), said)
            self.assertIn("PARTIAL", said)

    def test_parts_of_one_name_that_do_not_fit_each_other_are_left_out(self):
        good = make.checkpoint([NORM])
        first = make.value("x.gamma", [4], "Float32", make.floats([1, 2]))
        for shape, kind in (([4], "Int32"), ([2, 2], "Float32"), ([2], "Float32"), ([4], "str")):
            self.partial(good + first + make.value("x.gamma", shape, kind, make.floats([3, 4])),
                         "its parts are of several types or shapes")

    def test_a_parameter_of_an_unknown_type_is_no_difference_where_the_other_side_has_it(self):
        for side, kind in (("golden.ckpt", "Float32"), ("target.ckpt", "Int4")):
            self.write(side, make.checkpoint([NORM, ("x.gamma", [2], kind, make.floats([1, 2]))]))
        for pair in (("golden.ckpt", "target.ckpt"), ("target.ckpt", "golden.ckpt")):
            code, summary, said = self.compare(*pair)
            self.assertEqual((code, summary["counts"]["same"]), (4, 1), said)
            self.assertIn("PARTIAL SAME", summary["verdict"])
            self.assertIn("x.gamma could not be read", summary["verdict"])


if __name__ == "__main__":
    main()
