#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's likwid on every PMU: likwid-topology and likwid-bench always, likwid-perfctr on the processors that it knows.
. tests/e2e/lib.sh
for tool in likwid-topology likwid-perfctr likwid-bench; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done

# on PMU TYPE EVENT [DIRECT]: the processor as likwid calls it, and the event that counts instructions; "SAYS " and a
# pattern: what likwid-perfctr says instead. DIRECT: what it says where only its daemon counts.
on() {
	barepmu run --pmu "$1" -- /bin/sh -c "likwid-topology; likwid-bench -t load -w S0:20kB:1 -i 10
		likwid-perfctr -M 0 -C 0 -g '${3#* }' spin; echo daemon; likwid-perfctr -M 1 -C 0 -g '${3#* }' spin"
	has "$scratch/stdout" "^CPU type:[[:space:]]+$2\$" "$1: likwid-topology calls it $2"
	is "$(awk '/^HWThread/ { on = 2 } on && /^[0-9]/ { print $1, $2, $3, $5; exit }' "$scratch/stdout")" "0 0 0 0" \
		"$1: and finds one processor"
	has "$scratch/stdout" '^Instructions:[[:space:]]+34[0-9]{3}$' "$1: likwid-bench"
	case $3 in
	"SAYS "*) has "$scratch/stderr" "${3#SAYS }" "$1: likwid-perfctr says why not" ;;
	*)
		awk -v event="${3%:*}" '/^daemon/ { daemon = "daemon " } $2 == event { print daemon $6 }' \
			"$scratch/stdout" >"$scratch/counts"
		if [ -n "${4:-}" ]; then
			has "$scratch/stderr" "$4" "$1: likwid-perfctr says why not"
		else
			between "$(sed -n 1p "$scratch/counts")" 2000000 2100000 "$1: likwid-perfctr counts spin"
		fi
		between "$(sed -n 's/^daemon //p' "$scratch/counts")" 2000000 2100000 "$1: and by its daemon"
		;;
	esac
}

unknown="SAYS Unsupported( AMD Zen)? Processor"
on intel-v1 "Intel Core Duo processor" "$unknown"
on intel-v2 "Intel Core 2 45nm processor" INSTR_RETIRED_ANY:FIXC0
on intel-v3 "Intel Core Bloomfield processor" INSTR_RETIRED_ANY:FIXC0
# likwid needs a memory controller's registers from a Skylake's chipset, which QEMU's has not.
on intel-v4 "Intel Skylake processor" "SAYS Failed to get clientmem start address"
on intel-hybrid "(Unknown Intel Processor|nil)" "$unknown"
on amd-k7 'AMD K10 \(Shanghai\) processor' INSTRUCTIONS_RETIRED:PMC0
case $(likwid-topology --version) in
*" 5."[0-3]*)
	on intel-v5 "Unknown Intel Processor" "$unknown"
	on amd-core 'AMD K17 \(Zen2\) architecture' RETIRED_INSTRUCTIONS:PMC0
	on amd-v2 nil "$unknown"
	;;
*) # Debian 13's looks for Intel's PCI devices on each processor with counters outside of its cores.
	on intel-v5 "Intel SapphireRapids processor" INSTR_RETIRED_ANY:FIXC0
	on amd-core 'AMD K17 \(Zen2\) architecture' RETIRED_INSTRUCTIONS:PMC0 "Cannot get access to performance counters"
	on amd-v2 'AMD K19 \(Zen4\) architecture' RETIRED_INSTRUCTIONS:PMC0 "Cannot get access to performance counters"
	;;
esac
finish
