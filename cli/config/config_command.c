/* rubato config: shows an effective system, lists the keys that a system may have, imports a GPU of Accel-Sim, a
 * memory of Ramulator or a system of ChampSim. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/nearest.h"
#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/config/config_lines.h"
#include "cli/options/shared_options.h"
#include "replay/config/champsim_import.h"
#include "replay/config/config.h"
#include "replay/config/device.h"
#include "replay/config/import.h"
#include "replay/config/ramulator.h"
#include "replay/config/sections.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"

enum { MAX_OPERANDS = 3, MAX_SETTINGS = 1024, LARGEST_IMPORT = 1 << 20 };

struct config_request {
    const char *operands[MAX_OPERANDS], *output;
    const char *settings[MAX_SETTINGS];
    size_t operand_count, setting_count;
    enum table_form form;                /* of list, and of show --cost */
    bool wants_cost;
};

static bool take_word(void *field, struct cli_parser *parser)
{
    struct config_request *const request = field;

    if (request->operand_count < MAX_OPERANDS
        && (request->operand_count < 2 || strcmp(request->operands[0], "import") == 0))
        return request->operands[request->operand_count++] = parser->value, true;
    cli_fail_text("config: unexpected argument %s; see rubato config --help", parser->value);
    return false;
}

static const struct cli_option options[] = {
    {"set", "KEY=VALUE", "change one parameter, e.g. --set l2.size=512KiB; may be repeated",
     CLI_APPEND(config_request, settings, setting_count)},
    {"cost", NULL, "show: area, leakage, energy and time of an access of its SRAMs instead, by component",
     CLI_INTO(SWITCH, config_request, wants_cost)},
    {"output", "FILE", "import: write there instead of standard output", CLI_INTO(TEXT, config_request, output)},
    TABLE_OPTIONS(config_request, form),
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato config show SYSTEM [--set KEY=VALUE]...\n"
                "rubato config show SYSTEM --cost [--set KEY=VALUE]... [--tsv | --csv | --json]\n"
                "rubato config list [--tsv | --csv | --json]\nrubato config keys\n"
                "rubato config import GPGPUSIM_CONFIG [TRACE_CONFIG] [-o FILE]\n"
                "rubato config import RAMULATOR.yaml [-o FILE]\n"
                "rubato config import champsim_config.json [-o FILE]",
    .about = "show prints the effective system: every parameter with its value, the tree of its caches, peak\n"
             "bandwidth, unloaded latencies. The output is a system file itself; with --cost it is what the system's\n"
             "SRAMs cost, at its technology (22nm if it has none). list shows the systems that come\n"
             "with rubato, a line each: name, cores, caches, memory, purpose. keys lists all parameters with unit,\n"
             "default and help, and all DRAM devices. import turns the GPU of an Accel-Sim configuration, the\n"
             "memory of one of Ramulator 2, or the system of one of ChampSim into a system file; comments at\n"
             "its end name the options without counterpart.",
    .options = options, .take_operand = take_word,
    .notes = "SYSTEM is a YAML file, or a name that list shows. Options of --set apply in order: a key of an absent\n"
             "l2, l3 or memory_cache adds that cache with its defaults, l2=none removes it, and memory.device=NAME\n"
             "replaces all of memory.dram, so it comes before changes there. Items of lists are numbered from 0\n"
             "(cores.1.rob), caches go by their names (l2a.size).\n"
             "include=FILE applies a file as include: does; core/reference, core/neoverse-n1,\n"
             "core/skylake, core/zen4 and core/firestorm are detailed cores for it.\n"
};

/* ---- keys */
static void print_limits(const struct param_info *info)
{
    const char *const *names = param_enum_names(info->unit);

    for (size_t i = 0; names && names[i]; i++)
        printf("%s%s", i ? ", " : " [", names[i]);
    printf("%s\n", names ? "]" : "");
}

static void print_key(const struct config_section *section, const char *key, const char *unit, const char *value,
                      const char *help)
{
    char full[64];

    snprintf(full, sizeof full, "%s%s%s", section->path, *section->path ? "." : "", key);
    printf("  %-44s %-9s %-14s %s", full, unit, value, help);
}

static void print_extras(const struct config_section *section)
{
    for (size_t i = 0; config_extra_at(i); i++) {
        const struct config_extra *extra = config_extra_at(i);

        if (!config_extra_is_of(section, extra))
            continue;
        print_key(section, extra->key, extra->unit, extra->fallback, extra->help);
        putchar('\n');
    }
}

