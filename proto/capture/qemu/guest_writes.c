/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Source: Linux, numbers of asm-generic, and the structures that the calls fill in, of 64 bits. Not known:
 * messages of recvmsg, requests of ioctl that do not say their size, and what the kernel writes at other times (signal
 * frames, asynchronous requests). */
#include "guest_writes.h"

enum { MOST_VECTORS = 1024, VECTOR_BYTES = 16, SOCKET_BYTES = 128 };

/* `bytes`: once, or times the result, or times the argument `count`. */
enum times { ONCE, BY_RESULT, BY_ARGUMENT };
struct written { uint16_t number; uint8_t at; enum times times; uint8_t count; uint16_t bytes; };

static const struct written table[] = {
    {17, 0, BY_RESULT, 0, 1},            /* getcwd */
    {22, 1, BY_RESULT, 0, 16},           /* epoll_pwait */
    {43, 1, ONCE, 0, 120},               /* statfs */
    {44, 1, ONCE, 0, 120},               /* fstatfs */
    {59, 0, ONCE, 0, 8},                 /* pipe2 */
    {61, 1, BY_RESULT, 0, 1},            /* getdents64 */
    {63, 1, BY_RESULT, 0, 1},            /* read */
    {67, 1, BY_RESULT, 0, 1},            /* pread64 */
    {71, 2, ONCE, 0, 8},                 /* sendfile */
    {72, 1, ONCE, 0, 128},               /* pselect6 */
    {72, 2, ONCE, 0, 128},
    {72, 3, ONCE, 0, 128},
    {73, 0, BY_ARGUMENT, 1, 8},          /* ppoll */
    {78, 2, BY_RESULT, 0, 1},            /* readlinkat */
    {79, 2, ONCE, 0, 128},               /* newfstatat */
    {80, 1, ONCE, 0, 128},               /* fstat */
    {102, 1, ONCE, 0, 32},               /* getitimer */
    {103, 2, ONCE, 0, 32},               /* setitimer */
    {113, 1, ONCE, 0, 16},               /* clock_gettime */
    {114, 1, ONCE, 0, 16},               /* clock_getres */
    {121, 1, ONCE, 0, 4},                /* sched_getparam */
    {123, 2, BY_RESULT, 0, 1},           /* sched_getaffinity */
    {132, 1, ONCE, 0, 24},               /* sigaltstack */
    {134, 2, ONCE, 0, 24},               /* rt_sigaction */
    {135, 2, ONCE, 0, 8},                /* rt_sigprocmask */
    {136, 0, ONCE, 0, 8},                /* rt_sigpending */
    {137, 1, ONCE, 0, 128},              /* rt_sigtimedwait */
    {153, 0, ONCE, 0, 32},               /* times */
    {160, 0, ONCE, 0, 390},              /* uname */
    {163, 1, ONCE, 0, 16},               /* getrlimit */
    {165, 1, ONCE, 0, 144},              /* getrusage */
    {168, 0, ONCE, 0, 4},                /* getcpu */
    {168, 1, ONCE, 0, 4},
    {169, 0, ONCE, 0, 16},               /* gettimeofday */
    {179, 0, ONCE, 0, 112},              /* sysinfo */
    {199, 3, ONCE, 0, 8},                /* socketpair */
    {202, 1, ONCE, 0, SOCKET_BYTES},     /* accept */
    {202, 2, ONCE, 0, 4},
    {204, 1, ONCE, 0, SOCKET_BYTES},     /* getsockname */
    {204, 2, ONCE, 0, 4},
    {205, 1, ONCE, 0, SOCKET_BYTES},     /* getpeername */
    {205, 2, ONCE, 0, 4},
    {207, 1, BY_RESULT, 0, 1},           /* recvfrom */
    {209, 3, ONCE, 0, 16},               /* getsockopt */
    {209, 4, ONCE, 0, 4},
    {258, 0, BY_ARGUMENT, 1, 16},        /* riscv_hwprobe */
    {260, 1, ONCE, 0, 4},                /* wait4 */
    {260, 3, ONCE, 0, 144},
    {261, 3, ONCE, 0, 16},               /* prlimit64 */
    {278, 0, BY_RESULT, 0, 1},           /* getrandom */
    {291, 4, ONCE, 0, 256},              /* statx */
};

enum { IOCTL = 29, READV = 65, PREADV = 69, MAP = 222, IS_ANONYMOUS = 0x20, TERMINAL = 0x54 };

/* Requests for terminals, older than sizes in requests; others say how much they read. */
static uint64_t ioctl_bytes(uint64_t request)
{
    switch (request) {
    case TERMINAL << 8 | 0x01: return 36;            /* TCGETS */
    case TERMINAL << 8 | 0x0f: return 4;             /* TIOCGPGRP */
    case TERMINAL << 8 | 0x13: return 8;             /* TIOCGWINSZ */
    case TERMINAL << 8 | 0x1b: return 4;             /* FIONREAD */
    default: return (request >> 31 & 1) != 0 ? request >> 16 & 0x3fff : 0;
    }
}

static void tell_vectors(const struct guest_call *call, uint64_t result, guest_writes_read *read,
                         guest_writes_tell *tell)
{
    for (uint64_t i = 0; i < call->args[2] && i < MOST_VECTORS && result > 0; i++) {
        uint64_t vector[2], bytes;

        if (!read(call->args[1] + VECTOR_BYTES * i, vector, sizeof vector))
            return;
        bytes = vector[1] < result ? vector[1] : result;
        tell(vector[0], bytes);
        result -= bytes;
    }
}

void guest_writes_each(const struct guest_call *call, uint64_t result, guest_writes_read *read,
                       guest_writes_tell *tell)
{
    const uint64_t *const args = call->args;

    switch (call->number) {
    case IOCTL:
        tell(args[2], ioctl_bytes(args[1]));
        return;
    case READV:
    case PREADV:
        tell_vectors(call, result, read, tell);
        return;
    case MAP:
        if ((args[3] & IS_ANONYMOUS) == 0)
            tell(result, (args[1] + CAPTURE_PAGE_BYTES - 1) & ~(uint64_t)(CAPTURE_PAGE_BYTES - 1));
        return;
    default:
        break;
    }
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct written *const row = &table[i];
        const uint64_t times = row->times == ONCE ? 1 : row->times == BY_RESULT ? result : args[row->count];

        if (row->number == call->number && args[row->at] != 0)
            tell(args[row->at], times < 1u << 30 ? row->bytes * times : 0);
    }
}
