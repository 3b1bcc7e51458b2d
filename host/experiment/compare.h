/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands on results of experiments, without a machine. Each takes the arguments after the
 * command's name, and returns the exit status. */
#ifndef HOST_EXPERIMENT_COMPARE_H
#define HOST_EXPERIMENT_COMPARE_H

/* compare.c: two runs, or two directories of runs, in one table. */
int compare_runs(char **arguments);

/* sweep.c: runs a program on each core of a product. */
int sweep_runs(char **arguments);

/* simulate.c: runs the simulator on a trace. */
int simulate_trace(char **arguments);

#endif
