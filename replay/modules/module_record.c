/* Each kind of line has a list of fields; others are refused. */
#include "replay/modules/module_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { NUMBER, HEX, SMALL, SMALL_OR_NONE, FLAG, TYPE, BRANCH, QUEUE, SLOT, WORD };

static const char *const type_names[] = {"load", "rfo", "prefetch", "write", "translation", "fetch", "writeback",
                                         "upgrade", NULL};
static const char *const branch_names[] = {"return", "call_direct", "call_indirect", "direct_cond", "direct_uncond",
                                           "indirect_cond", "indirect_uncond", NULL};
static const char *const queue_names[] = {"mshrs", "read", "write", "prefetch", NULL};
static const char *const slot_names[] = {"prefetcher", "replacement", "direction", "btb", "indirect", NULL};
static const char *const *const form_names[] = {
    [TYPE] = type_names, [BRANCH] = branch_names, [QUEUE] = queue_names, [SLOT] = slot_names, [WORD] = NULL};

#define FIELD_ROW(name, text, form) {text, form},
static const struct { const char *name; enum form form; } fields[FIELD_COUNT] = {MODULE_FIELDS(FIELD_ROW)};

#define BIT(field) (UINT64_C(1) << FIELD_##field)
#define REQUEST_FIELDS                                                                                                \
    (BIT(AT) | BIT(ADDRESS) | BIT(VIRTUAL) | BIT(PC) | BIT(INSTRUCTION) | BIT(SET) | BIT(WAY) | BIT(CORE)             \
     | BIT(METADATA) | BIT(TYPE) | BIT(HIT) | BIT(FIRST_USE) | BIT(HAS_PC) | BIT(JOINED))
#define BRANCH_FIELDS                                                                                                 \
    (BIT(AT) | BIT(PC) | BIT(FALL_THROUGH) | BIT(SEQUENCE) | BIT(BRANCH) | BIT(CONDITIONAL) | BIT(TAKEN) | BIT(TARGET))

static const uint64_t fields_of[RECORD_COUNT] = {
    [RECORD_INSTANCE] = BIT(MODULE) | BIT(PLACE) | BIT(OF) | BIT(SLOT) | BIT(CORE) | BIT(CORES) | BIT(SETS) | BIT(WAYS)
        | BIT(LINE_BYTES) | BIT(PAGE_BYTES) | BIT(MSHRS) | BIT(WRITE_BUFFERS) | BIT(PREFETCH_QUEUE) | BIT(HIT_CYCLES)
        | BIT(CLOCK_PS) | BIT(IS_VIRTUAL),
    [RECORD_PARAMETER] = BIT(NAME) | BIT(VALUE),
    [RECORD_CREATE] = BIT(AT), [RECORD_CYCLE] = BIT(AT), [RECORD_WARMUP_END] = BIT(AT), [RECORD_RUN_END] = BIT(AT),
    [RECORD_ACCESS] = REQUEST_FIELDS, [RECORD_VICTIM] = REQUEST_FIELDS,
    [RECORD_FILL] = (REQUEST_FIELDS & ~(BIT(HIT) | BIT(FIRST_USE) | BIT(JOINED))) | BIT(EVICTED) | BIT(EVICTED_VIRTUAL)
        | BIT(EVICTED_METADATA) | BIT(PREFETCHED) | BIT(HAS_EVICTED) | BIT(DIRTY) | BIT(UNUSED),
    [RECORD_EVICT] = BIT(AT) | BIT(ADDRESS) | BIT(VIRTUAL) | BIT(SET) | BIT(WAY) | BIT(METADATA) | BIT(DIRTY)
        | BIT(UNUSED) | BIT(FOR_FILL),
    [RECORD_BRANCH] = BRANCH_FIELDS, [RECORD_PREDICT] = BRANCH_FIELDS, [RECORD_SHIFT] = BRANCH_FIELDS,
    [RECORD_UNDO] = BRANCH_FIELDS, [RECORD_CORRECT] = BRANCH_FIELDS, [RECORD_TRAIN] = BRANCH_FIELDS,
    [RECORD_UPDATE] = BRANCH_FIELDS,
    [RECORD_PREFETCH] = BIT(ADDRESS) | BIT(BELOW) | BIT(METADATA) | BIT(IS),
    [RECORD_RETIRED] = BIT(CORE) | BIT(IS), [RECORD_WARM] = BIT(IS), [RECORD_BANDWIDTH] = BIT(IS),
    [RECORD_OCCUPANCY] = BIT(QUEUE) | BIT(IS), [RECORD_CAPACITY] = BIT(QUEUE) | BIT(IS),
    [RECORD_LINE] = BIT(SET) | BIT(WAY) | BIT(ADDRESS) | BIT(VIRTUAL) | BIT(METADATA) | BIT(VALID) | BIT(DIRTY)
        | BIT(UNUSED),
    [RECORD_SET_OF] = BIT(ADDRESS) | BIT(IS), [RECORD_WAY_OF] = BIT(ADDRESS) | BIT(WAY),
    [RECORD_ANSWER] = BIT(METADATA) | BIT(WAY) | BIT(IS) | BIT(TARGET) | BIT(ALWAYS)};

