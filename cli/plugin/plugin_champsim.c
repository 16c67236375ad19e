/* A class of the interface of 2024 inherits champsim::modules::KIND; hooks of 2021 and 2017 are members of CACHE and
 * O3_CPU, those of 2017 with the level in their names, or in a file that says it. */
#include "cli/plugin/plugin_champsim.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

enum { LARGEST_SOURCE = 1 << 22 };

static const char modules[] = "champsim::modules::";

/* Hooks, members of CACHE or O3_CPU. levels: those whose names a hook of 2017 has in front; 0: it has none. forms: bit
 * n of a hook with n arguments. is_silent: rubato never calls it, so that its body has to be empty. */
static const struct hook {
    const char *owner, *name;
    unsigned has, apis, levels, forms;
    bool is_silent;
} hooks[] = {
#define G1 (1u << CHAMPSIM_G1)
#define G0 (1u << CHAMPSIM_G0)
#define BOTH (G0 | G1)
#define OF_CACHE (CHAMPSIM_PREFETCHER | CHAMPSIM_CACHE_PREFETCHER)
#define OF_CORE (CHAMPSIM_PREFETCHER | CHAMPSIM_CORE_PREFETCHER)
#define ARGUMENTS(n) (1u << (n))
#define L1D 2u
#define DATA (L1D | 4 | 8)
#define LEVELS (1u | DATA)
    {"CACHE::", "prefetcher_initialize", OF_CACHE, G1, 0, 0, 0},
    {"CACHE::", "prefetcher_cache_operate", OF_CACHE, G1, 0, 0, 0},
    {"CACHE::", "prefetcher_cache_fill", OF_CACHE, G1, 0, 0, 0},
    {"CACHE::", "prefetcher_cycle_operate", OF_CACHE | CHAMPSIM_CYCLE, G1, 0, 0, 0},
    {"CACHE::", "prefetcher_branch_operate", OF_CACHE | CHAMPSIM_BRANCH_OPERATE, G1, 0, 0, 0},
    {"CACHE::", "prefetcher_final_stats", OF_CACHE, G1, 0, 0, 0},
    {"CACHE::", "initialize_replacement", CHAMPSIM_REPLACEMENT, G1, 0, 0, 0},
    {"CACHE::", "find_victim", CHAMPSIM_REPLACEMENT, G1, 0, 0, 0},
    {"CACHE::", "update_replacement_state", CHAMPSIM_REPLACEMENT, G1, 0, 0, 0},
    {"CACHE::", "replacement_final_stats", CHAMPSIM_REPLACEMENT, G1, 0, 0, 0},
    {"O3_CPU::", "prefetcher_initialize", OF_CORE, G1, 0, 0, 0},
    {"O3_CPU::", "prefetcher_cache_operate", OF_CORE, G1, 0, 0, 0},
    {"O3_CPU::", "prefetcher_cache_fill", OF_CORE, G1, 0, 0, 0},
    {"O3_CPU::", "prefetcher_cycle_operate", OF_CORE | CHAMPSIM_CYCLE, G1, 0, 0, 0},
    {"O3_CPU::", "prefetcher_branch_operate", OF_CORE | CHAMPSIM_BRANCH_OPERATE, G1, 0, 0, 0},
    {"O3_CPU::", "prefetcher_squash", OF_CORE, G1, 0, 0, 0},
    {"O3_CPU::", "prefetcher_final_stats", OF_CORE, G1, 0, 0, 0},
    {"O3_CPU::", "initialize_branch_predictor", CHAMPSIM_DIRECTION, BOTH, 0, 0, 0},
    {"O3_CPU::", "predict_branch", CHAMPSIM_DIRECTION, BOTH, 0, 0, 0},
    {"O3_CPU::", "last_branch_result", CHAMPSIM_DIRECTION, G1, 0, ARGUMENTS(4), 0},
    {"O3_CPU::", "last_branch_result", CHAMPSIM_DIRECTION, G0, 0, ARGUMENTS(2), 0},
    {"O3_CPU::", "initialize_btb", CHAMPSIM_BTB, G1, 0, 0, 0},
    {"O3_CPU::", "btb_prediction", CHAMPSIM_BTB, G1, 0, 0, 0},
    {"O3_CPU::", "update_btb", CHAMPSIM_BTB, G1, 0, 0, 0},
    {"CACHE::", "prefetcher_initialize", OF_CACHE, G0, DATA, ARGUMENTS(0), 0},
    {"CACHE::", "prefetcher_operate", OF_CACHE, G0, DATA, ARGUMENTS(4) | ARGUMENTS(5) | ARGUMENTS(6), 0},
    {"CACHE::", "prefetcher_cache_fill", OF_CACHE, G0, DATA, ARGUMENTS(5) | ARGUMENTS(6) | ARGUMENTS(8), 0},
    {"CACHE::", "prefetcher_final_stats", OF_CACHE, G0, DATA, ARGUMENTS(0), 0},
    {"CACHE::", "prefetcher_print_config", OF_CACHE, G0, DATA, ARGUMENTS(0), 0},
    {"CACHE::", "prefetcher_prefetch_hit", OF_CACHE, G0, DATA, ARGUMENTS(3), 0},
    {"CACHE::", "prefetcher_broadcast_bw", OF_CACHE | CHAMPSIM_BROADCAST, G0, DATA, ARGUMENTS(1), 0},
    {"CACHE::", "prefetcher_broadcast_ipc", OF_CACHE, G0, DATA, ARGUMENTS(1), 1},
    {"CACHE::", "prefetcher_broadcast_acc", OF_CACHE, G0, DATA, ARGUMENTS(1), 1},
    {"CACHE::", "prefetcher_notify_about_dtlb_eviction", OF_CACHE, G0, L1D, ARGUMENTS(6), 1},
    {"CACHE::", "initialize_replacement", CHAMPSIM_REPLACEMENT, G0, LEVELS, ARGUMENTS(0) | ARGUMENTS(1), 0},
    {"CACHE::", "find_victim", CHAMPSIM_REPLACEMENT, G0, LEVELS, ARGUMENTS(7), 0},
    {"CACHE::", "update_replacement_state", CHAMPSIM_REPLACEMENT, G0, LEVELS, ARGUMENTS(8), 0},
    {"CACHE::", "replacement_final_stats", CHAMPSIM_REPLACEMENT, G0, LEVELS, ARGUMENTS(0), 0},
    {"O3_CPU::", "prefetcher_initialize", OF_CORE, G0, 1, ARGUMENTS(0), 0},
    {"O3_CPU::", "prefetcher_branch_operate", OF_CORE | CHAMPSIM_BRANCH_OPERATE, G0, 1, ARGUMENTS(3), 0},
    {"O3_CPU::", "prefetcher_cache_operate", OF_CORE, G0, 1, ARGUMENTS(3), 0},
    {"O3_CPU::", "prefetcher_cycle_operate", OF_CORE | CHAMPSIM_CYCLE, G0, 1, ARGUMENTS(0), 0},
    {"O3_CPU::", "prefetcher_cache_fill", OF_CORE, G0, 1, ARGUMENTS(5), 0},
    {"O3_CPU::", "prefetcher_final_stats", OF_CORE, G0, 1, ARGUMENTS(0), 0}
};
enum { HOOK_COUNT = sizeof hooks / sizeof hooks[0] };

