/* SPDX-License-Identifier: BSD-2-Clause */
/* The stick's job file: the meaning of its lines, and the line that an error names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "boot/uefi/jobs.h"

static struct jobs jobs;

/* In memory of exactly its size, so that the sanitizer sees what reads past it. */
static const char *parse(const char *text, size_t bytes, unsigned *line)
{
	char *copy = malloc(bytes ? bytes : 1);

	memcpy(copy, text, bytes);
	jobs_parse(&jobs, copy, bytes);
	free(copy);
	*line = jobs.nr_mistakes ? jobs.mistake[0].line : 1;
	return jobs.nr_mistakes ? jobs.mistake[0].what : NULL;
}

static void is_good(const char *text)
{
	unsigned line;
	const char *wrong = parse(text, strlen(text), &line);

	if (wrong)
		fail_msg("line %u: %s", line, wrong);
}

static void is_wrong(const char *text, unsigned where, const char *what)
{
	unsigned line;
	const char *wrong = parse(text, strlen(text), &line);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, what));
	assert_int_equal(line, where);
}

/* `words`: the run file's strings, each ended by a bar. */
static void runs(unsigned index, const char *words)
{
	const struct job *job = &jobs.job[index];
	char text[BOOT_RUN_SIZE + 1];

	assert_true(index < jobs.nr);
	memcpy(text, job->run, job->run_bytes);
	text[job->run_bytes] = '\0';
	for (uint32_t i = 0; i < job->run_bytes; i++)
		text[i] = text[i] ? text[i] : '|';
	assert_string_equal(text, words);
}

static void programs_and_their_arguments(void **state)
{
	(void)state;
	is_good("end = \"poweroff\"\n"
		"[[job]]\n"
		"name = 'first'\n"
		"program = \"work\" # an application\n"
		"arguments = [\"2\",\n  'a b', # with a comment\n \"q\\\"\\\\\",\n]\n"
		"[[job]]\n"
		"program = \"/home/me/prog\"\n"
		"folder = \"/tmp\"\n"
		"environment = [\"A=1\", \"B=\"]\n"
		"[[job]]\n"
		"program = \"work\"\n"
		"environment = [\"HOMES=1\", \"HOME\", \"HOME=/x\"]\n");
	assert_int_equal(jobs.end, JOBS_POWEROFF);
	assert_int_equal(jobs.nr, 3);
	assert_string_equal(jobs.job[0].name, "first");
	assert_string_equal(jobs.job[1].name, "job");
	runs(0, "C/|EPATH=/bin|EHOME=/|A/bin/work|A2|Aa b|Aq\"\\|");
	runs(1, "C/tmp|EPATH=/bin|EHOME=/|EA=1|EB=|A/home/me/prog|");
	runs(2, "C/|EPATH=/bin|EHOMES=1|EHOME|EHOME=/x|A/bin/work|");
}

static void counting_and_sampling(void **state)
{
	(void)state;
	is_good("[[job]]\nprogram='work'\nevents=['cycles:u','branches']\nrepetitions=12\n"
		"[[job]]\nprogram='work'\nevents='cycles'\n"
		"[[job]]\nprogram='work'\nrecord='cycles:u'\narguments=['9']\n");
	assert_int_equal(jobs.end, JOBS_WAIT);
	runs(0, "C/|EPATH=/bin|EHOME=/|A/bin/stat|A-e|Acycles:u,branches|A-r|A12|A--|A/bin/work|");
	runs(1, "C/|EPATH=/bin|EHOME=/|A/bin/stat|A-e|Acycles|A-r|A1|A--|A/bin/work|");
	runs(2, "C/|EPATH=/bin|EHOME=/|A/bin/record|A-e|Acycles:u|A-o|A/out/perf.data|A--|"
		"A/bin/work|A9|");
}

static void goes_to(const char *text, unsigned server, unsigned port, const char *directory)
{
	char file[256];
	const uint8_t *at = jobs.upload.server;

	snprintf(file, sizeof(file), "upload = '%s'\n", text);
	is_good(file);
	assert_true(jobs.upload.wanted);
	assert_int_equal((unsigned)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3], server);
	assert_int_equal(jobs.upload.port, port);
	assert_string_equal(jobs.upload.directory, directory);
}

