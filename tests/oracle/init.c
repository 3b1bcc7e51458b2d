/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first process of the reference: runs the program of the run file on stock Linux and speaks
 * the same frames on COM2 as our kernel does (docs/architecture.md), so that one host command
 * serves both.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { PIECE = 65536, MAX_STRINGS = 256 };

struct header {
	char magic[4];
	uint8_t type, flags;
	uint16_t name_len;
	uint32_t length, sequence, crc;
} __attribute__((packed));

static int com2 = -1;
static uint32_t sequence;

static uint32_t crc32_more(uint32_t crc, const void *data, size_t bytes)
{
	const uint8_t *p = data;

	while (bytes--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

static void write_all(const void *data, size_t bytes)
{
	const char *p = data;

	while (bytes > 0) {
		ssize_t n = write(com2, p, bytes);

		if (n <= 0)
			return;
		p += n;
		bytes -= (size_t)n;
	}
}

static void send_frame(char type, uint8_t flags, const char *name, const void *data, uint32_t bytes)
{
	struct header h = {.magic = {'B', 'P', 'M', 'U'},
			   .type = (uint8_t)type,
			   .flags = flags,
			   .name_len = (uint16_t)strlen(name),
			   .length = bytes,
			   .sequence = sequence};
	uint32_t crc = crc32_more(~0u, &h, sizeof h);

	sequence++;
	crc = crc32_more(crc, name, h.name_len);
	h.crc = ~crc32_more(crc, data, bytes);
	write_all(&h, sizeof h);
	write_all(name, h.name_len);
	write_all(data, bytes);
}

static void send_exit(uint32_t status, uint32_t reason, const char *text)
{
	char payload[256];
	int n = snprintf(payload + 8, sizeof payload - 8, "%s", text);

	memcpy(payload, &status, 4);
	memcpy(payload + 4, &reason, 4);
	send_frame('X', 0, "", payload, 8 + (uint32_t)n);
}

static void send_file(const char *path, const char *name)
{
	static char piece[PIECE], next[PIECE];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, piece, PIECE);

	do {
		ssize_t more = fd < 0 || n <= 0 ? 0 : read(fd, next, PIECE);

		send_frame('F', more <= 0, name, piece, n > 0 ? (uint32_t)n : 0);
		n = more;
		memcpy(piece, next, n > 0 ? (size_t)n : 0);
	} while (n > 0);
	close(fd);
}

static void send_folder(const char *path, const char *prefix)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char full[4096], name[4096];
		struct stat st;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(full, sizeof full, "%s/%s", path, e->d_name);
		snprintf(name, sizeof name, "%s%s", prefix, e->d_name);
		if (stat(full, &st) == 0 && S_ISDIR(st.st_mode)) {
			strncat(name, "/", sizeof name - strlen(name) - 1);
			send_folder(full, name);
		} else {
			send_file(full, name);
		}
	}
	if (dir)
		closedir(dir);
}

struct run {
	char *cwd, *argv[MAX_STRINGS], *envp[MAX_STRINGS];
};

static int read_run_file(struct run *run)
{
	static char text[65536];
	int fd = open("/.barepmu/run", O_RDONLY), args = 0, envs = 0;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	run->cwd = "/";
	for (char *p = text; n > 0 && p < text + n; p += strlen(p) + 1) {
		if (*p == 'C')
			run->cwd = p + 1;
		else if (*p == 'A' && args < MAX_STRINGS - 1)
			run->argv[args++] = p + 1;
		else if (*p == 'E' && envs < MAX_STRINGS - 1)
			run->envp[envs++] = p + 1;
	}
	close(fd);
	return args;
}

static void forward(int out, int err)
{
	struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
	static char piece[PIECE];

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		poll(fds, 2, -1);
		for (int i = 0; i < 2; i++) {
			if (!fds[i].revents)
				continue;
			ssize_t n = read(fds[i].fd, piece, PIECE);

			if (n > 0)
				send_frame("OE"[i], 0, "", piece, (uint32_t)n);
			else
				fds[i].fd = -1;
		}
	}
}

static void start_program(struct run *run, int out, int err)
{
	int input = open("/.barepmu/input", O_RDONLY);

	setsid();
	dup2(input < 0 ? open("/dev/null", O_RDONLY) : input, 0);
	dup2(out, 1);
	dup2(err, 2);
	for (int fd = 3; fd < 16; fd++)
		close(fd);
	if (chdir(run->cwd) != 0) {
		dprintf(2, "cannot start in %s: %s\n", run->cwd, strerror(errno));
		_exit(125);
	}
	execve(run->argv[0], run->argv, run->envp);
	_exit(access(run->argv[0], F_OK) == 0 ? 126 : 127);
}

static int run_program(struct run *run)
{
	int out[2], err[2], status = 0;

	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
		return 125;
	pid_t pid = fork();

	if (pid == 0)
		start_program(run, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	forward(out[0], err[0]);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void open_com2(void)
{
	struct termios t;

	com2 = open("/dev/ttyS1", O_RDWR | O_NOCTTY);
	tcgetattr(com2, &t);
	cfmakeraw(&t);
	tcsetattr(com2, TCSANOW, &t);
}

int main(void)
{
	struct run run = {0};

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	open_com2();
	if (read_run_file(&run) == 0)
		send_exit(127, 2, "no program in the run file");
	else {
		int status = run_program(&run);

		send_folder("/out", "");
		send_exit((uint32_t)status, status >= 128, "");
	}
	tcdrain(com2);
	reboot(RB_POWER_OFF);
	return 0;
}
