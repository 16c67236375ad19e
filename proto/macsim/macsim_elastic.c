/* Micro-ops of a record become those of proto/depend: registers that tie nothing are left out, and a class becomes its
 * latency. Kinds of micro-ops are the same, and in the same order. */
#include "proto/macsim/macsim_elastic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct macsim_elastic {
    struct macsim_elastic_options options;
    struct macsim_stream stream;
    struct macsim_uops uops;
    struct depend *depend;
    struct depend_uop list[MACSIM_UOP_MAX];
};

_Static_assert((int)MACSIM_UOP_KINDS == (int)DEPEND_KIND_COUNT && (int)MACSIM_UOP_FENCE == (int)DEPEND_FENCE
               && (int)MACSIM_UOP_STORE == (int)DEPEND_STORE && (int)MACSIM_UOP_ALU == (int)DEPEND_ALU,
               "kinds of micro-ops");
_Static_assert(MACSIM_UOP_SOURCES <= DEPEND_MAX_SOURCES && MACSIM_MAX_DESTINATIONS + 1 <= DEPEND_MAX_DESTINATIONS,
               "registers of a micro-op");

struct macsim_elastic_options macsim_elastic_defaults(void)
{
    return (struct macsim_elastic_options){
        .uops = {.table = MACSIM_CORE_X86}, .period_ps = MACSIM_ELASTIC_PERIOD_PS, .width = MACSIM_ELASTIC_WIDTH,
        .window = MACSIM_ELASTIC_WINDOW, .line_bytes = MACSIM_ELASTIC_LINE_BYTES,
        .fetch_bytes = MACSIM_ELASTIC_LINE_BYTES, .first_seq = 1};
}

/* ---- micro-ops */

static unsigned copy_registers(const struct macsim_uops *uops, const uint16_t *from, unsigned count, uint16_t *to)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (uops->carries[from[i]])
            to[kept++] = from[i];
    return kept;
}

static void translate(struct macsim_elastic *elastic)
{
    static const uint8_t fences[] = {
        [MACSIM_FENCE_LOAD] = DEPEND_FENCE_LOAD, [MACSIM_FENCE_FULL] = DEPEND_FENCE_FULL,
        [MACSIM_FENCE_ACQUIRE] = DEPEND_FENCE_ACQUIRE, [MACSIM_FENCE_RELEASE] = DEPEND_FENCE_RELEASE};
    const struct macsim_uops *const uops = &elastic->uops;

    for (size_t i = 0; i < uops->count; i++) {
        const struct macsim_uop *const from = &uops->list[i];
        struct depend_uop *const to = &elastic->list[i];

        to->kind = from->kind;
        to->fence = from->kind == MACSIM_UOP_FENCE ? fences[from->fence] : 0;
        to->stops_fetch = from->stops_fetch;
        to->latency_cyc = macsim_class_latency_cyc(uops->options.table, (enum macsim_class)from->class);
        to->bytes = from->bytes;
        to->address = from->address;
        to->source_count = (uint8_t)copy_registers(uops, from->sources, from->source_count, to->sources);
        to->destination_count
            = (uint8_t)copy_registers(uops, from->destinations, from->destination_count, to->destinations);
    }
}

/* ---- the interface */

/* Reads and decodes one instruction. */
static enum macsim_step read_instruction(struct macsim_elastic *elastic, struct macsim_cpu_record *record,
                                         struct fault *error)
{
    enum macsim_step const step = macsim_stream_next_cpu(&elastic->stream, record, error);

    if (step == MACSIM_RECORD && !macsim_uops_decode(&elastic->uops, record)) {
        *error = fault_memory("macsim", "the shapes of instructions");
        return MACSIM_FAILED;
    }
    return step;
}

static struct fault open_stream(struct macsim_elastic *elastic, const struct macsim_part *part, size_t thread)
{
    const struct macsim_format *const format = &part->detection.format;
    char path[MACSIM_PATH_MAX];

    if (!macsim_uops_can(format)) {
        return fault_at(macsim_part_path(part, thread, path) ? path : part->header.path, FAULT_NO_OFFSET,
                        "%s records with opcodes %s are not those of a CPU's thread; expected x86 or a64",
                        macsim_layout_name(format->layout), macsim_dialect_name(format->opcodes));
    }
    macsim_uops_init(&elastic->uops, format, &elastic->options.uops);
    return macsim_part_open(part, thread, &elastic->stream);
}

struct fault macsim_elastic_survey(const struct macsim_part *part, size_t thread,
                                   const struct macsim_elastic_options *options, struct macsim_pages *pages,
                                   struct depend_counts *counts)
{
    struct fault fault = fault_none();
    struct macsim_elastic *const elastic = calloc(1, sizeof *elastic);
    struct macsim_cpu_record record;
    enum macsim_step step = MACSIM_FAILED;
    bool has_memory = true;
    char path[MACSIM_PATH_MAX];

