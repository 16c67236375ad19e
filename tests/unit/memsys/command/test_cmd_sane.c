/* Odd behaviour of the published model (docs/spec/command-dram.md 12): each is there in exact mode and gone when it
 * is mended by its name. */
#include "memsys/command/channel/cmd_device.h"
#include "tests/support/command_bench.h"

#define BIT(mend) (UINT32_C(1) << CMD_MEND_##mend)

static struct command_bench *ddr4(uint32_t mends)
{
    struct command_bench *const bench = command_bench_open("DDR4", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES, mends);

    bench->config.refresh = CMD_REFRESH_NONE;
    return bench;
}

/* Address of a row of a bank (bank group * 4 + bank) of DDR4_8Gb_x8 with one rank: RoBaRaCoCh. */
static uint64_t ddr4_address(uint64_t row, uint64_t bank, uint64_t line)
{
    return ((row * 4 + bank % 4) * 4 + bank / 4) * 8192 + line * 64;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* As many requests as asked for, to `rows` rows of all banks; each is sent as soon as it is taken. */
static struct fault random_traffic(struct command_bench *bench, unsigned requests, uint64_t rows,
                                   unsigned write_percent)
{
    uint64_t state = 88172645463325252u;
    uint64_t const span = (uint64_t)bench->spec.bank_count * rows * bench->spec.size[bench->spec.column_level]
        / bench->spec.standard->prefetch;

    for (unsigned i = 0; i < requests; i++) {
        uint64_t const random = next_random(&state);
        uint64_t const address = (random >> 20) % span * bench->spec.tx_bytes;
        enum cmd_kind const kind = random % 100 < write_percent ? CMD_WRITE : CMD_READ;

        while (bench_send(bench, kind, address) == UINT64_MAX) {
            FORWARD(bench->fault);
            FORWARD(cmd_memory_run(bench->memory, cmd_memory_now(bench->memory) + 1000));
        }
    }
    return bench_finish(bench, 100000000);
}

/* The same to the lines of 24 pages that lie anywhere. */
static struct fault hot_traffic(struct command_bench *bench, unsigned requests, unsigned write_percent)
{
    uint64_t const page = (uint64_t)bench->spec.size[bench->spec.column_level] / bench->spec.standard->prefetch;
    uint64_t state = 88172645463325252u, pages[24];

    for (size_t i = 0; i < COUNT(pages); i++)
        pages[i] = (next_random(&state) >> 20) % (bench->spec.bank_count * 64u);
    for (unsigned i = 0; i < requests; i++) {
        uint64_t const random = next_random(&state);
        uint64_t const address = (pages[(random >> 8) % COUNT(pages)] * page
                                  + (random >> 20) % page) * bench->spec.tx_bytes;
        enum cmd_kind const kind = random % 100 < write_percent ? CMD_WRITE : CMD_READ;

        while (bench_send(bench, kind, address) == UINT64_MAX) {
            FORWARD(bench->fault);
            FORWARD(cmd_memory_run(bench->memory, cmd_memory_now(bench->memory) + 1000));
        }
    }
    return bench_finish(bench, 100000000);
}

/* ---- what can be seen in the list of commands */
/* Commands of that name to banks that are open (or closed). */
static size_t count_to(const struct command_bench *bench, const char *name, bool is_open)
{
    static bool open[1 << 16];
    size_t count = 0;

    memset(open, 0, sizeof open);
    for (size_t i = 0; i < bench->command_count; i++) {
        const struct bench_command *const command = &bench->commands[i];
        bool const is_all = strcmp(command->name, "PREab") == 0;
        uint32_t bank;

        if (strcmp(command->name, "REFab") == 0)
            continue;
        if (is_all) {
            memset(open, 0, sizeof open);
            continue;
        }
        bank = cmd_device_bank(&bench->spec, command->vector);
        count += strcmp(command->name, name) == 0 && open[bank] == is_open;
        if (strcmp(command->name, "ACT") == 0)
            open[bank] = true;
        else if (command->name[0] == 'P' || strlen(command->name) == 3)      /* PREpb; RDA, WRA */
            open[bank] = strcmp(command->name, "VRR") == 0 && open[bank];
    }
    return count;
}

/* 1 */
static void hammer(struct command_bench *bench, unsigned times, uint64_t one, uint64_t other)
{
    for (unsigned i = 0; i < times; i++) {
        assert_int_not_equal(bench_send(bench, CMD_READ, i % 2 ? one : other), UINT64_MAX);
        assert_fine(bench_finish(bench, cmd_memory_now(bench->memory) + 100000));
    }
}

static void prac_recovery_reaches_all_banks(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("DDR5_RFM", "DDR5_16Gb_x8", "DDR5_3200AN", NO_OVERRIDES,
                                                               sane ? BIT(PRAC_RECOVERY) : CMD_EXACT);
        const struct bench_command *rfm;

        bench->config.refresh = CMD_REFRESH_NONE;
        bench->config.controller = CMD_CONTROLLER_PRAC;
        bench->config.prac.threshold = 16;
        command_bench_start(bench);
        hammer(bench, 400, UINT64_C(1) << 30 | 1 << 15, UINT64_C(1) << 31 | 1 << 15);
        rfm = bench_command(bench, "RFMab", 0);
        assert_non_null(rfm);
        assert_int_equal(rfm->vector[3], sane ? -1 : 0);
        if (sane)                        /* one recovery takes the hottest row of each bank: as many as rows get
                                            critical */
            assert_in_range(cmd_memory_stats(bench->memory, 0).prac_num_recovery, 1, 400 / 16 + 1);
        command_bench_close(bench);
    }
}

