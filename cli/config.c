/* rubato config: shows an effective system, lists the keys that a system may have, imports a GPU of Accel-Sim. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/config_list.h"
#include "cli/options.h"
#include "cli/output_name.h"
#include "replay/config/device.h"
#include "replay/config/config.h"
#include "replay/config/import.h"
#include "replay/config/units.h"

enum { OPT_SET, OPT_OUTPUT, MAX_OPERANDS = 3, LARGEST_IMPORT = 1 << 20 };

static const struct cli_option options[] = {
    [OPT_SET] = {"set", "KEY=VALUE", "change one parameter, e.g. --set l2.size=512KiB; may be repeated", CLI_NUMBERED},
    [OPT_OUTPUT] = {"output", "FILE", "import: write there instead of standard output", CLI_NUMBERED},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato config show SYSTEM [--set KEY=VALUE]...\n"
                "rubato config list\n"
                "rubato config keys\n"
                "rubato config import GPGPUSIM_CONFIG [TRACE_CONFIG] [-o FILE]",
    .about = "show prints the effective system: every parameter with its value, the tree of its caches, peak\n"
             "bandwidth, unloaded latencies. The output is a system file itself. list shows the systems that come\n"
             "with rubato, a line each: name, cores, caches, memory, what it is. keys lists all parameters with unit,\n"
             "default and help, and all DRAM devices. import turns the GPU of an Accel-Sim configuration into a\n"
             "system file; comments at its end name the options without counterpart.",
    .options = options,
    .notes = "SYSTEM is a YAML file, or a name that list shows. Options of --set apply in order: a key of an absent\n"
             "l2, l3 or memory_cache adds that cache with its defaults, l2=none takes it out, and memory.device=NAME\n"
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

static int show_system(const char *system, const char *const *settings, size_t setting_count)
{
    struct system_config config;
    struct fault const fault = config_read(&config, system, settings, setting_count);

    return fault.kind == FAULT_NONE ? show(&config) : cli_fail(fault);
}

/* ---- import */
static int read_options(struct config_import *import, const char *path)
{
    FILE *const file = input_file_fopen(path);
    char *const text = malloc(LARGEST_IMPORT + 1);
    int code = CLI_BAD_INPUT;

    if (!file)
        code = cli_fail_text("%s: cannot be opened: %s", path, strerror(errno));
    else if (!text)
        code = cli_fail_text("out of memory");
    else {
        size_t const length = fread(text, 1, LARGEST_IMPORT + 1, file);
        struct fault fault = fault_none();

        if (ferror(file) || length > LARGEST_IMPORT)
            fault = fault_make(FAULT_INPUT, "%s: cannot be read, or is larger than 1 MiB", path);
        else
            fault = config_import_read(import, path, text, length);
        code = fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
    }
    free(text);
    if (file)
        input_file_fclose(file);
    return code;
}

static int write_import(const struct config_import *import, const struct system_config *config, const char *output)
{
    char *yaml = NULL, *notes = NULL;
    size_t without = 0;
    struct fault fault = config_to_yaml(config, &yaml);
    int code = CLI_OK;

    if (fault.kind == FAULT_NONE)
        fault = config_import_notes(import, &notes, &without);
    FILE *const file = fault.kind == FAULT_NONE ? cli_output_open(output) : NULL;
    if (fault.kind != FAULT_NONE)
        code = cli_fail(fault);
    else if (!file)
        code = CLI_BAD_INPUT;
    else {
        fprintf(file, "%s\n%s", yaml, notes);
        code = cli_output_close(file, output) ? CLI_OK : CLI_BAD_INPUT;
    }
    if (code == CLI_OK && without)
        cli_warn("%zu options have no counterpart; comments at the end of the output name them", without);
    free(yaml);
    free(notes);
    return code;
}

static int import_files(const char *const *files, const char *output)
{
    struct config_import import;
    struct system_config config;
    int code;

    if (!cli_output_fits(output, "YAML", "yaml yml"))
        return CLI_BAD_INPUT;
    config_import_begin(&import);
    code = read_options(&import, files[0]);
    if (code == CLI_OK && files[1])
        code = read_options(&import, files[1]);
    if (code == CLI_OK) {
        /* what is wrong is so of the options; the system is named by the file that it goes to */
        struct fault fault = config_import_system(&import, files[0], &config);

        if (fault.kind == FAULT_NONE && strcmp(output, "-") != 0)
            fault = config_import_system(&import, output, &config);
        code = fault.kind == FAULT_NONE ? write_import(&import, &config, output) : cli_fail(fault);
    }
    config_import_end(&import);
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

/* The words of the command line; settings has room for argc texts. */
static int run(int argc, char **argv, const char **settings)
{
    struct cli_parser parser;
    const char *operands[MAX_OPERANDS] = {NULL}, *output = "-";
    size_t setting_count = 0, operand_count = 0;

    cli_parse_begin(&parser, &usage, argc, argv);
    for (int what; (what = cli_parse_next(&parser)) != CLI_PARSE_END;) {
        if (what == OPT_SET)
            settings[setting_count++] = parser.value;
        else if (what == OPT_OUTPUT)
            output = parser.value;
        else if (what != CLI_PARSE_OPERAND)
            return parser.exit_code;
        else if (operand_count == MAX_OPERANDS || (operand_count == 2 && strcmp(operands[0], "import") != 0))
            return cli_fail_text("config: unexpected argument %s; see rubato config --help", parser.value);
        else
            operands[operand_count++] = parser.value;
    }
    if (operand_count == 0)
        return cli_fail_text("config: expected list, show SYSTEM, keys, or import; see rubato config --help");
    if (strcmp(operands[0], "list") == 0 || strcmp(operands[0], "keys") == 0) {
        if (operand_count > 1)
            return cli_fail_text("config %s: unexpected argument %s; see rubato config --help", operands[0],
                                 operands[1]);
        if (setting_count > 0 || strcmp(output, "-") != 0)
            return cli_fail_text("config %s takes no options; leave --%s out", operands[0],
                                 setting_count > 0 ? "set" : "output");
        return operands[0][0] == 'l' ? config_list_print() : print_keys();
    }
    if (strcmp(operands[0], "import") == 0 && operand_count == 1)
        return cli_fail_text("config import: no file was given; give a gpgpusim.config, and its trace.config");
    if (strcmp(operands[0], "import") == 0)
        return import_files(&operands[1], output);
    if (strcmp(operands[0], "show") != 0)
        return unknown_word(operands[0]);
    if (operand_count == 1)
        return cli_fail_text("config show: no system was given; give a file, or a name such as default");
    return show_system(operands[1], settings, setting_count);
}

int cli_config(int argc, char **argv)
{
    const char **settings = calloc((size_t)argc + 1, sizeof *settings);

    if (!settings)
        return cli_fail_text("out of memory");
    int const exit_code = run(argc, argv, settings);
    free(settings);
    return exit_code;
}
