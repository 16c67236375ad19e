// SPDX-License-Identifier: MIT
//
// What work-items execute, told to the process that captures through shared memory, as ring.h says.
//
// Oclgrind calls back for each instruction after it was executed, and for each access before that. A kernel is told
// once as pieces (basic blocks, cut behind calls of functions); then a work-item's run is the pieces that it enters and
// the accesses that it makes. The work-items of a group run one after the other, each up to the next barrier.
// With this plugin Oclgrind uses one thread (isThreadSafe). Other threads of the program copy, so messages are locked.
// Addresses: Oclgrind numbers buffers and counts from 0 in each. Here those of global memory lie one behind the other,
// as a device's allocator has them; what is freed is given again to the same size. Local and private addresses are
// offsets in the work-group's and in the work-item's memory.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include "../opencl/opencl_ring.h"

namespace {

using Function = const llvm::Function *;
using Instruction = const llvm::Instruction *;

constexpr uint64_t device_base = UINT64_C(0xc0000000), device_unit = 512, space_count = 4;

// ---- the ring

class Ring {
public:
    bool open()
    {
        const char *const path = getenv(OCL_VARIABLE);
        int segment = -1, file = -1;
        size_t const bytes = OCL_HEAD_BYTES + sizeof(uint64_t) * OCL_RING_WORDS;

        if (path != nullptr && sscanf(path, OCL_SEGMENT "%d", &segment) != 1)
            file = ::open(path, O_RDWR | O_CLOEXEC);
        if (file < 0 && segment < 0)
            return false;
        void *const map = segment >= 0 ? shmat(segment, nullptr, 0)
            : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
        if (file >= 0)
            close(file);
        if (map == MAP_FAILED)
            return false;
        area = static_cast<ocl_area *>(map);
        words = reinterpret_cast<uint64_t *>(static_cast<char *>(map) + OCL_HEAD_BYTES);
        uint64_t none = 0;
        if (area->magic != OCL_MAGIC || !__atomic_compare_exchange_n(&area->attached, &none, (uint64_t)getpid(), false,
                                                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return false;
        owner = getpid();
        return true;
    }

    // Of a forked process there is nothing to tell.
    bool is_mine() const { return area != nullptr && getpid() == owner; }

    void put(ocl_message type, const uint64_t *at, size_t count)
    {
        std::lock_guard<std::mutex> const guard(lock);
        uint64_t const place = area->written;

        for (unsigned waits = 0; place + count + 1 - __atomic_load_n(&area->read, __ATOMIC_ACQUIRE) > OCL_RING_WORDS;) {
            struct timespec const pause = {0, 100000};

            if (__atomic_load_n(&area->stopped, __ATOMIC_RELAXED)
                || (++waits % 1000 == 0 && kill((pid_t)area->reader_pid, 0) != 0))
                _exit(0);
            nanosleep(&pause, nullptr);
        }
        words[place % OCL_RING_WORDS] = (uint64_t)type | (uint64_t)count << 8;
        size_t const start = (place + 1) % OCL_RING_WORDS;
        size_t const first = std::min<size_t>(count, OCL_RING_WORDS - start);
        memcpy(words + start, at, first * sizeof *at);
        memcpy(words, at + first, (count - first) * sizeof *at);
        __atomic_store_n(&area->written, place + count + 1, __ATOMIC_RELEASE);
    }

    void put(ocl_message type, const std::vector<uint64_t> &message) { put(type, message.data(), message.size()); }
    void end() { __atomic_store_n(&area->ended, 1, __ATOMIC_RELEASE); }

private:
    ocl_area *area = nullptr;
    uint64_t *words = nullptr;
    pid_t owner = 0;
    std::mutex lock;
};

void put_text(std::vector<uint64_t> &message, const std::string &whole)
{
    std::string const text = whole.substr(0, 1000);
    size_t const at = message.size();

    message.push_back(text.size());
    message.resize(at + 1 + (text.size() + 7) / 8);
    memcpy(message.data() + at + 1, text.data(), text.size());
}

// ---- a kernel's code

struct Piece {
    std::vector<Instruction> instructions;
    uint64_t number = 0, first = 0;
    uint64_t meets = OCL_NO_PIECE;
    ocl_piece_end end = OCL_FALLS;
};

bool is_counted(Instruction instruction)
{
    return !llvm::isa<llvm::DbgInfoIntrinsic>(instruction);
}

Function called(Instruction instruction)
{
    auto const *const call = llvm::dyn_cast<llvm::CallInst>(instruction);

    return call != nullptr ? call->getCalledFunction() : nullptr;
}

// A function of the program, not one that Oclgrind provides.
Function entered(Instruction instruction)
{
    Function const function = called(instruction);

    return function != nullptr && !function->isDeclaration() ? function : nullptr;
}

// "_Z10atomic_addPU3AS1Vii" is atomic_add.
std::string plain_name(Function function)
{
    std::string const name = function->getName().str();
    size_t digits = 2, length = 0;

    if (name.compare(0, 2, "_Z") != 0)
        return name;
    while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9')
        length = 10 * length + (size_t)(name[digits++] - '0');
    return length > 0 && digits + length <= name.size() ? name.substr(digits, length) : name;
}

std::string name_of(Instruction instruction)
{
    if (!llvm::isa<llvm::CallInst>(instruction))
        return instruction->getOpcodeName();
    Function const function = called(instruction);
    if (function == nullptr || entered(instruction) != nullptr)
        return "call";
    return "call " + plain_name(function);
}

// Of what it computes with: a comparison's and a conversion's is the operand's.
unsigned float_bits(Instruction instruction)
{
    const llvm::Type *type = instruction->getType()->getScalarType();

    if (!type->isFloatingPointTy() && instruction->getNumOperands() > 0 && !llvm::isa<llvm::CallInst>(instruction))
        type = instruction->getOperand(0)->getType()->getScalarType();
    return type->isFloatingPointTy() ? type->getScalarSizeInBits() : 0;
}

class Code {
public:
    std::vector<Piece> pieces;
    std::unordered_map<Instruction, Piece *> begins;
    uint64_t live_words = 0;

    explicit Code(Function kernel) : layout(kernel->getParent()), kernel_function(kernel)
    {
        add_function(kernel);
        for (Piece &piece : pieces)
            begins[piece.instructions.front()] = &piece;
        live_words = most_live(kernel);
    }

    void tell(Ring &ring) const
    {
        for (const Piece &piece : pieces) {
            for (size_t i = 0; i < piece.instructions.size(); i++)
                tell_instruction(ring, piece.first + i, piece.instructions[i]);
            ring.put(OCL_PIECE, {piece.first, piece.instructions.size(), piece.meets, (uint64_t)piece.end});
        }
    }

private:
    llvm::DataLayout layout;
    Function kernel_function;
    std::vector<Function> functions;
    std::unordered_map<const llvm::Value *, uint64_t> registers;
    std::map<Function, uint64_t> live;
    uint64_t instruction_count = 0;

    void number_values(Function function)
    {
        for (const llvm::Argument &argument : function->args())
            if (function != kernel_function)             // a kernel's are constants
                registers.emplace(&argument, registers.size());
        for (const llvm::BasicBlock &block : *function)
            for (const llvm::Instruction &instruction : block)
                if (!instruction.getType()->isVoidTy())
                    registers.emplace(&instruction, registers.size());
    }

    void add_function(Function function)
    {
        std::unordered_map<const llvm::BasicBlock *, uint64_t> block_begins;
        std::vector<std::pair<uint64_t, const llvm::BasicBlock *>> block_ends;

        if (std::find(functions.begin(), functions.end(), function) != functions.end())
            return;
        functions.push_back(function);
        number_values(function);
        for (const llvm::BasicBlock &block : *function) {
            block_begins[&block] = pieces.size();
            add_block(block);
            block_ends.emplace_back(pieces.size() - 1, &block);
        }
        llvm::PostDominatorTree const tree(*const_cast<llvm::Function *>(function));
        for (auto const &end : block_ends) {
            auto const *const node = tree.getNode(end.second);
            auto const *const meets = node != nullptr && node->getIDom() != nullptr ? node->getIDom()->getBlock() : nullptr;

            if (meets != nullptr)
                pieces[end.first].meets = block_begins[meets];
        }
        for (const llvm::BasicBlock &block : *function)
            for (const llvm::Instruction &instruction : block)
                if (Function const next = entered(&instruction))
                    add_function(next);
    }

    // Pieces of one block follow each other; only the last one's end is the block's.
    void add_block(const llvm::BasicBlock &block)
    {
        bool is_open = false;

        for (const llvm::Instruction &instruction : block) {
            if (!is_counted(&instruction))
                continue;
            if (!is_open) {
                pieces.emplace_back();
                pieces.back().number = pieces.size() - 1;
                pieces.back().first = instruction_count;
                pieces.back().meets = OCL_NO_PIECE;
                is_open = true;
            }
            Piece &piece = pieces.back();
            piece.instructions.push_back(&instruction);
            instruction_count++;
            if (llvm::isa<llvm::ReturnInst>(instruction))
                piece.end = OCL_RETURNS;
            else if (entered(&instruction) != nullptr)
                piece.end = OCL_CALLS;
            if (piece.end == OCL_CALLS || piece.instructions.size() == OCL_PIECE_INSTRUCTIONS) {
                piece.meets = pieces.size();
                is_open = false;
            }
        }
    }

    static ocl_access access_of(Instruction instruction)
    {
        return llvm::isa<llvm::LoadInst>(instruction) ? OCL_LOAD : llvm::isa<llvm::StoreInst>(instruction) ? OCL_STORE
            : llvm::isa<llvm::CallInst>(instruction) || instruction->isAtomic() ? OCL_CALL : OCL_NO_ACCESS;
    }

    void tell_instruction(Ring &ring, uint64_t number, Instruction instruction) const
    {
        ocl_access const access = access_of(instruction);
        const llvm::Value *const pointer = access == OCL_LOAD || access == OCL_STORE
            ? llvm::getLoadStorePointerOperand(instruction) : nullptr;
        auto const own = registers.find(instruction);
        bool const has_destination = own != registers.end() && !instruction->use_empty();
        std::vector<uint64_t> sources;
        std::vector<uint64_t> message;

        for (const llvm::Value *operand : instruction->operand_values()) {
            auto const found = registers.find(operand);

            if (found != registers.end() && std::find(sources.begin(), sources.end(), found->second) == sources.end())
                sources.push_back(found->second);
        }
        message = {number, instruction->getDebugLoc() ? instruction->getDebugLoc().getLine() : 0,
                   float_bits(instruction), (uint64_t)access,
                   pointer != nullptr ? pointer->getType()->getPointerAddressSpace() : 0u,
                   pointer != nullptr ? layout.getTypeStoreSize(llvm::getLoadStoreType(
                       const_cast<llvm::Instruction *>(instruction))).getFixedSize() : 0u,
                   has_destination, sources.size()};
        if (has_destination)
            message.push_back(own->second);
        message.insert(message.end(), sources.begin(), sources.end());
        put_text(message, llvm::isa<llvm::ReturnInst>(instruction) && instruction->getFunction() == kernel_function
                 ? "exit" : name_of(instruction));
        ring.put(OCL_INSTRUCTION, message);
    }

    uint64_t words_of(const llvm::Value *value) const
    {
        return (layout.getTypeSizeInBits(value->getType()).getFixedSize() + 31) / 32;
    }

    // 32-bit words of values that live at once, at most, with those of functions that it calls: an estimate of registers.
    uint64_t most_live(Function function)
    {
        std::map<const llvm::BasicBlock *, std::map<const llvm::Value *, bool>> live_in;
        uint64_t most = 0;
        auto const known = live.find(function);

        if (known != live.end())
            return known->second;
        live[function] = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (auto block = function->end(); block != function->begin();) {
                std::map<const llvm::Value *, bool> now;
                uint64_t words = 0;

                --block;
                for (const llvm::BasicBlock *next : llvm::successors(&*block)) {
                    for (auto const &value : live_in[next])
                        now.insert(value);
                    for (const llvm::PHINode &phi : next->phis()) {
                        now.erase(&phi);
                        if (registers.count(phi.getIncomingValueForBlock(&*block)) != 0)
                            now.emplace(phi.getIncomingValueForBlock(&*block), true);
                    }
                }
                for (auto const &value : now)
                    words += words_of(value.first);
                for (auto at = block->rbegin(); at != block->rend(); ++at) {
                    Function const next = entered(&*at);

                    most = std::max(most, words + (next != nullptr ? most_live(next) : 0));
                    if (now.erase(&*at) != 0)
                        words -= words_of(&*at);
                    if (llvm::isa<llvm::PHINode>(*at))
                        continue;
                    for (const llvm::Value *operand : at->operand_values())
                        if (registers.count(operand) != 0 && now.emplace(operand, true).second)
                            words += words_of(operand);
                }
                for (const llvm::PHINode &phi : block->phis())
                    now.emplace(&phi, true);
                if (now.size() != live_in[&*block].size()) {
                    live_in[&*block] = now;
                    changed = true;
                }
            }
        }
        live[function] = most;
        return most;
    }
};

// ---- addresses

class Space {
public:
    unsigned shift = 48;

