"""Calls that take long, so that Ctrl-C ends them.

Python sees a signal only between its own instructions, in the main thread. So there the call goes to another thread, and the
main one waits for it at a lock, where signals wake it; the library then sees its `stop` flag. In other threads, to which no
signal comes, the call is made as it stands. ctypes gives Python's lock free meanwhile, so calls run in parallel.

The other thread stays, waiting: handing over takes 6 to 40 us, a new one for each call 40 to 100.
"""
import _thread
import os
import queue
import threading


class _Call:
    def __init__(self, function, arguments):
        self.function, self.arguments = function, arguments
        self.begun = self.ended = False
        self.result = self.error = None
        self.done = _thread.allocate_lock()
        self.done.acquire()

    def make(self):
        self.begun = True
        try:
            self.result = self.function(*self.arguments)
        except BaseException as error:
            self.error = error
        self.ended = True
        self.done.release()


class _Helper:
    """The thread that makes calls for the main one."""

    def __init__(self):
        self.todo = queue.SimpleQueue()
        _thread.start_new_thread(self._work, ())

    def _work(self):
        while True:
            call = self.todo.get()
            if not call.begun:
                call.make()
            call = None  # nothing is kept alive while it waits

    def make(self, stop, function, arguments):
        call = _Call(function, arguments)
        try:
            self.todo.put(call)
            call.done.acquire()
        except BaseException:
            self._end(stop, call)
            raise
        if call.error is not None:
            raise call.error
        return call.result

    def _end(self, stop, call):
        # Ctrl-C comes at any of these lines, and again: whether the call was handed over is not known, and the library, which
        # looks at its flag soon, must not be left alone with its arguments
        while not call.ended:
            try:
                stop.value = 1
                self.todo.put(call)
                call.done.acquire()
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
