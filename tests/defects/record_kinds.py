#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dumps of small training runs of many kinds in PyTorch, clean or with one mistake, by samples/hooks/torch_check_hook.py:
record_kinds.py OUT [NAME...]       every run, or those that are named (a kind, or kind+mistake), into OUT/NAME
Needs torch (Debian: python3-torch)."""
import contextlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "samples", "hooks"))
WIDTH, WORDS, BATCH, TOKENS, CLASSES = 16, 32, 4, 6, 5

try:
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn import functional
    from torch.utils.checkpoint import checkpoint
    from torch_check_hook import CheckDump
except ImportError:  # the lists below are read without it
    torch = None

# Kind, number of ranks, mistakes with the invariant that is meant for each.
KINDS = {}

# Kinds without a mistake of which check says that something is broken, and the invariant: no dump tells them from a run with it.
KNOWN = {"micro-of-one": "updates"}


def kind(ranks=1, **mistakes):
    def add(function):
        KINDS[function.__name__.replace("_", "-")] = (function, ranks, {name.replace("_", "-"): law for name, law in mistakes.items()})
        return function
    return add


class Run:
    """What a kind needs: its mistake, its rank, its dumps."""

    def __init__(self, out, mistake, rank, world):
        self.out, self.mistake, self.rank, self.world = out, mistake, rank, world

    def has(self, mistake):
        return self.mistake == mistake

    def dump(self, model, step, backward=True, here=True):
        return CheckDump(self.out, model, step=step, rank=self.rank, backward=backward) if here else contextlib.nullcontext()

    def tokens(self, step, *shape, seed=0):
        generator = torch.Generator().manual_seed(1000 * step + 10 * self.rank + seed)
        return torch.randint(WORDS, shape or (BATCH, TOKENS), generator=generator)

    def numbers(self, step, *shape, seed=0):
        return torch.randn(*shape, generator=torch.Generator().manual_seed(1000 * step + 10 * self.rank + seed))

    def reduce(self, model):
        for value in model.parameters():
            if value.grad is not None:
                dist.all_reduce(value.grad)
                value.grad /= self.world


def step_of(loss, optimizer):
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def head_loss(out, target):
    return functional.cross_entropy(out.flatten(0, -2), target.flatten())


if torch:
    class Block(nn.Module):
        def __init__(self, dropout=0.0):
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
            self.drop = nn.Dropout(dropout)

        def forward(self, x):
            return x + self.drop(self.down(torch.tanh(self.up(self.norm(x)))))

    class Language(nn.Module):
        def __init__(self, layers=2, dropout=0.0, tied=False):
            super().__init__()
            self.embed_tokens = nn.Embedding(WORDS, WIDTH)
            self.layers = nn.ModuleList(Block(dropout) for _ in range(layers))
            self.norm, self.lm_head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS, bias=False)
            if tied:
                self.lm_head.weight = self.embed_tokens.weight

        def forward(self, ids, again=False):
            x = self.embed_tokens(ids)
            for layer in self.layers:
                x = checkpoint(layer, x, use_reentrant=False) if again else layer(x)
            return self.lm_head(self.norm(x))

    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.maker = nn.Sequential(nn.Linear(4, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
            self.judge = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.LeakyReLU(), nn.Linear(WIDTH, 1))


def train(run, model, optimizer, steps=3, forward=None, after=None, before=None):
    """Steps of a language model, each in one dump."""
    for step in range(steps):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            loss = head_loss((forward or model)(ids[:, :-1]), ids[:, 1:])
            loss.backward()
        if before:
            before(step)
        optimizer.step()
        optimizer.zero_grad()
        if after:
            after(step)


@kind(stale="updates")
def adam(run):
    model = Language()
    values = [value for name, value in model.named_parameters() if not (run.has("stale") and name == "layers.1.up.weight")]
    train(run, model, torch.optim.Adam(values, 1e-2))


@kind(kept="bias-gradients")
def decay(run):
    model = Language()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, weight_decay=.1)
    if run.has("kept"):
        optimizer.zero_grad = lambda: None
    train(run, model, optimizer)


@kind(stale="updates")
def momentum(run):
    model = Language()
    values = [value for name, value in model.named_parameters() if not (run.has("stale") and name == "layers.0.down.weight")]
    train(run, model, torch.optim.SGD(values, .05, momentum=.9, nesterov=True))


@kind(never="updates")
def warm_up(run):
    model = Language()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0 if run.has("never") else step / 3)
    train(run, model, optimizer, after=lambda step: rates.step())


@kind(kept="bias-gradients")
def clip(run):
    model = Language()
    optimizer = torch.optim.SGD(model.parameters(), .1)
    if run.has("kept"):
        optimizer.zero_grad = lambda: None
    train(run, model, optimizer, before=lambda step: nn.utils.clip_grad_norm_(model.parameters(), .01))


@kind()
def clip_idle(run):
    model = Language()
    train(run, model, torch.optim.SGD(model.parameters(), .1), before=lambda step: nn.utils.clip_grad_norm_(model.parameters(), 1e6))


@kind()
def dropout(run):
    model = Language(dropout=.3)
    train(run, model, torch.optim.Adam(model.parameters(), 1e-2))


@kind(untied="tied-embeddings")
def tied(run):
    model = Language(tied=True)
    if run.has("untied"):
        model.lm_head.weight = nn.Parameter(model.embed_tokens.weight.detach().clone())
    train(run, model, torch.optim.Adam(model.parameters(), 1e-2))


@kind()
def recompute(run):
    model = Language()
    train(run, model, torch.optim.Adam(model.parameters(), 1e-2), forward=lambda ids: model(ids, again=True))


@kind(decayed="frozen")
def lora(run):
    """Most weights frozen; the second of each pair of small ones begins with zeros."""
    class Adapted(nn.Module):
        def __init__(self, base):
            super().__init__()
            self.base = base
            self.lora_A, self.lora_B = nn.Linear(base.in_features, 2, bias=False), nn.Linear(2, base.out_features, bias=False)
            nn.init.zeros_(self.lora_B.weight)

        def forward(self, x):
            return self.base(x) + self.lora_B(self.lora_A(x))
    model = Language()
    model.requires_grad_(False)
    for layer in model.layers:
        layer.up, layer.down = Adapted(layer.up), Adapted(layer.down)
    values = [value for value in model.parameters() if value.requires_grad]

    def after(_):
        if run.has("decayed"):
            model.layers[0].up.base.weight.data *= .999
    train(run, model, torch.optim.AdamW(values, 1e-2), after=after)


@kind()
def adapters(run):
    class Adapter(nn.Module):
        def __init__(self, layer):
            super().__init__()
            self.layer, self.squeeze, self.widen = layer, nn.Linear(WIDTH, 4), nn.Linear(4, WIDTH)
            nn.init.zeros_(self.widen.weight)
            nn.init.zeros_(self.widen.bias)

        def forward(self, x):
            x = self.layer(x)
            return x + self.widen(torch.relu(self.squeeze(x)))
    model = Language()
    model.requires_grad_(False)
    model.layers = nn.ModuleList(Adapter(layer) for layer in model.layers)
    model.norm.requires_grad_(True)
    train(run, model, torch.optim.AdamW([value for value in model.parameters() if value.requires_grad], 1e-2))


@kind()
def prompts(run):
    """Only a few vectors before the tokens are trained."""
    class Prompted(nn.Module):
        def __init__(self):
            super().__init__()
            self.base, self.prompt = Language(), nn.Parameter(torch.randn(2, WIDTH) * .1)
            self.base.requires_grad_(False)

        def forward(self, ids):
            x = torch.cat([self.prompt.expand(len(ids), -1, -1), self.base.embed_tokens(ids)], 1)
            for layer in self.base.layers:
                x = layer(x) + x.mean(1, keepdim=True)
            return self.base.lm_head(self.base.norm(x))[:, 2:]
    model = Prompted()
    train(run, model, torch.optim.Adam([model.prompt], 1e-2))


@kind(kept="bias-gradients")
def accumulate(run):
    """Four micro batches a step, all in one dump."""
    model = Language()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for step in range(3):
        with run.dump(model, step):
            for micro in range(4):
                ids = run.tokens(step, BATCH, TOKENS + 1, seed=micro)
                (head_loss(model(ids[:, :-1]), ids[:, 1:]) / 4).backward()
        optimizer.step()
        if not run.has("kept"):
            optimizer.zero_grad()


@kind()
def micro_dumps(run):
    """Each micro batch is a dump of its own; four of them make a step."""
    model = Language()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for step in range(9):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            (head_loss(model(ids[:, :-1]), ids[:, 1:]) / 4).backward()
        if step % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


@kind()
def micro_within(run):
    """All dumps lie between two steps of the optimizer."""
    model = Language()
    for step in range(4):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            (head_loss(model(ids[:, :-1]), ids[:, 1:]) / 4).backward()


@kind()
def micro_of_one(run):
    """The same, where each gradient is taken out of .grad into a sum of its own: it begins anew with each of them."""
    model = Language()
    sums = [torch.zeros_like(value) for value in model.parameters()]
    for step in range(4):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            (head_loss(model(ids[:, :-1]), ids[:, 1:]) / 4).backward()
        for value, mine in zip(model.parameters(), sums):
            mine += value.grad
            value.grad = None


@kind()
def experts(run):
    """Two of four experts a token; one is never chosen."""
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed_tokens, self.router = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, 4, bias=False)
            self.experts = nn.ModuleList(nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh()) for _ in range(4))
            self.lm_head = nn.Linear(WIDTH, WORDS)

        def forward(self, ids):
            x = self.embed_tokens(ids).flatten(0, 1)
            scores = self.router(x).softmax(-1)
            weight, chosen = (scores * torch.tensor([1., 1, 1, 0])).topk(2)
            out = torch.zeros_like(x)
            for number, expert in enumerate(self.experts):
                at, slot = (chosen == number).nonzero(as_tuple=True)
                if len(at):
                    out = out.index_add(0, at, expert(x[at]) * weight[at, slot, None])
            return self.lm_head(x + out)
    model = Mixed()
    train(run, model, torch.optim.Adam(model.parameters(), 1e-2))


@kind()
def adversaries(run):
    """Two models and two optimizers; each is trained against the other."""
    model = Pair()
    makes, judges = torch.optim.Adam(model.maker.parameters(), 1e-3), torch.optim.Adam(model.judge.parameters(), 1e-3)
    score = functional.binary_cross_entropy_with_logits
    for step in range(3):
        real, noise = run.numbers(step, BATCH, WIDTH, seed=1), run.numbers(step, BATCH, 4)
        with run.dump(model, step):
            made = model.maker(noise)
            step_of(score(model.judge(real), torch.ones(BATCH, 1)) + score(model.judge(made.detach()), torch.zeros(BATCH, 1)), judges)
            step_of(score(model.judge(made), torch.ones(BATCH, 1)), makes)
            model.zero_grad()


@kind()
def adversaries_in_turn(run):
    """The same, one of both a step."""
    model = Pair()
    makes, judges = torch.optim.Adam(model.maker.parameters(), 1e-3), torch.optim.Adam(model.judge.parameters(), 1e-3)
    score = functional.binary_cross_entropy_with_logits
    for step in range(6):
        real, noise = run.numbers(step, BATCH, WIDTH, seed=1), run.numbers(step, BATCH, 4)
        with run.dump(model, step):
            made = model.maker(noise)
            if step % 3 < 2:
                loss = score(model.judge(real), torch.ones(BATCH, 1)) + score(model.judge(made), torch.zeros(BATCH, 1))
            else:
                loss = score(model.judge(made), torch.ones(BATCH, 1))
            loss.backward()
        (judges if step % 3 < 2 else makes).step()
        model.zero_grad()


@kind(nan="finite")
def pictures(run):
    """Convolutions and batch norms with running statistics, evaluated on one fixed batch between the steps."""
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8), nn.ReLU(),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(.2), nn.Linear(8, CLASSES))
    optimizer = torch.optim.SGD(model.parameters(), .05, momentum=.9, weight_decay=1e-4)
    fixed = run.numbers(99, BATCH, 3, 8, 8)
    for step in range(3):
        given = run.numbers(step, BATCH, 3, 8, 8)
        if run.has("nan") and step == 1:
            given = given / 0
        with run.dump(model, step):
            functional.cross_entropy(model(given), run.tokens(step, BATCH) % CLASSES).backward()
        optimizer.step()
        optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            model(fixed)
        model.train()


@kind()
def evaluated_within(run):
    """Each dump holds a step and the evaluation behind it, of one fixed batch."""
    model = Language(dropout=.1)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    fixed = run.tokens(99)
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            model.eval()
            with torch.no_grad():
                model(fixed)
            model.train()
        optimizer.step()
        optimizer.zero_grad()


@kind(repeated="step-inputs")
def validated(run):
    """The dumps are of evaluations of one fixed batch; the model is trained between them. With the mistake it is the training that
    repeats its batch."""
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WORDS))
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    fixed = run.tokens(99)
    for step in range(3):
        ids = run.tokens(0 if run.has("repeated") else step, BATCH, TOKENS + 1)
        with run.dump(model, step, here=run.has("repeated")):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
        optimizer.step()
        optimizer.zero_grad()
        model.eval()
        with torch.no_grad(), run.dump(model, step, backward=False, here=not run.has("repeated")):
            model(fixed)
        model.train()


@kind()
def validated_first(run):
    """Each dump begins with an evaluation of one fixed batch; training follows in it."""
    model = Language()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    fixed = run.tokens(99)
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            with torch.no_grad():
                model(fixed)
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind()
def validated_in_turn(run):
    """Dumps of training and, now and then, of the evaluation of one fixed batch, under numbers that follow each other."""
    model = Language()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    fixed, number = run.tokens(99), 0
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, number):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
        optimizer.step()
        optimizer.zero_grad()
        for _ in range(2):
            number += 1
            with torch.no_grad(), run.dump(model, number, backward=False):
                model(fixed)
        number += 1


if torch:
    class Half(nn.Linear):
        """What goes through it, forward and backward, is float16."""
        def forward(self, x):
            return super().forward(x).half()


@kind(overflow="finite")
def scaler(run):
    """A loss scaled too far: the second step overflows and is left out. With the mistake it is taken."""
    model = Language()
    model.layers[1].down = Half(2 * WIDTH, WIDTH)
    optimizer = torch.optim.SGD(model.parameters(), .01)
    scale = 2. ** 10
    for step in range(4):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        scale = 2. ** 24 if step == 1 else 2. ** 10
        with run.dump(model, step):
            (head_loss(model(ids[:, :-1]), ids[:, 1:]) * scale).backward()
        finite = all(bool(value.grad.isfinite().all()) for value in model.parameters())
        for value in model.parameters():
            value.grad /= scale
        if finite or run.has("overflow"):
            optimizer.step()
        optimizer.zero_grad()


@kind()
def autocast(run):
    model = Language()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step), torch.autocast("cpu", dtype=torch.bfloat16):
            head_loss(model(ids[:, :-1]).float(), ids[:, 1:]).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind()
def bfloat16(run):
    """Weights in bfloat16, small steps that are rounded away."""
    model = Language().bfloat16()
    train(run, model, torch.optim.SGD(model.parameters(), 1e-3), forward=lambda ids: model(ids).float())


@kind(stale="updates")
def recurrent(run):
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.head = nn.Embedding(WORDS, WIDTH), nn.LSTM(WIDTH, WIDTH, 2, batch_first=True), nn.Linear(WIDTH, WORDS)

        def forward(self, ids):
            return self.head(self.lstm(self.embed(ids))[0])
    model = Recurrent()
    values = [value for name, value in model.named_parameters() if not (run.has("stale") and name == "lstm.weight_hh_l1")]
    train(run, model, torch.optim.Adam(values, 1e-2))


@kind()
def recurrent_by_hand(run):
    """One cell for all positions, called again and again; truncated: its state goes on."""
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.cell, self.head = nn.Embedding(WORDS, WIDTH), nn.GRUCell(WIDTH, WIDTH), nn.Linear(WIDTH, WORDS)

        def forward(self, ids):
            state, outs = torch.zeros(len(ids), WIDTH), []
            for at in range(ids.shape[1]):
                state = self.cell(self.embed(ids[:, at]), state)
                outs.append(self.head(state))
            return torch.stack(outs, 1)
    model = Recurrent()
    train(run, model, torch.optim.RMSprop(model.parameters(), 1e-3))


@kind()
def rare_rows(run):
    """Sparse gradients of a large embedding: most rows are never used; one table is of no use in two of three steps."""
    class Tables(nn.Module):
        def __init__(self):
            super().__init__()
            self.items, self.rare, self.head = nn.Embedding(500, WIDTH), nn.Embedding(3, WIDTH), nn.Linear(WIDTH, CLASSES)

        def forward(self, ids, flags):
            return self.head(self.items(ids).mean(1) + self.rare(flags) * (flags > 0)[:, None])
    model = Tables()
    optimizer = torch.optim.SGD(model.parameters(), .1)
    for step in range(3):
        with run.dump(model, step):
            functional.cross_entropy(model(run.tokens(step), torch.tensor([step == 1] * BATCH).long()), run.tokens(step, BATCH, seed=1) % CLASSES).backward()
        optimizer.step()
        optimizer.zero_grad()


def follow(average, model, share=.9):
    with torch.no_grad():
        for mine, its in zip(average.parameters(), model.parameters()):
            mine.mul_(share).add_(its, alpha=1 - share)


@kind(decayed="frozen")
def average(run):
    """A moving average beside the model, called in each step: a frozen copy that moves."""
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(3)
            self.model = Language()
            torch.manual_seed(3)
            self.average = Language().requires_grad_(False)
            self.fixed = nn.ModuleList(Block().requires_grad_(False) for _ in range(6))

        def forward(self, ids):
            with torch.no_grad():
                self.average(ids)
            x = self.model(ids)
            with torch.no_grad():
                for block in self.fixed:
                    block(x[..., :WIDTH])
            return x
    model = Both()

    def after(_):
        follow(model.average, model.model)
        if run.has("decayed"):
            model.fixed[3].up.weight.data *= .99
    train(run, model, torch.optim.Adam(model.model.parameters(), 1e-2), after=after)


@kind(decayed="frozen")
def average_wrapped(run):
    """The same below a wrapper of its own, as torch.optim.swa_utils.AveragedModel keeps it."""
    class Wrapper(nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module

        def forward(self, *args):
            return self.module(*args)

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = Wrapper(Language())
            self.average = Wrapper(Wrapper(Language().requires_grad_(False)))
            self.fixed = nn.ModuleList(Block().requires_grad_(False) for _ in range(6))

        def forward(self, ids):
            x = self.model(ids)
            with torch.no_grad():
                self.average(ids)
                for block in self.fixed:
                    block(x[..., :WIDTH])
            return x
    model = Both()

    def after(_):
        follow(model.average, model.model)
        if run.has("decayed"):
            model.fixed[3].up.weight.data *= .99
    train(run, model, torch.optim.Adam(model.model.parameters(), 1e-2), after=after)


@kind(decayed="frozen")
def average_deep(run):
    """A copy of one part of the model, within the model: targets of a critic, a momentum encoder."""
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(WORDS, WIDTH), nn.Linear(WIDTH, WORDS)
            self.encoders = nn.ModuleDict({"online": nn.ModuleList(Block() for _ in range(2)), "target": nn.ModuleList(Block() for _ in range(2))})
            self.encoders["target"].requires_grad_(False)
            self.fixed = nn.ModuleList(Block().requires_grad_(False) for _ in range(6))

        def forward(self, ids):
            x = self.embed(ids)
            goal = x.detach()
            for block in self.fixed:
                x = block(x)
            for block, other in zip(self.encoders["online"], self.encoders["target"]):
                x = block(x)
                goal = other(goal)
            return self.head(x + goal)
    model = Both()

    def after(_):
        follow(model.encoders["target"], model.encoders["online"])
        if run.has("decayed"):
            model.fixed[3].up.weight.data *= .99
    train(run, model, torch.optim.Adam([value for value in model.parameters() if value.requires_grad], 1e-2), after=after)


@kind(decayed="frozen")
def teacher(run):
    class Distilled(nn.Module):
        def __init__(self):
            super().__init__()
            self.student, self.teacher = Language(1), Language(4).requires_grad_(False)

        def forward(self, ids):
            with torch.no_grad():
                goal = self.teacher(ids).softmax(-1)
            return functional.kl_div(self.student(ids).log_softmax(-1), goal, reduction="batchmean")
    model = Distilled()
    optimizer = torch.optim.Adam(model.student.parameters(), 1e-2)
    for step in range(3):
        with run.dump(model, step):
            model(run.tokens(step)).backward()
        optimizer.step()
        optimizer.zero_grad()
        if run.has("decayed"):
            model.teacher.layers[2].up.weight.data *= .999


@kind()
def towers(run):
    """Contrastive: two kinds of input through shared weights, and one temperature."""
    class Towers(nn.Module):
        def __init__(self):
            super().__init__()
            self.text, self.picture = nn.EmbeddingBag(WORDS, WIDTH), nn.Linear(12, WIDTH)
            self.shared, self.scale = nn.Linear(WIDTH, 8), nn.Parameter(torch.tensor(1.))

        def forward(self, ids, pictures):
            one, two = (functional.normalize(self.shared(x), dim=-1) for x in (self.text(ids), self.picture(pictures)))
            return one @ two.t() * self.scale.exp()
    model = Towers()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    for step in range(3):
        with run.dump(model, step):
            scores = model(run.tokens(step), run.numbers(step, BATCH, 12))
            (functional.cross_entropy(scores, torch.arange(BATCH)) + functional.cross_entropy(scores.t(), torch.arange(BATCH))).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind()
def diffusion(run):
    class Denoiser(nn.Module):
        def __init__(self):
            super().__init__()
            self.times = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
            self.into, self.mix, self.norm, self.out = nn.Conv2d(3, WIDTH, 3, padding=1), nn.Conv2d(WIDTH, WIDTH, 3, padding=1), nn.GroupNorm(4, WIDTH), nn.Conv2d(WIDTH, 3, 3, padding=1)
            nn.init.zeros_(self.out.weight)
            nn.init.zeros_(self.out.bias)

        def forward(self, x, time):
            angles = time[:, None] * torch.exp(-torch.arange(WIDTH // 2) / 2.)
            told = self.times(torch.cat([angles.sin(), angles.cos()], -1))
            return self.out(functional.silu(self.norm(self.mix(self.into(x) + told[:, :, None, None]))))
    model = Denoiser()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(3):
        noise, time = run.numbers(step, BATCH, 3, 8, 8), run.tokens(step, BATCH).float()
        with run.dump(model, step):
            functional.mse_loss(model(run.numbers(step, BATCH, 3, 8, 8, seed=1) + noise, time), noise).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind()
def attention(run):
    model = nn.ModuleDict({"embed": nn.Embedding(WORDS, WIDTH), "body": nn.TransformerEncoder(nn.TransformerEncoderLayer(WIDTH, 2, 32, .1, batch_first=True), 2),
                           "head": nn.Linear(WIDTH, WORDS)})
    mask = torch.triu(torch.full((TOKENS, TOKENS), float("-inf")), 1)
    train(run, model, torch.optim.Adam(model.parameters(), 1e-2), forward=lambda ids: model["head"](model["body"](model["embed"](ids), mask)))


@kind()
def evaluation(run):
    """One batch after the other, nothing is trained."""
    model = Language().eval()
    for step in range(3):
        with torch.no_grad(), run.dump(model, step, backward=False):
            model(run.tokens(step))


@kind()
def inference(run):
    """The same prompt three times."""
    model = Language().eval().requires_grad_(False)
    for step in range(3):
        ids = run.tokens(0)
        with torch.no_grad(), run.dump(model, step, backward=False):
            for _ in range(3):
                ids = torch.cat([ids, model(ids)[:, -1:].argmax(-1)], 1)


@kind()
def one_step(run):
    model = Language()
    train(run, model, torch.optim.Adam(model.parameters(), 1e-2), steps=1)


@kind()
def far_steps(run):
    """Every tenth step is dumped."""
    model = Language()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for step in range(31):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step, here=step % 10 == 0):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind()
def thawed(run):
    """Stages are frozen first and trained later."""
    model = Language()
    model.layers.requires_grad_(False)
    optimizer = torch.optim.SGD(model.parameters(), .05)
    train(run, model, optimizer, steps=4, after=lambda step: model.layers.requires_grad_(step > 0))


@kind()
def policy(run):
    """A reference that is called first, rollouts without a gradient, two updates on them."""
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.policy, self.reference, self.value = Language(), Language().requires_grad_(False), nn.Linear(WORDS, 1)
    model = Both()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for step in range(6):
        ids = run.tokens(step // 2)
        with run.dump(model, step):
            with torch.no_grad():
                base = model.reference(ids).log_softmax(-1)
            out = model.policy(ids)
            (out.log_softmax(-1) - base).square().mean().add(model.value(out).square().mean()).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind(2, unreduced="replicas", same="dp-inputs")
def replicas(run):
    """The last batch of one rank is smaller than that of the other."""
    model = Language()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for step in range(3):
        ids = run.tokens(step, 2 if step == 2 and run.rank else BATCH, TOKENS + 1)
        if run.has("same"):
            ids = torch.randint(WORDS, (BATCH, TOKENS + 1), generator=torch.Generator().manual_seed(step))
        with run.dump(model, step):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            if not run.has("unreduced"):
                run.reduce(model)
        optimizer.step()
        optimizer.zero_grad()


@kind(2)
def wrapped(run):
    """torch's DistributedDataParallel, whose reductions no dump shows."""
    model = nn.parallel.DistributedDataParallel(Language())
    train(run, model, torch.optim.Adam(model.parameters(), 1e-2))


