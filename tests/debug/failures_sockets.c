/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls on sockets with names, for failures.c. */
#define _GNU_SOURCE
#include "tests/debug/failures.h"
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const struct sockaddr_un place = {AF_UNIX, FAILURES_DIRECTORY "/socket"},
				named = {AF_UNIX, "\0failures"};

static int by_place, by_name, client;

static int make(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static long do_bind_path(void)
{
	return bind(by_place, (const struct sockaddr *)&place, sizeof(place));
}

static long do_bind_name(void)
{
	return bind(by_name, (const struct sockaddr *)&named, sizeof(named));
}

static void with_sockets(void)
{
	mkdir("/tmp", 0777);
	mkdir(FAILURES_DIRECTORY, 0777);
	by_place = make();
	by_name = make();
}

static void with_listeners(void)
{
	with_sockets();
	do_bind_path();
	do_bind_name();
	listen(by_place, 5);
	listen(by_name, 5);
	client = make();
}

static long do_socket(void)
{
	return make();
}

static long do_connect_path(void)
{
	return connect(client, (const struct sockaddr *)&place, sizeof(place));
}

static long do_connect_name(void)
{
	return connect(client, (const struct sockaddr *)&named, sizeof(named));
}

static void with_connection(void)
{
	with_listeners();
	do_connect_name();
}

static long do_accept(void)
{
	struct sockaddr_un from;

	return accept(by_name, (struct sockaddr *)&from, &(socklen_t){sizeof(from)});
}

static void with_receiver(void)
{
	with_sockets();
	by_name = socket(AF_UNIX, SOCK_DGRAM, 0);
	client = socket(AF_UNIX, SOCK_DGRAM, 0);
	do_bind_name();
}

static long do_send_to_name(void)
{
	return sendto(client, "text", 4, 0, (const struct sockaddr *)&named, sizeof(named));
}

static long do_turn_to_name(void)
{
	return connect(client, (const struct sockaddr *)&named, sizeof(named));
}

const struct failing_call calls_of_sockets[] = {
    {"socket", NULL, do_socket},
    {"bind to a path", with_sockets, do_bind_path},
    {"bind to a name", with_sockets, do_bind_name},
    {"connect by a path", with_listeners, do_connect_path},
    {"connect by a name", with_listeners, do_connect_name},
    {"accept", with_connection, do_accept},
    {"sendto a name", with_receiver, do_send_to_name},
    {"connect to receive datagrams", with_receiver, do_turn_to_name},
    {0},
};
