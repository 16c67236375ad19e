/* A trie of short words: inserts, then lookups. */
#include "numbers.h"
#include <stdio.h>
static int next[20000][8], ends[20000], nodes = 1;
int main(void)
{
    int found = 0;
    for (int turn = 0; turn < 6000; turn++) {
        uint32_t word = numbers_next();
        int length = 2 + (int)(word % 6), node = 0, insert = turn < 2500;
        for (int i = 0; i < length; i++) {
            uint32_t letter = (word >> (3 * i + 4)) & 7;
            if (letter > 5)
                letter = 1;
            if (!next[node][letter]) {
                if (!insert) {
                    node = -1;
                    break;
                }
                next[node][letter] = nodes++;
            }
            node = next[node][letter];
        }
        if (node < 0)
            continue;
        if (insert)
            ends[node]++;
        else
            found += ends[node] > 0;
    }
    printf("%d %d\n", nodes, found);
    return 0;
}
