/* rubato trace dump of MacSim traces: a line for each record of a thread, or each instruction of a warp. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/trace_gpu.h"
#include "cli/trace_macsim.h"

enum { NAME_BYTES = 24 };

struct dump {
    bool json;
    uint64_t first, behind, at;          /* records */
    const struct macsim_part *part;
    uint64_t thread;                     /* its id */
};

/* --- names -------------------------------------------------------------------------------------------------------- */

static const char *opcode_name(const struct dump *dump, unsigned opcode, char name[NAME_BYTES])
{
    const char *const known = macsim_opcode_name(dump->part->detection.format.opcodes, opcode);

    if (known != NULL)
        return known;
    snprintf(name, NAME_BYTES, "%u", opcode);
    return name;
}

static const char *value_name(enum macsim_value_table table, unsigned value, char name[NAME_BYTES])
{
    const char *const known = macsim_value_name(table, value);

    if (known != NULL)
        return known;
    snprintf(name, NAME_BYTES, "%u", value);
    return name;
}

static void print_registers_text(const struct dump *dump, const uint16_t *registers, unsigned count)
{
    char name[NAME_BYTES];

    fputs(count == 0 ? " -" : " ", stdout);
    for (unsigned i = 0; i < count; i++) {
        macsim_register_name(dump->part->detection.format.registers, registers[i], name, sizeof name);
        printf("%s%s", i > 0 ? "," : "", name);
    }
}

