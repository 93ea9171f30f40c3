#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hooks of samples/hooks on PyTorch, where a machine has it: what they record, of models of the kinds that people have."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import Case, SAMPLES, main, run

HOOKS = os.path.join(SAMPLES, "hooks")


def has_torch(python):
    return subprocess.run([python, "-c", "import torch, numpy"], stderr=subprocess.DEVNULL).returncode == 0


TORCH = next((p for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p) and has_torch(p)), None)

MODELS = '''
import collections, sys
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch_hook import Dump
kinds, out = sys.argv[1].split(","), sys.argv[2]
Pair = collections.namedtuple("Pair", "a b")

class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(4, 4)
    def forward(self, hidden, attention_mask=None):
        return {"hidden": self.w(hidden) * attention_mask, "all": [Pair(hidden, (hidden * 2,))]}

class Keyword(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()
    def forward(self, x, mask):
        return self.attn(hidden=x, attention_mask=mask)["hidden"]

class InPlace(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.up, self.act, self.scale = nn.Linear(4, 4), nn.ReLU(inplace=True), scale
        forward = self.act.__class__.forward
        class Act(nn.ReLU):
            def forward(act, x):
                return forward(act, x).mul_(scale)
        self.act.__class__ = Act
    def forward(self, x):
        return self.act(self.up(x))

class Recurrent(nn.Module):
    def __init__(self, scale):
        super().__init__()
        class Scaled(nn.LSTM):
            def forward(lstm, x):
                y, (h, c) = nn.LSTM.forward(lstm, x)
                return y, (h, c * scale)
        self.lstm, self.h = nn.LSTM(4, 4), nn.Linear(4, 4)
        self.lstm.__class__ = Scaled
    def forward(self, x):
        return self.h(self.lstm(x)[1][1])

class Failing(nn.Module):
    def __init__(self):
        super().__init__()
        self.bad, self.good = nn.Linear(3, 3), nn.Linear(4, 4)
    def forward(self, x):
        try:
            self.bad(x)
        except RuntimeError:
            pass
        return self.good(x)

class Odd(nn.Module):
    def forward(self, x, *rest, **more):
        return x, None, torch.Size([2]), [], x.to_sparse(), torch.ones(2, dtype=torch.complex64), torch.empty(0)

class Saved(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x)
        return x

def x():
    return torch.arange(8.).reshape(2, 4).requires_grad_()

for kind in kinds:
    print("==", kind, file=sys.stderr)
    for side, scale in (("golden", 1.0), ("target", 1.01)):
        torch.manual_seed(1)
        model = {"keyword": Keyword, "in-place": lambda: InPlace(scale), "lstm": lambda: Recurrent(scale), "failing": Failing, "odd": Odd,
                 "checkpoint": Saved, "full": Failing}[kind]()
        before = dict(model.__dict__)
        if kind == "full":
            side = side + "/is/a/file"
        with Dump(out + "/" + kind + "/" + side, model) as dump:
            if kind == "keyword":
                model(x(), mask=torch.full((4,), scale))
            elif kind == "odd":
                loop = []
                loop.append(loop)
                class Broken(dict):
                    def items(self):
                        raise ValueError("no items")
                model(x(), loop, Broken(), flag=True, text="relu", shape=torch.Size([1]), other=object())
            else:
                y = model(x())
                if kind != "in-place":
                    y.sum().backward()
        assert model.__dict__ == before, "a hook stayed"
        model(x()) if kind != "keyword" else None
'''


