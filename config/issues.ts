import type { z } from 'zod';
import { WritError } from '../src/core/errors.ts';
import { nearestWord } from '../src/core/nearest-word.ts';
import { valueAt } from '../src/core/union-problems.ts';
import type { Source } from './layers.ts';
import { settingsByKey } from './settings.ts';

type Issue = z.core.$ZodIssue;

/** One thing that is wrong with the settings. */
export interface Fault {
  readonly key: string;
  readonly message: string;
}

/**
 * The faults behind what the schema said, one per key.
 *
 * @param values what was checked
 */
export function faultsOf(issues: readonly Issue[], values: unknown): Fault[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'invalid_type' && valueAt(values, path) === undefined) return [{ key: path.join('.'), message: 'is missing' }];
    if (issue.code !== 'unrecognized_keys') return [{ key: path.join('.'), message: sentence(issue) }];
    return issue.keys.map((name) => unknownKey([...path, name].join('.')));
  });
}

/**
 * The error that refuses settings: every fault with its dotted key and its place; `field` is the first key.
 */
export function invalidConfig(faults: readonly Fault[], sources: ReadonlyMap<string, Source>): WritError {
  const lines = faults.map(({ key, message }) => `${key}: ${message} (${placeOf(key, sources)})`);
  const [first] = faults;
  return new WritError('INVALID_CONFIG', lines.join('\n'), first === undefined ? {} : { field: first.key });
}

/** The place of a key, or of the nearest table or list around it that somebody wrote. */
function placeOf(key: string, sources: ReadonlyMap<string, Source>): string {
  for (let name = key; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const source = sources.get(name);
    if (source !== undefined) return source.place;
  }
  return 'default';
}

function unknownKey(key: string): Fault {
  const near = nearestWord(key, [...settingsByKey().keys()]);
  return { key, message: `is not a setting${near === undefined ? '' : `; did you mean ${near}?`}` };
}

const EXPECTED = new Map([
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['string', 'text in quotes'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a table'],
  ['record', 'a table'],
]);

function sentence(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${EXPECTED.get(issue.expected) ?? issue.expected}`;
    case 'too_small':
      return `must be at least ${issue.minimum}${issue.origin === 'string' ? ' characters long' : ''}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}
