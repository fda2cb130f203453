/* MuJoCo: trees of hinges, Runge-Kutta 4 with h = 1e-3 (it has no error control; this is where P1 has an
 * error of 1e-9). Loops are closed by "connect": as it comes, and hardened (PROBLEM+hard), with a time
 * constant of two steps and an impedance near 1, the stiffest setting that runs. */
#include "../report.h"
#include <mujoco/mujoco.h>
#include <unistd.h>

#define H 1e-3

static const char head[] =
    "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/>"
    "<option timestep='0.001' integrator='RK4' gravity='0 -9.81 0' solver='Newton' iterations='100' "
    "tolerance='1e-8'><flag contact='disable'/></option>";
static char folder[] = "/tmp/bench-mujoco-XXXXXX";

/* The chain, in files of 40 nested bodies each: the reader nests 100 levels and no more. */
static void write_chain(int N) {
    enum { NEST = 40 };
    int files = (N + NEST - 1) / NEST;
    for (int k = 0; k < files; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%d.xml", folder, k);
        FILE *f = fopen(name, "w");
        int from = k * NEST, to = from + NEST < N ? from + NEST : N;
        if (k == 0)
            fprintf(f, "%s<worldbody>", head);
        else
            fprintf(f, "<mujocoinclude>");
        for (int i = from; i < to; i++)
            fprintf(f,
                    "<body pos='%d 0 0'><joint type='hinge' axis='0 0 1'/>"
                    "<inertial pos='1 0 0' mass='1' diaginertia='1e-12 1e-12 1e-12'/>",
                    i > 0);
        if (k + 1 < files)
            fprintf(f, "<include file='%d.xml'/>", k + 1);
        for (int i = from; i < to; i++)
            fprintf(f, "</body>");
        fprintf(f, k == 0 ? "</worldbody></mujoco>" : "</mujocoinclude>");
        fclose(f);
    }
}

static FILE *open_model(const char *solver) {
    char name[64];
    snprintf(name, sizeof name, "%s/0.xml", folder);
    FILE *f = fopen(name, "w");
    fprintf(f, "%s<default><equality %s/></default><worldbody>", head, solver);
    return f;
}

static void write_windows(int N, const char *solver) {
    FILE *f = open_model(solver);
    for (int i = 0; i <= N; i++) {
        fprintf(f,
                "<body name='s%d' pos='%d 0 0'><joint type='hinge' axis='0 0 1'/>"
                "<inertial pos='0 0.5 0' mass='1' diaginertia='0.0833333333333333333 1e-3 "
                "0.0833333333333333333'/>"
                "<site name='t%d' pos='0 1 0'/>",
                i, i, i);
        if (i < N)
            fprintf(f,
                    "<body name='c%d' pos='0 1 0'><joint type='hinge' axis='0 0 1'/><inertial pos='0.5 0 0' "
                    "mass='1' "
                    "diaginertia='1e-3 0.0833333333333333333 0.0833333333333333333'/><site name='e%d' pos='1 "
                    "0 0'/></body>",
                    i + 1, i + 1);
        fprintf(f, "</body>");
    }
    fprintf(f, "</worldbody><equality>");
    for (int i = 1; i <= N; i++)
        fprintf(f, "<connect body1='c%d' body2='s%d' anchor='1 0 0'/>", i, i);
    fprintf(f, "</equality></mujoco>");
    fclose(f);
}

static void write_bricard(const char *solver) {
    static const char *place[] = {"0 0 0", "1 0 0", "0 -1 0", "0 0 1", "-1 0 0"};
    static const char *axis[] = {"0 1 0", "0 0 1", "1 0 0", "0 1 0", "0 0 1"};
    static const char *centre[] = {"0.5 0 0", "0 -0.5 0", "0 0 0.5", "-0.5 0 0", "0 0.5 0"};
    static const int along[] = {0, 1, 2, 0, 1};
    FILE *f = open_model(solver);
    for (int i = 0; i < 5; i++) {
        double J[3] = {1.01 / 12, 1.01 / 12, 1.01 / 12};
        J[along[i]] = 1.0 / 600;
        fprintf(f,
                "<body name='b%d' pos='%s'><joint type='hinge' axis='%s'/><inertial pos='%s' mass='1' "
                "diaginertia='%.17g %.17g %.17g'/>",
                i, place[i], axis[i], centre[i], J[0], J[1], J[2]);
        if (i == 1)
            fprintf(f, "<site name='P3' pos='0 -1 0'/>");
    }
    // the last hinge: two points of its axis, (0, 0, 1) and (1, 0, 1)
    fprintf(f, "<site name='e1' pos='0 1 0'/></body></body></body></body></body><site name='t1' pos='0 0 "
               "1'/></worldbody>"
               "<equality><connect body1='b4' anchor='0 1 0'/><connect body1='b4' anchor='1 1 "
               "0'/></equality></mujoco>");
    fclose(f);
}

