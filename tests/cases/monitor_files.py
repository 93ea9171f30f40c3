#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single CSV files of a monitor are charts: one or several, under any name, packed or not, of both generations."""
import glob
import gzip
import os
import shutil
import struct

from program import Case, SAMPLES, crc32c, main, run

FOLDER = os.path.join(SAMPLES, "monitor")
RANK2 = sorted(glob.glob(os.path.join(FOLDER, "*rank2*", "grad_reduced_*.csv")))
HEADS = {"first": ("vpp_stage,name,step,norm,mean\n", "0,%s,%d,%g,0.5\n"),
         "second": ("vpp_stage,step,module_name,scope,micro_step,norm,mean\n", "0,%d,%s,reduced,0,%g,0.5\n"),
         "quoted": ('\ufeff"vpp_stage","name","step","norm","mean"\n', '0,"%s",%d,%g,0.5\n')}


def table(form="first", jump=20, steps=range(30)):
    head, row = HEADS[form]
    cells = ((("layers.%d.weight" % layer, step) if form != "second" else (step, "layers.%d.weight" % layer))
             + (9 if layer == 1 and step == jump else 1 + step % 3 / 100,) for step in steps for layer in range(3))
    return head + "".join(row % cell for cell in cells)


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def event(tag, step, value):
    tag = tag.encode()
    inner = b"\x0a" + varint(len(tag)) + tag + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + varint(len(inner)) + inner
    data = b"\x09" + struct.pack("<d", 1.7e9) + b"\x10" + varint(step) + b"\x2a" + varint(len(summary)) + summary
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked(head)) + data + struct.pack("<I", masked(data))


def events_of(paths, tag="%(stage)s:%(name)s/rank%(rank)s/%(kind)s_%(op)s"):
    """The tables of one rank as the event file that the monitor writes with `format: tensorboard`."""
    out = b""
    for path in paths:
        rank = path.split("rank")[1].split("-")[0]
        with open(path, encoding="utf-8") as file:
            head = file.readline().strip().split(",")
            for row in (dict(zip(head, line.strip().split(","))) for line in file):
                for op in ("norm", "mean", "max", "min"):
                    if row.get(op):
                        out += event(tag % {"stage": row["vpp_stage"], "name": row["name"], "rank": rank, "op": op,
                                            "kind": os.path.basename(path).rsplit("_", 1)[0]}, int(row["step"]), float(row[op]))
    return out


