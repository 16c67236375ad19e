/* A parser by recursive descent, one function a line of the grammar, makes a tree; the tree is walked for each point.
 * Depth is bounded, so a long row of brackets is a fault and not a crash. */
#include "sweep/plan/spec.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 64, LONGEST_TOKEN = 200, LONGEST_TEXT = 4000 };

enum node_kind {
    NODE_OR, NODE_AND, NODE_NOT,
    NODE_LESS, NODE_LESS_EQUAL, NODE_GREATER, NODE_GREATER_EQUAL, NODE_EQUAL, NODE_NOT_EQUAL,
    NODE_ADD, NODE_SUBTRACT, NODE_MULTIPLY, NODE_DIVIDE,
    NODE_NAME, NODE_VALUE
};

struct node {
    enum node_kind kind;
    const struct node *left, *right;
    const char *name;                    /* of NODE_NAME */
    struct quantity value;               /* of NODE_VALUE; of a name that may be a word, that word */
};

struct condition {
    const struct node *root;
    const char *where, *text, *noun;
};

struct parser {
    struct arena *arena;
    const char *text, *at, *where;
    const char *noun;                    /* condition, or cost */
    char token[LONGEST_TOKEN];
    bool is_quoted;
    unsigned depth;
};

static const struct { const char *text; enum node_kind kind; } comparisons[] = {
    {"<", NODE_LESS}, {"<=", NODE_LESS_EQUAL}, {">", NODE_GREATER}, {">=", NODE_GREATER_EQUAL}, {"==", NODE_EQUAL},
    {"!=", NODE_NOT_EQUAL}, {"=", NODE_EQUAL}
};

/* ---- words */
static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'
        || c == ':' || c == '%';
}

static struct fault condition_wrong(const struct parser *parser, const char *expected)
{
    return fault_make(FAULT_INPUT, "%s: %s \"%.120s\": expected %s at \"%.40s\"", parser->where, parser->noun,
                      parser->text, expected, *parser->token ? parser->token : "the end");
}

/* A name, a number with its unit ("12.8GB/s"), an operator, a text in quotes; "" at the end. */
static struct fault condition_next(struct parser *parser)
{
    const char *from = parser->at + strspn(parser->at, " \t\n");
    const char *to = from;

    parser->is_quoted = *from == '"' || *from == '\'';
    if (parser->is_quoted) {
        to = strchr(from + 1, *from);
        if (!to)
            return fault_make(FAULT_INPUT, "%s: %s \"%.120s\": a quote is not closed", parser->where, parser->noun,
                              parser->text);
        parser->at = to + 1;
        from++;
    } else if (is_of_name(*from)) {
        while (is_of_name(*to) || (to > from && (*to == '/' || *to == '-') && is_of_name(to[1])))
            to++;
        parser->at = to;
    } else {
        to += *from != '\0';
        to += *from != '\0' && strchr("<>=!", *from) && from[1] == '=';
        parser->at = to;
    }
    if (to - from >= LONGEST_TOKEN)
        return fault_make(FAULT_INPUT, "%s: %s: \"%.40s...\" is too long", parser->where, parser->noun, from);
    memcpy(parser->token, from, (size_t)(to - from));
    parser->token[to - from] = '\0';
    return fault_none();
}

static bool is_token(const struct parser *parser, const char *text)
{
    return !parser->is_quoted && strcmp(parser->token, text) == 0;
}

static struct fault condition_out_of_memory(const struct parser *parser)
{
    return fault_make(FAULT_MEMORY, "%s: out of memory", parser->where);
}

static struct fault condition_join(struct parser *parser, enum node_kind kind, const struct node *left,
                                   const struct node *right, const struct node **made)
{
    struct node *const node = arena_take(parser->arena, sizeof *node);

    if (!node)
        return condition_out_of_memory(parser);
    *node = (struct node){.kind = kind, .left = left, .right = right};
    *made = node;
    return fault_none();
}

/* ---- the grammar. A bracket may hold a condition or a sum; which it is shows when it is used. */
static bool is_condition(const struct node *node)
{
    return node->kind <= NODE_NOT_EQUAL;
}

