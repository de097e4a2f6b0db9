import type { ConfinedDirectory, Entry, FileJournal, FsResult, HostMemory, JournalView } from '../../../src/core/ports/index.ts';
import { RETENTION_MS } from '../scenario.ts';
import type { World } from '../world.ts';
import { fileSystemWith, type Mutant, memoryWith } from './mutant.ts';

/** What a journal tells of earlier attempts, and what a look at the files can tell of them. */
export const END_MUTANTS: readonly Mutant[] = [
  {
    name: 'a doubtful end is tried again under the same lease',
    seams: memoryWith((memory) => ({ recall: async (taskId) => certain(await memory.recall(taskId)) })),
  },
  { name: 'every line of the trimmer tells of an effect', seams: { fileJournal: (journal, { world }) => effective(journal, world) } },
  { name: 'nobody looks how many names a file has', seams: fileSystemWith(withOneName) },
];

type Recall = Awaited<ReturnType<HostMemory['recall']>>;

function certain(recall: Recall): Recall {
  return recall.kind === 'doubtful' ? { kind: 'unknown' } : recall;
}

/** Manifests of attempts, of each history. */
const OPENED = new WeakMap<World, Map<string, string>>();

function effective(journal: FileJournal, world: World): FileJournal {
  const opened = OPENED.get(world) ?? new Map<string, string>();
  OPENED.set(world, opened);
  const told = (taskId: string, view: JournalView): JournalView => {
    const manifestSha256 = opened.get(taskId);
    const isLine = world.now > RETENTION_MS && view.attempts > 0 && (view.open ?? view.success ?? view.doubtful) === undefined;
    return isLine && manifestSha256 !== undefined ? { ...view, trimmed: { manifestSha256, closedAt: 0 } } : view;
  };
  return {
    ...journal,
    async open(intent, ...rest) {
      opened.set(intent.taskId, intent.manifestSha256);
      return journal.open(intent, ...rest);
    },
    view: async (taskId) => told(taskId, await journal.view(taskId)),
  };
}

function withOneName(directory: ConfinedDirectory): ConfinedDirectory {
  const alone = (found: FsResult<Entry>): FsResult<Entry> => (found.ok ? { ok: true, value: { ...found.value, nlink: 1 } } : found);
  return { ...directory, entry: async (name) => alone(await directory.entry(name)) };
}
