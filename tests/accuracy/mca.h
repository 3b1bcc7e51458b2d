/* SPDX-License-Identifier: BSD-2-Clause */
/* llvm-mca's figures of a core, where they differ from ours. */
#ifndef TESTS_ACCURACY_MCA_H
#define TESTS_ACCURACY_MCA_H

#include "emulator/sim/config/config.h"

/* Leaves out what llvm-mca does: joined micro-operations, and renamed moves where its model has
 * none; takes the slots a cycle that it has. */
void mca_leave_out(struct core_config *config);

/* Replaces measured latencies, ports and stores a cycle by llvm-mca's where they differ. Does
 * nothing for a core without llvm-mca's figures. */
void mca_figures(struct core_config *config);

#endif
