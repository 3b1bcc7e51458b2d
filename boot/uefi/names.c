/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for results: the machine, from SMBIOS (DSP0134, "System Information") and CPUID, and the
 * time. */
#include "arch/x86/cpu/cpuid.h"
#include "boot/uefi/stick.h"

enum { SYSTEM_TYPE = 1, END_TYPE = 127, SYSTEM_PRODUCT = 5 };
#define BRAND_FIRST 0x80000002u

void name_add(char *name, UINTN room, const char *text)
{
	UINTN end = strlena((CHAR8 *)name);

	for (; *text && end + 1 < room; text++) {
		char c = *text;
		BOOLEAN good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			       (c >= '0' && c <= '9') || c == '.' || c == '_';

		if (good)
			name[end++] = c;
		else if (end && name[end - 1] != '-' && name[end - 1] != '_')
			name[end++] = '-';
	}
	while (end && (name[end - 1] == '-' || name[end - 1] == '.'))
		end--;
	name[end] = 0;
}

/* Returns the first byte of the structures and the byte after them; NULL: the firmware has none. */
static const UINT8 *find_smbios(EFI_SYSTEM_TABLE *table, const UINT8 **end)
{
	EFI_GUID new = SMBIOS3_TABLE_GUID, old = SMBIOS_TABLE_GUID;
	const UINT8 *start = NULL;

	for (UINTN i = 0; i < table->NumberOfTableEntries; i++) {
		const UINT8 *entry = table->ConfigurationTable[i].VendorTable;

		if (!CompareGuid(&table->ConfigurationTable[i].VendorGuid, &new)) {
			start = (const UINT8 *)*(const UINT64 *)(entry + 0x10);
			*end = start + *(const UINT32 *)(entry + 0xc);
			return start;
		}
		if (!CompareGuid(&table->ConfigurationTable[i].VendorGuid, &old)) {
			start = (const UINT8 *)(UINT64) * (const UINT32 *)(entry + 0x18);
			*end = start + *(const UINT16 *)(entry + 0x16);
		}
	}
	return start;
}

/* Skips a structure's strings: they end with two zeros. */
static const UINT8 *skip_structure(const UINT8 *at, const UINT8 *end)
{
	at += at[1];
	while (at + 1 < end && (at[0] || at[1]))
		at++;
	return at + 2;
}

static const char *find_product(EFI_SYSTEM_TABLE *table)
{
	const UINT8 *end = NULL, *at = find_smbios(table, &end);
	const char *text;

	while (at && at + 4 < end && at[0] != SYSTEM_TYPE && at[0] != END_TYPE)
		at = skip_structure(at, end);
	if (!at || at + 4 >= end || at[0] != SYSTEM_TYPE || at[1] <= SYSTEM_PRODUCT ||
	    !at[SYSTEM_PRODUCT])
		return "";
	text = (const char *)at + at[1];
	for (UINT8 i = 1; i < at[SYSTEM_PRODUCT] && (const UINT8 *)text < end; i++)
		text += strlena((CHAR8 *)text) + 1;
	return text;
}

static void read_brand(char brand[49])
{
	SetMem(brand, 49, 0);
	if (cpuid(BRAND_FIRST & 0x80000000u, 0).eax < BRAND_FIRST + 2)
		return;
	for (UINT32 i = 0; i < 3; i++) {
		struct cpuid_regs regs = cpuid(BRAND_FIRST + i, 0);

		CopyMem(brand + 16 * i, &regs, 16);
	}
}

void name_machine(EFI_SYSTEM_TABLE *table, char *name, UINTN room)
{
	char brand[49];

	name[0] = 0;
	name_add(name, room, find_product(table));
	if (name[0])
		name_add(name, room, "_");
	read_brand(brand);
	name_add(name, room, brand);
	if (!name[0])
		name_add(name, room, "machine");
}

static char *put_digits(char *at, UINTN value, int digits)
{
	for (int i = digits - 1; i >= 0; i--, value /= 10)
		at[i] = (char)('0' + value % 10);
	return at + digits;
}

void name_now(char name[NAME_NOW])
{
	EFI_TIME now;
	char *at = name;

	SetMem(&now, sizeof now, 0);
	RT->GetTime(&now, NULL);
	at = put_digits(at, now.Year, 4);
	*at++ = '-';
	at = put_digits(at, now.Month, 2);
	*at++ = '-';
	at = put_digits(at, now.Day, 2);
	*at++ = '-';
	at = put_digits(at, now.Hour, 2);
	at = put_digits(at, now.Minute, 2);
	at = put_digits(at, now.Second, 2);
	*at = 0;
}

/* Days since 1970-01-01 in the Gregorian calendar. Years start in March, so that a leap day is the
 * last day of a year. */
static UINT64 days_before(const EFI_TIME *time)
{
	UINT64 month = (time->Month + 9u) % 12, year = time->Year - (month > 9);

	return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + time->Day -
	       719469;
}

UINT64 name_seconds(void)
{
	EFI_TIME now;

	SetMem(&now, sizeof now, 0);
	if (RT->GetTime(&now, NULL) != EFI_SUCCESS || now.Year < 1970)
		return 0;
	return ((days_before(&now) * 24 + now.Hour) * 60 + now.Minute) * 60 + now.Second;
}
