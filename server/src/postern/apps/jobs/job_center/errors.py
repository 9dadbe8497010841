"""What can go wrong in the job center."""

from postern.kernel.errors import PosternError


class NothingToRun(PosternError):
    """The task has no work, or this version of Postern does not know the kind of its work."""

    code = "nothing_to_run"
