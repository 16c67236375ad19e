/* Ramulator's binary list and DRAMPower's lines are written as commands come; the file of Ramulator's viewer has whole
 * columns, so its commands stay in memory until the end: 24 bytes and 4 a level each.
 *
 * DRAMPower: ranks are counted through all levels above the bank group (rank, pseudo-channel, stack), banks within
 * them.
 * Reads and writes carry data there; a memory model has none, so they are zeros, as many as an access has. */
#include "cli/common/command_forms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/path.h"
#include "cli/common/cli.h"
#include "cli/common/output.h"
#include "memsys/command/device/cmd_spec.h"

enum { MOST_NAME = 4096, HEADER_BYTES = 64, TYPE_BYTES = 16 };

struct command_forms_record {
    uint64_t clock;
    int64_t arrive;
    uint8_t command;
    int8_t kind;
    int16_t source;
    int32_t vector[CMD_LEVELS];
};

struct command_forms_channel {
    const struct cmd_spec *spec;
    uint32_t number;
    FILE *file;
    char *path;
    struct command_forms_record *records;    /* of the viewer's form */
    size_t count, room;
};

static const struct { const char *ending, *what; bool has_dram; } forms_table[] = {
#define COMMAND_FORM_ROW(form, ending, has_dram, what) {ending, what, has_dram},
    COMMAND_FORMS(COMMAND_FORM_ROW)
#undef COMMAND_FORM_ROW
};

enum command_form command_form_of(const char *path)
{
    for (unsigned form = COMMAND_FORM_TEXT + 1; form < COMMAND_FORM_COUNT; form++)
        if (text_ends_in(path, forms_table[form].ending))
            return form;
    return COMMAND_FORM_TEXT;
}

const char *command_form_what(enum command_form form)
{
    return forms_table[form].what;
}

bool command_form_has_dram(enum command_form form)
{
    return forms_table[form].has_dram;
}

/* ---- numbers, little endian */
static void put_number(FILE *file, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        putc((int)(value >> 8 * i & 255), file);
}

static void put_signed(FILE *file, int64_t value, unsigned bytes)
{
    put_number(file, (uint64_t)value, bytes);
}

static size_t put_word(FILE *file, const char *word)
{
    fwrite(word, 1, strlen(word) + 1, file);
    return strlen(word) + 1;
}

/* ---- Ramulator's binary list */
static void put_names(FILE *file, const struct cmd_spec *spec)
{
    put_number(file, spec->level_count, 4);
    put_number(file, spec->command_count, 4);
    for (unsigned i = 0; i < spec->level_count; i++)
        put_word(file, spec->standard->levels[i]);
    for (unsigned i = 0; i < spec->command_count; i++)
        put_word(file, spec->command[i].name);
}

static void put_record(FILE *file, const struct cmd_spec *spec, const struct cmd_issued *issued, uint32_t number)
{
    put_number(file, issued->tick, 8);
    put_number(file, issued->command, 4);
    put_signed(file, issued->kind, 4);
    put_signed(file, issued->source, 4);
    put_number(file, number, 4);
    for (unsigned i = 1; i < spec->level_count; i++)
        put_signed(file, issued->vector[i], 4);
}

/* ---- the file of its viewer */
static void keep_record(struct command_forms *forms, struct command_forms_channel *channel,
                        const struct cmd_issued *issued)
{
    struct command_forms_record *record;

    if (!list_fit(&channel->records, channel->count + 1, &channel->room, sizeof *channel->records)) {
        cli_fail_text("%s: out of memory after %zu commands; a file without .ram2bin is written as they come",
                      channel->path, channel->count);
        forms->is_broken = true;
        return;
    }
    record = &channel->records[channel->count++];
    *record = (struct command_forms_record){
        .clock = issued->tick, .arrive = issued->arrive == UINT64_MAX ? -1 : (int64_t)issued->arrive,
        .command = issued->command, .kind = (int8_t)issued->kind, .source = (int16_t)issued->source};
    memcpy(record->vector, issued->vector, channel->spec->level_count * sizeof *record->vector);
    record->vector[0] = (int32_t)channel->number;
}

