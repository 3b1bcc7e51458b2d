#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make install: the command works from where it was put, without the sources; its version, manual page and completion.
. tests/e2e/lib.sh

# The products of `all` were built before; this test must not build them again with other flags.
make -s -o all install B="${BUILD#"$PWD/"}" DESTDIR="$scratch/root" prefix=/usr >"$scratch/log" 2>&1
is "$? $(cat "$scratch/log")" "0 " "make install"
mkdir "$scratch/away"
tree=$PWD
cd "$scratch/away" || exit 1
BAREPMU=$scratch/root/usr/bin/barepmu
barepmu run -- true
is $status 0 "the installed command runs a program"
barepmu stat -x, -e instructions:u -- work
has "$scratch/stderr" ',instructions:u,' "the installed command counts an application of the image"
unset BAREPMU_CORE
barepmu stat -e cycles:u -- true
has "$scratch/stderr" 'core: [a-z]+ \(simulated; time: cycles\)' "the installed command finds the simulated core"
barepmu image -o "$scratch/usb.img" -- true
is $status 0 "the installed command makes an image"
barepmu new project
is $status 0 "the installed command creates a project"
export PKG_CONFIG_PATH="$scratch/root/usr/share/pkgconfig"
is "$(pkg-config --cflags-only-I --keep-system-cflags barepmu | xargs)" "-I/usr/include" "programs find the header"
barepmu --version
has "$scratch/stdout" '^barepmu [0-9]+\.[0-9]+\.[0-9]+$' "--version"
barepmu --version -v
has "$scratch/stdout" "^QEMU $(qemu-system-x86_64 --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')\$" \
	"--version -v: QEMU's version"
has "$scratch/stdout" '^  simulated cores, .* yes$' "--version -v: what works"
has "$scratch/stdout" '^  CLFLUSH, .* (yes|no: .*registers)$' "--version -v: CLFLUSH by registers"
share=$scratch/root/usr/share
has "$share/man/man1/barepmu.1" "^.TH BAREPMU 1 .*$(cut -d' ' -f 2 "$scratch/stdout")" "the manual page's version"
barepmu --help
commands=$(sed -n 's/^[usage: ]*barepmu \([a-z][a-z-]*\).*/\1/p' "$scratch/stdout")
between "$(echo "$commands" | wc -l)" 12 40 "--help has the commands"
for command in $commands; do
	page=$share/man/man1/barepmu-$command.1
	for heading in "TH BAREPMU.*$(barepmu --version && cut -d' ' -f 2 "$scratch/stdout")" NAME SYNOPSIS DESCRIPTION \
		EXAMPLES FILES; do
		grep -qE "^\.(SH )?$heading" "$page" || echo "$command: no $heading"
	done
	awk -v name="$command" '/^.SH (EXAMPLES|FILES)/ { h = $2; getline; if ($0 != ".TP") print name ": no " h }' "$page"
	command -v groff >/dev/null && groff -man -ww -z "$page" 2>&1
done >"$scratch/pages"
is "$(cat "$scratch/pages")" "" "each command has a manual page with its version, examples and files"
cat >"$scratch/complete" <<'X'
PATH=$1:$PATH
. "$2"
COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3))
_barepmu
echo "${COMPREPLY[*]}"
X
# complete WORDS...: what completion offers for the last one.
complete() {
	bash "$scratch/complete" "$scratch/root/usr/bin" "$share/bash-completion/completions/barepmu" "$@"
}
is "$(complete barepmu run --pmu sky)" skylake "completion knows the PMUs"
is "$(complete barepmu run --pmu amd-v)" amd-v2 "completion knows the PMUs' former names"
barepmu run --pmu help
is "$(complete barepmu run --pmu '' | wc -w)" \
	"$(awk 'NR == 1 { also = index($0, "ALSO") }
		NR > 1 { n += 1 + (substr($0, also) ~ /^(intel|amd)-/) }
		END { print n }' "$scratch/stdout")" \
	"each of them, and no other words"
is "$(complete barepmu record -g '')" "fp dwarf lbr" "completion knows the kinds of call chains"
is "$(complete barepmu list '')" "hw sw cache pmu vendor" "completion knows the groups of events"
barepmu stat -M help
is "$(complete barepmu stat -M '' | tr ' ' '\n' | sort)" "$(tr ' ' '\n' <"$scratch/stdout" |
	grep -xE "$(complete barepmu stat -M '' | tr ' ' '|')" | sort -u)" "and the metrics"
is "$(awk '{ print $1 }' "$scratch/stdout" | sort -u | grep -vxE "$(complete barepmu stat -M '' | tr ' ' '|')")" "" \
	"completion has all metrics"
sed 's/\\-/-/g; s/\\f[BIR]//g' "$share"/man/man1/barepmu*.1 >"$scratch/manual"
for command in $commands; do
	barepmu $command -h
	complete barepmu $command -- | tr ' ' '\n' | sort >"$scratch/offered"
	grep -oE -e '--[a-z][a-z-]+' "$scratch/stdout" | sort -u | comm -23 - "$scratch/offered" >>"$scratch/left"
	for option in $(grep -oE -e '(^|[ ,[])--?[a-zA-Z][a-zA-Z-]*' "$scratch/stdout" | tr -d ' ,['); do
		grep -qE -e "(^|[^a-z-])$option([^a-z-]|\$)" "$scratch/manual" || echo "$command $option"
	done >>"$scratch/untold"
done
is "$(cat "$scratch/left")" "" "completion has each long option that the help of its command has"
is "$(cat "$scratch/untold")" "" "the manual pages have each option"
head -n 1 "$share/zsh/site-functions/_barepmu" >"$scratch/words"
is "$(cat "$scratch/words")" '#compdef barepmu' "zsh's completion is where zsh looks"
# tab WORDS WANTED NAME: what zsh makes of the words.
tab() {
	zsh -f "$tree/tests/e2e/command/complete.zsh" "$share/zsh/site-functions" "$scratch/root/usr/bin" "$2" "$1" \
		>"$scratch/words"
	has "$scratch/words" "$2" "$3"
}
if command -v zsh >/dev/null; then
	tab "barepmu im" "barepmu image" "zsh completes commands"
	tab "barepmu run --pmu sky" "barepmu run --pmu skylake" "and PMUs"
	tab "barepmu run --pmu amd-v" "barepmu run --pmu amd-v2" "by each name"
	tab "barepmu stat --no-b" "barepmu stat --no-big-num" "and options"
	tab "barepmu record -g " "dwarf +fp +lbr" "and lists several values"
else
	skip "zsh is not installed"
fi
barepmu run -- sh -c 'kill -SEGV $$'
is "$status $(cat "$scratch/stderr")" "139 Segmentation fault" "a signal is told as a shell does"
finish
