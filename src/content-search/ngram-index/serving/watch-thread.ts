import { workerData } from 'node:worker_threads';
import { freshnessOn } from '../../../adapters/linux/file-system-kind.ts';
import { openInotify } from '../../../adapters/linux/inotify.ts';
import { openMounts } from '../../../adapters/linux/mounts.ts';
import { readerIdentity } from '../../../adapters/linux/reader-identity.ts';
import { treeView } from '../../../adapters/linux/tree-view.ts';
import { threadSide } from '../../../adapters/threads/serve.ts';
import type { BarrierAnswer, WatchSignal } from '../../../core/ports/index.ts';
import { nodeTreeFiles } from '../../io/tree/read.ts';
import { nodeSearchTree } from '../../io/tree/tree.ts';
import { policyOf } from '../build/indexed-tree.ts';
import { createTreeWatch, type TreeWatch } from '../watch/tree-watch.ts';
import { createBarrierServer } from './barrier-server.ts';
import type { WatchCalls, WatchSettings } from './watch-messages.ts';

/** The watch thread: events, overlay and barriers of one index, and nothing else that could keep a search waiting. */

const settings = workerData as WatchSettings;
const { tell: signal, serve } = threadSide<WatchCalls, WatchSignal>();
const identity: Omit<BarrierAnswer['identity'], 'view'> = { ...readerIdentity(), policy: policyOf(settings.indexed) };
/** As of the arming: what would change it later is a veto until the next one. */
let view = '';
let status = '';

const watch: TreeWatch = createTreeWatch({
  indexed: settings.indexed,
  globalIgnoreFile: settings.globalIgnoreFile,
  tree: nodeSearchTree(),
  files: nodeTreeFiles(),
  openWatches: openInotify,
  openMounts,
  freshnessOn,
  turn: () => new Promise((resolve) => void setImmediate(resolve)),
  firstSeq: settings.firstSeq,
  onVeto: (veto, seq) => signal({ kind: 'veto', veto, seq }),
});

// Also when this thread dies by an error: the watches are a descriptor of which Node knows nothing.
process.once('exit', () => watch.close());

let asked = 0;
let toldAskedAt = Number.NEGATIVE_INFINITY;
const TELL_ASKED_MS = 1_000;

const server = createBarrierServer(settings.directory, {
  watch,
  identity: () => ({ ...identity, view }),
  status: () => status,
  asked() {
    asked += 1;
  },
  corrupt: (message) => signal({ kind: 'corrupt', message }),
});

/** The kernel's queue is short, and changes are to be worked on also when nobody searches. */
let toldSeq = 0;
let toldEntries = 0;
let toldAt = Number.NEGATIVE_INFINITY;
function tick(): void {
  watch.look();
  const now = performance.now();
  tellAsked(now);
  const { entries, seq } = watch;
  const isNews = entries === 0 ? toldEntries > 0 : seq !== toldSeq;
  if (!isNews || now - toldAt < settings.debounceMs) return;
  [toldEntries, toldSeq, toldAt] = [entries, seq, now];
  signal({ kind: 'pending', entries });
}
let timer: NodeJS.Timeout | undefined;

/** A host that searches come to goes easy on them. */
function tellAsked(now: number): void {
  if (asked === 0 || now - toldAskedAt < TELL_ASKED_MS) return;
  signal({ kind: 'asked', searches: asked });
  asked = 0;
  toldAskedAt = now;
}

serve(async () => {
  await server.start().catch((error: unknown) => {
    watch.close();
    throw error;
  });
  if (settings.lookEveryMs > 0) timer = setInterval(tick, settings.lookEveryMs);
  return {
    calls: {
      async arm() {
        const result = await watch.arm();
        // Afterwards: what is mounted from the arming on is told.
        view = treeView(settings.indexed.root);
        return result;
      },
      pending: (limit) => watch.pending(limit),
      publish: (published) => watch.publish(published),
      status(text) {
        status = text;
      },
    },
    async close() {
      clearInterval(timer);
      await server.stop();
      watch.close();
    },
  };
});
