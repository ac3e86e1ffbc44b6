/* the keys of the model file: one table a kind of object. reader, messages, schema and reference all come from here. */
#include "model/model.h"

#define END                                                                                                            \
  { .key = NULL }
#define REPEAT                                                                                                         \
  { .key = "repeat", .doc = "the object stands once for every value of a counter: \"i=1..N\"", .kind = TN_TEXT }
#define TYPE                                                                                                           \
  { .key = "type", .doc = "which one", .kind = TN_TEXT, .required = true }
#define ACTIVE                                                                                                         \
  {                                                                                                                    \
    .key = "active", .doc = "whether it acts when the run begins, true if left out; with this key it can be switched", \
    .kind = TN_BOOLEAN                                                                                                 \
  }

static const tn_field coordinates_of[] = {{.key = "*", .kind = TN_VECTOR}, END};
static const tn_field places[] = {{.key = "*", .kind = TN_PLACE}, END};
const tn_field tn_fields_names[] = {{.key = "*", .doc = "name of a body", .kind = TN_NAME}, END};
const tn_field tn_fields_numbers[] = {{.key = "*", .kind = TN_NUMBER}, END};

const tn_field tn_point_fields[] = {
    {.key = "at", .unit = "m", .doc = "its place", .kind = TN_VECTOR, .required = true}, REPEAT, END};
const tn_field tn_value_fields[] = {
    {.key = "value", .doc = "the value", .kind = TN_RUNNING, .n = 1, .required = true}, REPEAT, END};

const tn_field tn_lump_fields[] = {
    {.key = "mass", .unit = "kg", .doc = "of the point", .hi = INFINITY, .required = true},
    {.key = "at", .unit = "m", .doc = "its place in body axes", .kind = TN_VECTOR, .required = true},
    REPEAT,
    END};
static const tn_field lumps[] = {{.key = "*", .kind = TN_OBJECT, .inside = tn_lump_fields}, END};

const tn_field tn_swing_fields[] = {
    TYPE,
    {.key = "parent", .doc = "the body that carries the pivot", .kind = TN_NAME},
    {.key = "at", .unit = "m", .doc = "the pivot, in the world at the given pose", .kind = TN_PLACE},
    {.key = "on_body", .unit = "m", .doc = "the pivot, in the axes of the parent", .kind = TN_VECTOR},
    END};

static const tn_field body_axes[] = {{.key = "x", .doc = "its direction", .kind = TN_DIRECTION},
                                     {.key = "y", .doc = "its direction", .kind = TN_DIRECTION},
                                     {.key = "z", .doc = "its direction", .kind = TN_DIRECTION},
                                     END};
static const tn_field two_directions[] = {{.key = "*", .kind = TN_DIRECTION}, END};

const tn_field tn_body_fields[] = {
    {.key = "mass",
     .unit = "kg",
     .doc = "required, except for a body whose freedom is all held by joints and drivers",
     .hi = INFINITY},
    {.key = "inertia",
     .unit = "kg m^2",
     .doc = "about the mass centre, in space [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], entries of the tensor in body "
            "axes; "
            "required unless a shape gives it",
     .kind = TN_INERTIA},
    {.key = "density", .unit = "kg/m^3", .doc = "in place of `mass`, with a shape", .lo = TN_POSITIVE, .hi = INFINITY},
    {.key = "center", .unit = "m", .doc = "mass centre in body axes, the origin if left out", .kind = TN_VECTOR},
    {.key = "position", .unit = "m", .doc = "of the frame origin, that of the world if left out", .kind = TN_PLACE},
    {.key = "angle", .unit = "rad", .doc = "plane: of the frame, 0 if left out"},
    {.key = "quaternion",
     .doc = "space: orientation as [w, x, y, z], of length 1",
     .kind = TN_LIST,
     .n = 4,
     .inside = tn_fields_numbers},
    {.key = "axis_angle",
     .unit = "rad",
     .doc = "space: orientation as [direction, angle]",
     .kind = TN_LIST,
     .n = 2,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_ANY}, END}},
    {.key = "euler",
     .unit = "rad",
     .doc = "space: orientation by turns about the moving axes in the order written, {\"zxz\": [a, b, c]}",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_LIST, .n = 3, .inside = tn_fields_numbers}, END}},
    {.key = "axes",
     .doc = "space: orientation by two of the body's axes as world directions, {\"x\": .., \"z\": ..}",
     .kind = TN_OBJECT,
     .inside = body_axes},
    {.key = "rod",
     .unit = "m",
     .doc = "two places: a uniform rod, frame origin at the first, x axis to the second; in space with `section`, "
            "`radius` or `inertia`",
     .kind = TN_LIST,
     .n = 2,
     .inside = places},
    {.key = "section",
     .unit = "m",
     .doc = "space: thickness of a rod along its y and z axes",
     .kind = TN_LIST,
     .n = 2,
     .inside = tn_fields_numbers},
    {.key = "radius", .unit = "m", .doc = "space: of a round rod", .lo = TN_POSITIVE, .hi = INFINITY},
    {.key = "box",
     .unit = "m",
     .doc = "space: lengths along x, y, z of a uniform box about the mass centre",
     .kind = TN_LIST,
     .n = 3,
     .inside = tn_fields_numbers},
    {.key = "cylinder",
     .unit = "m",
     .doc = "space: radius and length of a uniform cylinder about the mass centre, its axis z",
     .kind = TN_LIST,
     .n = 2,
     .inside = tn_fields_numbers},
    {.key = "sphere",
     .unit = "m",
     .doc = "space: radius of a uniform sphere about the mass centre",
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "lumps", .doc = "point masses on top of mass, center and inertia", .kind = TN_LIST, .inside = lumps},
    {.key = "draw",
     .doc = "what it looks like: `none`, a shape or a list of shapes; its own shape, or what its joints and inertia "
            "suggest, if left out",
     .kind = TN_SHAPES,
     .inside = tn_shape_fields},
    {.key = "coordinates",
     .doc = "`plane` if left out, in space `quaternion`",
     .kind = TN_PART,
     .choices = "coordinates"},
    REPEAT,
    END};