/* 2 */
static void variants_have_refresh(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("DDR5_RFM_VRR", "DDR5_16Gb_x8", "DDR5_4800BN",
                                                               NO_OVERRIDES,
                                                               sane ? BIT(VARIANT_REFRESH) : CMD_EXACT);
        struct cmd_hooks const hooks = {.owner = bench};
        struct fault const fault = cmd_memory_new(&bench->memory, &bench->config, &hooks, 1);

        if (sane)
            assert_fine(fault);
        else
            assert_text(fault_text(fault), "has no all-bank refresh");
        command_bench_close(bench);
    }
}

/* 3: "With the default cap 4 channels of HBM1 to HBM4 and GDDR7 die ... with cap 1 or 2 in all" */
static void closed_rows_work_on_two_buses(void **state)
{
    static const char *const devices[][3] = {
        {"HBM2", "HBM2_8Gb", "HBM2_2000Mbps"}, {"HBM3", "HBM3_16Gb_8hi", "HBM3_6400Mbps"},
            {"HBM1", "HBM1_4Gb", "HBM1_1Gbps"}
    };

    for (size_t i = 0; i < COUNT(devices); i++) {
        for (int sane = 0; sane < 2; sane++) {
            struct command_bench *const bench = command_bench_open(devices[i][0], devices[i][1], devices[i][2],
                                                                   NO_OVERRIDES,
                                                                   sane ? BIT(AUTO_PRECHARGE) : CMD_EXACT);
            struct cmd_hooks const hooks = {.owner = bench, .completed = bench_note_done, .issued = bench_note_command};

            bench->config.row_policy = CMD_ROW_POLICY_CLOSED_AFTER;
            bench->config.accesses = 1;
            if (!sane)
                assert_text(fault_text(cmd_memory_new(&bench->memory, &bench->config, &hooks, 1)),
                            "closed-after cannot work");
            bench->config.accepts_stalls = !sane;
            command_bench_start(bench);
            if (sane)
                assert_fine(hot_traffic(bench, 8000, 40));
            else
                assert_text(fault_text(hot_traffic(bench, 8000, 40)), "no command for a refresh interval");
            command_bench_close(bench);
        }
    }
}

/* 4 */
static void writes_forward_until_they_are_done(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(FORWARD_ACTIVE) : CMD_EXACT);
        uint64_t const address = ddr4_address(5, 3, 0);

        command_bench_start(bench);
        bench_send(bench, CMD_WRITE, address);
        assert_fine(bench_run(bench, 5));        /* ACT is out, WR is not */
        assert_int_equal(bench_count(bench, "ACT"), 1);
        bench_send(bench, CMD_READ, address);
        assert_fine(bench_finish(bench, 1000));
        assert_int_equal(cmd_memory_stats(bench->memory, 0).num_read_reqs_forwarded, sane);
        command_bench_close(bench);
    }
}

