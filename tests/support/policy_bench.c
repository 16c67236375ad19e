/* The bench of tests/support/policy_bench.h. */
#include "tests/support/policy_bench.h"
#include "memsys/cache/cache_params.h"
#include "memsys/policy/rrip.h"
#include "tests/support/unit.h"

void policy_bench_start(struct policy_bench *bench, uint64_t kind, uint32_t assoc, uint32_t sets)
{
    struct cache_params const params = {.size_bytes = (uint64_t)POLICY_LINE_BYTES * assoc * sets, .assoc = assoc,
                                        .replacement = kind};

    sim_init(&bench->sim, POLICY_LINE_BYTES);
    bench->sim.events.now_ps = POLICY_STEP_PS;
    assert_int_equal(tags_init(&bench->tags, &bench->sim, &params).kind, FAULT_NONE);
}

void policy_bench_stop(struct policy_bench *bench)
{
    tags_free(&bench->tags);
    sim_free(&bench->sim);
}

bool policy_bench_send(struct policy_bench *bench, uint64_t line, uint64_t pc, enum command command)
{
    struct request const request = {.address = line * POLICY_LINE_BYTES, .size_bytes = 8, .pc = pc, .has_pc = pc != 0};
    struct packet packet;
    uint32_t block = tags_find(&bench->tags, request.address);

    bench->sim.events.now_ps += POLICY_STEP_PS;
    packet_init(&packet, &request, command);
    if (block != BLOCK_NONE) {
        tags_touch(&bench->tags, block, &packet);
        return true;
    }
    block = tags_victim(&bench->tags, request.address);
    bench->evicted = tags_is_valid(&bench->tags, block) ? tags_line(&bench->tags, block) : POLICY_NOTHING;
    if (bench->evicted != POLICY_NOTHING)
        tags_invalidate(&bench->tags, block);
    packet_make_response(&packet);
    tags_insert(&bench->tags, block, &packet);
    return false;
}

bool policy_bench_load(struct policy_bench *bench, uint64_t line, uint64_t pc)
{
    return policy_bench_send(bench, line, pc, CMD_ReadReq);
}

unsigned policy_bench_prediction(const struct policy_bench *bench, uint64_t line)
{
    return bench->tags.policy.marks[tags_find(&bench->tags, line * POLICY_LINE_BYTES)] - RRIP_VALID;
}
