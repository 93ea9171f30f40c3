# SPDX-License-Identifier: Apache-2.0
"""torch_hook.py with what `vernier check` needs besides: the gradients of weights, and what the ranks of torch.distributed
exchange (collectives, send, recv) with its group. Beside torch_hook.py; after init_process_group, in each rank:
    from torch_check_hook import CheckDump
    with CheckDump("run/target", model, step=3, rank=rank, backward=True):
        loss = model(batch).sum(); loss.backward()
    vernier check run/target
"""
from torch import distributed
from torch_hook import Dump

CALLS = ("all_reduce", "broadcast", "all_gather", "reduce_scatter", "send", "recv")


def ranks_of(group):
    if group is None:
        return list(range(distributed.get_world_size()))
    if hasattr(distributed, "get_process_group_ranks"):
        return distributed.get_process_group_ranks(group)
    return sorted(distributed.distributed_c10d._pg_group_ranks[group])


class CheckDump(Dump):
    HEADER = {"gradients": "accumulated"}  # of the first line

    def __init__(self, folder, model, *args, backward=False, **kwargs):
        super().__init__(folder, model, *args, backward=backward, **kwargs)
        for path, module in model.named_modules() if backward else ():
            name = type(model).__name__ + ("." + path if path else "")
            line = {"op": name, "module": path, "class": type(module).__name__, "io": "grad"}
            self.handles += [value.register_hook(self.arrive(dict(line, slot=key), value))
                             for key, value in module.named_parameters(recurse=False) if value.requires_grad]

    def arrive(self, line, value):
        """The gradient as this backward leaves it: with what is there already."""
        def hook(grad):
            self.write_one(dict(line), grad if value.grad is None else value.grad + grad)
        return hook

    def __enter__(self):
        self.plain = {name: getattr(distributed, name) for name in CALLS}
        for name, function in self.plain.items():
            setattr(distributed, name, self.written(name, function))
        return super().__enter__()

    def __exit__(self, *error):
        for name, function in self.plain.items():
            setattr(distributed, name, function)
        super().__exit__(*error)

    def written(self, name, function):
        def call(*args, group=None, **kwargs):
            number = self.calls[name] = self.calls.get(name, -1) + 1
            line = {"op": "Distributed.%s.%d.forward" % (name, number)}
            self.write(line, "input", [None if name == "recv" else args[0], *args[1:]])
            for key, value in kwargs.items():
                self.write_one(dict(line, io="input", slot=key), value)
            self.write_one(dict(line, io="input", slot="group", kind="other", type="torch.ProcessGroup"), str(ranks_of(group)))
            out = function(*args, group=group, **kwargs)
            self.write(line, "output", args[0] if name in ("all_gather", "reduce_scatter") else [args[0]])
            return out
        return call
