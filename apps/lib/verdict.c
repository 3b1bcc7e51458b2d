/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares two states of the machine: interrupts (/proc/interrupts), MSRs (Intel SDM volume 4),
 * faults. */
#include "apps/lib/verdict.h"

#include <cpuid.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/linux/perf_event.h"
#include "apps/lib/event/event.h"
#include "apps/lib/event/pmu_id.h"

#define MSR_SMI_COUNT     0x34
#define MSR_MPERF         0xe7
#define MSR_APERF         0xe8
#define MSR_THERM_STATUS  0x19c
#define THERMAL_LOGS      0xaaau /* a limit was reached since the bits were last cleared */
#define POWER_LEAF        6
#define POWER_THERMAL     1u /* EAX: the sensor */
#define POWER_FEEDBACK    1u /* ECX: APERF and MPERF */
#define FREQUENCY_PERCENT 1
#define UNSTABLE_PERCENT  2 /* so far apart may the middle half of the runs be */

static struct known_value read_msr(int file, uint32_t msr, bool announced)
{
	struct known_value reading = {0, false};

	reading.known =
	    announced && file >= 0 &&
	    pread(file, &reading.value, sizeof(reading.value), msr) == sizeof(reading.value);
	return reading;
}

static void read_msrs(struct moment *moment, int cpu)
{
	unsigned a = 0, b = 0, c = 0, d = 0;
	char path[40];
	int file;

	__get_cpuid(POWER_LEAF, &a, &b, &c, &d);
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu < 0 ? 0 : cpu);
	file = open(path, O_RDONLY | O_CLOEXEC);
	moment->smis = read_msr(file, MSR_SMI_COUNT, true);
	moment->thermal = read_msr(file, MSR_THERM_STATUS, a & POWER_THERMAL);
	moment->aperf = read_msr(file, MSR_APERF, c & POWER_FEEDBACK);
	moment->mperf = read_msr(file, MSR_MPERF, c & POWER_FEEDBACK);
	if (file >= 0)
		close(file);
}

/* Returns the processor's number in a row after its name, or the sum of all. */
static uint64_t add_row(const char *row, int cpu, int nr)
{
	uint64_t sum = 0;
	char *end;

	for (int i = 0; i < nr; i++, row = end) {
		uint64_t value = strtoull(row, &end, 10);

		if (end == row)
			break;
		if (cpu < 0 || cpu == i)
			sum += value;
	}
	return sum;
}

/* Reads a file without allocation, which would add a fault to the measured process. */
static const char *read_text(const char *path)
{
	static char text[16384];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, size = 0;

	if (file < 0)
		return NULL;
	while ((n = read(file, text + size, sizeof(text) - 1 - (size_t)size)) > 0)
		size += n;
	close(file);
	text[size] = '\0';
	return text;
}

/* The columns of /proc/interrupts are in the order of the online processors. */
static void read_interrupts(struct moment *moment, int cpu)
{
	const char *line = read_text("/proc/interrupts"), *end, *colon;
	int nr = 0;

	for (const char *at = line; at && (at = strstr(at, "CPU")); at += 3)
		nr++;
	moment->interrupts.known = moment->nmis.known = nr > 0;
	for (; line && (end = strchr(line, '\n')); line = end + 1) {
		line += strspn(line, " ");
		colon = memchr(line, ':', (size_t)(end - line));
		if (!colon)
			continue;
		if (!strncmp(line, "NMI:", 4))
			moment->nmis.value += add_row(colon + 1, cpu, nr);
		else if (strncmp(line, "TLB:", 4) && strncmp(line, "PMI:", 4))
			moment->interrupts.value += add_row(colon + 1, cpu, nr);
	}
}

