#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A value planted anywhere in a format stands in one of the three accounts: compared, set aside, not understood (docs/json.md, `coverage`).

Each row plants one value in the target of an equal pair: in a field, a container, a key of another type, a repeated name, a member, a file
next to those that are read. The verdict, the exit code or the account of the values is another one then; and the law holds (program.Case).
"""
import copy
import io
import json
import os
import pickle
import shutil
import struct
import unittest
import warnings
import zipfile

from program import Case, main, run

TENSOR = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2, 3], "Max": 1.5, "Min": -1.0, "Mean": 0.25, "Norm": 2.0,
          "requires_grad": False}


def dump_json():
    op = {"input_args": [copy.deepcopy(TENSOR)], "input_kwargs": {"dim": {"type": "int", "value": 1}}, "output": [copy.deepcopy(TENSOR)]}
    return {"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None,
            "data": {"Functional.relu.%d.forward" % i: copy.deepcopy(op) for i in range(3)}}


def npy(*values):
    head = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%df" % len(values), *values)


def safetensors(weights, **metadata):
    head, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, values in weights.items():
        part = struct.pack("<%df" % len(values), *values)
        head[name] = {"dtype": "F32", "shape": [len(values)], "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(head).encode()
    return struct.pack("<Q", len(text)) + text + data


class Storage:
    """A tensor of torch in a pickle: REDUCE of _rebuild_tensor_v2 with a persistent id."""


def torch_file(tree):
    out, pieces = io.BytesIO(), []

    def tensor(values):
        pieces.append(struct.pack("<%df" % len(values), *values))
        return (b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n" + text(str(len(pieces) - 1)) + text("cpu") +
                b"K" + bytes([len(values)]) + b"tQK\x00K" + bytes([len(values)]) + b"\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR")

    def text(word):
        return b"X" + struct.pack("<I", len(word)) + word.encode()

    def write(value):
        if isinstance(value, dict):
            return b"}(" + b"".join(write(key) + write(below) for key, below in value.items()) + b"u"
        if isinstance(value, list):
            return b"](" + b"".join(write(item) for item in value) + b"e"
        if isinstance(value, tuple) and value and value[0] == "tensor":
            return tensor(value[1])
        if isinstance(value, tuple):
            return b"(" + b"".join(write(item) for item in value) + b"t"
        return pickle.dumps(value, protocol=2)[2:-1] if not isinstance(value, str) else text(value)
    data = b"\x80\x02" + write(tree) + b"."
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("m/data.pkl", data)
        archive.writestr("m/version", "3\n")
        for index, piece in enumerate(pieces):
            archive.writestr("m/data/%d" % index, piece)
    return out.getvalue()


CSV = ("Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,Max Value,Min Value,Avg Value,L2Norm Value\n"
       + "".join('MatMul,net/MatMul-op%d,0,0,%d,output,0,24,float32,"(2,3)",1.5,-1.0,0.25,2.0\n' % (i, i) for i in range(3)))
LINES = '{"schema": "vernier.dump/1"}\n' + "".join(
    '{"op": "m.%d", "io": "output", "slot": "0", "dtype": "torch.float32", "shape": [2], "max": 1.5, "min": -1.0}\n' % i for i in range(3))
TOKENS = '{"logprobs": [-1.0, -2.0, -0.5]}\n{"logprobs": [-1.5, -2.5, -0.25]}\n'
LLAMA = ("common_debug_cb_eval:          ffn_up-0 = (f32)    MUL_MAT(blk.0.ffn_up.weight{2, 2, 1, 1}, ffn_norm-0{2, 2, 1, 1}}) = {2, 2, 1, 1}\n"
         "    [\n        [\n            [      1.0000,       2.0000],\n            [      1.0000,      %s],\n        ],\n    ]\n    sum = %s\n")
MONITOR = "vpp_stage,name,step,norm,max\n" + "".join("0,w%d,%d,%d.5,%d.25\n" % (i, step, i + 1, i) for step in range(30) for i in range(3))


class Planted(Case):
    def answer(self, command, *paths):
        shutil.rmtree(self.out, ignore_errors=True)
        code, _, said = run(command, *paths, "--no-config", "-o", self.out, "--format", "json")
        path = os.path.join(self.out, "summary.json")
        if not os.path.exists(path):
            return code, said
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
        return code, summary["verdict"], summary["coverage"]

    def plants(self, command, name, whole, **plants):
        """`name` with `whole` on both sides; each plant is other bytes of the target, or other files by name."""
        sides = [self.path(side, name) for side in ("golden", "target")]
        arguments = sides if command != "monitor" else ["GOLDEN=" + self.path("golden"), "TARGET=" + self.path("target")]
        if os.sep in name and command == "compare":
            arguments = [self.path("golden"), self.path("target")]
        silent = []
        for side in sides:
            self.write(side, whole)
        equal = self.answer(command, *arguments)
        self.assertEqual(equal[0], 0, equal)
        for what, plant in plants.items():
            files = plant if isinstance(plant, dict) else {name: plant}
            for file, content in files.items():
                self.write(os.path.join(self.path("target"), file), content)
            if self.answer(command, *arguments) == equal:
                silent.append(what)
            for file in files:
                os.remove(os.path.join(self.path("target"), file))
            self.write(sides[1], whole)
        self.assertEqual([], silent)

    def planted_dumps(self):
        def with_change(change):
            records = dump_json()
            change(records["data"]["Functional.relu.1.forward"], records["data"])
            return json.dumps(records)
        text = json.dumps(dump_json())
        return {
            "field_of_a_tensor": with_change(lambda op, _: op["output"][0].update(Std=0.5)),
            "text_of_a_tensor": with_change(lambda op, _: op["output"][0].update(sha256="ab" * 32)),
            "list_in_a_tensor": with_change(lambda op, _: op["output"][0].update(quantiles=[0.1, 0.5])),
            "shard_size": with_change(lambda op, _: op["output"][0].update(hsdp_shard_size=2)),
            "field_of_an_op": with_change(lambda op, _: op.update(workspace=[copy.deepcopy(TENSOR)])),
            "number_of_an_op": with_change(lambda op, _: op.update(flops=12)),
            "plain_value": with_change(lambda op, _: op["input_args"].append(3.5)),
            "none": with_change(lambda op, _: op["input_args"].append(None)),
            "tensor_in_a_list": with_change(lambda op, _: op["input_args"].append([[copy.deepcopy(TENSOR)]])),
            "tensor_in_a_dict": with_change(lambda op, _: op["input_kwargs"].update(state={"h": {"c": copy.deepcopy(TENSOR)}})),
            "keyword": with_change(lambda op, _: op["input_kwargs"].update(eps={"type": "float", "value": 1e-5})),
            "a_statistic_that_comes_twice": text.replace('"Max": 1.5', '"Max": 9.5, "Max": 1.5', 1),
            "an_op_that_comes_twice": text.replace('"Functional.relu.1.forward"', '"Functional.relu.0.forward"', 1),
            "data_that_comes_twice": text.replace('"data": {', '"data": {"Functional.relu.9.forward": {"output": [%s]}}, "data": {' %
                                                  json.dumps(TENSOR), 1),
            "text_for_a_statistic": text.replace('"Max": 1.5', '"Max": "big"', 1),
            "list_for_a_statistic": text.replace('"Max": 1.5', '"Max": [1.5]', 1),
            "checksum_of_another_form": with_change(lambda op, _: op["output"][0].update(md5="0xabcdefg")),
            "op_of_another_name": with_change(lambda op, data: data.update({"loss": {"output": [copy.deepcopy(TENSOR)]}})),
        }

    def test_dump_json(self):
        rank = "step0/rank0/"
        self.plants("compare", rank + "dump.json", json.dumps(dump_json()),
                    another_rank={"step0/rank1/dump.json": json.dumps(dump_json())},
                    another_step={"step1/rank0/dump.json": json.dumps(dump_json())},
                    a_packed_dump={"step0/rank1.tar.gz": b"\x1f\x8b"},
                    a_folder_of_another_name={"step0/card1/dump.json": json.dumps(dump_json())},
                    arrays={rank + "dump_tensor_data/Functional.relu.0.forward.output.0.npy": npy(1, 2, 3)},
                    **{what: {rank + "dump.json": text} for what, text in self.planted_dumps().items()})

    def test_statistic_csv(self):
        head, rest = CSV.split("\n", 1)
        first = rest.split("\n")[0]
        self.plants("compare", "statistic.csv", CSV,
                    an_unknown_column=head + ",Std Value\n" + rest.replace(",2.0\n", ",2.0,0.5\n"),
                    a_column_that_comes_twice=head + ",Max Value\n" + rest.replace(",2.0\n", ",2.0,9.5\n"),
                    counts_of_zeros=head + ",Zero Count\n" + rest.replace(",2.0\n", ",2.0,4\n"),
                    a_longer_row=CSV.replace(first, first + ",7.5"),
                    a_shorter_row=CSV.replace(first, first[:-4]),
                    a_row_that_is_neither=CSV + first.replace("output", "workspace") + "\n",
                    another_row=CSV + first.replace(",0,24", ",1,24") + "\n",
                    text_for_a_number=CSV.replace("1.5", "big", 1),
                    a_nan=CSV.replace("1.5", "nan", 1))

    def test_lines_of_the_open_format(self):
        self.plants("compare", "dump.jsonl", LINES,
                    an_unknown_member=LINES.replace('"max"', '"std": 0.5, "max"', 1),
                    an_extra=LINES.replace('"max"', '"extra": {"a": 1}, "max"', 1),
                    a_member_that_comes_twice=LINES.replace('"max": 1.5', '"max": 7.5, "max": 1.5', 1),
                    a_line_that_is_no_record=LINES + '{"loss": 2.5}\n',
                    a_list_for_a_statistic=LINES.replace('"max": 1.5', '"max": [1.5]', 1),
                    another_io=LINES + LINES.split("\n")[1].replace("output", "workspace") + "\n",
                    an_argument=LINES + '{"op": "m.0", "io": "input", "slot": "eps", "value": 0.5}\n',
                    a_count=LINES.replace('"max"', '"nan_count": 2, "max"', 1))

    def test_debug_trees(self):
        tensor = {"shape": "torch.Size([2])", "dtype": "torch.float32", "max": "tensor(1.5)", "min": "tensor(-1.0)", "mean": "tensor(0.25)"}
        leaf = {"module_path": "net.fc", "inputs": {"args": [tensor], "kwargs": {}}, "outputs": tensor, "children": []}
        tree = {"module_path": "net", "inputs": {"args": [tensor], "kwargs": {}}, "outputs": tensor, "children": [leaf]}

        def with_leaf(**members):
            return json.dumps({**tree, "children": [{**leaf, **members}]})
        self.plants("compare", "net_debug_tree_SUMMARY.json", json.dumps(tree),
                    a_field_of_a_tensor=with_leaf(outputs={**tensor, "std": "tensor(0.5)"}),
                    a_member_of_a_module=with_leaf(grads=[tensor]),
                    another_input=with_leaf(inputs={"args": [tensor, tensor], "kwargs": {}}),
                    a_keyword=with_leaf(inputs={"args": [tensor], "kwargs": {"mask": tensor}}),
                    a_list=with_leaf(outputs=[tensor, [tensor]]),
                    a_module_without_a_path=json.dumps({**tree, "children": [leaf, {"inputs": {"args": [tensor], "kwargs": {}}}]}),
                    another_module=json.dumps({**tree, "children": [leaf, {**leaf, "module_path": "net.norm"}]}))

    def test_arrays(self):
        self.plants("compare", "step0/rank0/a.npy", npy(1.5, 2.5),
                    an_element={"step0/rank0/a.npy": npy(1.5, 2.75)},
                    another_array={"step0/rank0/b.npy": npy(1)},
                    another_ending={"step0/rank0/b.NPY": npy(1)},
                    a_packed_array={"step0/rank0/b.npy.gz": b"\x1f\x8b"},
                    bytes_without_a_name={"step0/rank0/b.bin": b"\x00" * 8},
                    deeper={"step0/rank0/more/b.npy": npy(1)},
                    a_broken_array={"step0/rank0/b.npy": b"\x93NUMPY"})

    def test_checkpoints(self):
        weights = {"a.weight": [1.5, 2.5], "b.weight": [0.5]}
        self.plants("compare", "model.safetensors", safetensors(weights),
                    an_element=safetensors({**weights, "b.weight": [0.75]}),
                    another_weight=safetensors({**weights, "c.weight": [1.0]}),
                    an_empty_weight=safetensors({**weights, "c.weight": []}))

    def test_files_next_to_a_checkpoint(self):
        weights = safetensors({"a.weight": [1.5, 2.5]})
        self.plants("compare", "run/model.safetensors", weights,
                    another_format={"run/extra.npz": b"PK\x05\x06" + bytes(18)},
                    another_ending={"run/more.gguf": b"GGUF"},
                    a_file_of_torch={"run/optim.pt": torch_file({"c": ("tensor", [2.0])})},
                    deeper={"run/deeper/model.safetensors": safetensors({"d": [1.0]})})

    def test_keys_of_every_type(self):
        tree = {"model": {"a": ("tensor", [1.5, 2.5])}}
        keys = {"number": 7, "real": 1.5, "none": None, "truth": True, "tuple": (1, "x"), "bytes": b"k", "text": "b"}
        self.plants("compare", "model.pt", torch_file(tree),
                    **{"below_" + what: torch_file({**tree, key: {"c": ("tensor", [2.0])}}) for what, key in keys.items()},
                    in_a_list=torch_file({**tree, "more": [("tensor", [2.0])]}),
                    in_a_tuple=torch_file({**tree, "more": (1, ("tensor", [2.0]))}),
                    a_number=torch_file({**tree, "step": 12}),
                    a_text=torch_file({**tree, "name": "x"}))

    def test_tokens(self):
        self.plants("tokens", "a.jsonl", TOKENS,
                    a_token=TOKENS.replace("-0.5]", "-0.5, -0.75]"),
                    a_sample=TOKENS + '{"logprobs": [-1.0]}\n',
                    a_name_that_comes_twice=TOKENS.replace('{"logprobs"', '{"logprobs": [-9.0, -9.0, -9.0], "logprobs"', 1),
                    another_name=TOKENS.replace('{"logprobs"', '{"log_probs": [-9.0, -9.0, -9.0], "logprobs"'),
                    ids=TOKENS.replace('{"logprobs"', '{"token_ids": [1, 2, 3], "logprobs"'),
                    a_line_of_text=TOKENS + "no record\n",
                    a_nested_list=TOKENS.replace("[-1.0, -2.0, -0.5]", "[[-1.0, -2.0, -0.5], [-3.0]]"))

    def test_members_of_an_npz(self):
        def npz(*members):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for name, content in members:
                    archive.writestr(name, content)
            return out.getvalue()
        whole = (("a.npy", npy(1.5, 2.5)), ("b.npy", npy(0.5)))
        self.plants("compare", "weights.npz", npz(*whole),
                    an_element=npz(whole[0], ("b.npy", npy(0.75))),
                    another_member=npz(*whole, ("c.npy", npy(1))),
                    an_empty_member=npz(*whole, ("c.npy", npy())),
                    a_member_that_comes_twice=npz(*whole, ("b.npy", npy(9.5))),
                    a_member_in_a_folder=npz(*whole, ("more/c.npy", npy(1))),
                    a_broken_member=npz(*whole, ("c.npy", b"\x93NUMPY")),
                    a_member_that_is_no_array=npz(*whole, ("c.txt", b"2.5")))

    def test_the_print_of_llama(self):
        """The verdict says that sums alone are compared, not what is printed of the elements."""
        text = LLAMA % ("-1.5000", "2.500000")
        self.plants("compare", "llama.txt", text,
                    a_sum=LLAMA % ("-1.5000", "2.750000"),
                    another_node=text + text.replace("ffn_up-0", "ffn_up-1"),
                    a_node_that_comes_twice=text + text,
                    another_shape=text.replace("= {2, 2, 1, 1}", "= {4, 1, 1, 1}"),
                    a_node_without_elements=text + text.split("\n", maxsplit=1)[0] + "\n",
                    text_for_a_sum=LLAMA % ("-1.5000", "big"))

    def test_lines_of_a_log(self):
        line = "iteration %d/ 40 | lm loss: %.4f | grad norm: %.3f | learning rate: 1.0e-4 |\n"
        lines = [line % (step, 9 - step / 8, 1 + step / 50) for step in range(1, 31)]
        whole = "".join(lines)
        self.plants("curves", "train.log", whole,
                    a_number=whole.replace("8.0000", "8.5000", 1),
                    a_name_that_comes_twice=whole.replace("grad norm: 1.100", "grad norm: 9.100 | grad norm: 1.100", 1),
                    another_record=whole + line % (31, 5.0, 1.6),
                    a_record_that_comes_twice=whole + lines[-1].replace("5.2500", "7.2500"),
                    a_record_without_a_number=whole.replace("lm loss: 8.0000", "lm loss: ", 1),
                    text_for_a_number=whole.replace("lm loss: 8.0000", "lm loss: big", 1),
                    a_nan=whole.replace("8.0000", "nan", 1),
                    a_record_that_is_cut=whole[:-30])

    def test_a_record_of_any_form_that_gives_no_number_is_not_understood(self):
        forms = ("iteration {0}/ 40 | lm loss: {1} | grad norm: 1.5 |\n", "step={0} loss={1} grad_norm=1.5\n",
                 "step: {0}, loss: {1}, lr: 0.0001\n", "step:{0} - actor/loss:{1} - actor/grad_norm:1.5\n",
                 "{{'loss': {1}, 'grad_norm': 1.5, 'epoch': {0}.0}}\n", '{{"step": {0}, "loss": {1}, "lr": 0.0001}}\n',
                 "2025-01-01 00:00:00,000 - INFO - {{ Epoch:[  1/  1], step:[ {0}/  100], loss:  {1}, lr: 0.0001}}\n")
        for form in forms:
            lines = [form.format(step, "%.4f" % (9 - step / 8)) for step in range(1, 31)]
            golden, target = self.write("golden.log", "".join(lines)), self.path("target.log")
            for value in ("", "big", "<hidden>"):
                self.write("target.log", "".join(lines[:7] + [form.format(8, value)] + lines[8:]))
                code, _, coverage = self.answer("curves", golden, target)
                self.assertEqual((code, coverage["not_understood"]), (4, 1), (form, value))
            text = [] if form.startswith("{{\"") else ["Saved a checkpoint.\n"]  # a file of JSON lines holds no text
            self.write("target.log", "".join(lines[:7] + text + lines[7:]))
            code, _, coverage = self.answer("curves", golden, target)
            self.assertEqual((code, coverage["set_aside"]), (0, {"text": 1} if text else {}), form)

    def test_a_series_of_one_run_only_is_set_aside_and_named(self):
        rows = ["%d,%.3f,%.2f" % (step, 9 - step / 8, step / 4) for step in range(1, 31)]
        one = "step,loss\n" + "".join(row.rsplit(",", 1)[0] + "\n" for row in rows)
        two = "step,loss,grad_norm\n" + "".join(row + "\n" for row in rows)
        for sides in ((one, two), (two, one)):
            paths = [self.write("%s.csv" % name, text) for name, text in zip(("golden", "target"), sides)]
            code, _, said = run("curves", *paths, "--no-config", "-o", self.path("out.json"))
            self.assertEqual(code, 0, said)
            self.assertIn("1 series is in this run only and not compared: grad_norm", said)
            with open(self.path("out.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["coverage"]["set_aside"].get("not_recorded"), 30)

    def test_arrays_of_a_mindspore_tree(self):
        name = "rank_0/Net/0/1/MatMul.MatMul-op%d.0.0.%d.output.0.DefaultFormat.float32.npy"
        names = [name % (i, 1700000000000000 + i) for i in range(3)]
        table = "rank_0/Net/0/1/statistic.csv"
        rows = CSV.replace("net/", "").replace(",0,0,", ",0,0,170000000000000").replace('24,float32,"(2,3)"', '12,float32,"(3,)"')
        for side in ("golden", "target"):
            self.write(os.path.join(side, table), rows)
            for i, file in enumerate(names):
                self.write(os.path.join(side, file), npy(1.5, -1.0, float(i)))
        self.plants("compare", names[0], npy(1.5, -1.0, 0.0), a_number=npy(1.5, -1.0, 0.5), a_nan=npy(1.5, -1.0, float("nan")),
                    a_longer_array=npy(1.5, -1.0, 0.0, 4.0), no_array=b"", a_cut_array=npy(1.5, -1.0, 0.0)[:-3],
                    another_tensor={name % (9, 1700000000000009): npy(7.0)}, a_statistic={table: rows.replace("1.5", "1.75", 1)})

    def test_tables_of_a_monitor(self):
        name = "rank_0/weight_grad_step0-29.csv"
        head, rest = MONITOR.split("\n", 1)
        self.plants("monitor", name, MONITOR,
                    an_unknown_column={name: head + ",std\n" + rest.replace(".25\n", ".25,0.5\n")},
                    a_column_that_comes_twice={name: head + ",norm\n" + rest.replace(".25\n", ".25,9.5\n")},
                    a_longer_row={name: MONITOR.replace("0.25\n", "0.25,7\n", 1)},
                    text_for_a_number={name: MONITOR.replace("1.5", "big", 1)},
                    a_row_of_another_name={name: MONITOR + "0,w9,3,1.5,0.25\n"},
                    a_row_that_comes_twice={name: MONITOR + "0,w2,3,3.5,2.25\n"},
                    another_file={"rank_0/module_step0-29.csv": MONITOR},
                    another_rank={"rank_1/weight_grad_step0-29.csv": MONITOR})


if __name__ == "__main__":
    main()
