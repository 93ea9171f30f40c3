#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dumps of a small training run over several ranks, clean or with one known defect:
make_defects.py FOLDER clean|DEFECT [tp=2,pp=1,dp=2,steps=3]

The layout of msProbe 26.0 (level mix, statistics). Forward values are computed, element by element, so that sums over ranks,
shards and rows are what they are in training. Gradients are made up from the data and the name of the weight: the defects are
those of published lists by their documented symptom, not reruns of the broken programs."""
import functools
import json
import math
import operator
import os
import random
import sys
import zlib

TOKENS, HIDDEN, VOCABULARY, LAYERS, RATE = 5, 6, 16, 4, 0.05
AVERAGED = ("layers.0.up.weight", "layers.0.up.bias", "layers.0.norm.weight", "layers.0.norm.bias")


@functools.lru_cache(maxsize=None)
def drawn(seed, count):
    rng = random.Random(seed)
    return [rng.gauss(0, 1) for _ in range(count)]


@functools.lru_cache(maxsize=None)
def token(seed, place):
    return random.Random("%s,%d" % (seed, place)).randrange(VOCABULARY)


def numbers(seed, count, scale=1.0):
    return [v * scale for v in drawn(seed, count)]


@functools.lru_cache(maxsize=None)
def statistics(values):
    if not values:
        return dict(Max=None, Min=None, Mean=None, Norm=None)
    if any(map(math.isnan, values)):
        return dict.fromkeys(("Max", "Min", "Mean", "Norm"), float("nan"))
    return dict(Max=max(values), Min=min(values), Mean=math.fsum(values) / len(values), Norm=math.sqrt(math.fsum(v * v for v in values)))


def tensor(values, shape, dtype="torch.float32", grad=False):
    """The node of a tensor with its statistics."""
    return dict(type="torch.Tensor", dtype=dtype, shape=list(shape), **statistics(tuple(values)), requires_grad=grad)


def integers(values):
    """Tokens, as a dump with checksums has them."""
    node = tensor([float(v) for v in values], [len(values)], "torch.int64")
    return dict(node, md5="%08x" % zlib.crc32(repr(values).encode()))


@functools.lru_cache(maxsize=None)
def dot(row, column):
    return math.fsum(map(operator.mul, row, column))


def product(x, weight, rows, inner, columns):
    """x [rows, inner] times weight [columns, inner] transposed."""
    rows_of = [tuple(x[r * inner:(r + 1) * inner]) for r in range(rows)]
    columns_of = [tuple(weight[c * inner:(c + 1) * inner]) for c in range(columns)]
    return [dot(row, column) for row in rows_of for column in columns_of]


class Rank:
    """One process: its weights and the entries of the step it is in."""

    def __init__(self, number, place):
        self.number, self.place, self.weights, self.trained = number, place, {}, {}
        self.restart()

    def restart(self):
        self.data, self.calls = {}, {}

    def api(self, name, inputs, outputs, direction="forward", **kwargs):
        count = self.calls.get((name, direction), 0)
        self.calls[name, direction] = count + 1
        key = "%s.%d.%s" % (name, count, direction)
        if direction == "forward":
            self.data[key] = dict(input_args=inputs, input_kwargs=kwargs, output=outputs)
        else:
            self.data[key] = dict(input=inputs, output=outputs)

    def module(self, name, inputs, outputs, parameters=(), recompute=None, direction="forward"):
        count = self.calls.get((name, direction), 0)
        self.calls[name, direction] = count + 1
        key = "Module.%s.%s.%d" % (name, direction, count)
        if direction == "backward":
            self.data[key] = dict(input=inputs, output=outputs)
            return
        path = name.rsplit(".", 1)[0]
        weights = {p: tensor(*self.weights[path + "." + p], grad=self.trained.get(path + "." + p, True)) for p in parameters}
        self.data[key] = dict(input_args=inputs, input_kwargs={}, parameters=weights, output=outputs)
        if recompute is not None:
            self.data[key]["is_recompute"] = recompute


class Run:
    def __init__(self, defect="", tp=1, pp=1, dp=1, steps=2):
        self.defect, self.tp, self.pp, self.dp, self.steps = defect, tp, pp, dp, steps
        self.ranks = [Rank(r, (r // tp % dp, r % tp, r // (tp * dp))) for r in range(tp * pp * dp)]
        for rank in self.ranks:
            self.set_up(rank)

    def layers_of(self, stage):
        each = LAYERS // self.pp
        if self.defect == "stage-division" and self.pp > 1:  # the last layer is nobody's
            return range(stage * each, (stage + 1) * each - (stage == self.pp - 1))
        return range(stage * each, (stage + 1) * each)

    def set_up(self, rank):
        copy, share, stage = rank.place
        seed = 100 if self.defect == "no-broadcast" and copy else 0
        for layer in self.layers_of(stage):
            for name, scale in (("q", .4), ("up", .4)):
                rank.weights["layers.%d.%s.weight" % (layer, name)] = (numbers((name, layer, share, seed).__repr__(), HIDDEN * HIDDEN, scale),
                                                                     [HIDDEN, HIDDEN])
            rank.weights["layers.%d.up.bias" % layer] = (numbers(("c", layer, share, seed).__repr__(), HIDDEN, .01), [HIDDEN])
            rank.weights["layers.%d.norm.weight" % layer] = ([1 + .01 * v for v in numbers("n%d" % layer, HIDDEN)], [HIDDEN])
            rank.weights["layers.%d.norm.bias" % layer] = (numbers("b%d" % layer, HIDDEN, .01), [HIDDEN])
        if stage == 0:
            rank.weights["word_embeddings.weight"] = (numbers("e", VOCABULARY * HIDDEN), [VOCABULARY, HIDDEN])
            rank.weights["position.weight"] = (numbers("p", TOKENS * HIDDEN, .1), [TOKENS, HIDDEN])
            rank.trained["position.weight"] = False
            rank.weights["rotary.weight"] = (numbers("r", HIDDEN, .1), [HIDDEN])
            rank.trained["rotary.weight"] = False
            rank.weights["scale.weight"] = (numbers("s", HIDDEN, .1), [HIDDEN])
            rank.trained["scale.weight"] = False
            for name in AVERAGED:
                rank.weights["mean." + name], rank.trained["mean." + name] = rank.weights[name], False
        if stage == self.pp - 1:
            rank.weights["output_layer.weight"] = (numbers("e", VOCABULARY * HIDDEN), [VOCABULARY, HIDDEN])

    # ---- communications

    def process_group(self, ranks):
        return dict(type="torch.ProcessGroup", group_ranks=[r.number for r in ranks], group_id="0")

    def all_reduce(self, ranks, values, shape, mistake=""):
        """values: by rank. What each holds afterwards."""
        total = [math.fsum(column) for column in zip(*values)]
        out = []
        for i, rank in enumerate(ranks):
            mine = total
            if mistake == "double" and i == 0:
                mine = [2 * v for v in total]
            if mistake == "all-double":
                mine = [v + 2 * (1 + abs(v)) for v in total]
            if mistake == "absent" and i == len(ranks) - 1:
                out.append(values[i])
                continue
            rank.api("Distributed.all_reduce", [tensor(values[i], shape)], [tensor(mine, shape)], group=self.process_group(ranks))
            out.append(mine)
        return out

    def send(self, source, target, values, shape):
        got = [v * 1.001 for v in values] if self.defect == "stale-receive" else values
        source.api("Distributed.send", [tensor(values, shape), dict(type="int", value=target.number)], [tensor(values, shape)])
        target.api("Distributed.recv", [None, dict(type="int", value=source.number)], [tensor(got, shape)])
        return got

    # ---- one step

    def tokens(self, step, copy, share):
        if self.defect == "same-data":
            copy = 0
        if self.defect == "same-data-of-two" and copy == 2:
            copy = 1
        if self.defect == "repeated-batch":
            step = 0
        seed = "t%d,%d" % (step, copy)
        if self.defect == "tp-other-tokens" and share:
            seed += "x"
        return [token(seed, i) for i in range(TOKENS)]

    def norm(self, rank, layer, x, recompute=None):
        path = "layers.%d.norm" % layer
        weight, bias = rank.weights[path + ".weight"][0], rank.weights[path + ".bias"][0]
        out = []
        for row in range(TOKENS):
            part = x[row * HIDDEN:(row + 1) * HIDDEN]
            mean = math.fsum(part) / HIDDEN
            width = math.sqrt(math.fsum((v - mean) ** 2 for v in part) / HIDDEN + 1e-5)
            out += [(v - mean) / width * weight[i] + bias[i] for i, v in enumerate(part)]
        shape = [TOKENS, HIDDEN]
        dtype = "torch.bfloat16" if self.defect == "dtype" and rank.place[0] == 1 and layer == 1 else "torch.float32"
        rank.module(path + ".LayerNorm", [tensor(x, shape, grad=True)], [tensor(out, shape, dtype, grad=True)], ("weight", "bias"), recompute)
        return out

    def attention(self, rank, layer, x):
        """A row softmax over a product; its weight is a share."""
        weight = rank.weights["layers.%d.q.weight" % layer]
        shape = [TOKENS, HIDDEN]
        scores = product(x, weight[0], TOKENS, HIDDEN, HIDDEN)
        if self.defect == "dead-layer" and layer == 1:
            scores = [0.0] * len(scores)
        if self.defect == "nan" and layer == 1 and rank.number == 0:
            scores[3] = float("nan")
        if self.defect == "half-kernel" and layer == 1:
            scores = [math.ldexp(round(math.ldexp(f, 8)), e - 8) for f, e in map(math.frexp, scores)]
        rank.api("Functional.linear", [tensor(x, shape, grad=True), tensor(*weight, grad=True), None], [tensor(scores, shape, grad=True)])
        rank.module("layers.%d.q.Linear" % layer, [tensor(x, shape, grad=True)], [tensor(scores, shape, grad=True)], ("weight",))
        start = TOKENS if self.defect == "positions" and layer else 0
        places, rates = [float(start + i) for i in range(TOKENS)], [1.0, .1, .01, .001]
        for _ in ("query", "key"):
            rank.api("Torch.outer", [tensor(places, [TOKENS]), tensor(rates, [4])],
                     [tensor([p * r for p in places for r in rates], [TOKENS, 4])])
        self.causal(rank, layer, x)
        self.router(rank, layer, scores)
        out = []
        for row in range(TOKENS):
            part = [math.exp(min(v, 50)) if not math.isnan(v) else v for v in scores[row * HIDDEN:(row + 1) * HIDDEN]]
            total = math.fsum(part)
            out += [v / (total if self.defect != "softmax" or layer != 2 else total * 1.25) for v in part]
        rank.api("Functional.softmax", [tensor(scores, shape, grad=True)], [tensor(out, shape, grad=True)], dim=dict(type="int", value=-1))
        return out

    def router(self, rank, layer, scores):
        """The two largest probabilities of four experts, which sum up to 1."""
        gates = []
        for row in range(TOKENS):
            part = sorted((math.exp(min(v, 50)) for v in scores[row * HIDDEN:row * HIDDEN + 4]), reverse=True)
            gates += [v / math.fsum(part) for v in part[:2]]
        rank.api("Torch.topk", [tensor(scores, [TOKENS, HIDDEN], grad=True), dict(type="int", value=2)],
                 [tensor(gates, [TOKENS, 2], grad=True), integers([0, 1] * TOKENS)])
        sums = [a + b for a, b in zip(gates[::2], gates[1::2])]
        shares = [v / sums[i // 2] * (.5 if self.defect == "router" and layer == 1 else 1) for i, v in enumerate(gates)]
        rank.api("Tensor.div", [tensor(gates, [TOKENS, 2], grad=True), tensor(sums, [TOKENS, 1], grad=True)], [tensor(shares, [TOKENS, 2], grad=True)])

    def causal(self, rank, layer, x):
        """The softmax of masked scores."""
        shape, rows = [TOKENS, TOKENS], []
        scores = [v if self.defect == "unmasked" and layer == 1 or i % TOKENS <= i // TOKENS else -1e4
                  for i, v in enumerate(product(x, tuple(x), TOKENS, HIDDEN, TOKENS))]
        for row in range(0, TOKENS * TOKENS, TOKENS):
            top = max(scores[row:row + TOKENS])
            part = [math.exp(v - top) for v in scores[row:row + TOKENS]]
            rows += [v / math.fsum(part) for v in part]
        dtype = "torch.bfloat16" if self.defect == "layer-dtype" and layer == 1 else "torch.float32"
        rank.api("Functional.softmax", [tensor(scores, shape, grad=True)], [tensor(rows, shape, dtype, grad=True)], dim=dict(type="int", value=-1))

    def layer(self, ranks, layer, hidden):
        """All ranks of one tensor group go through the layer together."""
        shape = [TOKENS, HIDDEN]
        parts = []
        for rank, x in zip(ranks, hidden):
            normed = self.norm(rank, layer, x, False)
            mixed = [a + b for a, b in zip(normed, self.attention(rank, layer, normed))]
            weight = rank.weights["layers.%d.up.weight" % layer]
            bias = rank.weights["layers.%d.up.bias" % layer][0]
            part = [v + bias[i % HIDDEN] for i, v in enumerate(product(mixed, weight[0], TOKENS, HIDDEN, HIDDEN))]
            curve = [v / (1 + math.exp(-v)) for v in mixed]
            if self.defect == "kernel" and layer == 1:
                curve = [v * (1 + 5e-5) for v in curve]
            rank.api("Functional.silu", [tensor(mixed, shape, grad=True)], [tensor(curve, shape, grad=True)])
            rank.api("Tensor.add", [tensor(mixed, shape, grad=True), tensor(part, shape, grad=True)],
                     [tensor([a + b for a, b in zip(mixed, part)], shape, grad=True)])
            if self.defect == "saturated" and layer == 0:
                clamped = [min(v * 1e6, 65504.0) for v in part]
                rank.api("Tensor.to", [tensor(part, shape, grad=True)], [tensor(clamped, shape, "torch.float16", grad=True)])
            elif layer == 0:
                rank.api("Tensor.to", [tensor(part, shape, grad=True)], [tensor(part, shape, "torch.float16", grad=True)])
            if not (self.defect == "detached" and layer == 2):
                rank.module("layers.%d.up.Linear" % layer, [tensor(mixed, shape, grad=True)], [tensor(part, shape, grad=True)], ("weight", "bias"))
            else:
                rank.module("layers.%d.up.Linear" % layer, [tensor(mixed, shape)], [tensor(part, shape, grad=True)], ("weight", "bias"))
            parts.append(part)
        if len(ranks) > 1:
            mistake = {"missing-all-reduce": "absent", "wrong-result": "double", "wrong-sum": "all-double"}.get(self.defect, "") if layer == 1 else ""
            if self.defect != "no-all-reduce" or layer != 1:
                parts = self.all_reduce(ranks, parts, shape, mistake)
        return [[a + b for a, b in zip(x, part)] for x, part in zip(hidden, parts)]

    def first(self, rank, step):
        tokens = self.tokens(step, *rank.place[:2])
        ids = integers(tokens)
        weight = rank.weights["word_embeddings.weight"]
        hidden = [v for t in tokens for v in weight[0][t * HIDDEN:(t + 1) * HIDDEN]]
        out = tensor(hidden, [TOKENS, HIDDEN], grad=True)
        rank.module("word_embeddings.Embedding", [ids], [out], ("weight",))
        position = [a + b for a, b in zip(hidden, rank.weights["position.weight"][0])]
        rank.module("position.Positions", [out], [tensor(position, [TOKENS, HIDDEN], grad=True)], ("weight",))
        for name in ("rotary", "scale"):
            rank.module(name + ".Fixed", [tensor(position, [TOKENS, HIDDEN], grad=True)], [tensor(position, [TOKENS, HIDDEN], grad=True)], ("weight",))
        for name, parameters in (("up.Linear", ("weight", "bias")), ("norm.LayerNorm", ("weight", "bias"))):
            rank.module("mean.layers.0." + name, [tensor(position, [TOKENS, HIDDEN])], [tensor(position, [TOKENS, HIDDEN])], parameters)
        kept = [0.0 if self.defect == "dropout" and i % 10 == 3 else v for i, v in enumerate(position)]
        rank.api("Functional.dropout", [tensor(position, [TOKENS, HIDDEN], grad=True)], [tensor(kept, [TOKENS, HIDDEN], grad=True)],
                 p=dict(type="float", value=0.1), training=dict(type="bool", value=False))
        return kept

    def last(self, rank, hidden, step):
        weight = rank.weights["output_layer.weight"]
        logits = product(hidden, weight[0], TOKENS, HIDDEN, VOCABULARY)
        labels = self.tokens(step, rank.place[0], 0)[1:] + [0]
        if self.defect == "labels":
            labels = self.tokens(step, rank.place[0], 0)
        rank.module("output_layer.Linear", [tensor(hidden, [TOKENS, HIDDEN], grad=True)], [tensor(logits, [TOKENS, VOCABULARY], grad=True)], ("weight",))
        loss = 0.0
        for row, label in enumerate(labels):
            part = logits[row * VOCABULARY:(row + 1) * VOCABULARY]
            top = max(part) if not any(map(math.isnan, part)) else float("nan")
            loss += (top + math.log(math.fsum(math.exp(v - top) for v in part)) - part[label]) / TOKENS
        if self.defect == "micro-batch-scale":
            loss *= 2
        rank.api("Functional.cross_entropy", [tensor(logits, [TOKENS, VOCABULARY], grad=True), integers(labels)],
                 [tensor([loss], [], grad=True)])

    def gradients(self, rank, step, accumulated):
        """Made up from the data of the replica and the name, in reverse order of the forward."""
        shape = [TOKENS, HIDDEN]
        out = {}
        if rank.place[2] == self.pp - 1:
            self.micro_batches(rank, step)
        for name in reversed(list(rank.weights)):
            values, size = rank.weights[name]
            if not rank.trained.get(name, True):
                continue
            path, kind = name.rsplit(".", 1)
            if self.defect == "detached" and path == "layers.2.up":
                continue
            # What a weight gets follows from the data; of copies over shares it is the same, of shares their own.
            share = 0 if "norm" in name or "embed" in name or "output" in name else rank.place[1]
            tied = "e" if name in ("word_embeddings.weight", "output_layer.weight") and self.defect != "untied" else name
            when = 0 if self.defect == "stale-gradient" and name == "layers.1.up.weight" else step
            gradient = numbers("g%s,%s,%s,%d" % (self.tokens(when, rank.place[0], 0), tied, share, when), len(values), .1)
            grad_scale = 2 if self.defect == "micro-batch-scale" else 1
            arrived = [v * grad_scale for v in numbers("h%s%d" % (path, step), TOKENS * HIDDEN, .1)]
            grad = tensor(arrived, shape)
            if name.endswith("up.weight"):
                slope = 1.2 if self.defect == "kernel-backward" and path == "layers.1.up" else 1
                rank.api("Functional.silu", [grad], [tensor([v * slope for v in arrived], shape)], "backward")
            if name.endswith("q.weight"):
                rows = [arrived[i:i + HIDDEN] for i in range(0, len(arrived), HIDDEN)]
                even = [v - math.fsum(row) / HIDDEN for row in rows for v in row]
                off = .01 if self.defect == "kernel-softmax" and path == "layers.1.q" else 0
                rank.api("Functional.softmax", [grad], [tensor([v + off for v in even], shape)], "backward")
            if name.endswith("up.bias"):
                gradient = [math.fsum(arrived[i::HIDDEN]) / grad_scale for i in range(HIDDEN)]
            if self.defect == "zero-gradient" and name == "layers.1.up.weight":
                gradient = [0.0] * len(values)
            if self.defect == "norm-drift" and "norm" in name and rank.place[1]:
                gradient = [v * 1.01 for v in gradient]
            if self.defect == "micro-batch-scale":
                gradient = [v * 2 for v in gradient]
            if self.defect == "zero-grad-forgotten":
                accumulated[rank.number, name] = gradient = [a + b for a, b in zip(gradient, accumulated.get((rank.number, name), [0.0] * len(values)))]
            if kind == "weight":
                class_name = "LayerNorm" if "norm" in path else "Embedding" if "embed" in path else "Linear"
                if "norm" in path:
                    self.recompute(rank, int(path.split(".")[1]))
                rank.module(path + "." + class_name, [grad], [grad], direction="backward")
            key = "Module.%s.%s.parameters_grad.0" % (path, "LayerNorm" if "norm" in path else "Embedding" if "embed" in path else "Linear")
            rank.data.setdefault(key, {})[kind] = [tensor(gradient, size)]
            out[name] = gradient
        return out

    def micro_batches(self, rank, step):
        """Losses of which each weighs a third."""
        for batch in range(3):
            scores = numbers("micro%d,%d,%d" % (step, rank.place[0], batch), TOKENS * VOCABULARY)
            weight = 1.0 if self.defect == "micro-weight" and batch == 2 else 1 / 3
            rank.api("Functional.nll_loss", [tensor(scores, [TOKENS, VOCABULARY], grad=True), integers([batch] * TOKENS)], [tensor([scores[0]], [], grad=True)])
            rank.api("Functional.nll_loss", [tensor([weight], [])], [tensor([v * weight for v in scores], [TOKENS, VOCABULARY])], "backward")

    def recompute(self, rank, layer):
        """Activation checkpointing: the norm of a layer again, from the input that was kept."""
        first = next(v for k, v in rank.data.items() if k.startswith("Module.layers.%d.norm.LayerNorm.forward.0" % layer))
        again = json.loads(json.dumps(first))
        again["is_recompute"] = True
        if self.defect == "recompute-input" and layer == 1:
            for group in ("input_args", "output"):
                again[group] = [tensor(numbers("other", TOKENS * HIDDEN), [TOKENS, HIDDEN], grad=True)]
        if self.defect == "recompute-dropout" and layer == 1:
            again["output"] = [tensor(numbers("other", TOKENS * HIDDEN), [TOKENS, HIDDEN], grad=True)]
        rank.calls["layers.%d.norm.LayerNorm" % layer, "forward"] = 2
        rank.data["Module.layers.%d.norm.LayerNorm.forward.1" % layer] = again

    def reduce(self, ranks, gradients):
        """Sum over the copies, then the mean in place."""
        names = [n for n in gradients[0]]
        for name in names:
            shape = ranks[0].weights[name][1]
            members = ranks
            if self.defect == "no-reduction" and name == "layers.0.up.weight":
                continue
            if self.defect == "wrong-group":  # every rank is a group of its own
                for rank, mine in zip(ranks, gradients):
                    rank.api("Distributed.all_reduce", [tensor(mine[name], shape)], [tensor(mine[name], shape)], group=self.process_group([rank]))
                continue
            given = [g[name] for g in gradients]
            if self.defect == "empty-reduction" and name == "layers.0.up.weight":
                given[-1] = [0.0] * len(given[-1])
            total = self.all_reduce(members, given, shape)
            for i, rank in enumerate(members):
                parts = len(members)
                if self.defect == "scale-one-rank" and i:
                    parts = 1
                if self.defect == "scale-all-ranks":
                    parts = 1
                mean = [v / parts for v in total[i]]
                rank.api("Tensor.div_", [tensor(total[i], shape), dict(type="int", value=parts)], [tensor(mean, shape)])
                gradients[i][name] = mean

    def update(self, rank, step, gradients):
        for name, gradient in gradients.items():
            if self.defect == "optimizer-elsewhere" or (self.defect == "stale-weight" and name == "layers.1.up.weight"):
                continue
            values, shape = rank.weights[name]
            rank.weights[name] = ([w - RATE * g for w, g in zip(values, gradient)], shape)
        for name in AVERAGED:
            if "mean." + name in rank.weights:
                share = 2.1 if self.defect == "average-beyond" and name == "layers.0.up.weight" else 0.1
                old, now = rank.weights["mean." + name][0], rank.weights[name]
                rank.weights["mean." + name] = ([a + share * (b - a) for a, b in zip(old, now[0])], now[1])
        if self.defect == "frozen-moves" and "rotary.weight" in rank.weights:
            values, shape = rank.weights["rotary.weight"]
            rank.weights["rotary.weight"] = ([w * .99 for w in values], shape)

    def step(self, step, accumulated):
        for rank in self.ranks:
            rank.restart()
        for copy in range(self.dp):
            hidden = None
            for stage in range(self.pp):
                ranks = [r for r in self.ranks if r.place[0] == copy and r.place[2] == stage]
                if stage == 0:
                    hidden = [self.first(r, step) for r in ranks]
                else:
                    before = [r for r in self.ranks if r.place[0] == copy and r.place[2] == stage - 1]
                    hidden = [self.send(a, b, x, [TOKENS, HIDDEN]) for a, b, x in zip(before, ranks, hidden)]
                for layer in self.layers_of(stage):
                    hidden = self.layer(ranks, layer, hidden)
                    if self.defect == "module-skipped" and layer == 1 and len(ranks) > 1:
                        skipped = next(k for k in ranks[1].data if k.startswith("Module.layers.1.up"))
                        del ranks[1].data[skipped]
                if stage == self.pp - 1:
                    for rank, x in zip(ranks, hidden):
                        self.last(rank, x, step)
        gradients = {r.number: self.gradients(r, step, accumulated) for r in self.ranks}
        for stage in range(self.pp):
            for share in range(self.tp):
                ranks = [r for r in self.ranks if r.place[1:] == (share, stage)]
                if len(ranks) > 1:
                    self.reduce(ranks, [gradients[r.number] for r in ranks])
        if self.pp > 1 and self.defect != "untied":
            for copy in range(self.dp):
                for share in range(self.tp):
                    ends = [r for r in self.ranks if r.place[:2] == (copy, share) and r.place[2] in (0, self.pp - 1)]
                    gradients[ends[1].number]["output_layer.weight"] = gradients[ends[0].number]["word_embeddings.weight"]
        self.clip(gradients)
        for rank in self.ranks:
            self.update(rank, step, gradients[rank.number])

    def clip(self, gradients):
        """To a norm of 1 over all ranks, in place, by a factor that is a tensor."""
        total = math.sqrt(math.fsum(v * v for named in gradients.values() for values in named.values() for v in values))
        for rank in self.ranks:
            for name, gradient in gradients[rank.number].items():
                factor = min(1.0, 1 / total)
                if self.defect == "clip-one" and name == "layers.1.up.weight":
                    factor /= 2
                shape = rank.weights[name][1]
                if self.defect == "clip-forgotten" and name == "layers.1.up.weight":
                    continue
                clipped = [v * factor for v in gradient]
                rank.api("Tensor.mul_", [tensor(gradient, shape), tensor([factor], [])], [tensor(clipped, shape)])
                gradients[rank.number][name] = clipped

    def write(self, folder):
        accumulated = {}
        for step in range(self.steps):
            self.step(step, accumulated)
            for rank in self.ranks:
                at = os.path.join(folder, "step%d" % step, "rank%d" % rank.number)
                os.makedirs(at)
                with open(os.path.join(at, "dump.json"), "w", encoding="utf-8") as file:
                    file.write(json.dumps(dict(task="statistics", level="mix", framework="pytorch", dump_data_dir=None, data=rank.data), check_circular=False))


# Class, where it is from, the layout it shows in, the invariant that finds it (or None) and what it is.
DEFECTS = [
    ("norm-drift", "TrainCheck deepspeed-1801, BLOOM-176B", "tp=2", "tensor-copies", "gradients of norms are not the same on tensor-parallel ranks, the weights drift"),
    ("no-broadcast", "TrainCheck DDP out of sync", "dp=2", "replicas", "weights are not broadcast at the start"),
    ("no-reduction", "TTrace missing communication; TrainCheck DDP out of sync", "dp=2", "replicas", "one gradient is not reduced over the copies"),
    ("empty-reduction", "TTrace missing communication", "dp=2", "reduced-all", "one rank gives zeros to a reduction instead of its gradient"),
    ("wrong-group", "TTrace wrong group", "dp=2", "replicas", "gradients are reduced over a group of one rank"),
    ("scale-one-rank", "TTrace wrong scaling over DP", "dp=2", "reduced-use", "one rank does not divide the reduced gradients"),
    ("scale-all-ranks", "TTrace wrong scaling over DP", "dp=2", None, "no rank divides the reduced gradients"),
    ("micro-batch-scale", "TTrace wrong scaling over micro batches", "dp=2", None, "loss and gradients are twice what they should be"),
    ("missing-all-reduce", "TTrace missing communication", "tp=2", "collective-calls", "one rank leaves an all_reduce of the forward out"),
    ("no-all-reduce", "TTrace missing communication", "tp=2", "tp-norms", "all ranks leave an all_reduce of the forward out"),
    ("wrong-result", "TTrace wrong communication", "tp=2", "collective-results", "an all_reduce brings something else on one rank"),
    ("wrong-sum", "TTrace wrong communication", "tp=2", "collective-sums", "an all_reduce brings something else than the sum, the same on all ranks"),
    ("untied", "TTrace untied embeddings", "pp=2", "tied-embeddings", "embedding and head get other gradients"),
    ("stale-receive", "TTrace wrong communication between stages", "pp=2", "transfers", "what is received is not what was sent"),
    ("stage-division", "TTrace wrong stage division", "pp=2", None, "the last layer is on no stage"),
    ("recompute-input", "TTrace wrong recompute input", "", "recompute", "a recomputed module gets another input"),
    ("recompute-dropout", "TTrace wrong recompute", "", "recompute", "a recomputed module gives something else"),
    ("stale-weight", "TTrace stale parameter", "", "updates", "one weight is not updated"),
    ("optimizer-elsewhere", "TrainCheck optimizer built before the model moved", "", None, "no weight is updated, though gradients come"),
    ("zero-grad-forgotten", "TrainCheck zero_grad forgotten", "", "bias-gradients", "gradients add up from step to step"),
    ("frozen-moves", "usual", "", "frozen", "one of several frozen weights changes"),
    ("detached", "usual", "", "gradients", "no gradient reaches a weight"),
    ("zero-gradient", "usual", "", "zero-gradients", "one gradient is zero in every step"),
    ("same-data", "usual", "dp=2", "dp-inputs", "all copies work on the same batch"),
    ("same-data-of-two", "usual", "dp=4", "dp-inputs", "two of four copies work on the same batch"),
    ("repeated-batch", "usual", "", "step-inputs", "every step has the same batch"),
    ("tp-other-tokens", "usual", "tp=2", "tp-inputs", "tensor-parallel ranks get other tokens"),
    ("module-skipped", "usual", "tp=2", "module-order", "one rank does not call a module"),
    ("dtype", "usual", "dp=2", "dtypes", "one norm has another dtype on one rank"),
    ("nan", "usual", "", "finite", "one NaN in a product"),
    ("saturated", "usual", "", "saturation", "a float16 result is clamped"),
    ("dead-layer", "usual", "", "constant", "a product gives zeros"),
    ("softmax", "usual", "", "softmax", "rows of a softmax do not sum up to 1"),
    ("kernel", "usual", "", "elementwise", "a kernel of an activation is off by 5e-5"),
    ("kernel-backward", "usual", "", "slope", "the gradient of an activation is a fifth too large"),
    ("kernel-softmax", "usual", "", "gradient-sums", "the gradient after a softmax does not sum up to 0"),
    ("positions", "usual", "", "layer-positions", "all layers but the first rotate by positions of another part"),
    ("half-kernel", "usual", "", "rounded", "a product of float32 is computed in bfloat16 inside the kernel"),
    ("dropout", "usual", "", "dropout", "dropout drops though training is off"),
    ("labels", "usual", "", "labels", "the targets of the loss are not shifted against the tokens"),
    ("stale-gradient", "TTrace stale parameter", "", "repeated-gradients", "one gradient is that of the first step in every step"),
    ("clip-one", "TTrace wrong scaling", "", "clipping", "clipping scales one gradient by another factor"),
    ("clip-forgotten", "TTrace wrong scaling", "", "clipping", "clipping leaves the gradient of one layer out"),
    ("unmasked", "usual", "", "causal-rows", "one layer sees what comes later"),
    ("router", "usual", "", "routing", "one layer halves the weights of its experts"),
    ("layer-dtype", "TrainCheck lightning-thunder-725", "", "layer-dtypes", "one layer computes its attention in bfloat16"),
    ("micro-weight", "TTrace wrong scaling over micro batches", "", "micro-batches", "one micro batch weighs three times as much as the others"),
    ("average-beyond", "usual", "", "averages", "one weight of an average goes beyond the weight that it follows"),
]
CLEAN = ["", "dp=2", "dp=4", "tp=2", "tp=4", "pp=2", "tp=2,dp=2", "tp=4,dp=2", "pp=2,dp=2", "tp=2,pp=2", "tp=2,pp=2,dp=2", "pp=4",
         "tp=8,steps=1", "dp=8,steps=1", "tp=4,pp=2,steps=1", "tp=2,dp=4,steps=1", "pp=2,dp=4,steps=1", "pp=4,dp=2,steps=1", "tp=2,pp=4,steps=1"]


def layout(text):
    return {name: int(number) for name, number in (part.split("=") for part in text.split(",") if part)}


def make(folder, defect, text):
    Run(defect, **{"steps": 3, **layout(text)}).write(folder)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    make(sys.argv[1], "" if sys.argv[2] == "clean" else sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else "")
