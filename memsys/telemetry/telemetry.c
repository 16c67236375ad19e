/* Layout of samples and how they are read. Not modelled: anything; a sample only looks.
 *
 * Values are gathered field by field in the order of the layout, so that the words of a sample are written once, one
 * after the other. */
#include "memsys/telemetry/telemetry.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define PART_NAME(value, name) [TELEMETRY_##value] = #name,
static const char *const part_names[TELEMETRY_PART_COUNT] = {TELEMETRY_PARTS(PART_NAME)};
#define KIND_NAME(value, name) [TELEMETRY_##value] = #name,
static const char *const kind_names[TELEMETRY_KIND_COUNT] = {TELEMETRY_KINDS(KIND_NAME)};

const char *telemetry_part_name(enum telemetry_part part)
{
    return part_names[part];
}

const char *telemetry_kind_name(enum telemetry_kind kind)
{
    return kind_names[kind];
}

void telemetry_init(struct telemetry *telemetry)
{
    *telemetry = (struct telemetry){.word_count = TELEMETRY_HEAD};
}

void telemetry_free(struct telemetry *telemetry)
{
    for (uint32_t i = 0; i < telemetry->component_count; i++)
        free((void *)(uintptr_t)telemetry->components[i].name);
    for (uint32_t i = 0; i < telemetry->field_count; i++)
        free((void *)(uintptr_t)telemetry->fields[i].name);
    free(telemetry->components);
    free(telemetry->links);
    free(telemetry->fields);
    *telemetry = (struct telemetry){0};
}

/* Makes room for one more element; notes the failure and returns false without memory. */
static bool make_room(struct telemetry *telemetry, void *elements, size_t size, uint32_t count, size_t *room)
{
    bool const has_room = list_fit(elements, (size_t)count + 1, room, size);

    assert(!telemetry->is_frozen && "the layout is made before telemetry_freeze");
    telemetry->lacks_memory |= !has_room;
    return has_room;
}

static const char *telemetry_keep(struct telemetry *telemetry, const char *text)
{
    char *const kept = strdup(text);

    telemetry->lacks_memory |= !kept;
    return kept;
}

uint32_t telemetry_add_component(struct telemetry *telemetry, enum telemetry_part part, uint32_t parent,
                                 const char *name)
{
    if (!make_room(telemetry, &telemetry->components, sizeof *telemetry->components, telemetry->component_count,
                   &telemetry->component_room))
        return 0;
    telemetry->components[telemetry->component_count]
        = (struct telemetry_component){.name = telemetry_keep(telemetry, name), .part = part, .parent = parent};
    return telemetry->component_count++;
}

uint32_t telemetry_add(struct telemetry *telemetry, const struct telemetry_field *field)
{
    struct telemetry_field *added;

    if (!make_room(telemetry, &telemetry->fields, sizeof *telemetry->fields, telemetry->field_count,
                   &telemetry->field_room))
        return 0;
    added = &telemetry->fields[telemetry->field_count];
    *added = *field;
    added->name = telemetry_keep(telemetry, field->name);
    added->first = telemetry->word_count;
    added->word_bytes = field->word_bytes ? field->word_bytes : sizeof(uint64_t);
    added->stride = field->stride ? field->stride : added->word_bytes;
    added->scale = field->scale ? field->scale : 1;
    telemetry->word_count += field->count;
    return telemetry->field_count++;
}

uint32_t telemetry_add_table(struct telemetry *telemetry, uint32_t component, const struct telemetry_field *rows,
                             size_t count)
{
    uint32_t const first = telemetry->field_count;

    for (size_t i = 0; i < count; i++) {
        struct telemetry_field row = rows[i];

        row.component = component;
        row.count = row.count ? row.count : 1;
        row.unit = row.unit ? row.unit : "Count";
        telemetry_add(telemetry, &row);
    }
    return first;
}

void telemetry_link(struct telemetry *telemetry, const struct telemetry_link *link)
{
    if (make_room(telemetry, &telemetry->links, sizeof *telemetry->links, telemetry->link_count, &telemetry->link_room))
        telemetry->links[telemetry->link_count++] = *link;
}

struct fault telemetry_freeze(struct telemetry *telemetry)
{
    if (telemetry->lacks_memory)
        return fault_make(FAULT_MEMORY, "out of memory for the layout of samples");
    telemetry->is_frozen = true;
    return fault_none();
}

static uint64_t word_at(const void *from, size_t bytes)
{
    return bytes == sizeof(uint64_t) ? *(const uint64_t *)from
        : bytes == sizeof(uint32_t) ? *(const uint32_t *)from : *(const uint16_t *)from;
}

void telemetry_read(struct telemetry *telemetry, uint64_t now_ps, uint64_t *words)
{
    assert(telemetry->is_frozen);
    words[TELEMETRY_NUMBER] = telemetry->samples++;
    words[TELEMETRY_TIME] = now_ps;
    words[TELEMETRY_SINCE] = telemetry->since_ps;
    for (uint32_t i = 0; i < telemetry->field_count; i++) {
        struct telemetry_field const *const field = &telemetry->fields[i];
        const char *from = field->source;
        uint64_t *const values = words + field->first;

        if (field->read) {
            field->read(field, now_ps, values);
            continue;
        }
        if (field->stride == sizeof *values && field->scale == 1) {
            memcpy(values, from, field->count * sizeof *values);
            continue;
        }
        for (uint32_t j = 0; j < field->count; j++, from += field->stride)
            values[j] = word_at(from, field->word_bytes) * field->scale;
    }
}

const struct telemetry_field *telemetry_find(const struct telemetry *telemetry, uint32_t component, const char *name)
{
    for (uint32_t i = 0; !telemetry->lacks_memory && i < telemetry->field_count; i++)
        if (telemetry->fields[i].component == component && strcmp(telemetry->fields[i].name, name) == 0)
            return &telemetry->fields[i];
    return NULL;
}

double telemetry_rate(const struct telemetry_field *field, uint32_t element, const uint64_t *before,
                      const uint64_t *words)
{
    bool const counts = field->kind == TELEMETRY_COUNTER || field->kind == TELEMETRY_BINS;
    uint64_t const span_ps = telemetry_span_ps(before, words);
    double const delta = (double)telemetry_delta(field, element, before, words);

    if (!counts && field->kind != TELEMETRY_INTEGRAL)
        return (double)telemetry_value(field, element, words);
    if (span_ps == 0)
        return 0;
    return (counts ? 1e12 : 1) * delta / (double)span_ps;
}

/* ---- latencies */

uint64_t telemetry_latency_percentile(const struct telemetry_field *field, const uint64_t *before,
                                      const uint64_t *words, double percent)
{
    uint64_t count = 0, wanted, seen = 0;

    for (uint32_t i = 0; i < field->count; i++)
        count += telemetry_delta(field, i, before, words);
    if (count == 0)
        return 0;
    wanted = (uint64_t)ceil(percent / 100 * (double)count);
    for (uint32_t i = 0; i + 1 < field->count; i++) {
        seen += telemetry_delta(field, i, before, words);
        if (seen >= wanted)
            return (latency_bin_floor(i) + latency_bin_floor(i + 1)) / 2;
    }
    return latency_bin_floor(field->count - 1);
}
