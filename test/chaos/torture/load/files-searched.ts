import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WritTaskError } from '../../../../src/surfaces/client/index.ts';
import { codeOf, insist } from '../insist.ts';
import type { Look } from '../model.ts';
import type { Stage } from '../stage.ts';

/** One file in a directory of its own, which nobody else touches. */
interface Subject {
  directory: string;
  readonly name: string;
  /** What it has, a word each. */
  words: readonly string[];
  /** What it had. */
  readonly past: string[];
  exists: boolean;
}

const CHANGES = {
  'written over': (file, word) => {
    leave(file);
    file.words = [word];
    writeFileSync(placeOf(file), `${word}\n`);
  },
  appended: (file, word) => {
    file.words = [...file.words, word];
    appendFileSync(placeOf(file), `${word}\n`);
  },
  replaced: (file, word) => {
    leave(file);
    file.words = [word];
    writeFileSync(`${placeOf(file)}.new`, `${word}\n`);
    renameSync(`${placeOf(file)}.new`, placeOf(file));
  },
  'moved with its directory': (file, word) => {
    const to = path.join(path.dirname(file.directory), word);
    renameSync(file.directory, to);
    file.directory = to;
  },
  removed: (file) => {
    leave(file);
    file.words = [];
    file.exists = false;
    rmSync(placeOf(file));
  },
} satisfies Record<string, (file: Subject, word: string) => void>;

const NAMES = Object.keys(CHANGES) as readonly (keyof typeof CHANGES)[];
const MOST_CHANGES = 5;
const AGAIN_MS = 200;

const WAYS = {
  content: (stage, word) => byContent(stage, word, {}),
  /** Of hidden files the index knows nothing, so all are read. */
  'content of all files': (stage, word) => byContent(stage, word, { hidden: true }),
} satisfies Partial<Record<Look['by'], (stage: Stage, word: string) => Promise<Pick<Look, 'found' | 'excluded'>>>>;

/** A file is made, changed and removed; after each change it is searched for what it has, and for what it has no more. */
export async function searchedFile(stage: Stage): Promise<void> {
  const { site, random } = stage;
  const number = stage.next();
  const file: Subject = { directory: path.join(site.tree, `look-${number}`), name: `look-${number}-file.txt`, words: [], past: [], exists: true };
  const word = (): string => `needle-${stage.next()}-end`;
  mkdirSync(file.directory);
  CHANGES['written over'](file, word());
  await look(stage, file, 'made');
  for (let left = 1 + random.integer(MOST_CHANGES); left > 0 && file.exists && !stage.over.aborted; left -= 1) {
    const change = random.pick(NAMES);
    CHANGES[change](file, word());
    await look(stage, file, change);
  }
}

/** Everything that it has, one thing that it had, and its name. */
async function look(stage: Stage, file: Subject, after: string): Promise<void> {
  const place = path.relative(stage.site.tree, placeOf(file));
  const by = stage.random.chance(0.2) ? 'content of all files' : 'content';
  for (const text of [...file.words, ...file.past.slice(-1)]) {
    const wanted = file.words.includes(text) ? place : undefined;
    stage.model.looks.push({ by, text, after, wanted, ...(await WAYS[by](stage, text)) });
  }
  if (!stage.random.chance(0.3)) return;
  const wanted = file.exists ? place : undefined;
  stage.model.looks.push({ by: 'file name', text: file.name, after, wanted, found: await byName(stage, file.name), excluded: 0 });
}

async function byContent({ site, over }: Stage, pattern: string, options: { hidden?: true }): Promise<Pick<Look, 'found' | 'excluded'>> {
  for (;;) {
    const { matches, timed_out, stats } = await insist(() => site.client.contentSearch({ pattern, fixed_strings: true, ...options }), over);
    // It says that there may be more: on a busy machine not all was read.
    if (!timed_out) return { found: [...new Set(matches.map(({ data }) => data.path.text))], excluded: stats?.candidates_excluded ?? 0 };
    if (over.aborted) throw over.reason;
  }
}

/** By a signed task. One that failed is asked anew: the same would be answered the same. One that Redis has lost is pushed again. */
async function byName(stage: Stage, name: string): Promise<readonly string[]> {
  const { search } = stage.site.client;
  const { searches } = stage.model;
  for (let taskId = `search-${stage.next()}`; ; ) {
    searches.add(taskId);
    try {
      const { results } = await insist(() => search.files({ query: name, target_scope: 'tree', max_results: 100 }, { taskId }), stage.over);
      return results.map(({ id }) => id);
    } catch (error) {
      if (stage.over.aborted) throw error;
      if (error instanceof WritTaskError) taskId = `search-${stage.next()}`;
      else if (codeOf(error) !== 'NOT_FOUND') throw error;
      await delay(AGAIN_MS);
    }
  }
}

function leave(file: Subject): void {
  file.past.push(...file.words);
}

const placeOf = ({ directory, name }: Subject): string => path.join(directory, name);
