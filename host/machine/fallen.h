/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that a signal ended. */
#ifndef HOST_MACHINE_FALLEN_H
#define HOST_MACHINE_FALLEN_H

#include "host/machine/link/results.h"
#include "host/options.h"

/* Prints the signal; with -v also the address and the function. */
void fallen_report(const struct options *options, const struct results *results);

#endif
