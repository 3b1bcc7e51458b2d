/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the host command share. */
#ifndef TOOLS_BAREPMU_H
#define TOOLS_BAREPMU_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "apps/lib/bench_options.h"

#define MAX_PROCESSORS 16

#define STATUS_TIMEOUT   124
#define DEFAULT_TIMEOUT  300 /* host seconds; boot has none */
#define MOST_TIMEOUT     1000000
#define STATUS_OURS      125 /* anything wrong on our side */
#define QEMU             "qemu-system-x86_64"
#define STATUS_NOT_EXEC  126
#define STATUS_NOT_FOUND 127

/* Of an option that may be repeated, and of what an application is called with. */
#define MAX_WORDS 256

struct words {
	const char *word[MAX_WORDS];
	int nr;
};

/* A cpio archive (newc) or any other bytes, growing in memory. */
struct buffer {
	unsigned char *bytes;
	size_t size, room;
};

/* A file for the image that is none of the host's. */
struct extra {
	const char *path; /* in the image */
	struct buffer content;
	struct extra *next;
};

enum firmware { FIRMWARE_PVH, FIRMWARE_OVMF };

struct options {
	const char *command; /* run, stat, record, list, image, linux, boot */
	const char *pmu;     /* personality, host or none */
	const char *core;    /* the simulated core, as typed; NULL: the personality's */
	enum firmware firmware;
	bool exact;
	int processors;
	bool parallel; /* each processor has a thread of the host's */
	int memory;    /* MiB */
	int timeout;   /* host seconds; of boot 0: none */
	int verbosity; /* -1: errors only, 0: warnings, 1: -v, 2: -vv */
	struct words add, env;
	struct words share;      /* absolute paths of host folders */
	struct words share_both; /* those of them that changes come back to */
	const char *cwd;
	bool own_environment; /* the program's has nothing of the caller's */
	bool cwd_chosen;      /* by --cwd: the machine refuses one that it has not */
	const char *append;
	struct words pass;  /* options for the application of the same name in the image */
	const char *output; /* -o, a host path; NULL: none */
	const char *kernel, *initrd, *efi; /* of boot */
	char **program;                    /* PROGRAM ARG... as typed; *program NULL: none */
	char **filter;                     /* of list: words; *filter NULL: none */
	struct extra *extra;               /* files that we made */
	struct bench_options bench;
	struct words assembly; /* each --asm */
	const char *end;       /* of image: what a stick does after its jobs; NULL: it waits */
	bool force;            /* of image: overwrites a disk without asking */
	bool self_test;        /* of image: the program is the self-test */
	const char *upload;    /* of image: where results are sent, too; NULL: nowhere */
};