@kind(2)
def one_of_two(run):
    """Two ranks of which one is dumped."""
    model = Language()
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step, here=run.rank == 0):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            run.reduce(model)
        optimizer.step()
        optimizer.zero_grad()


@kind(2)
def statistics_of_norms(run):
    """Batch norms of copies: each keeps the statistics of its own data."""
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, CLASSES))
    optimizer = torch.optim.SGD(model.parameters(), .05)
    for step in range(3):
        with run.dump(model, step):
            functional.cross_entropy(model(run.numbers(step, BATCH, 3, 8, 8)), run.tokens(step, BATCH) % CLASSES).backward()
            run.reduce(model)
        optimizer.step()
        optimizer.zero_grad()


@kind(2, lost="replicas")
def shards(run):
    """Each rank keeps half of each weight; all_gather before the forward, reduce_scatter by hand behind the backward."""
    model = Language()
    values = list(model.parameters())
    sizes = [value.numel() + value.numel() % 2 for value in values]
    kept = [functional.pad(value.detach().flatten(), (0, size - value.numel())).chunk(2)[run.rank].clone() for value, size in zip(values, sizes)]
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            for value, mine in zip(values, kept):
                parts = [torch.empty_like(mine) for _ in range(2)]
                dist.all_gather(parts, mine)
                if run.has("lost") and run.rank and step == 1 and value is values[1]:
                    parts[0].zero_()
                value.data.copy_(torch.cat(parts)[:value.numel()].view_as(value))
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            for value in values:
                dist.all_reduce(value.grad)
                value.grad /= 2
        for value, mine, size in zip(values, kept, sizes):
            mine -= .05 * functional.pad(value.grad.flatten(), (0, size - value.numel())).chunk(2)[run.rank]
            value.grad = None


