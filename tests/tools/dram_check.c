/* Checks the DRAM commands of a run (`rubato replay --commands FILE`, docs/event-log.md) against the rules of their
 * devices.
 *
 *     dram_check [--strict] [--quiet] FILE    0: no rule is broken; 1: line and rule of each; 2: no file of commands
 *     dram_check --rules                      names of the rules
 *
 * Written from what a device demands (JEDEC's tables of minimum distances and its state diagram, in the manner of
 * Ramulator 2's constraints), not from the controller: it knows commands and times, no queues, policies or events.
 * A rule is a distance between two commands of one bank, bank group, rank or channel, or a state. Where the reference,
 * which the model equals to the tick, differs, a table of exceptions says by how much;
 * what falls under one is counted and shown, and is an error with --strict. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHOWN 5                     /* lines of each rule */
#define MOST_POSTPONED 8                 /* refreshes */
#define MOST_BURSTS 256                  /* with data still ahead */
#define MOST_CHANNELS 4096

/* ---- commands */

#define COMMANDS(C) C(ACT) C(PRE) C(PREA) C(RD) C(WR) C(RDA) C(WRA) C(REF) C(PDE) C(PDX) C(SRE) C(SRX)
#define VALUE(name) name,
#define TEXT(name) #name,
enum command { COMMANDS(VALUE) COMMAND_COUNT };
static const char *const command_names[] = {COMMANDS(TEXT)};

enum {
    ACTS = 1 << ACT, CLOSES = 1 << PRE | 1 << PREA, READS = 1 << RD | 1 << RDA, WRITES = 1 << WR | 1 << WRA,
    BURSTS = READS | WRITES, RESTS = 1 << REF | 1 << SRE,            /* want all banks closed */
    WORKS = ACTS | CLOSES | BURSTS | RESTS,
    OF_BANKS = ACTS | 1 << PRE | BURSTS
};

/* ---- devices */

#define KEYS(K)                                                                                                       \
    K(buses) K(device_rowbuffer_size) K(device_bus_width) K(burst_length) K(ranks_per_channel) K(banks_per_rank)      \
    K(bank_groups_per_rank) K(activation_limit) K(tCK) K(tBURST) K(tBURST_MIN) K(tBURST_MAX) K(tCCD_L) K(tCCD_L_WR)   \
    K(tRCD) K(tRCD_WR) K(tCL) K(tCWL) K(tRP) K(tRAS) K(tRRD) K(tRRD_L) K(tXAW) K(tWR) K(tRTP) K(tWTR) K(tWTR_L)       \
    K(tRTW) K(tCS) K(tPPD) K(tRFC) K(tREFI) K(tXP) K(tXS)
#define FIELD(key) int64_t key;
struct device { KEYS(FIELD) };

#define KEY(key) {#key, offsetof(struct device, key)},
static const struct { const char *name; size_t offset; } keys[] = {KEYS(KEY)};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

/* ---- what the reference does otherwise: name, why */
#define EXCEPTIONS(E)                                                                                                 \
    E(LATENCIES_DIFFER, "from a read to a write, and from rank to rank, the reference keeps a distance of commands "  \
      "(tBURST + tRTW, tBURST + tCS), as if tCL and tCWL were equal; where they differ, data come nearer or overlap") \
    E(COMMAND_WINDOWS, "the reference counts commands in windows of command_window instead of giving each a tCK of "  \
      "its own, and forgets the count of a window that has begun")                                                    \
    E(TICK_ZERO, "the reference takes an activate at tick 0 for none when it counts those in tXAW")           \
    E(REFRESH_FORGETS, "after a refresh the reference allows an activate tRFC later, whatever tXAW still demands")    \
    E(WRITE_RECOVERY, "the reference lets a rank power down when the data of its last write are there, before tWR is " \
      "over")                                                                                                         \
    E(WAKES_IDLE, "without tXP the reference takes a rank for idle that got an activate in the tick in which it "     \
      "woke, also through an automatic precharge and an activate in its last tick, and lets it refresh with the row " \
      "open")

#define EXCEPTION_VALUE(name, why) name,
#define EXCEPTION_TEXT(name, why) {#name, why},
enum exception { EXCEPTIONS(EXCEPTION_VALUE) EXCEPTION_COUNT, NONE = EXCEPTION_COUNT };
static const struct { const char *name, *why; } exceptions[] = {EXCEPTIONS(EXCEPTION_TEXT)};

/* ---- rules */

