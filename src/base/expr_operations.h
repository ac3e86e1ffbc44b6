/* Expressions: tables of operations, for the interpreter and for the types of numbers that it runs on.
 * SPDX-License-Identifier: MIT */
#ifndef TN_EXPR_OPERATIONS_H
#define TN_EXPR_OPERATIONS_H

/* FUNCTION(code, value, slope, bend): y of x, its derivative d and its second derivative */
#define FUNCTIONS(FUNCTION)                                                                                            \
  FUNCTION(SIN, sin, cos(x), -y)                                                                                       \
  FUNCTION(COS, cos, -sin(x), -y)                                                                                      \
  FUNCTION(TAN, tan, 1 + y * y, 2 * y * d)                                                                             \
  FUNCTION(ASIN, asin, 1 / sqrt((1 - x) * (1 + x)), x * d * d * d)                                                     \
  FUNCTION(ACOS, acos, -1 / sqrt((1 - x) * (1 + x)), x * d * d * d)                                                    \
  FUNCTION(ATAN, atan, 1 / (1 + x * x), -2 * x * d * d)                                                                \
  FUNCTION(SQRT, sqrt, 0.5 / y, -0.25 / (x * y))                                                                       \
  FUNCTION(EXP, exp, y, y)                                                                                             \
  FUNCTION(LOG, log, 1 / x, -1 / (x * x))                                                                              \
  FUNCTION(TANH, tanh, 1 - y * y, -2 * y * d)

#define PAIRS(PAIR) PAIR(ADD, add) PAIR(SUB, sub) PAIR(MUL, mul) PAIR(DIV, div) PAIR(POW, pow) PAIR(ATAN2, atan2)

/* operations on vectors: OF(name)(w, s) moves the first free place */
#define VECTORS(VECTOR)                                                                                                \
  VECTOR(VADD, vadd)                                                                                                   \
  VECTOR(VSUB, vsub)                                                                                                   \
  VECTOR(VNEG, vneg)                                                                                                   \
  VECTOR(SCALE, scale)                                                                                                 \
  VECTOR(SCALED, scaled)                                                                                               \
  VECTOR(VDIV, vdiv)                                                                                                   \
  VECTOR(DOT, vdot)                                                                                                    \
  VECTOR(CROSS2, cross2) VECTOR(CROSS3, cross3) VECTOR(NORM, norm) VECTOR(ALONG, along)

#endif
