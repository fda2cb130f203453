/* MuJoCo: trees of hinges and balls, Runge-Kutta 4 with h = 1e-3 (it has no error control; this is where P1
 * has an error of 1e-9). Loops are closed by "connect": as it comes, and hardened (PROBLEM+hard), with a time
 * constant of two steps and an impedance near 1, the stiffest setting that runs. */
#include "../joints.h"
#include "../report.h"
#include <mujoco/mujoco.h>
#include <unistd.h>

#define H 1e-3

static char folder[] = "/tmp/bench-mujoco-XXXXXX";

/* Gravity is along -y in the problems P, along -z in the problems J. */
static void write_head(FILE *f, const char *gravity) {
    fprintf(f,
            "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/>"
            "<option timestep='0.001' integrator='RK4' gravity='%s' solver='Newton' iterations='100' "
            "tolerance='1e-8'><flag contact='disable'/></option>",
            gravity);
}

/* One body after the other, each in the one before, in files of 40 each: the reader nests 100 levels and no
 * more. write opens body i. */
static void write_nested(int N, const char *gravity, void write(FILE *f, const void *c, int i),
                         const void *c) {
    enum { NEST = 40 };
    int files = (N + NEST - 1) / NEST;
    for (int k = 0; k < files; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%d.xml", folder, k);
        FILE *f = fopen(name, "w");
        int from = k * NEST, to = from + NEST < N ? from + NEST : N;
        if (k == 0)
            write_head(f, gravity);
        fprintf(f, k == 0 ? "<worldbody>" : "<mujocoinclude>");
        for (int i = from; i < to; i++)
            write(f, c, i);
        if (k + 1 < files)
            fprintf(f, "<include file='%d.xml'/>", k + 1);
        for (int i = from; i < to; i++)
            fprintf(f, "</body>");
        fprintf(f, k == 0 ? "</worldbody></mujoco>" : "</mujocoinclude>");
        fclose(f);
    }
}

static void write_particle(FILE *f, const void *c, int i) {
    (void)c;
    fprintf(f,
            "<body pos='%d 0 0'><joint type='hinge' axis='0 0 1'/>"
            "<inertial pos='1 0 0' mass='1' diaginertia='1e-12 1e-12 1e-12'/>",
            i > 0);
}

static void write_link(FILE *f, const void *c, int i) {
    const linkage *linked = c;
    const link_data *l = &linked->link[i];
    const double *p = l->at, *m = l->centre, *I = l->inertia;
    const double(*R)[3] = l->turn;
    fprintf(f,
            "<body pos='%.17g %.17g %.17g' xyaxes='%g %g %g %g %g %g'>"
            "<joint type='hinge' axis='%d %d %d' damping='%.17g'/>"
            "<inertial pos='%.17g %.17g %.17g' mass='%.17g' "
            "fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>",
            p[0], p[1], p[2], R[0][0], R[1][0], R[2][0], R[0][1], R[1][1], R[2][1], l->axis == 0,
            l->axis == 1, l->axis == 2, linked->damping, m[0], m[1], m[2], l->mass, I[0], I[1], I[2], I[3],
            I[4], I[5]);
}

static void write_linkage(const linkage *c) {
    write_nested(c->n, "0 0 -9.81", write_link, c);
}

static FILE *open_model(const char *solver, const char *gravity) {
    char name[64];
    snprintf(name, sizeof name, "%s/0.xml", folder);
    FILE *f = fopen(name, "w");
    write_head(f, gravity);
    fprintf(f, "<default><equality %s/></default><worldbody>", solver);
    return f;
}

static void write_windows(int N, const char *solver) {
    FILE *f = open_model(solver, "0 -9.81 0");
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
    FILE *f = open_model(solver, "0 -9.81 0");
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
    FILE *f = open_model("", "0 0 0");
    fprintf(f, "<body><joint type='ball'/><inertial pos='0 0 0' mass='1' diaginertia='1 2 "
               "3'/></body></worldbody></mujoco>");
    fclose(f);
}

