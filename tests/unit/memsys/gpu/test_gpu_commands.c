/* memsys/gpu/gpu_controller.h: DRAM commands below a GPU that owns its memory. */
#include "memsys/command/fast/cmd_fast.h"
#include "memsys/gpu/gpu_channel.h"
#include "replay/config/command_device.h"
#include "tests/support/config_bench.h"
#include "tests/support/gpu_memory_bench.h"
#include "tests/support/random_numbers.h"

/* A GPU's memory by a system's text, on an engine. */
struct card {
    struct system_config config;
    struct command_device device;
    struct bench bench;
};

static void open_card(struct card *card, const char *yaml, bool is_fast)
{
    card->config = finished(yaml);
    assert_fine(command_device_make(&card->device, &card->config.memories[0], "memory"));
    card->device.config.engine = is_fast ? &cmd_fast_engine : NULL;
    start(&card->bench, &card->config.gpu, &card->config.memories[0], &card->device.config);
}

static void close_card(struct card *card)
{
    stop(&card->bench);
    command_device_free(&card->device);
}

static const struct gpu_controller *controller_of(const struct card *card, uint32_t partition)
{
    return gpu_memory_channels(card->bench.memory)->channels[partition].own;
}

/* Of all channels, after gpu_memory_settle. */
static uint64_t reads_of(const struct card *card)
{
    const struct gpu_channels *const channels = gpu_memory_channels(card->bench.memory);
    uint64_t reads = 0;

    for (uint32_t i = 0; i < channels->count; i++)
        for (uint32_t c = 0; c < channels->channels[i].own->command_count; c++)
            reads += channels->channels[i].own->commands[c].ctrl.stats.device.num_read_reqs_served;
    return reads;
}

static struct gpu_request scattered(struct bench *bench, unsigned sm)
{
    struct gpu_request request = {.address = 0x7f0000000000 + random_next(&bench->random) % bench->spread * SECTOR};

    (void)sm;
    if (random_next(&bench->random) % 4 == 0) {
        request.kind = GPU_WRITE;
        request.byte_mask = UINT32_MAX;
    }
    return request;
}

#define GPU(l2) "cores: 0\ngpu: {sms: 16, icnt_latency: 8, l2: {sets: 16, ways: 4, dram_latency: 60, " l2 "}}\n"
#define MAPPED "letters: mapping"

/* ---- times */

/* header: "From a read of a closed row to its answer"; the clocks of interconnect, L2 and device add an edge each. */
static void a_read_of_an_idle_gpu_takes_the_stated_time(void **state)
{
    static const char *const memories[] = {
        "{standard: GDDR6, type: command, refresh: none}", "{standard: GDDR7, type: command, refresh: none}",
        "{standard: HBM2, type: command, refresh: none}", "{standard: HBM3, type: command, refresh: none}",
        "{standard: DDR5, type: command, refresh: none, command: {frontend_latency: 0ns, backend_latency: 0ns}}"
    };
    static struct card card;

    for (size_t i = 0; i < COUNT(memories); i++) {
        char yaml[400];
        uint64_t least_ps, took_ps, edges_ps;

        snprintf(yaml, sizeof yaml, GPU("channels: 2, " MAPPED) "memory: %s\n", memories[i]);
        open_card(&card, yaml, false);
        least_ps = gpu_memory_dram_latency_ps(&card.config.gpu, &card.config.memories[0]);
        edges_ps = 3 * card.config.gpu.core_clock_ps + card.config.memories[0].command_device.figures.ck_ps;
        card.bench.spread = UINT64_C(1) << 20;
        took_ps = run(&card.bench, 1, 1, streaming);
        if (took_ps + edges_ps < least_ps || took_ps > least_ps + edges_ps)
            fail_msg("%s: %d ps, stated %d, edges %d", memories[i], (int)took_ps, (int)least_ps, (int)edges_ps);
        close_card(&card);
    }
}