const tn_field tn_shape_fields[] = {
    {.key = "box",
     .unit = "m",
     .doc = "its lengths along x, y, z, in the plane x, y",
     .kind = TN_VECTOR,
     .offset = offsetof(tn_draw, box)},
    {.key = "cylinder",
     .unit = "m",
     .doc = "[radius, length], its axis z; in the plane a disc: its radius",
     .kind = TN_SIZES},
    {.key = "sphere",
     .unit = "m",
     .doc = "its radius",
     .offset = offsetof(tn_draw, radius),
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "capsule",
     .unit = "m",
     .doc = "[radius, length between the centres of its ends], its axis z, in the plane x",
     .kind = TN_SIZES},
    {.key = "polyline",
     .unit = "m",
     .doc = "a line through two places or more: names of points, at the given pose, or coordinates in body axes",
     .kind = TN_LIST,
     .inside = places},
    {.key = "mesh", .doc = "a file of triangles beside the model: .stl, .glb or .gltf", .kind = TN_TEXT},
    {.key = "width",
     .unit = "m",
     .doc = "of a polyline, chosen by Tenon if left out",
     .offset = offsetof(tn_draw, width),
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "closed",
     .doc = "whether a polyline goes back to its first place",
     .kind = TN_BOOLEAN,
     .offset = offsetof(tn_draw, closed)},
    {.key = "scale",
     .doc = "of a mesh: metres for its unit of length, 1 if left out",
     .offset = offsetof(tn_draw, scale),
     .dflt = 1,
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "at",
     .unit = "m",
     .doc = "its middle in body axes, their origin if left out",
     .kind = TN_VECTOR,
     .offset = offsetof(tn_draw, at)},
    {.key = "axis",
     .doc = "space: direction of its z axis in body axes, z if left out",
     .kind = TN_DIRECTION,
     .offset = offsetof(tn_draw, axis)},
    {.key = "angle", .unit = "rad", .doc = "plane: it is turned by, in body axes", .offset = offsetof(tn_draw, angle)},
    {.key = "color", .doc = "\"#rrggbb\", by its body if left out", .kind = TN_TEXT},
    REPEAT,
    END};
const tn_field tn_traced_fields[] = {
    {.key = "on", .doc = "the body", .kind = TN_NAME, .required = true},
    {.key = "at", .unit = "m", .doc = "a place of it, in the world at the given pose", .kind = TN_PLACE},
    {.key = "on_body", .unit = "m", .doc = "the same in body axes; its origin if left out", .kind = TN_VECTOR},
    REPEAT,
    END};
const tn_field tn_scene_fields[] = {
    {.key = "ground",
     .doc = "what stands still: shapes as of a body, in world axes; feet and rails as joints want them if left out",
     .kind = TN_SHAPES,
     .inside = tn_shape_fields},
    {.key = "traces",
     .doc = "places whose paths are drawn, by name",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_OBJECT, .inside = tn_traced_fields}, END}},
    END};