/* 5 */
static void answers_leave_in_the_order_of_their_times(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(FORWARD_ORDER) : CMD_EXACT);

        command_bench_start(bench);
        bench_send(bench, CMD_READ, ddr4_address(5, 0, 0));          /* 0 */
        assert_fine(bench_run(bench, 18));
        assert_int_equal(bench_count(bench, "RD"), 1);
        bench_send(bench, CMD_WRITE, ddr4_address(6, 0, 0));         /* waits for its precharge */
        bench_send(bench, CMD_READ, ddr4_address(6, 0, 0));          /* 2: forwarded */
        assert_fine(bench_finish(bench, 1000));
        assert_int_equal(bench->done_at[0], 37);
        assert_int_equal(bench->done_at[2], sane ? 19 : 37);
        command_bench_close(bench);
    }
}

/* 6 */
static void a_refresh_holds_up_its_rank_only(void **state)
{
    struct cmd_pair const ranks = {"rank", 2};
    uint64_t done[2];

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("DDR4", "DDR4_8Gb_x8", "DDR4_2400R",
                                                               (struct cmd_overrides){&ranks, 1},
                                                               sane ? BIT(PRIORITY_BLOCKS) : CMD_EXACT);

        bench->config.stagger = 300;
        command_bench_start(bench);
        assert_fine(bench_run(bench, 290));
        bench_send(bench, CMD_READ, 0);                              /* opens a row of rank 0 */
        assert_fine(bench_run(bench, 301));                          /* its refresh waits for it */
        bench_send(bench, CMD_READ, 8192);                           /* rank 1 */
        assert_fine(bench_finish(bench, 2000));
        done[sane] = bench->done_at[1];
        command_bench_close(bench);
    }
    assert_int_equal(done[1], 301 + 1 + 16 + 20);
    assert_true(done[0] > done[1]);
}

/* 7 */
static void given_levels_have_addresses(void **state)
{
    static const int32_t one[CMD_LEVELS] = {0, 0, 1, 1, 7, 8}, other[CMD_LEVELS] = {0, 0, 2, 1, 7, 8};

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(VECTOR_ADDRESS) : CMD_EXACT);

        bench->config.mapping = CMD_MAPPING_GIVEN;
        command_bench_start(bench);
        bench_send_vector(bench, CMD_WRITE, one, UINT64_MAX);
        bench_send_vector(bench, CMD_WRITE, other, UINT64_MAX);
        bench_send_vector(bench, CMD_WRITE, one, UINT64_MAX);
        assert_fine(bench_finish(bench, 1000));
        assert_int_equal(cmd_memory_stats(bench->memory, 0).num_write_reqs_coalesced, sane ? 1 : 2);
        command_bench_close(bench);
    }
}

/* 8 */
static void no_row_is_opened_twice(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("DDR4_VRR", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES,
                                                               sane ? BIT(OPEN_TWICE) : CMD_EXACT);
        struct cmd_mitigation_config hydra = cmd_mitigation_default(CMD_MITIGATION_HYDRA);

        hydra.threshold = 14;
        hydra.group_threshold = 4;
        hydra.cache_entries = 16;
        bench->config.refresh = CMD_REFRESH_NONE;
        bench->config.mitigations[bench->config.mitigation_count++] = hydra;
        command_bench_start(bench);
        assert_fine(random_traffic(bench, 4000, 4096, 20));
        if (sane)
            assert_int_equal(count_to(bench, "ACT", true), 0);
        else
            assert_true(count_to(bench, "ACT", true) > 0);
        command_bench_close(bench);
    }
}

