/* Options out of texts: words in quotes or not, a word that begins with a dash and a letter is an option, the words up
 * to the next option are its value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/config/import.h"
#include "replay/config/unloaded.h"

void config_import_begin(struct config_import *import)
{
    *import = (struct config_import){0};
}

void config_import_end(struct config_import *import)
{
    for (size_t i = 0; i < import->count; i++) {
        free(import->options[i].name);
        free(import->options[i].value);
    }
    free(import->options);
    *import = (struct config_import){0};
}

static struct fault import_text_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for the options of a configuration");
}

/* The next word, in quotes or not; its end, or NULL past the last. Counts lines. */
static const char *next_word(const char *text, const char *end, size_t *line, const char **word, size_t *length)
{
    for (; text < end && (strchr(" \t\r\n", *text) || *text == '#'); text++) {
        if (*text == '#') {
            while (text < end && *text != '\n')
                text++;
        }
        if (text == end)
            return NULL;
        *line += *text == '\n';
    }
    if (text >= end || !*text)
        return NULL;
    bool const is_quoted = *text == '"';
    text += is_quoted;
    *word = text;
    while (text < end && *text && (is_quoted ? *text != '"' : !strchr(" \t\r\n#", *text))) {
        *line += *text == '\n';
        text++;
    }
    *length = (size_t)(text - *word);
    return text + (is_quoted && text < end && *text == '"');
}

static bool import_text_append(char **value, const char *word, size_t length)
{
    size_t const used = strlen(*value);
    char *longer;

    if (!list_resize(value, used + length + 2, 1))
        return false;
    longer = *value;
    if (used)
        longer[used] = ' ';
    memcpy(longer + used + (used != 0), word, length);
    longer[used + (used != 0) + length] = '\0';
    for (char *c = longer; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    return true;
}

static bool add_option(struct config_import *import, const char *file, size_t line, const char *word, size_t length)
{
    struct config_import_option option = {.line = line, .value = calloc(1, 1), .name = calloc(1, length)};
    size_t const file_length = strlen(file);

    if (!option.value || !option.name
        || !list_fit(&import->options, import->count + 1, &import->capacity, sizeof *import->options)) {
        free(option.value);
        free(option.name);
        return false;
    }
    memcpy(option.name, word + 1, length - 1);
    snprintf(option.file, sizeof option.file, "%s",
             file_length < sizeof option.file ? file : file + file_length - sizeof option.file + 1);
    import->options[import->count++] = option;
    return true;
}

struct fault config_import_read(struct config_import *import, const char *name, const char *text, size_t length)
{
    const char *end = text + length, *word;
    size_t line = 1, word_length;
    bool is_first = true;

    while ((text = next_word(text, end, &line, &word, &word_length)) != NULL) {
        bool const is_option = word_length > 1 && word[0] == '-' &&
                               ((word[1] >= 'a' && word[1] <= 'z') || (word[1] >= 'A' && word[1] <= 'Z'));

        if (is_first && !is_option)
            return fault_make(FAULT_INPUT, "%s:%zu: \"%.*s\": expected an option such as -gpgpu_n_clusters 80", name,
                              line, (int)(word_length < 40 ? word_length : 40), word);
        is_first = false;
        if (is_option ? !add_option(import, name, line, word, word_length)
                      : !import_text_append(&import->options[import->count - 1].value, word, word_length))
            return import_text_out_of_memory();
    }
    if (is_first)
        return fault_make(FAULT_INPUT, "%s: holds no options; expected a gpgpusim.config or a trace.config", name);
    return fault_none();
}

/* ---- names of earlier versions */

/* R(older name, name): names in configurations of earlier versions. */
#define RENAMED_OPTIONS(R)                                                                                            \
    R("gmem_skip_L1D", "gpgpu_gmem_skip_L1D")                                                                         \
    R("smem_latency", "gpgpu_smem_latency")                                                                           \
    R("rop_latency", "gpgpu_l2_rop_latency")                                                                          \
    R("l1_latency", "gpgpu_l1_latency")                                                                               \
    R("l1_banks", "gpgpu_l1_banks")                                                                                   \
    R("l1_banks_byte_interleaving", "gpgpu_l1_banks_byte_interleaving")                                               \
    R("l1_banks_hashing_function", "gpgpu_l1_banks_hashing_function")                                                 \
    R("mem_unit_ports", "gpgpu_mem_unit_ports")                                                                       \
    R("num_mem_units", "gpgpu_num_mem_units")                                                                         \
    R("flush_l1_cache", "gpgpu_flush_l1_cache")                                                                       \
    R("flush_l2_cache", "gpgpu_flush_l2_cache")                                                                       \
    R("adaptive_cache_config", "gpgpu_adaptive_cache_config")                                                         \
    R("adaptive_volta_cache_config", "gpgpu_adaptive_cache_config")                                                   \
    R("adpative_volta_cache_config", "gpgpu_adaptive_cache_config")                                                   \
    R("arbiter_algo", "icnt_arbiter_algo")                                                                            \
    R("perfect_inst_const_cache", "gpgpu_perfect_inst_const_cache")                                                   \
    R("adpative_cache_config", "gpgpu_adaptive_cache_config")                                                         \
    R("perf_sim_memcpy", "gpgpu_perf_sim_memcpy")                                                                     \
    R("memory_partition_indexing", "gpgpu_memory_partition_indexing")                                                 \
    R("icnt_flit_size_bytes", "icnt_flit_size")                                                                       \
    R("inct_in_buffer_limit", "icnt_in_buffer_limit")                                                                 \
    R("inct_out_buffer_limit", "icnt_out_buffer_limit")                                                               \
    R("inct_subnets", "icnt_subnets")                                                                                 \
    R("sub_core_model", "gpgpu_sub_core_model")                                                                       \
    R("enable_specialized_operand_collector", "gpgpu_enable_specialized_operand_collector")                           \
    R("dual_bus_interface", "dram_dual_bus_interface")                                                                \
    R("gpgpu_n_shader", "gpgpu_n_clusters")                                                                           \
    R("gpgpu_dram_sched_queue_size", "gpgpu_frfcfs_dram_sched_queue_size")                                            \
    R("Seperate_Write_Queue_Enable", "dram_seperate_write_queue_enable")                                              \
    R("elimnate_rw_turnaround", "dram_elimnate_rw_turnaround")

const char *config_import_name(const char *name)
{
#define RENAMED_ROW(older, newer) {older, newer},
    static const char *const rows[][2] = {RENAMED_OPTIONS(RENAMED_ROW)};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i][0], name) == 0)
            return rows[i][1];
    return name;
}

const struct config_import_option *config_import_find(const struct config_import *import, const char *name)
{
    for (size_t i = import->count; i-- > 0;)
        if (strcmp(config_import_name(import->options[i].name), name) == 0)
            return &import->options[i];
    return NULL;
}
