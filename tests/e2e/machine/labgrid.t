#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# contrib/labgrid: labgrid starts two places, waits for their stick's jobs, and finds the counts that both made.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"
/usr/bin/python3 -c 'import labgrid, pytest' 2>/dev/null || skip_all "labgrid is not installed"

cp contrib/labgrid/*.py contrib/labgrid/places.yaml "$scratch"
barepmu image --pmu intel-v4 -o "$scratch/usb.img" -- stat -j -e instructions:u,branches:u -- /bin/work 20
is $status 0 "a stick is made"
(cd "$scratch" && timeout -k 5 600 /usr/bin/python3 -m pytest -p no:cacheprovider test_places.py) >"$scratch/log" 2>&1
is "$? $(tail -n 1 "$scratch/log" | grep -o '[0-9]* passed')" "0 2 passed" "labgrid runs its jobs on two places"
is "$(grep -c '"event": "instructions:u"' "$scratch/counts.json")" 2 "whose counts are collected"
between "$(awk -F'"' '/counter-value/ { print int($4); exit }' "$scratch/counts.json")" 1740000 1760000 \
	"and are the program's"
finish
