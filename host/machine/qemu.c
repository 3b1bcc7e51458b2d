/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts QEMU, reads its two serial lines while it runs, and makes sure that it ends. */
#include "host/machine/qemu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/lib/report.h"
#include "host/machine/debugger.h"
#include "host/machine/inherited.h"
#include "host/machine/lines.h"
#include "host/machine/link/feed.h"
#include "host/machine/link/link.h"
#include "host/machine/output.h"
#include "host/machine/progress.h"
#include "host/machine/qemu_file.h"
#include "host/machine/terminal.h"

#define OLDEST_QEMU        7 /* major version: whose SVM emulation the visor needs */
#define EXPERIMENT_SECONDS 60
#define WAKE_MS            200 /* to look at the clock */
#define PIPE_BYTES         (1 << 20)
#define GENTLE_SECONDS     20 /* for QEMU to write what its plugin has */

static volatile sig_atomic_t interrupted; /* signal that asks us to end */
static pid_t running;                     /* QEMU, while it runs */

static FILE *version_pipe;
static int major_version, minor_version; /* 0, 0: not known */

void qemu_query(void)
{
	if (!qemu_file_version(QEMU, &major_version, &minor_version))
		version_pipe = popen(QEMU " --version 2>/dev/null", "re");
}

/* Reads QEMU's version. */
static void hear_version(void)
{
	if (fscanf(version_pipe, "QEMU emulator version %d.%d", &major_version, &minor_version) < 1)
		major_version = 0;
	while (fgetc(version_pipe) != EOF)
		;
	pclose(version_pipe);
	version_pipe = NULL;
}

const char *qemu_check(void)
{
	static char version[32];

	if (*version)
		return version;
	if (!version_pipe && !major_version)
		qemu_query();
	if (version_pipe)
		hear_version();
	if (!major_version)
		die(STATUS_OURS,
		    "cannot run " QEMU ": install it (Debian: apt-get install qemu-system-x86)");
	if (major_version < OLDEST_QEMU)
		die(STATUS_OURS, QEMU " is version %d: version %d or later is needed",
		    major_version, OLDEST_QEMU);
	snprintf(version, sizeof(version), "%d.%d", major_version, minor_version);
	return version;
}

/* True if /proc/cpuinfo lists the processor flag. */
static bool processor_has(const char *flag)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[8192], *found = NULL;

	while (file && !found && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "flags", 5))
			found = strstr(line, flag);
	}
	if (file)
		fclose(file);
	return found;
}

bool kvm_offers_pmu(void)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	FILE *file = fopen("/sys/module/kvm/parameters/enable_pmu", "re");
	int answer = file ? fgetc(file) : 'Y';

	if (file)
		fclose(file);
	if (fd < 0)
		return false;
	close(fd);
	return answer != 'N' && answer != '0' &&
	       (processor_has("arch_perfmon") || processor_has("perfctr_core"));
}

static int qemu_signal; /* that ended QEMU, other than ours; 0: none */

static void end_qemu(void)
{
	int status = 0;

	if (running > 0) {
		kill(running, SIGKILL);
		waitpid(running, &status, 0);
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
			qemu_signal = WTERMSIG(status);
	}
	running = 0;
}

/* QEMU ends by itself when the machine has sent its last frame, and then writes the results of an
 * experiment. Waits for it, for at most EXPERIMENT_SECONDS. */
static void let_qemu_end(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < EXPERIMENT_SECONDS * 1000; i++) {
		if (waitpid(running, NULL, WNOHANG) == running) {
			running = 0;
			return;
		}
		nanosleep(&pause, NULL);
	}
}

