/* SPDX-License-Identifier: BSD-2-Clause */
/* How guests detect the visor: the leaves of CPUID that it answers, in every ring. */
#ifndef ABI_VISOR_CPUID_H
#define ABI_VISOR_CPUID_H

#define VISOR_LEAF       0x40000000u /* EAX: highest leaf; EBX, ECX, EDX: the signature */
#define VISOR_LEAF_FLAGS 0x40000001u /* EAX: VISOR_FLAG_* */
#define VISOR_LEAF_NAME  0x40000002u /* EAX to EDX: the personality's name, padded with NUL */
#define VISOR_LEAF_CORE  0x40000003u /* to 4000000AH: the simulated core's name, likewise */
/* EAX: kHz of the TSC, 0: unknown; EBX: kHz of the APIC's timer. */
#define VISOR_LEAF_TIME 0x40000010u
/* ECX: a counter, as RDPMC names it. EAX: where its counts come from, VISOR_COUNTS_*. */
#define VISOR_LEAF_COUNTER 0x40000011u
/* EAX: two standard errors of the core's cycles so far, in parts of a million; 0: each block was
 * simulated. */
#define VISOR_LEAF_ERROR 0x40000012u
/* A tool starts or stops measuring. ECX: VISOR_MEASURE_*. */
#define VISOR_LEAF_MEASURE 0x40000013u
/* ECX: 16 bytes of the names of the events of components, to which VISOR_EVENT_BYTES belong each,
 * padded with NUL: EAX to EDX. An empty name is after the last one. */
#define VISOR_LEAF_EVENTS 0x40000014u

#define VISOR_FLAG_EMULATED (1u << 0) /* the PMU is emulated */
#define VISOR_FLAG_EXACT    (1u << 1) /* instructions are counted exactly */
#define VISOR_FLAG_STEPPED  (1u << 2) /* so are branches: every instruction is stepped */

#define VISOR_FLAG_CORE (1u << 3) /* events are what a simulated core has seen */
/* The clocks follow that core's cycles, once something is counted or ring 3 reads them. */
#define VISOR_FLAG_CLOCK (1u << 4)
/* The core replaces the processor's own, which is not modelled. */
#define VISOR_FLAG_STAND_IN (1u << 6)
#define VISOR_FLAG_REPEATS  (1u << 5) /* runs repeat: neither clocks nor order are the host's */

#define VISOR_COUNTS_UNKNOWN   0u /* there is no such counter */
#define VISOR_COUNTS_NOTHING   1u /* nothing models its event: it does not move */
#define VISOR_COUNTS_SHARE     2u /* a fixed share of the instructions */
#define VISOR_COUNTS_SIMULATED 3u /* the simulated core's count */
#define VISOR_COUNTS_ESTIMATED \
	5u                    /* cycles with events (CMASK, E), derived from the core's events */
#define VISOR_COUNTS_EXACT 4u /* the number that the guest executed */

/* It is about to run what it measures: the simulation begins, if it was held until then. */
#define VISOR_MEASURE_BEGIN 0u
/* It has read its counts. Until something counts again, no further code need be simulated. */
#define VISOR_MEASURE_END 1u

#define VISOR_NAME_BYTES 16
#define VISOR_CORE_BYTES 128

/* Events of components of the simulated core: this event select, and the event's number among the
 * names as the unit mask. No processor has events by this code. */
#define VISOR_EVENT_SELECT 0xfbu
#define VISOR_EVENT_BYTES  48
#define VISOR_EVENTS_MAX   32

/* The signature, and its words in EBX, ECX and EDX. */
#define VISOR_SIGNATURE     "barepmuVISOR"
#define VISOR_SIGNATURE_EBX 0x65726162u
#define VISOR_SIGNATURE_ECX 0x56756d70u
#define VISOR_SIGNATURE_EDX 0x524f5349u

#endif
