/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets one by one. SDM vol. 3, "Trace Packets and Data Types". */
#include "emulator/pt/packets.h"

#include <stddef.h>

#define EXTENDED 0x02 /* first byte of packets whose second byte says which */

enum {
	EXT_TRACE_STOP = 0x83,
	EXT_CBR = 0x03,
	EXT_LONG_TNT = 0xa3,
	EXT_OVF = 0xf3,
	EXT_PSB = 0x82,
	EXT_PSBEND = 0x23,
	EXT_PIP = 0x43,
};

#define PTW      0x12 /* second byte, with the two flags below */
#define PTW_LONG 0x20 /* 8 bytes, not 4 */
#define PTW_IP   0x80

#define MODE      0x99
#define MODE_EXEC 0x00 /* and enum pt_mode */

#define TNT_SHORT 6  /* outcomes that one byte has room for */
#define TNT_LONG  47 /* and eight */

#define PSB_PAIRS 8

static void put_number(uint8_t *bytes, uint64_t value, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Emits the low 2 or 4 bytes if the others equal the last address's, else 6 bytes to be
 * sign-extended. */
void pt_packet_ip(struct pt *pt, enum pt_ip_packet packet, uint64_t ip)
{
	uint64_t changed = ip ^ pt->state->last_ip;
	unsigned form = !(changed >> 16) ? 1 : !(changed >> 32) ? 2 : 3;
	uint8_t bytes[7] = {(uint8_t)(packet | form << 5)};

	put_number(bytes + 1, ip, 2 * form);
	pt->state->last_ip = ip;
	if (packet != PT_FUP)
		pt_packet_cyc(pt);
	pt_put(pt, bytes, 1 + 2 * form);
}

void pt_packet_no_ip(struct pt *pt, enum pt_ip_packet packet)
{
	pt_packet_cyc(pt);
	pt_put(pt, &(uint8_t){(uint8_t)packet}, 1);
}

/* Emits the oldest `nr` pending outcomes, with a stop bit above them. */
static void put_short(struct pt *pt, unsigned nr)
{
	struct pt_state *state = pt->state;
	uint64_t outcomes = state->tnt >> (state->nr_tnt - nr) & ((1u << nr) - 1);

	state->nr_tnt = (uint8_t)(state->nr_tnt - nr);
	pt_put(pt, &(uint8_t){(uint8_t)(1u << (nr + 1) | outcomes << 1)}, 1);
}

static void put_long(struct pt *pt)
{
	uint8_t bytes[8] = {EXTENDED, EXT_LONG_TNT};

	put_number(bytes + 2, 1ull << TNT_LONG | (pt->state->tnt & ((1ull << TNT_LONG) - 1)), 6);
	pt->state->nr_tnt = 0;
	pt_put(pt, bytes, sizeof(bytes));
}

void pt_flush_tnt(struct pt *pt)
{
	struct pt_state *state = pt->state;

	if (!state->nr_tnt)
		return;
	pt_packet_cyc(pt);
	if (state->nr_tnt == TNT_LONG)
		put_long(pt);
	while (state->nr_tnt)
		put_short(pt, state->nr_tnt < TNT_SHORT ? state->nr_tnt : TNT_SHORT);
}

/* Appends an outcome. With CYC enabled packets are short, so that each has its cycle count. */
void pt_packet_tnt(struct pt *pt, bool taken)
{
	struct pt_state *state = pt->state;

	state->tnt = state->tnt << 1 | taken;
	state->nr_tnt++;
	if (state->nr_tnt == (state->ctl & PT_CTL_CYC ? TNT_SHORT : TNT_LONG))
		pt_flush_tnt(pt);
}

static void put_mode(struct pt *pt, uint8_t mode)
{
	pt->state->mode = mode;
	pt_put(pt, (const uint8_t[]){MODE, MODE_EXEC | mode}, 2);
}

void pt_packet_mode(struct pt *pt, uint8_t mode)
{
	if (mode != pt->state->mode)
		put_mode(pt, mode);
}

void pt_packet_pip(struct pt *pt, uint64_t cr3)
{
	uint8_t bytes[8] = {EXTENDED, EXT_PIP};

	put_number(bytes + 2, (cr3 & 0x000fffffffffffe0ull) >> 4, 6);
	pt_put(pt, bytes, sizeof(bytes));
}

void pt_packet_ptw(struct pt *pt, uint64_t value, unsigned bytes, bool with_ip)
{
	uint8_t packet[10] = {EXTENDED, PTW};

	packet[1] |= (uint8_t)((bytes == 8 ? PTW_LONG : 0) | (with_ip ? PTW_IP : 0));
	put_number(packet + 2, value, bytes);
	pt_packet_cyc(pt);
	pt_put(pt, packet, 2 + bytes);
}

void pt_packet_overflow(struct pt *pt)
{
	pt->state->nr_calls = 0;
	pt->state->nr_tnt = 0;
	pt_put(pt, (const uint8_t[]){EXTENDED, EXT_OVF}, 2);
}

void pt_packet_stop(struct pt *pt)
{
	pt_put(pt, (const uint8_t[]){EXTENDED, EXT_TRACE_STOP}, 2);
}

static void put_ratio(struct pt *pt)
{
	pt_put(pt, (const uint8_t[]){EXTENDED, EXT_CBR, pt->state->ratio, 0}, 4);
}

/* Emits PSB+ and forgets all that packets are relative to, so that a decoder can start here. */
void pt_packet_psb(struct pt *pt, const struct pt_place *place)
{
	static const uint8_t psb[2 * PSB_PAIRS] = {
	    EXTENDED, EXT_PSB, EXTENDED, EXT_PSB, EXTENDED, EXT_PSB, EXTENDED, EXT_PSB,
	    EXTENDED, EXT_PSB, EXTENDED, EXT_PSB, EXTENDED, EXT_PSB, EXTENDED, EXT_PSB};
	struct pt_state *state = pt->state;

	state->status &= ~(PT_STATUS_BYTES_MASK << PT_STATUS_BYTES);
	pt_put(pt, psb, sizeof(psb));
	state->last_ip = 0;
	state->nr_calls = 0;
	state->mode = PT_MODE_UNKNOWN;
	pt_packet_tsc(pt);
	put_ratio(pt);
	if (state->on) {
		put_mode(pt, place->mode);
		if (!place->user)
			pt_packet_pip(pt, place->cr3);
		if (state->ctl & PT_CTL_BRANCH)
			pt_packet_ip(pt, PT_FUP, place->ip);
	}
	pt_put(pt, (const uint8_t[]){EXTENDED, EXT_PSBEND}, 2);
}
