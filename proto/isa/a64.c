#include "proto/isa/decoder.h"
struct isa_patterns *a64_patterns_new(void) { return NULL; }
bool a64_decode(const struct isa_patterns *patterns, uint64_t pc, const uint8_t *bytes, size_t length, struct isa_insn *insn)
{ (void)patterns; (void)pc; (void)bytes; (void)length; (void)insn; return false; }
const char *a64_register_name(unsigned number) { (void)number; return NULL; }
