/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes an archive to a server by TFTP (RFC 1350; block sizes of RFC 2348), with the firmware's
 * network driver, under an address from DHCP. */
#include "boot/uefi/network.h"
#include "boot/uefi/send.h"

#define BLOCK_BYTES "1428" /* fit into one Ethernet frame */
#define TRIES       3
#define TEXT_BYTES  100

struct lease {
	EFI_IPv4_ADDRESS client, mask, router, server;
};

/* A protocol's child for our exclusive use. */
struct child {
	EFI_SERVICE_BINDING *binding;
	EFI_HANDLE handle;
};

static char message[TEXT_BYTES]; /* why it did not go; "": see the status */

static void say(const char *text)
{
	UINTN length = 0;

	for (; text[length] && length + 1 < TEXT_BYTES; length++)
		message[length] = text[length];
	message[length] = 0;
}

static EFI_STATUS open_child(EFI_HANDLE card, EFI_GUID binding, EFI_GUID protocol,
			     struct child *child, void **interface)
{
	EFI_STATUS status;

	SetMem(child, sizeof *child, 0);
	status = BS->HandleProtocol(card, &binding, (void **)&child->binding);
	if (status == EFI_SUCCESS)
		status = child->binding->CreateChild(child->binding, &child->handle);
	return status == EFI_SUCCESS ? BS->HandleProtocol(child->handle, &protocol, interface)
				     : status;
}

static void close_child(struct child *child)
{
	if (child->handle)
		child->binding->DestroyChild(child->binding, child->handle);
}

static BOOLEAN is_zero(const EFI_IPv4_ADDRESS *address)
{
	static const EFI_IPv4_ADDRESS none;

	return !CompareMem((void *)address, (void *)&none, sizeof none);
}

/* Keeps an address that was obtained for booting. */
static EFI_STATUS bind(struct dhcp4 *dhcp, struct dhcp4_mode *mode)
{
	static UINT32 seconds[TRIES] = {2, 4, 8};
	struct dhcp4_config config = {.discover_tries = TRIES,
				      .discover_seconds = seconds,
				      .request_tries = TRIES,
				      .request_seconds = seconds};
	EFI_STATUS status = dhcp->get_mode(dhcp, mode);

	if (status == EFI_SUCCESS && mode->state == DHCP4_BOUND && !is_zero(&mode->client))
		return status;
	status = dhcp->configure(dhcp, &config);
	if (status == EFI_SUCCESS)
		status = dhcp->start(dhcp, NULL);
	return status == EFI_SUCCESS ? dhcp->get_mode(dhcp, mode) : status;
}

static EFI_STATUS get_lease(EFI_HANDLE card, struct lease *lease)
{
	EFI_GUID binding = DHCP4_BINDING_GUID, protocol = DHCP4_GUID;
	struct dhcp4_mode mode;
	struct child child;
	struct dhcp4 *dhcp;
	EFI_STATUS status = open_child(card, binding, protocol, &child, (void **)&dhcp);

	SetMem(&mode, sizeof mode, 0);
	if (status == EFI_SUCCESS)
		status = bind(dhcp, &mode);
	*lease = (struct lease){mode.client, mode.mask, mode.router, mode.server};
	if (mode.reply && !is_zero(&mode.reply->next_server))
		lease->server = mode.reply->next_server;
	close_child(&child);
	return status;
}

/* Returns the next block to the driver, which frees it. */
static EFI_STATUS EFIAPI next_block(struct mtftp4 *tftp, struct mtftp4_token *token, UINT16 *bytes,
				    void **buffer)
{
	(void)tftp;
	*buffer = AllocatePool(*bytes);
	if (!*buffer)
		return EFI_OUT_OF_RESOURCES;
	*bytes = (UINT16)tar_read(token->context, *buffer, *bytes);
	if (!*bytes) {
		FreePool(*buffer);
		*buffer = NULL;
	}
	return EFI_SUCCESS;
}

