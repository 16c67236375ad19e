/* rubato trace dump of MacSim traces: a line for each record of a thread, or each instruction of a warp. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_command.h"
#include "cli/trace/trace_kinds.h"
#include "proto/macsim/set.h"

enum { NAME_BYTES = 24 };

struct dump {
    bool is_json;
    struct json json;
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

static void put_registers(struct dump *dump, const char *key, const uint16_t *registers, unsigned count)
{
    char name[NAME_BYTES];

    json_put_array(&dump->json, key, JSON_SPACED);
    for (unsigned i = 0; i < count; i++) {
        macsim_register_name(dump->part->detection.format.registers, registers[i], name, sizeof name);
        json_write_string(&dump->json, name);
    }
    json_end(&dump->json);
}

static void put_mask(struct json *json, const char *key, uint32_t mask)
{
    char digits[NAME_BYTES];

    snprintf(digits, sizeof digits, "%08" PRIx32, mask);
    json_put_string(json, key, digits);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void print_cpu_text(struct dump *dump, const struct macsim_cpu_record *record)
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

static void put_tiles(struct json *json, const struct macsim_cpu_record *record)
{
    json_put_array(json, "tile_rows", JSON_SPACED);
    for (unsigned tile = 0; tile < 3; tile++) {
        json_begin_array(json, JSON_SPACED);
        for (unsigned row = 0; row < 16; row++)
            json_write_number(json, macsim_tile_row(record, tile, row));
        json_end(json);
    }
    json_end(json);
}

static void print_cpu_json(struct dump *dump, const struct macsim_cpu_record *record)
{
    struct json *const json = &dump->json;
    char name[NAME_BYTES];

    json_begin_object(json, JSON_SPACED);
    json_put_number(json, "thread", dump->thread);
    json_put_number(json, "pc", record->pc);
    json_put_number(json, "size", record->size);
    json_put_number(json, "opcode", record->opcode);
    json_put_string(json, "name", opcode_name(dump, record->opcode, name));
    put_registers(dump, "destinations", record->destinations, record->destination_count);
    put_registers(dump, "sources", record->sources, record->source_count);
    json_put_bool(json, "fp", record->is_fp);
    json_put_bool(json, "immediate", record->has_immediate);
    json_put_bool(json, "writes_flags", record->writes_flags);
    json_put_number(json, "loads", record->load_count);
    json_put_numbers(json, "load_addresses", record->load, 2);
    json_put_number(json, "bytes_read", record->bytes_read);
    json_put_bool(json, "has_store", record->has_store);
    json_put_number(json, "stores", record->store_count);
    json_put_number(json, "store_address", record->store);
    json_put_number(json, "bytes_written", record->bytes_written);
    json_put_string(json, "cf", value_name(MACSIM_TABLE_CF, record->cf, name));
    json_put_bool(json, "taken", record->taken);
    json_put_number(json, "target", record->target);
    json_put_number(json, "repeat_direction", record->repeat_direction);
    if (record->tile_rows != NULL)
        put_tiles(json, record);
    json_end(json);
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

static void print_gpu_text(struct dump *dump, const struct macsim_gpu_record *record)
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

static void macsim_dump_put_access(struct dump *dump, const struct macsim_gpu_record *record)
{
    struct json *const json = &dump->json;
    char name[NAME_BYTES];

    json_put_string(json, "space", value_name(space_table(dump), record->space, name));
    json_put_number(json, "access_bytes", record->access_bytes);
    if (record->has_lanes) {
        json_put_numbers(json, "lanes", record->lanes, MACSIM_LANES);
        return;
    }
    json_put_number(json, "address", record->address);
    json_put_array(json, "children", JSON_SPACED);
    for (unsigned i = 0; i < record->child_count; i++) {
        json_begin_array(json, JSON_SPACED);
        json_write_number(json, record->children[i]);
        json_write_number(json, record->child_bytes[i]);
        json_end(json);
    }
    json_end(json);
}

static void print_gpu_json(struct dump *dump, const struct macsim_gpu_record *record)
{
    struct json *const json = &dump->json;
    char name[NAME_BYTES];

    json_begin_object(json, JSON_SPACED);
    json_put_number(json, "block", macsim_block_of(dump->thread));
    json_put_number(json, "warp", macsim_warp_of(dump->thread));
    json_put_number(json, "pc", record->pc);
    json_put_number(json, "size", record->size);
    put_mask(json, "mask", record->active_mask);
    json_put_number(json, "opcode", record->opcode);
    json_put_string(json, "name", opcode_name(dump, record->opcode, name));
    put_registers(dump, "destinations", record->destinations, record->destination_count);
    put_registers(dump, "sources", record->sources, record->source_count);
    json_put_bool(json, "fp", record->is_fp);
    json_put_bool(json, "load", record->is_load);
    json_put_string(json, "cf", value_name(MACSIM_TABLE_CF, record->cf, name));
    if (record->cf != MACSIM_CF_NONE) {
        put_mask(json, "taken_mask", record->taken_mask);
        json_put_number(json, "target", record->target);
        json_put_number(json, "reconvergence", record->reconvergence);
    }
    if (record->accesses_memory)
        macsim_dump_put_access(dump, record);
    if (is_barrier(dump, record)) {
        json_put_number(json, "barrier", record->barrier);
        json_put_number(json, "barrier_threads", record->barrier_threads);
    }
    if (is_fence(dump, record))
        json_put_string(json, "fence", value_name(MACSIM_TABLE_FENCE, record->fence, name));
    if (record->cache_operator != 0)
        json_put_string(json, "cache_operator", value_name(MACSIM_TABLE_CACHE_OP, record->cache_operator, name));
    if (record->cache_level != 0)
        json_put_string(json, "cache_level", value_name(MACSIM_TABLE_CACHE_LEVEL, record->cache_level, name));
    json_end(json);
}

/* --- streams ------------------------------------------------------------------------------------------------------ */

