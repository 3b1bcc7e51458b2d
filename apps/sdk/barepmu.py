# SPDX-License-Identifier: BSD-2-Clause
"""Counts events of marked regions of a Python program, by libbarepmu.so (ctypes).

    import barepmu
    counters = barepmu.Counters("instructions,branches")
    with counters:
        work()
    print(counters.counts())

    with barepmu.region("sort"):        # the table comes at the end of the program
        items.sort()

The library is looked for beside this file, or where BAREPMU_LIBRARY says. Counts include the interpreter's own
instructions between the marks, which are the same in every run.
"""

import contextlib
import ctypes
import os

_library = ctypes.CDLL(
    os.environ.get("BAREPMU_LIBRARY")
    or os.path.join(os.path.dirname(os.path.abspath(__file__)), "libbarepmu.so")
)
_library.barepmu_lib_open.restype = ctypes.c_void_p
_library.barepmu_lib_open.argtypes = [ctypes.c_char_p]
for _name in ("close", "begin", "end", "reset", "number", "error"):
    getattr(_library, "barepmu_lib_" + _name).argtypes = [ctypes.c_void_p]
_library.barepmu_lib_error.restype = ctypes.c_char_p
_library.barepmu_lib_name.restype = ctypes.c_char_p
_library.barepmu_lib_name.argtypes = [ctypes.c_void_p, ctypes.c_int]
_library.barepmu_lib_count.restype = ctypes.c_double
_library.barepmu_lib_count.argtypes = [ctypes.c_void_p, ctypes.c_int]
_library.barepmu_enter.argtypes = _library.barepmu_leave.argtypes = [ctypes.c_char_p]

_names = {}  # the library keeps pointers to the names of regions


class Error(OSError):
    """The counters cannot be opened: no such event, or the events do not fit together."""


class Counters:
    """Events of the calling thread between begin() and end(), or in a with statement."""

    def __init__(self, events="cycles,instructions"):
        self._pmu = _library.barepmu_lib_open(events.encode())
        error = _library.barepmu_lib_error(self._pmu).decode()
        if error:
            self.close()
            raise Error(error)

    def begin(self):
        _library.barepmu_lib_begin(self._pmu)

    def end(self):
        _library.barepmu_lib_end(self._pmu)

    def reset(self):
        """Forgets the regions so far."""
        _library.barepmu_lib_reset(self._pmu)

    def counts(self):
        """Returns a dictionary of all regions' counts by event; a NaN is an event that nothing counts."""
        return {
            _library.barepmu_lib_name(self._pmu, i).decode(): _library.barepmu_lib_count(self._pmu, i)
            for i in range(_library.barepmu_lib_number(self._pmu))
        }

    def close(self):
        if self._pmu:
            _library.barepmu_lib_close(self._pmu)
            self._pmu = None

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *exception):
        self.end()


@contextlib.contextmanager
def region(name):
    """Counts a named region, which may be nested; BAREPMU_EVENTS has the events."""
    text = _names.setdefault(name, ctypes.create_string_buffer(name.encode()))
    _library.barepmu_enter(text)
    try:
        yield
    finally:
        _library.barepmu_leave(text)
