# SPDX-License-Identifier: BSD-2-Clause
"""Takes files by TFTP (RFC 1350, 2347, 2348) into a directory: tftp.py DIRECTORY LOG [lose].

The first line of LOG is the port, which the system chooses; then one for each file. What would lie in a directory that
is not there is refused. `lose`: the first packet is lost, the first answer, and two later ones.
"""
import os
import socket
import struct
import sys

WRQ, DATA, ACK, ERROR, OACK = 2, 3, 4, 5, 6
directory, log = sys.argv[1], open(sys.argv[2], "w", encoding="utf-8", buffering=1)
passed = 0


def lost():
    global passed
    passed += 1
    return len(sys.argv) > 3 and passed in (1, 3, 401, 403)


def send(line, answer, to):
    if not lost():
        line.sendto(answer, to)


def take(line, client, size):
    """Blocks until one is not full. Until the next comes the last answer is repeated."""
    answer = struct.pack(">H", OACK) + b"blksize\0%d\0" % size
    send(line, answer, client)
    content, number, silent = b"", 0, 0
    while silent < 120:
        try:
            packet, sender = line.recvfrom(65536)
        except TimeoutError:
            silent += 1
            send(line, answer, client)
            continue
        if lost() or sender != client:
            continue
        silent = 0
        if struct.unpack(">HH", packet[:4]) == (DATA, (number + 1) % 65536):
            number = (number + 1) % 65536
            content += packet[4:]
            answer = struct.pack(">HH", ACK, number)
            if len(packet) - 4 < size:
                line.sendto(answer, client)
                return content
        send(line, answer, client)
    return None


door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
door.bind(("127.0.0.1", 0))
print(door.getsockname()[1], file=log)
while True:
    packet, client = door.recvfrom(65536)
    words = packet[2:].split(b"\0")
    if lost() or struct.unpack(">H", packet[:2])[0] != WRQ:
        continue
    name = words[0].decode()
    options = dict(zip((word.lower() for word in words[2::2]), words[3::2]))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.bind(("127.0.0.1", 0))
        line.settimeout(0.5)
        if not os.path.isdir(os.path.dirname(os.path.join(directory, name))):
            line.sendto(struct.pack(">HH", ERROR, 2) + b"no such directory\0", client)
            print("refused", name, file=log)
            continue
        content = take(line, client, int(options.get(b"blksize", b"512")))
        if content is None:
            print("gave up", name, file=log)
            continue
        with open(os.path.join(directory, name), "wb") as file:
            file.write(content)
        print("took", name, file=log)
