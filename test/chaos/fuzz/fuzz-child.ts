import { keptCorpus, openCorpus } from '../../support/fuzz/corpus.ts';
import { countCoverage } from '../../support/fuzz/coverage.ts';
import { drive } from '../../support/fuzz/drive.ts';
import { BOUNDARIES, type BoundaryName } from '../../support/fuzz/table.ts';

/** Runs a span of cases of one boundary in a process of its own: `<boundary> <seed> <from> <to> [guided]`; who started it watches. */
const [name = '', seed = '', from = '', to = '', guided] = process.argv.slice(2);
const boundary = BOUNDARIES[name as BoundaryName];
const faults: string[] = [];
// What nobody waits for would end a role: it is a finding of the case at hand.
process.on('unhandledRejection', (error) => faults.push(`not waited for: ${String((error as Error).stack ?? error)}`));
process.on('uncaughtException', (error) => faults.push(`not caught: ${String(error.stack ?? error)}`));

const coverage = guided === undefined ? undefined : countCoverage();
const open = await boundary.open();
const watched = { ...open, run: async (input: Buffer) => raised(await open.run(input)) };
const corpus = coverage && (await openCorpus(open, keptCorpus(name), coverage));
const driven = await drive(boundary, watched, {
  ...{ seed: Number(seed), from: Number(from), to: Number(to), ...(corpus && { corpus }) },
  onCase: (at) => {
    if (at % 64 === 0) process.send?.({ at, rss: process.memoryUsage.rss() });
  },
});
const kept = (await corpus?.smallest())?.map((input) => input.toString('base64'));
corpus?.[Symbol.dispose]();
await open.close?.();
process.send?.({ done: driven, kept });
process.disconnect();

function raised(outcome: string): string {
  const [fault] = faults.splice(0);
  if (fault !== undefined) throw new Error(fault);
  return outcome;
}
