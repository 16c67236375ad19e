/* Follows three lists whose nodes lie at random in 6 MiB. */
#include "numbers.h"
#include <stdio.h>
enum { NODES = 96 * 1024 };
static struct { uint32_t next, payload, rest[14]; } nodes[NODES];
int main(void)
{
    uint64_t sum = 0;
    uint32_t at[3] = {1, 2, 3};
    for (int turn = 0; turn < 9000; turn++)
        for (int list = 0; list < 3; list++) {
            uint32_t here = at[list];
            if (!nodes[here].next)
                nodes[here].next = (here * 40503u + numbers_next()) % NODES;
            sum += nodes[here].payload++;
            at[list] = nodes[here].next;
        }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