/* APART: other bank groups of the rank, and the rank if it has no groups */
enum scope { BANK, GROUP, APART, RANK, OTHER_RANKS };

/* Ends of the data of a burst, from its command. */
#define READ_END (d->tCL + d->tBURST)
#define WRITE_END (d->tCWL + d->tBURST)

/* name, scope, from, to, distance, exception, distance that the reference keeps under it */
#define DISTANCES(D)                                                                                                  \
    D(tRCD, BANK, ACTS, READS, d->tRCD, NONE, 0)                                                                      \
    D(tRCD_WR, BANK, ACTS, WRITES, d->tRCD_WR, NONE, 0)                                                               \
    D(tRAS, BANK, ACTS, 1 << PRE, d->tRAS, NONE, 0)                                                                   \
    D(tRAS_all, RANK, ACTS, 1 << PREA, d->tRAS, NONE, 0)                                                              \
    D(tRC, BANK, ACTS, ACTS, d->tRAS + d->tRP, NONE, 0)                                                               \
    D(tRC_rest, RANK, ACTS, RESTS, d->tRAS + d->tRP, NONE, 0)                                                         \
    D(tRP, BANK, 1 << PRE, ACTS, d->tRP, NONE, 0)                                                                     \
    D(tRP_all, RANK, 1 << PREA, ACTS, d->tRP, NONE, 0)                                                                \
    D(tRP_rest, RANK, CLOSES, RESTS, d->tRP, NONE, 0)                                                                 \
    D(tRTP, BANK, 1 << RD, 1 << PRE, d->tRTP, NONE, 0)                                                                \
    D(tRTP_all, RANK, 1 << RD, 1 << PREA, d->tRTP, NONE, 0)                                                           \
    D(tRTP_auto, BANK, 1 << RDA, ACTS, d->tRTP + d->tRP, NONE, 0)                                                     \
    D(tRTP_auto_rest, RANK, 1 << RDA, RESTS, d->tRTP + d->tRP, NONE, 0)                                               \
    D(tWR, BANK, 1 << WR, 1 << PRE, WRITE_END + d->tWR, NONE, 0)                                                      \
    D(tWR_all, RANK, 1 << WR, 1 << PREA, WRITE_END + d->tWR, NONE, 0)                                                 \
    D(tWR_auto, BANK, 1 << WRA, ACTS, WRITE_END + d->tWR + d->tRP, NONE, 0)                                           \
    D(tWR_auto_rest, RANK, 1 << WRA, RESTS, WRITE_END + d->tWR + d->tRP, NONE, 0)                                     \
    D(tCCD_S, APART, READS, READS, d->tBURST_MIN, NONE, 0)                                                            \
    D(tCCD_S_WR, APART, WRITES, WRITES, d->tBURST_MIN, NONE, 0)                                                       \
    D(tCCD_L, GROUP, READS, READS, d->tCCD_L, NONE, 0)                                                                \
    D(tCCD_L_WR, GROUP, WRITES, WRITES, d->tCCD_L_WR, NONE, 0)                                                        \
    D(tRRD_S, APART, ACTS, ACTS, d->tRRD, NONE, 0)                                                                    \
    D(tRRD_L, GROUP, ACTS, ACTS, d->tRRD_L, NONE, 0)                                                                  \
    D(tWTR_S, APART, WRITES, READS, WRITE_END + d->tWTR, NONE, 0)                                                     \
    D(tWTR_L, GROUP, WRITES, READS, d->tCWL + d->tBURST_MAX + d->tWTR_L, NONE, 0)                                     \
    D(tRTW, RANK, READS, WRITES, READ_END + d->tRTW - d->tCWL, LATENCIES_DIFFER, d->tBURST + d->tRTW)                 \
    D(tCS, OTHER_RANKS, READS, READS, d->tBURST + d->tCS, NONE, 0)                                                    \
    D(tCS_WR, OTHER_RANKS, WRITES, WRITES, d->tBURST + d->tCS, NONE, 0)                                               \
    D(tCS_RTW, OTHER_RANKS, READS, WRITES, READ_END + d->tCS - d->tCWL, LATENCIES_DIFFER, d->tBURST + d->tCS)         \
    D(tCS_WTR, OTHER_RANKS, WRITES, READS, WRITE_END + d->tCS - d->tCL, LATENCIES_DIFFER, d->tBURST + d->tCS)         \
    D(tPPD, RANK, CLOSES, CLOSES, d->tPPD, NONE, 0)                                                                   \
    D(tRFC, RANK, 1 << REF, WORKS, d->tRFC, NONE, 0)                                                                  \
    D(tXP, RANK, 1 << PDX, WORKS, d->tXP, NONE, 0)                                                                    \
    D(tXS, RANK, 1 << SRX, WORKS | 1 << PDE, d->tXS, NONE, 0)                                                         \
    D(tCKE_down, RANK, 1 << PDE, 1 << PDX, d->tCK, NONE, 0)                                                           \
    D(tCKE_up, RANK, 1 << PDX, 1 << PDE, d->tCK, NONE, 0)                                                             \
    D(tCKE_self, RANK, 1 << SRE, 1 << SRX, d->tCK, NONE, 0)                                                           \
    D(tACTPDEN, RANK, ACTS, 1 << PDE, d->tCK, NONE, 0)                                                                \
    D(tPRPDEN, RANK, CLOSES, 1 << PDE, d->tCK, NONE, 0)                                                               \
    D(tREFPDEN, RANK, 1 << REF, 1 << PDE, d->tCK, NONE, 0)                                                            \
    D(tRDPDEN, RANK, READS, 1 << PDE, READ_END, NONE, 0)                                                              \
    D(tWRPDEN, RANK, WRITES, 1 << PDE, WRITE_END + d->tWR, WRITE_RECOVERY, WRITE_END)

