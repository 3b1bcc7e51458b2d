/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes files from the kernel's data in memory: its frames (docs/protocols.md) and its log. */
#include "boot/uefi/stick.h"

enum { TYPE_OUTPUT = 'O', TYPE_ERRORS = 'E', TYPE_FILE = 'F', TYPE_EXIT = 'X', FILE_LAST = 1 };
enum { LONGEST_NAME = 4095 };

/* A position in the chain of blocks. */
struct reader {
	const struct boot_kept_block *block;
	UINT64 at;
};

struct writer {
	struct sink *sink; /* NULL: nothing is written */
	struct outcome *outcome;
	void *output, *file; /* NULL: not open */
	EFI_STATUS status;   /* of the first failure */
};

/* Returns the next piece, of at most `most` bytes; a frame may continue in the next block. 0: the
 * end. */
static UINT64 next_piece(struct reader *reader, UINT64 most, const UINT8 **piece)
{
	UINT64 bytes;

	while (reader->block && reader->at == reader->block->bytes) {
		reader->block = (const struct boot_kept_block *)reader->block->next;
		reader->at = 0;
	}
	if (!reader->block)
		return 0;
	bytes = reader->block->bytes - reader->at;
	*piece = reader->block->data + reader->at;
	bytes = bytes < most ? bytes : most;
	reader->at += bytes;
	return bytes;
}

static BOOLEAN results_take(struct reader *reader, void *to, UINT64 bytes)
{
	const UINT8 *piece;
	UINT8 *at = to;
	UINT64 got;

	for (; bytes; bytes -= got, at += got) {
		got = next_piece(reader, bytes, &piece);
		if (!got)
			return FALSE;
		CopyMem(at, (void *)piece, got);
	}
	return TRUE;
}

static void note(struct writer *writer, EFI_STATUS status)
{
	if (writer->status == EFI_SUCCESS)
		writer->status = status;
}

static void open_file(struct writer *writer, const char *name, void **file)
{
	if (*file || !writer->sink)
		return;
	note(writer, writer->sink->open(writer->sink, name, file));
	if (*file)
		writer->outcome->files++;
}

static void close_file(struct writer *writer, void **file)
{
	if (*file)
		note(writer, writer->sink->close(*file));
	*file = NULL;
}

static void write_bytes(struct writer *writer, void *file, const void *bytes, UINT64 size)
{
	if (!file || !size)
		return;
	note(writer, writer->sink->write(file, bytes, size));
	writer->outcome->bytes += size;
}

static void copy_payload(struct writer *writer, struct reader *reader, void *file, UINT64 bytes)
{
	const UINT8 *piece;
	UINT64 got;

	for (; bytes && (got = next_piece(reader, bytes, &piece)); bytes -= got)
		write_bytes(writer, file, piece, got);
}

/* u32 status, u32 reason, a line of text. */
static void read_end(struct reader *reader, UINT64 bytes, struct outcome *outcome)
{
	UINT32 words[2];
	UINT64 line = bytes - sizeof words;

	if (bytes < sizeof words || !results_take(reader, words, sizeof words))
		return;
	outcome->status = words[0];
	outcome->reason = words[1];
	outcome->ended = TRUE;
	if (line < sizeof outcome->line)
		results_take(reader, outcome->line, line);
}

static void read_frame(struct writer *writer, struct reader *reader, const struct boot_frame *frame,
		       char *name)
{
	switch (frame->type) {
	case TYPE_OUTPUT:
	case TYPE_ERRORS:
		open_file(writer, "output.txt", &writer->output);
		copy_payload(writer, reader, writer->output, frame->payload_bytes);
		break;
	case TYPE_FILE:
		open_file(writer, name, &writer->file);
		copy_payload(writer, reader, writer->file, frame->payload_bytes);
		if (frame->flags & FILE_LAST)
			close_file(writer, &writer->file);
		break;
	case TYPE_EXIT:
		read_end(reader, frame->payload_bytes, writer->outcome);
		break;
	default:
		copy_payload(writer, reader, NULL, frame->payload_bytes);
	}
}

