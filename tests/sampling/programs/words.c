// Two threads count words of made-up text, each in a table of its own, and merge them under a lock; in rounds.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 19, TABLE = 1 << 14, THREADS = 2 };

typedef struct {
    uint32_t hash, count;
} Word;

static char text[TEXT + 1];
static Word all[TABLE], own[THREADS][TABLE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(Word *table, uint32_t hash, uint32_t count) {
    uint32_t at = hash % TABLE;
    while (table[at].count && table[at].hash != hash) at = (at + 1) % TABLE;
    table[at].hash = hash;
    table[at].count += count;
}

static void *count_half(void *argument) {
    int thread = *(int *)argument;
    uint32_t hash = 2166136261u;
    memset(own[thread], 0, sizeof own[thread]);
    for (int i = thread * (TEXT / THREADS); i < (thread + 1) * (TEXT / THREADS); i++) {
        if (text[i] != ' ') {
            hash = (hash ^ (unsigned char)text[i]) * 16777619u;
            continue;
        }
        add(own[thread], hash, 1);
        hash = 2166136261u;
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < TABLE; i++)
        if (own[thread][i].count) add(all, own[thread][i].hash, own[thread][i].count);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 10, numbers[THREADS] = {0, 1};
    uint32_t most = 0;
    for (int r = 0; r < rounds; r++) {
        uint64_t state = 77;
        for (int i = 0; i < TEXT; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            text[i] = (state >> 60) < 5 ? ' ' : (char)('a' + (state >> 40) % 4);
        }
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; t++)
            if (pthread_create(&threads[t], NULL, count_half, &numbers[t])) return 1;
        for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    }
    for (int i = 0; i < TABLE; i++)
        if (all[i].count > most) most = all[i].count;
    printf("%u\n", most);
    return 0;
}