/* ---- constraints */
/* Earliest tick of the second command when the first is issued at tick 100, to bank 0 or all banks. */
static int64_t distance(const char *standard, const char *organization, const char *timing, bool missing,
                        const char *first,
                        const char *second)
{
    struct command_bench *const bench = calloc(1, sizeof *bench);
    int32_t vector[CMD_LEVELS] = {0};
    struct cmd_device device;
    int64_t ready;

    assert_fine(command_standard_read(&bench->standard, standard));
    assert_fine(cmd_spec_make(&bench->spec, &bench->standard, organization, timing, NO_OVERRIDES, missing, false));
    assert_fine(cmd_device_init(&device, &bench->spec, 0));
    cmd_device_issue(&device, (unsigned)cmd_spec_command(&bench->spec, first), vector, 100);
    ready = cmd_device_ready(&device, (unsigned)cmd_spec_command(&bench->spec, second), vector);
    cmd_device_free(&device);
    command_bench_close(bench);
    return ready - 100;
}

/* 9 */
static void refreshes_keep_their_distance(void **state)
{
    assert_int_equal(distance("DDR4", "DDR4_8Gb_x8", "DDR4_2400R", false, "REFab", "REFab"), -100);
    assert_int_equal(distance("DDR4", "DDR4_8Gb_x8", "DDR4_2400R", true, "REFab", "REFab"), 433);
    assert_true(distance("HBM2", "HBM2_8Gb", "HBM2_2000Mbps", false, "RDA", "REFpb") < 1);
    assert_true(distance("HBM2", "HBM2_8Gb", "HBM2_2000Mbps", true, "RDA", "REFpb") > 1);
    assert_int_equal(distance("DDR5_RFM_VRR", "DDR5_16Gb_x8", "DDR5_3200AN", true, "VRR", "VRR"), 448);
    assert_int_equal(distance("DDR5_RFM_VRR", "DDR5_16Gb_x8", "DDR5_3200AN", true, "RFMab", "REFab"), 312);
}

/* 13 */
static void addresses_beyond_the_device_are_refused(void **state)
{
    static const enum cmd_mapping_kind mappings[] = {CMD_MAPPING_ROBARACOCH, CMD_MAPPING_CHRABAROCO,
                                                     CMD_MAPPING_MOP4CLXOR};
    uint64_t const capacity = UINT64_C(8) << 30;         /* 8 chips of 8 Gb */

    for (size_t i = 0; i < COUNT(mappings); i++) {
        for (int sane = 0; sane < 2; sane++) {
            struct command_bench *const bench = ddr4(sane ? BIT(BOUNDS) : CMD_EXACT);

            bench->config.mapping = mappings[i];
            command_bench_start(bench);
            assert_int_not_equal(bench_send(bench, CMD_READ, capacity - 64), UINT64_MAX);
            assert_fine(bench->fault);
            bench_send(bench, CMD_READ, capacity);
            if (sane)
                assert_text(fault_text(bench->fault), "lies beyond the device");
            else
                assert_fine(bench->fault);
            command_bench_close(bench);
        }
    }
}

/* 18: one read of 37 ticks and one of 1 */
static void average_latency_counts_all_reads(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(AVERAGE_LATENCY) : CMD_EXACT);

        command_bench_start(bench);
        bench_send(bench, CMD_READ, ddr4_address(5, 0, 0));
        assert_fine(bench_run(bench, 18));
        bench_send(bench, CMD_WRITE, ddr4_address(6, 0, 0));
        bench_send(bench, CMD_READ, ddr4_address(6, 0, 0));
        assert_fine(bench_finish(bench, 1000));
        assert_true(cmd_memory_stats(bench->memory, 0).avg_read_latency == (sane ? 19.0f : 38.0f));
        command_bench_close(bench);
    }
}

/* 16: BlockHammer's delay keeps a row below rowhammer_threshold only if an activation stays in the history as long as
 * it should. Two rows of one bank are read in turn for an epoch. */
