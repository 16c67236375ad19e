/* rubato plugin: builds a module, shows what it is, and tests it against a log. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/common/cli.h"
#include "cli/options/options.h"
#include "cli/plugin/plugin_build.h"
#include "cli/plugin/plugin_champsim.h"
#include "cli/plugin/plugin_show.h"
#include "cli/plugin/plugin_test.h"

struct plugin_request {
    struct plugin_build build;
    const char *as;
    const char *words[3];
    size_t word_count;
};

static bool take_word(void *field, struct cli_parser *parser)
{
    struct plugin_request *const request = field;

    if (request->word_count < (request->word_count > 0 && strcmp(request->words[0], "test") == 0 ? 3u : 2u))
        return request->words[request->word_count++] = parser->value, true;
    cli_fail_text("plugin: unexpected argument %s; see rubato plugin --help", parser->value);
    return false;
}

static bool take_api(void *field, struct cli_parser *parser)
{
    const char **const api = field;
    char words[120] = "auto";

    if (strcmp(parser->value, "auto") == 0)
        return *api = NULL, true;
    for (unsigned i = CHAMPSIM_G0; i < CHAMPSIM_API_COUNT; i++) {
        size_t const length = strlen(words);

        if (strcmp(parser->value, champsim_api_word((enum champsim_api)i)) == 0)
            return *api = parser->value, true;
        snprintf(words + length, sizeof words - length, ", %s", champsim_api_word((enum champsim_api)i));
    }
    cli_fail_text("plugin build: --api %s is unknown; give one of %s", parser->value, words);
    return false;
}

static const struct cli_option options[] = {
    {"output", "FILE", "build: the module, such as x.so", CLI_INTO(TEXT, plugin_request, build.output)},
    {"define", "NAME=VALUE", "build: a macro for the compiler; may be repeated",
     CLI_APPEND(plugin_request, build.defines, build.define_count)},
    {"compiler", "PROGRAM", "build: the compiler (default gcc or clang, of C++ g++ or clang++)",
     CLI_INTO(TEXT, plugin_request, build.compiler)},
    {"system", "SYSTEM", "build: NUM_CPUS, L1D_SET and the like of a module for ChampSim are those of SYSTEM (default: "
     "1 core)",
     CLI_INTO(TEXT, plugin_request, build.system)},
    {"api", "NAME", "build: the generation of ChampSim's interface, g0 (2017), g1 (2021), g2 (2024), g3 (2026); "
     "auto (default): by the source; kits of contests: crc2, cbp5, cbp2025",
     CLI_CALL(plugin_request, build.api, take_api)},
    {"as", "NAME", "test: the calls of the module NAME in LOG (default: the module's own name)",
     CLI_INTO(TEXT, plugin_request, as)},
    {0}
};

static const struct cli_usage usage = {
    .synopsis = "rubato plugin build SOURCE -o FILE.so [--define NAME=VALUE]...\nrubato plugin show FILE.so\n"
                "rubato plugin test FILE.so LOG [--as NAME]",
    .about = "build compiles a prefetcher, a replacement policy or a part of a branch predictor that is written for\n"
             "rubato_policy.h, in C or C++, with the compiler of this host. SOURCE is a file, or a folder with all\n"
             "sources. Modules for ChampSim are compiled as they are: classes of champsim::modules (2024),\n"
             "members of CACHE and O3_CPU (2021), files x.l1d_pref and the like (2017), the kits of CRC-2 and CBP.\n"
             "show prints what a module is: its kinds, parameters and\n"
             "statistics. test feeds it the calls of LOG, a file of replay --module-log, and compares what it\n"
             "answers; the exit code is 1 if something differs (docs/module-log.md).",
    .options = options, .take_operand = take_word,
    .notes = "A module is used by its file, with a slash: --set l1d.prefetcher=./x.so, l2.replacement=./x.so,\n"
             "cpu.branchPred.type=./x.so, .BTB=./x.so, .indirectBranchPred=./x.so; its parameters are keys beside\n"
             "these: l1d.prefetcher.module.NAME, l2.replacement_module.NAME, cpu.branchPred.type_module.NAME,\n"
             "BTB_module.NAME, indirect_module.NAME.\n"
};

static int unknown_word(const char *word)
{
    struct nearest nearest = nearest_to(word);
    char question[100];

    nearest_offer(&nearest, "build");
    nearest_offer(&nearest, "show");
    nearest_offer(&nearest, "test");
    return cli_fail_text("plugin: %s is unknown here%s expected build SOURCE, show FILE.so or test FILE.so LOG", word,
                         *nearest_question(&nearest, question, sizeof question) ? question : ";");
}

/* Options of one word are refused by the others. */
static int check_options(const struct plugin_request *request, bool is_build, bool is_test)
{
    if (!is_build && (request->build.output || request->build.compiler || request->build.system || request->build.api
                      || request->build.define_count > 0))
        return cli_fail_text("plugin %s takes no options of build; leave them out", request->words[0]);
    if (!is_test && request->as)
        return cli_fail_text("plugin %s: --as is an option of test; leave it out", request->words[0]);
    if (is_test && request->word_count == 2)
        return cli_fail_text("plugin test: no log was given; rubato replay --module-log FILE writes one");
    if (is_build && !request->build.output)
        return cli_fail_text("plugin build: no output was given; give -o x.so");
    return CLI_OK;
}

int cli_plugin(int argc, char **argv)
{
    struct plugin_request request = {.word_count = 0};
    struct cli_parser parser;
    bool is_build, is_test;
    int code;

    if (!cli_parse(&parser, &usage, &request, argc, argv))
        return parser.exit_code;
    if (request.word_count == 0)
        return cli_fail_text("plugin: expected build SOURCE, show FILE.so or test FILE.so LOG; see rubato plugin "
                             "--help");
    is_build = strcmp(request.words[0], "build") == 0;
    is_test = strcmp(request.words[0], "test") == 0;
    if (!is_build && !is_test && strcmp(request.words[0], "show") != 0)
        return unknown_word(request.words[0]);
    if (request.word_count == 1)
        return cli_fail_text("plugin %s: no file was given; give %s", request.words[0],
                             is_build ? "a source, such as x.c" : "a module, such as ./x.so");
    code = check_options(&request, is_build, is_test);
    if (code != CLI_OK)
        return code;
    if (is_test)
        return plugin_test(request.words[1], request.words[2], request.as);
    if (!is_build)
        return plugin_show(request.words[1], request.words[1], false);
    request.build.source = request.words[1];
    return plugin_build(&request.build);
}
