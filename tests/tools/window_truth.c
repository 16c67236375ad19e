/* Compares a replay with --model window with the detailed core, its truth, pc by pc. Totals can be right by errors that
 * cancel; these counts cannot.
 *
 *     window_truth [OPTION...] TRUTH WINDOW [DEPTRACE]
 *
 * TRUTH and WINDOW: pipeline listings of both (--pipeline FILE.tsv). Of each pc with enough mispredictions in one: the
 * mean cycles from dispatch to completion (what the branch waits for), and from the fetch of the next committed
 * micro-op to its dispatch (the refill behind it, and the walk over the wrong path).
 * DEPTRACE: the data file of the elastic trace that WINDOW is of. Its micro-ops, as they are rebuilt, are paired with
 * those that committed in TRUTH, whose code is decoded as RV64GC: latency, and producers of the sources. Producers
 * further back than REACH count on neither side: they left the ROB long before.
 * Each micro-op is recorded, filtered (only its weight is in the trace), or mispredicted (filtered, with a wrong path
 * behind it). Class right: the latency is that of the true class in the reference's core; a micro-op that waits for all
 * before it does so in both. Sources right: the same producers; in part: some of them, and no other.
 *   --at-least N    mispredictions of a pc before it is looked at (1000)
 *   --within C      cycles that means may be apart (3)
 *   --worst N       pcs to list of those with most wrong classes and sources (10)
 *
 * Prints tables, then lines of `value NAME NUMBER`. Exit code: 0, or 2: something cannot be read. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/isa/isa.h"
#include "replay/config/detailed_params.h"
#include "replay/detailed/uops/crack.h"
#include "replay/window/window.h"
#include "tests/support/stages.h"

enum { TRUTH, WINDOW, SIDES };
enum { REACH = 192, LOOKS = 64, AGREE = 4 };
#define UNPAIRED UINT32_MAX

struct options { unsigned long at_least, worst; double within_cyc; };

static void *taken(size_t count, size_t size)
{
    void *const at = calloc(count + 1, size);

    if (!at) {
        fputs("window_truth: out of memory\n", stderr);
        exit(2);
    }
    return at;
}

/* ---- mispredictions */
struct misprediction { uint64_t pc; unsigned side; int64_t completes_cyc, refills_cyc; };
struct misprediction_sums { double completes_cyc, refills_cyc; size_t count; };

static int by_misprediction_pc(const void *one, const void *other)
{
    uint64_t const a = ((const struct misprediction *)one)->pc, b = ((const struct misprediction *)other)->pc;

    return (a > b) - (a < b);
}

static size_t note_mispredictions(const struct stage_listing *listing, unsigned side, struct misprediction *to)
{
    size_t count = 0;

    for (size_t i = 0; i + 1 < listing->committed_count; i++) {
        const struct stage_row *const branch = &listing->rows[listing->committed[i]];
        const struct stage_row *const next = &listing->rows[listing->committed[i + 1]];

        if (branch->is_mispredicted)
            to[count++] = (struct misprediction){
                branch->pc, side, branch->cycles[STAGE_COMPLETE] - branch->cycles[STAGE_DISPATCH],
                next->cycles[STAGE_DISPATCH] - next->cycles[STAGE_FETCH]};
    }
    return count;
}

static size_t sum_of_pc(const struct misprediction *from, size_t count, struct misprediction_sums sums[SIDES])
{
    size_t used = 0;

    memset(sums, 0, SIDES * sizeof *sums);
    for (; used < count && from[used].pc == from->pc; used++) {
        struct misprediction_sums *const sum = &sums[from[used].side];

        sum->completes_cyc += (double)from[used].completes_cyc;
        sum->refills_cyc += (double)from[used].refills_cyc;
        sum->count++;
    }
    for (unsigned side = 0; side < SIDES; side++) {
        sums[side].completes_cyc /= (double)(sums[side].count > 0 ? sums[side].count : 1);
        sums[side].refills_cyc /= (double)(sums[side].count > 0 ? sums[side].count : 1);
    }
    return used;
}

