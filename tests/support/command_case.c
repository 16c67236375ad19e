/* Case to configuration, the run, and the comparison: commands and completions byte by byte as the reference wrote
 * them, every statistic under its name. */
#include "tests/support/command_case.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/config/command_standard.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"

enum { PATH = 4096 };

int64_t command_number(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *const value = json_object_get(object, key);

    return json_is_integer(value) ? (int64_t)json_integer_value(value) : json_is_boolean(value)
        ? json_boolean_value(value)
                                                                                             : otherwise;
}

static const char *word(const json_t *object, const char *key)
{
    const char *const text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* Place of a word in a list; -1: it is not there. */
static int index_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return (int)i;
    return -1;
}

#define WORD(kind, word) word,
#define WORDS_OF(KINDS) (const char *const[]){KINDS(WORD)}
#define INDEX_OF(text, KINDS) index_of((text), WORDS_OF(KINDS), sizeof (WORDS_OF(KINDS)) / sizeof (char *))

/* ---- files */
static char *read_file(const char *folder, const char *name)
{
    char path[PATH];
    FILE *file;
    long size;
    char *text;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = malloc((size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, file) == (size_t)size)
        text[size] = '\0';
    fclose(file);
    return text;
}

static char *read_xz(const char *folder, const char *name)
{
    char path[PATH];
    FILE *file;
    lzma_stream stream = LZMA_STREAM_INIT;
    struct text text = {0};
    static uint8_t in[1 << 16], out[1 << 16];
    lzma_ret result = LZMA_OK;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file || lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK)
        return NULL;
    while (result == LZMA_OK) {
        if (stream.avail_in == 0) {
            stream.next_in = in;
            stream.avail_in = fread(in, 1, sizeof in, file);
        }
        stream.next_out = out;
        stream.avail_out = sizeof out;
        result = lzma_code(&stream, feof(file) && stream.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
        text_put_bytes(&text, out, sizeof out - stream.avail_out);
    }
    lzma_end(&stream);
    fclose(file);
    text_put_bytes(&text, "", 1);
    return result == LZMA_STREAM_END ? text.at : (free(text.at), NULL);
}

/* ---- configuration */
static struct fault read_device(struct command_run *run)
{
    const json_t *const device = json_object_get(run->description, "device");
    struct cmd_pair pairs[64];
    struct cmd_overrides overrides = {pairs, 0};
    char name[64];
    bool has_rfm = false, has_vrr = false;
    size_t i;
    json_t *command, *value;
    const char *key;

    json_array_foreach(json_object_get(device, "extra_commands"), i, command) {
        has_rfm |= strncmp(json_string_value(command), "RFM", 3) == 0;
        has_vrr |= strncmp(json_string_value(command), "VRR", 3) == 0;
    }
    json_object_foreach(json_object_get(device, "overrides"), key, value)
        pairs[overrides.count++] = (struct cmd_pair){key, json_integer_value(value)};
    snprintf(name, sizeof name, "%s%s%s", word(device, "standard"), has_rfm ? "_RFM" : "", has_vrr ? "_VRR" : "");
    FORWARD(command_standard_read(&run->standard, name));
    return cmd_spec_make(&run->spec, &run->standard, word(device, "organization_preset"),
                         word(device, "timing_preset"), overrides,
                         false, false);
}

static struct fault read_controller(struct command_run *run)
{
    const json_t *const controller = json_object_get(run->description, "controller");
    const json_t *const prac = json_object_get(controller, "prac"), *const hammer = json_object_get(controller,
                                                                                                    "blockhammer");
    struct cmd_config *const config = &run->config;
    int const kind = INDEX_OF(word(controller, "kind"), CMD_CONTROLLER_KINDS);
    int const rck = INDEX_OF(word(controller, "rck_mode"), CMD_RCK_KINDS);

