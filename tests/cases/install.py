#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installation into a folder of its own, the program that lies there, and its removal. VERNIER names the program
inside its build folder."""
import os
import re
import shutil
import subprocess
import unittest

from program import Case, SAMPLES, VERNIER, main

BUILD = os.path.dirname(VERNIER)
SOURCE = os.path.dirname(SAMPLES)


@unittest.skipUnless(shutil.which("cmake") and os.path.exists(os.path.join(BUILD, "cmake_install.cmake")),
                     "no build folder is here")
class Install(Case):
    def install(self, *options):
        subprocess.run(["cmake", "--install", BUILD, "--prefix", "/opt/v", *options], check=True,
                       env=dict(os.environ, DESTDIR=self.out), stdout=subprocess.DEVNULL)

    def files(self):
        return {os.path.relpath(os.path.join(folder, name), self.out)
                for folder, _, names in os.walk(self.out) for name in names}

    def tearDown(self):
        for name in "install_manifest.txt", "install_folders.txt":
            if os.path.exists(os.path.join(BUILD, name)):
                os.remove(os.path.join(BUILD, name))
        super().tearDown()

    def test_what_is_installed_runs_has_pages_and_goes_again(self):
        other = os.path.join(self.out, "opt/v/share/doc/vernier/mine.txt")
        os.makedirs(os.path.dirname(other))
        open(other, "w").close()
        self.install()
        found = self.files()
        for name in ["bin/vernier", "share/man/man1/vernier.1", "share/man/man1/vernier-compare.1", "share/man/man1/vernier-config.1",
                     "share/man/zh_CN/man1/vernier-study.1", "share/bash-completion/completions/vernier",
                     "share/zsh/site-functions/_vernier", "share/fish/vendor_completions.d/vernier.fish",
                     "share/doc/vernier/LICENSE", "share/doc/vernier/docs/compare.md"]:
            self.assertIn("opt/v/" + name, found)
        program = os.path.join(self.out, "opt/v/bin/vernier")
        golden = os.path.join(self.out, "opt/v/share/doc/vernier/samples/gpt")
        done = subprocess.run([program, "compare", golden + "/golden", golden + "/target", "-o", self.path("r.md")],
                              stdout=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 1)
        subprocess.run(["bash", os.path.join(SOURCE, "packaging/uninstall.sh"),
                        os.path.join(BUILD, "install_manifest.txt"), self.out], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.files(), {os.path.relpath(other, self.out)})

    def test_what_is_gone_leaves_no_folder_that_was_not_there_before(self):
        kept = os.path.join(self.out, "usr/bin")
        os.makedirs(kept)
        for prefix, times in ("/usr", 1), ("/opt/other/place", 2):  # over itself, too
            for _ in range(times):
                subprocess.run(["bash", os.path.join(SOURCE, "packaging/install.sh"), BUILD, prefix, self.out], check=True)
            self.assertTrue(os.path.exists(self.out + prefix + "/bin/vernier"))
            subprocess.run(["bash", os.path.join(SOURCE, "packaging/uninstall.sh"), os.path.join(BUILD, "install_manifest.txt"),
                            self.out], check=True, stdout=subprocess.DEVNULL)
            self.assertEqual([folder for folder, inner, names in os.walk(self.out) if not inner], [kept])

    def test_the_links_of_an_installed_page_lead_to_what_is_installed(self):
        self.install("--component", "documentation")
        self.install("--component", "samples")
        broken = []
        for folder, _, names in os.walk(os.path.join(self.out, "opt/v/share/doc/vernier")):
            for name in names:
                if name.endswith(".md") and "/samples/" not in folder + "/":
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        links = re.findall(r"\]\((?!\w+:)([^)#\s]+)", file.read())
                    broken += [(name, link) for link in links if not os.path.exists(os.path.join(folder, link))]
        self.assertEqual(broken, [])

    def test_a_component_is_installed_alone(self):
        self.install("--component", "program")
        self.assertEqual(self.files(), {"opt/v/bin/vernier"})


if __name__ == "__main__":
    main()
