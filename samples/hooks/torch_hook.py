# SPDX-License-Identifier: Apache-2.0
"""Writes what the modules of a PyTorch model take and give as vernier.dump/1 (docs/dump-format.md):
    from torch_hook import Dump
    with Dump("run/golden", model, step=3, rank=0):      # tensors=True: the elements too, as .npy
        loss = model(batch).sum(); loss.backward()
    vernier compare run/golden run/target
Gradients: backward=True, which needs a model without in-place operations. Of weights, and collectives: torch_check_hook.py.
"""
import json
import os

import numpy
import torch


class Dump:
    def __init__(self, folder, model, step=0, rank=0, tensors=False, backward=False):
        self.folder = os.path.join(folder, "step%d" % step, "rank%d" % rank)
        os.makedirs(os.path.join(self.folder, "dump_tensor_data"), exist_ok=True)
        self.file = open(os.path.join(self.folder, "dump.jsonl"), "w", encoding="utf-8")
        self.tensors, self.calls, self.open, self.handles = tensors, {}, [], []
        self.file.write(json.dumps({"schema": "vernier.dump/1", "framework": "pytorch", "level": "L0",
                                    "torch_version": str(torch.__version__), **getattr(self, "HEADER", {})}) + "\n")
        for path, module in model.named_modules():
            name = type(model).__name__ + ("." + path if path else "")
            self.handles += [module.register_forward_pre_hook(self.enter(name)),
                             module.register_forward_hook(self.leave(name, path))]
            if backward:
                self.handles.append(module.register_full_backward_hook(self.back(name, path)))

    def __enter__(self):
        return self
    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()
        self.file.close()

    def enter(self, name):
        def hook(module, args):
            call = self.calls[name] = self.calls.get(name, -1) + 1
            self.open.append(name + "#%d" % call if call else name)
        return hook

    def leave(self, name, path):
        def hook(module, args, output):
            self.open.pop()
            line = {"op": name, "module": path, "class": type(module).__name__, "call": self.calls[name],
                    "parent": self.open[-1] if self.open else None}
            self.write(line, "input", args)
            for key, value in module.named_parameters(recurse=False):
                self.write_one(dict(line, io="param", slot=key), value)
            self.write(line, "output", output)
        return hook

    def back(self, name, path):
        def hook(module, grad_input, grad_output):
            line = {"op": name, "module": path, "class": type(module).__name__, "direction": "backward"}
            self.write(line, "input", grad_output)
            self.write(line, "output", grad_input)
        return hook

    def write(self, line, io, values):
        for slot, value in enumerate(values if isinstance(values, (tuple, list)) else [values]):
            for key, item in value.items() if isinstance(value, dict) else [("", value)]:
                self.write_one(dict(line, io=io, slot=str(slot) + (".%s" % key if key else "")), item)

    def write_one(self, line, value):
        if isinstance(value, torch.Tensor):
            data = value.detach()
            line.update(dtype=str(data.dtype), shape=list(data.shape), requires_grad=value.requires_grad)
            if data.numel():
                real = data.double()
                line.update({key: getattr(real, key)().item() for key in ("max", "min", "mean", "norm")})
            if self.tensors:
                line["file"] = ".".join(str(line.get(key, 0)) for key in ("op", "call", "direction", "io", "slot")) + ".npy"
                data = data.float() if data.dtype == torch.bfloat16 else data
                numpy.save(os.path.join(self.folder, "dump_tensor_data", line["file"]), data.cpu().numpy())
        else:
            line["value"] = value if value is None or isinstance(value, (bool, int, float, str)) else str(type(value))
        self.file.write(json.dumps(line) + "\n")
