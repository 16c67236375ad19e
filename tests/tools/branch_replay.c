/* branch_replay pipe FILE.pipe.tsv[.xz] TYPE: predicts the committed control micro-ops of a listing of the reference's
 *   pipeline (../shared/oracle/o3) as docs/spec/branch-prediction.md 12 does: in fetch order, each after all that had
 *   committed a cycle before its fetch were trained, corrections at once. Of wrong paths the listing has what reached
 *   execution: that is predicted, corrected as decode does, and squashed. Prints a line: conditional branches; those
 *   whose predicted direction is that of the listing, in per cent; "without", those that differ though not for want of
 *   a target (one that the direction predictor takes and the BTB lacks is taken in the listing where a wrong path that
 *   the listing does not have wrote the target); mispredictions of the listing, and ours; returns, indirect jumps,
 *   direct jumps, all control micro-ops with equal flags, in per cent.
 * branch_replay trace FILE LAG TYPE...: predicts the control instructions of an instruction trace. Each is trained when
 *   LAG more instructions have been fetched (0: at once), and all when one was mispredicted, since fetch then waits.
 *   Prints a line a type: control instructions, mispredictions found at execution, those of conditional branches.
 * Exit code 2: a file that cannot be read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/insn/insn_trace.h"
#include "proto/io/io_stream.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/branch_unit.h"

#define DEFAULT_VALUE(field, key, unit, fallback, lowest, highest, help) .field = fallback,
#define TYPE_NAME(kind, name) [kind] = #name,
static const char *const type_names[] = {BRANCH_PREDICTORS(TYPE_NAME)};

enum { MOST_IN_FLIGHT = 4096 };

/* A control micro-op of the right path. */
struct control {
    struct branch_query query;
    uint64_t direct_target;
};

struct result {
    bool was_taken;                      /* predicted */
    bool was_wrong;                      /* found at execution */
};

static int fail(const char *text)
{
    fprintf(stderr, "branch_replay: %s\n", text);
    return 2;
}

/* Sign of the lowest `bits` bits. */
static int64_t extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static uint64_t field(uint32_t encoding, unsigned high, unsigned low, unsigned at)
{
    return (uint64_t)(encoding >> low & ((1u << (high - low + 1)) - 1)) << at;
}

static bool is_link(uint32_t number)
{
    return number == 1 || number == 5;
}

/* branch-prediction 1, written for itself. False: no control instruction. */
static bool decode(uint32_t encoding, uint64_t pc, struct control *control)
{
    struct branch_query *const query = &control->query;
    uint32_t const rd = encoding >> 7 & 31, rs1 = encoding >> 15 & 31, top = encoding >> 13 & 7;

    *control = (struct control){.query = {.pc = pc, .fall_through = pc + 2}};
    if ((encoding & 3) == 1 && top == 5) {                       /* c.j */
        query->is_direct = true;
        control->direct_target = pc + (uint64_t)extend(
            field(encoding, 12, 12, 11) | field(encoding, 11, 11, 4) | field(encoding, 10, 9, 8)
            | field(encoding, 8, 8, 10) | field(encoding, 7, 7, 6) | field(encoding, 6, 6, 7) | field(encoding, 5, 3, 1)
            | field(encoding, 2, 2, 5), 12);
    } else if ((encoding & 3) == 1 && top >= 6) {                /* c.beqz, c.bnez */
        query->is_direct = query->is_conditional = true;
        control->direct_target = pc + (uint64_t)extend(
            field(encoding, 12, 12, 8) | field(encoding, 11, 10, 3) | field(encoding, 6, 5, 6)
            | field(encoding, 4, 3, 1) | field(encoding, 2, 2, 5), 9);
    } else if ((encoding & 0xe07f) == 0x8002 && rd != 0) {       /* c.jr, c.jalr */
        query->is_call = encoding >> 12 & 1;
        query->is_return = query->is_call ? rd == 5 : is_link(rd);
    } else if ((encoding & 0x7f) == 0x63) {
        query->fall_through = pc + 4;
        query->is_direct = query->is_conditional = true;
        control->direct_target = pc + (uint64_t)extend(
            field(encoding, 31, 31, 12) | field(encoding, 30, 25, 5) | field(encoding, 11, 8, 1)
            | field(encoding, 7, 7, 11), 13);
    } else if ((encoding & 0x7f) == 0x6f) {
        query->fall_through = pc + 4;
        query->is_direct = true;
        query->is_call = is_link(rd);
        control->direct_target = pc + (uint64_t)extend(
            field(encoding, 31, 31, 20) | field(encoding, 30, 21, 1) | field(encoding, 20, 20, 11)
            | field(encoding, 19, 12, 12), 21);
    } else if ((encoding & 0x707f) == 0x67) {
        query->fall_through = pc + 4;
        query->is_call = is_link(rd);
        query->is_return = is_link(rs1) && (!is_link(rd) || rd != rs1);
    } else {
        return false;
    }
    query->class = query->is_return ? BRANCH_RETURN
        : query->is_call ? (query->is_direct ? BRANCH_CALL_DIRECT : BRANCH_CALL_INDIRECT)
        : query->is_conditional ? BRANCH_DIRECT_COND
        : query->is_direct ? BRANCH_DIRECT_UNCOND : BRANCH_INDIRECT_UNCOND;
    return true;
}