class MonitorFiles(Case):
    def alarms(self, *words):
        code, out, said = run(*words, "-o", "out.md", cwd=self.folder)
        self.assertIn(code, (0, 1), said)
        return out

    def test_one_file_is_a_chart_whatever_its_name_and_its_generation(self):
        for form in HEADS:
            for name in ("grad_reduced_0-29.csv", "weight_grad_step0-29.csv", "for ticket.csv", "export.csv.gz", "export.CSV", "export.txt"):
                with self.subTest((form, name)):
                    text = table(form).encode()
                    with open(self.path(name), "wb") as file:
                        file.write(gzip.compress(text) if name.endswith(".gz") else text)
                    for words in (["monitor", name], [name]):
                        out = self.alarms(*words)
                        self.assertRegex(out, r"norm of \S+ .*layers\.1\.weight")
                        self.assertIn("step 20", out)
                    os.remove(self.path(name))

    def test_files_of_one_run_are_one_run_and_of_two_folders_two(self):
        whole = self.alarms("monitor", FOLDER)
        self.assertEqual(self.alarms("monitor", *sorted(glob.glob(os.path.join(FOLDER, "*", "*.csv")))), whole)
        self.assertEqual(self.alarms(*sorted(glob.glob(os.path.join(FOLDER, "*", "*.csv")))), whole)
        joined = self.alarms("monitor", *RANK2)
        self.assertIn("step 17, rank 2", joined)
        self.assertNotIn(" of ", joined.split("step 17")[1])
        self.assertEqual(self.alarms("monitor", *reversed(RANK2), RANK2[0]), joined)
        for side, jump in (("gpu", 99), ("npu", 20)):
            os.makedirs(self.path(side, "rank_3"))
            self.write(side + "/rank_3/grad_reduced_0-29.csv", table(jump=jump))
        out = self.alarms("monitor", "gpu/rank_3/grad_reduced_0-29.csv", "npu/rank_3/grad_reduced_0-29.csv")
        self.assertIn("step 20, rank 3 of npu", out)

    def test_renamed_files_are_compared_as_the_same_kind_of_values(self):
        self.write("gpu.csv", table(jump=99))
        self.write("npu.csv", table())
        for words in (["gpu.csv", "npu.csv"], ["a=gpu.csv", "b=npu.csv"], ["-g", "gpu.csv", "-t", "npu.csv"]):
            code, out, said = run("monitor", *words, cwd=self.folder)
            self.assertEqual(code, 1, said)
            self.assertNotIn("no series of the two runs", said)
            self.assertNotIn("PARTIAL", out)

    def test_a_folder_of_packed_or_renamed_files_is_read_and_twice_the_same_is_not(self):
        os.makedirs(self.path("out", "rank1"))
        with gzip.open(self.path("out", "rank1", "grad_reduced_0-29.csv.gz"), "wb") as file:
            file.write(table().encode())
        packed = self.alarms("monitor", "out")
        self.assertIn("step 20, rank 1", packed)
        self.write("out/rank1/grad_reduced_0-29.csv", table())
        self.assertEqual(self.alarms("monitor", "out"), packed)
        shutil.rmtree(self.path("out"))
        os.makedirs(self.path("out", "rank1"))
        self.write("out/rank1/my_export.csv", table())
        self.assertIn("step 20, rank 1", self.alarms("monitor", "out"))

    def test_a_packed_file_that_breaks_off_is_partial(self):
        whole = gzip.compress(table().encode())
        with open(self.path("cut.csv.gz"), "wb") as file:
            file.write(whole[:len(whole) // 2])
        code, out, said = run("monitor", "cut.csv.gz", cwd=self.folder)
        self.assertIn(code, (1, 4))
        self.assertIn("PARTIAL", out)
        self.assertIn("breaks off", said)

    def test_other_commands_say_what_the_file_is_or_convert_it_without_loss(self):
        self.write("x.csv", table())
        code, _, said = run("curves", "x.csv", cwd=self.folder)
        self.assertEqual(code, 3)
        self.assertIn("vernier monitor x.csv", said)
        _, _, said = run("curves", FOLDER, "-q", cwd=self.folder)
        self.assertIn("vernier monitor " + FOLDER, said)
        _, _, said = run("compare", "x.csv", "x.csv", cwd=self.folder)
        self.assertIn("vernier monitor", said)
        code, out, said = run("convert", "x.csv", "-o", "-", cwd=self.folder)
        self.assertEqual((code, out.count("layers.")), (0, 90), said)

    def test_event_files_of_the_monitor_say_what_its_tables_say(self):
        ranks = {path.split("rank")[1][0]: os.path.dirname(path) for path in glob.glob(os.path.join(FOLDER, "*rank*", "*.csv"))}
        for rank, folder in ranks.items():
            paths = sorted(glob.glob(os.path.join(folder, "grad_reduced_*.csv")), key=lambda path: int(path.split("_")[-1].split("-")[0]))
            os.makedirs(self.path("t", os.path.basename(folder)))
            os.makedirs(self.path("e", os.path.basename(folder)))
            os.makedirs(self.path("one"), exist_ok=True)
            for path in paths:
                shutil.copy(path, self.path("t", os.path.basename(folder)))
            for to in (("e", os.path.basename(folder), "events.out.tfevents.17.host.1.0"), ("one", "events.out.tfevents.17.host.%s.0" % rank)):
                with open(self.path(*to), "wb") as file:
                    file.write(events_of(paths))
        tables = self.alarms("monitor", "t").split("\n")[0]
        self.assertIn("ALARM", tables)
        for words in (["monitor", "e"], ["e"], ["monitor", "one"]):
            self.assertEqual(self.alarms(*words).split("\n")[0], tables)
        name = self.path("one", "events.out.tfevents.17.host.2.0")
        self.assertIn("step 17, rank 2", self.alarms(name))
        with open(name, "rb+") as file:
            file.truncate(os.path.getsize(name) - 9)
        self.assertIn("step 17, rank 2", self.alarms(name))
        with open(name, "rb+") as file:
            file.seek(os.path.getsize(name) // 2), file.write(bytes(40))
        said = run("monitor", name, "-o", "out.md", cwd=self.folder)[2]
        self.assertIn("a damaged record; the rest of this event file is not read", said)
        self.assertIn("PARTIAL", said)
        self.write("log/events.out.tfevents.1", "")
        with open(self.path("log", "events.out.tfevents.1"), "wb") as file:
            file.write(b"".join(event("train/loss", step, 2.5 - step / 100) for step in range(30)))
        self.assertIn("loss", self.alarms("log"))

    def test_a_rank_that_is_off_by_itself_is_named_and_parts_of_a_weight_are_not(self):
        for name, scale, said_so in (("replicas", lambda rank, layer: 1.0, False), ("one off", lambda rank, layer: 1.8 if rank == 2 and layer else 1.0, True),
                                     ("parts", lambda rank, layer: 1.0 + 0.3 * rank, False), ("two by two", lambda rank, layer: 1.0 + 0.5 * (rank % 2), False)):
            shutil.rmtree(self.path("m"), ignore_errors=True)
            for rank in range(4):
                rows = "".join("0,layers.%d.weight,%d,%.6f,0.5\n" % (layer, step, (1 + layer) * (1 + step % 3 / 100) * scale(rank, layer if step > 4 else 0))
                               for step in range(30) for layer in range(3))
                self.write("m/May06_15-00-00-rank%d-0c77d1e%d/grad_reduced_0-29.csv" % (rank, rank), "vpp_stage,name,step,norm,mean\n" + rows)
            said = run("monitor", "m", cwd=self.folder)[2]
            self.assertEqual("rank 2 differs from the other ranks, which agree: norm of grad_reduced layers.1.weight is 1.80 times theirs from step 5 on (2 of 3 names)" in said,
                             said_so, name + said)

    def test_a_log_is_no_table_of_a_monitor(self):
        self.write("log.csv", "step,loss,norm\n" + "".join("%d,2.5,1.0\n" % i for i in range(30)))
        _, _, said = run("log.csv", cwd=self.folder)
        self.assertIn("vernier curves log.csv", said)
        code, _, said = run("monitor", "log.csv", cwd=self.folder)
        self.assertEqual(code, 3)
        self.assertIn("curves", said)


if __name__ == "__main__":
    main()
