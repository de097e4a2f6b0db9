import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ingest } from '../../../bench/messages/ingest.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { QUERY_TEXT_MAX, type SearchQuery } from '../../../src/contracts/index.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { createRandom, type Random } from '../../support/random.ts';

/**
 * `npm run test:long -- message-cost [--messages 1000000] [--requests 2000] [--seed N]`: texts of up to 16 KiB that are made to
 * cost much, on a large mailbox. Every one is answered by its deadline, and beside each of them a small search of somebody
 * else's, which waits for no more than one of them.
 */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '1000000' },
    requests: { type: 'string', default: '2000' },
    deadline: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    evidence: { type: 'string', default: evidencePath('message-cost') },
  },
});

/** What a process takes to end, a new one to start, and an answer to come, on a busy machine. */
const SLACK_MS = 5000;

const started = Date.now();
const [messages, requests, deadlineMs, seed] = [values.messages, values.requests, values.deadline, values.seed].map(Number) as [number, number, number, number];
const home = mkdtempSync(path.join(tmpdir(), 'writ-message-cost-'));
const file = path.join(home, 'messages.sqlite');
ingest(file, messages);
process.stdout.write(`${messages} messages, ${minutesSince(started)} min\n`);
const search = createMessageSearch({ file, deadlineMs });
const random = createRandom(seed);
const counts = { answered: 0, ended: 0, degraded: 0 };
const slowest = { hostile: 0, small: 0, text: '' };

for (let sent = 0; sent < requests; sent += 1) {
  const query = hostile(random);
  const [{ ms, diagnostics }, small] = await Promise.all([timed(query, 'key:hostile'), timed({ text: 'release', limit: 5 }, 'key:small')]);
  if (diagnostics?.budget_exhausted === true) counts.ended += 1;
  else if (diagnostics?.degraded === true) counts.degraded += 1;
  else counts.answered += 1;
  if (ms > slowest.hostile) Object.assign(slowest, { hostile: ms, text: query.text.slice(0, 200) });
  slowest.small = Math.max(slowest.small, small.ms);
  if (sent % 100 === 0) process.stdout.write(`${sent} requests, ${JSON.stringify({ ...counts, ...slowest })}\n`);
}
await search.stop();
rmSync(home, { recursive: true, force: true });

// A text that FTS5 refuses is looked for as substrings, which may take a deadline too.
const passed = slowest.hostile < 2 * deadlineMs + SLACK_MS && slowest.small < deadlineMs + SLACK_MS;
writeEvidence(values.evidence, {
  suite: 'message-cost',
  commit: revision(),
  seed,
  passed,
  minutes: minutesSince(started),
  messages,
  requests,
  deadlineMs,
  counts,
  slowest,
});
process.stdout.write(`${JSON.stringify({ ...counts, ...slowest })}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);

async function timed(query: SearchQuery, account: string) {
  const start = performance.now();
  const { diagnostics } = await search.search(query, null, account);
  return { ms: Math.round(performance.now() - start), diagnostics };
}

/** Pieces that repeat: prefixes, common words, phrases of them, brackets, columns, NEAR, signs, letters of long substrings. */
function hostile(from: Random): SearchQuery {
  const pieces = [
    'a*',
    'pl*',
    'the ',
    'plan* ',
    'a-',
    '"the plan" ',
    ' OR ',
    ' AND ',
    ' NOT ',
    '(re* OR de*) ',
    'NEAR(the plan, 1000) ',
    'subject: ',
    'e',
    '%',
    '"',
    '^the ',
  ];
  const length = from.pick([20, 200, 2000, QUERY_TEXT_MAX]);
  let text = '';
  const some = Array.from({ length: 1 + from.integer(4) }, () => from.pick(pieces));
  while (text.length < length) text += from.pick(some);
  return {
    text: text.slice(0, QUERY_TEXT_MAX),
    explain: from.chance(0.5),
    ...(from.chance(0.3) && { ranking: 'recency' as const }),
    ...(from.chance(0.3) && { scope: { caller_scoped: { caller_agent: 'Agent22' } } }),
  };
}
