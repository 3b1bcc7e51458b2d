# SPDX-License-Identifier: BSD-2-Clause
# Shared by the end-to-end tests: TAP, a scratch directory, the command under a time limit. They run from the top of the
# tree.
. tests/debug_exit.sh

: "${BAREPMU:=$PWD/build/barepmu}"
: "${BUILD:=$(dirname "$BAREPMU")}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tests=0

# ok STATUS NAME: passes when STATUS is 0.
ok() {
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests - $2"
	else
		echo "not ok $tests - $2"
	fi
}

# is GOT WANT NAME
is() {
	[ "$1" = "$2" ] && good=0 || good=1
	ok $good "$3"
	[ $good = 0 ] || printf '%s\n' "got: $1" "want: $2" | sed 's/^/# /' >&2
}

# has FILE EXTENDED-REGEXP NAME
has() {
	grep -Eq -- "$2" "$1" && good=0 || good=1
	ok $good "$3"
	[ $good = 0 ] || { echo "# no line matches: $2"; sed 's/^/# | /' "$1" | head -30; } >&2
}

# between GOT LOW HIGH NAME: numbers with decimals.
between() {
	awk -v x="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(x != "" && x + 0 >= low && x + 0 <= high) }' &&
		good=0 || good=1
	ok $good "$4"
	[ $good = 0 ] || echo "# got: '$1', want $2 to $3" >&2
}

finish() {
	echo "1..$tests"
}

# skip REASON: what follows cannot be asked here, and the result says so.
skip() {
	tests=$((tests + 1))
	echo "ok $tests # SKIP $1"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# The command: stdout in $scratch/stdout, stderr in $scratch/stderr, its exit status in $status.
barepmu() {
	status=0
	timeout -k 5 900 "$BAREPMU" "$@" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
}

one_line() {
	is "$(wc -l <"$scratch/stderr")" 1 "$1: one line"
}

# The static program that the tests run in the image.
build_probe() {
	musl-gcc -static -O2 -fno-omit-frame-pointer -Wall -Wextra -o "$scratch/probe" tests/e2e/probe.c
}

# There is firmware for the UEFI door.
have_ovmf() {
	[ -r /usr/share/OVMF/OVMF_CODE_4M.fd ]
}

# Makes $scratch/firmware.rom, for QEMU's -bios: OVMF where no TPM answers, as host/image/disk.c makes it and explains.
# Its variables are kept in memory, through resets, until QEMU ends.
firmware_rom() {
	from_tpm_to_4gib=$((0x12c0000))
	set -- /usr/share/OVMF/OVMF_VARS_4M.fd /usr/share/OVMF/OVMF_CODE_4M.fd
	head -c 20480 /dev/zero | tr '\0' '\377' >"$scratch/firmware.rom"
	truncate -s $((from_tpm_to_4gib - $(cat "$@" | wc -c))) "$scratch/firmware.rom"
	cat "$@" >>"$scratch/firmware.rom"
}

# There is a Linux kernel to compare with.
have_linux() {
	ls /boot/vmlinuz-* >/dev/null 2>&1 || [ -n "${BAREPMU_LINUX:-}" ]
}

# Debian's kernel lowers perf_event_max_sample_rate when PMIs take long, which on a busy host they do: not with this.
linux_words=sysctl.kernel.perf_cpu_time_max_percent=0

# The mitigations that keep one program's secrets from another take a third of the host's time: each way into Debian's
# kernel changes page tables, for which the emulator drops its translations. Only tests of costs or of the mitigations
# need them.
linux_words="$linux_words mitigations=off"

# No test needs locked instructions made plain ones at each start, for which the emulator translates again.
linux_words="$linux_words noreplace-smp"

# The directories of the host would take Debian's kernel two modules and a sixth of a start's time.

# Debian's kernel where its clocks are asked for.
linux_plainly() {
	barepmu linux --no-share --append "$linux_words" "$@"
}

# Debian's kernel for tests that do not look at its clocks. Unless CPUID has the rates of the TSC and of the APIC's
# timer it measures them for 0.15 s in loops of PAUSE, which take an emulator longer than all the rest. Here an option
# has the TSC's rate, and the HPET ticks.
quick_words="nolapic_timer tsc_early_khz=1000000"
linux_quickly() {
	barepmu linux --no-share --append "$quick_words $linux_words" "$@"
}

# Sets `add` to the options that bring Debian's perf and sh along, with their libraries, and `loader` to the loader that
# starts them. Debian's kernel hides its symbols from it: to read them takes perf record longer than all the rest.
stock_perf() {
	linux_words="$linux_words sysctl.kernel.kptr_restrict=2"
	loader=/lib64/ld-linux-x86-64.so.2
	add="--add $(readlink -f $loader):$loader --add $(readlink -f /bin/sh):/bin/sh --add $BUILD/apps/spin:/spin"
	add="$add --add $(command -v perf):/perf"
	for library in $(ldd "$(command -v perf)" | awk '$3 ~ "^/" { print $3 }'); do
		add="$add --add $(readlink -f "$library"):$library"
	done
}

# map_is_right NAME: what the kernel says of its pages with -v and check=map.
map_is_right() {
	pages='map: [1-9][0-9]* pages of the kernel, [1-9][0-9]* executable'
	has "$scratch/stderr" "$pages, 0 of them writable, 0 written by another address, 0 exposed" "$1: the kernel's map"
}

# keeps_clock NAME: Linux finds the TSC to be a clock, measures it by the timer that the visor lets agree with it, and
# keeps it. The program has printed `clock` and the clock's name.
keeps_clock() {
	has "$scratch/stdout" '^clock tsc$' "$1: Linux keeps the TSC"
	is "$(grep -ciE 'tsc.*unstable' "$scratch/stderr")" 0 "$1: and finds nothing wrong with it"
}

# field EVENT: its count in perf's CSV.
field() {
	awk -F, -v event="$1" '$3 == event { print $1 }' "$scratch/stdout"
}

# flame_levels FILE FUNCTION: prints the heights at which a flame graph has the function, from the highest on. A sample
# at a function's edge may lack a caller and be a level lower: bars of less than a hundredth of all events are left out.
flame_levels() {
	sed -n "s/.*data-w=\"\([0-9.]*\)\" data-n=\"$2\".*<rect x=\"[0-9.]*\" y=\"\([0-9]*\).*/\1 \2/p" "$1" |
		awk '$1 >= 0.01 { print $2 }' | sort -u -n
}
