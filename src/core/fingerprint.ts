/** Each setting by its dotted name, with a hash of its value: what tells values apart without telling them. */
export type Fingerprint = Readonly<Record<string, string>>;

/** The settings that differ, or that one side does not know, in their order; empty when both are the same. */
export function differences(one: Fingerprint, other: Fingerprint): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !isSame(one[key], other[key]));
}

/**
 * The value of an address with a user, in three hashes: another user of the same place is no other setting, another password
 * of the same user is.
 *
 * @param user empty when the address names none
 */
export function userMark(place: string, user: string, whole: string): string {
  return [place, user, whole].join(' ');
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  const [place, user = ''] = one?.split(' ') ?? [];
  const [otherPlace, otherUser = ''] = other?.split(' ') ?? [];
  return place === otherPlace && user !== '' && otherUser !== '' && user !== otherUser;
}
