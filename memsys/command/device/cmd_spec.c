/* From a standard's own words to a device in ticks. Order as the specification has it: preset, derived timings,
 * overrides, CK to ticks (3.2); then latencies, from ends of commands to their first ticks (3.3); then the rules of
 * the command buses (3.4). */
#include "memsys/command/device/cmd_spec.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "memsys/command/device/cmd_expression.h"

enum { MOST_VALUES = 2 * CMD_TIMINGS, LARGEST_VALUE = 1 << 30, MOST_BANKS = 1 << 16, MOST_ACCESS_BYTES = 4096 };
#define MOST_COLUMNS (UINT64_C(1) << 46)    /* of a channel */

/* Names that expressions may use: keys of the organization, timings, prefetch. */
struct values {
    struct cmd_pair pairs[MOST_VALUES];
    size_t count;
};

static struct cmd_pair *find_value(struct values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->pairs[i].name, name) == 0)
            return &values->pairs[i];
    return NULL;
}

static bool value_of(const void *names, const char *text, size_t length, double *value)
{
    const struct values *const values = names;

    for (size_t i = 0; i < values->count; i++) {
        const char *const name = values->pairs[i].name;

        if (strncmp(name, text, length) == 0 && !name[length]) {
            *value = (double)values->pairs[i].value;
            return true;
        }
    }
    return false;
}

static struct fault set_value(struct values *values, const char *name, int64_t value, const char *file)
{
    struct cmd_pair *const pair = find_value(values, name);

    if (value < -LARGEST_VALUE || value > LARGEST_VALUE)
        return fault_make(FAULT_INPUT, "%s: %s is %lld; it must be within +-2^30", file, name, (long long)value);
    if (pair) {
        pair->value = value;
        return fault_none();
    }
    if (values->count == MOST_VALUES)
        return fault_make(FAULT_INPUT, "%s: more than %d sizes and timings", file, MOST_VALUES);
    values->pairs[values->count++] = (struct cmd_pair){name, value};
    return fault_none();
}

/* ---- presets */
static struct fault find_preset(const struct cmd_standard *standard, const struct cmd_preset *presets, size_t count,
                                const char *name, const char *what, const struct cmd_preset **found)
{
    struct nearest nearest = nearest_to(name);
    char question[300];

    for (size_t i = 0; i < count; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            *found = &presets[i];
            return fault_none();
        }
        nearest_offer(&nearest, presets[i].name);
    }
    nearest_question(&nearest, question, sizeof question);
    return fault_make(FAULT_INPUT, "%s: %s has no %s \"%.60s\"%s", standard->file, standard->name, what, name,
                      *question ? question : "; its file lists them");
}

static struct fault take_preset(struct values *values, const struct cmd_preset *preset, const char *file)
{
    for (size_t i = 0; i < preset->count; i++)
        FORWARD(set_value(values, preset->pairs[i].name, preset->pairs[i].value, file));
    return fault_none();
}

/* The first alternative of each name whose condition holds. */
static struct fault derive(const struct cmd_standard *standard, struct values *values)
{
    const struct cmd_derived_row *done = NULL;
    double condition, value;

    for (const struct cmd_derived_row *row = standard->derived; row < standard->derived
         + standard->derived_count; row++) {
        bool const is_done = done && strcmp(done->name, row->name) == 0;

        if (is_done || (row->is_default && find_value(values, row->name)))
            continue;
        FORWARD(fault_within(cmd_evaluate(row->condition, value_of, values, &condition), "%s: condition of %s: ",
                             standard->file, row->name));
        if (condition == 0)
            continue;
        if (strcmp(row->value, "refuse") == 0)
            return fault_make(FAULT_INPUT, "%s: %s is not defined for this organization and timing; choose others or "
                                           "set it",
                              standard->file, row->name);
        FORWARD(fault_within(cmd_evaluate(row->value, value_of, values, &value), "%s: %s: ", standard->file,
                             row->name));
        FORWARD(set_value(values, row->name, (int64_t)value, standard->file));
        done = row;
    }
    return fault_none();
}

/* ---- overrides */
static int level_of_key(const struct cmd_standard *standard, const char *key)
{
    for (unsigned level = 1; level < standard->level_count; level++)
        if (strcasecmp(standard->levels[level], key) == 0)
            return (int)level;
    return CMD_NONE;
}

