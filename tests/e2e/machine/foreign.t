#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kernels that are not made for this machine get as far under the visor as without: Xen starts a Linux as dom0, whose
# memory it knows from the BIOS.
. tests/e2e/lib.sh

xen=$(tools/fetch-package.sh "$BUILD" xen-hypervisor-4.17-amd64 boot/xen-4.17-amd64.gz)
linux=${BAREPMU_LINUX:-$(ls /boot/vmlinuz-* 2>/dev/null | tail -1)}
[ -n "$xen" ] || skip_all "Debian's package of Xen cannot be had"
[ -n "$linux" ] || skip_all "no Linux kernel in /boot"
gzip -dc "$xen" >"$scratch/xen"

# Xen does not end: it is stopped when it has come this far. Two processors have clocks that follow the host's: with
# one, whose instructions are counted, Xen's measurement of its timer alone takes a minute.
goal='Serial input to DOM0'
"$BAREPMU" boot --pmu intel-v4 --smp 2 --memory 1024 --kernel "$scratch/xen" --initrd "$linux" --timeout 900 \
	--append "console=com1 com1=115200,8n1 dom0_mem=256M" </dev/null >"$scratch/stdout" 2>"$scratch/stderr" &
while kill -0 $! 2>/dev/null && ! grep -q "$goal" "$scratch/stdout"; do
	sleep 1
done
kill $! 2>/dev/null
wait
has "$scratch/stdout" 'Command line: console=com1' "Xen: its command line"
has "$scratch/stdout" 'New Xen image base address' "Xen: moves to where there is memory"
has "$scratch/stdout" 'Brought up 2 CPUs' "Xen: starts the other processor"
has "$scratch/stdout" "$goal" "Xen: hands over to dom0"
finish