    if (kind < 0)
        return fault_make(FAULT_INPUT, "unknown controller %s", word(controller, "kind"));
    config->controller = (enum cmd_controller_kind)kind;
    config->read_queue = (uint32_t)command_number(controller, "read_queue", 32);
    config->write_queue = (uint32_t)command_number(controller, "write_queue", 32);
    config->priority_queue = (uint32_t)command_number(controller, "priority_queue", 1568);
    config->write_low = (float)json_number_value(json_object_get(controller, "write_low"));
    config->write_high = (float)json_number_value(json_object_get(controller, "write_high"));
    config->wck_always_on = strcmp(word(controller, "wck_sync"), "always_on") == 0;
    config->rck = rck < 0 ? CMD_RCK_ALWAYS_ON : (enum cmd_rck_kind)rck;
    config->rck_idle = command_number(controller, "rck_idle_threshold", 32);
    if (prac) {
        config->prac.threshold = command_number(prac, "threshold", 512);
        config->prac.alert_ns = command_number(prac, "alert_window_ns", 180);
        config->prac.recovery_refreshes = command_number(prac, "recovery_refreshes", 4);
        config->prac.delay_activations = command_number(prac, "delay_activations", 4);
    }
    if (hammer) {
        config->blockhammer.filters = command_number(hammer, "filters", 2);
        config->blockhammer.epoch_ns = command_number(hammer, "epoch_ns", 64000000);
        config->blockhammer.counters = command_number(hammer, "counters", 1024);
        config->blockhammer.threshold = command_number(hammer, "threshold", 128);
        config->blockhammer.hashes = command_number(hammer, "hashes", 4);
        config->blockhammer.history_max = command_number(hammer, "history_max", 1);
        config->blockhammer.rowhammer_threshold = command_number(hammer, "rowhammer_threshold", 16384);
        config->blockhammer.refresh_window_ns = command_number(hammer, "refresh_window_ns", 64000000);
        config->blockhammer.trc_ns = command_number(hammer, "tRC_ns", 75);
    }
    return fault_none();
}

static struct fault read_mitigation(const json_t *json, struct cmd_mitigation_config *config)
{
    int const kind = INDEX_OF(word(json, "kind"), CMD_MITIGATION_KINDS);

    if (kind < 0)
        return fault_make(FAULT_INPUT, "unknown mitigation %s", word(json, "kind"));
    *config = cmd_mitigation_default((enum cmd_mitigation_kind)kind);
    config->threshold = command_number(json, "threshold", command_number(json, "tracking_threshold",
                                                                         config->threshold));
    config->probability = (float)json_number_value(json_object_get(json, "probability"));
    config->pruning = (float)json_number_value(json_object_get(json, "pruning_threshold"));
    config->seed = (uint32_t)command_number(json, "seed", 123);
    config->entries = command_number(json, "entries", command_number(json, "tracker_entries", config->entries));
    config->indirections = command_number(json, "indirection_entries", config->indirections);
    config->quarantine_rows = command_number(json, "quarantine_rows", config->quarantine_rows);
    config->reset_ns = command_number(json, "reset_ns", config->reset_ns);
    config->rows_per_rfm = command_number(json, "rows_per_rfm", config->rows_per_rfm);
    config->per_bank = strcmp(word(json, "scope"), "pb") == 0;
    config->group_threshold = command_number(json, "group_threshold", config->group_threshold);
    config->group_rows = command_number(json, "group_rows", config->group_rows);
    config->cache_entries = command_number(json, "cache_entries_per_rank", config->cache_entries);
    config->evict_least = strcmp(word(json, "cache_eviction"), "MIN_COUNT") == 0;
    return fault_none();
}

static struct fault read_policies(struct command_run *run)
{
    const json_t *const description = run->description, *const refresh = json_object_get(description, "refresh");
    const json_t *mapping = json_object_get(description, "mapping");
    struct cmd_config *const config = &run->config;
    bool const is_object = json_is_object(mapping);
    int const scheduler = INDEX_OF(word(description, "scheduler"), CMD_SCHEDULER_KINDS);
    int const policy = INDEX_OF(word(json_object_get(description, "row_policy"), "kind"), CMD_ROW_POLICY_KINDS);
    int const refresh_kind = INDEX_OF(word(refresh, "kind"), CMD_REFRESH_KINDS);
    int const map = INDEX_OF(is_object ? word(mapping, "base") : json_string_value(mapping), CMD_MAPPING_KINDS);
    size_t i;
    json_t *mitigation;

