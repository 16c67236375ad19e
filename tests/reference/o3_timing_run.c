/* One run of tests/o3-timing: the system's name as settings, where the program's pages lie, the process, what both
 * sides say. */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "tests/reference/o3_timing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "proto/insn/v2p.h"
#include "proto/io/io_stream.h"
#include "sweep/compare/stats_table.h"

/* ---- systems: those of oracle/detailed by their names, the others as settings of base. %s is the number behind the
 * name. */
static const struct system_name {
    const char *name;                    /* ends in #: a number replaces it */
    enum o3_kind kind;
    const char *shipped;
    const char *settings[20];
} system_names[] = {
    {"base", O3_BASE, "detailed/base", {NULL}},
    {"l2-256k", O3_MEMORY, "detailed/l2-256k", {NULL}},
    {"ddr4", O3_MEMORY, "detailed/ddr4", {NULL}},
    {"lpddr3", O3_MEMORY, "detailed/lpddr3", {NULL}},
    {"ddr5-2ch", O3_MEMORY, "detailed/ddr5-2ch", {NULL}},
    {"small", O3_MEMORY, "detailed/small", {NULL}},
    {"ideal", O3_IDEAL, "detailed/base",
     {"l2=none", "l1i.tag_latency=1", "l1i.data_latency=1", "l1i.response_latency=1", "l1d.tag_latency=1",
      "l1d.data_latency=1", "l1d.response_latency=1", "l1d.mshrs=64", "memory.type=simple", "memory.latency=1ns"}},
    {"rob512", O3_VARIANT, "detailed/base",
     {"cpu.numROBEntries=512", "cpu.LQEntries=128", "cpu.SQEntries=128", "cpu.numPhysIntRegs=1024",
      "cpu.numPhysFloatRegs=1024"}},
    {"rob#", O3_VARIANT, "detailed/base", {"cpu.numROBEntries=%s"}},
    {"iq#", O3_VARIANT, "detailed/base", {"cpu.numIQEntries=%s"}},
    {"lsq#", O3_VARIANT, "detailed/base", {"cpu.LQEntries=%s", "cpu.SQEntries=%s"}},
    {"width#", O3_VARIANT, "detailed/base",
     {"cpu.fetchWidth=%s", "cpu.decodeWidth=%s", "cpu.renameWidth=%s", "cpu.dispatchWidth=%s", "cpu.issueWidth=%s",
      "cpu.wbWidth=%s", "cpu.commitWidth=%s", "cpu.squashWidth=%s"}},
    {"ssit#", O3_VARIANT, "detailed/base", {"cpu.SSITSize=%s"}},
    {"bimode", O3_PREDICTOR, "detailed/base", {"cpu.branchPred.type=bimode"}},
    {"local", O3_PREDICTOR, "detailed/base", {"cpu.branchPred.type=local"}},
    {"tage", O3_COUNTED_PREDICTOR, "detailed/base", {"cpu.branchPred.type=tage_sc_l"}},
    {"perceptron", O3_COUNTED_PREDICTOR, "detailed/base", {"cpu.branchPred.type=perceptron"}}
};

static const struct system_name *find_system(const char *system, const char **number)
{
    for (size_t i = 0; i < sizeof system_names / sizeof system_names[0]; i++) {
        const char *const name = system_names[i].name;
        size_t const length = strcspn(name, "#");

        *number = system + length;
        if (name[length] == '\0' && strcmp(system, name) == 0)
            return &system_names[i];
        if (name[length] == '#' && strncmp(system, name, length) == 0 && **number &&
            strspn(*number, "0123456789") == strlen(*number))
            return &system_names[i];
    }
    return NULL;
}

bool o3_system_kind(const char *system, enum o3_kind *kind)
{
    const char *number;
    const struct system_name *const found = find_system(system, &number);

    if (found)
        *kind = found->kind;
    return found != NULL;
}

