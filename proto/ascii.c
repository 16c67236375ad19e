/* Prints the three forms. Numbers are written digit by digit: a dump of a million records is mostly that. */
#include "proto/ascii.h"

#include <stdlib.h>
#include <string.h>

static char *room(struct ascii_text *text, size_t count)
{
    if (text->length + count > text->capacity) {
        size_t const capacity = 2 * (text->length + count) + 256;
        char *const at = realloc(text->at, capacity);

        if (at == NULL) {
            text->failed = true;
            text->length = 0;
            if (count > text->capacity)
                return NULL;
        } else {
            text->at = at;
            text->capacity = capacity;
        }
    }
    return text->at + text->length;
}

static void put_bytes(struct ascii_text *text, const char *bytes, size_t count)
{
    char *const to = room(text, count);

    if (to == NULL)
        return;
    memcpy(to, bytes, count);
    text->length += count;
}

static void put(struct ascii_text *text, const char *string)
{
    put_bytes(text, string, strlen(string));
}

static void put_number(struct ascii_text *text, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    put_bytes(text, digits + at, sizeof digits - at);
}

static void put_labelled(struct ascii_text *text, const char *label, uint64_t number)
{
    put(text, label);
    put_number(text, number);
}

/* ",number" or ",-" */
static void put_column(struct ascii_text *text, bool present, uint64_t number)
{
    if (present)
        put_labelled(text, ",", number);
    else
        put(text, ",-");
}

static void put_list(struct ascii_text *text, const uint64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_labelled(text, ",", numbers[i]);
}

static void put_quoted(struct ascii_text *text, const char *string, bool json)
{
    static const char hex[] = "0123456789abcdef";

    put(text, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            put_bytes(text, (const char[]){'\\', (char)*c}, 2);
        } else if (*c >= 0x20 && *c < 0x7f) {
            put_bytes(text, (const char *)c, 1);
        } else {
            put(text, json ? "\\u00" : "\\x");
            put_bytes(text, (const char[]){hex[*c >> 4], hex[*c & 15]}, 2);
        }
    }
    put(text, "\"");
}

/* --- dependency traces -------------------------------------------------------------------------------------------- */

void ascii_dep_header(struct ascii_text *text, const struct dep_header *header, enum ascii_form form)
{
    bool const json = form == ASCII_JSON;

    if (form == ASCII_GEM5)
        return;
    put(text, json ? "{\"kind\":\"dependency trace\",\"obj_id\":" : ASCII_DEP_TITLE "\n# obj_id ");
    put_quoted(text, header->obj_id, json);
    if (header->has_ver)
        put_labelled(text, json ? ",\"ver\":" : "\n# ver ", header->ver);
    put_labelled(text, json ? ",\"tick_freq\":" : "\n# tick_freq ", header->tick_freq);
    put_labelled(text, json ? ",\"window_size\":" : "\n# window_size ", header->window_size);
    put(text, json ? "}\n" : "\n");
}

static void gem5_dep_record(struct ascii_text *text, const struct dep_record *record)
{
    put_number(text, record->seq_num);
    put_labelled(text, ",", record->pc);
    put_labelled(text, ",", record->present & DEP_HAS_WEIGHT ? record->weight : 1);
    put(text, ",");
    put(text, dep_type_name(record->type));
    if (record->present & DEP_HAS_P_ADDR)
        put_labelled(text, ",", record->p_addr);
    if (record->present & DEP_HAS_SIZE)
        put_labelled(text, ",", record->size_bytes);
    if (record->present & DEP_HAS_FLAGS)
        put_labelled(text, ",", record->flags);
    put_labelled(text, ",", record->comp_delay);
    put(text, ":");
    put_list(text, record->rob_dep, record->rob_dep_count);
    put(text, ":");
    put_list(text, record->reg_dep, record->reg_dep_count);
    put(text, "\n");
}

static void full_dep_record(struct ascii_text *text, const struct dep_record *record)
{
    uint32_t const present = record->present;

    put_number(text, record->seq_num);
    put_column(text, present & DEP_HAS_PC, record->pc);
    put_column(text, present & DEP_HAS_WEIGHT, record->weight);
    put(text, ",");
    put(text, dep_type_name(record->type));
    if (present & (DEP_HAS_P_ADDR | DEP_HAS_SIZE | DEP_HAS_FLAGS))
        put_column(text, present & DEP_HAS_P_ADDR, record->p_addr);
    if (present & (DEP_HAS_SIZE | DEP_HAS_FLAGS))
        put_column(text, present & DEP_HAS_SIZE, record->size_bytes);
    if (present & DEP_HAS_FLAGS)
        put_column(text, true, record->flags);
    put_labelled(text, ",", record->comp_delay);
    put(text, ":");
    put_list(text, record->rob_dep, record->rob_dep_count);
    put(text, ":");
    put_list(text, record->reg_dep, record->reg_dep_count);
    if (present & (DEP_HAS_V_ADDR | DEP_HAS_ASID)) {
        if (present & DEP_HAS_V_ADDR)
            put_labelled(text, ":", record->v_addr);
        else
            put(text, ":-");
        put_column(text, present & DEP_HAS_ASID, record->asid);
    }
    put(text, "\n");
}

static void json_list(struct ascii_text *text, const char *name, const uint64_t *numbers, uint32_t count)
{
    if (count == 0)
        return;
    put(text, name);
    put_labelled(text, "[", numbers[0]);
    put_list(text, numbers + 1, count - 1);
    put(text, "]");
}

