#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tensor kernel of aarch64 gives the bits of the plain one: built by the cross compiler, run by qemu. Compilers of both
kinds and their warnings are those of the tree. SAMPLES names a folder of the source tree."""
import os
import platform
import shutil
import subprocess
import unittest

from program import Case, SAMPLES, main

SOURCE = os.path.dirname(SAMPLES)
NATIVE = platform.machine() in ("aarch64", "arm64")
COMPILER = shutil.which("cc" if NATIVE else "aarch64-linux-gnu-gcc")
RUNNER = [] if NATIVE else [shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")]
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef -Werror".split()


@unittest.skipUnless(COMPILER and None not in RUNNER, "no compiler for aarch64, or no qemu")
class Neon(Case):
    def test_sums_blocks_and_halves_are_those_of_the_plain_form(self):
        kernels = ["src/compare/tensor/tensor_metrics_%s.c" % name for name in ("kernel", "neon")]
        for level in "-O0", "-O3":
            subprocess.run([COMPILER, "-static", "-std=c17", "-D_POSIX_C_SOURCE=200809L", level, "-fno-trapping-math",
                            "-fno-math-errno", "-ffp-contract=off", *WARNINGS, "-Isrc", "-I.", "-Itests",
                            "-ffunction-sections", "-Wl,--gc-sections", "tests/neon_kernels.c", *kernels, "-lm",
                            "-o", self.path("neon")], cwd=SOURCE, check=True)
            subprocess.run([*RUNNER, self.path("neon")], check=True)


if __name__ == "__main__":
    main()
