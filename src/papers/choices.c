/* What the papers leave open, by the names of docs/papers. A formulation that gets a new freedom has a line
 * here; the command line, its help and its messages take it from there. */
#include "papers/papers.h"

static const choice_variant z_variants[] = {{"special", false}, {"random", true}, {NULL, false}};
static const choice_variant g_inverses[] = {
    {"moore-penrose", false}, {"random", true}, {"block", false}, {"metric", true}, {NULL, false}};
static const choice_variant least_squares_inverses[] = {{"moore-penrose", false},
                                                        {"random", true},
                                                        {"normal-equations", true},
                                                        {"columns", false},
                                                        {NULL, false}};
static const choice_variant inverses14[] = {
    {"rows", false},    {"random", true},         {"normal-equations", true},
    {"weighted", true}, {"moore-penrose", false}, {NULL, false}};
static const choice_variant bases[] = {{"orthonormal", false}, {"random", true}, {NULL, false}};

#define AT(member) offsetof(paper_choice, member)
const open_choice open_choices[OPEN_CHOICES] = {
    {"alpha", "of auxiliary (002): a number but 0, for M + alpha^2 A+A", &paper_auxiliary, NULL, AT(alpha),
     0},
    {"z", "of auxiliary (002): special (alpha^2 b), random, a number, or a tuple of one for each row",
     &paper_auxiliary, z_variants, AT(z), 1},
    {"g-inverse", "of gauss (001), of the constraints: moore-penrose, random, block, metric", &paper_gauss,
     g_inverses, AT(g_inverse), 0},
    {"least-squares", "of gauss (001), of H: moore-penrose, random, normal-equations, columns", &paper_gauss,
     least_squares_inverses, AT(least_squares), 0},
    {"inverse14", "of inverse14 (004): rows, random, normal-equations, weighted, moore-penrose",
     &paper_inverse14, inverses14, AT(inverse14), 0},
    {"V", "of dalembert (003), a basis: orthonormal, random, or a matrix to multiply that with",
     &paper_dalembert, bases, AT(basis), 2},
};

static const double NOTHING[] = {0};
const choice_trial choice_trials[CHOICE_TRIALS] = {
    {&paper_auxiliary, "alpha=0.1", {.alpha = 0.1}},
    {&paper_auxiliary, "alpha=10", {.alpha = 10}},
    {&paper_auxiliary, "z=0", {.z = Z_GIVEN, .z_given = NOTHING, .z_count = 1}},
    {&paper_auxiliary, "z=random(1)", {.z = Z_RANDOM, .seed = 1}},
    {&paper_gauss, "g-inverse=random(1)", {.g_inverse = SHIFTED, .seed = 1}},
    {&paper_gauss, "g-inverse=block", {.g_inverse = OF_BLOCK}},
    {&paper_gauss, "g-inverse=metric(1)", {.g_inverse = IN_METRIC, .seed = 1}},
    {&paper_gauss, "least-squares=random(1)", {.least_squares = LS_SHIFTED, .seed = 1}},
    {&paper_gauss, "least-squares=normal-equations(1)", {.least_squares = LS_NORMAL, .seed = 1}},
    {&paper_gauss, "least-squares=columns", {.least_squares = LS_COLUMNS}},
    {&paper_inverse14, "inverse14=random(1)", {.inverse14 = X_SHIFTED, .seed = 1}},
    {&paper_inverse14, "inverse14=normal-equations(1)", {.inverse14 = X_NORMAL, .seed = 1}},
    {&paper_inverse14, "inverse14=weighted(1)", {.inverse14 = X_WEIGHTED, .seed = 1}},
    {&paper_inverse14, "inverse14=moore-penrose", {.inverse14 = X_MOORE_PENROSE}},
    {&paper_dalembert, "V=random(1)", {.basis = BASIS_RANDOM, .seed = 1}},
};
