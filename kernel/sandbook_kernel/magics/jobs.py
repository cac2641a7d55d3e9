"""%jobs: what runs in the background."""

from sandbook.errors import InvalidActionError
from sandbook.jobs import Job
from sandbook_kernel.cell import MagicStep
from sandbook_kernel.display import Display, grid, text
from sandbook_kernel.magics.registry import Context, Options, magic

OPTIONS = Options("jobs", "List what was begun with %bash --background, or show one of these.")
OPTIONS.add_argument("number", nargs="?", type=int, help="show what this job has said")
OPTIONS.add_argument("--stop", action="store_true", help="stop this job")

WIDTH = 60


@magic(OPTIONS)
async def jobs(context: Context, step: MagicStep) -> Display:
    """List the jobs in the background, show what one has said, or stop one."""
    options = OPTIONS.read(step.arguments)
    if options.number is None:
        if options.stop:
            OPTIONS.error("--stop wants the number of a job")
        return _list(context.executor.jobs.all())
    job = context.executor.jobs.get(options.number)
    if job is None:
        raise InvalidActionError(f"There is no job {options.number}. %jobs lists those there are.")
    if options.stop:
        await job.shell.interrupt()
    return text(f"{_head(job)}\n{job.output.text()}".rstrip("\n"))


def _list(known: list[Job]) -> Display:
    if not known:
        return text("No jobs. %%bash --background begins one.")
    rows = [("job", "state", "time", "output", "command")]
    for job in known:
        command = " ".join(job.command.split())
        size = f"{job.output.total} B"
        rows.append((str(job.number), job.state, f"{job.seconds:.1f} s", size, command[:WIDTH]))
    return grid(rows)


def _head(job: Job) -> str:
    return f"Job {job.number}: {job.state}, {job.seconds:.1f} s"
