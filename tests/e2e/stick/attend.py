#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Who sits at a machine: attend.py DIRECTORY STEP...: copies the serial line (socket `line`) to `console`, and does the
steps one after another: wait:COUNT:WORDS until the console has the words so often, tell:WORDS to the monitor (socket
`monitor`), type:WORDS on the serial line, show:NAME:WORDS: a picture NAME.ppm of the screen when its text has the
words. Ends with the machine."""
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

here = pathlib.Path(sys.argv[1])
font = sys.argv[2]


def connect(name):
    end = time.time() + 120
    while True:
        try:
            link = socket.socket(socket.AF_UNIX)
            link.connect(str(here / name))
            return link
        except OSError:
            if time.time() > end:
                raise
            time.sleep(0.05)


def copy(link, path):
    with open(path, "wb", buffering=0) as out:
        while True:
            try:
                data = link.recv(65536)
            except OSError:
                return
            if not data:
                return
            out.write(data)


def until(true, seconds=600):
    end = time.time() + seconds
    while not true() and time.time() < end:
        time.sleep(0.1)


def show(monitor, name, words):
    """Asks again until the words are there; the text lies beside the picture."""
    picture = here / (name + ".ppm")
    monitor.sendall(f"screendump {picture}\n".encode())
    time.sleep(0.3)
    reader = [os.path.dirname(__file__) + "/screen.py", picture, font]
    text = subprocess.run(reader, capture_output=True, check=False).stdout
    (here / name).write_bytes(text)
    return words.encode() in text


def main():
    monitor, line = connect("monitor"), connect("line")
    threads = [
        threading.Thread(target=copy, args=(line, here / "console")),
        threading.Thread(target=copy, args=(monitor, here / "monitor.log")),
    ]
    for thread in threads:
        thread.start()
    for step in sys.argv[3:]:
        what, rest = step.split(":", 1)
        if what == "wait":
            count, words = rest.split(":", 1)
            console = here / "console"
            until(lambda c=console, w=words, n=int(count): c.exists() and c.read_bytes().count(w.encode()) >= n)
        elif what == "show":
            name, words = rest.split(":", 1)
            until(lambda n=name, w=words: show(monitor, n, w), 120)
        elif what == "tell":
            monitor.sendall(rest.encode() + b"\n")
        elif what == "type":
            line.sendall(rest.encode().decode("unicode_escape").encode())
    for thread in threads:
        thread.join()


main()
