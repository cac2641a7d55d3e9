"""How patient we are with the commands of agents, and whom we let in to give them."""

from traitlets import Bool, Float, Int, List, Unicode
from traitlets.config import LoggingConfigurable


class AgentPolicy(LoggingConfigurable):
    """What agents may expect."""

    no_change_timeout_s = Float(
        10.0,
        min=0.1,
        help="""
        After how many seconds without a word from its command an agent is answered. The command
        goes on; the agent may wait for more of it, type to it, or stop it.
        """,
    ).tag(config=True)

    as_root = Bool(
        default_value=False,
        help="""
        Whether agents are root in the sandbox. They have a shell of their own then, beside that of
        the notebook.
        """,
    ).tag(config=True)


class AgentAccess(LoggingConfigurable):
    """Who may speak to the agent routes of a server, how often, and how much at once."""

    allowed_origins = List(
        Unicode(),
        help="""
        Pages of which other origins may use the agent routes, each as a browser names it, for
        example `https://agents.example.org`. None by default: requests that a page of another
        origin makes are refused. What is no browser sends no origin, and is not concerned.
        """,
    ).tag(config=True)

    requests_per_second = Float(
        0.0,
        min=0.0,
        help="""
        How many requests a second the key of one sandbox is good for, on average; as many may come
        at once. More are answered 429, with the seconds to wait in `Retry-After`. 0 sets no limit.
        """,
    ).tag(config=True)

    idle_timeout_s = Float(
        0.0,
        min=0.0,
        help="""
        After how many seconds without an action a sandbox ends that was made through
        `POST /sandbook/sandboxes` and was given no `timeout` of its own. 0 lets it stay.
        """,
    ).tag(config=True)

    action_max_mb = Int(
        32,
        min=1,
        help="""
        How many MiB an action may have as JSON. More is answered 413; large files are for
        `upload_file`, which takes them piece by piece.
        """,
    ).tag(config=True)
