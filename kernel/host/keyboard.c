/* SPDX-License-Identifier: BSD-2-Clause */
/* The 8042 controller with its translation to scan codes of set 1: IBM PS/2 Hardware Interface
 * Technical Reference. */
#include <stdint.h>
#include "arch/x86/cpu/cpu.h"
#include "kernel/host/keyboard.h"

enum { PORT_DATA = 0x60, PORT_STATUS = 0x64, PORT_COMMAND = 0x64 };
enum { COMMAND_READ = 0x20, COMMAND_WRITE = 0x60 };
enum { SCAN_EXTENDED = 0xe0, SCAN_RELEASED = 0x80, SCAN_CONTROL = 0x1d, SCAN_C = 0x2e };
enum { SCAN_PAGE_UP = 0x49, SCAN_PAGE_DOWN = 0x51 };

#define STATUS_OUTPUT  1u /* a byte for us */
#define STATUS_INPUT   2u /* it has not taken our last one yet */
#define MODE_INTERRUPT 0x01u
#define MODE_DISABLED  0x10u
#define MODE_TRANSLATE 0x40u
#define POLLS          100000
#define MOST_BYTES     64 /* that may be left from before */

static bool open, control, extended;
static uint8_t mode_before;

static bool wait_for(uint8_t mask, uint8_t value)
{
	for (unsigned polls = 0; polls < POLLS; polls++) {
		if ((inb(PORT_STATUS) & mask) == value)
			return true;
		cpu_relax();
	}
	return false;
}

static bool write_mode(uint8_t mode)
{
	if (!wait_for(STATUS_INPUT, 0))
		return false;
	outb(PORT_COMMAND, COMMAND_WRITE);
	if (!wait_for(STATUS_INPUT, 0))
		return false;
	outb(PORT_DATA, mode);
	return true;
}

static bool read_mode(uint8_t *mode)
{
	if (!wait_for(STATUS_INPUT, 0))
		return false;
	outb(PORT_COMMAND, COMMAND_READ);
	if (!wait_for(STATUS_OUTPUT, STATUS_OUTPUT))
		return false;
	*mode = inb(PORT_DATA);
	return true;
}

bool keyboard_open(void)
{
	for (unsigned i = 0; inb(PORT_STATUS) & STATUS_OUTPUT; i++) {
		if (i == MOST_BYTES) /* nothing answers */
			return false;
		inb(PORT_DATA);
	}
	if (!read_mode(&mode_before))
		return false;
	open =
	    write_mode((uint8_t)((mode_before & ~MODE_DISABLED) | MODE_INTERRUPT | MODE_TRANSLATE));
	return open;
}

static enum key meaning(uint8_t code)
{
	bool was_extended = extended, released = code & SCAN_RELEASED && code != SCAN_EXTENDED;

	extended = code == SCAN_EXTENDED;
	if ((code & ~SCAN_RELEASED) == SCAN_CONTROL)
		control = !released;
	if (released)
		return KEY_NONE;
	if (was_extended)
		return code == SCAN_PAGE_UP     ? KEY_PAGE_UP
		       : code == SCAN_PAGE_DOWN ? KEY_PAGE_DOWN
						: KEY_NONE;
	return code == SCAN_C && control ? KEY_INTERRUPT : KEY_NONE;
}

enum key keyboard_take(void)
{
	enum key key = KEY_NONE;

	for (unsigned i = 0; i < MOST_BYTES && !key && inb(PORT_STATUS) & STATUS_OUTPUT; i++)
		key = meaning(inb(PORT_DATA));
	return key;
}

void keyboard_close(void)
{
	if (open)
		write_mode(mode_before);
}
