/* The decoders behind isa.h: one for each kind of encoding. Private to this folder. */
#ifndef PROTO_ISA_DECODER_H
#define PROTO_ISA_DECODER_H

#include "proto/isa/isa.h"
#include "proto/isa/isa_build.h"

struct x86;

struct isa_decoder {
    enum isa isa;
    struct x86 *x86;
    struct isa_patterns *patterns;       /* A64, RV64 */
};

/* `mode_bits`: 64 or 32; faults call it `name`. NULL on failure: Zydis is missing. */
struct x86 *x86_open(unsigned mode_bits, const char *name, struct fault *error);
void x86_close(struct x86 *x86);
/* *insn is cleared. */
bool x86_decode(struct x86 *x86, uint64_t pc, const uint8_t *bytes, size_t length, struct isa_insn *insn);
const char *x86_register_name(unsigned number);

/* NULL: out of memory. */
struct isa_patterns *a64_patterns_new(void);
bool a64_decode(const struct isa_patterns *patterns, uint64_t pc, const uint8_t *bytes, size_t length,
                struct isa_insn *insn);
const char *a64_register_name(unsigned number);

struct isa_patterns *rv64_patterns_new(void);
bool rv64_decode(const struct isa_patterns *patterns, uint64_t pc, const uint8_t *bytes, size_t length,
                 struct isa_insn *insn);
const char *rv64_register_name(unsigned number);

bool regdeps_decode(const uint8_t *bytes, size_t length, struct isa_insn *insn);
const char *regdeps_register_name(unsigned number);

/* Numbers of Pin, as ChampSim's records have them. */
const char *champsim_register_name(unsigned number);

#endif
