/* What MuJoCo says of a robot: first its joints, then for each state on standard input (qpos, qvel) the
 * accelerations. MuJoCo holds constraints softly; those of an equality are computed here, from its matrices,
 * as if they were held: M a = f + J'l, J a = -J'v, least l where rows are redundant.
 *
 * Usage: mujoco FILE.xml, or FILE.urdf */
#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe(const mjModel *m) {
    printf("%d %d\n", m->nq, m->nv);
    for (int j = 0; j < m->njnt; j++) {
        int body = m->jnt_bodyid[j], parent = m->body_parentid[body];
        const double *c = m->body_ipos + 3 * body;
        printf("%s %d %d %d %s %s %.17g %.17g %.17g %.17g\n", m->names + m->name_jntadr[j], m->jnt_type[j],
               m->jnt_qposadr[j], m->jnt_dofadr[j], m->names + m->name_bodyadr[body],
               m->body_weldid[parent] ? m->names + m->name_bodyadr[parent] : "ground", c[0], c[1], c[2],
               m->jnt_type[j] >= mjJNT_SLIDE ? m->qpos0[m->jnt_qposadr[j]] : 0);
    }
    printf("end\n");
    fflush(stdout);
}

// rows of equalities, as MuJoCo has them at this position: ne x nv
static int jacobian(const mjModel *m, mjData *d, double *J) {
    mj_forward(m, d);
    if (mj_isSparse(m))
        exit(2);
    memcpy(J, d->efc_J, sizeof *J * (size_t)d->ne * (size_t)m->nv);
    return d->ne;
}

// J' v by a central difference along v
static void drift(const mjModel *m, mjData *d, int rows, double *out) {
    int nq = m->nq, nv = m->nv;
    double h = 1e-5, at[1000], J[1000];
    memcpy(at, d->qpos, sizeof *at * (size_t)nq);
    memset(out, 0, sizeof *out * (size_t)rows);
    for (int side = -1; side <= 1; side += 2) {
        memcpy(d->qpos, at, sizeof *at * (size_t)nq);
        mj_integratePos(m, d->qpos, d->qvel, side * h);
        jacobian(m, d, J);
        for (int i = 0; i < rows; i++)
            out[i] += side * mju_dot(J + (size_t)i * (size_t)nv, d->qvel, nv) / (2 * h);
    }
    memcpy(d->qpos, at, sizeof *at * (size_t)nq);
}

static void accelerate(const mjModel *m, mjData *d, double *a) {
    int nv = m->nv;
    double J[1000], bias[100], K[10000], right[100], force[100];
    int rows = jacobian(m, d, J);
    drift(m, d, rows, bias);
    mj_forward(m, d);
    memcpy(a, d->qacc_smooth, sizeof *a * (size_t)nv);
    for (int i = 0; i < rows; i++) {
        double column[100];
        mj_solveM(m, d, column, J + (size_t)i * (size_t)nv, 1);
        for (int k = 0; k < rows; k++)
            K[k * rows + i] = mju_dot(J + (size_t)k * (size_t)nv, column, nv);
        right[i] = -bias[i] - mju_dot(J + (size_t)i * (size_t)nv, a, nv);
    }
    double size = 0;
    for (int i = 0; i < rows; i++)
        size = mju_max(size, K[i * rows + i]);
    for (int i = 0; i < rows; i++)
        K[i * rows + i] += 1e-12 * size; // rows that follow from others are consistent: their share is small
    mju_cholFactor(K, rows, 0);
    mju_cholSolve(right, K, right, rows);
    mju_mulMatTVec(force, J, right, rows, nv);
    double more[100];
    mj_solveM(m, d, more, force, 1);
    for (int i = 0; i < nv && rows; i++)
        a[i] += more[i];
}

int main(int count, char **arguments) {
    char error[1000] = "";
    mjModel *m = count == 2 ? mj_loadXML(arguments[1], NULL, error, sizeof error) : NULL;
    if (m == NULL) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_ACTUATION;
    m->opt.jacobian = mjJAC_DENSE;
    mjData *d = mj_makeData(m);
    describe(m);
    for (;;) {
        double a[100];
        for (int i = 0; i < m->nq + m->nv; i++)
            if (scanf("%lf", i < m->nq ? &d->qpos[i] : &d->qvel[i - m->nq]) != 1)
                return 0;
        accelerate(m, d, a);
        for (int i = 0; i < m->nv; i++)
            printf("%.17g%c", a[i], i + 1 < m->nv ? ' ' : '\n');
    }
}
