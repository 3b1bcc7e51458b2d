/* SPDX-License-Identifier: BSD-2-Clause */
/* Debian's SQLite: a database in memory is filled, indexed, joined, changed. */
#include <sqlite3.h>
#include <stdio.h>

#include "tests/accuracy/libraries/arena.h"
#include "tests/accuracy/programs/program.h"

static void *take(int bytes)
{
	return arena_take((size_t)bytes);
}

static void *change(void *place, int bytes)
{
	return arena_change(place, (size_t)bytes);
}

static int bytes_of(void *place)
{
	return (int)arena_bytes(place);
}

static int rounded(int bytes)
{
	return (bytes + 7) & ~7;
}

static int ready(void *unused)
{
	(void)unused;
	return SQLITE_OK;
}

static void done(void *unused)
{
	(void)unused;
}

static const sqlite3_mem_methods methods = {.xMalloc = take,
					    .xFree = arena_give,
					    .xRealloc = change,
					    .xSize = bytes_of,
					    .xRoundup = rounded,
					    .xInit = ready,
					    .xShutdown = done};

static unsigned rows;
static uint64_t sum;

/* Adds up a result's numbers. */
static int add(void *unused, int columns, char **values, char **names)
{
	(void)unused;
	(void)names;
	for (int i = 0; i < columns; i++)
		sum = sum * 31 + (values[i] ? strtoull(values[i], NULL, 10) : 0);
	return 0;
}

static void run(sqlite3 *db, const char *text)
{
	char *error = NULL;

	if (sqlite3_exec(db, text, add, NULL, &error) == SQLITE_OK)
		return;
	fprintf(stderr, "%s: %s\n", text, error);
	exit(1);
}

static void fill(sqlite3 *db)
{
	sqlite3_stmt *insert;

	if (sqlite3_prepare_v2(db, "INSERT INTO sold VALUES (?, ?, ?)", -1, &insert, NULL))
		exit(1);
	for (unsigned i = 0; i < rows; i++) {
		sqlite3_bind_int(insert, 1, (int)i);
		sqlite3_bind_int(insert, 2, (int)(program_random() % 97));
		sqlite3_bind_int(insert, 3, (int)(program_random() % 1000));
		sqlite3_step(insert);
		sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
}

static void work(void)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db))
		exit(1);
	run(db, "CREATE TABLE shops (shop INTEGER PRIMARY KEY, town TEXT);"
		"CREATE TABLE sold (id INTEGER PRIMARY KEY, shop INTEGER, price INTEGER); BEGIN;"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 96)"
		"INSERT INTO shops SELECT i, 'town' || i % 13 FROM n");
	fill(db);
	run(db, "COMMIT; CREATE INDEX by_price ON sold (price, shop);"
		"SELECT town, count(*), sum(price) FROM sold JOIN shops USING (shop)"
		" WHERE price BETWEEN 100 AND 600 GROUP BY town ORDER BY 3 DESC;"
		"UPDATE sold SET price = price + 7 WHERE shop % 5 = 3;"
		"DELETE FROM sold WHERE price < 50;"
		"SELECT count(*), max(price), sum(id) FROM sold WHERE shop IN (3, 5, 8, 13, 21)");
	sqlite3_close(db);
}

int main(int argc, char **argv)
{
	rows = program_size(argc, argv, 5000);
	arena_touch();
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) ||
	    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD))
		return 1;
	arena_run(work);
	return program_end(sum);
}
