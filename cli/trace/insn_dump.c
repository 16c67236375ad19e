/* rubato trace dump of instruction traces: a line for each instruction. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/trace/insn.h"
#include "proto/insn/reader.h"

static void print_registers(const char *name, const uint8_t registers[INSN_REGISTERS])
{
    const char *separator = name;

    for (int i = 0; i < INSN_REGISTERS; i++)
        if (registers[i] != 0) {
            printf("%s%u", separator, registers[i]);
            separator = ",";
        }
}

static void print_insn(const struct insn *insn)
{
    if (insn->gap > 0)
        printf("gap %" PRIu64 " ", insn->gap);
    if (insn->form != INSN_ACCESS_ONLY || insn->pc != 0)
        printf("%" PRIu64 " 0x%" PRIx64 " %" PRIu32 " ", insn->thread, insn->pc, insn->size_bytes);
    printf("%s", insn->form == INSN_ACCESS_ONLY ? "access" : insn->form == INSN_REPEAT ? "repeat"
           : isa_kind_name(insn->kind));
    if (insn->branch != INSN_BRANCH_UNKNOWN)
        printf(insn->branch == INSN_TAKEN ? " taken" : " not_taken");
    if (insn->has_target)
        printf(" target 0x%" PRIx64, insn->target);
    if (insn->encoding_bytes > 0)
        printf(" bytes ");
    for (unsigned i = 0; i < insn->encoding_bytes; i++)
        printf("%02x", insn->encoding[i]);
    print_registers(" reads ", insn->reads);
    print_registers(" writes ", insn->writes);
    for (size_t i = 0; i < insn->access_count; i++)
        printf(" %s 0x%" PRIx64 " %" PRIu32, insn->accesses[i].is_write ? "store" : "load", insn->accesses[i].address,
               insn->accesses[i].size_bytes);
    putchar('\n');
}

static bool dump_file(const char *path, uint64_t first, uint64_t behind, uint64_t *at, struct fault *error)
{
    struct insn_reader *const reader = insn_reader_open(path, error);
    enum insn_step step = INSN_END;
    struct insn insn;

    if (!reader)
        return false;
    if (*at < behind)
        printf("# %s: thread pc size kind [taken] [target] [bytes] [reads] [writes] [load|store address size]...\n",
               insn_reader_format(reader));
    while (*at < behind && (step = insn_reader_next(reader, &insn, error)) == INSN_RECORD)
        if ((*at)++ >= first)
            print_insn(&insn);
    if (step == INSN_END && insn_reader_warning(reader))
        cli_warn("%s: %s", path, insn_reader_warning(reader));
    insn_reader_close(reader);
    return step != INSN_FAILED;
}

int trace_insn_dump(const char *path, uint64_t first, uint64_t behind)
{
    struct fault error;
    char **const files = insn_files(path, &error);
    bool good = files != NULL;
    uint64_t at = 0;

    for (char **file = files; good && *file; file++)
        good = dump_file(*file, first, behind, &at, &error);
    insn_files_free(files);
    if (!good)
        return cli_fail_proto(&error);
    return cli_output_close(stdout, "standard output") ? CLI_OK : CLI_BAD_INPUT;
}
