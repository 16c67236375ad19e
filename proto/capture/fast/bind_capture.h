/* Binds processor-specific versions of a capture's conversion. Their output is identical. */
#ifndef PROTO_CAPTURE_FAST_BIND_CAPTURE_H
#define PROTO_CAPTURE_FAST_BIND_CAPTURE_H

#include "proto/capture/strand.h"

/* Has the assembler follow paths in the fastest way that this processor has. False: that is follow_plain. */
bool capture_bind_fast(struct assembler *assembler);

/* Paths compared four words at a time, with AVX2. */

/* NULL: not with this processor. */
match_follow *follow_wide(void);

#endif
