/* SPDX-License-Identifier: BSD-2-Clause */
/* The power button's registers: ACPI specification 6.4, sections 4.8.3 and 16.3. */
#include "arch/x86/apic/acpi.h"
#include "arch/x86/apic/apic.h"
#include "arch/x86/apic/ioapic.h"
#include "arch/x86/apic/power_button.h"
#include "arch/x86/cpu/cpu.h"

#define PM1_BUTTON   0x100u /* of status and enable; a status is cleared by a one */
#define CONTROL_ACPI 1u     /* of control: events raise the SCI, not an SMI */
#define ACPI_POLLS   1000000

static const struct acpi_button *const button = &acpi_info.button;
static bool open, acpi_was_off;
static uint16_t enabled_before[2];

static bool acpi_is_on(void)
{
	return inw(button->control) & CONTROL_ACPI;
}

/* Switches from firmware to ACPI mode, which may take an SMI. */
static bool turn_acpi_on(void)
{
	if (acpi_is_on())
		return true;
	if (!button->command || !button->acpi_on)
		return false;
	acpi_was_off = true;
	outb(button->command, button->acpi_on);
	for (unsigned polls = 0; !acpi_is_on() && polls < ACPI_POLLS; polls++)
		cpu_relax();
	return acpi_is_on();
}

bool power_button_open(uint8_t vector)
{
	unsigned line = (button->edge ? 0 : IOAPIC_LEVEL) | (button->high ? 0 : IOAPIC_LOW);

	if (!button->found || !turn_acpi_on())
		return false;
	/* Enable only the button: other enabled sources may have no handler now. */
	for (unsigned i = 0; i < 2 && button->status[i]; i++) {
		enabled_before[i] = inw(button->enable[i]);
		outw(button->enable[i], PM1_BUTTON);
		outw(button->status[i], PM1_BUTTON);
	}
	open = true;
	return ioapic_route(button->sci, (enum ioapic_line)line, vector, apic_id());
}

bool power_button_take(void)
{
	bool pressed = false;

	for (unsigned i = 0; i < 2 && button->status[i]; i++) {
		pressed |= (inw(button->status[i]) & PM1_BUTTON) != 0;
		outw(button->status[i], PM1_BUTTON);
	}
	return pressed;
}

void power_button_close(void)
{
	if (!open)
		return;
	for (unsigned i = 0; i < 2 && button->status[i]; i++)
		outw(button->enable[i], enabled_before[i]);
	if (acpi_was_off && button->acpi_off)
		outb(button->command, button->acpi_off);
}