/* Levels that hooks of 2017 have in their names; of those behind LLC there are no modules here. */
static const char *const level_names[] = {"l1i_", "l1d_", "l2c_", "llc_", "itlb_", "dtlb_", "stlb_", "btb_"};
enum { LEVEL_COUNT = sizeof level_names / sizeof level_names[0], LEVELS_OF_CACHES = 4 };

/* Words of a source's text, and what they need. */
static const struct { const char *word; unsigned has; } words[] = {
    {"block", CHAMPSIM_BLOCK}, {"NUM_CPUS", CHAMPSIM_NUM_CPUS},
    {"current_core_cycle", CHAMPSIM_CORE_CYCLE | CHAMPSIM_NUM_CPUS},
    {"warmup_complete", CHAMPSIM_WARMUP | CHAMPSIM_NUM_CPUS}, {"all_warmup_complete", CHAMPSIM_WARMUP},
    {"ooo_cpu", CHAMPSIM_RETIRED | CHAMPSIM_NUM_CPUS}, {"occupancy", CHAMPSIM_OCCUPANCY}
};

/* Comments become blanks; texts stay. */
static void blank_comments(char *text)
{
    char *end;

    for (char *c = text; *c; c++) {
        if (*c == '"') {
            for (c++; *c && *c != '"' && *c != '\n'; c++)
                c += *c == '\\' && c[1];
            if (!*c)
                return;
        } else if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) {
            end = c[1] == '/' ? strchr(c, '\n') : strstr(c + 2, "*/");
            end = end ? end + (c[1] == '/' ? 0 : 2) : c + strlen(c);
            memset(c, ' ', (size_t)(end - c));
            c = end - 1;
        }
    }
}