    *counts = (struct depend_counts){0};
    if (!elastic)
        return fault_memory(part->header.path, NULL);
    elastic->options = *options;
    if (FAILS(fault, open_stream(elastic, part, thread))) {
        free(elastic);
        return fault;
    }
    while (has_memory && (step = read_instruction(elastic, &record, &fault)) == MACSIM_RECORD) {
        const struct macsim_uops *const uops = &elastic->uops;

        counts->instructions++;
        has_memory = macsim_pages_touch(pages, record.pc, record.size ? record.size : 1);
        for (size_t i = 0; i < uops->count; i++) {
            counts->uops[uops->list[i].kind]++;
            if (macsim_uop_is_access(&uops->list[i]))
                has_memory = has_memory && macsim_pages_touch(pages, uops->list[i].address, uops->list[i].bytes);
        }
    }
    macsim_uops_free(&elastic->uops);
    macsim_stream_close(&elastic->stream);
    free(elastic);
    if (!macsim_part_path(part, thread, path))
        path[0] = '\0';
    if (!has_memory && pages->fault.kind != FAULT_NONE)
        fault = pages->fault;
    else if (!has_memory)
        fault = fault_memory(path, "its pages");
    if (!has_memory)
        return fault;
    if (step == MACSIM_END && counts->instructions == 0)
        return fault_at(path, FAULT_NO_OFFSET, "no record; expected one at least");
    return step == MACSIM_END ? fault_none() : fault;
}

static uint64_t macsim_elastic_place(void *self, uint64_t address)
{
    return macsim_pages_place(self, address);
}

static bool open_depend(struct macsim_elastic *elastic, struct macsim_pages *pages)
{
    struct macsim_elastic_options const *const from = &elastic->options;
    struct depend_space const space = {macsim_elastic_place, pages, pages->is_identity};
    struct depend_options const options = {
        .period_ps = from->period_ps, .width = from->width, .window = from->window, .line_bytes = from->line_bytes,
        .fetch_bytes = from->fetch_bytes, .registers = MACSIM_REGISTER_SPACE, .first_seq = from->first_seq,
        .only_fetches = from->only_fetches, .first_piece_only = from->uops.compat,
        .loads_write_apart = from->uops.compat};

    elastic->depend = depend_open(&options, &space);
    return elastic->depend != NULL;
}

struct macsim_elastic *macsim_elastic_open(const struct macsim_part *part, size_t thread,
                                           const struct macsim_elastic_options *options, struct macsim_pages *pages,
                                           struct fault *error)
{
    struct macsim_elastic *const elastic = calloc(1, sizeof *elastic);

    if (!elastic) {
        *error = fault_memory(part->header.path, NULL);
        return NULL;
    }
    elastic->options = *options;
    if (FAILS(*error, open_stream(elastic, part, thread))) {
        free(elastic);
        return NULL;
    }
    if (!open_depend(elastic, pages)) {
        *error = fault_memory(part->header.path, "a window of records");
        macsim_elastic_close(elastic);
        return NULL;
    }
    return elastic;
}

void macsim_elastic_close(struct macsim_elastic *elastic)
{
    if (!elastic)
        return;
    macsim_stream_close(&elastic->stream);
    macsim_uops_free(&elastic->uops);
    depend_close(elastic->depend);
    free(elastic);
}

enum macsim_step macsim_elastic_next(struct macsim_elastic *elastic, struct depend_output *output, struct fault *error)
{
    struct macsim_cpu_record record;
    enum macsim_step const step = read_instruction(elastic, &record, error);
    struct depend_instruction instruction;

    if (step != MACSIM_RECORD)
        return step;
    translate(elastic);
    instruction = (struct depend_instruction){
        .has_pc = true, .is_taken = record.taken && record.cf != MACSIM_CF_NONE, .pc = record.pc,
        .size_bytes = record.size, .uops = elastic->list, .uop_count = elastic->uops.count};
    switch (depend_put(elastic->depend, &instruction, output)) {
    case DEPEND_GOOD:
        return MACSIM_RECORD;
    case DEPEND_LACKS_MEMORY:
        *error = fault_memory("macsim", "dependences");
        break;
    case DEPEND_LACKS_PAGE:
        *error = fault_at("macsim", elastic->stream.offset, "an address that was not there before; the file changed "
                          "while it was read");
        break;
    }
    return MACSIM_FAILED;
}

const struct depend_counts *macsim_elastic_counted(const struct macsim_elastic *elastic)
{
    return depend_counted(elastic->depend);
}

/* The stream's warnings, then those of omitted or changed records. */
bool macsim_elastic_warning(const struct macsim_elastic *elastic, unsigned *told, char *text, size_t room)
{
    enum { STREAM_KINDS = 2 };
    struct { uint64_t count; const char *what; } const rows[] = {
        {elastic->uops.clipped_loads, "loads have no address in the trace, and were left out"},
        {elastic->uops.clipped_registers, "register numbers are above 1599, and were left out"},
        {elastic->uops.zero_sizes, "accesses have a size of 0, taken as 1 byte"}};

    if (macsim_stream_warning(&elastic->stream, told, text, room))
        return true;
    for (unsigned kind; (kind = *told - STREAM_KINDS) < sizeof rows / sizeof *rows; ) {
        ++*told;
        if (rows[kind].count == 0)
            continue;
        snprintf(text, room, "%s: %" PRIu64 " %s", stream_name(&elastic->stream.bytes), rows[kind].count,
                 rows[kind].what);
        return true;
    }
    return false;
}