/* ---- files */
static void path_of(const struct o3_options *options, const struct o3_run *run, const char *ending,
                    char path[O3_PATH])
{
    snprintf(path, O3_PATH, "%.3000s/%s.%s.%s", options->work, run->program, run->system, ending);
}

static bool is_there(const char *path)
{
    return access(path, R_OK) == 0;
}

static bool is_detailed(const struct o3_options *options)
{
    return strcmp(options->model, "detailed") == 0;
}

/* Instruction traces for the detailed core, elastic ones for the others. */
static bool find_trace(const struct o3_options *options, const struct o3_run *run, char path[O3_PATH])
{
    static const char *const places[] = {"%.3000s/%s%s.trace.xz", "%.3000s/%s%s.rbt", "%.3000s/elastic/%s%s",
                                         "%.3000s/%s%s"};

    for (unsigned i = is_detailed(options) ? 0 : 2; i < (is_detailed(options) ? 2u : 4u); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path, O3_PATH, places[i], options->traces, run->program, options->suffix);
#pragma GCC diagnostic pop
        if (is_there(path))
            return true;
    }
    return false;
}

bool o3_pipeline_path(const struct o3_options *options, const struct o3_run *run, char path[O3_PATH])
{
    snprintf(path, O3_PATH, "%.3000s/%s.%s.pipe.tsv.xz", options->oracle, run->program, run->system);
    return is_detailed(options) && is_there(path);
}

/* ---- pages: those of the data as the trace's map has them, those of the code beside them */
#define CODE_OFFSET UINT64_C(0x10000)
enum { PAGE = 4096 };

static bool add_page(struct v2p_map *map, uint64_t address, uint64_t physical, char problem[O3_PROBLEM])
{
    for (size_t i = 0; i < map->count; i++) {
        bool const is_same = map->pages[i].address == address, is_taken = map->pages[i].physical == physical;

        if (is_same && is_taken)
            return true;
        if (!is_same && !is_taken)
            continue;
        snprintf(problem, O3_PROBLEM, "the page of code at 0x%" PRIx64 " belongs at 0x%" PRIx64 ", but the page map "
                 "has 0x%" PRIx64 " at 0x%" PRIx64, address, physical, map->pages[i].address, map->pages[i].physical);
        return false;
    }
    if (map->count == map->room) {
        size_t const room = 2 * map->room + 64;
        struct v2p_page *const pages = realloc(map->pages, room * sizeof *pages);

        if (!pages) {
            snprintf(problem, O3_PROBLEM, "out of memory");
            return false;
        }
        map->pages = pages;
        map->room = room;
    }
    map->pages[map->count++] = (struct v2p_page){.address = address, .physical = physical};
    return true;
}

/* Address and length of each image, without its bytes. */
static bool add_code(struct v2p_map *map, const char *path, char problem[O3_PROBLEM])
{
    struct stream_source const source = {.path = path, .unpacks_all = true};
    struct fault fault = fault_none();
    struct stream stream;
    bool is_good = true;

    if (FAILS(fault, stream_open(&stream, &source))) {
        snprintf(problem, O3_PROBLEM, "%s", fault_text(fault));
        return false;
    }
    while (is_good && stream_need(&stream, 16, &fault) == STREAM_OK) {
        uint64_t const address = bits_load64(stream.next), length = bits_load64(stream.next + 8);
        uint64_t left = length;

        stream.next += 16;
        for (uint64_t at = address & ~(uint64_t)(PAGE - 1); is_good && at < address + length; at += PAGE)
            is_good = add_page(map, at, at - CODE_OFFSET, problem);
        while (is_good && left > 0 && stream_need(&stream, 1, &fault) == STREAM_OK) {
            size_t const part = (size_t)(stream.end - stream.next) < left ? (size_t)(stream.end - stream.next) : left;

            stream.next += part;
            left -= part;
        }
    }
    stream_close(&stream);
    if (fault.kind != FAULT_NONE)
        snprintf(problem, O3_PROBLEM, "%s", fault_text(fault));
    return is_good && fault.kind == FAULT_NONE;
}

