import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { SearchMode } from '../../../src/contracts/index.ts';
import { type Answered, measure, mrrOf, readMailboxes, writeStores } from './measure.ts';

/**
 * `npm run test:long -- known-items [--seed N] [--of-each N] [--mode hybrid] [--misses]`: known items of public mailboxes,
 * asked for in every class of query. Another mode than `lexical` is held against it, item by item. Exit code 1 when a target of
 * docs/search-quality.md is missed, or `hybrid` has an item behind the place that words alone give it.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    'of-each': { type: 'string', default: '60' },
    mode: { type: 'string', default: 'lexical' },
    misses: { type: 'boolean', default: false },
  },
});
const LEAST = { mailboxes: 3, overall: 0.75, ofClass: 0.4 };
const home = mkdtempSync(path.join(tmpdir(), 'writ-known-items-'));
try {
  const mailboxes = await readMailboxes();
  const sizes = [...mailboxes].map(([name, items]) => `${name} ${items.length}`);
  const stores = writeStores(mailboxes, home);
  const mode = values.mode as SearchMode;
  const draw = { seed: Number(values.seed), ofEach: Number(values['of-each']) };
  const byWords = await measure(mailboxes, stores, draw);
  const answered = mode === 'lexical' ? byWords : await measure(mailboxes, stores, { ...draw, mode });
  const kinds = [...new Set(answered.map(({ kind }) => kind))];
  const of = (kind: string, all = answered): readonly Answered[] => all.filter((one) => one.kind === kind);
  const line = (name: string, some: readonly Answered[], words: readonly Answered[]): string =>
    `| ${name} | ${some.length} | ${some.filter(({ rank }) => rank > 0).length} | ${some.filter(({ rank }) => rank === 1).length} | ${mrrOf(some).toFixed(3)} | ${mrrOf(words).toFixed(3)} |`;
  const rows = [...kinds.map((kind) => line(kind, of(kind), of(kind, byWords))), line('**all**', answered, byWords)];
  process.stdout.write(
    `Mailboxes: ${sizes.join(', ')}; seed ${values.seed}, mode ${mode}\n\n| class | queries | found | first | MRR | MRR of words alone |\n|---|---|---|---|---|---|\n${rows.join('\n')}\n`,
  );
  if (values.misses) for (const one of answered) if (one.rank !== 1) process.stdout.write(`${JSON.stringify({ ...one, ms: Math.round(one.ms) })}\n`);
  const behind = answered.flatMap((one, at) => {
    const words = byWords[at]?.rank ?? 0;
    return words > 0 && (one.rank === 0 || one.rank > words) ? [{ ...one, words }] : [];
  });
  for (const { kind, mailbox, text, rank, words } of behind) process.stdout.write(`behind: ${JSON.stringify({ kind, mailbox, text, words, [mode]: rank })}\n`);
  const isMissed = mailboxes.size < LEAST.mailboxes || mrrOf(answered) < LEAST.overall || kinds.some((kind) => mrrOf(of(kind)) < LEAST.ofClass);
  process.exitCode = isMissed || (mode === 'hybrid' && behind.length > 0) ? 1 : 0;
} finally {
  rmSync(home, { recursive: true, force: true });
}
