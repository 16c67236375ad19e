/* memsys/gpu/sector_cache.h: what each policy promises, and random accesses against a slow model of gpu-traces 12.1. */
#include "memsys/gpu/gpu_params.h"
#include "memsys/gpu/sector_cache.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

#define WHOLE UINT64_C(0xffffffff)

static struct sector_result result;
static uint64_t tokens[64];

static struct sector_cache_params plain_params(void)
{
    return (struct sector_cache_params){.sets = 4, .ways = 2, .line_bytes = 128, .sector_bytes = 32,
                                        .alloc = SECTOR_ON_MISS, .write = SECTOR_WRITE_BACK,
                                        .write_miss = SECTOR_LAZY_FETCH, .index = SET_LINEAR, .mshrs = 8, .merges = 2,
                                        .miss_queue = 8, .dirty_percent = 0};
}

static struct sector_cache *made(const struct sector_cache_params *params)
{
    struct sector_cache *cache;
    struct fault const fault = sector_cache_init(&cache, params);

    assert_string_equal(fault_text(fault), "");
    return cache;
}

static enum sector_outcome read_at(struct sector_cache *cache, uint64_t address, uint64_t token)
{
    struct sector_access const access = {.address = address, .token = token};

    sector_cache_access(cache, &access, 8, &result);
    return result.outcome;
}

static enum sector_outcome write_at(struct sector_cache *cache, uint64_t address, uint64_t mask, void *owner)
{
    struct sector_access const access = {.address = address, .byte_mask = mask, .owner = owner, .is_write = true};

    sector_cache_access(cache, &access, 8, &result);
    return result.outcome;
}

static void reads_miss_wait_and_hit(void **state)
{
    struct sector_cache_params const params = plain_params();
    struct sector_cache *const cache = made(&params);

    assert_int_equal(read_at(cache, 0x1000, 1), SECTOR_MISS);
    assert_true(result.is_waiting);
    assert_int_equal(result.send_count, 1);
    assert_int_equal(result.sends[0].address, 0x1000);
    assert_int_equal(result.sends[0].bytes, 32);
    assert_int_equal(read_at(cache, 0x1000, 2), SECTOR_HIT_RESERVED);
    assert_int_equal(result.send_count, 0);
    assert_int_equal(read_at(cache, 0x1000, 3), SECTOR_RESERVATION_FAIL);    /* merges */
    assert_int_equal(read_at(cache, 0x1020, 4), SECTOR_SECTOR_MISS);
    assert_int_equal(sector_cache_outstanding(cache), 2);
    assert_int_equal(sector_cache_fill(cache, 0x1000, tokens, &result), 2);
    assert_int_equal(tokens[0], 1);
    assert_int_equal(tokens[1], 2);
    assert_int_equal(read_at(cache, 0x1000, 5), SECTOR_HIT);
    assert_false(result.is_waiting);
    assert_int_equal(sector_cache_fill(cache, 0x1020, tokens, &result), 1);
    sector_cache_free(cache);
}

static void pending_lines_are_no_victims(void **state)
{
    struct sector_cache_params const params = plain_params();
    struct sector_cache *const cache = made(&params);

    read_at(cache, 0x000, 1);
    read_at(cache, 0x200, 2);
    assert_int_equal(read_at(cache, 0x400, 3), SECTOR_RESERVATION_FAIL);
    sector_cache_fill(cache, 0x200, tokens, &result);
    assert_int_equal(read_at(cache, 0x400, 3), SECTOR_MISS);
    sector_cache_fill(cache, 0x000, tokens, &result);
    sector_cache_fill(cache, 0x400, tokens, &result);
    assert_int_equal(read_at(cache, 0x000, 1), SECTOR_HIT);
    assert_int_equal(read_at(cache, 0x200, 1), SECTOR_MISS);
    sector_cache_free(cache);
}

