#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What msProbe of release 26 writes otherwise than before, each form made of the dump of samples/gpt: equal runs are green whatever was
recorded, and the defect of the sample's target is named."""
import copy
import json
import os
import zlib

from program import SAMPLES, Case, main, run

DEFECT = "Functional.linear.8.forward"
# Of the names that risk_level FOCUS does not record, those of the sample.
# What FOCUS does not record of the samples, and what CORE records (spec: names by risk level).
QUIET = ("view", "permute", "unbind", "transpose", "reshape", "arange", "ones", "triu")
CORE = ("matmul", "bmm", "layer_norm", "embedding", "scaled_dot_product_attention")


def tensors(value):
    """Every record of a tensor below `value`."""
    if isinstance(value, dict):
        if "dtype" in value:
            yield value
        for inner in value.values():
            yield from tensors(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from tensors(inner)


def keep(test):
    def change(dump):
        dump["data"] = {name: entry for name, entry in dump["data"].items() if test(name)}
    return change


def only_outputs(dump):
    for entry in dump["data"].values():
        for key in ("input_args", "input_kwargs", "input"):
            entry.pop(key, None)


def xor(dump):
    for tensor in tensors(dump["data"]):
        text = json.dumps([tensor.pop(key, None) for key in ("Max", "Min", "Mean", "Norm")])
        tensor["md5"] = "0x%016x" % zlib.crc32(text.encode())


def nan_check(*flagged):
    def change(dump):
        dump["task"] = "nan_check"
        for tensor in tensors(dump["data"]):
            for key in ("Max", "Min", "Mean", "Norm"):
                tensor.pop(key, None)
        for name, entry in dump["data"].items():
            if "output" in entry:  # of gradients it is not told
                entry["is_nan"] = int(name in flagged)
    return change


def small(dtype):
    """Every seventh tensor in eight or four bits, of which no statistics are written."""
    def change(dump):
        for tensor in list(tensors(dump["data"]))[::7]:
            if tensor["dtype"] == "torch.float32":
                tensor.update(dtype=dtype, **dict.fromkeys(("Max", "Min", "Mean", "Norm")))
    return change


def nested(dump):
    """Tensors in an object of their own: torchrec's by field, the operations of a batch between two ranks."""
    for name in [name for name in dump["data"] if ".linear." in name and name.endswith(".forward")]:
        arguments = dump["data"][name]["input_args"]
        inner = {"values": copy.deepcopy(arguments[0]), "lengths": copy.deepcopy(arguments[0])}
        arguments.append(inner)
        arguments.append({"class_type": "torch.distributed.P2POp", "tensor": copy.deepcopy(arguments[0]), "op": "isend", "peer": 1,
                          "tag": 0, "group_id": "1b2c3d4e"})


def distributed(dump):
    for tensor in tensors(dump["data"]):
        tensor.update(type="DTensor", device_mesh=[[0, 1], [2, 3]], placements=[{"Shard": {"dim": 0}}, {"Replicate": {}}],
                      layout={"alias": ["dp", "tp"]}, hsdp_shard_size=4)


def low_precision_norm(dump):
    """The norm of finite float16 numbers, computed in float16."""
    tensor = dump["data"][DEFECT]["input_args"][0]
    tensor.update(dtype="torch.float16", Norm=float("inf"))


class MsprobeToday(Case):
    def write_dump(self, place, side, *changes):
        with open(os.path.join(SAMPLES, "gpt", side, "step0", "rank0", "dump.json"), encoding="utf-8") as file:
            dump = json.load(file)
        for change in changes:
            change(dump)
        os.makedirs(self.path(place), exist_ok=True)
        with open(self.path(place, "dump.json"), "w", encoding="utf-8") as file:
            json.dump(dump, file)
        return place

    def compare(self, golden, target):
        code, _, said = run("compare", golden, target, "-o", "v.md", cwd=self.folder)
        return code, said

    def hold(self, what, golden, target, planted):
        code, said = self.compare(golden, target)
        self.assertEqual(code, 0, (what, said))
        code, said = self.compare(golden, planted)
        self.assertEqual(code, 1, (what, said))
        self.assertIn("DIVERGES  at %s, " % DEFECT, said, what)

    def test_what_one_side_was_set_not_to_record_is_no_difference(self):
        full = self.write_dump("full", "golden")
        settings = {"risk_level FOCUS": keep(lambda name: name.split(".")[1] not in QUIET),
                    "data_mode forward": keep(lambda name: name.endswith(".forward")), "data_mode output": only_outputs,
                    "list": keep(lambda name: ".linear." in name),
                    "level L0": keep(lambda name: name.startswith("Module."))}
        for what, change in settings.items():
            equal, planted = self.write_dump("equal", "golden", change), self.write_dump("planted", "target", change)
            for sides in ((full, equal), (equal, full)):
                code, said = self.compare(*sides)
                self.assertEqual(code, 0, (what, said))
            code, said = self.compare(full, planted)
            self.assertEqual(code, 1, (what, said))
            self.assertIn("at Module.blocks.2.attn.qkv.Linear.forward.0, " if what == "level L0" else "at %s, " % DEFECT, said)

    def test_core_that_leaves_linear_out_by_the_slip_of_a_comma_is_a_setting(self):
        full = self.write_dump("full", "golden")
        core = self.write_dump("core", "golden", keep(lambda name: name.startswith("Module.") or name.split(".")[1] in CORE))
        for sides in ((full, core), (core, full)):
            code, said = self.compare(*sides)
            self.assertEqual(code, 0, said)

    def test_checksums_by_xor_part_where_the_values_do_and_are_never_green_against_statistics(self):
        golden, target = self.write_dump("golden", "golden", xor), self.write_dump("target", "target", xor)
        self.hold("xor", golden, golden, target)
        code, said = self.compare(self.write_dump("full", "golden"), target)
        self.assertEqual(code, 3, said)
        self.assertIn("NOT COMPARED", said)

    def test_a_check_for_nan_compares_nothing_and_is_located(self):
        self.write_dump("g/step0/rank0", "golden", nan_check())
        self.write_dump("t/step0/rank0", "golden", nan_check(DEFECT))
        self.write("t/step0/rank0/extra-info/%s.json" % DEFECT, json.dumps({"is_nan": 1, "detail": [1, 2]}))
        code, said = self.compare("g", "t")
        self.assertNotEqual(code, 0, said)
        self.assertNotIn("SAME", said)
        code, _, said = run("locate", "t", "-o", "v.md", cwd=self.folder)
        self.assertEqual(code, 1, said)
        self.assertIn(DEFECT, said)
        self.assertEqual(run("locate", "g", "-o", "v.md", cwd=self.folder)[0], 0)

    def test_types_of_eight_and_four_bits_have_no_statistics_and_hide_nothing(self):
        for dtype in ("torch.float8_e4m3fn", "torch.float8_e5m2", "hifloat8", "torch_npu.hifloat8", "torch.float4_e2m1fn_x2", "fp4"):
            golden, target = self.write_dump("golden", "golden", small(dtype)), self.write_dump("target", "target", small(dtype))
            self.assertEqual(self.compare(golden, golden)[0], 0, dtype)
            code, said = self.compare(golden, target)
            self.assertEqual(code, 1, (dtype, said))
            self.assertRegex(said, r"at (Functional\.linear\.8\.forward|Module\.blocks\.2\.attn\.qkv\.Linear\.forward\.0), ")

    def test_tensors_within_objects_and_keys_that_nobody_knows_are_no_difference(self):
        plain, target = self.write_dump("plain", "golden"), self.write_dump("target", "target", distributed)
        self.hold("DTensor", plain, self.write_dump("golden", "golden", distributed), target)
        golden, target = self.write_dump("golden", "golden", nested), self.write_dump("target", "target", nested)
        self.hold("torchrec", golden, golden, target)

        def inside(dump):
            nested(dump)
            dump["data"]["Functional.linear.0.forward"]["input_args"][-2]["values"]["Max"] = 1e3
        code, said = self.compare(golden, self.write_dump("inside", "golden", inside))
        self.assertEqual(code, 1, said)
        self.assertIn("Functional.linear.0.forward", said)

    def test_a_norm_that_overflows_in_low_precision_is_no_infinity_of_the_data(self):
        low = self.write_dump("low", "golden", low_precision_norm)
        self.assertEqual(run("locate", low, "-o", "v.md", cwd=self.folder)[0], 0)
        self.assertEqual(self.compare(low, low)[0], 0)

    def test_replays_of_a_graph_pair_by_their_order_and_not_by_process(self):
        forward = keep(lambda name: name.endswith(".forward"))
        for side, dump, process in (("golden", "golden", 123), ("again", "golden", 41), ("target", "target", 9001)):
            for rank in range(2):
                self.write_dump("%s/step0/pid%d" % (side, process + rank), dump, forward)
        self.hold("ACLGraph", "golden", "again", "target")


if __name__ == "__main__":
    main()
