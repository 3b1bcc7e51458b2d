/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers: timer_create, timerfd, setitimer on every clock, signalfd, clocks of processor time,
 * sleeping. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/guest/tap.h"

#ifndef SIGEV_THREAD_ID
#define SIGEV_THREAD_ID 4
#endif
#define MS 1000000ll

#ifdef __GLIBC__
typedef __itimer_which_t which_timer;
#else
typedef int which_timer;
#endif

static volatile sig_atomic_t handled, last_code, last_value, last_overrun;

static void handler(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	handled++;
	last_code = info->si_code;
	last_value = info->si_value.sival_int;
	last_overrun = info->si_overrun;
}

static bool fails(long result, int error)
{
	return result == -1 && errno == error;
}

static int64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

/* Uses processor time. */
static void spin(int64_t ns)
{
	int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* Works until the handler has run so often, for a second at most. True: it did, not before the
 * clock showed `end`. */
static bool works_until(int wanted, clockid_t clock, int64_t end)
{
	for (int i = 0; handled < wanted && i < 1000; i++)
		spin(1 * MS);
	return handled == wanted && now(clock) >= end;
}

/* Sleeps until the handler has run so often. */
static int pause_until_is(volatile sig_atomic_t *count, int wanted)
{
	for (int i = 0; *count < wanted && i < 2000; i++)
		usleep(1000);
	return *count < wanted;
}

static int pause_until(volatile sig_atomic_t *count)
{
	return pause_until_is(count, 1);
}

static struct itimerspec after(int64_t first, int64_t period)
{
	return (struct itimerspec){.it_value = {first / 1000000000, first % 1000000000},
				   .it_interval = {period / 1000000000, period % 1000000000}};
}

/* The raw calls: C libraries check and translate on their own. */
static int create(int clock, int notify, int signo, int *id)
{
	struct sigevent event = {0};

	event.sigev_notify = notify;
	event.sigev_signo = signo;
	event.sigev_value.sival_int = 77;
	if (notify & SIGEV_THREAD_ID)
		((int *)&event)[4] = (int)syscall(SYS_gettid);
	return (int)syscall(SYS_timer_create, clock, &event, id);
}

static int set(int id, int flags, int64_t first, int64_t period)
{
	struct itimerspec time = after(first, period);

	return (int)syscall(SYS_timer_settime, id, flags, &time, NULL);
}

static void take_signals(int signo)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	sigaction(signo, &action, NULL);
	handled = 0;
}

