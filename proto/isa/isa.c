/* Names of architectures, classes and kinds (isa.h). */
#include "proto/isa/isa.h"

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