static bool is_of_organization(const struct cmd_standard *standard, const char *key)
{
    return strcmp(key, "channel_width") == 0 || level_of_key(standard, key) != CMD_NONE;
}

static struct fault override(const struct cmd_standard *standard, struct values *values, struct cmd_overrides overrides,
                             bool of_organization)
{
    for (size_t i = 0; i < overrides.count; i++) {
        const struct cmd_pair *const pair = &overrides.pairs[i];
        const char *const name = pair->name;

        if (is_of_organization(standard, name) != of_organization)
            continue;
        if (strcasecmp(name, "channel") == 0)
            return fault_make(FAULT_INPUT, "%s: channel is 1 inside a controller; set the number of channels",
                              standard->file);
        if (!of_organization && !find_value(values, name))
            return fault_make(FAULT_INPUT, "%s: %s has no timing or level %.40s", standard->file, standard->name, name);
        FORWARD(set_value(values, name, pair->value, standard->file));
    }
    return fault_none();
}

/* ---- organization */
static struct fault take_sizes(struct cmd_spec *spec, struct values *values)
{
    const struct cmd_standard *const standard = spec->standard;
    uint64_t banks = 1, columns = 1;

    spec->size[0] = 1;
    for (unsigned level = 1; level < spec->level_count; level++) {
        int64_t size = 0;

        for (size_t i = 0; i < values->count; i++)
            if (level_of_key(standard, values->pairs[i].name) == (int)level)
                size = values->pairs[i].value;
        if (size < 1)
            return fault_make(FAULT_INPUT, "%s: organization %s: %s is %lld; it must be at least 1", standard->file,
                              spec->organization, standard->levels[level], (long long)size);
        spec->size[level] = (uint32_t)size;
        if ((uint64_t)size > MOST_COLUMNS / columns)
            return fault_make(FAULT_INPUT, "%s: organization %s: more than 2^46 columns a channel", standard->file,
                              spec->organization);
        columns *= (uint64_t)size;
        if (level <= spec->bank_level)
            banks *= (uint64_t)size;
        if (banks > MOST_BANKS)
            return fault_make(FAULT_INPUT, "%s: organization %s: more than %d banks a channel", standard->file,
                              spec->organization, MOST_BANKS);
    }
    spec->bank_count = (uint32_t)banks;
    if (spec->size[spec->column_level] < standard->prefetch)
        return fault_make(FAULT_INPUT, "%s: organization %s: %u columns are less than an access of %u", standard->file,
                          spec->organization, spec->size[spec->column_level], standard->prefetch);
    return fault_none();
}

static struct fault take_widths(struct cmd_spec *spec, struct values *values)
{
    const struct cmd_standard *const standard = spec->standard;
    const struct cmd_pair *const width = find_value(values, "channel_width"), *const dq = find_value(values, "dq");
    const struct cmd_pair *const density = find_value(values, "density");
    bool const by_width = standard->payload_bytes == 0;

    if (!width || !dq || width->value < 1 || dq->value < 1 || width->value % dq->value != 0
        || (by_width && (width->value & (width->value - 1)) != 0))
        return fault_make(FAULT_INPUT, "%s: organization %s: channel_width must be a power of two and a multiple of dq",
                          standard->file, spec->organization);
    spec->channel_width = width->value;
    spec->dq = dq->value;
    spec->density = density ? density->value : 0;
    if (by_width && width->value > INT64_C(8) * MOST_ACCESS_BYTES / standard->prefetch)
        return fault_make(FAULT_INPUT, "%s: organization %s: an access of %lld bits; %d bytes at most", standard->file,
                          spec->organization, (long long)(standard->prefetch * width->value), MOST_ACCESS_BYTES);
    spec->tx_bytes = by_width ? (uint32_t)(standard->prefetch * width->value / 8) : standard->payload_bytes;
    if (spec->tx_bytes == 0)
        return fault_make(FAULT_INPUT, "%s: organization %s: an access has no whole byte", standard->file,
                          spec->organization);
    return fault_none();
}

/* ---- timings */

