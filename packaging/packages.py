#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packages of the static program, by the standard library alone, so that two builds give the same bytes.

    packages.py STAGE DIST SECONDS

STAGE is an installation below usr/ (make packages); SECONDS the time that every file gets. Writes a tar.xz, a wheel
and a deb to DIST, and SHA256SUMS. STAGE/usr/bin/vernier says its version.
"""
import base64
import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import tarfile
import time
import zipfile

ARCH = "x86_64"
DEB_ARCH = "amd64"
SUMMARY = "where two runs of one model part, from their dumps and logs"
TAGS = ["py3-none-manylinux2014_x86_64", "py3-none-manylinux_2_17_x86_64", "py3-none-musllinux_1_1_x86_64"]
PACKAGE = '''"""The vernier program of this wheel: compare() runs it and reads what it found."""
import json
import os
import subprocess
import tempfile


def program():
    """The path of the program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "vernier")


def compare(golden, target, *options):
    """Exit code and the facts of summary.json of `vernier compare GOLDEN TARGET OPTIONS`.

    0 nothing beyond tolerance, 1 a difference, 4 part of an input unreadable. Raises RuntimeError with what the
    program said where there is no result.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program(), "compare", os.fspath(golden), os.fspath(target), *options, "-o", folder,
                               "--format", "json", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        path = os.path.join(folder, "summary.json")
        if not os.path.exists(path):
            raise RuntimeError(done.stderr.decode("utf-8", "replace").strip())
        with open(path, encoding="utf-8") as file:
            return done.returncode, json.load(file)
'''
MAIN = '''import os
import sys

from . import program


def main():
    os.execv(program(), ["vernier"] + sys.argv[1:])


if __name__ == "__main__":
    main()
'''


def files_of(stage):
    """(path below the stage, bytes, mode), sorted."""
    for folder, folders, names in os.walk(stage):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                yield os.path.relpath(path, stage), file.read(), 0o755 if os.access(path, os.X_OK) else 0o644


def tar_of(files, seconds):
    """A tar of files and the folders above them, all of root."""
    out, seen = io.BytesIO(), set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, data, mode in files:
            parts = path.split("/")
            for depth in range(1, len(parts)):
                folder = "/".join(parts[:depth])
                if folder not in seen and folder != ".":
                    entry = tarfile.TarInfo(folder)
                    entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, 0o755, seconds
                    entry.uname = entry.gname = "root"
                    tar.addfile(entry)
                seen.add(folder)
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(data), mode, seconds
            entry.uname = entry.gname = "root"
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def write_tar(stage, dist, version, seconds):
    top = "vernier-%s-linux-%s" % (version, ARCH)
    files = [(os.path.join(top, path[len("usr/"):]), data, mode) for path, data, mode in files_of(stage)]
    with open(os.path.join(dist, top + ".tar.xz"), "wb") as file:
        file.write(lzma.compress(tar_of(files, seconds), preset=9))


def write_wheel(stage, dist, version, seconds):
    info = "vernier-%s.dist-info" % version
    files = [("vernier/__init__.py", PACKAGE.encode(), 0o644), ("vernier/__main__.py", MAIN.encode(), 0o644)]
    for path, data, mode in files_of(stage):
        if path == "usr/bin/vernier":
            files.append(("vernier/vernier", data, 0o755))
            files.append(("vernier-%s.data/scripts/vernier" % version, b"#!python\nfrom vernier.__main__ import main\nmain()\n", 0o755))
        elif path.startswith("usr/share/man/") or path.startswith("usr/share/bash-completion/"):
            files.append(("vernier-%s.data/data/%s" % (version, path[len("usr/"):]), data, mode))
        elif "/licences/" in path or path.endswith("/LICENSE"):
            files.append((info + "/licenses/" + os.path.basename(path), data, mode))
    wheel = "Wheel-Version: 1.0\nGenerator: vernier\nRoot-Is-Purelib: false\n"
    wheel += "".join("Tag: %s\n" % tag for tag in TAGS)
    meta = ("Metadata-Version: 2.1\nName: vernier\nVersion: %s\nSummary: %s\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.6\n" % (version, SUMMARY))
    files += [(info + "/METADATA", meta.encode(), 0o644), (info + "/WHEEL", wheel.encode(), 0o644)]
    record = ""
    for path, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(data))
    files.append((info + "/RECORD", (record + info + "/RECORD,,\n").encode(), 0o644))
    tags = "py3-none-" + ".".join(tag.split("-")[2] for tag in TAGS)
    with zipfile.ZipFile(os.path.join(dist, "vernier-%s-%s.whl" % (version, tags)), "w") as out:
        for path, data, mode in files:
            entry = zipfile.ZipInfo(path, time.gmtime(max(seconds, 315619200))[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data, compresslevel=9)


def deb_files(stage):
    """As Debian's policy wants them: pages and the changelog compressed, the licence as copyright."""
    for path, data, mode in files_of(stage):
        if path.startswith("usr/share/man/"):
            path, data = path + ".gz", gzip.compress(data, 9, mtime=0)
        elif path == "usr/share/doc/vernier/CHANGELOG.md":
            path, data = "usr/share/doc/vernier/changelog.gz", gzip.compress(data, 9, mtime=0)
        elif path.startswith("usr/share/zsh/site-functions"):
            path = path.replace("site-functions", "vendor-completions")
        yield "./" + path, data, mode


