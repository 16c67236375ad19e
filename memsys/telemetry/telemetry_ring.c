/* A sequence number for each slot says which sample it holds: 2n + 1 while sample n is being written, 2n + 2 once it
 * is whole. A reader looks at it before and after it has copied the slot; if it is not 2n + 2 both times, the copy is
 * worth nothing, and sample n is lost. Words are atomic, so that a concurrent copy of a reader may be mixed, but is no
 * undefined behaviour; on the usual machines they cost no more than plain words. */
#include "memsys/telemetry/telemetry_ring.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#define RING_MAGIC UINT64_C(0x31676e6972627572)    /* "rubring1" */
#define LINE 64

struct telemetry_ring_head {
    _Atomic uint64_t magic;              /* set last */
    uint64_t header_bytes;
    uint32_t word_count, slot_count;
    char padding[LINE - 3 * sizeof(uint64_t)];
    _Atomic uint64_t put;                /* whole samples so far */
    _Atomic uint64_t has_ended;
    char padding_too[LINE - 2 * sizeof(uint64_t)];
    _Atomic uint64_t asked;              /* times that readers asked for a sample: the only word that they write */
    char padding_last[LINE - sizeof(uint64_t)];
};

_Static_assert(sizeof(struct telemetry_ring_head) == 3 * LINE, "slots begin at a line of the host's cache");

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static size_t slot_bytes(uint32_t word_count)
{
    return whole_lines(sizeof(uint64_t) * ((size_t)word_count + 1));
}

size_t telemetry_ring_bytes(uint32_t word_count, uint32_t slot_count, size_t header_bytes)
{
    return sizeof(struct telemetry_ring_head) + whole_lines(header_bytes) + slot_count * slot_bytes(word_count);
}

/* The sequence number of a slot; its words follow. */
static _Atomic uint64_t *slot_of(const struct telemetry_ring *ring, uint64_t sample)
{
    char *const slots = (char *)ring->head + sizeof *ring->head + whole_lines(ring->header_bytes);

    return (_Atomic uint64_t *)(void *)(slots + (sample & (ring->slot_count - 1)) * slot_bytes(ring->word_count));
}

void telemetry_ring_create(struct telemetry_ring *ring, void *memory, uint32_t word_count, uint32_t slot_count,
                           const char *header, size_t header_bytes)
{
    struct telemetry_ring_head *const head = memory;

    assert(slot_count != 0 && (slot_count & (slot_count - 1)) == 0);
    *ring = (struct telemetry_ring){.head = head, .word_count = word_count, .slot_count = slot_count,
                                    .header_bytes = header_bytes, .header = (char *)memory + sizeof *head};
    head->header_bytes = header_bytes;
    head->word_count = word_count;
    head->slot_count = slot_count;
    memcpy((char *)memory + sizeof *head, header, header_bytes);
    atomic_store_explicit(&head->magic, RING_MAGIC, memory_order_release);
}

/* Eight at a time: compilers leave loops with atomic words as they are. */
static void put_words(_Atomic uint64_t *to, const uint64_t *words, uint32_t count)
{
    uint32_t i = 0;

    for (; i + 8 <= count; i += 8) {
        atomic_store_explicit(&to[i], words[i], memory_order_relaxed);
        atomic_store_explicit(&to[i + 1], words[i + 1], memory_order_relaxed);
        atomic_store_explicit(&to[i + 2], words[i + 2], memory_order_relaxed);
        atomic_store_explicit(&to[i + 3], words[i + 3], memory_order_relaxed);
        atomic_store_explicit(&to[i + 4], words[i + 4], memory_order_relaxed);
        atomic_store_explicit(&to[i + 5], words[i + 5], memory_order_relaxed);
        atomic_store_explicit(&to[i + 6], words[i + 6], memory_order_relaxed);
        atomic_store_explicit(&to[i + 7], words[i + 7], memory_order_relaxed);
    }
    for (; i < count; i++)
        atomic_store_explicit(&to[i], words[i], memory_order_relaxed);
}

