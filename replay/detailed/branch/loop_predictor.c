/* Modelled: as in tage.h: 32 entries, 4 ways, tags of 10 bits, up to 1023 iterations, age and confidence of 4
 * bits. */
#include "replay/detailed/branch/tage.h"

enum { SETS = LOOP_ENTRIES / LOOP_WAYS, TAG_MASK = 1023, MOST_TRIPS = 1023, SURE = 15, NEW_AGE = 7, OLDEST_AGE = 15 };

static void find_set(struct loop_lookup *lookup, uint64_t pc)
{
    uint64_t const hash = pc >> 1 ^ pc >> 4;

    lookup->set = (uint8_t)(hash % SETS * LOOP_WAYS);
    lookup->tag = (uint16_t)((pc >> 4 ^ pc >> 14) & TAG_MASK);
}

/* -1: none. */
static int8_t find_entry(const struct loop_predictor *loops, const struct loop_lookup *lookup)
{
    for (unsigned way = 0; way < LOOP_WAYS; way++) {
        const struct loop_entry *const entry = &loops->entries[lookup->set + way];

        if (entry->age != 0 && entry->tag == lookup->tag)
            return (int8_t)(lookup->set + way);
    }
    return -1;
}

void loop_lookup(const struct loop_predictor *loops, const struct loop_iterations *iterations,
                 struct loop_lookup *lookup, uint64_t pc)
{
    const struct loop_entry *entry;
    unsigned iteration;

    find_set(lookup, pc);
    lookup->entry = find_entry(loops, lookup);
    lookup->is_sure = lookup->is_taken = false;
    if (lookup->entry < 0)
        return;
    entry = &loops->entries[lookup->entry];
    iteration = iterations ? iterations->of[lookup->entry] : entry->iteration;
    lookup->is_sure = entry->confidence == SURE || entry->confidence * entry->trips > 128;
    lookup->is_taken = entry->direction != (iteration + 1 == entry->trips);
}

void loop_iterations(const struct loop_predictor *loops, struct loop_iterations *iterations)
{
    for (unsigned i = 0; i < LOOP_ENTRIES; i++)
        iterations->of[i] = loops->entries[i].iteration;
}

void loop_push(const struct loop_predictor *loops, struct loop_iterations *iterations,
               const struct branch_outcome *outcome)
{
    struct loop_lookup lookup;
    int8_t number;

    find_set(&lookup, outcome->pc);
    number = find_entry(loops, &lookup);
    if (number < 0)
        return;
    if (outcome->is_taken == loops->entries[number].direction && iterations->of[number] < MOST_TRIPS)
        iterations->of[number]++;
    else
        iterations->of[number] = 0;
}

static void loop_predictor_forget(struct loop_entry *entry)
{
    entry->trips = 0;
    entry->iteration = 0;
    entry->confidence = 0;
    entry->age = 0;
}

/* True: it was given away. */
static bool iterate(struct loop_entry *entry, bool is_taken)
{
    entry->iteration++;
    if (entry->iteration > MOST_TRIPS || (entry->trips != 0 && entry->iteration > entry->trips)) {
        loop_predictor_forget(entry);
        return true;
    }
    if (is_taken == entry->direction)
        return false;
    if (entry->iteration == entry->trips) {
        entry->confidence = (uint8_t)(entry->confidence + (entry->confidence < SURE));
        /* TAGE does as well with so few. */
        if (entry->trips < 3) {
            loop_predictor_forget(entry);
            return true;
        }
    } else if (entry->trips == 0) {
        entry->trips = entry->iteration;
        entry->confidence = 0;
    } else {
        loop_predictor_forget(entry);
        return true;
    }
    entry->iteration = 0;
    return false;
}

bool loop_train(struct loop_predictor *loops, const struct loop_lookup *lookup, bool is_taken, bool tage_says,
                uint32_t chance)
{
    struct loop_entry *entry;

    if (lookup->entry >= 0) {
        entry = &loops->entries[lookup->entry];
        if (entry->tag != lookup->tag || entry->age == 0)
            return false;                /* given away while the branch was in flight */
        if (lookup->is_sure && lookup->is_taken != is_taken) {
            loop_predictor_forget(entry);
            return true;
        }
        if (lookup->is_sure && tage_says != is_taken && entry->age < OLDEST_AGE)
            entry->age++;
        return iterate(entry, is_taken);
    }
    if (tage_says == is_taken || chance != 0)
        return false;
    /* Allocates the first entry of the set with age 0, else ages all. The mispredicted outcome is the one that leaves
     * the loop. */
    for (unsigned way = 0; way < LOOP_WAYS; way++) {
        entry = &loops->entries[lookup->set + way];
        if (entry->age == 0) {
            *entry = (struct loop_entry){.tag = lookup->tag, .age = NEW_AGE, .direction = !is_taken};
            return true;
        }
    }
    for (unsigned way = 0; way < LOOP_WAYS; way++)
        loops->entries[lookup->set + way].age--;
    return true;
}
