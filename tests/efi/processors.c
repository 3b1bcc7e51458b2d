/* SPDX-License-Identifier: BSD-2-Clause */
/* A UEFI application that starts every processor by the firmware's MP services and lets each count
 * a loop by its own PMU. It prints TAP and leaves by QEMU's debug-exit port. */
#include <efi.h>
#include <efilib.h>

#include "abi/debug_exit.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/start/efi_mp.h"

#define MAX_PROCESSORS 16

#define FIXED_INSTRUCTIONS   0x309
#define FIXED_REFERENCE      0x30b
#define FIXED_CONTROL        0x38d
#define GLOBAL_CONTROL       0x38f
#define GENERAL_BRANCHES     0x0c1
#define SELECT_BRANCHES      0x186
#define BRANCHES_EVERYWHERE  0x4300c4u
#define COUNT_IN_RING_0      1u
#define ENABLE_BOTH          (1ull << 32 | 1)
#define COUNT_REFERENCE      (1u << 8)
#define ENABLE_REFERENCE     (1ull << 34)
#define LEAF_VISOR_FLAGS     0x40000001u
#define FLAG_STEPPED         4u
#define ROUNDS               200u
#define CLOCK_ROUNDS         100000u
#define COUNTED_INSTRUCTIONS (2 * ROUNDS + 3) /* the loop, and XOR, XOR, WRMSR that end it */

/* The counts of each processor. */
static volatile struct {
	UINT64 instructions, branches, apic, reference, ticks;
} found[MAX_PROCESSORS];

static volatile UINTN current;
static unsigned tests, failures;

/* Counts reference cycles and ticks of the TSC over one loop. */
static void count_clocks(UINTN i)
{
	UINT32 rounds = CLOCK_ROUNDS;
	UINT64 begin;

	wrmsr(FIXED_CONTROL, COUNT_REFERENCE);
	wrmsr(FIXED_REFERENCE, 0);
	wrmsr(GLOBAL_CONTROL, ENABLE_REFERENCE);
	begin = rdtsc();
	__asm__ volatile("1: dec %0\n"
			 "jnz 1b"
			 : "+r"(rounds));
	found[i].ticks = rdtsc() - begin;
	wrmsr(GLOBAL_CONTROL, 0);
	found[i].reference = rdmsr(FIXED_REFERENCE);
}

static void EFIAPI count(void *argument)
{
	UINT32 regs[4] = {0}, rounds = ROUNDS, low = (UINT32)ENABLE_BOTH,
	       high = (UINT32)(ENABLE_BOTH >> 32);
	UINTN i = current;

	(void)argument;
	cpuid_words(1, 0, regs);
	found[i].apic = regs[1] >> 24;
	wrmsr(GLOBAL_CONTROL, 0);
	wrmsr(FIXED_CONTROL, COUNT_IN_RING_0);
	wrmsr(FIXED_INSTRUCTIONS, 0);
	wrmsr(SELECT_BRANCHES, BRANCHES_EVERYWHERE);
	wrmsr(GENERAL_BRANCHES, 0);
	__asm__ volatile("wrmsr\n"
			 "1: dec %0\n"
			 "jnz 1b\n"
			 "xor %%eax, %%eax\n"
			 "xor %%edx, %%edx\n"
			 "wrmsr"
			 : "+r"(rounds), "+a"(low), "+d"(high)
			 : "c"(GLOBAL_CONTROL)
			 : "memory");
	found[i].instructions = rdmsr(FIXED_INSTRUCTIONS);
	found[i].branches = rdmsr(GENERAL_BRANCHES);
	count_clocks(i);
}

/* Without the firmware's timer, whose ticks would come closer than a stepped handler can take. */
static void count_undisturbed(void)
{
	EFI_TPL before = BS->RaiseTPL(TPL_HIGH_LEVEL);

	count(NULL);
	BS->RestoreTPL(before);
}

static void ok(BOOLEAN passed, const CHAR16 *what, UINTN processor)
{
	tests++;
	failures += !passed;
	Print(L"%sok %d - processor %d: %s\r\n", passed ? L"" : L"not ", tests, processor, what);
}

/* The TSC follows the core's cycles at its nominal frequency; at most 2,000 ticks are between
 * their reads. */
static void judge_clocks(UINTN i)
{
	UINT64 apart = found[i].reference > found[i].ticks ? found[i].reference - found[i].ticks
							   : found[i].ticks - found[i].reference;

	Print(L"# processor %d: %ld reference cycles, %ld ticks\r\n", i, found[i].reference,
	      found[i].ticks);
	ok(apart < 2000 && found[i].ticks >= CLOCK_ROUNDS, L"reference cycles are the TSC's ticks",
	   i);
}

static void judge(UINTN i)
{
	UINT32 regs[4];

	cpuid_words(LEAF_VISOR_FLAGS, 0, regs);
	Print(L"# processor %d, APIC %d: %ld instructions, %ld branches\r\n", i, found[i].apic,
	      found[i].instructions, found[i].branches);
	if (regs[0] & FLAG_STEPPED) {
		ok(found[i].instructions == COUNTED_INSTRUCTIONS, L"every instruction", i);
		ok(found[i].branches == ROUNDS, L"every branch", i);
	} else {
		ok(found[i].instructions > 0, L"its counter counts", i);
		ok(found[i].branches < found[i].instructions, L"fewer branches", i);
		judge_clocks(i);
	}
	ok(!i || found[i].apic != found[i - 1].apic, L"it is another one", i);
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	static EFI_GUID guid = EFI_MP_SERVICES_GUID;
	struct efi_mp_services *mp;
	UINTN nr = 1, enabled, own = 0;

	InitializeLib(self, table);
	if (EFI_ERROR(BS->LocateProtocol(&guid, NULL, (void **)&mp)) ||
	    EFI_ERROR(mp->get_number_of_processors(mp, &nr, &enabled)) ||
	    EFI_ERROR(mp->who_am_i(mp, &own)) || nr > MAX_PROCESSORS)
		Print(L"Bail out! no MP services\r\n");
	for (UINTN i = 0; i < nr; i++) {
		current = i;
		if (i == own)
			count_undisturbed();
		else if (EFI_ERROR(mp->startup_this_ap(mp, count, i, NULL, 0, NULL, NULL)))
			ok(FALSE, L"it starts", i);
	}
	for (UINTN i = 0; i < nr; i++)
		judge(i);
	Print(L"1..%d\r\n", tests);
	outb(DEBUG_EXIT_PORT, failures != 0);
	return EFI_SUCCESS;
}
