# SPDX-License-Identifier: Apache-2.0
"""torch_hook.py with what `vernier check` needs besides: the gradients of weights, and what the ranks of torch.distributed
exchange (collectives, send, recv) with its group. Beside torch_hook.py; after init_process_group, in each rank:
    from torch_check_hook import CheckDump
    with CheckDump("run/target", model, step=3, rank=rank, backward=True):
        loss = model(batch).sum(); loss.backward()
    vernier check run/target
Calls from Python are seen, however the function was imported and its arguments are given. What C++ calls is not: the
all_reduce of DistributedDataParallel, functional collectives of torch.compile.
"""
import functools
import inspect
import sys

import torch
from torch import distributed
from torch_hook import Dump, leaves, numbered

# The argument that a call fills, where it is not the first; and whether what stands there before has a meaning.
FILLS = {"gather": "gather_list"}
KEEPS = ("all_reduce", "broadcast", "reduce", "send", "isend", "scatter", "all_reduce_coalesced")
CALLS = KEEPS + ("all_gather", "all_gather_into_tensor", "_all_gather_base", "all_gather_coalesced", "reduce_scatter",
                 "reduce_scatter_tensor", "_reduce_scatter_base", "all_to_all", "all_to_all_single", "gather", "recv", "irecv")


def ranks_of(group):
    if group is None:
        return list(range(distributed.get_world_size()))
    if hasattr(distributed, "get_process_group_ranks"):
        return distributed.get_process_group_ranks(group)
    return sorted(distributed.distributed_c10d._pg_group_ranks[group])


def holds_tensor(value):
    return any(isinstance(leaf, torch.Tensor) for _, leaf in leaves(value, ""))


class Later:
    """Work of a call that goes on: what it gives is written when it was waited for."""
    def __init__(self, work, done):
        self._work, self._done = work, done

    def wait(self, *args, **kwargs):
        out = self._work.wait(*args, **kwargs)
        done, self._done = self._done, lambda: None
        done()
        return out

    def __getattr__(self, name):
        return getattr(self._work, name)


class CheckDump(Dump):
    HEADER = {"gradients": "accumulated"}  # of the first line

    def __init__(self, folder, model, *args, backward=False, **kwargs):
        super().__init__(folder, model, *args, backward=backward, **kwargs)
        self.within, self.replaced = False, []
        for path, module in model.named_modules() if backward and self.file else ():
            name = type(model).__name__ + ("." + path if path else "")
            line = {"op": name, "module": path, "class": type(module).__name__, "io": "grad"}
            self.handles += [value.register_hook(self.arrive(dict(line, slot=key), value))
                             for key, value in module.named_parameters(recurse=False) if value.requires_grad]

    def arrive(self, line, value):
        """The gradient as this backward leaves it: with what is there already."""
        def hook(grad):
            self.safely(lambda: self.write_one(dict(line), grad if value.grad is None else value.grad + grad))
        return hook

    def __enter__(self):
        self.safely(self.replace)
        return super().__enter__()

    def __exit__(self, *error):
        for space, key, function in self.replaced:
            space[key] = function
        self.replaced = []
        super().__exit__(*error)

    def replace(self):
        """In every module that holds the function, under whatever name it was imported."""
        calls = {id(function): self.written(name.lstrip("_"), function)
                 for name, function in ((name, getattr(distributed, name, None)) for name in CALLS) if function}
        for module in list(sys.modules.values()):
            space = getattr(module, "__dict__", {})
            for key, value in list(space.items()):
                if id(value) in calls and callable(value):
                    self.replaced.append((space, key, value))
                    space[key] = calls[id(value)]

    def written(self, name, function):
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args, **kwargs):
            if self.within or not self.file:  # a collective that another one is made of
                return function(*args, **kwargs)
            self.within = True
            try:
                done = self.safely(self.taken, name, signature, args, kwargs)
                out = function(*args, **kwargs)
            finally:
                self.within = False
            if done and hasattr(out, "wait"):
                return Later(out, done)
            if done:
                done()
            return out
        return call

    def taken(self, name, signature, args, kwargs):
        """Writes what the call takes; gives what writes its output. Tensors have their place, whether a keyword names them or not."""
        number = self.calls[name] = self.calls.get(name, -1) + 1
        line = {"op": "Distributed.%s.%d.forward" % (name, number)}
        given = signature.bind(*args, **kwargs).arguments
        filled = FILLS.get(name, next(iter(given)))
        for place, key in enumerate(signature.parameters):
            if key not in given or key == "group":
                continue
            value = given[key] if name in KEEPS or key != filled else None
            by_place = place < len(args) or holds_tensor(given[key])
            self.write(line, "input", [(str(place) if by_place else key, value)])
        group = ranks_of(given.get("group"))
        self.write_one(dict(line, io="input", slot="group", kind="other", type="torch.ProcessGroup"), str(group))
        return lambda: self.safely(lambda: self.write(line, "output", numbered(given.get(filled))))
