/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel memory charged to each user. An account is permanent: there are as many as users. */
#include "arch/x86/cpu/spinlock.h"
#include "kernel/mem/account.h"
#include "kernel/mem/memory.h"

#define BUCKETS 64u

struct account {
	struct account *next;
	uint32_t uid;
	uint64_t held[NR_ACCOUNTS];
};

static struct account *accounts[BUCKETS];
static struct spinlock lock;

/* With the lock held; NULL when the user has none. */
static struct account *find(uint32_t uid)
{
	struct account *account = accounts[uid % BUCKETS];

	while (account && account->uid != uid)
		account = account->next;
	return account;
}

static struct account *make(uint32_t uid)
{
	struct account *account = kalloc(sizeof(*account));

	if (!account)
		return NULL;
	account->uid = uid;
	account->next = accounts[uid % BUCKETS];
	accounts[uid % BUCKETS] = account;
	return account;
}

bool account_take(uint32_t uid, enum account_kind kind, uint64_t amount, uint64_t limit)
{
	uint64_t flags = spin_lock_irqsave(&lock);
	struct account *account = find(uid);
	bool fits = false;

	if (!account)
		account = make(uid);
	if (account && amount <= limit && account->held[kind] <= limit - amount) {
		account->held[kind] += amount;
		fits = true;
	}
	spin_unlock_irqrestore(&lock, flags);
	return fits;
}

void account_give(uint32_t uid, enum account_kind kind, uint64_t amount)
{
	uint64_t flags = spin_lock_irqsave(&lock);

	find(uid)->held[kind] -= amount; /* it was taken, so the account is there */
	spin_unlock_irqrestore(&lock, flags);
}

uint64_t account_held(uint32_t uid, enum account_kind kind)
{
	uint64_t flags = spin_lock_irqsave(&lock);
	const struct account *account = find(uid);
	uint64_t held = account ? account->held[kind] : 0;

	spin_unlock_irqrestore(&lock, flags);
	return held;
}
