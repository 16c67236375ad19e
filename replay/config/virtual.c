/* The sections pages and cpu.tlb of a configuration: which sections and keys they have, their defaults and checks.
 *
 * The TLBs are there or not as a whole; parts that they can do without have 0 entries. */
#include <string.h>

#include "replay/config/config_internal.h"
#include "replay/config/system_config.h"

#define AT(field) offsetof(struct system_config, field)

static const struct param_table no_table = {NULL, 0};

/* cpu.tlb and its parts, in the order of a file. */
static const struct part {
    enum config_kind kind;
    const char *path, *help;
    const struct param_table *table;
    size_t offset;
} parts[CONFIG_TLB_SECTIONS] = {
    {CONFIG_TLB, "cpu.tlb", "TLBs and page walker of each core; none: addresses are translated at no cost", &no_table,
     AT(tlb)},
    {CONFIG_TLB_L1, "cpu.tlb.l1d", "TLB of loads and stores", &tlb_l1_param_table, AT(tlb.l1d)},
    {CONFIG_TLB_L1, "cpu.tlb.l1i", "TLB of fetches", &tlb_l1_param_table, AT(tlb.l1i)},
    {CONFIG_TLB_L2, "cpu.tlb.l2", "TLB behind both", &tlb_l2_param_table, AT(tlb.l2)},
    {CONFIG_WALKER, "cpu.tlb.walker", "reads page tables for pages that no TLB has", &walker_param_table,
     AT(tlb.walker)},
    {CONFIG_WALK_CACHES, "cpu.tlb.walker.caches", "entries of upper page tables that it keeps",
     &walk_caches_param_table, AT(tlb.caches)}
};

/* ---- sections */
static struct config_section virtual_made(const struct part *part, bool is_present)
{
    struct config_section section = {.kind = part->kind, .help = part->help, .table = part->table,
                                     .offset = part->offset, .is_present = is_present};

    config_append(section.path, section.path + sizeof section.path, part->path);
    return section;
}

struct config_section config_pages_section(void)
{
    static const struct part pages = {CONFIG_PAGES, "pages", "places of virtual pages in physical memory",
                                      &pages_param_table, AT(pages)};

    return virtual_made(&pages, true);
}

struct config_section config_tlb_section(const struct system_config *config)
{
    return virtual_made(&parts[0], config->has_tlb);
}

bool config_tlb_subsection(const struct system_config *config, const struct config_section *section, const char *key,
                           struct config_section *inner)
{
    char path[CONFIG_KEY_TEXT];

    config_key_text(section, key, path, sizeof path);
    for (unsigned i = 1; i < CONFIG_TLB_SECTIONS; i++)
        if (strcmp(parts[i].path, path) == 0) {
            *inner = virtual_made(&parts[i], config->has_tlb);
            return true;
        }
    return false;
}

unsigned config_tlb_sections(const struct system_config *config, struct config_section *list, unsigned count)
{
    for (unsigned i = 0; i < (config->has_tlb ? CONFIG_TLB_SECTIONS : 1); i++)
        list[count++] = virtual_made(&parts[i], config->has_tlb);
    return count;
}

/* ---- values */
static void tlb_defaults(struct system_config *config)
{
    memset(&config->tlb, 0, sizeof config->tlb);
    for (unsigned i = 0; i < CONFIG_TLB_SECTIONS; i++)
        config_table_defaults((char *)config + parts[i].offset, parts[i].table);
    config->tlb.l1i.entries = 128;       /* as in Intel's Skylake */
    config->tlb.l1i.assoc = config->tlb.l1i.huge_entries = config->tlb.l1i.huge_assoc = 8;
    config->has_tlb = false;
}

void config_virtual_defaults(struct system_config *config)
{
    memset(&config->pages, 0, sizeof config->pages);
    config_table_defaults(&config->pages, &pages_param_table);
    memset(config->pages_map, 0, sizeof config->pages_map);
    tlb_defaults(config);
}

/* Letters that a file of a system can hold in quotation marks as they are. */
static bool is_path_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
        || (c && strchr("._-+/,=@%~ ", c));
}

