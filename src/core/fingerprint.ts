/** Each setting by its dotted name, with a hash of its value: what tells values apart without telling them. */
export type Fingerprint = Readonly<Record<string, string>>;

/** The settings that differ, or that one side does not know, in their order; empty when both are the same. */
export function differences(one: Fingerprint, other: Fingerprint): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => one[key] !== other[key]);
}
