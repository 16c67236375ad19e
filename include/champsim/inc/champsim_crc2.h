// Names of CRC-2's kit: five functions. The policy itself defines NUM_CORE, LLC_SETS and LLC_WAYS.
#ifndef RUBATO_CHAMPSIM_CRC2_NAMES_H
#define RUBATO_CHAMPSIM_CRC2_NAMES_H

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#define LOAD 0
#define RFO 1
#define PREFETCH 2
#define WRITEBACK 3
#define NUM_TYPES 4

using namespace std;

class BLOCK {
public:
    uint8_t valid = 0, prefetch = 0, dirty = 0, used = 0;
    uint64_t address = 0, full_addr = 0, tag = 0;        // address and tag: the line's number
    uint32_t cpu = 0, lru = 0;
    uint64_t instr_id = 0;
};

void InitReplacementState();
// Of a full set. A way beyond the last one: the line passes by.
uint32_t GetVictimInSet(uint32_t cpu, uint32_t set, const BLOCK *current_set, uint64_t PC, uint64_t paddr,
                        uint32_t type);
// Hits and fills.
void UpdateReplacementState(uint32_t cpu, uint32_t set, uint32_t way, uint64_t paddr, uint64_t PC, uint64_t victim_addr,
                            uint32_t type, uint8_t hit);
void PrintStats_Heartbeat();             // never called
void PrintStats();                       // at the end

#endif
