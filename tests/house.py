#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the house is kept, read from the sources: house.py SOURCE CHECK, or house.py --list of what there is to check

A unit is a .c file with the header of its own name, or either of them alone. It needs another unit
if its header includes that unit's header or its code uses a function or table that is defined
there. Prints what is wrong; exit code 1 then.
"""
import collections
import os
import re
import subprocess
import sys

FUNCTION_LINES = 60
FOLDER_FILES = 40
COLUMNS = 100

# Data flows from left to right: a folder needs only those before it. Those that stand together in
# one pair of brackets do not need each other.
FLOW = [["base", "templates"], ["read"], ["model"], ["compare", "trend"], ["scene"], ["verdict"], ["picture"],
        ["report"], ["export"], ["renderers"], ["commands"]]
RENDERERS_NEED = {"base", "scene", "templates", "renderers"}
# Of two files with one name the one is no part of the program.
GIVEN_NAMES = {"CMakeLists.txt", "README.md"}
TOP_FOLDER = {".ci", ".clang-format", ".clang-tidy", ".cppcheck", ".gitattributes", ".gitignore", "CHANGELOG.md",
              "CMakeLists.txt", "CMakePresets.json", "LICENSE", "Makefile", "README.md", "README.zh.md", "SECURITY.md",
              "docs", "packaging", "renderers", "samples", "src", "templates", "tests"}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'", re.S)
WORD = re.compile(r"(?<![\w.>])[A-Za-z_]\w*\b")
DECLARED = re.compile(r"(\w+)\(|^extern [^;]*?(\w+)(?:\[[^\]]*\])*;", re.M)
DEFINITION = re.compile(r"^(?!static\b|typedef\b|struct\s+\w+\s*\{|enum\b|extern\b|#)(?:[A-Za-z_][\w \t*]*?[ *])(\w+)"
                        r"(?:\((?:[^;{}]*)\)\s*\n\{|(?:\[[^\]]*\])*\s*=\s*)", re.M)


def sources(top):
    for folder in ("src", "renderers", "templates"):
        for at, folders, names in os.walk(os.path.join(top, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(at, name), top)


def tests(top):
    for at, folders, names in os.walk(os.path.join(top, "tests")):
        folders[:] = sorted(f for f in folders if f not in ("corpus", "data", "__pycache__"))
        for name in sorted(names):
            if name.endswith((".c", ".h", ".py", ".sh", ".js")):
                yield os.path.relpath(os.path.join(at, name), top)


def text_of(top, path):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read()


def code_of(text):
    """Without comments and strings; lines stay lines."""
    return COMMENT.sub(lambda m: "\n" * m.group().count("\n") or " ", text)


def unit_of(path):
    return os.path.splitext(path)[0]


def include_path(name):
    """Where the header of an #include stands in the tree."""
    return name if name.split("/")[0] in ("renderers", "templates") else "src/" + name


def includes_of(text):
    return [include_path(name) for name in re.findall(r'^#include "([^"]+)"', text, re.M)]


class House:
    """The units, and why one needs another: needs[a][b] is a list of names."""

    def __init__(self, top):
        self.text = {path: text_of(top, path) for path in sources(top)}
        self.needs = collections.defaultdict(lambda: collections.defaultdict(list))
        self.includes = {path: includes_of(text) for path, text in self.text.items()}
        self.reached = {}
        codes = {path: code_of(text) for path, text in self.text.items()}
        told = collections.defaultdict(set)  # the headers that declare a name; all else is a unit's own
        for path, code in codes.items():
            if path.endswith(".h"):
                for pair in DECLARED.findall(code):
                    told[pair[0] or pair[1]].add(path)
        defined = {}
        for path, code in codes.items():
            if path.endswith(".c"):
                for match in DEFINITION.finditer(code):
                    if match.group(1) in told:
                        defined.setdefault(match.group(1), unit_of(path))
        for path, code in codes.items():
            unit = unit_of(path)
            self.needs[unit]
            for header in self.includes[path]:
                if path.endswith(".h") and unit_of(header) != unit:
                    self.needs[unit][unit_of(header)].append(os.path.basename(header))
            if path.endswith(".c"):
                for name in sorted(set(WORD.findall(code)) & defined.keys()):
                    if defined[name] != unit and told[name] & self.seen_by(path):
                        self.needs[unit][defined[name]].append(name)

    def seen_by(self, path):
        """All headers that a file includes, also through others."""
        if path not in self.reached:
            self.reached[path] = out = set()
            work = list(self.includes.get(path, ()))
            while work:
                header = work.pop()
                if header not in out:
                    out.add(header)
                    work += self.includes.get(header, ())
        return self.reached[path]


