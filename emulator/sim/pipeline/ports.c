/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributes a block's micro-operations over the ports: the ones with the fewest choices first. */
#include "emulator/sim/pipeline/ports.h"

#include "emulator/sim/pipeline/memo/segment.h"
#include "emulator/sim/pipeline/pipeline.h"

/* Distribution of a block's micro-operations over the ports, in fractions. */
struct sharing {
	uint32_t used[PIPE_PORTS_MAX];
};

static void count_parts(struct segment *segment, unsigned port, unsigned parts)
{
	unsigned i = 0;

	while (i < segment->port_count && segment->ports[i].port != port)
		i++;
	if (i == segment->port_count)
		segment->ports[segment->port_count++].port = port;
	segment->ports[i].parts += parts;
}

/* Gives every part of a micro-operation to the least loaded port. */
static void share(struct sharing *sharing, struct segment *segment, struct uop *uop)
{
	unsigned parts[PIPE_PORTS_MAX] = {0};

	for (unsigned part = 0; part < PORT_PARTS; part++) {
		unsigned best = __builtin_ctz(uop->ports);

		for (uint16_t left = uop->ports; left; left &= left - 1)
			if (sharing->used[__builtin_ctz(left)] < sharing->used[best])
				best = __builtin_ctz(left);
		sharing->used[best]++;
		parts[best]++;
		count_parts(segment, best, 1);
		if (uop->port == NO_PORT || parts[best] > parts[uop->port])
			uop->port = best;
	}
}

/* Occupies the port for some cycles, from cycle on. Returns the delay. */
static unsigned wait_in_queue(uint32_t *taken, unsigned cycle, unsigned cycles)
{
	unsigned begin = *taken > cycle ? *taken : cycle;

	*taken = begin + cycles;
	return begin - cycle;
}

/* Sets each micro-operation's position in its port's queue. */
static void queue_up(struct segment *segment)
{
	uint32_t taken[ALL_PORTS] = {0};

	for (unsigned i = 0; i < segment->uop_count; i++) {
		struct uop *uop = &segment->uops[i];

		if (uop->port == NO_PORT)
			continue;
		for (uint16_t left = uop->ports; left; left &= left - 1)
			if (taken[__builtin_ctz(left)] < taken[uop->port])
				uop->port = __builtin_ctz(left);
		uop->queue = wait_in_queue(&taken[uop->port], uop->cycle, 1);
		if (uop->unit != NO_PORT)
			uop->unit_queue = wait_in_queue(&taken[uop->unit], uop->cycle, uop->busy);
	}
}

/* Sets the micro-operations' numbers of ports. Returns a bit for each number from 1 on that occurs.
 */
static unsigned choices_of(struct block *block)
{
	unsigned occur = 0;

	for (unsigned s = 0; s < block->segment_count; s++)
		for (unsigned i = 0; i < block->segments[s].uop_count; i++) {
			struct uop *uop = &block->segments[s].uops[i];

			uop->choices = (uint8_t)__builtin_popcount(uop->ports);
			occur |= 1u << uop->choices;
		}
	return occur & ~1u;
}

void assign_ports(struct block *block)
{
	struct sharing sharing = {0};

	for (unsigned left = choices_of(block); left; left &= left - 1)
		for (unsigned s = 0; s < block->segment_count; s++)
			for (unsigned i = 0; i < block->segments[s].uop_count; i++) {
				struct uop *uop = &block->segments[s].uops[i];

				if (uop->choices != __builtin_ctz(left))
					continue;
				share(&sharing, &block->segments[s], uop);
				if (uop->unit != NO_PORT)
					count_parts(&block->segments[s], uop->unit,
						    uop->busy * PORT_PARTS);
				block->segments[s].adds.each[PIPE_UOPS_EXECUTED]++;
			}
	for (unsigned s = 0; s < block->segment_count; s++)
		queue_up(&block->segments[s]);
}
