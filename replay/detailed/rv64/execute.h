/* What one instruction does to a machine's registers and memory, as an effect that is not applied yet. Private to this
 * folder. */
#ifndef REPLAY_DETAILED_RV64_EXECUTE_H
#define REPLAY_DETAILED_RV64_EXECUTE_H

#include "replay/detailed/rv64/machine.h"

struct effect {
    uint64_t next_pc;
    uint64_t value;                      /* for `result` */
    uint64_t address, stored;
    uint64_t reservation;
    uint32_t fcsr;
    uint8_t result;                      /* register; 0: none */
    uint8_t access_bytes;                /* 0: none */
    bool stores, faults;
    bool is_call;                        /* a system call */
};

/* bits: of 32 bits, or expanded. */
void execute(struct machine *machine, const struct machine_insn *insn, uint32_t bits, const struct machine_truth *truth,
             struct effect *effect);

#endif