/* Predicts one and corrects it as decode does. */
static struct result predict(struct branch_unit *unit, const struct control *control)
{
    const struct branch_query *const query = &control->query;
    struct branch_answer answer = branch_unit_predict(unit, query);
    bool const was_taken = answer.is_taken;

    if (query->is_direct && (!query->is_conditional || answer.is_taken) && answer.next_pc != control->direct_target) {
        branch_unit_correct(unit, query->seq, control->direct_target, true);
        answer.next_pc = control->direct_target;
    }
    return (struct result){.was_taken = was_taken, .was_wrong = query->is_known && answer.next_pc != query->next_pc};
}

/* Corrects a misprediction as execution does. */
static void execute(struct branch_unit *unit, const struct branch_query *query)
{
    branch_unit_correct(unit, query->seq, query->next_pc, !query->is_conditional || query->next_pc != query->pc + 4);
}

static struct branch_unit *unit_of(const char *type, size_t most_in_flight, struct fault *error)
{
    struct branch_params params = {BRANCH_PARAMETERS(DEFAULT_VALUE)};

    for (size_t i = 0; i < sizeof type_names / sizeof type_names[0]; i++)
        if (strcmp(type_names[i], type) == 0) {
            params.type = i;
            return branch_unit_new(&params, most_in_flight, error);
        }
    *error = fault_make(FAULT_INPUT, "%s: no such type", type);
    return NULL;
}

/* --- listings ----------------------------------------------------------------------------------------------------- */

struct row {
    uint64_t seq, pc, fetch_cyc, retire_cyc;
    uint32_t encoding;
    bool is_committed, was_decoded, was_taken, was_wrong;
};

/* The rows of a listing. NULL on failure. */
static struct row *read_rows(const char *path, size_t *count, struct fault *error)
{
    struct stream stream;
    struct row *rows = NULL;
    size_t capacity = 0, room = 1 << 16, length;
    char *text, *line, *end;

    *count = 0;
    if (FAILS(*error, stream_open(&stream, &(struct stream_source){.path = path, .unpacks_all = true})))
        return NULL;
    while (stream_need(&stream, room, error) == STREAM_OK)
        room *= 2;
    length = (size_t)(stream.end - stream.next);
    text = malloc(length + 1);
    if (!text)
        abort();
    memcpy(text, stream.next, length);
    text[length] = '\0';
    stream_close(&stream);
    line = strchr(text, '\n');
    for (line = line ? line + 1 : NULL; line && *line; line = end ? end + 1 : NULL) {
        char *fields[18] = {0}, *save = NULL;
        size_t n = 0;

        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        for (char *part = strtok_r(line, "\t", &save); part && n < 18; part = strtok_r(NULL, "\t", &save))
            fields[n++] = part;
        if (n < 18)
            continue;
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            rows = realloc(rows, capacity * sizeof *rows);
            if (!rows)
                abort();
        }
        rows[(*count)++] = (struct row){
            .seq = strtoull(fields[0], NULL, 10), .pc = strtoull(fields[2], NULL, 16),
            .encoding = (uint32_t)strtoull(fields[4], NULL, 16), .was_taken = fields[9][0] == '1',
            .is_committed = fields[1][0] == '1', .was_decoded = fields[12][0] != '-',
            .was_wrong = fields[10][0] == '1', .fetch_cyc = strtoull(fields[11], NULL, 10),
            .retire_cyc = strtoull(fields[17], NULL, 10)
        };
    }
    free(text);
    if (!rows)
        *error = fault_make(FAULT_INPUT, "%s: no rows", path);
    return rows;
}

/* Classes of the printed line. */
enum { CONDITIONAL, RETURNS, INDIRECT, DIRECT, ALL, GROUPS };

