/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2) with attrs of any bytes and any size, as root and as a user. */
#include "tests/harness/bytes.h"
#include "tests/host/fake/fake_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t attr[4096 / 8 + 1];
	struct bytes in = {data, size};
	uint32_t uid = take_one_of(&in, 2) ? 1000 : 0;
	int fd;

	fake_boot(take_one_of(&in, 2) ? "intel-v4" : "amd-v2");
	fake_prepare();
	memset(attr, 0, sizeof(attr));
	memcpy(attr, in.at, in.left < sizeof(attr) ? in.left : sizeof(attr));
	fake_become(fake_first_task(), uid);
	fd = fake_open((struct perf_event_attr *)attr, 0, -1, -1, 0);
	fake_run(100, MODEL_USER);
	if (fd >= 0)
		fake_close(fd);
	fake_shutdown();
	if (fake_open_objects)
		__builtin_trap();
	return 0;
}
