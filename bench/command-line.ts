import path from 'node:path';
import { parseArgs } from 'node:util';
import { FULL_SIZE, type SuiteOptions } from './contract.ts';

export interface CommandLine {
  /** One of the known suites, if there is no fault. */
  readonly name: string;
  readonly json: boolean;
  readonly options: SuiteOptions;
  /** Why nothing can be run, for a person. */
  readonly fault: string | undefined;
}

const WORDS = {
  json: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  data: { type: 'string' },
  scale: { type: 'string', default: '1' },
} as const;

/** Reads the words behind `npm run bench --`. Never throws. */
export function parseCommandLine(words: readonly string[], known: readonly string[]): CommandLine {
  const wrong = (fault: string): CommandLine => ({ name: '', json: false, options: FULL_SIZE, fault });
  let parsed: ReturnType<typeof read>;
  try {
    parsed = read(words);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
  const [name = '', ...more] = parsed.positionals;
  const { json, keep, data, scale } = parsed.values;
  if (!known.includes(name)) return wrong(`${name === '' ? 'say which suite' : `unknown suite ${name}`}; known: ${[...known].sort().join(', ')}`);
  if (more.length > 0) return wrong(`one suite at a time, not also ${more.join(' ')}`);
  const share = Number(scale);
  if (!(share > 0 && share <= 1)) return wrong(`--scale is above 0 and at most 1, not ${scale}`);
  return { name, json, options: { data: data === undefined ? undefined : path.resolve(data), keep, scale: share }, fault: undefined };
}

function read(words: readonly string[]) {
  return parseArgs({ args: [...words], options: WORDS, allowPositionals: true });
}
