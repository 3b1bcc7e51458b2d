/* SPDX-License-Identifier: BSD-2-Clause */
/* Single packets and the output. */
#ifndef PT_PACKETS_H
#define PT_PACKETS_H

#include "emulator/pt/pt.h"

/* output.c: appends a packet to the output, or drops it after STOP or an error. */
void pt_put(struct pt *pt, const uint8_t *bytes, unsigned nr);
/* Checks the output registers when TraceEn is set. */
void pt_output_start(struct pt *pt);

enum pt_ip_packet { PT_TIP = 0x0d, PT_TIP_PGE = 0x11, PT_TIP_PGD = 0x01, PT_FUP = 0x1d };

/* packets.c */
void pt_packet_ip(struct pt *pt, enum pt_ip_packet packet, uint64_t ip);
void pt_packet_no_ip(struct pt *pt, enum pt_ip_packet packet);
void pt_packet_tnt(struct pt *pt, bool taken);
void pt_flush_tnt(struct pt *pt);
/* Emits MODE.Exec if the mode differs from the last one emitted. */
void pt_packet_mode(struct pt *pt, uint8_t mode);
void pt_packet_pip(struct pt *pt, uint64_t cr3);
/* `bytes`: 4 or 8. with_ip: FUP follows. */
void pt_packet_ptw(struct pt *pt, uint64_t value, unsigned bytes, bool with_ip);
void pt_packet_overflow(struct pt *pt);
void pt_packet_stop(struct pt *pt);
/* PSB+: PSB to PSBEND. */
void pt_packet_psb(struct pt *pt, const struct pt_place *place);

/* timing.c */
/* Emits the time packets that are due before the next event. */
void pt_time(struct pt *pt);
/* Emits TSC where MTC would have given the time: at the end of a stretch without packets, and at
 * far branches, beside which records of tasks are. */
void pt_time_again(struct pt *pt);
/* Emits TSC and TMA. */
void pt_packet_tsc(struct pt *pt);
/* Emits CYC with the cycles since the last CYC. Called before each packet that may carry one. */
void pt_packet_cyc(struct pt *pt);

#endif
