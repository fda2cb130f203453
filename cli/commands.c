#include "commands.h"

#include <stddef.h>
#include <string.h>

enum {
    NEW,
    RUN,
    CHECK,
    EQUATIONS,
    COMPARE,
    LINEARIZE,
    EQUILIBRIUM,
    PLOT,
    REPORT,
    VIEW,
    PLAYGROUND,
    SWEEP,
    EMIT,
    IMPORT,
    COMPLETION,
    HELP
};

const command command_table[] = {
    [NEW] = {"new", "trammel new FILE", "write a short commented model to start from",
             "It never overwrites a file.", "", false},
    [RUN] = {"run", "trammel run FILE", "assemble, simulate, summarise",
             "The summary has degrees of freedom, steps, the worst residual and the constraint it belongs "
             "to, energy "
             "drift or balance with the work done, expectations, and the time taken; with 'stop when' in the "
             "model, also the instant at "
             "which it "
             "ended and why.",
             ".tram", false},
    [CHECK] =
        {"check", "trammel check FILE", "say everything that can be said without simulating",
         "Coordinates, degrees of freedom, the ranks of A and of [M; A], redundant constraints and joints "
         "and "
         "what each of them depends on, which reactions are unique, the power of each constraint's force, "
         "whether the initial values fit the constraints, and what the assembly moved.",
         ".tram", false},
    [EQUATIONS] = {"equations", "trammel equations FILE", "print the derived M, Q, A, b",
                   "And G and C where the model has them; in quasi-velocities M_s, S, A_s, b_s, too.",
                   ".tram", false},
    [COMPARE] =
        {"compare", "trammel compare FILE", "hold the papers' formulations against each other",
         "The acceleration and the constraint force by every formulation, the largest difference between any "
         "two, the family of multipliers, Gibbs and Appell's equation, and a certificate of the result.",
         ".tram", false},
    [LINEARIZE] =
        {"linearize", "trammel linearize FILE",
         "the linear system about the start, with eigenvalues and modes",
         "About the assembled start, an equilibrium or a state of a steady motion, in independent "
         "coordinates; eigenvalues with the largest real parts first. A start that belongs to no steady "
         "motion is warned of.",
         ".tram", false},
    [EQUILIBRIUM] = {"equilibrium", "trammel equilibrium FILE",
                     "where the system rests, whether that is stable, and the forces",
                     "Near the start, which is the guess: a rest, or a steady motion if the start has the "
                     "velocities of one. "
                     "Directions in which it may be moved freely are named. Exit code 3 if there is none, "
                     "with the nearest "
                     "approach.",
                     ".tram", false},
    [PLOT] = {"plot", "trammel plot FILE", "the model's plots as pictures",
              "gnuplot draws them: NAME-1.svg and so on, and NAME.svg with all of them. Exit code 2 if it is "
              "missing. With --vary, as of 'trammel sweep', NAME-cases.svg alone: each output over the time, "
              "a curve for "
              "each case.",
              ".tram", false},
    [REPORT] =
        {"report", "trammel report FILE", "one page with summary, plots and animation",
         "The page needs no network and no other file. It has sliders for the parameters, and runs the model "
         "itself when they are moved; not where the run took longer than 5 s, or by what a page does not "
         "have. Of NAME.sweep, and with --vary, a page of all cases, in which one that is pointed at is run.",
         ".tram", false},
    [VIEW] =
        {"view", "trammel view FILE", "that page, served, with sliders",
         "It prints the address of the page, which only this machine can open, and serves it until Ctrl-C. A "
         "run that takes longer than 10 s is given up.",
         ".tram", false},
    [PLAYGROUND] = {"playground", "trammel playground [FILE]", "a page in which a model is edited and run",
                    "One file, which needs no network and no program: the model is run in the browser, and "
                    "leaves it with a "
                    "link alone. It begins with FILE, or with the model of 'trammel new'.",
                    ".tram", false},
    [SWEEP] =
        {"sweep", "trammel sweep FILE --vary NAME=VALUES", "many runs, over values of parameters",
         "Values are FROM:TO:COUNT, log(FROM:TO:COUNT) or 1,2,5; all are combined with all, or stand side "
         "by side (--zip). Drawn by --lhs, --sobol or --random they are FROM:TO, log(FROM:TO) or "
         "normal(MEAN,DEVIATION). While it runs, NAME.sweep keeps what was found, so that --continue loses "
         "nothing; at the end NAME.csv has a row for each case, and NAME.h5 the same where libhdf5 is "
         "there. Exit code 1 if an expectation fails in some case, 3 if some have no solution.",
         ".tram", false},
    [EMIT] = {"emit", "trammel emit c FILE",
              "the model as C99 without a dependency, for a program or a controller",
              "NAME.h, NAME.c and NAME_main.c, by the name of the model's file: accelerations and forces, "
              "projection, a "
              "step, outputs and controls, with all memory in one struct. Prints how much memory and code "
              "that takes. "
              "What cannot be emitted is refused with its reason.",
              ".tram", false},
    [IMPORT] = {"import", "trammel import FILE", "a model from a robot description: URDF, SDF or MJCF",
                "What the file begins with tells its format: <robot>, <sdf> or <mujoco>. What has no place "
                "in a model is listed on standard error, once for each kind of element. Needs "
                "libxml2, which is loaded then.",
                "", false},
    [COMPLETION] = {"completion", "trammel completion SHELL",
                    "a script with which bash, zsh or fish completes command lines",
                    "'make install' puts them where the shells look.", NULL, false},
    [HELP] = {"help", "trammel help [COMMAND]", "list the commands, or explain one", NULL, NULL, false},
    {NULL, NULL, NULL, NULL, NULL, false},
};