static uint8_t flags_of(const struct cmd_command_row *command)
{
    return (uint8_t)(command->opening | command->closing << 1 | command->accessing << 2 | command->refreshing << 3
                     | (command->bus == CMD_BUS_ROW) << 4 | (command->bus == CMD_BUS_COLUMN) << 5);
}

/* Bytes of what stands between the header and the columns. */
static size_t names_bytes(const struct cmd_spec *spec)
{
    size_t bytes = 4 * (size_t)spec->level_count + 2 * (size_t)spec->command_count
                   + 4 * (size_t)spec->standard->timing_count;

    for (unsigned i = 0; i < spec->level_count; i++)
        bytes += strlen(spec->standard->levels[i]) + 1;
    for (unsigned i = 0; i < spec->command_count; i++)
        bytes += strlen(spec->command[i].name) + 1;
    for (unsigned i = 0; i < spec->standard->timing_count; i++)
        bytes += strlen(spec->standard->timing_names[i]) + 1;
    return bytes;
}

static void put_header(FILE *file, const struct command_forms_channel *channel, size_t data_offset)
{
    const struct cmd_spec *const spec = channel->spec;
    char type[TYPE_BYTES] = "";

    snprintf(type, sizeof type, "%s", spec->standard->name);
    put_word(file, "RAM2BIN");
    put_number(file, 1, 1);
    put_number(file, 1, 1);
    put_number(file, 0, 2);
    put_number(file, spec->level_count, 2);
    put_number(file, spec->command_count, 2);
    put_number(file, spec->standard->timing_count, 2);
    put_number(file, (uint64_t)spec->channel_width, 2);
    put_number(file, spec->standard->prefetch, 2);
    put_number(file, (uint64_t)spec->dq, 2);
    put_number(file, channel->number, 4);
    put_signed(file, spec->read_latency, 4);
    put_number(file, channel->count, 8);
    put_number(file, data_offset, 8);
    fwrite(type, 1, sizeof type, file);
}

static void put_viewer_names(FILE *file, const struct cmd_spec *spec)
{
    for (unsigned i = 0; i < spec->level_count; i++)
        put_word(file, spec->standard->levels[i]);
    for (unsigned i = 0; i < spec->level_count; i++)
        put_number(file, spec->size[i], 4);
    for (unsigned i = 0; i < spec->command_count; i++)
        put_word(file, spec->command[i].name);
    for (unsigned i = 0; i < spec->command_count; i++)
        putc(flags_of(&spec->command[i]), file);
    for (unsigned i = 0; i < spec->command_count; i++)
        putc(spec->ticks[i], file);
    for (unsigned i = 0; i < spec->standard->timing_count; i++)
        put_word(file, spec->standard->timing_names[i]);
    for (unsigned i = 0; i < spec->standard->timing_count; i++)
        put_signed(file, spec->timings[i], 4);
}

static void put_columns(FILE *file, const struct command_forms_channel *channel)
{
    const struct command_forms_record *const records = channel->records;
    size_t const count = channel->count;

    for (size_t i = 0; i < count; i++)
        put_number(file, records[i].clock, 8);
    for (size_t i = 0; i < count; i++)
        put_signed(file, records[i].arrive, 8);
    for (size_t i = 0; i < count; i++)
        putc(records[i].command, file);
    for (size_t i = 0; i < count; i++)
        put_signed(file, records[i].kind, 1);
    for (size_t i = 0; i < count; i++)
        put_signed(file, records[i].source, 2);
    for (unsigned level = 0; level < channel->spec->level_count; level++)
        for (size_t i = 0; i < count; i++)
            put_signed(file, records[i].vector[level], 4);
}

static void put_viewer_file(const struct command_forms_channel *channel)
{
    size_t const names = HEADER_BYTES + names_bytes(channel->spec), data_offset = (names + 7) / 8 * 8;

    put_header(channel->file, channel, data_offset);
    put_viewer_names(channel->file, channel->spec);
    put_number(channel->file, 0, (unsigned)(data_offset - names));
    put_columns(channel->file, channel);
}

