/* From text to shapes and their tables of instances: sums, loops, rows, quasi-velocities, results. */
#include "lang/reading.h"

// ---- rows

static void tuple_outputs_and_rows(void **state) {
    model *m = read_model("coord x, y, z\n"
                          "output p = (x, y, z)\n"
                          "constraint tip: (x, y) = (z, 2)\n"
                          "constraint tail: (x, y, z) = 0\n"
                          "constraint plain: x = 1\n");
    const char *const expected[] = {"tip.x", "tip.y", "tail.x", "tail.y", "tail.z", "plain"};
    const double residuals[] = {1 - 1.2, 1.1 - 2, 1, 1.1, 1.2, 0};
    assert_int_equal(m->rows.count, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(row_name(m, i), expected[i]);
        assert_value(at_target(m, SHAPE_ROW, i), residuals[i]);
    }
    assert_int_equal(m->outputs.count, 3);
    assert_string_equal(output_name(m, 2), "p.z");
    assert_value(at_target(m, SHAPE_OUTPUT, 2), 1.2);
}

// each row has only the coordinates that it needs
static void rows_have_their_own_slots(void **state) {
    model *m = read_model("coord x, y, z\nconstraint tip: (x, y) = (z, 2)\n");
    assert_int_equal(m->shapes.at[m->rows.at[0].shape].slot_count, 2);
    assert_int_equal(m->shapes.at[m->rows.at[1].shape].slot_count, 1);
}

// ---- sums, loops, shapes

static void sums(void **state) {
    assert_value(output("sum(i in 1..4: i^2)"), 30);
    assert_value(output("product(i in 1..4: i)"), 24);
    assert_value(output("sum(i in 1..0: x) + product(i in 5..4: x)"), 1);
    assert_value(output("sum(i in 1..3: sum(j in 1..i: i*j))"), 25);
    assert_value(output("sum(i in -1..1: i*x + 1)"), 3);
    assert_value(output("sum(i in 1..c: m[i])"), 14);
    assert_value(output("product(i in 1..2: x + i)"), 6);
}

static void loops(void **state) {
    model *m = read_model("param N = 3\n"
                          "coord x[0..N]\n"
                          "for i in 1..N {\n"
                          "  let d = x[i] - x[i-1]\n"
                          "  let twice = 2*d\n"
                          "  potential d^2 + twice\n"
                          "  for j in i+1..N: dissipation i*10 + j + 0*x[i]\n"
                          "}\n"
                          "for i in 2..1: potential 1e9\n");
    assert_value(total(m, SHAPE_POTENTIAL), 3 * (0.01 + 0.2));
    assert_value(total(m, SHAPE_DISSIPATION), 12 + 13 + 23);
    assert_int_equal(m->coords.count, 4);
    assert_string_equal(model_coord_name(m, 3, memory), "x[3]");
}

static model *chain(int n) {
    model_setting set = {"N", arena_print(memory, "%d", n)};
    return read_with("param N = 2, m = 1, L = 1, g = 9.81\n"
                     "coord x[1..N], y[1..N]\n"
                     "kinetic m/2*sum(i in 1..N: x[i]'^2 + y[i]'^2)\n"
                     "for i in 1..N: potential m*g*y[i]\n"
                     "constraint link[1]: x[1]^2 + y[1]^2 = L^2\n"
                     "for i in 2..N: constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2\n"
                     "for i in 1..N: output r[i] = norm((x[i], y[i]))/i\n"
                     "for i in 1..N: expect always abs(residual(link[i])) < 1e-9\n",
                     &set, 1);
}

// a chain has few shapes whatever its length: only the tables grow
static void shapes_do_not_grow(void **state) {
    model *few = chain(5), *many = chain(500);
    assert_int_equal(many->diags.errors, 0);
    assert_int_equal(few->shapes.count, many->shapes.count);
    assert_int_equal(shapes_of(many, SHAPE_POTENTIAL), 1);
    assert_int_equal(shapes_of(many, SHAPE_ROW), 2);
    assert_int_equal(shapes_of(many, SHAPE_OUTPUT), 1);
    assert_int_equal(many->rows.count, 500);
    assert_string_equal(row_name(many, 499), "link[500]");
    assert_int_equal(many->expects.count, 1);
}