#define OF(c) (1u << (c))
enum {
    OF_SIMULATING = OF(RUN) | OF(PLOT) | OF(REPORT) | OF(VIEW) | OF(SWEEP),
    OF_CASES = OF(SWEEP) | OF(PLOT) | OF(REPORT),
    OF_MODELS =
        OF_SIMULATING | OF(CHECK) | OF(EQUATIONS) | OF(COMPARE) | OF(LINEARIZE) | OF(EQUILIBRIUM) | OF(EMIT)
};

static trm_choice keep_at(int i) {
    static const trm_choice kept[] = {{"final", "the end"}, {"samples", "all samples"}, {NULL, NULL}};
    return kept[i];
}

static trm_choice format_at(int i) {
    static const trm_choice formats[] = {
        {"svg", "for pages and papers"}, {"png", "pixels"}, {"pdf", "for papers"}, {NULL, NULL}};
    return formats[i];
}

static trm_choice style_at(int i) {
    static const trm_choice styles[] = {
        {"solid", "with colours and light"}, {"lines", "as in a textbook: black on white"}, {NULL, NULL}};
    return styles[i];
}

static trm_choice view_at(int i) {
    static const trm_choice views[] = {{"iso", "from a corner, as of models in space"},
                                       {"front", "as of models in the plane"},
                                       {"top", "from above"},
                                       {"side", "from the right"},
                                       {NULL, NULL}};
    return views[i];
}

