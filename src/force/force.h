/* force: wrenches on bodies, or efforts along coordinate channels, from poses, twists and channels. one file each. */
#ifndef TN_FORCE_H
#define TN_FORCE_H

#include "base/base.h"
#include "tenon/extend.h"

#endif
