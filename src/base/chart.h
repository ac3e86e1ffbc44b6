/* coordinates whose rates are not the speeds, used by joints and bodies */
#ifndef TN_CHART_H
#define TN_CHART_H

#include "tenon/extend.h"

/* q = e0 e1 e2 e3, u = wx wy wz; q = x y z e0 e1 e2 e3, u = vx vy vz wx wy wz. u in the axes that q is seen from */
extern const tn_chart tn_chart_rotation, tn_chart_pose;

#endif
