/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU model: one processor's performance monitoring unit as portable C, driven by the number of
 * retired instructions.
 *
 * The visor offers it to guests; host tests put it behind rdmsr/wrmsr. It has no global state,
 * takes no lock, allocates nothing and calls nothing (a compiler may turn the reset into memset).
 * Any context; one caller at a time for one struct model. docs/emulated-pmu.md describes events and
 * their rates. Source: Intel SDM vol. 3, "Performance Monitoring", and vol. 4 for the registers.
 *
 * How a caller drives it:
 *	model_reset(&m, personality_find("skylake"));
 *	before running:   n = model_until_overflow(&m, ring, exact); run at most n instructions
 *	after running:    model_retire(&m, &work);
 *	then:             if (model_take_pmi(&m)) deliver it through LVTPC;
 *	on a guest's RDMSR, WRMSR, RDPMC or CPUID: model_retire() what ran before it, then the call
 *below
 */
#ifndef VISOR_MODEL_MODEL_H
#define VISOR_MODEL_MODEL_H

#include "emulator/visor/model/amd/ibs.h"
#include "emulator/visor/model/base/energy.h"
#include "emulator/visor/model/base/tables.h"
#include "emulator/visor/model/base/types.h"
#include "emulator/visor/model/core/model.h"
#include "emulator/visor/model/core/msr.h"
#include "emulator/visor/model/cpuid.h"
#include "emulator/visor/model/intel/pebs.h"
#include "emulator/visor/model/intel/pt.h"
#include "emulator/visor/model/personalities.h"

#endif
