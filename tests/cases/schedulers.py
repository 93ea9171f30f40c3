#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""samples/cluster and samples/ci: the scripts are clean for shellcheck, the YAML files parse, and the vernier commands
in them run on the samples. Exit code 77: what is needed to read them is not installed."""
import json
import os
import re
import shutil
import subprocess
import sys

from program import Case, SAMPLES, VERNIER, main

try:
    import yaml
except ImportError:
    sys.exit(77)

CLUSTER, CI = os.path.join(SAMPLES, "cluster"), os.path.join(SAMPLES, "ci")
SCRIPTS = sorted(name for name in os.listdir(CLUSTER) if name.endswith(".sh"))


def read(*parts):
    with open(os.path.join(*parts)) as file:
        return file.read()


class Scripts(Case):
    def setUp(self):
        """A folder that stands for /srv and /data: dumps of a golden run and of a night that differs."""
        super().setUp()
        for dumps in (os.path.join(self.folder, "dumps"), self.folder):
            shutil.copytree(os.path.join(SAMPLES, "ranks/golden"), os.path.join(dumps, "golden"))
            for name in ("target", "tonight"):
                shutil.copytree(os.path.join(SAMPLES, "ranks/target"), os.path.join(dumps, name))
        self.golden, self.target = os.path.join(self.folder, "golden"), os.path.join(self.folder, "target")
        programs = os.path.join(self.folder, "bin")
        os.mkdir(programs)
        os.symlink(VERNIER, os.path.join(programs, "vernier"))
        self.environment = dict(os.environ, PATH=programs + ":" + os.environ["PATH"], LC_ALL="C", NO_COLOR="1")

    def run_program(self, arguments, **environment):
        done = subprocess.run(arguments, cwd=self.folder, env=dict(self.environment, **environment), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=600)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def run_text(self, text, shell="sh", **environment):
        """A command as a scheduler would run it, in the folder instead of /srv or /data."""
        text = re.sub(r"(?<![\w.])/(srv|data)/", self.folder + "/", text)
        return self.run_program([shell, "-c", "set -e\n" + text], **environment)

    def check_report(self, folder, status="error", pairs=4):
        facts = json.loads(read(folder, "summary.json"))
        self.assertEqual(("vernier.compare/1", status, False, pairs),
                         (facts["schema"], facts["status"], facts["partial"], len(facts["pairs"])))

    def test_shellcheck_has_nothing_to_say(self):
        if not shutil.which("shellcheck"):
            self.skipTest("shellcheck is not installed")
        done = subprocess.run(["shellcheck", *[os.path.join(CLUSTER, name) for name in SCRIPTS]], stdout=subprocess.PIPE)
        self.assertEqual("", done.stdout.decode())

    def test_the_nightly_script_reports_and_keeps_the_night(self):
        reports = os.path.join(self.folder, "reports")
        script = os.path.join(CLUSTER, "nightly.sh")
        self.assertEqual((0, "", ""), self.run_program([script, self.golden, self.golden, reports]))
        code, text, _ = self.run_program([script, self.golden, self.target, reports])
        self.assertEqual(1, code)
        self.assertIn("**DIVERGES**", text)
        self.assertIn("Night 2 (target) against night 1 (golden). New:", text)
        self.check_report(os.path.join(reports, "target"))
        self.assertTrue(os.path.exists(os.path.join(reports, "history/history-compare.svg")))
        self.assertTrue(os.path.exists(os.path.join(reports, "target/check/summary.md")))
        with open(os.path.join(reports, "vernier.prom"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r'(?s)vernier_run_seconds [0-9]+\n.*state="differs"} 1.0\n.*# EOF\n$')
        again = os.path.join(self.folder, "later")
        shutil.copytree(self.target, again)
        code, text, said = self.run_program([script, self.golden, again, reports])
        self.assertEqual((1, "", ""), (code, text, said), "the same as last night is no news")
        code, text, said = self.run_program([script, self.golden, os.path.join(self.folder, "missing"), reports])
        self.assertEqual(3, code)
        self.assertIn("no report of missing", text)
        self.assertEqual((1, False), (said.count("error: "), "Night" in text + said))

    def test_the_crontab_line_runs_that_script(self):
        lines = [line for line in read(CLUSTER, "nightly.cron").split("\n") if re.match(r"[\d*]", line)]
        self.assertEqual(1, len(lines))
        fields = re.match(r"(?:[\d*/,-]+ ){5}(.*)$", lines[0])
        command = fields.group(1)
        self.assertNotRegex(command, r"(?<!\\)%", "cron takes a bare % for the end of the command")
        command = command.replace("\\%", "%").replace("/srv/nightly", CLUSTER).replace("$(date +%F)", "tonight")
        code, text, _ = self.run_text(command)
        self.assertEqual(1, code)
        self.assertIn("**DIVERGES**", text)

    # Runs that agree draw nothing, so the parts are quick; tests/cases/slurm.py has one that differs.
    def test_parallel_parts_make_one_report(self):
        out = os.path.join(self.folder, "out")
        code, _, text = self.run_program([os.path.join(CLUSTER, "parallel.sh"), self.golden, self.golden, out, "3"])
        self.assertEqual(0, code, text)
        self.check_report(os.path.join(out, "report"), "same")

    def test_mpi_processes_take_their_part_of_every_launcher(self):
        for names in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"),
                      ("SLURM_PROCID", "SLURM_NTASKS")):
            parts = os.path.join(self.folder, names[0])
            for rank in range(2):
                code, _, text = self.run_program([os.path.join(CLUSTER, "mpi-part.sh"), self.golden, self.golden, parts],
                                                 **{names[0]: str(rank), names[1]: "2"})
                self.assertEqual(0, code, text)
            self.assertEqual(["shard-1-of-2.json", "shard-2-of-2.json"],
                             sorted(name for name in os.listdir(parts) if name.startswith("shard-")))
        code, text, _ = self.run_program(["vernier", "merge", parts, "-o", "-", "--format", "md"])
        self.assertEqual(0, code)
        self.assertTrue(text.startswith("**SAME**"))

    def test_the_kubernetes_jobs_make_parts_and_join_them(self):
        shutil.rmtree(self.target)
        shutil.copytree(self.golden, self.target)
        jobs = list(yaml.safe_load_all(read(CLUSTER, "kubernetes.yaml")))
        self.assertEqual(["Job", "Job"], [job["kind"] for job in jobs])
        parts, merge = [job["spec"]["template"]["spec"]["containers"][0] for job in jobs]
        spec = jobs[0]["spec"]
        count = spec["completions"]
        environment = {item["name"]: item["value"] for item in parts["env"]}
        self.assertEqual(("Indexed", str(count)), (spec["completionMode"], environment["PARTS"]))
        for container in (parts, merge):
            self.assertEqual(["sh", "-c"], container["command"])
        for index in range(count):
            code, _, text = self.run_text(parts["args"][0], JOB_COMPLETION_INDEX=str(index), **environment)
            self.assertEqual(0, code, text)
        self.assertEqual(0, self.run_text(merge["args"][0])[0])
        self.check_report(os.path.join(self.folder, "report"), "same")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "nights.db")))

    def test_the_github_workflow(self):
        flow = yaml.safe_load(read(CI, "github.yml"))
        job = flow["jobs"]["compare"]
        environment = {name: value.replace("/srv", self.folder) for name, value in job["env"].items()}
        os.mkdir(os.path.join(self.folder, "reports"))
        pages = os.path.join(self.folder, "page.md")
        codes = {}
        for step in job["steps"]:
            if "run" in step:
                codes[step["name"]] = self.run_text(step["run"], "bash", GITHUB_STEP_SUMMARY=pages, GITHUB_RUN_NUMBER="7",
                                                    **environment)[0]
        self.assertEqual([1, 0, 0], list(codes.values()))
        self.assertIn("Night 1 (run 7)", read(pages))
        uploaded = job["steps"][-1]["with"]["path"].split()
        self.assertTrue(all(os.path.isdir(os.path.join(self.folder, path)) for path in uploaded))

    def test_the_gitlab_pipeline(self):
        job = yaml.safe_load(read(CI, "gitlab-ci.yml"))["accuracy"]
        environment = {name: value.replace("/srv", self.folder) for name, value in job["variables"].items()}
        os.mkdir(os.path.join(self.folder, "reports"))
        self.assertEqual(1, self.run_text("\n".join(job["script"]), CI_PIPELINE_IID="7", **environment)[0])
        self.assertEqual(0, self.run_text("\n".join(job["after_script"]), CI_PIPELINE_IID="7", **environment)[0])
        self.assertIn("<testsuite", read(self.folder, job["artifacts"]["reports"]["junit"]))
        self.assertTrue(all(os.path.isdir(os.path.join(self.folder, path)) for path in job["artifacts"]["paths"]))

    def test_the_jenkins_pipeline(self):
        text = read(CI, "Jenkinsfile")
        self.assertEqual(text.count("{"), text.count("}"))
        environment = {name: value.replace("/srv", self.folder)
                       for name, value in re.findall(r"^\s+([A-Z]+) = '(.*)'$", text, re.M)}
        os.mkdir(os.path.join(self.folder, "reports"))
        commands = re.findall(r"'''(.*?)'''", text, re.S)
        codes = [self.run_text(command, BUILD_NUMBER="7", **environment)[0] for command in commands]
        self.assertEqual([1, 0], codes)
        for path in re.findall(r"(?:testResults|artifacts): '([^'*,]*)", text):
            self.assertTrue(os.path.exists(os.path.join(self.folder, path)), path)


if __name__ == "__main__":
    main()
