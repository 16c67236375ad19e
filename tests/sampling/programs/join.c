// Builds a hash table of one relation and probes it with another; tables of 64 KiB to 16 MiB are phases that differ in
// misses.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t key, value;
} Row;

static uint64_t next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static uint64_t slot_of(uint64_t key, uint64_t slots) { return (key * 0x9e3779b97f4a7c15u >> 20) & (slots - 1); }

static void build(Row *table, uint64_t slots, uint64_t *state) {
    for (uint64_t i = 0; i < slots; i++) table[i] = (Row){0, 0};
    for (uint64_t i = 0; i < slots / 2; i++) {
        uint64_t key = next(state) % (slots * 2) + 1, at = slot_of(key, slots);
        while (table[at].key && table[at].key != key) at = (at + 1) & (slots - 1);
        table[at] = (Row){key, i};
    }
}

static uint64_t probe(const Row *table, uint64_t slots, uint64_t probes, uint64_t *state) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < probes; i++) {
        uint64_t key = next(state) % (slots * 2) + 1, at = slot_of(key, slots);
        while (table[at].key && table[at].key != key) at = (at + 1) & (slots - 1);
        sum += table[at].key ? table[at].value : 1;
    }
    return sum;
}

int main(int argc, char **argv) {
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 2, state = 88172645463325252u, sum = 0;
    Row *table = malloc(sizeof *table << 20);
    if (!table) return 1;
    for (uint64_t round = 0; round < rounds; round++)
        for (unsigned bits = 12; bits <= 20; bits += 2) {
            uint64_t slots = 1u << bits;
            build(table, slots, &state);
            sum += probe(table, slots, 400000, &state);
        }
    printf("%llu\n", (unsigned long long)sum);
    free(table);
    return 0;
}