struct fault config_assign_map(struct system_config *config, const char *full, const char *text, const char *where)
{
    size_t const length = strlen(text);

    if (length == 0 || length >= sizeof config->pages_map)
        return fault_make(FAULT_INPUT, "%s: %s: a path of %zu letters; give one of 1 to %zu, or none", where, full,
                          length, sizeof config->pages_map - 1);
    for (const char *c = text; *c; c++)
        if (!is_path_letter(*c))
            return fault_make(FAULT_INPUT, "%s: %s: \"%s\" has other letters than a-z, A-Z, 0-9 and ._-+/,=@%%~ ; give "
                              "the file another name", where, full, config_quote(text).text);
    memset(config->pages_map, 0, sizeof config->pages_map);
    if (strcmp(text, "none") != 0)
        memcpy(config->pages_map, text, length);
    return fault_none();
}

struct fault config_assign_tlb(struct system_config *config, const struct config_section *section, const char *text,
                               bool means_none, const char *where)
{
    static const char *const words[] = {"yes", "on", "true", "default"};

    if (section->kind == CONFIG_TLB) {
        bool means_some = false;

        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            means_some = means_some || strcmp(text, words[i]) == 0;
        if (means_none)
            tlb_defaults(config);
        config->has_tlb = !means_none;
        if (means_none || means_some)
            return fault_none();
    }
    if (means_none && section->kind == CONFIG_TLB_L2) {
        config->has_tlb = true;
        config->tlb.l2.entries = 0;
        return fault_none();
    }
    if (means_none && section->kind == CONFIG_WALK_CACHES) {
        config->has_tlb = true;
        config->tlb.caches = (struct walk_caches_params){0, 0, 0, 0};
        return fault_none();
    }
    return fault_make(FAULT_INPUT, "%s: %s: \"%s\" is not a value for a section; give its keys, such as %s.%s%s", where,
                      section->path, config_quote(text).text, section->path, config_example_key(section),
                      section->kind == CONFIG_TLB ? ", or yes for the defaults, or none" : "");
}

/* ---- checks */
static struct fault check_array(const struct system_config *config, const char *part, const char *prefix,
                                uint64_t entries, uint64_t assoc)
{
    uint64_t const sets = entries / assoc;

    if (entries == 0 || (entries % assoc == 0 && is_power_of_two(sets)))
        return fault_none();
    if (sets == 0)
        return CONFIG_FAULTY(config, "cpu.tlb.%s.%sassoc: %llu ways are more than the %llu entries; give %llu or fewer",
                             part, prefix, llu(assoc), llu(entries), llu(entries));
    return CONFIG_FAULTY(config, "cpu.tlb.%s.%sentries: %llu in %llu ways make no power of two of sets; give %llu, or "
                         "change %sassoc", part, prefix, llu(entries), llu(assoc),
                         llu(config_power_of_two_from(sets) * assoc), prefix);
}

static struct fault check_l1(const struct system_config *config, const char *part, const struct tlb_l1_params *l1)
{
    FORWARD(check_array(config, part, "", l1->entries, l1->assoc));
    return check_array(config, part, "huge_", l1->huge_entries, l1->huge_assoc);
}

static struct fault check_pages(const struct system_config *config)
{
    struct pages_params const *const pages = &config->pages;

    if (pages->policy != PLACEMENT_IDENTITY)
        return fault_none();
    if (pages->huge == HUGE_THRESHOLD)
        return CONFIG_FAULTY(config, "pages.huge: threshold counts the pages that a trace touches, and with the policy "
                             "identity nothing is placed; give never or always");
    if (*config->pages_map)
        return CONFIG_FAULTY(config, "pages.map: with the policy identity nothing is placed; give another policy, for "
                             "pages that the map has not");
    return fault_none();
}

struct fault config_check_virtual(struct system_config *config)
{
    FORWARD(check_pages(config));
    if (!config->has_tlb)
        return fault_none();
    FORWARD(check_l1(config, "l1d", &config->tlb.l1d));
    FORWARD(check_l1(config, "l1i", &config->tlb.l1i));
    return check_array(config, "l2", "", config->tlb.l2.entries, config->tlb.l2.assoc);
}
