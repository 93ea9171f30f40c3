#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`vernier compare` on checkpoints of torch.save: state dicts, nested checkpoints of training frameworks, shards,
ZIP and legacy files; against safetensors too. Nothing in them is run."""
import argparse
import collections
import html
import io
import json
import os
import pickle
import shutil
import struct
import subprocess
import sys
import types
import zipfile

import checkpoints as base
from program import Case, EMULATED, VERNIER, main


def fake(module, name):
    """Something that pickles as a name of a module that is not there."""
    def function(*_):
        raise AssertionError("never called")
    parts = module.split(".")
    for i in range(len(parts)):
        path = ".".join(parts[:i + 1])
        if path not in sys.modules:
            sys.modules[path] = types.ModuleType(path)
    function.__module__, function.__qualname__, function.__name__ = module, name, name
    setattr(sys.modules[module], name, function)
    return function


REBUILD = fake("torch._utils", "_rebuild_tensor_v2")
SPARSE = fake("torch._utils", "_rebuild_sparse_tensor")
FLOATS = fake("torch", "FloatStorage")
MODEL_TYPE = fake("megatron.core.enums", "ModelType")
UNKNOWN = fake("somewhere.else_", "run_me")


class Storage:
    def __init__(self, values):
        self.values = list(values)


class Tensor:
    """As torch pickles one."""
    def __init__(self, tensor, storage=None, offset=0):
        self.shape, self.storage, self.offset = tuple(tensor.shape), storage or Storage(tensor.values), offset

    def __reduce__(self):
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= size
        return REBUILD, (self.storage, self.offset, self.shape, tuple(strides), False, collections.OrderedDict())


class Called:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class Twice:
    """A dict with one key twice."""
    def __init__(self, key, *values):
        self.items = [(key, value) for value in values]

    def __reduce__(self):
        return collections.OrderedDict, (), None, None, iter(self.items)


class Pickler(pickle.Pickler):
    def __init__(self, out, legacy):
        super().__init__(out, 2)
        self.legacy, self.storages = legacy, {}

    def persistent_id(self, item):
        if not isinstance(item, Storage):
            return None
        key = self.storages.setdefault(id(item), (str(len(self.storages)), item))[0]
        return ("storage", FLOATS, key, "cpu", len(item.values)) + ((None,) if self.legacy else ())


def torch_save(path, value, legacy=False):
    out = io.BytesIO()
    pickler = Pickler(out, legacy)
    pickler.dump(value)
    storages = list(pickler.storages.values())
    if not legacy:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("archive/data.pkl", out.getvalue())
            for key, storage in storages:
                archive.writestr("archive/data/" + key, base.encode(storage.values, "F32"))
        return
    with open(path, "wb") as file:
        for part in (0x1950a86a20f9469cfc6c, 1001, {"protocol_version": 1001, "little_endian": True}):
            pickle.dump(part, file, 2)
        file.write(out.getvalue())
        pickle.dump([key for key, _ in storages], file, 2)
        for _, storage in storages:
            file.write(len(storage.values).to_bytes(8, "little") + base.encode(storage.values, "F32"))


def state_dict(weights):
    out = collections.OrderedDict((name, Tensor(tensor)) for name, tensor in weights.items())
    out._metadata = collections.OrderedDict([("", {"version": 1})])
    return out


class TorchCheckpoints(Case):
    def setUp(self):
        super().setUp()
        self.golden = base.model()

    def run_on(self, golden, target, *options):
        done = subprocess.run([VERNIER, "compare", self.path(golden), self.path(target), "-o", self.path("out"), "-q",
                               *options], env=dict(os.environ, LC_ALL="C", NO_COLOR="1"), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        summary = None
        if os.path.exists(self.path("out/summary.json")):
            with open(self.path("out/summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
        return done.returncode, summary, (done.stderr + done.stdout).decode()

    def page(self):
        with open(self.path("out/index.html"), encoding="utf-8") as page:
            return html.unescape(page.read())

    def assert_same(self, golden, target, count=27):
        code, summary, text = self.run_on(golden, target)
        self.assertEqual(code, 0, text)
        self.assertEqual(summary["counts"]["same"], count, summary["verdict"])

    def test_a_state_dict_equals_the_same_weights_as_safetensors(self):
        for legacy in (False, True):
            torch_save(self.path("a.pt"), state_dict(self.golden), legacy)
            base.write_safetensors(self.path("b.safetensors"), self.golden)
            self.assert_same("a.pt", "b.safetensors")
            self.assert_same("b.safetensors", "a.pt")

    def test_a_weight_that_differs_is_named(self):
        target = dict(self.golden)
        target["lm_head.weight"] = base.moved(target["lm_head.weight"], 3)
        torch_save(self.path("a.pt"), state_dict(self.golden))
        torch_save(self.path("b.pt"), state_dict(target), legacy=True)
        code, summary, text = self.run_on("a.pt", "b.pt")
        self.assertEqual(code, 1, text)
        self.assertIn("26 of 27 weights equal bit for bit; lm_head.weight differs", summary["verdict"])

    def test_a_checkpoint_of_training_is_read_with_its_optimizer(self):
        norm = self.golden["model.norm.weight"]
        args = argparse.Namespace(lr=1e-4, model_type=Called(MODEL_TYPE, 1))
        nested = {"args": args, "iteration": 100, "rng_state": [{"random": (3, (1, 2 ** 31, 5), None)}],
                  "model": {"language_model": {"norm.weight": Tensor(norm)}},
                  "optimizer": {"state": {0: {"exp_avg": Tensor(norm), "step": 7}}, "param_groups": [{"lr": 1e-4}]}}
        torch_save(self.path("a.pt"), nested)
        torch_save(self.path("b.pt"), nested, legacy=True)
        self.assert_same("a.pt", "b.pt", 2)
        _, summary, _ = self.run_on("a.pt", "b.pt")
        self.assertEqual([w["golden"] for w in summary["weights"]],
                         ["language_model.norm.weight", "optimizer.state.0.exp_avg"])

    def test_optimizers_that_decay_other_parameters_are_told(self):
        vector, matrix = self.golden["model.norm.weight"], self.golden["lm_head.weight"]
        for name, groups in (("all.pt", [(0.1, [0, 1, 2])]), ("split.pt", [(0.1, [0]), (0.0, [1, 2])]), ("two.pt", [(0.1, [0]), (0, [1]), (0.0, [2])])):
            torch_save(self.path(name), {"optimizer": {
                "state": {i: {"exp_avg": Tensor(matrix if i == 0 else vector)} for i in range(3)},
                "param_groups": [{"lr": 1e-4, "weight_decay": decay, "params": params} for decay, params in groups]}})
        said = self.run_on("all.pt", "split.pt", "--format", "md")[2]
        with open(self.path("out/summary.md"), encoding="utf-8") as file:
            self.assertIn("the optimizers decay other parameters: golden 0.1 on 3 (2 of one dimension); target 0.1 on 1, 0 on 2 (2 of one dimension)",
                          file.read(), said)
        self.run_on("split.pt", "two.pt", "--format", "md")
        with open(self.path("out/summary.md"), encoding="utf-8") as file:
            self.assertNotIn("decay", file.read())

    def test_tied_weights_share_their_storage(self):
        embed = self.golden["model.embed_tokens.weight"]
        storage = Storage(embed.values)
        both = {"embed.weight": Tensor(embed, storage), "head.weight": Tensor(embed, storage),
                "row.weight": Tensor(base.Tensor([base.HIDDEN], []), storage, 3 * base.HIDDEN)}
        torch_save(self.path("a.pt"), both)
        base.write_safetensors(self.path("b.safetensors"), {
            "embed.weight": embed, "head.weight": embed,
            "row.weight": base.Tensor([base.HIDDEN], embed.rows()[3])})
        self.assert_same("a.pt", "b.safetensors", 3)

    def test_views_of_one_storage_read_its_bytes_once(self):
        """Each weight is a view of a flat buffer: read again for each it were 80 GB a side."""
        for name, first in (("a.pt", 0.5), ("b.pt", 0.75)):
            flat = Storage([first] * 80000 + [0.5] * 920000)
            torch_save(self.path(name), {"w%d" % i: Tensor(base.Tensor([4], []), flat, 4 * i) for i in range(20000)})
        with open(self.path("b.pt"), "r+b") as file:
            file.seek(file.read().index(struct.pack("<2f", 0.5, 0.5)))  # no view shows it
            file.write(b"x")
        began = os.times()
        code, summary, said = self.run_on("a.pt", "b.pt")
        ended = os.times()
        self.assertEqual((code, summary["partial"], summary["counts"]["error"]), (1, True, 20000), said)
        self.assertIn("'w0' is damaged: its bytes do not fit the checksum of the file", self.page())
        self.assertLess(ended.children_user + ended.children_system - began.children_user - began.children_system,
                        150 if EMULATED else 10)

    def test_of_a_weight_that_a_file_has_twice_the_last_counts(self):
        embed, other = self.golden["model.embed_tokens.weight"], self.golden["lm_head.weight"]
        torch_save(self.path("a.pt"), {"head.weight": Tensor(other)})
        torch_save(self.path("b.pt"), Twice("head.weight", Tensor(embed), Tensor(other)))
        code, summary, said = self.run_on("a.pt", "b.pt")
        self.assertEqual((code, summary["counts"]["same"]), (4, 1), said)
        self.assertIn("a weight is there twice", self.page())

    def test_a_long_tuple_is_a_value(self):
        """It lies whole on the stack of the pickle, which a list does not."""
        for name, last in (("a", 70000), ("b", 70000), ("c", 70001)):
            os.makedirs(self.path(name, "step0", "rank0"))
            torch_save(self.path(name, "step0", "rank0", "batch.pt"), {"ids": Tensor(self.golden["model.norm.weight"]), "seen": (*range(70000), last)})
        self.assertEqual([self.run_on("a", other)[0] for other in "bc"], [0, 1])

    def test_shards_of_a_checkpoint_are_one(self):
        os.makedirs(self.path("model"))
        names = list(self.golden)
        torch_save(self.path("model/pytorch_model-00001-of-00002.bin"), state_dict({n: self.golden[n] for n in names[:9]}))
        torch_save(self.path("model/pytorch_model-00002-of-00002.bin"), state_dict({n: self.golden[n] for n in names[9:]}))
        torch_save(self.path("model/optimizer.pt"), {"state": {0: Tensor(self.golden["model.norm.weight"])}})
        base.write_safetensors(self.path("b.safetensors"), self.golden)
        self.assert_same("model", "b.safetensors")

    def test_a_broken_shard_costs_its_own_weights(self):
        os.makedirs(self.path("model"))
        torch_save(self.path("model/1.bin"), state_dict(self.golden))
        with open(self.path("model/1.bin"), "rb") as file, open(self.path("model/2.bin"), "wb") as cut:
            cut.write(file.read()[:-100])
        base.write_safetensors(self.path("b.safetensors"), self.golden)
        code, summary, _ = self.run_on("model", "b.safetensors")
        self.assertEqual((code, summary["partial"], summary["counts"]["same"]), (4, True, 27))

    def test_a_kind_of_tensor_that_is_not_read_costs_itself(self):
        weights = state_dict({"a.weight": self.golden["model.norm.weight"]})
        weights["b.weight"] = Called(SPARSE, 1)
        torch_save(self.path("a.pt"), weights)
        for others in ("a.weight",), ("a.weight", "b.weight"):  # that the other side has it is no difference
            base.write_safetensors(self.path("b.safetensors"), {name: self.golden["model.norm.weight"] for name in others})
            code, summary, _ = self.run_on("a.pt", "b.safetensors")
            self.assertEqual((code, summary["counts"]["same"]), (4, 1), summary["verdict"])
            self.assertEqual("b.weight could not be read" in summary["verdict"], len(others) == 2)
        self.assertIn("unsupported tensor kind: _rebuild_sparse_tensor", self.page())

    def test_a_name_that_is_not_on_the_list_is_refused_with_what_to_do(self):
        torch_save(self.path("a.pt"), {"w.weight": Tensor(self.golden["model.norm.weight"]), "x": Called(UNKNOWN, 1)})
        code, _, text = self.run_on("a.pt", "a.pt")
        self.assertEqual(code, 3)
        self.assertIn("'somewhere.else_ run_me' is not on the list", text)
        self.assertIn("torch.save(model.state_dict(), FILE)", text)

    def test_dicts_that_hold_themselves_end(self):
        loop = {}
        loop["a"] = loop["b"] = loop
        torch_save(self.path("a.pt"), loop)
        code, _, text = self.run_on("a.pt", "a.pt")
        self.assertEqual(code, 3)
        self.assertIn("more dicts and lists than a checkpoint needs", text)

    def test_many_weights_are_read(self):
        many = {"layers.%d.experts.%d.weight" % (i // 100, i % 100): base.Tensor([1], [i]) for i in range(5000)}
        torch_save(self.path("a.pt"), state_dict(many))
        torch_save(self.path("b.pt"), state_dict(many), legacy=True)
        self.assert_same("a.pt", "b.pt", 5000)

    def test_batches_in_a_tree_are_compared_tensor_by_tensor(self):
        for side, value in (("golden", 7.0), ("target", 8.0)):
            for rank in (0, 1):
                os.makedirs(self.path("%s/step0/rank%d" % (side, rank)))
                labels = base.Tensor([4], [1, 2, 3, value if rank else 4])
                torch_save(self.path("%s/step0/rank%d/batch.pt" % (side, rank)),
                           {"input": {"ids": Tensor(base.Tensor([2], [5, 6]))}, "labels": Tensor(labels)}, legacy=rank == 1)
        code, summary, text = self.run_on("golden", "target", "--format", "json,csv")
        self.assertEqual(code, 1, text)
        self.assertIn("batch", summary["verdict"])
        for file in os.listdir(self.path("out")):
            if file.startswith("rows-step0-rank"):
                with open(self.path("out/" + file), encoding="utf-8") as rows:
                    self.assertIn("labels", rows.read())
        os.makedirs(self.path("flat"))
        shutil.copy(self.path("golden/step0/rank0/batch.pt"), self.path("flat/rank0.pt"))
        shutil.copy(self.path("golden/step0/rank1/batch.pt"), self.path("flat/rank1.pt"))
        code, summary, text = self.run_on("flat", "flat")
        self.assertEqual(code, 0, text)
        self.assertTrue(summary["verdict"].startswith("SAME"), summary["verdict"])

    def test_two_files_with_one_tensor_each_are_compared(self):
        norm, other = self.golden["model.norm.weight"], self.golden["lm_head.weight"]
        torch_save(self.path("a.pt"), Tensor(norm))
        base.write_npy(self.path("b.npy"), norm)
        self.assert_same("a.pt", "b.npy", 1)
        torch_save(self.path("a.pt"), {"logits": Tensor(other)})
        torch_save(self.path("b.pt"), {"logits": Tensor(base.moved(other, 1))})
        code, summary, _ = self.run_on("a.pt", "b.pt")
        self.assertEqual((code, summary["weights"][0]["golden"]), (1, "logits"))

    def test_with_rules_of_dumps_a_state_dict_is_a_dump_of_its_weights(self):
        torch_save(self.path("a.pt"), state_dict(self.golden))
        base.write_safetensors(self.path("b.safetensors"), self.golden)
        code, summary, text = self.run_on("a.pt", "b.safetensors", "--rules", "vernier")
        self.assertEqual(code, 0, text)
        self.assertTrue(summary["verdict"].startswith("SAME"), summary["verdict"])


if __name__ == "__main__":
    main()