    uint64_t place(uint64_t address) const
    {
        uint64_t const buffer = address >> shift, offset = address & ((UINT64_C(1) << shift) - 1);

        return ((buffer < bases.size() ? bases[buffer] : 0) + offset) & OCL_EVENT_ADDRESS;
    }

    void learn(const oclgrind::Memory *memory, uint64_t address)
    {
        uint64_t const buffer = memory->extractBuffer(address);

        for (unsigned bits = 8; bits < 64; bits++)
            if (buffer << bits == address)
                shift = bits;
    }

    void set(uint64_t buffer, uint64_t base, uint64_t bytes)
    {
        if (buffer >= bases.size()) {
            bases.resize(buffer + 1, 0);
            sizes.resize(buffer + 1, 0);
        }
        bases[buffer] = base;
        sizes[buffer] = bytes;
    }

    // Memory of its own for a number of buffer, large enough for all that have it.
    void fit(uint64_t buffer, uint64_t bytes, uint64_t unit)
    {
        if (buffer < sizes.size() && sizes[buffer] >= bytes)
            return;
        top = (top + unit - 1) / unit * unit;
        set(buffer, top, bytes);
        top += bytes;
    }

    void clear()
    {
        bases.clear();
        sizes.clear();
        top = 0;
    }

    uint64_t size(uint64_t buffer) const { return buffer < sizes.size() ? sizes[buffer] : 0; }
    uint64_t base(uint64_t buffer) const { return buffer < bases.size() ? bases[buffer] : 0; }

private:
    std::vector<uint64_t> bases, sizes;
    uint64_t top = 0;
};

struct Mapping {
    uint64_t address, bytes;
    bool is_written;
};

struct Item {
    const Instruction *next = nullptr, *end = nullptr, *begin = nullptr;
};

struct Access {
    uint64_t word, sized;
};

// ---- the plugin

class Capture : public oclgrind::Plugin {
public:
    explicit Capture(const oclgrind::Context *context) : Plugin(context) { is_open = ring.open(); }

