/* Each axis of a group names a value; all of them must stand at one level of the group. */
#include "cli/sweep/designs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/json.h"
#include "base/list.h"
#include "base/nearest.h"

#define SYSTEM "system"

/* Of a column: an axis, or the system. */
#define OF_SYSTEM SIZE_MAX

struct designs {
    const struct spec *spec;
    const char *path;
    size_t line;
    char separator;
    size_t *columns, column_count, column_room;
    const char **cells;                  /* of each axis in this line, then of the system; NULL: left out */
    uint32_t *levels;                    /* group_count of each design, then its system */
    size_t level_count, level_room, designs;
};

static struct fault designs_no_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for the designs");
}

static size_t level_width(const struct designs *designs)
{
    return designs->spec->group_count + 1;
}

/* ---- a line */
/* The text up to the next separator, which ends it; *rest is NULL after the last. */
static char *next_cell(const struct designs *designs, char **rest)
{
    char *cell = *rest, *const end = strchr(cell, designs->separator);

    *rest = end ? end + 1 : NULL;
    cell[end ? (size_t)(end - cell) : strlen(cell)] = '\0';
    cell += strspn(cell, " ");
    for (size_t length = strlen(cell); length > 0 && cell[length - 1] == ' '; length--)
        cell[length - 1] = '\0';
    return cell;
}

static struct fault find_column(const struct designs *designs, const char *name, size_t *column)
{
    struct spec const *const spec = designs->spec;
    struct nearest nearest = nearest_to(name);
    char question[100];

    *column = OF_SYSTEM;
    if (strcmp(name, SYSTEM) == 0)
        return fault_none();
    for (*column = 0; *column < spec->axis_count; ++*column) {
        if (strcmp(spec->axes[*column].key, name) == 0)
            return fault_none();
        nearest_offer(&nearest, spec->axes[*column].key);
    }
    return fault_make(FAULT_INPUT, "%s:%zu: %.80s: is no axis of %s%s", designs->path, designs->line,
                      name, spec->path, nearest_question(&nearest, question, sizeof question));
}

static struct fault read_names(struct designs *designs, char *line)
{
    designs->separator = strchr(line, '\t') ? '\t' : ',';
    for (char *rest = line; rest;) {
        const char *const name = next_cell(designs, &rest);
        size_t column;

        FORWARD(find_column(designs, name, &column));
        for (size_t i = 0; i < designs->column_count; i++)
            if (designs->columns[i] == column)
                return fault_make(FAULT_INPUT, "%s:%zu: %.80s: is named twice", designs->path, designs->line,
                                  name);
        if (!list_fit(&designs->columns, designs->column_count + 1, &designs->column_room, sizeof *designs->columns))
            return designs_no_memory();
        designs->columns[designs->column_count++] = column;
    }
    return fault_none();
}

static bool is_value(const char *value, const char *cell)
{
    struct quantity const one = quantity_of(value), other = quantity_of(cell);

    return strcmp(value, cell) == 0 || (one.kind != QUANTITY_WORD && other.kind != QUANTITY_WORD
                                        && quantity_compare(&one, &other) == QUANTITY_EQUAL);
}

static bool is_level(const struct designs *designs, const struct spec_group *group, size_t level)
{
    for (size_t axis = group->first_axis; axis < group->first_axis + group->axis_count; axis++)
        if (designs->cells[axis] && !is_value(designs->spec->axes[axis].values[level], designs->cells[axis]))
            return false;
    return true;
}

static struct fault no_level(const struct designs *designs, const struct spec_group *group, const char *cell)
{
    const struct spec_axis *const first = &designs->spec->axes[group->first_axis];

    if (!cell)
        return fault_make(FAULT_INPUT, "%s:%zu: no value of %s, which has %zu; give it a column", designs->path,
                          designs->line, first->key, first->count);
    if (group->axis_count > 1)
        return fault_make(FAULT_INPUT, "%s:%zu: %.80s: no values of the axes zipped with %s that stand together",
                          designs->path, designs->line, cell, first->key);
    return fault_make(FAULT_INPUT, "%s:%zu: %s: %.80s: is none of its values, %s to %s", designs->path, designs->line,
                      first->key, cell, first->values[0], first->values[first->count - 1]);
}

/* One axis of a zip says the level; what else is given must fit. */
static struct fault find_level(const struct designs *designs, const struct spec_group *group, uint32_t *level)
{
    const char *cell = NULL;

    for (size_t i = 0; i < group->axis_count && !cell; i++)
        cell = designs->cells[group->first_axis + i];
    for (*level = 0; *level < group->levels; ++*level)
        if (is_level(designs, group, *level))
            break;
    return *level < group->levels && (cell || group->levels == 1) ? fault_none() : no_level(designs, group, cell);
}

static struct fault find_system(const struct designs *designs, uint32_t *system)
{
    struct spec const *const spec = designs->spec;
    const char *const name = designs->cells[spec->axis_count];

    for (*system = 0; *system < spec->system_count; ++*system)
        if (!name || strcmp(spec->system_names[*system], name) == 0)
            break;
    if (*system == spec->system_count)
        return fault_make(FAULT_INPUT, "%s:%zu: %.80s: is no system of %s", designs->path, designs->line,
                          name, spec->path);
    if (!name && spec->system_count > 1)
        return fault_make(FAULT_INPUT, "%s:%zu: no system of %zu; give it a column", designs->path, designs->line,
                          spec->system_count);
    return fault_none();
}

