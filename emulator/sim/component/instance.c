/* SPDX-License-Identifier: BSD-2-Clause */
/* Instances of components, and the end of the simulator when one fails. */
#include "emulator/sim/component/component.h"

#include <execinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emulator/sim/component/load.h"

enum { STATUS_FAILED = 125, FRAMES = 64 };

void (*component_on_failure)(const char *line);

bool component_make(struct component_instance *instance, const struct sim_component *component,
		    const uint64_t *parameters, const struct component_use *use)
{
	instance->component = component;
	instance->use = use;
	instance->host.version = SIM_VERSION;
	memset(instance->statistics, 0, sizeof(instance->statistics));
	memset(instance->settled, 0, sizeof(instance->settled));
	instance->self = component->create(&instance->host, parameters, instance->statistics);
	if (!instance->self && use)
		component_fail(instance, "create() failed");
	return instance->self;
}

void component_end(struct component_instance *instance)
{
	if (instance->self)
		instance->component->destroy(instance->self);
	instance->self = NULL;
}

void component_fail(const struct component_instance *instance, const char *format, ...)
{
	char line[512];
	int have = snprintf(line, sizeof(line), "component '%s': ",
			    instance->use ? instance->use->name : instance->component->name);
	va_list args;

	va_start(args, format);
	vsnprintf(line + have, sizeof(line) - (size_t)have, format, args);
	va_end(args);
	if (component_on_failure)
		component_on_failure(line);
	fprintf(stderr, "%s\n", line);
	_exit(STATUS_FAILED);
}

/* The innermost component among the callers, as a C library's function may have crashed for it. */
static const char *crashed_component(void)
{
	void *frames[FRAMES];
	int nr = backtrace(frames, FRAMES);

	for (int i = 0; i < nr; i++)
		if (component_file_of(frames[i]))
			return component_file_of(frames[i]);
	return NULL;
}

/* Not all that is called here is safe in a handler: the process ends anyway. */
static void on_crash(int number)
{
	const char *name = crashed_component();
	char line[512];
	int length;

	if (!name) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	length =
	    snprintf(line, sizeof(line), "component '%s' crashed: %s\n", name, strsignal(number));
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		_exit(STATUS_FAILED);
	_exit(STATUS_FAILED);
}

void component_catch_crashes(void)
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_NODEFER};
	void *frame;

	if (!component_any_file())
		return;
	backtrace(&frame, 1); /* loads its library now */
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}
