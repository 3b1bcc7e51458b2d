/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc/cpuinfo: the contents of CPUID, with Linux's names. */
#include "arch/x86/apic/tsc.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/percpu.h"
#include "arch/x86/cpu/topology.h"
#include "kernel/base/string.h"
#include "kernel/fs/synthetic.h"
#include "kernel/procfs/proc.h"

/* The names of one register's bits; NULL: a bit without a name in Linux. */
static const struct {
	struct cpuid_field field;
	const char *const *names;
} words[] = {
    {{0x1, 0, CPUID_EDX, 0, 31},
     (const char *const[32]){"fpu",  "vme",   "de",   "pse",     "tsc",  "msr", "pae",  "mce",
			     "cx8",  "apic",  NULL,   "sep",     "mtrr", "pge", "mca",  "cmov",
			     "pat",  "pse36", "pn",   "clflush", NULL,   "dts", "acpi", "mmx",
			     "fxsr", "sse",   "sse2", "ss",      "ht",   "tm",  "ia64", "pbe"}},
    {{0x80000001, 0, CPUID_EDX, 0, 31},
     (const char *const[32]){[11] = "syscall",
			     [19] = "mp",
			     [20] = "nx",
			     [22] = "mmxext",
			     [25] = "fxsr_opt",
			     [26] = "pdpe1gb",
			     [27] = "rdtscp",
			     [29] = "lm",
			     [30] = "3dnowext",
			     [31] = "3dnow"}},
    {{0x1, 0, CPUID_ECX, 0, 31},
     (const char *const[32]){"pni",    "pclmulqdq", "dtes64", "monitor", "ds_cpl",
			     "vmx",    "smx",       "est",    "tm2",     "ssse3",
			     "cid",    "sdbg",      "fma",    "cx16",    "xtpr",
			     "pdcm",   NULL,        "pcid",   "dca",     "sse4_1",
			     "sse4_2", "x2apic",    "movbe",  "popcnt",  "tsc_deadline_timer",
			     "aes",    "xsave",     NULL,     "avx",     "f16c",
			     "rdrand", "hypervisor"}},
    {{0x80000001, 0, CPUID_ECX, 0, 31},
     (const char *const[32]){"lahf_lm",    "cmp_legacy",  "svm",
			     "extapic",    "cr8_legacy",  "abm",
			     "sse4a",      "misalignsse", "3dnowprefetch",
			     "osvw",       "ibs",         "xop",
			     "skinit",     "wdt",         NULL,
			     "lwp",        "fma4",        "tce",
			     NULL,         "nodeid_msr",  NULL,
			     "tbm",        "topoext",     "perfctr_core",
			     "perfctr_nb", NULL,          "bpext",
			     "ptsc",       "perfctr_llc", "mwaitx"}},
    {{0x7, 0, CPUID_EBX, 0, 31},
     (const char *const[32]){
	 [0] = "fsgsbase",  [1] = "tsc_adjust", [3] = "bmi1",        [4] = "hle",
	 [5] = "avx2",      [7] = "smep",       [8] = "bmi2",        [9] = "erms",
	 [10] = "invpcid",  [11] = "rtm",       [12] = "cqm",        [14] = "mpx",
	 [15] = "rdt_a",    [16] = "avx512f",   [17] = "avx512dq",   [18] = "rdseed",
	 [19] = "adx",      [20] = "smap",      [21] = "avx512ifma", [23] = "clflushopt",
	 [24] = "clwb",     [25] = "intel_pt",  [28] = "avx512cd",   [29] = "sha_ni",
	 [30] = "avx512bw", [31] = "avx512vl"}},
    {{0xd, 1, CPUID_EAX, 0, 31},
     (const char *const[32]){"xsaveopt", "xsavec", "xgetbv1", "xsaves"}},
    {{0x7, 0, CPUID_ECX, 0, 31},
     (const char *const[32]){[1] = "avx512vbmi",
			     [2] = "umip",
			     [3] = "pku",
			     [5] = "waitpkg",
			     [8] = "gfni",
			     [9] = "vaes",
			     [10] = "vpclmulqdq",
			     [14] = "avx512_vpopcntdq",
			     [16] = "la57",
			     [22] = "rdpid",
			     [25] = "cldemote",
			     [27] = "movdiri",
			     [28] = "movdir64b"}},
    {{0x7, 0, CPUID_EDX, 0, 31},
     (const char *const[32]){[4] = "fsrm",
			     [10] = "md_clear",
			     [14] = "serialize",
			     [18] = "pconfig",
			     [19] = "arch_lbr",
			     [28] = "flush_l1d",
			     [29] = "arch_capabilities"}},
};

static void add_flags(struct text *out)
{
	text_print(out, "flags\t\t:");
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		uint32_t bits = cpuid_read(words[i].field);

		for (unsigned bit = 0; bit < 32; bit++)
			if (bits >> bit & 1 && words[i].names[bit])
				text_print(out, " %s", words[i].names[bit]);
	}
	if (cpuid_has(CPUID_INVARIANT_TSC))
		text_print(out, " constant_tsc nonstop_tsc");
	if (cpuid_read(CPUID_PMU_VERSION))
		text_print(out, " arch_perfmon");
	text_char(out, '\n');
}

static void add_name(struct text *out)
{
	struct cpuid_regs vendor = cpuid(0, 0), part;
	char name[49] = "";

	for (unsigned i = 0; i < 3 && cpuid(0x80000000, 0).eax >= 0x80000004; i++) {
		part = cpuid(0x80000002 + i, 0);
		memcpy(name + i * 16, &part, 16);
	}
	text_print(out, "vendor_id\t: ");
	text_add(out, (const char *)&vendor.ebx, 4);
	text_add(out, (const char *)&vendor.edx, 4);
	text_add(out, (const char *)&vendor.ecx, 4);
	text_print(out, "\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\nstepping\t: %u\n",
		   cpuid_family(), cpuid_model(), name, cpuid_read(CPUID_STEPPING));
}

static void add_place(struct text *out, unsigned cpu)
{
	uint32_t apic = cpus[cpu]->apic_id;

	text_print(out, "physical id\t: %u\nsiblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\n",
		   topology_package(apic), topology_threads(cpu, TOPOLOGY_PACKAGE),
		   topology_core(apic), topology_cores(cpu));
	text_print(out, "apicid\t\t: %u\ninitial apicid\t: %u\n", apic, apic);
}

static void make(struct text *out, uint64_t id)
{
	(void)id;
	for (unsigned i = 0; i < nr_cpus; i++) {
		text_print(out, "processor\t: %u\n", i);
		add_name(out);
		text_print(out, "cpu MHz\t\t: %lu.%03lu\n", tsc_clock.khz / 1000,
			   tsc_clock.khz % 1000);
		add_place(out, i);
		text_print(out,
			   "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: %u\nwp\t\t: yes\n",
			   cpuid_read(CPUID_MAX_LEAF));
		add_flags(out);
		text_print(out, "bogomips\t: %lu.%02lu\nclflush size\t: %u\n", tsc_clock.khz / 500,
			   tsc_clock.khz / 5 % 100, cpuid_read(CPUID_CLFLUSH) * 8);
		text_print(out, "address sizes\t: %u bits physical, %u bits virtual\n\n",
			   cpuid_read(CPUID_PHYS_BITS), cpuid_read(CPUID_VIRTUAL_BITS));
	}
}

const struct synthetic proc_cpuinfo = {.path = "/proc/cpuinfo", .make = make};