static struct fault parse_condition(struct parser *parser, const struct node **made);

static struct fault join_conditions(struct parser *parser, enum node_kind kind, const struct node *left,
                                    const struct node *right, const struct node **made)
{
    if (!is_condition(left) || (right && !is_condition(right)))
        return condition_wrong(parser, "a comparison such as < or ==");
    return condition_join(parser, kind, left, right, made);
}

static struct fault join_values(struct parser *parser, enum node_kind kind, const struct node *left,
                                const struct node *right, const struct node **made)
{
    if (is_condition(left) || is_condition(right))
        return condition_wrong(parser, "a value, not a condition, on both sides of an operator such as < or +");
    return condition_join(parser, kind, left, right, made);
}

static struct fault parse_bracket(struct parser *parser, const struct node **made)
{
    if (++parser->depth > DEEPEST)
        return condition_wrong(parser, "fewer brackets");
    FORWARD(condition_next(parser));
    FORWARD(parse_condition(parser, made));
    parser->depth--;
    return is_token(parser, ")") ? condition_next(parser) : condition_wrong(parser, "a closing bracket");
}

static struct fault parse_value(struct parser *parser, const struct node **made)
{
    struct node *node;

    if (is_token(parser, "("))
        return parse_bracket(parser, made);
    if (!parser->is_quoted && !is_of_name(parser->token[0]))
        return condition_wrong(parser, "a key, a word or a number");
    node = arena_take(parser->arena, sizeof *node);
    if (!node)
        return condition_out_of_memory(parser);
    node->value = quantity_of(parser->token);
    node->kind = parser->is_quoted || node->value.kind != QUANTITY_WORD ? NODE_VALUE : NODE_NAME;
    if (parser->is_quoted)
        node->value.kind = QUANTITY_WORD;
    node->name = arena_copy(parser->arena, parser->token, strlen(parser->token));
    *made = node;
    return node->name ? condition_next(parser) : condition_out_of_memory(parser);
}

static struct fault parse_product(struct parser *parser, const struct node **made)
{
    FORWARD(parse_value(parser, made));
    while (is_token(parser, "*") || is_token(parser, "/")) {
        enum node_kind const kind = parser->token[0] == '*' ? NODE_MULTIPLY : NODE_DIVIDE;
        const struct node *right;

        FORWARD(condition_next(parser));
        FORWARD(parse_value(parser, &right));
        FORWARD(join_values(parser, kind, *made, right, made));
    }
    return fault_none();
}

static struct fault parse_sum(struct parser *parser, const struct node **made)
{
    FORWARD(parse_product(parser, made));
    while (is_token(parser, "+") || is_token(parser, "-")) {
        enum node_kind const kind = parser->token[0] == '+' ? NODE_ADD : NODE_SUBTRACT;
        const struct node *right;

        FORWARD(condition_next(parser));
        FORWARD(parse_product(parser, &right));
        FORWARD(join_values(parser, kind, *made, right, made));
    }
    return fault_none();
}

static struct fault parse_one(struct parser *parser, const struct node **made)
{
    const struct node *right;

    if (is_token(parser, "not")) {
        if (++parser->depth > DEEPEST)
            return condition_wrong(parser, "fewer uses of not");
        FORWARD(condition_next(parser));
        FORWARD(parse_one(parser, made));
        parser->depth--;
        return join_conditions(parser, NODE_NOT, *made, NULL, made);
    }
    FORWARD(parse_sum(parser, made));
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        if (!is_token(parser, comparisons[i].text))
            continue;
        FORWARD(condition_next(parser));
        FORWARD(parse_sum(parser, &right));
        return join_values(parser, comparisons[i].kind, *made, right, made);
    }
    return fault_none();
}

static struct fault parse_all(struct parser *parser, const struct node **made)
{
    const struct node *right;

