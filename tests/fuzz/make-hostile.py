#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a corpus of hostile .pt and .npy files into a folder, and want.tsv: file, then a part of
the reason with which the reader must refuse it ("OK": must be read). Deterministic.

A file that got to run would leave PWNED in the working folder."""
import os
import pickle
import struct
import sys
import zlib

FILES = {}


def add(name, data, want):
    assert name not in FILES, name
    FILES[name] = (data, want)


# ---- pickles ----

def text(value):
    raw = value.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def integer(value):
    if 0 <= value < 256:
        return b"K" + bytes([value])
    if -2**31 <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(raw)]) + raw


def tup(*items):
    return b"(" + b"".join(items) + b"t"


def name(module, symbol):
    return b"c" + module.encode() + b"\n" + symbol.encode() + b"\n"


def storage(kind="FloatStorage", key="0", count=6, module="torch"):
    return tup(text("storage"), name(module, kind), text(key), text("cpu"), integer(count)) + b"Q"


HOOKS = name("collections", "OrderedDict") + b")R"


def rebuild(size=(2, 3), stride=(3, 1), offset=0, store=None, call=("torch._utils", "_rebuild_tensor_v2"),
            tail=b"\x89" + HOOKS):
    return (name(*call) + b"(" + (store or storage()) + integer(offset) + tup(*map(integer, size)) +
            tup(*map(integer, stride)) + tail + b"tR")


def pickled(body):
    return b"\x80\x02" + body + b"."


# ---- ZIP containers ----

def member(name_, data, flags=0x0808, method=0, local_name=None, local_size=0, extra=b"", size=None,
           packed=None, crc=None):
    return dict(name=name_.encode(), data=data, flags=flags, method=method,
                local=(local_name or name_).encode(), local_size=local_size, extra=extra,
                size=len(data) if size is None else size,
                packed=(len(data) if size is None else size) if packed is None else packed,
                crc=zlib.crc32(data) if crc is None else crc)


def archive(members, starts=None, count=None, comment=b"", directory=None, size=None, cut=0):
    out = b""
    for i, m in enumerate(members):
        m["start"] = len(out)
        out += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 0, m["flags"], m["method"], 0, 0, 0,
                           m["local_size"], m["local_size"], len(m["local"]), len(m["extra"]))
        out += m["local"] + m["extra"] + m["data"]
    at = len(out)
    for i, m in enumerate(members):
        start = m["start"] if starts is None else starts[i]
        out += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 0, 0, m["flags"], m["method"], 0, 0,
                           m["crc"], m["packed"] & 0xffffffff, m["size"] & 0xffffffff,
                           len(m["name"]), 0, 0, 0, 0, 0, start & 0xffffffff) + m["name"]
    n = len(members) if count is None else count
    out += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, n & 0xffff, n & 0xffff,
                       len(out) - at if size is None else size, at if directory is None else directory,
                       len(comment)) + comment
    return out[:len(out) - cut] if cut else out


DATA = struct.pack("<6f", 1, 2, 3, 4, 5, 6)


def pt(body, data=DATA, **more):
    return archive([member("a/data.pkl", pickled(body)), member("a/data/0", data),
                    member("a/version", b"3\n")], **more)


def pickle_files():
    shell = "touch PWNED"
    good = rebuild()
    add("good.pt", pt(good), "OK")
    # Code that would run.
    for i, (module, symbol) in enumerate([
            ("os", "system"), ("posix", "system"), ("nt", "system"), ("subprocess", "Popen"),
            ("subprocess", "check_output"), ("builtins", "eval"), ("builtins", "exec"),
            ("builtins", "__import__"), ("builtins", "getattr"), ("runpy", "run_path"),
            ("torch.load", "load"), ("torch", "load"), ("torch.hub", "load"),
            ("torch.jit", "load"), ("numpy", "load"), ("pickle", "loads"), ("shutil", "rmtree"),
            ("webbrowser", "open"), ("socket", "create_connection"), ("importlib", "import_module"),
            ("torch._utils", "_rebuild_tensor_v2\0"), ("torch._utils ", "_rebuild_tensor_v2"),
            ("collections", "ordereddict"), ("operator", "attrgetter"), ("functools", "partial")]):
        add("global-%02d.pt" % i, pt(name(module, symbol) + tup(text(shell)) + b"R"), "opcode GLOBAL")
    add("stack-global.pt", pt(text("os") + text("system") + b"\x93" + tup(text(shell)) + b"R"),
        "opcode STACK_GLOBAL")
    add("hidden-in-hooks.pt",
        pt(rebuild(tail=b"\x89" + name("os", "system") + tup(text(shell)) + b"R")), "'os system'")
    add("hidden-in-state.pt",
        pt(good + name("os", "system") + tup(text(shell)) + b"Rb"), "'os system'")
    add("reduce-on-class.pt", pt(name("torch", "Tensor") + b")R"), "may not be called")
    add("reduce-on-text.pt", pt(text("os.system") + tup(text(shell)) + b"R"), "opcode REDUCE")
    add("newobj-on-function.pt",
        pt(name("torch._utils", "_rebuild_tensor_v2") + b")\x81"), "may not be called")
    add("newobj-foreign.pt", pt(name("os", "system") + tup(text(shell)) + b"\x81"), "opcode GLOBAL")
    add("build-on-text.pt", pt(text("a") + text("b") + b"b"), "opcode BUILD")
    real = {"text": b"I1\n", "FLOAT": b"F1.0\n", "LONG": b"L1L\n", "STRING": b"S'a'\n",
            "UNICODE": b"Va\n", "INST": b"(S'id'\nios\nsystem\n", "OBJ": b"(o",
            "EXT1": b"\x82\x01", "EXT2": b"\x83\x01\0", "EXT4": b"\x84\x01\0\0\0",
            "PERSID": b"Pa\n", "POP": b"N0", "POP_MARK": b"(1", "DUP": b"N2", "DICT": b"(d",
            "LIST": b"(l", "GET": b"g0\n", "PUT": b"Np0\n", "BINBYTES": b"B\x01\0\0\0a",
            "SHORT_BINBYTES": b"C\x01a", "BINBYTES8": b"\x8e" + struct.pack("<Q", 2**60),
            "BYTEARRAY8": b"\x96" + struct.pack("<Q", 2**60), "EMPTY_SET": b"\x8f",
            "FROZENSET": b"(\x91", "NEWOBJ_EX": b"N))\x92", "LONG4": b"\x8b\xff\xff\xff\x7f",
            "NEXT_BUFFER": b"\x97", "READONLY_BUFFER": b"N\x98", "ADDITEMS": b"(\x90"}
    for opcode, body in real.items():
        add("opcode-%s.pt" % opcode.lower(), pt(body),
            "opcode " + ("INT" if opcode == "text" else "STRING" if opcode == "INST" else opcode))
    add("opcode-inst.pkl.pt", pt(b"(ios\nsystem\n"), "opcode INST")
    add("opcode-unknown.pt", pt(b"\xff"), "found byte 0xff")
    # Bombs.
    add("dup-chain.pt", pt(text("lol") + b"2" * 9000), "opcode DUP")
    add("tuple-chain.pt", pt(b")" + b"q\0h\0h\0\x86" * 2000), "expected one tensor, found a tuple")
    add("memo-huge.pt", pt(b"Nr" + struct.pack("<I", 10**9)), "memo index")
    add("memo-get-huge.pt", pt(b"j" + struct.pack("<I", 4294967295)), "memo index")
    add("memo-unset.pt", pt(b"h\x05"), "memo index")
    add("stack-bomb.pt", pt(b"N" * 5000), "too many values on the stack")
    add("mark-bomb.pt", pt(b"(" * 5000), "too many values on the stack")
    add("opcode-bomb.pt", pt(b"N\x85" + b"\x85" * 12000), "more than 10000 opcodes")
    add("long-pickle.pt", pt(text("a" * 70000)), "64 KiB")
    add("text-huge.pt", pt(b"X\xff\xff\xff\xff"), "ends inside it")
    add("text8-huge.pt", pt(b"\x8d" + b"\xff" * 8), "ends inside it")
    add("long-huge.pt", pt(b"\x8a\xff" + b"\x01" * 255), "more than 8 bytes")
    add("protocol-0.pt", pt(b"\x80\x00N"), "opcode PROTO")
    add("protocol-5.pt", pt(b"\x80\x05N"), "opcode PROTO")
    add("self-list.pt", pt(b"]q\0h\0a"), "expected one tensor, found a list")
    # Wrong tensors.
    add("empty-stack.pt", archive([member("a/data.pkl", b"\x80\x02."), member("a/data/0", DATA)]),
        "stack is empty")
    add("no-stop.pt", archive([member("a/data.pkl", b"\x80\x02N"), member("a/data/0", DATA)]),
        "does not end with STOP")
    add("empty-pickle.pt", archive([member("a/data.pkl", b""), member("a/data/0", DATA)]),
        "does not end with STOP")
    for label, body, want in [
            ("size-overflow", rebuild((2**40, 2**40), (2**40, 1)), "overflow"),
            ("stride-overflow", rebuild((2, 3), (2**62, 2**62)), "reach past"),
            ("offset-huge", rebuild(offset=2**62), "reach past"),
            ("offset-negative", rebuild(offset=-1), "negative"),
            ("size-negative", rebuild((-2, 3)), "negative"),
            ("stride-negative", rebuild(stride=(-3, 1)), "negative"),
            ("size-too-large", rebuild((2, 4), (4, 1)), "reach past"),
            ("numel-too-large", rebuild(store=storage(count=7), size=(7,), stride=(1,)), "shorter"),
            ("numel-huge", rebuild(store=storage(count=2**62)), "shorter"),
            ("numel-negative", rebuild(store=storage(count=-1)), "length of the storage"),
            ("rank-mismatch", rebuild((2, 3), (1,)), "as many strides"),
            ("rank-huge", rebuild((1,) * 200, (1,) * 200), "64 axes"),
            ("size-text", rebuild().replace(integer(2) + integer(3), text("2") + integer(3)),
             "expected an integer"),
            ("key-missing", rebuild(store=storage(key="1")), "bytes of its storage are missing"),
            ("key-traversal", rebuild(store=storage(key="../../etc/passwd")), "are missing"),
            ("quantised", rebuild(store=storage("QInt8Storage")), "unsupported tensor kind"),
            ("storage-is-dtype", rebuild(store=storage("float32")), "type of a storage"),
            ("no-arguments", name("torch._utils", "_rebuild_tensor_v2") + b")R", "too few"),
            ("sparse", name("torch._utils", "_rebuild_sparse_tensor") + b")R", "unsupported"),
            ("dict", b"}" + text("w") + good + b"s", "a dict"),
            ("ordered-dict", HOOKS + text("w") + good + b"s", "a dict"),
            ("nested-parameters", b"".join([name("torch.nn.parameter", "Parameter")] * 30) + good +
             b"\x85R" * 30, "nested too deep"),
            ("number", integer(7), "another value")]:
        add("tensor-%s.pt" % label, pt(body), want)
    add("stride-zero.pt", pt(rebuild((2**13, 2**13), (0, 0))), "OK")
    add("stride-zero-large.pt", pt(rebuild((2**16, 2**16), (0, 0))), "expanded to more")
    add("stride-zero-huge.pt", pt(rebuild((2**30, 2**30), (0, 0))), "expanded to more")


def zip_files():
    body = pickled(rebuild())
    base = lambda: [member("a/data.pkl", body), member("a/data/0", DATA)]
    add("zip-bomb.pt", archive([member("a/data.pkl", body), member(
        "a/data/0", zlib.compress(b"\0" * 10**6), method=8, size=10**6, packed=1000)]), "compressed")
    add("zip-encrypted.pt", archive([member("a/data.pkl", body, flags=0x0809), base()[1]]), "encrypted")
    add("zip-twice.pt", archive(base() + [member("a/data/0", b"\0" * 24)]), "two members")
    add("zip-two-pickles.pt", archive(base() + [member("b/data.pkl", body)]), "data.pkl")
    add("zip-no-pickle.pt", archive([member("a/data/0", DATA)]), "without data.pkl")
    add("zip-overlap.pt", archive(base() + [member("a/x", b"x")], starts=[0, 0, 0]), "contradict")
    add("zip-overlap-size.pt", archive([member("a/data.pkl", body), member(
        "a/data/0", DATA, size=60), member("a/data/1", b"\0" * 60)]), "overlaps")
    add("zip-size-huge.pt", archive([base()[0], member("a/data/0", DATA, size=0xfffffff0)]),
        "past the end")
    add("zip-start-huge.pt", archive(base(), starts=[0, 0xfffffff0]), "header is missing")
    add("zip-local-name.pt", archive([base()[0], member("a/data/0", DATA, local_name="a/data/1")]),
        "contradict")
    add("zip-local-size.pt",
        archive([base()[0], member("a/data/0", DATA, flags=0, local_size=12)]), "contradict")
    add("zip-count.pt", archive(base(), count=65000), "more members")
    add("zip-directory.pt", archive(base(), directory=2**31), "outside the file")
    add("zip-cut.pt", archive(base(), cut=30), "missing (cut short?)")
    add("zip-cut-early.pt", archive(base())[:60], "missing (cut short?)")
    add("zip-traversal.pt",
        archive([member("../../../tmp/data.pkl", body), member("../../../tmp/data/0", DATA)]), "OK")
    add("zip-code.pt", archive(base() + [member("a/code/__torch__.py", b"open('PWNED','w')")]),
        "TorchScript")
    add("zip-constants.pt", archive(base() + [member("a/constants.pkl", b"\x80\x02).")]),
        "TorchScript")
    add("zip-wide-missing.pt", archive([base()[0], member("a/data/0", DATA, size=0xffffffff)]),
        "past the end")
    add("zip-empty.pt", struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0, 0, 0, 0, 0), "without data.pkl")


MAGIC = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e"


def legacy(body, keys=b"]" + text("0") + b"a", count=6, data=DATA, protocol=1001, little=b"\x88"):
    store = tup(text("storage"), name("torch", "FloatStorage"), text("0"), text("cpu"), integer(6),
                b"N") + b"Q"
    return (MAGIC + pickled(b"M" + struct.pack("<H", protocol)) +
            pickled(b"}" + text("little_endian") + little + b"s") + pickled(body or rebuild(store=store)) +
            pickled(keys) + struct.pack("<Q", count & (2**64 - 1)) + data)


def legacy_files():
    add("legacy-good.pt", legacy(None), "OK")
    add("legacy-global.pt", legacy(name("os", "system") + tup(text("touch PWNED")) + b"R"),
        "opcode GLOBAL")
    add("legacy-global-late.pt",
        legacy(None, keys=name("os", "system") + tup(text("touch PWNED")) + b"R"), "opcode GLOBAL")
    add("legacy-count.pt", legacy(None, count=2**61), "shorter")
    add("legacy-count-negative.pt", legacy(None, count=-1), "shorter")
    add("legacy-cut.pt", legacy(None)[:-9], "shorter")
    add("legacy-magic-only.pt", MAGIC, "does not end with STOP")
    add("legacy-protocol.pt", legacy(None, protocol=1000), "1001")
    add("legacy-big.pt", legacy(None, little=b"\x89"), "big-endian")
    add("legacy-keys.pt", legacy(None, keys=b"]" + (text("0") + b"a") * 2), "cut short")
    add("pickle-plain.pt", pickle.dumps({"weight": [1, 2]}, 2), "neither")
    add("tar.pt", b"storages\0" * 64, "neither")


# ---- .npy ----

def npy(header, data=DATA, version=1, length=None):
    raw = header.encode() if isinstance(header, str) else header
    size = len(raw) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", size) + raw + data


def npy_files():
    ok = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"
    with_shape = lambda shape: ok.replace("(2, 3)", shape)
    add("good.npy", npy(ok), "OK")
    add("object.npy", npy(ok.replace("<f4", "|O"), b"cos\nsystem\n(S'touch PWNED'\ntR."),
        "Python objects")
    add("structured.npy", npy(ok.replace("'<f4'", "[('a', '<f4'), ('b', '|O')]")), "structured")
    add("strings.npy", npy(ok.replace("<f4", "<U4")), "strings")
    add("void.npy", npy(ok.replace("<f4", "|V9")), "raw bytes")
    add("code.npy", npy("{'descr': __import__('os').system('touch PWNED')}\n"), "quoted text")
    add("code-shape.npy", npy(with_shape("(exec('open(\"PWNED\", \"w\")'),)")), "size of the shape")
    add("shape-overflow.npy", npy(with_shape("(%d, %d)" % (2**40, 2**40))), "larger than any file")
    add("shape-beyond-64-bits.npy", npy(with_shape("(%d,)" % 2**70)), "size of the shape")
    add("shape-too-large.npy", npy(with_shape("(2, 4)")), "shape needs")
    add("shape-terabytes.npy", npy(with_shape("(%d,)" % 2**38)), "shape needs")
    add("shape-zero-overflow.npy", npy(with_shape("(0, %d, %d)" % (2**40, 2**40))),
        "larger than any file")
    add("shape-negative.npy", npy(with_shape("(-1,)")), "size of the shape")
    add("shape-rank.npy", npy(with_shape("(" + "1," * 1000 + ")")), "64 axes")
    add("header-long.npy", npy(ok, length=65535), "longer than the file")
    add("header-huge.npy", npy(ok, version=2, length=2**32 - 1), "longer than the file")
    add("header-cut.npy", npy(ok)[:20], "longer than the file")
    add("header-open.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3"), "shape")
    add("header-nested.npy", npy("{" * 60000), "quoted text")
    add("header-twice.npy", npy("{'shape': (2,), 'descr': '<f4'}"), "missing")
    add("version.npy", npy(ok, version=9), "version 1, 2 or 3")
    add("magic-only.npy", b"\x93NUMPY", "ends inside")
    add("empty.npy", b"", "empty")


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for make in (pickle_files, zip_files, legacy_files, npy_files):
        make()
    for file, (data, _) in FILES.items():
        with open(os.path.join(folder, file), "wb") as out:
            out.write(data)
    with open(os.path.join(folder, "want.tsv"), "w") as out:
        for file, (_, want) in FILES.items():
            out.write("%s\t%s\n" % (file, want))
    print("%d files in %s" % (len(FILES), folder))


if __name__ == "__main__":
    main()