#define RECORD_ROW(name, text) text,
static const char *const record_names[RECORD_COUNT] = {MODULE_RECORDS(RECORD_ROW)};

const char *module_record_name(enum module_record_kind kind)
{
    return record_names[kind];
}

void module_record_set_word(struct module_record *record, enum module_field field, const char *word)
{
    char *const own = record->words[field - FIELD_MODULE];

    snprintf(own, MODULE_RECORD_WORD, "%.63s", word);
    for (char *c = own; *c; c++)
        if (*c <= ' ' || *c > '~')
            *c = '_';
}

/* ---- writing */

static size_t write_value(char *at, size_t room, enum form form, uint64_t value)
{
    if (form == HEX)
        return (size_t)snprintf(at, room, "0x%" PRIx64, value);
    if (form == SMALL_OR_NONE && value == UINT32_MAX)
        return (size_t)snprintf(at, room, "none");
    if (form >= TYPE)
        return (size_t)snprintf(at, room, "%s", form_names[form][value]);
    return (size_t)snprintf(at, room, "%" PRIu64, value);
}

size_t module_record_write(const struct module_record *record, char line[MODULE_RECORD_LINE])
{
    bool const is_within = record->kind >= RECORD_PREFETCH;
    size_t length = (size_t)snprintf(line, MODULE_RECORD_LINE, "%s%s %" PRIu32, is_within ? "  " : "",
                                     record_names[record->kind], record->instance);

    for (unsigned field = 0; field < FIELD_COUNT; field++) {
        const char *const word = field < FIELD_MODULE ? "" : record->words[field - FIELD_MODULE];

        if (!(fields_of[record->kind] >> field & 1) || (field < FIELD_MODULE ? record->values[field] == 0 : !*word))
            continue;
        length += (size_t)snprintf(line + length, MODULE_RECORD_LINE - length, " %s=%s", fields[field].name, word);
        if (field < FIELD_MODULE)
            length += write_value(line + length, MODULE_RECORD_LINE - length, fields[field].form,
                                  record->values[field]);
    }
    line[length++] = '\n';
    return length;
}

/* ---- reading */

static bool read_number(const char *text, uint64_t most, uint64_t *value)
{
    bool const is_hex = text[0] == '0' && text[1] == 'x';
    const char *const digits = text + (is_hex ? 2 : 0);
    uint64_t const base = is_hex ? 16 : 10;

    *value = 0;
    for (const char *c = digits; *c; c++) {
        const char *const known = strchr("0123456789abcdef", *c);
        uint64_t const digit = known ? (uint64_t)(known - "0123456789abcdef") : base;

        if (digit >= base || *value > (UINT64_MAX - digit) / base)
            return false;
        *value = *value * base + digit;
    }
    return *digits && *value <= most;
}

static bool read_value(enum form form, const char *text, uint64_t *value)
{
    if (form == SMALL_OR_NONE && strcmp(text, "none") == 0)
        return *value = UINT32_MAX, true;
    if (form < TYPE)
        return read_number(text, form == FLAG ? 1 : form >= SMALL ? UINT32_MAX : UINT64_MAX, value);
    for (*value = 0; form_names[form][*value]; ++*value)
        if (strcmp(form_names[form][*value], text) == 0)
            return true;
    return false;
}

static const char *expected_of(enum form form, char *text, size_t size)
{
    size_t length = 0;

    if (form == FLAG)
        return "0 or 1";
    if (form < TYPE)
        return form == SMALL_OR_NONE ? "a number of 32 bits, or none" : form == SMALL ? "a number of 32 bits"
                                                                                     : "a number, decimal or 0x...";
    for (size_t i = 0; form_names[form][i]; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "one of ", form_names[form][i]);
    return text;
}

