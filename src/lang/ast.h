/* The model text as a tree: expressions (node) and statements (stmt), names as numbers of one table. */
#ifndef TRAMMEL_LANG_AST_H
#define TRAMMEL_LANG_AST_H

#include "base/diag.h"
#include "base/names.h"
#include "expr/ops.h"

#include <stdbool.h>

typedef enum {
    NODE_NUMBER,
    NODE_TEXT,    // "link.stl", where a setting may be one
    NODE_NAME,    // name
    NODE_INDEX,   // a[b]
    NODE_PART,    // a.name
    NODE_PRIME,   // a' (count = 1) or a'' (2)
    NODE_CALL,    // name(args)
    NODE_TUPLE,   // (args)
    NODE_UNARY,   // op a: OP_NEG, OP_NOT
    NODE_BINARY,  // a op b
    NODE_SUM,     // sum(name in a..b: c)
    NODE_PRODUCT, // product(name in a..b: c)
} node_kind;

typedef struct node {
    node_kind kind;
    op_code op;
    place at;    // for calls and operations of the name or sign, else of the whole expression
    place whole; // of the whole expression
    double number;
    int name;
    int count; // of args, or of primes
    int depth; // how deep evaluation goes here; long sums do not count, their left side is walked in a loop
    bool has_sum; // a sum(...) stands here outside any function, so that terms can be split there
    struct node *a, *b, *c;
    struct node **args;
} node;

typedef enum {
    STMT_TITLE,
    STMT_PARAM,
    STMT_COORD,
    STMT_INITIAL,
    STMT_LET,
    STMT_KINETIC,
    STMT_POTENTIAL,
    STMT_DISSIPATION,
    STMT_MASS,
    STMT_FORCE,
    STMT_NONIDEAL,
    STMT_QUASI,
    STMT_CONSTRAINT,
    STMT_CONTROL,
    STMT_OUTPUT,
    STMT_PLOT,
    STMT_DRAW,
    STMT_SIMULATE,
    STMT_COORDINATES,
    STMT_EXPECT,
    STMT_STOP,
    STMT_TORQUE,
    STMT_PART, // particle, body, body2, joint, spring, gravity
    STMT_FOR,
    STMT_FRICTION,
    STMT_WRONG, // told: only the names it may have declared are kept, so that their uses are no errors too
} stmt_kind;

/* One thing that a statement declares or sets: `x`, `x[1..N]`, `link[i]`, `x' = e`. */
typedef struct {
    place at;
    int name;
    node *index;        // x[i]
    node *first, *last; // x[1..N]
    place part;         // .x of P.x; source NULL where there is none
    place call;         // angle of angle(J); the same
    int primes;
    node *value;
    bool guess; // ~ instead of =
} item;

typedef vec(item) item_list;

/* Of the axes of a plot: plot "Path" (xlabel = "x / m", yrange = 0..2, ylog): ... */
typedef struct {
    place at;        // its word; source NULL: it is not given
    place label;     // in quotation marks
    node *from, *to; // of a range; one of them may be missing
} plot_option;
enum { PLOT_LABEL, PLOT_RANGE, PLOT_LOG, PLOT_OPTIONS = 6 }; // those of x, then those of y
typedef vec(struct stmt *) stmt_list;

typedef struct stmt {
    stmt_kind kind;
    place at;     // the keyword
    place extent; // of a condition, of a title's or plot's text
    int sequence; // order in the text
    item_list items;
    node *value;     // the energy, the body of a let, a condition, what is plotted against (vs)
    node *lhs, *rhs; // of a constraint
    node *damping, *stiffness, *weight;
    node *until, *from, *every, *tolerance, *rank;
    node *low, *high;   // of a loop
    vec(int) names;     // arguments of a let function
    int word;           // of a part: its keyword
    item_list settings; // of a part or friction: mass = e, at ~ (x, y); an item's name is that of the setting
    item_list options;  // of a joint: (motion = e)
    node *point;        // force B at POINT = e
    bool function;      // let f(...)
    bool always;        // expect always
    place bare;         // first word of an expect without always or finally; source NULL where there is one
    bool instead;       // initial instead, which takes the place of others
    place equilibrium;  // simulate from equilibrium; source NULL where it does not
    int name;           // loop variable, kind of draw or joint; the latter is at `extent`
    vec(node *) list;   // what is plotted or drawn, what a joint or spring connects
    plot_option *axes;  // (PLOT_OPTIONS) of a plot; NULL: none is given
    stmt_list body;     // of a loop
} stmt;

#define EXPECT_FORM "write expect always CONDITION or expect finally CONDITION"

/* Nesting of brackets, functions and loops in the text; deeper ones are an error, so that no recursion over
 * the tree can overflow the stack. */
enum { AST_DEEPEST = 400 };
enum { LET_ARGUMENTS = 16 };   // the most that a let function may have
enum { ERRORS_ENOUGH = 1000 }; // after so many reading ends

/* Reads a text into statements, following includes. What is wrong goes to diags; the statements that could be
 * read are there all the same. Files are sought beside the one that includes them, and listed in `sources`.
 */
/* known: files of an earlier reading, the text itself first, which are not read again; NULL: none. */
void parse_model(arena *a, names *table, diags *d, const source *file, const source_list *known,
                 source_list *sources, stmt_list *out);

/* Reads one expression, as in --set NAME=EXPR. NULL if it is wrong. */
node *parse_expression(arena *a, names *table, diags *d, const source *file);

#endif