    FORWARD(parse_one(parser, made));
    while (is_token(parser, "and")) {
        FORWARD(condition_next(parser));
        FORWARD(parse_one(parser, &right));
        FORWARD(join_conditions(parser, NODE_AND, *made, right, made));
    }
    return fault_none();
}

static struct fault parse_condition(struct parser *parser, const struct node **made)
{
    const struct node *right;

    FORWARD(parse_all(parser, made));
    while (is_token(parser, "or")) {
        FORWARD(condition_next(parser));
        FORWARD(parse_all(parser, &right));
        FORWARD(join_conditions(parser, NODE_OR, *made, right, made));
    }
    return fault_none();
}

static struct fault condition_made(struct condition **made, struct parser *parser, bool is_amount)
{
    struct condition *const condition = arena_take(parser->arena, sizeof *condition);
    const char *const comparison = "a comparison such as < or ==";
    const struct node *root;

    if (!condition)
        return condition_out_of_memory(parser);
    if (strlen(parser->text) > LONGEST_TEXT)
        return fault_make(FAULT_INPUT, "%s: a %s has %zu characters; %d is the most", parser->where, parser->noun,
                          strlen(parser->text), LONGEST_TEXT);
    FORWARD(condition_next(parser));
    FORWARD(is_amount ? parse_sum(parser, &root) : parse_condition(parser, &root));
    if (*parser->token || parser->is_quoted)
        return condition_wrong(parser, is_amount ? "+, -, *, / or the end"
                                                 : is_condition(root) ? "and, or, or the end" : comparison);
    if (is_condition(root) == is_amount)
        return condition_wrong(parser, is_amount ? "a sum, not a condition" : comparison);
    *condition = (struct condition){
        .root = root, .where = arena_copy(parser->arena, parser->where, strlen(parser->where)),
        .text = arena_copy(parser->arena, parser->text, strlen(parser->text)), .noun = parser->noun};
    if (!condition->where || !condition->text)
        return condition_out_of_memory(parser);
    *made = condition;
    return fault_none();
}

struct fault condition_parse(struct condition **made, struct arena *arena, const char *text, const char *where)
{
    struct parser parser = {.arena = arena, .text = text, .at = text, .where = where, .noun = "condition"};

    return condition_made(made, &parser, false);
}

struct fault amount_parse(struct condition **made, struct arena *arena, const char *text, const char *where)
{
    struct parser parser = {.arena = arena, .text = text, .at = text, .where = where, .noun = "cost"};

    return condition_made(made, &parser, true);
}

/* ---- for one point */
struct walk {
    const struct condition *condition;
    const struct condition_names *names;
};

static struct fault condition_value_of(const struct walk *walk, const struct node *node, bool is_word_good,
                                       struct quantity *value);

/* May the right side of a comparison be a word? One with a point looks like a key that was mistyped, unless the other
 * side is a name without one, such as traces == gups.store. */
static bool may_be_word(const struct node *left, const struct node *right)
{
    bool const looks_like_key = right->kind == NODE_NAME && strchr(right->name, '.');

    return !looks_like_key || (left->kind == NODE_NAME && !strchr(left->name, '.'));
}

/* A plain number beside a quantity takes its kind. */
static struct fault condition_count_part(const struct walk *walk, const struct node *node, struct quantity *value)
{
    bool const is_scale = node->kind == NODE_MULTIPLY || node->kind == NODE_DIVIDE;
    struct quantity left, right;

    FORWARD(condition_value_of(walk, node->left, false, &left));
    FORWARD(condition_value_of(walk, node->right, false, &right));
    if (left.kind == QUANTITY_WORD || right.kind == QUANTITY_WORD) {
        *value = (struct quantity){.kind = QUANTITY_WORD};       /* of a cache that is not there */
        return fault_none();
    }
    if (left.kind != right.kind && left.kind != QUANTITY_NUMBER && right.kind != QUANTITY_NUMBER)
        return fault_make(FAULT_INPUT, "%s: %s \"%.120s\": %s and %s cannot be %s", walk->condition->where,
                          walk->condition->noun, walk->condition->text, quantity_name(left.kind),
                          quantity_name(right.kind), is_scale ? "multiplied" : "added");
    switch (node->kind) {
    case NODE_ADD: *value = quantity_number(left.number + right.number); break;
    case NODE_SUBTRACT: *value = quantity_number(left.number - right.number); break;
    case NODE_MULTIPLY: *value = quantity_number(left.number * right.number); break;
    default: *value = quantity_number(left.number / right.number); break;
    }
    if (!(node->kind == NODE_DIVIDE && left.kind == right.kind))
        value->kind = left.kind != QUANTITY_NUMBER ? left.kind : right.kind;
    return fault_none();
}