/* A leg's crank and rod are a tree, and so is the platform; the rods' ends are connected to the pins. */
static void write_platform(const char *solver) {
    const platform p = joints_platform();
    FILE *f = open_model(solver, "0 0 -9.81");
    for (int i = 0; i < LEGS; i++) {
        double x[3], y[3], d[3];
        const double *at = p.shaft[i], *c = p.crank_inertia, *r = p.rod_inertia;
        joints_crank_axes(&p, i, x, y);
        joints_rod_direction(&p, i, d);
        fprintf(f,
                "<body pos='%.17g %.17g %.17g' xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g'>"
                "<joint type='hinge' axis='0 -1 0' stiffness='%.17g'/>"
                "<inertial pos='%.17g 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
                at[0], at[1], at[2], x[0], x[1], x[2], y[0], y[1], y[2], p.stiffness[i], p.crank / 2,
                p.crank_mass, c[0], c[1], c[2]);
        fprintf(f,
                "<body name='rod%d' pos='%.17g 0 0' zaxis='%.17g %.17g %.17g'><joint type='ball'/>"
                "<inertial pos='0 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
                "<site name='e%d' pos='0 0 %.17g'/></body></body>",
                i + 1, p.crank, d[0], d[1], d[2], p.rod / 2, p.rod_mass, r[0], r[1], r[2], i + 1, p.rod);
    }
    fprintf(f,
            "<body name='platform' pos='0 0 %.17g'><joint type='free'/>"
            "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
            PLATFORM_HEIGHT, p.mass, p.inertia[0], p.inertia[1], p.inertia[2]);
    for (int i = 0; i < LEGS; i++)
        fprintf(f, "<site name='t%d' pos='%.17g %.17g %.17g'/>", i + 1, p.pin[i][0], p.pin[i][1],
                p.pin[i][2]);
    fprintf(f, "</body></worldbody><equality>");
    for (int i = 1; i <= LEGS; i++)
        fprintf(f, "<connect body1='rod%d' body2='platform' anchor='0 0 %.17g'/>", i, p.rod);
    fprintf(f, "</equality></mujoco>");
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
    if (j->problem[0] == 'j' && j->problem[1] != '3') {
        memcpy(out, d->qpos, sizeof(double) * m->nq);
        return m->nq;
    }
    if (j->problem[0] == 'j') {
        memcpy(out, d->xpos + 3 * mj_name2id(m, mjOBJ_BODY, "platform"), sizeof(double) * 3);
        memcpy(out + 3, d->site_xpos + 3 * mj_name2id(m, mjOBJ_SITE, "t1"), sizeof(double) * 3);
        return 6;
    }
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
    if (j->problem[0] == 'j') {
        const linkage c = joints_chain(m->nv);
        for (int i = 0; i < m->nv && j->problem[1] == '1'; i++)
            d->qvel[i] = c.link[i].rate;
        return;
    }
    if (j->problem[1] == '3')
        for (int i = 0; i < m->nv; i++) // sides turn with -1, couplers back
            d->qvel[i] = i % 2 && i < m->nv ? 1 : -1;
    if (j->problem[1] == '5')
        d->qvel[0] = 0.01, d->qvel[1] = 5, d->qvel[2] = 0.01;
}

/* Writes the model. Returns when it ends, or 0 where there is no such problem. */
static double write_problem(const job *j) {
    const char *solver = strchr(j->problem, '+') ? "solref='0.002 1' solimp='0.9999 0.9999 0.001'" : "";
    if (strncmp(j->problem, "j1", 2) == 0 || strncmp(j->problem, "j2", 2) == 0) {
        const linkage c = j->problem[1] == '1' ? joints_chain(j->n) : joints_arm();
        return write_linkage(&c), c.end;
    }
    if (strncmp(j->problem, "j3", 2) == 0)
        return write_platform(solver), PLATFORM_END;
    if (j->problem[0] != 'p')
        return 0;
    switch (j->problem[1]) {
    case '1':
        return write_nested(2, "0 -9.81 0", write_particle, NULL), 10;
    case '2':
        return write_nested(j->n, "0 -9.81 0", write_particle, NULL), 1;
    case '3':
        return write_windows(j->n, solver), 10;
    case '4':
        return write_bricard(solver), 10;
    case '5':
        return write_body(), 100;
    default:
        return 0;
    }
}

int main(int argc, char **argv) {
    job j = job_read(argc, argv);
    if (!mkdtemp(folder))
        return 1;
    double end = write_problem(&j);
    if (end == 0)
        return rmdir(folder), job_unknown(&j);
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
    double values[LINKS_MOST], worst = gap(m, d);
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
