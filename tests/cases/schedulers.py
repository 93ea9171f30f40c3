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
TOP = os.path.dirname(os.path.abspath(SAMPLES))
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
        self.assertEqual(environment, {item["name"]: item["value"] for item in merge["env"]})
        self.assertEqual(75, self.run_text(merge["args"][0], PARTS=str(count + 1))[0], "a part is missing: try again")
        self.assertEqual(0, self.run_text(merge["args"][0], **environment)[0])
        self.check_report(os.path.join(self.folder, "report"), "same")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "nights.db")))

    def test_what_names_a_version_names_that_of_the_program(self):
        version = re.search(r"^project\(vernier VERSION ([0-9.]+)", read(TOP, "CMakeLists.txt"), re.M)[1]
        images = re.findall(r"image: \S+/vernier:(\S+)", read(CLUSTER, "kubernetes.yaml"))
        self.assertEqual({version}, set(images) | set(re.findall(r'set version = "([0-9.]+)"', read(TOP, "packaging/conda/meta.yaml"))))
        flows = [yaml.safe_load(read(TOP, "packaging/forges", name)) for name in ("github-release.yml", "gitlab-release.yml")]
        scripts = [" ".join(step.get("run", "") for step in flows[0]["jobs"]["packages"]["steps"]), " ".join(flows[1]["packages"]["script"])]
        for script in scripts:
            check = re.search(r"\$\((sed -n '[^']+' CMakeLists\.txt)\)", script)[1]
            self.assertEqual(version, subprocess.run(["sh", "-c", check], cwd=TOP, stdout=subprocess.PIPE, check=True).stdout.decode().strip())
            for target in re.findall(r"make ([a-z0-9-]+)", script.split("sudo")[-1]):
                self.assertRegex(read(TOP, "Makefile"), r"(?m)^%s:" % target)

    def gate(self, nights, few=False):
        """One night after the other by `nights(golden, target, history, number)`: red on news and on what could not be compared."""
        golden, target = (os.path.join(SAMPLES, "gpt", side) for side in ("golden", "target"))
        kept, missing = os.path.join(self.folder, "nights.db"), os.path.join(self.folder, "missing")
        asked = [(golden, kept), (target, kept), (target, kept), (golden, kept), (target, kept), (missing, kept),
                 (target, kept + "2"), (target, kept + "2"), (target, "")]
        asked = asked[1:3] + asked[5:6] if few else asked
        codes = [nights(golden, night, history, str(number)) for number, (night, history) in enumerate(asked)]
        self.assertEqual([1, 0, 3] if few else [0, 1, 0, 0, 1, 3, 1, 0, 1], codes, "news is what was not there the night before")

    def test_the_github_action_is_red_on_news_alone(self):
        flow, action = yaml.safe_load(read(CI, "github.yml")), yaml.safe_load(read(CI, "action.yml"))
        self.assertEqual("composite", action["runs"]["using"])
        step = [step for step in flow["jobs"]["compare"]["steps"] if step["uses"] == "./.github/actions/vernier"][0]
        self.assertLessEqual(set(step["with"]), set(action["inputs"]))
        self.assertTrue(all(name in step["with"] for name, words in action["inputs"].items() if words.get("required")))
        own = action["runs"]["steps"][0]
        page, told = os.path.join(self.folder, "page.md"), os.path.join(self.folder, "told")

        def night(golden, target, history, number):
            given = dict({name: words.get("default", "") for name, words in action["inputs"].items()}, **step["with"], title="run " + number)
            given.update(golden=golden, target=target, history=history)
            fill = lambda text: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], text)
            code, _, said = self.run_program(["bash", "-e", "-o", "pipefail", "-c", fill(own["run"])], GITHUB_STEP_SUMMARY=page,
                                             GITHUB_OUTPUT=told, **{name: fill(value) for name, value in own["env"].items()})
            self.assertNotIn("unbound", said)
            return code

        self.assertNotIn("${{", own["run"], "what others may write is no part of a script")
        self.gate(night)
        self.assertIn("**DIVERGES**", read(page))
        self.assertEqual(["code=0", "code=1"], read(told).split()[:2])
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "report/history")))

    def test_the_gitlab_component_is_red_on_news_alone(self):
        text = read(CI, "gitlab-component.yml")
        known = next(yaml.safe_load_all(text))["spec"]["inputs"]
        asked = yaml.safe_load(read(CI, "gitlab-ci.yml"))["include"][0]["inputs"]
        self.assertLessEqual(set(asked), set(known))
        self.assertTrue(all(name in asked for name, words in known.items() if "default" not in words))

        def night(golden, target, history, number):
            given = dict({name: words.get("default") for name, words in known.items()}, **asked)
            given.update(golden=golden, target=target, history=history)
            filled = re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda match: given[match[1]], text)
            (name, job), = list(yaml.safe_load_all(filled))[1].items()
            self.assertEqual("accuracy", name)
            code, _, _ = self.run_program(["sh", "-e", "-c", "\n".join(job["script"])], CI_PIPELINE_IID=number, **job["variables"])
            if code < 2:
                self.assertIn("<testsuite", read(self.folder, job["artifacts"]["reports"]["junit"]))
                json.loads(read(self.folder, job["artifacts"]["reports"]["codequality"]))
            return code

        self.gate(night, few=True)

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
