#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lies beside a dump and explains it: tensors of a dump.json that is cut, dump_error_info.log, config.json."""
import json
import os
import struct

from program import Case, main, run

OPS = ["Functional.linear.0", "Functional.gelu.0", "Functional.linear.1", "Functional.softmax.0"]


def npy(values):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += b" " * (117 - len(head)) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<%df" % len(values), *values)


def leaf(values, name):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [len(values)], "Max": max(values), "Min": min(values),
            "Mean": sum(values) / len(values), "Norm": sum(x * x for x in values) ** 0.5, "requires_grad": False, "data_name": name}


class BesideDump(Case):
    def make(self, side, defect=None, left_out=()):
        now, data = [0.5, -1.0, 2.0, 0.25], {}
        for op in OPS:
            after = [x * (0.9 if op != defect else 0.99) for x in now]
            entry = {}
            for key, part, values in (("input_args", "input", now), ("output", "output", after)):
                name = "%s.forward.%s.0.npy" % (op, part)
                path = self.write("%s/dump_tensor_data/%s" % (side, name), npy(values))
                if op in left_out:
                    os.remove(path)
                entry[key] = [leaf(values, name)]
            if op not in left_out:
                data[op + ".forward"] = dict(entry, input_kwargs={})
            now = after
        stacks = {str(i): [[op + ".forward"], ["File train.py, line %d" % i]] for i, op in enumerate(OPS)}
        self.write(side + "/stack.json", json.dumps(stacks))
        return self.write(side + "/dump.json", json.dumps({"task": "tensor", "level": "L1", "framework": "pytorch",
                                                           "dump_data_dir": None, "data": data}))

    def compare(self):
        return run("compare", self.path("golden"), self.path("target"), "-o", self.path("out.json"))

    def test_a_cut_dump_falls_back_to_its_tensors(self):
        self.make("golden")
        path = self.make("target", defect=OPS[2])
        os.truncate(path, 700)
        code, _, said = self.compare()
        self.assertRegex(said, r"PARTIAL DIVERGES  at Functional.linear.1.forward, .*inputs agree")
        self.assertIn("the tensors in dump_tensor_data are read instead", said)
        self.assertEqual(code, 1)

    def test_ops_that_the_tool_could_not_save_are_no_difference(self):
        self.make("golden")
        self.make("target", left_out=OPS[1:3])
        self.write("target/dump_error_info.log",
                   "2025-01-07 11:02:13 (77012) [ERROR] Failed to save Functional.gelu.0.forward.output.0: no space left\n"
                   "2025-01-07 11:02:13 (77012) [ERROR] Failed to save Functional.linear.1.forward.input.0: no space left\n")
        code, _, said = self.compare()
        self.assertRegex(said, "PARTIAL SAME")
        self.assertRegex(said, r"dump_error_info.log: .*2 lines .*Functional.gelu.0.forward")
        self.assertEqual(code, 4)

    def test_errors_in_other_encodings_and_with_a_traceback_are_quoted(self):
        for text in ("[ERROR] Failed to save Functional.gelu.0.forward.output.0: no space left\r\n".encode("utf-16"),
                     b"\xef\xbb\xbfFunctional.gelu.0.forward:\nTraceback (most recent call last):\n  File \"x.py\", line 1\nRuntimeError: lost\n"):
            self.make("golden")
            self.make("target", left_out=OPS[1:2])
            with open(self.path("target", "dump_error_info.log"), "wb") as file:
                file.write(text)
            code, _, said = self.compare()
            self.assertRegex(said, r"dump_error_info.log: .*Functional.gelu.0.forward")
            self.assertEqual(code, 4)

    def test_the_configurations_of_two_dumps_are_told_where_they_differ(self):
        config = {"task": "statistics", "dump_path": "/x", "rank": [], "step": [0], "level": "L1", "seed": 1,
                  "statistics": {"scope": [], "list": []}}
        self.make("golden", left_out=OPS[1:2])
        self.make("target")
        self.write("golden/config.json", json.dumps(dict(config, statistics={"scope": [], "list": ["linear"]})))
        self.write("target/config.json", json.dumps(dict(config, seed=2)))
        said = self.compare()[2]
        self.assertIn("golden's dump was set to list ['linear']: what it leaves out", said)
        self.assertIn("seed is 1 in golden, 2 in the target", said)
        self.assertNotIn("step [0]", said)

    def test_a_configuration_elsewhere_is_named_and_another_file_is_none(self):
        config = {"task": "statistics", "dump_path": "/x", "rank": [], "step": [0], "level": "L1", "seed": 1, "statistics": {"list": []}}
        self.make("golden", left_out=OPS[1:2])
        self.make("target")
        self.write("a.json", json.dumps(dict(config, statistics={"list": ["linear"]})))
        self.write("b.json", json.dumps(dict(config, seed=2)))
        said = run("compare", self.path("golden"), self.path("target"), "--dump-config", self.path("a.json"), "--dump-config", self.path("b.json"))[2]
        self.assertIn("golden's dump was set to list ['linear']", said)
        self.assertIn("seed is 1 in golden, 2 in the target", said)
        self.write("c.json", '{"lr": 1}')
        said = run("compare", self.path("golden"), self.path("target"), "--dump-config", self.path("c.json"))[2]
        self.assertIn("this is no configuration of a dump", said)

    def with_config(self, left_out, **settings):
        self.make("golden")
        self.make("target", left_out=left_out)
        config = {"task": "tensor", "dump_path": "/x", "rank": [], "step": [], "level": settings.pop("level", "L1"), "tensor": settings}
        self.write("target/config.json", json.dumps(config))
        if settings.get("risk_level") == "FOCUS":  # clamp is none of the names that it records
            for side in ("golden", "target"):
                with open(self.path(side + "/dump.json")) as file:
                    text = file.read()
                self.write(side + "/dump.json", text.replace("Functional.gelu", "Torch.clamp"))
        code, out, said = self.compare()
        return code, out + said

    def test_a_setting_that_the_configuration_states_excuses_what_it_leaves_out(self):
        linear, inner = [OPS[1], OPS[3]], [OPS[0], OPS[3]]
        scope = ["Functional.gelu.0.forward", "Functional.linear.1.forward"]
        for left_out, settings, sentence in ((linear, {"list": ["linear"]}, "The target's config.json lists 1 API."),
                                             (OPS[3:], {"list": ["gelu", "Linear", "norm"]}, "The target's config.json lists 3 APIs."),
                                             (inner, {"scope": scope}, "The target's config.json states scope of two names."),
                                             (OPS[1:2], {"risk_level": "FOCUS"}, "The target's config.json states risk_level FOCUS.")):
            code, said = self.with_config(left_out, **settings)
            self.assertEqual(code, 0, (settings, said))
            self.assertIn(sentence, said)
            self.assertRegex(said, "SAME +bit for bit")

    def test_a_setting_that_does_not_leave_out_what_is_missing_excuses_nothing(self):
        for left_out, settings in ((OPS[2:3], {"list": ["linear", "gelu", "softmax"]}), (OPS[1:2], {"list": [], "scope": []}),
                                   (OPS[1:3], {"scope": ["Functional.linear.0.forward", "Functional.softmax.0.forward"]}),
                                   (OPS[1:2], {"list": [], "risk_level": "ALL"}), (OPS[0:2], {"scope": [OPS[2] + ".forward", OPS[2]]})):
            code, said = self.with_config(left_out, **settings)
            self.assertEqual(code, 1, (settings, said))

    def test_a_setting_that_the_dump_contradicts_excuses_nothing_and_is_named(self):
        for left_out, settings in ((OPS[1:2], {"list": ["linear"]}), (OPS[1:2], {"scope": [OPS[2] + ".forward", OPS[3] + ".forward"]})):
            code, said = self.with_config(left_out, **settings)
            self.assertEqual(code, 1, (settings, said))
            self.assertIn("than this dump holds: it excuses no missing op", said)

    def test_a_role_that_no_call_has_is_left_out_by_data_mode_and_lost_where_data_mode_keeps_it(self):
        for role, key in (("input", "output"), ("output", "input_args")):
            for mode, code, sentence in ((None, 0, "Golden alone records %ss" % ("output" if role == "input" else "input")),
                                         ([role], 0, "The target's config.json states data_mode ['%s']." % role),
                                         (["all"], 4, "PARTIAL"), (["forward"], 4, "PARTIAL")):
                self.make("golden")
                self.make("target")
                with open(self.path("target/dump.json")) as file:
                    dump = json.load(file)
                for op in dump["data"].values():
                    os.remove(self.path("target/dump_tensor_data", op[key][0]["data_name"]))
                    op[key] = []
                self.write("target/dump.json", json.dumps(dump))
                config = {"task": "statistics", "dump_path": "/x", "rank": [], "step": [], "level": "L1", "statistics": {"data_mode": mode}}
                self.write("target/config.json", json.dumps(config if mode else {"seed": 1}))
                got, out, said = self.compare()
                self.assertEqual((got, sentence in out + said), (code, True), (role, mode, out, said))

    def test_a_structure_of_another_dump_is_left_out(self):
        self.make("golden")
        self.make("target")
        own = {"Functional.linear.%d.forward" % i: "Module.a.A.forward.%d" % i for i in range(2)}
        other = {"Torch.other.%d.forward" % i: "Module.b.B.forward.0" for i in range(9)}
        for text, foreign in ((own, False), (other, True), (dict(other, **own), False)):
            self.write("target/construct.json", json.dumps(dict(text, x="")))
            self.assertEqual("is of another dump" in self.compare()[2], foreign)

    def test_graph_says_how_large_the_tensors_of_a_step_would_be(self):
        for shape, word in (([4096, 4096], "about 0.27 GB"), ([4, 4], None)):
            tensor = dict(leaf([1.0, 2.0], ""), dtype="torch.float32", shape=shape)
            data = {"Functional.relu.%d.forward" % i: {"input_args": [tensor], "input_kwargs": {}, "output": [tensor]} for i in range(2)}
            self.write("s/dump.json", json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch", "data": data}))
            said = run("graph", self.path("s"), "-o", self.path("o.json"))[2]
            self.assertEqual("a dump of the tensors of this step" in said, bool(word), said)
            self.assertIn(word or "", said)

    def test_arrays_whose_names_say_nothing_pair_by_shape_and_value(self):
        arrays = [[0.1 * i * (j + 1) for j in range(3 + i % 3)] for i in range(1, 8)]
        for i, values in enumerate(arrays):
            self.write("golden/grad_%d.npy" % i, npy(values))
            self.write("target/grad_%d.npy" % ((i + 3) % 7), npy([x * 1.001 for x in values] if i == 4 else values))
            self.write("named/layer%s.weight.npy" % "gfedcba"[i], npy(values))
        code, _, said = self.compare()
        self.assertRegex(said, "DIVERGES  at grad_0, .*1.0e-03")
        self.assertEqual(code, 1)
        code, _, said = run("compare", self.path("golden"), self.path("named"), "-o", self.path("out.json"))
        self.assertRegex(said, "SAME .*7 slots")
        self.assertEqual(code, 0)

    def test_dtypes_are_told_as_a_map_of_the_modules_where_they_differ(self):
        for side, odd in (("golden", ("lm_head",)), ("target", ("layers.0.fc", "layers.1.fc"))):
            data = {}
            for name in ("layers.0.fc", "layers.1.fc", "layers.2.fc", "lm_head"):
                tensor = dict(leaf([1.0, 2.0], ""), dtype="torch.float32" if name in odd else "torch.bfloat16")
                data["Module.%s.Linear.forward.0" % name] = {"input_args": [tensor], "input_kwargs": {}, "output": [tensor]}
            self.write(side + "/dump.json", json.dumps({"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}))
        self.assertIn("class Linear that compute in bfloat16: golden 3 of 4 (not lm_head), target 2 of 4 (not layers.0.fc, layers.1.fc)",
                      self.compare()[2])
        said = run("graph", self.path("golden"), "-o", self.path("out.json"))[2]
        self.assertIn("modules of class Linear that compute in bfloat16: 3 of 4 (not lm_head)", said)


if __name__ == "__main__":
    main()
