# SPDX-License-Identifier: Apache-2.0
"""A mapped input that is cut while it is read ends the run with exit code 3 and a sentence, not with
a bus error. The signal is sent by hand, since the race itself cannot be timed."""
import os
import signal
import subprocess
import sys
import tempfile
import time

vernier = os.environ["VERNIER"]
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "dump.json")
    entry = '"Torch.add.%d.forward": {"input_args": [{"type": "int", "value": 1}], "output": []}'
    with open(path, "w") as out:
        out.write('{"task": "statistics", "level": "L1", "data": {')
        out.write(", ".join(entry % i for i in range(400000)))
        out.write("}}")
    run = subprocess.Popen([vernier, "compare", path, path, "-o", os.path.join(folder, "out")],
                           stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    time.sleep(0.3)
    if run.poll() is None:
        os.kill(run.pid, signal.SIGBUS)
        _, said = run.communicate()
        if run.returncode != 3 or b"was cut while it was read" not in said:
            sys.exit("exit code %d, said: %r" % (run.returncode, said))