static void print_registers_json(const struct dump *dump, const char *key, const uint16_t *registers, unsigned count)
{
    char name[NAME_BYTES];

    printf(", \"%s\": [", key);
    for (unsigned i = 0; i < count; i++) {
        macsim_register_name(dump->part->detection.format.registers, registers[i], name, sizeof name);
        printf("%s\"%s\"", i > 0 ? ", " : "", name);
    }
    putchar(']');
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void print_cpu_text(const struct dump *dump, const struct macsim_cpu_record *record)
{
    char name[NAME_BYTES];

    printf("%" PRIu64 " 0x%" PRIx64 " %u %s", dump->thread, record->pc, record->size,
           opcode_name(dump, record->opcode, name));
    print_registers_text(dump, record->destinations, record->destination_count);
    print_registers_text(dump, record->sources, record->source_count);
    fputs(record->is_fp ? " fp" : "", stdout);
    fputs(record->has_immediate ? " imm" : "", stdout);
    fputs(record->writes_flags ? " flags" : "", stdout);
    if (record->load_count > 0)
        printf(" load %u x %u 0x%" PRIx64, record->load_count, record->bytes_read, record->load[0]);
    if (record->load_count > 1 || record->load[1] != 0)
        printf(",0x%" PRIx64, record->load[1]);
    if (record->has_store || record->store_count > 0)
        printf(" store %u x %u 0x%" PRIx64, record->store_count, record->bytes_written, record->store);
    if (record->cf != MACSIM_CF_NONE)
        printf(" %s %s 0x%" PRIx64, value_name(MACSIM_TABLE_CF, record->cf, name), record->taken ? "taken" : "not",
               record->target);
    fputs(record->repeat_direction != 0 ? " down\n" : "\n", stdout);
}

static void print_tiles_json(const struct macsim_cpu_record *record)
{
    for (unsigned tile = 0; tile < 3; tile++)
        for (unsigned row = 0; row < 16; row++)
            printf("%s%" PRIu64 "%s", tile + row == 0 ? ", \"tile_rows\": [[" : row == 0 ? "], [" : ", ",
                   macsim_tile_row(record, tile, row), tile == 2 && row == 15 ? "]]" : "");
}

static const char *boolean(bool is)
{
    return is ? "true" : "false";
}

static void print_cpu_json(const struct dump *dump, const struct macsim_cpu_record *record)
{
    char name[NAME_BYTES];

    printf("{\"thread\": %" PRIu64 ", \"pc\": %" PRIu64 ", \"size\": %u, \"opcode\": %u, \"name\": \"%s\"",
           dump->thread, record->pc, record->size, record->opcode, opcode_name(dump, record->opcode, name));
    print_registers_json(dump, "destinations", record->destinations, record->destination_count);
    print_registers_json(dump, "sources", record->sources, record->source_count);
    printf(", \"fp\": %s, \"immediate\": %s, \"writes_flags\": %s, \"loads\": %u, \"load_addresses\": [%" PRIu64
           ", %" PRIu64 "], \"bytes_read\": %u, \"has_store\": %s, \"stores\": %u, \"store_address\": %" PRIu64
           ", \"bytes_written\": %u, \"cf\": \"%s\", \"taken\": %s, \"target\": %" PRIu64 ", \"repeat_direction\": %u",
           boolean(record->is_fp), boolean(record->has_immediate), boolean(record->writes_flags), record->load_count,
           record->load[0], record->load[1], record->bytes_read, boolean(record->has_store), record->store_count,
           record->store, record->bytes_written, value_name(MACSIM_TABLE_CF, record->cf, name),
           boolean(record->taken), record->target, record->repeat_direction);
    if (record->tile_rows != NULL)
        print_tiles_json(record);
    puts("}");
}

/* --- warps -------------------------------------------------------------------------------------------------------- */

static bool is_nvbit(const struct dump *dump)
{
    return dump->part->detection.format.layout == MACSIM_N64;
}

static enum macsim_value_table space_table(const struct dump *dump)
{
    return is_nvbit(dump) ? MACSIM_TABLE_NVBIT_SPACE : MACSIM_TABLE_ADDR_SPACE;
}

static struct macsim_gpu_op op_of(const struct dump *dump, const struct macsim_gpu_record *record)
{
    return macsim_gpu_op(dump->part->detection.format.opcodes, record->opcode);
}

static bool is_barrier(const struct dump *dump, const struct macsim_gpu_record *record)
{
    unsigned const role = op_of(dump, record).role;

    return role == MACSIM_BARRIER || role == MACSIM_BARRIER_ARRIVE;
}

static bool is_fence(const struct dump *dump, const struct macsim_gpu_record *record)
{
    unsigned const role = op_of(dump, record).role;

    return role == MACSIM_FENCE_CTA || role == MACSIM_FENCE_GL || role == MACSIM_FENCE_SYS;
}

static void print_access_text(const struct dump *dump, const struct macsim_gpu_record *record)
{
    char name[NAME_BYTES];

    printf(" %s %s %u", record->is_load ? "load" : op_of(dump, record).access == MACSIM_STORE ? "store" : "atomic",
           value_name(space_table(dump), record->space, name), record->access_bytes);
    for (unsigned lane = 0; record->has_lanes && lane < MACSIM_LANES; lane++)
        if (record->lanes[lane] != 0)
            printf(" %u:0x%" PRIx64, lane, record->lanes[lane]);
    if (!record->has_lanes)
        printf(" 0x%" PRIx64, record->address);
    for (unsigned i = 0; i < record->child_count; i++)
        printf(" +0x%" PRIx64, record->children[i]);
}

static void print_gpu_text(const struct dump *dump, const struct macsim_gpu_record *record)
{
    char name[NAME_BYTES];

    printf("%" PRIu64 " %" PRIu32 " 0x%" PRIx64 " %08" PRIx32 " %s", macsim_block_of(dump->thread),
           macsim_warp_of(dump->thread), record->pc, record->active_mask, opcode_name(dump, record->opcode, name));
    print_registers_text(dump, record->destinations, record->destination_count);
    print_registers_text(dump, record->sources, record->source_count);
    fputs(record->is_fp ? " fp" : "", stdout);
    if (record->accesses_memory)
        print_access_text(dump, record);
    if (record->cf != MACSIM_CF_NONE)
        printf(" %s %08" PRIx32 " 0x%" PRIx64 " 0x%" PRIx64, value_name(MACSIM_TABLE_CF, record->cf, name),
               record->taken_mask, record->target, record->reconvergence);
    if (is_barrier(dump, record))
        printf(" barrier %u %u", record->barrier, record->barrier_threads);
    if (is_fence(dump, record))
        printf(" fence %s", value_name(MACSIM_TABLE_FENCE, record->fence, name));
    if (record->cache_operator != 0)
        printf(" %s", value_name(MACSIM_TABLE_CACHE_OP, record->cache_operator, name));
    if (record->cache_level != 0)
        printf(" %s", value_name(MACSIM_TABLE_CACHE_LEVEL, record->cache_level, name));
    putchar('\n');
}

static void print_access_json(const struct dump *dump, const struct macsim_gpu_record *record)
{
    const char *separator = "";
    char name[NAME_BYTES];

    printf(", \"space\": \"%s\", \"access_bytes\": %u", value_name(space_table(dump), record->space, name),
           record->access_bytes);
    if (!record->has_lanes)
        printf(", \"address\": %" PRIu64, record->address);
    fputs(record->has_lanes ? ", \"lanes\": [" : ", \"children\": [", stdout);
    for (unsigned lane = 0; record->has_lanes && lane < MACSIM_LANES; lane++, separator = ", ")
        printf("%s%" PRIu64, separator, record->lanes[lane]);
    for (unsigned i = 0; !record->has_lanes && i < record->child_count; i++, separator = ", ")
        printf("%s[%" PRIu64 ", %u]", separator, record->children[i], record->child_bytes[i]);
    putchar(']');
}

static void print_gpu_json(const struct dump *dump, const struct macsim_gpu_record *record)
{
    char name[NAME_BYTES];

    printf("{\"block\": %" PRIu64 ", \"warp\": %" PRIu32 ", \"pc\": %" PRIu64 ", \"size\": %u, \"mask\": \"%08" PRIx32
           "\", \"opcode\": %u, \"name\": \"%s\"", macsim_block_of(dump->thread), macsim_warp_of(dump->thread),
           record->pc, record->size, record->active_mask, record->opcode, opcode_name(dump, record->opcode, name));
    print_registers_json(dump, "destinations", record->destinations, record->destination_count);
    print_registers_json(dump, "sources", record->sources, record->source_count);
    printf(", \"fp\": %s, \"load\": %s, \"cf\": \"%s\"", boolean(record->is_fp), boolean(record->is_load),
           value_name(MACSIM_TABLE_CF, record->cf, name));
    if (record->cf != MACSIM_CF_NONE)
        printf(", \"taken_mask\": \"%08" PRIx32 "\", \"target\": %" PRIu64 ", \"reconvergence\": %" PRIu64,
               record->taken_mask, record->target, record->reconvergence);
    if (record->accesses_memory)
        print_access_json(dump, record);
    if (is_barrier(dump, record))
        printf(", \"barrier\": %u, \"barrier_threads\": %u", record->barrier, record->barrier_threads);
    if (is_fence(dump, record))
        printf(", \"fence\": \"%s\"", value_name(MACSIM_TABLE_FENCE, record->fence, name));
    if (record->cache_operator != 0)
        printf(", \"cache_operator\": \"%s\"", value_name(MACSIM_TABLE_CACHE_OP, record->cache_operator, name));
    if (record->cache_level != 0)
        printf(", \"cache_level\": \"%s\"", value_name(MACSIM_TABLE_CACHE_LEVEL, record->cache_level, name));
    puts("}");
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

static enum macsim_step dump_next(struct dump *dump, struct macsim_stream *stream, struct proto_error *error)
{
    bool const wanted = dump->at >= dump->first;
    struct macsim_cpu_record cpu;
    struct macsim_gpu_record gpu;
    enum macsim_step step;

    if (stream->format.is_gpu) {
        step = macsim_stream_next_gpu(stream, &gpu, error);
        if (step == MACSIM_RECORD && wanted)
            (dump->json ? print_gpu_json : print_gpu_text)(dump, &gpu);
    } else {
        step = macsim_stream_next_cpu(stream, &cpu, error);
        if (step == MACSIM_RECORD && wanted)
            (dump->json ? print_cpu_json : print_cpu_text)(dump, &cpu);
    }
    dump->at += step == MACSIM_RECORD;
    return step;
}

static bool dump_stream(struct dump *dump, size_t index, struct proto_error *error)
{
    struct macsim_stream stream;
    enum macsim_step step = MACSIM_END;
    unsigned told = 0;
    char text[500];

    dump->thread = dump->part->header.threads[index].id;
    if (!macsim_part_open(dump->part, index, &stream, error))
        return false;
    while (dump->at < dump->behind && !ferror(stdout)
           && (step = dump_next(dump, &stream, error)) == MACSIM_RECORD)
        continue;
    while (step == MACSIM_END && macsim_stream_warning(&stream, &told, text, sizeof text))
        cli_warn("%s", text);
    macsim_stream_close(&stream);
    return step != MACSIM_FAILED;
}

static void print_part(const struct dump *dump)
{
    const struct macsim_header *const header = &dump->part->header;
    const struct macsim_format *const format = &dump->part->detection.format;
    const char *const path = dump->part->has_header ? header->path : header->base;
    const char *const kind = dump->part->has_header ? macsim_kind_name(header->kind) : "none";

    if (dump->json) {
        fputs("{\"trace\": ", stdout);
        trace_gpu_print_text(stdout, path);
        printf(", \"header\": \"%s\", \"version\": \"%s\", \"layout\": \"%s\", \"opcodes\": \"%s\", "
               "\"registers\": \"%s\", \"threads\": %zu, \"max_blocks\": %" PRIu64 "}\n", kind, header->version,
               macsim_layout_name(format->layout), macsim_dialect_name(format->opcodes),
               macsim_registers_name(format->registers), header->thread_count, header->max_blocks);
        return;
    }
    printf("# trace %s\n# header %s%s%s\n# layout %s\n# opcodes %s\n# registers %s\n# threads %zu\n", path, kind,
           header->version[0] != '\0' ? " " : "", header->version, macsim_layout_name(format->layout),
           macsim_dialect_name(format->opcodes), macsim_registers_name(format->registers), header->thread_count);
}

static bool dump_part(struct dump *dump, struct proto_error *error)
{
    print_part(dump);
    for (size_t i = 0; i < dump->part->header.thread_count && dump->at < dump->behind; i++)
        if (!dump_stream(dump, i, error))
            return false;
    return true;
}

int trace_macsim_dump(const char *path, const struct macsim_override *override, uint64_t first, uint64_t behind,
                      bool json)
{
    struct dump dump = {.json = json, .first = first, .behind = behind};
    struct proto_error error;
    struct macsim_set set;
    bool good = true;

    if (!macsim_set_open(&set, path, override, &error))
        return cli_fail_proto(&error);
    for (size_t i = 0; i < set.warning_count; i++)
        cli_warn("%s", set.warnings[i]);
    if (!json)
        puts("# rubato MacSim trace");
    for (size_t i = 0; good && i < set.application_count; i++)
        for (size_t p = 0; good && p < set.applications[i].part_count && dump.at < behind; p++) {
            dump.part = &set.applications[i].parts[p];
            good = dump_part(&dump, &error);
        }
    macsim_set_close(&set);
    return good ? CLI_OK : cli_fail_proto(&error);
}
