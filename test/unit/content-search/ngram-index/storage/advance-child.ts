import type { Trigger } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import { advance } from '../../../../../src/content-search/ngram-index/safety/writer.ts';
import { openContentIndexStore } from '../../../../../src/content-search/ngram-index/storage/sqlite-store.ts';
import { dirtyAt, T0 } from '../../../../conformance/content-index-samples.ts';

/** Drives the record of `a` round and round until it is killed: argv has the directory. Says `go` when it begins. */
const opened = openContentIndexStore({ directory: process.argv[2] ?? '', lockTimeoutMs: 1_000 });
if (!opened.ok) throw new Error(opened.message);
const store = opened.value;
const apply = (...triggers: Trigger[]): number => {
  const told = advance(store, 'a', triggers, T0);
  if (!told.ok) throw new Error(told.message);
  return told.value.next.mark;
};
process.stdout.write('go\n');
for (let round = 1; ; round += 1) {
  const since = apply({ kind: 'BUILD_STARTED' });
  apply({ kind: 'BUILD_COMPLETED', since, hidingErrors: 0 });
  // The queue is filled only while the state is COMPLETE, in one transaction with it; INTEGRITY_FAILED empties it.
  store.write((records) => records.enqueue('a', [dirtyAt(`f${round}`, T0, round)]));
  apply({ kind: 'INTEGRITY_FAILED' });
}
