/* Every key of the parameter tables at its bounds. The next value beyond is refused, with the key and the bound;
 * accepted values, alone and in random combinations, are replayed to the end by both engines, which agree in all
 * statistics; each refusal is by a rule that names a key.
 *
 * A replay is a process of its own with limits on time and memory: a crash, an assertion, a run that does not end and
 * one that takes all memory are findings, which are printed as a command line. COMBINATIONS=20000 tries 20000 instead
 * of 250, SEED=7 others. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/elastic/elastic_input.h"
#include "replay/config/config.h"
#include "replay/config/sections.h"
#include "replay/config/system_config.h"
#include "replay/config/units.h"
#include "replay/record/stats_json.h"
#include "replay/session/session.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#if defined __SANITIZE_ADDRESS__
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

enum { REPLAYS = IS_SANITIZED ? 150 : 250, SHARE_OF_SINGLES = IS_SANITIZED ? 53 : 29 };
enum { LONGEST_S = IS_SANITIZED ? 40 : 10 };
enum { MOST_MIB = 4096, RECORDS = 400, MOST_SETTINGS = 8 };
enum { SETTING_TEXT = 128 };

#define DETAILED(name) "tests/traces/detailed/" name ".rbt"
static const struct base {
    const char *system, *traces[5], *model;
} bases[] = {
    {"default", {"qsort", NULL}, NULL}, {"wide", {"gups", NULL}, NULL}, {"server", {"gups", NULL}, NULL},
    {"hbm", {"gups", NULL}, NULL}, {"quad", {"gups", NULL}, NULL}, {"phone", {"qsort", NULL}, NULL},
    {"laptop-tlb", {"gups", NULL}, NULL},
    {"qv100", {"tests/traces/gpu/volta-bfs-2blocks", NULL}, NULL},
    {"r9nano", {"tests/traces/gpu/gcn3-fir", NULL}, NULL},
    {"titanx", {"tests/traces/gpu/pascal-vectoradd-100", NULL}, NULL},
    {"hetero", {"gups", "tests/traces/gpu/volta-bfs-2blocks"}, NULL},
    {"core/reference", {"tests/traces/insn/drmemtrace/drmemtrace.small.x64.trace", NULL}, NULL},
    {"quad", {"gups"}, "cpu.model=window"},
    {"quad", {DETAILED("chase"), DETAILED("hash"), DETAILED("sort"), DETAILED("chase")}, "cpu.model=detailed"},
    {"hetero", {DETAILED("hash"), DETAILED("chase"), DETAILED("chase"), DETAILED("sort"),
                "tests/traces/gpu/volta-bfs-2blocks"}, "cpu.model=detailed"}
};
enum { BASES = sizeof bases / sizeof bases[0] };

static struct system_config shapes[BASES];
static struct workload workloads[BASES];
static char folder[] = "/tmp/rubato-bounds-XXXXXX";

struct trial {
    unsigned base;
    unsigned count;
    char settings[MOST_SETTINGS][SETTING_TEXT];
};

static struct tally {
    unsigned refused, replayed, out_of_memory, findings;
} tally;

/* ---- systems and traces */
static void path_of(char text[64], const char *trace, const char *file)
{
    snprintf(text, 64, "%s/%s%s%s", folder, trace, *file ? "/" : "", file);
}

static void cut(const char *trace)
{
    char in[2][64], out[2][64], made[64], command[96];
    struct cut_request const request = {.dep_in = in[0], .fetch_in = in[1], .dep_out = out[0], .fetch_out = out[1],
                                        .behind = RECORDS};
    struct cut_result result;
    struct fault error;

    path_of(made, trace, "");
    snprintf(command, sizeof command, "mkdir -p %s", made);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 2; i++) {
        const char *file = i ? "fetchtrace.proto.gz" : "deptrace.proto.gz";

        snprintf(in[i], sizeof in[i], "tests/traces/%s/%s", trace, file);
        path_of(out[i], trace, file);
    }
    if (FAILS(error, cut_traces(&request, &result)))
        fail_msg("%s", fault_text(error));
}

