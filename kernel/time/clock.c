/* SPDX-License-Identifier: BSD-2-Clause */
/* Real time, from the CMOS clock (MC146818: registers 0x00 to 0x0b behind ports 0x70 and 0x71). */
#include <stdbool.h>
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpu.h"
#include "kernel/time/clock.h"

#define CMOS_INDEX 0x70
#define CMOS_DATA  0x71
#define NMI_OFF    0x80 /* the index port's top bit masks NMIs; kept 0 */

enum {
	CMOS_SECOND = 0,
	CMOS_MINUTE = 2,
	CMOS_HOUR = 4,
	CMOS_DAY = 7,
	CMOS_MONTH = 8,
	CMOS_YEAR = 9,
	CMOS_A = 10,
	CMOS_B = 11
};

#define A_UPDATING 0x80
#define B_BINARY   0x04
#define B_24_HOURS 0x02
#define HOUR_PM    0x80

static int64_t real_at_start_ns; /* real time when clock_ns() was 0 */

static unsigned cmos_read(unsigned reg)
{
	outb(CMOS_INDEX, reg & ~NMI_OFF);
	return inb(CMOS_DATA);
}

static unsigned from_bcd(unsigned value)
{
	return (value >> 4) * 10 + (value & 15);
}

/* Days from 1970-01-01 to a date of the Gregorian calendar (years counted from March). */
static int64_t days_from_date(int64_t year, unsigned month, unsigned day)
{
	int64_t era;
	unsigned year_of_era, day_of_year;

	year -= month <= 2;
	era = year / 400;
	year_of_era = (unsigned)(year - era * 400);
	day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	       day_of_year - 719468;
}

void clock_init(void)
{
	unsigned value[10], format = cmos_read(CMOS_B);
	bool pm;

	if (format == 0xff) /* no CMOS clock */
		return;
	for (unsigned tries = 0; cmos_read(CMOS_A) & A_UPDATING && tries < 10000; tries++)
		;
	for (unsigned i = 0; i < 10; i++)
		value[i] = cmos_read(i);
	pm = !(format & B_24_HOURS) && value[CMOS_HOUR] & HOUR_PM;
	value[CMOS_HOUR] &= ~HOUR_PM;
	if (!(format & B_BINARY))
		for (unsigned i = 0; i < 10; i++)
			value[i] = from_bcd(value[i]);
	if (!(format & B_24_HOURS))
		value[CMOS_HOUR] = value[CMOS_HOUR] % 12 + (pm ? 12 : 0);
	if (value[CMOS_MONTH] < 1 || value[CMOS_MONTH] > 12)
		return;
	real_at_start_ns =
	    days_from_date(2000 + value[CMOS_YEAR], value[CMOS_MONTH], value[CMOS_DAY]) * 86400 +
	    value[CMOS_HOUR] * 3600 + value[CMOS_MINUTE] * 60 + value[CMOS_SECOND];
	real_at_start_ns = real_at_start_ns * NS_PER_SEC - (int64_t)clock_ns();
}

int64_t clock_real_at_start_ns(void)
{
	return real_at_start_ns;
}

void clock_set_real_ns(int64_t ns)
{
	real_at_start_ns = ns - (int64_t)clock_ns();
}

int64_t clock_real_ns(void)
{
	return real_at_start_ns + (int64_t)clock_ns();
}
