#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dumps of real training runs in PyTorch, clean or with one real mistake in the program, written by samples/hooks/torch_check_hook.py:
record_defects.py OUT [NAME...]       every run of RUNS, or those that are named, into OUT/NAME
record_defects.py --pack OUT FILE     all of them as one archive, tests/defects/recorded.tar.xz

A small model on 1, 2 or 4 processes with gloo: data, tensor, pipeline and sequence parallelism by hand, as Megatron does it.
Needs torch (Debian: python3-torch)."""
import contextlib
import io
import os
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
HIDDEN, WORDS, TOKENS, LAYERS, RATE = 8, 16, 6, 2, 0.05

# Name, where its class is from, layout, the invariant that finds it (or None) and what is wrong.
RUNS = [
    ("no-all-reduce", "TTrace missing communication", "tp=2", "tp-norms", "the row-parallel layer forgets its all_reduce"),
    ("tp-gradient", "TTrace missing communication", "tp=2", "tensor-copies", "the column-parallel layer forgets the all_reduce of its backward"),
    ("wrong-shard", "TTrace wrong shard", "tp=2", None, "rank 1 loads the shard of rank 0 into one layer"),
    ("sequence-norms", "TrainCheck deepspeed-1801; TTrace sequence parallelism", "tp=2,sp", "tensor-copies", "gradients of norms are not reduced under sequence parallelism"),
    ("one-gradient", "TTrace missing communication; TrainCheck DDP out of sync", "dp=2", "replicas", "one gradient is not reduced over the copies"),
    ("wrong-group", "TTrace wrong group", "dp=4", "replicas", "gradients are reduced over half of the copies"),
    ("no-broadcast", "TrainCheck DDP out of sync", "dp=2", "replicas", "weights are not broadcast at the start"),
    ("forward-bypassed", "TrainCheck DDP out of sync", "dp=2", "replicas", "the wrapper is bypassed: nothing is reduced"),
    ("scale-one-rank", "TTrace wrong scaling over DP", "dp=2", "replicas", "one rank does not divide the reduced gradients"),
    ("scale-all-ranks", "TTrace wrong scaling over DP", "dp=2", None, "no rank divides the reduced gradients"),
    ("micro-batch-scale", "TTrace wrong scaling over micro batches", "micro=2", None, "the loss is not divided by the number of micro batches"),
    ("untied", "TTrace untied embeddings", "pp=2", "tied-embeddings", "embedding and head do not share their gradients"),
    ("stale-receive", "TTrace wrong communication between stages", "pp=2", None, "a stage works on the buffer before it arrived"),
    ("stage-division", "TTrace wrong stage division", "pp=2", None, "the last layer is on no stage"),
    ("stale-weight", "TTrace stale parameter", "one", "updates", "the optimizer has no entry for one weight"),
    ("wrong-recompute", "TTrace wrong recompute input", "one", None, "the backward runs on a changed activation"),
    ("model-replaced", "TrainCheck optimizer built before the model moved", "one", None, "the optimizer holds the weights of a model that is gone"),
    ("zero-grad-forgotten", "TrainCheck zero_grad forgotten", "one", "bias-gradients", "gradients add up from step to step"),
    ("rate-zero", "TrainCheck scheduler never steps", "one", "updates", "the learning rate stays 0"),
    ("optimizer-stops", "TrainCheck optimizer stops", "one", "updates", "the optimizer does nothing any more; dumped from there on"),
    ("not-frozen", "TrainCheck frozen weight trained", "one", None, "weights that were to be frozen are trained"),
    ("lost-result", "TrainCheck data lost between ranks", "dp=2", "collective-results", "what one all_reduce brought is zeroed on one rank"),
    ("lost-transfer", "TrainCheck data lost between ranks", "pp=2", "transfers", "what one receive brought is zeroed"),
    ("same-data", "TrainCheck sampler without rank", "dp=2", "dp-inputs", "all copies get the same batch"),
    ("repeated-batch", "TrainCheck sampler without epoch", "one", "step-inputs", "every step gets the same batch"),
    ("detached", "TrainCheck loss does not reach a weight", "one", "gradients", "an activation is detached"),
    ("norm-dtype", "TrainCheck autocast on one rank", "dp=2", "dtypes", "one rank runs a norm in bfloat16"),
    ("frozen-moves", "TrainCheck frozen weight trained", "one", "frozen", "the optimizer decays one of several frozen weights"),
    ("tp-tokens", "usual", "tp=2", "tp-inputs", "tensor-parallel ranks draw other tokens"),
    ("nan", "usual", "one", "finite", "a logarithm of a negative number"),
]
CLEAN = ["one", "micro=2", "dp=2", "dp=4", "tp=2", "tp=2,sp", "pp=2"]


# Errors that contradict nothing but what was meant, of the model of record_meant or of a run above: name, where its class is from, the run
# without it, what is declared of both (--expect), the invariant that finds it and what is wrong.
MEANT = [
    ("not-frozen", "TrainCheck mmpretrain-702", "clean-one", ["frozen=scale.*|shift.*|angle.*"], "expect-frozen", "weights that were to be frozen are trained"),
    ("model-replaced", "TrainCheck optimizer built before the model moved", "clean-one", ["trained=layers.*"], "expect-trained", "the optimizer holds the weights of a model that is gone"),
    ("meant-norms-only", "TrainCheck pytorch-forum-84911", "meant-clean", ["trained=*"], "expect-trained", "all but norms are frozen"),
    ("meant-no-autocast", "TrainCheck lightning-thunder-725", "meant-clean", ["compute=bfloat16"], "expect-compute", "autocast is not applied"),
    ("meant-init", "TrainCheck transformers-17877", "meant-clean", ["init=*.weight=0.2", "init=norm.weight=0,1"], "expect-init", "a weight is left out when weights are set up"),
    ("meant-batch", "TrainCheck transformers-34204", "meant-clean", ["batch=4", "batch=*patch*=4"], "expect-batch", "a batch holds fewer samples of text than of pictures"),
    ("meant-length", "TrainCheck transformers-23723", "meant-clean", ["length=9"], "expect-length", "more tokens are generated than allowed"),
    ("meant-length", "TrainCheck transformers-23723", "meant-clean", ["generated=3"], "expect-generated", "more tokens are generated than allowed"),
]

# The configuration that stands beside each of them and its run without the error, as its trainer writes it: files and their text.
TRAINER = """model_name_or_path: small
stage: pt
finetuning_type: full
bf16: true
per_device_train_batch_size: 4
gradient_accumulation_steps: 1
learning_rate: 0.05
cutoff_len: 16
"""
MODEL = """{
  "model_type": "small", "hidden_size": 8, "vocab_size": 16, "num_hidden_layers": 1, "initializer_range": 0.2, "torch_dtype": "float32"
}
"""
GENERATION = """{"do_sample": false, "max_new_tokens": 3}
"""
CONFIGS = {
    "not-frozen": {"train.yaml": "train:\n  bf16: false\n  freeze_modules: [scale, shift, angle]\n"},
    "meant": {"train.yaml": TRAINER, "config.json": MODEL, "generation_config.json": GENERATION},
}


def configs_of(name):
    """Of a run of MEANT; none where its trainer writes nothing that tells."""
    return CONFIGS.get("meant" if name.startswith("meant") else name, {})


def numbers_of(layout):
    words = dict(part.split("=") if "=" in part else (part, "1") for part in layout.split(",") if part != "one")
    return {name: int(words.get(name, 1)) for name in ("tp", "dp", "pp", "micro")}, "sp" in words


def worker(rank, out, defect, layout, port):
    """One process of a run."""
    import torch
    import torch.distributed as dist
    sys.path.insert(0, os.path.join(HERE, "..", "..", "samples", "hooks"))
    from torch_check_hook import CheckDump
    size, sequence = numbers_of(layout)
    world = size["tp"] * size["dp"] * size["pp"]
    torch.set_num_threads(1)
    torch.manual_seed(7)
    if world > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
        dist.init_process_group("gloo", rank=rank, world_size=world)
    halves = [dist.new_group([0, 1]), dist.new_group([2, 3])] if defect == "wrong-group" else None
    tp, stage = rank % size["tp"] if size["tp"] > 1 else 0, rank if size["pp"] > 1 else 0
    split = size["tp"]
    gen = torch.Generator().manual_seed(7 + (rank if defect == "no-broadcast" else 0))

    def numbers(*shape, scale=.3):
        return torch.nn.Parameter(torch.randn(*shape, generator=gen) * scale)

    class Copy(torch.autograd.Function):
        """Identity forward, all_reduce backward: in front of column-parallel layers."""
        @staticmethod
        def forward(_, x):
            return x

        @staticmethod
        def backward(_, grad):
            if split > 1 and defect != "tp-gradient":
                grad = grad.clone()
                dist.all_reduce(grad)
            return grad

    class Reduce(torch.autograd.Function):
        """all_reduce forward, identity backward: behind row-parallel layers."""
        @staticmethod
        def forward(_, x, skip):
            x = x.clone()
            if split > 1 and not skip:
                dist.all_reduce(x)
            return x

        @staticmethod
        def backward(_, grad):
            return grad, None

    class Scatter(torch.autograd.Function):
        """Its own part of a sequence; backward all parts."""
        @staticmethod
        def forward(_, x):
            return x.chunk(split)[tp].clone()

        @staticmethod
        def backward(_, grad):
            parts = [torch.empty_like(grad) for _ in range(split)]
            dist.all_gather(parts, grad.contiguous())
            return torch.cat(parts)

    class Gather(torch.autograd.Function):
        """The parts of a sequence, one after the other; backward its own part."""
        @staticmethod
        def forward(_, x):
            parts = [torch.empty_like(x) for _ in range(split)]
            dist.all_gather(parts, x.contiguous())
            return torch.cat(parts)

        @staticmethod
        def backward(_, grad):
            return grad.chunk(split)[tp]

    class ColumnLinear(torch.nn.Linear):
        pass

    class RowLinear(torch.nn.Linear):
        def forward(self, x):
            return torch.nn.functional.linear(x, self.weight)

    class LayerNorm(torch.nn.LayerNorm):
        def forward(self, x):
            out = super().forward(x)
            return out.bfloat16() if self.half else out

    class Block(torch.nn.Module):
        def __init__(self, index):
            super().__init__()
            width = 2 * HIDDEN // split
            self.index, self.saved = index, None
            self.norm = LayerNorm(HIDDEN)
            self.norm.half = defect == "norm-dtype" and rank == 1 and index == 0
            up, bias, down = numbers(2 * HIDDEN, HIDDEN), numbers(2 * HIDDEN), numbers(HIDDEN, 2 * HIDDEN)
            self.up = (ColumnLinear if split > 1 else torch.nn.Linear)(HIDDEN, width)
            self.down = (RowLinear if split > 1 else torch.nn.Linear)(width, HIDDEN, bias=split == 1)
            at = 0 if defect == "wrong-shard" and index == 1 else tp
            with torch.no_grad():
                self.up.weight.copy_(up.chunk(split)[at])
                self.up.bias.copy_(bias.chunk(split)[at])
                self.down.weight.copy_(down.chunk(split, 1)[at])

        def forward(self, x):
            part = Scatter.apply(x) if sequence else x
            normed = self.norm(part).float()
            normed = Gather.apply(normed) if sequence else normed
            inner = torch.tanh(self.up(Copy.apply(normed)))
            if defect == "detached" and self.index == 1:
                inner = inner.detach()
            if defect == "nan" and self.index == 1:
                inner = inner.log()
            if defect == "wrong-recompute" and self.index == 1:
                inner = inner + (inner * 0.5 - (inner * 0.5).detach())  # forward as ever, backward half as much again
            return x + Reduce.apply(self.down(inner), defect == "no-all-reduce" and self.index == 0)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            words = numbers(WORDS, HIDDEN)
            blocks = [Block(i) for i in range(LAYERS)]
            for name in ("scale", "shift", "angle"):
                module = torch.nn.Module()
                module.weight = torch.nn.Parameter(torch.randn(HIDDEN, generator=gen) * .1, requires_grad=defect == "not-frozen")
                module.forward = lambda x, m=module: x + m.weight
                setattr(self, name, module)
            each = LAYERS // size["pp"]
            mine = blocks[stage * each:(stage + 1) * each]
            if defect == "stage-division" and stage == size["pp"] - 1:
                mine = mine[:-1]
            self.layers = torch.nn.ModuleList(mine)
            if stage == 0:
                self.word_embeddings = torch.nn.Embedding(WORDS, HIDDEN)
                self.word_embeddings.weight = torch.nn.Parameter(words.detach().clone())
            if stage == size["pp"] - 1:
                self.output_layer = torch.nn.Linear(HIDDEN, WORDS, bias=False)
                self.output_layer.weight = self.word_embeddings.weight if size["pp"] == 1 else torch.nn.Parameter(words.detach().clone())

        def forward(self, ids, hidden):
            if stage == 0:
                hidden = self.angle(self.shift(self.scale(self.word_embeddings(ids))))
            for block in self.layers:
                hidden = block(hidden)
            return self.output_layer(hidden) if stage == size["pp"] - 1 else hidden

    def lose(name):
        """What the second step's first call brings gets lost, as it does over a bad link."""
        plain, lost = getattr(dist, name), []

        def call(value, *arguments, **named):
            out = plain(value, *arguments, **named)
            if rank == 1 and now and not lost:
                lost.append(value.zero_())
            return out
        setattr(dist, name, call)

    def batch(step, micro):
        where = 0 if size["pp"] > 1 or size["tp"] > 1 or defect == "same-data" else rank
        step = 0 if defect == "repeated-batch" else step
        seed = 1000 * step + 10 * micro + where + (500 * tp if defect == "tp-tokens" else 0)
        return torch.randint(WORDS, (TOKENS + 1,), generator=torch.Generator().manual_seed(seed))

    def forward_backward(model, tokens):
        """One micro batch through all stages."""
        ids, labels, hidden = tokens[:-1], tokens[1:], None
        if size["pp"] > 1 and stage > 0:
            hidden = torch.full((TOKENS, HIDDEN), .25)
            dist.recv(hidden, stage - 1)
            if defect == "stale-receive":
                hidden = torch.full((TOKENS, HIDDEN), .25)
            hidden.requires_grad_()
        given = hidden
        hidden = model(ids, hidden)
        if stage == size["pp"] - 1:
            loss = torch.nn.functional.cross_entropy(hidden, labels)
            (loss if defect == "micro-batch-scale" else loss / size["micro"]).backward()
            if given is not None:
                dist.send(given.grad, stage - 1)
        else:
            dist.send(hidden.detach(), stage + 1)
            grad = torch.empty(TOKENS, HIDDEN)
            dist.recv(grad, stage + 1)
            hidden.backward(grad)

    def reduce(model):
        for name, value in model.named_parameters():
            if value.grad is None:
                continue
            if size["dp"] > 1 and defect != "forward-bypassed" and not (defect == "one-gradient" and "layers.0.up.weight" in name):
                dist.all_reduce(value.grad, group=halves[rank // 2] if halves else None)
                if defect != "scale-all-ranks" and not (defect == "scale-one-rank" and rank):
                    value.grad /= 2 if halves else size["dp"]
            if sequence and "norm" in name and defect != "sequence-norms":
                dist.all_reduce(value.grad)
            if size["pp"] > 1 and ("embed" in name or "output" in name) and defect != "untied":
                dist.all_reduce(value.grad)

    model = Model()
    trained = [value for name, value in model.named_parameters() if value.requires_grad and not (defect == "stale-weight" and name == "layers.0.up.weight")]
    optimizer = torch.optim.SGD(trained, lr=0.0 if defect == "rate-zero" else RATE)
    if defect == "model-replaced":
        before = model.state_dict()
        model = Model()
        model.load_state_dict(before)
    now = 0
    if defect.startswith("lost"):
        lose("recv" if defect == "lost-transfer" else "all_reduce")
    first = 2 if defect == "optimizer-stops" else 0
    for step in range(first + 3):
        now = step
        with contextlib.nullcontext() if step < first else CheckDump(out, model, step=step, rank=rank, backward=True):
            for micro in range(size["micro"]):
                forward_backward(model, batch(step, micro))
            reduce(model)
        if step < 2 or defect != "optimizer-stops":
            optimizer.step()
        if defect == "frozen-moves":
            model.scale.weight.data *= .99
        if defect != "zero-grad-forgotten":
            optimizer.zero_grad()
    if world > 1:
        dist.barrier()
        dist.destroy_process_group()


def record(out, name, layout, port):
    import torch.multiprocessing as multiprocessing
    size, _ = numbers_of(layout)
    world = size["tp"] * size["dp"] * size["pp"]
    multiprocessing.spawn(worker, (os.path.join(out, name), "" if name.startswith("clean") else name, layout, port), nprocs=world)


# One step of a model with four experts, its tokens and experts spread over ranks: name, the experts of each rank, whether one is wrong.
SPREAD = [("spread-one", [[0, 1, 2, 3]], False), ("spread-dp=2", [[0, 1, 2, 3]] * 2, False), ("spread-dp=4", [[0, 1, 2, 3]] * 4, False),
          ("spread-ep=2", [[0, 1], [2, 3]], False), ("spread-ep=2-wrong", [[0, 1], [2, 3]], True)]


def record_spread(out, held, wrong):
    """The ranks step by step in one process: tokens of all go to the rank that has their expert. Each takes the mean of its own losses."""
    import torch
    sys.path.insert(0, os.path.join(HERE, "..", "..", "samples", "hooks"))
    from torch_hook import Dump
    torch.set_num_threads(1)

    class Expert(torch.nn.Module):
        def __init__(self, number):
            super().__init__()
            self.up, self.down = torch.nn.Linear(HIDDEN, 2 * HIDDEN), torch.nn.Linear(2 * HIDDEN, HIDDEN)
            self.scale = 1.01 if wrong and number == 3 else 1

        def forward(self, x):
            return self.down(torch.relu(self.up(x))) * self.scale

    class Model(torch.nn.Module):
        def __init__(self, mine):
            super().__init__()
            torch.manual_seed(7)
            self.embed, self.norm = torch.nn.Embedding(WORDS, HIDDEN), torch.nn.LayerNorm(HIDDEN)
            self.gate, self.head = torch.nn.Linear(HIDDEN, 4, bias=False), torch.nn.Linear(HIDDEN, WORDS)
            experts = [Expert(number) for number in range(4)]
            self.experts = torch.nn.ModuleList(experts[number] for number in mine)

    models = [Model(mine) for mine in held]
    tokens = torch.randint(WORDS, (24,), generator=torch.Generator().manual_seed(7))
    parts, targets = tokens.chunk(len(held)), tokens.roll(-1).chunk(len(held))
    with contextlib.ExitStack() as dumps:
        for rank, model in enumerate(models):
            dumps.enter_context(Dump(out, model, step=0, rank=rank, backward=True))
        hidden = [model.norm(model.embed(part)) for model, part in zip(models, parts)]
        chosen = [model.gate(x).argmax(-1) for model, x in zip(models, hidden)]
        mixed = [x.clone() for x in hidden]
        owners = [[rank] for rank in range(len(held))] if len(held[0]) == 4 else [range(len(held))]
        for ranks in owners:
            for number in range(4):
                owner = next(rank for rank in ranks if number in held[rank])
                given = torch.cat([hidden[rank][chosen[rank] == number] for rank in ranks])
                if not len(given):
                    continue
                done = models[owner].experts[held[owner].index(number)](given)
                for rank in ranks:
                    at = (chosen[rank] == number).nonzero()[:, 0]
                    mixed[rank], done = mixed[rank].index_add(0, at, done[:len(at)]), done[len(at):]
        losses = [torch.nn.functional.cross_entropy(model.head(x), target) for model, x, target in zip(models, mixed, targets)]
        sum(losses).backward()


def record_meant(out, defect):
    """Pictures and text under autocast, two steps, then three tokens more are generated: a run in which all that is declared holds, or one."""
    import torch
    sys.path.insert(0, os.path.join(HERE, "..", "..", "samples", "hooks"))
    from torch_check_hook import CheckDump
    torch.set_num_threads(1)
    torch.manual_seed(7)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.embed = torch.nn.Conv2d(3, HIDDEN, 2, 2, bias=False), torch.nn.Embedding(WORDS, HIDDEN)
            self.norm = torch.nn.LayerNorm(HIDDEN, elementwise_affine=True)
            self.up, self.head = torch.nn.Linear(HIDDEN, 2 * HIDDEN, bias=False), torch.nn.Linear(2 * HIDDEN, WORDS, bias=False)
            for value in (self.patch.weight, self.embed.weight, self.up.weight, self.head.weight):
                if defect != "meant-init" or value is not self.head.weight:  # it is left as its module made it
                    torch.nn.init.normal_(value, std=0.2)

        def forward(self, pictures, ids):
            seen = self.patch(pictures).flatten(2).mean(2).float()[:len(ids), None]
            return self.head(torch.tanh(self.up(self.norm(self.embed(ids) + seen))))

    model = Model()
    for name, value in model.named_parameters():
        value.requires_grad_(defect != "meant-norms-only" or "norm" in name)
    optimizer = torch.optim.SGD([value for value in model.parameters() if value.requires_grad], lr=RATE)
    cast = lambda: torch.autocast("cpu", dtype=torch.bfloat16, enabled=defect != "meant-no-autocast")
    for step in range(2):
        ids = torch.randint(WORDS, (3 if defect == "meant-batch" else 4, TOKENS + 1))
        with CheckDump(out, model, step=step, rank=0, backward=True), cast():
            logits = model(torch.randn(4, 3, 4, 4), ids[:, :-1])
            torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()
    pictures, ids = torch.randn(4, 3, 4, 4), ids[:1].repeat(4, 1)
    with CheckDump(out, model, step=2, rank=0), torch.no_grad(), cast():
        for _ in range(5 if defect == "meant-length" else 3):
            ids = torch.cat([ids, model(pictures, ids)[:, -1].argmax(-1)[:, None]], 1)


def all_runs():
    for layout in CLEAN:
        yield "clean-" + layout, layout
    for name, _, layout, _, _ in RUNS:
        yield name, layout


def pack(out, path):
    """One archive, the same bytes of the same dumps."""
    with tarfile.open(path, "w:xz") as archive:
        for at, folders, names in os.walk(out):
            folders.sort()
            for name in sorted(names):
                with open(os.path.join(at, name), "rb") as file:
                    data = file.read()
                entry = tarfile.TarInfo(os.path.relpath(os.path.join(at, name), out))
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--pack":
        pack(sys.argv[2], sys.argv[3])
    elif len(sys.argv) < 2:
        sys.exit(__doc__)
    else:
        for number, (run, shape) in enumerate(all_runs()):
            if len(sys.argv) == 2 or run in sys.argv[2:]:
                record(sys.argv[1], run, shape, 29500 + number)
        for run, experts, broken in SPREAD:
            if len(sys.argv) == 2 or run in sys.argv[2:]:
                record_spread(os.path.join(sys.argv[1], run), experts, broken)
        for run in ["meant-clean"] + [row[0] for row in MEANT if row[0].startswith("meant")]:
            if len(sys.argv) == 2 or run in sys.argv[2:]:
                record_meant(os.path.join(sys.argv[1], run), run)