static void compare_mispredictions(const struct stage_listing listings[SIDES], const struct options *options)
{
    struct misprediction *const all = taken(listings[0].committed_count + listings[1].committed_count, sizeof *all);
    size_t count = note_mispredictions(&listings[TRUTH], TRUTH, all), from_truth;
    size_t pcs = 0, complete = 0, refill = 0;
    struct misprediction_sums sums[SIDES];

    from_truth = count;
    count += note_mispredictions(&listings[WINDOW], WINDOW, all + count);
    qsort(all, count, sizeof *all, by_misprediction_pc);
    printf("mispredictions of a pc, truth and window\npc\tcount\tcount\tdispatch-complete\tdispatch-complete\t"
           "next fetch-dispatch\tnext fetch-dispatch\n");
    for (size_t i = 0; i < count;) {
        uint64_t const pc = all[i].pc;

        i += sum_of_pc(&all[i], count - i, sums);
        if (sums[TRUTH].count < options->at_least && sums[WINDOW].count < options->at_least)
            continue;
        bool const is_there = sums[TRUTH].count > 0 && sums[WINDOW].count > 0;
        bool const completes = is_there
            && fabs(sums[WINDOW].completes_cyc - sums[TRUTH].completes_cyc) <= options->within_cyc;
        bool const refills = is_there
            && fabs(sums[WINDOW].refills_cyc - sums[TRUTH].refills_cyc) <= options->within_cyc;

        printf("%" PRIx64 "\t%zu\t%zu\t%.2f\t%.2f%s\t%.2f\t%.2f%s\n", pc, sums[TRUTH].count, sums[WINDOW].count,
               sums[TRUTH].completes_cyc, sums[WINDOW].completes_cyc, completes ? "" : " *", sums[TRUTH].refills_cyc,
               sums[WINDOW].refills_cyc, refills ? "" : " *");
        pcs++;
        complete += completes;
        refill += refills;
    }
    printf("value\ttrue_mispredictions\t%zu\nvalue\tmispredictions\t%zu\n", from_truth, count - from_truth);
    printf("value\tpcs\t%zu\nvalue\tcomplete_within\t%zu\nvalue\trefill_within\t%zu\n", pcs, complete, refill);
    free(all);
}

/* ---- micro-ops of both */
struct op {
    uint64_t pc;
    uint32_t sources[UOP_SOURCES];       /* numbers of micro-ops of its side */
    uint32_t pair;                       /* number of that of the other side; UNPAIRED */
    uint8_t source_count, latency_cyc;
    bool serialises, is_access, is_filtered, is_mispredicted;
};
struct ops { struct op *list; size_t count, room; };

static void add_source(struct op *op, uint32_t number, uint32_t producer)
{
    for (unsigned i = 0; i < op->source_count; i++)
        if (op->sources[i] == producer)
            return;
    if (number - producer <= REACH && op->source_count < UOP_SOURCES)
        op->sources[op->source_count++] = producer;
}

/* writers: of each register the number of the micro-op that wrote it last, plus 1. */
static struct op op_of(const struct uop *uop, uint64_t pc, uint32_t number, uint32_t *writers,
                       const struct detailed_params *params)
{
    struct op op = {.pc = pc, .pair = UNPAIRED, .is_access = (uop->flags & (UOP_LOAD | UOP_STORE)) != 0,
                    .latency_cyc = (uint8_t)(uop->latency_cyc > 0 ? uop->latency_cyc : params->latency_cyc[uop->op]),
                    .serialises = (uop->flags & (UOP_ATOMIC | UOP_SERIALISE_AFTER | UOP_SERIALISE_BEFORE)) != 0};

    for (unsigned i = 0; i < uop->source_count; i++)
        if (writers[uop->sources[i]] > 0)
            add_source(&op, number, writers[uop->sources[i]] - 1);
    for (unsigned i = 0; i < uop->result_count; i++)
        writers[uop->results[i]] = number + 1;
    return op;
}

static void decode(struct isa_decoder *decoder, const struct stage_row *row, struct crack_uops *uops)
{
    uint8_t bytes[4];
    struct isa_insn what;

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(row->encoding >> 8 * i);
    memset(&what, 0, sizeof what);
    if (!isa_decode(decoder, row->pc, bytes, sizeof bytes, &what)) {
        crack_nothing(uops);
        return;
    }
    struct crack_insn const insn = {.isa = ISA_RV64, .what = &what, .kind = (enum isa_kind)what.kind, .bytes = bytes,
                                    .length = what.size_bytes};

    crack(&insn, crack_usual(&what), uops);
}

