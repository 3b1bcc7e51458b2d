#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A replacement of QEMU: sends the data that FAKE selects on the two serial lines, to test the host command's errors.

if [ "$1" = --version ]; then
	echo "QEMU emulator version ${FAKE_VERSION:-7.2.0}"
	exit 0
fi

# Little-endian bytes of number $1, $2 of them, as printf escapes.
bytes() {
	n=$1
	for i in $(seq "$2"); do
		printf '\\%03o' $((n & 255))
		n=$((n >> 8))
	done
}

sequence=0
frame_file=$(mktemp)
trap 'rm -f "$frame_file"' EXIT

# frame TYPE FLAGS NAME PAYLOAD (printf formats): gzip's trailer has the CRC-32 of its input.
frame() {
	length=$(printf "$4" | wc -c)
	front="BPMU$1$(bytes "$2" 1)$(bytes ${#3} 2)$(bytes "$length" 4)$(bytes $sequence 4)"
	{ printf "$front"; printf '\0\0\0\0'; printf '%s' "$3"; printf "$4"; } >"$frame_file"
	{ printf "$front"; gzip -c "$frame_file" | tail -c 8 | head -c 4; printf '%s' "$3"; printf "$4"; } >&4
	sequence=$((sequence + 1))
}

# end STATUS REASON TEXT
end() {
	frame X 0 '' "$(bytes "$1" 4)$(bytes "$2" 4)$3"
}

case $FAKE in
good)
	printf 'firmware says BPMU and other things\n' >&4
	frame O 0 '' 'hello\n'
	end 7 0 ''
	;;
damaged)
	frame O 0 '' 'hello\n'
	printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' >&4
	end 0 0 ''
	;;
escape)
	frame F 1 ../escaped 'x'
	end 0 0 ''
	;;
file)
	frame F 1 perf.data 'PERFILE2'
	end 0 0 ''
	;;
half)
	frame F 0 perf.data 'PERF'
	end 0 3 'out of memory'
	;;
panic)
	end 125 3 'out of memory'
	;;
unstarted)
	end 126 2 'wrong program'
	;;
silent)
	printf '[    0.000001] last words\r\n' >&3
	exit 1
	;;
complaint)
	echo "qemu-system-x86_64: something is wrong" >&2
	exit 1
	;;
crash)
	kill -SEGV $$
	;;
talk)
	frame O 0 '' 'one\ntwo\n'
	exec sleep 100
	;;
hang)
	exec sleep 100
	;;
esac
exec sleep 100 # the command must not wait for us after the last frame