// in a loop, a condition that is known chooses what is built
static void known_conditions(void **state) {
    model *m = read_model("param N = 4\n"
                          "coord x[1..N]\n"
                          "for i in 1..N: potential if(i == 1, x[1]^2, (x[i] - x[i-1])^2)\n"
                          "for i in 1..N: force x[i] = if(i > 1 and x[max(i-1, 1)] < 9, 1, 0)\n"
                          "output o = if(N > 4 or 2 < 1, x[5], x[4])\n");
    assert_int_equal(shapes_of(m, SHAPE_POTENTIAL), 2);
    assert_value(total(m, SHAPE_POTENTIAL), 1 + 3 * 0.01);
    assert_value(total(m, SHAPE_FORCE), 3);
    assert_value(at_target(m, SHAPE_OUTPUT, 0), 1.3);
}

// what differs from one iteration to the next in numbers alone is one shape
static void indexed_parameters(void **state) {
    model *m = read_model("param N = 3, k = 2\n"
                          "for i in 1..N: param m[i] = 10*i\n"
                          "param w[1..N] = k\n"
                          "coord x[1..N]\n"
                          "for i in 1..N: kinetic m[i]/2*w[i]*x[i]'^2\n");
    assert_int_equal(shapes_of(m, SHAPE_KINETIC), 1);
    assert_value(total(m, SHAPE_KINETIC), 10 * 4 + 20 * 2.1 * 2.1 + 30 * 2.2 * 2.2);
}

// terms of an energy are elements of their own, also under a factor, a minus, in a let
static void energies_are_taken_apart(void **state) {
    model *m = read_model("param N = 4\n"
                          "coord x[1..N]\n"
                          "let T = sum(i in 1..N: x[i]'^2)\n"
                          "kinetic T/2\n"
                          "potential 3*(x[1] - 2*sum(i in 1..N: x[i])) - x[2]\n");
    double squares = 4 + 2.1 * 2.1 + 2.2 * 2.2 + 2.3 * 2.3;
    assert_value(total(m, SHAPE_KINETIC), squares / 2);
    assert_value(total(m, SHAPE_POTENTIAL), 3 * (1 - 2 * 4.6) - 1.1);
    for (int i = 0; i < m->shapes.count; i++)
        assert_int_equal(m->shapes.at[i].slot_count, 1);
}

// ---- quasi-velocities, results

static void quasi_velocities(void **state) {
    model *m = read_model("param N = 3\n"
                          "coord x[1..N]\n"
                          "for i in 1..N: quasi s[i] = if(i == 1, x[1]', x[i]' - x[i-1]')\n"
                          "initial s[2] = 5, s[3] ~ 6, x[1]' = 1\n"
                          "output o = s[2]\n"
                          "output a = s[1]'\n"
                          "kinetic sum(i in 1..N: s[i]^2)\n");
    assert_int_equal(m->quasis.count, 3);
    assert_value(at_target(m, SHAPE_QUASI, 0), 2);
    assert_value(at_target(m, SHAPE_QUASI, 2), 0.1);
    assert_value(at_target(m, SHAPE_OUTPUT, 0), 0.1);
    assert_value(at_target(m, SHAPE_OUTPUT, 1), 3);
    assert_int_equal(m->quasi.at[1].kind, INITIAL_EXACT);
    assert_int_equal(m->quasi.at[2].kind, INITIAL_GUESS);
    assert_int_equal(m->quasi.at[0].kind, INITIAL_NONE);
}

// results stand in the order of their first use; here each has the value 1000 + its number
static void results(void **state) {
    model *m = read_model("coord x, y\n"
                          "constraint tip: (x, y) = (4, 5.1)\n"
                          "output o = residual(tip)\n"
                          "output p = residual(tip.y)\n"
                          "output q = energy + rank + energy\n"
                          "output r = multiplier(tip).y\n"
                          "output s = start(x*y) + start(x*y)\n");
    assert_value(at_target(m, SHAPE_OUTPUT, 0), 5); // the norm
    assert_value(at_target(m, SHAPE_OUTPUT, 1), -4);
    assert_value(at_target(m, SHAPE_OUTPUT, 2), 1000 + 1001 + 1000);
    assert_int_equal(m->results.at[3].kind, RESULT_MULTIPLIER);
    assert_int_equal(m->results.at[3].first, 1);
    assert_true(shapes_of(m, SHAPE_START) >= 1);
    assert_value(at_target(m, SHAPE_START, 0), 1.1);
}

static void expectations(void **state) {
    model *m = read_model("coord x\n"
                          "expect always x < 3\n"
                          "expect finally x >= 0.5 and x < 9\n");
    assert_string_equal(m->expects.at[0].text, "x < 3");
    assert_true(m->expects.at[0].always && !m->expects.at[1].always);
    assert_value(value_of(m, 0, 0, PART_MARGIN), 2);
    assert_int_equal(m->shapes.at[1].part[PART_MARGIN], EXPR_NONE);
    assert_value(at_target(m, SHAPE_EXPECT, 1), 1);
}