static int set_up(void **state)
{
    static char paths[BASES][5][64];

    if (!mkdtemp(folder))
        return 1;
    cut("qsort");
    cut("gups");
    for (unsigned i = 0; i < BASES; i++) {
        const char *names[5];
        size_t count = 0;

        for (; count < 5 && bases[i].traces[count]; count++) {
            names[count] = paths[i][count];
            if (strchr(bases[i].traces[count], '/'))
                snprintf(paths[i][count], sizeof paths[i][count], "%s", bases[i].traces[count]);
            else
                path_of(paths[i][count], bases[i].traces[count], "");
        }
        struct fault fault = config_read(&shapes[i], bases[i].system, &bases[i].model, bases[i].model != NULL);

        if (fault.kind == FAULT_NONE)
            fault = workload_find(&workloads[i], names[0], names, count, NULL);
        if (fault.kind != FAULT_NONE)
            fail_msg("%s: %s", bases[i].system, fault_text(fault));
    }
    return 0;
}

static int tear_down(void **state)
{
    char command[64];

    for (unsigned i = 0; i < BASES; i++)
        workload_close(&workloads[i]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static struct fault configure(const struct trial *trial, struct system_config *config)
{
    const char *settings[MOST_SETTINGS + 1] = {bases[trial->base].model};
    unsigned const first = settings[0] != NULL;

    for (unsigned i = 0; i < trial->count; i++)
        settings[first + i] = trial->settings[i];
    return config_read(config, bases[trial->base].system, settings, first + trial->count);
}

/* ---- a replay in a process of its own */
enum outcome { RAN, NO_MEMORY, FAULTY, DIFFERENT };

/* What both engines must agree on; figures: NULL of a GPU alone. */
struct result {
    uint64_t end_ps;
    char *figures;
};

static void block(void *context, const struct stats *stats, uint64_t now_ps)
{
    struct result *const result = context;
    size_t length;
    FILE *const file = open_memstream(&result->figures, &length);

    if (!file)
        return;
    stats_json_write(file, stats, now_ps);
    fclose(file);
}

static struct fault replay(const struct trial *trial, const struct system_config *config, struct engine_options engine,
                           struct result *result)
{
    struct session_request request = {.config = config, .workload = &workloads[trial->base],
                                      .limits = session_no_limits(), .engine = engine, .has_stats = true};
    struct session *session;
    struct fault fault;

    if (bases[trial->base].model)
        request.limits.max_records = RECORDS;
    fault = session_open(&session, &request);
    if (fault.kind == FAULT_NONE)
        fault = session_run(session, &(struct session_outputs){.block = block, .context = result});
    if (fault.kind == FAULT_NONE)
        result->end_ps = session_result(session)->end_ps;
    session_close(session);
    return fault;
}

static enum outcome replay_twice(const struct trial *trial, const struct system_config *config)
{
    struct result fast = {0}, plain = {0};
    struct fault fault = replay(trial, config, engine_fast(), &fast);

    if (fault.kind == FAULT_NONE)
        fault = replay(trial, config, engine_plain(), &plain);
    if (fault.kind == FAULT_MEMORY)
        return NO_MEMORY;
    if (fault.kind == FAULT_INPUT && (strstr(fault_text(fault), "; ") || strstr(fault_text(fault), ": address ")))
        return RAN;                      /* a rule that it broke, or a trace that does not fit the memory */
    if (fault.kind != FAULT_NONE) {
        printf("  %s\n", fault_text(fault));
        fflush(stdout);
        return FAULTY;
    }
    if (fast.figures && plain.figures && strcmp(fast.figures, plain.figures) != 0)
        return DIFFERENT;
    return fast.end_ps == plain.end_ps && !fast.figures == !plain.figures ? RAN : DIFFERENT;
}

static void limit(void)
{
    struct rlimit const memory = {(rlim_t)MOST_MIB << 20, (rlim_t)MOST_MIB << 20};
    struct rlimit const core = {0, 0};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT};

    setrlimit(RLIMIT_CORE, &core);
    if (!IS_SANITIZED)
        setrlimit(RLIMIT_AS, &memory);
    for (size_t i = 0; i < COUNT(signals); i++)
        signal(signals[i], SIG_DFL);     /* not those of the test */
    alarm(LONGEST_S);
}

static void find(const struct trial *trial, const char *what)
{
    printf("FOUND %s: replay %s", what, bases[trial->base].system);
    for (unsigned i = 0; i < 5 && bases[trial->base].traces[i]; i++)
        printf(" %s", bases[trial->base].traces[i]);
    if (bases[trial->base].model)
        printf(" --records %d --set %s", RECORDS, bases[trial->base].model);
    for (unsigned i = 0; i < trial->count; i++)
        printf(" --set %s", trial->settings[i]);
    printf("\n");
    tally.findings++;
}

static void replay_apart(const struct trial *trial, const struct system_config *config)
{
    char what[64];
    int status;

    fflush(stdout);
    pid_t const child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        limit();
        _exit((int)replay_twice(trial, config));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    tally.replayed++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == RAN)
        return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MEMORY) {
        tally.out_of_memory++;
        if (getenv("SHOW"))
            find(trial, "memory"), tally.findings--;
        return;
    }
    if (WIFSIGNALED(status))
        snprintf(what, sizeof what, WTERMSIG(status) == SIGALRM ? "no end" : "signal %d", WTERMSIG(status));
    else
        snprintf(what, sizeof what, "%s", WEXITSTATUS(status) == FAULTY ? "fault" : WEXITSTATUS(status) == DIFFERENT
                 ? "engines differ" : "exit");
    find(trial, what);
}