static void posix_timers(void)
{
	struct itimerspec left;
	struct timespec none = {0, 0};
	siginfo_t info;
	sigset_t mask;
	int id, id2;

	take_signals(SIGRTMIN);
	ok(!create(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGRTMIN, &id), "a timer");
	ok(!syscall(SYS_timer_gettime, id, &left) && !left.it_value.tv_sec &&
	       !left.it_value.tv_nsec,
	   "a new timer is not armed");
	ok(!set(id, 0, 5 * MS, 0) && !pause_until(&handled) && handled == 1 &&
	       last_code == SI_TIMER && last_value == 77,
	   "a timer's signal has SI_TIMER and the value");
	sigemptyset(&mask);
	sigaddset(&mask, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	set(id, 0, 2 * MS, 2 * MS);
	spin(21 * MS);
	ok(!syscall(SYS_timer_gettime, id, &left) && left.it_interval.tv_nsec == 2 * MS &&
	       left.it_value.tv_nsec <= 2 * MS,
	   "timer_gettime while the signal waits");
	memset(&info, 0, sizeof(info));
	ok(sigtimedwait(&mask, &info, &none) == SIGRTMIN && info.si_overrun >= 8 &&
	       syscall(SYS_timer_getoverrun, id) == info.si_overrun,
	   "timer_getoverrun counts missed periods");
	set(id, 0, 0, 0);
	while (sigtimedwait(&mask, &info, &none) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	handled = 0;
	set(id, TIMER_ABSTIME, now(CLOCK_MONOTONIC) + 3 * MS, 0);
	pause_until(&handled);
	ok(handled == 1, "an absolute time");
	set(id, TIMER_ABSTIME, 1, 0);
	ok(!pause_until_is(&handled, 2) && handled == 2,
	   "an absolute time that has passed fires at once");
	ok(!create(CLOCK_REALTIME, SIGEV_SIGNAL | SIGEV_THREAD_ID, SIGRTMIN, &id2) &&
	       !set(id2, TIMER_ABSTIME, now(CLOCK_REALTIME) + 3 * MS, 0) &&
	       !pause_until_is(&handled, 3) && handled == 3,
	   "a timer of the real time signals one thread");
	ok(!syscall(SYS_timer_delete, id2) && fails(syscall(SYS_timer_delete, id2), EINVAL),
	   "deleted once");
	ok(!create(CLOCK_MONOTONIC, SIGEV_NONE, 0, &id2) && !set(id2, 0, 1 * MS, 0),
	   "without a signal");
	spin(2 * MS);
	ok(!syscall(SYS_timer_gettime, id2, &left) && !left.it_value.tv_nsec,
	   "a timer without a signal ends");
	if (!fork()) {
		_exit(syscall(SYS_timer_delete, id) == -1 && errno == EINVAL ? 0 : 1);
	} else {
		int status;

		wait(&status);
		ok(!status, "a child has none of them");
	}
	syscall(SYS_timer_delete, id);
	syscall(SYS_timer_delete, id2);
}

static void processor_timers(void)
{
	struct itimerval every = {{0, 5000}, {0, 5000}}, off = {{0, 0}, {0, 0}}, left;
	int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + 20 * MS;
	int id;

	take_signals(SIGRTMIN);
	ok(!create(CLOCK_THREAD_CPUTIME_ID, SIGEV_SIGNAL, SIGRTMIN, &id) && !set(id, 0, 20 * MS, 0),
	   "a timer on the thread's processor time");
	usleep(30000);
	ok(handled == 0, "sleeping does not count");
	ok(works_until(1, CLOCK_THREAD_CPUTIME_ID, end), "work does");
	syscall(SYS_timer_delete, id);
	end = now(CLOCK_PROCESS_CPUTIME_ID) + 20 * MS;
	ok(!create(CLOCK_PROCESS_CPUTIME_ID, SIGEV_SIGNAL, SIGRTMIN, &id) &&
	       !set(id, TIMER_ABSTIME, end, 0),
	   "a timer of the process's processor time");
	ok(works_until(2, CLOCK_PROCESS_CPUTIME_ID, end), "work counts");
	syscall(SYS_timer_delete, id);

	take_signals(SIGPROF);
	ok(!setitimer(ITIMER_PROF, &every, NULL), "ITIMER_PROF");
	spin(100 * MS);
	ok(handled >= 5 && handled <= 21 && last_code == SI_KERNEL, "SIGPROF comes with the work");
	ok(!getitimer(ITIMER_PROF, &left) && left.it_interval.tv_usec >= 4000 &&
	       left.it_interval.tv_usec <= 8000,
	   "getitimer returns ITIMER_PROF's period");
	setitimer(ITIMER_PROF, &off, NULL);
	take_signals(SIGVTALRM);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
	for (volatile int i = 0; i < 60000000 && !handled; i++)
		;
	ok(handled > 0, "ITIMER_VIRTUAL");
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	ok(fails(setitimer((which_timer)3, &off, NULL), EINVAL) &&
	       fails(getitimer((which_timer)-1, &left), EINVAL),
	   "no other: EINVAL");
}

static void timer_files(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	struct itimerspec time = after(3 * MS, 2 * MS), old;
	struct pollfd one = {.fd = fd, .events = POLLIN};
	uint64_t count = 0;

	ok(fd >= 0 && fails(read(fd, &count, 8), EAGAIN), "a timer to read, not armed");
	ok(!timerfd_settime(fd, 0, &time, NULL) && poll(&one, 1, -1) == 1 && one.revents == POLLIN,
	   "poll waits for it");
	spin(10 * MS);
	ok(read(fd, &count, 8) == 8 && count >= 4, "the ends so far");
	ok(fails(read(fd, &count, 4), EINVAL), "a short read: EINVAL");
	fcntl(fd, F_SETFL, 0);
	ok(read(fd, &count, 8) == 8 && count >= 1, "a read that sleeps");
	ok(!timerfd_gettime(fd, &old) && old.it_interval.tv_nsec == 2 * MS &&
	       old.it_value.tv_nsec > 0 && old.it_value.tv_nsec <= 2 * MS,
	   "timerfd_gettime returns the time left");
	time = after(0, 0);
	ok(!timerfd_settime(fd, 0, &time, &old) && old.it_interval.tv_nsec == 2 * MS &&
	       !poll(&one, 1, 5),
	   "disarmed");
	time = after(now(CLOCK_MONOTONIC) + 2 * MS, 0);
	ok(!timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL) && read(fd, &count, 8) == 8 &&
	       count == 1,
	   "an absolute time, once");
	time.it_value.tv_nsec = 1000000000;
	ok(fails(timerfd_settime(fd, 0, &time, NULL), EINVAL) &&
	       fails(timerfd_settime(fd, 4, &old, NULL), EINVAL) &&
	       fails(timerfd_settime(-1, 0, &old, NULL), EBADF) &&
	       fails(timerfd_settime(0, 0, &old, NULL), EINVAL) &&
	       fails(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0), EINVAL) &&
	       fails(timerfd_create(CLOCK_MONOTONIC, 1), EINVAL),
	   "EINVAL, EBADF");
	close(fd);
}

