import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { fillMailbox } from '../../integration/messages/mailbox.ts';
import { type FuzzCounts, fuzzMessageSearch } from '../../support/message-fuzz.ts';
import { fuzzedSearches } from '../../support/message-fuzz-searches.ts';

/**
 * `npm run test:long -- message-fuzz [--requests 1000000] [--seed N]`: fuzzed calls of the message tools and queries of
 * message search, over an engine that works, one that refuses everything and one that throws.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    evidence: { type: 'string', default: evidencePath('message-fuzz') },
  },
});

/** Requests that are made and judged at a time. */
const ROUND = 5000;
/** Of each ten rounds so many ask a search whose engine works. */
const ENGINES = ['working', 'working', 'working', 'working', 'working', 'working', 'working', 'working', 'failing', 'throwing'] as const;

const started = Date.now();
const seed = Number(values.seed);
const requests = Number(values.requests);
const home = mkdtempSync(path.join(tmpdir(), 'writ-message-fuzz-'));
const file = path.join(home, 'messages.sqlite');
await fillMailbox(file);
const searches = fuzzedSearches(file);
const total: Record<string, number> = {};
let sent = 0;
let fault: string | undefined;

try {
  for (let round = 0; sent < requests; round += 1) {
    const runs = Math.min(ROUND, requests - sent);
    count(await fuzzMessageSearch(searches[ENGINES[round % ENGINES.length] ?? 'working'], { runs, seed: seed + round }));
    sent += runs;
    if (round % 20 === 0) process.stdout.write(`${sent} requests, ${minutesSince(started)} min\n`);
  }
} catch (error) {
  fault = error instanceof Error ? error.message : String(error);
}
searches.close();
rmSync(home, { recursive: true, force: true });

const passed = fault === undefined;
writeEvidence(values.evidence, {
  ...{ suite: 'message-fuzz', commit: revision(), seed, passed, minutes: minutesSince(started), requests: sent, answers: total },
  ...(fault === undefined ? {} : { fault }),
});
process.stdout.write(`${fault ?? 'no fault'}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);

function count(counts: FuzzCounts): void {
  for (const [kind, number] of Object.entries(counts)) total[kind] = (total[kind] ?? 0) + number;
}