static void partial_writes_are_fetched_when_read(void **state)
{
    struct sector_cache_params const params = plain_params();
    struct sector_cache *const cache = made(&params);
    int a, b, c;

    assert_int_equal(write_at(cache, 0x1000, 0xff, &a), SECTOR_MISS);
    assert_int_equal(result.send_count, 0);
    assert_int_equal(read_at(cache, 0x1000, 1), SECTOR_SECTOR_MISS);
    assert_int_equal(result.send_count, 1);
    sector_cache_fill(cache, 0x1000, tokens, &result);
    assert_int_equal(read_at(cache, 0x1000, 1), SECTOR_HIT);
    assert_int_equal(write_at(cache, 0x1020, WHOLE ^ 1, &b), SECTOR_SECTOR_MISS);
    assert_int_equal(write_at(cache, 0x1020, 1, &b), SECTOR_HIT);            /* all bytes are there now */
    assert_int_equal(read_at(cache, 0x1020, 1), SECTOR_HIT);
    write_at(cache, 0x1200, WHOLE, &c);
    assert_int_equal(write_at(cache, 0x1400, WHOLE, &c), SECTOR_MISS);       /* pushes 0x1000 out */
    assert_int_equal(result.send_count, 2);
    assert_true(result.sends[0].is_write_back);
    assert_int_equal(result.sends[0].address, 0x1000);
    assert_ptr_equal(result.sends[0].owner, &a);
    assert_int_equal(result.sends[1].address, 0x1020);
    assert_ptr_equal(result.sends[1].owner, &b);
    sector_cache_free(cache);
}

static void modified_lines_are_spared(void **state)
{
    struct sector_cache_params params = plain_params();
    struct sector_cache *cache;

    params.dirty_percent = 25;                           /* two of eight lines */
    cache = made(&params);
    write_at(cache, 0x000, WHOLE, NULL);
    read_at(cache, 0x200, 1);
    sector_cache_fill(cache, 0x200, tokens, &result);
    assert_int_equal(read_at(cache, 0x400, 1), SECTOR_MISS);
    assert_int_equal(result.send_count, 1);              /* the clean line went, though it is younger */
    assert_int_equal(read_at(cache, 0x600, 1), SECTOR_RESERVATION_FAIL);
    sector_cache_fill(cache, 0x400, tokens, &result);
    write_at(cache, 0x080, WHOLE, NULL);
    assert_int_equal(read_at(cache, 0x600, 1), SECTOR_MISS);
    assert_int_equal(result.send_count, 2);
    assert_int_equal(result.sends[1].address, 0x000);
    sector_cache_free(cache);
}

static void a_full_queue_below_refuses(void **state)
{
    struct sector_cache_params const params = plain_params();
    struct sector_cache *const cache = made(&params);
    struct sector_access const access = {.address = 0x800};

    write_at(cache, 0x000, WHOLE, NULL);
    write_at(cache, 0x200, WHOLE, NULL);
    sector_cache_access(cache, &access, 1, &result);
    assert_int_equal(result.outcome, SECTOR_RESERVATION_FAIL);
    assert_int_equal(sector_cache_outstanding(cache), 0);
    sector_cache_access(cache, &access, 2, &result);
    assert_int_equal(result.outcome, SECTOR_MISS);
    assert_int_equal(result.send_count, 2);
    sector_cache_free(cache);
}

static void atomics_make_sectors_dirty(void **state)
{
    struct sector_cache_params const params = plain_params();
    struct sector_cache *const cache = made(&params);
    int owner;
    struct sector_access const access = {.address = 0x800, .token = 7, .is_atomic = true, .owner = &owner};

    sector_cache_access(cache, &access, 8, &result);
    assert_int_equal(result.outcome, SECTOR_MISS);
    assert_int_equal(sector_cache_fill(cache, 0x800, tokens, &result), 1);
    sector_cache_access(cache, &access, 8, &result);
    assert_int_equal(result.outcome, SECTOR_HIT);
    write_at(cache, 0xa00, WHOLE, NULL);
    write_at(cache, 0xc00, WHOLE, NULL);
    assert_int_equal(result.send_count, 1);
    assert_ptr_equal(result.sends[0].owner, &owner);
    sector_cache_free(cache);
}