    ~Capture() override
    {
        if (is_open && ring.is_mine())
            ring.end();
    }

    bool isThreadSafe() const override { return false; }

    // -- memory

    void memoryAllocated(const oclgrind::Memory *memory, size_t address, size_t bytes, cl_mem_flags,
                         const uint8_t *data) override
    {
        unsigned const kind = memory->getAddressSpace();

        if (!is_open || kind >= space_count)
            return;
        Space &space = spaces[kind];
        space.learn(memory, address);
        if (kind != oclgrind::AddrSpaceGlobal) {
            space.fit(memory->extractBuffer(address), bytes, 16);
            return;
        }
        uint64_t const units = (std::max<uint64_t>(bytes, 1) + device_unit - 1) / device_unit;
        std::vector<uint64_t> &same = freed[units];
        uint64_t base = device_top;
        if (!same.empty()) {
            base = same.back();
            same.pop_back();
        } else {
            device_top += units * device_unit;
        }
        space.set(memory->extractBuffer(address), base, bytes);
        if (data != nullptr && !is_in_kernel)
            copy(0, address, bytes);
    }

    void memoryDeallocated(const oclgrind::Memory *memory, size_t address) override
    {
        if (!is_open || memory->getAddressSpace() != oclgrind::AddrSpaceGlobal)
            return;
        Space &space = spaces[oclgrind::AddrSpaceGlobal];
        uint64_t const buffer = memory->extractBuffer(address), bytes = std::max<uint64_t>(space.size(buffer), 1);

        if (space.base(buffer) != 0)
            freed[(bytes + device_unit - 1) / device_unit].push_back(space.base(buffer));
        space.set(buffer, 0, 0);
    }

