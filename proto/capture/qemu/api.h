/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The part of QEMU's plugin interface that the plugin uses, version 1 (QEMU 6.0 to 8.2): QEMU's documentation, "QEMU
 * TCG Plugins". The header is not packaged; these are the declarations of the functions that QEMU exports. */
#ifndef CAPTURE_QEMU_API_H
#define CAPTURE_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

enum { PLUGIN_INTERFACE = 1 };

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct plugin_info {
    const char *target_name;
    struct { int min, cur; } version;
    bool system_emulation;
    struct { int smp_vcpus, max_vcpus; } system;
};

enum plugin_registers { PLUGIN_NO_REGISTERS, PLUGIN_READS_REGISTERS, PLUGIN_WRITES_REGISTERS };
enum plugin_inline { PLUGIN_ADD };       /* a number to 64 bits at an address */
enum plugin_access { PLUGIN_READS = 1, PLUGIN_WRITES, PLUGIN_READS_AND_WRITES };

typedef void plugin_on_cpu(plugin_id id, unsigned cpu);
typedef void plugin_on_execution(unsigned cpu, void *data);
typedef void plugin_on_access(unsigned cpu, uint32_t info, uint64_t address, void *data);
typedef void plugin_on_block(plugin_id id, struct qemu_plugin_tb *block);
typedef void plugin_on_syscall(plugin_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                               uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void plugin_on_syscall_end(plugin_id id, unsigned cpu, int64_t number, int64_t result);

void qemu_plugin_register_vcpu_init_cb(plugin_id id, plugin_on_cpu *call);
void qemu_plugin_register_vcpu_exit_cb(plugin_id id, plugin_on_cpu *call);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, plugin_on_block *call);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id id, plugin_on_syscall *call);
void qemu_plugin_register_vcpu_syscall_ret_cb(plugin_id id, plugin_on_syscall_end *call);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, plugin_on_execution *call,
                                          enum plugin_registers registers, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, enum plugin_inline what, void *at,
                                              uint64_t number);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, plugin_on_execution *call,
                                            enum plugin_registers registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, plugin_on_access *call,
                                      enum plugin_registers registers, enum plugin_access access, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);

unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);

uint64_t qemu_plugin_start_code(void);
uint64_t qemu_plugin_end_code(void);
uint64_t qemu_plugin_entry_code(void);

#endif
