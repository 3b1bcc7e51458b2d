#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two memory nodes: pages come from where a task's and an area's policies want them. QEMU has the nodes by a script in
# its place.
. tests/e2e/lib.sh

qemu=$(command -v qemu-system-x86_64)
mkdir "$scratch/bin"
cat >"$scratch/bin/qemu-system-x86_64" <<END
#!/bin/bash
words=()
for word in "\$@"; do
	case \$word in memory-backend=memory) word=sata=off ;; 512) word=768 ;; esac
	words+=("\$word")
done
exec $qemu "\${words[@]}" -object memory-backend-ram,id=other,size=256M -numa node,memdev=memory,cpus=0 \\
	-numa node,memdev=other,cpus=1 -numa dist,src=0,dst=1,val=21
END
chmod +x "$scratch/bin/qemu-system-x86_64"

PATH=$scratch/bin:$PATH barepmu run --no-share --core none --pmu none --smp 2 -- "$BUILD/tests/guest/nodes-musl"
is $status 0 "two nodes: policies"
has "$scratch/stdout" '^ok [0-9]+ .*pages of an area come from its node$' "two nodes: areas"
PATH=$scratch/bin:$PATH barepmu run --no-share --core none --pmu none --smp 2 -- /bin/cat \
	/sys/devices/system/node/node1/distance /sys/devices/system/node/node1/cpulist
is "$(cat "$scratch/stdout")" "21 10
1" "two nodes: distances and processors"
finish
