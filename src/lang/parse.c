/* Expressions: recursive descent, one function for each level of binding.
 *
 *   condition   or  <  and  <  not  <  comparison (not chained)
 *   number      + -  <  * /  <  unary -  <  ^ (to the right)  <  postfix ' [ ] .part */
#include "lang/parse.h"

#include <string.h>

void parser_advance(parser *p) {
    p->last = p->now;
    p->end = p->now.at.offset + p->now.at.length;
    p->now = p->next;
    p->next = lexer_next(&p->lex);
    if (p->now.kind == TOKEN_WRONG)
        p->failed = true;
}

bool parser_at(const parser *p, const char *text) {
    return token_is(p->now, text);
}

bool parser_accept(parser *p, const char *text) {
    if (!parser_at(p, text))
        return false;
    parser_advance(p);
    return true;
}

diag *parser_wrong(parser *p, place at, const char *message) {
    if (p->failed)
        return &p->diags->unkept;
    p->failed = true;
    return diag_error(p->diags, at, "%s", message);
}

bool parser_cut(const parser *p) {
    if (!p->now.starts_line || !parser_keyword(p))
        return false;
    bool energy = parser_at(p, "kinetic") || parser_at(p, "potential") || parser_at(p, "dissipation");
    if (energy && (p->next.kind == TOKEN_NUMBER || token_is(p->next, "(")))
        return true;
    return p->next.kind == TOKEN_STRING ||
           (p->next.kind == TOKEN_NAME && !token_is(p->next, "and") && !token_is(p->next, "or"));
}

// where something is missing at the end of a line, that end is shown, not the start of the next line
diag *parser_error(parser *p, const char *expected) {
    bool ended = p->now.kind == TOKEN_NEWLINE || p->now.kind == TOKEN_END || parser_cut(p);
    place at = ended ? (place){p->lex.source, p->end, 1} : p->now.at;
    const char *found = parser_cut(p)                          ? "the end of the line"
                        : p->alone && p->now.kind == TOKEN_END ? "the end"
                                                               : token_shown(p->now, p->arena);
    return parser_wrong(p, at, arena_print(p->arena, "expected %s, found %s", expected, found));
}

void parser_unclosed(parser *p, place open, const char *close) {
    bool ended = p->now.kind == TOKEN_NEWLINE || p->now.kind == TOKEN_END || parser_at(p, "}") ||
                 (p->now.starts_line && parser_keyword(p));
    if (ended) {
        parser_wrong(p, open,
                     arena_print(p->arena, "this '%c' is not closed", open.source->text[open.offset]))
            ->hint = arena_print(p->arena, "write '%s' where it ends", close);
        return;
    }
    diag *d = parser_error(p, arena_print(p->arena, "'%s' or an operator", close));
    diag_other(d, open, "the bracket opens here");
    if (parser_at(p, "="))
        d->hint = "comparison is ==, as in if(x == 0, 1, 2)";
    else if (parser_at(p, ",") && *close == ']')
        d->hint = "an array has one index";
    else if (p->now.kind == TOKEN_NAME || p->now.kind == TOKEN_NUMBER || parser_at(p, "("))
        d->hint = "a product needs its sign: *";
}

bool parser_expect(parser *p, const char *text, const char *after) {
    if (parser_accept(p, text))
        return true;
    parser_error(p, arena_print(p->arena, "'%s' %s", text, after));
    return false;
}

bool parser_at_end(const parser *p) {
    return p->now.kind == TOKEN_NEWLINE || p->now.kind == TOKEN_END || parser_at(p, "}");
}

int parser_name(parser *p, const char *what) {
    if (p->now.kind != TOKEN_NAME) {
        parser_error(p, what);
        return -1;
    }
    place at = p->now.at;
    parser_advance(p);
    return names_intern(p->names, at.source->text + at.offset, at.length);
}

int parser_variable(parser *p, const char *what) {
    int name = parser_name(p, what);
    if (name >= 0 && token_is_taken(names_text(p->names, name)))
        parser_wrong(p, p->last.at,
                     arena_print(p->arena, "the name '%s' is taken", names_text(p->names, name)))
            ->hint = "pi and deg are constants, t is the time; choose another name";
    return name;
}

node *parser_node(parser *p, node_kind kind, place at) {
    node *n = arena_alloc(p->arena, sizeof *n);
    n->kind = kind;
    n->at = n->whole = at;
    n->depth = 1;
    return n;
}

// from the start of one to the end of the other, whichever comes first
static place covering(place a, place b) {
    int start = a.offset < b.offset ? a.offset : b.offset;
    int ends[2] = {a.offset + a.length, b.offset + b.length};
    return a.source == b.source ? (place){a.source, start, ends[ends[1] > ends[0]] - start} : a;
}

