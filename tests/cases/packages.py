#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packages where they will be installed, without an index. `make packages` calls it: DIST has the packages, VERNIER is
the program of the tree, which is their measure."""
import filecmp
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

from program import Case, SAMPLES, VERNIER, main

DIST = os.environ.get("DIST", "")
GOLDEN, TARGET = os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target")


def package(pattern):
    found = glob.glob(os.path.join(DIST, pattern))
    assert len(found) == 1, "%s: %d files" % (pattern, len(found))
    return found[0]


@unittest.skipUnless(DIST, "DIST names no folder")
class Packages(Case):
    def says_what_the_tree_says(self, *program):
        for name, command in ("tree", [VERNIER]), ("package", list(program)):
            done = subprocess.run([*command, "compare", GOLDEN, TARGET, "-o", "out", "--lang", "zh", "--format",
                                   "html,md,json,xlsx,svg,csv", "--quiet"], cwd=self.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1)
            os.rename(self.path("out"), self.path(name))  # the report repeats the command line
        names = sorted(os.listdir(self.path("tree")))
        self.assertEqual(names, sorted(os.listdir(self.path("package"))))
        self.assertEqual(filecmp.cmpfiles(self.path("tree"), self.path("package"), names, shallow=False)[1:], ([], []))

    def test_the_sums_are_those_of_the_packages(self):
        with open(os.path.join(DIST, "SHA256SUMS")) as file:
            listed = dict(reversed(line.split()) for line in file)
        self.assertEqual(set(listed), set(os.listdir(DIST)) - {"SHA256SUMS"})
        for name, digest in listed.items():
            with open(os.path.join(DIST, name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), digest)

    def test_the_archive_runs_where_it_is_unpacked_and_has_pages_and_notices(self):
        with tarfile.open(package("*.tar.xz")) as tar:
            tar.extractall(self.folder)
        top, = glob.glob(self.path("vernier-*"))
        self.says_what_the_tree_says(os.path.join(top, "bin", "vernier"))
        for name in ["share/man/man1/vernier-compare.1", "share/doc/vernier/licences/libcairo2-dev",
                     "share/doc/vernier/docs/install.md", "share/doc/vernier/samples/gpt"]:
            self.assertTrue(os.path.exists(os.path.join(top, name)), name)

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not here")
    def test_the_deb_holds_what_its_sums_say_and_needs_nothing(self):
        deb = package("*.deb")
        subprocess.run(["dpkg-deb", "-x", deb, self.path("root")], check=True)
        subprocess.run(["dpkg-deb", "-e", deb, self.path("control")], check=True)
        subprocess.run(["md5sum", "--check", "--quiet", self.path("control", "md5sums")], cwd=self.path("root"), check=True)
        with open(self.path("control", "control")) as file:
            self.assertNotIn("Depends", file.read())
        self.says_what_the_tree_says(self.path("root", "usr", "bin", "vernier"))

    def test_the_wheel_gives_the_command_and_the_module_without_an_index(self):
        subprocess.run([sys.executable, "-m", "venv", self.path("venv")], check=True)
        binaries = self.path("venv", "bin")
        subprocess.run([os.path.join(binaries, "python"), "-m", "pip", "install", "--quiet", "--no-index",
                        "--disable-pip-version-check", package("*.whl")], check=True)
        self.says_what_the_tree_says(os.path.join(binaries, "vernier"))
        script = ("import vernier, sys\ncode, facts = vernier.compare(*sys.argv[1:])\nprint(code, facts['schema'])\n"
                  "try:\n    vernier.compare('nothing', 'here')\nexcept RuntimeError as error:\n    print('nothing' in str(error))\n")
        done = subprocess.run([os.path.join(binaries, "python"), "-c", script, GOLDEN, TARGET], stdout=subprocess.PIPE)
        self.assertRegex(done.stdout.decode(), re.compile(r"\A1 vernier\.compare/1\nTrue\n\Z"))


if __name__ == "__main__":
    main()