/* ---- DRAMPower's lines */
static const char *power_name_of(const char *name)
{
    /* the first tick of a split activation, the clocks of LPDDR and GDDR7: part of what they are for */
    static const char *const names[][2] = {
        {"ACT", "ACT"}, {"ACT2", "ACT"}, {"ACT1", ""}, {"PREpb", "PRE"}, {"PREab", "PREA"}, {"RD", "RD"},
        {"WR", "WR"}, {"RDA", "RDA"}, {"WRA", "WRA"}, {"REFab", "REFA"}, {"REFpb", "REFB"}, {"RD_S", "RD"},
        {"WR_S", "WR"}, {"RDA_S", "RDA"}, {"WRA_S", "WRA"}, {"RD_L", "RD"}, {"WR_L", "WR"}, {"RDA_L", "RDA"},
        {"WRA_L", "WRA"}, {"CAS", ""}, {"CAS_RD", ""}, {"CAS_WR", ""}, {"RCKSTRT", ""}, {"RCKSTOP", ""}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return NULL;
}

static uint64_t at_least_0(int32_t entry)
{
    return entry < 0 ? 0 : (uint64_t)entry;
}

static struct command_power_line power_line_of(const struct cmd_spec *spec, const struct cmd_issued *issued)
{
    const struct cmd_command_row *const command = &spec->command[issued->command];
    struct command_power_line line = {
        .cycle = issued->tick / spec->standard->ticks_per_ck, .name = power_name_of(command->name),
        .row = at_least_0(issued->vector[spec->row_level]), .column = at_least_0(issued->vector[spec->column_level]),
        .data_bytes = command->accessing ? spec->tx_bytes : 0};

    for (unsigned level = 1; level <= spec->bank_level; level++) {
        bool const is_group = strcmp(spec->standard->levels[level], "BankGroup") == 0;
        uint64_t *const of = is_group || level == spec->bank_level ? &line.bank : &line.rank;

        *of = *of * spec->size[level] + at_least_0(issued->vector[level]);
        if (is_group)
            line.group = at_least_0(issued->vector[level]);
    }
    return line;
}

static void put_power_line(const struct command_forms *forms, FILE *file, const struct command_power_line *line)
{
    fprintf(file, "%" PRIu64 ",%s", line->cycle, line->name);
    if (forms->form == COMMAND_FORM_DRAMPOWER_4) {
        fprintf(file, ",%" PRIu64 "\n", line->bank);
        return;
    }
    fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, line->rank, line->group, line->bank,
            line->row, line->column);
    for (uint64_t i = 0; i < line->data_bytes; i++)
        fputs(i ? "00" : ",00", file);
    putc('\n', file);
}

