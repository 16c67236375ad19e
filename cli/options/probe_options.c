#include "cli/options/probe_options.h"

#include <inttypes.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"

bool probe_take_window(void *field, struct cli_parser *parser)
{
    uint64_t *const window = field;

    if (!cli_parse_count(parser, window))
        return false;
    if (*window > 0)
        return true;
    cli_usage_error(parser->usage, "--%s %s: expected a number of records from 1 up", parser->option, parser->value);
    return false;
}

static uint64_t records_of(const struct elastic_window_counts *counts)
{
    return counts->records[DEP_LOAD] + counts->records[DEP_STORE] + counts->records[DEP_COMP];
}

static void print_one(FILE *to, const char *folder, const struct elastic_probe_counts *counts)
{
    struct elastic_window_counts const *const data = &counts->data;

    fprintf(to, "%s: elastic trace of %" PRIu64 " instructions\n", cli_shown(folder),
            counts->instructions - counts->before);
    fprintf(to, "  records       %" PRIu64 ": %" PRIu64 " LOAD (%" PRIu64 " of them squashed), %" PRIu64 " STORE, %"
            PRIu64 " COMP; %" PRIu64 " micro-ops without dependents are left out\n", records_of(data),
            data->records[DEP_LOAD], data->squashed_loads, data->records[DEP_STORE], data->records[DEP_COMP],
            data->filtered);
    fprintf(to, "  dependences   %" PRIu64 " register, %" PRIu64 " order\n", data->register_deps, data->order_deps);
    fprintf(to, "  fetches       %" PRIu64 "\n", counts->fetches);
}

void probe_print(FILE *to, const struct core_probes *probes)
{
    for (unsigned i = 0; i < core_probes_count(probes); i++)
        if (core_probes_folder(probes, i))
            print_one(to, core_probes_folder(probes, i), core_probes_counts(probes, i));
}

void probe_warn(const struct core_probes *probes)
{
    uint64_t const least = 2 * (uint64_t)core_probes_window(probes);

    for (unsigned i = 0; i < core_probes_count(probes); i++) {
        const char *const folder = core_probes_folder(probes, i);
        uint64_t const records = folder ? records_of(&core_probes_counts(probes, i)->data) : least;

        if (records < least)
            cli_warn("%s: %" PRIu64 " records are fewer than two windows (%" PRIu64 "), and gem5 refuses that; "
                     "rubato replays it", cli_shown(folder), records, least);
    }
}
