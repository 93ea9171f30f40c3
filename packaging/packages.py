#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packages of the static program, by the standard library alone, so that two builds give the same bytes.

    packages.py STAGE DIST VERSION SECONDS

STAGE is an installation below usr/ (make packages); SECONDS the time that every file gets. Writes a tar.xz, a wheel,
a deb and an image for containers to DIST, for the processor that STAGE/usr/bin/vernier is built for.
"""
import base64
import gzip
import hashlib
import io
import json
import lzma
import os
import struct
import sys
import tarfile
import time
import zipfile

ARCHITECTURES = {62: ("x86_64", "amd64"), 183: ("aarch64", "arm64")}  # e_machine: its name, and Debian's
SUMMARY = "find where two runs of one model diverge, from their dumps and logs"
MAKERS = "vernier developers <vernier@localhost>"
COPYRIGHT = """Copyright %s the vernier developers
License: Apache-2.0, which on Debian stands in /usr/share/common-licenses/Apache-2.0.

The libraries and fonts inside the program have notices of their own: licences/ in this folder.
"""
PLATFORMS = ["manylinux2014", "manylinux_2_17", "musllinux_1_1"]
MODULE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "samples", "python", "vernier")
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


def architecture_of(stage):
    """What the program is built for, by the names of ARCHITECTURES."""
    with open(os.path.join(stage, "usr/bin/vernier"), "rb") as file:
        return ARCHITECTURES[struct.unpack_from("<H", file.read(20), 18)[0]]


def write_tar(stage, dist, version, seconds):
    top = "vernier-%s-linux-%s" % (version, architecture_of(stage)[0])
    files = [(os.path.join(top, path[len("usr/"):]), data, mode) for path, data, mode in files_of(stage)]
    with open(os.path.join(dist, top + ".tar.xz"), "wb") as file:
        file.write(lzma.compress(tar_of(files, seconds), preset=9))


def write_wheel(stage, dist, version, seconds):
    info = "vernier-%s.dist-info" % version
    platforms = ["%s_%s" % (name, architecture_of(stage)[0]) for name in PLATFORMS]
    files = [("vernier/__main__.py", MAIN.encode(), 0o644)]
    for name in ("__init__.py", "py.typed"):
        with open(os.path.join(MODULE, name), "rb") as file:
            files.append(("vernier/" + name, file.read(), 0o644))
    for path, data, mode in files_of(stage):
        if path == "usr/bin/vernier":
            files.append(("vernier/vernier", data, 0o755))
            files.append(("vernier-%s.data/scripts/vernier" % version, b"#!python\nfrom vernier.__main__ import main\nmain()\n", 0o755))
        elif path.startswith("usr/share/man/") or path.startswith("usr/share/bash-completion/"):
            files.append(("vernier-%s.data/data/%s" % (version, path[len("usr/"):]), data, mode))
        elif "/licences/" in path or path.endswith("/LICENSE"):
            files.append((info + "/licenses/" + os.path.basename(path), data, mode))
    wheel = "Wheel-Version: 1.0\nGenerator: vernier\nRoot-Is-Purelib: false\n"
    wheel += "".join("Tag: py3-none-%s\n" % name for name in platforms)
    meta = ("Metadata-Version: 2.1\nName: vernier\nVersion: %s\nSummary: %s\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.6\n" % (version, SUMMARY))
    files += [(info + "/METADATA", meta.encode(), 0o644), (info + "/WHEEL", wheel.encode(), 0o644)]
    record = ""
    for path, data, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(data))
    files.append((info + "/RECORD", (record + info + "/RECORD,,\n").encode(), 0o644))
    path = os.path.join(dist, "vernier-%s-py3-none-%s.whl" % (version, ".".join(platforms)))
    with zipfile.ZipFile(path, "w") as out:
        for path, data, mode in files:
            entry = zipfile.ZipInfo(path, time.gmtime(max(seconds, 315619200))[:6])
            entry.external_attr = (0o100000 | mode) << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data, compresslevel=9)


def deb_files(stage):
    """As Debian's policy wants them: pages compressed, completions of zsh in its folder for packages."""
    for path, data, mode in files_of(stage):
        if path.startswith("usr/share/man/"):
            path, data = path + ".gz", gzip.compress(data, 9, mtime=0)
        elif path.startswith("usr/share/zsh/site-functions"):
            path = path.replace("site-functions", "vendor-completions")
        yield "./" + path, data, mode