static const char *read_field(struct module_record *record, char *word, char problem[200])
{
    char *const value = strchr(word, '=');
    char list[120];
    unsigned field = 0;

    if (value)
        *value = '\0';
    while (value && field < FIELD_COUNT
           && (!(fields_of[record->kind] >> field & 1) || strcmp(fields[field].name, word) != 0))
        field++;
    if (!value || field == FIELD_COUNT) {
        snprintf(problem, 200, "%s: \"%.40s\" is no field of it; expected FIELD=VALUE as docs/module-log.md lists them",
                 record_names[record->kind], word);
        return problem;
    }
    if (field >= FIELD_MODULE) {
        module_record_set_word(record, (enum module_field)field, value + 1);
        return NULL;
    }
    if (read_value(fields[field].form, value + 1, &record->values[field]))
        return NULL;
    snprintf(problem, 200, "%s: %s=\"%.40s\": expected %s", record_names[record->kind], word, value + 1,
             expected_of(fields[field].form, list, sizeof list));
    return problem;
}

static const char *read_line(struct module_record *record, char *line, char problem[200])
{
    static const char blanks[] = " \t\r\n";
    char *rest = NULL;
    const char *const name = strtok_r(line, blanks, &rest);
    const char *const number = name ? strtok_r(NULL, blanks, &rest) : NULL;
    unsigned kind = 0;
    uint64_t instance;

    while (name && kind < RECORD_COUNT && strcmp(record_names[kind], name) != 0)
        kind++;
    if (!name || kind == RECORD_COUNT) {
        snprintf(problem, 200, "\"%.40s\": expected a call such as access, or answer", name ? name : "");
        return problem;
    }
    if (!number || !read_number(number, UINT32_MAX, &instance)) {
        snprintf(problem, 200, "%s: \"%.40s\": expected the number of an instance", name, number ? number : "");
        return problem;
    }
    memset(record, 0, sizeof *record);
    record->kind = (enum module_record_kind)kind;
    record->instance = (uint32_t)instance;
    for (char *word = strtok_r(NULL, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest))
        if (read_field(record, word, problem))
            return problem;
    return NULL;
}

