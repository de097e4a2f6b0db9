import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath } from '../../../scripts/evidence.ts';
import { compare } from './comparisons.ts';
import { imapSearch, mboxSearch } from './mail.ts';
import { type BigSearch, measure } from './measured.ts';
import { openRecord } from './record.ts';
import { ROWS, type RowsFormat, rowsSearch } from './rows.ts';

const FORMATS = Object.keys(ROWS) as RowsFormat[];
const PARTS = ['comparisons', 'mbox', 'imap', ...FORMATS];

/**
 * `npm run test:long -- search-oracles [--rows 10000000] [--mbox-mib 2048] [--messages 20000] [--only csv,mbox]`: thousands of
 * generated cases compared with other implementations, then big sources under the limit of memory, one after the other.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    'mbox-mib': { type: 'string', default: '2048' },
    messages: { type: 'string', default: '20000' },
    only: { type: 'string', default: PARTS.join(',') },
    evidence: { type: 'string', default: evidencePath('search-oracles') },
  },
});
const record = openRecord(values.evidence);
const wanted = PARTS.filter((part) => values.only.split(',').includes(part));
const root = mkdtempSync(path.join(tmpdir(), 'writ-search-oracles-'));
const spill = path.join(root, 'spill');
mkdirSync(spill);

const ACTS: Readonly<Record<string, () => Promise<void>>> = {
  comparisons: async () => record.add('comparisons', await compare(root)),
  mbox: () => inFolder((folder) => mboxSearch(folder, Number(values['mbox-mib']) * 1024 * 1024)),
  imap: async () => {
    const { search, server } = await imapSearch(Number(values.messages));
    await note(search);
    await server.stop();
  },
  ...Object.fromEntries(FORMATS.map((format) => [format, () => inFolder((folder) => rowsSearch(format, folder, Number(values.rows)))])),
};
for (const part of wanted) await ACTS[part]?.();
rmSync(root, { recursive: true, force: true });
process.stdout.write(`${values.evidence}\n`);
process.exit(record.passed(wanted) ? 0 : 1);

/** Makes a source, searches it, and removes it before the next one takes its room. */
async function inFolder(make: (folder: string) => Promise<BigSearch> | BigSearch): Promise<void> {
  const folder = mkdtempSync(path.join(root, 'source-'));
  await note(await make(folder));
  rmSync(folder, { recursive: true });
}

async function note(search: BigSearch): Promise<void> {
  record.add(search.name, await measure(search, spill));
}