static struct fault condition_value_of(const struct walk *walk, const struct node *node, bool is_word_good,
                                       struct quantity *value)
{
    if (node->kind == NODE_VALUE) {
        *value = node->value;
        return fault_none();
    }
    if (node->kind != NODE_NAME)
        return condition_count_part(walk, node, value);

    struct fault const fault = walk->names->find(walk->names->self, node->name, walk->condition->where, value);

    if (fault.kind != FAULT_INPUT || !is_word_good)
        return fault;
    *value = node->value;
    return fault_none();
}

static struct fault holds_at(const struct walk *walk, const struct node *node, bool *holds)
{
    struct quantity left, right;
    bool other = false;

    if (node->kind <= NODE_NOT) {
        FORWARD(holds_at(walk, node->left, holds));
        if (node->right)
            FORWARD(holds_at(walk, node->right, &other));
        *holds = node->kind == NODE_OR ? *holds || other : node->kind == NODE_AND ? *holds && other : !*holds;
        return fault_none();
    }
    FORWARD(condition_value_of(walk, node->left, false, &left));
    FORWARD(condition_value_of(walk, node->right, may_be_word(node->left, node->right), &right));

    enum quantity_order const order = quantity_compare(&left, &right);

    switch (node->kind) {
    case NODE_LESS: *holds = order == QUANTITY_LESS; break;
    case NODE_LESS_EQUAL: *holds = order == QUANTITY_LESS || order == QUANTITY_EQUAL; break;
    case NODE_GREATER: *holds = order == QUANTITY_GREATER; break;
    case NODE_GREATER_EQUAL: *holds = order == QUANTITY_GREATER || order == QUANTITY_EQUAL; break;
    case NODE_EQUAL: *holds = order == QUANTITY_EQUAL; break;
    default: *holds = order != QUANTITY_EQUAL; break;
    }
    return fault_none();
}

struct fault condition_holds(const struct condition *condition, const struct condition_names *names, bool *holds)
{
    struct walk const walk = {.condition = condition, .names = names};

    return holds_at(&walk, condition->root, holds);
}

struct fault amount_of(const struct condition *amount, const struct condition_names *names, double *number)
{
    struct walk const walk = {.condition = amount, .names = names};
    struct quantity value;

    FORWARD(condition_value_of(&walk, amount->root, false, &value));
    *number = value.number;
    return isinf(value.number)
        ? fault_make(FAULT_INPUT, "%s: cost \"%.120s\": divides by zero; divide by what is not", amount->where,
                     amount->text) : fault_none();
}

/* ---- words */
static bool visit_node(const struct node *node, bool (*visit)(void *context, const char *name, const char *word),
                       void *context)
{
    const struct node *const left = node->left, *const right = node->right;

    switch (node->kind) {
    case NODE_OR:
    case NODE_AND: return visit_node(left, visit, context) && visit_node(right, visit, context);
    case NODE_NOT: return visit_node(left, visit, context);
    case NODE_EQUAL:
    case NODE_NOT_EQUAL: break;
    default: return true;
    }
    if (left->kind != NODE_NAME || (right->kind != NODE_NAME && right->kind != NODE_VALUE)
        || right->value.kind != QUANTITY_WORD)
        return true;
    return visit(context, left->name, right->name);
}

void condition_visit_words(const struct condition *condition,
                           bool (*visit)(void *context, const char *name, const char *word), void *context)
{
    visit_node(condition->root, visit, context);
}