/* A timer that is over while poll(2) still looks at what comes after it wakes the caller. */
static void timer_in_a_long_look(void)
{
	struct itimerspec time = {{0, 0}, {0, 0}};
	struct pollfd files[200];
	int ends[2], waits = 0;

	files[0].fd = timerfd_create(CLOCK_MONOTONIC, 0);
	files[0].events = POLLIN;
	pipe(ends);
	for (unsigned i = 1; i < 200; i++)
		files[i] = (struct pollfd){.fd = ends[0], .events = POLLIN};
	for (time.it_value.tv_nsec = 1000; time.it_value.tv_nsec < 60000 && !waits;
	     time.it_value.tv_nsec += 1000) {
		int64_t begin = now(CLOCK_MONOTONIC);

		timerfd_settime(files[0].fd, 0, &time, NULL);
		waits = poll(files, 200, 1000) != 1 || now(CLOCK_MONOTONIC) - begin > 500 * MS;
	}
	ok(!waits, "a timer that ends while poll looks wakes it (after %ld ns)",
	   time.it_value.tv_nsec);
	close(files[0].fd);
	close(ends[0]);
	close(ends[1]);
}

static void signal_files(void)
{
	struct signalfd_siginfo info[3];
	struct pollfd one = {.events = POLLIN};
	sigset_t mask;
	int fd, id, status;
	pid_t child;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	one.fd = fd = signalfd(-1, &mask, SFD_NONBLOCK);
	ok(fd >= 0 && fails(read(fd, info, sizeof(info)), EAGAIN) && !poll(&one, 1, 0),
	   "signals to read, none yet");
	kill(getpid(), SIGUSR1);
	sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 9});
	ok(poll(&one, 1, -1) == 1 && read(fd, info, sizeof(info)) == 2 * sizeof(info[0]),
	   "two at once");
	ok(info[0].ssi_signo == SIGUSR1 && info[0].ssi_code == SI_USER &&
	       info[0].ssi_pid == (uint32_t)getpid(),
	   "signalfd names the sender");
	ok(info[1].ssi_signo == (uint32_t)SIGRTMIN && info[1].ssi_code == SI_QUEUE &&
	       info[1].ssi_int == 9,
	   "the value");
	child = fork();
	if (!child)
		_exit(3);
	fcntl(fd, F_SETFL, 0);
	ok(read(fd, info, sizeof(info)) == sizeof(info[0]) && info[0].ssi_signo == SIGCHLD &&
	       info[0].ssi_pid == (uint32_t)child && info[0].ssi_status == 3 &&
	       info[0].ssi_code == CLD_EXITED,
	   "a read sleeps until the child ends");
	waitpid(child, &status, 0);
	create(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGRTMIN, &id);
	set(id, 0, 1 * MS, 0);
	ok(read(fd, info, sizeof(info)) == sizeof(info[0]) && info[0].ssi_code == SI_TIMER &&
	       info[0].ssi_tid == (uint32_t)id && info[0].ssi_int == 77,
	   "a timer's");
	syscall(SYS_timer_delete, id);
	ok(fails(read(fd, info, 100), EINVAL) && fails(signalfd(fd, &mask, 1), EINVAL) &&
	       fails(signalfd(0, &mask, 0), EINVAL) && fails(signalfd(77, &mask, 0), EBADF) &&
	       fails(syscall(SYS_signalfd4, -1, &mask, 4, 0), EINVAL),
	   "EINVAL, EBADF");
	close(fd);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