    if (scheduler < 0 || policy < 0 || refresh_kind < 0 || map < 0)
        return fault_make(FAULT_INPUT, "unknown scheduler, row_policy, refresh or mapping");
    config->scheduler = (enum cmd_scheduler_kind)scheduler;
    config->row_policy = (enum cmd_row_policy_kind)policy;
    config->accesses = (uint32_t)command_number(json_object_get(description, "row_policy"), "accesses", 4);
    config->refresh = (enum cmd_refresh_kind)refresh_kind;
    config->stagger = command_number(refresh, "stagger", 0);
    config->mapping = (enum cmd_mapping_kind)map;
    config->row_indirection = is_object;
    config->reserved_rows = is_object ? command_number(mapping, "reserved_rows", 0) : 0;
    json_array_foreach(json_object_get(description, "mitigations"), i, mitigation)
        FORWARD(read_mitigation(mitigation, &config->mitigations[config->mitigation_count++]));
    return fault_none();
}

static struct fault configure(struct command_run *run)
{
    FORWARD(read_device(run));
    cmd_config_default(&run->config, &run->spec);
    /* The reference was repaired where its all-bank refresh does not know a standard, and nothing else. */
    run->config.mends = UINT32_C(1) << CMD_MEND_VARIANT_REFRESH;
    run->config.accepts_stalls = true;
    run->config.channels = (uint32_t)command_number(run->description, "channels", 1);
    run->config.interleave_bits = (uint32_t)command_number(run->description, "channel_interleave_bits", 0);
    FORWARD(read_controller(run));
    return read_policies(run);
}

/* Device and controller of a system, in place of those that the case describes. */
static struct fault take_system(struct command_run *run, const char *name)
{
    struct system_config *const config = config_new();
    struct cmd_config const of_case = run->config;
    struct fault fault;

    if (!config)
        return fault_make(FAULT_MEMORY, "out of memory");
    if (WORKS(fault, config_read(config, name, NULL, 0)))
        fault = command_device_make(&run->device, config_memory(config, 0), "memory");
    free(config);
    FORWARD(fault);
    run->config = run->device.config;
    run->config.channels = of_case.channels;
    run->config.interleave_bits = of_case.interleave_bits;
    run->config.accepts_stalls = true;
    return fault_none();
}

