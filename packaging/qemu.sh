#!/usr/bin/env bash
# qemu.sh COMMAND...: runs it where programs for aarch64 run through qemu, in namespaces of its own: no root is needed
# and nothing on this machine changes. Programs with libraries name their loader themselves (packaging/arm64.sh): under
# QEMU_LD_PREFIX "/" and "a/../.." would be two folders. Needs Linux 6.7, which lets a user namespace have its own
# binfmt_misc. 77: this machine does not allow it.
set -euo pipefail
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || { echo "qemu.sh: no qemu for aarch64" >&2; exit 77; }
# Each return is checked by a pointer's signature; Arm's own cipher for it is most of the emulator's time, by far.
export QEMU_CPU=${QEMU_CPU:-max,pauth-impdef=on}
# The first 20 bytes of an ELF file for aarch64, and which of their bits count. F: opened now, so that a chroot has it too.
header='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
export BINFMT=":qemu-aarch64:M::$header:$mask:$qemu:F"
exec unshare -Urm bash -c '
    { mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf %s "$BINFMT" > /proc/sys/fs/binfmt_misc/register; } ||
        { echo "qemu.sh: this kernel gives no binfmt_misc to a user namespace (Linux 6.7 does)" >&2; exit 77; }
    exec "$@"' -- "$@"
