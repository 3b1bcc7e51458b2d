/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of files and terminals. */
#ifndef ABI_ASM_IOCTLS_H
#define ABI_ASM_IOCTLS_H

#include <asm/ioctl.h>

#define TCGETS     0x5401
#define TCSETS     0x5402
#define TCSETSW    0x5403
#define TCSETSF    0x5404
#define TCSBRK     0x5409
#define TCXONC     0x540a
#define TCFLSH     0x540b
#define TIOCSCTTY  0x540e
#define TIOCGPGRP  0x540f
#define TIOCSPGRP  0x5410
#define TIOCOUTQ   0x5411
#define TIOCGWINSZ 0x5413
#define TIOCSWINSZ 0x5414
#define FIONREAD   0x541b
#define FIONBIO    0x5421
#define TIOCNOTTY  0x5422
#define TCSBRKP    0x5425
#define TIOCGSID   0x5429
#define FIONCLEX   0x5450
#define FIOCLEX    0x5451
#define FIOASYNC   0x5452

#endif
