#include "replay/window/captured_core.h"

#include "base/arith.h"
#include "replay/config/detailed_params.h"

/* Classes whose units the reference has apart come first: vectors have the latencies of scalars there. */
static const uint8_t ops[CAPTURED_CLASSES] = {
    DETAILED_OP_FLOAT_ADD, DETAILED_OP_INT_MULT, DETAILED_OP_FLOAT_MULT, DETAILED_OP_FLOAT_MULT_ACC,
    DETAILED_OP_FLOAT_DIV, DETAILED_OP_INT_DIV, DETAILED_OP_FLOAT_SQRT, DETAILED_OP_FLOAT_CMP, DETAILED_OP_FLOAT_CVT,
    DETAILED_OP_FLOAT_MISC, DETAILED_OP_SIMD_ALU, DETAILED_OP_SIMD_MULT, DETAILED_OP_SIMD_MISC,
    DETAILED_OP_SIMD_FLOAT_ADD, DETAILED_OP_SIMD_FLOAT_MULT, DETAILED_OP_SIMD_FLOAT_MULT_ACC,
    DETAILED_OP_SIMD_FLOAT_DIV, DETAILED_OP_SIMD_FLOAT_SQRT, DETAILED_OP_SIMD_AES};
static const uint8_t long_ops[CAPTURED_LONG_CLASSES] = {
    DETAILED_OP_FLOAT_DIV, DETAILED_OP_INT_DIV, DETAILED_OP_FLOAT_SQRT};

static void take_latencies(struct captured_core *core, const struct detailed_params *params)
{
    core->long_cyc = UINT32_MAX;
    for (unsigned i = 0; i < CAPTURED_CLASSES; i++)
        core->classes[i] = (struct captured_class){ops[i], (uint32_t)params->latency_cyc[ops[i]]};
    for (unsigned i = 0; i < CAPTURED_LONG_CLASSES; i++) {
        uint32_t const latency_cyc = params->is_pipelined[long_ops[i]] ? 0 : (uint32_t)params->latency_cyc[long_ops[i]];

        core->long_classes[i] = (struct captured_class){long_ops[i], latency_cyc};
        if (latency_cyc > 0 && latency_cyc < core->long_cyc)
            core->long_cyc = latency_cyc;
    }
}

/* The branch executes a cycle behind its source; commit squashes, fetch begins a cycle after that signal, and what it
 * fetched passes all stages (o3-core 1.1). */
struct captured_core captured_core_of(const struct detailed_params *params)
{
    uint64_t const from_rename = params->rename_to_iew_cyc + params->issue_to_execute_cyc;
    uint64_t const to_rename = params->fetch_to_decode_cyc + params->decode_to_rename_cyc;
    uint64_t const to_fetch = params->iew_to_commit_cyc + params->commit_to_fetch_cyc;
    uint64_t const to_correct = params->fetch_to_decode_cyc + params->decode_to_fetch_cyc;
    struct captured_core core = {
        .resolve_cyc = (uint32_t)(2 + to_fetch + to_rename + from_rename),
        .serial_cyc = (uint32_t)(1 + params->iew_to_commit_cyc + params->commit_to_rename_cyc + from_rename),
        .squash_width = (uint32_t)params->squash_width,
        .front_ops = (uint32_t)(params->fetch_queue + params->fetch_width * params->fetch_to_decode_cyc
                                + params->decode_width * params->decode_to_rename_cyc
                                + params->rename_width * params->rename_to_iew_cyc),
        .int_units = (uint32_t)params->units[DETAILED_UNIT_INT_ALU],
        .gap_execute = (uint32_t)params->fetch_width,
        .gap_decode = (uint32_t)(params->fetch_width * (2 + to_correct))};

    take_latencies(&core, params);
    return core;
}

struct captured_core captured_core_reference(void)
{
    struct detailed_params params;

    detailed_params_defaults(&params);
    return captured_core_of(&params);
}

bool captured_core_is_equal(const struct captured_core *one, const struct captured_core *other)
{
#define IS_OTHER(field, value, help) || one->field != other->field
    if (false CAPTURED_CORE_FIELDS(IS_OTHER))
        return false;
    for (unsigned i = 0; i < CAPTURED_CLASSES; i++)
        if (one->classes[i].latency_cyc != other->classes[i].latency_cyc)
            return false;
    for (unsigned i = 0; i < CAPTURED_LONG_CLASSES; i++)
        if (one->long_classes[i].latency_cyc != other->long_classes[i].latency_cyc)
            return false;
    return true;
}

static bool is_of_integers(unsigned op)
{
    return op == DETAILED_OP_INT_MULT || op == DETAILED_OP_INT_DIV;
}

static unsigned class_of(const struct captured_core *core, uint64_t latency_cyc, bool of_integers)
{
    if (latency_cyc <= 1)
        return DETAILED_OP_COUNT;
    for (unsigned i = 0; i < CAPTURED_CLASSES; i++)
        if (core->classes[i].latency_cyc == latency_cyc && (!of_integers || is_of_integers(core->classes[i].op)))
            return core->classes[i].op;
    return DETAILED_OP_COUNT;
}

unsigned captured_core_class(const struct captured_core *core, uint64_t latency_cyc)
{
    return class_of(core, latency_cyc, false);
}

unsigned captured_core_integer_class(const struct captured_core *core, uint64_t latency_cyc)
{
    return class_of(core, latency_cyc, true);
}
