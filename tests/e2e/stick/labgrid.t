#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# packaging/contrib/labgrid: labgrid starts two places, waits for their stick's jobs, and finds the counts that both
# made; LAVA takes the job.
. tests/e2e/lib.sh
have_ovmf || skip_all "OVMF is not installed"
/usr/bin/python3 -c 'import labgrid, pytest' 2>/dev/null || skip_all "labgrid is not installed"

firmware_rom
cp packaging/contrib/labgrid/*.py "$scratch"
sed "s|/usr/share/ovmf/OVMF.fd|$scratch/firmware.rom|" packaging/contrib/labgrid/places.yaml >"$scratch/places.yaml"
barepmu image --pmu intel-v4 -o "$scratch/usb.img" -- stat -j -e instructions:u,branches:u -- /bin/work 20
is $status 0 "a stick is made"
# The visor hands the words after -- to the loader as load options: they take nothing from the stick's mode.
echo 'pmu=intel-v4 -- log=debug' >"$scratch/visor.cfg"
mcopy -o -i "$scratch/usb.img@@1M" "$scratch/visor.cfg" ::/visor.cfg
(cd "$scratch" && timeout -k 5 600 /usr/bin/python3 -m pytest -p no:cacheprovider test_places.py) >"$scratch/log" 2>&1
is "$? $(tail -n 1 "$scratch/log" | grep -o '[0-9]* passed')" "0 2 passed" "labgrid runs its jobs on two places"
is "$(grep -c '"event": "instructions:u"' "$scratch/counts.json")" 2 "labgrid collects the counts of both jobs"
between "$(awk -F'"' '/counter-value/ { print int($4); exit }' "$scratch/counts.json")" 1740000 1760000 \
	"labgrid's counts are the program's"

# schema TEMPLATE: what LAVA's own check of jobs says of it.
schema() {
	sed "s|IMAGE_URL|file://$scratch/usb.img|" "$1" >"$scratch/job.yaml"
	/usr/bin/python3 /usr/share/lava-common/lava-schema.py job "$scratch/job.yaml" >"$scratch/log" 2>&1
}
if [ -r /usr/share/lava-common/lava-schema.py ]; then
	schema packaging/contrib/labgrid/lava-job.yaml
	is "$? $(cat "$scratch/log")" "0 * $scratch/job.yaml" "LAVA finds the job valid"
	sed 's/interactive:/interactiv:/' packaging/contrib/labgrid/lava-job.yaml >"$scratch/wrong.yaml"
	schema "$scratch/wrong.yaml"
	is $? 1 "LAVA refuses a job with a mistyped key"
else
	skip "lava-common is not installed"
fi
finish
