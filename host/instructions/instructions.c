/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of `bench instructions`, each once for its latency, with a dependence on the one
 * before, and once for its throughput. Names are from uops.info's instructions.xml (attribute
 * `string`), with the opcode where there are two: nasm assembles an addition of registers to
 * 01H. */
#include "host/bench/bench.h"
#include "host/instructions/instructions.h"

#include <stdlib.h>
#include <string.h>

#include "host/instructions/forms.h"
#include "host/lib/buffer.h"
#include "host/lib/text.h"

/* Throughput: the same instruction with 12 destinations, and sources that are never written. */
static const struct {
	const char *name, *latency;
	const char *throughput; /* %s: the register. NULL: the same as latency */
	enum { GENERAL, VECTOR } registers;
} instructions[] = {
    {"ADD_01 (R64, R64)", "add rax, rbx", "add %s, r15", GENERAL},
    {"SUB_29 (R64, R64)", "sub rax, rbx", "sub %s, r15", GENERAL},
    {"AND_21 (R64, R64)", "and rax, rbx", "and %s, r15", GENERAL},
    {"XOR_31 (R64, R64)", "xor rax, rbx", "xor %s, r15", GENERAL},
    {"INC (R64)", "inc rax", "inc %s", GENERAL},
    {"NEG (R64)", "neg rax", "neg %s", GENERAL},
    {"LEA_B_D8 (R64)", "lea rax, [rax + 8]", "lea %s, [r15 + 8]", GENERAL},
    {"LEA_B_I_D8 (R64)", "lea rax, [rax + rbx + 8]", "lea %s, [r15 + r13 + 8]", GENERAL},
    {"SHL (R64, I8)", "shl rax, 3", "shl %s, 3", GENERAL},
    {"ROL (R64, I8)", "rol rax, 3", "rol %s, 3", GENERAL},
    {"IMUL (R64, R64)", "imul rax, rbx", "imul %s, r15", GENERAL},
    {"BSWAP (R64)", "bswap rax", "bswap %s", GENERAL},
    {"POPCNT (R64, R64)", "popcnt rax, rax", "popcnt %s, r15", GENERAL},
    {"LZCNT (R64, R64)", "lzcnt rax, rax", "lzcnt %s, r15", GENERAL},
    {"CMOVB (R64, R64)", "cmovb rax, rbx", "cmovb %s, r15", GENERAL},
    {"ADC_11 (R64, R64)", "adc rax, rbx", NULL, GENERAL},
    {"MOVZX (R64, R8l)", "movzx rax, al", "movzx %s, r15b", GENERAL},
    {"MOV (R64, M64)", "mov r14, [r14]", "mov %s, [r14]", GENERAL},
    {"NOP", "nop", NULL, GENERAL},
    {"ADDPS (XMM, XMM)", "addps xmm0, xmm0", "addps %s, xmm15", VECTOR},
    {"MULPS (XMM, XMM)", "mulps xmm0, xmm0", "mulps %s, xmm15", VECTOR},
    {"MULPD (XMM, XMM)", "mulpd xmm0, xmm0", "mulpd %s, xmm15", VECTOR},
    {"DIVSD (XMM, XMM)", "divsd xmm0, xmm0", "divsd %s, xmm15", VECTOR},
    {"SQRTSD (XMM, XMM)", "sqrtsd xmm0, xmm0", "sqrtsd %s, xmm15", VECTOR},
    {"PADDD (XMM, XMM)", "paddd xmm0, xmm1", "paddd %s, xmm15", VECTOR},
    {"PMULLD (XMM, XMM)", "pmulld xmm0, xmm0", "pmulld %s, xmm15", VECTOR},
    {"PSHUFB (XMM, XMM)", "pshufb xmm0, xmm1", "pshufb %s, xmm15", VECTOR},
    {"PXOR (XMM, XMM)", "pxor xmm0, xmm1", "pxor %s, xmm15", VECTOR},
};

static const char *const destinations[][12] = {
    [GENERAL] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12"},
    [VECTOR] = {"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
		"xmm10", "xmm11"},
};

/* Operands for which no instruction is slow. */
static const char init[] =
    "mov [r14], r14; xor r13d, r13d; mov r15d, 3; mov rax, 3; mov rbx, 5\n"
    "mov rcx, 3ff0000000000000h; movq xmm0, rcx; movq xmm1, rcx; movq xmm15, rcx\n"
    "clc";

/* The registers that forms never write also have such operands; R14 points to memory. A vector's
 * elements are 1.0 as singles and no denormals as doubles. */
static const char forms_init[] =
    "mov [r14], r14; mov r15d, 3; mov ebx, 5; mov edx, 0\n"
    "mov ecx, 3f800000h; movd xmm0, ecx; pshufd xmm0, xmm0, 0\n"
    "%assign n 1\n%rep 15\nmovaps xmm%+n, xmm0\n%assign n n + 1\n%endrep\n"
    "mov eax, 3; mov ecx, 3; cld; clc";

/* Returns twelve instructions of the throughput pattern. */
static char *twelve(size_t i)
{
	char *text = format_text("%s", "");

	for (size_t n = 0; n < 12; n++) {
		const char *pattern = instructions[i].throughput;
		const char *mark = pattern ? strstr(pattern, "%s") : NULL;
		char *one = mark ? format_text("%.*s%s%s", (int)(mark - pattern), pattern,
					       destinations[instructions[i].registers][n], mark + 2)
				 : format_text("%s", pattern ? pattern : instructions[i].latency);

		text = format_text("%s%s\n", text, one);
	}
	return text;
}

/* Adds the rows of one form; the suite divides the latency by the number behind the slash. */
static void add_form(struct options *options, struct buffer *jobs, const char *form)
{
	struct instruction_code codes[4];
	int nr = instruction_codes(form, codes, 4);

	for (int i = 0; i < nr; i++) {
		char *label = format_text("%s /%d", codes[i].name, codes[i].instances);

		bench_add_job(options, jobs, label, codes[i].latency, forms_init, "-DBAREPMU");
		bench_add_job(options, jobs, label, codes[i].throughput, forms_init, "-DBAREPMU");
		free(label);
	}
}

/* Adds the forms of a file, a line each; # begins a comment. */
static void add_list(struct options *options, struct buffer *jobs, const char *path)
{
	struct buffer file = read_file(path);
	char *text, *line;

	buffer_append(&file, "", 1);
	text = (char *)file.bytes;
	while ((line = strsep(&text, "\n"))) {
		line[strcspn(line, "#\r")] = '\0';
		line += strspn(line, " \t");
		if (*line)
			add_form(options, jobs, line);
	}
	free(file.bytes);
}

static void add_all(struct options *options, struct buffer *jobs)
{
	for (size_t i = 0; instruction_forms[i]; i++)
		add_form(options, jobs, instruction_forms[i]);
}

void bench_add_instructions(struct options *options, struct buffer *jobs)
{
	const char *list = options->bench.list;

	if (list) {
		strcmp(list, "all") ? add_list(options, jobs, list) : add_all(options, jobs);
		return;
	}
	for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++) {
		bench_add_job(options, jobs, instructions[i].name, instructions[i].latency, init,
			      "-DBAREPMU");
		bench_add_job(options, jobs, instructions[i].name, twelve(i), init, "-DBAREPMU");
	}
}