/* gpu_memory.h: "they have all that happened up to now_ps": refreshes of an idle GPU, one each tREFI. */
static void idle_memory_is_refreshed_up_to_the_end(void **state)
{
    static struct card card;

    open_card(&card, GPU("channels: 2, " MAPPED) "memory: {type: command, standard: GDDR6}\n", true);
    uint64_t const refi_ps = (uint64_t)cmd_spec_time(&card.device.spec, "nREFI") * (uint64_t)card.device.spec.tck_ps;
    int const refresh = cmd_spec_command(&card.device.spec, "REFab");

    gpu_memory_settle(card.bench.memory, 100 * refi_ps + refi_ps / 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(controller_of(&card, i)->commands[0].ctrl.stats.device.commands[refresh], 100);
    close_card(&card);
}

/* ---- places */

/* "one channel (or several) a partition": each has its share of a stream, and its name. */
static void several_channels_share_a_partition(void **state)
{
    for (unsigned each = 1; each <= 4; each++) {
        static struct card card;
        char yaml[400], name[24];

        snprintf(yaml, sizeof yaml, GPU("channels: 3, hash: linear, " MAPPED)
                 "memory: {type: command, standard: GDDR7, channels: %u, size: 768MiB}\n", 3 * each);
        open_card(&card, yaml, true);
        run(&card.bench, 12000, 8, streaming);
        gpu_memory_settle(card.bench.memory, sim_now_ps(&card.bench.sim));
        assert_int_equal(reads_of(&card), 12000);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(controller_of(&card, i)->command_count, each);
            for (uint32_t c = 0; c < each; c++) {
                const struct gpu_command_channel *const channel = &controller_of(&card, i)->commands[c];

                snprintf(name, sizeof name, "mem_ctrls%u", i * each + c);
                assert_string_equal(channel->ctrl.name, strlen(channel->name) == strlen(name) ? name : channel->name);
                assert_in_range(channel->ctrl.stats.device.num_read_reqs_served, 12000 / 3 / each - 40,
                                12000 / 3 / each + 40);
            }
        }
        close_card(&card);
    }
}

/* gpu_params.h: "a device of DRAM commands maps the address itself": two sectors of a row are a row hit apart. The
 * letters name the same bits for RoBaRaCoCh with the banks above the columns, so times and counts are equal. */
static void letters_and_mapping_may_say_the_same(void **state)
{
    static struct card by_letters, by_mapping;

    open_card(&by_letters, GPU("channels: 2, slices: 1, hash: linear, letters: RRRRRRRRRRRRRRBBBBCCCCCCSSSSS")
              "memory: {type: command, standard: GDDR6, organization: GDDR6_8Gb_x16}\n", true);
    open_card(&by_mapping, GPU("channels: 2, slices: 1, hash: linear, " MAPPED)
              "memory: {type: command, standard: GDDR6, organization: GDDR6_8Gb_x16}\n", true);
    by_letters.bench.spread = by_mapping.bench.spread = 1 << 22;
    assert_int_equal(run(&by_letters.bench, 5000, 4, scattered), run(&by_mapping.bench, 5000, 4, scattered));
    assert_memory_equal(&by_letters.bench.counts, &by_mapping.bench.counts, sizeof by_letters.bench.counts);
    close_card(&by_letters);
    close_card(&by_mapping);
}

/* Without refresh and turns, a stream of reads has nearly all of the bus: what lacks is its beginning and end. */
static void a_stream_reaches_the_peak(void **state)
{
    static const char *const standards[] = {"HBM3", "GDDR6", "GDDR7"};

    for (size_t i = 0; i < COUNT(standards); i++) {
        static struct card card;
        char yaml[400];
        uint64_t const count = 40000;

        snprintf(yaml, sizeof yaml, GPU("channels: 2, hash: linear, mshrs: 1024, " MAPPED)
                 "memory: {type: command, standard: %s, refresh: none, command: {mapping: MOP4CLXOR}}\n", standards[i]);
        open_card(&card, yaml, true);
        uint64_t const took_ps = run(&card.bench, count, 64, streaming);
        double const peak = 2 * cmd_ctrl_peak_bytes_per_s(&card.device.spec);
        double const share = (double)(count * SECTOR) * 1e12 / (double)took_ps / peak;

        if (!(share > 0.85 && share <= 1))
            fail_msg("%s: %.3f of the peak", standards[i], share);
        close_card(&card);
    }
}

/* "two adjacent sectors cost one read": of a stream through an L2 with sectors of 32 bytes, DDR5 reads 64 at once, so
 * that up to half of the sectors join; without merging each costs an access. */
static void sectors_share_accesses(void **state)
{
    for (unsigned merges = 0; merges < 2; merges++) {
        static struct card card;
        char yaml[400];

        snprintf(yaml, sizeof yaml, GPU("channels: 2, hash: linear, " MAPPED)
                 "memory: {type: command, standard: DDR5, size: 1GiB, command: {merge_reads: %s}}\n",
                 merges ? "auto" : "no");
        open_card(&card, yaml, true);
        run(&card.bench, 8000, 8, streaming);
        gpu_memory_settle(card.bench.memory, sim_now_ps(&card.bench.sim));
        uint64_t const merged = controller_of(&card, 0)->commands[0].ctrl.merge.merged
                                + controller_of(&card, 1)->commands[0].ctrl.merge.merged;

        assert_int_equal(reads_of(&card) + merged, 8000);
        assert_in_range(merged, merges ? 2000 : 0, merges ? 4000 : 0);
        close_card(&card);
    }
}

