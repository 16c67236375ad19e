// Names of CBP-2025's kit: classes of instructions, and what is known of one.
#ifndef RUBATO_CBP2025_NAMES_H
#define RUBATO_CBP2025_NAMES_H

#include <cassert>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

enum class InstClass : uint8_t {
    aluInstClass = 0, loadInstClass = 1, storeInstClass = 2, condBranchInstClass = 3, uncondDirectBranchInstClass = 4,
    uncondIndirectBranchInstClass = 5, fpInstClass = 6, slowAluInstClass = 7, undefInstClass = 8,
    callDirectInstClass = 9, callIndirectInstClass = 10, ReturnInstClass = 11
};

inline bool is_cond_br(InstClass of) { return of == InstClass::condBranchInstClass; }
inline bool is_uncond_direct_br(InstClass of)
{
    return of == InstClass::uncondDirectBranchInstClass || of == InstClass::callDirectInstClass;
}
inline bool is_uncond_indirect_br(InstClass of)
{
    return of == InstClass::uncondIndirectBranchInstClass || of == InstClass::callIndirectInstClass
           || of == InstClass::ReturnInstClass;
}
inline bool is_uncond_br(InstClass of) { return is_uncond_direct_br(of) || is_uncond_indirect_br(of); }
inline bool is_br(InstClass of) { return is_cond_br(of) || is_uncond_br(of); }

// Registers are not known here: traces tell modules of branches alone.
struct DecodeInfo {
    InstClass insn_class = InstClass::undefInstClass;
    std::vector<uint64_t> src_reg_info;
    std::optional<uint64_t> dst_reg_info;
};

struct ExecuteInfo {
    DecodeInfo dec_info;
    std::vector<uint64_t> src_reg_values;
    std::optional<uint64_t> dst_reg_value, mem_va, mem_sz;
    std::optional<bool> taken;
    uint64_t next_pc = 0;
};

#endif