static void on_signal(int signal)
{
	interrupted = signal;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGWINCH, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

#define NR_CHILD_FDS 8 /* COM1, COM2, errors, archive, memory, bell, two doors */

/* Runs in the child: moves the descriptors to the numbers in the arguments, and executes QEMU. */
static _Noreturn void become_qemu(char **argv, const int *fds)
{
	int high[NR_CHILD_FDS], null = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* a terminal's Ctrl-C goes to us alone */
	for (int i = 0; i < NR_CHILD_FDS; i++)
		high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_INHERITED);
	dup2(null, STDIN_FILENO);
	dup2(high[2], STDOUT_FILENO);
	dup2(high[2], STDERR_FILENO);
	dup2(high[0], 3);
	dup2(high[1], 4);
	for (int i = 3; i < NR_CHILD_FDS; i++)
		if (high[i] >= 0)
			dup2(high[i], i + 2);
	execvp(argv[0], argv);
	_exit(STATUS_NOT_FOUND);
}

void qemu_start(struct qemu *qemu, char **argv, int initrd_fd, bool both_ways)
{
	int com1[2], com2[2], errors[2];

	if (pipe2(com1, O_CLOEXEC) || pipe2(errors, O_CLOEXEC) ||
	    (both_ways ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, com2)
		       : pipe2(com2, O_CLOEXEC)))
		die(STATUS_OURS, "cannot make a pipe: %s", strerror(errno));
	fcntl(com2[1], F_SETPIPE_SZ, PIPE_BYTES);
	catch_signals();
	fflush(NULL);
	qemu->pid = fork();
	if (qemu->pid == 0)
		become_qemu(argv, (int[]){com1[1], com2[1], errors[1], initrd_fd, link_memory_fd(),
					  link_bell_fd(), link_door_fd(0), link_door_fd(1)});
	if (qemu->pid < 0)
		die(STATUS_OURS, "cannot start QEMU: %s", strerror(errno));
	running = qemu->pid;
	atexit(end_qemu);
	close(com1[1]);
	close(com2[1]);
	close(errors[1]);
	qemu->com1 = com1[0];
	qemu->com2 = com2[0];
	qemu->errors = errors[0];
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reads what is available. Returns false at the end of the stream. */
static bool drain(int fd, unsigned char *bytes, size_t size, ssize_t *n)
{
	do
		*n = read(fd, bytes, size);
	while (*n < 0 && errno == EINTR && !interrupted);
	return *n > 0;
}

/* Waits until there is something to read. Where the machine does not print on this terminal itself,
 * says how long it has been running. */
static void wait_for_errors(int fd)
{
	struct pollfd ready = {fd, POLLIN, 0};

	while (!interrupted && !poll(&ready, 1, WAKE_MS))
		if (!isatty(STDOUT_FILENO))
			progress_show("running");
}

/* Passes on QEMU's messages until it ends. */
static void pass_errors(int fd, struct lines *errors)
{
	unsigned char bytes[4096];
	ssize_t n;

	for (;;) {
		wait_for_errors(fd);
		if (interrupted || !drain(fd, bytes, sizeof(bytes), &n))
			break;
		lines_feed(errors, bytes, (size_t)n);
	}
	progress_hide();
}

static void end_if_interrupted(int timeout)
{
	if (interrupted == SIGALRM)
		die(STATUS_TIMEOUT, "stopped after %d s (--timeout)", timeout);
	if (interrupted)
		exit(128 + interrupted);
}

/* Asks QEMU to end, and waits for that. Returns the signal that made us do so, or 0. */
static int end_gently(int fd, struct lines *errors)
{
	int by = interrupted;

	if (!by)
		return 0;
	interrupted = 0;
	errors->show = false; /* it says that it was asked */
	kill(running, SIGTERM);
	alarm(GENTLE_SECONDS);
	pass_errors(fd, errors);
	alarm(0);
	return by;
}

/* Returns the guest's value, or 0 when it has none. Exits when QEMU failed, whose status 1 is also
 * a guest's 0. */
static int status_of(int status, const struct lines *errors)
{
	if (WIFSIGNALED(status))
		die(STATUS_OURS, "QEMU was ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) == 1 && !strncmp(errors->last, "qemu", 4) &&
	    !strstr(errors->last, "warning: "))
		die(STATUS_OURS, "QEMU failed");
	return WEXITSTATUS(status) & 1 ? WEXITSTATUS(status) >> 1 : 0;
}