def circles(needs):
    """Groups of nodes that reach each other (Tarjan, without recursion)."""
    number, low, stack, on, out = {}, {}, [], set(), []
    for root in sorted(needs):
        if root in number:
            continue
        work = [(root, iter(sorted(needs[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(needs.get(other, ())))))
                    break
                if other in on:
                    low[node] = min(low[node], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    group = []
                    while True:
                        group.append(stack.pop())
                        on.discard(group[-1])
                        if group[-1] == node:
                            break
                    if len(group) > 1:
                        out.append(sorted(group))
    return sorted(out)


def explain(group, needs):
    for one in group:
        for other in group:
            if other in needs[one]:
                names = needs[one][other]
                yield "    %s needs %s: %s" % (one, other, ", ".join(names[:4]) + (" …" if len(names) > 4 else ""))


def no_circle_between_files(top):
    house = House(top)
    for group in circles(house.needs):
        names = " ".join(os.path.basename(unit) for unit in group)
        yield "%d files need each other: %s\n%s" % (len(group), names, "\n".join(explain(group, house.needs)))


def no_circle_between_folders(top):
    """What stands in the folder of a stage itself are its front doors and what its rooms share: these
    are no room, so a room may need them and they the room."""
    house = House(top)
    folders = collections.defaultdict(lambda: collections.defaultdict(list))

    def need(one, other, why):
        one, other = os.path.dirname(one), os.path.dirname(other)
        if one != other and not one.startswith(other + "/") and not other.startswith(one + "/"):
            folders[one][other].append(why)

    for path, headers in house.includes.items():
        for header in headers:
            need(path, header, "%s includes %s" % (os.path.basename(path), os.path.basename(header)))
    for unit, others in house.needs.items():
        for other, names in others.items():
            need(unit, other, "%s calls %s" % (os.path.basename(unit), ", ".join(names[:2])))
    for group in circles(folders):
        names = " ".join(group)
        yield "folders need each other: %s\n%s" % (names, "\n".join(explain(group, folders)))


def stage_of(path):
    parts = path.split("/")
    if path == "src/main.c":
        return "commands"
    return parts[1] if parts[0] == "src" else parts[0]


def includes_follow_the_flow_of_data(top):
    order = {name: (at, name) for at, names in enumerate(FLOW) for name in names}
    for path, text in ((path, text_of(top, path)) for path in sources(top)):
        stage = stage_of(path)
        if stage not in order:
            yield "%s: a stage that FLOW does not name" % path
            continue
        for header in includes_of(text):
            other = stage_of(header)
            good = other == stage or (other in order and order[other][0] < order[stage][0])
            if stage == "renderers":
                good = other in RENDERERS_NEED
            elif stage == "scene":
                good = other in ("base", "scene")
            elif other == "templates":
                good = stage in ("read", "commands", "templates")
            if not good:
                yield "%s: %s must not include %s" % (path, stage, header)


def no_file_name_twice(top):
    places = collections.defaultdict(list)
    for path in list(sources(top)) + list(tests(top)):
        places[os.path.basename(path)].append(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1 and name not in GIVEN_NAMES:
            yield "%s: %s" % (name, " ".join(paths))


def no_folder_is_too_full(top):
    count = collections.Counter(os.path.dirname(path) for path in sources(top) if path.endswith(".c"))
    for folder, files in sorted(count.items()):
        if files > FOLDER_FILES:
            yield "%s: %d .c files" % (folder, files)


def no_function_is_too_long(top):
    for path in list(sources(top)) + list(tests(top)):
        if not path.endswith(".c"):
            continue
        begin, name = None, ""
        for number, line in enumerate(text_of(top, path).split("\n"), 1):
            if re.match(r"[A-Za-z_].*\w\(", line) and not line.rstrip().endswith(";"):
                head, name = number, line
            if line == "{":
                begin = head if name else number
            if line == "}" and begin:
                if number - begin + 1 > FUNCTION_LINES:
                    yield "%s:%d: %d lines: %s" % (path, begin, number - begin + 1, name)
                begin, name = None, ""


def head_comment(text):
    """The // block that stands apart at the top, before or right behind the includes."""
    lines = [line for line in text.split("\n") if "SPDX" not in line]
    at = 0
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith("#")):
        at += 1
    block = []
    while at < len(lines) and lines[at].startswith("//"):
        block.append(lines[at][2:].strip())
        at += 1
    apart = at < len(lines) and (not lines[at].strip() or lines[at].startswith("#"))
    return " ".join(block) if apart else ""


def header_says(text):
    return re.search(r"^// (?!SPDX)\S", text, re.M) is not None


def every_file_says_what_it_is_for(top):
    paths = set(sources(top))
    for path in sorted(paths):
        if not path.endswith(".c"):
            continue
        header = path[:-1] + "h"
        if header in paths and header_says(text_of(top, header)):
            continue
        if not head_comment(text_of(top, path)):
            yield "%s: neither it nor a header of its name says what it is for" % path


def no_line_is_too_long(top):
    for path in list(sources(top)) + list(tests(top)):
        if path.endswith((".c", ".h")):
            for number, line in enumerate(text_of(top, path).split("\n"), 1):
                if len(line) > COLUMNS:
                    yield "%s:%d: %d columns" % (path, number, len(line))


# ---- What comments and pages cite

DOCUMENT = r"docs/[\w./-]+\.md"
SECTION = r"§(\d+(?:\.\d+)*)|\b([A-Z]\d{1,2})\b"
FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)+[\w.-]+\.(?:c|h|py|sh|js|md|cmake|css|html|theme|zh))\b")


def tracked(top):
    """All files of the tree: those of git, or, in a tree without it, all but what is built."""
    listed = subprocess.run(["git", "-C", top, "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return listed.stdout.split("\n")
    out = []
    for at, folders, names in os.walk(top):
        folders[:] = [f for f in folders if f not in ("build", ".git")]
        out += [os.path.relpath(os.path.join(at, name), top) for name in names]
    return out


def comments_of(path, text):
    """(line, comment) with the lines of one comment joined."""
    if path.endswith(".py"):
        for match in re.finditer(r'"""(.*?)"""', text, re.S):
            yield text.count("\n", 0, match.start()) + 1, " ".join(match.group(1).split())
        mark = "#"
    else:
        mark = "//"
    block, begin = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = re.match(r"^(.*?)(?<!:)%s ?(.*)$" % mark, line)
        alone = match and not match.group(1).strip()
        if block and not alone:
            yield begin, " ".join(block)
            block = []
        if match:
            if not block:
                begin = number
            block.append(match.group(2).strip())
            if not alone:
                yield begin, " ".join(block)
                block = []


def sections_of(text):
    """The numbers of its headings, and every name such as X4 that a heading or a row begins with."""
    out = set(re.findall(r"^#+ §?(\d+(?:\.\d+)*)\b", text, re.M))
    return out | set(re.findall(r"^(?:#+|\|) \**([A-Z]\d{1,2})\b", text, re.M))


def citations(comment, document):
    """(document, section or None) of a comment; a bare § belongs to the document cited last."""
    for match in re.finditer("(%s)|%s" % (DOCUMENT, SECTION), comment):
        if match.group(1):
            document = match.group(1)
            yield document, None
        elif match.group(2):
            yield document, match.group(2)
        elif document and re.search(r"\.md(?:,? (?:and |to )?(?:§[\d.]+|[A-Z]\d{1,2}))*,? (?:and |to )?$",
                                    comment[:match.start()]):
            yield document, match.group(3)


def every_citation_resolves(top):
    known = {}
    for path in list(sources(top)) + list(tests(top)):
        document = None
        for line, comment in comments_of(path, text_of(top, path)):
            for document, section in citations(comment, document):
                if document is None:
                    yield "%s:%d: §%s of no document" % (path, line, section)
                    continue
                if document not in known:
                    there = os.path.exists(os.path.join(top, document))
                    known[document] = sections_of(text_of(top, document)) if there else None
                if known[document] is None:
                    yield "%s:%d: there is no %s" % (path, line, document)
                elif section and section not in known[document]:
                    yield "%s:%d: %s has no §%s" % (path, line, document, section)


def every_file_that_is_named_exists(top):
    files = ["/" + path for path in tracked(top)]
    names = {os.path.basename(path) for path in files}

    def missing(name):
        if name.startswith("docs/"):
            return False  # a citation
        if name.split("/")[0] in ("build", "sys", "linux", "cairo", "pango", "libxml"):
            return False
        return not any(path.endswith("/" + name) for path in files)

    for path in list(sources(top)) + list(tests(top)):
        for line, comment in comments_of(path, text_of(top, path)):
            for name in FILE.findall(comment):
                if name.endswith((".c", ".h")) and missing(name):
                    yield "%s:%d: there is no %s" % (path, line, name)
            for name in re.findall(r"(?<![\w./<-])(\w+_\w+\.[ch])\b", comment):
                if name not in names:
                    yield "%s:%d: there is no %s" % (path, line, name)
    for path in tracked(top):
        if re.match(r"(docs/(?!spec/).*|README|CONTRIBUTING)\.md$", path) and os.path.exists(os.path.join(top, path)):
            for number, line in enumerate(text_of(top, path).split("\n"), 1):
                for name in re.findall(r"(?<![\w./-])((?:src|renderers|templates|tests|docs|samples)/[\w./-]*\w)", line):
                    if not any(file.startswith("/" + name) for file in files):
                        yield "%s:%d: there is no %s" % (path, number, name)


# Keys of files of other programs, and an op of such a file.
FOREIGN = {"api_risk_level", "scatter_list", "num_zero", "module_step0", "tensor_type", "tensor_content"}


def every_name_in_a_comment_exists(top):
    """A name of two words or more that a comment gives is one of the code, of a test or of a document."""
    known = set(FOREIGN)
    for path in list(sources(top)) + list(tests(top)):
        text = text_of(top, path)
        known |= set(WORD.findall(re.sub(r"//[^\n]*", "", text) if path.endswith((".c", ".h")) else text))
        known |= set(re.findall(r"[.>]([A-Za-z_]\w*)", text))
    for folder in "docs/", "docs/reference/":
        for name in sorted(os.listdir(os.path.join(top, folder))):
            if name.endswith(".md"):
                known |= set(re.findall(r"[A-Za-z_]\w*", text_of(top, folder + name)))
    for path in sources(top):
        for line, comment in comments_of(path, text_of(top, path)):
            for name in re.findall(r"(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+\b(?!\.[a-z])", re.sub(r'"[^"]*"', "", comment)):
                if name not in known:
                    yield "%s:%d: there is no %s" % (path, line, name)


def what_to_touch_is_true(top):
    """Of the tables of docs/architecture.md: every file is there, and holds what stands behind its colon."""
    for number, line in enumerate(text_of(top, "docs/architecture.md").split("\n"), 1):
        if not line.startswith("| "):
            continue
        for path, name in re.findall(r"`((?:src|renderers)/[\w./]+\.[ch])`: `([^`]+)`", line):
            if not os.path.exists(os.path.join(top, path)):
                yield "docs/architecture.md:%d: there is no %s" % (number, path)
            elif name not in text_of(top, path):
                yield "docs/architecture.md:%d: no %s in %s" % (number, name, path)
        names, paths = re.findall(r"`(\w+)`", line), re.findall(r"`(src/[\w./]+\.c)`", line)
        if len(line.split("|")) == 5 and paths:  # a step of a walk: function, then file
            texts = "".join(text_of(top, path) for path in paths if os.path.exists(os.path.join(top, path)))
            for name in names:
                if name not in texts:
                    yield "docs/architecture.md:%d: no %s in %s" % (number, name, " ".join(paths))


def the_top_folder_holds_only_its_own(top):
    """What a test that was run by hand wrote beside it is no part of the tree."""
    listed = subprocess.run(["git", "-C", top, "ls-files", "-z"], capture_output=True, check=False).stdout
    names = {path.split(b"/")[0].decode() for path in listed.split(b"\0") if path}
    for name in sorted(names - TOP_FOLDER):
        yield "%s: name it in tests/house.py, or take it away" % name
    for report in sorted({match.group() for match in re.finditer(rb"(?<=\0)[^\0]*?vernier-\w+(?=/)", b"\0" + listed)}):
        yield "%s: a report without -o" % report.decode()


def every_dependency_has_its_reason(top):
    """Of the libraries that are linked and the packages that .ci/deps installs: docs/dependencies.md tells what each is for."""
    libraries, _, tools = text_of(top, "docs/dependencies.md").partition("\n## ")
    cmake, packages = text_of(top, "CMakeLists.txt"), text_of(top, ".ci/deps")
    linked = re.findall(r"^pkg_check_modules\(\w+ .*?(\S+)\)", cmake, re.M) + re.findall(r"^find_package\((\w+) ", cmake, re.M)
    for name in linked:
        plain = re.sub(r"^lib|[\d.-]+$", "", name).lower()
        if plain not in ("pkgconfig", "threads") and plain not in libraries.lower():
            yield "docs/dependencies.md: what is %s linked for?" % name
    for group in re.findall(r'^\w+="([^"]+)"', packages, re.M):
        for name in group.split():
            if not (name.endswith("-dev") and name.startswith(("lib", "zlib"))) and not re.search(
                    r"(?<![\w+-])%s(?![\w+-])" % re.escape(name), tools):
                yield "docs/dependencies.md: what is %s installed for?" % name


# Lists of another kind: what msProbe names, and the signatures and kernels of single ops.
OP_LISTS = {"op_traits.c", "msprobe_nodes.c", "msprobe_verdict.c", "mapping_api.c", "match_kernel.c", "argument_names.c"}


def what_an_op_is_stands_in_one_table(top):
    """Three names of src/model/ops/op_traits.c in one list of another file are a second table."""
    known = set(re.findall(r'^    \{\{"(\w+)", ', text_of(top, "src/model/ops/op_traits.c"), re.M))
    for path in sources(top):
        if not path.startswith(("src/compare/", "src/model/")) or os.path.basename(path) in OP_LISTS:
            continue
        text = text_of(top, path)
        for match in re.finditer(r"STR_IN\([^;]*?\)|=\s*\{[^;]*?\};", text, re.S):
            names = sorted(set(re.findall(r'"(\w+)"', match.group())) & known)
            if len(names) >= 3:
                yield "%s:%d: %s" % (path, text.count("\n", 0, match.start()) + 1, ", ".join(names))


def a_status_is_written_in_one_file(top):
    """Of a pair of slots and of ops, under the rules vernier: src/compare/judge/fold.c; msProbe's are written beside it."""
    for path in sources(top):
        if not path.startswith("src/compare/") or path.endswith(("/fold.c", "/precheck_ops.c")) or path.startswith(
                ("src/compare/msprobe/", "src/compare/weights/", "src/compare/checklist/", "src/compare/token/")):
            continue
        for number, line in enumerate(text_of(top, path).split("\n"), 1):
            if re.search(r"\b(?:pair|slot|op|(?:ops|slots)\[[^]]+\])(?:->|\.)(?:status|reason|absence|rule) = ", line):
                yield "%s:%d: %s" % (path, number, line.strip())


CHECKS = [every_name_in_a_comment_exists, what_an_op_is_stands_in_one_table, a_status_is_written_in_one_file, no_circle_between_files, no_circle_between_folders, includes_follow_the_flow_of_data, no_file_name_twice,
          no_folder_is_too_full, no_function_is_too_long, every_file_says_what_it_is_for, no_line_is_too_long,
          every_citation_resolves, every_file_that_is_named_exists, what_to_touch_is_true,
          the_top_folder_holds_only_its_own, every_dependency_has_its_reason]


def main():
    checks = {check.__name__: check for check in CHECKS}
    if sys.argv[1:] == ["--list"]:
        print("\n".join(checks))
        return 0
    top, name = sys.argv[1:]
    wrong = list(checks[name](top))
    for text in wrong:
        print(text)
    print("%d wrong" % len(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
