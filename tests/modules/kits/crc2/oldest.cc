// Least recently used, by the five functions of CRC-2's kit.
#include "../inc/champsim_crc2.h"

#define NUM_CORE 1
#define LLC_SETS NUM_CORE * 2048
#define LLC_WAYS 16

uint64_t used[LLC_SETS][LLC_WAYS], now, hits, victims;

void InitReplacementState() { cout << "initialised" << endl; }

uint32_t GetVictimInSet(uint32_t cpu, uint32_t set, const BLOCK *current_set, uint64_t PC, uint64_t paddr, uint32_t type)
{
    uint32_t oldest = 0;

    assert(cpu < NUM_CORE && set < LLC_SETS && type < NUM_TYPES);
    for (uint32_t way = 0; way < LLC_WAYS; way++) {
        assert(current_set[way].valid && current_set[way].address != paddr >> 6);
        if (used[set][way] < used[set][oldest])
            oldest = way;
    }
    victims++;
    return oldest;
}

void UpdateReplacementState(uint32_t cpu, uint32_t set, uint32_t way, uint64_t paddr, uint64_t PC, uint64_t victim_addr, uint32_t type,
                            uint8_t hit)
{
    assert(way < LLC_WAYS && type < NUM_TYPES && (!hit || victim_addr == 0));
    hits += hit;
    used[set][way] = ++now;
}

void PrintStats_Heartbeat() {}

void PrintStats() { cout << "hits " << hits << " victims " << victims << endl; }