static int replay_listing(const char *path, const char *type)
{
    struct fault error = fault_none();
    size_t count, trained = 0;
    uint64_t last = 0;                   /* committed */
    struct row *const rows = read_rows(path, &count, &error);
    struct branch_unit *const unit = rows ? unit_of(type, count, &error) : NULL;
    uint64_t total[GROUPS] = {0}, equal[GROUPS] = {0}, wrong = 0, own_wrong = 0, without = 0;
    struct branch_query pending = {0};   /* mispredicted; what follows until it executes is a wrong path */

    if (!unit) {
        free(rows);
        return fail(fault_text(error));
    }
    for (size_t i = 0; i < count; i++) {
        const struct row *const row = &rows[i];
        size_t next = i + 1;
        struct control control;
        struct result result;
        bool same_taken, same;
        uint64_t taken_before;
        unsigned group;

        if (row->is_committed) {
            if (pending.seq)
                execute(unit, &pending);
            branch_unit_squash(unit, last);
            pending.seq = 0;
            last = row->seq;
        }
        if (!decode(row->encoding, row->pc, &control))
            continue;
        control.query.seq = row->seq;
        if (!row->is_committed) {
            if (row->was_decoded)
                (void)predict(unit, &control);
            continue;
        }
        while (next < count && !rows[next].is_committed)
            next++;
        if (next == count)
            break;
        control.query.is_known = true;
        control.query.next_pc = rows[next].pc;
        control.query.is_taken = control.query.next_pc != control.query.fall_through;
        for (; trained < i; trained++) {
            if (rows[trained].is_committed && rows[trained].retire_cyc + 1 > row->fetch_cyc)
                break;
            if (rows[trained].is_committed)
                branch_unit_train(unit, rows[trained].seq);
        }
        taken_before = branch_unit_stats(unit)->cond_predicted_taken;
        result = predict(unit, &control);
        if (result.was_wrong)
            pending = control.query;
        same_taken = result.was_taken == row->was_taken;
        same = same_taken && result.was_wrong == row->was_wrong;
        group = control.query.is_conditional ? CONDITIONAL : control.query.is_return ? RETURNS
            : control.query.is_direct ? DIRECT : INDIRECT;
        total[group]++;
        equal[group] += group == CONDITIONAL || group == DIRECT ? same_taken : same;
        total[ALL]++;
        equal[ALL] += same;
        if (group == CONDITIONAL) {
            wrong += row->was_wrong;
            own_wrong += result.was_wrong;
            without += !same_taken
                && (result.was_taken || branch_unit_stats(unit)->cond_predicted_taken == taken_before);
        }
    }
    printf("%s %s conditional %" PRIu64, path, type, total[CONDITIONAL]);
    for (unsigned group = 0; group < GROUPS; group++) {
        static const char *const names[GROUPS] = {"equal", "returns", "indirect", "direct", "all"};

        printf(" %s %.3f", names[group], total[group] ? 100.0 * (double)equal[group] / (double)total[group] : 100.0);
        if (group == CONDITIONAL)
            printf(" without %" PRIu64 " mispredicted %" PRIu64 " own %" PRIu64, without, wrong, own_wrong);
    }
    printf("\n");
    branch_unit_free(unit);
    free(rows);
    return 0;
}

/* --- traces ------------------------------------------------------------------------------------------------------- */

static int replay_trace(const char *path, uint64_t lag, const char *type)
{
    struct fault error = fault_none();
    struct branch_unit *const unit = unit_of(type, MOST_IN_FLIGHT, &error);
    struct insn_trace *const trace = unit ? insn_trace_open(path, &error) : NULL;
    struct insn_cursor *const cursor = trace ? insn_cursor_open(trace, 0, &error) : NULL;
    struct insn_event event;
    struct control control;
    enum insn_step step;
    bool has_control = false;
    uint64_t number = 0, all = 0, wrong = 0, wrong_conditional = 0;

    if (!cursor) {
        if (trace)
            insn_trace_close(trace);
        branch_unit_free(unit);
        return fail(fault_text(error));
    }
    while ((step = insn_cursor_next(cursor, &event, &error)) != INSN_END && step != INSN_FAILED) {
        uint32_t encoding = 0;
        const uint8_t *bytes;

        if (event.is_marker || event.insn.form != INSN_EXECUTED)
            continue;
        number++;
        if (has_control) {
            struct result result;

            control.query.is_known = true;
            control.query.next_pc = event.insn.pc;
            control.query.is_taken = event.insn.pc != control.query.fall_through;
            if (control.query.seq > lag)
                branch_unit_train(unit, control.query.seq - lag - 1);
            result = predict(unit, &control);
            all++;
            if (result.was_wrong) {
                execute(unit, &control.query);
                branch_unit_train(unit, control.query.seq);
            }
            wrong += result.was_wrong;
            wrong_conditional += result.was_wrong && control.query.is_conditional;
        }
        for (size_t i = 0, length = insn_cursor_bytes(cursor, event.number, &bytes); i < length && i < 4; i++)
            encoding |= (uint32_t)bytes[i] << 8 * i;
        if ((encoding & 3) != 3)
            encoding &= 0xffff;
        has_control = decode(encoding, event.insn.pc, &control);
        control.query.seq = number;
    }
    insn_cursor_close(cursor);
    insn_trace_close(trace);
    branch_unit_free(unit);
    if (step != INSN_END)
        return fail(fault_text(error));
    printf("%s %s lag %" PRIu64 " control %" PRIu64 " mispredicted %" PRIu64 " conditional %" PRIu64 "\n", path, type,
           lag, all, wrong, wrong_conditional);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "pipe") == 0)
        return replay_listing(argv[2], argv[3]);
    if (argc >= 5 && strcmp(argv[1], "trace") == 0) {
        for (int i = 4; i < argc; i++) {
            int const code = replay_trace(argv[2], strtoull(argv[3], NULL, 10), argv[i]);

            if (code != 0)
                return code;
        }
        return 0;
    }
    return fail("use: branch_replay pipe FILE TYPE | branch_replay trace FILE LAG TYPE...");
}