static char *read_source(const char *path)
{
    FILE *const file = fopen(path, "r");
    char *const text = file ? malloc(LARGEST_SOURCE + 1) : NULL;

    if (text) {
        text[fread(text, 1, LARGEST_SOURCE, file)] = '\0';
        blank_comments(text);
    }
    if (file)
        fclose(file);
    return text;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The word that ends before `end`, past spaces; where it begins. */
static const char *word_before(const char *text, const char *end, size_t *length)
{
    const char *begin;

    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    begin = end;
    while (begin > text && is_letter(begin[-1]))
        begin--;
    *length = (size_t)(end - begin);
    return begin;
}

/* NAME of "NAME : public champsim::modules::KIND"; at: where champsim:: begins. */
static bool take_class(const char *text, const char *at, struct champsim_source *found)
{
    static const char *const kinds[][2] = {{"prefetcher", "PREFETCHER"}, {"replacement", "REPLACEMENT"},
                                           {"branch_predictor", "BRANCH_PREDICTOR"}, {"btb", "BTB"}};
    const char *const kind = at + strlen(modules);
    size_t length;
    const char *word = word_before(text, at, &length);

    if (length == 6 && strncmp(word, "public", 6) == 0)
        word = word_before(text, word, &length);
    while (word > text && length == 0 && isspace((unsigned char)word[-1]))
        word--;
    if (length != 0 || word == text || word[-1] != ':')
        return false;
    word = word_before(text, word - 1, &length);
    if (length == 0 || length >= sizeof found->class)
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t const own = strlen(kinds[i][0]);

        if (strncmp(kind, kinds[i][0], own) != 0 || is_letter(kind[own]))
            continue;
        snprintf(found->class, sizeof found->class, "%.*s", (int)length, word);
        snprintf(found->kind, sizeof found->kind, "%s", kinds[i][1]);
        return true;
    }
    return false;
}

