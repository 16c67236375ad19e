#include "memsys/command/device/cmd_config.h"

#include <string.h>

static enum cmd_controller_kind controller_of(const struct cmd_spec *spec)
{
    static const char *const words[] = {
#define WORD(kind, word) word,
        CMD_CONTROLLER_KINDS(WORD)
#undef WORD
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], spec->standard->controller) == 0)
            return (enum cmd_controller_kind)i;
    return CMD_CONTROLLER_SINGLE_BUS;
}

void cmd_config_default(struct cmd_config *config, const struct cmd_spec *spec)
{
    bool const has_refresh = spec->standard->all_bank_refresh || spec->standard->parent_refresh;

    *config = (struct cmd_config){
        .spec = spec, .mends = CMD_SANE, .channels = 1, .controller = controller_of(spec), .read_queue = 32,
            .write_queue = 32,
        .priority_queue = 1568, .write_low = 0.2f, .write_high = 0.8f, .rck = CMD_RCK_ALWAYS_ON, .rck_idle = 32,
        .prac = {512, 180, 4, 4}, .blockhammer = {2, 64000000, 1024, 128, 4, 1, 16384, 64000000, 75},
        .scheduler = CMD_SCHEDULER_FRFCFS, .row_policy = CMD_ROW_POLICY_OPEN, .accesses = 4,
        .refresh_rate = 1, .refresh = has_refresh ? CMD_REFRESH_ALL_BANK : CMD_REFRESH_NONE,
        .mapping = CMD_MAPPING_ROBARACOCH
    };
}

struct cmd_mitigation_config cmd_mitigation_default(enum cmd_mitigation_kind kind)
{
    return (struct cmd_mitigation_config){.kind = kind, .threshold = kind == CMD_MITIGATION_RFM ? 80 : 1024,
                                          .probability = 0.001f,
                                          .pruning = 1.0f, .seed = 123, .entries = 64, .indirections = 64,
                                              .quarantine_rows = 64,
                                          .reset_ns = 64000000, .rows_per_rfm = 1, .group_threshold = 512,
                                              .group_rows = 128,
                                          .cache_entries = 4096};
}
