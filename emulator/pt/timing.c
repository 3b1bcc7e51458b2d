/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timing packets. The crystal clock equals the TSC: CPUID leaf 15H has the ratio 1 where MTC is
 * offered. SDM vol. 3, "TSC Packet" to "CYC Packet".
 */
#include "emulator/pt/packets.h"

enum { TSC = 0x19, EXTENDED = 0x02, EXT_TMA = 0x73, MTC = 0x59 };

#define FIELD 15 /* mask of fields of RTIT_CTL */

/* periods that MTC's 8-bit counter cannot be mistaken about */
#define MTC_PERIODS 128

#define CYC      0x03
#define CYC_MORE 0x04 /* in the first byte; in others bit 0 */

static unsigned field(const struct pt *pt, unsigned shift)
{
	return pt->state->ctl >> shift & FIELD;
}

static void put_tma(struct pt *pt)
{
	pt_put(pt,
	       (const uint8_t[]){EXTENDED, EXT_TMA, (uint8_t)pt->tsc, (uint8_t)(pt->tsc >> 8), 0, 0,
				 0},
	       7);
	pt->state->last_mtc = pt->tsc >> field(pt, PT_CTL_MTC_FREQ);
}

/* Decoders add later cycles to it, so that cycles before it must not be among them. */
void pt_packet_tsc(struct pt *pt)
{
	uint8_t bytes[8] = {TSC};

	if (!(pt->state->ctl & PT_CTL_TSC))
		return;
	for (unsigned i = 0; i < 7; i++)
		bytes[1 + i] = (uint8_t)(pt->tsc >> 8 * i);
	pt->state->last_tsc = pt->state->last_cyc = pt->tsc;
	pt_put(pt, bytes, sizeof(bytes));
	if (pt->state->ctl & PT_CTL_MTC)
		put_tma(pt);
}

/* Emits MTC for the latest period; if its 8 bits would be ambiguous, TSC and TMA. */
static void emit_period(struct pt *pt)
{
	uint64_t period = pt->tsc >> field(pt, PT_CTL_MTC_FREQ),
		 passed = period - pt->state->last_mtc;

	/* Processors that take turns may estimate a time a little too early. */
	if (period <= pt->state->last_mtc)
		return;
	pt_flush_tnt(pt);
	if (passed > MTC_PERIODS && (pt->state->ctl & PT_CTL_TSC)) {
		pt_packet_tsc(pt);
		return;
	}
	pt->state->last_mtc = period;
	pt_packet_cyc(pt);
	pt_put(pt, (const uint8_t[]){MTC, (uint8_t)period}, 2);
}

void pt_time(struct pt *pt)
{
	if (pt->state->ctl & PT_CTL_MTC)
		emit_period(pt);
}

void pt_time_again(struct pt *pt)
{
	if ((pt->state->ctl & PT_CTL_MTC) || pt->tsc == pt->state->last_tsc)
		return;
	pt_packet_cyc(pt);
	pt_packet_tsc(pt);
}

/* Emits 5 bits of the count, then 7 bits a byte; a bit of each byte announces another. */
static void put_cycles(struct pt *pt, uint64_t cycles)
{
	uint8_t bytes[10];
	unsigned nr = 0;

	bytes[nr++] = (uint8_t)(CYC | (cycles & 31) << 3 | (cycles >> 5 ? CYC_MORE : 0));
	for (cycles >>= 5; cycles; cycles >>= 7)
		bytes[nr++] = (uint8_t)((cycles & 127) << 1 | (cycles >> 7 != 0));
	pt_put(pt, bytes, nr);
}

/* A cycle takes a tick of the TSC, as CBR says: cycles of a simulated core, which has no such
 * constant ratio, would lead decoders to times ahead of the TSC's. */
void pt_packet_cyc(struct pt *pt)
{
	struct pt_state *state = pt->state;
	unsigned threshold = field(pt, PT_CTL_CYC_THRESH);
	uint64_t cycles = pt->tsc - state->last_cyc;

	if (!(state->ctl & PT_CTL_CYC) || pt->tsc <= state->last_cyc ||
	    (threshold && cycles < 1ull << (threshold - 1)))
		return;
	state->last_cyc = pt->tsc;
	put_cycles(pt, cycles);
}