static void print_section(const struct system_config *example, const struct config_section *section)
{
    char value[UNITS_TEXT];

    printf("\n%s%s%s\n", section->path, *section->path ? ": " : "", section->help);
    print_extras(section);
    for (size_t i = 0; i < section->table->count; i++) {
        const struct param_info *info = &section->table->rows[i];

        config_value_text(example, section, info, value, sizeof value);
        print_key(section, info->key, units_name(info->unit), value, info->help);
        print_limits(info);
    }
}

/* The keys of an example that has one of everything. */
static int print_keys(void)
{
    static const char everything[] =
        "cores: [{offset: 0B}]\nl2: {}\nl3: {}\nmemory_cache: {}\ngpu: {sms: 1}\ncpu: {tlb: {}}\n";
    struct config_section list[CONFIG_MAX_SECTIONS];
    struct system_config example;
    struct fault fault;

    config_defaults(&example);
    fault = config_load_text(&example, "keys", everything, sizeof everything - 1);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    example.cores[0].params = example.core;
    printf("Keys of a system file. The parts before a point are sections of the file. Key, unit, default, meaning.\n"
           "Units: 32KiB or 32kB (binary), 2GHz or 500ps, 13.75ns, 12.8GiB/s or 25.6GB/s, 85%%, yes or no.\n"
           "auto: worked out from the rest of the system. cores, caches and memories are lists in a file; cores.0 is\n"
           "the first item. All caches have the keys of l2, a cache of the list also a name.\n");
    for (unsigned s = 0, count = config_sections(&example, list); s < count; s++)
        print_section(&example, &list[s]);
    printf("\nDRAM devices for memory.device, or the path of a file with the keys of memory.dram:\n");
    for (size_t i = 0; config_device_name(i); i++)
        printf("  %s\n", config_device_name(i));
    return CLI_OK;
}

/* ---- show */
static int show(const struct system_config *config)
{
    char *text;
    struct fault const fault = config_to_yaml(config, &text);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}

static int show_system(const char *system, const struct config_request *request)
{
    struct system_config config;
    struct fault const fault = config_read(&config, system, request->settings, request->setting_count);

    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    return request->wants_cost ? config_cost_print(&config, request->form) : show(&config);
}

/* ---- import */
/* The text of a file, to be freed; *code says why it is NULL. */
static char *read_text(const char *path, size_t *length, int *code)
{
    FILE *const file = input_file_fopen(path);
    char *text = malloc(LARGEST_IMPORT + 1);

    *code = CLI_OK;
    *length = file && text ? fread(text, 1, LARGEST_IMPORT + 1, file) : 0;
    if (!file)
        *code = cli_fail_text("%s: cannot be opened: %s", path, strerror(errno));
    else if (!text)
        *code = cli_fail_text("out of memory");
    else if (ferror(file) || *length > LARGEST_IMPORT)
        *code = cli_fail_text("%s: cannot be read, or is larger than 1 MiB", path);
    if (*code != CLI_OK) {
        free(text);
        text = NULL;
    }
    if (file)
        input_file_fclose(file);
    return text;
}

static int write_import(const struct system_config *config, char *notes, size_t without, const char *output)
{
    char *yaml = NULL;
    struct fault const fault = config_to_yaml(config, &yaml);
    FILE *const file = fault.kind == FAULT_NONE ? cli_output_open(output) : NULL;
    int code = CLI_OK;

    if (fault.kind != FAULT_NONE)
        code = cli_fail(fault);
    else if (!file)
        code = CLI_BAD_INPUT;
    else {
        fprintf(file, "%s\n%s", yaml, notes ? notes : "");
        code = cli_output_close(file, output) ? CLI_OK : CLI_BAD_INPUT;
    }
    if (code == CLI_OK && without)
        cli_warn("%zu options have no counterpart; comments at the end of the output name them", without);
    free(yaml);
    free(notes);
    return code;
}