int qemu_run(char **argv, int timeout, int *stopped)
{
	struct lines errors = {.show = true};
	int status = 0, ends[2];

	if (pipe2(ends, O_CLOEXEC))
		die(STATUS_OURS, "cannot make a pipe: %s", strerror(errno));
	catch_signals();
	if (terminal_typed())
		signal(SIGINT, SIG_IGN); /* Ctrl-C is for the machine's console */
	alarm((unsigned)timeout);
	progress_begin("boot", timeout, false);
	running = fork();
	if (running == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ends[1], STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(STATUS_NOT_FOUND);
	}
	atexit(end_qemu);
	close(ends[1]);
	pass_errors(ends[0], &errors);
	if (stopped)
		*stopped = end_gently(ends[0], &errors);
	end_if_interrupted(timeout);
	while (running > 0 && waitpid(running, &status, 0) < 0)
		;
	running = 0;
	return status_of(status, &errors);
}

/* The machine's output. */
struct stream {
	struct frames frames;
	struct lines console, errors;
};

enum { COM2, COM1, ERRORS, BELL, OUTPUT, INPUT, NR_FDS };

/* Reports a machine that stopped without its last frame. */
static _Noreturn void explain(const struct frames *frames, const struct lines *console,
			      const struct lines *errors)
{
	const char *line;

	if (frames->damaged)
		die(STATUS_OURS, "damaged data from the machine (frame %u)", frames->sequence);
	if (strstr(errors->last, "svm"))
		die(STATUS_OURS, "this QEMU cannot emulate SVM, which the emulated PMU needs: %s",
		    errors->last);
	if (!strncmp(errors->last, "component ", 10)) /* a user's, of the simulated core */
		die(STATUS_OURS, "%s", errors->last);
	if (*errors->last)
		die(STATUS_OURS, "QEMU failed: %s", errors->last);
	if (qemu_signal)
		die(STATUS_OURS, "QEMU was ended by signal %d (%s)", qemu_signal,
		    strsignal(qemu_signal));
	line = strstr(console->visor, "died") ? console->visor : console->last;
	die(STATUS_OURS, "the machine stopped without a result%s%s",
	    *line ? "; it last said: " : "", line);
}

static bool forwarded; /* Ctrl-C: the next one ends the machine */

/* Passes Ctrl-C or a new window size to the program. */
static void pass_signal(void)
{
	forwarded |= interrupted == SIGINT;
	link_signal(interrupted);
	interrupted = 0;
}

/* Ends the command after an interrupt or the timeout. */
static void check_limits(const struct options *options, double elapsed)
{
	if (link_attached() && (interrupted == SIGWINCH || (interrupted == SIGINT && !forwarded)))
		return;
	if ((!interrupted || interrupted == SIGWINCH) && elapsed < options->timeout)
		return;
	progress_hide();
	if (interrupted)
		exit(128 + interrupted);
	die(STATUS_TIMEOUT, "stopped after %d s (--timeout)", options->timeout);
}

/* Waits until a descriptor is readable or writable. */
static void wait_for_any(struct pollfd *fds, int com2)
{
	fds[COM2].fd = link_attached() || !output_is_full() ? com2 : -1;
	fds[OUTPUT].fd = output_fd();
	fds[INPUT].fd = link_attached() ? link_input_fd() : feed_fd();
	if (poll(fds, NR_FDS, link_wait_ms(WAKE_MS)) < 0)
		for (int i = 0; i < NR_FDS; i++)
			fds[i].revents = 0;
	output_some();
}

/* Serves the shared memory: requests, the machine's output, our input, signals. */
static void serve_link(struct stream *stream, struct results *results, bool readable)
{
	if (!link_attached()) {
		link_serve(&stream->frames, results, false);
		return;
	}
	if (interrupted == SIGWINCH || (interrupted == SIGINT && !forwarded))
		pass_signal();
	if (!output_is_full())
		link_drain(&stream->frames, results);
	link_serve(&stream->frames, results, readable);
}

