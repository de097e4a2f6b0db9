/**
 * The fields of a value that `look` never reads, as paths. A validator that passes over what it does not know, as those of
 * Kubernetes' kinds do, reads what it knows: what is left unread is misspelled, or stands in the wrong place.
 *
 * @param look is handed a stand-in of the value; what it throws is thrown
 */
export function unreadFields<T extends object>(value: T, look: (value: T) => void): readonly string[] {
  const seen = new Set<string>();
  look(watched(value, '', seen));
  return fieldsOf(value, '').filter((field) => !seen.has(field));
}

function watched<T extends object>(value: T, at: string, seen: Set<string>): T {
  return new Proxy(value, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol') return found;
      seen.add(`${at}/${name}`);
      return typeof found === 'object' && found !== null ? watched(found, `${at}/${name}`, seen) : found;
    },
  });
}

function fieldsOf(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [`${at}/${name}`, ...fieldsOf(inner, `${at}/${name}`)]);
}