/* name, violated rule */
#define STATES(S)                                                                                                     \
    S(order, "ticks of a channel do not fall")                                                                        \
    S(place, "rank, bank group and bank are there, and the group is the bank's")                                      \
    S(open_row, "reads and writes find their row open")                                                               \
    S(closed_bank, "a row is opened in a closed bank")                                                                \
    S(closed_twice, "a bank that is closed alone is open")                                                            \
    S(rest, "refresh and self-refresh find all banks closed")                                                         \
    S(power, "no command but the exit in power-down and self-refresh, and no exit elsewhere")                         \
    S(tXAW, "at most activation_limit activates of a rank in each tXAW")                                              \
    S(self_refresh, "a refresh lies between an exit of self-refresh and the next entry")                              \
    S(tREFI, "of the refreshes that are due by tREFI at most 8 are postponed")                                        \
    S(data_bus, "bursts of a channel do not overlap on the data bus")                                                 \
    S(command_bus, "a command of a bus in each tCK")

#define DISTANCE_VALUE(name, scope, from, to, needed, exception, kept) RULE_##name,
#define STATE_VALUE(name, what) RULE_##name,
enum rule {
    DISTANCES(DISTANCE_VALUE) DISTANCE_COUNT, LAST_DISTANCE = DISTANCE_COUNT - 1, STATES(STATE_VALUE) RULE_COUNT
};

#define DISTANCE_NAME(name, scope, from, to, needed, exception, kept) #name,
#define STATE_NAME(name, what) #name,
static const char *const rule_names[] = {DISTANCES(DISTANCE_NAME) STATES(STATE_NAME)};

#define DISTANCE_ROW(name, scope, from, to, needed, exception, kept) {scope, from, to, exception},
static const struct { enum scope scope; unsigned from, to; enum exception exception; } distances[] = {
    DISTANCES(DISTANCE_ROW)};

static int64_t needed_ps(enum rule rule, const struct device *d)
{
#define DISTANCE_NEEDED(name, scope, from, to, needed, exception, kept) [RULE_##name] = (needed),
    int64_t const table[] = {DISTANCES(DISTANCE_NEEDED)};

    return table[rule];
}

static int64_t kept_ps(enum rule rule, const struct device *d)
{
#define DISTANCE_KEPT(name, scope, from, to, needed, exception, kept) [RULE_##name] = (kept),
    int64_t const table[] = {DISTANCES(DISTANCE_KEPT)};

    return table[rule];
}

/* ---- state */

struct seen { int64_t tick; uint64_t line; };            /* line 0: never */

struct bank { int64_t row; struct seen last[COMMAND_COUNT]; };      /* row -1: closed */
struct group { struct seen last[COMMAND_COUNT]; };

struct rank {
    struct seen last[COMMAND_COUNT];
    struct bank *banks;
    struct group *groups;
    struct seen *activates;                              /* ring of activation_limit */
    int64_t next_activate, open_banks;
    enum { AWAKE, DOWN, SELF_REFRESHING } power;
    int64_t refreshes, slept_ps;                         /* slept: in self-refresh, until its last exit */
    bool owes_refresh;                                   /* since that exit */
    bool woke_with_activate;                             /* in the tick of its last PDX, until all banks are closed */
    int64_t closed_so_ps;                                /* when they are, by an automatic precharge; else 0 */
};

