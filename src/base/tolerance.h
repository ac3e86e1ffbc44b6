/* tolerance: thresholds that more than one folder uses. It includes nothing, so that every file may include it.
 * A threshold that one file or one folder uses is declared there, as `static const double NAME = value;`. docs/design/thresholds.md
 * has a line with a reason for each of them, and test/docs/test_thresholds.c compares that list with the code. */
#ifndef TN_TOLERANCE_H
#define TN_TOLERANCE_H

/* TN_EPS, machine epsilon, is in tenon/dense.h: parts see it, too */

/* 1: a quotient so near to a whole number is a whole number */
static const double TN_WHOLE = 1e-9;

/* of the time: two times so near to each other are the same time */
static const double TN_SAME_TIME = 1e-12;

/* 1: sines and cosines of angles between directions that a user wrote, and lengths of unit vectors: six digits are exact */
static const double TN_GIVEN_DIRECTION = 1e-6;

/* m: places that a user wrote and that are so near to each other are one place */
static const double TN_SAME_PLACE = 1e-9;

/* of the largest length that it is found from: a shorter one has no direction that can be relied on */
static const double TN_RESOLVED = 1e-12;

/* rho of a row, its pivot over its size in the metric of the masses (linalg/linalg.h). from the largest: */
static const double TN_RHO_DIRECT = 1e-2;    /* 1: above, no sweep of refinement is made */
static const double TN_RHO_REDUNDANT = 1e-8; /* 1: below, a row that repeats others */
static const double TN_RHO_NEARLY = 1e-9;    /* 1: below, a row that nearly repeats others */
static const double TN_RHO_RANK = 1e-12;     /* 1: below, a row that depends on those before it */

#endif
