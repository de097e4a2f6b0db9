const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The half (IEEE 754 binary16, as 16 bits) nearest to a number, ties to even. */
export function halfOf(value: number): number {
  float[0] = value;
  const all = bits[0] ?? 0;
  const sign = (all >>> 16) & 0x8000;
  const size = all & 0x7fffffff;
  if (size > 0x7f800000) return sign | 0x7e00;
  if (size >= 0x47800000) return sign | 0x7c00;
  // Below 2^-14 a half is a whole multiple of 2^-24.
  if (size < 0x38800000) return sign | roundedToEven(Math.abs(float[0]) * 2 ** 24);
  return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
}

/** The halves of a vector. */
export function halvesOf(vector: Float32Array): Uint16Array {
  return Uint16Array.from(vector, halfOf);
}

/** The number that a half stands for. */
export function numberOf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}

export function isFinite16(half: number): boolean {
  return (half & 0x7c00) !== 0x7c00;
}

function roundedToEven(value: number): number {
  const whole = Math.floor(value);
  const rest = value - whole;
  return rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole;
}
