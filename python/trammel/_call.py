"""Calls that take long, so that Ctrl-C ends them.

Python sees a signal only between its own instructions, in the main thread. So there the call goes to another thread, and the
main one waits for it at a lock, where signals wake it; the library then sees its `stop` flag. In other threads, to which no
signal comes, the call is made as it stands. ctypes gives Python's lock free meanwhile, so calls run in parallel.

The other thread stays, waiting: handing over takes 6 to 40 us, a new one for each call 40 to 100.
"""
import _thread
import os
import threading


class _Helper:
    """The thread that makes calls for the main one."""

    def __init__(self):
        self.todo, self.done = _thread.allocate_lock(), _thread.allocate_lock()
        self.todo.acquire()
        self.done.acquire()
        self.call = self.outcome = None
        _thread.start_new_thread(self._work, ())

    def _work(self):
        while True:
            self.todo.acquire()
            function, arguments = self.call
            try:
                self.outcome = function(*arguments), None
            except BaseException as error:
                self.outcome = None, error
            self.call = function = arguments = None  # nothing is kept alive while it waits
            self.done.release()

    def make(self, stop, function, arguments):
        self.call = function, arguments
        self.todo.release()
        try:
            self.done.acquire()
        except BaseException:
            stop.value = 1
            self._wait()
            raise
        (result, error), self.outcome = self.outcome, None
        if error is not None:
            raise error
        return result

    def _wait(self):
        # Ctrl-C again: the library looks at its flag soon, and must not be left alone with its arguments
        while True:
            try:
                self.done.acquire()
                return
            except KeyboardInterrupt:
                pass


_helper = None


def _forget():
    global _helper
    _helper = None


os.register_at_fork(after_in_child=_forget)  # threads stay behind


def interruptibly(stop, function, *arguments):
    """function(*arguments); stop: the c_int that ends it when it is not 0. What Ctrl-C raises comes when it has ended."""
    global _helper
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    if _helper is None:
        _helper = _Helper()
    return _helper.make(stop, function, arguments)