@unittest.skipUnless(TORCH, "no torch here")
class Hooks(Case):
    @classmethod
    def setUpClass(cls):
        """All models in one process: it is torch that takes its time."""
        cls.all, cls.said = tempfile.mkdtemp(), {}
        script = os.path.join(cls.all, "models.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(MODELS)
        for side in ("golden", "target"):
            os.makedirs(os.path.join(cls.all, "full"), exist_ok=True)
            open(os.path.join(cls.all, "full", side), "w").close()
        kinds = "keyword,in-place,lstm,failing,odd,checkpoint,full"
        done = subprocess.run([TORCH, "-W", "ignore", script, kinds, cls.all], env=dict(os.environ, PYTHONPATH=HOOKS),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.stderr.decode()
        assert done.returncode == 0, said
        for part in said.split("== ")[1:]:
            kind, _, text = part.partition("\n")
            cls.said[kind] = text

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.all)

    def record(self, kind):
        if not os.path.exists(self.path(kind)):
            shutil.copytree(os.path.join(self.all, kind), self.path(kind))
        return self.said[kind]

    def lines(self, kind, side="golden"):
        with open(self.path(kind, side, "step0/rank0/dump.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def slots(self, kind, op):
        return ["%s.%s" % (line["io"], line["slot"]) for line in self.lines(kind) if line.get("op") == op]

    def compare(self, kind):
        return run("compare", self.path(kind, "golden"), self.path(kind, "target"), "-o", self.out)

    def test_keyword_inputs_are_inputs(self):
        self.record("keyword")
        self.assertEqual(self.slots("keyword", "Keyword.attn"),
                         ["input.hidden", "input.attention_mask", "output.0.hidden", "output.0.all.0.0", "output.0.all.0.1.0"])
        _, _, said = self.compare("keyword")
        self.assertIn("input.attention_mask differs", said)
        self.assertNotIn("inputs agree", said)

    def test_inputs_are_those_before_the_call(self):
        self.record("in-place")
        _, _, said = self.compare("in-place")
        self.assertIn("DIVERGES  at InPlace.act", said)
        self.assertIn(": inputs agree", said)

    def test_inputs_are_said_to_agree_where_the_header_says_that_all_are_recorded(self):
        self.record("in-place")
        for side, inputs, want in (("golden", ["positional", "keyword"], ": inputs agree"), ("golden", ["positional"], ": recorded inputs agree"),
                                   ("target", None, ": recorded inputs agree"), ("golden", ["positional", "keyword"], ": recorded inputs agree")):
            path = self.path("in-place", side, "step0/rank0/dump.jsonl")
            with open(path, encoding="utf-8") as file:
                header, rest = file.read().split("\n", 1)
            header = json.loads(header)
            header["recorded"].pop("inputs", None)
            header["recorded"].update({"inputs": inputs} if inputs else {})
            self.write(path, json.dumps(header) + "\n" + rest)
            self.assertIn(want, self.compare("in-place")[2])

    def test_nested_outputs_are_outputs(self):
        self.record("lstm")
        self.assertEqual(self.slots("lstm", "Recurrent.lstm")[-3:], ["output.0", "output.1.0", "output.1.1"])
        _, _, said = self.compare("lstm")
        self.assertIn("DIVERGES  at Recurrent.lstm", said)
        self.assertIn("output.1.1 differs by", said)

    def test_an_exception_within_leaves_the_parents_right(self):
        self.record("failing")
        parents = {line["op"]: line["parent"] for line in self.lines("failing")[1:]}
        self.assertEqual(parents, {"Failing.bad": "Failing", "Failing.good": "Failing", "Failing": None})
        self.assertEqual(self.compare("failing")[0], 0)

    def test_recomputation_is_a_call_of_its_own_below_nothing(self):
        self.record("checkpoint")
        again = [line for line in self.lines("checkpoint")[1:] if line["op"] == "Saved.blocks.0" and line["io"] == "output"]
        self.assertEqual([(line["call"], line["parent"]) for line in again], [(0, "Saved"), (1, None)])
        self.assertEqual(self.compare("checkpoint")[0], 0)

    def test_what_cannot_be_written_costs_itself_and_is_told(self):
        said = self.record("odd")
        self.assertIn("no items", said)
        self.assertLess(said.count("\n"), 6)
        slots = self.slots("odd", "Odd")
        for slot in ("input.flag", "input.text", "output.0", "output.4", "output.5", "output.6"):
            self.assertIn(slot, slots)
        code, _, said = self.compare("odd")
        self.assertEqual(code, 4, said)

    def test_a_folder_that_cannot_be_made_stops_no_training(self):
        self.assertIn("torch_hook: not written: NotADirectoryError", self.record("full"))

    def test_one_transfer_a_tensor_and_none_in_float64_on_a_device_without_it(self):
        script = self.write("device.py", '''
import torch, torch_hook
taken = []
tolist, double = torch.Tensor.tolist, torch.Tensor.double
class Without(torch.Tensor):
    def double(self):
        raise TypeError("no float64 here")
    def cpu(self):
        return self.as_subclass(torch.Tensor)
torch.Tensor.tolist = lambda self: taken.append(1) or tolist(self)
torch.Tensor.item = None
values = torch_hook.statistics(torch.arange(4.).as_subclass(Without))
assert (values["max"], values["min"], values["mean"]) == (3.0, 0.0, 1.5) and abs(values["norm"] - 14 ** 0.5) < 1e-15, values
assert len(taken) == 1
''')
        subprocess.run([TORCH, script], env=dict(os.environ, PYTHONPATH=HOOKS), check=True)


RANK = '''
import os, sys
import torch, torch.distributed as dist
from torch import nn
from torch.distributed import all_reduce as summed, all_gather
from torch_check_hook import CheckDump
rank, out, port = int(sys.argv[1]), sys.argv[2], sys.argv[3]
dist.init_process_group("gloo", init_method="file://" + port, rank=rank, world_size=2)
torch.manual_seed(0)
model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.Tanh()))
with CheckDump(out, model, rank=rank, backward=True):
    model(torch.full((2, 4), 1.0 + rank)).sum().backward()
    one = torch.full((3,), 1.0 + rank)
    dist.all_reduce(tensor=one, op=dist.ReduceOp.SUM)
    summed(one)
    work = dist.all_reduce(one, async_op=True)
    work.wait()
    parts = [torch.zeros(3), torch.zeros(3)]
    all_gather(parts, one)
    both = torch.zeros(3)
    dist.send(tensor=one, dst=1) if rank == 0 else dist.recv(both, 0)
    dist.all_gather_object([None, None], {"rank": rank})
    try:
        dist.all_reduce("no tensor")
    except Exception as error:
        print(type(error).__name__)
assert dist.all_reduce is summed
dist.all_reduce(one)
'''


@unittest.skipUnless(TORCH, "no torch here")
class Collectives(Case):
    def test_calls_of_any_kind_are_recorded_in_each_of_two_processes(self):
        script = self.write("rank.py", RANK)
        ranks = [subprocess.Popen([TORCH, "-W", "ignore", script, str(rank), self.out, self.path("meeting")],
                                  env=dict(os.environ, PYTHONPATH=HOOKS), stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in (0, 1)]
        for rank, process in enumerate(ranks):
            _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, said.decode())
            with open(os.path.join(self.out, "step0/rank%d/dump.jsonl" % rank), encoding="utf-8") as file:
                lines = [json.loads(line) for line in file][1:]
            calls = {}
            for line in lines:
                if line.get("op", "").startswith("Distributed"):
                    calls.setdefault(line["op"][12:-8], {})[line["io"] + "." + line["slot"]] = line
            for call, (before, after) in enumerate(((1.0 + rank, 3.0), (3.0, 6.0), (6.0, 12.0))):
                reduced = calls["all_reduce.%d" % call]
                self.assertEqual((reduced["input.0"]["max"], reduced["output.0"]["max"]), (before, after))
                self.assertEqual(reduced["input.group"]["value"], "[0, 1]")
            self.assertIn("input.op", calls["all_reduce.0"])
            self.assertEqual(calls["all_gather.0"]["output.1"]["max"], 12.0)
            self.assertEqual(calls["send.0" if rank == 0 else "recv.0"]["output.0"]["max"], 12.0)
            self.assertEqual({line["slot"] for line in lines if line.get("io") == "grad"}, {"weight", "bias"})


if __name__ == "__main__":
    main()