/* What a problem quotes of the line may be shown by a terminal. */
const char *module_record_read(struct module_record *record, char *line, char problem[200])
{
    if (!read_line(record, line, problem))
        return NULL;
    for (char *c = problem; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return problem;
}

/* ---- structs */

#define PUT(field, value) record->values[FIELD_##field] = (value)
#define GET(field) record->values[FIELD_##field]
#define GET_32(field) (uint32_t)record->values[FIELD_##field]
#define GET_FLAG(field) (record->values[FIELD_##field] != 0)

void module_record_of_request(struct module_record *record, const struct rubato_request *request)
{
    PUT(ADDRESS, request->address), PUT(VIRTUAL, request->virtual_address), PUT(PC, request->pc);
    PUT(INSTRUCTION, request->instruction), PUT(SET, request->set), PUT(WAY, request->way);
    PUT(CORE, request->core), PUT(METADATA, request->metadata), PUT(TYPE, request->type), PUT(HIT, request->hit);
    PUT(FIRST_USE, request->first_use), PUT(HAS_PC, request->has_pc), PUT(JOINED, request->joined);
}

struct rubato_request module_record_request(const struct module_record *record)
{
    return (struct rubato_request){
        .address = GET(ADDRESS), .virtual_address = GET(VIRTUAL), .pc = GET(PC), .instruction = GET(INSTRUCTION),
        .set = GET_32(SET), .way = GET_32(WAY), .core = GET_32(CORE), .metadata = GET_32(METADATA),
        .type = (uint8_t)GET(TYPE), .hit = GET_FLAG(HIT), .first_use = GET_FLAG(FIRST_USE),
        .has_pc = GET_FLAG(HAS_PC), .joined = GET_FLAG(JOINED)};
}

void module_record_of_fill(struct module_record *record, const struct rubato_fill *fill)
{
    PUT(ADDRESS, fill->address), PUT(VIRTUAL, fill->virtual_address), PUT(PC, fill->pc);
    PUT(INSTRUCTION, fill->instruction), PUT(SET, fill->set), PUT(WAY, fill->way), PUT(CORE, fill->core);
    PUT(METADATA, fill->metadata), PUT(TYPE, fill->type), PUT(HAS_PC, fill->has_pc);
    PUT(EVICTED, fill->evicted_address), PUT(EVICTED_VIRTUAL, fill->evicted_virtual_address);
    PUT(EVICTED_METADATA, fill->evicted_metadata), PUT(PREFETCHED, fill->prefetched);
    PUT(HAS_EVICTED, fill->has_evicted), PUT(DIRTY, fill->evicted_dirty), PUT(UNUSED, fill->evicted_unused);
}

struct rubato_fill module_record_fill(const struct module_record *record)
{
    return (struct rubato_fill){
        .address = GET(ADDRESS), .virtual_address = GET(VIRTUAL), .pc = GET(PC), .instruction = GET(INSTRUCTION),
        .set = GET_32(SET), .way = GET_32(WAY), .core = GET_32(CORE), .metadata = GET_32(METADATA),
        .type = (uint8_t)GET(TYPE), .has_pc = GET_FLAG(HAS_PC), .evicted_address = GET(EVICTED),
        .evicted_virtual_address = GET(EVICTED_VIRTUAL), .evicted_metadata = GET_32(EVICTED_METADATA),
        .prefetched = GET_FLAG(PREFETCHED), .has_evicted = GET_FLAG(HAS_EVICTED), .evicted_dirty = GET_FLAG(DIRTY),
        .evicted_unused = GET_FLAG(UNUSED)};
}

void module_record_of_eviction(struct module_record *record, const struct rubato_eviction *eviction)
{
    PUT(ADDRESS, eviction->address), PUT(VIRTUAL, eviction->virtual_address), PUT(SET, eviction->set);
    PUT(WAY, eviction->way), PUT(METADATA, eviction->metadata), PUT(DIRTY, eviction->dirty);
    PUT(UNUSED, eviction->unused), PUT(FOR_FILL, eviction->for_fill);
}

struct rubato_eviction module_record_eviction(const struct module_record *record)
{
    return (struct rubato_eviction){
        .address = GET(ADDRESS), .virtual_address = GET(VIRTUAL), .set = GET_32(SET), .way = GET_32(WAY),
        .metadata = GET_32(METADATA), .dirty = GET_FLAG(DIRTY), .unused = GET_FLAG(UNUSED),
        .for_fill = GET_FLAG(FOR_FILL)};
}

void module_record_of_branch(struct module_record *record, const struct rubato_branch *branch)
{
    PUT(PC, branch->pc), PUT(FALL_THROUGH, branch->fall_through), PUT(SEQUENCE, branch->sequence);
    PUT(BRANCH, branch->kind), PUT(CONDITIONAL, branch->is_conditional), PUT(TAKEN, branch->is_taken);
    PUT(TARGET, branch->target);
}

struct rubato_branch module_record_branch(const struct module_record *record)
{
    return (struct rubato_branch){
        .pc = GET(PC), .fall_through = GET(FALL_THROUGH), .sequence = GET(SEQUENCE), .kind = (uint8_t)GET(BRANCH),
        .is_conditional = GET_FLAG(CONDITIONAL), .is_taken = GET_FLAG(TAKEN), .target = GET(TARGET)};
}

void module_record_of_place(struct module_record *record, const struct rubato_place *place)
{
    PUT(SLOT, place->slot), PUT(CORE, place->core), PUT(CORES, place->cores), PUT(SETS, place->sets);
    PUT(WAYS, place->ways), PUT(LINE_BYTES, place->line_bytes), PUT(PAGE_BYTES, place->page_bytes);
    PUT(MSHRS, place->mshrs), PUT(WRITE_BUFFERS, place->write_buffers), PUT(PREFETCH_QUEUE, place->prefetch_queue);
    PUT(HIT_CYCLES, place->hit_cycles), PUT(CLOCK_PS, place->clock_ps), PUT(IS_VIRTUAL, place->is_virtual);
    module_record_set_word(record, FIELD_PLACE, place->name);
    module_record_set_word(record, FIELD_OF, place->kind);
}

struct rubato_place module_record_place(const struct module_record *record)
{
    return (struct rubato_place){
        .slot = GET_32(SLOT), .core = GET_32(CORE), .cores = GET_32(CORES), .sets = GET_32(SETS), .ways = GET_32(WAYS),
        .line_bytes = GET_32(LINE_BYTES), .page_bytes = GET_32(PAGE_BYTES), .mshrs = GET_32(MSHRS),
        .write_buffers = GET_32(WRITE_BUFFERS), .prefetch_queue = GET_32(PREFETCH_QUEUE),
        .hit_cycles = GET_32(HIT_CYCLES), .clock_ps = GET(CLOCK_PS), .is_virtual = GET_FLAG(IS_VIRTUAL),
        .name = module_record_word(record, FIELD_PLACE), .kind = module_record_word(record, FIELD_OF)};
}
