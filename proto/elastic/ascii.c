/* Prints the three forms. Numbers are written digit by digit: a dump of a million records is mostly that. */
#include "proto/elastic/ascii.h"

#include "base/json.h"

static void put_labelled(struct text *text, const char *label, uint64_t number)
{
    text_put(text, label);
    text_put_number(text, number);
}

/* ",number" or ",-" */
static void put_column(struct text *text, bool present, uint64_t number)
{
    if (present)
        put_labelled(text, ",", number);
    else
        text_put(text, ",-");
}

static void ascii_put_list(struct text *text, const uint64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_labelled(text, ",", numbers[i]);
}

static void put_quoted(struct text *text, const char *string)
{
    static const char hex[] = "0123456789abcdef";

    text_put(text, "\"");
    for (const unsigned char *c = (const unsigned char *)string; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            text_put_bytes(text, (const char[]){'\\', (char)*c}, 2);
        } else if (*c >= 0x20 && *c < 0x7f) {
            text_put_bytes(text, (const char *)c, 1);
        } else {
            text_put(text, "\\x");
            text_put_bytes(text, (const char[]){hex[*c >> 4], hex[*c & 15]}, 2);
        }
    }
    text_put(text, "\"");
}

/* One object a line. */
static void json_begin(struct json *json, struct text *text)
{
    *json = (struct json){.text = *text};
    json_begin_object(json, JSON_TIGHT);
}

static void json_end_line(struct json *json, struct text *text)
{
    json_end(json);
    *text = json->text;
    text_put(text, "\n");
}

/* --- dependency traces -------------------------------------------------------------------------------------------- */

static void json_dep_header(struct text *text, const struct dep_header *header)
{
    struct json json;

    json_begin(&json, text);
    json_put_string(&json, "kind", "dependency trace");
    json_key(&json, "obj_id");
    json_write_bytes(&json, header->obj_id);
    if (header->has_ver)
        json_put_number(&json, "ver", header->ver);
    json_put_number(&json, "tick_freq", header->tick_freq);
    json_put_number(&json, "window_size", header->window_size);
    json_end_line(&json, text);
}

void ascii_dep_header(struct text *text, const struct dep_header *header, enum ascii_form form)
{
    if (form == ASCII_JSON)
        json_dep_header(text, header);
    if (form != ASCII_FULL)
        return;
    text_put(text, ASCII_DEP_TITLE "\n# obj_id ");
    put_quoted(text, header->obj_id);
    if (header->has_ver)
        put_labelled(text, "\n# ver ", header->ver);
    put_labelled(text, "\n# tick_freq ", header->tick_freq);
    put_labelled(text, "\n# window_size ", header->window_size);
    text_put(text, "\n");
}

/* gem5's form leaves absent fields out, or prints their defaults. */
static void text_dep_record(struct text *text, const struct dep_record *record, bool is_gem5)
{
    uint32_t const present = record->present;

    text_put_number(text, record->seq_num);
    put_column(text, is_gem5 || present & DEP_HAS_PC, record->pc);
    put_column(text, is_gem5 || present & DEP_HAS_WEIGHT, present & DEP_HAS_WEIGHT ? record->weight : 1);
    text_put(text, ",");
    text_put(text, dep_type_name(record->type));
    if (present & (DEP_HAS_P_ADDR | (is_gem5 ? 0 : DEP_HAS_SIZE | DEP_HAS_FLAGS)))
        put_column(text, present & DEP_HAS_P_ADDR, record->p_addr);
    if (present & (DEP_HAS_SIZE | (is_gem5 ? 0 : DEP_HAS_FLAGS)))
        put_column(text, present & DEP_HAS_SIZE, record->size_bytes);
    if (present & DEP_HAS_FLAGS)
        put_column(text, true, record->flags);
    put_labelled(text, ",", record->comp_delay);
    text_put(text, ":");
    ascii_put_list(text, record->rob_dep, record->rob_dep_count);
    text_put(text, ":");
    ascii_put_list(text, record->reg_dep, record->reg_dep_count);
    if (!is_gem5 && present & (DEP_HAS_V_ADDR | DEP_HAS_ASID)) {
        if (present & DEP_HAS_V_ADDR)
            put_labelled(text, ":", record->v_addr);
        else
            text_put(text, ":-");
        put_column(text, present & DEP_HAS_ASID, record->asid);
    }
    text_put(text, "\n");
}