/* Opens an event that counts this thread's page faults. Returns -1 on failure. */
static int open_faults(void)
{
	struct perf_event_attr attr = {
	    .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	attr.exclude_kernel = 1;
	return fd >= 0 ? fd
		       : (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Returns the page faults. Avoids getrusage(2) if possible: after it the kernel times the system
 * calls, which would disturb the measurement. */
static uint64_t page_faults(void)
{
	static int event;
	struct rusage usage;
	uint64_t count;

	event = event ? event : open_faults();
	if (event > 0 && read(event, &count, sizeof(count)) == sizeof(count))
		return count;
	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_minflt + usage.ru_majflt);
}

void moment_read(struct moment *moment, int cpu)
{
	memset(moment, 0, sizeof(*moment));
	moment->faults = page_faults();
	read_msrs(moment, cpu);
	read_interrupts(moment, cpu);
}

/* True when the list, divided by ", ", has this text as one member, or as several in a row. */
static bool has(const char *list, const char *text)
{
	size_t length = strlen(text);

	for (const char *at = list; (at = strstr(at, text)); at++) {
		bool begins = at == list || (at >= list + 2 && !strncmp(at - 2, ", ", 2));

		if (begins && (!at[length] || !strncmp(at + length, ", ", 2)))
			return true;
	}
	return false;
}

/* Adds to a list, each text once. */
static void add(char *list, const char *format, va_list arguments)
{
	char text[VERDICT_SIZE];
	size_t used = strlen(list);

	vsnprintf(text, sizeof(text), format, arguments);
	if (!has(list, text))
		snprintf(list + used, VERDICT_SIZE - used, "%s%s", used ? ", " : "", text);
}

void verdict_reason(struct verdict *verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(verdict->reasons, format, arguments);
	va_end(arguments);
}

void verdict_note(struct verdict *verdict, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(verdict->notes, format, arguments);
	va_end(arguments);
}

/* Removes "3 NMIs" from the list, and returns the 3; 0: there is no such member. */
static uint64_t take_out(char *list, const char *what)
{
	size_t length = strlen(what);

	for (char *at = list, *next; *at; at = next) {
		char *word, *end = strstr(at, ", ");
		uint64_t number = strtoull(at, &word, 10);

		next = end ? end + 2 : at + strlen(at);
		if (word == at || *word != ' ' || strncmp(word + 1, what, length))
			continue;
		word += 1 + length;
		word += *word == 's';
		if (word != (end ? end : next))
			continue;
		if (!*next && at > list)
			at -= 2;
		memmove(at, next, strlen(next) + 1);
		return number;
	}
	return 0;
}

/* Compares a count that should not have changed; several comparisons add up. */
static void compare(struct verdict *verdict, const char *what, struct known_value from,
		    struct known_value to)
{
	uint64_t came = to.value - from.value;

	if (!from.known || !to.known)
		verdict_note(verdict, "%ss not known", what);
	else if (came) {
		came += take_out(verdict->reasons, what);
		verdict_reason(verdict, "%llu %s%s", (unsigned long long)came, what,
			       came == 1 ? "" : "s");
	}
}

void verdict_compare(struct verdict *verdict, const struct moment *from, const struct moment *to)
{
	compare(verdict, "interrupt", from->interrupts, to->interrupts);
	compare(verdict, "NMI", from->nmis, to->nmis);
	compare(verdict, "SMI", from->smis, to->smis);
	if (to->thermal.known && (to->thermal.value & ~from->thermal.value & THERMAL_LOGS))
		verdict_reason(verdict, "a limit of heat or power was reached (MSR 19CH: %llx)",
			       (unsigned long long)to->thermal.value);
	compare(verdict, "page fault", (struct known_value){from->faults, true},
		(struct known_value){to->faults, true});
}

/* Returns a ratio; 0: it did not run, or is unknown. */
static double ratio(const struct moment *from, const struct moment *to)
{
	uint64_t m = to->mperf.value - from->mperf.value;

	return from->mperf.known && m ? (double)(to->aperf.value - from->aperf.value) / (double)m
				      : 0;
}

void verdict_frequency(struct verdict *verdict, const struct moment *from,
		       const struct moment *middle, const struct moment *to)
{
	double first = ratio(from, middle), second = ratio(middle, to);
	double percent = first ? 100 * (second - first) / first : 0;

	if (!first || !second)
		verdict_note(verdict, "frequency not known");
	else if (percent > FREQUENCY_PERCENT || percent < -FREQUENCY_PERCENT)
		verdict_reason(verdict, "the frequency changed by %.1f %%", percent);
}

void verdict_count(struct verdict *verdict, uint64_t count, uint64_t mask)
{
	if (count > mask / 2)
		verdict_reason(verdict, "a counter wrapped");
}

void verdict_shared(struct verdict *verdict, uint64_t enabled, uint64_t running)
{
	if (running != enabled)
		verdict_reason(verdict, "events shared counters");
}

void verdict_spread(struct verdict *verdict, const char *event, const uint64_t *counts, int nr)
{
	double low = (double)counts[nr / 4], high = (double)counts[nr - 1 - nr / 4];

	if (high - low > 1 && high - low > low * UNSTABLE_PERCENT / 100)
		verdict_reason(verdict, "half of the runs differ by more than %d %% in %s",
			       UNSTABLE_PERCENT, event);
}

/* The names of the events of classes `first` to `last`, with a space between two. */
static void names_of(const struct event_list *events, enum event_class first, enum event_class last,
		     char names[VERDICT_SIZE])
{
	size_t used = 0;

	*names = '\0';
	for (int i = 0; i < events->nr && used < VERDICT_SIZE; i++) {
		const struct event *event = &events->events[i];

		if (event->class >= first && event->class <= last)
			used += (size_t)snprintf(names + used, VERDICT_SIZE - used, "%s%s",
						 used ? " " : "", event->name);
	}
}

static const struct {
	enum event_class class;
	const char *text;
} remarks[] = {
    {CLASS_SIMULATED, "simulated"},
    {CLASS_ESTIMATED, "cycles estimated from events"},
    {CLASS_SHARE, "shares of the instructions"},
    {CLASS_NOT_COUNTED, "not modelled, so not counted"},
};

void verdict_emulated(struct verdict *verdict, const struct pmu_id *pmu,
		      const struct event_list *events)
{
	bool measured = !pmu->emulated || pmu->exact || pmu->stepping || *pmu->core;
	char names[VERDICT_SIZE];

	names_of(events, CLASS_SHARE, CLASS_EXACT, names);
	if (*names && !measured)
		verdict_reason(verdict, "estimates: %s", names);
	for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
		names_of(events, remarks[i].class, remarks[i].class, names);
		if (*names && (measured || remarks[i].class == CLASS_NOT_COUNTED))
			verdict_note(verdict, "%s: %s", remarks[i].text, names);
	}
	names_of(events, CLASS_ESTIMATED, CLASS_SIMULATED, names);
	if (*names && pmu->cycle_error > 0)
		verdict_note(verdict, "cycles +- %.2f%%", pmu->cycle_error);
	if (*pmu->core && !pmu->repeats)
		verdict_note(verdict, "order of processors: the host's");
}

void verdict_line(const struct verdict *verdict, char line[VERDICT_LINE])
{
	snprintf(line, VERDICT_LINE, "%s%s%s%s", *verdict->reasons ? "not valid: " : "valid",
		 verdict->reasons, *verdict->notes ? (*verdict->reasons ? "; " : ": ") : "",
		 verdict->notes);
}
