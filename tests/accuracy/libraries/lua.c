/* SPDX-License-Identifier: BSD-2-Clause */
/* Debian's Lua: a script with tables, strings, closures and its collector. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

#include "tests/accuracy/libraries/arena.h"
#include "tests/accuracy/programs/program.h"

static const char script[] =
    "local rounds = ...\n"
    "local function queens(n)\n"
    "  local count, columns, up, down = 0, {}, {}, {}\n"
    "  local function place(row)\n"
    "    if row > n then count = count + 1 return end\n"
    "    for c = 1, n do\n"
    "      if not (columns[c] or up[row + c] or down[row - c + n]) then\n"
    "        columns[c], up[row + c], down[row - c + n] = true, true, true\n"
    "        place(row + 1)\n"
    "        columns[c], up[row + c], down[row - c + n] = false, false, false\n"
    "      end\n"
    "    end\n"
    "  end\n"
    "  place(1)\n"
    "  return count\n"
    "end\n"
    "local words, order = {}, {}\n"
    "for i = 1, rounds do\n"
    "  local word = 'w' .. (i * 7919) % 1009\n"
    "  if not words[word] then order[#order + 1] = word end\n"
    "  words[word] = (words[word] or 0) + #word\n"
    "end\n"
    "table.sort(order, function(a, b) return a < b end)\n"
    "local text = table.concat(order, ' ')\n"
    "local sum = queens(7)\n"
    "for word in text:gmatch('%w+') do\n"
    "  local count = load('return #\"' .. word .. '\" + ' .. words[word])()\n"
    "  local line = string.format('%-8s %6d', word, count * 3):gsub('%s+', ' ')\n"
    "  sum = (sum * 31 + count + #line) % 1000003\n"
    "end\n"
    "return sum\n";

static unsigned rounds;
static uint64_t result;

static void *allocate(void *unused, void *place, size_t before, size_t bytes)
{
	(void)unused;
	(void)before;
	if (bytes)
		return arena_change(place, bytes);
	arena_give(place);
	return NULL;
}

static void work(void)
{
	lua_State *state = lua_newstate(allocate, NULL);

	if (!state)
		exit(1);
	luaL_requiref(state, LUA_GNAME, luaopen_base, 1);
	luaL_requiref(state, LUA_TABLIBNAME, luaopen_table, 1);
	luaL_requiref(state, LUA_STRLIBNAME, luaopen_string, 1);
	if (luaL_loadbuffer(state, script, sizeof(script) - 1, "script"))
		exit(1);
	lua_pushinteger(state, rounds);
	if (lua_pcall(state, 1, 1, 0)) {
		fprintf(stderr, "%s\n", lua_tostring(state, -1));
		exit(1);
	}
	result = (uint64_t)lua_tointeger(state, -1);
	lua_close(state);
}

int main(int argc, char **argv)
{
	rounds = program_size(argc, argv, 10000);
	arena_touch();
	arena_run(work);
	return program_end(result);
}
