/* Modelled: what the header says. Not modelled: channels of one partition share nothing but the order in which requests
 * come: one that is refused holds up those behind it. */
#include "memsys/gpu/gpu_controller.h"

#include <stdlib.h>

#include "base/text.h"
#include "memsys/dram/geometry.h"
#include "memsys/dram/memory_params.h"

enum { COMMAND_WINDOW_CYCLES = 128 };

/* ---- gem5's controller */

/* One channel, or the two pseudo-channels of one, as a memory of its own, whose decoding gives back the row, bank and
 * column that the address was made of. A burst may take a single cycle; HBM has pins of its own for row commands, GDDR
 * takes two commands in a cycle. So the window in which commands are counted is so long, and of whole cycles, that it
 * hardly ever limits. */
static struct memory_params dram_params_of(const struct memory_params *memory, const struct gpu_hash *hash)
{
    struct memory_params own = *memory;
    uint64_t const pseudo_channels = memory->type == MEMORY_HBM_PSEUDO ? 2 : 1;
    uint64_t const rows_bytes = dram_row_bytes(&memory->dram) * memory->dram.banks_per_rank
                              * memory->dram.ranks_per_channel * pseudo_channels;

    own.channels = 1;
    own.base = 0;
    own.interleave_bytes = INTERLEAVE_AUTO;
    own.xor_low_bit = 0;
    own.dram.addr_mapping = MAP_RO_RA_BA_CO_CH;
    own.controller.command_window_ps =
        max_u64(clock_edge_ps(memory->controller.command_window_ps, memory->dram.tCK_ps, 0),
                COMMAND_WINDOW_CYCLES * memory->dram.tCK_ps);
    own.size_bytes =
        max_u64(UINT64_C(1) << (hash->row.width + hash->bank.width + hash->column.width), rows_bytes);
    return own;
}

static struct fault make_dram(struct gpu_controller *controller, const struct gpu_controller_place *place)
{
    struct memory_params const own = dram_params_of(place->memory, place->hash);

    sim_init(&controller->sim, place->root->line_bytes);
    controller->sim.log = place->root->log;
    controller->requestor = sim_add_requestor(&controller->sim, "gpu");
    text_member_name(controller->name, sizeof controller->name, "mem_ctrls", place->number, place->count);
    FORWARD(mem_ctrl_init(&controller->ctrl, &controller->sim, controller->name, &own, 0,
                          own.type == MEMORY_HBM_PSEUDO));
    controller->ctrl.above = place->above;
    return fault_none();
}

/* ---- DRAM commands */
static uint64_t channels_of(const struct memory_params *memory, uint64_t partitions)
{
    return max_u64(memory->channels / partitions, 1);
}

static struct memory_params command_params_of(const struct gpu_controller_place *place)
{
    struct memory_params own = *place->memory;

    own.channels = channels_of(place->memory, place->count);
    own.base = 0;
    own.size_bytes = own.channels * place->memory->command_device.figures.channel_bytes;
    return own;
}

static struct fault make_commands(struct gpu_controller *controller, const struct gpu_controller_place *place)
{
    struct memory_params const own = command_params_of(place);
    uint32_t const count = (uint32_t)own.channels;

    sim_init_part(&controller->sim, place->root);
    controller->sim.log = place->root->log;
    controller->bytes = own.size_bytes;
    controller->commands = calloc(count, sizeof *controller->commands);
    if (!controller->commands)
        return fault_make(FAULT_MEMORY, "out of memory for a memory controller");
    for (uint32_t i = 0; i < count; i++) {
        struct gpu_command_channel *const channel = &controller->commands[i];
        uint32_t const of_all = place->number * count + i;

        text_member_name(channel->name, sizeof channel->name, "mem_ctrls", of_all, place->count * count);
        controller->command_count++;
        FORWARD(cmd_ctrl_init(&channel->ctrl, &controller->sim, channel->name, &own, place->commands, i, of_all));
        channel->ctrl.above = place->above;
    }
    return fault_none();
}

/* ---- either */
struct fault gpu_controller_make(struct gpu_controller **made, const struct gpu_controller_place *place)
{
    struct gpu_controller *const controller = calloc(1, sizeof *controller);
    struct fault fault;

    *made = NULL;
    if (!controller)
        return fault_make(FAULT_MEMORY, "out of memory for a memory controller");
    if (place->memory->type == MEMORY_SIMPLE)
        fault = fault_make(FAULT_INPUT, "memory.type: a GPU of its own needs dram, hbm_pseudo or command");
    else
        fault = (place->commands ? make_commands : make_dram)(controller, place);
    if (fault.kind == FAULT_NONE)
        *made = controller;
    else
        gpu_controller_free(controller);
    return fault;
}

void gpu_controller_free(struct gpu_controller *controller)
{
    if (!controller)
        return;
    for (uint32_t i = 0; i < controller->command_count; i++)
        cmd_ctrl_free(&controller->commands[i].ctrl);
    free(controller->commands);
    if (controller->ctrl.sim)
        mem_ctrl_free(&controller->ctrl);
    sim_free(&controller->sim);
    free(controller);
}

void gpu_controller_startup(struct gpu_controller *controller)
{
    for (uint32_t i = 0; i < controller->command_count; i++)
        cmd_ctrl_startup(&controller->commands[i].ctrl);
    if (!controller->commands)
        mem_ctrl_startup(&controller->ctrl);
}

uint64_t gpu_controller_address(const struct gpu_controller *controller, const struct gpu_hash *hash, uint64_t key)
{
    uint64_t const address = gpu_hash_dram_address(hash, key);

    return controller->commands ? address % controller->bytes : address;
}

struct below gpu_controller_port(struct gpu_controller *controller, uint64_t address)
{
    if (!controller->commands)
        return mem_ctrl_port(&controller->ctrl);
    return cmd_ctrl_port(&controller->commands[address_range_channel(&controller->commands[0].ctrl.range,
                                                                     address)].ctrl);
}

void gpu_controller_settle(struct gpu_controller *controller, uint64_t now_ps)
{
    if (!controller->commands)
        return;
    controller->sim.events.now_ps = max_u64(controller->sim.events.now_ps, now_ps);
    for (uint32_t i = 0; i < controller->command_count; i++)
        cmd_ctrl_settle_stats(&controller->commands[i].ctrl);
}

uint64_t gpu_controller_period_ps(const struct memory_params *memory, uint64_t partitions)
{
    const struct command_figures *const figures = &memory->command_device.figures;
    uint64_t access_ps;

    if (memory->type != MEMORY_COMMAND)
        return memory->dram.tCK_ps;
    access_ps = (uint64_t)((double)figures->tx_bytes * 1e12 / figures->peak_bytes_per_s);
    return max_u64(min_u64(figures->ck_ps, access_ps) / channels_of(memory, partitions), 1);
}

uint64_t gpu_controller_read_ps(const struct memory_params *memory)
{
    const struct dram_params *const dram = &memory->dram;
    const struct controller_params *const controller = &memory->controller;

    /* an answer never leaves in the tick in which it is made */
    if (memory->type == MEMORY_COMMAND)
        return max_u64(memory->command_device.figures.closed_bank_ps, 1);
    return dram->tRCD_ps + dram->tCL_ps + dram->tBURST_ps
           + max_u64(controller->static_frontend_latency_ps + controller->static_backend_latency_ps, 1);
}