@kind(2, late="transfers")
def pipeline(run):
    """Two stages, two micro batches a step."""
    torch.manual_seed(7)
    model = nn.ModuleDict({"embed": nn.Embedding(WORDS, WIDTH), "block": Block()} if run.rank == 0 else {"block": Block(), "head": nn.Linear(WIDTH, WORDS)})
    optimizer = torch.optim.SGD(model.parameters(), .1)
    receive = dist.recv

    def half(value, source, **options):
        receive(value, source, **options)
        value[0] = 0
    dist.recv = half if run.has("late") else receive
    for step in range(3):
        with run.dump(model, step):
            for micro in range(2):
                ids = torch.randint(WORDS, (BATCH, TOKENS + 1), generator=torch.Generator().manual_seed(10 * step + micro))
                x = torch.empty(BATCH, TOKENS, WIDTH)
                if run.rank == 0:
                    out = model["block"](model["embed"](ids[:, :-1]))
                    dist.send(out.detach(), 1)
                    dist.recv(x, 1)
                    out.backward(x)
                else:
                    dist.recv(x, 0)
                    x.requires_grad_()
                    head_loss(model["head"](model["block"](x)), ids[:, 1:]).backward()
                    dist.send(x.grad, 0)
        optimizer.step()
        optimizer.zero_grad()