/* ---- engines */
static const char *pick(const char *const *of, size_t count) { return of[random_below(count)]; }

#define PICK(...) pick((const char *const[]){__VA_ARGS__}, sizeof (const char *const[]){__VA_ARGS__} / sizeof(char *))

static void random_card(char *yaml, size_t size)
{
    unsigned const partitions = 1 + (unsigned)random_below(3), each = 1 + (unsigned)random_below(3);

    snprintf(yaml, size,
             "cores: 0\ngpu: {sms: 16, core_clock: %sps, l2_clock: %sps, icnt_clock: 700ps, l2: {sets: 16, ways: 4, "
             "dram_latency: %s, channels: %u, hash: linear, slices: %s, queue: %s, absent: %s, " MAPPED "}}\n"
             "memory: {type: command, standard: %s, channels: %u, command: {mapping: %s, row_policy: %s, "
             "read_buffer_size: %s, write_buffer_size: %s, frontend_latency: %s, backend_latency: %s, mode: %s, "
             "merge_reads: %s}}\n",
             PICK("500", "883"), PICK("322", "883", "1000"), PICK("0", "1", "60"), partitions, PICK("1", "2"),
             PICK("1", "8", "64"), PICK("no", "no", "yes"),
             PICK("GDDR6", "GDDR7", "HBM1", "HBM2", "HBM3", "HBM4", "DDR4", "DDR5", "LPDDR5"), partitions * each,
             PICK("RoBaRaCoCh", "ChRaBaRoCo", "MOP4CLXOR"), PICK("open", "closed-after"), PICK("2", "8", "32"),
             PICK("4", "32"), PICK("0ns", "10ns"), PICK("0ns", "10ns"), PICK("sane", "sane", "exact"),
             PICK("auto", "yes", "no"));
}

/* command-dram.md: "Both engines give the same ticks and statistics"; two runs are equal, too. */
static void engines_are_equal(void **state)
{
    enum { CARDS = 60 };

    for (unsigned i = 0, done = 0; done < CARDS; i++) {
        static struct card cards[3];
        uint64_t took_ps[3], reads[3], seed = i;
        struct system_config config;
        char yaml[1200];

        random_state = i + 1;
        random_card(yaml, sizeof yaml);
        if (load_and_finish(&config, yaml).kind != FAULT_NONE)   /* closed-after on two buses in exact mode */
            continue;
        done++;
        for (unsigned k = 0; k < 3; k++) {
            open_card(&cards[k], yaml, k == 1);
            cards[k].bench.spread = seed % 3 == 0 ? 4096 : 1 << 18;
            took_ps[k] = run(&cards[k].bench, 1500, 1 + (unsigned)seed % 7, scattered);
            gpu_memory_settle(cards[k].bench.memory, sim_now_ps(&cards[k].bench.sim));
            reads[k] = reads_of(&cards[k]);
        }
        for (unsigned k = 1; k < 3; k++) {
            if (took_ps[k] != took_ps[0] || reads[k] != reads[0])
                fail_msg("%s%s: %d ps and %d reads, plain %d and %d", yaml, k == 1 ? "fast" : "again", (int)took_ps[k],
                         (int)reads[k], (int)took_ps[0], (int)reads[0]);
            assert_memory_equal(&cards[k].bench.counts, &cards[0].bench.counts, sizeof cards[0].bench.counts);
            for (uint32_t p = 0; p < cards[0].config.gpu.l2.channels; p++)
                for (uint32_t c = 0; c < controller_of(&cards[0], p)->command_count; c++)
                    assert_memory_equal(&controller_of(&cards[k], p)->commands[c].ctrl.stats.device,
                                        &controller_of(&cards[0], p)->commands[c].ctrl.stats.device,
                                        sizeof(struct cmd_stats));
        }
        for (unsigned k = 0; k < 3; k++)
            close_card(&cards[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_an_idle_gpu_takes_the_stated_time),
        cmocka_unit_test(idle_memory_is_refreshed_up_to_the_end), cmocka_unit_test(several_channels_share_a_partition),
        cmocka_unit_test(letters_and_mapping_may_say_the_same), cmocka_unit_test(a_stream_reaches_the_peak),
        cmocka_unit_test(sectors_share_accesses), cmocka_unit_test(engines_are_equal)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
