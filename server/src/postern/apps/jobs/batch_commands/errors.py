"""Reasons for which a batch command is refused as a whole."""

from postern.kernel.errors import PosternError


class CommandRefused(PosternError):
    """The command filters do not let this command run."""

    code = "command_refused"
    status = 403


class TooManyCommands(PosternError):
    """The person has too many batch commands that have not ended."""

    code = "too_many_commands"
    status = 429


class BatchCommandsOff(PosternError):
    """An administrator has turned batch commands off."""

    code = "batch_commands_off"
    status = 403
