"""Which system calls a sandbox may make.

They are listed in `seccomp.json`, one rule per purpose, each with a comment. What no rule allows
fails with EPERM. That is all that takes a capability which sandboxes do not have (mount, bpf,
modules, clocks, other processes' namespaces), and what is open to everybody but has often been a
way out: new namespaces, io_uring, keyrings, userfaultfd, perf, vsock and the kernel's cipher
sockets. The names are those of Linux; an engine ignores the ones that it does not know.
"""

import json
from functools import cache

from sandbook.sandbox.scripts import read_script


@cache
def profile() -> str:
    """Give the profile as the engine's `seccomp` option takes it, in one line."""
    told = json.loads(read_script("sandbook.sandbox", "seccomp.json"))
    for rule in told["syscalls"]:
        del rule["comment"]
    return json.dumps(told, separators=(",", ":"))
