/* numbers in words. */

export function number(v: number, digits = 4): string {
  if (!Number.isFinite(v)) return Number.isNaN(v) ? 'not a number' : v > 0 ? 'infinite' : '-infinite';
  if (v === 0) return '0';
  const size = Math.abs(v);
  if (size >= 1e6 || size < 1e-3)
    return v
      .toExponential(digits - 1)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  const text = v.toPrecision(digits);
  const plain = text.includes('e') ? String(Number(text)) : text;
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
}

export function count(n: number): string {
  return Number.isFinite(n) ? Math.round(n).toLocaleString('en-US') : String(n);
}

export function withUnit(v: number, unit?: string, digits = 4): string {
  return unit && unit !== '1' ? `${number(v, digits)} ${unit}` : number(v, digits);
}

/* digits behind the point that a step needs */
function places(step: number): number {
  for (let d = 0; d < 12; d++)
    if (Math.abs(step * 10 ** d - Math.round(step * 10 ** d)) < 1e-6 * step * 10 ** d) return d;
  return 12;
}

/* values of an axis in steps of `step`: as many digits as tell them apart */
export function ticks(values: number[], step: number): string[] {
  const size = Math.max(...values.map(Math.abs), 0);
  const none = (v: number): boolean => Math.abs(v) < step / 2;
  if (size >= 1e5 || (size > 0 && size < 1e-3)) {
    const digits = (v: number): number => places(step / 10 ** Math.floor(Math.log10(Math.abs(v)) + 1e-9));
    return values.map((v) => (none(v) ? '0' : v.toExponential(digits(v)).replace('e+', 'e')));
  }
  const digits = places(step);
  return values.map((v) => (none(v) ? '0' : v.toFixed(digits)));
}
