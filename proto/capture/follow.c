/* Paths followed on any processor; fast/follow_wide.c does the same on some. */
#define FOLLOW_MATCH match_path
#include "proto/capture/follow.h"

bool follow_plain(struct assembler *all, struct match_place *to, const uint64_t *end)
{
    return follow_paths(all, to, end);
}
