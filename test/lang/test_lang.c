/* From text to values: tokens, expressions, lets, settings, statements, and that one mistake is one error. */
#include "lang/reading.h"
#include "lang/token.h"

#include <stdlib.h>
#include <unistd.h>

// ---- tokens

static void tokens(void **state) {
    static const char given[] = "1..5 1.5 .5 2.e3 1e-3 1E3 x'' x_1<=2 # no\n\"a # b\" !=";
    static const struct {
        token_kind kind;
        const char *text;
        double number;
    } expected[] = {
        {TOKEN_NUMBER, "1", 1},         {TOKEN_RANGE, "..", 0},      {TOKEN_NUMBER, "5", 5},
        {TOKEN_NUMBER, "1.5", 1.5},     {TOKEN_NUMBER, ".5", 0.5},   {TOKEN_NUMBER, "2.e3", 2000},
        {TOKEN_NUMBER, "1e-3", 1e-3},   {TOKEN_NUMBER, "1E3", 1000}, {TOKEN_NAME, "x", 0},
        {TOKEN_PRIME, "'", 0},          {TOKEN_PRIME, "'", 0},       {TOKEN_NAME, "x_1", 0},
        {TOKEN_SYMBOL, "<=", 0},        {TOKEN_NUMBER, "2", 2},      {TOKEN_NEWLINE, "\n", 0},
        {TOKEN_STRING, "\"a # b\"", 0}, {TOKEN_SYMBOL, "!=", 0},     {TOKEN_END, "", 0},
    };
    source s = {"t", given, (int)strlen(given)};
    diags d = {.arena = memory};
    lexer lex;
    lexer_init(&lex, &s, &d);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        token t = lexer_next(&lex);
        assert_int_equal(t.kind, expected[i].kind);
        assert_int_equal(t.at.length, (int)strlen(expected[i].text));
        assert_memory_equal(given + t.at.offset, expected[i].text, strlen(expected[i].text));
        if (t.kind == TOKEN_NUMBER)
            assert_true(t.number == expected[i].number);
    }
    assert_int_equal(d.errors, 0);
}

// ---- expressions

static void precedence(void **state) {
    assert_value(output("2^-1"), 0.5);
    assert_value(output("-2^2"), -4);
    assert_value(output("-x^2"), -1);
    assert_value(output("2^3^2"), 512);
    assert_value(output("a/b/c"), 5.0 / 3 / 2);
    assert_value(output("a - b - c"), 0);
    assert_value(output("a - (b - c)"), 4);
    assert_value(output("a*b^c"), 45);
    assert_value(output("2*-a"), -10);
    assert_value(output("- -a"), 5);
    assert_value(output("a/b*c"), 5.0 / 3 * 2);
    assert_value(output("if(1 < 2 and not 2 < 1 or 1 > 2, 1, 0)"), 1);
    assert_value(output("if(not (1 < 2) or x == 1 and y != 1, 1, 0)"), 1);
    assert_value(output("if(x + 1 <= 2 and 2 >= x + 1, 1, 0)"), 1);
}

static void functions(void **state) {
    assert_value(output("min(a, b, c) + max(a, b, c)"), 7);
    assert_value(output("atan2(y, x)"), atan2(1.1, 1));
    assert_value(output("sin(pi/6) + cos(60*deg)"), 1);
    assert_value(output("floor(2.7) + sign(-3) + abs(-2)"), 3);
    assert_value(output("sqrt(a)^2 + exp(log(b)) + sinh(0)*cosh(1) + tanh(0)"), 8);
    assert_value(output("t"), 0.25);
}

static void derivatives(void **state) {
    assert_value(output("x'"), 2);
    assert_value(output("y''"), 3.1);
    assert_value(output("(x*y)'"), 2 * 1.1 + 1 * 2.1);
    assert_value(output("(x^2)''"), 2 * 2 * 2 + 2 * 1 * 3);
    assert_value(output("(a*t^2)'"), 2 * 5 * 0.25);
    assert_value(output("dot((x, y)', (x, y)')"), 4 + 2.1 * 2.1);
}