// from here to the last token passed
static place up_to_here(const parser *p, place from) {
    return (place){from.source, from.offset, p->end - from.offset};
}

static node *too_deep(parser *p) {
    parser_wrong(p, p->now.at,
                 arena_print(p->arena, "brackets and signs are nested more than %d deep", AST_DEEPEST))
        ->hint = "name parts of it with 'let'";
    return NULL;
}

static int deeper(const node *n) {
    return n ? n->depth + 1 : 1;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// evaluation recurses over the tree; what it can take is limited here, once
static node *checked(parser *p, node *n) {
    if (n->depth > AST_DEEPEST && !p->failed)
        parser_wrong(p, n->at,
                     arena_print(p->arena, "this expression is nested more than %d deep", AST_DEEPEST))
            ->hint = "name parts of it with 'let'";
    return p->failed ? NULL : n;
}

static bool is_additive(const node *n) {
    return n->kind == NODE_BINARY && (n->op == OP_ADD || n->op == OP_SUB);
}

static node *binary(parser *p, op_code op, place at, node *a, node *b) {
    if (a == NULL || b == NULL)
        return NULL;
    node *n = parser_node(p, NODE_BINARY, at);
    n->op = op;
    n->a = a;
    n->b = b;
    n->whole = covering(a->whole, b->whole);
    bool spine = is_additive(n) && is_additive(a);
    n->depth = larger(spine ? a->depth : deeper(a), deeper(b));
    n->has_sum = (op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV) &&
                 (a->has_sum || (b->has_sum && op != OP_DIV));
    return checked(p, n);
}

static node *unary(parser *p, op_code op, place at, node *a) {
    if (a == NULL)
        return NULL;
    node *n = parser_node(p, NODE_UNARY, at);
    n->op = op;
    n->a = a;
    n->whole = covering(at, a->whole);
    n->depth = deeper(a);
    n->has_sum = a->has_sum && op == OP_NEG;
    return checked(p, n);
}

static node *parse_or(parser *p);

node *parse_expr(parser *p) {
    if (p->depth >= AST_DEEPEST)
        return too_deep(p);
    p->depth++;
    node *n = parse_or(p);
    p->depth--;
    return p->failed ? NULL : n;
}

// expressions separated by commas up to the closing bracket, which is passed
static node **parse_list(parser *p, place open, int *count) {
    vec(node *) list = {0};
    *count = 0;
    while (!p->failed) {
        node *n = parse_expr(p);
        vec_push(p->arena, list, n);
        if (!parser_accept(p, ","))
            break;
    }
    if (!p->failed && !parser_accept(p, ")"))
        parser_unclosed(p, open, ")");
    *count = list.count;
    return list.at;
}

static int deepest(node **list, int count) {
    int depth = 1;
    for (int i = 0; i < count; i++)
        depth = larger(depth, deeper(list[i]));
    return depth;
}

// sum(i in a..b: e), product(i in a..b: e); the name and '(' are passed
static node *parse_repeated(parser *p, node_kind kind, place at, place open) {
    node *n = parser_node(p, kind, at);
    n->name = parser_variable(p, "a loop variable, as in sum(i in 1..N: x[i])");
    parser_advance(p); // 'in', seen by the caller
    n->a = parse_expr(p);
    if (!p->failed && p->now.kind != TOKEN_RANGE)
        parser_error(p, "'..' of a range such as 1..N");
    parser_advance(p);
    n->b = parse_expr(p);
    if (!p->failed)
        parser_expect(p, ":", "behind the range, as in sum(i in 1..N: x[i])");
    if (p->failed)
        return NULL;
    n->c = parse_expr(p);
    if (!p->failed && !parser_accept(p, ")"))
        parser_unclosed(p, open, ")");
    if (p->failed)
        return NULL;
    n->whole = up_to_here(p, at);
    n->depth = larger(deeper(n->c), larger(deeper(n->a), deeper(n->b)));
    n->has_sum = kind == NODE_SUM;
    return checked(p, n);
}

static node *parse_call(parser *p, int name, place at) {
    place open = p->now.at;
    parser_advance(p); // (
    const char *word = names_text(p->names, name);
    bool repeated = p->now.kind == TOKEN_NAME && token_is(p->next, "in");
    if (repeated && strcmp(word, "sum") == 0)
        return parse_repeated(p, NODE_SUM, at, open);
    if (repeated && strcmp(word, "product") == 0)
        return parse_repeated(p, NODE_PRODUCT, at, open);
    node *n = parser_node(p, NODE_CALL, at);
    n->name = name;
    if (!parser_accept(p, ")"))
        n->args = parse_list(p, open, &n->count);
    if (p->failed)
        return NULL;
    n->whole = up_to_here(p, at);
    n->depth = deepest(n->args, n->count);
    return checked(p, n);
}

static node *parse_bracket(parser *p) {
    place open = p->now.at;
    parser_advance(p);
    int count;
    node **list = parse_list(p, open, &count);
    if (p->failed)
        return NULL;
    place whole = up_to_here(p, open);
    if (count == 1) {
        list[0]->whole = whole;
        return list[0];
    }
    if (count > (p->longest ? p->longest : 4)) {
        parser_wrong(p, whole,
                     p->longest
                         ? arena_print(p->arena, "an inertia has three or six numbers, not %d", count)
                         : arena_print(p->arena, "a tuple has two, three or four numbers, not %d", count));
        return NULL;
    }
    node *n = parser_node(p, NODE_TUPLE, whole);
    n->args = list;
    n->count = count;
    n->depth = deepest(list, count);
    return checked(p, n);
}

node *parse_quoted(parser *p) {
    node *n = parser_node(p, NODE_TEXT, p->now.at);
    parser_advance(p);
    return n;
}

static node *parse_primary(parser *p) {
    token t = p->now;
    if (parser_cut(p)) {
        parser_error(p, "a number, a name or '('");
        return NULL;
    }
    if (t.kind == TOKEN_NUMBER) {
        node *n = parser_node(p, NODE_NUMBER, t.at);
        n->number = t.number;
        parser_advance(p);
        return n;
    }
    if (t.kind == TOKEN_NAME && !token_is(t, "and") && !token_is(t, "or") && !token_is(t, "not")) {
        int name = parser_name(p, "a name");
        bool adjacent = p->now.at.offset == t.at.offset + t.at.length;
        if (parser_at(p, "(") && (adjacent || !p->tight))
            return parse_call(p, name, t.at);
        node *n = parser_node(p, NODE_NAME, t.at);
        n->name = name;
        return n;
    }
    if (parser_at(p, "("))
        return parse_bracket(p);
    diag *d = parser_error(p, "a number, a name or '('");
    bool compared = token_is(p->last, "<") || token_is(p->last, ">") || token_is(p->last, "=");
    if (compared && (token_is(t, "<") || token_is(t, ">") || token_is(t, "=")))
        d->hint = "comparisons are < <= > >= == !=";
    else if (token_is(t, "{"))
        d->hint = "brackets in expressions are ( and )";
    return NULL;
}

// J.1: the first row of a joint; to the lexer .1 is a number
static bool at_row_number(const parser *p) {
    place at = p->now.at;
    return p->now.kind == TOKEN_NUMBER && at.offset == p->end && at.length == 2 &&
           at.source->text[at.offset] == '.';
}

// J, J[i], J.stick
static bool has_rows(const parser *p, const node *n) {
    return n->kind == NODE_NAME || n->kind == NODE_INDEX ||
           (n->kind == NODE_PART && strcmp(names_text(p->names, n->name), "stick") == 0);
}

static node *postfix(parser *p, node *n) {
    while (n && !p->failed) {
        token t = p->now;
        node *outer;
        if (parser_accept(p, "[")) {
            outer = parser_node(p, NODE_INDEX, n->at);
            outer->b = parse_expr(p);
            if (outer->b == NULL)
                return NULL;
            if (!parser_accept(p, "]")) {
                parser_unclosed(p, t.at, "]");
                return NULL;
            }
            outer->depth = larger(deeper(n), deeper(outer->b));
        } else if (t.kind == TOKEN_PRIME) {
            outer = parser_node(p, NODE_PRIME, n->at);
            for (; p->now.kind == TOKEN_PRIME; parser_advance(p))
                outer->count++;
            outer->depth = deeper(n);
        } else if (parser_at(p, ".")) {
            parser_advance(p);
            outer = parser_node(p, NODE_PART, n->at);
            outer->name = parser_name(p, "a part such as .x, .y or .z");
            outer->depth = deeper(n);
        } else if (at_row_number(p) && has_rows(p, n)) {
            parser_advance(p);
            outer = parser_node(p, NODE_PART, n->at);
            outer->name = names_intern(p->names, t.at.source->text + t.at.offset + 1, 1);
            outer->depth = deeper(n);
        } else {
            return n;
        }
        outer->a = n;
        outer->at = outer->whole = up_to_here(p, n->whole);
        n = checked(p, outer);
    }
    return p->failed ? NULL : n;
}

static node *parse_unary(parser *p);

static node *parse_power(parser *p) {
    node *n = postfix(p, parse_primary(p));
    if (n == NULL || !parser_at(p, "^"))
        return n;
    place at = p->now.at;
    parser_advance(p);
    if (p->depth >= AST_DEEPEST)
        return too_deep(p);
    p->depth++;
    node *exponent = parse_unary(p);
    p->depth--;
    if (exponent && exponent->kind == NODE_PRIME && exponent->a->kind == NODE_NUMBER) {
        parser_wrong(p, exponent->at, "a number has no derivative")->hint =
            "the prime stands behind the name: x'^2, not x^2'";
        return NULL;
    }
    return binary(p, OP_POW, at, n, exponent);
}

static node *parse_unary(parser *p) {
    token t = p->now;
    if (!token_is(t, "-") && !token_is(t, "+"))
        return parse_power(p);
    parser_advance(p);
    if (p->depth >= AST_DEEPEST)
        return too_deep(p);
    p->depth++;
    node *n = parse_unary(p);
    p->depth--;
    return token_is(t, "-") ? unary(p, OP_NEG, t.at, n) : n;
}

static node *parse_product(parser *p) {
    node *n = parse_unary(p);
    while (n && (parser_at(p, "*") || parser_at(p, "/"))) {
        op_code op = parser_at(p, "*") ? OP_MUL : OP_DIV;
        place at = p->now.at;
        parser_advance(p);
        if (op == OP_MUL && parser_at(p, "*") && p->now.at.offset == at.offset + 1) {
            parser_error(p, "a factor")->hint = "a power is written with ^, as in x^2";
            return NULL;
        }
        n = binary(p, op, at, n, parse_unary(p));
    }
    return n;
}

static node *parse_sum(parser *p) {
    node *n = parse_product(p);
    while (n && (parser_at(p, "+") || parser_at(p, "-"))) {
        op_code op = parser_at(p, "+") ? OP_ADD : OP_SUB;
        place at = p->now.at;
        parser_advance(p);
        n = binary(p, op, at, n, parse_product(p));
    }
    return n;
}

static bool comparison(const parser *p, op_code *op, bool *swapped) {
    static const struct {
        const char *text;
        op_code op;
        bool swapped;
    } table[] = {{"<", OP_LT, false}, {"<=", OP_LE, false}, {">", OP_LT, true},
                 {">=", OP_LE, true}, {"==", OP_EQ, false}, {"!=", OP_NE, false}};
    for (int i = 0; i < 6; i++)
        if (parser_at(p, table[i].text)) {
            *op = table[i].op;
            *swapped = table[i].swapped;
            return true;
        }
    return false;
}

static node *parse_comparison(parser *p) {
    node *n = parse_sum(p);
    op_code op, again;
    bool swapped, ignored;
    if (n == NULL || !comparison(p, &op, &swapped))
        return n;
    place at = p->now.at;
    parser_advance(p);
    node *b = parse_sum(p);
    if (b && comparison(p, &again, &ignored))
        parser_wrong(p, p->now.at, "comparisons are not chained")->hint =
            "write a < b and b < c instead of a < b < c";
    return swapped ? binary(p, op, at, b, n) : binary(p, op, at, n, b);
}

static node *parse_not(parser *p) {
    if (!parser_at(p, "not"))
        return parse_comparison(p);
    place at = p->now.at;
    parser_advance(p);
    if (p->depth >= AST_DEEPEST)
        return too_deep(p);
    p->depth++;
    node *n = parse_not(p);
    p->depth--;
    return unary(p, OP_NOT, at, n);
}

static node *parse_and(parser *p) {
    node *n = parse_not(p);
    while (n && parser_at(p, "and")) {
        place at = p->now.at;
        parser_advance(p);
        n = binary(p, OP_AND, at, n, parse_not(p));
    }
    return n;
}

static node *parse_or(parser *p) {
    node *n = parse_and(p);
    while (n && parser_at(p, "or")) {
        place at = p->now.at;
        parser_advance(p);
        n = binary(p, OP_OR, at, n, parse_and(p));
    }
    return n;
}

node *parse_expression(arena *a, names *table, diags *d, const source *file) {
    parser p = {.arena = a, .names = table, .diags = d, .alone = true};
    lexer_init(&p.lex, file, d);
    p.next = lexer_next(&p.lex);
    parser_advance(&p);
    node *n = parse_expr(&p);
    if (n && !p.failed && p.now.kind != TOKEN_END)
        parser_error(&p, "an operator or the end");
    return p.failed ? NULL : n;
}
