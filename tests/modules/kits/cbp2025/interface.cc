// Counters of two bits, by the functions of CBP-2025's kit, and the order of calls that it promises.
#include "cbp.h"
#include "lib/sim_common_structs.h"

static uint8_t counters[1024];
static uint64_t last, calls[6];
static int step;

void beginCondDirPredictor() { printf("begins\n"); }

void notify_instr_fetch(uint64_t seq_no, uint8_t piece, uint64_t pc, const uint64_t fetch_cycle)
{
    last = seq_no;
    step = 1;
    calls[0]++;
}

bool get_cond_dir_prediction(uint64_t seq_no, uint8_t piece, uint64_t pc, const uint64_t pred_cycle)
{
    assert(seq_no == last && step == 1);
    calls[1]++;
    return counters[(pc >> 2) % 1024] >= 2;
}

void spec_update(uint64_t seq_no, uint8_t piece, uint64_t pc, InstClass inst_class, const bool resolve_dir, const bool pred_dir,
                 const uint64_t next_pc)
{
    assert(seq_no == last && step == 1 && is_br(inst_class) && (is_cond_br(inst_class) || resolve_dir));
    step = 2;
    calls[2]++;
}

void notify_instr_decode(uint64_t seq_no, uint8_t piece, uint64_t pc, const DecodeInfo &_decode_info, const uint64_t decode_cycle)
{
    assert(seq_no == last && step == 2);
    step = 3;
    calls[3]++;
}

void notify_agen_complete(uint64_t seq_no, uint8_t piece, uint64_t pc, const DecodeInfo &_decode_info, const uint64_t mem_va,
                          const uint64_t mem_sz, const uint64_t agen_cycle) {}

void notify_instr_execute_resolve(uint64_t seq_no, uint8_t piece, uint64_t pc, const bool pred_dir, const ExecuteInfo &_exec_info,
                                  const uint64_t execute_cycle)
{
    uint8_t &counter = counters[(pc >> 2) % 1024];

    assert(seq_no == last && step == 3 && _exec_info.taken.has_value());
    step = 4;
    calls[4]++;
    if (is_cond_br(_exec_info.dec_info.insn_class))
        counter = static_cast<uint8_t>(_exec_info.taken.value() ? counter + (counter < 3) : counter - (counter > 0));
}

void notify_instr_commit(uint64_t seq_no, uint8_t piece, uint64_t pc, const bool pred_dir, const ExecuteInfo &_exec_info,
                         const uint64_t commit_cycle)
{
    assert(seq_no == last && step == 4);
    calls[5]++;
}

void endCondDirPredictor()
{
    printf("ends: fetched %lu predicted %lu updated %lu committed %lu\n", calls[0], calls[1], calls[2], calls[5]);
}
