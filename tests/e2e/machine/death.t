#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A guest that breaks itself or attacks the visor gets its own exception, or the visor prints the guest's state on one
# screen and exits with status 125.
. tests/e2e/lib.sh
nasm -DDEBUG_EXIT="$debug_exit_port" -f elf32 -o "$scratch/death.o" tests/e2e/machine/death.asm
ld -m elf_i386 -n -Ttext=0x100000 -e _start -o "$scratch/death.elf" "$scratch/death.o" 2>"$scratch/ld"

# guest WORDS OPTIONS...
guest() {
	words=$1
	shift
	barepmu boot --pmu intel-v4 "$@" --kernel "$scratch/death.elf" --append "$words" --timeout 900 </dev/null
}

# dies WORDS WHY OPTIONS...: on one screen.
dies() {
	words=$1 why=$2
	shift 2
	guest "$words" "$@"
	is $status 125 "$words $*: status"
	one_line "$words $*"
	has "$scratch/stderr" 'the visor stopped the machine' "$words $*: the command says so"
	has "$scratch/stdout" "^visor: the guest died: $why" "$words $*: why"
	has "$scratch/stdout" '^rip [0-9a-f]{4}:[0-9a-f]{16}' "$words $*: where"
	has "$scratch/stdout" '^code [0-9a-f]{2}' "$words $*: the code there"
	between "$(wc -l <"$scratch/stdout")" 8 24 "$words $*: on one screen"
}

dies triple "triple fault"
dies triple "triple fault" --smp 2
dies triple "triple fault" --exact
dies pae "triple fault"
dies keys "triple fault"
dies visor "access to the visor's memory at"
dies visor "access to the visor's memory at" --smp 2
for options in "" "--smp 2" "--exact" "--exact --smp 2"; do
	# shellcheck disable=SC2086
	dies write "access to the visor's memory at" --memory 128 $options
done
for options in "" "--smp 2" "--exact"; do
	# shellcheck disable=SC2086
	guest svm $options
	is $status 0 "SVM $options: its instructions and registers do not exist"
done

# At most 89 KiB of code: gcc 12 makes 84 of it, gcc 14 87.
between "$(size -A "$BUILD/visor.elf" | awk '$1 == ".text" { print $2 }')" 1000 91136 "the visor's code"
finish
