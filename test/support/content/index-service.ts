import { createMemoryLane } from '../../../src/adapters/memory/maintenance-lane.ts';
import { createIndexService } from '../../../src/content-search/ngram-index/indexer/service.ts';

import { NO_INDEX } from '../../../src/content-search/ngram-index/safety/transition.ts';
import { createMemoryContentIndex } from '../../../src/content-search/ngram-index/storage/memory-store.ts';
import type { IndexStatus, IndexTaskEnd } from '../../../src/contracts/index.ts';
import type { ContentIndexStore, IndexMode, IndexSafety, IndexService, MaintenanceLane } from '../../../src/core/ports/index.ts';

export const ROOT = '/srv/projects';
export const KEY = 'c0ffee00'.padEnd(64, '7');

/** Records of an index in this process, a lane, and a host that does the least: enough for everything that surfaces show. */
export interface IndexGround extends AsyncDisposable {
  readonly service: IndexService;
  readonly store: ContentIndexStore;
  readonly lane: MaintenanceLane;
  /** Jobs that the host began, in their order. */
  readonly begun: readonly string[];
  /** Stops or starts to answer for the root. */
  setRunning(running: boolean): void;
  setActivity(activity: IndexStatus['activity']): void;
}

export interface GroundOptions {
  readonly mode?: IndexMode;
  readonly roots?: readonly string[];
  readonly safety?: Partial<IndexSafety>;
  readonly running?: boolean;
  /** What the host finds when it is told to check. */
  readonly finding?: string;
  /** There is no place for an index. */
  readonly placeless?: boolean;
  /** Nothing is kept at all. */
  readonly empty?: boolean;
}

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const AT = new Date(AT_MS).toISOString();

export async function indexGround(options: GroundOptions = {}): Promise<IndexGround> {
  const { mode = 'on', roots = [ROOT], finding } = options;
  const store = createMemoryContentIndex();
  if (options.empty !== true) keep(store, ROOT, KEY, { ...NO_INDEX, state: 'COMPLETE', ...options.safety });
  let running = options.running ?? true;
  let activity: IndexStatus['activity'] = null;
  const ended: IndexTaskEnd[] = [];
  const begun: string[] = [];
  let made = 0;
  const lane = createMemoryLane({ newId: () => `job${++made}` });
  lane.process(async (task, job) => {
    begun.push(`${task.kind} ${job} ${task.reason}`);
    const ok = task.kind !== 'check' || finding === undefined;
    ended.unshift({ kind: task.kind, job, ok, detail: ok ? 'sound' : (finding ?? ''), ended_at: AT, elapsed_ms: 1500 });
    if (task.kind === 'drop') store.write((records) => records.setSafety(task.keyHash, NO_INDEX, AT_MS));
  });
  await lane.start();

  const service = createIndexService({
    mode,
    roots,
    lane,
    hasPlace: () => options.placeless !== true,
    async look(work) {
      const answer = store.read(work);
      return answer.ok ? [answer.value] : [];
    },
    hosts: async () => (running ? statusOf(store, activity, ended) : []),
  });
  return {
    service,
    store,
    lane,
    begun,
    setRunning(now) {
      running = now;
    },
    setActivity(now) {
      activity = now;
    },
    [Symbol.asyncDispose]: () => lane.stop(),
  };
}

export function keep(store: ContentIndexStore, rootPath: string, keyHash: string, safety: IndexSafety): void {
  const key = {
    rootPath,
    hidden: false,
    follow: false,
    noIgnore: false,
    backendId: 'rg@14.1.0',
    backendCapabilities: '',
    tokenizerId: 't',
    casefoldStrategy: 'ASCII',
    unicodeNormalization: 'NFC',
    schemaVersion: 1,
    implementationVersion: '1',
  } as const;
  store.write((records) =>
    records.create(
      {
        keyHash,
        key,
        bloom: { ngram: 3, mBits: 8, hashes: 1, seed: 1n, targetFpRate: 0.01, basisNgrams: 1 },
        maxTokenizedBytes: 1024,
        createdAtMs: AT_MS,
        updatedAtMs: AT_MS,
        accessedAtMs: AT_MS,
        sizeBytes: 4096,
        generation: '12',
        enumerateErrors: 0,
      },
      safety,
    ),
  );
}

function statusOf(store: ContentIndexStore, activity: IndexStatus['activity'], ended: readonly IndexTaskEnd[]): readonly IndexStatus[] {
  const read = store.read((records) => ({ safety: records.safety(KEY), meta: records.meta(KEY) }));
  if (!read.ok || read.value.safety === undefined || read.value.meta === undefined) return [];
  const { safety, meta } = read.value;
  const status: IndexStatus = {
    root: ROOT,
    key_hash: KEY,
    state: safety.state,
    reason: safety.reason,
    host: 'running',
    veto: safety.state === 'COMPLETE' ? null : 'NOT_COMPLETE',
    serving: safety.state === 'COMPLETE',
    guarantee: 'inotify',
    storage_mode: 'sqlite',
    storage_fallback_reason: null,
    files: 1234,
    bytes: meta.sizeBytes,
    generation: Number(meta.generation),
    deltas: 2,
    overlay: { files: 3, subtrees: 1 },
    activity,
    last_build: { elapsed_ms: 61_000, files: 1234, bytes: 1_048_576, ended_at: AT },
    ended: [...ended],
  };
  return [status];
}
