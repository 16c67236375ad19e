/* Three times four threads, which add atomically, take a lock and meet at a barrier; those of a round use the virtual
 * CPUs of the round before. */
#include <pthread.h>
#include <stdio.h>

enum { ROUNDS = 3, THREADS = 4, ADDS = 1000 };

static long counter, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

__attribute__((noinline)) static void add(void)
{
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *number)
{
    for (int i = 0; i < ADDS; i++)
        add();
    pthread_mutex_lock(&lock);
    sum += *(int *)number;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    int numbers[THREADS];
    pthread_t threads[THREADS];

    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_init(&barrier, NULL, THREADS);
        for (int i = 0; i < THREADS; i++) {
            numbers[i] = i;
            pthread_create(&threads[i], NULL, work, &numbers[i]);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%ld\n", counter + sum);
    return 7;
}
