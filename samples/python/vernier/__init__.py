# SPDX-License-Identifier: Apache-2.0
"""vernier from Python: a function a command, which runs the program once and reads what it wrote.

    import vernier
    result = vernier.compare("golden", "target", noise=["golden-again"])
    print(result.verdict)

The program is $VERNIER, else the one beside this file (the wheel), else the one on the PATH, else that of the build tree around
samples/python. Arguments are paths; other keywords are options of the command: `step="0-3"` is --step 0-3, `exit_zero=True` is
--exit-zero, a list is an option several times. The standard library alone; Python 3.6 and later.
"""
import csv
import html
import json
import os
import shutil
import subprocess
import tempfile
import weakref
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

__all__ = ["Result", "VernierError", "UsageError", "InputError", "OutputError", "program", "run", "compare", "graph", "locate",
           "check", "checklist", "curves", "advise", "monitor", "history", "study", "tokens", "precheck", "merge", "convert", "explain"]

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[int, int, str], None]


class VernierError(RuntimeError):
    """There is no result. The text is what the program said; `code` its exit code."""

    def __init__(self, said: str, code: int, result: "Optional[Result]" = None) -> None:
        super().__init__(said)
        self.code = code
        self.result = result  # of a comparison in which nothing could be compared, else None


class UsageError(VernierError):
    """Exit 2: an option or an argument is wrong."""


class InputError(VernierError):
    """Exit 3: an input cannot be read, or nothing could be compared."""


class OutputError(VernierError):
    """Exit 5: an output could not be written."""


_ERRORS = {2: UsageError, 3: InputError, 5: OutputError}