static void *idle(void *argument)
{
	pthread_barrier_wait(argument);
	pthread_barrier_wait(argument);
	return NULL;
}

static void clocks(void)
{
	struct timespec time, moment = {0, 1000};
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	pthread_barrier_t barrier;
	pthread_t thread;
	clockid_t clock;
	int id;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, idle, &barrier);
	pthread_barrier_wait(&barrier);
	ok(!pthread_getcpuclockid(thread, &clock) && !clock_gettime(clock, &time) &&
	       now(clock) < now(CLOCK_PROCESS_CPUTIME_ID),
	   "another thread's processor time");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	ok(!clock_getcpuclockid(getpid(), &clock) && now(clock) <= now(CLOCK_PROCESS_CPUTIME_ID),
	   "the own process's, by number");
	ok(!clock_getres(CLOCK_MONOTONIC, &time) && time.tv_nsec == 1 &&
	       !clock_getres(CLOCK_MONOTONIC_COARSE, &time) && time.tv_nsec == 4000000,
	   "resolutions");
	ok(syscall(SYS_clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, &moment, NULL) == -1 &&
	       errno == EOPNOTSUPP,
	   "nobody sleeps on his own processor time");
	ok(fails(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC_RAW, 0, &moment, NULL), EOPNOTSUPP) &&
	       fails(syscall(SYS_clock_nanosleep, 99, 0, &moment, NULL), EINVAL) &&
	       fails(syscall(SYS_clock_gettime, -8000000, &time), EINVAL),
	   "clocks that are not there");
	ok(fails(syscall(SYS_timer_create, CLOCK_MONOTONIC_COARSE, &none, &id), EOPNOTSUPP) &&
	       fails(syscall(SYS_timer_create, 99, &none, &id), EINVAL) &&
	       fails(create(CLOCK_MONOTONIC, SIGEV_SIGNAL, 65, &id), EINVAL) &&
	       fails(create(CLOCK_MONOTONIC, 3, SIGALRM, &id), EINVAL) &&
	       fails(syscall(SYS_timer_create, CLOCK_MONOTONIC, NULL, 8), EFAULT) &&
	       fails(syscall(SYS_timer_settime, 99, 0, &(struct itimerspec){0}, NULL), EINVAL) &&
	       fails(syscall(SYS_timer_settime, 99, 0, NULL, NULL), EINVAL) &&
	       fails(syscall(SYS_timer_getoverrun, 99), EINVAL),
	   "timers that are not there");
}

