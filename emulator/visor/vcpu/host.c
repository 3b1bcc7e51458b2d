/* SPDX-License-Identifier: BSD-2-Clause */
/* The visor's page tables (all memory, one to one), descriptor tables, and the guest's nested page
 * table. AMD APM vol. 2, 5 and 15.25. */
#include "emulator/visor/vcpu/host.h"

#include "emulator/visor/base/console.h"
#include "emulator/visor/base/cpu.h"
#include "emulator/visor/base/lib.h"
#include "emulator/visor/vcpu/apic.h"
#include "emulator/visor/vcpu/core.h"
#include "emulator/visor/vcpu/hpet.h"

#define PRESENT (1ull << 0)
#define WRITE   (1ull << 1)
#define USER    (1ull << 2) /* nested pages are walked as user accesses */
#define LARGE   (1ull << 7)
#define RWU     (PRESENT | WRITE | USER)

#define LOW_GIBS    3  /* mapped in 2 MiB steps for the guest */
#define DEVICES_GIB 3  /* the next one, in each processor's own table */
#define ROOT_BITS   39 /* of an address: each entry of a root has 512 GiB */

#define CODE_SELECTOR          0x08
#define DATA_SELECTOR          0x10
#define GATE_PRESENT_INTERRUPT 0x8e
#define VECTORS                256

struct __attribute__((packed)) gate {
	uint16_t offset_low, selector;
	uint8_t stack, type;
	uint16_t offset_middle;
	uint32_t offset_high, reserved;
};

#define PAGE_ALIGNED __attribute__((aligned(4096)))

static uint64_t host_root[TABLE_ENTRIES] PAGE_ALIGNED, host_giants[TABLE_ENTRIES] PAGE_ALIGNED;
/* The guest's addresses from 512 GiB on, where firmware may put devices: mapped as in QEMU. */
static uint64_t nested_high[(1 << (HOST_ADDRESS_BITS - ROOT_BITS)) - 1][TABLE_ENTRIES] PAGE_ALIGNED;
static uint64_t nested_large[LOW_GIBS + 1][TABLE_ENTRIES] PAGE_ALIGNED;
static uint64_t nested_hpet[TABLE_ENTRIES] PAGE_ALIGNED; /* the 2 MiB around the HPET */
static uint8_t no_hpet[PAGE_SIZE] PAGE_ALIGNED; /* the guest's page in its place: no HPET */
static struct gate gates[VECTORS];
static const uint64_t descriptors[] = {
    0, 0x00af9b000000ffff, /* CODE_SELECTOR: 64-bit code */
    0x00cf93000000ffff,    /* DATA_SELECTOR */
};

extern const char host_nmi[], host_fault[], host_interrupts[]; /* run.asm */
#define INTERRUPT_STUB_BYTES 16
#define FIRST_INTERRUPT      32
_Static_assert(FIRST_INTERRUPT == 32 && INTERRUPT_STUB_BYTES == 16, "layout.inc, run.asm");
void host_exception(const uint64_t *stack);
void load_segments(uint16_t code, uint16_t data); /* run.asm */

void host_exception(const uint64_t *stack)
{
	fail("fault of its own: stack %lx %lx %lx %lx %lx %lx", stack[0], stack[1], stack[2],
	     stack[3], stack[4], stack[5]);
}

#define CPUID_FEATURES 0x80000001u
#define FEATURE_SVM    (1u << 2)  /* ECX */
#define FEATURE_GIANT  (1u << 26) /* EDX: 1 GiB pages */
#define CPUID_SVM      0x8000000au
#define SVM_NPT        (1u << 0) /* EDX */

void host_check(void)
{
	uint32_t regs[4];

	cpuid_words(CPUID_FEATURES, 0, regs);
	if (!(regs[2] & FEATURE_SVM))
		fail("this processor has no SVM: start QEMU with -accel tcg -cpu max");
	if (!(regs[3] & FEATURE_GIANT))
		fail("this processor has no 1 GiB pages: start QEMU with -cpu max");
	cpuid_words(CPUID_SVM, 0, regs);
	if (!(regs[3] & SVM_NPT))
		fail("this processor has no nested paging: start QEMU with -cpu max");
}

/* Builds 4 KiB identity mappings for 2 MiB. */
static void build_small(uint64_t *table, uint64_t base)
{
	for (unsigned i = 0; i < TABLE_ENTRIES; i++)
		table[i] = (base + i * PAGE_SIZE) | RWU;
}

static uint64_t *large_entry(uint64_t address)
{
	return &nested_large[address / GIANT_PAGE_SIZE][address / LARGE_PAGE_SIZE % TABLE_ENTRIES];
}

static void build_high(void)
{
	uint64_t *entry = nested_high[0];

	for (uint64_t a = 1ull << ROOT_BITS; a < 1ull << HOST_ADDRESS_BITS; a += GIANT_PAGE_SIZE)
		*entry++ = a | RWU | LARGE;
}

