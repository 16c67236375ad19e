/* Requests that go over a crossbar directly (crossbar_direct.h): the crossbars that allow them, and the functions for
 * its neighbours. */
#include "memsys/fast/crossbar_direct.h"

#include "memsys/fast/answers.h"

struct crossbar *crossbar_direct(const struct below *below)
{
    struct crossbar *const crossbar = below->self;
    bool const is_direct = below->ops == &crossbar_coherent_below_ops && snoop_words_are_bound(&crossbar->filter)
                           && below->port < SNOOP_WORDS_PORTS && (crossbar->snooping_mask >> below->port & 1);

    return is_direct ? crossbar : NULL;
}

void crossbar_take_from_queue(void *queue)
{
    packet_queue_pass(queue, crossbar_recv_response);
}

void crossbar_hint(const void *self, uint64_t address)
{
    const struct crossbar *const crossbar = self;

    if (crossbar->noc.role.snoop_filter)
        snoop_words_prefetch_hint(snoop_words_of(&crossbar->filter), address >> crossbar->noc.sim->line_shift);
    if (crossbar->span_count == 0)
        below_prefetch_hint(&crossbar->memory_ports[0].below, address);
}