    void hostMemoryLoad(const oclgrind::Memory *memory, size_t address, size_t bytes) override
    {
        if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
            copy(1, address, bytes);
    }

    void hostMemoryStore(const oclgrind::Memory *memory, size_t address, size_t bytes, const uint8_t *) override
    {
        if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal)
            copy(0, address, bytes);
    }

    void memoryMap(const oclgrind::Memory *, size_t address, size_t offset, size_t bytes, cl_map_flags flags) override
    {
        mappings.push_back({address + offset, bytes, (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0});
        if ((flags & CL_MAP_READ) != 0)
            copy(1, address + offset, bytes);
    }

    void memoryUnmap(const oclgrind::Memory *memory, size_t address, const void *pointer) override
    {
        uint64_t const offset = (uint64_t)((const char *)pointer - (const char *)memory->getPointer(address));

        for (size_t i = 0; i < mappings.size(); i++)
            if (mappings[i].address == address + offset || mappings[i].address == address) {
                if (mappings[i].is_written)
                    copy(0, mappings[i].address, mappings[i].bytes);
                mappings.erase(mappings.begin() + (ptrdiff_t)i);
                return;
            }
    }

    // -- kernels

    void kernelBegin(const oclgrind::KernelInvocation *invocation) override
    {
        const oclgrind::Kernel *const kernel = invocation->getKernel();
        oclgrind::Size3 const groups = invocation->getNumGroups(), threads = invocation->getLocalSize();
        std::vector<uint64_t> message;

        is_telling = is_open && ring.is_mine();
        is_in_kernel = true;
        if (!is_telling)
            return;
        code.reset(new Code(kernel->getFunction()));
        executed = copied = 0;
        message = {groups.x, groups.y, groups.z, threads.x, threads.y, threads.z, kernel->getLocalMemorySize(),
                   code->live_words};
        put_text(message, kernel->getName());
        ring.put(OCL_KERNEL, message);
        for (unsigned i = 0; i < kernel->getNumArguments(); i++)
            tell_argument(kernel, i);
        code->tell(ring);
        ring.put(OCL_READY, nullptr, 0);
        spaces[oclgrind::AddrSpacePrivate].clear();
        spaces[oclgrind::AddrSpaceLocal].clear();
    }

    void kernelEnd(const oclgrind::KernelInvocation *) override
    {
        is_in_kernel = false;
        if (is_telling)
            ring.put(OCL_KERNEL_END, {executed, copied});
        is_telling = false;
        items.clear();
        code.reset();
    }

    void workGroupBegin(const oclgrind::WorkGroup *group) override
    {
        oclgrind::Size3 const id = group->getGroupID(), size = group->getGroupSize();

        if (!is_telling)
            return;
        group_size = size;
        items.assign(size.x * size.y * size.z, Item());
        current_item = nullptr;
        pending.clear();
        ring.put(OCL_GROUP, {id.x, id.y, id.z, items.size()});
    }

    void workGroupComplete(const oclgrind::WorkGroup *) override
    {
        if (!is_telling)
            return;
        flush();
        current_item = nullptr;
        ring.put(OCL_GROUP_END, nullptr, 0);
    }

    void instructionExecuted(const oclgrind::WorkItem *work_item, Instruction instruction,
                             const oclgrind::TypedValue &) override
    {
        if (!is_telling)
            return;
        if (work_item != current_item)
            change_to(work_item);
        if (item->next == item->end || *item->next != instruction) {
            auto const found = code->begins.find(instruction);

            if (found == code->begins.end())
                return;
            item->begin = item->next = found->second->instructions.data();
            item->end = item->next + found->second->instructions.size();
            out[filled++] = found->second->number;
        }
        item->next++;
        executed++;
        if (!pending.empty())
            tell_accesses((uint64_t)(item->next - 1 - item->begin), instruction);
        if (filled > RUN_WORDS)
            flush();
    }

    // -- accesses

    void memoryLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *, size_t address, size_t bytes) override
    {
        note(memory, OCL_LOAD, address, bytes);
    }