static const char *past_space(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Arguments of a definition, and where it goes on behind them. open: its "(". */
static unsigned count_arguments(const char *open, const char **behind)
{
    unsigned depth = 0, count = 0;
    const char *c = open;

    for (; *c; c++) {
        depth += strchr("(<", *c) != NULL;
        depth -= strchr(")>", *c) != NULL;
        if (depth == 0)
            break;
        count += depth == 1 && *c == ',';
    }
    *behind = *c ? c + 1 : c;
    return count > 0 || *past_space(open + 1) != ')' ? count + 1 : 0;
}

/* Does a body begin here that does nothing? */
static bool is_empty_body(const char *text)
{
    text = past_space(text);
    if (*text != '{')
        return false;
    text = past_space(text + 1);
    if (strncmp(text, "return;", 7) == 0)
        text = past_space(text + 7);
    return *text == '}';
}

struct member {
    const char *owner, *name;
    size_t length;
    unsigned arguments, level;           /* level: index in level_names, LEVEL_COUNT: none */
    const char *open, *behind;           /* of the arguments */
};

/* The name without its level. */
static void split_level(struct member *member)
{
    for (member->level = 0; member->level < LEVEL_COUNT; member->level++) {
        size_t const length = strlen(level_names[member->level]);

        if (strncmp(member->name, level_names[member->level], length) != 0 || member->length <= length)
            continue;
        member->name += length;
        member->length -= length;
        return;
    }
}

static void refuse(struct champsim_source *found, const char *path, const struct member *member, const char *reason)
{
    if (!*found->refused)
        snprintf(found->refused, sizeof found->refused, "%.100s: %s%s%.*s: %s", path, member->owner,
                 member->level < LEVEL_COUNT ? level_names[member->level] : "", (int)member->length, member->name,
                 reason);
}

static bool is_name_of(const struct hook *hook, const struct member *member)
{
    return strcmp(hook->owner, member->owner) == 0 && strlen(hook->name) == member->length
           && strncmp(hook->name, member->name, member->length) == 0
           && (member->level < LEVEL_COUNT) == (hook->levels > 0);
}

/* The end of the body that begins behind the arguments. */
static const char *end_of_body(const char *text)
{
    unsigned depth = 0;

    for (; *text && *text != ';' && *text != '{'; text++) {
    }
    for (; *text; text++) {
        depth += *text == '{';
        depth -= *text == '}';
        if (depth == 0)
            break;
    }
    return text;
}

/* Is the argument of a definition, from 1 on, named in its body? */
static bool uses_argument(const struct member *member, unsigned number)
{
    const char *end = member->open, *const body_end = end_of_body(member->behind);
    const char *name;
    size_t length;

    for (; number > 0 && *end; number--)
        for (end++; *end && *end != ',' && *end != ')'; end++) {
        }
    name = word_before(member->open, end, &length);
    for (const char *at = member->behind; length > 0 && at < body_end; at++)
        if (strncmp(at, name, length) == 0 && !is_letter(at[length]) && !is_letter(at[-1]))
            return true;
    return false;
}

static void take_hook(struct champsim_source *found, const struct hook *hook, const struct member *member)
{
    unsigned const level = member->level < LEVEL_COUNT ? 1u << member->level : 0;

    found->has |= hook->has;
    if (strcmp(hook->name, "find_victim") == 0 && uses_argument(member, 4))
        found->has |= CHAMPSIM_VICTIM_LINES;
    found->apis |= hook->apis == BOTH ? 0 : hook->apis;
    found->prefetchers |= hook->has & CHAMPSIM_PREFETCHER ? level : 0;
    found->policies |= hook->has & CHAMPSIM_REPLACEMENT ? level : 0;
    if (level == L1D && strcmp(hook->name, "prefetcher_operate") == 0)
        found->crosses_pages |= member->arguments == 5;
    if (level == L1D && strcmp(hook->name, "prefetcher_cache_fill") == 0)
        found->crosses_pages |= member->arguments == 8;
}

static void take_member(struct champsim_source *found, const struct member *member, const char *path)
{
    const struct hook *named = NULL, *taken = NULL;

    for (size_t i = 0; i < HOOK_COUNT; i++) {
        const struct hook *const hook = &hooks[i];

        if (!is_name_of(hook, member))
            continue;
        named = hook;
        if ((!hook->levels || (member->level < LEVELS_OF_CACHES && hook->levels & 1u << member->level))
            && (!hook->forms || hook->forms & ARGUMENTS(member->arguments)))
            taken = hook;
    }
    if (taken && taken->is_silent && !is_empty_body(member->behind))
        refuse(found, path, member, "rubato has nothing to call it with; leave its body empty if the module works so");
    if (taken) {
        take_hook(found, taken, member);
    } else if (named && member->level >= LEVELS_OF_CACHES && named->levels) {
        refuse(found, path, member, "modules of TLBs and of this level's caches are not supported");
    } else if (named) {
        refuse(found, path, member, "a form of this hook that rubato does not know; ChampSim's forks have others");
    } else if (!*found->other) {
        snprintf(found->other, sizeof found->other, "%s%.*s", member->owner, (int)member->length, member->name);
        snprintf(found->other_file, sizeof found->other_file, "%s", path);
    }
}

/* Members of CACHE or O3_CPU. */
static void take_members(struct champsim_source *found, const char *text, const char *owner, const char *path)
{
    for (const char *at = strstr(text, owner); at; at = strstr(at + 1, owner)) {
        struct member member = {.owner = owner, .name = at + strlen(owner)};
        const char *open;

        while (is_letter(member.name[member.length]))
            member.length++;
        open = past_space(member.name + member.length);
        if (*open != '(' || member.length == 0 || (at > text && (is_letter(at[-1]) || at[-1] == '&')))
            continue;
        member.open = open;
        member.arguments = count_arguments(open, &member.behind);
        split_level(&member);
        take_member(found, &member, path);
    }
}

static bool has_word(const char *text, const char *word)
{
    size_t const length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if (!is_letter(at[length]) && (at == text || !is_letter(at[-1])))
            return true;
    return false;
}

/* The interface of 2026: champsim::modules::KIND::register_module<T>. */
static void take_registered(struct champsim_source *found, const char *text, const char *path)
{
    static const struct { const char *word; unsigned has; } kinds[] = {
        {"prefetcher::register_module", CHAMPSIM_PREFETCHER}, {"replacement::register_module", CHAMPSIM_REPLACEMENT},
        {"branch_predictor::register_module", CHAMPSIM_DIRECTION}, {"btb::register_module", CHAMPSIM_BTB}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *const at = strstr(text, kinds[i].word);

        if (!at || at < text + strlen(modules) || strncmp(at - strlen(modules), modules, strlen(modules)) != 0)
            continue;
        if ((found->has & CHAMPSIM_KINDS & ~kinds[i].has) && found->apis & 1u << CHAMPSIM_G3 && !*found->refused)
            snprintf(found->refused, sizeof found->refused, "%.80s: %s%s: a module of the interface of 2026 is of one "
                     "kind, and there is another one beside it; give its file alone", path, modules, kinds[i].word);
        found->apis |= 1u << CHAMPSIM_G3;
        found->has |= kinds[i].has;
        found->has |= has_word(text, "prefetcher_cycle_operate") ? CHAMPSIM_CYCLE : 0u;
        found->has |= has_word(text, "replacement_cache_fill") ? CHAMPSIM_CACHE_FILL : 0u;
    }
}

/* Kits of contests: functions of CRC-2's and CBP-2025's, the class PREDICTOR of CBP-5's. */
static void take_kit(struct champsim_source *found, const char *text, const char *path)
{
    static const char predictor[] = "PREDICTOR";
    bool is_class = false;

    for (const char *at = strstr(text, predictor); at && !is_class; at = strstr(at + 1, predictor)) {
        size_t length;
        const char *const before = word_before(text, at, &length), *const behind = past_space(at + strlen(predictor));

        is_class = (length == 5 && strncmp(before, "class", 5) == 0)
                   || (length == 6 && strncmp(before, "struct", 6) == 0);
        is_class = is_class && *behind && strchr("{:", *behind);
    }
    if (has_word(text, "get_cond_dir_prediction"))
        found->apis |= 1u << CHAMPSIM_CBP2025;
    if (!is_class && !has_word(text, "GetVictimInSet"))
        return;
    found->apis |= is_class ? 1u << CHAMPSIM_CBP5 : 1u << CHAMPSIM_CRC2;
    snprintf(found->file, sizeof found->file, "%s", path);
}

bool champsim_is_contest_file(const char *name)
{
    static const char *const endings[] = {".l1d_pref", ".l2c_pref", ".llc_pref", ".l1i_pref", ".llc_repl", ".l2c_repl",
                                          ".l1d_repl", ".l1i_repl", ".bpred"};
    bool is = false;

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        is = is || text_ends_in(name, endings[i]);
    return is;
}

/* L1D_SET and the like: sizes of caches that are macros. */
static void take_geometry(struct champsim_source *found, const char *text)
{
    static const char *const levels[] = {"L1I", "L1D", "L2C", "LLC"};
    static const char *const sizes[] = {"SET", "WAY", "MSHR_SIZE", "RQ_SIZE", "WQ_SIZE", "PQ_SIZE", "LATENCY"};

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0] && !*found->geometry; j++) {
            char word[32];

            snprintf(word, sizeof word, "%s_%s", levels[i], sizes[j]);
            if (!has_word(text, word))
                continue;
            memcpy(found->geometry, word, sizeof word);
            found->has |= CHAMPSIM_GEOMETRY;
        }
}