static void activations_leave_the_history_once(void **state)
{
    enum { EPOCH_NS = 1000000, LIMIT = 64 };

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(THROTTLE_HISTORY) : CMD_EXACT);
        uint64_t const end = EPOCH_NS * UINT64_C(1000) / (uint64_t)bench->spec.tck_ps;
        size_t rows[2] = {0};

        bench->config.controller = CMD_CONTROLLER_BLOCKHAMMER;
        bench->config.blockhammer.epoch_ns = bench->config.blockhammer.refresh_window_ns = EPOCH_NS;
        bench->config.blockhammer.threshold = 16;
        bench->config.blockhammer.rowhammer_threshold = LIMIT;
        command_bench_start(bench);
        for (unsigned i = 0; cmd_memory_now(bench->memory) < end; i++) {
            assert_int_not_equal(bench_send(bench, CMD_READ, ddr4_address(5 + i % 2, 0, 0)), UINT64_MAX);
            assert_fine(bench_finish(bench, UINT64_MAX));
        }
        for (size_t i = 0; i < bench->command_count; i++)
            if (strcmp(bench->commands[i].name, "ACT") == 0 && bench->commands[i].tick < end)
                rows[bench->commands[i].vector[bench->spec.row_level] == 6]++;
        for (unsigned i = 0; i < 2; i++)
            assert_in_range(rows[i], sane ? LIMIT / 2 : LIMIT + 1, sane ? LIMIT : SIZE_MAX);
        command_bench_close(bench);
    }
}

/* 19 */
static void no_request_is_lost(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("DDR4_VRR", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES,
                                                               sane ? BIT(LOST_REQUESTS) : CMD_EXACT);
        struct cmd_mitigation_config oracle = cmd_mitigation_default(CMD_MITIGATION_ORACLE_RH);

        oracle.threshold = 1;                                        /* a VRR for each activation ... */
        bench->config.mitigations[0] = bench->config.mitigations[1] = oracle;        /* ... twice */
        bench->config.mitigation_count = 2;
        bench->config.refresh = CMD_REFRESH_NONE;
        bench->config.priority_queue = 1;
        command_bench_start(bench);
        assert_fine(random_traffic(bench, 2000, 64, 20));
        assert_fine(bench_run(bench, cmd_memory_now(bench->memory) + 1000000));
        assert_int_equal(bench_count(bench, "VRR"), (sane ? 2 : 1) * bench_count(bench, "ACT"));
        command_bench_close(bench);
    }
}

/* 20 */
static void swaps_do_not_count_their_own_copies(void **state)
{
    uint64_t swaps[2];

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(OWN_TRAFFIC) : CMD_EXACT);
        struct cmd_mitigation_config *const rrs = &bench->config.mitigations[bench->config.mitigation_count++];
        struct cmd_named_count count;
        uint64_t unswaps, reswaps;

        *rrs = cmd_mitigation_default(CMD_MITIGATION_RRS);
        rrs->threshold = 6;
        bench->config.row_indirection = true;
        command_bench_start(bench);
        hammer(bench, 100, ddr4_address(5, 0, 0), ddr4_address(6, 0, 0));    /* 50 activations each, but for those
                                                                                that hit */
        assert_true(cmd_memory_mitigation_count(bench->memory, 0, 0, 0, &count));
        swaps[sane] = count.value;
        assert_true(cmd_memory_mitigation_count(bench->memory, 0, 0, 1, &count));
        unswaps = count.value;
        assert_true(cmd_memory_mitigation_count(bench->memory, 0, 0, 2, &count));
        reswaps = count.value;
        if (sane)                        /* at most one in six activations starts anything */
            assert_in_range(swaps[1] - reswaps + unswaps, 1, 100 / 6);
        command_bench_close(bench);
    }
    assert_true(swaps[0] > swaps[1]);
}

/* 21 */
static void an_rfm_clears_its_rank_only(void **state)
{
    struct cmd_pair const ranks = {"rank", 2};

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("DDR5_RFM", "DDR5_16Gb_x8", "DDR5_3200AN",
                                                               (struct cmd_overrides){&ranks, 1}, sane ? BIT(ONE_RANK)
                                                                   : CMD_EXACT);
        struct cmd_mitigation_config *const rfm = &bench->config.mitigations[bench->config.mitigation_count++];
        uint64_t const rank_one = (uint64_t)bench->spec.size[bench->spec.column_level] / 16 * 64,
            row = UINT64_C(1) << 30;

        *rfm = cmd_mitigation_default(CMD_MITIGATION_RFM);
        rfm->threshold = 4;
        bench->config.refresh = CMD_REFRESH_NONE;
        bench->config.mapping = CMD_MAPPING_ROBARACOCH;
        command_bench_start(bench);
        hammer(bench, 3, rank_one, rank_one + row);
        hammer(bench, 4, 0, row);                                    /* RFM of rank 0 */
        assert_fine(bench_run(bench, cmd_memory_now(bench->memory) + 10000));
        assert_int_equal(bench_count(bench, "RFMab"), 1);
        hammer(bench, 1, rank_one + 2 * row, rank_one + 2 * row);
        assert_fine(bench_run(bench, cmd_memory_now(bench->memory) + 10000));
        assert_int_equal(bench_count(bench, "RFMab"), sane ? 2 : 1);
        command_bench_close(bench);
    }
}

