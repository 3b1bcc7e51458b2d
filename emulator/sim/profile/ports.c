/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes that the guest writes to ports: POST codes, the debug port of OVMF and SeaBIOS, the serial
 * line.
 */
#include <string.h>

#include "abi/debug_exit.h"
#include "emulator/sim/profile/profile_state.h"
#include "emulator/sim/profile/stream.h"

#define PORT_POST   0x80
#define PORT_SERIAL 0x3f8
#define PORT_DEBUG  0x402
#define ESCAPE      0x1b

static struct line {
	uint16_t port;
	unsigned length;
	bool escaped; /* within a terminal's sequence: ESC, then up to a letter */
	char text[PROFILE_TEXT];
} lines[] = {{.port = PORT_SERIAL}, {.port = PORT_DEBUG}};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static void put_line(struct line *line)
{
	struct profile_line record = {
	    .when = profile_now(), .port = line->port, .bytes = line->length};

	memcpy(record.text, line->text, line->length);
	if (line->length)
		stream_put(PROFILE_LINE, &record, sizeof(record), NULL, 0);
	line->length = 0;
}

/* True if the line ends with the text: it is found when its last character comes. */
static bool ends_with(const struct line *line, const char *text)
{
	size_t length = strlen(text);

	return length && line->length >= length &&
	       !memcmp(line->text + line->length - length, text, length);
}

static void look_for_texts(const struct line *line)
{
	for (unsigned i = 0; i < profile_options.nr_stops; i++)
		if (profile_options.stops[i].kind == STOP_TEXT &&
		    ends_with(line, profile_options.stops[i].text))
			profile_reach(i);
}

static void take_character(struct line *line, uint8_t character)
{
	bool escaped = line->escaped;

	if (character == '\n' || character == '\r' || line->length == PROFILE_TEXT)
		put_line(line);
	if (character == ESCAPE)
		line->escaped = true;
	else if (escaped && ((character | ' ') >= 'a' && (character | ' ') <= 'z'))
		line->escaped = false;
	if (escaped || character < ' ' || character > '~')
		return;
	line->text[line->length++] = (char)character;
	look_for_texts(line);
}

static void take_post(uint64_t value)
{
	if (value == profile.post)
		return;
	profile.post = value;
	for (unsigned i = 0; i < profile_options.nr_stops; i++)
		if (profile_options.stops[i].kind == STOP_POST &&
		    profile_options.stops[i].address == value)
			profile_reach(i);
	profile_slice(SLICE_POST, value);
}

static unsigned port_of(const struct spot *spot, const struct profile_registers *registers)
{
	return spot->immediate ? spot->immediate : (uint16_t)registers->rdx;
}

/* The first byte that the block's OUTS has written: up to QEMU 9.2 each turn of REP OUTS is a
 * block, and a last one writes nothing; later versions make all turns in one. */
static uint64_t first_written(const struct profile_registers *registers)
{
	if (profile.here->string_known)
		return profile.here->string;
	return registers->rsi - (registers->rsi != profile.here->registers.rsi);
}

static void take_byte(unsigned port, uint8_t byte)
{
	if (port == PORT_POST)
		take_post(byte);
	for (size_t i = 0; i < NR_LINES; i++)
		if (port == lines[i].port)
			take_character(&lines[i], byte);
}

void profile_string(void)
{
	struct profile_registers registers;

	profile.here->string_known = profile.machine.registers(&registers);
	profile.here->string = registers.rsi;
}

/* OUTS has moved RSI behind the last byte (the direction flag is clear in all known code). */
static void take_string(unsigned port, const struct profile_registers *registers)
{
	uint64_t at = first_written(registers);
	uint8_t byte;

	profile.here->string_known = false;
	while (at < registers->rsi && profile.machine.read(at++, &byte, 1))
		take_byte(port, byte);
}

void profile_port(const struct spot *spot, const struct profile_registers *registers)
{
	unsigned port = port_of(spot, registers);

	if (spot->port == PORT_OUT_STRING && spot->access == 1)
		take_string(port, registers);
	else if (spot->port == PORT_OUT && (spot->access == 1 || port == PORT_POST))
		take_byte(port, (uint8_t)registers->rax);
	/* QEMU 10 ends at its next look at requests: a few instructions follow, not always as many.
	 */
	if (spot->port == PORT_OUT && port == DEBUG_EXIT_PORT) {
		profile.here->running = NULL; /* is counted already */
		profile_end();
	}
}

bool profile_reads_timer(const struct spot *spot, const struct profile_registers *registers)
{
	/* The PIT and its gate; the ACPI timer of Q35, of PIIX4 as OVMF and as SeaBIOS place it.
	 */
	static const uint16_t timers[] = {0x40, 0x41, 0x42, 0x43, 0x61, 0x408, 0x608, 0xb008};
	unsigned port = port_of(spot, registers);

	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++)
		if (port == timers[i])
			return true;
	return false;
}

void profile_flush_lines(void)
{
	for (size_t i = 0; i < NR_LINES; i++)
		put_line(&lines[i]);
}
