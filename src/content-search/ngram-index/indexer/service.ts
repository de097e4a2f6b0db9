import type { IndexStatus } from '../../../contracts/index.ts';
import { compareCodePoints } from '../../../core/code-points.ts';
import type {
  IndexMeta,
  IndexMode,
  IndexRecords,
  IndexRequestAnswer,
  IndexSafety,
  IndexService,
  IndexTarget,
  MaintenanceLane,
} from '../../../core/ports/index.ts';

export interface IndexServiceDeps {
  readonly mode: IndexMode;
  /** Canonical paths of the roots that the settings want to be indexed. */
  readonly roots: readonly string[];
  /**
   * Looks into the records of each index that is kept; what cannot be read is left out. `work` must not keep the records.
   */
  look<T>(work: (records: IndexRecords) => T): Promise<readonly T[]>;
  /** Whether there is any place for an index: a directory, or memory. */
  hasPlace(): boolean;
  /** What the hosts say that run and answer soon. */
  hosts(): Promise<readonly IndexStatus[]>;
  readonly lane: Pick<MaintenanceLane, 'submit'>;
}

/** The indexes of a pool for those who look from outside of the host: its own word where it runs, else what it left behind. */
export function createIndexService(deps: IndexServiceDeps): IndexService {
  const { mode } = deps;

  async function status(): Promise<readonly IndexStatus[]> {
    const [kept, told] = await Promise.all([deps.look(keptIn), mode === 'off' ? [] : deps.hosts()]);
    // A host of the same root may keep another key by now; then what is kept is a leftover.
    const left = kept.flat().filter(({ meta }) => !told.some(({ key_hash }) => key_hash === meta.keyHash));
    const known = [...told, ...left.map((one) => leftBehind(one, mode))];
    const unknown = (mode === 'off' ? [] : deps.roots).filter((root) => !known.some((one) => one.root === root));
    const nothing = deps.hasPlace() ? NOTHING : NOWHERE;
    return [...known, ...unknown.map((root) => ({ ...nothing, root }))].sort(
      (a, b) => compareCodePoints(a.root, b.root) || compareCodePoints(a.key_hash ?? '', b.key_hash ?? ''),
    );
  }

  return {
    mode,
    status,
    async request(target, action, reason) {
      if (mode === 'off') return refused('INDEX_OFF', INDEX_OFF);
      const found = matching(await status(), target);
      const [one] = found;
      if (one === undefined) return refused('NO_SUCH_INDEX', `there is no index of ${nameOf(target)}`);
      if (found.length > 1) return refused('NO_SUCH_INDEX', `${nameOf(target)} is the beginning of more than one index`);
      if (one.key_hash === null || one.host === 'stopped') return refused('HOST_DOWN', `no index host runs for ${one.root}; \`writ up\` starts one`);
      return { accepted: true, receipt: await deps.lane.submit({ keyHash: one.key_hash, kind: action, reason: reason.slice(0, MAX_REASON) }) };
    },
  };
}

const INDEX_OFF = 'content search has no index here; to have one, add `index_mode = "auto"` to [tools.search] in the settings of the server';
/** Characters, as the lane takes them. */
const MAX_REASON = 200;
/** Digits of a key hash that stand for it at least. */
const FEWEST_DIGITS = 8;

interface Kept {
  readonly meta: IndexMeta;
  readonly safety: IndexSafety | undefined;
  readonly changed: number;
}

function keptIn(records: IndexRecords): Kept[] {
  return records.list().map((meta) => ({ meta, safety: records.safety(meta.keyHash), changed: records.dirtyCount(meta.keyHash) }));
}

const NOTHING = {
  root: '',
  key_hash: null,
  state: 'ABSENT',
  reason: null,
  host: 'stopped',
  veto: null,
  serving: false,
  guarantee: 'none',
  storage_mode: 'none',
  storage_fallback_reason: null,
  files: null,
  bytes: 0,
  generation: null,
  deltas: null,
  overlay: { files: 0, subtrees: 0 },
  activity: null,
  last_build: null,
  ended: [],
} satisfies IndexStatus;

/** No host can run (LSI-ST-02). */
const NOWHERE = { ...NOTHING, state: 'DISABLED', reason: 'PERSISTENCE_NOT_PERMITTED' } satisfies IndexStatus;

/** What can be said of an index without its host. The state is the one that was recorded last; nothing is left out by it. */
function leftBehind({ meta, safety, changed }: Kept, mode: IndexMode): IndexStatus {
  const off = mode === 'off';
  return {
    ...NOTHING,
    root: meta.key.rootPath,
    key_hash: meta.keyHash,
    state: off ? 'DISABLED' : (safety?.state ?? 'ABSENT'),
    reason: off ? null : (safety?.reason ?? null),
    storage_mode: 'sqlite',
    bytes: meta.sizeBytes,
    generation: meta.generation === null ? null : Number(meta.generation),
    overlay: { files: changed, subtrees: 0 },
  };
}

function matching(all: readonly IndexStatus[], target: IndexTarget): readonly IndexStatus[] {
  if ('root' in target) {
    const found = all.filter(({ root }) => root === target.root);
    const hosted = found.filter(({ host }) => host === 'running');
    return hosted.length > 0 ? hosted : found.slice(0, 1);
  }
  if (target.keyHash.length < FEWEST_DIGITS) return [];
  return all.filter(({ key_hash }) => key_hash?.startsWith(target.keyHash) === true);
}

function nameOf(target: IndexTarget): string {
  return 'root' in target ? target.root : target.keyHash;
}

function refused(why: Extract<IndexRequestAnswer, { accepted: false }>['why'], message: string): IndexRequestAnswer {
  return { accepted: false, why, message };
}