def in_turns(run, dumped):
    """Two steps of the judge, for which what is made is detached, and one of the maker; `dumped`: those of which."""
    model, number = Pair(), 0
    makes, judges = torch.optim.Adam(model.maker.parameters(), 1e-3), torch.optim.Adam(model.judge.parameters(), 1e-3)
    for step in range(6):
        which = "maker" if step % 3 == 2 else "judge"
        with run.dump(model, number, here=which in dumped):
            made = model.maker(run.numbers(step, BATCH, 4))
            if which == "judge":
                loss = functional.softplus(-model.judge(run.numbers(step, BATCH, WIDTH, seed=1))).mean() + functional.softplus(model.judge(made.detach())).mean()
            else:
                loss = -model.judge(made).mean()
            loss.backward()
        number += which in dumped
        (judges if which == "judge" else makes).step()
        model.zero_grad()


@kind()
def adversaries_detached(run):
    in_turns(run, ("maker", "judge"))


@kind()
def adversaries_judged(run):
    in_turns(run, ("judge",))


@kind()
def adversaries_made(run):
    """The gradient of the last bias is -1 in every step."""
    in_turns(run, ("maker",))


@kind(forgotten="updates")
def heads_in_turn(run):
    """All heads are called, the loss of one is taken in a step."""
    model = nn.ModuleDict({"body": Block(), "heads": nn.ModuleList(nn.Linear(WIDTH, CLASSES) for _ in range(2))})
    values = [value for name, value in model.named_parameters() if not (run.has("forgotten") and name == "body.up.weight")]
    optimizer = torch.optim.Adam(values, 1e-3)
    for step in range(4):
        with run.dump(model, step):
            x = model["body"](run.numbers(step, 2 * BATCH, WIDTH))
            outs = [head(x) for head in model["heads"]]
            functional.cross_entropy(outs[step % 2], run.tokens(step, 2 * BATCH) % CLASSES).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind()
