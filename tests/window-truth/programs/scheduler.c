/* Runs tasks of eight priorities in slices: the highest queue that has one by its bit, sleepers on a wheel of slots. */
#include "numbers.h"
#include <stdio.h>
enum { TASKS = 300, PRIORITIES = 8, SLOTS = 64, TICKS = 25000 };
struct task { struct task *next; uint32_t left, slices, waited, ready_at; int base, priority; };
static struct task tasks[TASKS], *sleeping[SLOTS];
static struct queue { struct task *first, **last; } queues[PRIORITIES];
static unsigned filled;
static void make_ready(struct task *task, uint32_t now)
{
    struct queue *queue = &queues[task->priority];
    task->next = NULL;
    task->ready_at = now;
    *queue->last = task;
    queue->last = &task->next;
    filled |= 1u << task->priority;
}
static struct task *take_highest(void)
{
    int priority = 0;
    while (!(filled >> priority & 1))
        priority++;
    struct queue *queue = &queues[priority];
    struct task *task = queue->first;
    queue->first = task->next;
    if (!queue->first) {
        queue->last = &queue->first;
        filled &= ~(1u << priority);
    }
    return task;
}
int main(void)
{
    uint64_t waited = 0, finished = 0, idle = 0;
    for (int i = 0; i < PRIORITIES; i++)
        queues[i].last = &queues[i].first;
    for (int i = 0; i < TASKS; i++) {
        tasks[i].base = tasks[i].priority = (int)(numbers_next() >> 29);
        tasks[i].left = 1 + (numbers_next() >> 28);
        make_ready(&tasks[i], 0);
    }
    for (uint32_t now = 0; now < TICKS; now++) {
        for (struct task *task = sleeping[now % SLOTS], *next; task; task = next) {
            next = task->next;
            make_ready(task, now);
        }
        sleeping[now % SLOTS] = NULL;
        if (!filled) {
            idle++;
            continue;
        }
        struct task *task = take_highest();
        task->slices++;
        task->waited += now - task->ready_at;
        if (--task->left) {
            task->priority += task->priority < PRIORITIES - 1; /* who uses a whole slice, sinks */
            make_ready(task, now);
        } else {
            uint32_t n = numbers_next(), slot = (now + 1 + n % (SLOTS - 1)) % SLOTS;
            finished++;
            task->left = 1 + (n >> 29);
            task->priority = task->base;
            task->next = sleeping[slot];
            sleeping[slot] = task;
        }
    }
    uint64_t slices = 0;
    for (int i = 0; i < TASKS; i++) {
        waited += tasks[i].waited;
        slices += tasks[i].slices;
    }
    const char *verdict = slices + idle == TICKS ? "whole" : "wrong";
    printf("%llu %llu %s\n", (unsigned long long)finished, (unsigned long long)waited, verdict);
    return 0;
}
