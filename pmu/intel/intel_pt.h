/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU intel_pt: what its files share. SDM volume 3, "Intel Processor Trace". */
#ifndef PMU_INTEL_PT_H
#define PMU_INTEL_PT_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/x86/cpu/msr.h"
#include "pmu/record/aux.h"

/* IA32_RTIT_CTL. attr.config has its user's bits at the same positions. */
#define PT_TRACE      BIT(0) /* in attr.config: PT_BRANCH is as there */
#define PT_CYC        BIT(1)
#define PT_OS         BIT(2)
#define PT_USR        BIT(3)
#define PT_POWER      BIT(4)
#define PT_FUP_ON_PTW BIT(5)
#define PT_TOPA       BIT(8)
#define PT_MTC        BIT(9)
#define PT_TSC        BIT(10)
#define PT_NO_RETC    BIT(11)
#define PT_PTW        BIT(12)
#define PT_BRANCH     BIT(13)
#define PT_MTC_FREQ   FIELD(17, 14)
#define PT_CYC_LIMIT  FIELD(22, 19)
#define PT_PSB_FREQ   FIELD(27, 24)
#define PT_RANGE(i)   (32 + 4 * (i)) /* how range i is used */
#define PT_FILTER     1ul
#define PT_STOP       2ul

/* IA32_RTIT_STATUS */
#define PT_ERROR   BIT(4)
#define PT_STOPPED BIT(5)

/* Rows of CPUID leaf 14H, in the order of Linux's files caps/. */
enum pt_cap {
	PT_CAP_MAX_SUBLEAF,
	PT_CAP_CR3_FILTER,
	PT_CAP_PSB_CYC,
	PT_CAP_IP_FILTER,
	PT_CAP_MTC,
	PT_CAP_PTWRITE,
	PT_CAP_POWER,
	PT_CAP_EVENT_TRACE,
	PT_CAP_TNT_DISABLE,
	PT_CAP_TOPA,
	PT_CAP_TOPA_ENTRIES,
	PT_CAP_SINGLE_RANGE,
	PT_CAP_OUTPUT_SUBSYS,
	PT_CAP_LIP,
	PT_CAP_RANGES,
	PT_CAP_MTC_PERIODS,
	PT_CAP_CYC_LIMITS,
	PT_CAP_PSB_PERIODS,
	PT_CAPS,
};

/* The hardware's part of an AUX area: a ring of tables of physical addresses, an entry for each
 * page. */
struct pt_buffer {
	const struct aux_area *aux;
	uint32_t nr_tables;
	uint32_t page;                 /* where the hardware writes, or stopped: the page, */
	uint32_t offset;               /* and the byte in it; PAGE_SIZE: it is full */
	uint32_t stop_page, wake_page; /* whose entries have STOP, INT */
	uint64_t *tables[];
};

/* ---- intel_pt_buffer.c: tables ---- */

/* Makes the tables for a new area. NULL: no memory. Context: task. */
struct pt_buffer *pt_buffer_new(const struct aux_area *aux);
/* Frees them. Context: task. */
void pt_buffer_free(void *buffer);
/* Begins at the writer's head; the hardware stops where the room ends, and interrupts before.
 * False: there is less room than to the end of a page. */
bool pt_buffer_begin(struct pt_buffer *buffer, struct aux_writer *writer);
/* Reads where the hardware will write next: an offset in the area. Context: any, with the trace
 * off. */
uint64_t pt_buffer_head(struct pt_buffer *buffer);
/* Reads where the hardware has stopped. Returns the head there, modulo the area's size. Context:
 * any. */
uint64_t pt_buffer_end(struct pt_buffer *buffer, struct aux_writer *writer);

/* ---- intel_pt_sysfs.c ---- */

/* Reads CPUID's leaf; false: no Processor Trace that this driver can use. Context: start. */
bool pt_caps_read(void);
/* Returns the value of a capability, as pt_caps_read() found it. Context: any. */
uint32_t pt_cap(enum pt_cap cap);
/* Adds the files of /sys. Context: start. */
void pt_sysfs_init(uint32_t type);

/* ---- intel_pt.c ---- */

/* Offers the PMU as `type`. Returns the number of PMUs: 1 or 0. Context: start. */
unsigned intel_pt_init(uint32_t type);
/* The NMI handler: nmi_handler of arch/x86/trap/nmi.h. */
bool intel_pt_nmi(struct frame *frame);

#endif
