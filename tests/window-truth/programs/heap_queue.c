/* A binary heap as priority queue: pushes and pops of random keys. */
#include <stdint.h>
#include <stdio.h>
static uint32_t heap[20000];
static int n;
static void push(uint32_t v)
{
    int i = n++;
    while (i && heap[(i - 1) / 2] > v) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = v;
}
static uint32_t pop(void)
{
    uint32_t r = heap[0], v = heap[--n];
    int i = 0;
    for (;;) {
        int c = 2 * i + 1;
        if (c >= n)
            break;
        if (c + 1 < n && heap[c + 1] < heap[c])
            c++;
        if (heap[c] >= v)
            break;
        heap[i] = heap[c];
        i = c;
    }
    heap[i] = v;
    return r;
}
int main(void)
{
    uint32_t x = 1, s = 0;
    for (int i = 0; i < 6000; i++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        push(x % 1000003);
        if (i % 3 == 2)
            s += pop();
    }
    while (n)
        s = s * 31 + pop();
    printf("%u\n", s);
    return 0;
}