/* Stores the server's error message. */
static EFI_STATUS EFIAPI hear(struct mtftp4 *tftp, struct mtftp4_token *token, UINT16 bytes,
			      struct tftp_packet *packet)
{
	UINTN length = 0;

	(void)tftp;
	(void)token;
	if (bytes <= sizeof *packet || packet->code[1] != TFTP_ERROR_PACKET)
		return EFI_SUCCESS;
	for (; length < bytes - sizeof *packet && length + 1 < TEXT_BYTES; length++) {
		char c = packet->text[length];

		if (!c)
			break;
		message[length] = c >= ' ' && c <= '~' ? c : '?';
	}
	message[length] = 0;
	return EFI_SUCCESS;
}

static EFI_STATUS write_file(struct mtftp4 *tftp, const struct lease *lease, UINT16 port,
			     const char *name, struct tar *tar)
{
	static const struct mtftp4_option blocks = {"blksize", BLOCK_BYTES};
	struct mtftp4_config config = {.station = lease->client,
				       .mask = lease->mask,
				       .gateway = lease->router,
				       .server = lease->server,
				       .port = port,
				       .tries = TRIES,
				       .seconds = 2};
	struct mtftp4_token token = {.name = name,
				     .nr_options = 1,
				     .options = &blocks,
				     .context = tar,
				     .check = hear,
				     .more = next_block};
	EFI_STATUS status = tftp->configure(tftp, &config);

	tar_rewind(tar);
	return status == EFI_SUCCESS ? tftp->write_file(tftp, &token) : status;
}

static EFI_STATUS write_by(EFI_HANDLE card, const struct upload *to, const char *name,
			   struct tar *tar, UINT8 server[4])
{
	EFI_GUID binding = MTFTP4_BINDING_GUID, protocol = MTFTP4_GUID;
	EFI_IPv4_ADDRESS chosen;
	struct child child;
	struct mtftp4 *tftp;
	struct lease lease;
	EFI_STATUS status = get_lease(card, &lease);

	CopyMem(&chosen, (void *)to->server, sizeof chosen);
	if (status != EFI_SUCCESS) {
		say(status == EFI_NO_MEDIA ? "" : "no address by DHCP");
		return status;
	}
	if (!is_zero(&chosen))
		lease.server = chosen;
	CopyMem(server, &lease.server, sizeof lease.server);
	status = open_child(card, binding, protocol, &child, (void **)&tftp);
	if (status == EFI_SUCCESS)
		status = write_file(tftp, &lease, to->port, name, tar);
	close_child(&child);
	return status;
}

static const char *explain(EFI_STATUS status)
{
	CHAR16 text[TEXT_BYTES];

	if (message[0])
		return message;
	if (status == EFI_NOT_FOUND)
		return "the firmware drives no network card";
	if (status == EFI_TIMEOUT || status == EFI_NO_RESPONSE)
		return "no answer";
	if (status == EFI_NO_MEDIA)
		return "the network card has no link";
	if (status == EFI_ICMP_ERROR ||
	    (status >= EFIERR(NETWORK_UNREACHABLE) && status <= EFIERR(PORT_UNREACHABLE)))
		return "there is no server";
	StatusToString(text, status);
	for (UINTN i = 0; i < TEXT_BYTES; i++)
		message[i] = (char)text[i];
	return message;
}

EFI_STATUS tftp_write(const struct upload *to, const char *name, struct tar *tar, UINT8 server[4],
		      const char **why)
{
	EFI_GUID binding = MTFTP4_BINDING_GUID;
	EFI_STATUS status = EFI_NOT_FOUND;
	EFI_HANDLE *cards = NULL;
	UINTN nr = 0;

	message[0] = 0;
	CopyMem(server, (void *)to->server, sizeof to->server);
	if (BS->LocateHandleBuffer(ByProtocol, &binding, NULL, &nr, &cards) != EFI_SUCCESS)
		nr = 0;
	for (UINTN i = 0; i < nr && status != EFI_SUCCESS; i++)
		status = write_by(cards[i], to, name, tar, server);
	if (nr)
		BS->FreePool(cards);
	*why = explain(status);
	return status;
}
