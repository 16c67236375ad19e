/* Compares rubato with recorded runs: final tick and every statistic, case by case.
 *
 *     tests/oracle [OPTION...] ORACLE_DIR TRACE_DIR [NAME...]
 *     tests/oracle [OPTION...] --model CASE_DIR...
 *     tests/oracle --yaml CASE.json
 *
 * First form: ORACLE_DIR/<case>/{case.json, stats.txt.gz or stats.txt}, traces in TRACE_DIR/<trace>. NAME chooses
 * cases: a whole name, or the beginning of several with or without a `*` behind it. Second form: CASE_DIR/{case.json,
 * model.json, traces/}, model.json written by the model's --stats. Third form: prints the system of a case as YAML.
 *
 * Each case is built into a system file and replayed by ./rubato (found beside this program's folder, or $RUBATO).
 * One line a case: name, reference tick, ours, difference, statistics compared, statistics that differ (--verbose:
 * which); a case that cannot be replayed says why and counts as failed. Then `N passed, N failed`. Exit code 0 if all
 * passed, 1 if any differs, 2 for wrong usage. --keep DIR keeps each case's system.yaml, out.txt and messages in
 * DIR/<case>. Traces are read from their files; with --cache from stores in that folder, which the first case of each
 * trace makes. --engine NAME: replays with that engine (memsys/sim/sim_engine.h), by default `fast`. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/case_yaml.h"
#include "tests/support/stats_compare.h"

enum { PATH_BYTES = 4096, PROBLEM_BYTES = 1024, SUFFIX_BYTES = 64, MOST_LISTED = 40 };

struct run {
    char rubato[PATH_BYTES];
    char work[PATH_BYTES];           /* folder for system files and output */
    char *cache;                     /* folder for stores; NULL: none are made */
    char *engine;                    /* NULL: that which the command takes */
    bool verbose, is_model, keep;
    unsigned passed, failed;
};

/* State and result of one case. */
struct one_case {
    const char *name;
    char folder[PATH_BYTES], traces[PATH_BYTES];     /* traces: the folder of the cores' trace folders */
    char output[PATH_BYTES];                         /* own folder inside run->work */
    struct replay_case description;
    struct stats_table reference, ours;
};

