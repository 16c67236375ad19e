/* The formats of instruction traces, by the names used in --format, --help and messages.
 *
 * In the order of detection. Columns: name, description, form of its lines or records. */
#ifndef PROTO_INSN_FORMATS_H
#define PROTO_INSN_FORMATS_H

#include <stddef.h>

#define INSN_FORMATS(F)                                                                                               \
    F(drmemtrace, "DynamoRIO's drmemtrace", "records of 12 bytes, the first of type 25 (header)")                     \
    F(rbt, "rubato's own, of trace pack and of captures", "its magic number")                                          \
    F(packets, "gem5's packet trace (CommMonitor, TrafficGen)", "the magic number \"gem5\", a header, messages")      \
    F(spike, "Spike's log of instructions or commits", "core N: [LEVEL] 0xPC (0xBYTES) and what it does")             \
    F(execlog, "QEMU's plugin execlog", "PROCESSOR, 0xPC, 0xBYTES, \"TEXT\", then load or store, 0xADDRESS")          \
    F(lackey, "Valgrind's lackey", "I, L, S or M, and ADDRESS,BYTES")                                                 \
    F(pinatrace, "pinatrace", "0xPC: R or W 0xADDRESS")                                                               \
    F(rstl, "DRAMSys' STL with relative times", "CYCLE: read or write 0xADDRESS")                                     \
    F(stl, "DRAMSys' STL", "CYCLE: read or write 0xADDRESS")                                                          \
    F(prospero, "SST Prospero", "INSTRUCTIONS R or W ADDRESS BYTES")                                                  \
    F(nvmain, "NVMain", "CYCLE R or W ADDRESS DATA THREAD")                                                           \
    F(ramulator, "Ramulator's memory trace", "0xADDRESS R or W")                                                      \
    F(dramsim3, "DRAMsim3", "0xADDRESS READ or WRITE CYCLE")                                                          \
    F(load_store, "Ramulator 2's load-store trace", "LD or ST ADDRESS")                                               \
    F(address_vector, "Ramulator 2's read-write trace", "R or W, and numbers")                                        \
    F(extended_din, "extended din", "r, w, i, m, c or v, ADDRESS BYTES")                                              \
    F(rw_time, "letters, addresses and times", "R or W 0xADDRESS CYCLE")                                              \
    F(rw, "letters and addresses", "R or W ADDRESS, decimal or 0x")                                                   \
    F(rw_hex, "letters and hexadecimal addresses", "R or W ADDRESS, hexadecimal")                                     \
    F(din, "din", "LABEL from 0 to 4, ADDRESS")                                                                       \
    F(cpu_trace, "Ramulator's CPU trace", "INSTRUCTIONS ADDRESS [ADDRESS]")                                           \
    F(scalesim, "SCALE-Sim's DRAM trace", "CYCLE, ADDRESS, ...")                                                      \
    F(prospero_binary, "SST Prospero's binary records",                                                               \
      "records of 21 bytes: u64 instructions, R or W, u64 address, u32 bytes")                                        \
    F(champsim, "ChampSim's trace", "records of 64 or 96 bytes with a pc, branch bytes of 0 or 1")

#define INSN_FORMAT_ENUM(name, what, form) INSN_FORMAT_##name,
enum insn_format_number { INSN_FORMATS(INSN_FORMAT_ENUM) INSN_FORMAT_COUNT };

/* For --help: a line each. */
#define INSN_FORMAT_LINE(name, what, form) "\n  " #name ": " what

struct insn_format_about { const char *name, *what, *form; };
extern const struct insn_format_about insn_format_abouts[INSN_FORMAT_COUNT];

/* INSN_FORMAT_COUNT: unknown name. */
enum insn_format_number insn_format_find(const char *name, size_t length);

#endif