// ---- loops, and what they stand for

/* `lines` with each @ as i, in a loop from 1 to turns, or as the number of the turn, one after the other. */
static model *read_turns(const char *lines, int turns, bool loop) {
    text t;
    text_init(&t, memory);
    text_add(&t, "param k = 3, L = 0.5\ncoord x[-2..9], y[-2..9], z\n");
    text_add(&t, "param c[0..9] = 1, d = 2\nlet s(a) = a^2 + z\n");
    text_print(&t, "%s", loop ? "for i in 1..5 {\n" : "");
    for (int turn = 1; turn <= (loop ? 1 : turns); turn++)
        for (const char *p = lines; *p; p++) {
            if (*p != '@')
                text_print(&t, "%c", *p);
            else if (loop)
                text_add(&t, "i");
            else
                text_print(&t, "%d", turn);
        }
    text_add(&t, loop ? "}\n" : "");
    return read_model(text_string(&t));
}

static void assert_same_shapes(const model *a, const model *b) {
    assert_int_equal(a->shapes.count, b->shapes.count);
    assert_int_equal(a->rows.count, b->rows.count);
    for (int k = 0; k < a->shapes.count; k++) {
        const shape *s = &a->shapes.at[k], *r = &b->shapes.at[k];
        assert_int_equal(s->kind, r->kind);
        assert_int_equal(s->count, r->count);
        assert_int_equal(s->slot_count, r->slot_count);
        assert_int_equal(s->number_count, r->number_count);
        for (int i = 0; i < s->count * s->slot_count; i++)
            assert_int_equal(s->slots.at[i], r->slots.at[i]);
        for (int i = 0; i < s->count; i++)
            assert_true(value_of(a, k, i, 0) == value_of(b, k, i, 0));
    }
}

static void turns_are_as_if_written_out(void **state) {
    static const char *const lines[] = {
        "kinetic k/2*(x[@]'^2 + y[@]'^2)\n",
        "potential (x[@] - x[@-1])^2 + L*y[@+1] - y[2-1]\n",
        "constraint link[@]: (x[@] - x[@-1])^2 + (y[@] - y[@-1])^2 = L^2\n",
        "constraint link[@]: x[@]' - y[@-3]' = t*z'\nconstraint other[@]: L = x[@] + x[@]*y[@]\n",
        "potential x[@]*x[2]*x[@+1] + x[3]\n", // which of them are one differs from turn to turn
        "potential -x[@]^2/(1 + y[@]^2) + x[@]*z - z^d\npotential L\n",
        "potential sum(j in 1..3: x[@-1]*y[j])\npotential 2*(sum(j in 2..3: x[j]*x[@]))/k\n",
        "potential s(x[@])*s(y[@-1]) + sin(x[@])\n",
        "constraint pair[@]: (x[@], y[@]) = (z, L)\n",
        "let a = x[@] - L\npotential a*(a + z)\n",
    };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        bool lets = lines[k][0] == 'l'; // written out they are one name several times
        model *loop = read_turns(lines[k], 5, true);
        if (lets)
            assert_value(
                total(loop, SHAPE_POTENTIAL),
                total(read_turns("potential (x[@] - L)*(x[@] - L + z)\n", 5, false), SHAPE_POTENTIAL));
        else
            assert_same_shapes(loop, read_turns(lines[k], 5, false));
    }
}

// a loop variable that is no index is another number in each turn
static void turns_have_numbers(void **state) {
    model *loop = read_turns("potential @*x[@] + c[@]*y[@-1]^2 + if(@ == 3, z, x[@])\n", 5, true);
    model *plain = read_turns("potential @*x[@] + c[@]*y[@-1]^2 + if(@ == 3, z, x[@])\n", 5, false);
    assert_value(total(loop, SHAPE_POTENTIAL), total(plain, SHAPE_POTENTIAL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(tuple_outputs_and_rows),
        TEST(rows_have_their_own_slots),
        TEST(sums),
        TEST(loops),
        TEST(shapes_do_not_grow),
        TEST(known_conditions),
        TEST(indexed_parameters),
        TEST(energies_are_taken_apart),
        TEST(turns_are_as_if_written_out),
        TEST(turns_have_numbers),
        TEST(quasi_velocities),
        TEST(results),
        TEST(expectations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
