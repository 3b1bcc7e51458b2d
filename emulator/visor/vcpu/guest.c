/* SPDX-License-Identifier: BSD-2-Clause */
/* Software walk of the guest's page tables: long mode with 4 or 5 levels, and no paging. AMD APM
 * vol. 2, 5.3. */
#include "emulator/visor/vcpu/guest.h"

#include "emulator/visor/base/lib.h"
#include "emulator/visor/vcpu/host.h"

#define SEGMENT_32BIT (1u << 10) /* vmcb_segment.attributes */
#define NOT_MAPPED    UINT64_MAX
#define ENTRY_PRESENT (1ull << 0)
#define ENTRY_WRITE   (1ull << 1)
#define ENTRY_USER    (1ull << 2)
#define ENTRY_LARGE   (1ull << 7)
#define ENTRY_ADDRESS 0x000ffffffffff000ull
#define HOST_MAPPED   (512ull << 30)

enum decode_mode guest_mode(const struct vcpu *vcpu)
{
	const struct vmcb *vmcb = vcpu->vmcb;

	if ((vmcb->cs.attributes & SEGMENT_LONG) && (vmcb->efer & EFER_LMA))
		return DECODE_64;
	return vmcb->cs.attributes & SEGMENT_32BIT ? DECODE_32 : DECODE_16;
}

/* `needs`: bits that every entry on the path must have. */
static uint64_t walk(const struct vmcb *vmcb, uint64_t address, uint64_t needs)
{
	uint64_t table = vmcb->cr3 & ENTRY_ADDRESS;

	if (!(vmcb->cr0 & CR0_PG))
		return (uint32_t)address;
	if (!(vmcb->efer & EFER_LMA))
		return NOT_MAPPED;
	for (int level = vmcb->cr4 & CR4_LA57 ? 4 : 3; level >= 0; level--) {
		unsigned shift = 12 + 9 * (unsigned)level; /* 9 bits a level, above a page's 12 */
		uint64_t entry, offset = address & ((1ull << shift) - 1);

		if (table >= HOST_MAPPED)
			return NOT_MAPPED;
		entry = ((const uint64_t *)table)[address >> shift & 0x1ff];
		if ((entry & needs) != needs)
			return NOT_MAPPED;
		table = entry & ENTRY_ADDRESS;
		if (!level || (level <= 2 && (entry & ENTRY_LARGE)))
			return (table & ~((1ull << shift) - 1)) | offset;
	}
	return NOT_MAPPED;
}

static uint64_t translate(const struct vmcb *vmcb, uint64_t address)
{
	return walk(vmcb, address, ENTRY_PRESENT);
}

uint8_t *guest_physical(uint64_t physical)
{
	return physical < HOST_MAPPED && host_is_guests(physical) ? (uint8_t *)physical : NULL;
}

/* Returns the guest's data at a linear address, valid to the end of its page; NULL: not mapped. */
static uint8_t *locate(const struct vmcb *vmcb, uint64_t address, uint64_t needs)
{
	return guest_physical(walk(vmcb, address, needs));
}

static unsigned in_page(uint64_t address, unsigned bytes)
{
	unsigned left = (unsigned)(PAGE_SIZE - address % PAGE_SIZE);

	return bytes < left ? bytes : left;
}

static unsigned copy_from(const struct vcpu *vcpu, uint64_t address, void *data, unsigned bytes,
			  uint64_t needs)
{
	unsigned done = 0;

	while (done < bytes) {
		const uint8_t *from = locate(vcpu->vmcb, address + done, needs);
		unsigned part = in_page(address + done, bytes - done);

		if (!from)
			break;
		memcpy((uint8_t *)data + done, from, part);
		done += part;
	}
	return done;
}

bool guest_read(const struct vcpu *vcpu, uint64_t address, void *data, unsigned bytes)
{
	return copy_from(vcpu, address, data, bytes, ENTRY_PRESENT) == bytes;
}

unsigned guest_load(const struct vcpu *vcpu, uint64_t address, void *data, unsigned bytes)
{
	bool user = vcpu->vmcb->cpl && vcpu->vmcb->cr0 & CR0_PG;

	return copy_from(vcpu, address, data, bytes, ENTRY_PRESENT | (user ? ENTRY_USER : 0));
}

bool guest_is_mapped(const struct vcpu *vcpu, uint64_t address)
{
	return translate(vcpu->vmcb, address) != NOT_MAPPED;
}

