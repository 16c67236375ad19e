/* Two sorted tables are walked side by side. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/stats_compare.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct stats_left_out stats_left_out[] = {
    {"hostSeconds", "time on the machine that simulated"},
    {"hostTickRate", "speed of the machine that simulated"},
    {"hostMemory", "memory of the machine that simulated"},
    {"system.*.tags.*", "occupancy and age of lines by requestor and task, which decide nothing"},
    {"system.*.power_state.*", "residency of components in power states, one state for the whole run"},
    {"system.mem_ctrls*.dram*.rank*.*Energy", "energy model of another project (DRAMPower)"},
    {"system.mem_ctrls*.dram*.rank*.averagePower", "energy model of another project (DRAMPower)"},
    {"system.mem_ctrls*.avgPriority_*", "quality-of-service priorities, of which there is one"},
    {"system.mem_ctrls*.priorityMinLatency", "latency by quality-of-service priority, of which there is one"},
    {"system.mem_ctrls*.priorityMaxLatency", "latency by quality-of-service priority, of which there is one"},
    {NULL, NULL}
};

/* Counters that the model writes as soon as they are not 0: it lacking one of ours says 0. */
static const char *const model_counters[] = {
    "system.*.hits::*", "system.*.misses::*", "system.*.accesses::*", "system.*.missLatency::*", "system.*.mshrHits::*",
    "system.*.mshrMisses::*", "system.*.mshrMissLatency::*", "system.*.mshrUncacheable::*",
    "system.*.mshrUncacheableLatency::*", "system.*.blockedCauses::*", "system.*.blockedCycles::*",
    "system.*.writebacks::*", "system.*.replacements", "system.*.transDist::*", "system.*.pktCount_*::system.*",
    "system.*.pktSize_*::system.*",
    "system.*.snoops", "system.*.snoopTraffic", "system.*.occupancy", "system.*.snoop_filter.*",
    "system.*.rdQLenPdf::*", "system.*.wrQLenPdf::*", "system.*.servicedByWrQ", "system.*.mergedWrBursts",
    "system.*.numRdRetry", "system.*.numWrRetry", "system.*.bytesReadWrQ", "system.*.requestor*Bytes::*",
    "system.*.requestor*Accesses::*", "system.*.requestor*TotalLat::*", "system.*.numStay*State",
    "system.*.num*TurnArounds", "system.*.pwrStateTime::*"
};

static bool is_left_out(const char *name)
{
    for (const struct stats_left_out *entry = stats_left_out; entry->pattern; entry++) {
        if (fnmatch(entry->pattern, name, 0) == 0)
            return true;
    }
    return false;
}

static bool is_model_counter(const char *name)
{
    for (size_t i = 0; i < sizeof model_counters / sizeof model_counters[0]; i++) {
        if (fnmatch(model_counters[i], name, 0) == 0)
            return true;
    }
    return false;
}

static bool is_zero(const struct stats_line *line)
{
    char *end;

    return strtod(line->value, &end) == 0 && *end == '\0' && end != line->value;
}

/* A number with all its digits against one as stats.txt prints it. */
static bool prints_as(const char *all_digits, const char *printed)
{
    const char *const point = strchr(printed, '.');
    char text[400];

    if (strpbrk(all_digits, ".e") == NULL)
        return strcmp(all_digits, printed) == 0;
    snprintf(text, sizeof text, "%.*f", point ? (int)strlen(point + 1) : 0, strtod(all_digits, NULL));
    return strcmp(text, printed) == 0 && (point || strtod(all_digits, NULL) == strtod(printed, NULL));
}

static bool are_equal(const struct stats_line *reference, const struct stats_line *ours, bool is_from_json)
{
    if (reference == NULL || ours == NULL)
        return is_zero(reference ? reference : ours);
    if (is_from_json)
        return prints_as(reference->value, ours->value);
    return strcmp(reference->value, ours->value) == 0 && strcmp(reference->shares, ours->shares) == 0;
}

static void compare_pair(struct stats_comparison *comparison, const struct stats_line *reference,
                         const struct stats_line *ours, bool is_from_json)
{
    struct stats_difference const difference = {reference ? reference->name : ours->name, reference, ours};

    if (is_left_out(difference.name) || (is_from_json && reference == NULL && !is_model_counter(difference.name)))
        return;
    comparison->compared++;
    if (are_equal(reference, ours, is_from_json))
        return;
    comparison->different++;
    if (comparison->report)
        comparison->report(comparison->context, &difference);
}

void stats_compare(const struct stats_table *reference, const struct stats_table *ours,
                   struct stats_comparison *comparison)
{
    size_t i = 0, j = 0;

    comparison->compared = comparison->different = 0;
    while (i < reference->count || j < ours->count) {
        const struct stats_line *const left = i < reference->count ? &reference->lines[i] : NULL;
        const struct stats_line *const right = j < ours->count ? &ours->lines[j] : NULL;
        int const order = left == NULL ? 1 : right == NULL ? -1 : strcmp(left->name, right->name);

        compare_pair(comparison, order <= 0 ? left : NULL, order >= 0 ? right : NULL, reference->is_from_json);
        i += order <= 0;
        j += order >= 0;
    }
}