    void memoryStore(const oclgrind::Memory *memory, const oclgrind::WorkItem *, size_t address, size_t bytes,
                     const uint8_t *) override
    {
        note(memory, OCL_STORE, address, bytes);
    }

    // One that stores has loaded.
    void memoryAtomicLoad(const oclgrind::Memory *memory, const oclgrind::WorkItem *, oclgrind::AtomicOp, size_t address,
                          size_t bytes) override
    {
        note(memory, OCL_ATOMIC, address, bytes);
    }

    void memoryLoad(const oclgrind::Memory *, const oclgrind::WorkGroup *, size_t, size_t bytes) override
    {
        copied += bytes;
    }

    void log(oclgrind::MessageType type, const char *text) override
    {
        std::vector<uint64_t> message;

        if (type != oclgrind::ERROR || !is_open || !ring.is_mine())
            return;
        put_text(message, text);
        ring.put(OCL_TROUBLE, message);
    }

private:
    static constexpr size_t RUN_WORDS = 8192;

    Ring ring;
    bool is_open = false, is_telling = false, is_in_kernel = false;
    Space spaces[space_count];
    std::map<uint64_t, std::vector<uint64_t>> freed;     // by size
    uint64_t device_top = device_base;
    std::vector<Mapping> mappings;
    std::unique_ptr<Code> code;
    uint64_t executed = 0, copied = 0;
    oclgrind::Size3 group_size;
    std::vector<Item> items;
    const oclgrind::WorkItem *current_item = nullptr;
    Item *item = nullptr;
    std::vector<Access> pending;                         // of the instruction that is being executed
    uint64_t run[1 + OCL_MESSAGE_WORDS];                 // the work-item, then events
    uint64_t *const out = run + 1;
    size_t filled = 0;