static bool print_path(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool print_path(char *path, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(path, PATH_BYTES, format, arguments);
    va_end(arguments);
    return length >= 0 && length < PATH_BYTES - SUFFIX_BYTES;
}

/* First line of a file, without its end. */
static void first_line(const char *path, char *line, size_t size)
{
    FILE *const file = fopen(path, "r");

    line[0] = '\0';
    if (file == NULL)
        return;
    if (fgets(line, (int)size, file) != NULL)
        line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

static bool make_system_file(const struct one_case *one, char *problem)
{
    char path[PATH_BYTES];
    FILE *file;
    bool written;

    if (mkdir(one->output, 0777) != 0 && errno != EEXIST) {
        snprintf(problem, PROBLEM_BYTES, "%.900s: %s", one->output, strerror(errno));
        return false;
    }
    print_path(path, "%s/system.yaml", one->output);
    file = fopen(path, "w");
    if (file == NULL) {
        snprintf(problem, PROBLEM_BYTES, "%.900s: %s", path, strerror(errno));
        return false;
    }
    case_write_yaml(&one->description, file);
    written = !ferror(file);
    return fclose(file) == 0 && written;
}

/* The child: ends by becoming rubato. */
static void become_rubato(const struct run *run, const struct one_case *one)
{
    char messages[PATH_BYTES], system[PATH_BYTES], stats[PATH_BYTES];
    char command[] = "replay", stats_option[] = "--stats", cache[] = "--cache", no_cache[] = "--no-cache";
    char engine[] = "--engine";
    char traces[CASE_MAX_CORES][PATH_BYTES];
    char *arguments[CASE_MAX_CORES + 10];
    size_t count = 0;

    print_path(messages, "%s/messages", one->output);
    print_path(system, "%s/system.yaml", one->output);
    print_path(stats, "%s/out.txt", one->output);
    arguments[count++] = command;            /* argv[0] is not looked at */
    arguments[count++] = command;
    arguments[count++] = system;
    for (unsigned i = 0; i < one->description.core_count; i++) {
        print_path(traces[i], "%s/%s", one->traces, one->description.traces[i]);
        arguments[count++] = traces[i];
    }
    arguments[count++] = stats_option;
    arguments[count++] = stats;
    arguments[count++] = run->cache ? cache : no_cache;
    if (run->cache)
        arguments[count++] = run->cache;
    if (run->engine) {
        arguments[count++] = engine;
        arguments[count++] = run->engine;
    }
    arguments[count] = NULL;
    if (freopen("/dev/null", "r", stdin) && freopen("/dev/null", "w", stdout) && freopen(messages, "w", stderr)) {
        execv(run->rubato, arguments);
        fprintf(stderr, "%s: %s\n", run->rubato, strerror(errno));
    }
    _exit(127);
}

static bool replay(const struct run *run, const struct one_case *one, char *problem)
{
    char path[PATH_BYTES], message[PROBLEM_BYTES - 64];
    int status = 0;
    pid_t child;

    print_path(path, "%s/out.txt", one->output);
    unlink(path);
    fflush(NULL);
    child = fork();
    if (child == 0)
        become_rubato(run, one);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        snprintf(problem, PROBLEM_BYTES, "cannot start rubato: %s", strerror(errno));
        return false;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    print_path(path, "%s/messages", one->output);
    first_line(path, message, sizeof message);
    if (WIFSIGNALED(status))
        snprintf(problem, PROBLEM_BYTES, "ended by signal %d: %s", WTERMSIG(status), message);
    else
        snprintf(problem, PROBLEM_BYTES, "exit code %d: %s", WEXITSTATUS(status), message);
    return false;
}

static bool read_table(struct stats_table *table, const char *path, char *problem)
{
    struct fault const fault = stats_table_read(table, path);

    snprintf(problem, PROBLEM_BYTES, "%s", fault_text(fault));
    return fault.kind == FAULT_NONE;
}

static bool read_reference(const struct run *run, struct one_case *one, char *problem)
{
    char path[PATH_BYTES];

    if (run->is_model) {
        print_path(path, "%s/model.json", one->folder);
        return read_table(&one->reference, path, problem);
    }
    print_path(path, "%s/stats.txt.gz", one->folder);
    if (access(path, R_OK) != 0)
        print_path(path, "%s/stats.txt", one->folder);
    return read_table(&one->reference, path, problem);
}

static bool read_ours(struct one_case *one, char *problem)
{
    char path[PATH_BYTES];

    print_path(path, "%s/out.txt", one->output);
    return read_table(&one->ours, path, problem);
}

static bool prepare(const struct run *run, struct one_case *one, char *problem)
{
    char path[PATH_BYTES];

    print_path(path, "%s/case.json", one->folder);
    if (!case_load(&one->description, path, problem, PROBLEM_BYTES))
        return false;
    for (unsigned i = 0; i < one->description.core_count; i++)
        if (!print_path(path, "%s/%s", one->traces, one->description.traces[i])) {
            snprintf(problem, PROBLEM_BYTES, "the path of its traces is too long");
            return false;
        }
    return read_reference(run, one, problem) && make_system_file(one, problem) && replay(run, one, problem) &&
           read_ours(one, problem);
}

static void print_difference(void *context, const struct stats_difference *difference)
{
    size_t *const listed = context;

    if ((*listed)++ < MOST_LISTED)
        printf("    %-64s reference %s %s  ours %s %s\n", difference->name,
               difference->reference ? difference->reference->value : "-",
               difference->reference ? difference->reference->shares : "",
               difference->ours ? difference->ours->value : "-", difference->ours ? difference->ours->shares : "");
}

static int64_t tick_of(const struct stats_table *table)
{
    const struct stats_line *const line = stats_table_find(table, "finalTick");

    return line ? strtoll(line->value, NULL, 10) : 0;
}

/* The line of a case that was replayed; true if nothing differs. */
static bool judge(const struct run *run, const struct one_case *one)
{
    struct stats_comparison comparison = {0};
    int64_t const expected = one->description.has_final_tick ? one->description.final_tick : tick_of(&one->reference);
    int64_t const ours = tick_of(&one->ours);
    size_t listed = 0;

    stats_compare(&one->reference, &one->ours, &comparison);
    printf("%-24s %15" PRId64 " %15" PRId64 " %+12" PRId64 " %9zu %7zu\n", one->name, expected, ours, ours - expected,
           comparison.compared, comparison.different);
    if (run->verbose && comparison.different) {
        comparison.report = print_difference;
        comparison.context = &listed;
        stats_compare(&one->reference, &one->ours, &comparison);
        if (listed > MOST_LISTED)
            printf("    and %zu more\n", listed - MOST_LISTED);
    }
    return ours == expected && comparison.different == 0 && comparison.compared > 0;
}

static void remove_output(const struct one_case *one)
{
    static const char *const names[] = {"system.yaml", "messages", "out.txt", "out.txt.partial"};
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        print_path(path, "%s/%s", one->output, names[i]);
        unlink(path);
    }
    rmdir(one->output);
}

static void run_case(struct run *run, const char *name, const char *folder, const char *traces)
{
    static struct one_case one;
    char problem[PROBLEM_BYTES] = "";
    bool passed = false;

    one = (struct one_case){.name = name};
    if (!print_path(one.folder, "%s", folder) || !print_path(one.traces, "%s", traces) ||
        !print_path(one.output, "%s/%s", run->work, name))
        snprintf(problem, sizeof problem, "its path is too long");
    else if (prepare(run, &one, problem))
        passed = judge(run, &one);
    if (problem[0])
        printf("%-24s not compared: %s\n", name, problem);
    fflush(stdout);
    run->passed += passed;
    run->failed += !passed;
    if (!run->keep)
        remove_output(&one);
    case_free(&one.description);
    stats_table_free(&one.reference);
    stats_table_free(&one.ours);
}

/* Beginning of names, with or without `*`. */
static bool is_meant(const char *name, const char *chosen)
{
    size_t const length = strlen(chosen);

    return strncmp(name, chosen, length && chosen[length - 1] == '*' ? length - 1 : length) == 0;
}

static bool is_chosen(const char *name, char **chosen, int count)
{
    for (int i = 0; i < count; i++) {
        if (is_meant(name, chosen[i]))
            return true;
    }
    return count == 0;
}

/* A name that chooses nothing is a mistake, not a pass. */
static void check_chosen(struct run *run, struct dirent **entries, int entry_count, char **chosen, int count)
{
    for (int i = 0; i < count; i++) {
        int j = 0;

        while (j < entry_count && !is_meant(entries[j]->d_name, chosen[i]))
            j++;
        if (j == entry_count) {
            printf("%-24s not compared: there is no such case\n", chosen[i]);
            run->failed++;
        }
    }
}

static int is_case_entry(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool run_folder(struct run *run, const char *oracle, const char *traces, char **chosen, int chosen_count)
{
    struct dirent **entries;
    int const count = scandir(oracle, &entries, is_case_entry, alphasort);
    char folder[PATH_BYTES];

    if (count < 0) {
        fprintf(stderr, "oracle: %s: %s\n", oracle, strerror(errno));
        return false;
    }
    check_chosen(run, entries, count, chosen, chosen_count);
    for (int i = 0; i < count; i++) {
        char file[PATH_BYTES];
        bool const fits = print_path(folder, "%s/%s", oracle, entries[i]->d_name);

        print_path(file, "%s/case.json", folder);
        if (fits && is_chosen(entries[i]->d_name, chosen, chosen_count) && access(file, F_OK) == 0)
            run_case(run, entries[i]->d_name, folder, traces);
        free(entries[i]);
    }
    free(entries);
    return true;
}

static void run_model_case(struct run *run, char *folder)
{
    size_t length = strlen(folder);
    char traces[PATH_BYTES];
    const char *slash;

    while (length > 1 && folder[length - 1] == '/')
        folder[--length] = '\0';
    slash = strrchr(folder, '/');
    print_path(traces, "%s/traces", folder);
    run_case(run, slash && slash[1] ? slash + 1 : folder, folder, traces);
}

/* $RUBATO, or the command in this program's folder's parent. */
static void find_rubato(struct run *run, const char *own_path)
{
    const char *const given = getenv("RUBATO");
    const char *const slash = strrchr(own_path, '/');

    if (given && given[0])
        print_path(run->rubato, "%s", given);
    else
        print_path(run->rubato, "%.*s../rubato", slash ? (int)(slash - own_path + 1) : 0, own_path);
}

static bool make_work(struct run *run, const char *keep)
{
    const char *const temporary = getenv("TMPDIR");

    run->keep = keep != NULL;
    if (keep) {
        print_path(run->work, "%s", keep);
        return mkdir(run->work, 0777) == 0 || errno == EEXIST;
    }
    print_path(run->work, "%s/rubato-oracle.XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
    return mkdtemp(run->work) != NULL;
}

static int print_yaml(const char *path)
{
    struct replay_case made;
    char problem[PROBLEM_BYTES];

    if (!case_load(&made, path, problem, sizeof problem)) {
        fprintf(stderr, "oracle: %s\n", problem);
        return 2;
    }
    case_write_yaml(&made, stdout);
    case_free(&made);
    return fflush(stdout) == 0 ? 0 : 2;
}

static int usage(void)
{
    fputs("Usage: oracle [OPTION...] ORACLE_DIR TRACE_DIR [NAME...]\n"
          "       oracle [OPTION...] --model CASE_DIR...\n"
          "       oracle --yaml CASE.json\n"
          "Options: --verbose, --keep DIR, --cache DIR, --engine NAME\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct run run = {0};
    const char *keep = NULL;
    int next = 1;

    for (; next < argc && strncmp(argv[next], "--", 2) == 0; next++) {
        if (strcmp(argv[next], "--verbose") == 0)
            run.verbose = true;
        else if (strcmp(argv[next], "--model") == 0)
            run.is_model = true;
        else if (strcmp(argv[next], "--keep") == 0 && next + 1 < argc)
            keep = argv[++next];
        else if (strcmp(argv[next], "--cache") == 0 && next + 1 < argc)
            run.cache = argv[++next];
        else if (strcmp(argv[next], "--engine") == 0 && next + 1 < argc)
            run.engine = argv[++next];
        else if (strcmp(argv[next], "--yaml") == 0 && next + 2 == argc)
            return print_yaml(argv[next + 1]);
        else
            return usage();
    }
    if (argc - next < (run.is_model ? 1 : 2))
        return usage();
    find_rubato(&run, argv[0]);
    if (!make_work(&run, keep)) {
        fprintf(stderr, "oracle: %s: %s\n", run.work, strerror(errno));
        return 2;
    }
    printf("%-24s %15s %15s %12s %9s %7s\n", "case", "reference", "ours", "difference", "compared", "differ");
    if (run.is_model) {
        for (; next < argc; next++)
            run_model_case(&run, argv[next]);
    } else if (!run_folder(&run, argv[next], argv[next + 1], argv + next + 2, argc - next - 2)) {
        run.failed++;
    }
    if (!run.keep)
        rmdir(run.work);
    printf("%u passed, %u failed\n", run.passed, run.failed);
    return run.failed || run.passed == 0 ? 1 : 0;
}
