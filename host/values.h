/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the values of options; each function ends the command with one line on a bad one. */
#ifndef HOST_VALUES_H
#define HOST_VALUES_H

#include "host/options.h"

/* `typed` is no `what`; `closest` may be meant, NULL: nothing is close. */
_Noreturn void unknown_word(const char *what, const char *typed, const char *closest);
/* Returns a whole number from `low` to `high`. */
int number_value(const char *option, const char *text, int low, int high);
/* Returns the name of a PMU; `help` lists them and exits. */
const char *pmu_value(const char *name);
enum firmware firmware_value(const char *name);
/* A file that can be read. */
const char *readable_value(const char *path);
/* An absolute path. */
const char *directory_value(const char *path);
/* NAME=VALUE. */
const char *variable_value(const char *text);
/* Handles DIR, DIR:ro or DIR:rw of --share. */
void share_value(struct options *options, const char *text);

#endif
