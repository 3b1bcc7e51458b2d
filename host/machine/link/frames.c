/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the machine's frames, and checks the CRC-32 of frames on COM2. */
#include "host/machine/link/frames.h"

#include <string.h>

#include "host/machine/link/link.h"

#define HEADER      20
#define CRC_OFFSET  16
#define PAYLOAD_MAX 65536u

static uint32_t little32(const unsigned char *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Returns the CRC-32 (IEEE 802.3, reflected, as zlib's), continued from `crc`. */
static uint32_t crc32(uint32_t crc, const unsigned char *bytes, size_t size)
{
	static uint32_t table[256];

	for (uint32_t i = 0; !table[1] && i < 256; i++) {
		uint32_t c =
		    255 - i; /* downwards: entry 1 is filled near the end and says that all are */

		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
		table[255 - i] = c;
	}
	crc = ~crc;
	while (size--)
		crc = table[(crc ^ *bytes++) & 0xff] ^ crc >> 8;
	return ~crc;
}

static bool plausible(const unsigned char *header)
{
	return !memcmp(header, "BPMU", 4) && header[4] && strchr("OEFXRIS", header[4]) &&
	       little32(header + 8) <= PAYLOAD_MAX;
}

static uint32_t frame_crc(const unsigned char *frame, size_t size)
{
	unsigned char header[HEADER];

	memcpy(header, frame, HEADER);
	memset(header + CRC_OFFSET, 0, 4);
	return crc32(crc32(0, header, HEADER), frame + HEADER, size - HEADER);
}

/*
 * Handles the front of the stream, and returns the bytes consumed: a whole frame, one other byte,
 * or 0: incomplete. Firmware may write to this line before the first frame; after it anything but
 * frames is an error.
 */
static size_t frames_take(struct frames *frames, struct results *results,
			  const unsigned char *bytes, size_t have)
{
	size_t name_length, length, size;

	if (have < HEADER)
		return 0;
	if (!plausible(bytes)) {
		frames->damaged |= frames->started;
		return 1;
	}
	name_length = bytes[6] | bytes[7] << 8;
	length = little32(bytes + 8);
	size = HEADER + name_length + length;
	if (have < size)
		return 0;
	if ((!link_attached() && frame_crc(bytes, size) != little32(bytes + CRC_OFFSET)) ||
	    little32(bytes + 12) != frames->sequence) {
		frames->damaged |= frames->started;
		return 1;
	}
	frames->started = true;
	frames->sequence++;
	results_frame(results, (char)bytes[4], bytes[5], (const char *)bytes + HEADER, name_length,
		      bytes + HEADER + name_length, length);
	return size;
}

void frames_feed(struct frames *frames, struct results *results, const unsigned char *bytes,
		 size_t size)
{
	bool line = !link_attached();

	while (size && !frames->damaged && !results->ended) {
		size_t piece = sizeof(frames->bytes) - frames->have, done = 0, n = 1;

		if (piece > size)
			piece = size;
		memcpy(frames->bytes + frames->have, bytes, piece);
		frames->have += piece;
		bytes += piece;
		size -= piece;
		while (n && !frames->damaged && line == !link_attached()) {
			n = frames_take(frames, results, frames->bytes + done, frames->have - done);
			done += n;
		}
		frames->have -= done;
		memmove(frames->bytes, frames->bytes + done, frames->have);
		/* From here on the line's bytes only announce data in memory. */
		if (line && link_attached())
			size = frames->have = 0;
	}
}
