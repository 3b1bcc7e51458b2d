/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the way to QEMU by the version of the plugin interface that it offers. */
#include "emulator/sim/plugin/qemu/qemu.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#include "emulator/sim/plugin/qemu/addresses.h"

#define API_OLDEST 1
#define API_USER   7 /* callbacks have a user's pointer, and no plugin's id */
#define API_NEWEST 7

/* The first version of the interface that each way serves. */
static const struct {
	int since;
	const struct qemu_way *way;
} ways[] = {
    {3, &qemu_9},
    {2, &qemu_9_pointers},
    {API_OLDEST, &qemu_7},
};

/* The result of QEMU's qmp_query_version(). */
struct version {
	const struct {
		int64_t major, minor, micro;
	} * qemu;
};

static bool is_since(int64_t major, int64_t minor)
{
	const struct version *(*query)(void **error);
	const struct version *version;

	*(void **)&query = dlsym(RTLD_DEFAULT, "qmp_query_version");
	version = query ? query(NULL) : NULL;
	return version && (version->qemu->major > major ||
			   (version->qemu->major == major && version->qemu->minor >= minor));
}

/* QEMU compares it with the versions that it takes, after dlopen(): 9.0 and later take no 1, 11.1
 * and later only 7. */
__attribute__((visibility("default"))) int qemu_plugin_version = API_OLDEST;

__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new"))
		qemu_plugin_version = is_since(11, 1) ? API_USER : 2;
}

const struct qemu_way *qemu_way;
static int offered;

bool qemu_choose_way(int api)
{
	offered = api;
	for (size_t i = 0; api <= API_NEWEST && !qemu_way && i < sizeof(ways) / sizeof(ways[0]);
	     i++)
		if (api >= ways[i].since)
			qemu_way = ways[i].way;
	return qemu_way;
}

void *qemu_function(const char *name, const char *later)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	return function ? function : dlsym(RTLD_DEFAULT, later);
}

/* ---- callbacks, with the arguments of versions up to 6 and of version 7 ---- */

static struct {
	void (*translation)(struct qemu_plugin_tb *tb);
	void (*flush)(void);
} callbacks;

static void start_processor(unsigned vcpu)
{
	if (!plugin_own_addresses(vcpu))
		fprintf(stderr, "core: code that is mapped at several addresses has one of them "
				"in this QEMU\n");
	if (qemu_way->processor)
		qemu_way->processor(vcpu);
}

static void on_processor(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	start_processor(vcpu);
}

static void on_processor_user(unsigned vcpu, void *user)
{
	(void)user;
	start_processor(vcpu);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	callbacks.translation(tb);
}

static void on_translation_user(struct qemu_plugin_tb *tb, void *user)
{
	(void)user;
	callbacks.translation(tb);
}

/* Its one argument differs. */
static void on_flush(void)
{
	callbacks.flush();
}

void qemu_register_processors(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_init_cb(id,
					  offered >= API_USER ? (void (*)(void))on_processor_user
							      : (void (*)(void))on_processor,
					  NULL);
}

void qemu_register_translation(qemu_plugin_id_t id, void (*callback)(struct qemu_plugin_tb *tb))
{
	void (*ours)(void) = offered >= API_USER ? (void (*)(void))on_translation_user
						 : (void (*)(void))on_translation;

	if (callback)
		callbacks.translation = callback;
	qemu_plugin_register_vcpu_tb_trans_cb(id, callback ? ours : NULL, NULL);
}

void qemu_register_flush(qemu_plugin_id_t id, void (*callback)(void))
{
	callbacks.flush = callback;
	qemu_plugin_register_flush_cb(id, on_flush, NULL);
}
