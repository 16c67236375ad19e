// Names of CBP-5's kit: numbers, types of branches, counters that saturate.
#ifndef RUBATO_CBP5_NAMES_H
#define RUBATO_CBP5_NAMES_H

#include <cassert>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

using namespace std;

typedef int32_t INT32;
typedef int64_t INT64;
typedef uint32_t UINT32;
typedef uint64_t UINT64;
typedef uint64_t COUNTER;

#define NOT_TAKEN 0
#define TAKEN 1
#define FAILURE 0
#define SUCCESS 1

typedef enum {
    OPTYPE_OP = 2, OPTYPE_RET_UNCOND, OPTYPE_JMP_DIRECT_UNCOND, OPTYPE_JMP_INDIRECT_UNCOND, OPTYPE_CALL_DIRECT_UNCOND,
    OPTYPE_CALL_INDIRECT_UNCOND, OPTYPE_RET_COND, OPTYPE_JMP_DIRECT_COND, OPTYPE_JMP_INDIRECT_COND,
    OPTYPE_CALL_DIRECT_COND, OPTYPE_CALL_INDIRECT_COND, OPTYPE_ERROR, OPTYPE_MAX
} OpType;

static inline UINT32 SatIncrement(UINT32 value, UINT32 most) { return value < most ? value + 1 : value; }
static inline UINT32 SatDecrement(UINT32 value) { return value > 0 ? value - 1 : value; }

#endif
