# SPDX-License-Identifier: Apache-2.0
"""Dumps and logs in .tar.gz, .tar, .zip and .gz are read where they are; VERNIER, SAMPLES."""
import gzip
import io
import json
import os
import pathlib
import shutil
import struct
import tarfile
import unittest
import zipfile

from program import SAMPLES, Case
from program import run as run_program

GPT = os.path.join(SAMPLES, "gpt")


def run(*words, **more):
    """With one small output, so that many runs take little time."""
    return run_program(*words, *(() if "-o" in words else ("-o", "s.json")), **more)


def tar_of(path, members, form=tarfile.PAX_FORMAT, mode="w"):
    """members: (name, bytes) or a TarInfo."""
    with tarfile.open(path, mode, format=form) as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            tar.addfile(info, io.BytesIO(member[1]))
    return path


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def dump_of(side):
    with open(os.path.join(GPT, side, "step0", "rank0", "dump.json"), "rb") as file:
        return file.read()


def contents():
    return {path.name: path.read_bytes() for path in pathlib.Path(".").iterdir()}


class Archives(Case):
    def setUp(self):
        super().setUp()
        os.chdir(self.folder)

    def tar(self, name, members, **form):
        return tar_of(self.path(name), members, **form)

    def pack(self, side):
        """The golden or target dump packed in every way, with and without its own folder."""
        folder = os.path.join(GPT, side)
        for name, mode, inside in ((side + ".tar.gz", "w:gz", side), (side + ".tar", "w", "."), (side + ".tgz", "w:gz", "run")):
            with tarfile.open(name, mode) as tar:
                tar.add(folder, inside)
        with zipfile.ZipFile(side + ".zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for at, _, names in os.walk(folder):
                for name in names:
                    path = os.path.join(at, name)
                    archive.write(path, os.path.join(side, os.path.relpath(path, folder)))
        return [side + suffix for suffix in (".tar.gz", ".tar", ".tgz", ".zip")]

    def facts(self, golden, target):
        code, _, said = run("compare", golden, target, "-o", "s.json")
        with open("s.json", encoding="utf-8") as file:
            return code, said, json.load(file)

    def test_an_archive_is_compared_as_the_folder_that_was_packed(self):
        code, said, folder = self.facts(os.path.join(GPT, "golden"), os.path.join(GPT, "target"))
        for golden, target in zip(self.pack("golden"), reversed(self.pack("target"))):
            with self.subTest(golden=golden):
                got, heard, packed = self.facts(golden, target)
                self.assertEqual((got, heard.split("DIVERGES")[1]), (code, said.split("DIVERGES")[1]))
                self.assertEqual((packed["verdict"], packed["pairs"][0]["counts"], packed["problems"]),
                                 (folder["verdict"], folder["pairs"][0]["counts"], folder["problems"]))
                self.assertIn('"%s/step0/rank0/dump.json"' % golden, json.dumps(packed))

    def test_a_place_inside_is_a_path_with_and_without_the_folder_on_top(self):
        self.pack("golden")
        for inside in ("", "/", "/golden", "/golden/step0", "/step0/rank0", "/step0/rank0/dump.json"):
            with self.subTest(inside=inside):
                self.assertIn("SAME", run("compare", "golden.tar.gz" + inside, "golden.zip")[2])
        code, _, said = run("compare", "golden.tar.gz/step7", "golden.zip")
        self.assertEqual((code, "golden.tar.gz/step7: no such file or folder" in said), (3, True))

    def test_the_same_run_twice_is_known_in_an_archive(self):
        self.pack("golden"), self.pack("target")
        code, _, said = run("compare", "golden.tar.gz", "target.tar.gz", "--noise", "target.tar.gz")
        self.assertEqual((code, "found the target itself" in said), (2, True))

    def test_every_command_that_takes_a_folder_takes_an_archive(self):
        self.pack("golden")
        with tarfile.open("monitor.tgz", "w:gz") as tar:
            tar.add(os.path.join(SAMPLES, "monitor"), "monitor")
        with tarfile.open("logs.tgz", "w:gz") as tar:
            tar.add(os.path.join(SAMPLES, "curves"), "logs")
        for words, word in ((("graph", "golden.zip"), "FINITE"), (("locate", "golden.tgz"), "FINITE"),
                            (("check", "golden.tar"), "HOLDS"), (("monitor", "monitor.tgz"), "ALARM"),
                            (("curves", "logs.tgz/golden.csv", "logs.tgz/target.csv", "--noise",
                              "logs.tgz/golden-again.csv"), "OUTSIDE   noise from step 261"),
                            (("convert", "golden.tar.gz", "-o", "line.jsonl"), "")):
            with self.subTest(words=words):
                code, _, said = run(*words)
                self.assertIn(word, said)
                self.assertLess(code, 2)
        self.assertTrue(os.path.getsize("line.jsonl"))

    def test_the_output_is_that_of_the_folder_byte_for_byte(self):
        with tarfile.open("monitor.tgz", "w:gz") as tar:
            tar.add(os.path.join(SAMPLES, "monitor"), "monitor")
        os.symlink(os.path.join(SAMPLES, "monitor"), "plain")
        for side in ("plain", "monitor.tgz"):
            run("monitor", side, "-o", "m.json", "--redact")
            os.rename("m.json", side + ".json")
        with open("plain.json", "rb") as a, open("monitor.tgz.json", "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_any_input_is_read_packed_alone_in_an_archive_or_with_a_byte_order_mark(self):
        text = "module_name,check_type,status,max_abs_diff\nlayers.0,fwd_output,FAIL,2.5e-01\nlayers.1,fwd_output,PASS,0\n"
        settings = "learning_rate: 0.001\nseed: 7\n"
        forms = {"a.csv.gz": lambda plain: gzip.compress(plain), "packed": lambda plain: gzip.compress(plain),
                 "mark.csv": lambda plain: b"\xef\xbb\xbf" + plain,
                 "wide.csv": lambda plain: plain.decode().replace("\n", "\r\n").encode("utf-16"),
                 "big.csv": lambda plain: b"\xfe\xff" + plain.decode().encode("utf-16-be")}
        for name, form in forms.items():
            for words, plain, said in ((("precheck",), text, "layers.0.fwd_output"), (("checklist", "plain"), settings, "AGREES")):
                self.write("plain", plain)
                with open(name, "wb") as file:
                    file.write(form(plain.encode()))
                with zipfile.ZipFile("one.zip", "w") as archive:
                    archive.writestr("__MACOSX/._" + name, b"1"), archive.writestr("ticket-17/run.csv", plain.encode("utf-16"))
                for path in (name, "./" + name, "one.zip"):
                    self.assertIn(said, " ".join(run(*words, path)[1:]), (path, words))

    def test_one_dump_packed_by_gzip_is_read_and_one_that_breaks_off_is_partial(self):
        packed = gzip.compress(dump_of("golden"))
        self.write("d.json.gz", packed), self.write("cut.json.gz", packed[:-100])
        self.assertIn("SAME", run("compare", "d.json.gz", os.path.join(GPT, "golden"))[2])
        code, _, said = run("compare", "cut.json.gz", "d.json.gz")
        self.assertEqual((code, "the gzip file breaks off" in said), (4, True))

    def test_a_gz_that_holds_a_tar_is_one_whatever_its_name(self):
        self.tar("a.tar", [("step0/rank0/dump.json", dump_of("golden"))])
        with open("a.tar", "rb") as file:
            self.write("run.gz", gzip.compress(file.read()))
        self.assertIn("SAME", run("compare", "run.gz", "a.tar")[2])

    def test_long_names_and_all_dialects_of_tar_are_read(self):
        deep = "/".join(["layer" + 40 * "x"] * 4)
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            with self.subTest(form=form):
                top = deep if form == tarfile.USTAR_FORMAT else deep + "/" + 120 * "模"
                self.tar("a.tar", [(top + "/step0/rank0/dump.json", dump_of("golden"))], form=form)
                self.assertIn("SAME", run("compare", "a.tar", os.path.join(GPT, "golden"))[2])

    def test_of_a_name_that_comes_twice_the_last_one_counts(self):
        name = "step0/rank0/dump.json"
        for first, code in (("golden", 0), ("target", 4)):
            self.tar("a.tar", [(name, dump_of(first)), (name, dump_of("golden"))])
            got, _, said = run("compare", "a.tar", os.path.join(GPT, "golden"))
            self.assertIn("SAME", said)
            self.assertEqual((got, "come twice with different content" in said), (code, code == 4), said)

    def sides(self):
        """k/g/step0/rank0 and k/t/step0/rank0, both golden."""
        for side in ("g", "t"):
            shutil.copytree(os.path.join(GPT, "golden", "step0", "rank0"), "k/%s/step0/rank0" % side)
        self.write("rank.json", dump_of("target"))

    def assert_told(self, path, text, *words):
        code, _, said = run(*words)
        self.assertEqual((code, "PARTIAL" in said, path in said, text in said), (4, True, True, True), said)

    def test_a_packed_place_in_a_folder_is_named_and_the_verdict_partial(self):
        self.sides()
        for name in ("step0/rank1.tar.gz", "step1.tgz", "step0/proc7.ZIP", "step0/rank1.tar.xz", "graph.zip",
                     "step0/rank1/dump.json.gz"):
            path = self.write("k/t/" + name, gzip.compress(b"x"))
            with self.subTest(name=name):
                text = "unpack it" + ("" if name.endswith("xz") else ", or give it by itself")
                self.assert_told("k/t/" + name, text, "compare", "k/g", "k/t")
                for command in ("graph", "locate", "check"):
                    self.assert_told("k/t/" + name, text, command, "k/t")
                with tarfile.open("t.tar", "w") as tar:
                    tar.add("k/t", "t")
                self.assert_told("t.tar/" + name.split("/")[0], "is not read here: unpack it", "compare", "k/g", "t.tar")
            os.remove(path)

    def test_packed_files_that_lose_nothing_are_passed_over(self):
        self.sides()
        for name in ("step0/rank0.tar.gz", "step0.zip", "step0/rank0/dump.json.gz", "rank0.log.gz", "code.tar.gz",
                     "step1.log.gz", "step0/profile.zip"):
            self.write("k/t/" + name, gzip.compress(b"x"))
        os.mkdir("k/t/step3.zip")
        code, _, said = run("compare", "k/g", "k/t")
        self.assertEqual((code, "not read" in said), (0, False), said)
        self.write("k/t/step1.tar.gz", b"x"), self.write("k/t/step0/rank1.tar.gz", b"x")
        self.assertEqual(run("compare", "k/g", "k/t", "--step", "0", "--rank", "0")[0], 0)

    def test_a_dump_under_another_name_beside_the_steps_is_named(self):
        self.sides()
        for name in ("步骤1/rank0", "rank1", "step0/卡1", "step0/old/rank0", "actor_update/rank0"):
            with self.subTest(name=name):
                folder = os.path.join("k/t", name)
                shutil.copytree(os.path.join(GPT, "target", "step0", "rank0"), folder)
                for words in (("compare", "k/g", "k/t"), ("graph", "k/t"), ("locate", "k/t"), ("check", "k/t")):
                    self.assert_told(os.path.join("k/t", name.removesuffix("/rank0")), "rename it", *words)
            shutil.rmtree(folder)
            if name.endswith("/rank0"):
                os.rmdir(os.path.dirname(folder))
        for name in ("logs/a.log", "report/other.json", ".git/x/dump.json", "step0/dump_tensor_data/x.pt"):
            self.write("k/t/" + name, b"x")
        os.symlink("step0", "k/t/latest")
        code, _, said = run("compare", "k/g", "k/t")
        self.assertEqual((code, "not read" in said), (0, False), said)

    def test_an_archive_in_an_archive_is_refused_and_one_behind_a_link_is_read(self):
        self.pack("golden")
        with tarfile.open("outer.tar", "w") as tar:
            tar.add("golden.tar.gz"), tar.add("golden.zip")
        for name in ("golden.tar.gz", "golden.zip"):
            said = run("compare", "outer.tar/" + name, "golden.zip")[2]
            self.assertIn("unpack the outer one and give this one by itself", said)
        os.symlink("golden.tar.gz", "run")
        self.assertIn("SAME", run("compare", "run", "golden.zip")[2])

    def test_a_zip_with_backslashes_for_slashes_is_read_and_stays_inside(self):
        for bad in ((), ("..\\x.json", "C:\\x.json", "C:x.json", "\\x.json", "a\\..\\..\\x.json")):
            with zipfile.ZipFile("a.zip", "w") as archive:
                archive.writestr("run\\step0\\rank0\\dump.json", dump_of("golden"))
                for name in bad:
                    archive.writestr(name, b"1")
            code, _, said = run("compare", "a.zip", os.path.join(GPT, "golden"))
            self.assertEqual((code, "lead out of the archive are left out: 5" in said), (4 if bad else 0, bool(bad)), said)
            self.assertIn("SAME", said)
        with zipfile.ZipFile("a.zip", "w") as archive:
            archive.writestr("step0/rank0/dump.json", dump_of("golden")), archive.writestr("a\\b", b"1")
        self.assertEqual(run("compare", "a.zip", os.path.join(GPT, "golden"))[0], 4)

    def test_what_leads_out_links_and_devices_are_refused_and_told(self):
        self.write("secret/step0/rank0/dump.json", dump_of("golden"))
        good = ("step0/rank0/dump.json", dump_of("golden"))
        for bad, text in ((("../x/dump.json", b"1"), "lead out"), (("a/../../dump.json", b"1"), "lead out"),
                          (("/etc/dump.json", b"1"), "lead out"),
                          (special("step0/rank1", tarfile.SYMTYPE, "../../secret/step0/rank0"), "links"),
                          (special("step0/rank1/dump.json", tarfile.LNKTYPE, "step0/rank0/dump.json"), "links"),
                          (special("step0/rank1/dump.json", tarfile.CHRTYPE), "devices"),
                          (special("step0/rank1/dump.json", tarfile.FIFOTYPE), "devices"),
                          (special("step0/rank1/dump.json", tarfile.GNUTYPE_SPARSE), "not read (sparse"),
                          (("a" * 5000 + "/dump.json", b"1"), "no file can have"),
                          (("/".join("a" * 70), b"1"), "no file can have"),
                          (("a\\b", b"1"), "no file can have"),
                          (("step0/rank0/dump.json/x", b"1"), "no file can have")):
            with self.subTest(text=text, bad=bad):
                self.tar("a.tar", [good, bad])
                code, _, said = run("compare", "a.tar", os.path.join(GPT, "golden"))
                self.assertEqual(code, 4, said)
                self.assertIn(text, said)
                self.assertIn("PARTIAL", said)

    def test_a_link_in_a_zip_is_refused(self):
        with zipfile.ZipFile("a.zip", "w") as archive:
            archive.writestr("step0/rank0/dump.json", dump_of("golden"))
            link = zipfile.ZipInfo("step0/rank1/dump.json")
            link.create_system, link.external_attr = 3, 0o120777 << 16
            archive.writestr(link, "../../../secret")
        code, _, said = run("compare", "a.zip", os.path.join(GPT, "golden"))
        self.assertEqual((code, "links in an archive are not followed: 1" in said), (4, True))

    def test_an_archive_cut_anywhere_is_partial_or_refused(self):
        self.pack("golden")
        for name in ("golden.tar.gz", "golden.tar", "golden.zip"):
            with open(name, "rb") as file:
                whole = file.read()
            for size in (0, 1, 300, 512, 700, len(whole) // 2, len(whole.rstrip(b"\0")) - 1):
                with self.subTest(name=name, size=size):
                    self.write("cut-" + name, whole[:size])
                    code, _, said = run("compare", "cut-" + name, os.path.join(GPT, "golden"))
                    self.assertIn(code, (3, 4), said)

    def test_a_tar_without_its_end_and_two_in_one_are_told(self):
        tar = self.tar("a.tar", [("step0/rank0/dump.json", dump_of("golden"))])
        with open(tar, "rb") as file:
            whole = file.read()
        for data, text in ((whole.rstrip(b"\0") + bytes(-len(whole.rstrip(b"\0")) % 512), "no end mark"),
                           (whole + whole, "what follows the end of the archive")):
            self.write("b.tar", data)
            code, _, said = run("compare", "b.tar", os.path.join(GPT, "golden"))
            self.assertEqual((code, text in said), (4, True), said)

    def test_a_bomb_is_refused_and_the_refusal_says_what_to_do(self):
        tar = self.tar("a.tar", [("x", bytes(1 << 23))])
        with open(tar, "rb") as file:
            self.write("bomb.tar.gz", gzip.compress(file.read()) + 60 * gzip.compress(bytes(1 << 23)))
        with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("step0/rank0/dump.json", dump_of("golden"))
        with open("bomb.zip", "rb") as file:
            data = bytearray(file.read())
        struct.pack_into("<I", data, data.find(b"PK\x01\x02") + 24, 3 << 30)
        self.write("bomb.zip", bytes(data))
        for name in ("bomb.tar.gz", "bomb.zip"):
            code, _, said = run("compare", name, os.path.join(GPT, "golden"))
            self.assertEqual((code, "(256 MiB and 200 times its size, at most 4 GiB): unpack it and name the folder" in said), (3, True), said)

    def test_what_is_no_archive_is_named(self):
        self.write("a.tar.gz", gzip.compress(b"text")), self.write("b.zip", b"text"), self.write("c.tar", b"")
        self.write("d.tar.xz", b"\xfd7zXZ\0more")
        for name in ("a.tar.gz", "b.zip", "c.tar", "d.tar.xz"):
            code, _, said = run("compare", name, os.path.join(GPT, "golden"))
            self.assertIn(code, (3, 4))
            self.assertIn(name + ": this is", said)

    def test_an_archive_is_never_written_over_nor_into_and_leaves_no_file(self):
        self.pack("golden")
        before = contents()
        for output in ("golden.tar.gz", "golden.tar.gz/x.json", "golden.tar.gz/step0", "golden.tar.gz/step0/rank0/dump.json"):
            code, _, said = run("compare", "golden.tar.gz", "golden.tar.gz", "-o", output)
            self.assertEqual(code, 2, said)
            self.assertIn("input", said)
        temporary = self.path("temporary")
        os.mkdir(temporary)
        run("graph", "golden.tar.gz", "-o", "g.svg", TMPDIR=temporary)
        self.assertEqual(os.listdir(temporary), [])
        os.rmdir(temporary), os.remove("g.svg")
        self.assertEqual(before, contents())


if __name__ == "__main__":
    unittest.main()