    void copy(uint64_t direction, size_t address, size_t bytes)
    {
        if (is_open && bytes > 0 && ring.is_mine())
            ring.put(OCL_COPY, {direction, spaces[oclgrind::AddrSpaceGlobal].place(address), bytes});
    }

    void tell_argument(const oclgrind::Kernel *kernel, unsigned i)
    {
        std::string const type = kernel->getArgumentTypeName(i).str();
        unsigned const space = kernel->getArgumentAddressQualifier(i);
        const llvm::Argument *const argument = kernel->getFunction()->getArg(i);
        uint64_t value = 0, bytes = kernel->getArgumentSize(i);
        uint64_t const told = space == CL_KERNEL_ARG_ADDRESS_GLOBAL ? OCL_GLOBAL : space == CL_KERNEL_ARG_ADDRESS_CONSTANT
            ? OCL_CONSTANT : space == CL_KERNEL_ARG_ADDRESS_LOCAL ? OCL_LOCAL : OCL_PRIVATE;
        std::vector<uint64_t> message;

        for (auto at = kernel->values_begin(); at != kernel->values_end(); ++at)
            if (at->first == argument) {
                size_t const there = (size_t)at->second.size * at->second.num;

                if (told == OCL_LOCAL)
                    bytes = there;
                else if (at->second.data != nullptr)
                    memcpy(&value, at->second.data, std::min(sizeof value, there));
            }
        // An image is a structure of Oclgrind's, which says where it lies.
        if (type.compare(0, 5, "image") == 0 && value != 0)
            value = reinterpret_cast<const oclgrind::Image *>(value)->address;
        if (told == OCL_GLOBAL || told == OCL_CONSTANT)
            value = value != 0 ? spaces[oclgrind::AddrSpaceGlobal].place(value) : 0;
        message = {told, value, bytes};
        put_text(message, type + " " + kernel->getArgumentName(i).str());
        ring.put(OCL_ARGUMENT, message);
    }

    void change_to(const oclgrind::WorkItem *work_item)
    {
        oclgrind::Size3 const id = work_item->getLocalID();
        size_t const number = id.x + group_size.x * (id.y + group_size.y * id.z);

        flush();
        current_item = work_item;
        item = &items[number];
        run[0] = number;
    }

    void flush()
    {
        if (filled > 0)
            ring.put(OCL_RUN, run, filled + 1);
        filled = 0;
    }

    void note(const oclgrind::Memory *memory, ocl_access kind, size_t address, size_t bytes)
    {
        unsigned const space = memory->getAddressSpace();

        if (is_telling && space < space_count)
            pending.push_back({spaces[space].place(address) | (uint64_t)kind << OCL_EVENT_KIND_SHIFT | OCL_EVENT_ACCESS,
                               bytes | (uint64_t)space << 32});
    }

    // Loads and stores are as their instruction says, the rest says what it is.
    void tell_accesses(uint64_t place, Instruction instruction)
    {
        bool const is_plain = pending.size() == 1
            && (llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction));

        for (const Access &access : pending) {
            if (filled + 2 > OCL_MESSAGE_WORDS - 2)
                flush();
            out[filled++] = access.word | place << OCL_EVENT_PLACE_SHIFT | (is_plain ? 0 : OCL_EVENT_SIZED);
            if (!is_plain)
                out[filled++] = access.sized;
        }
        pending.clear();
    }
};

Capture *capture;

}    // namespace

extern "C" __attribute__((visibility("default"))) void initializePlugins(oclgrind::Context *context)
{
    if (capture == nullptr) {
        capture = new Capture(context);
        context->registerPlugin(capture);
    }
}

extern "C" __attribute__((visibility("default"))) void releasePlugins(oclgrind::Context *context)
{
    if (capture != nullptr) {
        context->unregisterPlugin(capture);
        delete capture;
        capture = nullptr;
    }
}