static void usage(void)
{
	struct rusage before, after_work;
	int64_t used;

	getrusage(RUSAGE_SELF, &before);
	spin(40 * MS);
	getrusage(RUSAGE_SELF, &after_work);
	used = (after_work.ru_utime.tv_sec - before.ru_utime.tv_sec + after_work.ru_stime.tv_sec -
		before.ru_stime.tv_sec) *
		   1000000 +
	       after_work.ru_utime.tv_usec - before.ru_utime.tv_usec + after_work.ru_stime.tv_usec -
	       before.ru_stime.tv_usec;
	ok(used >= 30000 && used <= 80000, "getrusage tells of %lld us of work", (long long)used);
}

static int64_t micros(struct timeval time)
{
	return time.tv_sec * 1000000ll + time.tv_usec;
}

/* Reads the processor time in ring 3 and in the kernel, after `ms` of work; the caller checks
 * the amounts. */
static void shares(int64_t *user, int64_t *system, int64_t ms, void (*work)(void))
{
	int64_t start = now(CLOCK_THREAD_CPUTIME_ID);
	struct rusage before, after;

	getrusage(RUSAGE_THREAD, &before);
	while (now(CLOCK_THREAD_CPUTIME_ID) - start < ms * MS)
		for (int i = 0; i < 100; i++)
			work();
	getrusage(RUSAGE_THREAD, &after);
	*user = micros(after.ru_utime) - micros(before.ru_utime);
	*system = micros(after.ru_stime) - micros(before.ru_stime);
}

static void compute(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

static void map_and_touch(void)
{
	volatile char *page =
	    mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < 16; i++)
		page[i * 4096] = 1;
	munmap((void *)page, 65536);
}

static void system_time(void)
{
	int64_t user, system;
	struct rusage children;
	struct tms times_now;
	pid_t child;

	shares(&user, &system, 60, compute);
	ok(user > 4 * system, "work in ring 3: %lld us user, %lld system", (long long)user,
	   (long long)system);
	shares(&user, &system, 60, map_and_touch);
	ok(system > 2 * user, "calls and page faults: %lld us user, %lld system", (long long)user,
	   (long long)system);
	child = fork();
	if (!child) {
		shares(&user, &system, 60, map_and_touch);
		_exit(0);
	}
	is(wait4(child, NULL, 0, &children) == child &&
	       micros(children.ru_stime) > 2 * micros(children.ru_utime),
	   1, "wait4 tells of a child's system time");
	getrusage(RUSAGE_CHILDREN, &children);
	ok(micros(children.ru_stime) >= 30000, "RUSAGE_CHILDREN has a child's system time");
	times(&times_now);
	ok(times_now.tms_stime >= 3 && times_now.tms_cstime >= 3 && times_now.tms_utime >= 3,
	   "times() has a child's system time");
}

/* Work in the kernel does not move ITIMER_VIRTUAL, but ITIMER_PROF. */
static void virtual_time(void)
{
	struct itimerval once = {.it_value = {.tv_usec = 40000}}, off = {0};
	int64_t user, system;

	take_signals(SIGVTALRM);
	setitimer(ITIMER_VIRTUAL, &once, NULL);
	shares(&user, &system, 60, map_and_touch);
	is(handled, 0, "ITIMER_VIRTUAL stands while the kernel works");
	shares(&user, &system, 60, compute);
	is(handled, 1, "ITIMER_VIRTUAL runs out in ring 3");
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	take_signals(SIGPROF);
	setitimer(ITIMER_PROF, &once, NULL);
	shares(&user, &system, 60, map_and_touch);
	is(handled, 1, "ITIMER_PROF counts both");
	setitimer(ITIMER_PROF, &off, NULL);
}

int main(void)
{
	posix_timers();
	processor_timers();
	timer_files();
	timer_in_a_long_look();
	signal_files();
	clocks();
	usage();
	system_time();
	virtual_time();
	return tap_end();
}
