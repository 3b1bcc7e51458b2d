/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of an EFI program and of the firmware's services that it calls, by the PMU. Boot services
 * run; one processor. */
#ifndef BOOT_UEFI_SAMPLING_H
#define BOOT_UEFI_SAMPLING_H

#include "boot/uefi/jobs.h"
#include "boot/uefi/stick.h"

#define SAMPLES_MAX (1u << 16)

/* pmi.c: the counter, its interrupt, and the samples. */
struct samples {
	UINT64 address[SAMPLES_MAX];
	UINT64 nr, lost; /* lost: for which there was no room */
	UINT64 others;   /* NMIs that were not ours, passed on to the firmware */
};

/*
 * Counts cycles and takes a sample every `period`: PMIs come as NMIs, through an entry put into the
 * firmware's IDT. Returns NULL, or why it cannot; nothing has changed then.
 */
const char *sampling_start(struct samples *samples, UINT64 period);
/* Stops, and restores IDT, APIC and counter. */
void sampling_stop(void);

/* pmi_entry.asm */
struct __attribute__((packed)) idt_register {
	UINT16 limit;
	UINT64 base;
};
__attribute__((sysv_abi)) void uefi_store_idt(struct idt_register *idt);
extern UINT64 uefi_pmi_old; /* the handler for other NMIs */
__attribute__((sysv_abi)) void uefi_pmi_entry(void);
/* pmi.c, called by it: whether the NMI was ours. */
__attribute__((sysv_abi)) UINT64 uefi_pmi_take(UINT64 rip);

/* images.c: the firmware's loaded images. */
#define IMAGES_MAX       256
#define IMAGE_NAME_BYTES 64

struct loaded_image {
	UINT64 base, bytes;
	char name[IMAGE_NAME_BYTES];
	UINT64 samples;
};

struct loaded_images {
	struct loaded_image image[IMAGES_MAX];
	UINTN nr;
};

/* Adds the images that are loaded now and not in the list. */
void images_collect(struct loaded_images *images);
/* Returns the image of an address, or NULL. */
struct loaded_image *images_find(struct loaded_images *images, UINT64 address);

/* firmware_job.c */
struct firmware_outcome {
	EFI_STATUS ended, written; /* of the program, of its results */
	UINT64 samples;
};

/*
 * Starts the job's EFI application or driver from the loader's volume; writes samples.csv,
 * images.csv and status.toml to `sink`, unless it is NULL. Returns NULL, or why it did not run.
 */
const char *firmware_job(const struct source *source, const struct job *job, struct sink *sink,
			 struct firmware_outcome *outcome);

#endif
