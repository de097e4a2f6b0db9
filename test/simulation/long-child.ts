import { digestOf } from './digest.ts';
import { explore } from './explore.ts';
import { MUTANTS } from './mutants/index.ts';

/** What one process of the long run tells. */
export interface Told {
  readonly histories: number;
  readonly violations: readonly { readonly seed: number; readonly invariant: string; readonly what: string }[];
  readonly reached: Readonly<Record<string, number>>;
  /** Processor time of the process, its start included, milliseconds. */
  readonly cpuMs: number;
}

/** `long-child histories|mutant|digests <first seed> <count> [mutant]`; tells in JSON. */
const [what, first, count, name] = process.argv.slice(2);
const [seed, histories] = [Number(first), Number(count)];

// Nobody reads the stacks of the errors that a history is full of.
Error.stackTraceLimit = 0;

async function tell(): Promise<Told> {
  const mutant = what === 'mutant' ? MUTANTS.find((one) => one.name === name) : undefined;
  const report = await explore({ first: seed, count: histories, ...(mutant === undefined ? {} : { seams: mutant.seams, enough: 1 }) });
  const { user, system } = process.cpuUsage();
  return {
    histories: report.histories,
    violations: [...report.violations].flatMap(([broken, violations]) => violations.map((violation) => ({ seed: broken, ...violation }))),
    reached: Object.fromEntries(report.reached),
    cpuMs: Math.round((user + system) / 1000),
  };
}

async function digests(): Promise<readonly string[]> {
  const told: string[] = [];
  for (let at = 0; at < histories; at += 1) told.push(await digestOf(seed + at));
  return told;
}

process.stdout.write(JSON.stringify(what === 'digests' ? await digests() : await tell()));
