# SPDX-License-Identifier: Apache-2.0
"""Writes what the modules of a PyTorch model take and give as vernier.dump/1 (docs/dump-format.md):
    from torch_hook import Dump
    with Dump("run/golden", model, step=3, rank=0):      # tensors=True: the elements too, as .npy
        loss = model(batch).sum(); loss.backward()
    vernier compare run/golden run/target
Inputs, by place and by keyword, are taken before the call. What cannot be written costs itself, never the training: standard error
says so, and the dump is PARTIAL. Gradients: backward=True, which needs a model without in-place operations. Of weights, and
collectives: torch_check_hook.py.
"""
import collections.abc
import functools
import json
import os
import sys

import numpy
import torch

DEPTH = 16  # of containers in containers
RECORDED = {"inputs": ["positional", "keyword"], "taken": "before the call"}


def in_backward():
    """Whether this forward runs within a backward: it is computed again."""
    task = getattr(torch._C, "_current_graph_task_id", None)
    return task is not None and task() != -1


def leaves(value, slot, depth=0):
    """The slots of a value: lists, tuples, dicts and what is like them are walked to what they hold."""
    if depth < DEPTH and isinstance(value, collections.abc.Mapping):
        parts = value.items()
    elif depth < DEPTH and isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        parts = enumerate(value)
    elif depth < DEPTH and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        parts = [(name, getattr(value, name)) for name in value.__dataclass_fields__]
    else:
        yield slot, value
        return
    for key, part in parts:
        yield from leaves(part, "%s.%s" % (slot, key), depth + 1)


def numbered(values):
    """What was given by place, with its slot; a value alone is the first."""
    return [(str(place), value) for place, value in enumerate(values if isinstance(values, (tuple, list)) else [values])]


def in_float64(data):
    """Where the device has no float64 the statistics are those of a copy on the CPU."""
    data = torch.view_as_real(data) if data.is_complex() else data
    try:
        return data.double()
    except (RuntimeError, TypeError):
        return data.cpu().double()


def statistics(data):
    """Four numbers in one transfer."""
    real = in_float64(data)
    return dict(zip(("max", "min", "mean", "norm"), torch.stack([real.max(), real.min(), real.mean(), real.norm()]).tolist()))


class Dump:
    def __init__(self, folder, model, step=0, rank=0, tensors=False, backward=False):
        self.folder = os.path.join(folder, "step%d" % step, "rank%d" % rank)
        self.tensors, self.calls, self.open, self.handles, self.wrapped = tensors, {}, [], [], []
        self.file, self.said = None, set()
        header = {"schema": "vernier.dump/1", "framework": "pytorch", "level": "L0", "torch_version": str(torch.__version__),
                  "recorded": dict(RECORDED, directions=["forward"] + ["backward"] * backward), **getattr(self, "HEADER", {})}
        self.safely(self.begin, header)
        for path, module in model.named_modules() if self.file else ():
            name = type(model).__name__ + ("." + path if path else "")
            self.safely(self.watch, module, name, path, backward)

    def begin(self, header):
        os.makedirs(os.path.join(self.folder, "dump_tensor_data"), exist_ok=True)
        self.file = open(os.path.join(self.folder, "dump.jsonl"), "w", encoding="utf-8")
        self.file.write(json.dumps(header) + "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()
        for module in self.wrapped:
            self.safely(module.__dict__.pop, "forward", None)
        if self.file:
            self.safely(self.file.close)
        self.file, self.handles, self.wrapped = None, [], []

    def safely(self, act, *args):
        """What a hook does must not end the training: an error is told once, and marked in the dump."""
        try:
            with torch.no_grad():
                return act(*args)
        except Exception as error:
            text = "%s: %s" % (type(error).__name__, error)
            if text not in self.said:
                print("torch_hook: not written:", text, file=sys.stderr)
            self.said.add(text)
            try:
                self.file.write(json.dumps({"error": text}) + "\n")
            except Exception:
                pass

    def watch(self, module, name, path, backward):
        """Wraps forward: hooks of torch before 2.0 see no keywords, and none an exception."""
        if "forward" in module.__dict__:
            raise TypeError("%s has a forward of its own already, it is not watched" % name)
        forward = module.forward

        @functools.wraps(forward)
        def call(*args, **kwargs):
            frame = self.safely(self.enter, module, name, path, args, kwargs)
            given = False
            try:
                output = forward(*args, **kwargs)
                given = True
            finally:
                self.safely(self.leave, frame, numbered(output) if given else ())
            return output

        module.forward = call
        self.wrapped.append(module)
        if backward:
            self.handles.append(module.register_full_backward_hook(self.back(name, path)))

    def enter(self, module, name, path, args, kwargs):
        number = self.calls[name] = self.calls.get(name, -1) + 1
        line = {"op": name, "module": path, "class": type(module).__name__, "call": number, "parent": self.open[-1] if self.open else None}
        if in_backward():
            line["is_recompute"] = True
        self.open.append(name + "#%d" % number if number else name)
        frame = {"depth": len(self.open), "line": line, "lines": []}
        self.take(frame["lines"], line, "input", [*numbered(args), *kwargs.items()])
        self.take(frame["lines"], line, "param", module.named_parameters(recurse=False))
        return frame

    def leave(self, frame, outputs):
        if frame is None:
            return
        del self.open[frame["depth"] - 1:]
        for line in frame["lines"]:
            self.put(line)
        self.write(frame["line"], "output", outputs)

    def back(self, name, path):
        def hook(module, grad_input, grad_output):
            line = {"op": name, "module": path, "class": type(module).__name__, "direction": "backward"}
            self.safely(self.write, line, "input", numbered(grad_output))
            self.safely(self.write, line, "output", numbered(grad_input))
        return hook

    def take(self, into, line, io, values):
        """Lines of these values as they are now; one that fails costs itself."""
        for slot, value in values:
            for key, leaf in self.safely(lambda: list(leaves(value, slot))) or ():
                made = self.safely(self.made, dict(line, io=io, slot=key), leaf)
                into += [made] if made else []

    def write(self, line, io, values):
        lines = []
        self.take(lines, line, io, values)
        for made in lines:
            self.put(made)

    def write_one(self, line, value):
        self.put(self.made(line, value))

    def put(self, line):
        if self.file:
            self.file.write(json.dumps(line) + "\n")

    def made(self, line, value):
        if not isinstance(value, torch.Tensor):
            plain = value is None or isinstance(value, (bool, int, float, str))
            line["value"] = value if plain else str(value) if isinstance(value, (torch.dtype, torch.Size)) else str(type(value))
            return line
        data = value.detach()
        data = data.to_dense() if data.layout != torch.strided else data.dequantize() if data.is_quantized else data
        line.update(dtype=str(value.dtype), shape=list(value.shape), requires_grad=value.requires_grad)
        if data.numel():
            line.update(statistics(data))
        if self.tensors:
            line["file"] = ".".join(str(line.get(key, 0)) for key in ("op", "call", "direction", "io", "slot")) + ".npy"
            data = data.float() if data.dtype == torch.bfloat16 else data
            numpy.save(os.path.join(self.folder, "dump_tensor_data", line["file"]), data.cpu().numpy())
        return line
