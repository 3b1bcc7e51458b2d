// SPDX-License-Identifier: BSD-2-Clause
// A just-in-time compiler of one loop: runs it twice as long under a name of /tmp/perf-PID.map as
// under one of a jitdump file. Before, other code was at the second one's address.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 3000000ul

// mov rax, rdi; dec rax; jnz to the DEC; ret
static const uint8_t loop[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};

static uint8_t *compile(void)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, loop, sizeof(loop));
	return code;
}

struct load {
	uint32_t kind, size;
	uint64_t timestamp;
	uint32_t pid, tid;
	uint64_t vma, address, bytes, index;
	char name[24];
};

static void dump_function(FILE *dump, const uint8_t *code, const char *name)
{
	struct load load = {.size = sizeof(load) + sizeof(loop),
			    .pid = (uint32_t)getpid(),
			    .tid = (uint32_t)getpid(),
			    .vma = (uint64_t)code,
			    .address = (uint64_t)code,
			    .bytes = sizeof(loop)};

	strcpy(load.name, name);
	fwrite(&load, sizeof(load), 1, dump);
	fwrite(loop, sizeof(loop), 1, dump);
}

static void write_dump(const uint8_t *code)
{
	const uint32_t header[10] = {0x4a695444, 1, sizeof(header), 62, 0, (uint32_t)getpid()};
	char path[64];
	FILE *dump;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	fwrite(header, sizeof(header), 1, dump);
	fflush(dump);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump),
	     0); // by which perf finds the file
	dump_function(dump, code, "replaced");
	dump_function(dump, code, "by_dump");
	fclose(dump);
}

int main(void)
{
	uint8_t *first = compile(), *second = compile();
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx by map:~1\n", (unsigned long)first, sizeof(loop));
	fclose(map);
	write_dump(second);
	((void (*)(uint64_t))first)(2 * ROUNDS);
	((void (*)(uint64_t))second)(ROUNDS);
	return 0;
}
