# SPDX-License-Identifier: BSD-2-Clause
"""Answers one connection, on standard input and output, with a directory's files: serve.py DIRECTORY LOG.

QEMU starts it for each connection to the address that `guestfwd` names.
"""
import http.server
import sys


class Answer(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        self.rfile = sys.stdin.buffer
        self.wfile = open(1, "wb", buffering=0)

    def finish(self):
        self.wfile.close()

    def log_message(self, format, *arguments):
        with open(sys.argv[2], "a", encoding="utf-8") as log:
            print(format % arguments, self.headers.get("User-Agent"), file=log)


Answer(None, ("guest", 0), None, directory=sys.argv[1])
