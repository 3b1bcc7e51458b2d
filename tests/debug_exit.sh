# SPDX-License-Identifier: BSD-2-Clause
# How a test's own machine is left: QEMU's debug-exit device at the port that abi/debug_exit.h names. `-device
# "$debug_exit"` is for QEMU, `-DDEBUG_EXIT=$debug_exit_port` for nasm. Scripts read it from the top of the tree.
debug_exit_port=$(awk '$2 == "DEBUG_EXIT_PORT" { print $3 }' abi/debug_exit.h)
# shellcheck disable=SC2034 # who reads this file has it
debug_exit=isa-debug-exit,iobase=$debug_exit_port,iosize=4
