/* Modelled: what a data record asks of the L1D (elastic-trace 2.8): command, cut at the end of the line, packet. Not
 * modelled: second halves of accesses that were cut; the reference has none either. */
#include "replay/elastic/sides.h"

enum command elastic_access_command(const struct store_shape *shape)
{
    uint32_t const flags = shape->flags;

    if (shape->links.type == DEP_LOAD)
        return flags & REQUEST_LLSC ? CMD_LoadLockedReq
             : flags & REQUEST_PREFETCH_EXCLUSIVE ? CMD_SoftPFExReq
             : flags & REQUEST_PREFETCH ? CMD_SoftPFReq
             : flags & REQUEST_LOCKED_RMW ? CMD_LockedRMWReadReq : CMD_ReadReq;
    return flags & REQUEST_LLSC ? CMD_StoreCondReq
         : flags & (REQUEST_SWAP | REQUEST_SWAP_CONDITIONAL | ELASTIC_ATOMIC_OPERATIONS) ? CMD_SwapReq
         : flags & REQUEST_LOCKED_RMW ? CMD_LockedRMWWriteReq : CMD_WriteReq;
}

/* An access that crosses the end of a line is cut there. */
struct request elastic_access_request(const struct elastic_cpu *cpu, const struct elastic_access *access)
{
    const struct store_shape *const shape = access->shape;
    uint32_t const rest = elastic_rest_of_line(cpu, access->address);

    return (struct request){.address = elastic_request_address(access->address, shape->flags), .pc = shape->pc,
                            .sequence = access->record,
                            .size_bytes = shape->size_bytes < rest ? shape->size_bytes : rest, .flags = shape->flags,
                            .requestor = cpu->data_requestor, .has_pc = true};
}

static struct packet *make_packet(struct elastic_cpu *cpu, const struct elastic_access *access)
{
    struct request const request = elastic_access_request(cpu, access);

    return packet_take(cpu->sim->packets, &request, elastic_access_command(access->shape));
}

static bool try_send(struct elastic_cpu *cpu, struct packet *packet, const struct elastic_access *access)
{
    enum command const command = (enum command)packet->command;

    if (!cpu->dcache.ops->recv_request(cpu->dcache.self, packet, cpu->dcache.port))
        return false;
    sim_log(cpu->sim, cpu->data_name, "send", command, access->address);
    return true;
}

enum elastic_sending elastic_access_send(struct elastic_cpu *cpu, const struct elastic_access *access)
{
    const struct store_shape *const shape = access->shape;
    struct packet *packet;

    if (shape->flags & REQUEST_STRICT_ORDER) {
        if (shape->links.type == DEP_LOAD)
            cpu->stats.strict_order_loads++;
        else
            cpu->stats.strict_order_stores++;
        return ELASTIC_NOT_SENT;
    }
    if (shape->size_bytes > elastic_rest_of_line(cpu, access->address))
        cpu->stats.split_requests++;
    packet = make_packet(cpu, access);
    if (!try_send(cpu, packet, access)) {
        cpu->refused_packet = packet;
        return ELASTIC_REFUSED;
    }
    return ELASTIC_SENT;
}

bool elastic_access_send_again(struct elastic_cpu *cpu, const struct elastic_access *access)
{
    if (!cpu->refused_packet)
        cpu->refused_packet = make_packet(cpu, access);
    if (!try_send(cpu, cpu->refused_packet, access))
        return false;
    cpu->refused_packet = NULL;
    return true;
}

bool elastic_access_is_valid(struct elastic_cpu *cpu, const struct elastic_access *access)
{
    if (elastic_is_in_memory(cpu, access->address) || access->shape->flags & REQUEST_STRICT_ORDER)
        return true;
    elastic_fail(cpu, elastic_address_fault(cpu, cpu->record_source.name, "data record", access->record,
                                            access->address));
    return false;
}