static void build_shared(uint64_t base, uint64_t bytes)
{
	build_high();
	for (uint64_t a = 0; a < (LOW_GIBS + 1) * GIANT_PAGE_SIZE; a += LARGE_PAGE_SIZE)
		*large_entry(a) = a | RWU | LARGE;
	build_small(nested_hpet, HPET_BASE & ~(LARGE_PAGE_SIZE - 1));
	nested_hpet[HPET_BASE / PAGE_SIZE % TABLE_ENTRIES] = (uint64_t)no_hpet | RWU;
	*large_entry(HPET_BASE) = (uint64_t)nested_hpet | RWU;
	for (uint64_t a = base; a < base + bytes; a += LARGE_PAGE_SIZE)
		*large_entry(a) = 0;
}

uint64_t host_build_nested(struct nested_tables *tables)
{
	tables->root[0] = (uint64_t)tables->giants | RWU;
	for (unsigned i = 0; i < sizeof(nested_high) / sizeof(nested_high[0]); i++)
		tables->root[i + 1] = (uint64_t)nested_high[i] | RWU;
	for (unsigned i = 0; i < TABLE_ENTRIES; i++)
		tables->giants[i] = (i * GIANT_PAGE_SIZE) | RWU | LARGE;
	for (unsigned i = 0; i < LOW_GIBS; i++)
		tables->giants[i] = (uint64_t)nested_large[i] | RWU;
	tables->giants[DEVICES_GIB] = (uint64_t)tables->devices | RWU;
	memcpy(tables->devices, nested_large[DEVICES_GIB], sizeof(tables->devices));
	tables->devices[APIC_BASE / LARGE_PAGE_SIZE % TABLE_ENTRIES] = (uint64_t)tables->apic | RWU;
	build_small(tables->apic, APIC_BASE);
	return (uint64_t)tables->root;
}

void host_map_apic(struct nested_tables *tables, uint64_t page, bool writable)
{
	tables->apic[0] = page | PRESENT | USER | (writable ? WRITE : 0);
}

void host_hide_apic(struct nested_tables *tables)
{
	tables->apic[0] = 0;
}

static uint64_t handler(unsigned vector)
{
	if (vector >= FIRST_INTERRUPT)
		return (uint64_t)host_interrupts +
		       (vector - FIRST_INTERRUPT) * INTERRUPT_STUB_BYTES;
	return (uint64_t)(vector == VECTOR_NMI ? host_nmi : host_fault);
}

void host_build(uint64_t base, uint64_t bytes)
{
	for (unsigned i = 0; i < TABLE_ENTRIES; i++)
		host_giants[i] = (i * GIANT_PAGE_SIZE) | PRESENT | WRITE | LARGE;
	host_root[0] = (uint64_t)host_giants | PRESENT | WRITE;
	build_shared(base, bytes);
	for (unsigned i = 0; i < VECTORS; i++) {
		uint64_t code = handler(i);

		gates[i] = (struct gate){.offset_low = (uint16_t)code,
					 .selector = CODE_SELECTOR,
					 .type = GATE_PRESENT_INTERRUPT,
					 .offset_middle = (uint16_t)(code >> 16),
					 .offset_high = (uint32_t)(code >> 32)};
	}
}

void host_enter(void)
{
	struct table_register gdt = {sizeof(descriptors) - 1, (uint64_t)descriptors};
	struct table_register idt = {sizeof(gates) - 1, (uint64_t)gates};

	irq_disable();
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
	cpu_clgi();
	write_cr3((uint64_t)host_root);
	lgdt(&gdt);
	lidt(&idt);
	load_segments(CODE_SELECTOR, DATA_SELECTOR);
}

/* Bits that long mode needs; and bits (keys of supervisor pages, shadow stacks) by which the
 * guest's registers would restrict the visor. */
#define CR0_NEEDED  (CR0_PE | CR0_PG)
#define CR4_NEEDED  CR4_PAE
#define CR4_REFUSED (CR4_CET | CR4_PKS)

void host_follow(struct vcpu *vcpu)
{
	const struct vmcb *guest = vcpu->vmcb;
	uint64_t cr0 = guest->cr0 | CR0_NEEDED, cr4 = (guest->cr4 | CR4_NEEDED) & ~CR4_REFUSED;

	if (!(guest->efer & EFER_LMA) || (guest->cr4 & CR4_LA57))
		return;
	if (cr0 != vcpu->host_cr0 || cr4 != vcpu->host_cr4)
		core_unsettle(vcpu);
	if (cr0 != vcpu->host_cr0)
		write_cr0(vcpu->host_cr0 = cr0);
	if (cr4 != vcpu->host_cr4)
		write_cr4(vcpu->host_cr4 = cr4);
}

/* The visor's own pages are the ones that the nested page table maps elsewhere or not at all. */
bool host_is_guests(uint64_t physical)
{
	if (physical >= (LOW_GIBS + 1) * GIANT_PAGE_SIZE)
		return true;
	if (physical / PAGE_SIZE == HPET_BASE / PAGE_SIZE ||
	    physical / PAGE_SIZE == APIC_BASE / PAGE_SIZE)
		return false;
	return *large_entry(physical) & PRESENT;
}

uint64_t host_root_address(void)
{
	return (uint64_t)host_root;
}