struct burst { int64_t begin, end, tick; uint64_t line; bool is_read; int64_t rank; };

struct channel {
    struct device device;
    char name[80];
    struct rank *ranks;
    struct seen last, last_on_bus[2];
    struct burst bursts[MOST_BURSTS];
    size_t burst_count;
};

struct command_line { int64_t tick; long channel, rank, group, bank; enum command command; int64_t row; };

struct check {
    const char *path;
    uint64_t line;
    bool is_strict, is_quiet;
    struct channel *channels[MOST_CHANNELS];
    long channel_count;
    uint64_t commands, broken, checked_of[RULE_COUNT], broken_of[RULE_COUNT], excused_of[EXCEPTION_COUNT][RULE_COUNT];
    bool has_end;
};

static void __attribute__((noreturn, format(printf, 2, 3))) refuse(const struct check *check, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%" PRIu64 ": ", check->path, check->line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static void *allocate(const struct check *check, int64_t count, size_t size)
{
    void *const memory = calloc((size_t)count + 1, size);

    if (!memory)
        refuse(check, "out of memory");
    return memory;
}

static void __attribute__((format(printf, 4, 5)))
report(struct check *check, enum rule rule, enum exception exception, const char *format, ...)
{
    va_list arguments;

    if (exception != NONE && !check->is_strict) {
        check->excused_of[exception][rule]++;
        return;
    }
    check->broken++;
    if (check->broken_of[rule]++ >= MOST_SHOWN)
        return;
    printf("%s:%" PRIu64 ": %s: ", check->path, check->line, rule_names[rule]);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* ---- distances */

/* Of a refresh or an entry of self-refresh that comes while rows are open. */
static enum exception rest_exception(const struct rank *rank, const struct command_line *line)
{
    return RESTS & 1u << line->command && rank->woke_with_activate ? WAKES_IDLE : NONE;
}

static enum exception distance_exception(const struct channel *channel, const struct command_line *line,
                                         enum rule rule, int64_t distance_ps)
{
    if (distances[rule].exception != NONE)
        return distance_ps >= kept_ps(rule, &channel->device) ? distances[rule].exception : NONE;
    return rest_exception(&channel->ranks[line->rank], line);
}

static void check_distance(struct check *check, const struct channel *channel, const struct command_line *line,
                           enum rule rule, const struct seen last[COMMAND_COUNT])
{
    const struct device *const d = &channel->device;

    for (unsigned from = 0; from < COMMAND_COUNT; from++) {
        int64_t const distance_ps = line->tick - last[from].tick, least_ps = needed_ps(rule, d);

        if (!(distances[rule].from & 1u << from) || last[from].line == 0)
            continue;
        check->checked_of[rule]++;
        if (distance_ps < least_ps)
            report(check, rule, distance_exception(channel, line, rule, distance_ps),
                   "%s at %" PRId64 " comes %" PRId64 " ps after the %s of line %" PRIu64 ", at least %" PRId64
                   " are needed", command_names[line->command], line->tick, distance_ps, command_names[from],
                   last[from].line, least_ps);
    }
}

static void check_distances(struct check *check, const struct channel *channel, const struct command_line *line)
{
    const struct rank *const rank = &channel->ranks[line->rank];

    for (unsigned rule = 0; rule < DISTANCE_COUNT; rule++) {
        if (!(distances[rule].to & 1u << line->command))
            continue;
        switch (distances[rule].scope) {
        case BANK: check_distance(check, channel, line, rule, rank->banks[line->bank].last); break;
        case GROUP:
            if (channel->device.bank_groups_per_rank > 0)
                check_distance(check, channel, line, rule, rank->groups[line->group].last);
            break;
        case APART:
            if (channel->device.bank_groups_per_rank == 0)
                check_distance(check, channel, line, rule, rank->last);
            for (long group = 0; group < channel->device.bank_groups_per_rank; group++)
                if (group != line->group)
                    check_distance(check, channel, line, rule, rank->groups[group].last);
            break;
        case RANK: check_distance(check, channel, line, rule, rank->last); break;
        case OTHER_RANKS:
            for (long other = 0; other < channel->device.ranks_per_channel; other++)
                if (other != line->rank)
                    check_distance(check, channel, line, rule, channel->ranks[other].last);
        }
    }
}

/* ---- states */

static void check_state_but(struct check *check, enum rule rule, bool is_sound, const struct command_line *line,
                            const char *what, enum exception exception)
{
    check->checked_of[rule]++;
    if (!is_sound)
        report(check, rule, exception, "%s at %" PRId64 " %s", command_names[line->command], line->tick, what);
}

static void check_state(struct check *check, enum rule rule, bool is_sound, const struct command_line *line,
                        const char *what)
{
    check_state_but(check, rule, is_sound, line, what, NONE);
}

static void check_power(struct check *check, const struct rank *rank, const struct command_line *line)
{
    enum command const command = line->command;

    switch (rank->power) {
    case AWAKE:
        check_state(check, RULE_power, command != PDX && command != SRX, line, "of a rank that is awake");
        break;
    case DOWN: check_state(check, RULE_power, command == PDX, line, "in power-down"); break;
    case SELF_REFRESHING: check_state(check, RULE_power, command == SRX, line, "in self-refresh");
    }
}

static void check_rows(struct check *check, const struct rank *rank, const struct command_line *line)
{
    unsigned const bit = 1u << line->command;
    int64_t const row = bit & OF_BANKS ? rank->banks[line->bank].row : -1;

    if (bit & BURSTS)
        check_state(check, RULE_open_row, row == line->row, line, row < 0 ? "of a closed bank"
                                                                          : "of a bank with another row open");
    if (bit & ACTS)
        check_state(check, RULE_closed_bank, row < 0, line, "of a bank with a row open");
    if (line->command == PRE)
        check_state(check, RULE_closed_twice, row >= 0, line, "of a closed bank");
    if (bit & RESTS)
        check_state_but(check, RULE_rest, rank->open_banks == 0, line, "while banks are open",
                        rest_exception(rank, line));
    if (line->command == SRE)
        check_state(check, RULE_self_refresh, !rank->owes_refresh, line, "without a refresh since the last SRX");
}

static void check_window(struct check *check, const struct channel *channel, struct rank *rank,
                         const struct command_line *line)
{
    const struct device *const d = &channel->device;
    struct seen *const oldest = &rank->activates[rank->next_activate];
    enum exception const exception = oldest->tick == 0 ? TICK_ZERO
                                     : rank->last[REF].line > oldest->line ? REFRESH_FORGETS : NONE;

    if (line->command != ACT || d->activation_limit == 0)
        return;
    if (oldest->line != 0) {
        check->checked_of[RULE_tXAW]++;
        if (line->tick - oldest->tick < d->tXAW)
            report(check, RULE_tXAW, exception, "ACT at %" PRId64 " is number %" PRId64 " in %" PRId64
                   " ps, since line %" PRIu64, line->tick, d->activation_limit + 1, line->tick - oldest->tick,
                   oldest->line);
    }
    *oldest = (struct seen){line->tick, check->line};
    rank->next_activate = (rank->next_activate + 1) % d->activation_limit;
}

static void check_refresh(struct check *check, const struct channel *channel, const struct rank *rank, int64_t now)
{
    int64_t const due = (now - rank->slept_ps) / channel->device.tREFI;

    check->checked_of[RULE_tREFI]++;
    if (due - rank->refreshes > MOST_POSTPONED)
        report(check, RULE_tREFI, NONE, "rank %d had %" PRId64 " refreshes at %" PRId64 ", when %" PRId64
               " were due", (int)(rank - channel->ranks), rank->refreshes, now, due);
}

/* ---- buses */

static void check_data(struct check *check, struct channel *channel, const struct command_line *line, int64_t begin,
                       int64_t end)
{
    const struct device *const d = &channel->device;
    bool const is_read = READS & 1u << line->command;
    size_t kept = 0;

    check->checked_of[RULE_data_bus]++;
    for (size_t i = 0; i < channel->burst_count; i++) {
        const struct burst *const other = &channel->bursts[i];
        int64_t const gap_ps = other->rank == line->rank ? d->tRTW : d->tCS;
        bool const is_excused = other->is_read != is_read && d->tCL != d->tCWL
                                && line->tick - other->tick >= d->tBURST + gap_ps;

        if (begin < other->end && other->begin < end)
            report(check, RULE_data_bus, is_excused ? LATENCIES_DIFFER : NONE,
                   "data of the %s at %" PRId64 " (%" PRId64 " to %" PRId64 ") overlap those of line %" PRIu64 " (%"
                   PRId64 " to %" PRId64 ")", command_names[line->command], line->tick, begin, end, other->line,
                   other->begin, other->end);
        if (other->end > line->tick)
            channel->bursts[kept++] = *other;
    }
    channel->burst_count = kept;
    if (kept == MOST_BURSTS)
        refuse(check, "more than %d bursts are under way", MOST_BURSTS);
}

/* A burst that leaves room for another between its halves has data twice for tBURST_MIN. */
static void check_data_bus(struct check *check, struct channel *channel, const struct command_line *line)
{
    const struct device *const d = &channel->device;
    bool const is_read = READS & 1u << line->command;
    int64_t const begin = line->tick + (is_read ? d->tCL : d->tCWL), end = begin + d->tBURST;
    bool const is_halved = d->tBURST >= 2 * d->tBURST_MIN;
    struct burst const halves[] = {
        {begin, is_halved ? begin + d->tBURST_MIN : end, line->tick, check->line, is_read, line->rank},
        {end - d->tBURST_MIN, end, line->tick, check->line, is_read, line->rank}};

    if (!(BURSTS & 1u << line->command))
        return;
    for (int i = 0; i <= is_halved; i++) {
        check_data(check, channel, line, halves[i].begin, halves[i].end);
        channel->bursts[channel->burst_count++] = halves[i];
    }
}

static void check_command_bus(struct check *check, struct channel *channel, const struct command_line *line)
{
    bool const is_column = channel->device.buses == 2 && BURSTS & 1u << line->command;
    struct seen *const last = &channel->last_on_bus[is_column];

    if (!(WORKS & 1u << line->command))
        return;
    if (last->line != 0) {
        check->checked_of[RULE_command_bus]++;
        if (line->tick - last->tick < channel->device.tCK)
            report(check, RULE_command_bus, COMMAND_WINDOWS, "%s at %" PRId64 " comes %" PRId64
                   " ps after the command of line %" PRIu64, command_names[line->command], line->tick,
                   line->tick - last->tick, last->line);
    }
    *last = (struct seen){line->tick, check->line};
}

/* ---- a command */

static void set_row(struct rank *rank, struct bank *bank, int64_t row)
{
    rank->open_banks += (row >= 0) - (bank->row >= 0);
    bank->row = row;
}

/* When the precharge of a burst that closes its bank is over. */
static int64_t end_of_automatic(const struct device *d, const struct bank *bank, const struct command_line *line)
{
    int64_t const behind = line->tick + (line->command == RDA ? d->tRTP : WRITE_END + d->tWR);
    int64_t const earliest = bank->last[ACT].tick + d->tRAS;

    return (behind > earliest ? behind : earliest) + d->tRP;
}

static void note(struct check *check, struct channel *channel, const struct command_line *line)
{
    struct rank *const rank = &channel->ranks[line->rank];
    struct seen const seen = {line->tick, check->line};

    rank->last[line->command] = channel->last = seen;
    if (OF_BANKS & 1u << line->command) {
        rank->banks[line->bank].last[line->command] = seen;
        rank->groups[line->group].last[line->command] = seen;
    }
    switch (line->command) {
    case ACT:
        set_row(rank, &rank->banks[line->bank], line->row);
        rank->woke_with_activate |= rank->last[PDX].line != 0 && rank->last[PDX].tick == line->tick;
        /* the reference had decided on this one before the first: it does not notice it either */
        rank->woke_with_activate |= rank->closed_so_ps != 0 && rank->closed_so_ps == line->tick;
        rank->closed_so_ps = 0;
        break;
    case PRE: set_row(rank, &rank->banks[line->bank], -1); break;
    case RDA:
    case WRA:
        set_row(rank, &rank->banks[line->bank], -1);
        if (rank->open_banks == 0 && rank->woke_with_activate)
            rank->closed_so_ps = end_of_automatic(&channel->device, &rank->banks[line->bank], line);
        break;
    case PREA:
        for (int64_t i = 0; i < channel->device.banks_per_rank; i++)
            set_row(rank, &rank->banks[i], -1);
        break;
    case REF: rank->refreshes++; rank->owes_refresh = false; break;
    case PDE: rank->power = DOWN; break;
    case SRE: rank->refreshes++; rank->power = SELF_REFRESHING; break;       /* the device begins with one */
    case SRX:
        rank->slept_ps += line->tick - rank->last[SRE].tick;
        rank->owes_refresh = true;
        rank->power = AWAKE;
        break;
    case PDX: rank->power = AWAKE; break;
    default: break;
    }
    if (rank->open_banks == 0)
        rank->woke_with_activate = false;
}

/* A rule applies only to devices that have its parameters. */
static bool is_there(struct check *check, const struct channel *channel, struct command_line *line)
{
    const struct device *const d = &channel->device;
    bool const has_bank = OF_BANKS & 1u << line->command;
    bool is_sound = line->rank >= 0 && line->rank < d->ranks_per_channel;

    if (has_bank)
        is_sound &= line->bank >= 0 && line->bank < d->banks_per_rank && (line->row >= 0 || line->command == PRE)
                    && line->group == (d->bank_groups_per_rank > 0 ? line->bank % d->bank_groups_per_rank : -1);
    check_state(check, RULE_place, is_sound, line, "goes to no bank of the channel");
    if (line->group < 0)
        line->group = 0;
    return is_sound;
}

static void take(struct check *check, struct channel *channel, struct command_line *line)
{
    struct rank *rank;

    check->commands++;
    check_state(check, RULE_order, channel->last.line == 0 || line->tick >= channel->last.tick, line,
                "comes before the last command of its channel");
    if (!is_there(check, channel, line))
        return;
    rank = &channel->ranks[line->rank];
    check_power(check, rank, line);
    check_rows(check, rank, line);
    check_distances(check, channel, line);
    check_window(check, channel, rank, line);
    if (line->command == REF || line->command == SRE)
        check_refresh(check, channel, rank, line->tick);
    check_data_bus(check, channel, line);
    check_command_bus(check, channel, line);
    note(check, channel, line);
}

/* ---- the file */

static int64_t number(const struct check *check, const char *text, bool may_lack)
{
    char *end;
    unsigned long long const value = strtoull(text, &end, 10);

    if (may_lack && strcmp(text, "-") == 0)
        return -1;
    if (*text < '0' || *text > '9' || *end != '\0' || value > INT64_MAX)
        refuse(check, "'%.40s' is not a number", text);
    return (int64_t)value;
}

static void make_ranks(const struct check *check, struct channel *channel)
{
    const struct device *const d = &channel->device;

    if (d->ranks_per_channel < 1 || d->banks_per_rank < 1 || d->tREFI < 1 || d->ranks_per_channel > 1024
        || d->banks_per_rank > 65536 || d->bank_groups_per_rank > d->banks_per_rank || d->activation_limit > 65536)
        refuse(check, "no ranks or banks, no tREFI, or far too many of them");
    channel->ranks = allocate(check, d->ranks_per_channel, sizeof *channel->ranks);
    for (int64_t i = 0; i < d->ranks_per_channel; i++) {
        struct rank *const rank = &channel->ranks[i];

        rank->banks = allocate(check, d->banks_per_rank, sizeof *rank->banks);
        rank->groups = allocate(check, d->bank_groups_per_rank, sizeof *rank->groups);
        rank->activates = allocate(check, d->activation_limit, sizeof *rank->activates);
        for (int64_t bank = 0; bank < d->banks_per_rank; bank++)
            rank->banks[bank].row = -1;
    }
}

/* "# channel NUMBER NAME key=value ..." */
static void read_channel(struct check *check, char *rest)
{
    struct channel *const channel = allocate(check, 1, sizeof *channel);
    const char *const place = strtok(rest, " "), *const name = strtok(NULL, " ");
    bool has[KEY_COUNT] = {0};

    if (!place || !name || number(check, place, false) != check->channel_count || check->channel_count == MOST_CHANNELS)
        refuse(check, "expected channel %ld and its name", check->channel_count);
    snprintf(channel->name, sizeof channel->name, "%s", name);
    for (char *word; (word = strtok(NULL, " ")) != NULL;) {
        char *const equals = strchr(word, '=');

        if (!equals)
            refuse(check, "'%.40s' is no key=value", word);
        *equals = '\0';
        for (unsigned i = 0; i < KEY_COUNT; i++)
            if (strcmp(word, keys[i].name) == 0) {
                *(int64_t *)(void *)((char *)&channel->device + keys[i].offset) = number(check, equals + 1, false);
                has[i] = true;
            }
    }
    for (unsigned i = 0; i < KEY_COUNT; i++)
        if (!has[i])
            refuse(check, "%s has no %s", channel->name, keys[i].name);
    make_ranks(check, channel);
    check->channels[check->channel_count++] = channel;
}

static void read_end(struct check *check, const char *text)
{
    int64_t const end = number(check, text, false);

    check->has_end = true;
    for (long i = 0; i < check->channel_count; i++)
        for (long rank = 0; rank < check->channels[i]->device.ranks_per_channel; rank++)
            if (check->channels[i]->ranks[rank].power != SELF_REFRESHING)
                check_refresh(check, check->channels[i], &check->channels[i]->ranks[rank], end);
}

static void read_command(struct check *check, char *text)
{
    char *words[8] = {strtok(text, " ")};
    struct command_line line = {.row = -1};
    unsigned count = 1;

    while (count < 8 && (words[count] = strtok(NULL, " ")) != NULL)
        count++;
    if (count < 6)
        refuse(check, "expected tick, channel, rank, bank group, bank and command");
    line.tick = number(check, words[0], false);
    line.channel = number(check, words[1], false);
    line.rank = number(check, words[2], false);
    line.group = number(check, words[3], true);
    line.bank = number(check, words[4], true);
    while (line.command < COMMAND_COUNT && strcmp(command_names[line.command], words[5]) != 0)
        line.command++;
    if (line.command == COMMAND_COUNT)
        refuse(check, "'%.40s' is no command", words[5]);
    if (count > 6)
        line.row = number(check, words[6], false);
    if (line.channel >= check->channel_count)
        refuse(check, "there is no channel %ld", line.channel);
    take(check, check->channels[line.channel], &line);
}

static void read_file(struct check *check, FILE *file)
{
    char line[8192];

    while (fgets(line, sizeof line, file)) {
        size_t const length = strlen(line);

        check->line++;
        if (length == 0 || line[length - 1] != '\n')
            refuse(check, "a line without end");
        line[length - 1] = '\0';
        if (check->line == 1 && strncmp(line, "# rubato DRAM commands 1", 24) != 0)
            refuse(check, "expected '# rubato DRAM commands 1'");
        if (check->has_end)
            refuse(check, "something behind the end");
        if (strncmp(line, "# channel ", 10) == 0)
            read_channel(check, line + 10);
        else if (strncmp(line, "# end ", 6) == 0)
            read_end(check, line + 6);
        else if (line[0] != '#')
            read_command(check, line);
    }
    if (!check->has_end)
        refuse(check, "the file breaks off: its last line would be '# end TICK'");
}

/* ---- results */

static void print_results(const struct check *check)
{
    uint64_t excused = 0;

    for (unsigned rule = 0; rule < RULE_COUNT; rule++) {
        if (check->broken_of[rule] > MOST_SHOWN)
            printf("%s: %" PRIu64 " more\n", rule_names[rule], check->broken_of[rule] - MOST_SHOWN);
        if (!check->is_quiet && check->checked_of[rule])
            printf("rule %-16s %10" PRIu64 " checked %8" PRIu64 " broken\n", rule_names[rule], check->checked_of[rule],
                   check->broken_of[rule]);
    }
    for (unsigned i = 0; i < EXCEPTION_COUNT; i++)
        for (unsigned rule = 0; rule < RULE_COUNT; rule++) {
            if (check->excused_of[i][rule])
                printf("exception %s: %s: %" PRIu64 " times\n", exceptions[i].name, rule_names[rule],
                       check->excused_of[i][rule]);
            excused += check->excused_of[i][rule];
        }
    for (unsigned i = 0; !check->is_quiet && excused && i < EXCEPTION_COUNT; i++)
        printf("exception %s: %s\n", exceptions[i].name, exceptions[i].why);
    printf("%" PRIu64 " commands on %ld channels: %" PRIu64 " broken rules, %" PRIu64 " under exceptions\n",
           check->commands, check->channel_count, check->broken, excused);
}

int main(int argc, char **argv)
{
    struct check *const check = calloc(1, sizeof *check);
    FILE *file;

    if (!check)
        return 2;
    for (int i = 1; i < argc; i++) {
        check->is_strict |= strcmp(argv[i], "--strict") == 0;
        check->is_quiet |= strcmp(argv[i], "--quiet") == 0;
        if (strncmp(argv[i], "--", 2) != 0)
            check->path = argv[i];
    }
    if (argc == 2 && strcmp(argv[1], "--rules") == 0) {
        for (unsigned rule = 0; rule < RULE_COUNT; rule++)
            puts(rule_names[rule]);
        return 0;
    }
    file = check->path ? fopen(check->path, "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: dram_check [--strict] [--quiet] FILE, or dram_check --rules\n");
        return 2;
    }
    read_file(check, file);
    fclose(file);
    print_results(check);
    return check->broken > 0;
}