def write_deb(stage, dist, version, seconds):
    files = list(deb_files(stage))
    with open(os.path.join(stage, "usr/share/doc/vernier/LICENSE"), "rb") as file:
        text = b"vernier is under the Apache License 2.0; the libraries and fonts inside it: licences/.\n\n" + file.read()
    files = sorted(files + [("./usr/share/doc/vernier/copyright", text, 0o644)])
    kilobytes = sum(len(data) for _, data, _ in files) // 1024
    control = ("Package: vernier\nVersion: %s\nArchitecture: %s\nMaintainer: vernier developers <vernier@localhost>\n"
               "Installed-Size: %d\nSection: science\nPriority: optional\nDescription: %s\n"
               " Reads the numerical dumps and logs of large-model training and says where two runs\n"
               " part: a verdict, pictures, tables, a page. One static program.\n"
               % (version, DEB_ARCH, kilobytes, SUMMARY))
    sums = "".join("%s  %s\n" % (hashlib.md5(data).hexdigest(), path[2:]) for path, data, _ in files)
    control_tar = tar_of([("./control", control.encode(), 0o644), ("./md5sums", sums.encode(), 0o644)], seconds)
    members = [("debian-binary", b"2.0\n"), ("control.tar.xz", lzma.compress(control_tar, preset=9)),
               ("data.tar.xz", lzma.compress(tar_of(files, seconds), preset=9))]
    with open(os.path.join(dist, "vernier_%s_%s.deb" % (version, DEB_ARCH)), "wb") as out:
        out.write(b"!<arch>\n")
        for name, data in members:
            out.write(b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name.encode(), seconds, 0, 0, 0o100644, len(data)))
            out.write(data + b"\n" * (len(data) % 2))


def main():
    stage, dist, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    said = subprocess.run([os.path.join(stage, "usr/bin/vernier"), "version"], stdout=subprocess.PIPE, check=True)
    version = said.stdout.decode().split()[1]
    os.makedirs(dist, exist_ok=True)
    for write in write_tar, write_wheel, write_deb:
        write(stage, dist, version, seconds)
    with open(os.path.join(dist, "SHA256SUMS"), "w") as out:
        for name in sorted(name for name in os.listdir(dist) if name != "SHA256SUMS"):
            with open(os.path.join(dist, name), "rb") as file:
                out.write("%s  %s\n" % (hashlib.sha256(file.read()).hexdigest(), name))


if __name__ == "__main__":
    main()
