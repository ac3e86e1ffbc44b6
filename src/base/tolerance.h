/* tolerance: numbers that decide something and that more than one file uses. It includes nothing, so that every file may include
 * it. docs/design/thresholds.md lists these and all others; test/docs/test_thresholds.c compares that list with the code. */
#ifndef TN_TOLERANCE_H
#define TN_TOLERANCE_H

/* machine epsilon: the distance from 1 to the next double. roundoff of one operation is at most half of it */
#define TN_EPS 0x1p-52

#endif