static void writes_through_evict_and_past(void **state)
{
    struct sector_cache_params params = plain_params();
    struct sector_cache *cache;
    struct sector_access local = {.address = 0x100, .byte_mask = WHOLE, .is_write = true, .is_local = true};

    params.write = SECTOR_WRITE_THROUGH;
    cache = made(&params);
    assert_int_equal(write_at(cache, 0x100, 0xf, NULL), SECTOR_MISS);
    assert_int_equal(result.send_count, 1);
    assert_int_equal(result.sends[0].bytes, 4);
    assert_int_equal(write_at(cache, 0x100, 0xf, NULL), SECTOR_HIT);
    assert_int_equal(result.send_count, 1);
    sector_cache_free(cache);

    params.write = SECTOR_WRITE_EVICT;
    cache = made(&params);
    sector_cache_preload(cache, 0x100);
    assert_int_equal(write_at(cache, 0x100, 0xf, NULL), SECTOR_HIT);
    assert_int_equal(write_at(cache, 0x100, 0xf, NULL), SECTOR_MISS);
    sector_cache_free(cache);

    params.write = SECTOR_LOCAL_BACK_GLOBAL_THROUGH;
    cache = made(&params);
    sector_cache_access(cache, &local, 8, &result);
    assert_int_equal(result.send_count, 0);
    assert_int_equal(read_at(cache, 0x100, 1), SECTOR_HIT);
    assert_int_equal(write_at(cache, 0x100, WHOLE, NULL), SECTOR_HIT);
    assert_int_equal(result.send_count, 1);
    assert_int_equal(read_at(cache, 0x100, 1), SECTOR_MISS);
    sector_cache_free(cache);
}

static void keep(void *context, const struct sector_send *send)
{
    uint64_t *const sum = context;

    *sum = *sum * 16 + send->address / 32;
}

static void flush_writes_back_and_empties(void **state)
{
    struct sector_cache_params const params = plain_params();
    struct sector_cache *const cache = made(&params);
    uint64_t sum = 0;

    write_at(cache, 0x020, WHOLE, NULL);
    write_at(cache, 0x060, WHOLE, NULL);
    write_at(cache, 0x080, 1, NULL);
    sector_cache_flush(cache, keep, &sum);
    assert_int_equal(sum, 0x134);
    assert_int_equal(read_at(cache, 0x020, 1), SECTOR_MISS);
    sector_cache_fill(cache, 0x020, tokens, &result);
    sector_cache_flush(cache, NULL, NULL);
    sector_cache_set_ways(cache, 1);
    sector_cache_preload(cache, 0x000);
    sector_cache_preload(cache, 0x200);
    assert_int_equal(read_at(cache, 0x200, 1), SECTOR_HIT);
    assert_int_equal(read_at(cache, 0x000, 1), SECTOR_MISS);
    sector_cache_free(cache);
}

/* Consecutive lines, as many as the cache has, share its sets evenly by any index. */
static void indexes_use_all_sets(void **state)
{
    static const enum set_index kinds[] = {SET_LINEAR, SET_FERMI, SET_IPOLY, SET_XOR};

    for (unsigned i = 0; i < 8; i++) {
        struct sector_cache_params params = plain_params();
        uint64_t const base = UINT64_C(0x123450000) * i & ~UINT64_C(0xffff);
        struct sector_cache *cache;

        params.sets = i < 4 ? 32 : 64;
        params.index = kinds[i % 4];
        cache = made(&params);
        for (uint64_t line = 0; line < 2 * params.sets; line++)
            sector_cache_preload(cache, base + 128 * line);
        for (uint64_t line = 0; line < 2 * params.sets; line++)
            assert_int_equal(read_at(cache, base + 128 * line, 1), SECTOR_HIT);
        sector_cache_free(cache);
    }
}

static void faults_name_the_key(void **state)
{
    struct sector_cache_params params = plain_params();
    struct sector_cache *cache;
    struct fault fault;

    params.sector_bytes = 48;
    fault = sector_cache_init(&cache, &params);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "sector"));
    params = plain_params();
    params.index = SET_FERMI;
    fault = sector_cache_init(&cache, &params);
    assert_non_null(strstr(fault_text(fault), "32 or 64"));
    assert_null(cache);
}

/* --- random accesses against a slow model ------------------------------------------------------------------------ */

enum { MODEL_LINES = 64, MODEL_SECTORS = 4, MODEL_FETCHES = 16, MODEL_SENDS = 16 };

struct model_sector {
    bool pending, readable, modified;
    uint64_t mask;
    void *owner;
};

struct model_line {
    bool is_used;
    uint64_t number, time;
    struct model_sector sectors[MODEL_SECTORS];
};