/* Options of Accel-Sim: the first file, whose text is here, and the second one. */
static int import_options(const char *const *files, const char *first, size_t length, const char *output)
{
    struct config_import import;
    struct system_config config;
    char *notes = NULL, *second = NULL;
    size_t without = 0, second_length;
    struct fault fault;
    int code = CLI_OK;

    config_import_begin(&import);
    fault = config_import_read(&import, files[0], first, length);
    if (fault.kind == FAULT_NONE && files[1]) {
        second = read_text(files[1], &second_length, &code);
        if (second)
            fault = config_import_read(&import, files[1], second, second_length);
    }
    if (code == CLI_OK) {
        /* errors are reported for the option file, but the system is named after the output file */
        if (fault.kind == FAULT_NONE)
            fault = config_import_system(&import, files[0], &config);
        if (fault.kind == FAULT_NONE && strcmp(output, "-") != 0)
            fault = config_import_system(&import, output, &config);
        if (fault.kind == FAULT_NONE)
            fault = config_import_notes(&import, &notes, &without);
        code = fault.kind == FAULT_NONE ? write_import(&config, notes, without, output) : cli_fail(fault);
    }
    free(second);
    config_import_end(&import);
    return code;
}

/* A file of Ramulator or ChampSim. */
static int import_one(const char *file, const char *text, size_t length, const char *output)
{
    struct system_config config;
    char *notes = NULL;
    size_t without = 0;
    struct fault const fault = ramulator_is(text, length)
        ? ramulator_import(&config, file, text, length, &notes, &without)
        : champsim_import(&config, file, text, length, &notes, &without);

    if (fault.kind == FAULT_NONE)
        return write_import(&config, notes, without, output);
    free(notes);
    return cli_fail(fault);
}

static int import_files(const char *const *files, const char *output)
{
    size_t length;
    char *text;
    int code;

    if (!cli_output_fits(output, "YAML", "yaml yml"))
        return CLI_BAD_INPUT;
    text = read_text(files[0], &length, &code);
    if (text && (ramulator_is(text, length) || champsim_is(text, length)))
        code = files[1] ? cli_fail_text("config import: unexpected argument %s; Ramulator and ChampSim have one file",
                                        files[1])
                        : import_one(files[0], text, length, output);
    else if (text)
        code = import_options(files, text, length, output);
    free(text);
    return code;
}

static int unknown_word(const char *word)
{
    static const char *const words[] = {"list", "show", "keys", "import"};
    struct nearest nearest = nearest_to(word);
    char question[100];

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        nearest_offer(&nearest, words[i]);
    return cli_fail_text("config: %s is unknown here%s expected list, show SYSTEM, keys, or import", word,
                         *nearest_question(&nearest, question, sizeof question) ? question : ";");
}

static int config_command_run(const struct config_request *request)
{
    const char *const *const operands = request->operands;
    size_t const operand_count = request->operand_count;

    if (request->wants_cost && (operand_count == 0 || strcmp(operands[0], "show") != 0))
        return cli_fail_text("config: --cost is for config show");
    if (request->form != TABLE_TEXT && (operand_count == 0 || strcmp(operands[0], "list") != 0) && !request->wants_cost)
        return cli_fail_text("config: --tsv, --csv and --json are for config list and config show --cost");
    if (operand_count == 0)
        return cli_fail_text("config: expected list, show SYSTEM, keys, or import; see rubato config --help");
    if (strcmp(operands[0], "list") == 0 || strcmp(operands[0], "keys") == 0) {
        if (operand_count > 1)
            return cli_fail_text("config %s: unexpected argument %s; see rubato config --help", operands[0],
                                 operands[1]);
        if (request->setting_count > 0 || strcmp(request->output, "-") != 0)
            return cli_fail_text("config %s takes no options; leave --%s out", operands[0],
                                 request->setting_count > 0 ? "set" : "output");
        return operands[0][0] == 'l' ? config_list_print(request->form) : print_keys();
    }
    if (strcmp(operands[0], "import") == 0 && operand_count == 1)
        return cli_fail_text("config import: no file was given; give a gpgpusim.config, and its trace.config, "
                             "Ramulator's YAML, or ChampSim's champsim_config.json");
    if (strcmp(operands[0], "import") == 0)
        return import_files(&operands[1], request->output);
    if (strcmp(operands[0], "show") != 0)
        return unknown_word(operands[0]);
    if (operand_count == 1)
        return cli_fail_text("config show: no system was given; give a file, or a name such as default");
    return show_system(operands[1], request);
}

int cli_config(int argc, char **argv)
{
    struct config_request request = {.output = "-"};
    struct cli_parser parser;

    return cli_parse(&parser, &usage, &request, argc, argv) ? config_command_run(&request) : parser.exit_code;
}
