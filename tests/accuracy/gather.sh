#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Gathers blocks of instructions, written ones and those cut out of installed programs.
# usage: gather.sh BUILD BLOCKS: writes BLOCKS.s and BLOCKS.o
set -eu

build=$1 blocks=$2
here=$(dirname "$0")

cut_blocks() { [ ! -e "$1" ] || "$here/cut.sh" "$1" "$2" "$3" >>"$blocks.s"; }
cp "$here/written.s" "$blocks.s"
cut_blocks /bin/busybox busybox 40
cut_blocks "$(ldd /usr/bin/sqlite3 | awk '/libsqlite3/ { print $3 }')" sqlite 40
cut_blocks /usr/bin/lua5.4 lua 30
cut_blocks "$build/kernel.elf" kernel 30
as "$blocks.s" -o "$blocks.o"