static struct ops true_ops(const struct stage_listing *listing, const struct detailed_params *params,
                           struct fault *fault)
{
    struct ops ops = {.list = taken(listing->committed_count, sizeof *ops.list)};
    struct isa_decoder *const decoder = isa_decoder_open(ISA_RV64, fault);
    uint32_t writers[UOP_REGISTERS] = {0};
    struct crack_uops uops;

    for (size_t i = 0; decoder && i < listing->committed_count; i++) {
        const struct stage_row *const row = &listing->rows[listing->committed[i]];

        decode(decoder, row, &uops);
        unsigned const which = row->micro_op < uops.count ? row->micro_op : uops.count - 1;

        ops.list[ops.count] = op_of(&uops.list[which], row->pc, (uint32_t)ops.count, writers, params);
        ops.count++;
    }
    isa_decoder_close(decoder);
    return ops;
}

static void put_op(struct ops *ops, const struct op *op)
{
    if (ops->count == ops->room) {
        struct op *const list = taken(2 * ops->room + 1024, sizeof *list);

        if (ops->count > 0)
            memcpy(list, ops->list, ops->count * sizeof *list);
        free(ops->list);
        ops->list = list;
        ops->room = 2 * ops->room + 1024;
    }
    ops->list[ops->count++] = *op;
}

static struct ops ops_of_supply(struct supply *supply, const struct detailed_params *params, struct fault *fault)
{
    uint32_t *const writers = taken(supply->register_count, sizeof *writers);
    const struct supply_insn *insn;
    struct ops ops = {0};

    while (supply_right(supply, ops.count, &insn, fault) == SUPPLY_INSN) {
        struct op op = op_of(insn->uops, insn->pc, (uint32_t)ops.count, writers, params);

        op.is_filtered = insn->uops->result_count == 0 && !op.is_access;
        op.is_mispredicted = insn->outcome == SUPPLY_MISPREDICTED;
        put_op(&ops, &op);
        supply_release(supply, ops.count);
    }
    free(writers);
    return ops;
}

static struct ops rebuilt_ops(const char *path, const struct detailed_params *params, struct fault *fault)
{
    struct reader_records records[2] = {{0}, {0}};
    struct dep_reader *readers[2] = {NULL, NULL};
    struct window_setup setup = {.text_offset = 0};
    struct window *window = NULL;
    struct ops ops = {0};

    for (unsigned i = 0; i < 2 && (i == 0 || readers[0]); i++)
        readers[i] = dep_reader_open(path, fault);
    if (readers[0] && readers[1]) {
        setup.learnt_from = record_source_of_reader(&records[0], readers[0], path);
        setup.records = record_source_of_reader(&records[1], readers[1], path);
        window = window_open(&setup, fault);
    }
    if (window)
        ops = ops_of_supply(window_supply(window), params, fault);
    window_close(window);
    for (unsigned i = 0; i < 2; i++) {
        reader_records_free(&records[i]);
        dep_reader_close(readers[i]);
    }
    return ops;
}

/* ---- pairs */
static bool agree(const struct ops *one, size_t i, const struct ops *other, size_t j)
{
    for (unsigned k = 0; k < AGREE; k++, i++, j++)
        if (i >= one->count || j >= other->count || one->list[i].pc != other->list[j].pc)
            return false;
    return true;
}

/* How many both are to go on for some micro-ops at the same pcs: as many, if that is soon, since a filtered one whose
 * pc was guessed wrong is one on both sides; else the fewest in all. False: not soon. */
static bool find_again(const struct ops *truth, size_t *i, const struct ops *window, size_t *j)
{
    for (size_t on = 1; on <= LOOKS / 2; on++)
        if (agree(truth, *i + on, window, *j + on)) {
            *i += on;
            *j += on;
            return true;
        }
    for (size_t sum = 1; sum <= LOOKS; sum++)
        for (size_t on = 0; on <= sum; on++)
            if (agree(truth, *i + on, window, *j + sum - on)) {
                *i += on;
                *j += sum - on;
                return true;
            }
    return false;
}

static void pair_ops(struct ops *truth, struct ops *window)
{
    size_t i = 0, j = 0;

    while (i < truth->count && j < window->count) {
        if (truth->list[i].pc == window->list[j].pc) {
            truth->list[i].pair = (uint32_t)j;
            window->list[j].pair = (uint32_t)i;
        } else if (find_again(truth, &i, window, &j)) {
            continue;
        }
        i++;
        j++;
    }
}

