/* rubato trace info of instruction traces: one pass over each file of the path. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/shown.h"
#include "cli/trace/footprint.h"
#include "cli/trace/insn.h"
#include "cli/trace/trace.h"
#include "proto/insn/reader.h"

struct info {
    uint64_t line_bytes, files;
    struct insn_counts counts;           /* sums over the files */
    uint32_t lacks;                      /* of any of them */
    struct number_set threads, pcs;
    struct footprint loads, stores, both, code;
    char about[96];                      /* of the first file */
};

static void add_counts(struct insn_counts *sum, const struct insn_counts *counts)
{
#define COUNTER_ADD(name, what) sum->name += counts->name;
    INSN_COUNTERS(COUNTER_ADD)
    for (size_t i = 0; i < ISA_KIND_COUNT; i++)
        sum->kinds[i] += counts->kinds[i];
}

static void count_insn(struct info *info, const struct insn *insn)
{
    if (insn->form != INSN_ACCESS_ONLY)
        number_set_add(&info->threads, insn->thread);
    if (insn->form == INSN_EXECUTED && insn->pc != 0) {
        number_set_add(&info->pcs, insn->pc);
        footprint_touch(&info->code, insn->pc, insn->size_bytes, info->line_bytes);
    }
    for (size_t i = 0; i < insn->access_count; i++) {
        const struct insn_access *const access = &insn->accesses[i];

        footprint_touch(access->is_write ? &info->stores : &info->loads, access->address, access->size_bytes,
                        info->line_bytes);
        footprint_touch(&info->both, access->address, access->size_bytes, info->line_bytes);
    }
}

static bool read_file(struct info *info, const char *path, struct fault *error)
{
    struct insn_reader *const reader = insn_reader_open(path, error);
    enum insn_step step;
    struct insn insn;

    if (!reader)
        return false;
    while ((step = insn_reader_next(reader, &insn, error)) == INSN_RECORD)
        count_insn(info, &insn);
    add_counts(&info->counts, insn_reader_counts(reader));
    info->lacks |= insn_reader_lacks(reader);
    if (info->files++ == 0)
        snprintf(info->about, sizeof info->about, "%s", insn_reader_format(reader));
    if (insn_reader_warning(reader))
        cli_warn("%s: %s", path, insn_reader_warning(reader));
    insn_reader_close(reader);
    return step == INSN_END;
}

static void print_kinds(const struct info *info)
{
    if (info->lacks & 1u << INSN_LACKS_BRANCHES)
        return;
    for (unsigned kind = 0; kind < ISA_KIND_COUNT; kind++)
        if (info->counts.kinds[kind] > 0)
            printf("    %-14s%12" PRIu64 " %5.1f %%\n", isa_kind_name(kind), info->counts.kinds[kind],
                   percent(info->counts.kinds[kind], info->counts.instructions));
    if (info->counts.branches_taken + info->counts.branches_untaken > 0)
        printf("    conditional branches taken: %.1f %%\n",
               percent(info->counts.branches_taken, info->counts.branches_taken + info->counts.branches_untaken));
}

static void print_info(const char *path, const struct info *info)
{
    const struct insn_counts *const counts = &info->counts;
    const char *separator = "  lacks         ";

    printf("%s\n  kind          instruction trace, %s\n  files         %" PRIu64 "\n", cli_shown(path),
           cli_shown(info->about), info->files);
    if (!(info->lacks & 1u << INSN_LACKS_THREADS))
        printf("  threads       %zu\n", info->threads.count);
    for (unsigned lack = 0; lack < INSN_LACK_COUNT; lack++)
        if (info->lacks & 1u << lack) {
            printf("%s%s", separator, insn_lack_text(lack));
            separator = "; ";
        }
    printf("%s\n", info->lacks ? "\n" : "");
    printf("  instructions  %" PRIu64 ", %zu different pcs\n", counts->instructions, info->pcs.count);
    print_kinds(info);
#define COUNTER_PRINT(name, what)                                                                                     \
    if (counts->name > 0 && counts->name != counts->instructions)                                                     \
        printf("  %12" PRIu64 " %s\n", counts->name, what);
    INSN_COUNTERS(COUNTER_PRINT)
    putchar('\n');
    footprint_print("loads", &info->loads, info->line_bytes);
    footprint_print("stores", &info->stores, info->line_bytes);
    footprint_print("both", &info->both, info->line_bytes);
    footprint_print("code", &info->code, info->line_bytes);
}

int trace_insn_info(const char *path, uint64_t line_bytes)
{
    struct info info = {.line_bytes = line_bytes ? line_bytes : 64};
    struct fault error;
    char **const files = insn_files(path, &error);
    bool good = files != NULL;

    for (char **file = files; good && *file; file++)
        good = read_file(&info, *file, &error);
    if (good)
        print_info(path, &info);
    insn_files_free(files);
    number_set_free(&info.threads);
    number_set_free(&info.pcs);
    footprint_free(&info.loads);
    footprint_free(&info.stores);
    footprint_free(&info.both);
    footprint_free(&info.code);
    return good ? CLI_OK : cli_fail_proto(&error);
}
