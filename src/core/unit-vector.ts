/** The vector of length 1 with this direction; zeros stay zeros. */
export function unitVector(vector: Float64Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}