static void json_dep_record(struct text *text, const struct dep_record *record)
{
    uint32_t const present = record->present;
    struct json json;

    json_begin(&json, text);
    json_put_number(&json, "seq_num", record->seq_num);
    json_put_string(&json, "type", dep_type_name(record->type));
    if (present & DEP_HAS_P_ADDR)
        json_put_number(&json, "p_addr", record->p_addr);
    if (present & DEP_HAS_SIZE)
        json_put_number(&json, "size", record->size_bytes);
    if (present & DEP_HAS_FLAGS)
        json_put_number(&json, "flags", record->flags);
    if (record->rob_dep_count > 0)
        json_put_numbers(&json, "rob_dep", record->rob_dep, record->rob_dep_count);
    json_put_number(&json, "comp_delay", record->comp_delay);
    if (record->reg_dep_count > 0)
        json_put_numbers(&json, "reg_dep", record->reg_dep, record->reg_dep_count);
    if (present & DEP_HAS_WEIGHT)
        json_put_number(&json, "weight", record->weight);
    if (present & DEP_HAS_PC)
        json_put_number(&json, "pc", record->pc);
    if (present & DEP_HAS_V_ADDR)
        json_put_number(&json, "v_addr", record->v_addr);
    if (present & DEP_HAS_ASID)
        json_put_number(&json, "asid", record->asid);
    json_end_line(&json, text);
}

void ascii_dep_record(struct text *text, const struct dep_record *record, enum ascii_form form)
{
    if (form == ASCII_JSON)
        json_dep_record(text, record);
    else
        text_dep_record(text, record, form == ASCII_GEM5);
}

/* --- packet traces ------------------------------------------------------------------------------------------------ */

static void json_packet_header(struct text *text, const struct packet_header *header)
{
    struct json json;

    json_begin(&json, text);
    json_put_string(&json, "kind", "packet trace");
    json_key(&json, "obj_id");
    json_write_bytes(&json, header->obj_id);
    if (header->has_ver)
        json_put_number(&json, "ver", header->ver);
    json_put_number(&json, "tick_freq", header->tick_freq);
    if (header->id_string_count > 0)
        json_put_array(&json, "id_strings", JSON_TIGHT);
    for (size_t i = 0; i < header->id_string_count; i++) {
        const struct packet_id_string *const string = &header->id_strings[i];

        json_begin_object(&json, JSON_TIGHT);
        if (string->has_key)
            json_put_number(&json, "key", string->key);
        if (string->has_value) {
            json_key(&json, "value");
            json_write_bytes(&json, string->value);
        }
        json_end(&json);
    }
    if (header->id_string_count > 0)
        json_end(&json);
    json_end_line(&json, text);
}

void ascii_packet_header(struct text *text, const struct packet_header *header, enum ascii_form form)
{
    if (form == ASCII_JSON)
        json_packet_header(text, header);
    if (form != ASCII_FULL)
        return;
    text_put(text, ASCII_PACKET_TITLE "\n# obj_id ");
    put_quoted(text, header->obj_id);
    if (header->has_ver)
        put_labelled(text, "\n# ver ", header->ver);
    put_labelled(text, "\n# tick_freq ", header->tick_freq);
    for (size_t i = 0; i < header->id_string_count; i++) {
        const struct packet_id_string *const string = &header->id_strings[i];

        text_put(text, "\n# id_string ");
        if (string->has_key)
            text_put_number(text, string->key);
        else
            text_put(text, "-");
        text_put(text, " ");
        if (string->has_value)
            put_quoted(text, string->value);
        else
            text_put(text, "-");
    }
    text_put(text, "\n");
}

static void put_command(struct text *text, uint32_t cmd, bool full)
{
    if (cmd == 1 || cmd == 4)
        text_put(text, cmd == 1 ? "r" : "w");
    else if (full)
        put_labelled(text, "u", cmd);
    else
        text_put(text, "u");
}

static void text_packet_record(struct text *text, const struct packet_record *record, bool is_gem5)
{
    uint32_t const present = record->present;

    if (present & PACKET_HAS_PKT_ID)
        text_put_number(text, record->pkt_id);
    else if (!is_gem5)
        text_put(text, "-");
    if (present & PACKET_HAS_PKT_ID || !is_gem5)
        text_put(text, ",");
    put_command(text, record->cmd, !is_gem5);
    put_labelled(text, ",", record->addr);
    put_labelled(text, ",", record->size_bytes);
    if (present & PACKET_HAS_FLAGS || !is_gem5)
        put_column(text, present & PACKET_HAS_FLAGS, record->flags);
    put_labelled(text, ",", record->tick);
    if (present & PACKET_HAS_PC || !is_gem5)
        put_column(text, present & PACKET_HAS_PC, record->pc);
    text_put(text, "\n");
}

static void json_packet_record(struct text *text, const struct packet_record *record)
{
    struct json json;

    json_begin(&json, text);
    json_put_number(&json, "tick", record->tick);
    json_put_number(&json, "cmd", record->cmd);
    json_put_number(&json, "addr", record->addr);
    json_put_number(&json, "size", record->size_bytes);
    if (record->present & PACKET_HAS_FLAGS)
        json_put_number(&json, "flags", record->flags);
    if (record->present & PACKET_HAS_PKT_ID)
        json_put_number(&json, "pkt_id", record->pkt_id);
    if (record->present & PACKET_HAS_PC)
        json_put_number(&json, "pc", record->pc);
    json_end_line(&json, text);
}

void ascii_packet_record(struct text *text, const struct packet_record *record, enum ascii_form form)
{
    if (form == ASCII_JSON)
        json_packet_record(text, record);
    else
        text_packet_record(text, record, form == ASCII_GEM5);
}
