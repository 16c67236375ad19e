#include "sweep/measure/micro_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arith.h"
#include "base/list.h"

enum { PAGE_BYTES = 65536 };             /* the largest page of any host */

#if !defined __x86_64__ && !defined __aarch64__
enum isa micro_isa(void)
{
    return ISA_UNKNOWN;
}

void micro_host_begin(struct micro_code *code)
{
    code->is_full = true;
}

bool micro_host_put(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    (void)code, (void)operation, (void)d, (void)s, (void)i;
    return false;
}

void micro_host_jump(struct micro_code *code, int32_t distance, uint32_t target_step)
{
    (void)distance, (void)target_step;
    code->is_full = true;
}

void micro_host_end(struct micro_code *code)
{
    code->is_full = true;
}
#endif

struct fault micro_begin(struct micro_code *code, size_t room_bytes)
{
    return micro_begin_at(code, room_bytes, 0);
}

struct fault micro_begin_at(struct micro_code *code, size_t room_bytes, uint64_t address)
{
    *code = (struct micro_code){.open_skip = SIZE_MAX};
    if (micro_isa() == ISA_UNKNOWN)
        return fault_make(FAULT_INPUT, "measure: this host's architecture is not one of x86-64 and aarch64; measure on "
                                       "such a host, or write the system by hand (rubato config keys)");
    code->room = round_up(room_bytes, PAGE_BYTES);
    code->bytes = mmap((void *)(uintptr_t)address, code->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0);
    if (code->bytes == MAP_FAILED) {
        code->bytes = NULL;
        return fault_memory("measure", "the code of a microbenchmark");
    }
    micro_host_begin(code);
    code->loop = code->length;
    return fault_none();
}

void micro_bytes(struct micro_code *code, const void *bytes, size_t count)
{
    if (code->length + count > code->room) {
        code->is_full = true;
        return;
    }
    memcpy(code->bytes + code->length, bytes, count);
    code->length += count;
}

void micro_step(struct micro_code *code, size_t size_bytes, struct micro_step step)
{
    if (code->is_full || !list_fit(&code->steps, code->step_count + 1, &code->step_room, sizeof *code->steps)) {
        code->is_full = true;
        return;
    }
    step.offset = (uint32_t)(code->length - size_bytes);
    step.size_bytes = (uint8_t)size_bytes;
    code->steps[code->step_count++] = step;
}

void micro_put(struct micro_code *code, enum micro_operation operation, unsigned d, unsigned s, int32_t i)
{
    size_t const skip = code->open_skip;

    code->open_skip = SIZE_MAX;
    if (!micro_host_put(code, operation, d, s, i))
        code->is_full = true;
    if (skip != SIZE_MAX && !code->is_full)
        code->steps[skip].target = (uint32_t)code->step_count;
}

void micro_put_line(struct micro_code *code, uint32_t line, uint32_t target)
{
    enum { LINE_BYTES = 64 };
    static const uint8_t gap[LINE_BYTES];
    size_t const begin = code->length;

    micro_host_jump(code, ((int32_t)target - (int32_t)line) * LINE_BYTES, target);
    if (!code->is_full)
        micro_bytes(code, gap, LINE_BYTES - (code->length - begin));
}

struct fault micro_end(struct micro_code *code)
{
    micro_host_end(code);
    if (code->is_full)
        return fault_memory("measure", "the code of a microbenchmark");
    __builtin___clear_cache((char *)code->bytes, (char *)code->bytes + code->length);
    if (mprotect(code->bytes, code->room, PROT_READ | PROT_EXEC) == 0)
        return fault_none();
    return fault_make(FAULT_INPUT, "measure: the host allows no code that is made while a program runs: %s; measure "
                                   "where it does, outside of such a sandbox", strerror(errno));
}

void micro_run(const struct micro_code *code, struct micro_state *state)
{
    void (*function)(struct micro_state *);

    memcpy(&function, &code->bytes, sizeof function);
    function(state);
}

void micro_free(struct micro_code *code)
{
    if (code->bytes)
        munmap(code->bytes, code->room);
    free(code->steps);
    *code = (struct micro_code){0};
}

/* ---- for a trace */
static uint64_t micro_read(uint64_t address, unsigned size_bytes)
{
    uint64_t value = 0;
    const void *const place = (const void *)(uintptr_t)address;

    memcpy(&value, place, size_bytes < sizeof value ? size_bytes : sizeof value);
    return value;
}

static void micro_write(uint64_t address, uint64_t value, unsigned size_bytes)
{
    void *const place = (void *)(uintptr_t)address;

    memcpy(place, &value, size_bytes < sizeof value ? size_bytes : sizeof value);
}

/* The step behind this one. */
static uint32_t micro_execute(const struct micro_step *step, uint32_t at, struct micro_state *state, uint64_t address)
{
    bool const has_register = step->reg < MICRO_REGISTERS;
    bool jumps = false;

    switch ((enum micro_effect)step->effect) {
    case MICRO_CHANGES_NOTHING: break;
    case MICRO_ADDS: state->r[step->reg] += (uint64_t)(int64_t)step->number; break;
    case MICRO_COPIES: state->r[step->reg] = step->base < MICRO_REGISTERS ? state->r[step->base] : 0; break;
    case MICRO_LOADS:
        if (has_register)
            state->r[step->reg] = micro_read(address, step->access_bytes);
        break;
    case MICRO_STORES:
        if (has_register)
            micro_write(address, state->r[step->reg], step->access_bytes);
        break;
    case MICRO_COUNTS_DOWN: state->count--; break;
    case MICRO_JUMPS: jumps = true; break;
    case MICRO_JUMPS_ON_BIT: jumps = (state->r[step->reg] >> step->number & 1) != 0; break;
    case MICRO_JUMPS_WHILE_COUNT: jumps = state->count != 0; break;
    case MICRO_JUMPS_AT_ZERO: jumps = state->count == 0; break;
    }
    return jumps ? step->target : at + 1;
}

void micro_walk(const struct micro_code *code, struct micro_state *state,
                bool (*visit)(void *context, const struct micro_event *event), void *context)
{
    uint32_t at = 0;
    bool goes_on = true;

    while (goes_on && at < code->step_count) {
        const struct micro_step *const step = &code->steps[at];
        uint64_t const address = step->access_bytes ? state->r[step->base] + (uint64_t)(int64_t)step->number : 0;
        struct micro_event event = {.step = step, .address = address};

        event.next = micro_execute(step, at, state, address);
        goes_on = visit(context, &event);
        at = event.next;
    }
}