/* ---- classes and sources */
enum kind { RECORDED, FILTERED, MISPREDICTED, KINDS };
static const char *const kind_names[KINDS] = {"recorded", "filtered", "mispredicted"};

enum { CLASSES, CLASS_RIGHT, SOURCES, SOURCES_RIGHT, SOURCES_IN_PART, COUNTS };
struct judged {
    uint64_t pc;
    enum kind kind;
    size_t counts[COUNTS];
    uint64_t wanted_pc, found_pc;        /* a producer of one with wrong sources, true and rebuilt; 0: it has none */
};

static bool has_source(const struct op *op, uint32_t producer)
{
    for (unsigned i = 0; i < op->source_count; i++)
        if (op->sources[i] == producer)
            return true;
    return false;
}

/* The nearest. */
static uint64_t producer_pc(const struct ops *ops, const struct op *op)
{
    uint32_t nearest = 0;

    for (unsigned i = 0; i < op->source_count; i++)
        nearest = op->sources[i] > nearest ? op->sources[i] : nearest;
    return op->source_count > 0 ? ops->list[nearest].pc : 0;
}

static struct judged judge(const struct ops *truth, const struct ops *window, const struct op *op)
{
    const struct op *const really = &truth->list[op->pair];
    struct judged judged = {.pc = op->pc, .kind = !op->is_filtered ? RECORDED : op->is_mispredicted ? MISPREDICTED
                                                                                                   : FILTERED};
    unsigned found = 0;

    judged.counts[CLASSES] = !op->is_access || !really->is_access;
    judged.counts[CLASS_RIGHT] = judged.counts[CLASSES] && op->is_access == really->is_access
        && op->serialises == really->serialises && (op->serialises || op->latency_cyc == really->latency_cyc);
    for (unsigned i = 0; i < op->source_count; i++)
        found += has_source(really, window->list[op->sources[i]].pair);
    judged.counts[SOURCES] = really->source_count > 0 || op->source_count > 0;
    judged.counts[SOURCES_RIGHT] = judged.counts[SOURCES] && found == op->source_count
                                && found == really->source_count;
    judged.counts[SOURCES_IN_PART] = found > 0 && found == op->source_count && found < really->source_count;
    if (judged.counts[SOURCES] > judged.counts[SOURCES_RIGHT] + judged.counts[SOURCES_IN_PART]) {
        judged.wanted_pc = producer_pc(truth, really);
        judged.found_pc = producer_pc(window, op);
    }
    return judged;
}

static int by_judged_pc(const void *one, const void *other)
{
    const struct judged *const a = one, *const b = other;

    return a->pc != b->pc ? (a->pc > b->pc) - (a->pc < b->pc) : (int)a->kind - (int)b->kind;
}

static size_t wrong_of(const struct judged *judged)
{
    return judged->counts[CLASSES] - judged->counts[CLASS_RIGHT] + judged->counts[SOURCES]
         - judged->counts[SOURCES_RIGHT] - judged->counts[SOURCES_IN_PART];
}

static int by_wrong(const void *one, const void *other)
{
    size_t const a = wrong_of(one), b = wrong_of(other);

    return a != b ? (a < b) - (a > b) : by_judged_pc(one, other);
}

static void add_counts(size_t to[COUNTS], const size_t from[COUNTS])
{
    for (unsigned i = 0; i < COUNTS; i++)
        to[i] += from[i];
}

/* Sums of the same pc and kind; `list` is sorted. */
static size_t join(struct judged *list, size_t count)
{
    size_t joined = 0;

    for (size_t i = 0; i < count; i++) {
        if (joined == 0 || by_judged_pc(&list[joined - 1], &list[i]) != 0) {
            list[joined++] = list[i];
            continue;
        }
        add_counts(list[joined - 1].counts, list[i].counts);
        if (list[i].wanted_pc > 0 || list[i].found_pc > 0) {
            list[joined - 1].wanted_pc = list[i].wanted_pc;
            list[joined - 1].found_pc = list[i].found_pc;
        }
    }
    return joined;
}

static double share_pct(size_t part, size_t of)
{
    return of > 0 ? 100 * (double)part / (double)of : 100;
}

