/* A mark-and-sweep garbage collector with an explicit stack. */
#include "numbers.h"
#include <stdio.h>
#define N 4000
struct object {
    struct object *field[2], *next;
    int marked, value;
};
static struct object pool[N], *all, *unused, *stack[2 * N];
int main(void)
{
    struct object *root[16] = {0};
    long freed = 0;
    for (int i = 0; i < N; i++) {
        pool[i].next = unused;
        unused = &pool[i];
    }
    for (int round = 0; round < 5; round++) {
        while (unused) {
            struct object *o = unused;
            uint32_t r = numbers_next();
            unused = o->next;
            o->next = all;
            all = o;
            o->value = (int)r;
            o->field[0] = root[r & 15];
            o->field[1] = root[r >> 4 & 15];
            if (r & 256)
                o->field[r >> 9 & 1] = 0;
            root[r >> 10 & 15] = o;
        }
        int depth = 0;
        for (int i = 0; i < 16; i += 3) {
            if (root[i])
                stack[depth++] = root[i];
            if (i + 1 < 16)
                root[i + 1] = 0;
        }
        while (depth) {
            struct object *o = stack[--depth];
            if (o->marked)
                continue;
            o->marked = 1;
            for (int k = 0; k < 2; k++)
                if (o->field[k] && !o->field[k]->marked)
                    stack[depth++] = o->field[k];
        }
        struct object **link = &all;
        while (*link) {
            struct object *o = *link;
            if (o->marked) {
                o->marked = 0;
                link = &o->next;
            } else {
                *link = o->next;
                o->next = unused;
                unused = o;
                freed++;
            }
        }
        for (int i = 0; i < 16; i++)
            if (i % 3)
                root[i] = 0;
        for (int i = 0; i < 16; i += 6)
            root[i] = 0;
    }
    printf("%ld\n", freed);
    return 0;
}