/* DRAMPower 4 calls refreshes and power states otherwise (src/MemCommand.h). */
static const char *power_4_name(const char *name)
{
    static const char *const names[][2] = {
        {"REFA", "REF"}, {"PDEA", "PDN_F_ACT"}, {"PDEP", "PDN_F_PRE"}, {"PDXA", "PUP_ACT"}, {"PDXP", "PUP_PRE"},
        {"SREFEN", "SREN"}, {"SREFEX", "SREX"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return name;
}

/* ---- files */
static char *path_of(const struct command_forms *forms, uint32_t number)
{
    size_t const length = strlen(forms->path), ending = strlen(forms_table[forms->form].ending);
    char *const path = malloc(length + 20);

    if (path && forms->count == 1)
        memcpy(path, forms->path, length + 1);
    else if (path)
        sprintf(path, "%.*s.ch%" PRIu32 "%s", (int)(length - ending), forms->path, number,
                forms->path + length - ending);
    return path;
}

static void open_channels(struct command_forms *forms)
{
    forms->is_open = true;
    if (forms->count != 1)
        cli_output_discard(forms->first);
    for (size_t i = 0; i < forms->count && !forms->is_broken; i++) {
        struct command_forms_channel *const channel = &forms->channels[i];

        channel->path = path_of(forms, channel->number);
        if (!channel->path)
            cli_fail_text("out of memory for DRAM commands");
        channel->file = !channel->path ? NULL : forms->count == 1 ? forms->first : cli_output_open(channel->path);
        forms->is_broken = !channel->file;
        if (channel->file && forms->form == COMMAND_FORM_BINARY)
            put_names(channel->file, channel->spec);
    }
    forms->first = NULL;
}

bool command_forms_open(struct command_forms *forms, enum command_form form, const char *path)
{
    *forms = (struct command_forms){.form = form, .path = path};
    forms->first = cli_output_open(path);
    return forms->first;
}

void command_forms_add(struct command_forms *forms, uint32_t number, const struct cmd_spec *spec)
{
    if (!list_fit_next(&forms->channels, forms->count, sizeof *forms->channels)) {
        if (!forms->is_broken)
            cli_fail_text("out of memory for DRAM commands");
        forms->is_broken = true;
        return;
    }
    forms->channels[forms->count++] = (struct command_forms_channel){.spec = spec, .number = number};
}

void command_forms_put_power(struct command_forms *forms, size_t index, const struct command_power_line *line)
{
    if (!forms->is_open)
        open_channels(forms);
    if (forms->is_broken)
        return;
    if (forms->form == COMMAND_FORM_DRAMPOWER_4) {
        struct command_power_line named = *line;

        named.name = power_4_name(line->name);
        put_power_line(forms, forms->channels[index].file, &named);
    } else {
        put_power_line(forms, forms->channels[index].file, line);
    }
}

static void put_device_power(struct command_forms *forms, size_t index, const struct cmd_issued *issued)
{
    const struct cmd_spec *const spec = forms->channels[index].spec;
    struct command_power_line const line = power_line_of(spec, issued);

    if (!line.name) {
        forms->left_out[issued->command]++;
        forms->left_out_of = spec;
    } else if (*line.name) {
        command_forms_put_power(forms, index, &line);
    }
}

void command_forms_put(struct command_forms *forms, size_t index, const struct cmd_issued *issued)
{
    struct command_forms_channel *channel;

    if (!forms->is_open)
        open_channels(forms);
    if (forms->is_broken)
        return;
    channel = &forms->channels[index];
    if (forms->form == COMMAND_FORM_BINARY)
        put_record(channel->file, channel->spec, issued, channel->number);
    else if (forms->form == COMMAND_FORM_VIEWER)
        keep_record(forms, channel, issued);
    else
        put_device_power(forms, index, issued);
}

static void say_left_out(const struct command_forms *forms)
{
    for (unsigned i = 0; forms->left_out_of && i < forms->left_out_of->command_count; i++)
        if (forms->left_out[i] > 0)
            cli_warn("%s: %" PRIu64 " %s left out: DRAMPower has no such command", forms->path, forms->left_out[i],
                     forms->left_out_of->command[i].name);
}

bool command_forms_close(struct command_forms *forms, const uint64_t *end_cycles)
{
    bool is_well;

    if (!forms->is_open && !forms->is_broken)
        open_channels(forms);
    is_well = !forms->is_broken;
    for (size_t i = 0; i < forms->count && !forms->is_broken; i++) {
        struct command_forms_channel *const channel = &forms->channels[i];

        if (forms->form == COMMAND_FORM_VIEWER)
            put_viewer_file(channel);
        if (forms->form == COMMAND_FORM_DRAMPOWER)
            fprintf(channel->file, "%" PRIu64 ",END,0,0,0,0,0\n", end_cycles[i]);
        if (forms->form == COMMAND_FORM_DRAMPOWER_4)
            fprintf(channel->file, "%" PRIu64 ",END,0\n", end_cycles[i]);
        is_well = cli_output_close(channel->file, channel->path) && is_well;
        channel->file = NULL;
    }
    if (is_well)
        say_left_out(forms);
    return is_well;
}

void command_forms_free(struct command_forms *forms)
{
    cli_output_discard(forms->first);
    for (size_t i = 0; i < forms->count; i++) {
        cli_output_discard(forms->channels[i].file);
        free(forms->channels[i].path);
        free(forms->channels[i].records);
    }
    free(forms->channels);
    *forms = (struct command_forms){0};
}
