import { compareCodePoints } from '../../core/code-points.ts';

/** A data set that breaks a rule; the message names no path. */
export class BrokenDataSet extends Error {
  override readonly name = 'Broken';
}

/** A record that is longer, or a file that is wider, than what is held at once; the message names no path. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** A column that is searched. */
export interface TextColumn {
  readonly name: string;
  /** Its name in `Layout.from`: `c` and its place. */
  readonly column: string;
}

/**
 * One way to read the key. CSV has several, tried in turn until `isGood` holds for every record: the text of the file
 * decides, and all of it, never a sample.
 */
export interface KeyReading {
  /** SQL of the key as a value that orders. */
  readonly value: string;
  /** SQL: whether a record's key can be used; never NULL. */
  readonly isGood: string;
  /** SQL of at most 16 bytes that are equal if two keys are. */
  readonly identity: string;
  /** SQL of what is equal exactly if two keys are; undefined where `identity` is. */
  readonly exact?: string;
  /** SQL of the key's text, made of the column `key`; its plain cast if undefined. */
  readonly written?: string;
  readonly kind: 'text' | 'integer' | 'number' | 'decimal' | 'double';
}

/** What a file holds and how DuckDB reads it. */
export interface Layout {
  /** SQL of a FROM item with the columns `c0`, `c1`, ... */
  readonly from: string;
  /** In code point order of their names. */
  readonly texts: readonly TextColumn[];
  readonly keys: readonly [KeyReading, ...KeyReading[]];
  /** SQL of further conditions that every record meets; never NULL. */
  readonly mustHold: readonly string[];
  /** What DuckDB does not check, beside its reading. Throws Broken. */
  check(): Promise<void>;
  /** Asked when DuckDB cannot read the file: says where it is malformed, if that is found. Throws Broken. */
  findFault(): Promise<void>;
}

/** A statement names each column, and a wide file is read again for some of them at a time. */
const MAX_COLUMNS = 10_000;

/** Names and places of columns, each name once. Throws Broken, or TooLong for more than 10,000. */
export function columnsByName(names: readonly string[]): ReadonlyMap<string, string> {
  if (names.length > MAX_COLUMNS)
    throw new TooLong(`a file of columns has at most ${MAX_COLUMNS} of them here, and JSON Lines has no such limit; this one has ${names.length}`);
  const places = new Map(names.map((name, place) => [name, `c${place}`]));
  if (places.size !== names.length) throw new BrokenDataSet('two columns have the same name');
  return places;
}

export function keyColumn(places: ReadonlyMap<string, string>, primaryKey: string): string {
  const column = places.get(primaryKey);
  if (column === undefined) throw new BrokenDataSet('there is no column with the name of the primary key');
  return column;
}

export function textColumns(places: ReadonlyMap<string, string>, isText: (name: string) => boolean): TextColumn[] {
  return [...places]
    .filter(([name]) => isText(name))
    .map(([name, column]) => ({ name, column }))
    .sort((a, b) => compareCodePoints(a.name, b.name));
}
