/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One processor's Intel Processor Trace: registers and encoder state. The visor and the simulated
 * core alternate as writers: the one that runs owns it. Intel SDM vol. 3, "Intel Processor Trace";
 * vol. 4 for the registers.
 */
#ifndef ABI_PT_STATE_H
#define ABI_PT_STATE_H

#include <stdint.h>

#define PT_RANGES       2  /* address ranges */
#define PT_CALLS        64 /* that a compressed return may name */
#define PT_ADDRESS_BITS 40 /* of physical addresses */

#define PT_BIT(n) (1ull << (n))

/* IA32_RTIT_CTL */
#define PT_CTL_TRACE        PT_BIT(0)
#define PT_CTL_CYC          PT_BIT(1)
#define PT_CTL_OS           PT_BIT(2)
#define PT_CTL_USR          PT_BIT(3)
#define PT_CTL_FUP_ON_PTW   PT_BIT(5)
#define PT_CTL_CR3_FILTER   PT_BIT(7)
#define PT_CTL_TOPA         PT_BIT(8)
#define PT_CTL_MTC          PT_BIT(9)
#define PT_CTL_TSC          PT_BIT(10)
#define PT_CTL_NO_RETC      PT_BIT(11)
#define PT_CTL_PTW          PT_BIT(12)
#define PT_CTL_BRANCH       PT_BIT(13)
#define PT_CTL_MTC_FREQ     14 /* shifts of fields of 4 bits */
#define PT_CTL_CYC_THRESH   19
#define PT_CTL_PSB_FREQ     24
#define PT_CTL_RANGE_CFG(i) (32 + 4 * (i))

enum pt_range_cfg { PT_RANGE_OFF, PT_RANGE_FILTER, PT_RANGE_STOP, PT_RANGE_LAST = PT_RANGE_STOP };

/* IA32_RTIT_STATUS */
#define PT_STATUS_FILTER     PT_BIT(0)
#define PT_STATUS_CONTEXT    PT_BIT(1)
#define PT_STATUS_TRIGGER    PT_BIT(2)
#define PT_STATUS_ERROR      PT_BIT(4)
#define PT_STATUS_STOPPED    PT_BIT(5)
#define PT_STATUS_BYTES      32 /* shift of the count of bytes since the last PSB, 17 bits */
#define PT_STATUS_BYTES_MASK 0x1ffffull
#define PT_STATUS_ENABLES    (PT_STATUS_FILTER | PT_STATUS_CONTEXT | PT_STATUS_TRIGGER)
#define PT_STATUS_HALTED     (PT_STATUS_ERROR | PT_STATUS_STOPPED)

/* IA32_RTIT_OUTPUT_MASK_PTRS: low half, which always has these bits, and the offset above it. */
#define PT_MASK_ONES   0x7full
#define PT_MASK_INDEX  7
#define PT_MASK_OFFSET 32

/* An entry of a table of physical addresses. */
#define PT_TOPA_END     PT_BIT(0)
#define PT_TOPA_INT     PT_BIT(2)
#define PT_TOPA_STOP    PT_BIT(4)
#define PT_TOPA_SIZE    6 /* shift of 4 bits: 4 KiB << size */
#define PT_TOPA_ADDRESS 0x000000fffffff000ull
#define PT_TOPA_RESERVED \
	(~(PT_TOPA_ADDRESS | PT_TOPA_END | PT_TOPA_INT | PT_TOPA_STOP | 0xfull << PT_TOPA_SIZE))

/* A region with INT is full: a PMI is to be sent, and the guest is stopped for it. */
enum pt_interrupt { PT_INTERRUPT_NONE, PT_INTERRUPT_DUE, PT_INTERRUPT_STOPS };

struct pt_state {
	/* Registers. */
	uint64_t ctl, status, base, mask, cr3_match;
	uint64_t range[PT_RANGES][2];
	/* The guest's place at an entry or an exit, written by the visor. */
	uint64_t here_ip, here_cr3, here_tsc;
	uint64_t frame_ip; /* at an exit in ring 0: return address of the interrupt frame at RSP, 0:
			      unknown */
	uint8_t here_user; /* CPL 1 to 3 */
	uint8_t here_mode; /* enum pt_mode */
	uint8_t here_soft; /* the next entry delivers the INT n at here_ip */
	uint8_t tsc_shift; /* an instruction takes 1 << tsc_shift of the TSC */
	uint8_t ratio;     /* of core to bus, for CBR */
	/* Output. */
	uint32_t generation; /* changes with each change of the current region */
	uint8_t interrupt;   /* enum pt_interrupt */
	/* Packets. */
	uint8_t on;   /* PacketEn */
	uint8_t mode; /* of the last MODE.Exec, enum pt_mode; PT_MODE_UNKNOWN */
	uint8_t nr_tnt;
	uint64_t tnt; /* the latest outcome is bit 0 */
	uint64_t last_ip;
	uint64_t last_mtc, last_cyc, last_tsc;
	uint32_t nr_calls, next_call;
	uint64_t calls[PT_CALLS];
	uint64_t lost; /* how often an event's origin was not known: OVF */
};

enum pt_mode { PT_MODE_16, PT_MODE_64, PT_MODE_32, PT_MODE_UNKNOWN = 255 };

#endif
