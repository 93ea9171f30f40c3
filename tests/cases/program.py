# SPDX-License-Identifier: Apache-2.0
"""What the cases share: the program as a user calls it, and a folder that goes when a test ends."""
import os
import select
import shutil
import subprocess
import tempfile
import unittest

import schema

VERNIER = os.environ.get("VERNIER", "")
SAMPLES = os.environ.get("SAMPLES", "")
SHARED = os.environ.get("SHARED", "")  # the sample set, which need not be there
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data")
ONLY_SAMPLES = os.environ.get("SAMPLE_SET") == "only"
EMULATED = "QEMU_CPU" in os.environ  # packaging/qemu.sh
NO_SAMPLES = "the sample set is not here"
HOLDS_OUTPUT = {"-", "-o-", "--init"}  # then the verdict is on standard error
PLAIN = {"LC_ALL": "C", "LANG": "C", "NO_COLOR": "1"}


def run(*arguments, cwd=None, **environment):
    """Exit code, what went to standard output, and what was said: standard error and the verdict behind it."""
    done = subprocess.run([VERNIER, *arguments], env={**os.environ, **PLAIN, **environment}, cwd=cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, said = done.stdout.decode(), done.stderr.decode()
    return done.returncode, out, said if HOLDS_OUTPUT.intersection(arguments) else said + out


def shown_on(master, slave, process):
    """What a terminal gets until the process has ended, both of its ends then closed.

    Our own handle of the slave stays open meanwhile: a reader that looks just as the last one closes may
    be told the end of it before the last bytes have come over.
    """
    said, ended = b"", False
    while True:
        if select.select([master], [], [], 0 if ended else 0.01)[0]:
            said += os.read(master, 65536)
        elif ended:
            break
        ended = process.poll() is not None
    os.close(master)
    os.close(slave)
    return said


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.out = os.path.join(self.folder, "out")

    def tearDown(self):
        os.chdir("/")
        for folder, _, names in os.walk(self.folder):
            if "summary.json" in names:
                self.assertEqual(schema.summary_faults(os.path.join(folder, "summary.json")), [])
                self.assertEqual(schema.values_lost(os.path.join(folder, "summary.json")), 0)
        shutil.rmtree(self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path


def needs_samples(*names):
    """For tests that read the sample set beside the tree: they run where SHARED names it, and alone with SAMPLE_SET=only."""
    def mark(test):
        test.of_samples = True
        return unittest.skipUnless(SHARED and os.path.exists(os.path.join(SHARED, "data", *names)), NO_SAMPLES)(test)
    return mark


def also_with_samples(test):
    """For tests that read what samples/ and the sample set hold: they run once with each."""
    test.also_of_samples = True
    return unittest.skipIf(ONLY_SAMPLES and not os.path.isdir(os.path.join(SHARED, "data")), NO_SAMPLES)(test)


class Loader(unittest.TestLoader):
    """The tests of the file, or those of the sample set alone (SAMPLE_SET=only); without SHARED the latter are no tests."""

    def getTestCaseNames(self, case):
        def wanted(name):
            test = getattr(case, name)
            of_samples = getattr(case, "of_samples", False) or getattr(test, "of_samples", False)
            if ONLY_SAMPLES:
                return of_samples or getattr(test, "also_of_samples", False)
            return SHARED or not of_samples
        return [name for name in super().getTestCaseNames(case) if wanted(name)]


def main():
    """As unittest.main, but 77 ("skipped") where nothing could run; each reason is said once."""
    result = unittest.main(exit=False, testLoader=Loader()).result
    for reason in sorted({reason for _, reason in result.skipped}):
        print("skipped: " + reason)
    everything = result.skipped and len(result.skipped) >= result.testsRun
    raise SystemExit(1 if not result.wasSuccessful() else 77 if everything else 0)
