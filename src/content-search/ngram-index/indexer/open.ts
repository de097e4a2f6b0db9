import type { IndexFiles, SnapshotId } from '../../../core/ports/index.ts';
import { mismatches } from '../safety/key.ts';
import { FRESH, freshMeta, type HostRecord } from './record.ts';
import type { HostDeps, HostMemory } from './types.ts';

export interface OpenContext {
  readonly deps: HostDeps;
  readonly memory: HostMemory;
  readonly record: HostRecord;
  /** Whether the tree is too small to be worth an index (`index_mode=auto`). */
  readonly isSmall: () => Promise<boolean>;
  /** Has the index looked at as a whole. */
  readonly check: () => void;
}

/** What is there already, and whether it may be trusted after a pass (FR-LSI-BG-50, -52). */
export async function openIndex({ deps, memory, record, isSmall, check }: OpenContext): Promise<void> {
  const found = foundIn(deps.files);
  const known = openRecord(deps, memory);
  record.apply({ kind: 'PROCESS_STARTED', nowMs: deps.now() });
  if (memory.safety.state === 'DISABLED') return;
  if (deps.settings.mode === 'auto' && (await isSmall())) return void record.apply({ kind: 'BELOW_THRESHOLD' });
  if (found === 'DAMAGED') record.apply({ kind: 'INTEGRITY_FAILED' });
  else if (known === 'other') {
    record.apply({ kind: 'MISMATCH' });
    // What was put aside is none of ours either.
    deps.files.purge();
  } else if (found === undefined) {
    deps.files.purge();
    record.apply({ kind: 'FILE_MISSING' });
  } else if (deps.quota.isOverLimit()) {
    record.apply({ kind: 'EVICTED' });
    deps.files.purge();
  } else {
    memory.snapshot = found;
    deps.files.sweep(found);
    record.apply({ kind: 'OPEN_OK' });
    // After the pass: what a search reads has a checksum each, so nothing hangs on it.
    if (deps.settings.integrityCheck !== 'off') check();
    // Rules that nobody knows any more are as good as others: what they let in goes first, and then the new ones are noted.
    if (memory.policy !== deps.policy) record.apply({ kind: 'POLICY_CHANGED' });
  }
  notePolicy(deps, memory);
}

/** Segments that are not there, or are something else, are found before anybody asks for them. */
function foundIn(files: IndexFiles): SnapshotId | 'DAMAGED' | undefined {
  const found = files.current();
  return found === undefined || found === 'DAMAGED' || lostSegment(files, found) === undefined ? found : 'DAMAGED';
}

/** What the system says when this machine is short of something; it says nothing about the index. */
const SHORT: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EINTR', 'EAGAIN']);

/** The first segment that is not what was written there, as text; undefined if all can be opened. Damage inside of them is not looked for. */
export function lostSegment(files: IndexFiles, { generation, deltas }: SnapshotId): string | undefined {
  for (const delta of [0, ...deltas]) {
    const file = files.open({ generation, delta });
    if (!('refused' in file)) file.close();
    else if (!SHORT.has(file.refused)) return `${file.refused} for ${generation}/${delta}`;
  }
  return undefined;
}

/** `other`: what lies there is none of ours. */
function openRecord(deps: HostDeps, memory: HostMemory): 'same' | 'other' {
  const stored = deps.store.write((records) => {
    const meta = records.meta(deps.keyHash);
    const differs = meta !== undefined && mismatches(meta, deps.spec).length > 0;
    if (meta === undefined || differs) records.create(freshMeta(deps), FRESH);
    const policy = records.inputs(deps.keyHash).find(({ name }) => name === POLICY)?.fingerprint;
    return { meta: records.meta(deps.keyHash), policy: policy ?? null, differs };
  });
  memory.recordsLost = !stored.ok;
  if (!stored.ok) {
    deps.report({ kind: 'records-lost', message: `${stored.refusal}: ${stored.message}` });
    return 'same';
  }
  memory.meta = stored.value.meta;
  memory.policy = stored.value.policy;
  return stored.value.differs ? 'other' : 'same';
}

const POLICY = 'policy';

/** From here on everything that is stored was read by these rules. */
function notePolicy({ store, keyHash, policy }: HostDeps, memory: HostMemory): void {
  const written = store.write((records) => records.setInputs(keyHash, [{ name: POLICY, fingerprint: policy }]));
  // In this process they are what is known, written or not; the next one begins anew if it does not find them.
  memory.policy = policy;
  memory.recordsLost ||= !written.ok;
}
