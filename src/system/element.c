#include "system/element.h"

element element_of(const trm_system *s, stage_kind kind, int number) {
    const mech_shape *derived = kind == STAGE_JACOBIAN ? s->slopes : s->mech->shapes;
    return (element){s, kind, number, &s->model->shapes.at[number], &derived[number], 0};
}

int element_switch(const element *at, int index) {
    int each = at->sys->mech->shapes[at->number].switch_count;
    return at->sys->switch_base[at->number] + at->instance * each + index;
}

int element_result(const element *at, int index) {
    if (index == mech_multiplier_of(at->shape))
        return at->sys->model->results.count + element_target(at);
    return at->shape->results.at[at->instance * at->shape->result_count + index];
}

int element_turn(const element *at, int index) {
    return at->shape->turns.at[at->instance * at->shape->turn_count + index];
}

double element_number(const element *at, int index) {
    return at->shape->numbers.at[at->instance * at->shape->number_count + index];
}

int element_input(const element *at, sym_kind kind, int index) {
    const trm_system *s = at->sys;
    switch (kind) {
    case SYM_TIME:
        return 0;
    case SYM_P:
        return s->x_q + element_coordinate(at, index);
    case SYM_V:
        return s->x_v + element_coordinate(at, index);
    case SYM_A:
        return s->x_a + element_coordinate(at, index);
    case SYM_PARAM:
        return s->x_param + index;
    case SYM_NUMBER:
        return s->number_base[at->number] + at->instance * at->shape->number_count + index;
    case SYM_MODE:
        return s->x_mode + element_switch(at, index);
    case SYM_TURN:
        return s->x_turn + element_turn(at, index);
    default:
        return s->x_result + element_result(at, index);
    }
}

// the dynamics see the switches as they are held
expr element_expression(const element *at, const mech_entry *e) {
    bool held = at->stage == STAGE_DYNAMICS || at->stage == STAGE_NONIDEAL || at->stage == STAGE_FRICTION;
    return held ? e->held : e->e;
}
