# SPDX-License-Identifier: BSD-2-Clause
# Completion for bash (zsh also uses it): commands, the options of each from its own help, their values, files.

# The possible values of an option of a command, or of a command's own argument (option "").
_barepmu_values() {
	case $1,$2 in
	*,--pmu) # both columns of names
		barepmu run --pmu help | awk '
			NR == 1 { year = index($0, "YEAR"); also = index($0, "ALSO"); next }
			{ print $1 }
			substr($0, year, 4) ~ /^[0-9]+$/ { print substr($0, also) }' ;;
	*,--core) echo none && barepmu run --core help | awk 'NR > 1 { print $1 }' ;;
	*,--firmware) echo ovmf pvh ;;
	*,--end) echo wait reboot poweroff ;;
	stat,-M) echo IPC CPI branch_miss_rate branch_mpki l1d_miss_rate l1d_mpki llc_mpki TopdownL1 \
		retiring bad_speculation frontend_bound backend_bound ;;
	record,-g | record,--call-graph) echo fp dwarf lbr ;;
	report,--sort) echo comm dso symbol ;;
	bench,--ring) echo 0 3 ;;
	bench,--prefetch) echo off ;;
	list,) echo hw sw cache pmu vendor ;;
	bench,) echo memory tlb branches instructions cores syscalls ;;
	esac
}

# _barepmu_options COMMAND: all options that its help shows.
_barepmu_options() {
	barepmu "$1" -h | grep -oE -e '(^|[^[:alnum:]-])(--[a-z][a-z-]*|-[a-zA-Z]\b)' | grep -oE -e '-.*' | sort -u
}

_barepmu_commands() {
	barepmu --help | sed -n 's/^[usage: ]*barepmu \([a-z-]*\).*/\1/p'
}

_barepmu() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
	if [ "$COMP_CWORD" = 1 ]; then
		words="$(_barepmu_commands) --help --version"
	elif [ "${before#-}" != "$before" ] && words=$(_barepmu_values "$command" "$before") && [ "$words" ]; then
		:
	elif [ "${word#-}" != "$word" ]; then
		words=$(_barepmu_options "$command")
	else
		words=$(_barepmu_values "$command" "")
	fi
	COMPREPLY=($(compgen -W "$words" -- "$word"))
	if [ -z "${COMPREPLY[*]}" ] || [ -z "$words" ]; then
		COMPREPLY+=($(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _barepmu barepmu