struct model_fetch {
    uint64_t address, tokens[64];
    unsigned count;
    bool has_atomic;
    void *owner;
};

struct model {
    struct sector_cache_params p;
    struct model_line lines[MODEL_LINES];        /* set by set */
    struct model_fetch fetches[MODEL_FETCHES];
    unsigned fetch_count;
    uint64_t time;
    struct sector_send sends[MODEL_SENDS];
    unsigned send_count;
    bool is_waiting;
};

static bool any(const struct model_line *line, bool pending)
{
    for (unsigned i = 0; i < MODEL_SECTORS; i++)
        if (pending ? line->sectors[i].pending : line->sectors[i].modified)
            return true;
    return false;
}

static struct model_line *model_set(struct model *model, uint64_t address)
{
    return &model->lines[address / model->p.line_bytes % model->p.sets * model->p.ways];
}

static struct model_line *model_find(struct model *model, uint64_t address)
{
    struct model_line *const set = model_set(model, address);

    for (uint64_t way = 0; way < model->p.ways; way++)
        if (set[way].is_used && set[way].number == address / model->p.line_bytes)
            return &set[way];
    return NULL;
}

static struct model_line *model_room(struct model *model, uint64_t address)
{
    struct model_line *const set = model_set(model, address), *best = NULL;
    uint64_t modified = 0;
    bool is_pending = false, spares;

    for (unsigned i = 0; i < MODEL_LINES; i++)
        modified += model->lines[i].is_used && any(&model->lines[i], false);
    spares = modified * 100 < model->p.dirty_percent * model->p.sets * model->p.ways;
    for (uint64_t way = 0; way < model->p.ways; way++) {
        if (!set[way].is_used)
            return &set[way];
        is_pending |= any(&set[way], true);
    }
    for (unsigned round = 0; !best && round < 2; round++)
        for (uint64_t way = 0; way < model->p.ways; way++) {
            bool const is_spared = spares && any(&set[way], false) && (round == 0 || is_pending);

            if (!any(&set[way], true) && !is_spared && (!best || set[way].time < best->time))
                best = &set[way];
        }
    return best;
}

static bool model_writes_back(const struct model *model)
{
    return model->p.write == SECTOR_WRITE_BACK || model->p.write == SECTOR_LOCAL_BACK_GLOBAL_THROUGH;
}

static void model_take(struct model *model, struct model_line *line, uint64_t address)
{
    for (unsigned i = 0; line->is_used && model_writes_back(model) && i < MODEL_SECTORS; i++)
        if (line->sectors[i].modified)
            model->sends[model->send_count++] = (struct sector_send){
                .address = line->number * model->p.line_bytes + i * model->p.sector_bytes,
                .bytes = (uint32_t)model->p.sector_bytes, .is_write = true, .is_write_back = true,
                .owner = line->sectors[i].owner};
    *line = (struct model_line){.is_used = true, .number = address / model->p.line_bytes, .time = ++model->time};
}

static struct model_fetch *model_fetch(struct model *model, uint64_t address)
{
    for (unsigned i = 0; i < model->fetch_count; i++)
        if (model->fetches[i].address == address)
            return &model->fetches[i];
    return NULL;
}

static void model_send(struct model *model, const struct sector_access *access, bool is_write)
{
    model->sends[model->send_count++] = (struct sector_send){
        .address = access->address, .is_write = is_write, .owner = access->owner,
        .bytes = is_write ? (uint32_t)__builtin_popcountll(access->byte_mask) : (uint32_t)model->p.sector_bytes};
}

static void model_modify(struct model *model, struct model_line *line, struct model_sector *sector,
                         const struct sector_access *access)
{
    if (!sector->modified)
        sector->mask = 0;
    sector->mask |= access->byte_mask;
    sector->readable |= sector->mask == WHOLE;
    sector->modified = true;
    sector->owner = access->owner;
    line->time = ++model->time;
}

