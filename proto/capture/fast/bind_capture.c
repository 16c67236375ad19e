#include "proto/capture/fast/bind_capture.h"

bool capture_bind_fast(struct assembler *assembler)
{
    match_follow *const wide = follow_wide();

    assembler->follow = wide != NULL ? wide : follow_plain;
    return wide != NULL;
}
