/**
 * npm leaves an optional package out of package-lock.json when the registry at hand does not have it (a mirror that
 * keeps only some platforms), and then `npm ci` refuses the lock file as incomplete. Such packages are binaries for
 * other platforms, so an entry that says "for that platform only" is all that npm needs to pass over them.
 */

/** The part of a lock file's entry that is used here. */
export interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
export type LockPackages = Readonly<Record<string, LockEntry>>;

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];
const LIBRARIES = [
  ['musl', /^musl/],
  ['glibc', /^gnu|^glibc/],
] as const;

/** Optional packages that no entry of the lock file satisfies, by the place where they belong. */
export function missingEntries(packages: LockPackages): Map<string, LockEntry> {
  const missing = new Map<string, LockEntry>();
  for (const [place, entry] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!isResolved(packages, place, name)) missing.set(`node_modules/${name}`, entryFor(name, range, entry.dev === true));
    }
  }
  return missing;
}

/** A copy with entries added, in the order that npm writes. */
export function completed(packages: LockPackages): LockPackages {
  const entries = [...Object.entries(packages), ...missingEntries(packages)];
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, 'en')));
}

/** Node's search: beside the package, then in every node_modules around it. */
function isResolved(packages: LockPackages, place: string, name: string): boolean {
  for (let around = place; ; around = around.slice(0, Math.max(0, around.lastIndexOf('/node_modules/')))) {
    if (packages[around === '' ? `node_modules/${name}` : `${around}/node_modules/${name}`] !== undefined) return true;
    if (around === '') return false;
  }
}

/** Throws Error for a package whose name does not tell its platform: that one is really missing. */
function entryFor(name: string, version: string, dev: boolean): LockEntry {
  const words = name.split(/[-/@]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = LIBRARIES.filter(([, pattern]) => words.some((word) => pattern.test(word))).map(([library]) => library);
  if (!/^\d+\.\d+\.\d+/.test(version) || (os.length === 0 && cpu.length === 0)) throw new Error(`package-lock.json lacks ${name}@${version}; run: npm install`);
  return {
    version,
    ...(cpu.length === 0 ? {} : { cpu }),
    ...(dev ? { dev } : {}),
    ...(libc.length === 0 || !os.includes('linux') ? {} : { libc }),
    optional: true,
    ...(os.length === 0 ? {} : { os }),
  };
}
