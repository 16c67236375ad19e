/* Fetch of the detailed core (o3-core 2).
 *
 * Modelled: one buffer of one block, requests to the L1I (2.5), the predictor's part (2.8), wrong paths from code
 * images. An instruction is built when its last byte is in the buffer; of one that is cut by the end of a block the
 * bytes before it are kept (2.4). The very first answer is used a cycle later than all others, as in each of the
 * reference's runs, which the specification does not explain. stringDelay: none behind the first piece of a string
 * instruction, whose microcode begins. Where no code is known, fetch waits for a squash, as on
 * an unmapped page (2.5), without the no-op that carries its fault. Not modelled: interrupts, several threads. */
#include "include/rubato_policy.h"
#include "replay/detailed/detailed_core.h"

static uint64_t block_of(const struct detailed_cpu *cpu, uint64_t address)
{
    return address & ~(cpu->params.fetch_buffer_bytes - 1);
}

/* Is the next item on the right path not a fetched instruction, or missing? Then its pc names no block to fetch. A
 * fault of the trace is reported later. */
static bool is_unfetched(const struct detailed_cpu *cpu)
{
    const struct supply_insn *insn;
    struct fault fault = fault_none();

    if (cpu->fetch.next.number == SUPPLY_WRONG)
        return false;
    switch (supply_right(cpu->supply, cpu->fetch.next.number, &insn, &fault)) {
    case SUPPLY_INSN: return insn->is_unfetched;
    case SUPPLY_END: return true;
    case SUPPLY_FAULT: break;
    }
    return false;
}

/* Address of the next byte that fetch needs. */
static uint64_t next_byte(const struct fetch_stage *fetch)
{
    return fetch->next.pc + fetch->offset_bytes;
}

static bool buffer_has(struct detailed_cpu *cpu, uint64_t address)
{
    const struct fetch_stage *const fetch = &cpu->fetch;

    if (fetch->ahead.count > 0 && !cpu->params.ideal_fetch)
        return ahead_has(cpu, block_of(cpu, address));
    return cpu->params.ideal_fetch || (fetch->buffer_is_valid && fetch->buffer_block == block_of(cpu, address));
}

static inline bool needs_block(struct detailed_cpu *cpu)
{
    return !cpu->fetch.in_macro && !buffer_has(cpu, next_byte(&cpu->fetch))
        && !(cpu->supply->has_unfetched && is_unfetched(cpu));
}

/* ---- squashes (2.6) */
/* The one that is awaited. */
static void forget_request(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;

    ahead_squash(cpu);
    ahead_redirect(cpu, cpu->cycle + 1);
    fetch->offset_bytes = 0;
    fetch->request = 0;
    if (fetch->refused) {
        packet_give(cpu->sim->packets, fetch->refused);
        fetch->refused = NULL;
    }
}

static void squash_to(struct detailed_cpu *cpu, const struct position *position)
{
    struct fetch_stage *const fetch = &cpu->fetch;

    fetch->next = *position;
    fetch->in_macro = position->micro_pc > 0;
    forget_request(cpu);
    while (fetch->queue.count > 0)
        inst_drop(cpu, inst_fifo_pop(&fetch->queue));
    fetch->status = FETCH_SQUASHING;
    cpu->stats.fetch_squash_cycles += 2;
    cpu->changed = true;
}

