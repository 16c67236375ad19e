/* Checked: sizes that are indexed by bits, and sizes that lie in each other. Limits of single keys: their lines. */
#include "base/arith.h"
#include "replay/config/branch_params.h"
#include "replay/config/config_internal.h"

static struct fault check_power_of_two(const char *key, uint64_t value)
{
    uint64_t const below = UINT64_C(1) << log2_down(value);

    if (is_power_of_two(value))
        return fault_none();
    return fault_make(FAULT_INPUT, "cpu.branchPred.%s: %llu is not a power of two, and its index is made of bits; give "
                      "%llu or %llu", key, (unsigned long long)value, (unsigned long long)below,
                      (unsigned long long)(2 * below));
}

static struct fault check_direction(const struct branch_params *params)
{
    switch (params->type) {
    case BRANCH_TOURNAMENT:
        FORWARD(check_power_of_two("localPredictorSize", params->local_counters));
        FORWARD(check_power_of_two("localHistoryTableSize", params->local_histories));
        FORWARD(check_power_of_two("globalPredictorSize", params->global_counters));
        return check_power_of_two("choicePredictorSize", params->choice_counters);
    case BRANCH_BIMODE:
        FORWARD(check_power_of_two("globalPredictorSize", params->global_counters));
        return check_power_of_two("choicePredictorSize", params->choice_counters);
    case BRANCH_LOCAL:
        if (params->local_counters % params->local_bits == 0
            && is_power_of_two(params->local_counters / params->local_bits))
            return fault_none();
        return fault_make(FAULT_INPUT, "cpu.branchPred.localPredictorSize: %llu bits do not make a power of two "
                          "counters of localCtrBits = %llu; give a power of two times %llu",
                          (unsigned long long)params->local_counters, (unsigned long long)params->local_bits,
                          (unsigned long long)params->local_bits);
    case BRANCH_GSHARE:
        FORWARD(check_power_of_two("gsharePredictorSize", params->gshare_counters));
        if (params->gshare_history_bits <= log2_down(params->gshare_counters))
            return fault_none();
        return fault_make(FAULT_INPUT, "cpu.branchPred.gshareHistoryBits: %llu directions do not fit the index of "
                          "gsharePredictorSize = %llu counters; give at most %u",
                          (unsigned long long)params->gshare_history_bits, (unsigned long long)params->gshare_counters,
                          log2_down(params->gshare_counters));
    case BRANCH_TAGE:
    case BRANCH_TAGE_SC_L:
        if (params->tage_shortest < params->tage_longest)
            return fault_none();
        return fault_make(FAULT_INPUT, "cpu.branchPred.minHist: %llu directions are not fewer than those of maxHist = "
                          "%llu; give 6 and 3000", (unsigned long long)params->tage_shortest,
                          (unsigned long long)params->tage_longest);
    default:
        return fault_none();
    }
}

struct fault branch_params_check(const struct branch_params *params)
{
    FORWARD(config_check_part("branchPred", &branch_param_table, params));
    if (params->btb != BTB_NONE)
        FORWARD(check_power_of_two("BTBEntries", params->btb_entries));
    if (params->btb == BTB_SET_ASSOCIATIVE) {
        FORWARD(check_power_of_two("BTBWays", params->btb_ways));
        if (params->btb_ways > params->btb_entries)
            return fault_make(FAULT_INPUT, "cpu.branchPred.BTBWays: %llu ways do not fit BTBEntries = %llu; give fewer "
                              "ways or more entries", (unsigned long long)params->btb_ways,
                              (unsigned long long)params->btb_entries);
    }
    if (params->indirect == INDIRECT_PATH)
        FORWARD(check_power_of_two("indirectSets", params->indirect_sets));
    return check_direction(params);
}