static void try(const struct trial *trial)
{
    static struct system_config config;
    struct fault const fault = configure(trial, &config);

    if (fault.kind == FAULT_NONE) {
        replay_apart(trial, &config);
        return;
    }
    tally.refused++;
    if (fault.kind != FAULT_INPUT || !strstr(fault_text(fault), "; ")) {
        printf("  %s\n", fault_text(fault));
        find(trial, "refusal without a rule");
    }
}

/* ---- values */
static void set(struct trial *trial, const struct config_section *section, const struct param_info *info,
                uint64_t value)
{
    char text[UNITS_TEXT];

    units_format(info->unit, value, info->fallback_ratio, text, sizeof text);
    snprintf(trial->settings[trial->count++], SETTING_TEXT, "%s%s%s=%s", section->path, *section->path ? "." : "",
             info->key, text);
}

static uint64_t between(uint64_t lowest, uint64_t highest)
{
    return highest - lowest == UINT64_MAX ? random_bits() : lowest + random_bits() % (highest - lowest + 1);
}

/* A bound; a power of two; near what the key is in this system; anything. */
static uint64_t any_value(const struct param_info *info, uint64_t now)
{
    uint64_t const power = UINT64_C(1) << random_below(62);
    uint64_t const scaled = random_below(2) ? now << random_below(8) : now >> random_below(8);

    switch (random_below(6)) {
    case 0:
        return info->lowest;
    case 1:
        return info->highest;
    case 2:
        return power >= info->lowest && power <= info->highest ? power : info->lowest;
    case 3:
    case 4:
        return scaled >= info->lowest && scaled <= info->highest ? scaled : info->highest;
    default:
        return between(info->lowest, info->highest >> random_below(40) > info->lowest
                       ? info->highest >> random_below(8) : info->highest) ;
    }
}

static unsigned usual(const struct config_section list[], unsigned count)
{
    /* Half of all keys are a DRAM's, where most rules are. */
    unsigned pick = (unsigned)random_below(count);

    for (unsigned i = 0; i < count && random_below(2); i++)
        if (list[i].kind == CONFIG_DRAM || list[i].kind == CONFIG_CONTROLLER)
            pick = i;
    return pick;
}

static struct trial combination(void)
{
    static struct config_section list[CONFIG_MAX_SECTIONS];
    struct trial trial = {.base = (unsigned)random_below(BASES)};
    unsigned const sections = config_sections(&shapes[trial.base], list);
    unsigned const settings = 2 + (unsigned)random_below(MOST_SETTINGS - 1);

    while (trial.count < settings) {
        const struct config_section *section = &list[usual(list, sections)];
        if (!section->is_present || section->table->count == 0)
            continue;
        const struct param_info *info = &section->table->rows[random_below(section->table->count)];
        uint64_t now = 0;

        if (info->unit == UNIT_RATIO || strcmp(info->key, "base") == 0)
            continue;
        memcpy(&now, (const char *)&shapes[trial.base] + section->offset + info->offset, sizeof now);
        set(&trial, section, info, any_value(info, now));
    }
    return trial;
}

/* ---- tests */
typedef void see_key(unsigned base, const struct config_section *section, const struct param_info *info);

/* Each key of each table; of tables used by several sections, each key in another one of them. */
static void for_each_key(see_key *see)
{
    static struct config_section list[CONFIG_MAX_SECTIONS];

    for (unsigned base = 0; base < BASES; base++) {
        unsigned const sections = config_sections(&shapes[base], list);

        for (unsigned s = 0; s < sections; s++)
            for (size_t i = 0; list[s].is_present && i < list[s].table->count; i++)
                see(base, &list[s], &list[s].table->rows[i]);
    }
}

