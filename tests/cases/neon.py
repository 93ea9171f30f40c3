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

    @unittest.skipIf(NATIVE or not shutil.which("aarch64-linux-gnu-objdump"), "another compiler may choose otherwise")
    def test_the_errors_that_are_left_to_the_plain_form_are_vectors_there(self):
        subprocess.run([COMPILER, "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-O3", "-fno-trapping-math", "-fno-math-errno",
                        "-ffp-contract=off", "-Isrc", "-I.", "-c", "src/compare/tensor/tensor_metrics_kernel.c",
                        "-o", self.path("plain.o")], cwd=SOURCE, check=True)
        code = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", self.path("plain.o")],
                              stdout=subprocess.PIPE, check=True).stdout.decode()
        errors = code.split("<own_errors>:\n")[1].split("\n\n")[0]
        self.assertRegex(errors, r"\bfdiv\s+v\d+\.4s")


if __name__ == "__main__":
    main()
