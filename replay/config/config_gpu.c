/* The section gpu of a configuration: which sections and keys it has, their defaults, and the two values that are in no
 * table, shared_options and letters. Checks are in check_gpu.c.
 *
 * gpu.l1 and gpu.l2 show the keys of a sectored cache and their own as one section: their tables join both. */
#include <stdio.h>
#include <string.h>

#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"
#include "replay/config/tables.h"
#include "replay/config/units.h"

_Static_assert(CONFIG_GPU_SECTIONS == 7 + GPU_UNIT_COUNT, "each unit is a section");
_Static_assert(CONFIG_LETTERS_TEXT == GPU_ADDRESS_LETTERS + GPU_ADDRESS_LETTERS / 8 + 1, "letters in groups of 8");

static const struct param_table no_table = {NULL, 0};

#define UNIT_NAME(value, name) [GPU_UNIT_##value] = #name,
static const char *const unit_names[] = {GPU_UNITS(UNIT_NAME)};

/* ---- sections */
#define AT(field) (offsetof(struct system_config, gpu) + offsetof(struct gpu_params, field))

static struct config_section config_gpu_made(enum config_kind kind, const char *path, const char *help,
                                             const struct param_table *table, size_t offset)
{
    struct config_section section = {.kind = kind, .help = help, .table = table, .offset = offset, .is_present = true};

    config_append(section.path, section.path + sizeof section.path, path);
    return section;
}

static struct config_section unit_section(unsigned index)
{
    struct config_section section = config_gpu_made(CONFIG_GPU_UNIT, "gpu.units.", "a kind of execution unit",
                                                    &gpu_unit_param_table,
                                                        AT(units) + index * sizeof(struct gpu_unit_params));

    config_append(section.path + strlen(section.path), section.path + sizeof section.path, unit_names[index]);
    section.index = index;
    return section;
}

struct config_section config_gpu_section(enum config_kind kind, unsigned index)
{
    if (kind == CONFIG_GPU_SM)
        return config_gpu_made(kind, "gpu.sm", "a streaming multiprocessor", &gpu_sm_param_table, AT(sm));
    if (kind == CONFIG_GPU_UNITS)
        return config_gpu_made(kind, "gpu.units", "its execution units, kind by kind", &no_table, AT(units));
    if (kind == CONFIG_GPU_UNIT)
        return unit_section(index);
    if (kind == CONFIG_GPU_ARRAY)
        return config_gpu_made(kind, "gpu.array", "what neighbouring SMs share: instructions, scalar data (GCN3)",
                               &gpu_array_param_table, AT(array));
    if (kind == CONFIG_GPU_TLB)
        return config_gpu_made(kind, "gpu.tlb", "translation of the GPU's own addresses (GCN3)", &gpu_tlb_param_table,
                               AT(tlb));
    if (kind == CONFIG_GPU_L1)
        return config_gpu_made(kind, "gpu.l1", "its data cache", &gpu_l1_param_table, AT(l1));
    if (kind == CONFIG_GPU_L2)
        return config_gpu_made(kind, "gpu.l2", "a slice of the L2, and the way to DRAM", &gpu_l2_param_table, AT(l2));
    return config_gpu_made(CONFIG_GPU, "gpu", "the GPU; none: the system has none", &gpu_param_table,
                           offsetof(struct system_config, gpu));
}

bool config_gpu_subsection(const struct config_section *section, const char *key, struct config_section *inner)
{
    static const enum config_kind parts[] = {CONFIG_GPU_SM, CONFIG_GPU_UNITS, CONFIG_GPU_ARRAY, CONFIG_GPU_TLB,
                                             CONFIG_GPU_L1, CONFIG_GPU_L2};

    for (unsigned i = 0; section->kind == CONFIG_GPU && i < sizeof parts / sizeof parts[0]; i++) {
        *inner = config_gpu_section(parts[i], 0);
        if (strcmp(inner->path + strlen("gpu."), key) == 0)
            return true;
    }
    for (unsigned i = 0; section->kind == CONFIG_GPU_UNITS && i < GPU_UNIT_COUNT; i++) {
        *inner = unit_section(i);
        if (strcmp(unit_names[i], key) == 0)
            return true;
    }
    return false;
}

unsigned config_gpu_sections(struct config_section *list, unsigned count)
{
    list[count++] = config_gpu_section(CONFIG_GPU, 0);
    list[count++] = config_gpu_section(CONFIG_GPU_SM, 0);
    list[count++] = config_gpu_section(CONFIG_GPU_UNITS, 0);
    for (unsigned i = 0; i < GPU_UNIT_COUNT; i++)
        list[count++] = unit_section(i);
    list[count++] = config_gpu_section(CONFIG_GPU_ARRAY, 0);
    list[count++] = config_gpu_section(CONFIG_GPU_TLB, 0);
    list[count++] = config_gpu_section(CONFIG_GPU_L1, 0);
    list[count++] = config_gpu_section(CONFIG_GPU_L2, 0);
    return count;
}

/* ---- letters */

