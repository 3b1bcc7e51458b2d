/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocols that GNU-EFI lacks: DHCP and TFTP over IPv4. UEFI specification 2.9, 29.2
 * (EFI_DHCP4_PROTOCOL) and 30.3 (EFI_MTFTP4_PROTOCOL). */
#ifndef BOOT_UEFI_NETWORK_H
#define BOOT_UEFI_NETWORK_H

#include <efi.h>
#include <efilib.h>

#define DHCP4_BINDING_GUID                                             \
	{                                                              \
		0x9d9a39d8, 0xbd42, 0x4a73,                            \
		{                                                      \
			0xa4, 0xd5, 0x8e, 0xe9, 0x4b, 0xe1, 0x13, 0x80 \
		}                                                      \
	}
#define DHCP4_GUID                                                     \
	{                                                              \
		0x8a219718, 0x4ef5, 0x4761,                            \
		{                                                      \
			0x91, 0xc8, 0xc0, 0xf0, 0x4b, 0xda, 0x9e, 0x56 \
		}                                                      \
	}
#define MTFTP4_BINDING_GUID                                            \
	{                                                              \
		0x2fe800be, 0x8f01, 0x4aa6,                            \
		{                                                      \
			0x94, 0x6b, 0xd7, 0x13, 0x88, 0xe1, 0x83, 0x3f \
		}                                                      \
	}
#define MTFTP4_GUID                                                    \
	{                                                              \
		0x78247c57, 0x63db, 0x4708,                            \
		{                                                      \
			0x99, 0xc2, 0xa8, 0xb4, 0xa9, 0xa6, 0x1f, 0x6b \
		}                                                      \
	}

/* Status codes of appendix D that GNU-EFI lacks. */
enum { NETWORK_UNREACHABLE = 100, PORT_UNREACHABLE = 103 };

enum { DHCP4_BOUND = 4 };

/* RFC 2131, 2. */
struct dhcp4_packet {
	UINT32 size, length;
	UINT8 before[20];
	EFI_IPv4_ADDRESS next_server;
} __attribute__((packed));

struct dhcp4_config {
	UINT32 discover_tries, *discover_seconds;
	UINT32 request_tries, *request_seconds;
	EFI_IPv4_ADDRESS client;
	void *callback, *context;
	UINT32 nr_options;
	void *options;
};

struct dhcp4_mode {
	UINT32 state;
	struct dhcp4_config config;
	EFI_IPv4_ADDRESS client;
	EFI_MAC_ADDRESS card;
	EFI_IPv4_ADDRESS server, router, mask;
	UINT32 lease_seconds;
	struct dhcp4_packet *reply;
};

struct dhcp4 {
	EFI_STATUS(EFIAPI *get_mode)(struct dhcp4 *dhcp, struct dhcp4_mode *mode);
	EFI_STATUS(EFIAPI *configure)(struct dhcp4 *dhcp, struct dhcp4_config *config);
	EFI_STATUS(EFIAPI *start)(struct dhcp4 *dhcp, EFI_EVENT done);
};

struct mtftp4_config {
	BOOLEAN by_default;
	EFI_IPv4_ADDRESS station, mask;
	UINT16 local_port;
	EFI_IPv4_ADDRESS gateway, server;
	UINT16 port, tries, seconds;
};

struct mtftp4;

/* RFC 1350, 5: an error's number and text, in network order. */
enum { TFTP_ERROR_PACKET = 5 };
struct tftp_packet {
	UINT8 code[2], error[2];
	char text[];
};

struct mtftp4_option {
	const char *name, *value;
};

struct mtftp4_token {
	EFI_STATUS status;
	EFI_EVENT event;
	void *override;
	const char *name, *mode;
	UINT32 nr_options;
	const struct mtftp4_option *options;
	UINT64 bytes;
	void *buffer, *context;
	EFI_STATUS(EFIAPI *check)
	(struct mtftp4 *tftp, struct mtftp4_token *token, UINT16 bytes, struct tftp_packet *packet);
	void *timeout;
	EFI_STATUS(EFIAPI *more)
	(struct mtftp4 *tftp, struct mtftp4_token *token, UINT16 *bytes, void **buffer);
};

struct mtftp4 {
	void *get_mode;
	EFI_STATUS(EFIAPI *configure)(struct mtftp4 *tftp, struct mtftp4_config *config);
	void *get_info, *parse_options, *read_file;
	EFI_STATUS(EFIAPI *write_file)(struct mtftp4 *tftp, struct mtftp4_token *token);
};

#endif
