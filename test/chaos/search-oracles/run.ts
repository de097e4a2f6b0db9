import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { SEED } from '../../../bench/search-executor/sizes.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../evidence.ts';
import { type Comparisons, compare } from './comparisons.ts';
import { imapSearch, mboxSearch } from './mail.ts';
import { type BigSearch, LIMITS, type Measured, measure } from './measured.ts';
import { ROWS, type RowsFormat, rowsSearch } from './rows.ts';

/**
 * `npm run test:long -- search-oracles [--rows 10000000] [--mbox-mib 2048] [--messages 20000] [--only csv,mbox]`: thousands of
 * generated cases compared with other implementations, then big sources under the limit of memory, one after the other.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    'mbox-mib': { type: 'string', default: '2048' },
    messages: { type: 'string', default: '20000' },
    only: { type: 'string', default: 'comparisons,mbox,imap,csv,parquet,jsonl,sqlite-number-key,sqlite-text-key' },
    evidence: { type: 'string', default: evidencePath('search-oracles') },
  },
});
const startedAt = new Date();
const commit = revision();
const wanted = values.only.split(',');
const root = mkdtempSync(path.join(tmpdir(), 'writ-search-oracles-'));
const spill = path.join(root, 'spill');
mkdirSync(spill);
const compared: Comparisons | undefined = wanted.includes('comparisons') ? await compare(root) : undefined;
const sources: Measured[] = [];

if (wanted.includes('mbox')) await inFolder((folder) => mboxSearch(folder, Number(values['mbox-mib']) * 1024 * 1024));
if (wanted.includes('imap')) {
  const { search, server } = await imapSearch(Number(values.messages));
  await note(search);
  await server.stop();
}
for (const format of Object.keys(ROWS) as RowsFormat[]) {
  if (wanted.includes(format)) await inFolder((folder) => rowsSearch(format, folder, Number(values.rows)));
}
rmSync(root, { recursive: true, force: true });

const checks = {
  comparisonsAgree: compared?.passed ?? true,
  answersAreRight: sources.every(({ rightAnswer }) => rightAnswer),
  memoryIsBounded: sources.every(({ withinMemory }) => withinMemory),
};
const passed = Object.values(checks).every(Boolean);
const report = { suite: 'search-oracles', passed, seed: SEED, comparisons: compared?.cases ?? 0, limits: LIMITS, checks, sources };
writeEvidence(values.evidence, { ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit });
process.stdout.write(`${JSON.stringify(report)}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);

/** Makes a source, searches it, and removes it before the next one takes its room. */
async function inFolder(make: (folder: string) => Promise<BigSearch> | BigSearch): Promise<void> {
  const folder = mkdtempSync(path.join(root, 'source-'));
  await note(await make(folder));
  rmSync(folder, { recursive: true });
}

async function note(search: BigSearch): Promise<void> {
  const measured = await measure(search, spill);
  process.stdout.write(`${JSON.stringify(measured)}\n`);
  sources.push(measured);
}