/* 2.3; true: nothing is fetched in this cycle. */
static bool take_signals(struct detailed_cpu *cpu)
{
    const struct signals *const decode = signals_seen(cpu, cpu->params.decode_to_fetch_cyc);
    const struct signals *const commit = signals_seen(cpu, cpu->params.commit_to_fetch_cyc);
    struct fetch_stage *const fetch = &cpu->fetch;

    if (decode->decode_block)
        fetch->decode_stalls = true;
    if (decode->decode_unblock)
        fetch->decode_stalls = false;
    if (commit->squash) {
        inst_squash_outside(cpu, 0);
        if (commit->squash_is_control && !cpu->supply->knows_outcomes)
            branch_unit_correct(cpu->branches, commit->squash_seq, commit->squash_position.pc, commit->squash_taken);
        else
            branch_unit_squash(cpu->branches, commit->squash_seq);
        squash_to(cpu, &commit->squash_position);
        return true;
    }
    if (commit->done_seq > 0)
        branch_unit_train(cpu->branches, commit->done_seq);
    if (decode->decode_squash) {
        if (!cpu->supply->knows_outcomes)
            branch_unit_correct(cpu->branches, decode->decode_seq, decode->decode_position.pc, decode->decode_taken);
        if (fetch->status != FETCH_SQUASHING) {
            inst_squash_outside(cpu, decode->decode_seq);
            squash_to(cpu, &decode->decode_position);
            return true;
        }
    }
    if (fetch->status == FETCH_SQUASHING) {
        fetch->status = FETCH_RUNNING;
        cpu->changed = true;
    }
    return false;
}

/* ---- requests (2.5) */
/* Where the block lies; false: nowhere, or the trace has a fault. */
static bool find_place(struct detailed_cpu *cpu, uint64_t block, uint64_t *place)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    const struct supply_insn *next;
    struct fault fault = fault_none();

    /* Pages of the right path get their places when its instructions are read. */
    if (fetch->next.number != SUPPLY_WRONG
        && supply_right(cpu->supply, fetch->next.number, &next, &fault) == SUPPLY_FAULT) {
        core_fail(cpu, fault);
        return false;
    }
    if (supply_place(cpu->supply, block, place))
        return true;
    fetch->status = FETCH_NOWHERE;
    cpu->changed = true;
    return false;
}

/* Fetch that runs ahead asks for the block that comes next; true: fetch may go on. */
static bool requests_ahead(struct detailed_cpu *cpu)
{
    uint64_t const block = block_of(cpu, next_byte(&cpu->fetch));
    uint64_t place;

    return cpu->fetch.ahead.count > 0 && !cpu->fetch.is_blocked && find_place(cpu, block, &place)
        && ahead_request(cpu, block, place);
}

static void request_block(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    uint64_t const block = block_of(cpu, next_byte(fetch));
    struct request request = {
        .pc = fetch->next.pc,
        .size_bytes = (uint32_t)cpu->params.fetch_buffer_bytes,
        .flags = REQUEST_FETCH,
        .requestor = cpu->inst_requestor,
        .has_pc = true,
    };
    struct packet *packet;

    if (fetch->is_blocked)
        return;
    cpu->changed = true;
    if (!find_place(cpu, block, &request.address))
        return;
    fetch->buffer_block = block;
    fetch->buffer_is_valid = false;
    cpu->stats.cache_lines++;
    request.sequence = fetch->request = ++fetch->requests;
    packet = packet_take(cpu->sim->packets, &request, CMD_ReadReq);
    if (!cpu->icache.ops->recv_request(cpu->icache.self, packet, cpu->icache.port)) {
        fetch->refused = packet;
        fetch->is_blocked = true;
        fetch->status = FETCH_WAITS_RETRY;
        return;
    }
    fetch->status = FETCH_WAITS_CACHE;
    if (cpu->listener && cpu->listener->fetched)
        cpu->listener->fetched(cpu->listener->context, sim_now_ps(cpu->sim), request.address, request.pc);
}

bool fetch_response(struct detailed_cpu *cpu, struct packet *packet)
{
    struct fetch_stage *const fetch = &cpu->fetch;

    if (fetch->ahead.count > 0 && ahead_response(cpu, packet->request.sequence)) {
        core_wake(cpu);
    } else if (fetch->status == FETCH_WAITS_CACHE && packet->request.sequence == fetch->request) {
        fetch->buffer_is_valid = true;
        fetch->status = FETCH_HAS_ANSWER;
        core_wake(cpu);
    } else {
        cpu->stats.icache_squashes++;
    }
    packet_give(cpu->sim->packets, packet);
    return true;
}

