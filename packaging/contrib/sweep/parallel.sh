#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A sweep on several machines by GNU parallel. They need barepmu, and this directory at the same place (NFS, say).
# usage: parallel.sh MACHINES PARTS SWEEP-ARGUMENTS...
#     MACHINES: as of parallel --sshlogin, e.g. "4/node1,8/node2"; ":" is this machine
#     e.g. parallel.sh 4/node1,4/node2 8 --core 'skylake,l2={256K/4,1M/16}' --csv table.csv -- ./program
set -eu
machines=$1 parts=$2
shift 2
quoted=$(for word; do printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"; done)
seq "$parts" | parallel --sshlogin "$machines" --workdir . --retries 2 \
	"barepmu sweep -j 1 --part {}/$parts $quoted >/dev/null"
# All results are there: this makes the tables.
exec barepmu sweep "$@"
