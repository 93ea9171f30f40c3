#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation as a static site: site.py VERNIER OUT

Makes the sources of mkdocs from README, docs and docs/zh in both languages, with the ready reports of docs/example, builds OUT and
checks it: every link leads to a file and an anchor that is there, and no page asks another host for anything.
"""
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


# Where a file of the project stands in the site: README is the first page of its language, docs its top.
def place(path):
    path = os.path.normpath(path)
    first = {"README.md": "index.md", "README.zh.md": "zh/index.md", "docs/README.md": "pages.md", "docs": "pages.md",
             "docs/decisions": "decisions/index.md"}
    if path in first or path.startswith("docs/"):
        return first.get(path) or path[len("docs/"):]
    if os.path.isdir(os.path.join(TOP, path)):
        return "project/samples/README.md"  # a folder has no page; those that are named are samples
    return ("project/" if path.endswith(".md") else "files/") + path


def gather(sources):
    """All pages, and the files of the project that they name."""
    pages = ["README.md", "README.zh.md", "SECURITY.md", "CHANGELOG.md", "samples/README.md"]
    for folder, _, names in os.walk(os.path.join(TOP, "docs")):
        pages += [os.path.relpath(os.path.join(folder, name), TOP) for name in sorted(names) if name.endswith(".md")]
    for page in pages:
        here = place(page)

        def moved(match):
            target = match[2]
            if re.match(r"[a-z]+:", target):
                return match[0]
            path = os.path.normpath(os.path.join(os.path.dirname(page), target))
            there = place(path)
            if not os.path.exists(os.path.join(TOP, path)):
                return match[0]
            if not there.endswith(".md") and not path.startswith("docs/"):
                os.makedirs(os.path.dirname(os.path.join(sources, there)), exist_ok=True)
                shutil.copy(os.path.join(TOP, path), os.path.join(sources, there))
            return match[1] + os.path.relpath(there, os.path.dirname(here)) + match[3]
        text = read(os.path.join(TOP, page))
        write(os.path.join(sources, here), "".join(part if index % 2 else LINK.sub(moved, part)
                                                  for index, part in enumerate(re.split(r"(```.*?```)", text, flags=re.S))))
    decisions = sorted(name for name in os.listdir(os.path.join(TOP, "docs", "decisions")) if name.endswith(".md"))
    titles = [read(os.path.join(TOP, "docs", "decisions", name)).split("\n")[0].lstrip("# ") for name in decisions]
    write(os.path.join(sources, "decisions", "index.md"),
          "# Decisions\n\n" + "".join("- [%s](%s)\n" % (title, name) for title, name in zip(titles, decisions)))
    for name in ("images", "schema", "example"):
        shutil.copytree(os.path.join(TOP, "docs", name), os.path.join(sources, name))
    shutil.copy(os.path.join(TOP, "docs", "llms.txt"), sources)


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.loads = [], set(), []
        self.feed(read(path))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(value for name, value in attributes if name in ("id", "name") and value)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        self.loads += [values[name] for name in ("src", "href") if values.get(name) and (tag != "a")]


def check(out):
    wrong, pages = [], {}
    for folder, _, names in os.walk(out):
        for name in names:
            if name.endswith(".html"):
                pages[os.path.join(folder, name)] = None
    for path in pages:
        pages[path] = Page(path)
    for path, page in pages.items():
        wrong += ["%s loads %s" % (path, name) for name in page.loads if re.match(r"(https?:)?//", name)]
        if "/example/" in path or path.endswith("404.html"):
            continue
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            target = os.path.join(target, "index.html") if os.path.isdir(target) else target
            if not os.path.exists(target):
                wrong.append("%s: no %s" % (path, link))
            elif anchor and target in pages and anchor not in pages[target].ids:
                wrong.append("%s: no anchor %s" % (path, link))
    return wrong, len(pages)


def main():
    out = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        sources = os.path.join(folder, "docs")
        os.mkdir(sources)
        gather(sources)
        shutil.copy(os.path.join(TOP, "packaging", "site", "mkdocs.yml"), folder)
        subprocess.run(["mkdocs", "build", "--quiet", "--clean", "--site-dir", out], cwd=folder, check=True)
    wrong, count = check(out)
    print("\n".join(sorted(set(wrong))))
    print("site: %d pages in %s, %d wrong" % (count, out, len(wrong)))
    sys.exit(1 if wrong else 0)


main()
