import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import type { Api } from './api.ts';
import { createFiles } from './counted-moves.ts';
import type { Project } from './project.ts';

const INDEX_WITHIN_MS = patient(120_000);
const SAID = 'the ferryman waits';

/** The tour of `writ up`, by hand and through the published port: copy, move, delete, undo, replay, other bytes, a path that leads outside. */
export async function giveTour(api: Api, volume: string): Promise<Readonly<Record<string, boolean>>> {
  const files = createFiles(volume, 'tour');
  for (const name of ['letter', 'bill', 'note']) files.write(name, name);
  // A delete must be one that can be taken back.
  const constraints = (operation: string) => (operation === 'FILE_DELETE' ? { reversible: true } : {});
  const task = (id: string, operation: string, source: string, destination?: string) => ({
    task_id: `tour-${id}`,
    capability_id: operation,
    inputs: { source_path: source, ...(destination === undefined ? {} : { destination_path: destination }) },
    constraints: constraints(operation),
  });
  const copy = task('copy', 'FILE_COPY', files.inside('letter'), files.inside('letter-2'));
  const copied = await api.finish(copy);
  const moved = await api.finish(task('move', 'FILE_MOVE', files.inside('bill'), files.inside('bill-2')));
  const deleted = await api.finish(task('delete', 'FILE_DELETE', files.inside('note')));
  const gone = files.read('note') === undefined;
  const undone = await api.send('POST', '/v1/tasks/tour-delete/undo');
  const replayed = await api.finish(copy);
  const otherBytes = await api.send('POST', '/v1/tasks?sign=true', { manifest: { ...copy, constraints: { reversible: true } } });
  const outside = await api.finish(task('outside', 'FILE_COPY', '/data/journal.db', files.inside('journal')));
  return {
    copy: copied.body['state'] === 'success' && files.read('letter-2') === 'letter',
    move: moved.body['state'] === 'success' && files.read('bill') === undefined && files.read('bill-2') === 'bill',
    delete: deleted.body['state'] === 'success' && gone,
    undo: undone.status < 300 && files.read('note') === 'note',
    replay: JSON.stringify(replayed.body['result']) === JSON.stringify(copied.body['result']),
    otherBytes: otherBytes.status === 422 && otherBytes.body['code'] === 'TASK_ID_CONFLICT',
    outside: outside.body['state'] === 'failure' && JSON.stringify(outside.body).includes('"EXECUTION_FAILED"') && files.read('journal') === undefined,
  };
}

/** Content searches over HTTP and from the queue find a new file, and both come to use the index, as Prometheus counts it. */
export async function searchWithIndex(api: Api, project: Project, volume: string, round: string): Promise<Readonly<Record<string, boolean>>> {
  createFiles(volume, 'words').write(`${round}.txt`, `${SAID} ${round}\n`);
  const inputs = { pattern: `${SAID} ${round}`, fixed_strings: true };
  const before = await indexSearches(project);
  const found = { api: false, queue: false };
  const used = { api: false, queue: false };
  for (const [end, at] = [performance.now() + INDEX_WITHIN_MS, { now: 0 }]; performance.now() < end; at.now += 1) {
    const [overHttp, queued] = await Promise.all([
      api.send('POST', '/v1/search', inputs),
      api.finish({ task_id: `search-${round}-${at.now}`, capability_id: 'CONTENT_SEARCH', inputs, constraints: {} }),
    ]);
    found.api = JSON.stringify(overHttp.body).includes(`${round}.txt`);
    found.queue = JSON.stringify(queued.body).includes(`${round}.txt`);
    const now = await indexSearches(project);
    // A process that was started again counts from nothing.
    used.api = (now['api'] ?? 0) > 0 && now['api'] !== before['api'];
    used.queue = (now['worker'] ?? 0) > 0 && now['worker'] !== before['worker'];
    if (found.api && found.queue && used.api && used.queue) break;
    await delay(1000);
  }
  const isServing = await servesAllRoots(project);
  return { foundOverHttp: found.api, foundFromQueue: found.queue, indexOverHttp: used.api, indexFromQueue: used.queue, isServing };
}

/** What an operator asks, where neither the index's directory nor its host is: every index is complete and used. */
async function servesAllRoots(project: Project): Promise<boolean> {
  const { code, out } = await project.writ('api', 'index', 'status', '--json');
  if (code !== 0) return false;
  const { indexes } = JSON.parse(out) as { indexes: readonly { state: string; serving: boolean }[] };
  return indexes.length > 0 && indexes.every(({ state, serving }) => state === 'COMPLETE' && serving);
}

async function indexSearches({ ports }: Project): Promise<Readonly<Record<string, number>>> {
  const body = new URLSearchParams({ query: 'sum by (role) (writ_index_searches_total{bypass="none"})' });
  const answer = await fetch(`http://127.0.0.1:${ports.prometheus}/api/v1/query`, { method: 'POST', body });
  const { data } = (await answer.json()) as { data: { result: { metric: { role: string }; value: [number, string] }[] } };
  return Object.fromEntries(data.result.map(({ metric, value }) => [metric.role, Number(value[1])]));
}
