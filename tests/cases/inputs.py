#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs that are no dump.json: debug.json, trees of .npy by step and rank, damaged .pt files."""
import array
import json
import os
import struct
import subprocess
import zipfile

from program import Case, VERNIER, main


def leaf(norm, shape=(2, 3)):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": list(shape), "Max": norm / 2, "Min": -norm / 2,
            "Mean": norm / 20, "Norm": norm, "requires_grad": False}


def write_npy(path, values, shape):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    head = "{'descr': '<i8', 'fortran_order': False, 'shape': (%s), }" % "".join("%d," % s for s in shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() +
                   array.array("q", values).tobytes())


def integer(value):
    return b"K" + bytes([value])


def write_pt(path, values):
    """As torch.save writes one float32 tensor."""
    store = (b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" b"0X\x03\0\0\0cpu" + integer(len(values)) + b"tQ")
    body = (b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + store + b"K\0" + integer(len(values)) + b"\x85K\x01\x85" +
            b"\x89ccollections\nOrderedDict\n)RtR.")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as out:
        out.writestr("a/data.pkl", body)
        out.writestr("a/data/0", array.array("f", values).tobytes())
        out.writestr("a/version", "3\n")


def write_views(path, names, size, value):
    """As torch.save writes a dict of float32 tensors of `size` elements, all of which are the one in the storage."""
    store = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0" b"0X\x03\0\0\0cpuK\x01tQ"
    items = b"".join(b"X" + struct.pack("<I", len(name)) + name.encode() + b"ctorch._utils\n_rebuild_tensor_v2\n(" +
                     store + b"K\0\x8a\x08" + struct.pack("<q", size) + b"\x85K\0\x85\x89ccollections\nOrderedDict\n)RtR"
                     for name in names)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as out:
        out.writestr("a/data.pkl", b"\x80\x02}(" + items + b"u.")
        out.writestr("a/data/0", struct.pack("<f", value))
        out.writestr("a/version", "3\n")


class Inputs(Case):
    def compare(self, golden, target, *options):
        done = subprocess.run([VERNIER, "compare", self.path(golden), self.path(target), "-o", self.path("out.json"),
                               *options], env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), stderr=subprocess.PIPE)
        with open(self.path("out.json"), encoding="utf-8") as file:
            return done.returncode, json.load(file)

    def write_debug(self, name, change=1):
        folder = self.path(name + "/step0/rank0")
        os.makedirs(folder)
        data = {"hidden.0.debug": leaf(1), "hidden.1.debug": leaf(2),
                "pair.0.debug": [leaf(3), {"a": leaf(4 * change), "b": leaf(5)}], "hidden_grad.0.debug": leaf(0.5)}
        with open(folder + "/debug.json", "w", encoding="utf-8") as file:
            json.dump({"task": "statistics", "level": "debug", "framework": "pytorch", "dump_data_dir": None,
                       "data": data}, file)

    def test_debug_files_compare_item_by_item(self):
        for name, change in (("golden", 1), ("same", 1), ("other", 1.5)):
            self.write_debug(name, change)
        code, summary = self.compare("golden", "same")
        self.assertEqual((code, summary["verdict"]), (0, "SAME      bit for bit: 6 slots."))
        code, summary = self.compare("golden", "other")
        self.assertEqual(code, 1)
        self.assertIn("at pair.0.debug, step 0, rank 0: the saved 1.a differs by 0.50, 262,144x its tolerance (noise not measured)",
                      summary["verdict"])
        file = "step0/rank0/debug.json"
        self.assertEqual(self.compare("golden/" + file, "other/" + file)[0], 1)

    def write_tree(self, name, wrong=None):
        for step in range(3):
            for rank in range(2):
                for what in ("tokens", "labels"):
                    values = list(range(100 * step + rank, 100 * step + rank + 64))
                    if (step, rank, what) == wrong:
                        values[37] = 7
                        values[60] = 8
                    write_npy(self.path("%s/step%d/rank%d/%s.npy" % (name, step, rank, what)), values, (4, 16))

    def test_tokens_and_labels_by_step_and_rank_are_equal_or_the_first_other_one_is_named(self):
        self.write_tree("golden")
        self.write_tree("target", (1, 1, "labels"))
        code, summary = self.compare("golden", "golden")
        self.assertEqual((code, summary["verdict"]), (0, "SAME      bit for bit: 3 steps x 2 ranks, 12 slots."))
        code, summary = self.compare("golden", "target")
        self.assertEqual((code, [one for one in summary["problems"] if one["level"] != "info"]), (1, []))
        self.assertIn("at labels, step 1, rank 1: value differs in 2 of 64 elements, first at [2, 5]: 7, golden has 138",
                      summary["verdict"])
        code, summary = self.compare("golden", "target", "--step", "0,2")
        self.assertEqual(code, 0)

    def test_a_damaged_tensor_file_is_not_taken_for_a_defect_of_the_run(self):
        for name in ("golden", "target"):
            os.makedirs(self.path(name))
            write_pt(self.path(name + "/Functional.linear.0.forward.output.0.pt"), [float(i) for i in range(64)])
        file = self.path("target/Functional.linear.0.forward.output.0.pt")
        with open(file, "rb") as opened:
            data = bytearray(opened.read())
        at = data.index(struct.pack("<f", 33.0))
        data[at:at + 4] = struct.pack("<f", 3.3e30)
        with open(file, "wb") as opened:
            opened.write(data)
        code, summary = self.compare("golden", "target")
        self.assertEqual(code, 1)
        self.assertTrue(summary["partial"])
        self.assertIn("its bytes do not fit the checksum", summary["problems"][0]["text"])

    def test_views_that_stand_for_far_more_than_their_file_are_left_out(self):
        """One number expanded to 2^26 elements is a gradient; two hundred of them in one file would cost minutes."""
        for name, value in (("golden.pt", 1), ("target.pt", 2)):
            write_views(self.path(name), ["w%d" % i for i in range(200)], 1 << 26, value)
        code, summary = self.compare("golden.pt", "target.pt")
        self.assertEqual(code, 1, summary)
        left_out = [problem for problem in summary["problems"] if "the tensors of this file share bytes" in problem["text"]]
        self.assertEqual([problem["count"] for problem in left_out], [198, 198])
        for name in ("golden.pt", "target.pt"):
            write_views(self.path(name), ["w"], 1 << 33, 1)
        done = subprocess.run([VERNIER, "compare", self.path("golden.pt"), self.path("target.pt"), "-o", self.path("x.json")],
                              env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), stderr=subprocess.PIPE, text=True)
        self.assertIn("expanded to more than 134,217,728 elements", done.stderr)


if __name__ == "__main__":
    main()
