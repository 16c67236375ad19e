/* One table maps keys to fields; an unknown key is kept verbatim. An unsupported version is refused here, before any of
 * its lines is parsed. */
#include "proto/gpu/gpu_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/list.h"

#define OTHERS_MAX 1000

enum kind { TEXT, U32, U64, HEX, THREE, VERSION, FLAG, WARP_SIZE, ISA };

/* key, kind, field, room of a text in the struct (0: allocated) */
#define KEYS(K)                                                                                                       \
    K("kernel name", TEXT, name, 0) K("kernel id", U64, id, 0) K("grid dim", THREE, grid, 0)                          \
    K("block dim", THREE, block, 0) K("shmem", U64, shmem_bytes, 0) K("nregs", U32, nregs, 0)                         \
    K("binary version", U32, binary_version, 0) K("cuda stream id", U64, stream, 0)                                   \
    K("shmem base_addr", HEX, shmem_base, 0) K("local mem base_addr", HEX, local_base, 0)                             \
    K("nvbit version", TEXT, nvbit_version, sizeof ((struct gpu_header *)0)->nvbit_version)                           \
    K("accelsim tracer version", VERSION, tracer_version, sizeof ((struct gpu_header *)0)->tracer_version)            \
    K("enable lineinfo", FLAG, has_line_info, 0) K("warp size", WARP_SIZE, warp_size, 0) K("isa type", ISA, isa, 0)

struct key {
    const char *name;
    enum kind kind;
    size_t offset, room;
};

#define KEY(name, kind, field, room) {name, kind, offsetof(struct gpu_header, field), room},
static const struct key keys[] = { KEYS(KEY) };
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

struct reading {
    struct gpu_text *text;
    struct gpu_header *header;
    struct gpu_warnings *warnings;
    uint64_t line_of[KEY_COUNT];     /* 0: not met */
    struct fault *error;
};

static bool gpu_header_refuse(const struct reading *reading, const struct key *key, const struct gpu_cursor *value,
                              const char *expected)
{
    char shown[40];

    gpu_show(shown, sizeof shown, value->at, value->end);
    return WORKS(*reading->error, fault_at_line(gpu_text_name(reading->text), reading->text->line,
                                                "%s is \"%s\"; expected %s; trace the program again or mend the line",
                                                key->name, shown, expected));
}

static bool take_version(struct reading *reading, const struct key *key, struct gpu_cursor *value)
{
    struct gpu_cursor number = *value;
    const char *const dot = memchr(value->at, '.', (size_t)(value->end - value->at));
    uint64_t major;

    if (dot != NULL)
        number.end = dot;
    if (!gpu_take_unsigned(&number, UINT32_MAX, &major) || number.at != number.end)
        return gpu_header_refuse(reading, key, value, "a number such as 5");
    if (major > GPU_VERSION_MAX)
        return WORKS(*reading->error, fault_at_line(gpu_text_name(reading->text), reading->text->line,
                                                    "traces of tracer version %" PRIu64 " are not read; expected a "
                                                    "version up to %u; trace the program with such a tracer", major,
                                                    GPU_VERSION_MAX));
    reading->header->tracer_major = (uint32_t)major;
    gpu_show(reading->header->tracer_version, key->room, value->at, value->end);
    return true;
}

static bool take_isa(struct reading *reading, const struct key *key, const struct gpu_cursor *value)
{
    char text[16];

    gpu_show(text, sizeof text, value->at, value->end);
    reading->header->isa = strcasecmp(text, "GCN3") == 0 ? GPU_ISA_GCN3 : GPU_ISA_SASS;
    if (reading->header->isa == GPU_ISA_SASS && strcasecmp(text, "SASS") != 0 && strcasecmp(text, "NVIDIA") != 0)
        gpu_warn(reading->warnings, gpu_text_name(reading->text), reading->text->line,
                 "%s is \"%s\"; this is neither GCN3 nor SASS and is read as SASS", key->name, text);
    return true;
}

static bool gpu_header_take_text(struct reading *reading, const struct key *key, const struct gpu_cursor *value,
                                 void *field)
{
    char **const text = field;

    if (key->room > 0) {
        gpu_show(field, key->room, value->at, value->end);
        return true;
    }
    free(*text);
    *text = gpu_copy_shown(value->at, value->end);
    return *text != NULL || WORKS(*reading->error, fault_memory(gpu_text_name(reading->text), NULL));
}

