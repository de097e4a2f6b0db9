import { act, type Registrar } from '../command.ts';
import type { PushFlags } from '../push/run.ts';

const EXAMPLES = `
Examples:
  writ push task.json --sign --wait          one manifest, printed or on one line
  writ push tasks.ndjson --sign              a manifest or {"manifest", "lease"} per line
  generate | writ push - --json > receipts   a stream, answered as a stream`;

export const registerPush: Registrar = (program, deps, exit) => {
  program
    .command('push <file>')
    .description('push tasks onto their queue: JSON or NDJSON, "-" reads standard input')
    .option('--sign', 'have the kernel issue a lease for every task that has none')
    .option('--ttl <time>', 'life of these leases, e.g. 15m, 24h, 30d')
    .option('--confirmed-by <person>', 'who confirmed the manifests that say hrc_required')
    .option('--attempts <count>', 'tries for errors that may pass (1 to 25)')
    .option('--wait', 'wait for every outcome')
    .option('--timeout <time>', 'with --wait: give up after so long without news', '300s')
    .addHelpText('after', EXAMPLES)
    .action(act<[string], PushFlags>(deps, exit, async () => (await import('../push/run.ts')).runPush));
};