static void uploads(void **state)
{
	char address[96], directory[96];
	static const char *const refused[] = {"",
					      "tftp:",
					      "tftp:/10.0.2.2",
					      "http://10.0.2.2",
					      "tftp://a",
					      "tftp://1.2.3",
					      "tftp://1.2.3.4.",
					      "tftp://1.2.3.4a",
					      "tftp://1.2.3.256",
					      "tftp://0.2.3.4",
					      "tftp://224.0.0.1",
					      "tftp://:",
					      "tftp://:0",
					      "tftp://:65536",
					      "tftp://:69x",
					      "tftp://1..3.4",
					      "tftp://-1.2.3.4",
					      "tftp://:-1",
					      "tftp://99999999999"};

	(void)state;
	goes_to("tftp://", 0, 69, "");
	goes_to("tftp:///", 0, 69, "");
	goes_to("tftp://:6969", 0, 6969, "");
	goes_to("tftp://10.0.2.255", 0x0a0002ff, 69, "");
	goes_to("tftp://10.0.2.2:65535/a/b", 0x0a000202, 65535, "a/b/");
	goes_to("tftp://10.0.2.2/lab/", 0x0a000202, 69, "lab/");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		char file[256];

		snprintf(file, sizeof(file), "upload = '%s'\n", refused[i]);
		is_wrong(file, 1, "an upload goes to tftp://");
	}
	is_wrong("upload = 'tftp:///a b'\n", 1, "without blanks");
	snprintf(address, sizeof(address), "tftp:///%062d", 0);
	snprintf(directory, sizeof(directory), "%062d/", 0);
	goes_to(address, 0, 69, directory);
	snprintf(address, sizeof(address), "upload = 'tftp:///%063d'\n", 0);
	is_wrong(address, 1, "at most 62");
	is_good("end = 'wait'\n");
	assert_false(jobs.upload.wanted);
}

/* As Windows' editors write, and nothing at all. */
static void editors(void **state)
{
	(void)state;
	is_good("\xef\xbb\xbf# jobs\r\nend = \"reboot\"\r\n\r\n[[job]]\r\nprogram = \"work\"\r\n");
	assert_int_equal(jobs.end, JOBS_REBOOT);
	assert_int_equal(jobs.nr, 1);
	is_good("");
	assert_int_equal(jobs.nr, 0);
	is_good("end='wait'");
	assert_int_equal(jobs.nr, 0);
}

/* An EFI program of the firmware's: its path, period and arguments; nothing else goes with it. */
static void firmware_jobs(void **state)
{
	static const char text[] =
	    "[[job]]\nname = \"a\"\nfirmware = \"/x.efi\"\narguments = "
	    "[\"one\", \"two\"]\n[[job]]\nfirmware = \"/y.efi\"\nperiod = 5000\n";

	(void)state;
	jobs_parse(&jobs, text, sizeof(text) - 1);
	assert_int_equal(jobs.nr_mistakes, 0);
	assert_int_equal(jobs.nr, 2);
	assert_string_equal(jobs.job[0].firmware, "/x.efi");
	assert_int_equal(jobs.job[0].period, JOB_PERIOD);
	assert_int_equal(jobs.job[0].run_bytes, 8);
	assert_memory_equal(jobs.job[0].run, "one\0two", 8);
	assert_string_equal(jobs.job[1].firmware, "/y.efi");
	assert_int_equal(jobs.job[1].period, 5000);
	is_wrong("[[job]]\nfirmware = \"/x.efi\"\nprogram = \"work\"\n", 1,
		 "name, firmware, arguments");
	is_wrong("[[job]]\nfirmware = \"/x.efi\"\nperiod = 10\n", 1, "at least 1000");
	is_wrong("[[job]]\nprogram = \"work\"\nperiod = 10000\n", 1,
		 "belongs to a job with firmware");
}

