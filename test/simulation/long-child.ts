import { explore } from './explore.ts';
import { MUTANTS } from './mutants.ts';

/** What one process of the long run tells. */
export interface Told {
  readonly histories: number;
  readonly violations: readonly { readonly seed: number; readonly invariant: string; readonly what: string }[];
  /** Histories that show a known fault, by finding. */
  readonly known: Readonly<Record<string, number>>;
  readonly reached: Readonly<Record<string, number>>;
}

const [what, first, count, name] = process.argv.slice(2);
const mutant = what === 'mutant' ? MUTANTS.find((one) => one.name === name) : undefined;
const report = await explore({ first: Number(first), count: Number(count), ...(mutant === undefined ? {} : { seams: mutant.seams, enough: 1 }) });
const told: Told = {
  histories: report.histories,
  violations: [...report.violations].flatMap(([seed, broken]) => broken.map((violation) => ({ seed, ...violation }))),
  known: Object.fromEntries([...report.known].map(([finding, seeds]) => [finding, seeds.length])),
  reached: Object.fromEntries(report.reached),
};
process.stdout.write(JSON.stringify(told));