static bool take_value(struct reading *reading, const struct key *key, struct gpu_cursor *value)
{
    struct gpu_cursor const whole = *value;
    void *const field = (char *)reading->header + key->offset;
    uint64_t number;

    switch (key->kind) {
    case TEXT: return gpu_header_take_text(reading, key, value, field);
    case VERSION: return take_version(reading, key, value);
    case ISA: return take_isa(reading, key, value);
    case THREE: return gpu_take_three(*value, field) || gpu_header_refuse(reading, key, &whole,
                                                                          "three numbers such as (8,1,1)");
    case HEX:
        if (!gpu_take_hex(value, &number) || value->at != value->end)
            return gpu_header_refuse(reading, key, &whole, "a hexadecimal number of at most 64 bits");
        memcpy(field, &number, sizeof number);
        return true;
    case U32: case U64: case FLAG: case WARP_SIZE:
        break;
    }
    if (!gpu_take_unsigned(value, key->kind == U64 ? UINT64_MAX : UINT32_MAX, &number) || value->at != value->end)
        return gpu_header_refuse(reading, key, &whole, key->kind == U64 ? "a decimal number of at most 64 bits"
                                                                       : "a decimal number of at most 32 bits");
    if (key->kind == U64)
        memcpy(field, &number, sizeof number);
    else if (key->kind == U32)
        memcpy(field, &(uint32_t){(uint32_t)number}, sizeof (uint32_t));
    else if (key->kind == FLAG && number <= 1)
        reading->header->has_line_info = number == 1;
    else if (key->kind == WARP_SIZE && (number == 32 || number == 64))
        reading->header->warp_size = (uint32_t)number;
    else
        return gpu_header_refuse(reading, key, &whole, key->kind == FLAG ? "0 or 1" : "32 or 64");
    return true;
}

static bool keep_other(struct reading *reading, const struct gpu_cursor *name, const struct gpu_cursor *value)
{
    struct gpu_header *const header = reading->header;
    struct gpu_header_key *other;

    if (header->other_count == OTHERS_MAX)
        return WORKS(*reading->error, fault_at_line(gpu_text_name(reading->text), reading->text->line,
                                                    "more than %d unknown keys; expected the header of a kernel file",
                                                    OTHERS_MAX));
    if (!list_fit_next(&header->others, header->other_count, sizeof *other))
        return WORKS(*reading->error, fault_memory(gpu_text_name(reading->text), NULL));
    other = &header->others[header->other_count++];
    other->key = gpu_copy_shown(name->at, name->end);
    other->value = gpu_copy_shown(value->at, value->end);
    return (other->key != NULL && other->value != NULL)
           || WORKS(*reading->error, fault_memory(gpu_text_name(reading->text), NULL));
}

/* "-key = value" */
static bool gpu_header_take_line(struct reading *reading, struct gpu_cursor line)
{
    const char *const sign = memchr(line.at, '=', (size_t)(line.end - line.at));
    struct gpu_cursor name = {line.at + 1, sign}, value = {sign, line.end};

    if (sign == NULL)
        return WORKS(*reading->error,
                     gpu_text_unexpected(gpu_text_name(reading->text), reading->text->line, &line, "-key = value"));
    value.at++;
    gpu_trim(&name);
    gpu_trim(&value);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (!gpu_equals(&name, keys[i].name))
            continue;
        if (reading->line_of[i] != 0)
            gpu_warn(reading->warnings, gpu_text_name(reading->text), reading->text->line,
                     "%s stood in line %" PRIu64 " already; the later one holds", keys[i].name, reading->line_of[i]);
        reading->line_of[i] = reading->text->line;
        return take_value(reading, &keys[i], &value);
    }
    return keep_other(reading, &name, &value);
}

static uint64_t gpu_header_line_of(const struct reading *reading, const char *name)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].name, name) == 0)
            return reading->line_of[i];
    return 0;
}

