/* The pool of expressions, cut back to what it was. */
#include "expr/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { OLD = 300, YOUNG = 5000 }; // the table grows in between

static expr sum(expr_pool *pool, int i) {
    return expr_op2(pool, OP_ADD, expr_symbol(pool, SYM_P, i), expr_number(pool, i + 0.5));
}

// what was there is found again, what came after is made anew, in the same places
static void cut_back(void **state) {
    arena *a = arena_new(0);
    expr_pool *pool = expr_pool_new(a);
    expr old[OLD], young[YOUNG];
    for (int i = 0; i < OLD; i++)
        old[i] = sum(pool, i);
    int size = expr_pool_size(pool);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < YOUNG; i++) {
            expr e = sum(pool, OLD + i);
            assert_true(e >= (expr)size && (round == 0 || e == young[i]));
            young[i] = e;
        }
        expr_pool_truncate(pool, size);
        assert_int_equal(expr_pool_size(pool), size);
        for (int i = 0; i < OLD; i++)
            assert_true(sum(pool, i) == old[i]);
        assert_int_equal(expr_pool_size(pool), size);
    }
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cut_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
