/* coefficients of the formulas of Adams on a uniform grid, in exact rational numbers (Hairer, Norsett & Wanner I, III.1):
 *   (1) gamma_m  = 1 - sum_{i<m} gamma_i/(m + 1 - i);   gamma*_0 = 1, gamma*_m = -sum_{i<m} gamma*_i/(m + 1 - i)
 *   (2) y_{n+1} = y_n + h sum_{i<k} gamma_i nabla^i f_n  = y_n + h sum_j beta_j f_{n-j},
 *       beta_j = (-1)^j sum_{i>=j}^{k-1} binomial(i, j) gamma_i;  with gamma* and f_{n+1} in the place of f_n: implicit */
#include "integrate/integrate.h"

/* (1) */
void tn_adams_gamma(int m, bool is_explicit, tn_ratio *gamma) {
  for (int k = 0; k <= m; k++) {
    gamma[k] = tn_ratio_of(is_explicit || k == 0, 1);
    for (int i = 0; i < k; i++)
      gamma[k] = tn_ratio_sum(gamma[k], tn_ratio_product(gamma[i], tn_ratio_of(-1, k + 1 - i)));
  }
}

/* (2) */
void tn_adams_beta(int k, bool is_explicit, tn_ratio *beta) {
  tn_ratio gamma[TN_ADAMS_MOST + 1];
  tn_adams_gamma(k - 1, is_explicit, gamma);
  for (int j = 0; j < k; j++) {
    tn_ratio binomial = tn_ratio_of(j % 2 ? -1 : 1, 1);
    beta[j] = tn_ratio_of(0, 1);
    for (int i = j; i < k; i++) {
      beta[j] = tn_ratio_sum(beta[j], tn_ratio_product(binomial, gamma[i]));
      binomial = tn_ratio_product(binomial, tn_ratio_of(i + 1, i + 1 - j));
    }
  }
}
