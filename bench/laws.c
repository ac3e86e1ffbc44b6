/* what a running expression costs by itself: a PD law over channels of a body and of a joint, in the plane and in space. */
#include "bench.h"

#define PLANE                                                                                                          \
  "{\"tenon\": 1, \"dimension\": 2, \"gravity\": [0, -9.81],"                                                          \
  " \"bodies\": {\"crank1\": {\"mass\": 1, \"inertia\": 0.1, \"position\": [0.3, 0.1], \"angle\": 0.3}},"              \
  " \"joints\": {\"main\": {\"type\": \"revolute\", \"between\": [\"ground\", \"crank1\"], \"at\": [0, 0]}},"          \
  " \"start\": {\"main.rate\": 2}, \"outputs\": {\"law\": \"%s\"}%s}"
#define SPACE                                                                                                          \
  "{\"tenon\": 1, \"dimension\": 3, \"gravity\": [0, 0, -9.81],"                                                       \
  " \"bodies\": {\"crank1\": {\"mass\": 1, \"inertia\": [0.1, 0.2, 0.2], \"position\": [0.3, 0.1, 0]}},"               \
  " \"joints\": {\"main\": {\"type\": \"revolute\", \"between\": [\"ground\", \"crank1\"], \"at\": [0, 0, 0],"         \
  " \"axis\": \"z\"}}, \"start\": {\"main.rate\": 2}, \"outputs\": {\"law\": \"%s\"}%s}"
#define RELATIVE ", \"coordinates\": \"relative\""

const tn_law tn_laws[] = {
    {"body", PLANE, "150*(0.4 - crank1.angle) - 50*crank1.rate", ""},
    {"joint", PLANE, "150*(0.4 - main.angle) - 50*main.rate", ""},
    {"relative", PLANE, "150*(0.4 - main.angle) - 50*main.rate", RELATIVE},
    {"body-space", SPACE, "150*(0.4 - crank1.x) - 50*crank1.vx", ""},
    {"joint-space", SPACE, "150*(0.4 - main.angle) - 50*main.rate", ""},
};
const int tn_laws_count = sizeof tn_laws / sizeof *tn_laws;

tn_status tn_law_describe(const tn_law *law, tn_desc *d, tn_error *e) {
  char text[1200];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  tn_format(text, sizeof text, law->model, law->text, law->more);
#pragma GCC diagnostic pop
  return tn_desc_parse(d, law->name, text, strlen(text), e);
}