const tn_field tn_act_fields[] = {{.key = "set",
                                   .doc = "parameters and what they become, all at once",
                                   .kind = TN_OBJECT,
                                   .inside = (const tn_field[]){{.key = "*", .kind = TN_RUNNING, .n = 1}, END}},
                                  {.key = "on", .doc = "joints and forces to be switched on", .kind = TN_NAMES},
                                  {.key = "off", .doc = "joints and forces to be switched off", .kind = TN_NAMES},
                                  END};
const tn_field tn_event_fields[] = {
    {.key = "when",
     .doc = "a running expression: the event is where it passes zero; a condition: where it becomes true",
     .kind = TN_RUNNING,
     .n = 1,
     .required = true},
    {.key = "direction",
     .doc = "of the passage: `up` from below zero or false to true, `down` the other way; a number `both`, a condition "
            "`up` if left out",
     .kind = TN_WORD,
     .choices = "up down both"},
    {.key = "do",
     .doc =
         "what happens, in this order: `stop`, `record`, {\"set\": {..}}, {\"on\": ..}, {\"off\": ..}; one or a list; "
         "it is only noted if left out",
     .kind = TN_ACTS,
     .choices = "stop record",
     .inside = tn_act_fields},
    {.key = "times", .doc = "how often at most, no limit if left out", .kind = TN_INTEGER, .lo = 1, .hi = 1e9},
    REPEAT,
    END};

static const tn_field bodies[] = {{.key = "*", .kind = TN_OBJECT, .inside = tn_body_fields}, END};

#define BETWEEN(must)                                                                                                  \
  {                                                                                                                    \
    .key = "between", .doc = "names of two bodies, first and second", .kind = TN_LIST, .n = 2, .required = (must),     \
    .inside = tn_fields_names                                                                                          \
  }
#define TWO_PLACES                                                                                                     \
  {.key = "at", .unit = "m", .doc = "two places, in the world at the given pose", .kind = TN_PLACES}, {                \
    .key = "on_bodies", .unit = "m", .doc = "two places, each in the axes of its body", .kind = TN_PLACES              \
  }

const tn_field tn_rod_fields[] = {
    BETWEEN(true),
    TWO_PLACES,
    {.key = "mass", .unit = "kg", .doc = "of the rod", .lo = TN_POSITIVE, .hi = INFINITY, .required = true},
    REPEAT,
    END};
const tn_field tn_element_fields[] = {
    {.key = "points",
     .doc = "particles by name, or places of the ground; the first is a point of the body",
     .kind = TN_LIST,
     .required = true,
     .inside = places},
    {.key = "vectors", .doc = "bodies with coordinates `vector`, by name", .kind = TN_LIST, .inside = tn_fields_names},
    {.key = "mass", .unit = "kg", .doc = "of the body", .lo = TN_POSITIVE, .hi = INFINITY, .required = true},
    {.key = "center",
     .unit = "m",
     .doc = "its mass centre, in the world at the given pose; the first point if left out",
     .kind = TN_PLACE},
    {.key = "inertia",
     .unit = "kg m^2",
     .doc = "about the mass centre along the world's axes at the given pose: xx yy zz, or with xy xz yz",
     .kind = TN_INERTIA,
     .required = true},
    REPEAT,
    END};
static const tn_field elements[] = {{.key = "*", .kind = TN_OBJECT, .inside = tn_element_fields}, END};
static const tn_field rods[] = {{.key = "*", .kind = TN_OBJECT, .inside = tn_rod_fields}, END};

/* which of them a joint takes is in its table */
#define DIRECTIONS                                                                                                     \
  {.key = "axis", .doc = "direction, in the world at the given pose", .kind = TN_DIRECTION},                           \
      {.key = "axis_on_bodies",                                                                                        \
       .doc = "in place of `axis`: the direction in the axes of each of the two",                                      \
       .kind = TN_LIST,                                                                                                \
       .n = 2,                                                                                                         \
       .inside = two_directions},                                                                                      \
      {.key = "axes",                                                                                                  \
       .doc = "two directions, in the world at the given pose: one fixed in the first, one in the second",             \
       .kind = TN_LIST,                                                                                                \
       .n = 2,                                                                                                         \
       .inside = two_directions},                                                                                      \
  {                                                                                                                    \
    .key = "normal", .doc = "direction, in the world at the given pose, fixed in the first", .kind = TN_DIRECTION      \
  }