static void json_dep_record(struct ascii_text *text, const struct dep_record *record)
{
    uint32_t const present = record->present;

    put_labelled(text, "{\"seq_num\":", record->seq_num);
    put(text, ",\"type\":\"");
    put(text, dep_type_name(record->type));
    put(text, "\"");
    if (present & DEP_HAS_P_ADDR)
        put_labelled(text, ",\"p_addr\":", record->p_addr);
    if (present & DEP_HAS_SIZE)
        put_labelled(text, ",\"size\":", record->size_bytes);
    if (present & DEP_HAS_FLAGS)
        put_labelled(text, ",\"flags\":", record->flags);
    json_list(text, ",\"rob_dep\":", record->rob_dep, record->rob_dep_count);
    put_labelled(text, ",\"comp_delay\":", record->comp_delay);
    json_list(text, ",\"reg_dep\":", record->reg_dep, record->reg_dep_count);
    if (present & DEP_HAS_WEIGHT)
        put_labelled(text, ",\"weight\":", record->weight);
    if (present & DEP_HAS_PC)
        put_labelled(text, ",\"pc\":", record->pc);
    if (present & DEP_HAS_V_ADDR)
        put_labelled(text, ",\"v_addr\":", record->v_addr);
    if (present & DEP_HAS_ASID)
        put_labelled(text, ",\"asid\":", record->asid);
    put(text, "}\n");
}

void ascii_dep_record(struct ascii_text *text, const struct dep_record *record, enum ascii_form form)
{
    switch (form) {
    case ASCII_FULL: full_dep_record(text, record); break;
    case ASCII_GEM5: gem5_dep_record(text, record); break;
    case ASCII_JSON: json_dep_record(text, record); break;
    }
}

/* --- packet traces ------------------------------------------------------------------------------------------------ */

void ascii_packet_header(struct ascii_text *text, const struct packet_header *header, enum ascii_form form)
{
    bool const json = form == ASCII_JSON;

    if (form == ASCII_GEM5)
        return;
    put(text, json ? "{\"kind\":\"packet trace\",\"obj_id\":" : ASCII_PACKET_TITLE "\n# obj_id ");
    put_quoted(text, header->obj_id, json);
    if (header->has_ver)
        put_labelled(text, json ? ",\"ver\":" : "\n# ver ", header->ver);
    put_labelled(text, json ? ",\"tick_freq\":" : "\n# tick_freq ", header->tick_freq);
    if (json && header->id_string_count > 0)
        put(text, ",\"id_strings\":[");
    for (size_t i = 0; i < header->id_string_count; i++) {
        const struct packet_id_string *const string = &header->id_strings[i];

        put(text, !json ? "\n# id_string " : i == 0 ? "{" : ",{");
        if (string->has_key)
            put_labelled(text, json ? "\"key\":" : "", string->key);
        else if (!json)
            put(text, "-");
        if (string->has_value) {
            put(text, !json ? " " : string->has_key ? ",\"value\":" : "\"value\":");
            put_quoted(text, string->value, json);
        } else if (!json) {
            put(text, " -");
        }
        put(text, json ? "}" : "");
    }
    if (json && header->id_string_count > 0)
        put(text, "]");
    put(text, json ? "}\n" : "\n");
}

static void put_command(struct ascii_text *text, uint32_t cmd, bool full)
{
    if (cmd == 1 || cmd == 4)
        put(text, cmd == 1 ? "r" : "w");
    else if (full)
        put_labelled(text, "u", cmd);
    else
        put(text, "u");
}

static void gem5_packet_record(struct ascii_text *text, const struct packet_record *record)
{
    if (record->present & PACKET_HAS_PKT_ID) {
        put_number(text, record->pkt_id);
        put(text, ",");
    }
    put_command(text, record->cmd, false);
    put_labelled(text, ",", record->addr);
    put_labelled(text, ",", record->size_bytes);
    if (record->present & PACKET_HAS_FLAGS)
        put_labelled(text, ",", record->flags);
    put_labelled(text, ",", record->tick);
    if (record->present & PACKET_HAS_PC)
        put_labelled(text, ",", record->pc);
    put(text, "\n");
}

static void full_packet_record(struct ascii_text *text, const struct packet_record *record)
{
    if (record->present & PACKET_HAS_PKT_ID)
        put_number(text, record->pkt_id);
    else
        put(text, "-");
    put(text, ",");
    put_command(text, record->cmd, true);
    put_labelled(text, ",", record->addr);
    put_labelled(text, ",", record->size_bytes);
    put_column(text, record->present & PACKET_HAS_FLAGS, record->flags);
    put_labelled(text, ",", record->tick);
    put_column(text, record->present & PACKET_HAS_PC, record->pc);
    put(text, "\n");
}

static void json_packet_record(struct ascii_text *text, const struct packet_record *record)
{
    put_labelled(text, "{\"tick\":", record->tick);
    put_labelled(text, ",\"cmd\":", record->cmd);
    put_labelled(text, ",\"addr\":", record->addr);
    put_labelled(text, ",\"size\":", record->size_bytes);
    if (record->present & PACKET_HAS_FLAGS)
        put_labelled(text, ",\"flags\":", record->flags);
    if (record->present & PACKET_HAS_PKT_ID)
        put_labelled(text, ",\"pkt_id\":", record->pkt_id);
    if (record->present & PACKET_HAS_PC)
        put_labelled(text, ",\"pc\":", record->pc);
    put(text, "}\n");
}

void ascii_packet_record(struct ascii_text *text, const struct packet_record *record, enum ascii_form form)
{
    switch (form) {
    case ASCII_FULL: full_packet_record(text, record); break;
    case ASCII_GEM5: gem5_packet_record(text, record); break;
    case ASCII_JSON: json_packet_record(text, record); break;
    }
}
