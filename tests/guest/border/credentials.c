/* SPDX-License-Identifier: BSD-2-Clause */
/* Users, groups and capabilities: how each call changes them. */
#include "tests/guest/border/credentials.h"

static bool uids_are(uid_t real, uid_t effective, uid_t saved)
{
	uid_t got[3];

	return !getresuid(&got[0], &got[1], &got[2]) && got[0] == real && got[1] == effective &&
	       got[2] == saved;
}

static bool gids_are(gid_t real, gid_t effective, gid_t saved)
{
	gid_t got[3];

	return !getresgid(&got[0], &got[1], &got[2]) && got[0] == real && got[1] == effective &&
	       got[2] == saved;
}

static void users_of_root(void)
{
	ok(uids_are(0, 0, 0) && gids_are(0, 0, 0), "the first program is root");
	is(syscall(SYS_setreuid, -1, USER), 0, "root takes a user's effective number");
	ok(uids_are(0, USER, USER), "the saved number follows");
	is(syscall(SYS_setreuid, -1, 0), 0, "a user takes its real number again");
	is(syscall(SYS_setuid, USER), 0, "setuid of root");
	ok(uids_are(USER, USER, USER), "sets all three");
	is(result(syscall(SYS_setuid, 0)), -EPERM, "setuid of a user back to root: EPERM");
	is(result(syscall(SYS_setuid, -1)), -EINVAL, "-1 is nobody's number");
	is(result(set_uids(-1, OTHER, -1)), -EPERM, "a user cannot become another");
	is(set_uids(-1, -1, -1), 0, "nothing changed is no error");
	is(syscall(SYS_setreuid, USER, USER), 0, "setreuid to one's own numbers");
}

static void users_in_turn(void)
{
	is(set_uids(USER, USER + 1, USER + 2), 0, "three numbers");
	is(syscall(SYS_setreuid, USER + 1, -1), 0, "real from effective");
	ok(uids_are(USER + 1, USER + 1, USER + 1), "sets saved to the effective");
	become(USER);
}

static void saved_user(void)
{
	is(set_uids(USER, USER, OTHER), 0, "a saved number");
	is(syscall(SYS_setuid, OTHER), 0, "may become the effective one");
	ok(uids_are(USER, OTHER, OTHER), "setuid of a user changes only the effective number");
	is(result(syscall(SYS_setreuid, OTHER + 1, -1)), -EPERM, "setreuid refuses strangers");
	is(result(syscall(SYS_setreuid, -1, OTHER + 1)), -EPERM,
	   "setreuid refuses strangers as effective numbers");
	is(syscall(SYS_setreuid, OTHER, USER), 0, "numbers change places");
	ok(uids_are(OTHER, USER, USER), "setreuid sets the saved number");
}

static void file_user(void)
{
	const uint64_t files = BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) |
			       BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_MKNOD) |
			       BIT(CAP_MAC_OVERRIDE) | BIT(CAP_LINUX_IMMUTABLE);

	is(syscall(SYS_setfsuid, USER), 0, "setfsuid tells the old number");
	is(syscall(SYS_setfsuid, -1), USER, "setfsuid(-1) returns the number set before");
	is((long)capabilities(EFFECTIVE), (long)(ALL & ~files),
	   "a user's files: no capabilities for files");
	is(syscall(SYS_setfsuid, 0), USER, "back to root's");
	is((long)capabilities(EFFECTIVE), (long)ALL, "root's file user has all capabilities");
	is(syscall(SYS_setfsgid, USER), 0, "setfsgid");
	is(syscall(SYS_setfsgid, USER), USER, "has another memory");
	become(USER);
	is(syscall(SYS_setfsuid, OTHER), USER, "a user asks for another's files");
	is(syscall(SYS_setfsuid, USER), USER, "setfsuid to another user has no effect");
}

static void groups(void)
{
	const gid_t given[] = {30, 10, 20};
	gid_t got[4] = {0};

	is(getgroups(0, NULL), 0, "no groups at first");
	is(syscall(SYS_setgroups, 3, given), 0, "root sets groups");
	is(getgroups(4, got), 3, "three");
	ok(got[0] == 10 && got[1] == 20 && got[2] == 30, "sorted");
	is(result(getgroups(2, got)), -EINVAL, "getgroups with too little room: EINVAL");
	is(result(syscall(SYS_setgroups, 65537, given)), -EINVAL,
	   "setgroups of more than Linux's limit: EINVAL");
	is(result(syscall(SYS_setgroups, 3, 8)), -EFAULT, "no memory there");
	is(set_gids(USER, USER + 1, USER + 2), 0, "group numbers");
	ok(gids_are(USER, USER + 1, USER + 2), "are as told");
	is((long)capabilities(EFFECTIVE), (long)ALL, "new group numbers take no capability");
	set_uids(USER, USER, USER);
	is(result(syscall(SYS_setgroups, 0, NULL)), -EPERM, "a user sets none");
	is(syscall(SYS_setregid, USER + 1, USER), 0, "a user's groups change places");
	is(result(syscall(SYS_setgid, OTHER)), -EPERM, "setgid of a user to another group: EPERM");
}

static void capabilities_of_users(void)
{
	is((long)capabilities(PERMITTED), (long)ALL, "root has all capabilities");
	is((long)capabilities(INHERITABLE), 0, "root inherits no capabilities");
	is(set_uids(-1, USER, -1), 0, "another effective user");
	is((long)capabilities(EFFECTIVE), 0, "has none in effect");
	is((long)capabilities(PERMITTED), (long)ALL,
	   "a user of root's keeps permitted capabilities");
	set_uids(-1, 0, -1);
	is((long)capabilities(EFFECTIVE), (long)ALL,
	   "permitted capabilities become effective again");
	set_uids(USER, USER, USER);
	is((long)(capabilities(EFFECTIVE) | capabilities(PERMITTED)), 0, "a user has none at all");
}