/* joints: of those with one place for both, those with two, and those that are rows on channels or mass centres */
const tn_field tn_seat_fields[] = {
    TYPE,
    ACTIVE,
    BETWEEN(true),
    {.key = "at", .unit = "m", .doc = "its place, in the world at the given pose", .kind = TN_PLACE},
    {.key = "on_bodies",
     .unit = "m",
     .doc = "its place in the axes of each of the two",
     .kind = TN_LIST,
     .n = 2,
     .inside = coordinates_of},
    DIRECTIONS,
    REPEAT,
    END};
const tn_field tn_seat_two_fields[] = {TYPE, ACTIVE, BETWEEN(true), TWO_PLACES, DIRECTIONS, REPEAT, END};
const tn_field tn_seat_nowhere_fields[] = {TYPE, ACTIVE, BETWEEN(true), DIRECTIONS, REPEAT, END};
const tn_field tn_seat_mesh_fields[] = {
    TYPE,
    ACTIVE,
    BETWEEN(true),
    {.key = "carrier", .doc = "the body that holds both, `ground` if left out", .kind = TN_NAME},
    DIRECTIONS,
    REPEAT,
    END};
static const tn_field actuators[] = {{.key = "*",
                                      .doc = "a coordinate channel, or {channel: coefficient, ..}: their sum",
                                      .kind = TN_CHANNEL,
                                      .inside = tn_fields_numbers},
                                     END};
const tn_field tn_row_fields[] = {
    TYPE,
    ACTIVE,
    {.key = "actuators",
     .doc = "one for each row: it is kept by an effort along this channel, not along the row itself",
     .kind = TN_LIST,
     .inside = actuators},
    REPEAT,
    END};
const tn_field tn_part_fields[] = {TYPE, END};

const tn_field tn_force_fields[] = {
    TYPE,
    ACTIVE,
    {.key = "on", .doc = "what it acts on: a body or a coordinate channel", .kind = TN_CHANNEL},
    BETWEEN(false),
    {.key = "at", .unit = "m", .doc = "where it acts, in the world at the given pose", .kind = TN_PLACE},
    {.key = "on_body", .unit = "m", .doc = "where it acts, in body axes", .kind = TN_VECTOR},
    {.key = "on_bodies", .unit = "m", .doc = "two places, each in the axes of its body", .kind = TN_PLACES},
    {.key = "axis",
     .doc =
         "direction of its z axis (plane: x), in the world at the given pose; along the axes of the world if left out",
     .kind = TN_DIRECTION},
    REPEAT,
    END};

const tn_field tn_start_fields[] = {
    {.key = "keep",
     .doc = "channels that keep the value of the given pose, exactly",
     .kind = TN_LIST,
     .inside = tn_fields_names},
    {.key = "guess",
     .doc = "channel: number; only where assembly begins",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_NUMBER, .inside = tn_value_fields}, END}},
    {.key = "mode",
     .doc = "make the start consistent, or keep it as it is",
     .kind = TN_WORD,
     .choices = "assemble as-given"},
    {.key = "*", .doc = "channel: number, exact", .kind = TN_NUMBER, .inside = tn_value_fields},
    END};

const tn_field tn_integrator_fields[] = {
    {.key = "type", .doc = "which one", .kind = TN_TEXT},
    {.key = "step", .unit = "s", .doc = "fixed step", .lo = TN_POSITIVE, .hi = INFINITY},
    {.key = "rtol", .doc = "relative tolerance, 1e-8 if left out", .lo = TN_POSITIVE, .hi = INFINITY},
    {.key = "atol",
     .doc = "errors that do not matter: of angles in rad, of lengths in shares of the length of the assembly, of "
            "their rates per second; none if left out",
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "max_step",
     .unit = "s",
     .doc = "longest step; `every` where drivers or forces depend on t or there are events, else none",
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "control",
     .doc = "how errors are judged: `motion`, by the model's length and without what stabilizers take away; `numbers`, "
            "each by "
            "max(atol, rtol times it), as codes for equations without constraints do; `mean`, by the mean square over "
            "atol + rtol times it, as those of Hairer and SciPy do",
     .kind = TN_WORD,
     .choices = "motion numbers mean"},
    END};

const tn_field tn_contract_fields[] = {
    {.key = "position",
     .doc = "largest scaled violation of a row, 1e-8 if left out",
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "velocity", .unit = "1/s", .doc = "of its rate, 1e-6 if left out", .lo = TN_POSITIVE, .hi = INFINITY},
    {.key = "breach", .doc = "what happens when it is broken", .kind = TN_WORD, .choices = "stop record"},
    END};