static enum macsim_step dump_next(struct dump *dump, struct macsim_stream *stream, struct fault *error)
{
    bool const wanted = dump->at >= dump->first;
    struct macsim_cpu_record cpu;
    struct macsim_gpu_record gpu;
    enum macsim_step step;

    if (stream->format.is_gpu) {
        step = macsim_stream_next_gpu(stream, &gpu, error);
        if (step == MACSIM_RECORD && wanted)
            (dump->is_json ? print_gpu_json : print_gpu_text)(dump, &gpu);
    } else {
        step = macsim_stream_next_cpu(stream, &cpu, error);
        if (step == MACSIM_RECORD && wanted)
            (dump->is_json ? print_cpu_json : print_cpu_text)(dump, &cpu);
    }
    dump->at += step == MACSIM_RECORD;
    return step;
}

static struct fault dump_stream(struct dump *dump, size_t index)
{
    struct fault fault = fault_none();
    struct macsim_stream stream;
    enum macsim_step step = MACSIM_END;
    unsigned told = 0;
    char text[500];

    dump->thread = dump->part->header.threads[index].id;
    FORWARD(macsim_part_open(dump->part, index, &stream));
    while (dump->at < dump->behind && !ferror(stdout) && (step = dump_next(dump, &stream, &fault)) == MACSIM_RECORD)
        continue;
    while (step == MACSIM_END && macsim_stream_warning(&stream, &told, text, sizeof text))
        cli_warn("%s", text);
    macsim_stream_close(&stream);
    return step != MACSIM_FAILED ? fault_none() : fault;
}

static void print_part(struct dump *dump)
{
    const struct macsim_header *const header = &dump->part->header;
    const struct macsim_format *const format = &dump->part->detection.format;
    const char *const path = dump->part->has_header ? header->path : header->base;
    const char *const kind = dump->part->has_header ? macsim_kind_name(header->kind) : "none";

    if (dump->is_json) {
        json_begin_object(&dump->json, JSON_SPACED);
        json_put_string(&dump->json, "trace", path);
        json_put_string(&dump->json, "header", kind);
        json_put_string(&dump->json, "version", header->version);
        json_put_string(&dump->json, "layout", macsim_layout_name(format->layout));
        json_put_string(&dump->json, "opcodes", macsim_dialect_name(format->opcodes));
        json_put_string(&dump->json, "registers", macsim_registers_name(format->registers));
        json_put_number(&dump->json, "threads", header->thread_count);
        json_put_number(&dump->json, "max_blocks", header->max_blocks);
        json_end(&dump->json);
        return;
    }
    printf("# trace %s\n# header %s%s%s\n# layout %s\n# opcodes %s\n# registers %s\n# threads %zu\n",
           cli_shown(path), kind,
           header->version[0] != '\0' ? " " : "", header->version, macsim_layout_name(format->layout),
           macsim_dialect_name(format->opcodes), macsim_registers_name(format->registers), header->thread_count);
}

static struct fault dump_part(struct dump *dump)
{
    print_part(dump);
    for (size_t i = 0; i < dump->part->header.thread_count && dump->at < dump->behind; i++)
        FORWARD(dump_stream(dump, i));
    return fault_none();
}

int trace_macsim_dump(const struct trace_request *request)
{
    struct dump dump = {.is_json = request->is_json, .json.file = stdout, .first = request->first,
                        .behind = request->behind};
    struct fault error;
    struct macsim_set set;
    bool good = true;

    if (FAILS(error, macsim_set_open(&set, request->path, trace_override(request))))
        return cli_fail_proto(&error);
    for (size_t i = 0; i < set.warning_count; i++)
        cli_warn("%s", set.warnings[i]);
    if (!request->is_json)
        puts("# rubato MacSim trace");
    for (size_t i = 0; good && i < set.application_count; i++)
        for (size_t p = 0; good && p < set.applications[i].part_count && dump.at < request->behind; p++) {
            dump.part = &set.applications[i].parts[p];
            good = WORKS(error, dump_part(&dump));
        }
    if (!json_close(&dump.json) && good)
        good = WORKS(error, fault_memory(request->path, NULL));
    macsim_set_close(&set);
    return good ? CLI_OK : cli_fail_proto(&error);
}