static bool gpu_header_check(struct reading *reading)
{
    static const char *const needed[] = {"grid dim", "block dim"};
    const char *const file = gpu_text_name(reading->text);
    struct gpu_header *const header = reading->header;

    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (gpu_header_line_of(reading, needed[i]) == 0)
            return WORKS(*reading->error, fault_at_line(file, reading->text->line,
                                                        "the header ends without \"-%s = "
                                                        "(x,y,z)\"; trace the program again or add the line",
                                                        needed[i]));
    if (header->block[0] > GPU_THREADS_MAX || header->block[1] > GPU_THREADS_MAX || header->block[2] > GPU_THREADS_MAX
        || gpu_header_threads(header) > GPU_THREADS_MAX)
        return WORKS(*reading->error, fault_at_line(file, gpu_header_line_of(reading, "block dim"),
                                                    "block dim has more than %u "
                                                    "threads; trace the program again or mend the line",
                                                    GPU_THREADS_MAX));
    if (header->name == NULL && (header->name = strdup("")) == NULL)
        return WORKS(*reading->error, fault_memory(file, NULL));
    if (header->warp_size == 0)
        header->warp_size = header->isa == GPU_ISA_GCN3 ? 64 : 32;
    if (header->isa == GPU_ISA_SASS && gpu_header_line_of(reading, "binary version") == 0) {
        header->binary_version = 70;
        gpu_warn(reading->warnings, file, 0, "the header has no binary version; instructions are classified as for 70");
    }
    return true;
}

struct fault gpu_header_read(struct gpu_text *text, struct gpu_header *header, struct gpu_warnings *warnings)
{
    struct fault fault = fault_none();
    struct reading reading = {.text = text, .header = header, .warnings = warnings, .error = &fault};
    struct gpu_cursor line;
    enum gpu_text_step step;

    *header = (struct gpu_header){0};
    while ((step = gpu_text_next(text, &line, &fault)) == GPU_TEXT_LINE) {
        gpu_trim(&line);
        if (line.at == line.end)
            continue;
        if (*line.at == '#') {
            /* a file without the comment on its format */
            if (gpu_equals(&line, "#BEGIN_TB"))
                gpu_text_again(text);
            return gpu_header_check(&reading) ? fault_none() : fault;
        }
        if (*line.at != '-')
            return gpu_text_unexpected(gpu_text_name(text), text->line, &line, "-key = value, or the line that begins "
                                       "with # behind the header,");
        if (!gpu_header_take_line(&reading, line))
            return fault;
    }
    if (step == GPU_TEXT_END && text->line == 0)
        return fault_at(gpu_text_name(text), FAULT_NO_OFFSET, "is empty; expected a kernel of a GPU trace, which "
                        "begins with lines -key = value; get the file again");
    return (step != GPU_TEXT_FAILED
            && WORKS(fault, fault_at_line(gpu_text_name(text), text->line,
                                          "the file ends within the header; expected a line "
                                          "that begins with # behind it; trace the program "
                                          "again")))
               ? fault_none()
               : fault;
}

void gpu_header_free(struct gpu_header *header)
{
    free(header->name);
    for (size_t i = 0; i < header->other_count; i++) {
        free(header->others[i].key);
        free(header->others[i].value);
    }
    free(header->others);
    *header = (struct gpu_header){0};
}

struct fault gpu_cluster_check(const struct gpu_cluster *cluster, const char *file, uint64_t line)
{
    uint64_t const x = cluster->block[0], y = cluster->block[1], z = cluster->block[2];

    if (cluster->rank >= GPU_CLUSTER_MAX || x >= GPU_CLUSTER_MAX || y >= GPU_CLUSTER_MAX || z >= GPU_CLUSTER_MAX
        || (x + 1) * (y + 1) * (z + 1) > GPU_CLUSTER_MAX)
        return fault_at_line(file, line, "block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " of a cluster, its rank %" PRIu32
                             "; expected a cluster of at most %u blocks, the most of any GPU; trace the program again "
                             "or mend the line", cluster->block[0], cluster->block[1], cluster->block[2], cluster->rank,
                             GPU_CLUSTER_MAX);
    if ((cluster->rank == 0) != (x + y + z == 0))
        return fault_at_line(file, line, "block %" PRIu32 ",%" PRIu32 ",%" PRIu32 " of a cluster has rank %" PRIu32
                             "; expected rank 0 for block 0,0,0 and no other; trace the program again or mend the "
                             "line", cluster->block[0], cluster->block[1], cluster->block[2], cluster->rank);
    return fault_none();
}
