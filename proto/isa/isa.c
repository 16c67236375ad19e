/* Names of architectures, classes, kinds and registers (isa.h). */
#include "proto/isa/decoder.h"

#define ISA_NAME(suffix, name) name,
#define ISA_CLASS_NAME(suffix, name, cycles, help) name,

const char *isa_name(enum isa isa)
{
    static const char *const names[] = {ISA_ARCHITECTURES(ISA_NAME)};

    return names[isa];
}

const char *isa_class_name(enum isa_class class)
{
    static const char *const names[] = {ISA_CLASSES(ISA_CLASS_NAME)};

    return names[class];
}

const char *isa_kind_name(enum isa_kind kind)
{
    static const char *const names[] = {ISA_KINDS(ISA_NAME)};

    return names[kind];
}

const char *isa_register_name(enum isa isa, unsigned number)
{
    if (number == 0 || number >= ISA_REGISTERS)
        return NULL;
    switch (isa) {
    case ISA_X86_64:
    case ISA_X86_32:
        return x86_register_name(number);
    case ISA_A64:
        return a64_register_name(number);
    case ISA_RV64:
        return rv64_register_name(number);
    case ISA_REGDEPS:
        return regdeps_register_name(number);
    case ISA_CHAMPSIM:
        return champsim_register_name(number);
    default:
        return NULL;
    }
}
