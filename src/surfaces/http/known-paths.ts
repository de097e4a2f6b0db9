/** A path of the tables, and what may be asked of it. */
export interface KnownPath {
  /** As the tables have it, with `:name` for what varies. */
  readonly path: string;
  readonly methods: ReadonlySet<string>;
  /** The header `Allow`. */
  readonly allow: string;
}

export interface Known {
  readonly method: string;
  readonly path: string;
  readonly head?: boolean;
}

/** The paths of the tables, each once. */
export function knownPaths(known: readonly Known[]): readonly KnownPath[] {
  const byPath = new Map<string, Set<string>>();
  for (const { method, path, head } of known) {
    const methods = byPath.get(path) ?? new Set();
    methods.add(method);
    if (method === 'GET' && head !== false) methods.add('HEAD');
    byPath.set(path, methods);
  }
  return [...byPath].map(([path, methods]) => ({ path, methods, allow: [...methods].sort().join(', ') }));
}

/** Which of the paths an address leads to; one that says more in words goes before one that takes anything. */
export function createPathFinder(paths: readonly KnownPath[]): (url: string) => KnownPath | undefined {
  const all = paths.map((known) => ({ known, segments: segmentsOf(known.path) })).sort((a, b) => variables(a.segments) - variables(b.segments));
  return (url) => {
    const asked = decoded(url);
    return asked && all.find(({ segments }) => segments.length === asked.length && segments.every((segment, at) => takes(segment, asked[at] ?? '')))?.known;
  };
}

/** Whether some address leads to both, as far as a router looks at paths alone. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [segmentsOf(one), segmentsOf(other)];
  return a.length === b.length && a.every((segment, at) => segment === b[at] || isVariable(segment) || isVariable(b[at] ?? ''));
}

const segmentsOf = (path: string): readonly string[] => path.split('/');
const isVariable = (segment: string): boolean => segment.startsWith(':');
const variables = (segments: readonly string[]): number => segments.filter(isVariable).length;
const takes = (segment: string, asked: string): boolean => (isVariable(segment) ? asked !== '' : segment === asked);

/** `undefined` for an address that cannot be read. */
function decoded(url: string): readonly string[] | undefined {
  try {
    return segmentsOf(url.split(/[?#]/, 1)[0] ?? '').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
