import { drive } from '../../support/fuzz/drive.ts';
import { BOUNDARIES, type BoundaryName } from '../../support/fuzz/table.ts';

/** Runs a span of cases of one boundary in a process of its own: `<boundary> <seed> <from> <to>`; who started it watches. */
const [name = '', seed = '', from = '', to = ''] = process.argv.slice(2);
const boundary = BOUNDARIES[name as BoundaryName];
const faults: string[] = [];
// What nobody waits for would end a role: it is a finding of the case at hand.
process.on('unhandledRejection', (error) => faults.push(`not waited for: ${String((error as Error).stack ?? error)}`));
process.on('uncaughtException', (error) => faults.push(`not caught: ${String(error.stack ?? error)}`));

const open = await boundary.open();
let index = -1;
const watched = { ...open, run: async (input: Buffer) => raised(await open.run(input)) };
const driven = await drive(boundary, watched, {
  ...{ seed: Number(seed), from: Number(from), to: Number(to) },
  onCase: (at) => {
    index = at;
    if (at % 64 === 0) process.send?.({ at, rss: process.memoryUsage.rss() });
  },
});
await open.close?.();
process.send?.({ done: driven, index });
process.disconnect();

function raised(outcome: string): string {
  const [fault] = faults.splice(0);
  if (fault !== undefined) throw new Error(fault);
  return outcome;
}