static void kept_capabilities(void)
{
	is(prctl(PR_GET_KEEPCAPS), 0, "capabilities are not kept");
	is(result(prctl(PR_SET_KEEPCAPS, 2)), -EINVAL, "only 0 and 1");
	is(prctl(PR_SET_KEEPCAPS, 1), 0, "unless asked for");
	set_uids(USER, USER, USER);
	is((long)capabilities(PERMITTED), (long)ALL, "then a user keeps them");
	is((long)capabilities(EFFECTIVE), 0, "kept capabilities are not in effect at once");
	is(set_capabilities(BIT(CAP_PERFMON), BIT(CAP_PERFMON), 0), 0, "takes the one wanted");
	is((long)capabilities(EFFECTIVE), (long)BIT(CAP_PERFMON),
	   "a kept capability becomes effective");
	is(set_capabilities(0, ALL, 0), -EPERM, "a dropped capability does not come back");
	is(set_capabilities(BIT(CAP_KILL), BIT(CAP_PERFMON), 0), -EPERM,
	   "nothing is in effect that is not permitted");
	is(set_capabilities(0, 0, BIT(CAP_KILL)), -EPERM,
	   "a capability that is not permitted is not inheritable");
}

static void capability_calls(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_1, 0};
	uint32_t words[2][3] = {{0}, {7, 7, 7}};

	is(syscall(SYS_capget, &header, words), 0, "the first version");
	ok(words[0][0] == UINT32_MAX && words[1][0] == 7, "has 32 bits");
	header.version = 1;
	is(result(syscall(SYS_capget, &header, words)), -EINVAL, "an unknown version");
	is((long)header.version, (long)_LINUX_CAPABILITY_VERSION_3, "is told the right one");
	header.version = 1;
	is(syscall(SYS_capget, &header, NULL), 0, "capget without data is no error");
	header.pid = -1;
	is(result(syscall(SYS_capget, &header, words)), -EINVAL, "no task is -1");
	header.pid = 4000000;
	is(result(syscall(SYS_capget, &header, words)), -ESRCH,
	   "a process number above the limit: ESRCH");
	header.pid = getppid();
	is(syscall(SYS_capget, &header, words), 0, "another task's may be read");
	is(result(syscall(SYS_capset, &header, words)), -EPERM,
	   "another task's capabilities are not set: EPERM");
}

static void bounding_set(void)
{
	is(prctl(PR_CAPBSET_READ, CAP_PERFMON), 1, "the bounding set has CAP_PERFMON");
	is(result(prctl(PR_CAPBSET_READ, CAP_LAST_CAP + 1)), -EINVAL,
	   "the bounding set ends at CAP_LAST_CAP");
	is(prctl(PR_CAPBSET_DROP, CAP_PERFMON), 0, "root takes it away");
	is(prctl(PR_CAPBSET_READ, CAP_PERFMON), 0, "a capability leaves the bounding set");
	is((long)capabilities(PERMITTED), (long)ALL,
	   "a smaller bounding set takes no capability now");
	become(USER);
	is(result(prctl(PR_CAPBSET_DROP, CAP_KILL)), -EPERM, "users take nothing away");
}

static void ambient_set(void)
{
	is(result(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0)), -EPERM,
	   "only what is inheritable becomes ambient");
	is(set_capabilities(ALL, ALL, BIT(CAP_KILL)), 0, "make it that");
	is(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0), 0,
	   "an ambient capability is set");
	is(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 0), 1,
	   "the capability is ambient");
	is(result(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 1)), -EINVAL,
	   "further arguments must be 0");
	is(result(prctl(PR_CAP_AMBIENT, 9, CAP_KILL, 0, 0)), -EINVAL, "an unknown request");
	is(set_capabilities(ALL, ALL, 0), 0, "an ambient capability is made not inheritable");
	is(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 0), 0, "is ambient no more");
}

static void secure_bits(void)
{
	is(prctl(PR_GET_SECUREBITS), 0, "no secure bits");
	is(prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP), 0, "a secure bit is set");
	set_uids(USER, USER, USER);
	is((long)capabilities(EFFECTIVE), (long)ALL, "numbers and capabilities go apart");
	set_capabilities(0, 0, 0);
	is(result(prctl(PR_SET_SECUREBITS, 0)), -EPERM, "users set none");
	is(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 0, "privileges may be gained");
	is(result(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0)), -EINVAL,
	   "PR_SET_NO_NEW_PRIVS to 0: EINVAL");
	is(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0, "only the opposite");
	is(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1, "no_new_privs stays set");
}

static void dumpable(void)
{
	is(prctl(PR_GET_DUMPABLE), 1, "a program may be looked into");
	is(result(prctl(PR_SET_DUMPABLE, 2)), -EINVAL, "2 is the kernel's");
	become(USER);
	is(prctl(PR_GET_DUMPABLE), 0, "not after it changed its user");
	is(prctl(PR_SET_DUMPABLE, 1), 0, "unless it says so");
	is(prctl(PR_GET_DUMPABLE), 1, "itself");
}

static void (*const parts[])(void) = {users_of_root,     users_in_turn,    saved_user,
				      file_user,         groups,           capabilities_of_users,
				      kept_capabilities, capability_calls, bounding_set,
				      ambient_set,       secure_bits,      dumpable};

int main(void)
{
	return run_parts(parts, sizeof(parts) / sizeof(parts[0]));
}