/* 22 */
static void a_refresh_that_waits_does_not_move_the_others(void **state)
{
    struct cmd_pair const often[] = {{"sid", 1}, {"nREFIpb", 200}};  /* a round ends where the next one must wait */
    uint64_t last[2];
    int64_t interval = 0;

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("HBM3", "HBM3_16Gb_8hi", "HBM3_6400Mbps",
                                                               (struct cmd_overrides){often, 2},
                                                               sane ? BIT(REFRESH_GRID) : CMD_EXACT);
        size_t refreshes;

        bench->config.refresh = CMD_REFRESH_PAIRED_BANKS;
        interval = cmd_spec_time(&bench->spec, "nREFIpb");
        assert_true(interval < cmd_spec_time(&bench->spec, "nRFCpb"));
        command_bench_start(bench);
        assert_fine(bench_run(bench, 1000000));
        refreshes = bench_count(bench, "REFpb");
        last[sane] = (uint64_t)refreshes;
        command_bench_close(bench);
    }
    assert_true(last[0] < last[1]);
    assert_in_range(last[1], 2 * (1000000 / (uint64_t)interval) - 4, 2 * (1000000 / (uint64_t)interval));
}

/* 23 */
static void closed_banks_are_not_precharged(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(IDLE_PRECHARGE) : CMD_EXACT);

        bench->config.row_policy = CMD_ROW_POLICY_CLOSED_AFTER;
        bench->config.accesses = 1;
        command_bench_start(bench);
        assert_fine(random_traffic(bench, 6000, 2, 50));
        if (sane)
            assert_int_equal(count_to(bench, "PREpb", false), 0);
        else
            assert_true(count_to(bench, "PREpb", false) > 0);
        command_bench_close(bench);
    }
}

/* 25 */
static void a_read_need_not_wait_for_idle_writes(void **state)
{
    uint64_t done[2];

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(IDLE_WRITE_MODE) : CMD_EXACT);
        uint64_t read;

        command_bench_start(bench);
        for (uint64_t i = 0; i < 20; i++)
            bench_send(bench, CMD_WRITE, ddr4_address(i, 0, 0));     /* one bank: slow */
        assert_fine(bench_run(bench, 30));
        read = bench_send(bench, CMD_READ, ddr4_address(9, 7, 0));
        assert_fine(bench_finish(bench, 100000));
        done[sane] = bench->done_at[read];
        command_bench_close(bench);
    }
    assert_true(done[0] > 500);
    assert_true(done[1] < 120);
}

/* 30: a CK of HBM3_6400Mbps has 625 ps, half of it is 312.5 */
static void throughput_is_that_of_whole_clocks(void **state)
{
    float throughput[2];

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("HBM3", "HBM3_16Gb_8hi", "HBM3_6400Mbps", NO_OVERRIDES,
                                                               sane ? BIT(HALF_TICK) : CMD_EXACT);

        command_bench_start(bench);
        assert_fine(random_traffic(bench, 500, 64, 0));
        throughput[sane] = cmd_memory_stats(bench->memory, 0).total_throughput_MBps;
        command_bench_close(bench);
    }
    assert_float_equal(throughput[0] / throughput[1], 312.5f / 312.0f, 0.0002f);
}

