// Functions of CBP-2025's kit, which a predictor defines.
#ifndef RUBATO_CBP2025_FUNCTIONS_H
#define RUBATO_CBP2025_FUNCTIONS_H

#include <cstdint>

#include "lib/sim_common_structs.h"

void beginCondDirPredictor();
bool get_cond_dir_prediction(uint64_t seq_no, uint8_t piece, uint64_t pc, const uint64_t pred_cycle);
void spec_update(uint64_t seq_no, uint8_t piece, uint64_t pc, InstClass inst_class, const bool resolve_dir,
                 const bool pred_dir, const uint64_t next_pc);
void notify_instr_fetch(uint64_t seq_no, uint8_t piece, uint64_t pc, const uint64_t fetch_cycle);
void notify_instr_decode(uint64_t seq_no, uint8_t piece, uint64_t pc, const DecodeInfo &decoded,
                         const uint64_t decode_cycle);
void notify_agen_complete(uint64_t seq_no, uint8_t piece, uint64_t pc, const DecodeInfo &decoded, const uint64_t mem_va,
                          const uint64_t mem_sz, const uint64_t agen_cycle);
void notify_instr_execute_resolve(uint64_t seq_no, uint8_t piece, uint64_t pc, const bool pred_dir,
                                  const ExecuteInfo &executed, const uint64_t execute_cycle);
void notify_instr_commit(uint64_t seq_no, uint8_t piece, uint64_t pc, const bool pred_dir, const ExecuteInfo &executed,
                         const uint64_t commit_cycle);
void endCondDirPredictor();

#endif
