/* Signature path prefetcher (SPP): the path of deltas through a page, compressed to a signature, predicts the next
 * delta, and the prediction predicts further, as long as it is likely enough.
 *
 * Source: Kim, Pugsley, Gratz, Reddy, Wilkerson, Chishti, "Path confidence based lookahead prefetching", MICRO 2016.
 * Signature table (section 3.1): last line and signature of 256 pages, the least recently used makes room; a delta
 * enters the 12 bits of a signature by a shift of 3 and an exclusive or, as sign and magnitude in 7 bits. Pattern
 * table (3.1): for each of 512 rows 4 deltas that followed, counts of 4 bits; a count that would overflow halves its
 * row, and the delta seen least makes room. Path confidence (3.2, equation 3): share of the delta times the confidence
 * so far times, from the second step on, the accuracy of prefetches before this access (counters of 10 bits, halved
 * together; 0 before the first). Threshold 25 %. Register of page ends (3.3): 8 paths that left a page, with which the
 * next page starts; the least confident makes room. Filter (3.4): 1024 lines fetched already, and which were used. A
 * page without history (signature 0) predicts nothing and teaches nothing: that is what the register is for.
 *
 * The paper's text was not at hand, section numbers are from memory. The signature table, signatures and learning were
 * confirmed by a chapter of a dissertation that has the same example ("Learning memory access
 * patterns"); path confidence, register and filter by study notes that go through the paper's figures. Constants and
 * rules agree with both and with the authors' own program (ChampSim, spp_dev). Where paper and program differ (the
 * register keeps last line and delta in the paper, their sum in the program) the result is the same. Choices: a row by
 * the low 9 bits of the signature, exclusive or its upper 3; an entry of the filter by the low bits of the line; full
 * tags; a delta seen for the first time counts 1 (0 in the program); an access to the same line again does nothing;
 * the eviction of an unused line does not lower the count of useful ones (it does in the program). Not modelled: the
 * paper's second threshold (90 %: lines of less confidence go to the level below): all lines come into this cache and
 * count for the accuracy; the end of a path when the queue of the cache is nearly full. degree: most lines fetched for
 * one access; the paper has no such limit, nor has the default, as many as a page of 64-byte lines has. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum {
    PAGES = 256, SIGNATURE_BITS = 12, SIGNATURE_SHIFT = 3, NO_SIGNATURE = 0, PATTERNS = 512, DELTAS = 4,
    COUNT_MAX = 15, FILTER_LINES = 1024, PAGE_ENDS = 8, ISSUED_MAX = 1023, FULL_CONFIDENCE = 100, THRESHOLD = 25
};

struct page_entry {
    uint64_t page;                       /* number + 1; 0: free */
    uint64_t last_use;
    uint32_t last_line;                  /* in the page */
    uint32_t signature;
};

struct pattern {
    uint32_t signature_count;
    uint32_t delta_counts[DELTAS];
    int32_t deltas[DELTAS];
};

/* A path that left its page: predicts the first access to the next page. */
struct page_end {
    uint32_t signature;
    uint32_t confidence;                 /* 0: free */
    int32_t line;                        /* in the next page */
    int32_t delta;
};

struct filter_entry {
    uint64_t line;                       /* number + 1; 0: free */
    bool is_used;
};

struct signature_path {
    struct page_entry pages[PAGES];
    struct pattern patterns[PATTERNS];
    struct page_end page_ends[PAGE_ENDS];
    struct filter_entry filter[FILTER_LINES];
    uint64_t uses;
    uint32_t issued, useful;             /* halved together before they overflow */
};

/* ---- signatures */

/* A delta enters as sign and magnitude; the sign is the bit above those of a line's number in its page. */
static uint32_t extend(uint32_t signature, int32_t delta, uint32_t page_lines)
{
    uint32_t const code = delta < 0 ? (uint32_t)-delta + page_lines : (uint32_t)delta;

    return ((signature << SIGNATURE_SHIFT) ^ code) & ((1u << SIGNATURE_BITS) - 1);
}

static struct page_entry *find_page(struct signature_path *spp, uint64_t page)
{
    struct page_entry *found = &spp->pages[0];

    for (uint32_t i = 0; i < PAGES && found->page != page; i++)
        if (spp->pages[i].page == page || spp->pages[i].last_use < found->last_use)
            found = &spp->pages[i];
    if (found->page != page)
        *found = (struct page_entry){.page = page};
    return found;
}

/* Signature of a page that is seen for the first time: that of the most likely path that led here. */
static uint32_t first_signature(const struct signature_path *spp, uint32_t line, uint32_t page_lines)
{
    const struct page_end *best = NULL;

    for (uint32_t i = 0; i < PAGE_ENDS; i++) {
        const struct page_end *const end = &spp->page_ends[i];

        if (end->confidence && end->line == (int32_t)line && (!best || end->confidence > best->confidence))
            best = end;
    }
    return best ? extend(best->signature, best->delta, page_lines) : NO_SIGNATURE;
}

/* Takes the place of a path to the same line, else of the least likely one. */
static void remember_page_end(struct signature_path *spp, uint32_t signature, uint32_t confidence, int32_t line,
                              int32_t delta)
{
    struct page_end *place = &spp->page_ends[0];

    for (uint32_t i = 0; i < PAGE_ENDS; i++) {
        struct page_end *const end = &spp->page_ends[i];

        if (end->confidence && end->line == line) {
            place = end;
            break;
        }
        if (end->confidence < place->confidence)
            place = end;
    }
    *place = (struct page_end){.signature = signature, .confidence = confidence, .line = line, .delta = delta};
}

/* ---- patterns */
static struct pattern *pattern_of(struct signature_path *spp, uint32_t signature)
{
    return &spp->patterns[(signature ^ signature / PATTERNS) % PATTERNS];
}