const option option_table[] = {
    {"--vary", VALUE_ANY, "NAME=VALUES", OF_CASES, false, "what is varied, as L=0.5:2:16; may be repeated",
     "Numbers are expressions in the model's parameters. In a grid the last one varies fastest.", NULL},
    {"--zip", VALUE_NONE, NULL, OF_CASES, false, "values side by side, in place of all combinations", NULL,
     NULL},
    {"--lhs", VALUE_ANY, "N", OF_CASES, false, "draw N cases as a Latin hypercube",
     "Each parameter has one value in each of N equal parts of its range.", NULL},
    {"--sobol", VALUE_ANY, "N", OF_CASES, false, "the first N cases of Sobol's sequence",
     "At most 21 parameters; a power of 2 is best.", NULL},
    {"--random", VALUE_ANY, "N", OF_CASES, false, "draw N cases, each for itself", NULL, NULL},
    {"--seed", VALUE_ANY, "N", OF_CASES, false, "another seed for --lhs and --random; 0 if it is not given",
     NULL, NULL},
    {"--cases", VALUE_FILE, "FILE.csv", OF_CASES, false, "cases from a file: a line of names, then numbers",
     NULL, NULL},
    {"--keep", VALUE_CHOICE, "WHAT", OF(SWEEP), false, "what is kept of each case", NULL, keep_at},
    {"--threads", VALUE_ANY, "N", OF_CASES, false, "how many; one for each processor if it is not given",
     "No result depends on it.", NULL},
    {"--timeout", VALUE_ANY, "SECONDS", OF(SWEEP), false, "give a case up after so long", NULL, NULL},
    {"--stop-after", VALUE_ANY, "N", OF(SWEEP), false, "stop when N cases failed", NULL, NULL},
    {"--continue", VALUE_FILE, "NAME.sweep", OF(SWEEP), false, "go on with a sweep that was broken off",
     "In place of FILE. Cases that were out of time or memory are tried again.", NULL},
    {"--export", VALUE_FILE, "NAME.sweep", OF(SWEEP), false, "write what is there, to -o NAME.csv or NAME.h5",
     "In place of FILE. Nothing is run.", NULL},
    {"--tidy", VALUE_NONE, NULL, OF(SWEEP), false, "remove the folder NAME.sweep at the end", NULL, NULL},
    {"--at", VALUE_ANY, "STATE", OF(LINEARIZE), false, "start, equilibrium, or a time: about which state",
     "The equilibrium is that of 'trammel equilibrium'; to a time, an expression, the model is run.", NULL},
    {"--inputs", VALUE_ANY, "LIST", OF(LINEARIZE), false,
     "inputs, with commas between: torque(J), drive(J), x, NAME",
     "torque(J), force(J): in a joint; torque(B).x, force(B).x: on a body, the torque in its own axes; x: on "
     "a coordinate; NAME: a parameter "
     "of masses or forces; drive(J): what a drive prescribes, its acceleration being the input.",
     NULL},
    {"--outputs", VALUE_ANY, "LIST", OF(LINEARIZE), false,
     "outputs, with commas between: expressions as in the model",
     "Positions, velocities, accelerations, results such as reaction(J).z; names of outputs of the model.",
     NULL},
    {"--until", VALUE_ANY, "E", OF_SIMULATING | OF(COMPARE), false,
     "end time, in place of the model's 'simulate until'",
     "An expression in the model's parameters. Where it equals the start, the model is evaluated once.",
     NULL},
    {"--every", VALUE_ANY, "E", OF_SIMULATING | OF(COMPARE), false, "time between samples",
     "Where it exceeds the whole span, the two ends are sampled.", NULL},
    {"--tolerance", VALUE_ANY, "E", OF_SIMULATING | OF(COMPARE), false,
     "relative and absolute tolerance (1e-9 if the model gives none)",
     "To which constraints are held and the motion is integrated; at least 1e-14 and below 1.", NULL},
    {"--tolerance", VALUE_ANY, "E", OF(CHECK) | OF(LINEARIZE) | OF(EQUILIBRIUM), false,
     "how well the start must satisfy the constraints", NULL, NULL},
    {"--rank-tolerance", VALUE_ANY, "E",
     OF_SIMULATING | OF(COMPARE) | OF(CHECK) | OF(LINEARIZE) | OF(EQUILIBRIUM), false,
     "remainder below which a constraint depends on the others",
     "Of a row at unit length, once the others are taken out of it, in natural units. If it is not given it "
     "follows from the tolerance, and from how far the state may be off the constraints.",
     NULL},
    {"--integrator", VALUE_CHOICE, "NAME", OF_SIMULATING | OF(COMPARE), false, "how time is stepped", NULL,
     trm_integrator_at},
    {"--formulation", VALUE_CHOICE, "NAME", OF_SIMULATING, false,
     "how accelerations are computed: the default, or one of the papers' formulations", NULL,
     trm_formulation_at},
    {"--choice", VALUE_ANY, "NAME=EXPR", OF_SIMULATING | OF(COMPARE), false,
     "what the formulation leaves open; may be repeated",
     "The motion does not depend on it. A SEED in brackets, as in random(7), makes another arbitrary one.",
     trm_paper_choice_at},
    {"--coordinates", VALUE_CHOICE, "NAME", OF_SIMULATING | OF(CHECK) | OF(EMIT), false,
     "in which bodies and joints are integrated",
     "In place of the model's 'coordinates'. What is shown is the same.", trm_coordinates_at},
    {"--exact", VALUE_NONE, NULL, OF_SIMULATING | OF(COMPARE), false,
     "scalar libm everywhere: the same bits on every machine", NULL, NULL},
    {"--along", VALUE_NONE, NULL, OF(COMPARE), false, "at every sample of the run instead of the start", NULL,
     NULL},
    {"--profile", VALUE_NONE, NULL, OF(RUN), false, "where the time went", NULL, NULL},
    {"--plot", VALUE_NONE, NULL, OF(RUN), false, "the model's plots, drawn with characters", NULL, NULL},
    {"--plot", VALUE_NONE, NULL, OF(SWEEP), false, "a picture, NAME.svg, by gnuplot",
     "Curves over one parameter, heat maps over two of a grid, dots over those that were drawn; with --keep "
     "samples all "
     "curves over the time.",
     NULL},
    {"--json", VALUE_NONE, NULL,
     OF(RUN) | OF(SWEEP) | OF(CHECK) | OF(COMPARE) | OF(LINEARIZE) | OF(EQUILIBRIUM), false,
     "the result as one JSON object on standard output", "And nothing else there.", NULL},
    {"--latex", VALUE_NONE, NULL, OF(EQUATIONS), false, "as LaTeX instead of text", NULL, NULL},
    {"--expand", VALUE_NONE, NULL, OF(EQUATIONS), false, "bodies in their coordinates, with M, Q, A and b",
     "Without it each body has Newton's and Euler's equations, and each joint what it holds.", NULL},
    {"--mathml", VALUE_NONE, NULL, OF(EQUATIONS), false, "as MathML, for web pages", NULL, NULL},
    {"-o", VALUE_FILE, "FILE.csv", OF(RUN), false, "write the samples, - for standard output",
     "The time, coordinates, velocities, quasi-velocities, outputs, the reaction of each coordinate and the "
     "residual of "
     "each constraint, one line per sample, the last at the end time exactly.",
     NULL},
    {"-o", VALUE_FILE, "FILE.tram", OF(EQUILIBRIUM), false, "write a model that starts there",
     "It includes FILE and gives other initial values: it can be run as it is. Parameters given by --set are "
     "not "
     "in it.",
     NULL},
    {"-o", VALUE_FILE, "FILE.csv", OF(LINEARIZE), false, "write A, B, C, D as one table",
     "A line for the rate of each state, then one for each output; columns are states, then inputs.", NULL},
    {"-o", VALUE_FILE, "NAME", OF(SWEEP), false,
     "what the folder and the files are called; else as the model",
     "With --export the one file that is to be written, - for standard output.", NULL},
    {"-o", VALUE_FILE, "FOLDER", OF(PLOT), false, "where the pictures go; NAME-plots if it is not given",
     "With --scene and --animate the picture's file, whose ending says its format.", NULL},
    {"-o", VALUE_FILE, "FILE.html", OF(REPORT), false, "where the page goes; NAME.html if it is not given",
     NULL, NULL},
    {"-o", VALUE_FILE, "FILE.html", OF(PLAYGROUND), false,
     "where the page goes; playground.html if it is not given", NULL, NULL},
    {"-o", VALUE_FILE, "FILE.tram", OF(IMPORT), false,
     "where the model goes, - for standard output; NAME.tram beside the robot if it is not given",
     "That one is not overwritten.", NULL},
    {"-o", VALUE_FILE, "FOLDER", OF(EMIT), false,
     "where the files go; one of the model's name if it is not given", "It is made if it is not there.",
     NULL},
    {"--prefix", VALUE_ANY, "NAME", OF(EMIT), false,
     "what files and functions begin with; the name of the model's file if it is not given",
     "An identifier of C.", NULL},
    {"--solver", VALUE_CHOICE, "NAME", OF(EMIT), false, "how accelerations are solved for",
     "Without the general solver it is smaller, and says where it is not sure.", trm_emit_solver_at},
    {"--jacobian", VALUE_NONE, NULL, OF(EMIT), false, "the derivatives of the acceleration, too", NULL, NULL},
    {"--no-main", VALUE_NONE, NULL, OF(EMIT), false, "without the program that prints samples", NULL, NULL},
    {"--float", VALUE_NONE, NULL, OF(EMIT), false, "in single precision", "What accuracy remains is printed.",
     NULL},
    {"--no-engine", VALUE_NONE, NULL, OF(REPORT), false,
     "without what runs the model in the page: no sliders", "The page is 0.6 MB smaller then.", NULL},
    {"--format", VALUE_CHOICE, "FORMAT", OF(PLOT), false, "of the pictures", NULL, format_at},
    {"--scene", VALUE_ANY, "T1,T2,...", OF(PLOT), false,
     "what moves, at these times side by side, in place of plots",
     "As SVG and PDF, drawn by the program itself: NAME-scene, or as -o says.", NULL},
    {"--animate", VALUE_NONE, NULL, OF(PLOT), false, "what moves, as a moving picture, in place of plots",
     "An SVG that plays by itself, also where a page shows it as a picture: NAME-film.svg, or as -o says: "
     ".gif; "
     ".mp4 and .webm by ffmpeg.",
     NULL},
    {"--style", VALUE_CHOICE, "STYLE", OF(PLOT), false, "of --scene and --animate", NULL, style_at},
    {"--view", VALUE_CHOICE, "VIEW", OF(PLOT), false, "from where --scene and --animate see it", NULL,
     view_at},
    {"--width", VALUE_ANY, "MM", OF(PLOT), false, "how wide a plot is; 85 if it is not given",
     "The picture with all of them has one or two beside each other.", NULL},
    {"--height", VALUE_ANY, "MM", OF(PLOT), false, "how high it is; what it needs if it is not given", NULL,
     NULL},
    {"--font-size", VALUE_ANY, "PT", OF(PLOT), false, "of the letters; 8 if it is not given", NULL, NULL},
    {"--no-browser", VALUE_NONE, NULL, OF(VIEW), false, "only print the address",
     "Else it is opened in the browser, where there is a desktop and a terminal.", NULL},
    {"--port", VALUE_ANY, "N", OF(VIEW), false, "the port; without it the system chooses one", NULL, NULL},
    {"--loops", VALUE_FILE, "FILE", OF(IMPORT), false,
     "add the statements of FILE, such as joints that close loops",
     "Points are in world axes, with all joints at their start.", NULL},
    {"--free-base", VALUE_NONE, NULL, OF(IMPORT), false,
     "let the base of the robot move; else it is the ground", NULL, NULL},
    {"--set", VALUE_ANY, "NAME=EXPR", OF_MODELS, true, "give a parameter another value; may be repeated",
     NULL, NULL},
    {"--quiet", VALUE_NONE, NULL, OF_MODELS | OF(NEW) | OF(IMPORT) | OF(PLAYGROUND), true,
     "errors only: no summary, no warnings", NULL, NULL},
    {"--help", VALUE_NONE, NULL, 0, true, "what 'trammel help' says", NULL, NULL},
    {"--version", VALUE_NONE, NULL, 0, true,
     "the version, the kernels that suit this processor, and the optional parts that are built in", NULL,
     NULL},
    {NULL, VALUE_NONE, NULL, 0, false, NULL, NULL, NULL},
};
_Static_assert(sizeof option_table / sizeof *option_table <= OPTIONS_MOST, "more options than are noted");

const command *command_find(const char *name) {
    for (const command *c = command_table; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const option *option_find(const char *name) {
    for (const option *o = option_table; o->name; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

bool option_is_of(const option *o, const command *c) {
    return c && o->of & OF(c - command_table);
}
