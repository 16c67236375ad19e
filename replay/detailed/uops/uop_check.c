/* Checks before a thread is opened: data missing from the trace, and the place of its code. */
#include "replay/detailed/uops/thread.h"

#define LACK(name) (1u << INSN_LACKS_##name)

struct fault supply_check(const struct insn_trace *trace)
{
    static const enum insn_lack needed[] = {INSN_LACKS_PCS, INSN_LACKS_INSTRUCTIONS};
    const char *const path = insn_trace_thread(trace, 0)->path;
    struct fault fault = fault_none();

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (insn_trace_lacks(trace) & 1u << needed[i]) {
            fault = fault_at(path, FAULT_NO_OFFSET, "the trace (%s) lacks %s; a detailed core needs each instruction "
                             "with its pc: replay it with the model elastic, or capture instructions",
                             insn_trace_name(trace), insn_lack_text(needed[i]));
            return fault;
        }
    return fault;
}

uint32_t supply_lacks(const struct insn_trace *trace)
{
    return insn_trace_lacks(trace) & (LACK(DEPENDENCES) | LACK(INSN_SIZES) | LACK(ACCESS_SIZES) | LACK(BRANCHES)
                                      | LACK(HIGH_ADDRESSES) | LACK(HITS) | LACK(PARTS_OF_LINES));
}

struct fault supply_touch_images(const struct insn_trace *trace, struct space *space)
{
    const struct insn_image *images;
    size_t const count = insn_trace_images(trace, &images);

    for (size_t i = 0; i < count; i++)
        FORWARD(space_touch(space, images[i].address, images[i].byte_count));
    return fault_none();
}