static void spp_learn(struct pattern *pattern, int32_t delta)
{
    uint32_t way = 0;

    for (uint32_t i = 0; i < DELTAS; i++) {
        if (pattern->delta_counts[i] && pattern->deltas[i] == delta) {
            way = i;
            break;
        }
        if (pattern->delta_counts[i] < pattern->delta_counts[way])
            way = i;
    }
    if (pattern->deltas[way] != delta || !pattern->delta_counts[way]) {
        pattern->deltas[way] = delta;
        pattern->delta_counts[way] = 0;
    }
    pattern->delta_counts[way]++;
    pattern->signature_count++;
    if (pattern->signature_count <= COUNT_MAX)       /* no delta has a higher count */
        return;
    pattern->signature_count /= 2;
    for (uint32_t i = 0; i < DELTAS; i++)
        pattern->delta_counts[i] /= 2;
}

/* ---- filter and accuracy */
static struct filter_entry *filter_entry(struct signature_path *spp, uint64_t line)
{
    return &spp->filter[line % FILTER_LINES];
}

static uint32_t accuracy(const struct signature_path *spp)
{
    return spp->issued ? FULL_CONFIDENCE * spp->useful / spp->issued : 0;
}

static void note_use(struct signature_path *spp, uint64_t line)
{
    struct filter_entry *const entry = filter_entry(spp, line);

    if (entry->line == line + 1 && !entry->is_used) {
        entry->is_used = true;
        if (spp->useful < spp->issued)
            spp->useful++;
    }
}

/* Fetches a line unless that was done already. True if it was proposed. */
static bool fetch(struct prefetcher *prefetcher, uint64_t line)
{
    struct signature_path *const spp = prefetcher->own;
    struct filter_entry *const entry = filter_entry(spp, line);

    if (entry->line == line + 1)
        return false;
    *entry = (struct filter_entry){.line = line + 1};
    if (spp->issued == ISSUED_MAX) {
        spp->issued /= 2;
        spp->useful /= 2;
    }
    spp->issued++;
    prefetcher_propose(prefetcher, line << prefetcher->sim->line_shift);
    return true;
}

/* ---- the path */
struct path {
    uint32_t signature;
    uint32_t confidence;
    int32_t line;                        /* in the page */
};

/* One step of lookahead: fetches the likely successors of `path` and extends it by the likeliest delta. False: the
 * path ends. */
static bool spp_step(struct prefetcher *prefetcher, struct path *path, uint64_t first_line, uint32_t scale,
                     uint32_t *budget)
{
    struct signature_path *const spp = prefetcher->own;
    const struct pattern *const pattern = pattern_of(spp, path->signature);
    uint32_t const seen = path->signature == NO_SIGNATURE ? 0 : pattern->signature_count;
    int32_t const page_lines = (int32_t)prefetch_page_lines(prefetcher);
    struct path next = {.confidence = 0};

    for (uint32_t i = 0; i < DELTAS && seen; i++) {
        uint32_t const confidence =
            path->confidence * scale / FULL_CONFIDENCE * pattern->delta_counts[i] / seen;
        int32_t const delta = pattern->deltas[i], line = path->line + delta;

        if (confidence < THRESHOLD)
            continue;
        if (confidence > next.confidence)
            next = (struct path){.signature = extend(path->signature, delta, (uint32_t)page_lines),
                                 .confidence = confidence, .line = line};
        if (line < 0 || line >= page_lines)
            remember_page_end(spp, path->signature, confidence, line < 0 ? line + page_lines : line - page_lines,
                              delta);
        else if (*budget && fetch(prefetcher, first_line + (uint64_t)line))
            --*budget;
    }
    *path = next;
    return next.confidence && next.line >= 0 && next.line < page_lines && *budget;
}

static void spp_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    struct signature_path *const spp = prefetcher->own;
    uint32_t const page_lines = prefetch_page_lines(prefetcher);
    uint32_t const line = prefetch_page_line(prefetcher, access->address);
    uint64_t const first_line = (access->line_address >> prefetcher->sim->line_shift) - line;
    struct page_entry *const page = find_page(spp, (access->address >> PREFETCH_PAGE_SHIFT) + 1);
    struct path path = {.confidence = FULL_CONFIDENCE, .line = (int32_t)line};
    uint32_t budget = prefetcher->degree, scale;
    bool const is_new = page->last_use == 0;
    int32_t const delta = (int32_t)line - (int32_t)page->last_line;

    page->last_use = ++spp->uses;
    note_use(spp, first_line + line);
    if (is_new) {
        page->signature = first_signature(spp, line, page_lines);
    } else if (delta == 0) {
        return;
    } else {
        if (page->signature != NO_SIGNATURE)
            spp_learn(pattern_of(spp, page->signature), delta);
        page->signature = extend(page->signature, delta, page_lines);
    }
    page->last_line = line;
    path.signature = page->signature;
    scale = accuracy(spp);
    for (uint32_t depth = 0; depth < page_lines; depth++)        /* a path may go round in a circle */
        if (!spp_step(prefetcher, &path, first_line, depth ? scale : FULL_CONFIDENCE, &budget))
            break;
}

static void lost(struct prefetcher *prefetcher, uint64_t line_address)
{
    uint64_t const line = line_address >> prefetcher->sim->line_shift;
    struct filter_entry *const entry = filter_entry(prefetcher->own, line);

    if (entry->line == line + 1)
        *entry = (struct filter_entry){.line = 0};
}

const struct prefetcher_ops prefetch_spp = {
    .name = "spp", .own_bytes = sizeof(struct signature_path), .degree = 64, .training = PREFETCH_TRAINING_ACCESSES,
    .train = spp_train, .lost = lost
};