void champsim_look(struct champsim_source *found, const char *path)
{
    char *const text = read_source(path);

    if (!text)
        return;
    for (const char *at = strstr(text, modules); at && !*found->class; at = strstr(at + 1, modules))
        if (take_class(text, at, found)) {
            snprintf(found->file, sizeof found->file, "%s", path);
            found->apis |= 1u << CHAMPSIM_G2;
        }
    take_members(found, text, "CACHE::", path);
    take_members(found, text, "O3_CPU::", path);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        found->has |= has_word(text, words[i].word) ? words[i].has : 0u;
    take_geometry(found, text);
    take_kit(found, text, path);
    take_registered(found, text, path);
    if (champsim_is_contest_file(path))
        found->apis |= 1u << CHAMPSIM_G0;
    if (found->apis & 1u << CHAMPSIM_G3)
        found->apis &= ~(1u << CHAMPSIM_G2);
    free(text);
}

const char *champsim_has_name(enum champsim_has_bit bit)
{
    static const char *const names[] = {
#define CHAMPSIM_NAME(name) #name,
        CHAMPSIM_HAS(CHAMPSIM_NAME)
    };

    return names[bit];
}

const char *champsim_api_word(enum champsim_api api)
{
    static const char *const api_words[] = {
#define CHAMPSIM_WORD(name, word) #word,
        CHAMPSIM_APIS(CHAMPSIM_WORD)
    };

    return api_words[api];
}
