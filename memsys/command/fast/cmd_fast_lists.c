/* Requests by bank: those that hit its open row, and the others, each in the order of their arrival. A bank's lists
 * change when its row is opened or closed; all other changes are of one request. The first one of a list is a
 * candidate, but for precharges of a bank that active requests wait for. */
#include "memsys/command/fast/cmd_fast_lists.h"

#include <string.h>

#include "base/arith.h"

/* ---- candidates */
/* Whatever it was a candidate for. */
static void take_all(struct fast_queue *queue, const struct cmd_request *request)
{
    for (unsigned wish = 0; wish < FAST_WISHES; wish++)
        fast_take(queue, request, (enum fast_wish)wish);
}

static void put_first(struct cmd_channel *channel, struct fast_queue *queue, enum fast_list list, uint32_t bank)
{
    const struct cmd_request *const first = queue->lists[list][bank].first;
    enum fast_wish const wish = fast_wish_of_list(channel, list, bank);

    if (first && wish != FAST_NO_WISH)
        fast_put(queue, first, wish);
}

void cmd_fast_number_anew(struct cmd_channel *channel, enum cmd_queue_name name, const struct cmd_request *end)
{
    struct fast_queue *const queue = &fast_of(channel)->queues[name];

    for (unsigned wish = 0; wish < FAST_WISHES; wish++)
        memset(queue->candidates[wish].numbers, 0, queue->end / 8);
    queue->next = 0;
    if (fast_of(channel)->known == name)
        memset(fast_of(channel)->best, 0, sizeof fast_of(channel)->best);
    for (struct cmd_request *request = channel->queues[name].first; request != end; request = request->next) {
        request->order = queue->next++;
        queue->requests[request->order] = request;
        queue->banks[request->order] = request->bank;
        if (!request->bank_previous)
            put_first(channel, queue, fast_list_of(channel, request), request->bank);
    }
}

void cmd_fast_unlink(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    struct fast_queue *const queue = &fast_of(channel)->queues[name];
    enum fast_list const list = fast_list_of(channel, request);

    fast_take_out(&queue->lists[list][request->bank], request);
    if (request->bank_previous)
        return;
    take_all(queue, request);
    put_first(channel, queue, list, request->bank);
}

/* Both lists anew: merged by age. */
static void sort_lists(struct cmd_channel *channel, struct fast_queue *queue, uint32_t bank)
{
    struct fast_requests *const hits = &queue->lists[FAST_HITS][bank], *const others = &queue->lists[FAST_OTHERS][bank];
    struct cmd_request *one = hits->first, *other = others->first;

    if (one)
        take_all(queue, one);
    if (other)
        take_all(queue, other);
    *hits = *others = (struct fast_requests){NULL, NULL, 0, 0};
    while (one || other) {
        struct cmd_request **const oldest = !other || (one && one->order < other->order) ? &one : &other;
        struct cmd_request *const request = *oldest;

        *oldest = request->bank_next;
        fast_append(fast_list_of(channel, request) == FAST_HITS ? hits : others, request);
    }
    put_first(channel, queue, FAST_HITS, bank);
    put_first(channel, queue, FAST_OTHERS, bank);
}

void cmd_fast_sort_bank(struct cmd_channel *channel, uint32_t bank)
{
    struct fast *const fast = fast_of(channel);

    for (unsigned i = 0; i < 2; i++)
        if (fast->queues[i].lists[FAST_HITS][bank].first || fast->queues[i].lists[FAST_OTHERS][bank].first)
            sort_lists(channel, &fast->queues[i], bank);
}

void cmd_fast_guard_bank(struct cmd_channel *channel, uint32_t bank)
{
    struct fast *const fast = fast_of(channel);

    fast_set_bank(fast->active, bank, channel->active_in_bank[bank] > 0);
    for (unsigned i = 0; i < 2; i++) {
        if (fast->queues[i].lists[FAST_OTHERS][bank].first)
            take_all(&fast->queues[i], fast->queues[i].lists[FAST_OTHERS][bank].first);
        put_first(channel, &fast->queues[i], FAST_OTHERS, bank);
    }
}

/* ---- set-up */
static bool init_queue(struct cmd_channel *channel, enum cmd_queue_name name, uint16_t access)
{
    enum { LEAST_NUMBERS = 128, NUMBERS_A_PLACE = 2 };
    struct fast_queue *const queue = &fast_of(channel)->queues[name];
    uint32_t const banks = channel->spec->bank_count;

    queue->candidates[FAST_ACCESS].command = access;
    queue->candidates[FAST_ACTIVATE].command = channel->spec->activate;
    queue->candidates[FAST_PRECHARGE].command = channel->spec->precharge;
    queue->end = (uint32_t)max_u64(LEAST_NUMBERS, channel->queues[name].capacity * NUMBERS_A_PLACE / 64 * 64);
    queue->requests = cmd_channel_take(channel, queue->end * sizeof *queue->requests);
    queue->banks = cmd_channel_take(channel, queue->end * sizeof *queue->banks);
    for (unsigned list = 0; list < FAST_LISTS; list++) {
        queue->lists[list] = cmd_channel_take(channel, banks * sizeof *queue->lists[list]);
        if (!queue->lists[list])
            return false;
    }
    for (unsigned wish = 0; wish < FAST_WISHES; wish++) {
        queue->candidates[wish].numbers = cmd_channel_take(channel, queue->end / 8);
        if (!queue->candidates[wish].numbers)
            return false;
    }
    return queue->requests && queue->banks;
}

struct fault cmd_fast_init_lists(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);
    const struct cmd_spec *const spec = channel->spec;

    fast->active = cmd_channel_take(channel, (spec->bank_count + 63) / 64 * sizeof *fast->active);
    if (!fast->active || !init_queue(channel, CMD_QUEUE_READ, spec->read_command)
        || !init_queue(channel, CMD_QUEUE_WRITE, spec->write_command))
        return fault_memory("memory", "the fast engine");
    fast->queue = &fast->queues[fast->known];
    return fault_none();
}