static void lines(void **state) {
    model *m = read_model("param a = 1,   # a comma goes on\n"
                          "      b = 2\n"
                          "coord x\n"
                          "output o = a +  # so does an operator\n"
                          "\n"
                          "  # and comments and empty lines between do not end it\n"
                          "  b*(x\n"
                          "     + 3)\n"
                          "constraint c:\n"
                          "   x =\n"
                          "   sin(t)\n"
                          "expect always x < 3 or\n"
                          "   x > 4\r\n"
                          "output p = x # the last line has no end");
    assert_value(at_target(m, SHAPE_OUTPUT, 0), 9);
    assert_int_equal(m->outputs.count, 2);
    assert_int_equal(m->rows.count, 1);
    assert_int_equal(m->expects.count, 1);
}

static void byte_order_mark(void **state) {
    read_model("\xEF\xBB\xBF"
               "coord x\n");
}

// ---- tuples

static void tuples(void **state) {
    assert_value(output("dot((1, 2), (3, 4))"), 11);
    assert_value(output("cross((1, 2), (3, 4))"), -2);
    assert_value(output("cross((1, 2, 3), (4, 5, 6)).x"), -3);
    assert_value(output("cross((1, 2, 3), (4, 5, 6)).y"), 6);
    assert_value(output("cross((1, 2, 3), (4, 5, 6)).z"), -3);
    assert_value(output("norm((3, 4))"), 5);
    assert_value(output("norm((x, y))^2"), 1 + 1.21);
    assert_value(output("(2*(1, 2) - (x, y)/2 + -(1, 1)).y"), 4 - 0.55 - 1);
    assert_value(output("(1, 2, 3, 4).w*1000 + (1, 2, 3, 4).z"), 1004);
    assert_value(output("if(x > 0, (1, 2), (3, 4)).y"), 2);
    assert_value(output("sum(i in 1..3: (i, i^2)).y"), 14);
}

// ---- lets

static void lets(void **state) {
    model *m = read_model("coord x[1..3]\n"
                          "param k = 2\n"
                          "let f(a, b) = a*b + k\n"
                          "let at(i) = x[i]\n" // a known argument may be an index
                          "let pair(i) = (at(i), at(i+1))\n"
                          "let upto(n) = sum(i in 1..n: at(i))\n"
                          "let unused = 1/0\n"
                          "output o = f(x[1], 3) + pair(2).y + upto(k + 1)\n"
                          "output p = o + 1\n");
    assert_value(at_target(m, SHAPE_OUTPUT, 0), 5 + 1.2 + 3.3);
    assert_value(at_target(m, SHAPE_OUTPUT, 1), 10.5);
}

// names of arguments, loops and the model do not get in each other's way
static void scopes(void **state) {
    model *m = read_model("param i = 7\n"
                          "coord x\n"
                          "let f(x) = 10*x + i\n"
                          "output o = f(2) + sum(i in 1..2: i) + i\n"
                          "param min = 4, omega = 3\n" // functions have a namespace of their own
                          "output p = min(min, omega)\n");
    assert_value(at_target(m, SHAPE_OUTPUT, 0), 27 + 3 + 7);
    assert_value(at_target(m, SHAPE_OUTPUT, 1), 3);
}

static void order_is_free(void **state) {
    model *m = read_model("expect always residual(c) < 1\n"
                          "constraint c: x = 1\n"
                          "kinetic x'^2/2\n"
                          "initial x = 1\n"
                          "coord x\n");
    assert_int_equal(m->coords.count, 1);
    assert_int_equal(m->position.at[0].kind, INITIAL_EXACT);
}

// ---- settings

static void settings(void **state) {
    static const char given[] = "param N = 2, k = 2*N\n"
                                "coord x[1..N]\n"
                                "output o = k\n";
    model_setting set[] = {{"N", "1 + 1"}, {"N", "4"}};
    model *m = read_with(given, set, 2); // the last of a name counts
    assert_int_equal(m->diags.errors, 0);
    assert_int_equal(m->coords.count, 4);
    assert_value(m->params.at[1].value, 8);
    model_setting other[] = {{"N", "3"}, {"k", "N^2"}};
    m = read_with(given, other, 2);
    assert_value(m->params.at[1].value, 9);
    double number;
    diags d = {.arena = memory};
    assert_true(model_number(memory, m, "--until", "2*N + k", &d, &number));
    assert_value(number, 15);
    assert_false(model_number(memory, m, "--until", "2*M", &d, &number));
    model_setting wrong[] = {{"M", "3"}};
    assert_int_equal(read_with(given, wrong, 1)->diags.errors, 1);
}

