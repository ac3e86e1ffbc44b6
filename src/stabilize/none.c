/* none: nothing keeps the constraints but the accuracy of the integration. */
#include "stabilize/stabilize.h"

const tn_stabilizer_type tn_stabilizer_none = {
    .name = "none",
    .doc = "nothing: constraints hold as well as the integration is accurate",
    .example = "--stabilize none --breach record",
    .source = "",
};