static bool write_map(const struct v2p_map *map, const char *path)
{
    FILE *const file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file, "page_size: 0x%x\n", (unsigned)PAGE);
    for (size_t i = 0; i < map->count; i++)
        fprintf(file, "address_mapping { virtual_address: 0x%" PRIx64 " physical_address: 0x%" PRIx64 " }\n",
                map->pages[i].address, map->pages[i].physical);
    return fclose(file) == 0;
}

static void map_path_of(const struct o3_options *options, const char *program, char path[O3_PATH])
{
    snprintf(path, O3_PATH, "%.3000s/%s.pages.textproto", options->work, program);
}

/* "": the traces' folder has neither map nor code. */
static bool make_map(const struct o3_options *options, struct o3_run *run, char path[O3_PATH])
{
    char data[O3_PATH], code[O3_PATH];
    struct fault fault = fault_none();
    struct v2p_map map = {.page_bytes = PAGE};
    bool is_good = true;

    map_path_of(options, run->program, path);
    if (is_there(path))
        return true;
    snprintf(data, sizeof data, "%.3000s/%s.v2p.textproto", options->traces, run->program);
    snprintf(code, sizeof code, "%.3000s/%s.code.xz", options->traces, run->program);
    if (!is_there(data) && !is_there(code)) {
        path[0] = '\0';
        return true;
    }
    if (is_there(data) && FAILS(fault, v2p_read(data, &map))) {
        snprintf(run->problem, sizeof run->problem, "%s", fault_text(fault));
        is_good = false;
    } else if (map.page_bytes != PAGE) {
        snprintf(run->problem, sizeof run->problem, "%.900s: pages are not of 4 KiB", data);
        is_good = false;
    }
    if (is_good && is_there(code))
        is_good = add_code(&map, code, run->problem);
    if (is_good && !write_map(&map, path)) {
        snprintf(run->problem, sizeof run->problem, "%.900s: %s", path, strerror(errno));
        is_good = false;
    }
    v2p_free(&map);
    return is_good;
}

void o3_remove_shared(const struct o3_options *options, const char *program)
{
    char path[O3_PATH];

    map_path_of(options, program, path);
    if (!options->keep)
        unlink(path);
}

/* ---- the process */
enum { MOST_ARGUMENTS = 2 * O3_MOST_SETTINGS + 80, TEXT_BYTES = 1 << 16 };

struct arguments {
    char *list[MOST_ARGUMENTS];
    size_t count;
    char text[TEXT_BYTES];
    size_t bytes;
};

static void argue(struct arguments *arguments, const char *text, const char *number)
{
    char *const to = arguments->text + arguments->bytes;
    const char *const place = strstr(text, "%s");
    size_t const room = sizeof arguments->text - arguments->bytes;
    int const before = place ? (int)(place - text) : (int)strlen(text);
    int const bytes = snprintf(to, room, "%.*s%s%s", before, text, place ? number : "", place ? place + 2 : "");

    if (bytes < 0 || (size_t)bytes >= room || arguments->count + 1 >= MOST_ARGUMENTS)
        return;
    arguments->list[arguments->count++] = to;
    arguments->bytes += (size_t)bytes + 1;
}

static void argue_pair(struct arguments *arguments, const char *option, const char *value, const char *number)
{
    argue(arguments, option, "");
    argue(arguments, value, number);
}