bool guest_write(const struct vcpu *vcpu, uint64_t address, const void *data, unsigned bytes)
{
	uint64_t needs = ENTRY_PRESENT | (vcpu->vmcb->cr0 & CR0_WP ? ENTRY_WRITE : 0);
	const uint8_t *from = data;

	while (bytes) {
		uint8_t *to = locate(vcpu->vmcb, address, needs);
		unsigned part = in_page(address, bytes);

		if (!to)
			return false;
		memcpy(to, from, part);
		from += part;
		address += part;
		bytes -= part;
	}
	return true;
}

uint64_t guest_stack(const struct vcpu *vcpu)
{
	const struct vmcb *vmcb = vcpu->vmcb;

	if (guest_mode(vcpu) == DECODE_64)
		return vmcb->rsp;
	if (vmcb->ss.attributes & SEGMENT_32BIT)
		return (uint32_t)(vmcb->ss.base + (uint32_t)vmcb->rsp);
	return (uint32_t)(vmcb->ss.base + (uint16_t)vmcb->rsp);
}

/* Returns the linear address of code. */
static uint64_t linear_address(const struct vmcb *vmcb, uint64_t rip)
{
	return vmcb->cs.attributes & SEGMENT_LONG ? rip : (uint32_t)(rip + vmcb->cs.base);
}

unsigned guest_fetch(const struct vcpu *vcpu, uint64_t rip, uint8_t *code, unsigned bytes)
{
	const struct vmcb *vmcb = vcpu->vmcb;
	uint64_t address = linear_address(vmcb, rip), physical = NOT_MAPPED;

	for (unsigned i = 0; i < bytes; i++, address++, physical++) {
		if (!i || address % PAGE_SIZE == 0)
			physical = translate(vmcb, address);
		if (physical >= HOST_MAPPED)
			return i;
		code[i] = *(const uint8_t *)physical;
	}
	return bytes;
}

static bool is_prefix(uint8_t byte, enum decode_mode mode)
{
	switch (byte) {
	case 0x26: /* segments */
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64 ... 0x67: /* two segments, operand and address size */
	case 0xf0:          /* LOCK, REPNE, REP */
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return mode == DECODE_64 && (byte & 0xf0) == 0x40; /* REX */
	}
}

unsigned guest_prefixes(const uint8_t *code, unsigned bytes, enum decode_mode mode)
{
	unsigned at = 0;

	while (at < bytes && is_prefix(code[at], mode))
		at++;
	return at;
}

/* A gate of the interrupt descriptor table in long mode. AMD APM vol. 2, 4.8.4. */
struct gate {
	uint16_t offset_low, selector, attributes, offset_middle;
	uint32_t offset_high, reserved;
};

static uint64_t handler_of(const struct gate *gate)
{
	return (uint64_t)gate->offset_high << 32 | (uint32_t)gate->offset_middle << 16 |
	       gate->offset_low;
}

/* Leaves out a gate that crosses a page's end, as one of an unaligned table may. */
uint64_t guest_handler_before(const struct vcpu *vcpu, uint64_t rip)
{
	unsigned gates = (vcpu->vmcb->idtr.limit + 1) / sizeof(struct gate);
	uint64_t nearest = 0, page = NOT_MAPPED;

	for (unsigned i = 0; i < gates; i++) {
		uint64_t at = vcpu->vmcb->idtr.base + i * sizeof(struct gate),
			 offset = at % PAGE_SIZE, address;

		if (!i || offset < sizeof(struct gate))
			page = translate(vcpu->vmcb, at - offset);
		if (page >= HOST_MAPPED || offset > PAGE_SIZE - sizeof(struct gate))
			continue;
		address = handler_of((const struct gate *)(page + offset));
		if (address < rip && rip - address <= DECODE_MAX && address > nearest)
			nearest = address;
	}
	return nearest;
}

unsigned guest_fetch_next(struct vcpu *vcpu, uint8_t code[DECODE_MAX])
{
	const struct vmcb *vmcb = vcpu->vmcb;
	struct code_page *page = &vcpu->code_page;
	uint64_t address = linear_address(vmcb, vmcb->rip), offset = address % PAGE_SIZE;

	if (offset > PAGE_SIZE - DECODE_MAX)
		return guest_fetch(vcpu, vmcb->rip, code, DECODE_MAX);
	if (page->linear != address - offset || page->cr3 != vmcb->cr3 || !page->physical) {
		uint64_t physical = translate(vmcb, address - offset);

		page->physical = 0;
		if (physical >= HOST_MAPPED)
			return 0;
		*page = (struct code_page){vmcb->cr3, address - offset, physical};
	}
	memcpy(code, (const void *)(page->physical + offset), DECODE_MAX);
	return DECODE_MAX;
}
