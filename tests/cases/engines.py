#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What inference engines dump (samples/engines): the op that was planted is named, whoever wrote the dump, and across writers.
The files are written as torch.save writes them, without torch."""
import importlib.util
import os
import random
import re
import shutil
import struct
import types
import zipfile

import checkpoints
from program import Case, SAMPLES, main, run
import torch_checkpoints as torch_like

spec = importlib.util.spec_from_file_location("make_engines", os.path.join(SAMPLES, "engines", "make-engines.py"))
make = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make)  # the name torch stands for what torch_checkpoints made of it


def tensor(*values):
    return torch_like.Tensor(types.SimpleNamespace(shape=[len(values)], values=values))


make.torch = types.SimpleNamespace(save=lambda value, path: torch_like.torch_save(path, value), ones=lambda n: tensor(*[1.0] * n))
NAMES = ["model.embed_tokens"] + ["model.layers.%d.%s" % (i, name) for i in (1, 2, 10) for name in (
    "self_attn.qkv_proj", "self_attn.attn", "self_attn.o_proj", "mlp.gate_up_proj", "mlp.down_proj")] + ["lm_head"]
DEFECT = "model.layers.10.self_attn.qkv_proj"


def passes(planted="", at=0, ids=3.0):
    """Two forward passes; from the planted module of pass `at` on all that follows is off."""
    out = []
    for number in range(2):
        value, modules = ids + number, []
        for i, name in enumerate(NAMES):
            given = value
            value = (1.7 * value + 0.3 * i) % 5 + 0.1 + (0.05 if name == planted and number >= at else 0)
            modules.append((name, tensor(given, given / 2, -given), tensor(value, value / 3, -value)))
        out.append((tensor(ids, 2.0, 7.0), modules))
    return out


WRITERS = {"passes": make.write_passes, "dumper": lambda folder, rows: make.write_dumper(folder, rows, 0),
           "late": lambda folder, rows: make.write_dumper(folder, rows, 3), "trtllm": make.write_trtllm}


class Engines(Case):
    def dump(self, side, writer, *arguments, **more):
        WRITERS[writer](self.path(side), passes(*arguments, **more))

    def compare(self, golden="golden", target="target"):
        code, _, said = run("compare", golden, target, "-o", "v.md", cwd=self.folder)
        return code, said

    def intermediates(self, side, bad=""):
        """What vLLM's intermediate logging writes: a folder a module, the order of the calls in a list of its own."""
        calls, value = [], 2.0
        for layer in (0, 1, 10):
            inner = ["model.layers.%d.%s" % (layer, name) for name in ("self_attn.qkv_proj", "self_attn", "mlp.down_proj", "mlp")]
            calls += ["model.layers.%d" % layer, inner[1], inner[0], inner[3], inner[2]]
            begin = value
            for name in inner:
                given = value if name.endswith("proj") else begin
                value = (1.7 * value + 0.3) % 5 + 0.1 + (0.05 if name == bad else 0) if name.endswith("proj") else value
                for io, number in (("inputs_0", given), ("outputs", value)):
                    os.makedirs(self.path(side, "step_0", name), exist_ok=True)
                    torch_like.torch_save(self.path(side, "step_0", name, io + "_cuda_0.pt"), tensor(number, 2 * number, -number))
        self.write(side + "/step_0/module_calls.txt", "\n".join(calls) + "\n")

    def test_the_list_of_calls_is_the_order_of_intermediates_of_vllm(self):
        self.intermediates("a")
        self.intermediates("same")
        for bad in ("model.layers.1.self_attn.qkv_proj", "model.layers.10.mlp.down_proj"):
            shutil.rmtree(self.path("b"), ignore_errors=True)
            self.intermediates("b", bad)
            code, out, said = run("compare", "a", "b", cwd=self.folder)
            self.assertEqual(code, 1, said)
            self.assertRegex(out, r"DIVERGES +at step_0.%s, .*inputs agree.*output\.0 differs by" % bad)
        self.assertIn("SAME", run("compare", "a", "same", cwd=self.folder)[1])

    def test_the_op_that_was_planted_is_named_of_every_writer(self):
        for writer in WRITERS:
            self.dump("golden", writer)
            self.dump("target", writer, DEFECT)
            code, said = self.compare()
            self.assertEqual(code, 1, said)
            name = r"1.model-3.layers-\S+10-\S+self_attn-\S+qkv_proj" if writer == "trtllm" else DEFECT
            self.assertRegex(said, r"DIVERGES +at %s, " % name)
            # A pass has outputs alone.
            self.assertEqual("inputs agree" in said, writer != "passes", said)
            code, said = self.compare("golden", "golden")
            self.assertEqual(code, 0, said)
            self.assertIn("SAME", said)
            shutil.rmtree(self.path("golden"))
            shutil.rmtree(self.path("target"))

    def test_a_pass_is_a_call_and_its_modules_stand_as_they_ran(self):
        self.dump("golden", "passes")
        self.dump("target", "passes", DEFECT, 1)
        code, said = self.compare()
        self.assertIn("at %s#1, " % DEFECT, said)
        folders = [os.path.join(side, name) for side in ("golden", "target") for name in os.listdir(self.path(side))]
        code, said = self.compare(*(os.path.join(folder, "Pass00001.pt") for folder in folders))
        self.assertIn("at %s#1, " % DEFECT, said)
        os.rename(self.path(folders[1], "Pass00001.pt"), self.path(folders[1], "Pass1.pt"))
        self.assertIn("at %s#1, " % DEFECT, self.compare()[1])
        self.assertEqual(self.compare(os.path.join(folders[0], "Pass00000.pt"), os.path.join(folders[1], "Pass00000.pt"))[0], 0)

    def test_other_tokens_come_before_all_that_follows_from_them(self):
        self.dump("golden", "passes")
        self.dump("target", "passes", ids=4.0)
        self.assertRegex(self.compare()[1], r"DIVERGES +at model.forward_batch_info.input_ids, ")

    def test_two_writers_pair_by_module(self):
        self.dump("golden", "passes")
        self.dump("target", "dumper", DEFECT)
        for golden, target in (("golden", "target"), ("target", "golden")):
            code, said = self.compare(golden, target)
            self.assertEqual(code, 1, said)
            self.assertIn("at %s, " % DEFECT, said)

    def test_what_one_process_dumped_before_shifts_nothing(self):
        self.dump("golden", "dumper")
        self.dump("target", "late", DEFECT)
        self.assertIn("at %s, " % DEFECT, self.compare()[1])

    def shards(self, side, whole=False, planted=0.0, old=False, **change):
        """A tensor of 2 x 8 x 4 on 2 x 2 ranks: a sequence in zigzag, shares of heads, terms of a sum, copies. `whole`: on one rank."""
        tp, cp = (1, 1) if whole else (2, 2)
        value = {(b, s, h): ((7 * b + 3 * s + h) % 11 - 5) / 4 for b in range(2) for s in range(8) for h in range(4)}
        value[1, 3, 2] += planted
        shutil.rmtree(self.path(side), ignore_errors=True)
        os.makedirs(self.path(side))
        for rank in range(tp * cp):
            mine, seq = rank % tp, rank // tp
            steps = range(8) if whole else [*range(2 * seq, 2 * seq + 2), *range(6 - 2 * seq, 8 - 2 * seq)]
            heads = range(4) if whole else range(2 * mine, 2 * mine + 2)
            dims = [("inputs", "b s(cp,zigzag) h" if old else "b s[cp:zigzag] h # dp:=moe_dp", range(4), 1),
                    ("heads", "b s(cp,zigzag) h(tp)" if old else "b s[cp:zigzag,sp] (a*d)[tp]", heads, 1),
                    ("sums", "b s(cp,zigzag) h(tp,partial)" if old else "b s[cp:zigzag] h[tp:partial]", range(4), 1 / tp)]
            for i, (name, text, given, times) in enumerate(dims):
                values = [value[b, s, h] * times for b in range(2) for s in steps for h in given]
                if (change.get("copies"), name, rank) == (True, "inputs", 1):
                    values[0] += 1
                info = {"tp_rank": mine, "tp_size": tp, "cp_rank": seq, "cp_size": cp, **change.get("info", {})}
                tags = {"step": 0, "rank": rank, "dump_index": i + 1 + rank, "name": name, "recompute_status": "disabled", "tp_rank": mine}
                meta = {"meta": {"dims": change.get("dims", {}).get(name, text), "sglang_parallel_info": info}} if "bare" not in change else {}
                if rank not in change.get("lost", ()):
                    shape = [2, len(values) // 2 // len(given), len(given)]
                    make.torch.save({"value": torch_like.Tensor(types.SimpleNamespace(shape=shape, values=values)), **meta},
                                    self.path(side, "___".join("%s=%s" % tag for tag in tags.items()) + ".pt"))

    def test_parts_on_several_ranks_are_one_tensor_as_their_dims_say(self):
        self.shards("golden", whole=True)
        for old in (False, True):
            self.shards("target", old=old)
            for sides in (("golden", "target"), ("target", "golden")):
                code, said = self.compare(*sides)
                self.assertEqual(code, 0, said)
                self.assertIn("SAME      bit for bit: 3 slots.", said)
                self.assertIn("joined as their dims say (3 times)", said)
            self.shards("target", planted=0.5, old=old)
            code, said = self.compare()
            self.assertEqual(code, 1, said)
            self.assertIn("at inputs, ", said)

    def test_parts_that_cannot_be_joined_are_told_and_never_green(self):
        self.shards("golden", whole=True)
        names = ("inputs", "heads", "sums")
        for change, why in (({"copies": True}, "ranks that should be replicas of it are not"),
                            ({"dims": {name: "t[cp:zigzag] b h" for name in names}}, "packed sequences"),
                            ({"dims": {name: "b s h[tp" for name in names}}, "not written as SGLang"),
                            ({"dims": {name: "s h" for name in names}}, "another number of axes"),
                            ({"info": {"tp_size": 1, "tp_rank": 0}}, "data-parallel replicas"),
                            ({"info": {"tp_rank": 9}}, "no places"),
                            ({"dims": {name: "b[cp:zigzag] s h[tp]" for name in names}}, "")):
            self.shards("target", **change)
            code, said = self.compare()
            self.assertEqual(code, 1, said)
            self.assertIn(why, said)
        self.shards("target", bare=True)
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertNotIn("joined", said)

    def test_a_part_whose_siblings_are_missing_is_never_taken_as_the_whole(self):
        for change, first in (({"lost": (3,)}, "tp rank 1, cp rank 1"), ({"lost": (1, 2)}, "tp rank 1, cp rank 0"),
                              ({"lost": (1, 2, 3)}, "tp rank 1"), ({"lost": (0, 1, 2)}, "tp rank 0"),
                              ({"info": {"tp_rank": 0}}, "tp rank 1"), ({"info": {"tp_size": 1 << 40}}, "tp rank 2"),
                              ({"info": {"cp_size": (1 << 62) + 2}}, "cp rank 2"),
                              ({"lost": (1, 3), "dims": {name: "b s[cp:zigzag h" for name in ("inputs", "heads", "sums")}}, "tp rank 1")):
            self.shards("target", **change)
            for whole in (True, False):
                self.shards("golden", whole=whole)
                for sides in (("golden", "target"), ("target", "golden")):
                    code, said = self.compare(*sides)
                    self.assertEqual(code, 3, said)
                    self.assertIn("parts of it are missing, the first: ", said)
                    self.assertIn(first, said)
            code, said = self.compare("target", "target")
            self.assertEqual(code, 4, said)
        self.shards("target")
        [lost] = [name for name in os.listdir(self.path("target")) if "rank=3" in name and "=inputs" in name]
        os.remove(self.path("target", lost))
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertIn("PARTIAL", said)
        self.assertIn("parts of it are missing, the first: tp rank 1, cp rank 1", said)

    def rank(self, side, rank, values, dims, shape=None, index=1, **info):
        os.makedirs(self.path(side), exist_ok=True)
        given = torch_like.Tensor(types.SimpleNamespace(shape=shape or [len(values)], values=values))
        make.torch.save({"value": given, "meta": {"dims": dims, "sglang_parallel_info": info}},
                        self.path(side, "step=0___rank=%d___dump_index=%d___name=x.pt" % (rank, index)))

    def test_copies_are_equal_bit_for_bit_or_compared_rank_by_rank(self):
        for small in (0.0, -3e-7, 3.006e-7):
            for rank in range(2):
                self.rank("golden", rank, [3e-7, 1e-7], "h", tp_rank=rank, tp_size=2)
                self.rank("target", rank, [small if rank else 3e-7, 1e-7], "h", tp_rank=rank, tp_size=2)
            for sides in (("golden", "target"), ("target", "golden")):
                code, said = self.compare(*sides)
                self.assertEqual(code, 1, said)
                self.assertIn("at rank1/x, ", said)
                self.assertIn("ranks that should be replicas of it are not", said)

    def test_the_calls_of_a_part_without_siblings_stay_calls(self):
        for call in range(3):
            self.rank("golden", 0, [1.0 + call, 2.0], "h[tp]", index=call, tp_rank=0, tp_size=2)
            self.rank("target", 0, [1.0 + call + (call == 2), 2.0], "h[tp]", index=call, tp_rank=0, tp_size=2)
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertIn("at rank0/x#2, ", said)

    def test_a_group_of_attention_that_is_all_of_tp_stands_for_it(self):
        self.rank("golden", 0, [1.0, 2.0, 3.0, 4.0], "h", tp_rank=0, tp_size=1)
        for rank in range(2):
            self.rank("target", rank, [1.0 + 2 * rank, 2.0 + 2 * rank], "h[attn_tp]", tp_rank=rank, tp_size=2,
                      attn_tp_rank=rank, attn_tp_size=2)
        code, said = self.compare()
        self.assertEqual(code, 0, said)
        for rank in range(4):
            self.rank("target", rank, [1.0 + 2 * (rank % 2), 2.0 + 2 * (rank % 2)], "h[attn_tp]", tp_rank=rank, tp_size=4,
                      attn_tp_rank=rank % 2, attn_tp_size=2)
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertIn("only some ranks of tp", said)

    def test_ranks_whose_dims_contradict_each_other_are_not_joined(self):
        self.rank("golden", 0, [1.0, 2.0, 3.0, 4.0], "s h", [2, 2], tp_rank=0, tp_size=1)
        for rank, dims in enumerate(("s[tp] h", "s h[tp]")):
            self.rank("target", rank, [1.0 + 2 * rank, 2.0 + 2 * rank], dims, [1, 2], tp_rank=rank, tp_size=2)
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertIn("the dims of its ranks contradict each other", said)

    def arrays(self, path, values):
        """Named arrays as numpy.savez and safetensors write them, with or without a folder around them."""
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        tensors = {name: checkpoints.Tensor([2], [value, -value / 3]) for name, value in values.items()}
        if path.endswith(".safetensors"):
            checkpoints.write_safetensors(self.path(path), {name: tensors[name] for name in sorted(tensors)})
            return
        with zipfile.ZipFile(self.path(path), "w") as archive:
            for name, tensor in tensors.items():
                checkpoints.write_npy(self.path("one.npy"), tensor)
                archive.write(self.path("one.npy"), name + ".npy")

    def values(self, planted="", head=True):
        given = {name: gives.storage.values[0] for name, _, gives in passes(planted)[0][1]}
        return {name: given[name] for name in NAMES if head or name != "lm_head"}

    def test_arrays_are_ops_in_the_order_in_which_they_were_written(self):
        """Also safetensors, whose library sorts by name: layer 10 before layer 2."""
        for ending in (".npz", ".safetensors"):
            for place in ("x", "run%s/step0/rank0/x" % ending):
                golden, target, by_name = "golden/" + place + ending, "target/" + place + ending, ending == ".safetensors"
                self.arrays(golden, self.values(head=not by_name))
                self.arrays(target, self.values(DEFECT, head=not by_name))
                sides = (golden, target) if place == "x" else ("golden/run" + ending, "target/run" + ending)
                code, said = self.compare(*sides)
                self.assertEqual(code, 1, said)
                self.assertIn("at model.layers.10.%s, " % ("mlp.down_proj" if by_name else "self_attn.qkv_proj"), said)
                self.assertEqual("is the first by name" in said, by_name, said)
                self.assertEqual(self.compare(sides[0], sides[0])[0], 0)
                for command in ("graph", "locate"):
                    self.assertEqual(run(command, sides[0], "-o", "v.md", cwd=self.folder)[0], 0)
        self.arrays("golden/x.npz", self.values(head=False))
        code, said = self.compare("golden/x.npz", "golden/x.safetensors")
        self.assertEqual(code, 0, said)
        self.assertIn("SAME", said)

    def test_several_files_of_arrays_are_told_apart_and_a_broken_one_costs_itself(self):
        for side, planted in (("golden", ""), ("target", DEFECT)):
            self.arrays(side + "/step0/rank0/warm.npz", self.values())
            self.arrays(side + "/step0/rank0/work.npz", self.values(planted))
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertIn("at work/%s, " % DEFECT, said)
        for broken in (b"PK\3\4", b"", b"\x08\0\0\0\0\0\0\0{]", bytes(random.Random(1).randrange(256) for _ in range(300))):
            for name in ("work.npz", "work.safetensors"):
                self.write("target/step0/rank0/" + name, broken)
            code, said = self.compare()
            self.assertIn(code, (1, 4), said)

    def test_weights_in_a_npz_stay_weights(self):
        self.arrays("golden/x.npz", {"params/Dense_%d/kernel" % i: 1.0 + i for i in range(3)})
        self.assertIn("3 weights", self.compare("golden/x.npz", "golden/x.npz")[1])

    def hold(self, side, **files):
        for name, value in files.items():
            path = self.path(side, "rank0", name.replace("__", "-").replace("_", ".") + ".pt")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            make.torch.save(value, path)

    def test_a_module_that_is_missing_is_no_wrapper(self):
        modules = ["model.layers.%d.%s" % (i, part) for i in range(6) for part in ("self_attn", "mlp")]
        missing = "model.layers.3.mlp"
        for value in (1.0, 0.0):  # values that others give too, and its own
            for side, names in (("golden", modules), ("target", [name for name in modules if name != missing])):
                rows = {name: tensor(2.0 + value * i, 5.0) for i, name in enumerate(modules) if name in names}
                self.hold(side, Pass0=rows)
                for name, given in rows.items():
                    path = self.path(side + ".trtllm", "-".join("%d.%s" % part for part in enumerate(name.split("."))) + "-output.0.pt")
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    make.torch.save(given, path)
            for ending, name in (("", missing), (".trtllm", "3.mlp")):
                code, said = self.compare("golden" + ending, "target" + ending)
                self.assertEqual(code, 1, said)
                self.assertRegex(said, r"DIVERGES +at \S*%s, .*the target run" % name)
        self.hold("golden", Pass0=dict(rows, **{"model.layers.2": rows["model.layers.2.mlp"]}))
        self.hold("target", Pass0={name: tensor(2.0, 5.0) for name in modules})
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.hold("golden", Pass0={name: tensor(2.0, 5.0) for name in modules + ["model.layers.2"]})
        code, said = self.compare()
        self.assertEqual(code, 0, said)  # stands around others
        self.assertIn("1 op is on one side only", said)

    def test_a_pass_that_is_missing_is_said(self):
        self.hold("golden", Pass0={"m": tensor(1.0)}, Pass1={"m": tensor(1.0)})
        self.hold("target", Pass0={"m": tensor(1.0)})
        self.assertEqual(self.compare()[0], 1)

    def test_an_input_is_compared_where_the_output_was_lost(self):
        self.hold("golden", **{"1_model__input_x": tensor(4.0), "1_model__output_0": tensor(5.0)})
        self.hold("target", **{"1_model__input_x": tensor(4.0)})
        code, said = self.compare()
        self.assertEqual(code, 4, said)
        self.assertIn("SAME      bit for bit: 1 of 2 slots", said)

    def test_what_is_no_tensor_is_compared_too(self):
        """Numbers, texts, flags and lists of a pass or a dict of tensors; what a tool noted beside them is not."""
        given = {"m": tensor(1.0), "m.scale": 0.5, "m.mode": "decode", "m.lens": [7, 9], "m.cached": True, "m.mask": None, "m.empty": ""}
        for planted, (key, value) in enumerate([(None, None), ("m.scale", 0.25), ("m.mode", "extend"), ("m.lens", [7, 10]), ("m.lens", [7]),
                                                ("m.cached", False), ("m.mask", 3), ("m.empty", "x")]):
            for name in ("Pass0", "batch"):
                shutil.rmtree(self.path("golden"), ignore_errors=True)
                shutil.rmtree(self.path("target"), ignore_errors=True)
                self.hold("golden", **{name: dict(given, meta={"at": 1})})
                self.hold("target", **{name: dict(given, meta={"at": 2}, **({key: value} if key else {}))})
                code, said = self.compare()
                self.assertEqual(code, 1 if planted else 0, said)
                self.assertIn("DIVERGES" if planted else "bit for bit: 6 slots", said)
                self.assertIn(key if planted and name == "Pass0" else "", said)

    def test_a_list_is_one_value_however_long_it_is(self):
        """A long one takes neither a slot an element nor the tensors beside it; its last element counts."""
        many = list(range(600000))
        for given, other, code_of in ((many, many, 0), (many, many[:-1] + [7], 1), (many, many[:-1], 1), (many, many[:9] + [-1] + many[10:], 1), ((1, 2), [1, 2], 1),
                                      ([[1, 2], (3, None)], [[1, 2], (3, None)], 0), ([[1, 2], (3, None)], [[1, 2, 3], (None,)], 1),
                                      (["a", "b"], ["a', 'b"], 1), ([], [1], 1), ([0.1] * 65, [0.1] * 65, 0), ([1.5, 3.0], [3.0, 1.5], 1), ([1.5] * 70 + [3.0], [3.0] + [1.5] * 70, 1), ([0.1, 2], [0.1, 3], 1),
                                      ([True], [False], 1), (["名" * 80, "x"], ["名" * 80, "y"], 1)):
            for side, value in (("golden", given), ("target", other)):
                shutil.rmtree(self.path(side), ignore_errors=True)
                self.hold(side, Pass0={"m": tensor(1.0), "m.ids": value})
            code, said = self.compare()
            self.assertEqual(code, code_of, said)
            self.assertIn("DIVERGES" if code else "2 slots", said)

    def test_what_is_neither_tensor_nor_value_is_told(self):
        self.hold("golden", Pass0={"m": tensor(1.0), "m.device": torch_like.Called(torch_like.fake("torch", "device"), "cuda")})
        self.assertEqual(self.compare("golden", "golden")[0], 0)
        self.hold("golden", Pass0={"m": tensor(1.0), "m.state": types.SimpleNamespace(a=1)})
        code, said = self.compare("golden", "golden")
        self.assertEqual(code, 4, said)
        self.assertIn("is neither a tensor nor a number or text", said)

    def test_of_a_thousand_tensors_of_a_pass_the_damaged_one_is_told_and_no_other(self):
        names = ["model.layers.%d.mlp" % i for i in range(1000)]
        for side, off in (("golden", 0.0), ("target", 0.5)):
            self.hold(side, Pass0={name: tensor(2.0 + i + off, 5.0) for i, name in enumerate(names)})
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertNotIn("damaged", said)
        path = self.path("target", "rank0", "Pass0.pt")
        with zipfile.ZipFile(path) as archive:
            member = next(name for name in archive.namelist() if archive.read(name) == struct.pack("<2f", 7.5, 5.0))
            at = archive.getinfo(member).header_offset + 30 + len(member)
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(struct.pack("<f", 70.0))
        code, said = self.compare()
        self.assertEqual(code, 1, said)
        self.assertEqual(re.findall(r"'([^']*)' is damaged", said), ["Pass0.pt/model.layers.5.mlp.pt"], said)
        self.assertIn("PARTIAL", said)

    def test_lists_of_outputs_and_odd_names_are_read(self):
        folder = self.path("golden")
        os.makedirs(folder)
        for name, value in (("Pass0", {"a.b": [tensor(1.0), tensor(2.0)], "a.b.0": tensor(3.0), "": tensor(4.0), "名" * 80: tensor(5.0)}),
                            ("step=0___rank=0___dump_index=1___name=", {"value": tensor(1.0)}),
                            ("step=0___rank=3___dump_index=2___name=non_intrusive__.output", {"value": [tensor(1.0)], "meta": {"x": tensor(2.0)}}),
                            ("step=0___rank=0___dump_index=3___name=x___layer_id=3", {"value": {"k": tensor(1.0)}, "values": tensor(9.0)}),
                            ("___name=", {"value": tensor(1.0)})):
            make.torch.save(value, os.path.join(folder, name + ".pt"))
        code, said = self.compare("golden", "golden")
        self.assertEqual(code, 4, said)
        self.assertIn("PARTIAL SAME", said)
        self.assertEqual(said.count("what has no name, or is next to value and meta, is not read"), 3, said)
        run("convert", "golden", "-o", "x.jsonl", cwd=self.folder)
        with open(self.path("x.jsonl"), encoding="utf-8") as file:
            text = file.read()
        for words in ('"op": "a.b", ', '"op": "a.b.0", ', '"op": "x.layer_id=3", ', '"op": "rank3/', '"slot": "1"'):
            self.assertIn(words, text)
        self.assertNotIn("9.0", text)


if __name__ == "__main__":
    main()