/* Serves Linux's input, which does not come through the link. */
static void serve_feed(int com2, bool readable)
{
	if (link_attached() || com2 < 0)
		return;
	if (interrupted == SIGWINCH && feed_fd() >= 0) {
		interrupted = 0;
		feed_size(com2);
	}
	if (readable && feed_fd() >= 0)
		feed_serve(com2);
}

/* Reads from a descriptor. Returns false at its end. */
static bool qemu_take(struct stream *stream, struct results *results, int which, int fd)
{
	static unsigned char bytes[65536];
	ssize_t n;

	if (!drain(fd, bytes, sizeof(bytes), &n))
		return false;
	if (which == BELL || (which == COM2 && link_attached()))
		return true; /* it rings */
	if (which == COM2)
		frames_feed(&stream->frames, results, bytes, (size_t)n);
	else
		lines_feed(which == COM1 ? &stream->console : &stream->errors, bytes, (size_t)n);
	return true;
}

/* Takes the log's rest after the end, but not much: a guest may still be running. */
static void take_log(struct stream *stream, struct results *results, int fd)
{
	struct pollfd log = {fd, POLLIN, 0};

	for (unsigned i = 0; i < 16 && poll(&log, 1, 0) > 0; i++)
		if (!(log.revents & POLLIN) || !qemu_take(stream, results, COM1, fd))
			break;
}

/* Writes the rest to slow readers. */
static void finish_output(const struct options *options, double start)
{
	while (output_pending()) {
		struct pollfd fd = {output_fd(), POLLOUT, 0};

		check_limits(options, now() - start);
		poll(&fd, 1, WAKE_MS);
		output_some();
	}
}

/* True for commands whose program may be silent for long between two lines; others may be typed
 * at. */
static bool prints_lines(const struct options *options)
{
	static const char *const commands[] = {"bench", "stat", "record", "trace"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(options->command, commands[i]))
			return true;
	return false;
}

void qemu_watch(struct qemu *qemu, const struct options *options, struct results *results)
{
	static struct stream stream;
	struct pollfd fds[NR_FDS] = {
	    [COM2] = {qemu->com2, POLLIN, 0},     [COM1] = {qemu->com1, POLLIN, 0},
	    [ERRORS] = {qemu->errors, POLLIN, 0}, [BELL] = {link_request_fd(), POLLIN, 0},
	    [OUTPUT] = {-1, POLLOUT, 0},          [INPUT] = {-1, POLLIN, 0},
	};
	double start = now();

	stream.console.show = true;
	progress_begin(options->command, options->timeout, prints_lines(options));
	stream.console.from_kernel = options->firmware == FIRMWARE_OVMF;
	while (!results->ended && !stream.frames.damaged &&
	       (qemu->com2 >= 0 || fds[COM1].fd >= 0)) {
		check_limits(options, now() - start);
		wait_for_any(fds, qemu->com2);
		if (!debugger_used())
			progress_show(link_attached() || results->output_seen ? "running"
									      : "starting");
		for (int i = 0; i < OUTPUT; i++) {
			if (!(fds[i].revents & (POLLIN | POLLHUP | POLLERR)) ||
			    qemu_take(&stream, results, i, fds[i].fd))
				continue;
			fds[i].fd = -1;
			if (i == COM2)
				qemu->com2 = -1;
		}
		serve_link(&stream, results, fds[INPUT].revents);
		serve_feed(qemu->com2, fds[INPUT].revents);
	}
	take_log(&stream, results, fds[COM1].fd);
	progress_hide();
	if (results->ended && experiment_wanted(&options->experiment))
		let_qemu_end();
	end_qemu();
	link_drain(&stream.frames, results);
	terminal_restore();
	finish_output(options, start);
	if (!results->ended && !debugger_used())
		explain(&stream.frames, &stream.console, &stream.errors);
}
