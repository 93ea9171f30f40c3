#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory is bounded by threads, not by ranks: more of them need about as much, for each number of threads.

VERNIER names the program.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from program import VERNIER, main

OPS, FEW, MANY = 600, 4, 16
FORMATS = "html,md,json,svg,xlsx,csv"


def tensor(norm):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4, 8], "Max": norm / 3, "Min": -norm / 4,
            "Mean": norm / 100, "Norm": norm, "requires_grad": False}


def write_rank(folder, off):
    data = {}
    for i in range(OPS):
        factor = off if i >= OPS // 2 else 1.0
        data["Module.layers.%d.Linear.forward.0" % i] = {
            "input_args": [tensor((2 + i) * 1.0001234567 * (factor if i > OPS // 2 else 1.0))], "input_kwargs": {},
            "output": [tensor((3 + i) * 1.0001234567 * factor)]}  # no short numbers
    os.makedirs(folder)
    for name, content in (("dump", {"task": "statistics", "level": "L0", "framework": "pytorch", "data": data}),
                          ("construct", {key: None for key in data}),
                          ("stack", {str(i): [[key], ["File model.py, line %d, in forward, \n x" % i]] for i, key in enumerate(data)})):
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as out:
            json.dump(content, out)


@unittest.skipUnless(os.path.exists("/proc/self/status"), "needs Linux")
class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        for side, off in (("golden", 1.0), ("target", 1.02)):
            first = os.path.join(cls.folder, "one", side)
            write_rank(first, off)
            for ranks in (FEW, MANY):
                for rank in range(ranks):
                    shutil.copytree(first, os.path.join(cls.folder, str(ranks), side, "step0", "rank%d" % rank))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def peak(self, code, *arguments):
        """Kilobytes that were in memory at most."""
        env = dict(os.environ, LC_ALL="C", ASAN_OPTIONS="quarantine_size_mb=1:detect_leaks=0", MALLOC_ARENA_MAX="1")
        run = subprocess.Popen([VERNIER, *arguments, "-o", os.path.join(self.folder, "out"), "--format", FORMATS], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        most = 0
        while run.poll() is None:  # what wait4 tells holds the memory of this program before the run began
            try:
                with open("/proc/%d/status" % run.pid, encoding="ascii") as file:
                    found = re.search(r"^VmHWM:\s+(\d+)", file.read(), re.M)
                most = max(most, int(found.group(1))) if found else most
            except OSError:
                pass
            time.sleep(0.002)
        self.assertEqual(run.returncode, code)
        return most

    def compare(self, ranks, jobs):
        sides = [os.path.join(self.folder, str(ranks), side) for side in ("golden", "target")]
        return self.peak(1, "compare", *sides, "--jobs", str(jobs))

    def test_four_times_the_ranks_need_about_as_much_memory(self):
        for jobs in (1, 2):
            few, many = self.compare(FEW, jobs), self.compare(MANY, jobs)
            self.assertLess(many, 1.3 * few, "%d threads: %d KB for %d ranks, %d KB for %d" % (jobs, few, FEW, many, MANY))

    def test_check_keeps_once_what_ranks_have_in_common(self):
        """Their texts and their order of calls; with a copy for each rank it was 1.34 times."""
        run = os.path.join(self.folder, "run", "step0")
        for rank in range(32):
            shutil.copytree(os.path.join(self.folder, "one", "target"), os.path.join(run, "rank%d" % rank))
        few, many = (self.peak(0, "check", run, "--rank", "0-%d" % last, "--jobs", "1") for last in (3, 31))
        self.assertLess(many, 1.2 * few, "%d KB for 4 ranks, %d KB for 32" % (few, many))


if __name__ == "__main__":
    main()
