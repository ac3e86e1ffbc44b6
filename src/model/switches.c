/* functions made of pieces in the laws of forces and drivers: each is a switch of the model. */
#include "model/model.h"

int tn_switch_new(tn_context *c, const char *text) {
  tn_model *m = c->m;
  if (m->switches == c->switch_room) {
    const int room = c->switch_room ? 2 * c->switch_room : 16;
    tn_switch *more = tn_arena_alloc(c->arena, sizeof *more * (size_t)room);
    if (!more) return -2;
    if (m->switches) memcpy(more, m->switched, sizeof *more * (size_t)m->switches);
    m->switched = more;
    c->switch_room = room;
  }
  tn_switch *x = &m->switched[m->switches];
  *x = (tn_switch){.kind = c->kind, .name = c->name, .in_joint = c->kind && strcmp(c->kind, "joint") == 0};
  x->in_event = c->kind && strcmp(c->kind, "event") == 0;
  if (!(x->text = tn_arena_text(c->arena, text, strlen(text)))) return -2;
  return m->switches++;
}