void fetch_retry(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    struct packet *const packet = fetch->refused;
    struct request request;

    core_wake(cpu);
    if (!packet) {
        fetch->is_blocked = false;
        return;
    }
    request = packet->request;
    if (!cpu->icache.ops->recv_request(cpu->icache.self, packet, cpu->icache.port))
        return;
    fetch->refused = NULL;
    fetch->is_blocked = false;
    fetch->status = FETCH_WAITS_CACHE;
    if (cpu->listener && cpu->listener->fetched)
        cpu->listener->fetched(cpu->listener->context, sim_now_ps(cpu->sim), request.address, request.pc);
}

/* ---- building (2.4) */
/* The instruction at fetch->next; NULL: none is known there, or the trace has a fault. */
static const struct supply_insn *instruction(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    const struct supply_insn *insn = NULL;

    if (fetch->next.number != SUPPLY_WRONG) {
        struct fault fault = fault_none();

        switch (supply_right(cpu->supply, fetch->next.number, &insn, &fault)) {
        case SUPPLY_INSN:
            fetch->highest_number = max_u64(fetch->highest_number, fetch->next.number);
            return insn;
        case SUPPLY_FAULT:
            core_fail(cpu, fault);
            return NULL;
        case SUPPLY_END:
            fetch->next.number = SUPPLY_WRONG;    /* the code after the last instruction */
            break;
        }
    }
    if (cpu->params.wrong_path)
        insn = supply_wrong(cpu->supply, fetch->next.pc, fetch->next.state);
    if (!insn)
        cpu->stats.wrong_unknown++;
    return insn;
}

static enum branch_class detailed_fetch_class_of(uint32_t flags)
{
    if (flags & UOP_RETURN)
        return BRANCH_RETURN;
    if (flags & UOP_CALL)
        return flags & UOP_DIRECT ? BRANCH_CALL_DIRECT : BRANCH_CALL_INDIRECT;
    if (flags & UOP_DIRECT)
        return flags & UOP_CONDITIONAL ? BRANCH_DIRECT_COND : BRANCH_DIRECT_UNCOND;
    return flags & UOP_CONDITIONAL ? BRANCH_INDIRECT_COND : BRANCH_INDIRECT_UNCOND;
}

/* The position after a branch predicted to go to `pc`. */
static struct position predicted_position(const struct inst *inst, uint64_t pc)
{
    struct position position = {SUPPLY_WRONG, pc, 0, state_after(inst)};

    if (inst_is_right(inst) && pc == inst->insn->next_pc)
        position.number = inst->insn->number + 1;
    return position;
}

/* Of a supply that knows where its branches went. Behind one that was mispredicted fetch goes on where the supply says,
 * until decode or execution corrects it. */
static bool detailed_fetch_follow(struct detailed_cpu *cpu, struct inst *inst)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    const struct supply_insn *const insn = inst->insn;
    bool is_taken = insn->is_taken;

    inst->predicted_next = insn->next_pc;
    fetch->next = position_after(inst);
    if (inst->flags & UOP_CONTROL)
        cpu->stats.fetched_branches++;
    if (insn->outcome != SUPPLY_AS_PREDICTED) {
        inst->predicted_next = ~insn->next_pc;
        fetch->next = (struct position){SUPPLY_WRONG, insn->wrong_pc, 0, SUPPLY_NO_STATE};
        is_taken = insn->is_predicted_taken;
    }
    if (is_taken) {
        ahead_branches(cpu, &(struct branch_answer){.is_taken = true});
        inst->state |= INST_PREDICTED_TAKEN;
        cpu->stats.predicted_branches++;
    }
    return is_taken;
}

static void tell_branch(struct detailed_cpu *cpu, const struct branch_query *query, const struct branch_answer *answer)
{
    struct rubato_branch const branch = {
        .pc = query->pc, .fall_through = query->fall_through, .sequence = query->seq, .kind = query->class,
        .is_conditional = query->is_conditional, .is_taken = answer->is_taken, .target = answer->next_pc};

    cpu->watch_branch(cpu->branch_watcher, &branch);
}