def closures(run):
    """LBFGS: several evaluations of a batch in a step."""
    model, number = Language(), 0
    optimizer = torch.optim.LBFGS(model.parameters(), lr=.1, max_iter=3)
    for step in range(2):
        ids = run.tokens(step, BATCH, TOKENS + 1)

        def closure():
            nonlocal number
            optimizer.zero_grad()
            with run.dump(model, number):
                loss = head_loss(model(ids[:, :-1]), ids[:, 1:])
                loss.backward()
            number += 1
            return loss
        optimizer.step(closure)


@kind(decayed="frozen")
def biases(run):
    """None but biases are trained."""
    model = Language()
    for name, value in model.named_parameters():
        value.requires_grad_(name.endswith("bias"))

    def after(_):
        if run.has("decayed"):
            model.layers[0].up.weight.data.mul_(.99)
    train(run, model, torch.optim.Adam([value for value in model.parameters() if value.requires_grad], 1e-3), after=after)


@kind()
def preferred(run):
    """DPO: a policy against the frozen model that it began as."""
    model = nn.ModuleDict({"policy": Language(), "reference": Language()})
    model["reference"].load_state_dict(model["policy"].state_dict())
    model["reference"].requires_grad_(False)
    optimizer = torch.optim.AdamW(model["policy"].parameters(), 1e-3)

    def likely(of, ids):
        return torch.log_softmax(of(ids[:, :-1]), -1).gather(2, ids[:, 1:, None]).sum((1, 2))
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            more = likely(model["policy"], ids) - likely(model["reference"], ids)
            (-functional.logsigmoid(.1 * (more[:BATCH // 2] - more[BATCH // 2:])).mean()).backward()
        optimizer.step()
        optimizer.zero_grad()


@kind(2)
def averaged(run):
    """Copies train on their own and are averaged every second step."""
    torch.manual_seed(7)
    model = Language()
    optimizer = torch.optim.SGD(model.parameters(), .1)
    for step in range(4):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
        optimizer.step()
        optimizer.zero_grad()
        for value in model.parameters() if step % 2 else ():
            dist.all_reduce(value.data)
            value.data /= 2


@kind(2, lost="replicas")
def divided(run):
    """Whole gradients on all ranks; each updates half of the weights and sends them out, as ZeRO's first stage does."""
    torch.manual_seed(7)
    model = Language()
    values = list(model.parameters())
    optimizer = torch.optim.Adam(values[run.rank::2], 1e-2)
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            run.reduce(model)
        optimizer.step()
        model.zero_grad()
        for number, value in enumerate(values):
            if not (run.has("lost") and number == 3):
                dist.broadcast(value.data, number % 2)


@kind(stale="updates")
def signs(run):
    """Lion: each weight moves by the rate, however small its gradient is."""
    model, kept = Language(), {}
    values = [value for name, value in model.named_parameters() if not (run.has("stale") and name == "layers.1.up.weight")]

    class Signs:
        @torch.no_grad()
        def step(self):
            for value in values:
                average = kept.setdefault(value, torch.zeros_like(value))
                value.sub_(1e-3 * (.9 * average + .1 * value.grad).sign())
                average.mul_(.99).add_(value.grad, alpha=.01)

        def zero_grad(self):
            model.zero_grad()
    train(run, model, Signs())


@kind(stale="updates")
def capacity(run):
    """Experts that take three tokens each and drop the others."""
    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.router = nn.Linear(WIDTH, 4, bias=False)
            self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))

        def forward(self, x):
            tokens = x.flatten(0, 1)
            share, chosen = self.router(tokens).softmax(-1).max(-1)
            out = torch.zeros_like(tokens)
            for number, expert in enumerate(self.experts):
                at = (chosen == number).nonzero()[:3, 0]
                if len(at):
                    out = out.index_add(0, at, expert(tokens[at]) * share[at, None])
            return x + out.view_as(x)

    model = Language(1)
    model.layers.append(Experts())
    values = [value for name, value in model.named_parameters() if not (run.has("stale") and name == "layers.1.router.weight")]
    train(run, model, torch.optim.AdamW(values, 1e-2))


@kind()
def sharpness(run):
    """SAM: a backward here, a backward at weights a little uphill, one step; both in one dump."""
    model = Language()
    optimizer = torch.optim.SGD(model.parameters(), .05)
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            uphill = [.05 * value.grad / value.grad.norm().clamp_min(1e-6) for value in model.parameters()]
            with torch.no_grad():
                for value, climb in zip(model.parameters(), uphill):
                    value.add_(climb)
            optimizer.zero_grad()
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            with torch.no_grad():
                for value, climb in zip(model.parameters(), uphill):
                    value.sub_(climb)
        optimizer.step()
        optimizer.zero_grad()


@kind(2, lost="replicas")
def states_in_parts(run):
    """ZeRO-1: each rank steps half of the weights and broadcasts them."""
    model = Language()
    values = list(model.parameters())
    for value in values:
        dist.broadcast(value.data, 0)
    optimizer = torch.optim.AdamW(values[run.rank::2], 1e-2)
    for step in range(3):
        ids = run.tokens(step, BATCH, TOKENS + 1)
        with run.dump(model, step):
            head_loss(model(ids[:, :-1]), ids[:, 1:]).backward()
            run.reduce(model)
        optimizer.step()
        model.zero_grad()
        for number, value in enumerate(values):
            if not run.has("lost") or number != 3:
                dist.broadcast(value.data, number % 2)


def one(rank, out, name, mistake, world, port):
    torch.set_num_threads(1)
    torch.manual_seed(7)
    if world > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
        dist.init_process_group("gloo", rank=rank, world_size=world)
    KINDS[name][0](Run(out, mistake, rank, world))
    if world > 1:
        dist.barrier()
        dist.destroy_process_group()


def all_runs():
    """Name of the run, kind, mistake or "", the invariant that is meant or ""."""
    for name, (_, _, mistakes) in KINDS.items():
        yield name, name, "", ""
        for mistake, law in mistakes.items():
            yield name + "+" + mistake, name, mistake, law


def record(out, name, mistake, port=29700):
    world = KINDS[name][1]
    if world == 1:
        one(0, out, name, mistake, 1, 0)
    else:
        import torch.multiprocessing as multiprocessing
        multiprocessing.spawn(one, (out, name, mistake, world, port), nprocs=world)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for number, (run_name, which, wrong, _) in enumerate(all_runs()):
        if len(sys.argv) == 2 or run_name in sys.argv[2:]:
            record(os.path.join(sys.argv[1], run_name), which, wrong, 29700 + number)