/* Is the name a word of the expression? */
static bool is_word_of(const char *expression, const char *name)
{
    size_t const length = strlen(name);

    for (const char *at = strstr(expression, name); at; at = strstr(at + 1, name)) {
        bool const begins = at == expression || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

/* May the timing not be 0? It is a distance by itself, a part of the latency of reads, or the clock. Those that a mode
 * of the device switches off may. */
static bool must_last(const struct cmd_standard *standard, const char *name)
{
    static const char *const optional[] = {"nCAS", "nDQERL", "nODTon_min", "nRPST"};

    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (strcmp(name, optional[i]) == 0)
            return false;
    if (strcmp(name, "rate") == 0 || strcmp(name, "tCK_ps") == 0 || is_word_of(standard->read_latency, name))
        return true;
    for (size_t i = 0; i < standard->constraint_count; i++)
        if (strcmp(standard->constraints[i].latency, name) == 0)
            return true;
    return false;
}

static struct fault to_ticks(struct cmd_spec *spec, struct values *values)
{
    const struct cmd_standard *const standard = spec->standard;
    int64_t const ticks = standard->ticks_per_ck;

    for (unsigned i = 0; i < standard->timing_count; i++) {
        struct cmd_pair *const pair = find_value(values, standard->timing_names[i]);

        if (!pair)
            return fault_make(FAULT_INPUT, "%s: timing %s: %s is missing", standard->file, spec->timing,
                              standard->timing_names[i]);
        if (pair->value < 1 && must_last(standard, pair->name))
            return fault_make(FAULT_INPUT, "%s: timing %s: %s is %lld; it must be at least 1, as a constraint, the "
                              "latency of reads or the clock needs it", standard->file, spec->timing, pair->name,
                              (long long)pair->value);
        if (strcmp(pair->name, "tCK_ps") == 0) {
            spec->ck_ps = pair->value;
            pair->value /= ticks;
        } else if (strcmp(pair->name, "rate") != 0) {
            pair->value *= ticks;
        }
        spec->timings[i] = pair->value;
    }
    if (!cmd_spec_timing(spec, "tCK_ps", &spec->tck_ps) || spec->tck_ps < 1)
        return fault_make(FAULT_INPUT, "%s: timing %s: tCK_ps must be at least 1 ps a tick", standard->file,
                          spec->timing);
    return fault_none();
}

/* ---- constraints */
struct builder {
    struct cmd_spec *spec;
    struct cmd_constraint rows[CMD_LEVELS][CMD_COMMANDS][2 * CMD_COMMANDS + CMD_TIMINGS];
    unsigned counts[CMD_LEVELS][CMD_COMMANDS];
};

static struct fault add(struct builder *builder, unsigned level, unsigned preceding, struct cmd_constraint row)
{
    unsigned *const count = &builder->counts[level][preceding];

    if (*count == sizeof builder->rows[0][0] / sizeof *builder->rows[0][0])
        return fault_make(FAULT_INPUT, "%s: more than %u constraints after %s at a %s", builder->spec->standard->file,
                          *count,
                          builder->spec->command[preceding].name, builder->spec->standard->levels[level]);
    builder->rows[level][preceding][(*count)++] = row;
    return fault_none();
}

/* A command of several ticks keeps the others off its bus. */
static struct fault add_buses(struct builder *builder)
{
    const struct cmd_spec *const spec = builder->spec;

    for (unsigned p = 0; p < spec->command_count; p++)
        for (unsigned f = 0; f < spec->command_count && spec->ticks[p] > 1; f++)
            if (spec->command[p].bus == spec->command[f].bus)
                FORWARD(add(builder, 0, p, (struct cmd_constraint){(uint8_t)f, 1, false, spec->ticks[p]}));
    return fault_none();
}

/* The commands of a row, of which `text` has the names, as bits. */
static struct fault commands_of(const struct cmd_spec *spec, const char *text, uint32_t *bits)
{
    char name[32];

    for (*bits = 0; *text;) {
        size_t const length = strcspn(text, " ");
        int command;

        memcpy(name, text, length < sizeof name ? length : sizeof name - 1);
        name[length < sizeof name ? length : sizeof name - 1] = '\0';
        command = cmd_spec_command(spec, name);
        if (command == CMD_NONE)
            return fault_make(FAULT_INPUT, "%s: constraints: unknown command %s", spec->standard->file, name);
        *bits |= UINT32_C(1) << command;
        text += length + (text[length] == ' ');
    }
    return fault_none();
}

static struct fault add_row(struct builder *builder, const struct cmd_constraint_row *row, const struct values *values)
{
    struct cmd_spec *const spec = builder->spec;
    int const level = cmd_spec_level(spec, row->level);
    uint32_t preceding, following;
    double latency;

    if (level == CMD_NONE || (unsigned)level > spec->bank_level)
        return fault_make(FAULT_INPUT, "%s: constraints: %s is no level from Channel to Bank", spec->standard->file,
                          row->level);
    FORWARD(commands_of(spec, row->preceding, &preceding));
    FORWARD(commands_of(spec, row->following, &following));
    FORWARD(fault_within(cmd_evaluate(row->latency, value_of, values, &latency), "%s: constraints: ",
                         spec->standard->file));
    for (unsigned p = 0; p < spec->command_count; p++) {
        for (unsigned f = 0; f < spec->command_count; f++) {
            int32_t const ticks = (int32_t)latency + (spec->ticks[p] - 1) - (spec->ticks[f] - 1);

            if (preceding >> p & following >> f & 1)
                FORWARD(add(builder, (unsigned)level, p,
                            (struct cmd_constraint){(uint8_t)f, (uint8_t)row->window, row->sibling, ticks}));
        }
    }
    return fault_none();
}

/* Odd behaviour 9: pairs without a constraint, by the commands' own times (12). Latencies are zero where the
 * standard has no such time. */
static struct fault add_missing(struct builder *builder, const struct values *values)
{
    static const struct cmd_constraint_row rows[] = {
        {"Bank", "REFab", "REFab REFpb RFMab RFMpb VRR PREpb PREab", "nRFC", 1, false},
        {"Bank", "REFpb", "REFpb REFab RFMab RFMpb VRR PREpb PREab", "nRFCpb", 1, false},
        {"Bank", "RFMab", "RFMab RFMpb REFab REFpb VRR PREpb PREab", "nRFM", 1, false},
        {"Bank", "RFMab", "RFMab RFMpb REFab REFpb VRR PREpb PREab", "nRFMab", 1, false},
        {"Bank", "RFMpb", "RFMpb RFMab REFab REFpb VRR PREpb PREab", "nRFMpb", 1, false},
        {"Bank", "VRR", "VRR REFab REFpb RFMab RFMpb PREpb PREab", "nVRR", 1, false},
        {"Bank", "PREab", "REFpb RFMpb VRR", "nRP", 1, false},
        {"Bank", "RDA", "REFab REFpb RFMab RFMpb VRR", "nRTP + nRP", 1, false},
        {"Bank", "RDA", "REFab REFpb RFMab RFMpb VRR", "nRTPL + nRP", 1, false},
        {"Bank", "WRA", "REFab REFpb RFMab RFMpb VRR", "nCWL + nBL + nWR + nRP", 1, false},
        {"Bank", "WRA", "REFab REFpb RFMab RFMpb VRR", "nCWL + nBL_min + nWR + nRP", 1, false},
        {"Bank", "WRA", "REFab REFpb RFMab RFMpb VRR", "nWL + nBL + nWR + nRP", 1, false},
    };
    double latency;
    struct fault fault;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cmd_constraint_row row = rows[i];
        char following[80] = "";

        if (cmd_spec_command(builder->spec, row.preceding) == CMD_NONE
            || FAILS(fault, cmd_evaluate(row.latency, value_of, values, &latency)))
            continue;
        for (const char *name = rows[i].following; *name;) {
            char word[8] = "";
            size_t const length = strcspn(name, " ");

            memcpy(word, name, length);
            if (cmd_spec_command(builder->spec, word) != CMD_NONE)
                strcat(strcat(following, *following ? " " : ""), word);
            name += length + (name[length] == ' ');
        }
        row.following = following;
        FORWARD(add_row(builder, &row, values));
    }
    return fault_none();
}

/* Odd behaviour 32: what opens a row inside a bank counts in the window of ACT, and waits for it. */
static struct fault share_windows(struct builder *builder)
{
    static const char *const names[] = {"ACT", "ACT1", "REFpb", "RFMpb", "VRR"};
    enum { COUNT = sizeof names / sizeof *names };
    struct cmd_spec *const spec = builder->spec;
    unsigned const act = spec->activate;

    for (unsigned level = 0; level <= spec->bank_level; level++) {
        unsigned const rows = builder->counts[level][act];

        for (unsigned i = 0; i < rows; i++) {
            struct cmd_constraint row = builder->rows[level][act][i];

            if (row.window < 2 || row.following != act)
                continue;
            for (unsigned p = 0; p < COUNT; p++) {
                int const preceding = cmd_spec_command(spec, names[p]);

                for (unsigned f = 0; f < COUNT && preceding != CMD_NONE; f++) {
                    int const following = cmd_spec_command(spec, names[f]);

                    if (following == CMD_NONE || (preceding == (int)act && following == (int)act))
                        continue;
                    row.following = (uint8_t)following;
                    FORWARD(add(builder, level, (unsigned)preceding, row));
                }
                if (preceding != CMD_NONE && preceding != (int)act)
                    spec->history_of[level][preceding] = (uint8_t)act;
            }
        }
    }
    return fault_none();
}

static struct fault keep_constraints(const struct builder *builder)
{
    struct cmd_spec *const spec = builder->spec;

    for (unsigned level = 0; level <= spec->bank_level; level++) {
        for (unsigned p = 0; p < spec->command_count; p++) {
            struct cmd_constraint_list *const list = &spec->constraints[level][p];
            unsigned const count = builder->counts[level][p];
            struct cmd_constraint *rows;

            if (count == 0)
                continue;
            rows = arena_take(&spec->arena, count * sizeof *rows);
            if (!rows)
                return fault_memory(spec->standard->file, "constraints");
            memcpy(rows, builder->rows[level][p], count * sizeof *rows);
            *list = (struct cmd_constraint_list){rows, count, false, 1};
            for (unsigned i = 0; i < count; i++) {
                list->has_sibling |= rows[i].sibling;
                list->window = rows[i].window > list->window ? rows[i].window : list->window;
            }
        }
    }
    return fault_none();
}

static struct fault make_constraints(struct cmd_spec *spec, const struct values *values, bool mend_missing,
                                     bool mend_windows)
{
    struct builder *const builder = arena_take(&spec->arena, sizeof *builder);
    const struct cmd_standard *const standard = spec->standard;

    if (!builder)
        return fault_memory(standard->file, "constraints");
    builder->spec = spec;
    FORWARD(add_buses(builder));
    for (size_t i = 0; i < standard->constraint_count; i++)
        FORWARD(add_row(builder, &standard->constraints[i], values));
    if (mend_missing)
        FORWARD(add_missing(builder, values));
    if (mend_windows)
        FORWARD(share_windows(builder));
    return keep_constraints(builder);
}

/* ---- all of it */
static struct fault take_row_commands(struct cmd_spec *spec)
{
    bool const is_split = cmd_spec_command(spec, "ACT1") != CMD_NONE;
    const struct { const char *name; uint8_t *command; bool must; } names[] = {
        {is_split ? "ACT1" : "ACT", &spec->activate, true}, {"ACT2", &spec->activate_second, is_split},
        {"PREpb", &spec->precharge, true}, {"PREab", &spec->precharge_all, true}
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int const command = cmd_spec_command(spec, names[i].name);

        if (command != CMD_NONE)
            *names[i].command = (uint8_t)command;
        else if (names[i].must)
            return fault_make(FAULT_INPUT, "%s: commands: %s is missing", spec->standard->file, names[i].name);
    }
    return fault_none();
}

static struct fault take_commands(struct cmd_spec *spec)
{
    const struct cmd_standard *const standard = spec->standard;
    int const row = cmd_spec_level(spec, "Row"), bank = cmd_spec_level(spec, "Bank"),
        column = cmd_spec_level(spec, "Column");
    int read, write;
    double ticks;

    if (bank < 1 || row != bank + 1 || column != row + 1 || (unsigned)column + 1 != standard->level_count)
        return fault_make(FAULT_INPUT, "%s: levels must be Channel, any others, Bank, Row, Column", standard->file);
    spec->bank_level = (unsigned)bank;
    spec->row_level = (unsigned)row;
    spec->column_level = (unsigned)column;
    for (unsigned i = 0; i < spec->command_count; i++) {
        for (unsigned level = 0; level < CMD_LEVELS; level++)
            spec->history_of[level][i] = (uint8_t)i;
        spec->command[i] = standard->commands[i];
        ticks = standard->commands[i].cycles_ck * standard->ticks_per_ck;
        if (!(ticks >= 1 && ticks <= UINT8_MAX && ticks == floor(ticks)))
            return fault_make(FAULT_INPUT, "%s: commands: cycles of %s are %g ticks; they must be 1 to %d whole ones",
                              standard->file, standard->commands[i].name, ticks, UINT8_MAX);
        spec->ticks[i] = (uint8_t)ticks;
    }
    read = cmd_spec_command(spec, standard->read_command);
    write = cmd_spec_command(spec, standard->write_command);
    if (read == CMD_NONE || write == CMD_NONE)
        return fault_make(FAULT_INPUT, "%s: read and write must be commands of the standard", standard->file);
    spec->read_command = (uint8_t)read;
    spec->write_command = (uint8_t)write;
    return take_row_commands(spec);
}

static struct fault make(struct cmd_spec *spec, struct values *values, struct cmd_overrides overrides,
                         bool mend_missing,
                         bool mend_windows)
{
    const struct cmd_standard *const standard = spec->standard;
    const struct cmd_preset *preset;
    double latency;

    FORWARD(take_commands(spec));
    FORWARD(set_value(values, "prefetch", standard->prefetch, standard->file));
    FORWARD(set_value(values, "odt_enabled", 1, standard->file));
    FORWARD(find_preset(standard, standard->organizations, standard->organization_count, spec->organization,
                        "organization",
                        &preset));
    spec->organization = preset->name;
    FORWARD(take_preset(values, preset, standard->file));
    FORWARD(override(standard, values, overrides, true));
    FORWARD(find_preset(standard, standard->timings, standard->preset_count, spec->timing, "timing", &preset));
    spec->timing = preset->name;
    FORWARD(take_preset(values, preset, standard->file));
    FORWARD(take_sizes(spec, values));
    FORWARD(take_widths(spec, values));
    FORWARD(derive(standard, values));
    FORWARD(override(standard, values, overrides, false));
    FORWARD(to_ticks(spec, values));
    FORWARD(fault_within(cmd_evaluate(standard->read_latency, value_of, values, &latency), "%s: read_latency: ",
                         standard->file));
    spec->read_latency = (int32_t)latency;
    if (spec->read_latency < 1)
        return fault_make(FAULT_INPUT, "%s: timing %s: the read latency is below 1", standard->file, spec->timing);
    return make_constraints(spec, values, mend_missing, mend_windows);
}

struct fault cmd_spec_make(struct cmd_spec *spec, const struct cmd_standard *standard, const char *organization,
                           const char *timing, struct cmd_overrides overrides, bool mend_missing, bool mend_windows)
{
    struct values values = {.count = 0};
    struct fault fault;

    *spec = (struct cmd_spec){.standard = standard, .organization = organization, .timing = timing,
                              .level_count = standard->level_count, .command_count = standard->command_count};
    if (FAILS(fault, make(spec, &values, overrides, mend_missing, mend_windows)))
        cmd_spec_free(spec);
    return fault;
}

void cmd_spec_free(struct cmd_spec *spec)
{
    arena_free(&spec->arena);
}

int cmd_spec_command(const struct cmd_spec *spec, const char *name)
{
    for (unsigned i = 0; i < spec->command_count; i++)
        if (strcmp(spec->command[i].name, name) == 0)
            return (int)i;
    return CMD_NONE;
}

int cmd_spec_level(const struct cmd_spec *spec, const char *name)
{
    for (unsigned i = 0; i < spec->level_count; i++)
        if (strcmp(spec->standard->levels[i], name) == 0)
            return (int)i;
    return CMD_NONE;
}

bool cmd_spec_timing(const struct cmd_spec *spec, const char *name, int64_t *value)
{
    for (unsigned i = 0; i < spec->standard->timing_count; i++) {
        if (strcmp(spec->standard->timing_names[i], name) == 0) {
            *value = spec->timings[i];
            return true;
        }
    }
    return false;
}

int64_t cmd_spec_time(const struct cmd_spec *spec, const char *name)
{
    int64_t value;

    return cmd_spec_timing(spec, name, &value) ? value : 0;
}

uint64_t cmd_spec_period(const struct cmd_spec *spec, int64_t ns)
{
    float const tick_ns = (float)spec->tck_ps / 1000.0f;

    return (uint64_t)((float)ns / tick_ns);
}