static struct fault read_cells(struct designs *designs, char *line)
{
    size_t count = 0;

    memset(designs->cells, 0, (designs->spec->axis_count + 1) * sizeof *designs->cells);
    for (char *rest = line; rest; count++) {
        const char *const cell = next_cell(designs, &rest);

        if (count == designs->column_count)
            return fault_make(FAULT_INPUT, "%s:%zu: has more than %zu values; its first line names as many",
                              designs->path, designs->line, count);
        designs->cells[designs->columns[count] == OF_SYSTEM ? designs->spec->axis_count : designs->columns[count]]
            = cell;
    }
    return count == designs->column_count ? fault_none()
        : fault_make(FAULT_INPUT, "%s:%zu: has %zu of %zu values", designs->path, designs->line, count,
                     designs->column_count);
}

static struct fault read_design(struct designs *designs, char *line)
{
    size_t const width = level_width(designs);
    uint32_t *levels;

    FORWARD(read_cells(designs, line));
    if (!list_fit(&designs->levels, designs->level_count + width, &designs->level_room, sizeof *designs->levels))
        return designs_no_memory();
    levels = designs->levels + designs->level_count;
    for (size_t i = 0; i < designs->spec->group_count; i++)
        FORWARD(find_level(designs, &designs->spec->groups[i], &levels[i]));
    FORWARD(find_system(designs, &levels[width - 1]));
    designs->level_count += width;
    designs->designs++;
    return fault_none();
}

/* ---- the file */
static struct fault read_lines(struct designs *designs, FILE *file)
{
    struct fault fault = fault_none();
    char *line = NULL;
    size_t room = 0;

    while (fault.kind == FAULT_NONE && getline(&line, &room, file) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        designs->line++;
        if (*line)
            fault = designs->column_count ? read_design(designs, line) : read_names(designs, line);
    }
    if (fault.kind == FAULT_NONE && ferror(file))
        fault = fault_make(FAULT_INPUT, "%s: cannot be read: %s", designs->path, strerror(errno));
    free(line);
    if (fault.kind == FAULT_NONE && designs->designs == 0)
        fault = fault_make(FAULT_INPUT, "%s: has no designs; expected a line that names axes, such as %s, and a line "
                           "of values for each design", designs->path,
                           designs->spec->axis_count ? designs->spec->axes[0].key : SYSTEM);
    return fault;
}

static struct fault plan_read(const struct designs *designs, struct plan **made, struct workload *workloads,
                              const char *version)
{
    size_t const width = level_width(designs);
    struct plan_choice *const choices = calloc(designs->designs + 1, sizeof *choices);
    struct fault fault;

    if (!choices)
        return designs_no_memory();
    for (size_t i = 0; i < designs->designs; i++)
        choices[i] = (struct plan_choice){designs->levels[(i + 1) * width - 1], designs->levels + i * width};
    fault = plan_make_chosen(made, designs->spec, workloads, version, choices, designs->designs);
    free(choices);
    return fault;
}

struct fault designs_plan(struct plan **made, const struct spec *spec, struct workload *workloads, const char *version,
                          const char *path)
{
    struct designs designs = {.spec = spec, .path = path};
    FILE *const file = input_file_fopen(path);
    struct fault fault;

    if (!file)
        return fault_make(FAULT_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    designs.cells = calloc(spec->axis_count + 1, sizeof *designs.cells);
    fault = designs.cells ? read_lines(&designs, file) : designs_no_memory();
    if (fault.kind == FAULT_NONE)
        fault = plan_read(&designs, made, workloads, version);
    input_file_fclose(file);
    free(designs.columns);
    free(designs.cells);
    free(designs.levels);
    return fault;
}

/* ---- the axes */
static void print_names(struct json *json, const char *key, size_t count, const char *const *names)
{
    json_put_array(json, key, (struct json_layout){-1, -1});
    for (size_t i = 0; i < count; i++)
        json_write_string(json, names[i]);
    json_end(json);
}

void designs_print_axes(const struct spec *spec)
{
    struct json json = {.file = stdout};
    struct json_layout const lines = {1, 0};

    json_begin_object(&json, lines);
    print_names(&json, SYSTEM, spec->system_count, (const char *const *)spec->system_names);
    json_put_array(&json, "traces", (struct json_layout){-1, -1});
    for (size_t i = 0; i < spec->workload_count; i++)
        json_write_string(&json, spec->workloads[i].name);
    json_end(&json);
    json_put_array(&json, "axes", (struct json_layout){2, 1});
    for (size_t i = 0; i < spec->group_count; i++)
        for (size_t axis = 0; axis < spec->groups[i].axis_count; axis++) {
            const struct spec_axis *const at = &spec->axes[spec->groups[i].first_axis + axis];

            json_begin_object(&json, (struct json_layout){-1, -1});
            json_put_string(&json, "axis", at->key);
            json_put_number(&json, "group", i);
            print_names(&json, "values", at->count, (const char *const *)at->values);
            json_end(&json);
        }
    json_end(&json);
    json_end(&json);
    json_close(&json);
}
