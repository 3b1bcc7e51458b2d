/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of the timer's port. AMD APM vol. 2, 15.10 (IOIO intercepts). */
#include "emulator/visor/exit/timer_port.h"

#include "emulator/visor/count/count.h"
#include "emulator/visor/count/events.h"
#include "emulator/visor/vcpu/host.h"

#define TIMER_HZ    3579545ull
#define TIMER_BITS  0xffffffu /* QEMU's has 24 */
#define TIMER_BYTES 4u
#define SECOND_NS   1000000000ull

/* EXITINFO1. */
#define IO_IN       (1u << 0)
#define IO_STRING   (1u << 2)
#define IO_BYTES(i) ((i) >> 4 & 7)
#define IO_PORT(i)  ((i) >> 16)

static uint8_t permissions[3 * PAGE_SIZE] __attribute__((aligned(4096)));
static uint16_t timer_port;

void timer_port_setup(uint16_t port)
{
	timer_port = port;
	for (unsigned i = 0; port && i < TIMER_BYTES; i++)
		permissions[(port + i) / 8] |= (uint8_t)(1u << (port + i) % 8);
}

uint64_t timer_port_map(void)
{
	return (uint64_t)permissions;
}

/* The TSC is in nanoseconds, regardless of the guest's writes to it. */
static uint32_t timer_value(const struct vcpu *vcpu)
{
	uint64_t ns = vcpu->guest_tsc - vcpu->tsc_adjust;

	return (uint32_t)(ns / SECOND_NS * TIMER_HZ + ns % SECOND_NS * TIMER_HZ / SECOND_NS) &
	       TIMER_BITS;
}

static void load(uint64_t *rax, uint32_t value, unsigned bytes)
{
	uint64_t part = bytes == 4 ? ~0ull : (1ull << 8 * bytes) - 1;

	*rax = (*rax & ~part) | (value & part);
}

/* Writes (which the port ignores), string reads, and reads that span other ports are stepped over
 * on the real port. */
void timer_port_exit(struct vcpu *vcpu)
{
	uint32_t info = (uint32_t)vcpu->vmcb->exit_info1, offset = IO_PORT(info) - timer_port;
	uint32_t value;

	if (!(info & IO_IN) || (info & IO_STRING) || offset + IO_BYTES(info) > TIMER_BYTES) {
		event_step_over(vcpu);
		return;
	}
	value = timer_value(vcpu) >> 8 * offset;
	count_emulated(vcpu, (unsigned)(vcpu->vmcb->exit_info2 - vcpu->vmcb->rip));
	load(&vcpu->vmcb->rax, value, IO_BYTES(info));
}