static unsigned keys_seen;

static void expect_refused(unsigned base, const struct config_section *section, const struct param_info *info,
                           uint64_t value, uint64_t bound)
{
    struct trial trial = {.base = base};
    char shown[UNITS_TEXT];
    struct system_config *const config = malloc(sizeof *config);

    set(&trial, section, info, value);
    struct fault const fault = configure(&trial, config);

    free(config);
    units_format(info->unit, bound, 0, shown, sizeof shown);
    if (fault.kind != FAULT_INPUT || !strstr(fault_text(fault), info->key) || !strstr(fault_text(fault), shown)) {
        printf("  %s\n", fault.kind == FAULT_NONE ? "accepted" : fault_text(fault));
        find(&trial, "not refused with its bound");
    }
    keys_seen++;
}

static void see_beyond(unsigned base, const struct config_section *section, const struct param_info *info)
{
    if (info->unit == UNIT_RATIO || info->unit == UNIT_BOOL || param_enum_names(info->unit))
        return;                          /* words */
    if (info->highest < UINT64_MAX)
        expect_refused(base, section, info, info->highest + 1, info->highest);
    if (info->lowest > 1 || (info->lowest == 1 && info->unit != UNIT_PERIOD))
        expect_refused(base, section, info, info->lowest - 1, info->lowest);
}

static void beyond_is_refused(void **state)
{
    tally = (struct tally){0};
    for_each_key(see_beyond);
    printf("%u values beyond\n", keys_seen);
    assert_true(keys_seen > 500);
    assert_int_equal(tally.findings, 0);
}

static unsigned share_of_singles, single;

static void see_bounds(unsigned base, const struct config_section *section, const struct param_info *info)
{
    for (int i = 0; i < 2; i++) {
        struct trial trial = {.base = base};

        if (info->unit == UNIT_RATIO || single++ % share_of_singles)
            continue;
        set(&trial, section, info, i ? info->highest : info->lowest);
        try(&trial);
    }
}

/* What once corrupted memory, looped for ever or took all memory. */
static void known_collisions_run(void **state)
{
    static const char *const settings[] = {
        "memory.dram.tREFI=500ns", "memory.dram.tRP=2us", "memory.dram.tRP=3us", "memory.dram.tCL=10us",
        "memory.dram.tRTP=1us", "memory.dram.tWR=2us", "memory.dram.tRAS=3us", "memory.dram.tBURST=10us",
        "memory.dram.tXS=7us", "memory.dram.max_accesses_per_row=65536", "memory.dram.max_accesses_per_row=0"
    };

    tally = (struct tally){0};
    for (unsigned i = 0; i < COUNT(settings) * BASES * 2; i++) {
        struct trial trial = {.base = i / 2 % BASES, .count = 2};

        snprintf(trial.settings[0], SETTING_TEXT, "%s", settings[i / 2 / BASES]);
        snprintf(trial.settings[1], SETTING_TEXT, "memory.dram.enable_dram_powerdown=%s", i % 2 ? "yes" : "no");
        try(&trial);
    }
    assert_true(tally.replayed > COUNT(settings) * BASES);
    assert_int_equal(tally.findings, 0);
}

static void accepted_systems_run(void **state)
{
    const char *wanted = getenv("COMBINATIONS"), *seed = getenv("SEED");
    unsigned const replays = wanted ? (unsigned)strtoul(wanted, NULL, 10) : REPLAYS;

    random_state = seed ? strtoull(seed, NULL, 10) : 1;
    tally = (struct tally){0};
    share_of_singles = wanted ? 1 : SHARE_OF_SINGLES;
    for_each_key(see_bounds);
    printf("alone: %u replayed, %u refused, %u without memory\n", tally.replayed, tally.refused, tally.out_of_memory);
    while (tally.replayed < replays) {
        struct trial const trial = combination();

        try(&trial);
    }
    printf("%u replayed, %u refused, %u without memory\n", tally.replayed, tally.refused, tally.out_of_memory);
    assert_int_equal(tally.findings, 0);
}

int main(void)
{
    struct CMUnitTest const tests[] = {cmocka_unit_test(beyond_is_refused), cmocka_unit_test(known_collisions_run),
                                       cmocka_unit_test(accepted_systems_run)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
