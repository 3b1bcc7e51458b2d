# SPDX-License-Identifier: BSD-2-Clause
# Completion for bash: commands, options from the command's own help, PMUs, files.
_barepmu() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "$(barepmu --help | sed -n 's/^[usage: ]*barepmu \([a-z]*\).*/\1/p')" -- "$word"))
	elif [ "$before" = --pmu ]; then
		COMPREPLY=($(compgen -W "$(barepmu run --pmu help | awk '{ print $1 }')" -- "$word"))
	elif [ "$before" = --end ]; then
		COMPREPLY=($(compgen -W "wait reboot poweroff" -- "$word"))
	elif [ "${word#-}" != "$word" ]; then
		COMPREPLY=($(compgen -W "$(barepmu --help | grep -o -e '--[a-z][a-z-]*' | sort -u)" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}
complete -o filenames -F _barepmu barepmu
