"""What is raised. The text of each is what the terminal shows."""
from . import _signatures as c


class Error(Exception):
    """What all errors of models and runs have: `messages`, as the terminal shows them."""

    def __init__(self, messages):
        super().__init__(messages)
        self.messages = messages


class ModelError(Error):
    """The text is wrong as read, or an option is. line: of the first error, from 1; None if it has no place."""

    def __init__(self, messages):
        super().__init__(messages)
        import re  # json and re are half of what importing would take: they come when they are needed
        place = re.search(r"^\S.*?:(\d+):\d+: error: ", messages, re.MULTILINE)
        self.line = int(place.group(1)) if place else None


class NoSolution(Error):
    """The numbers do not allow it. time, constraint: when and which, None where there is none to name; run: what was
    reached (a Run, or the Findings of another study; None of a session)."""

    def __init__(self, messages, run=None, error=None):
        super().__init__(messages)
        self.run, error = run, error or {}
        self.time, self.constraint = error.get("time"), error.get("constraint")


class ExpectationFailed(Error):
    """Claims of the model do not hold; raised only with run(strict=True). failures: a text for each; run: the whole run."""

    def __init__(self, messages, run):
        super().__init__(messages)
        self.run, self.failures = run, run.failures


def raise_for(status, messages, run=None, error=None):
    """Raises what belongs to a status of the library; nothing where the call did what it should."""
    messages = messages.rstrip("\n")
    if status == c.WRONG_MODEL:
        raise ModelError(messages)
    if status == c.NO_SOLUTION:
        raise NoSolution(messages, run, error)
    if status == c.IO_ERROR:
        raise OSError(messages)
    if status == c.NO_MEMORY:
        raise MemoryError(messages or "not enough memory for this model")
    if status == c.INTERRUPTED:
        raise KeyboardInterrupt