/* Last micro-op of an instruction: sets the next fetch position. Returns true if it is predicted taken. */
static bool predict(struct detailed_cpu *cpu, struct inst *inst)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    const struct supply_insn *const insn = inst->insn;

    if (cpu->supply->knows_outcomes)
        return detailed_fetch_follow(cpu, inst);
    if (inst->flags & UOP_CONTROL) {
        struct branch_query const query = {
            .seq = inst->seq,
            .pc = inst->pc,
            .fall_through = inst->pc + insn->size_bytes,
            .class = (uint8_t)detailed_fetch_class_of(inst->flags),
            .is_call = (inst->flags & UOP_CALL) != 0,
            .is_return = (inst->flags & UOP_RETURN) != 0,
            .is_direct = (inst->flags & UOP_DIRECT) != 0,
            .is_conditional = (inst->flags & UOP_CONDITIONAL) != 0,
            .is_known = inst_is_right(inst),
            .is_taken = insn->is_taken,
            .next_pc = insn->next_pc,
            .number = insn->number,
        };
        struct branch_answer const answer = branch_unit_predict(cpu->branches, &query);

        cpu->stats.fetched_branches++;
        if (cpu->watch_branch)
            tell_branch(cpu, &query, &answer);
        inst->predicted_next = answer.next_pc;
        fetch->next = predicted_position(inst, answer.next_pc);
        if (answer.late_cyc > 0) {
            fetch->pause_cyc = max_u64(fetch->pause_cyc, cpu->cycle + 1 + answer.late_cyc);
            ahead_redirect(cpu, fetch->pause_cyc);
        }
        ahead_branches(cpu, &answer);
        if (answer.is_taken) {
            inst->state |= INST_PREDICTED_TAKEN;
            cpu->stats.predicted_branches++;
        }
        return answer.is_taken;
    }
    /* No branch: the right path may still continue at another pc, after a system call or at a gap of the trace. */
    inst->predicted_next = insn->next_pc;
    fetch->next = position_after(inst);
    return false;
}

/* Consumes the bytes of an instruction; false: some are not in the buffer. */
static bool has_bytes(struct detailed_cpu *cpu, const struct supply_insn *insn)
{
    struct fetch_stage *const fetch = &cpu->fetch;

    if (insn->is_repeat || insn->is_unfetched)
        return true;
    while (fetch->offset_bytes < insn->size_bytes) {
        uint64_t const address = next_byte(fetch);
        uint64_t const rest = cpu->params.fetch_buffer_bytes - (address & (cpu->params.fetch_buffer_bytes - 1));

        if (!buffer_has(cpu, address) && !requests_ahead(cpu))
            return false;
        fetch->offset_bytes += (uint32_t)min_u64(rest, insn->size_bytes - fetch->offset_bytes);
        cpu->changed = true;
    }
    return true;
}

/* Are the branches of its blocks predicted? */
static bool is_predicted(struct detailed_cpu *cpu, const struct supply_insn *insn)
{
    if (insn->is_repeat || insn->is_unfetched)
        return true;
    if (ahead_predicts(cpu, block_of(cpu, cpu->fetch.next.pc))
        && ahead_predicts(cpu, block_of(cpu, cpu->fetch.next.pc + insn->size_bytes - 1)))
        return true;
    cpu->changed = true;                 /* in the next cycle it may be */
    return false;
}

/* The micro-op that comes next is joined to the one that was built last. */
static bool joins_next(const struct detailed_cpu *cpu)
{
    return cpu->fuses && cpu->fetch.in_macro && cpu->params.micro_fusion && cpu->young_youngest
        && ((cpu->young_youngest->uop + 1)->traits & UOP_JOINS) != 0;
}

static struct inst *build_one(struct detailed_cpu *cpu, const struct supply_insn *insn)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    struct inst *const inst = inst_make(cpu, insn, fetch->next.micro_pc);

    inst_fifo_push(&fetch->queue, inst);
    if (cpu->fuses)
        fusion_find(cpu, inst);
    if (fetch->ahead.count > 0 && !insn->is_unfetched)
        ahead_mark(cpu, inst, block_of(cpu, inst->pc + insn->size_bytes - 1));
    cpu->changed = true;
    return inst;
}