/* 32 */
static void refreshes_count_in_the_window_of_activations(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct cmd_standard standard;
        struct cmd_spec spec;
        struct cmd_device device;
        int32_t vector[CMD_LEVELS] = {0};
        unsigned act, refresh;

        assert_fine(command_standard_read(&standard, "HBM2"));
        assert_fine(cmd_spec_make(&spec, &standard, "HBM2_8Gb", "HBM2_2000Mbps", NO_OVERRIDES, false, sane));
        assert_fine(cmd_device_init(&device, &spec, 0));
        act = (unsigned)cmd_spec_command(&spec, "ACT");
        refresh = (unsigned)cmd_spec_command(&spec, "REFpb");
        for (int i = 0; i < 4; i++) {
            vector[2] = i;
            cmd_device_issue(&device, i == 1 ? refresh : act, vector, 100 + i);
        }
        vector[2] = 0;
        vector[3] = 1;
        if (sane)
            assert_int_equal(cmd_device_ready(&device, act, vector), 100 + cmd_spec_time(&spec, "nFAW"));
        else
            assert_true(cmd_device_ready(&device, act, vector) < 100 + cmd_spec_time(&spec, "nFAW"));
        cmd_device_free(&device);
        cmd_spec_free(&spec);
        cmd_standard_free(&standard);
    }
}

/* 33 */
static void writes_of_one_line_merge(void **state)
{
    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = ddr4(sane ? BIT(TRANSACTIONS) : CMD_EXACT);

        command_bench_start(bench);
        bench_send(bench, CMD_WRITE, 0);
        bench_send(bench, CMD_WRITE, 32);
        assert_fine(bench_finish(bench, 1000));
        assert_int_equal(cmd_memory_stats(bench->memory, 0).num_write_reqs_coalesced, sane);
        command_bench_close(bench);
    }
}

/* 34: a row that needs several refresh intervals to the threshold is served, as a REFab refreshes a few rows only. */
static void a_refresh_clears_the_counts_of_its_rows(void **state)
{
    enum { READS = 600, THRESHOLD = 100 };

    for (int sane = 0; sane < 2; sane++) {
        struct command_bench *const bench = command_bench_open("DDR4_VRR", "DDR4_8Gb_x8", "DDR4_2400R", NO_OVERRIDES,
                                                               BIT(VARIANT_REFRESH)
                                                                   | (sane ? BIT(ORACLE_REFRESH) : CMD_EXACT));
        struct cmd_mitigation_config *const oracle = &bench->config.mitigations[bench->config.mitigation_count++];

        *oracle = cmd_mitigation_default(CMD_MITIGATION_ORACLE_RH);
        oracle->threshold = THRESHOLD;
        command_bench_start(bench);
        for (unsigned i = 0; i < READS; i++) {
            assert_int_not_equal(bench_send(bench, CMD_READ, ddr4_address(1005 + i % 2, 0, 0)), UINT64_MAX);
            assert_fine(bench_finish(bench, UINT64_MAX));
            assert_fine(bench_run(bench, cmd_memory_now(bench->memory) + 60));
        }
        assert_true(bench_count(bench, "REFab") > READS / THRESHOLD);
        assert_int_equal(bench_count(bench, "VRR"), sane ? READS / THRESHOLD : 0);
        command_bench_close(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prac_recovery_reaches_all_banks), cmocka_unit_test(variants_have_refresh),
        cmocka_unit_test(closed_rows_work_on_two_buses), cmocka_unit_test(writes_forward_until_they_are_done),
        cmocka_unit_test(answers_leave_in_the_order_of_their_times), cmocka_unit_test(a_refresh_holds_up_its_rank_only),
        cmocka_unit_test(given_levels_have_addresses), cmocka_unit_test(no_row_is_opened_twice),
        cmocka_unit_test(refreshes_keep_their_distance), cmocka_unit_test(addresses_beyond_the_device_are_refused),
        cmocka_unit_test(average_latency_counts_all_reads), cmocka_unit_test(no_request_is_lost),
        cmocka_unit_test(activations_leave_the_history_once),
        cmocka_unit_test(swaps_do_not_count_their_own_copies), cmocka_unit_test(an_rfm_clears_its_rank_only),
        cmocka_unit_test(a_refresh_that_waits_does_not_move_the_others),
            cmocka_unit_test(closed_banks_are_not_precharged),
        cmocka_unit_test(a_read_need_not_wait_for_idle_writes), cmocka_unit_test(throughput_is_that_of_whole_clocks),
        cmocka_unit_test(a_refresh_clears_the_counts_of_its_rows),
        cmocka_unit_test(refreshes_count_in_the_window_of_activations), cmocka_unit_test(writes_of_one_line_merge)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
