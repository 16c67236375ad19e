#include "cli/replay/accesses.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/parquet.h"
#include "cli/common/cli.h"
#include "cli/common/output.h"
#include "cli/common/output_name.h"
#include "memsys/sim/packet.h"
#include "replay/profile/optimal.h"

enum accesses_column { TIME, CACHE, COMMAND, PC, ADDRESS, HIT, FETCH, ACCESSES_COLUMNS };

static const struct parquet_column columns[ACCESSES_COLUMNS] = {
    [TIME] = {"time_ps", "ps", PARQUET_INT64}, [CACHE] = {"cache", "", PARQUET_STRING},
    [COMMAND] = {"command", "", PARQUET_STRING}, [PC] = {"pc", "", PARQUET_UINT64},
    [ADDRESS] = {"address", "", PARQUET_UINT64}, [HIT] = {"hit", "", PARQUET_INT64},
    [FETCH] = {"fetch", "", PARQUET_INT64}
};

struct accesses {
    const struct accesses_options *options;
    FILE *file;
    bool is_parquet;
    char separator;                      /* of the other forms */
    struct parquet parquet;
    struct optimal optimal;
    struct optimal_counts counts;        /* of --optimal, at the end */
};

const char *accesses_wrong(const struct accesses_options *options)
{
    if (options->level && !options->file)
        return "--accesses writes a file; give -o FILE.parquet, FILE.csv or FILE.tsv, too";
    return options->file && !options->level ? "-o is for the accesses of a cache; give --accesses LEVEL, too" : NULL;
}

static void put_parquet(struct parquet *parquet, const struct profile_access *access)
{
    parquet_put_integer(parquet, TIME, access->tick_ps);
    parquet_put_string(parquet, CACHE, access->cache);
    parquet_put_string(parquet, COMMAND, command_table[access->command].name);
    if (access->has_pc)
        parquet_put_integer(parquet, PC, access->pc);
    parquet_put_integer(parquet, ADDRESS, access->address);
    parquet_put_integer(parquet, HIT, access->is_hit);
    parquet_put_integer(parquet, FETCH, access->is_fetch);
    parquet_end_row(parquet);
}

static void put_text(struct accesses *accesses, const struct profile_access *access)
{
    char const s = accesses->separator;

    fprintf(accesses->file, "%" PRIu64 "%c%s%c%s%c", access->tick_ps, s, access->cache, s,
            command_table[access->command].name, s);
    if (access->has_pc)
        fprintf(accesses->file, "0x%" PRIx64, access->pc);
    else if (s == '\t')
        fputc('-', accesses->file);
    fprintf(accesses->file, "%c0x%" PRIx64 "%c%d%c%d\n", s, access->address, s, access->is_hit, s, access->is_fetch);
}

static void take(void *context, const struct profile_access *access)
{
    struct accesses *const accesses = context;

    if (accesses->is_parquet)
        put_parquet(&accesses->parquet, access);
    else
        put_text(accesses, access);
}

static void begin_file(struct accesses *accesses)
{
    accesses->is_parquet = output_ends_in(accesses->options->file, "parquet");
    accesses->separator = output_ends_in(accesses->options->file, "csv") ? ',' : '\t';
    if (accesses->is_parquet) {
        accesses->parquet.file = accesses->file;
        parquet_begin(&accesses->parquet, columns, ACCESSES_COLUMNS);
        return;
    }
    for (unsigned i = 0; i < ACCESSES_COLUMNS; i++)
        fprintf(accesses->file, "%s%c", columns[i].name, i + 1 < ACCESSES_COLUMNS ? accesses->separator : '\n');
}

int accesses_open(struct accesses **made, const struct accesses_options *options, struct profile *profile)
{
    struct accesses *const accesses = calloc(1, sizeof *accesses);

    *made = accesses;
    if (!accesses)
        return cli_fail_text("out of memory");
    accesses->options = options;
    if (options->optimal)
        optimal_listen(&accesses->optimal, profile, options->optimal);
    if (!options->level)
        return CLI_OK;
    accesses->file = cli_output_open(options->file);
    if (!accesses->file)
        return CLI_BAD_INPUT;
    begin_file(accesses);
    profile_listen(profile, options->level, take, accesses);
    return CLI_OK;
}

int accesses_close(struct accesses *accesses)
{
    FILE *const file = accesses->file;

    if (accesses->options->optimal) {
        struct fault const fault = optimal_count(&accesses->optimal, &accesses->counts);

        if (fault.kind != FAULT_NONE)
            return cli_fail(fault);
    }
    if (!file)
        return CLI_OK;
    if (accesses->is_parquet) {
        accesses->is_parquet = false;
        if (!parquet_close(&accesses->parquet))
            return cli_fail_text("%s: out of memory", accesses->options->file);
    }
    accesses->file = NULL;
    return cli_output_close(file, accesses->options->file) ? CLI_OK : CLI_BAD_INPUT;
}

void accesses_free(struct accesses *accesses)
{
    if (!accesses)
        return;
    if (accesses->is_parquet)
        parquet_close(&accesses->parquet);
    cli_output_discard(accesses->file);
    optimal_free(&accesses->optimal);
    free(accesses);
}

void accesses_print(FILE *to, const struct accesses *accesses)
{
    const struct optimal_counts *const counts = &accesses->counts;

    if (!accesses->options->optimal)
        return;
    fprintf(to, "\noptimal       %s: %" PRIu64 " lines fetched for %" PRIu64 " accesses; the optimal policy would have "
            "fetched %" PRIu64, accesses->options->optimal, counts->fetched, counts->accesses, counts->least);
    if (counts->fetched > 0)
        fprintf(to, ", %.1f %% fewer", 100 - 100 * (double)counts->least / (double)counts->fetched);
    fputc('\n', to);
}

void accesses_visit(const struct accesses *accesses, const struct system *system,
                    void (*visit)(void *context, const char *name, double value), void *context)
{
    if (accesses->options->optimal)
        optimal_visit(&accesses->counts, system, accesses->options->optimal, visit, context);
}
