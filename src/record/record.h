/* record: samples to files. */
#ifndef TN_RECORD_H
#define TN_RECORD_H

#include "simulate/simulate.h"

/* %.17g with a point in every locale; returns the length */
int tn_text_of(double value, char text[40]);

#endif