/* Files below /out keep their names in a separate directory, which contains no file of ours. */
static void read_frames(struct writer *writer, const struct boot_kept *kept)
{
	struct reader reader = {(const struct boot_kept_block *)kept->frames, 0};
	struct boot_frame frame;
	static char name[LONGEST_NAME + 5] = "out/";

	while (results_take(&reader, &frame, sizeof frame) && frame.magic[0] == 'B' &&
	       frame.magic[3] == 'U') {
		const UINT8 *piece;
		UINT64 length = frame.name_bytes < LONGEST_NAME ? frame.name_bytes : LONGEST_NAME;
		UINT64 rest = frame.name_bytes - length, got;

		if (!results_take(&reader, name + 4, length))
			break;
		name[4 + length] = 0;
		for (; rest && (got = next_piece(&reader, rest, &piece)); rest -= got)
			;
		read_frame(writer, &reader, &frame, name);
	}
}

static void write_log(struct writer *writer, const struct boot_kept *kept)
{
	const UINT8 *ring = (const UINT8 *)kept->log;
	UINT64 end = kept->log_written % kept->log_room;
	void *file = NULL;

	open_file(writer, "log.txt", &file);
	if (kept->log_written > kept->log_room)
		write_bytes(writer, file, ring + end, kept->log_room - end);
	write_bytes(writer, file, ring, end);
	close_file(writer, &file);
}

static void results_put(char **at, const char *text)
{
	while (*text)
		*(*at)++ = *text++;
}

/* A string of TOML: what it does not allow as it is is escaped, bytes that are not ASCII become
 * question marks. */
static void put_string(char **at, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	*(*at)++ = '"';
	for (; *text; text++) {
		UINT8 c = (UINT8)*text;

		if (c < ' ' || c == 0x7f) {
			results_put(at, "\\u00");
			*(*at)++ = hex[c >> 4];
			*(*at)++ = hex[c & 15];
			continue;
		}
		if (c == '"' || c == '\\')
			*(*at)++ = '\\';
		*(*at)++ = c > '~' ? '?' : (char)c;
	}
	*(*at)++ = '"';
}

static void put_number(char **at, UINT64 value)
{
	char digits[20];
	int nr = 0;

	do
		digits[nr++] = (char)('0' + value % 10);
	while (value /= 10);
	while (nr)
		*(*at)++ = digits[--nr];
}

/* The last file: the status of the run. */
static void write_status(struct writer *writer)
{
	static const char *const reasons[] = {"exited", "signal", "not started", "panic"};
	const struct outcome *outcome = writer->outcome;
	static char text[128 + 6 * sizeof outcome->line]; /* sinks keep its address */
	char *at = text;
	void *file = NULL;

	results_put(&at, "status = ");
	put_number(&at, outcome->status);
	results_put(&at, "\nreason = \"");
	results_put(&at,
		    outcome->ended && outcome->reason < 4 ? reasons[outcome->reason] : "no end");
	results_put(&at, "\"\nlost = ");
	put_number(&at, outcome->lost);
	if (outcome->line[0]) {
		results_put(&at, "\nline = ");
		put_string(&at, outcome->line);
	}
	results_put(&at, "\n");
	open_file(writer, "status.toml", &file);
	write_bytes(writer, file, text, (UINT64)(at - text));
	close_file(writer, &file);
}

EFI_STATUS results_write(const struct boot_kept *kept, struct sink *sink, struct outcome *outcome)
{
	struct writer writer = {.sink = sink, .outcome = outcome};

	SetMem(outcome, sizeof *outcome, 0);
	if (!kept || kept->magic != BOOT_KEPT_MAGIC)
		return EFI_COMPROMISED_DATA;
	outcome->lost = kept->lost;
	read_frames(&writer, kept);
	close_file(&writer, &writer.file);
	close_file(&writer, &writer.output);
	write_log(&writer, kept);
	write_status(&writer);
	return writer.status;
}