class Result:
    """What a command found: summary.json, and the rows of its main table."""

    command: List[str]     # as it was run
    exit_code: int         # 0: nothing beyond tolerance, 1: a difference, 4: as 0, of a part of the input
    facts: Dict[str, Any]  # summary.json (docs/schema)
    said: str              # warnings and errors

    def __init__(self, command: List[str], exit_code: int, facts: Dict[str, Any], said: str, rows: Optional[str]) -> None:
        self.command, self.exit_code, self.facts, self.said = command, exit_code, facts, said
        self._rows = rows

    def __repr__(self) -> str:
        return "<vernier %s: %s>" % (self.facts["schema"], self.verdict)

    def _repr_html_(self) -> str:
        """In a notebook: the verdict, the picture of a ticket, and the first rows beyond tolerance, else the first rows."""
        rows = list(self.rows())
        worst = [row for row in rows if row.get("Result") in ("error", "warning")] or rows
        parts = ["<p><strong>%s</strong></p>" % html.escape(self.verdict), self.picture()]
        if worst:
            names = list(worst[0])[:8]
            lines = [names] + [[row[name] or "" for name in names] for row in worst[:5]]
            parts.append("<table>%s</table>" % "".join(
                "<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(cell) for cell in line) for line in lines))
            if len(worst) > 5:
                parts.append("<p>… %d more: <code>frame()</code></p>" % (len(worst) - 5))
        return "".join(parts)

    def picture(self, **options: Any) -> str:
        """The main picture as SVG text, of compare the card; the command runs once more. Empty: it has none."""
        if self.facts["schema"] == "vernier.compare/1" and self.facts.get("mode") != "weights":
            options.setdefault("view", "card")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.svg")
            self._again(path, options)
            if not os.path.exists(path):
                return ""
            with open(path, encoding="utf-8") as file:
                return file.read()

    def _again(self, path: str, options: Dict[str, Any]) -> None:
        """The same command with another output and further options."""
        words, end = list(self.command), self.command.index("--")
        kept, skip = [], False
        for word in words[:end]:
            if not skip and word != "-o":
                kept.append(word)
            skip = word == "-o"
        _start(kept + _words(options) + ["-o", path] + words[end:], None)

    @property
    def verdict(self) -> str:
        """The sentence that the program prints."""
        return self.facts["verdict"]

    @property
    def status(self) -> str:
        """same, pass, warning, error, unmatched or no data: the worst that was found."""
        return self.facts["status"]

    @property
    def partial(self) -> bool:
        """Part of the input could not be read or compared."""
        return self.facts["partial"]

    @property
    def differs(self) -> bool:
        return self.exit_code == 1

    @property
    def problems(self) -> List[Dict[str, Any]]:
        return self.facts["problems"]

    @property
    def coverage(self) -> List[Dict[str, Any]]:
        """Of compare: what was compared, a dictionary a step and rank (`compared`, `golden`, `target`, `not_recorded`, …)."""
        return [dict(pair["coverage"], step=pair["step"], rank=pair["rank"]) for pair in self.facts.get("pairs", ())
                if pair.get("coverage")]

    @property
    def first_divergence(self) -> Optional[Dict[str, Any]]:
        """Of compare: that of the pair of which the verdict speaks; None where the runs do not part."""
        origin = self.facts.get("origin")
        return None if origin is None else self.facts["pairs"][origin]["first_divergence"]

    def rows(self) -> Iterator[Dict[str, str]]:
        """The rows of the main table, as text, by column; none of a command without such a table."""
        if self._rows:
            with open(self._rows, encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    yield dict(row)

    def frame(self) -> Any:
        """The rows as a pandas.DataFrame; pandas has to be installed."""
        import pandas
        return pandas.read_csv(self._rows) if self._rows else pandas.DataFrame()

    def explain(self, op: Optional[str] = None, lang: Optional[str] = None) -> str:
        """Why the verdict is what it is, what was compared, and what to do next (`vernier explain`). In a language other than
        the result's the command runs once more, for the sentences of its verdict."""
        own = next((word[len("--lang="):] for word in self.command if word.startswith("--lang=")), "en")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "summary.json")
            if lang in (None, own):
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(self.facts, file)
            else:
                self._again(path, {"lang": lang})
            return explain(path, op, lang or own)


def program() -> str:
    """The path of the program."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(here, "vernier")
    if os.environ.get("VERNIER"):
        return os.environ["VERNIER"]
    if os.path.isfile(beside):
        return beside
    built = os.path.join(here, "..", "..", "..", "build", "release", "vernier")
    found = shutil.which("vernier") or (os.path.abspath(built) if os.path.isfile(built) else None)
    if not found:
        raise VernierError("the program vernier is neither on the PATH nor named by the variable VERNIER", 127)
    return found


def _words(options: Dict[str, Any]) -> List[str]:
    words = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            several = value if isinstance(value, (list, tuple)) else [value]
            words += [flag + "=" + os.fspath(one) if hasattr(one, "__fspath__") else "%s=%s" % (flag, one) for one in several]
    return words


def _paths(value: Union[Path, Iterable[Path]]) -> List[Path]:
    """One path, or several: a single name is no list of letters."""
    return [value] if isinstance(value, (str, os.PathLike)) else list(value)


def _start(words: List[str], progress: Optional[Progress]) -> Tuple[int, str, str]:
    """Exit code, standard output and what was said; progress is told while the program runs."""
    environment = dict(os.environ, NO_COLOR="1")
    if progress:
        environment["VERNIER_PROGRESS"] = "lines"
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, env=environment) as process:
            said = []
            for line in process.stderr:
                text = line.decode("utf-8", "replace")
                word, _, rest = text.partition(" ")
                if progress and word == "progress":
                    done, pairs, name = rest.rstrip("\n").split(" ", 2)
                    progress(int(done), int(pairs), name)
                else:
                    said.append(text)
        out.seek(0)
        return process.returncode, out.read().decode("utf-8", "replace"), "".join(said)


def run(command: str, *arguments: Path, out: Optional[Path] = None, progress: Optional[Progress] = None, **options: Any) -> Result:
    """Any command that has a verdict. `out`: a folder or file for a report, written besides."""
    kept = tempfile.mkdtemp(prefix="vernier-")  # goes with the result
    try:
        result = _run(command, arguments, kept, out, progress, options)
    except BaseException:
        shutil.rmtree(kept, ignore_errors=True)
        raise
    weakref.finalize(result, shutil.rmtree, kept, True)
    return result


def _run(command: str, arguments: Iterable[Path], kept: str, out: Optional[Path], progress: Optional[Progress],
         options: Dict[str, Any]) -> Result:
    summary, rows = os.path.join(kept, "summary.json"), os.path.join(kept, "rows.csv")
    words = [program(), command, *_words(options), "-o", summary, "-o", rows]
    if out is not None:
        words += ["-o", os.fspath(out)]
    words += ["--", *[os.fspath(argument) for argument in arguments]]
    code, _, said = _start(words, progress)
    result = None
    if os.path.exists(summary):
        with open(summary, encoding="utf-8") as file:
            result = Result(words, code, json.load(file), said, rows if os.path.exists(rows) else None)
    if result is None or code not in (0, 1, 4):
        raise _ERRORS.get(code, VernierError)((said or (result.verdict if result else "")).strip(), code, result)
    return result


def compare(*dumps: Path, noise: Union[Path, Iterable[Path]] = (), **options: Any) -> Result:
    """Golden and target, dumps or checkpoints: where do the runs first diverge? `noise`: further runs of golden, or one.
    With runs=True each further dump is held against the first."""
    return run("compare", *dumps, noise=_paths(noise), **options)


def graph(dump: Path, **options: Any) -> Result:
    """One dump: its hierarchy and overflow levels."""
    return run("graph", dump, **options)


def locate(dump: Path, **options: Any) -> Result:
    """The first NaN or Inf over all ranks."""
    return run("locate", dump, **options)


def check(*inputs: Path, **options: Any) -> Result:
    """One run: what must hold in it, without a golden one. Its dumps, checkpoints or token folders, together."""
    return run("check", *inputs, **options)


def checklist(golden: Path, target: Path, **options: Any) -> Result:
    """Two configurations: what differs, and what is advised against."""
    return run("checklist", golden, target, **options)


def curves(*runs: Path, noise: Union[Path, Iterable[Path]] = (), **options: Any) -> Result:
    """Logs and tables: one run is shown, of two the second is held against the first."""
    return run("curves", *runs, noise=_paths(noise), **options)


def advise(kind: str, *logs: Path, **options: Any) -> Result:
    """`skip`: thresholds for skipping data; `health`: healthy checkpoints."""
    return run("advise", kind, *logs, **options)


def monitor(*runs: Path, **options: Any) -> Result:
    """Monitor files: where does a run leave its own history?"""
    return run("monitor", *runs, **options)


def history(file: Path, **options: Any) -> Result:
    """The nights that the option `history` kept."""
    return run("history", file, **options)


def study(file: Path, **options: Any) -> Result:
    """A whole accuracy case, every stage."""
    return run("study", file, **options)


def tokens(*files: Path, **options: Any) -> Result:
    """Log-probabilities of two engines, token by token; of one file those of both that it holds."""
    return run("tokens", *files, **options)


def precheck(*files: Path, **options: Any) -> Result:
    """CSV files of an accuracy pre-check."""
    return run("precheck", *files, **options)


def merge(*parts: Path, **options: Any) -> Result:
    """The parts of a comparison, joined: their folder, or each by name."""
    return run("merge", *parts, **options)


def convert(source: Path, to: Path, **options: Any) -> str:
    """A dump as vernier.dump/1 at `to`, or a log as CSV, JSON Lines or TensorBoard events; gives the verdict."""
    code, text, said = _start([program(), "convert", *_words({"output": to, **options}), "--", os.fspath(source)], None)
    if code in _ERRORS:
        raise _ERRORS[code](said.strip(), code)
    return text.strip()


def explain(summary: Path, op: Optional[str] = None, lang: str = "en") -> str:
    """A summary.json, or the folder that holds it, in plain words."""
    code, text, said = _start([program(), "explain", *_words({"op": op, "lang": lang}), "--", os.fspath(summary)], None)
    if code:
        raise _ERRORS.get(code, VernierError)(said.strip(), code)
    return text