void telemetry_ring_put(struct telemetry_ring *ring, const uint64_t *words)
{
    uint64_t const sample = atomic_load_explicit(&ring->head->put, memory_order_relaxed);
    _Atomic uint64_t *const slot = slot_of(ring, sample);

    atomic_store_explicit(slot, 2 * sample + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    put_words(slot + 1, words, ring->word_count);
    atomic_store_explicit(slot, 2 * sample + 2, memory_order_release);
    atomic_store_explicit(&ring->head->put, sample + 1, memory_order_release);
}

void telemetry_ring_end(struct telemetry_ring *ring)
{
    atomic_store_explicit(&ring->head->has_ended, 1, memory_order_release);
}

bool telemetry_ring_is_asked(struct telemetry_ring *ring)
{
    uint64_t const asked = atomic_load_explicit(&ring->head->asked, memory_order_relaxed);
    bool const is_new = asked != ring->answered;

    ring->answered = asked;
    return is_new;
}

void telemetry_ring_ask(struct telemetry_ring *ring)
{
    atomic_fetch_add_explicit(&ring->head->asked, 1, memory_order_relaxed);
}

struct fault telemetry_ring_open(struct telemetry_ring *ring, void *memory, size_t bytes)
{
    struct telemetry_ring_head *const head = memory;

    if (bytes < sizeof *head || atomic_load_explicit(&head->magic, memory_order_acquire) != RING_MAGIC)
        return fault_make(FAULT_INPUT, "no ring of samples: expected the memory that a running replay publishes");
    *ring = (struct telemetry_ring){.head = head, .word_count = head->word_count, .slot_count = head->slot_count,
                                    .header_bytes = head->header_bytes, .header = (char *)memory + sizeof *head};
    /* the number of slots first, as the sum of all bytes may exceed what a size can say */
    if (ring->slot_count == 0 || (ring->slot_count & (ring->slot_count - 1)) != 0 || ring->header_bytes > bytes
        || ring->slot_count > bytes / slot_bytes(ring->word_count)
        || telemetry_ring_bytes(ring->word_count, ring->slot_count, ring->header_bytes) > bytes)
        return fault_make(FAULT_INPUT, "a ring of %u samples of %u words does not fit in %zu bytes", ring->slot_count,
                          ring->word_count, bytes);
    return fault_none();
}

static bool copy_slot(const struct telemetry_ring *ring, uint64_t sample, uint64_t *words)
{
    _Atomic uint64_t *const slot = slot_of(ring, sample);

    if (atomic_load_explicit(slot, memory_order_acquire) != 2 * sample + 2)
        return false;
    for (uint32_t i = 0; i < ring->word_count; i++)
        words[i] = atomic_load_explicit(&slot[1 + i], memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(slot, memory_order_relaxed) == 2 * sample + 2;
}

bool telemetry_ring_next(struct telemetry_ring *ring, uint64_t *words)
{
    for (;;) {
        uint64_t const put = atomic_load_explicit(&ring->head->put, memory_order_acquire);

        if (ring->taken >= put)
            return false;
        if (put - ring->taken > ring->slot_count) {
            ring->lost += put - ring->slot_count - ring->taken;
            ring->taken = put - ring->slot_count;
        }
        if (copy_slot(ring, ring->taken++, words))
            return true;
        ring->lost++;
    }
}

bool telemetry_ring_newest(struct telemetry_ring *ring, uint64_t *words)
{
    uint64_t const put = atomic_load_explicit(&ring->head->put, memory_order_acquire);

    if (put > ring->taken + 1) {
        ring->lost += put - 1 - ring->taken;
        ring->taken = put - 1;
    }
    return telemetry_ring_next(ring, words);
}

bool telemetry_ring_has_ended(const struct telemetry_ring *ring)
{
    return atomic_load_explicit(&ring->head->has_ended, memory_order_acquire) != 0;
}
