/* Tarjan's strongly connected components, by recursion. */
#include "numbers.h"
#include <stdio.h>
#define N 3000
static int edge[N][3], number[N], low[N], on[N], stack[N], depth, counter, parts;
static void visit(int v)
{
    number[v] = low[v] = ++counter;
    stack[depth++] = v;
    on[v] = 1;
    for (int k = 0; k < 3; k++) {
        int w = edge[v][k];
        if (!number[w]) {
            visit(w);
            if (low[w] < low[v])
                low[v] = low[w];
        } else if (on[w] && number[w] < low[v])
            low[v] = number[w];
    }
    if (low[v] != number[v])
        return;
    parts++;
    for (int w = -1; w != v;) {
        w = stack[--depth];
        on[w] = 0;
    }
}
int main(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            edge[i][k] = (int)(((uint32_t)i + numbers_next() % 60) % N);
    for (int i = 0; i < N; i++)
        if (!number[i])
            visit(i);
    printf("%d %d\n", parts, counter);
    return 0;
}
