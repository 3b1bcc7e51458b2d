# SPDX-License-Identifier: BSD-2-Clause
"""Runs a command on a terminal of its own and types what a script of TEXT and KEYS says.

When TEXT has come, KEYS are typed.

usage: typist.py COMMAND... --% TEXT KEYS [TEXT KEYS]...
KEYS @ROWSxCOLS sets the window's size; both know \\n, \\x03 and the like.
What came is printed as a Python string, then the exit status; after 600 s without the next TEXT, "timeout".
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time


def resize(fd, text):
    rows, cols = map(int, text.split("x"))
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def type_keys(fd, keys):
    if keys.startswith(b"@"):
        resize(fd, keys[1:].decode())
    else:
        os.write(fd, keys)


def converse(fd, script):
    """Returns all that came; the script's rest is left in the list."""
    came, seen, last = b"", 0, time.monotonic()
    while time.monotonic() - last < 600:
        while script and script[0][0] in came[seen:]:
            seen = came.index(script[0][0], seen) + len(script[0][0])
            type_keys(fd, script.pop(0)[1])
            last = time.monotonic()
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            piece = os.read(fd, 65536)
        except OSError:  # the other end is closed
            return came
        came += piece
    print("timeout")
    return came


def main():
    split = sys.argv.index("--%", 1)
    command = sys.argv[1:split]
    words = [word.encode().decode("unicode_escape").encode("latin1") for word in sys.argv[split + 1:]]
    script = list(zip(words[::2], words[1::2]))
    pid, fd = pty.fork()
    if pid == 0:
        resize(0, "24x80")
        os.execvp(command[0], command)
    came = converse(fd, script)
    print(came)
    if script:
        os.kill(pid, 9)
        print("never came:", script[0][0])
    print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
