/* body: ways to give a free body coordinates. one file each. k x (a, b) = (-b, a). */
#ifndef TN_BODY_H
#define TN_BODY_H

#include "base/base.h"
#include "tenon/extend.h"

#endif
