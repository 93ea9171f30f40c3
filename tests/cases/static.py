#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The static program where it will run: in a folder that has nothing else, and under a container runtime that knows
no clone3. `make static` calls it. STATIC names that program, VERNIER the one of the tree, which is its measure."""
import filecmp
import os
import shutil
import subprocess
import unittest

from program import Case, EMULATED, SAMPLES, VERNIER, main

STATIC = os.environ.get("STATIC", "")
FORMATS = "html,md,json,xlsx,svg,csv"
CHROOT = [] if os.geteuid() == 0 else ["unshare", "-r"]


@unittest.skipUnless(STATIC, "STATIC names no program")
class Static(Case):
    def setUp(self):
        super().setUp()
        self.root = self.path("root")
        shutil.copytree(os.path.join(SAMPLES, "gpt"), os.path.join(self.root, "gpt"))
        shutil.copy(STATIC, os.path.join(self.root, "vernier"))

    def compare(self, program, out, formats, language, **environment):
        done = subprocess.run([*program, "compare", "gpt/golden", "gpt/target", "-o", "out", "--format", formats,
                               "--lang", language, "--quiet"], cwd=self.root, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # The verdict alone: no library says what it lacks.
        self.assertEqual((done.returncode, (done.stdout + done.stderr).count(b"\n")), (1, 1), done.stderr)
        folder = os.path.join(self.root, out)
        os.rename(os.path.join(self.root, "out"), folder)  # the report repeats the command line
        return folder, sorted(os.listdir(folder))

    def same(self, one, other):
        self.assertEqual(one[1], other[1])
        self.assertEqual(filecmp.cmpfiles(one[0], other[0], one[1], shallow=False)[1:], ([], []))

    def test_in_an_empty_folder_it_writes_the_report_of_the_tree_in_both_languages(self):
        for language in "en", "zh":
            alone = self.compare([*CHROOT, "chroot", self.root, "/vernier"], "alone-" + language, FORMATS, language,
                                 PATH=os.environ["PATH"])
            tree = self.compare([VERNIER], "tree-" + language, FORMATS, language)
            self.same(alone, tree)

    def test_pictures_are_the_same_bytes_with_the_fonts_of_this_machine_and_with_none(self):
        for language in "en", "zh":
            alone = self.compare([*CHROOT, "chroot", self.root, "/vernier"], "none-" + language, "png,pdf", language,
                                 PATH=os.environ["PATH"])
            here = self.compare([STATIC], "here-" + language, "png,pdf", language, HOME=self.folder)
            self.same(alone, here)

    def test_it_needs_no_library_and_is_no_larger_than_14_MB(self):
        self.assertLessEqual(os.path.getsize(STATIC), 16e6)
        dynamic = subprocess.run(["readelf", "-dW", STATIC], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertNotIn("NEEDED", dynamic)
        self.assertIn("PIE", dynamic)
        symbols = subprocess.run(["readelf", "--dyn-syms", "-W", STATIC], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.assertNotIn("GLIBC_", symbols)
        self.assertNotIn(" UND ", symbols.replace(" UND \n", "\n"))

    @unittest.skipUnless(shutil.which("strace") and not EMULATED, "no strace, or of the emulator's calls")
    def test_threads_start_where_a_filter_refuses_clone3(self):
        trace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=clone3:error=EPERM", STATIC]
        refused = self.compare(trace, "refused", "png,json", "en", HOME=self.folder)
        self.same(refused, self.compare([STATIC], "granted", "png,json", "en", HOME=self.folder))


if __name__ == "__main__":
    main()
