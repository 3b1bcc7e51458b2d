/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine for host tests of pmu/, ringbuf/ and api/perf_*: one processor with the modelled PMU,
 * tasks, time, descriptors. */
#ifndef TESTS_HOST_FAKE_MACHINE_H
#define TESTS_HOST_FAKE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include "abi/linux/perf_event.h"
#include "abi/core_page.h"
#include "kernel/task/task.h"
#include "emulator/visor/model/core/quirks.h"

/* Where the running code is: what PMIs and timers find. */
#define FAKE_USER_RIP   0x401000ul
#define FAKE_KERNEL_RIP 0xffffffff80001000ul

/* PEBS records: how far their instruction is before that of a PMI, and their contents. */
#define FAKE_STEP    3
#define FAKE_RAX     0xbbul
#define FAKE_ADDRESS 0x7000ul
#define FAKE_XMM     0x1000ul

extern struct model fake_model;
extern unsigned fake_sigios;  /* SIGIOs sent */
extern unsigned fake_wakeups; /* waitq_wake() on anything */
extern unsigned fake_nmis, fake_unclaimed;
extern unsigned fake_open_objects; /* kalloc() and page_alloc() not given back */
/* Number of allocations from now until one fails, once, even before fake_boot(); 0: none fails. */
extern unsigned fake_fails_after;
extern struct quirk_state fake_quirks;
/* Called after each MSR write: lets a PMI in at any place. */
extern void (*fake_after_wrmsr)(void);
/* The result of an access to a register by the _safe functions. NULL: all work. */
enum fake_access { FAKE_WORKS, FAKE_FAULTS, FAKE_FORGETS };
extern enum fake_access (*fake_access)(uint32_t msr, bool write);
/* Changes the value that a read of a register gives. NULL: nothing. */
extern uint64_t (*fake_lie)(uint32_t msr, uint64_t value);
/* Whether the processor may write a record there. NULL: anywhere. */
extern bool (*fake_may_store)(uint64_t address, unsigned bytes);
/* The APIC has no extended local vector table. */
extern bool fake_no_extended;
/* The sample that instruction-based sampling takes of each instruction. NULL: none. */
extern const struct core_sample *fake_sample;
extern const uint64_t (*fake_work)[CORE_NR_QUANTITIES];
/* The value of IA32_THERM_STATUS; 0: the processor has none. */
extern uint64_t fake_thermal;
/* Changes what CPUID says; registers in the order of enum cpuid_register. NULL: nothing. */
extern void (*fake_cpuid)(uint32_t leaf, uint32_t regs[4]);

/* A machine with the named personality, freshly started; the first task (pid 100) runs. */
void fake_boot(const char *personality);
/* As fake_boot(), with a PMU that has the given quirks. */
void fake_boot_awkward(const char *personality, const struct quirks *quirks);
/* Allocates the buffer of the branch trace store, which is kept once it was needed, without
 * counting it in fake_open_objects. After fake_boot(). */
void fake_prepare(void);
/* Ends it: frees what the machine itself holds. */
void fake_shutdown(void);

/* The current task executes `instructions` in ring 3 or 0; time passes (1 ns each), PMIs and timers
 * come when they are due. */
void fake_run(uint64_t instructions, enum model_ring ring);
/* Time passes with the processor idle in ring 3. */
void fake_pass(uint64_t ns);

/* Delivers the PMI that waited for an access to a register, if there is one: for fake_cpu.c. */
void fake_interrupt(void);

/* Tasks: a child of the current one (thread: of its process), by the hooks that the kernel would
 * call. */
struct task *fake_fork(bool thread);
void fake_switch(struct task *next);
/* The current task exits and `next` runs. */
void fake_exit(struct task *next);
/* The last reference to a task that exited goes away. */
void fake_reap(struct task *task);
void fake_exec(void);
struct task *fake_first_task(void);
/* The task gets this number as user and group, and its capabilities: all for 0, none for others. */
void fake_become(struct task *task, uint32_t uid);

/* The system calls on it. */
int fake_open(struct perf_event_attr *attr, int pid, int cpu, int group_fd, unsigned long flags);
long fake_read(int fd, void *buffer, uint64_t bytes);
long fake_ioctl(int fd, unsigned command, uint64_t argument);
/* The mapped ring, as the application sees it; NULL and the negative errno when mmap fails. */
void *fake_mmap(int fd, uint64_t pages, bool writable, int *error);
void fake_munmap(int fd, void *address);
unsigned fake_poll(int fd);
void fake_close(int fd);

/* An attr of the current size. */
struct perf_event_attr fake_attr(uint32_t type, uint64_t config);

#endif
