// PageRank on a random graph of 2^15 nodes by two threads, which meet at a barrier after each sweep.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1 << 15, DEGREE = 8, THREADS = 2 };

static uint32_t edges[NODES][DEGREE];
static double rank_of[2][NODES];
static int sweeps = 20;
static pthread_barrier_t met;

static void *work(void *argument) {
    int first = *(int *)argument * (NODES / THREADS), end = first + NODES / THREADS;
    for (int s = 0; s < sweeps; s++) {
        const double *now = rank_of[s % 2];
        double *after = rank_of[(s + 1) % 2];
        for (int i = first; i < end; i++) {
            double sum = 0;
            for (int e = 0; e < DEGREE; e++) sum += now[edges[i][e]];
            after[i] = 0.15 / NODES + 0.85 * sum / DEGREE;
        }
        pthread_barrier_wait(&met);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t other;
    int mine = 0, its = 1;
    uint64_t state = 42;
    if (argc > 1) sweeps = atoi(argv[1]);
    for (int i = 0; i < NODES; i++) {
        rank_of[0][i] = 1.0 / NODES;
        for (int e = 0; e < DEGREE; e++) {
            state = state * 6364136223846793005u + 1;
            edges[i][e] = (uint32_t)(state >> 33) % NODES;
        }
    }
    pthread_barrier_init(&met, NULL, THREADS);
    if (pthread_create(&other, NULL, work, &its)) return 1;
    work(&mine);
    pthread_join(other, NULL);
    printf("%g\n", rank_of[sweeps % 2][7]);
    return 0;
}
