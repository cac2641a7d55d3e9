"""`python -m sandbook_kernel`: what the kernelspec starts."""

import sys

from sandbook_kernel.owner import begin_early

if __name__ == "__main__":
    early = begin_early(sys.argv[1:])
    # Imported only now: it takes as long as a container takes to start.
    from sandbook_kernel.app import SandbookKernelApp

    SandbookKernelApp.launch_instance(executor=early)
