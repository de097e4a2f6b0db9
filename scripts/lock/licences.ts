import { type Lock, nameOf, productionPackages } from './production.ts';

/** Licences under which what is installed with Writ may be passed on with it, by their SPDX identifiers. */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']);

/** Every licence with the packages under it, `name@version`. */
export function packagesByLicence(lock: Lock): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [at, entry] of productionPackages(lock)) {
    const licence = entry.license ?? siblingLicence(lock, at) ?? 'unknown';
    found.set(licence, [...(found.get(licence) ?? []), `${nameOf(at, entry)}@${entry.version}`]);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function licenceProblems(lock: Lock): string[] {
  return [...packagesByLicence(lock)]
    .filter(([licence]) => !isAllowed(licence))
    .flatMap(([licence, names]) => names.map((name) => `${name} is under ${licence}, which is not in ALLOWED_LICENCES`));
}

/** `(A OR B)`: one of them is enough. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/^\(|\)$/g, '')
    .split(' OR ')
    .some((choice) => ALLOWED_LICENCES.has(choice));
}

/** The registry at hand does not have every platform's build of a native package; those that it has are under the same licence. */
function siblingLicence(lock: Lock, at: string): string | undefined {
  const family = at.replace(/-(android|darwin|freebsd|linux|win32)-.*$/, '-');
  return family === at ? undefined : productionPackages(lock).find(([other, { license }]) => license !== undefined && other.startsWith(family))?.[1].license;
}