static void wrong_ones(void **state)
{
	(void)state;
	is_wrong("end = \"later\"\n", 1, "\"wait\", \"reboot\" or \"poweroff\"");
	is_wrong("\nprogram = \"work\"\n", 2, "before the first [[job]]");
	is_wrong("\nupload = 3\n", 2, "an upload goes to tftp://");
	is_wrong("[[job]]\nupload = 'tftp://'\n", 2, "no key of a job");
	is_wrong("[[job]]\nprogram = \"work\n", 2, "without its end");
	is_wrong("[[job]]\nprogram = work\n", 2, "a value is");
	is_wrong("[[job]]\nprogram\n", 2, "without =");
	is_wrong("[job]\n", 1, "a table is [[job]]");
	is_wrong("[[task]]\n", 1, "the only table");
	is_wrong("[[job]]\ncolour = 'red'\n", 2, "no key of a job");
	is_wrong("[[job]]\nprogram = 3\n", 2, "wants a string");
	is_wrong("[[job]]\nprogram = 'a' 'b'\n", 2, "something after the value");
	is_wrong("[[job]]\narguments = ['a' 'b']\n", 2, "comma");
	is_wrong("[[job]]\narguments = ['a', 3]\n", 2, "holds strings");
	is_wrong("[[job]]\narguments = ['a',\n", 3, "holds strings");
	is_wrong("[[job]]\nname = 'x'\n[[job]]\nprogram = 'work'\n", 1, "without a program");
	is_wrong("[[job]]\nname = 'x'\n", 1, "without a program");
	is_wrong("[[job]]\nprogram='work'\nrepetitions=2\n", 1, "repetitions want events");
	is_wrong("[[job]]\nprogram='work'\nevents='a'\nrecord='b'\n", 1, "to count, or one");
	is_wrong("[[job]]\nrepetitions = 12345678\n", 2, "up to 6 digits");
	is_wrong("[[job]]\ntimeout = '5'\n", 2, "up to 6 digits");
	is_wrong("[[job]]\nprogram = \"\\u0041\"\n", 2, "an escape other");
}

/* A mistake takes its own job away and no other one; each is named with its line. */
static void right_ones_beside(void **state)
{
	(void)state;
	is_wrong("end = 'poweroff'\nend2 = 'x'\n"
		 "[[job]]\nname='a'\nprogram='work'\n"
		 "[[job]]\nname='b'\ncolour='red'\nevents=[3,\n'x']\nprogram='work'\n"
		 "[job]\nprogram='work'\n"
		 "[[job]]\nname='c'\nprogram='work\narguments=['x',\n'y']\n"
		 "[[job]]\nname='d'\nprogram='work'\ntimeout=90\n",
		 2, "before the first [[job]]");
	assert_int_equal(jobs.nr, 2);
	assert_string_equal(jobs.job[0].name, "a");
	assert_string_equal(jobs.job[0].timeout, "");
	assert_string_equal(jobs.job[1].name, "d");
	assert_string_equal(jobs.job[1].timeout, "90");
	assert_int_equal(jobs.end, JOBS_POWEROFF);
	assert_int_equal(jobs.nr_mistakes, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(jobs.mistake[i].line, ((const unsigned[]){2, 8, 12, 16})[i]);
}

/* Texts that are too long end, whatever is long in them. */
static void long_ones(void **state)
{
	static const char *const starts[] = {
	    "[[job]]\nprogram='",     "[[job]]\nname='", "[[job]]\narguments=['",
	    "[[job]]\nevents=['a','", "[[job]]\n",       "# "};
	static char text[6000];
	unsigned line;

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		memset(text, 'x', sizeof(text));
		memcpy(text, starts[i], strlen(starts[i]));
		if (i < 5)
			assert_non_null(parse(text, sizeof(text), &line));
		else
			assert_null(parse(text, sizeof(text), &line));
	}
	for (size_t i = 0; i < 5600; i += 28)
		memcpy(text + i, "[[job]]\nprogram='loop1234'\n\n", 28);
	assert_non_null(strstr(parse(text, 5600, &line), "16 jobs"));
}

/* Every beginning of a file, and files with a byte changed, are read or refused. */
static void any_bytes(void **state)
{
	static const char good[] = "end='wait'\n[[job]]\nprogram=\"w\\n\"\narguments=['a',\"b\"]\n"
				   "repetitions=3\nevents=['x']\n";
	char text[sizeof(good)];
	unsigned line, seed = 1;

	(void)state;
	for (size_t bytes = 0; bytes < sizeof(good); bytes++)
		parse(good, bytes, &line);
	for (int round = 0; round < 20000; round++) {
		memcpy(text, good, sizeof(good));
		for (int i = 0; i < 3; i++) {
			seed = seed * 1103515245 + 12345;
			text[(seed >> 8) % (sizeof(good) - 1)] = (char)(seed >> 20);
		}
		parse(text, sizeof(good) - 1, &line);
		assert_in_range(line, 1, sizeof(good));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs_and_their_arguments),
	    cmocka_unit_test(counting_and_sampling),
	    cmocka_unit_test(editors),
	    cmocka_unit_test(uploads),
	    cmocka_unit_test(firmware_jobs),
	    cmocka_unit_test(wrong_ones),
	    cmocka_unit_test(right_ones_beside),
	    cmocka_unit_test(long_ones),
	    cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