/* ---- what the memory reports */
static char *put_number(char *to, int64_t number)
{
    char digits[24];
    int count = 0;

    if (number < 0) {
        *to++ = '-';
        number = -number;
    }
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static void note_command(void *owner, const struct cmd_issued *issued)
{
    struct command_run *const run = owner;
    const struct cmd_spec *const spec = &run->spec;
    const char *const name = spec->command[issued->command].name;
    char line[160], *at = put_number(line, (int64_t)(issued->tick - run->last_command));

    *at++ = ' ';
    at = put_number(at, issued->channel);
    *at++ = ' ';
    memcpy(at, name, strlen(name));
    at += strlen(name);
    for (unsigned level = 1; level < spec->level_count; level++) {
        *at++ = ' ';
        at = put_number(at, issued->vector[level]);
    }
    *at++ = '\n';
    text_put_bytes(&run->commands, line, (size_t)(at - line));
    run->last_command = issued->tick;
    run->command_count++;
}

static void note_completion(void *owner, uint64_t token, enum cmd_kind kind, uint64_t arrive, uint64_t depart)
{
    struct command_run *const run = owner;
    struct command_entry *const entry = &run->entries[token];

    entry->latency = (int64_t)(cmd_memory_now(run->memory) - entry->accepted);
    if (entry->done)
        entry->done(run, entry, (int64_t)arrive, kind == CMD_READ ? (int64_t)depart : -1);
}

static void note_throttling(void *owner, int32_t source, float share)
{
    struct command_run *const run = owner;

    if (run->front->throttled)
        run->front->throttled(run->front, source, share);
}

bool command_run_send(struct command_run *run, struct cmd_access access,
                      void (*done)(struct command_run *run, const struct command_entry *entry, int64_t arrive,
                                   int64_t depart),
                      uint64_t user)
{
    struct command_entry *entry;
    enum cmd_answer answer;

    if (!list_fit(&run->entries, run->entry_count + 1, &run->entry_room, sizeof *run->entries))
        return false;
    entry = &run->entries[run->entry_count];
    access.token = run->entry_count++;
    *entry = (struct command_entry){access, {0}, cmd_memory_now(run->memory), -1, done, user};
    if (access.vector)
        memcpy(entry->vector, access.vector, run->spec.level_count * sizeof *entry->vector);
    answer = cmd_memory_send(run->memory, &access, &run->fault);
    if (answer == CMD_REFUSED)
        run->entry_count--;
    return answer == CMD_ACCEPTED;
}

/* ---- the run */
/* 10.1 */
static void run_clocks(struct command_run *run)
{
    const json_t *const ratio = json_object_get(run->description, "clock_ratio");
    int64_t const front = command_number(ratio, "front_end", 1), memory = command_number(ratio, "memory", 1);
    struct fault fault;

    for (int64_t step = 0; run->fault.kind == FAULT_NONE; step++) {
        if (step % memory == 0)
            run->front->tick(run->front, run);
        if (run->front->is_finished(run->front))
            return;
        if (step % front == 0 && FAILS(fault, cmd_memory_run(run->memory, cmd_memory_now(run->memory) + 1)))
            run->fault = fault;
    }
}

/* ---- comparison */
static bool same_text(const char *what, const char *mine, size_t length, const char *theirs, struct text *verdict)
{
    size_t const their_length = theirs ? strlen(theirs) : 0;
    size_t start = 0, line = 1, at = 0;
    char text[400];

    if (theirs && length == their_length && memcmp(mine, theirs, length) == 0)
        return true;
    if (!theirs) {
        snprintf(text, sizeof text, "DIFFERENT: no %s to compare with", what);
        text_put(verdict, text);
        return false;
    }
    for (; at < length && at < their_length && mine[at] == theirs[at]; at++) {
        if (mine[at] == '\n') {
            start = at + 1;
            line++;
        }
    }
    snprintf(text, sizeof text, "DIFFERENT: line %zu of %s: \"%.*s\", the reference has \"%.*s\"", line, what,
             (int)(start < length ? strcspn(mine + start, "\n") : 0), mine + start,
             (int)(start < their_length ? strcspn(theirs + start, "\n") : 0), theirs + start);
    text_put(verdict, text);
    return false;
}

static void write_completions(const struct command_run *run, struct text *text)
{
    uint64_t last = 0;
    char line[200];

    for (size_t i = 0; i < run->entry_count; i++) {
        const struct command_entry *const entry = &run->entries[i];
        int length = entry->latency < 0 ? snprintf(line, sizeof line, "%" PRIu64 " -", entry->accepted - last)
                                        : snprintf(line, sizeof line, "%" PRIu64 " %" PRId64, entry->accepted - last,
                                                   entry->latency);

        last = entry->accepted;
        if (run->shows_source) {
            length += snprintf(line + length, sizeof line - (size_t)length, " %c ", entry->access.kind == CMD_READ
                               ? 'R' : 'W');
            if (run->shows_source && entry->access.address == UINT64_MAX)
                for (unsigned level = 0; level < run->spec.level_count; level++)
                    length += snprintf(line + length, sizeof line - (size_t)length, "%s%d", level ? "," : "",
                                       entry->vector[level]);
            else
                length += snprintf(line + length, sizeof line - (size_t)length, "%" PRIx64, entry->access.address);
            length += snprintf(line + length, sizeof line - (size_t)length, " %d", entry->access.source);
        }
        line[length++] = '\n';
        text_put_bytes(text, line, (size_t)length);
    }
}

static json_t *real(float value)
{
    char text[64];

    snprintf(text, sizeof text, "%.6f", (double)value);
    return json_real(strtod(text, NULL));
}

static void set_impl(json_t *object, const char *key, const char *impl)
{
    json_object_set_new(object, key, json_pack("{s:s}", "impl", impl));
}

static json_t *mitigation_stats(const struct command_run *run, uint32_t channel, uint32_t index)
{
    static const char *const names[] = {"PARA", "Graphene", "OracleRH", "TWiCeIdeal", "Hydra", "RRS", "AQUA",
                                        "RFMManager",
                                        "HynixTRR", "SamsungTRR", "IdealTRR"};
    json_t *const object = json_pack("{s:s}", "impl", names[run->config.mitigations[index].kind]);
    struct cmd_named_count count;

    for (size_t i = 0; cmd_memory_mitigation_count(run->memory, channel, index, i, &count); i++)
        json_object_set_new(object, count.name, json_integer((json_int_t)count.value));
    return object;
}

static void add_counters(const struct command_run *run, const struct cmd_stats *stats, json_t *object)
{
    static const char *const special[] = {"cas_issued", "cas_skipped", "act2_deadline_forced", "act2_deferred",
                                          "num_rckstrt_issued",
                                          "num_rckstop_issued", "prac_num_recovery"};
    enum cmd_controller_kind const kind = run->config.controller;
    bool const is_lpddr = kind == CMD_CONTROLLER_LPDDR5 || kind == CMD_CONTROLLER_LPDDR6;
    bool const wanted[] = {is_lpddr, is_lpddr, is_lpddr, is_lpddr, kind == CMD_CONTROLLER_GDDR7, kind
                           == CMD_CONTROLLER_GDDR7,
                           kind == CMD_CONTROLLER_PRAC};
    int place;

#define ADD(name)                                                                                                     \
    place = index_of(#name, special, sizeof special / sizeof *special);                                               \
    if (place < 0 || wanted[place])                                                                                   \
        json_object_set_new(object, #name, json_integer((json_int_t)stats->name));
    CMD_COUNTERS(ADD)
#undef ADD
#define ADD_REAL(name) json_object_set_new(object, #name, real(stats->name));
    ADD_REAL(queue_len_avg) ADD_REAL(read_queue_len_avg) ADD_REAL(write_queue_len_avg) ADD_REAL(priority_queue_len_avg)
    ADD_REAL(avg_read_latency) ADD_REAL(read_throughput_MBps) ADD_REAL(write_throughput_MBps)
    ADD_REAL(total_throughput_MBps)
#undef ADD_REAL
}

static json_t *channel_stats(const struct command_run *run, uint32_t channel)
{
    static const char *const controllers[] = {"GenericDDR", "HBM12", "HBM34", "GDDR7", "LPDDR5", "LPDDR6", "PRAC",
                                              "BlockHammer"};
    static const char *const refreshes[] = {"NoRefresh", "AllBank", "PerBank", "HBM34PerBankRefresh"};
    static const char *const mappers[] = {"RoBaRaCoCh", "ChRaBaRoCo", "MOP4CLXOR", "PassThroughAddrMapper"};
    const struct cmd_config *const config = &run->config;
    struct cmd_stats const stats = cmd_memory_stats(run->memory, channel);
    json_t *const object = json_object();
    char id[32];

    snprintf(id, sizeof id, "Channel %u", channel);
    json_object_set_new(object, "id", json_string(id));
    json_object_set_new(object, "impl", json_string(controllers[config->controller]));
    set_impl(object, "addr_mapper", config->row_indirection ? "RITAddrMapper" : mappers[config->mapping]);
    set_impl(object, "refresh_manager", refreshes[config->refresh]);
    set_impl(object, "row_policy", config->row_policy == CMD_ROW_POLICY_OPEN ? "Open" : "ClosedCAP");
    set_impl(object, "scheduler", config->scheduler == CMD_SCHEDULER_FRFCFS ? "FRFCFS" : "FRFCFS-RowHit");
    add_counters(run, &stats, object);
    for (uint32_t core = 0; core < run->front->sources; core++) {
        struct cmd_core_stats const rows = cmd_memory_core_stats(run->memory, channel, core);
        const char *const names[] = {"hits", "misses", "conflicts"};
        uint64_t const counts[] = {rows.read_row_hits, rows.read_row_misses, rows.read_row_conflicts};

        for (size_t i = 0; i < 3; i++) {
            char key[64];

            snprintf(key, sizeof key, "read_row_%s_core_%u", names[i], core);
            json_object_set_new(object, key, json_integer((json_int_t)counts[i]));
        }
    }
    if (config->mitigation_count == 1)
        json_object_set_new(object, "controller_plugin", mitigation_stats(run, channel, 0));
    for (uint32_t i = 0; config->mitigation_count > 1 && i < config->mitigation_count; i++) {
        if (i == 0)
            json_object_set_new(object, "controller_plugin", json_array());
        json_array_append_new(json_object_get(object, "controller_plugin"), mitigation_stats(run, channel, i));
    }
    return object;
}

static json_t *all_stats(const struct command_run *run)
{
    json_t *const controllers = json_array(), *const system = json_object();

    for (uint32_t i = 0; i < run->config.channels; i++)
        json_array_append_new(controllers, channel_stats(run, i));
    json_object_set_new(system, "impl", json_string("GenericDRAM"));
    set_impl(system, "channel_mapper", run->config.mapping == CMD_MAPPING_GIVEN ? "PassThroughChannelMapper"
             : "CacheLineInterleave");
    json_object_set_new(system, "total_num_read_requests", json_integer((json_int_t)cmd_memory_accepted(run->memory,
                                                                                                        CMD_READ)));
    json_object_set_new(system, "total_num_write_requests", json_integer((json_int_t)cmd_memory_accepted(run->memory,
                                                                                                         CMD_WRITE)));
    if (run->config.channels == 1) {
        json_object_set(system, "controller", json_array_get(controllers, 0));
        json_decref(controllers);
    } else {
        json_object_set_new(system, "controller", controllers);
    }
    return json_pack("{s:o,s:o}", "frontend", run->front->stats(run->front), "memory_system", system);
}

/* The first path at which two trees differ, in `path`. */
static bool same_tree(const json_t *mine, const json_t *theirs, char *path, size_t size)
{
    size_t const length = strlen(path);
    const char *key;
    json_t *value;
    size_t i;

    if (json_is_object(theirs) && json_is_object(mine)) {
        json_object_foreach((json_t *)(uintptr_t)theirs, key, value) {
            snprintf(path + length, size - length, ".%s", key);
            if (!same_tree(json_object_get(mine, key), value, path, size))
                return false;
        }
        json_object_foreach((json_t *)(uintptr_t)mine, key, value) {
            snprintf(path + length, size - length, ".%s (the reference has none)", key);
            if (!json_object_get(theirs, key))
                return false;
        }
    } else if (json_is_array(theirs) && json_is_array(mine) && json_array_size(mine) == json_array_size(theirs)) {
        json_array_foreach(theirs, i, value) {
            snprintf(path + length, size - length, ".%zu", i);
            if (!same_tree(json_array_get(mine, i), value, path, size))
                return false;
        }
    } else if (!json_equal(mine, theirs)) {
        char *const my_text = mine ? json_dumps(mine, JSON_ENCODE_ANY) : NULL,
            *const their_text = json_dumps(theirs, JSON_ENCODE_ANY);

        snprintf(path + length, size - length, ": %s, the reference has %s", my_text ? my_text : "nothing", their_text);
        free(my_text);
        free(their_text);
        return false;
    }
    path[length] = '\0';
    return true;
}

static bool same_stats(const struct command_run *run, const char *theirs, struct text *verdict)
{
    json_t *const expected = theirs ? json_loads(theirs, 0, NULL) : NULL, *const mine = all_stats(run);
    char path[400] = "";
    bool const is_same = expected && same_tree(mine, expected, path, sizeof path);

    if (!is_same) {
        text_put(verdict, "DIFFERENT: statistics");
        text_put(verdict, path);
    }
    json_decref(expected);
    json_decref(mine);
    return is_same;
}

static bool compare(const struct command_run *run, const char *folder, struct text *verdict)
{
    char *const commands = read_xz(folder, "commands.xz"), *const completions = read_xz(folder, "completions.xz");
    char *const stats = read_file(folder, "stats.json");
    int64_t const final = command_number(json_object_get(run->description, "result"), "final_cycle", -1);
    struct text mine = {0};
    char text[200];
    bool is_same;

    write_completions(run, &mine);
    is_same = same_text("commands", run->commands.at, run->commands.length, commands, verdict)
        && same_text("completions", mine.at, mine.length, completions, verdict) && same_stats(run, stats, verdict);
    if (is_same && (int64_t)cmd_memory_now(run->memory) != final) {
        snprintf(text, sizeof text, "DIFFERENT: %" PRIu64 " cycles, the reference has %" PRId64,
                 cmd_memory_now(run->memory), final);
        text_put(verdict, text);
        is_same = false;
    }
    if (is_same) {
        snprintf(text, sizeof text, "equal: %" PRIu64 " commands, %zu requests, %" PRId64 " cycles", run->command_count,
                 run->entry_count, final);
        text_put(verdict, text);
    }
    free(commands);
    free(completions);
    free(stats);
    free(mine.at);
    return is_same;
}

/* ---- all of it */
static char **read_traces(const struct command_run *run, const char *folder, size_t *count)
{
    const json_t *const names = json_object_get(run->description, "traces");
    char **const texts = calloc(json_array_size(names) + 1, sizeof *texts);

    for (*count = 0; texts && *count < json_array_size(names); ++*count)
        texts[*count] = read_xz(folder, json_string_value(json_array_get(names, *count)));
    return texts;
}

static struct fault run_case(struct command_run *run, const char *folder, const char *system,
                             const struct cmd_engine *engine)
{
    struct cmd_hooks const hooks = {.owner = run, .completed = note_completion, .issued = note_command,
                                    .throttled = note_throttling};
    size_t count;
    char **texts;

    FORWARD(configure(run));
    if (system)
        FORWARD(take_system(run, system));
    run->config.engine = engine;
    texts = read_traces(run, folder, &count);
    run->front = texts ? command_front_new(run->description, texts, count) : NULL;
    for (size_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
    if (!run->front)
        return fault_make(FAULT_INPUT, "its front end or its traces cannot be read");
    FORWARD(cmd_memory_new(&run->memory, &run->config, &hooks, run->front->sources));
    run->shows_source = !run->front->run;
    if (run->front->run)
        run->front->run(run->front, run);
    else
        run_clocks(run);
    return run->fault;
}

bool command_case_check(const char *folder, const struct cmd_engine *engine, struct text *verdict)
{
    return command_case_check_system(folder, NULL, engine, verdict);
}

bool command_case_check_system(const char *folder, const char *system, const struct cmd_engine *engine,
                               struct text *verdict)
{
    char *const text = read_file(folder, "case.json");
    json_t *const description = text ? json_loads(text, 0, NULL) : NULL;
    struct command_run run = {.description = description};
    bool is_same = false;
    struct fault fault;

    free(text);
    if (!description) {
        text_put(verdict, "FAILED: case.json cannot be read");
        return false;
    }
    if (FAILS(fault, run_case(&run, folder, system, engine))) {
        text_put(verdict, "FAILED: ");
        text_put(verdict, fault_text(fault));
    } else {
        is_same = compare(&run, folder, verdict);
    }
    cmd_memory_free(run.memory);
    command_device_free(&run.device);
    if (run.front)
        run.front->free(run.front);
    cmd_spec_free(&run.spec);
    cmd_standard_free(&run.standard);
    free(run.entries);
    free(run.commands.at);
    json_decref(description);
    return is_same;
}
