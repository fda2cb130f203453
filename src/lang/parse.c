/* Expressions: recursive descent, one function for each level of binding.
 *
 *   condition   or  <  and  <  not  <  comparison (not chained)
 *   number      + -  <  * /  <  unary -  <  ^ (to the right)  <  postfix ' [ ] .part */
#include "lang/parse.h"

#include <string.h>

void parser_advance(parser *p) {
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

diag *parser_error(parser *p, const char *expected) {
    if (p->failed)
        return &p->diags->unkept;
    p->failed = true;
    place at = p->now.at;
    if (p->now.kind == TOKEN_NEWLINE)
        at.length = 1;
    return diag_error(p->diags, at, "expected %s, found %s", expected, token_shown(p->now, p->arena));
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

node *parser_node(parser *p, node_kind kind, place at) {
    node *n = arena_alloc(p->arena, sizeof *n);
    n->kind = kind;
    n->at = at;
    n->depth = 1;
    return n;
}

static int deeper(const node *n) {
    return n ? n->depth + 1 : 1;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

// evaluation recurses over the tree; what it can take is limited here, once
static node *checked(parser *p, node *n) {
    if (n->depth > AST_DEEPEST && !p->failed) {
        p->failed = true;
        diag_error(p->diags, n->at, "this expression is nested more than %d deep", AST_DEEPEST)->hint =
            "name parts of it with 'let'";
    }
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
    n->depth = deeper(a);
    n->has_sum = a->has_sum && op == OP_NEG;
    return checked(p, n);
}

static node *parse_or(parser *p);

node *parse_expr(parser *p) {
    if (p->depth >= AST_DEEPEST) {
        if (!p->failed)
            diag_error(p->diags, p->now.at, "brackets are nested more than %d deep", AST_DEEPEST);
        p->failed = true;
        return NULL;
    }
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
        parser_error(p, "')' or an operator")->other = open;
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
    n->name = parser_name(p, "a loop variable, as in sum(i in 1..N: x[i])");
    parser_advance(p); // 'in', seen by the caller
    n->a = parse_expr(p);
    if (!p->failed && p->now.kind != TOKEN_RANGE)
        parser_error(p, "'..' of a range such as 1..N");
    parser_advance(p);
    n->b = parse_expr(p);
    if (!p->failed)
        parser_expect(p, ":", "before what is summed, as in sum(i in 1..N: x[i])");
    if (p->failed)
        return NULL;
    n->c = parse_expr(p);
    if (!p->failed && !parser_accept(p, ")"))
        parser_error(p, "')' or an operator")->other = open;
    if (p->failed)
        return NULL;
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
    if (parser_accept(p, ")"))
        return n;
    n->args = parse_list(p, open, &n->count);
    if (p->failed)
        return NULL;
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
    if (count == 1)
        return list[0];
    place whole = open;
    if (list[count - 1]->at.source == open.source)
        whole.length = list[count - 1]->at.offset + list[count - 1]->at.length + 1 - open.offset;
    node *n = parser_node(p, NODE_TUPLE, whole);
    n->args = list;
    n->count = count;
    n->depth = deepest(list, count);
    if (count > 4) {
        diag_error(p->diags, open, "a tuple has two, three or four numbers, not %d", count);
        p->failed = true;
    }
    return checked(p, n);
}

static node *parse_primary(parser *p) {
    token t = p->now;
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
    if (token_is(t, "="))
        d->hint = "comparison is ==; a single = stands only in statements such as 'constraint' and 'param'";
    return NULL;
}

static place spanning(place from, place to) {
    if (from.source == to.source && to.offset + to.length > from.offset)
        from.length = to.offset + to.length - from.offset;
    return from;
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
            outer->at = spanning(n->at, p->now.at);
            if (!parser_accept(p, "]")) {
                parser_error(p, "']'")->other = t.at;
                return NULL;
            }
            outer->depth = larger(deeper(n), deeper(outer->b));
        } else if (t.kind == TOKEN_PRIME) {
            outer = parser_node(p, NODE_PRIME, n->at);
            while (p->now.kind == TOKEN_PRIME) {
                outer->at = spanning(n->at, p->now.at);
                outer->count++;
                parser_advance(p);
            }
            outer->depth = deeper(n);
        } else if (parser_at(p, ".")) {
            parser_advance(p);
            outer = parser_node(p, NODE_PART, spanning(n->at, p->now.at));
            outer->name = parser_name(p, "a part such as .x, .y or .z");
            outer->depth = deeper(n);
        } else {
            return n;
        }
        outer->a = n;
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
    if (++p->depth > AST_DEEPEST)
        return parse_expr(p); // tells the error
    node *exponent = parse_unary(p);
    p->depth--;
    return binary(p, OP_POW, at, n, exponent);
}

static node *parse_unary(parser *p) {
    token t = p->now;
    if (!token_is(t, "-") && !token_is(t, "+"))
        return parse_power(p);
    parser_advance(p);
    if (++p->depth > AST_DEEPEST)
        return parse_expr(p); // tells the error
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
    if (b && comparison(p, &again, &ignored)) {
        if (!p->failed)
            diag_error(p->diags, p->now.at, "comparisons are not chained")->hint =
                "write a < b and b < c instead of a < b < c";
        p->failed = true;
    }
    return swapped ? binary(p, op, at, b, n) : binary(p, op, at, n, b);
}

static node *parse_not(parser *p) {
    if (!parser_at(p, "not"))
        return parse_comparison(p);
    place at = p->now.at;
    parser_advance(p);
    if (++p->depth > AST_DEEPEST)
        return parse_expr(p); // tells the error
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
    parser p = {.arena = a, .names = table, .diags = d};
    lexer_init(&p.lex, file, d);
    p.next = lexer_next(&p.lex);
    parser_advance(&p);
    node *n = parse_expr(&p);
    if (n && !p.failed && p.now.kind != TOKEN_END)
        parser_error(&p, "an operator or the end");
    return p.failed ? NULL : n;
}
