import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import type { OpenBoundary } from './boundary.ts';
import { type Coverage, countCoverage } from './coverage.ts';

/** Inputs that reached code which none before them reached: they are changed further, and kept. */
export interface Corpus extends Disposable {
  /** Valid inputs, those that were kept, and those of this run. */
  readonly inputs: readonly (string | Uint8Array)[];
  /** What has just run goes in where it reached something new. */
  learn(batch: readonly Buffer[]): Promise<void>;
  /** The fewest and shortest that reach what all of them do, without the valid ones. */
  smallest(): Promise<Buffer[]>;
}

/** What is larger is slower to change than it is worth, and more than so many are not looked for. */
const MAX_BYTES = 8192;
const MAX_INPUTS = 400;

/** @param coverage counts since before the boundary was opened: V8 counts the blocks of what is compiled from then on */
export async function openCorpus(open: OpenBoundary, kept: readonly Buffer[], coverage = countCoverage()): Promise<Corpus> {
  const inputs: (string | Uint8Array)[] = [];
  const found: Buffer[] = [];
  const add = async (input: Buffer): Promise<void> => {
    if (input.length > MAX_BYTES || found.length >= MAX_INPUTS || !(await reachesNew(open, coverage, input))) return;
    found.push(input);
    inputs.push(input);
  };
  for (const seed of open.seeds) {
    inputs.push(seed);
    await reachesNew(open, coverage, Buffer.from(seed as Uint8Array));
  }
  for (const input of kept) await add(input);
  return {
    inputs,
    async learn(batch) {
      // One look at all of them: most of the time there is nothing new.
      if (coverage.isNew(coverage.look())) for (const input of batch) await add(input);
    },
    async smallest() {
      const account = coverage.anew();
      for (const seed of open.seeds) await reachesNew(open, account, Buffer.from(seed as Uint8Array));
      const needed: Buffer[] = [];
      for (const input of found.toSorted((a, b) => a.length - b.length || a.compare(b))) if (await reachesNew(open, account, input)) needed.push(input);
      return needed;
    },
    [Symbol.dispose]: coverage.close,
  };
}

async function reachesNew(open: OpenBoundary, coverage: Coverage, input: Buffer): Promise<boolean> {
  coverage.look();
  // What it throws was judged when it ran first.
  await (async () => open.run(input))().catch(() => undefined);
  return coverage.learn(coverage.look());
}

const fileOf = (name: string): string => path.join(packageRoot(), 'test/fixtures/fuzz/corpus', `${name}.json`);

/** The inputs that are kept of a boundary, shortest first. */
export function keptCorpus(name: string): Buffer[] {
  const file = fileOf(name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]).map((text) => Buffer.from(text, 'base64')) : [];
}

export function keepCorpus(name: string, inputs: readonly string[]): void {
  mkdirSync(path.dirname(fileOf(name)), { recursive: true });
  writeFileSync(fileOf(name), `${JSON.stringify(inputs, null, 2)}\n`);
}