static enum sector_outcome model_access(struct model *model, const struct sector_access *access, unsigned room)
{
    struct model_line *line = model_find(model, access->address);
    unsigned const number = (unsigned)(access->address / model->p.sector_bytes % MODEL_SECTORS);
    struct model_sector *sector = line ? &line->sectors[number] : NULL;
    struct model_fetch *fetch = model_fetch(model, access->address);
    uint64_t const write = model->p.write;
    bool const is_around = write == SECTOR_READ_ONLY || write == SECTOR_WRITE_EVICT
                           || (write == SECTOR_LOCAL_BACK_GLOBAL_THROUGH && !access->is_local);
    bool const takes_line = !access->is_write ? model->p.alloc == SECTOR_ON_MISS
                                              : model->p.write_miss != SECTOR_NO_ALLOCATE;
    enum sector_outcome outcome;
    struct model_line *to = NULL;
    unsigned need;
    bool fetches, sends;

    model->send_count = 0;
    model->is_waiting = false;
    if (sector && sector->readable)
        outcome = SECTOR_HIT;
    else if (fetch)
        outcome = SECTOR_HIT_RESERVED;
    else if (!line)
        outcome = SECTOR_MISS;
    else
        outcome = access->is_write && sector->modified ? SECTOR_HIT : SECTOR_SECTOR_MISS;
    if (access->is_write && is_around) {
        if (room < 1)
            return SECTOR_RESERVATION_FAIL;
        model_send(model, access, true);
        if (line) {
            sector->readable = sector->modified = false;
            line->time = ++model->time;
            line->is_used = false;
            for (unsigned i = 0; i < MODEL_SECTORS; i++)
                line->is_used |= line->sectors[i].readable || line->sectors[i].modified || line->sectors[i].pending;
        }
        return outcome;
    }
    if (outcome == SECTOR_HIT) {
        sends = access->is_write && write == SECTOR_WRITE_THROUGH;
        if (sends && room < 1)
            return SECTOR_RESERVATION_FAIL;
        if (sends)
            model_send(model, access, true);
        if (access->is_write || access->is_atomic)
            model_modify(model, line, sector, access);
        line->time = ++model->time;
        return outcome;
    }
    if (!access->is_write) {
        fetches = !fetch;
        sends = false;
    } else {
        sends = write == SECTOR_WRITE_THROUGH || model->p.write_miss == SECTOR_FETCH_AND_WRITE
                || model->p.write_miss == SECTOR_NO_ALLOCATE;
        fetches = !fetch && (model->p.write_miss == SECTOR_FETCH_AND_WRITE
                             || (model->p.write_miss == SECTOR_FETCH_ON_WRITE && access->byte_mask != WHOLE));
    }
    if (takes_line) {
        to = line ? line : model_room(model, access->address);
        if (!to)
            return SECTOR_RESERVATION_FAIL;
    }
    need = (unsigned)sends + fetches + (!line && to && to->is_used && any(to, false) && model_writes_back(model));
    if (need > room && room < model->p.miss_queue)
        return SECTOR_RESERVATION_FAIL;
    if ((fetches && model->fetch_count == model->p.mshrs)
        || (!access->is_write && fetch && fetch->count == model->p.merges))
        return SECTOR_RESERVATION_FAIL;
    if (sends)
        model_send(model, access, true);
    if (fetches) {
        model_send(model, access, false);
        fetch = &model->fetches[model->fetch_count++];
        *fetch = (struct model_fetch){.address = access->address};
    }
    if (!access->is_write) {
        fetch->tokens[fetch->count++] = access->token;
        if (access->is_atomic) {
            fetch->has_atomic = true;
            fetch->owner = access->owner;
        }
        model->is_waiting = true;
    }
    if (to && !line)
        model_take(model, to, access->address);
    if (!to)
        to = line;
    if (!to || (access->is_write && !takes_line))
        return outcome;
    to->time = ++model->time;
    sector = &to->sectors[number];
    sector->pending |= (fetches || !access->is_write) && takes_line;
    if (access->is_write && model->p.write_miss != SECTOR_FETCH_AND_WRITE)
        model_modify(model, to, sector, access);
    return outcome;
}

static unsigned model_fill(struct model *model, uint64_t address, uint64_t *waiting)
{
    struct model_fetch *const fetch = model_fetch(model, address);
    unsigned const count = fetch->count;
    struct model_line *line = model_find(model, address);

    model->send_count = 0;
    if (!line) {
        line = model_room(model, address);
        if (line)
            model_take(model, line, address);
    }
    if (line) {
        struct model_sector *const sector = &line->sectors[address / model->p.sector_bytes % MODEL_SECTORS];

        sector->pending = false;
        sector->readable = true;
        if (fetch->has_atomic) {
            sector->modified = true;
            sector->owner = fetch->owner;
        }
    }
    memcpy(waiting, fetch->tokens, count * sizeof *waiting);
    *fetch = model->fetches[--model->fetch_count];
    return count;
}

