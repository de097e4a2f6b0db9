import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { packageRoot } from '../../config/package.ts';
import type { Told } from './long-child.ts';
import { simulatedSources } from './sources.ts';

/** Seeds from `seed` on whose histories were run on one state of the sources, and what came out. */
export interface Part {
  readonly commit: string;
  readonly seed: number;
  readonly histories: number;
  readonly violations: number;
  /** Processor time of all of them, milliseconds. */
  readonly cpuMs: number;
}

/** A mutant, and whether its histories found it. */
export interface MutantFound {
  readonly mutant: string;
  readonly found: boolean;
  readonly histories: number;
  readonly breaks: string;
}

/** What the long run keeps between two of its runs; `docs/evidence/simulation.json` has it. */
export interface Tally {
  readonly commit: string;
  readonly minutes: number;
  readonly parts: readonly Part[];
  readonly broken: readonly Told['violations'][number][];
  readonly reached: Readonly<Record<string, number>>;
  readonly each: readonly MutantFound[];
}

/** Broken promises that are kept with their words. */
const BROKEN_KEPT = 100;

/** An empty tally of a commit. */
export function emptyTally(commit: string): Tally {
  return { commit, minutes: 0, parts: [], broken: [], reached: {}, each: [] };
}

/** The tally in a file; a new one where there is none, or where it is of other sources than those of the checkout. */
export function tallyIn(file: string, commit: string): Tally {
  if (!existsSync(file)) return emptyTally(commit);
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isTally(kept) && isOfThese(kept.commit) ? kept : emptyTally(commit);
}

function isTally(kept: unknown): kept is Tally {
  return typeof kept === 'object' && kept !== null && 'parts' in kept && 'broken' in kept && 'commit' in kept && typeof kept.commit === 'string';
}

/** Whether the sources are the ones that the commit has. */
function isOfThese(commit: string): boolean {
  if (!/^[0-9a-f]{40}$/.test(commit)) return false;
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: packageRoot(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const sources = simulatedSources();
    return git('diff', '--name-only', commit, '--', ...sources) === '' && git('status', '--porcelain', '--', ...sources) === '';
  } catch {
    return false;
  }
}

/** The commit of the sources, and whether they differ from it. */
export function commitOfSources(): string {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: packageRoot(), encoding: 'utf8' }).trim();
    return isOfThese(commit) ? commit : `${commit} with changes`;
  } catch {
    return 'unknown';
  }
}

/** Runs of seeds within the wanted ones that no part has, each at most so long. */
export function missing(
  parts: readonly Part[],
  wanted: { readonly seed: number; readonly histories: number },
  most: number,
): readonly Pick<Part, 'seed' | 'histories'>[] {
  const runs: Pick<Part, 'seed' | 'histories'>[] = [];
  const end = wanted.seed + wanted.histories;
  const known = [...parts].sort((a, b) => a.seed - b.seed);
  for (let seed = wanted.seed; seed < end; ) {
    const here = known.find((part) => part.seed <= seed && seed < part.seed + part.histories);
    if (here !== undefined) {
      seed = here.seed + here.histories;
      continue;
    }
    const next = known.find((part) => part.seed > seed)?.seed ?? end;
    const histories = Math.min(most, next - seed, end - seed);
    runs.push({ seed, histories });
    seed += histories;
  }
  return runs;
}

/** The tally with what one process has told of the histories from `seed` on. */
export function withHistories(tally: Tally, seed: number, told: Told): Tally {
  const { histories, violations, cpuMs } = told;
  const reached: Record<string, number> = { ...tally.reached };
  for (const [word, times] of Object.entries(told.reached)) reached[word] = (reached[word] ?? 0) + times;
  const part: Part = { commit: tally.commit, seed, histories, violations: new Set(violations.map((one) => one.seed)).size, cpuMs };
  return { ...tally, parts: joined([...tally.parts, part]), broken: [...tally.broken, ...violations].slice(0, BROKEN_KEPT), reached };
}

/** The tally with what became of one mutant. */
export function withMutant(tally: Tally, found: MutantFound): Tally {
  return { ...tally, each: [...tally.each.filter(({ mutant }) => mutant !== found.mutant), found] };
}

/** Parts in the order of their seeds, those that touch made one. */
function joined(parts: readonly Part[]): readonly Part[] {
  const done: Part[] = [];
  for (const part of [...parts].sort((a, b) => a.seed - b.seed)) {
    const last = done.at(-1);
    if (last === undefined || last.seed + last.histories !== part.seed) done.push(part);
    else {
      const { histories, violations, cpuMs } = part;
      done[done.length - 1] = { ...last, histories: last.histories + histories, violations: last.violations + violations, cpuMs: last.cpuMs + cpuMs };
    }
  }
  return done;
}

/** The evidence that `docs/evidence/simulation.json` has: the tally, its sums first. */
export function evidenceOf(tally: Tally, mutants: readonly string[]): Readonly<Record<string, unknown>> {
  const sum = (of: (part: Part) => number): number => tally.parts.reduce((total, part) => total + of(part), 0);
  // One that was read from a file has the sums of then beside these.
  const { commit, minutes, parts, broken, reached, each } = tally;
  const histories = sum((part) => part.histories);
  return {
    commit,
    seed: tally.parts[0]?.seed,
    histories,
    violations: sum((part) => part.violations),
    mutants: { total: mutants.length, found: tally.each.filter(({ mutant, found }) => found && mutants.includes(mutant)).length },
    cpuMsPerHistory: histories === 0 ? undefined : Math.round((100 * sum((part) => part.cpuMs)) / histories) / 100,
    minutes,
    parts,
    broken,
    reached,
    each,
  };
}