/* Cycles without fetch behind the last micro-op of an instruction. */
static void pause_behind(struct detailed_cpu *cpu, const struct inst *inst)
{
    uint64_t const call_cyc = inst->flags & (UOP_CALL | UOP_RETURN) ? cpu->params.call_cyc : 0;
    uint64_t const string_cyc = inst->insn->is_string ? cpu->params.string_cyc : 0;

    if (call_cyc + string_cyc > 0)
        cpu->fetch.pause_cyc = cpu->cycle + 1 + call_cyc + string_cyc;
}

/* The loop. */
static void detailed_fetch_build(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    uint64_t const most_branches =
        cpu->stats.fetched_branches + (cpu->params.fetch_branches > 0 ? cpu->params.fetch_branches : MOST_WIDTH);
    uint64_t built = 0;
    bool jumps = false;

    while ((built < cpu->params.fetch_width || joins_next(cpu)) && fetch->queue.count < cpu->params.fetch_queue
           && !jumps && detailed_cpu_has_inst(cpu)) {
        const struct supply_insn *insn;
        struct inst *inst;

        if (needs_block(cpu) && !requests_ahead(cpu))
            return;
        insn = instruction(cpu);
        if (!insn) {
            fetch->status = FETCH_NOWHERE;
            cpu->changed = true;
            return;
        }
        if (!fetch->in_macro) {
            if (!has_bytes(cpu, insn) || !is_predicted(cpu, insn))
                return;
            cpu->stats.fetched_insts++;
            if (insn->number == SUPPLY_WRONG)
                cpu->stats.wrong_insts++;
        }
        inst = build_one(cpu, insn);
        built += inst_slots(inst);
        if (inst->micro_pc + 1u < insn->uop_count) {
            fetch->in_macro = true;
            fetch->next.micro_pc++;
            inst->predicted_next = inst->pc;
            continue;
        }
        fetch->in_macro = false;
        fetch->offset_bytes = 0;
        pause_behind(cpu, inst);
        jumps = predict(cpu, inst) || cpu->stats.fetched_branches >= most_branches || fetch->pause_cyc > cpu->cycle;
    }
}

/* 2.4; true: the loop was entered. */
static bool fetch_proper(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;

    if (fetch->status == FETCH_HAS_ANSWER) {
        cpu->changed = true;
        if (!fetch->has_begun) {
            fetch->has_begun = true;
            return false;
        }
        fetch->status = FETCH_RUNNING;
    } else if (fetch->status == FETCH_RUNNING) {
        if (fetch->ahead.count == 0 && needs_block(cpu)) {
            request_block(cpu);
            if (fetch->status == FETCH_RUNNING || fetch->status == FETCH_WAITS_RETRY)
                cpu->stats.fetch_misc_stall_cycles++;
            return false;
        }
    } else {
        return false;
    }
    if (cpu->cycle < fetch->pause_cyc) {
        cpu->changed = true;             /* it ends by itself */
        return false;
    }
    cpu->stats.fetch_cycles++;
    detailed_fetch_build(cpu);
    return true;
}

void fetch_tick(struct detailed_cpu *cpu)
{
    struct fetch_stage *const fetch = &cpu->fetch;
    uint64_t const before = cpu->seq;
    uint64_t sent = 0, decoded = 0;

    if (!take_signals(cpu)) {
        bool const has_looped = fetch_proper(cpu);

        if (cpu->seq == before && fetch->status == FETCH_WAITS_CACHE)
            cpu->stats.icache_stall_cycles++;
        if (has_looped && fetch->status == FETCH_RUNNING && fetch->ahead.count == 0 && needs_block(cpu))
            request_block(cpu);
    }
    while (!fetch->decode_stalls && fetch->queue.count > 0
           && (sent < cpu->params.decode_width || inst_is(inst_fifo_at(&fetch->queue, 0), INST_JOINED))) {
        if (fetch->ahead.count > 0 && !ahead_may_send(cpu, inst_fifo_at(&fetch->queue, 0), &decoded))
            break;
        sent += inst_slots(inst_fifo_at(&fetch->queue, 0));
        inst_wire_send(&cpu->to_decode, cpu->cycle, inst_fifo_pop(&fetch->queue));
        cpu->changed = true;
    }
}
