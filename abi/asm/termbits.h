/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes of terminals. */
#ifndef ABI_ASM_TERMBITS_H
#define ABI_ASM_TERMBITS_H

#define TCIFLUSH  0
#define VINTR     0
#define ISIG      0x1
#define OPOST     0x1
#define TCOFLUSH  1
#define VQUIT     1
#define ICANON    0x2
#define TCIOFLUSH 2
#define VERASE    2
#define VKILL     3
#define ONLCR     0x4
#define VEOF      4
#define VTIME     5
#define VMIN      6
#define ECHO      0x8
#define VSTART    8
#define VSTOP     9
#define VSUSP     10
#define VEOL      11
#define VREPRINT  12
#define VDISCARD  13
#define VWERASE   14
#define B38400    0xf
#define VLNEXT    15
#define ECHOE     0x10
#define VEOL2     16
#define ECHOK     0x20
#define CS8       0x30
#define ECHONL    0x40
#define INLCR     0x40
#define CREAD     0x80
#define IGNCR     0x80
#define NOFLSH    0x80
#define ICRNL     0x100
#define ECHOCTL   0x200
#define HUPCL     0x400
#define IXON      0x400
#define ECHOKE    0x800
#define IUTF8     0x4000
#define IEXTEN    0x8000

typedef unsigned int tcflag_t;
typedef unsigned char cc_t;

#define NCCS 19

struct termios {
	tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
	cc_t c_line, c_cc[NCCS];
};

#endif