static void write_body(void) {
    FILE *f = open_model("");
    fprintf(f, "<body><joint type='ball'/><inertial pos='0 0 0' mass='1' diaginertia='1 2 "
               "3'/></body></worldbody></mujoco>");
    fclose(f);
}

/* Largest distance between the points that a loop's closure holds together. */
static double gap(const mjModel *m, const mjData *d) {
    double worst = -1;
    for (int i = 1;; i++) {
        char name[32];
        snprintf(name, sizeof name, "e%d", i);
        int e = mj_name2id(m, mjOBJ_SITE, name);
        name[0] = 't';
        int t = mj_name2id(m, mjOBJ_SITE, name);
        if (e < 0 || t < 0)
            return worst;
        double x[3];
        for (int k = 0; k < 3; k++)
            x[k] = d->site_xpos[3 * e + k] - d->site_xpos[3 * t + k];
        worst = fmax(worst, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
}

static int values_of(const job *j, const mjModel *m, const mjData *d, double *out) {
    if (j->problem[1] == '1' || j->problem[1] == '2') {
        int N = m->nbody - 1, near = N > 2 ? 3 : 1;
        for (int k = 0; k < 2; k++)
            out[k] = d->xipos[3 * near + k], out[2 + k] = d->xipos[3 * N + k];
        return 4;
    }
    if (j->problem[1] == '3') {
        char last[32];
        snprintf(last, sizeof last, "t%d", j->n);
        int a = mj_name2id(m, mjOBJ_SITE, "t0"), b = mj_name2id(m, mjOBJ_SITE, last);
        for (int k = 0; k < 2; k++)
            out[k] = d->site_xpos[3 * a + k], out[2 + k] = d->site_xpos[3 * b + k];
        return 4;
    }
    const double *from = j->problem[1] == '4' ? d->site_xpos + 3 * mj_name2id(m, mjOBJ_SITE, "P3") : d->qvel;
    for (int k = 0; k < 3; k++)
        out[k] = from[k];
    return 3;
}

static void start(const job *j, const mjModel *m, mjData *d) {
    mj_resetData(m, d);
    if (j->problem[1] == '3')
        for (int i = 0; i < m->nv; i++) // sides turn with -1, couplers back
            d->qvel[i] = i % 2 && i < m->nv ? 1 : -1;
    if (j->problem[1] == '5')
        d->qvel[0] = 0.01, d->qvel[1] = 5, d->qvel[2] = 0.01;
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    const char *solver = strchr(j.problem, '+') ? "solref='0.002 1' solimp='0.9999 0.9999 0.001'" : "";
    double end = 10;
    if (!mkdtemp(folder))
        return 1;
    switch (j.problem[1]) {
    case '1':
        write_chain(2);
        break;
    case '2':
        write_chain(j.n), end = 1;
        break;
    case '3':
        write_windows(j.n, solver);
        break;
    case '4':
        write_bricard(solver);
        break;
    case '5':
        write_body(), end = 100;
        break;
    default:
        return job_unknown(&j);
    }
    char error[500] = "", name[64];
    snprintf(name, sizeof name, "%s/0.xml", folder);
    mjModel *m = mj_loadXML(name, NULL, error, sizeof error);
    for (int k = 0; k <= j.n / 40 + 1; k++) {
        snprintf(name, sizeof name, "%s/%d.xml", folder, k);
        unlink(name);
    }
    rmdir(folder);
    if (!m)
        return fprintf(stderr, "%s\n", error), 1;
    mjData *d = mj_makeData(m);
    long steps = lround(end / H);
    while (job_more(&j)) {
        start(&j, m, d);
        job_start(&j);
        for (long i = 0; i < steps; i++)
            mj_step(m, d);
        job_stop(&j);
    }
    mj_forward(m, d);
    double values[4], worst = gap(m, d);
    int count = values_of(&j, m, d, values);
    if (j.repeats > 1 && worst >= 0) {
        start(&j, m, d);
        for (long i = 0; i < steps; i++) {
            mj_step(m, d);
            worst = fmax(worst, gap(m, d));
        }
    }
    job_print(&j, 4.0 * steps, values, count, worst);
    return 0;
}
