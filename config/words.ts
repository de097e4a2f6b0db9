import { WritError } from '../src/core/errors.ts';
import { type SettingKind, settingKinds } from './kinds.ts';
import { type Layer, nest, type Source } from './layers.ts';
import { ConfigSchema } from './schema.ts';

/**
 * Layers whose values arrive as words: the environment and flags. A word becomes what the setting's kind says; what
 * cannot be read is refused here, what is read but out of range is refused by the schema.
 */

type Environment = Readonly<Record<string, string | undefined>>;
export type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const INTEGER = /^[+-]?\d{1,15}$/;
const NUMBER = /^[+-]?\d{1,15}(\.\d{1,15})?$/;
const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
]);

const READERS = {
  string: { read: (word) => word, expected: 'text' },
  integer: { read: (word) => (INTEGER.test(word) ? Number(word) : undefined), expected: 'a whole number' },
  number: { read: (word) => (NUMBER.test(word) ? Number(word) : undefined), expected: 'a number' },
  boolean: { read: (word) => BOOLEANS.get(word.toLowerCase()), expected: 'true or false' },
  list: { read: (word) => (word.trim() === '' ? [] : word.split(',').map((part) => part.trim())), expected: 'words separated by commas' },
  integers: { read: readIntegers, expected: 'whole numbers separated by commas' },
  table: { read: () => undefined, expected: 'one entry at a time: append its id to the name' },
} satisfies Record<SettingKind, { read: (word: string) => unknown; expected: string }>;

function readIntegers(word: string): readonly number[] | undefined {
  const parts = word.trim() === '' ? [] : word.split(',').map((part) => part.trim());
  return parts.every((part) => INTEGER.test(part)) ? parts.map(Number) : undefined;
}

/** What may be meant as a setting: it has two underscores together, or begins with the name of a section. */
const MEANT = new RegExp(`^WRIT_(.*__|(${Object.keys(ConfigSchema.shape).join('|').toUpperCase()})_)`);

/**
 * `WRIT_SECTION__KEY`, one more `__` for sections inside sections and for entries of a table:
 * `WRIT_FILE__BASE_DIRECTORIES__INBOX=/srv/inbox`. Names without `__` are no settings (`WRIT_DATA_DIR`), but a
 * setting's name with a single `_` is refused, because it would be ignored in silence.
 *
 * @throws WritError INVALID_CONFIG naming the variable
 */
export function environmentLayer(environment: Environment): Layer {
  const ours = Object.entries(environment).filter(([name]) => MEANT.test(name) && name !== 'WRIT_DATA_DIR');
  // Mostly there are none; then nobody needs the list of all settings.
  if (ours.length === 0) return { values: {}, sourceOf: (key): Source => ({ layer: 'environment', place: environmentName(key) }) };
  const kinds = settingKinds();
  const misspelt = new Map([...kinds.keys()].map((key) => [`WRIT_${key.replaceAll('.', '_').toUpperCase()}`, key]));
  const names = new Map<string, string>();
  const entries: [string, unknown][] = [];
  for (const [name, word] of ours) {
    if (word === undefined) continue;
    const meant = misspelt.get(name);
    if (meant !== undefined) throw refused(meant, `write ${environmentName(meant)}, with two underscores between section and key`, name);
    if (!name.includes('__')) continue;
    const key = name.slice('WRIT_'.length).split('__').join('.').toLowerCase();
    names.set(key, name);
    entries.push([key, readWord(kinds, key, word, name)]);
  }
  return { values: nest(entries), sourceOf: (key): Source => ({ layer: 'environment', place: names.get(key) ?? environmentName(key) }) };
}

/**
 * Flags of the command line by dotted key; `undefined` means not given.
 *
 * @throws WritError INVALID_CONFIG naming the flag
 */
export function flagLayer(flags: Flags): Layer {
  const entries: [string, unknown][] = [];
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    entries.push([key, typeof value === 'string' ? readWord(settingKinds(), key, value, `flag ${key}`) : value]);
  }
  return { values: nest(entries), sourceOf: (key): Source => ({ layer: 'flag', place: `flag ${key}` }) };
}

/** The environment variable of a setting. */
export function environmentName(key: string): string {
  return `WRIT_${key.replaceAll('.', '__').toUpperCase()}`;
}

function readWord(kinds: ReadonlyMap<string, SettingKind>, key: string, word: string, place: string): unknown {
  const kind = kinds.get(key);
  // An entry of a table is one word, whatever its id.
  if (kind === undefined && kinds.get(key.slice(0, key.lastIndexOf('.'))) === 'table') return word;
  if (kind === undefined) throw refused(key, 'is not a setting', place);
  const { read, expected } = READERS[kind];
  const value = read(word);
  if (value === undefined) throw refused(key, `must be ${expected}`, place);
  return value;
}

function refused(key: string, message: string, place: string): WritError {
  return new WritError('INVALID_CONFIG', `${key}: ${message} (${place})`, { field: key });
}
