"""`python -m sandbook_kernel`: what the kernelspec starts."""

from sandbook_kernel.app import SandbookKernelApp

if __name__ == "__main__":
    SandbookKernelApp.launch_instance()