static void print_judged(const struct judged *list, size_t count, const struct options *options)
{
    printf("classes and sources, worst first\n"
           "pc\tkind\tclasses\tright\tsources\tright\tin part\ta true one\tin its place\n");
    for (size_t i = 0; i < count && i < options->worst && wrong_of(&list[i]) > 0; i++) {
        const size_t *const counts = list[i].counts;

        printf("%" PRIx64 "\t%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%" PRIx64 "\t%" PRIx64 "\n", list[i].pc,
               kind_names[list[i].kind],
               counts[CLASSES], counts[CLASS_RIGHT], counts[SOURCES], counts[SOURCES_RIGHT], counts[SOURCES_IN_PART],
               list[i].wanted_pc, list[i].found_pc);
    }
}

static void print_shares(const struct judged *list, size_t count)
{
    size_t totals[KINDS][COUNTS] = {{0}};

    for (size_t i = 0; i < count; i++)
        add_counts(totals[list[i].kind], list[i].counts);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const size_t *const total = totals[kind];

        printf("value\t%s_class_pct\t%.2f\n", kind_names[kind], share_pct(total[CLASS_RIGHT], total[CLASSES]));
        printf("value\t%s_sources_pct\t%.2f\n", kind_names[kind], share_pct(total[SOURCES_RIGHT], total[SOURCES]));
        printf("value\t%s_in_part_pct\t%.2f\n", kind_names[kind],
               total[SOURCES] > 0 ? share_pct(total[SOURCES_IN_PART], total[SOURCES]) : 0);
    }
}

static void compare_ops(const struct ops *truth, const struct ops *window, const struct options *options)
{
    struct judged *const list = taken(window->count, sizeof *list);
    size_t count = 0, paired;

    for (size_t i = 0; i < window->count; i++)
        if (window->list[i].pair != UNPAIRED)
            list[count++] = judge(truth, window, &window->list[i]);
    paired = count;
    qsort(list, count, sizeof *list, by_judged_pc);
    count = join(list, count);
    qsort(list, count, sizeof *list, by_wrong);
    print_judged(list, count, options);
    printf("value\tpaired_pct\t%.2f\n", share_pct(paired, truth->count));
    print_shares(list, count);
    free(list);
}

static struct fault compare_trace(const struct stage_listing *listing, const char *trace,
                                  const struct options *options)
{
    struct fault fault = fault_none();
    struct detailed_params params;
    struct ops truth, window = {0};

    detailed_params_defaults(&params);
    truth = true_ops(listing, &params, &fault);
    if (fault.kind == FAULT_NONE)
        window = rebuilt_ops(trace, &params, &fault);
    if (fault.kind == FAULT_NONE) {
        pair_ops(&truth, &window);
        compare_ops(&truth, &window, options);
    }
    free(truth.list);
    free(window.list);
    return fault;
}

/* ---- the whole */
static int usage(void)
{
    fputs("Usage: window_truth [--at-least N] [--within C] [--worst N] TRUTH WINDOW [DEPTRACE]\n", stderr);
    return 2;
}

static bool take_option(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--at-least") == 0)
        options->at_least = strtoul(value, NULL, 10);
    else if (strcmp(name, "--within") == 0)
        options->within_cyc = strtod(value, NULL);
    else if (strcmp(name, "--worst") == 0)
        options->worst = strtoul(value, NULL, 10);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.at_least = 1000, .worst = 10, .within_cyc = 3};
    struct stage_listing listings[SIDES];
    struct fault fault = fault_none();
    unsigned read = 0;
    int next = 1;

    for (; next + 1 < argc && strncmp(argv[next], "--", 2) == 0; next += 2)
        if (!take_option(&options, argv[next], argv[next + 1]))
            return usage();
    if (argc - next != SIDES && argc - next != SIDES + 1)
        return usage();
    while (read < SIDES && !FAILS(fault, stages_read(&listings[read], argv[next + (int)read])))
        read++;
    if (fault.kind == FAULT_NONE) {
        compare_mispredictions(listings, &options);
        if (argc - next > SIDES)
            fault = compare_trace(&listings[TRUTH], argv[next + SIDES], &options);
    }
    while (read > 0)
        stages_free(&listings[--read]);
    if (fault.kind == FAULT_NONE)
        return 0;
    fprintf(stderr, "window_truth: %s\n", fault_text(fault));
    return 2;
}
