/* methods: names for useful combinations of a formulation and stabilizers, and what each does in a few lines with its equation. C rows of
 * the constraints, A their rows on speeds, h the step. */
#include "model/model.h"

const tn_method tn_methods[] = {
    {.name = "project",
     .doc = "mass-orthogonal projection after every step: the one to use when in doubt",
     .example = "--method project",
     .source = "Tenon",
     .formulation = "augmented",
     .stabilizer = "project",
     .text =
         "Accelerations are those of the augmented system, M udot + A'lambda = f, A udot = gamma.\n"
         "After each step the state is put back on the constraints by the smallest change in the kinetic-energy norm:\n"
         "  q <- q (+) s, A s = -C, until C is roundoff;   u <- u + w, A w = -Cdot, with A of the corrected q.\n"
         "Errors of a step are judged after what the projection takes from them.\n"
         "What it does to the energy is booked as work of the stabilizer.\n"
         "No gains, no drift, order of the integrator kept; passes redundant rows and singular positions."},
    {.name = "direct",
     .doc = "correction along the rows, in the metric of the coordinates",
     .example = "--method direct",
     .source = "Nada & Bayoumi 2023, direct correction",
     .formulation = "augmented",
     .stabilizer = "project:metric=identity",
     .text =
         "As project, but the change is the smallest in the norm of the coordinates, s = -A^+ C, w = -A^+ Cdot.\n"
         "That mixes metres with radians and heavy bodies with light ones: on the gear train its speeds are wrong by\n"
         "seven to ten times as much as with the metric of masses, at the same residual of 1e-15."},
    {.name = "fci",
     .doc = "full-coordinate integration: nothing keeps the constraints",
     .example = "--method fci --breach record",
     .source = "Nada & Bashiri 2017",
     .formulation = "augmented",
     .stabilizer = "none",
     .text =
         "Full-coordinate integration: M udot + A'lambda = f, A udot = gamma, and nothing keeps C and Cdot at zero.\n"
         "Each step adds the error of the integrator to both, so that C grows with the square of the time.\n"
         "Good as long as tolerances are tight and runs short; the contract tells when not."},
    {.name = "gcpi",
     .doc = "accelerations by independent speeds, chosen anew at every evaluation; dependent components follow from "
            "the others after each step",
     .example = "--method gcpi",
     .source = "Wehage & Haug 1982; Nada & Bashiri 2017",
     .formulation = "partition",
     .stabilizer = "project:metric=dependent",
     .text = "Generalised coordinate partitioning: q = (q_i, q_d), as many dependent ones as rows are independent,\n"
             "chosen anew by pivoting. A_d udot_d = gamma - A_i udot_i eliminates the dependent accelerations.\n"
             "After a step q_d is found from q_i by Newton's method, C(q_i, q_d) = 0, and u_d from A_d u_d = -Ct - A_i "
             "u_i.\n"
             "Partition and correction have one set: the speeds that are independent in the one stand in the other."},
    {.name = "scpi",
     .doc = "the same set as long as it is good, another before it degenerates",
     .example = "--method scpi",
     .source = "Nada & Bashiri 2017",
     .formulation = "partition:choose=kept",
     .stabilizer = "project:metric=dependent,choose=kept",
     .text = "Selective partitioning: as gcpi with a set that is kept. A coordinate near its extremum determines the "
             "others\n"
             "badly, and errors of speeds grow there without any residual that shows it: the set is changed when its\n"
             "smallest pivot falls below a tenth of the best it has had. The paper's set by name, which is never "
             "changed:\n"
             "--formulation partition:independent=arm.e3"},
    {.name = "nullspace",
     .doc =
         "accelerations in the null space of the rows; feedback at every stage, and dependent components adjusted by a "
         "penalty",
     .example = "--method nullspace --integrator rk4 --step 1e-3 --breach record",
     .source = "Hoang et al. 2023",
     .formulation = "nullspace",
     .stabilizer = "baumgarte:alpha=141.4213562373095,beta=141.4213562373095,feedback=staged adjust",
     .text =
         "Multipliers are eliminated by a basis of the null space of A, A V = 0: V'M udot = V'f with A udot = gamma,\n"
         "without choosing independent coordinates, so that their singular positions do not matter.\n"
         "Drift is held down by Baumgarte's feedback at every stage, and what is left by adjusting the dependent\n"
         "coordinates after the step, close to their values and towards C = 0 by a penalty.\n"
         "On the 3RRR robot its residual is 1e-6 and its trajectory error the largest of all methods tried."},
    {.name = "udwadia-kalaba",
     .doc = "accelerations nearest to the free ones; nothing keeps the constraints",
     .example = "--method udwadia-kalaba --breach record",
     .source = "Braun & Goldfarb 2009, eq. 17",
     .formulation = "gauss",
     .stabilizer = "none",
     .text = "The acceleration nearest to the free one in Gauss's sense: with B = A M^-1/2,\n"
             "  udot = a + M^-1/2 B^+ (gamma - A a),   a = M^-1 f.\n"
             "The pseudo-inverse takes redundant and singular rows as they are. Nothing keeps the constraints."},
    {.name = "braun-goldfarb",
     .doc = "accelerations nearest to the free ones, corrections of drift built into the equation of motion",
     .example = "--method braun-goldfarb --integrator rk4 --step 1e-3",
     .source = "Braun & Goldfarb 2009, eq. 16",
     .formulation = "gauss",
     .stabilizer = "embedded",
     .text = "Gauss's principle with what is off fed back over one step, in positions and in velocities:\n"
             "  qdot = N (u + s),  A s = -Cdot - C/h;      udot = a + w,  A w = gamma - A a - Cdot/h,\n"
             "s and w the smallest in the norm of masses. C and Cdot in the terms divided by h are those of the start "
             "of the\n"
             "step and stand through its stages: then |C| falls as h^5 with rk4 and the order of the motion stays. "
             "Taken at\n"
             "every stage (--stabilize embedded:feedback=staged), the literal reading, order falls to two."},
    {.name = "baumgarte-b1",
     .doc = "feedback alpha = beta = 5, at every stage",
     .example = "--method baumgarte-b1 --breach record",
     .source = "Nada & Bayoumi 2023, B1",
     .formulation = "augmented",
     .stabilizer = "baumgarte:alpha=5,beta=5,feedback=staged",
     .text =
         "Cddot = -2 alpha Cdot - beta^2 C instead of Cddot = 0: gamma loses 2 alpha Cdot + beta^2 C at every stage.\n"
         "alpha = beta = 5 1/s: critically damped, a violation is gone after about a second; errors of the steps stay "
         "in "
         "C."},
    {.name = "baumgarte-b2",
     .doc = "feedback alpha = 5, beta = 12, at every stage",
     .example = "--method baumgarte-b2 --breach record",
     .source = "Nada & Bayoumi 2023, B2",
     .formulation = "augmented",
     .stabilizer = "baumgarte:alpha=5,beta=12,feedback=staged",
     .text = "As baumgarte-b1 with alpha = 5, beta = 12 1/s: damping ratio 0.42 (not 0.707, as is said of it)."},
    {.name = "baumgarte-b3",
     .doc = "feedback alpha = 1/h, beta = sqrt(2)/h, at every stage",
     .example = "--method baumgarte-b3 --integrator rk4 --step 1e-3 --breach record",
     .source = "Nada & Bayoumi 2023, B3",
     .formulation = "augmented",
     .stabilizer = "baumgarte:a=2,b=2,feedback=staged",
     .text = "As baumgarte-b1 with gains that follow the step, alpha = 1/h, beta = sqrt(2)/h: damping ratio 0.707.\n"
             "At every stage it answers the stages, which lie off the constraints, and not the drift: the order falls "
             "from\n"
             "five to three. Needs a fixed step. Held over the step the same gains are undamped, eigenvalue -1."},
    {.name = "fuzzy-1",
     .doc = "controller of 25 rules, triangular sets, published gains, at every stage",
     .example = "--method fuzzy-1 --integrator rk4 --step 1e-3 --breach record",
     .source = "Nada & Bayoumi 2023, FLC I",
     .formulation = "augmented",
     .stabilizer = "fuzzy:set=triangular,kp=100,kd=0.01,ku=10000,feedback=staged",
     .text =
         "A controller of 25 rules for each row: x = Kp C, y = Kd Cdot within -1 .. 1, five triangular sets each,\n"
         "  U = Ku sum w_jk (c_j + c_k) / sum w_jk,   gamma loses U at every stage.\n"
         "With the published gains 100, 0.01, 10^4 it is a feedback of beta = 1000 1/s with a damping ratio of 0.05:\n"
         "adaptive steps become short, fixed ones above 2.4 ms blow up."},
    {.name = "fuzzy-2",
     .doc = "the same with trapezoidal sets, which do not act near zero",
     .example = "--method fuzzy-2 --integrator rk4 --step 1e-3 --breach record",
     .source = "Nada & Bayoumi 2023, FLC II",
     .formulation = "augmented",
     .stabilizer = "fuzzy:set=trapezoidal,kp=100,kd=0.01,ku=10000,feedback=staged",
     .text =
         "As fuzzy-1 with trapezoidal sets: flat tops make a dead band, and an offset within |x| < 0.1 never decays."},
    {.name = "fuzzy-3",
     .doc = "the same with Gaussian sets",
     .example = "--method fuzzy-3 --integrator rk4 --step 1e-3 --breach record",
     .source = "Nada & Bayoumi 2023, FLC III",
     .formulation = "augmented",
     .stabilizer = "fuzzy:set=gaussian,kp=100,kd=0.01,ku=10000,feedback=staged",
     .text = "As fuzzy-1 with Gaussian sets of width 0.2: beta = 711 1/s, damping ratio 0.036; steps up to 3.2 ms."},
    {.name = "fuzzy",
     .doc = "controller of 25 rules, gains from the bounds of the contract, held over the step, with a guard",
     .example = "--method fuzzy",
     .source = "Nada & Bayoumi 2023; bounds, hold and guard: Tenon",
     .formulation = "augmented",
     .stabilizer = "fuzzy",
     .text = "The controller of fuzzy-1 with gains from the bounds of the contract alone, and from the step:\n"
             "  Kp = 1/(100 eps), Kd = Kp (a/b) h, Ku = b/(h^2 Kp g),  a = 3/4, b = 1/4, g the slope of the surface,\n"
             "held over the step, inside what is stable; a step that ends beyond the bounds is put back by one "
             "projection."},
    {.name = "baumgarte-step",
     .doc = "feedback Cdot/h + C/(2 h^2), held over the step",
     .example = "--method baumgarte-step --breach record",
     .source = "Tenon",
     .formulation = "augmented",
     .stabilizer = "baumgarte:a=1,b=0.5,feedback=held",
     .text =
         "gamma loses Cdot/h + C/(2 h^2), taken at the start of the step and held through its stages.\n"
         "A violation z = (C, h Cdot) obeys z <- [1 - b/2, 1 - a/2; -b, 1 - a] z, a = 1, b = 1/2: halved every step,\n"
         "with every accurate one-step formula, and without loss of order. Stable for 0 < b, b/2 < a < 2."},
};
const int tn_method_count = (int)(sizeof tn_methods / sizeof *tn_methods);
