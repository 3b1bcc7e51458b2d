/* SPDX-License-Identifier: BSD-2-Clause */
/* What the values of options must be. Each ends the command with one line when its text is
 * wrong. */
#ifndef BAREPMU_VALUES_H
#define BAREPMU_VALUES_H

#include "host/barepmu.h"

/* Ends the command: `typed` is no `what`; `closest` may be meant, NULL: nothing is close. */
_Noreturn void unknown_word(const char *what, const char *typed, const char *closest);
/* A whole number from `low` to `high`. */
int number_value(const char *option, const char *text, int low, int high);
/* The name of a PMU; `help` lists them and ends the command. */
const char *pmu_value(const char *name);
enum firmware firmware_value(const char *name);
/* A file that can be read; an absolute path; NAME=VALUE. */
const char *readable_value(const char *path);
const char *folder_value(const char *path);
const char *variable_value(const char *text);
/* DIR, DIR:ro or DIR:rw, for --share. */
void share_value(struct options *options, const char *text);

#endif
