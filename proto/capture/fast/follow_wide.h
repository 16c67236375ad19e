/* Paths compared four words at a time, with AVX2. */
#ifndef PROTO_CAPTURE_FAST_FOLLOW_WIDE_H
#define PROTO_CAPTURE_FAST_FOLLOW_WIDE_H

#include "proto/capture/strand.h"

/* NULL: not with this processor. */
match_follow *follow_wide(void);

#endif
