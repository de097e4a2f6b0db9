/** Where a value was written. */
export interface Source {
  readonly layer: 'default' | 'file' | 'environment' | 'flag';
  /** For a person: `writ.toml:12`, `WRIT_REDIS__PORT`, `flag redis.port`. */
  readonly place: string;
}

/** One layer of settings; a later layer wins, key by key. */
export interface Layer {
  readonly values: Readonly<Record<string, unknown>>;
  /** Source of a dotted key that this layer has. */
  readonly sourceOf: (key: string) => Source;
}

export interface Merged {
  readonly values: Record<string, unknown>;
  /** Source by dotted key, for everything that some layer has, tables and their entries included. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** Lays layers over each other: tables are merged, everything else is replaced. */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const sources = new Map<string, Source>();
  let values: Record<string, unknown> = {};
  for (const layer of layers) values = overlay(values, layer.values, '', (key) => sources.set(key, layer.sourceOf(key)));
  return { values, sources };
}

type Table = Readonly<Record<string, unknown>>;

function overlay(below: Table, above: Table, prefix: string, seen: (key: string) => void): Record<string, unknown> {
  const result = new Map(Object.entries(below));
  for (const [name, value] of Object.entries(above)) {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    const under = result.get(name);
    seen(key);
    result.set(name, isTable(value) ? overlay(isTable(under) ? under : {}, value, key, seen) : value);
  }
  // fromEntries defines own properties, so a key named __proto__ stays a key and is refused as unknown.
  return Object.fromEntries(result);
}

/** The values of dotted keys as nested tables. */
export function nest(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  let values: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    const single = key.split('.').reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value);
    if (isTable(single)) values = overlay(values, single, '', () => {});
  }
  return values;
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