// ---- statements

static void drawings(void **state) {
    read_model("coord x, y\n"
               "param p = 1\n"
               "let q = (x, y)\n"
               "let f(a) = (a, 2)\n"
               "draw line q (0, 0)\n" // a space, so no call of q
               "draw line f(x) q\n"
               "draw line (0, 0) (x, y)\n"
               "draw circle q p/2\n"
               "draw trace (x, y, 1)\n"
               "draw arrow q (x', y')\n"
               "plot \"Path\": y, x' vs x\n");
}

static void simulation(void **state) {
    model *m = read_model("coord x\nparam T = 4\nsimulate until 2*T from 1, every T/8, tolerance 1e-6\n");
    assert_value(m->simulate.until, 8);
    assert_value(m->simulate.from, 1);
    assert_value(m->simulate.every, 0.5);
    assert_value(m->simulate.tolerance, 1e-6);
}

static void write_file(const char *path, const char *content) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(content, out);
    fclose(out);
}

// a file is sought beside the one that includes it, also from there on
static void includes(void **state) {
    char folder[] = "/tmp/trammel-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *first = arena_print(memory, "%s/first.tram", folder);
    const char *second = arena_print(memory, "%s/second.tram", folder);
    write_file(first, "param k = 3\ninclude \"second.tram\"\n");
    write_file(second, "title \"Second\"\ncoord x\npotential k*x^2/2\nsimulate until 1, every 0.1\n");
    source s = {arena_print(memory, "%s/main.tram", folder),
                "include \"first.tram\"\ntitle \"Main\"\nkinetic x'^2/2\nsimulate until 7\n", 0};
    s.length = (int)strlen(s.text);
    model *m = model_read(memory, &s, NULL, 0);
    assert_int_equal(m->diags.errors, 0);
    assert_value(total(m, SHAPE_POTENTIAL), 1.5);
    assert_string_equal(m->title, "Main"); // its own count, not those of what it includes
    assert_value(m->simulate.until, 7);
    assert_value(m->simulate.every, 0);
    unlink(first);
    unlink(second);
    rmdir(folder);
}

static void parameter_from_let(void **state) {
    model *m = read_model(
        "let a = 3\nlet v = (a, 4)\nparam k = a, l = norm(v)\ncoord x\nkinetic x'^2/2\npotential k*l*x\n");
    assert_value(total(m, SHAPE_POTENTIAL), 15);
}

// ---- what is wrong: one mistake, one error; test/lang/wrong has all of them with their messages

static void one_mistake_one_error(void **state) {
    assert_wrong("coord x\nkinetic k*x'^2\npotential k*x\noutput o = k\n", "unknown name 'k'");
    assert_wrong("param k = \ncoord x\nkinetic k*x'^2\n", "test.tram:1:10");
    assert_wrong("coord x y\nkinetic x'^2 + y'^2\n", "commas separate names");
    assert_wrong("coord x\nlet r x\nlet s = r^2\noutput o = s\n", "test.tram:2:7");
    assert_wrong("coord x\nfor i = 1..3 {\n potential i\n}\noutput o = x\n", "'in' after the loop variable");
    assert_wrong("coord x\nparam a = 1; param b = a\noutput o = b*x\n", "';'");
    assert_wrong("coord x\nlet a = a\noutput o = a\n", "'a' is defined by itself");
    assert_wrong("coord x\nkinetic (x'^2\npotential x\nforce x = 1\n", "test.tram:2:9");
    assert_wrong("particle P: mass = 1, at = (0, 0)\nforce P.x = P.y\noutput o = reaction(P.x)\n",
                 "means nothing here"); // of parts only mech knows
    assert_wrong("coord x\nquasi s = x' + r\nquasi r = s\n", "defined by itself");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(tokens),
        TEST(precedence),
        TEST(functions),
        TEST(derivatives),
        TEST(lines),
        TEST(byte_order_mark),
        TEST(tuples),
        TEST(lets),
        TEST(scopes),
        TEST(order_is_free),
        TEST(settings),
        TEST(drawings),
        TEST(simulation),
        TEST(includes),
        TEST(one_mistake_one_error),
        TEST(parameter_from_let),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