static void put_arguments(const struct o3_options *options, const struct o3_run *run, const char *trace,
                          const char *map, struct arguments *arguments)
{
    char path[O3_PATH], setting[O3_PATH + 16];
    const char *number;
    const struct system_name *const system = find_system(run->system, &number);

    argue(arguments, "rubato", "");
    argue(arguments, "replay", "");
    argue(arguments, system->shipped, "");
    argue(arguments, trace, "");
    argue_pair(arguments, "--model", options->model, "");
    for (size_t i = 0; system->settings[i]; i++)
        argue_pair(arguments, "--set", system->settings[i], number);
    if (*map) {
        snprintf(setting, sizeof setting, "pages.map=%s", map);
        argue_pair(arguments, "--set", setting, "");
    }
    for (size_t i = 0; i < options->setting_count; i++)
        argue_pair(arguments, "--set", options->settings[i], "");
    path_of(options, run, "stats.txt", path);
    argue_pair(arguments, "--stats", path, "");
    if (run->has_stages) {
        path_of(options, run, "pipe.tsv", path);
        argue_pair(arguments, "--pipeline", path, "");
        argue_pair(arguments, "--pipeline-instructions", "60000", "");
    }
    if (o3_probe_path(options, run, path))
        argue_pair(arguments, "--probe", path, "");
    argue(arguments, "--no-cache", "");
    argue(arguments, "--quiet", "");
    arguments->list[arguments->count] = NULL;
}

static void become_rubato(const struct o3_options *options, const struct o3_run *run, struct arguments *arguments)
{
    char path[O3_PATH];

    path_of(options, run, "messages", path);
    if (freopen("/dev/null", "r", stdin) && freopen(path, "w", stderr) && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        for (size_t i = 0; options->keep && i < arguments->count; i++)
            fprintf(stderr, "%s%s", arguments->list[i], i + 1 < arguments->count ? " " : "\n");
        fflush(stderr);
        execv(options->rubato, arguments->list);
        fprintf(stderr, "%s: %s\n", options->rubato, strerror(errno));
    }
    _exit(127);
}

bool o3_start(const struct o3_options *options, struct o3_run *run)
{
    static struct arguments arguments;
    char trace[O3_PATH], map[O3_PATH] = "", pipeline[O3_PATH];

    run->is_started = true;
    if (!find_trace(options, run, trace)) {
        snprintf(run->problem, sizeof run->problem, "no trace of it in %.900s", options->traces);
        run->is_without_capture = !is_detailed(options);
        return false;
    }
    if (is_detailed(options) && !make_map(options, run, map))
        return false;
    run->has_stages = options->has_stages && o3_pipeline_path(options, run, pipeline);
    arguments = (struct arguments){0};
    put_arguments(options, run, trace, map, &arguments);
    fflush(NULL);
    run->process = fork();
    if (run->process == 0)
        become_rubato(options, run, &arguments);
    if (run->process < 0)
        snprintf(run->problem, sizeof run->problem, "cannot start rubato: %s", strerror(errno));
    return run->process > 0;
}

/* ---- what came of it */
static void last_line(const char *path, char *line, size_t size)
{
    FILE *const file = fopen(path, "r");
    char next[512];

    line[0] = '\0';
    while (file && fgets(next, sizeof next, file)) {
        next[strcspn(next, "\n")] = '\0';
        if (next[0])
            snprintf(line, size, "%s", next);
    }
    if (file)
        fclose(file);
}

static bool value_of(const struct stats_table *table, const char *name, double *value)
{
    const struct stats_line *const line = stats_table_find(table, name);

    if (line)
        *value = strtod(line->value, NULL);
    return line != NULL;
}

static bool read_figures(const char *path, struct o3_figures *figures, char problem[O3_PROBLEM])
{
#define O3_COUNT_STATISTIC(suffix, statistic, name, is_equal) "system.cpu." statistic,
    static const char *const statistics[] = {O3_COUNTS(O3_COUNT_STATISTIC)};
    struct stats_table table;
    struct fault const fault = stats_table_read(&table, path);

    if (fault.kind != FAULT_NONE) {
        snprintf(problem, O3_PROBLEM, "%s", fault_text(fault));
        return false;
    }
    figures->has_cycles = value_of(&table, "system.cpu.numCycles", &figures->cycles);
    for (unsigned i = 0; i < O3_COUNT_COUNT; i++)
        figures->has_count[i] = value_of(&table, statistics[i], &figures->counts[i]);
    if (!value_of(&table, "finalTick", &figures->ticks))
        snprintf(problem, O3_PROBLEM, "%.900s: no finalTick", path);
    stats_table_free(&table);
    return problem[0] == '\0';
}