/* main.c: says "barepmu: ..." in one line on stderr and exits with `status`. */
void die(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
void add_word(struct words *words, const char *word);
void *allocate(size_t size);
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* options.c: parses the command line; dies of a bad one, exits 0 after help. */
void parse_options(struct options *options, int argc, char **argv);

/* vendor.c: replaces events that only the vendor's documents name by their codes (as libpfm4 knows
 * them, where it is installed), and dies of those that nobody knows, before a machine is started.
 */
void resolve_events(struct options *options);
/* Prints the vendor's events for the PMU that match a word of the command line, if there is one. */
void list_vendor_events(const struct options *options);

/* assemble.c: the machine code of TEXT or @FILE, and where each of its lines begins ("OFFSET
 * TEXT"). `define`: a word for nasm. Dies with nasm's own words. */
struct buffer assemble(const char *option, const char *text, const char *define,
		       struct buffer *lines);

/* usage.c: help to stdout, of one command or (NULL, or one without a page of its own) of all; dies
 * when that cannot be written. */
void usage_print(const char *command);
/* All of it to stderr, and the end. */
_Noreturn void usage_complain(void);

/* bench.c */
/* Takes one of bench_long_options. */
void bench_option(struct options *options, const struct option *option, const char *argument);
/* Makes the files that bench finds in the image; dies of options that do not go together. */
void bench_prepare(struct options *options);
/* Adds one piece of code to the list of jobs. `init` may be NULL. */
void bench_add_job(struct options *options, struct buffer *jobs, const char *label,
		   const char *text, const char *init, const char *define);

/* instructions.c: the jobs of `bench instructions`. */
void bench_add_instructions(struct options *options, struct buffer *jobs);

/* plot.c: draws the data that bench has left in the file `data`, as SVG. Dies when it cannot read
 * them. */
void plot_write(const char *data, FILE *out);

/* new.c: both end the command. `arguments` follow the command's name; of report they begin with
 * it. */
int new_project(char **arguments);
int show_report(char **arguments) __attribute__((noreturn));

/* report_machine.c: prints the report of a self-test; ends the command. */
int show_machine_report(char **arguments);

/* home.c: where our own files are. Returns an allocated absolute path; dies when `name` is
 * missing. */
char *home_file(const char *name);
/* The same, or NULL. */
char *find_home_file(const char *name);
/* The kernel image: the file that BAREPMU_KERNEL names, else ours. */
char *kernel_file(void);

/* missing.c: dies: cannot `what` the file `path` (errno says why); a program may also be one of the
 * image's. */
void missing_file(int status, const char *what, const char *path, bool program)
    __attribute__((noreturn));

/* program.c: PROGRAM of the options; all NULL: there is none. Dies with 126 or 127 when the image
 * cannot run it. */
struct program {
	char *host;  /* the file, an absolute path without links */
	char *place; /* where it lies in the image: the same, unless --add puts it elsewhere */
	char *name;  /* what it is started by: `place`, or a link to it */
	bool added;  /* by --add */
};
struct program find_program(const struct options *options);
/* Where a relative name of --add lies in the image: in the program's folder; NULL: the name leads
 * out of it. To be freed. */
char *added_place(const struct options *options, const char *name);
/* The interpreter that a script's first line names, to be freed; NULL: it is no script. */
char *script_interpreter(const struct buffer *file);

/* kernel.c: FILE:START:LENGTH:OFFSET of the kernel's text, as `record -K` takes it. */
char *kernel_text(void);
/* The kernel's file without what is after its segments: names and lines for debuggers. */
struct buffer kernel_to_load(void);

/* archive.c */
/* Room for so many bytes more, exactly while the buffer is empty: where they begin. */
unsigned char *buffer_reserve(struct buffer *buffer, size_t size);
void buffer_append(struct buffer *buffer, const void *bytes, size_t size);
/* Reads a whole host file; dies when it cannot, and when it is a FIFO without a writer. */
struct buffer read_file(const char *path);
/* The same of its first `most` bytes. */
struct buffer read_start(const char *path, size_t most);
/* Adds all of a file but its contents, which begin on a page; its folders are there. The caller
 * writes them after the archive, filled to a multiple of 4. */
void archive_begin_on_page(struct buffer *archive, const char *path, size_t size);
/* Adds one file with its parent folders; `path` starts with '/'. */
void archive_add(struct buffer *archive, const char *path, unsigned mode, const void *bytes,
		 size_t size);
/* The same of a symbolic link. */
void archive_add_link(struct buffer *archive, const char *path, const char *target);
/* Adds a folder (and its parents). */
void archive_add_folder(struct buffer *archive, const char *path);
/* Adds a host file or folder, all that is in it, at `path`; symbolic links are followed. */
void archive_add_host(struct buffer *archive, const char *host_path, const char *path);
void archive_end(struct buffer *archive);

/* libraries.c: adds the interpreter and the libraries of a dynamically linked program; of others
 * nothing. Dies when one is missing. */
void archive_add_libraries(struct buffer *archive, const char *program);
/* The same of all programs in a folder, but for what the machine sees anyway; what is missing is
 * said. */
void archive_add_folder_libraries(struct buffer *archive, const struct options *options,
				  const char *folder);
/* One of an ELF file's program headers, all of which lie in the file: a copy, as nothing says that
 * they are aligned. */
Elf64_Phdr elf_segment(const struct buffer *file, int index);

/* confine.c: from now on the process, and what it executes, may read files, write to descriptors
 * that it has, and end; where the host's kernel knows no seccomp(2) all stays as it is. */
void confine_to_reading(void);

/* environment.c: the program's environment, `nr` texts NAME=VALUE, by name; the array is to be
 * freed.
 */
const char *const *environment_of(const struct options *options, size_t *nr);

/* initrd.c: whether the machine sees our folders: only our own kernel has the link. */
bool folders_are_shared(const struct options *options);
/* What the image runs and finds: applications, program, run file. */
struct buffer build_initrd(const struct options *options);

/* lz4.c: appends what the legacy frame at `bytes` unpacks to; false: it is none, or damaged. */
bool lz4_unpack(struct buffer *out, const unsigned char *bytes, size_t size);

/* linux.c: the reference. */
char *linux_kernel(void); /* path of a bzImage on this host; dies when there is none */
/* The ELF file packed in it; linux_unpack() returns false when it is not packed with LZ4, where
 * linux_vmlinux() dies. */
bool linux_unpack(const char *path, struct buffer *out);
struct buffer linux_vmlinux(const char *path);
char *linux_command_line(const struct options *options);
/* Its first process, mount points and the program's input. */
void linux_files(struct buffer *archive, const struct options *options);

/* output.c: a queue in front of our stdout and stderr. */
void output_add(int fd, const void *bytes, size_t size);
/* Writes what can be written without waiting. */
void output_some(void);
/* Bytes that wait. */
size_t output_pending(void);
/* So many that the machine has to wait. */
bool output_is_full(void);
/* The descriptor that they wait for, or -1. */
int output_fd(void);

/* results.c: what came out of the machine. */
struct results {
	const char *record_path; /* where /out/perf.data goes on the host; NULL: to out/ like any
				    other file */
	const char *stat_path;   /* the same for /out/stat.txt */
	const char *plot_path;   /* and for /out/plot.txt */
	bool ended;              /* the last frame has come */
	int status;
	uint32_t reason;  /* enum exit_reason */
	char text[256];   /* why, for reasons 2 and 3 */
	bool output_seen; /* the program has printed something */
	FILE *file;       /* that pieces are going to */
	char file_name[4096];
};

enum exit_reason { EXIT_EXITED, EXIT_SIGNAL, EXIT_NOT_STARTED, EXIT_PANIC };

/* One frame, its checksum already verified. Dies when a file cannot be written. */
void results_frame(struct results *results, char type, unsigned flags, const char *name,
		   size_t name_length, const unsigned char *payload, size_t length);

/* frames.c: the decoder of COM2's stream (docs/protocols.md, "Frames on COM2"). */
struct frames {
	unsigned char bytes[20 + 65535 + 65536];
	size_t have;
	uint32_t sequence; /* of the next frame */
	bool started;      /* one frame has come: from now on nothing but frames */
	bool damaged;
};
/* Takes bytes as they come and hands over whole frames. */
void frames_feed(struct frames *frames, struct results *results, const unsigned char *bytes,
		 size_t size);

/* machine.c: starts QEMU for the options, with the archive, until it ends; returns the command's
 * status. */
int run_machine(const struct options *options, struct buffer *initrd);
/* Adds QEMU's words for processor, memory and accelerator. */
void machine_words(struct words *words, const struct options *options);

/* core.c: dies of a core that is none; lists them for "help". Returns the text. */
const char *check_core(const char *text);
/* Whether events are a simulated core's. */
bool core_is_used(const struct options *options);
/* Adds QEMU's words for the simulated core, if there is to be one and this QEMU can have it. */
void core_words(struct words *words, const struct options *options, const char *version);
/* Whether several processors take turns on one thread, so that a run repeats; else each has its own
 * thread. */
bool core_takes_turns(const struct options *options);

/* A file in memory that QEMU inherits: nothing to clean up. Its descriptor. */
int memory_file(const struct buffer *content);
/* The same of what the visor finds as its initrd: the kernel to start and that kernel's initrd, and
 * what their files are called (NULL: nothing). */
int bundle_file(const struct buffer *kernel, const struct buffer *initrd, const char *kernel_name,
		const char *initrd_name);
/* The visor's own options ("pmu=... icount=..."), or NULL: no visor is needed. */
char *visor_options(const struct options *options);

/* qemu_file.c: what the file that PATH finds by this name tells. */
/* Whether this QEMU was built with plugins. */
bool qemu_has_plugins(const char *name);
/* Its version; false: it does not tell. */
bool qemu_file_version(const char *name, int *major, int *minor);

/* qemu.c */
struct qemu {
	pid_t pid;
	int com1, com2, errors; /* what comes from it */
};
/* Asks it for its version when its file does not tell, which takes a while. */
void qemu_ask(void);
/* Gives QEMU's version ("7.2"); dies with a clear line when it is missing or too old. */
const char *qemu_check(void);
bool kvm_offers_pmu(void);
/* Starts it with these arguments; it finds COM1 at /dev/fd/3, COM2 at /dev/fd/4 and `initrd_fd` at
 * /dev/fd/5. `both_ways`: COM2 is a socket. */
void qemu_start(struct qemu *qemu, char **argv, int initrd_fd, bool both_ways);
/* Watches it until its last frame, and ends it; dies when there is none, of a timeout (124) or a
 * signal. */
void qemu_watch(struct qemu *qemu, const struct options *options, struct results *results);

/* Before anything else is printed: takes the progress line off the terminal. */
void hide_progress(void);
/* Runs it in the foreground with our own streams; returns its debug-exit status, or 0. Dies when it
 * fails itself, of a timeout (124) or a signal. */
int qemu_run(char **argv, int initrd_fd, int timeout);

/* disk.c: disk images, made by mkimage.sh. */
struct stick {
	const struct buffer *initrd;
	struct buffer jobs; /* its job file */
	const char *command_line;
	const char *visor; /* its options; NULL: none on the stick */
};
/* The disk of a stick, at `path` (NULL: in the scratch folder); its path. */
char *make_stick(const struct stick *stick, const char *path);
/* The same as one EFI program, for a network boot; it brings no visor. */
void make_efi_program(const struct stick *stick, const char *path);
/* A disk in the scratch folder that OVMF boots our kernel from; its path. */
char *make_boot_disk(const struct buffer *initrd, const char *command_line);
/* The same with another EFI program, and \initrd if that is not NULL. */
char *make_efi_disk(const char *program, const char *initrd);
/* Adds QEMU's words for OVMF, `disk` (NULL: none) and, booted before it, the visor's. */
void firmware_words(struct words *words, const struct options *options, const char *disk);

/* image.c: dies of options that image has not, and of a FILE that it cannot write. */
void image_check_option(const char *name);
void image_check(const struct options *options);
void write_image(const struct options *options, const struct buffer *initrd);

/* boot.c */
/* What an EFI program finds as its load options, for Linux's stub. */
char *efi_command_line(const struct options *options);
/* Returns when the machine ends: its debug-exit status, or 0; dies if the visor stopped it. */
int boot_other(struct options *options);

#endif