static void compare_sends(const struct model *model)
{
    assert_int_equal(result.send_count, model->send_count);
    for (unsigned i = 0; i < model->send_count; i++) {
        assert_int_equal(result.sends[i].address, model->sends[i].address);
        assert_int_equal(result.sends[i].bytes, model->sends[i].bytes);
        assert_int_equal(result.sends[i].is_write, model->sends[i].is_write);
        assert_int_equal(result.sends[i].is_write_back, model->sends[i].is_write_back);
        assert_ptr_equal(result.sends[i].owner, model->sends[i].owner);
    }
}

static void run_against_model(const struct sector_cache_params *params, uint64_t seed)
{
    static struct model model;
    struct sector_cache *const cache = made(params);
    struct random_generator generator;
    uint64_t expected[64];

    model = (struct model){.p = *params};
    random_init(&generator, seed);
    for (uint64_t step = 1; step < 4000; step++) {
        uint32_t const action = random_uniform(&generator, 0, 9);

        if (action < 4 && model.fetch_count > 0) {
            uint64_t const address =
                model.fetches[random_uniform(&generator, 0, model.fetch_count - 1)].address;
            unsigned const count = model_fill(&model, address, expected);

            assert_int_equal(sector_cache_fill(cache, address, tokens, &result), count);
            assert_memory_equal(tokens, expected, count * sizeof *tokens);
            compare_sends(&model);
        } else if (action >= 4) {
            uint32_t const kind = random_uniform(&generator, 0, 9), part = random_uniform(&generator, 0, 2);
            struct sector_access const access = {
                .address = 32 * (uint64_t)random_uniform(&generator, 0, 4 * MODEL_LINES - 1), .token = step,
                .owner = (void *)(uintptr_t)step, .is_write = kind < 4, .is_atomic = kind == 9,
                .is_local = random_uniform(&generator, 0, 1),
                .byte_mask = kind < 4 ? part == 0 ? WHOLE : part == 1 ? WHOLE >> 16 : WHOLE & ~WHOLE >> 16 : 0};
            unsigned const room = random_uniform(&generator, 0, (uint32_t)params->miss_queue);
            enum sector_outcome const outcome = model_access(&model, &access, room);

            sector_cache_access(cache, &access, room, &result);
            assert_int_equal(result.outcome, outcome);
            if (outcome == SECTOR_RESERVATION_FAIL)
                continue;
            assert_int_equal(result.is_waiting, model.is_waiting);
            compare_sends(&model);
        }
        assert_int_equal(sector_cache_outstanding(cache), model.fetch_count);
    }
    sector_cache_free(cache);
}

static void cache_equals_a_slow_model(void **state)
{
    for (uint64_t seed = 0; seed < 3 * 5 * 4 * 6; seed++) {
        struct sector_cache_params params = plain_params();

        params.alloc = seed % 2;
        params.write = seed / 2 % 5;
        params.write_miss = seed / 10 % 4;
        params.sets = seed / 40 % 2 ? 3 : 4;
        params.ways = 1 + seed / 80 % 4 * 3;
        params.dirty_percent = seed / 7 % 3 * 25;
        params.merges = 1 + seed % 3;
        params.miss_queue = 2 + seed % 4;
        run_against_model(&params, seed + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_miss_wait_and_hit),
        cmocka_unit_test(pending_lines_are_no_victims),
        cmocka_unit_test(partial_writes_are_fetched_when_read),
        cmocka_unit_test(modified_lines_are_spared),
        cmocka_unit_test(a_full_queue_below_refuses),
        cmocka_unit_test(atomics_make_sectors_dirty),
        cmocka_unit_test(writes_through_evict_and_past),
        cmocka_unit_test(flush_writes_back_and_empties),
        cmocka_unit_test(indexes_use_all_sets),
        cmocka_unit_test(faults_name_the_key),
        cmocka_unit_test(cache_equals_a_slow_model),
    };

    return cmocka_run_group_tests_name("sector_cache", tests, NULL, NULL);
}
