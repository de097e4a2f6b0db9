/** The name of the nth ask to run a plan, for journals without jobs. */
export function wishAt(n = 0): string {
  return String(n).padStart(64, '0');
}