double o3_final_tick(const char *path)
{
    struct o3_figures figures = {0};
    char problem[O3_PROBLEM] = "";

    return read_figures(path, &figures, problem) ? figures.ticks : 0;
}

static void read_stages(const struct o3_options *options, struct o3_run *run)
{
    char ours_path[O3_PATH], theirs_path[O3_PATH];
    struct stage_listing ours = {0}, theirs = {0};
    struct fault fault;

    path_of(options, run, "pipe.tsv", ours_path);
    o3_pipeline_path(options, run, theirs_path);
    fault = stages_read(&ours, ours_path);
    if (fault.kind == FAULT_NONE)
        fault = stages_read(&theirs, theirs_path);
    if (fault.kind == FAULT_NONE) {
        stages_compare(&ours, &theirs, &run->stages);
        if (run->stages.first < theirs.committed_count)
            run->first_pc = theirs.rows[theirs.committed[run->stages.first]].pc;
    } else {
        snprintf(run->problem, sizeof run->problem, "%s", fault_text(fault));
    }
    stages_free(&ours);
    stages_free(&theirs);
}

static void must_be_equal(struct o3_run *run)
{
#define O3_COUNT_EQUAL(suffix, statistic, name, is_equal) is_equal,
    static const bool is_equal[] = {O3_COUNTS(O3_COUNT_EQUAL)};
#define O3_COUNT_NAME(suffix, statistic, name, is_equal) name,
    static const char *const names[] = {O3_COUNTS(O3_COUNT_NAME)};

    for (unsigned i = 0; i < O3_COUNT_COUNT; i++) {
        if (!is_equal[i] || !run->reference.has_count[i] || run->problem[0])
            continue;
        double const theirs = run->reference.counts[i], ours = run->ours.counts[i];

        if (!run->ours.has_count[i])
            snprintf(run->problem, sizeof run->problem, "our statistics have no %s", names[i]);
        else if (theirs < ours || theirs > ours)
            snprintf(run->problem, sizeof run->problem, "%s: reference %.0f, ours %.0f", names[i], theirs, ours);
    }
}

static void remove_files(const struct o3_options *options, const struct o3_run *run)
{
    static const char *const endings[] = {"stats.txt", "pipe.tsv", "messages"};
    char path[O3_PATH];

    for (size_t i = 0; !options->keep && i < sizeof endings / sizeof endings[0]; i++) {
        path_of(options, run, endings[i], path);
        unlink(path);
    }
}

void o3_finish(const struct o3_options *options, struct o3_run *run, int status)
{
    char path[O3_PATH], message[O3_PROBLEM - 64];

    path_of(options, run, "messages", path);
    last_line(path, message, sizeof message);
    if (WIFSIGNALED(status))
        snprintf(run->problem, sizeof run->problem, "ended by signal %d: %s", WTERMSIG(status), message);
    else if (WEXITSTATUS(status) != 0)
        snprintf(run->problem, sizeof run->problem, "exit code %d: %s", WEXITSTATUS(status), message);
    path_of(options, run, "stats.txt", path);
    if (!run->problem[0])
        read_figures(path, &run->ours, run->problem);
    snprintf(path, sizeof path, "%.3000s/%s", options->oracle, run->file);
    if (!run->problem[0])
        read_figures(path, &run->reference, run->problem);
    if (!run->problem[0] && is_detailed(options))
        must_be_equal(run);
    if (run->has_stages && run->ours.ticks > 0)
        read_stages(options, run);
    o3_read_probe(options, run);
    remove_files(options, run);
    run->is_done = true;
}
