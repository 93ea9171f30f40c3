#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packages where they will be installed, without an index. `make packages` calls it: DIST has the packages, of which those
for the processor MACHINE are tried; VERNIER is the program of the tree, which is their measure. OLDER, where it is set, is the
root of an older Debian of this processor (packaging/release-check.sh). Without DIST: packages of VERNIER itself, which is
tried with nothing but its libraries; the static program takes too long for every run of the tests."""
import filecmp
import glob
import gzip
import hashlib
import importlib.util
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from program import Case, SAMPLES, VERNIER, main

DIST = os.environ.get("DIST", "")
MACHINE = os.environ.get("MACHINE") or platform.machine()
OLDER = os.environ.get("OLDER", "")
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}.get(MACHINE)
BUILD = os.path.dirname(VERNIER)
OF_TREE = not DIST and DEBIAN is not None and os.path.exists(os.path.join(BUILD, "cmake_install.cmake"))
CHROOT = [] if os.geteuid() == 0 else ["unshare", "-r"]
GOLDEN, TARGET = os.path.join(SAMPLES, "gpt", "golden"), os.path.join(SAMPLES, "gpt", "target")


def pack(stage, dist):
    os.makedirs(dist)
    script = os.path.join(os.path.dirname(SAMPLES), "packaging", "packages.py")
    subprocess.run([sys.executable, script, stage, dist, "1.2.3", "1700000000"], check=True)


def setUpModule():
    global DIST, STAGE
    if not OF_TREE:
        return
    made = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, made)
    DIST, STAGE = os.path.join(made, "dist"), os.path.join(made, "root")
    # One by one: a whole installation would replace the list that `make uninstall` reads.
    for component in "program", "manual", "completion", "documentation", "samples":
        subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr", "--strip", "--component", component], check=True,
                       env=dict(os.environ, DESTDIR=STAGE), stdout=subprocess.DEVNULL)
    pack(STAGE, DIST)


def package(pattern):
    """The one package of that name, in which MACHINE and DEBIAN stand for themselves."""
    found = glob.glob(os.path.join(DIST, pattern.replace("MACHINE", MACHINE).replace("DEBIAN", DEBIAN)))
    assert len(found) == 1, "%s: %d files" % (pattern, len(found))
    return found[0]


def text_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


def unexplained(text, explained):
    """The lines of lintian or rpmlint that tell of something without an explanation."""
    return [line for line in text.split("\n") if re.search(r"\b[EW]: ", line)
            and not any(re.search(r"\b%s\b" % tag, line) for tag in explained)]


# One static program without a distribution behind it, and the samples of two runs that are alike on purpose.
LINTIAN = {
    "statically-linked-binary": "it needs no library of the machine",
    "embedded-library": "the same",
    "shared-library-lacks-prerequisites": "static-pie, by its header a shared object that needs nothing",
    "bogus-mail-host": "the project has no address",
    "zero-byte-file-in-doc-directory": "py.typed tells type checkers by its name alone",
}
RPMLINT = {
    "statically-linked-binary": "it needs no library of the machine",
    "no-packager-tag": "nobody has signed for it yet",
    "no-signature": "SHA256SUMS stands for it",
    "no-url-tag": "the project has no address",
    "invalid-license": "SPDX names it so; the list is of Fedora's names",
    "manpage-not-compressed": "gzip as on every system; this one would have bzip2",
    "no-manual-page-for-binary": "it looks for another suffix than .gz",
    "files-duplicate": "both runs of a sample hold what is equal in them",
    "files-duplicated-waste": "the same",
}


@unittest.skipUnless(DIST or OF_TREE, "no packages and no build folder are here")
class Packages(Case):
    def says_what_the_tree_says(self, program, alone=None):
        """The same report, in Chinese: of the command, and of the program ALONE, in a folder that holds nothing but it and the sample."""
        root = self.path("sample")
        shutil.copytree(os.path.join(SAMPLES, "gpt"), os.path.join(root, "gpt"))
        commands = {"tree": [VERNIER], "package": [program]}
        if alone and (not OF_TREE or subprocess.run([*CHROOT, "chroot", "/", "true"], stderr=subprocess.DEVNULL).returncode == 0):
            shutil.copy(alone, os.path.join(root, "vernier"))
            # Those that are loaded with the first picture or workbook, too.
            late = re.findall(r"\blib(?:pangocairo|xlsxwriter)\S* .*=> (/\S+)", text_of("/sbin/ldconfig", "-p")) if OF_TREE else []
            libraries = [path for program in [alone, *late] for path in re.findall(r"(/\S+) \(", text_of("ldd", program))] + late
            for library in libraries if OF_TREE else []:
                os.makedirs(os.path.dirname(root + library), exist_ok=True)
                shutil.copy(library, root + library)
            commands["alone"] = [*CHROOT, "chroot", root, "/vernier"]
        for name, command in commands.items():
            done = subprocess.run([*command, "compare", "gpt/golden", "gpt/target", "-o", "out", "--lang", "zh", "--format",
                                   "html,md,json,xlsx,svg,csv", "--quiet"], cwd=root,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 1)
            os.rename(os.path.join(root, "out"), self.path(name))  # the report repeats the command line
        names = sorted(os.listdir(self.path("tree")))
        for name in commands:
            self.assertEqual(names, sorted(os.listdir(self.path(name))))
            self.assertEqual(filecmp.cmpfiles(self.path("tree"), self.path(name), names, shallow=False)[1:], ([], []))

    @unittest.skipIf(OF_TREE, "packaging/packages.sh writes them")
    def test_the_sums_are_those_of_the_packages(self):
        with open(os.path.join(DIST, "SHA256SUMS")) as file:
            listed = dict(reversed(line.split()) for line in file)
        self.assertEqual(set(listed), set(os.listdir(DIST)) - {"SHA256SUMS"})
        for name, digest in listed.items():
            with open(os.path.join(DIST, name), "rb") as file:
                self.assertEqual(hashlib.sha256(file.read()).hexdigest(), digest)

    def test_the_archive_runs_where_it_is_unpacked_and_has_pages_and_notices(self):
        with tarfile.open(package("*-MACHINE.tar.xz")) as tar:
            tar.extractall(self.folder)
        top, = glob.glob(self.path("vernier-*"))
        program = os.path.join(top, "bin", "vernier")
        self.says_what_the_tree_says(program, program)
        notices = [] if OF_TREE else ["share/doc/vernier/licences/libcairo2-dev"]
        for name in ["share/man/man1/vernier-compare.1", "share/doc/vernier/docs/install.md", "share/doc/vernier/samples/gpt", *notices]:
            self.assertTrue(os.path.exists(os.path.join(top, name)), name)

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not here")
    def test_the_deb_holds_what_its_sums_say_and_needs_nothing(self):
        deb = package("*_DEBIAN.deb")
        subprocess.run(["dpkg-deb", "-x", deb, self.path("root")], check=True)
        subprocess.run(["dpkg-deb", "-e", deb, self.path("control")], check=True)
        subprocess.run(["md5sum", "--check", "--quiet", self.path("control", "md5sums")], cwd=self.path("root"), check=True)
        with open(self.path("control", "control")) as file:
            self.assertNotIn("Depends", file.read())
        self.says_what_the_tree_says(self.path("root", "usr", "bin", "vernier"))

    @unittest.skipIf(OF_TREE and not importlib.util.find_spec("ensurepip"), "python3-venv is not here")
    def test_the_wheel_gives_the_command_and_the_module_without_an_index(self):
        subprocess.run([sys.executable, "-m", "venv", self.path("venv")], check=True)
        binaries = self.path("venv", "bin")
        pip = [os.path.join(binaries, "python"), "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]
        if MACHINE != platform.machine():  # the interpreter is this machine's, the program another's
            site, = glob.glob(self.path("venv", "lib", "python*", "site-packages"))
            pip += ["--platform", "manylinux2014_" + MACHINE, "--only-binary", ":all:", "--target", site]
            binaries = os.path.join(site, "bin")
        subprocess.run([*pip, package("*_MACHINE.whl")], check=True)
        inside, = glob.glob(self.path("venv", "lib", "python*", "site-packages", "vernier", "vernier"))
        self.says_what_the_tree_says(os.path.join(binaries, "vernier"), inside)
        script = ("import vernier, sys\nresult = vernier.compare(*sys.argv[1:])\nprint(result.exit_code, result.facts['schema'])\n"
                  "try:\n    vernier.compare('nothing', 'here')\nexcept RuntimeError as error:\n    print('nothing' in str(error))\n")
        done = subprocess.run([self.path("venv", "bin", "python"), "-c", script, GOLDEN, TARGET], stdout=subprocess.PIPE)
        self.assertRegex(done.stdout.decode(), re.compile(r"\A1 vernier\.compare/1\nTrue\n\Z"))

    @unittest.skipIf(OF_TREE, "this program needs its libraries")
    def test_the_rpm_needs_nothing_of_the_distribution_and_installs_below_a_folder(self):
        rpm = package("*.MACHINE.rpm")
        needs = [line for line in text_of("rpm", "-qp", "--requires", rpm).split("\n") if line]
        self.assertEqual([line for line in needs if not line.startswith("rpmlib(")], [])
        self.assertEqual(text_of("rpm", "-qp", "--qf", "%{payloadcompressor}", rpm), "xz")  # what CentOS 7 unpacks
        subprocess.run(["rpm", "--root", self.path("root"), "--ignorearch", "--ignoreos", "--noscripts", "-i", rpm],
                       check=True)
        self.says_what_the_tree_says(self.path("root", "usr", "bin", "vernier"))
        self.assertTrue(os.path.exists(self.path("root", "usr", "share", "man", "man1", "vernier-compare.1.gz")))

    @unittest.skipUnless(OLDER and os.geteuid() == 0 and MACHINE == platform.machine(), "OLDER names no root, or no chroot here")
    def test_deb_and_wheel_install_and_run_on_an_older_debian(self):
        def there(*command):
            return subprocess.run(["chroot", OLDER, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *command],
                                  stdout=subprocess.PIPE, check=True).stdout.decode()

        tried = tempfile.mkdtemp(dir=OLDER)
        self.addCleanup(shutil.rmtree, tried)
        within = "/" + os.path.basename(tried)
        deb, wheel = (shutil.copy(package(name), tried) for name in ("*_DEBIAN.deb", "*_MACHINE.whl"))
        shutil.copytree(os.path.join(SAMPLES, "gpt"), os.path.join(tried, "gpt"))
        compare = ["compare", within + "/gpt/golden", within + "/gpt/target", "--format", "json", "-o", within + "/out", "--exit-zero", "--quiet"]
        before = there("find", "/usr", "-path", "*vernier*")
        there("dpkg", "-i", os.path.join(within, os.path.basename(deb)))
        try:
            there("/usr/bin/vernier", *compare)
        finally:
            there("dpkg", "--purge", "vernier")
        with open(os.path.join(tried, "out", "summary.json"), "rb") as file:
            of_deb = file.read()
        self.assertEqual(there("find", "/usr", "-path", "*vernier*"), before)
        there("python3", "-m", "venv", within + "/venv")
        there(within + "/venv/bin/pip", "install", "--quiet", "--no-index", os.path.join(within, os.path.basename(wheel)))
        there(within + "/venv/bin/vernier", *compare)
        with open(os.path.join(tried, "out", "summary.json"), "rb") as file:
            self.assertEqual(file.read(), of_deb)
        verdict = "import sys, vernier; print(vernier.compare(*sys.argv[1:]).exit_code)"
        self.assertEqual(there(within + "/venv/bin/python", "-c", verdict, *compare[1:3]), "1\n")

    @unittest.skipIf(OF_TREE or not (shutil.which("lintian") and shutil.which("rpmlint")), "a program with libraries, or no lintian and rpmlint")
    def test_lintian_and_rpmlint_have_nothing_to_say_that_is_not_explained(self):
        for explained, *command in ((LINTIAN, "lintian", "--no-cfg", "--allow-root", package("*_DEBIAN.deb")),
                                    (RPMLINT, "rpmlint", package("*.MACHINE.rpm"))):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertIn(b"vernier", done.stdout)
            self.assertEqual(unexplained(done.stdout.decode(), explained), [])

    def test_the_image_holds_what_its_digests_say_and_the_program_runs_in_it(self):
        with tarfile.open(package("*-oci-MACHINE.tar")) as tar:
            tar.extractall(self.path("image"))

        def blob(entry):
            with open(self.path("image", "blobs", *entry["digest"].split(":")), "rb") as file:
                data = file.read()
            self.assertEqual((len(data), hashlib.sha256(data).hexdigest()), (entry["size"], entry["digest"][7:]))
            return data

        with open(self.path("image", "index.json")) as file:
            entry, = json.load(file)["manifests"]
        self.assertEqual(entry["platform"], {"architecture": DEBIAN, "os": "linux"})
        with open(self.path("image", "manifest.json")) as file:
            self.assertEqual(json.load(file)[0]["RepoTags"], [entry["annotations"]["org.opencontainers.image.ref.name"]])
        manifest = json.loads(blob(entry))
        config, (layer,) = json.loads(blob(manifest["config"])), manifest["layers"]
        data = gzip.decompress(blob(layer))
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(data).hexdigest()])
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            tar.extractall(self.path("root"))
        self.assertTrue(os.path.isdir(self.path("root") + config["config"]["WorkingDir"]))
        self.assertTrue(os.access(self.path("root") + config["config"]["Entrypoint"][0], os.X_OK))
        if OF_TREE:
            return
        shutil.copytree(os.path.join(SAMPLES, "gpt"), self.path("root", "work", "gpt"))
        done = subprocess.run([*CHROOT, "chroot", self.path("root"), *config["config"]["Entrypoint"], "compare", "work/gpt/golden",
                               "work/gpt/target", "-o", "work/out", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual((done.returncode, os.path.exists(self.path("root", "work", "out", "summary.json"))), (1, True))

    @unittest.skipUnless(OF_TREE, "packaging/release-check.sh builds the program again, too")
    def test_the_same_files_give_the_same_packages_whenever_they_were_made(self):
        with open(VERNIER, "rb") as file:
            header = file.read(64)  # that is all packages.py reads of it, and the rest takes seconds to compress
        dists = []
        for name, when in ("one", 1600000000), ("other", 1650000000):
            stage, dist = self.path(name, "root"), self.path(name, "dist")
            shutil.copytree(os.path.join(STAGE, "usr", "share", "man"), os.path.join(stage, "usr", "share", "man"))
            os.makedirs(os.path.join(stage, "usr", "bin"))
            with open(os.path.join(stage, "usr", "bin", "vernier"), "wb") as file:
                file.write(header)
            for folder, _, names in os.walk(stage):
                for path in [folder] + [os.path.join(folder, entry) for entry in names]:
                    os.utime(path, (when, when))
            pack(stage, dist)
            dists.append(dist)
        names = sorted(os.listdir(DIST))
        self.assertEqual(len(names), 4)
        self.assertEqual(filecmp.cmpfiles(*dists, names, shallow=False), (names, [], []))


if __name__ == "__main__":
    main()
