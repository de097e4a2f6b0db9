import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../support/random.ts';

/** The steps of one plan, and the files that it works on. */
export interface Scene {
  readonly kinds: readonly StepKind[];
  readonly directory: string;
  readonly steps: readonly object[];
  /** Makes its directory as it was before the plan. */
  reset(): void;
  /** What lies in its directory: path → content. */
  tree(): Readonly<Record<string, string>>;
}

/** Every kind of step: what it does to its own files, and how it is written. `on` is the number of the step. */
const KINDS = {
  copy: (at, on) => ({ files: [`${on}`], step: file('FILE_COPY', at(`${on}`), at(`${on}.copy`)) }),
  move: (at, on) => ({ files: [`${on}`], step: file('FILE_MOVE', at(`${on}`), at(`sub/${on}`)) }),
  remove: (at, on) => ({ files: [`${on}`], step: file('FILE_DELETE', at(`${on}`)) }),
  'fails, goes on': (at, on) => ({ files: [], step: { ...file('FILE_COPY', at(`${on}`), at(`${on}.copy`)), on_error: { mode: 'continue' } } }),
  'falls back': (at, on) => ({
    files: [`${on}`],
    step: {
      ...file('FILE_COPY', at(`${on}`), at(`no-such-directory/${on}`)),
      on_error: {
        mode: 'fallback',
        fallback: { type: 'tool', ref: 'writ.file', params: { action: 'FILE_MOVE', source_path: at(`${on}`), destination_path: at(`sub/${on}`) } },
      },
    },
  }),
  'sent once': (_at, on) => ({ files: [], step: { ...call('send', on), on_error: { mode: 'continue' } } }),
  'sent once, refused': (_at, on) => ({ files: [], step: { ...call('refuse', on), on_error: { mode: 'continue' } } }),
  'may be repeated': (_at, on) => ({ files: [], step: { ...call('put', on), save: { to: { [`heard.n${on}`]: '$.data.ok' } } } }),
  'not reached': (at, on) => ({ files: [`${on}`], step: { ...file('FILE_DELETE', at(`${on}`)), when: 'has(memory.state.never)' } }),
} satisfies Record<string, (at: (name: string) => string, on: number) => { files: readonly string[]; step: object }>;

export type StepKind = keyof typeof KINDS;
export const STEP_KINDS = Object.keys(KINDS) as readonly StepKind[];

const STEPS = 30;

/** What a plan of thirty steps does. */
export function thirtySteps(random: Random): readonly StepKind[] {
  return Array.from({ length: STEPS }, () => random.pick(STEP_KINDS));
}

export function makeScene(directory: string, kinds: readonly StepKind[]): Scene {
  const at = (name: string): string => join(directory, name);
  const made = kinds.map((kind, on) => KINDS[kind](at, on));
  return {
    kinds,
    directory,
    steps: made.map(({ step }) => step),
    reset() {
      rmSync(directory, { recursive: true, force: true });
      mkdirSync(at('sub'), { recursive: true });
      for (const name of made.flatMap(({ files }) => files)) writeFileSync(at(name), `content of ${name}`);
    },
    tree() {
      const found: Record<string, string> = {};
      if (!existsSync(directory)) return found;
      const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
      for (const entry of entries.toSorted((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
        const path = join(entry.parentPath, entry.name);
        found[path.slice(directory.length + 1)] = entry.isFile() ? readFileSync(path, 'utf8') : '(directory)';
      }
      return found;
    },
  };
}

function file(operation: string, source: string, destination?: string): object {
  const params = { source_path: source, ...(destination === undefined ? {} : { destination_path: destination }) };
  return { type: 'tool', ref: 'writ.file', operation, params: operation === 'FILE_DELETE' ? { ...params, constraints: { reversible: true } } : params };
}

function call(operation: string, n: number): object {
  return { type: 'tool', ref: 'chaos.http', operation, params: { n } };
}
