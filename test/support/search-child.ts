import { serveScans } from '../../src/adapters/search-process/serve.ts';
import type { Found } from '../../src/core/ports/index.ts';
import { scan } from '../../src/executors/search/scans.ts';

/**
 * A real search process whose scan does what the query says: the pool is driven with processes that misbehave.
 * `grow` takes memory for ever, `spin` never returns to its event loop, `die` ends the process, `keep` answers and holds
 * memory, `throw` fails; all others are answered with themselves.
 */
const held: Buffer[] = [];
const MEGABYTE = 1024 * 1024;

const ACTS = new Map<string, () => Promise<Found> | Found>([
  ['grow', grow],
  ['spin', spin],
  ['die', () => process.exit(7)],
  ['throw', () => Promise.reject(Object.assign(new Error('EIO: /secret/place'), { code: 'EIO' }))],
  [
    'keep',
    () => {
      hold(64);
      return answered('keep');
    },
  ],
]);

const files = async (_: unknown, { query }: { query: string }): Promise<Found> => (await ACTS.get(query)?.()) ?? answered(query);

serveScans((request) => scan(request, { files, emails: files, datasets: files }, () => undefined));

function answered(id: string): Found {
  return { count: 1, hits: [{ id, match_field: 'filename', match_snippet: String(process.pid) }] };
}

async function grow(): Promise<Found> {
  for (;;) {
    hold(8);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function spin(): Found {
  for (;;) held.length = Math.min(held.length, 1);
}

/** Touched, so that it is resident. */
function hold(megabytes: number): void {
  held.push(Buffer.alloc(megabytes * MEGABYTE, 1));
}
