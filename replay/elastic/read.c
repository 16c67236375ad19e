/* Modelled: reading of data records in windows (elastic-trace 2.4, 2.5) into the dependence graph, from which those
 * without open dependences are issued at once.
 *
 * Beyond the reference: an address outside memory is a fault when the record is read, and so is a delay that leads
 * beyond the last tick. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/elastic/data_internal.h"

void elastic_data_drop(struct elastic_plain *plain)
{
    size_t gone = 0;

    for (; gone < plain->count && plain->nodes[gone]->state == DATA_GONE; gone++) {
        free(plain->nodes[gone]->dependents);
        free(plain->nodes[gone]);
    }
    if (gone > 0)
        memmove(plain->nodes, plain->nodes + gone, (plain->count - gone) * sizeof *plain->nodes);
    plain->count -= gone;
    plain->first_record += gone;
}

/* By halving: all but the last lie before `high`, none of the numbers from there on is smaller. */
struct data_node *elastic_data_find(const struct elastic_plain *plain, uint64_t seq_num)
{
    size_t low = 0, high = plain->count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;

        if (plain->nodes[middle]->access.seq_num < seq_num)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plain->count && plain->nodes[low]->access.seq_num == seq_num ? plain->nodes[low] : NULL;
}

/* The i-th dependence's parent, if it is not complete; else NULL. A store's records have the distance in records. */
static struct data_node *find_parent(const struct elastic_plain *plain, uint64_t seq_num,
                                     const struct store_lists *lists, uint32_t i)
{
    uint32_t const distance = lists->record_distance[i];
    struct data_node *parent = NULL;

    if (distance == 0)
        parent = elastic_data_find(plain, seq_num - lists->seq_distance[i]);
    else if (distance <= plain->count)
        parent = plain->nodes[plain->count - distance];
    return parent && parent->state >= DATA_WAITING ? parent : NULL;
}

/* "regDep = reg_dep minus every value that is in robDep" (2.4): these are linked last. */
static bool depends_by_order(const struct data_node *parent, const struct data_node *node)
{
    size_t const count = parent->dependent_count;

    return count > 0 && parent->dependents[count - 1].child == node && parent->dependents[count - 1].is_order;
}

static bool add_dependent(struct elastic_cpu *cpu, struct data_node *parent, struct data_edge edge)
{
    if (!list_fit(&parent->dependents, parent->dependent_count + 1, &parent->dependent_room, sizeof edge))
        return false;
    parent->dependents[parent->dependent_count++] = edge;
    edge.child->open_dependences++;
    if (parent->dependent_count > cpu->stats.max_dependents)
        cpu->stats.max_dependents = parent->dependent_count;
    return true;
}

/* Keeps the dependences on parents that are not complete; false after a fault. */
static bool link_parents(struct elastic_cpu *cpu, struct data_node *node, const struct store_lists *lists)
{
    for (uint32_t i = 0; i < lists->rob_dep_count + lists->reg_dep_count; i++) {
        bool const is_order = i < lists->rob_dep_count;
        struct data_node *const parent = find_parent(plain_of(cpu), node->access.seq_num, lists, i);

        if (!parent || (!is_order && depends_by_order(parent, node)))
            continue;
        if (!add_dependent(cpu, parent, (struct data_edge){node, is_order})) {
            elastic_fail_memory(cpu);
            return false;
        }
    }
    return true;
}

/* Delay and address of a node; false after a fault. Times that count from the beginning are not scaled. */
static bool set_delay_and_address(struct elastic_cpu *cpu, struct data_node *node, const struct store_record *record)
{
    bool const is_time = node->shape.present & DEP_AT_TIME;
    double const delay = (double)node->shape.comp_delay * (is_time ? 1 : cpu->tick_scale * cpu->delay_factor);

    if (node->shape.is_access) {
        node->access.address = record->p_addr + cpu->address_offset;
        if (!elastic_access_is_valid(cpu, &node->access))
            return false;
    }
    if (!(delay < (double)ELASTIC_LAST_TICK)) {
        elastic_fail_delay(cpu, node->access.record, record);
        return false;
    }
    node->delay_ps = (uint64_t)delay;
    return true;
}

/* A node for a record, the last of plain_of(cpu)->nodes; NULL after a fault. */
static struct data_node *add_node(struct elastic_cpu *cpu, const struct store_record *record)
{
    struct elastic_plain *const plain = plain_of(cpu);
    struct data_node *const node = calloc(1, sizeof *node);
    struct store_lists lists;
    struct fault fault;

    if (!node || !list_fit(&plain->nodes, plain->count + 1, &plain->room, sizeof node)) {
        free(node);
        elastic_fail_memory(cpu);
        return NULL;
    }
    node->state = DATA_WAITING;
    node->shape = *record->shape;
    node->access = (struct elastic_access){&node->shape, data_nodes_end(plain), record->seq_num, 0};
    cpu->rob_number += 1 + (uint64_t)node->shape.weight;
    node->rob_number = cpu->rob_number;
    if (cpu->record_source.lists(cpu->record_source.self, record->shape, &lists, &fault) == SOURCE_FAULT)
        elastic_fail(cpu, fault);
    else if (set_delay_and_address(cpu, node, record))
        link_parents(cpu, node, &lists);
    plain->nodes[plain->count++] = node;
    return cpu->fault.kind == FAULT_NONE ? node : NULL;
}

bool elastic_data_read_window(struct elastic_cpu *cpu)
{
    uint64_t left = cpu->record_source.window_records;

    if (cpu->trace_ended)
        return false;
    elastic_data_drop(plain_of(cpu));
    for (; left > 0 && cpu->fault.kind == FAULT_NONE; left--) {
        struct store_record record;
        struct data_node *node;
        struct fault fault;

        switch (record_source_next(&cpu->record_source, &cpu->batch, &record, &fault)) {
        case SOURCE_RECORD:
            node = add_node(cpu, &record);
            cpu->records_read++;
            if (node && node->open_dependences == 0)
                elastic_data_issue_first(cpu, node);
            break;
        case SOURCE_END:
            cpu->trace_ended = true;
            return false;
        case SOURCE_FAULT:
            elastic_fail(cpu, fault);
            break;
        }
    }
    return cpu->fault.kind == FAULT_NONE;
}