const tn_field tn_run_fields[] = {
    {.key = "until", .unit = "s", .doc = "end of the run, 1 if left out", .hi = INFINITY},
    {.key = "every",
     .unit = "s",
     .doc = "distance of rows of output, a hundredth of `until` if left out",
     .lo = TN_POSITIVE,
     .hi = INFINITY},
    {.key = "method", .doc = "a named combination, `project` if left out", .kind = TN_PART, .choices = "method"},
    {.key = "formulation", .doc = "one part of it", .kind = TN_PART, .choices = "formulation"},
    {.key = "stabilize",
     .doc = "the other; several stack in the order named",
     .kind = TN_PARTS,
     .choices = "stabilizer"},
    {.key = "integrator", .doc = "`dopri5` if left out", .kind = TN_PART, .choices = "integrator"},
    {.key = "contract", .doc = "how well joints must be kept", .kind = TN_OBJECT, .inside = tn_contract_fields},
    {.key = "at_singularity",
     .doc = "what happens where rows become dependent on the way",
     .kind = TN_WORD,
     .choices = "pass stop"},
    {.key = "allow_unstable",
     .doc =
         "run gains of a stabilizer that let a violation grow, which are refused otherwise; the verdict is `doubtful`",
     .kind = TN_BOOLEAN},
    END};

const tn_field tn_top_fields[] = {
    {.key = "tenon", .doc = "version of the format, 1", .lo = 1, .hi = 1, .required = true},
    {.key = "dimension", .doc = "2: the plane, 3: space", .lo = 2, .hi = 3, .required = true},
    {.key = "title", .doc = "a text", .kind = TN_TEXT},
    {.key = "constants", .doc = "numbers by name", .kind = TN_OBJECT, .inside = tn_fields_numbers},
    {.key = "tables",
     .doc = "lists of numbers by name",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_LIST, .inside = tn_fields_numbers}, END}},
    {.key = "gravity", .unit = "m/s^2", .doc = "none if left out", .kind = TN_VECTOR},
    {.key = "points",
     .unit = "m",
     .doc = "places in the world at the given pose, by name",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_VECTOR, .inside = tn_point_fields}, END}},
    {.key = "coordinates",
     .doc = "every body free, or joints give bodies their coordinates",
     .kind = TN_WORD,
     .choices = "absolute relative"},
    {.key = "cut",
     .doc = "names of joints that close loops in relative coordinates; chosen by Tenon if left out",
     .kind = TN_LIST,
     .inside = tn_fields_names},
    {.key = "body_coordinates", .doc = "of bodies that name none", .kind = TN_PART, .choices = "coordinates"},
    {.key = "bodies",
     .doc = "rigid bodies and particles, by name",
     .kind = TN_OBJECT,
     .required = true,
     .inside = bodies},
    {.key = "joints",
     .doc = "joints and constraints, by name",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_PART, .choices = "joint"}, END}},
    {.key = "forces",
     .doc = "forces, by name",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_PART, .choices = "force"}, END}},
    {.key = "rods", .doc = "uniform rods between places as mass elements, by name", .kind = TN_OBJECT, .inside = rods},
    {.key = "elements",
     .doc = "space: rigid bodies of points and unit vectors as mass elements, by name",
     .kind = TN_OBJECT,
     .inside = elements},
    {.key = "parameters",
     .doc = "numbers by name that laws, drivers, events and outputs may use and events change",
     .kind = TN_OBJECT,
     .inside = tn_fields_numbers},
    {.key = "events",
     .doc = "what happens where a running expression passes zero, by name",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_OBJECT, .inside = tn_event_fields}, END}},
    {.key = "start", .doc = "where the motion begins", .kind = TN_OBJECT, .inside = tn_start_fields},
    {.key = "outputs",
     .doc = "running expressions by name; all coordinates and rates if left out",
     .kind = TN_OBJECT,
     .inside = (const tn_field[]){{.key = "*", .kind = TN_RUNNING, .n = 1, .inside = tn_value_fields}, END}},
    {.key = "scene", .doc = "what pictures show beside the bodies", .kind = TN_OBJECT, .inside = tn_scene_fields},
    {.key = "run", .doc = "settings; the command line wins", .kind = TN_OBJECT, .inside = tn_run_fields},
    {.key = "$schema", .doc = "for editors; not read", .kind = TN_TEXT},
    END};