/* "0000RRRR.RRRRRRRR...": points are for the reader; missing leading bits are unused. Returns NULL, or the error. */
static const char *parse_letters(const char *text, char letters[GPU_ADDRESS_LETTERS + 1])
{
    char compact[GPU_ADDRESS_LETTERS + 1] = "";
    size_t length = 0;

    if (strcmp(text, GPU_LETTERS_MAPPING) == 0) {
        memset(letters, 0, GPU_ADDRESS_LETTERS + 1);
        memcpy(letters, GPU_LETTERS_MAPPING, sizeof GPU_LETTERS_MAPPING);
        return NULL;
    }
    for (; *text; text++) {
        if (*text == '.')
            continue;
        if (!strchr("RBCS0", *text))
            return "has another letter than R, B, C, S, 0";
        if (length == GPU_ADDRESS_LETTERS)
            return "has more than 64 letters";
        compact[length++] = *text;
    }
    if (length == 0)
        return "is empty";
    memset(letters, '0', GPU_ADDRESS_LETTERS - length);
    memcpy(letters + GPU_ADDRESS_LETTERS - length, compact, length);
    letters[GPU_ADDRESS_LETTERS] = '\0';
    return NULL;
}

bool config_gpu_is_mapped(const struct gpu_l2_params *l2)
{
    return strcmp(l2->letters, GPU_LETTERS_MAPPING) == 0;
}

void config_gpu_letters_text(const struct gpu_l2_params *l2, char text[CONFIG_LETTERS_TEXT])
{
    size_t const unused = strspn(l2->letters, "0") / 8 * 8;
    size_t const first = unused < GPU_ADDRESS_LETTERS ? unused : GPU_ADDRESS_LETTERS - 8;
    char *end = text;

    if (config_gpu_is_mapped(l2)) {
        strcpy(text, GPU_LETTERS_MAPPING);
        return;
    }
    for (size_t i = first; l2->letters[i]; i++) {
        if (i > first && i % 8 == 0)
            *end++ = '.';
        *end++ = l2->letters[i];
    }
    *end = '\0';
}

/* ---- sizes of shared memory */
static struct fault parse_sizes(const char *text, const char *full, const char *where,
                                uint64_t sizes[GPU_SHARED_OPTIONS])
{
    unsigned count = 0;

    memset(sizes, 0, GPU_SHARED_OPTIONS * sizeof sizes[0]);
    for (const char *c = text; *c;) {
        size_t const length = strcspn(c, ", []");
        char size[UNITS_TEXT];
        double unused;

        if (length == 0) {
            c++;
            continue;
        }
        snprintf(size, sizeof size, "%.*s", (int)length, c);
        if (count == GPU_SHARED_OPTIONS)
            return fault_make(FAULT_INPUT, "%s: %s: more than %d sizes; leave some out", where, full,
                              GPU_SHARED_OPTIONS);
        const char *problem = units_parse(UNIT_BYTES, size, &sizes[count], &unused);
        if (problem)
            return fault_make(FAULT_INPUT, "%s: %s: \"%s\" %s; give sizes such as [0B, 8KiB, 64KiB]", where, full,
                              config_quote(size).text, problem);
        if (count && sizes[count] <= sizes[count - 1])
            return fault_make(FAULT_INPUT, "%s: %s: %s after %s; give the sizes in rising order", where, full,
                              config_bytes(sizes[count]).text, config_bytes(sizes[count - 1]).text);
        count++;
        c += length;
    }
    return fault_none();
}

void config_gpu_sizes_text(const struct gpu_l1_params *l1, char text[CONFIG_SIZES_TEXT])
{
    unsigned count = GPU_SHARED_OPTIONS;
    size_t used = 1;

    while (count && !l1->shared_options[count - 1])
        count--;
    strcpy(text, "[");
    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, CONFIG_SIZES_TEXT - used, "%s%s", i ? ", " : "",
                                 config_bytes(l1->shared_options[i]).text);
    strcpy(text + used, "]");
}

struct fault config_gpu_assign_extra(struct gpu_params *gpu, const char *key, const char *full, const char *text,
                                     const char *where)
{
    char letters[GPU_ADDRESS_LETTERS + 1];
    uint64_t sizes[GPU_SHARED_OPTIONS];

    if (strcmp(key, "shared_options") == 0) {
        FORWARD(parse_sizes(text, full, where, sizes));
        memcpy(gpu->l1.shared_options, sizes, sizeof sizes);
        return fault_none();
    }
    const char *problem = parse_letters(text, letters);
    if (problem)
        return fault_make(FAULT_INPUT, "%s: %s: \"%s\" %s; give the bits of an address, the most significant first, "
                          "such as " CONFIG_GPU_LETTERS, where, full, config_quote(text).text, problem);
    memcpy(gpu->l2.letters, letters, sizeof letters);
    return fault_none();
}

/* ---- defaults */
void config_gpu_defaults(struct gpu_params *gpu)
{
    struct config_section list[CONFIG_GPU_SECTIONS];
    unsigned const count = config_gpu_sections(list, 0);

    memset(gpu, 0, sizeof *gpu);
    for (unsigned i = 0; i < count; i++)
        config_table_defaults((char *)gpu + (list[i].offset - offsetof(struct system_config, gpu)), list[i].table);
    parse_letters(CONFIG_GPU_LETTERS, gpu->l2.letters);
}
