#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/cluster/slurm-submit.sh on a Slurm of its own: one node, two array elements and the merge. Everything lies in
a temporary folder and ends with the test. Exit code 77, with the reason: Slurm cannot be started here."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

VERNIER, SAMPLES = os.environ["VERNIER"], os.environ["SAMPLES"]
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo", "squeue", "scontrol")
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="vernier-slurm-")
        self.processes = []
        for name in ("munge", "state", "spool"):
            os.mkdir(os.path.join(self.folder, name), 0o700)
        host = socket.gethostname().split(".")[0]
        with open(self.path("slurm.conf"), "w") as file:
            file.write(CONFIGURATION.format(folder=self.folder, host=host, ports=free_ports(2)))
        with open(self.path("cgroup.conf"), "w") as file:
            file.write("CgroupPlugin=cgroup/v1\n")
        self.environment = dict(os.environ, SLURM_CONF=self.path("slurm.conf"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def spawn(self, *arguments):
        log = open(self.path(os.path.basename(arguments[0]) + ".out"), "w")
        self.processes.append(subprocess.Popen(arguments, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                               stderr=subprocess.STDOUT))
        log.close()

    def start(self):
        """True when the node takes jobs."""
        with open(self.path("munge/key"), "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(1024))
        self.spawn("munged", "--foreground", "--force", "--key-file=" + self.path("munge/key"),
                   "--socket=" + self.path("munge/socket"), "--pid-file=" + self.path("munge/pid"),
                   "--seed-file=" + self.path("munge/seed"))
        self.wait(lambda: os.path.exists(self.path("munge/socket")))
        self.spawn("slurmctld", "-D", "-i", "-f", self.path("slurm.conf"))
        self.spawn("slurmd", "-D", "-f", self.path("slurm.conf"))
        return self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"))

    def ask(self, *arguments):
        done = subprocess.run(arguments, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
        return done.stdout.decode()

    def wait(self, ready, seconds=40):
        end = time.monotonic() + seconds
        while time.monotonic() < end and all(process.poll() is None for process in self.processes):
            if ready():
                return True
            time.sleep(0.2)
        return False

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(self.path(name), errors="replace") as file:
                    text += name + ": " + file.read()[-600:] + "\n"
        return text

    def stop(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Array(unittest.TestCase):
    def test_two_elements_and_a_merge_give_the_report_of_one_run(self):
        work = SLURM.path("work")
        os.mkdir(work)
        programs = SLURM.path("bin")
        os.mkdir(programs)
        os.symlink(VERNIER, os.path.join(programs, "vernier"))
        environment = dict(SLURM.environment, PATH=programs + ":" + os.environ["PATH"], LC_ALL="C")
        golden, target = (os.path.join(SAMPLES, "ranks", side) for side in ("golden", "target"))
        out = os.path.join(work, "out")
        done = subprocess.run([os.path.join(SAMPLES, "cluster/slurm-submit.sh"), golden, target, out, "2"], env=environment,
                              cwd=work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(0, done.returncode, done.stderr.decode())
        merge = done.stdout.decode().strip()
        self.assertTrue(merge.isdigit(), merge)
        self.assertTrue(SLURM.wait(lambda: SLURM.ask("squeue", "-h") == "", 120), SLURM.logs())
        job = SLURM.ask("scontrol", "show", "job", merge)
        self.assertIn("ExitCode=1:0", job, "the verdict is the exit code of the last job\n" + SLURM.logs())
        parts = [name for name in os.listdir(os.path.join(out, "parts")) if name.startswith("shard-")]
        self.assertEqual(2, len(parts))
        alone = os.path.join(work, "alone")
        subprocess.run([VERNIER, "compare", golden, target, "-o", alone, "--format", "json", "--exit-zero", "--quiet"],
                       check=True, stderr=subprocess.DEVNULL)
        merged, whole = (self.facts(folder) for folder in (os.path.join(out, "report"), alone))
        self.assertEqual(whole["verdict"], merged["verdict"])
        self.assertEqual({"number": 1, "label": "target"}, merged["history"]["night"])
        self.assertEqual([(pair["step"], pair["rank"], pair["verdict"]) for pair in whole["pairs"]],
                         [(pair["step"], pair["rank"], pair["verdict"]) for pair in merged["pairs"]])

    def facts(self, folder):
        with open(os.path.join(folder, "summary.json")) as file:
            return json.load(file)


for program in PROGRAMS:
    if not shutil.which(program):
        skip(program + " is not installed")
if os.getuid() != 0:
    skip("only root can start a node of Slurm")
SLURM = Slurm()
try:
    if not SLURM.start():
        reason = "Slurm does not start here\n" + SLURM.logs()
        SLURM.stop()
        skip(reason)
    result = unittest.main(exit=False).result
finally:
    SLURM.stop()
sys.exit(0 if result.wasSuccessful() else 1)
