"""Errors of the library as exceptions, and remarks as warnings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._result import Result

__all__ = [
    "DoubtWarning",
    "Error",
    "FileError",
    "InternalError",
    "ModelError",
    "ModelWarning",
    "RunError",
    "Stopped",
    "UsageError",
]


class Error(Exception):
    """What the library says when it cannot do something.

    The text is that of the program: message, place and hint in one line.
    """

    #: one sentence with names and numbers
    message: str
    #: what would help; may be empty
    hint: str
    #: JSON pointer of the value concerned, such as `/joints/knee/axis`; may be empty
    pointer: str
    #: where the value was read; may be empty
    file: str
    #: from 1; 0: unknown
    line: int
    #: from 1, in bytes; 0: unknown
    column: int
    #: offset in the file, from 0; -1: unknown
    byte: int
    #: simulation time, s; NaN before the run
    time: float
    #: what the run gave before it stopped; None: nothing
    result: Result | None

    def __init__(self, text: str = "", **fields: object) -> None:
        super().__init__(text)
        self.message = text
        self.hint = self.pointer = self.file = ""
        self.line = self.column = 0
        self.byte = -1
        self.time = float("nan")
        self.result = None
        for name, value in fields.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.args, self.__dict__


class UsageError(Error, ValueError):
    """A call that makes no sense: a name that is not there, a time that is past."""


class ModelError(Error, ValueError):
    """The model is refused."""


class RunError(Error, RuntimeError):
    """The run stopped before its end. `result` has what it gave until then."""


class FileError(Error, OSError):
    """A file cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class InternalError(Error, RuntimeError):
    """A mistake in Tenon itself."""


class Stopped(Error):
    """A call was ended by its watcher."""


class ModelWarning(UserWarning):
    """A remark on a model that is good: an angle that looks like degrees, no gravity where a body hangs."""


class DoubtWarning(UserWarning):
    """A run whose verdict is not `trusted`, with the reasons."""


#: by tn_status; 5 is MemoryError, which the extension raises itself
_CLASSES: dict[int, type[Error]] = {
    1: UsageError,
    2: ModelError,
    3: RunError,
    4: FileError,
    6: InternalError,
    7: Stopped,
}


def make(
    status: int,
    text: str,
    message: str,
    hint: str,
    pointer: str,
    file: str,
    line: int,
    column: int,
    byte: int,
    time: float,
) -> Error:
    """The exception for an error of the library; the extension calls it."""
    return _CLASSES.get(status, InternalError)(
        text,
        message=message,
        hint=hint,
        pointer=pointer,
        file=file,
        line=line,
        column=column,
        byte=byte,
        time=time,
    )


def remark(found: tuple[str, str, str, int, int, str]) -> ModelWarning:
    """The warning for a remark of the library."""
    message, hint, file, line, column, _ = found
    place = f" ({file}:{line}:{column})" if file and line else ""
    return ModelWarning(message + place + (f": {hint}" if hint else ""))


def warn(warning: Warning) -> None:
    """Warn at the line outside this package that is the reason."""
    import os
    import sys
    import warnings

    here = os.path.dirname(__file__)
    depth, frame = 1, sys._getframe()
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame = frame.f_back
        depth += 1
    warnings.warn(warning, stacklevel=depth)