def write_deb(stage, dist, version, seconds):
    files, deb_arch = list(deb_files(stage)), architecture_of(stage)[1]
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(seconds))
    changes = "vernier (%s) stable; urgency=medium\n\n  * What changed: CHANGELOG.md.\n\n -- %s  %s\n" % (version, MAKERS, when)
    files += [("./usr/share/doc/vernier/copyright", (COPYRIGHT % when.split()[3]).encode(), 0o644),
              ("./usr/share/doc/vernier/changelog.gz", gzip.compress(changes.encode(), 9, mtime=0), 0o644)]
    files.sort()
    kilobytes = sum(len(data) for _, data, _ in files) // 1024
    control = ("Package: vernier\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n"
               "Installed-Size: %d\nSection: science\nPriority: optional\nDescription: %s\n"
               " Reads the numerical dumps and logs of large-model training and says where\n"
               " two runs part: a verdict, pictures, tables, a page. One static program.\n"
               % (version, deb_arch, MAKERS, kilobytes, SUMMARY))
    sums = "".join("%s  %s\n" % (hashlib.md5(data).hexdigest(), path[2:]) for path, data, _ in files)
    control_tar = tar_of([("./control", control.encode(), 0o644), ("./md5sums", sums.encode(), 0o644)], seconds)
    members = [("debian-binary", b"2.0\n"), ("control.tar.xz", lzma.compress(control_tar, preset=9)),
               ("data.tar.xz", lzma.compress(tar_of(files, seconds), preset=9))]
    with open(os.path.join(dist, "vernier_%s_%s.deb" % (version, deb_arch)), "wb") as out:
        out.write(b"!<arch>\n")
        for name, data in members:
            out.write(b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name.encode(), seconds, 0, 0, 0o100644, len(data)))
            out.write(data + b"\n" * (len(data) % 2))


def write_image(stage, dist, version, seconds):
    """An image for containers: the program, its notices and a folder to work in. The layout is that of OCI, and
    manifest.json that of `docker load`."""
    name, goarch = architecture_of(stage)
    kept = [(path, data, mode) for path, data, mode in files_of(stage)
            if path == "usr/bin/vernier" or "/licences/" in path or path.endswith("/LICENSE")]
    layer = tar_of(kept + [("work/.keep", b"", 0o644)], seconds)
    blobs = {}

    def blob(data, kind):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest, "size": len(data)}

    def text(value):
        return json.dumps(value, sort_keys=True).encode()

    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    config = blob(text({
        "architecture": goarch, "os": "linux", "created": when,
        "config": {"Entrypoint": ["/usr/bin/vernier"], "Env": ["PATH=/usr/bin"], "WorkingDir": "/work",
                   "Labels": {"org.opencontainers.image.title": "vernier", "org.opencontainers.image.version": version,
                              "org.opencontainers.image.licenses": "Apache-2.0"}},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}), "config.v1+json")
    packed = blob(gzip.compress(layer, 9, mtime=0), "layer.v1.tar+gzip")
    manifest = blob(text({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                          "config": config, "layers": [packed]}), "manifest.v1+json")
    tag = "vernier:" + version
    # With the name before it: `podman load` takes the whole annotation for the name.
    manifest.update(platform={"architecture": goarch, "os": "linux"}, annotations={"org.opencontainers.image.ref.name": tag})
    files = [("oci-layout", text({"imageLayoutVersion": "1.0.0"}), 0o644),
             ("index.json", text({"schemaVersion": 2, "manifests": [manifest]}), 0o644),
             ("manifest.json", text([{"Config": path_of(config), "Layers": [path_of(packed)],
                                      "RepoTags": [tag]}]), 0o644)]
    files += [("blobs/sha256/" + digest, data, 0o644) for digest, data in sorted(blobs.items())]
    with open(os.path.join(dist, "vernier-%s-oci-%s.tar" % (version, name)), "wb") as out:
        out.write(tar_of(files, seconds))


def path_of(blob):
    """Where a blob lies in the image."""
    return "blobs/" + blob["digest"].replace(":", "/")


def main():
    stage, dist, version, seconds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    for write in write_tar, write_wheel, write_deb, write_image:
        write(stage, dist, version, seconds)


if __name__ == "__main__":
    main()
