import type { IndexStatus } from '../../../contracts/index.ts';
import { messageOf } from '../../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../../core/lifecycle.ts';
import type { IndexHostEvent, MaintenanceLane, SearchBackend } from '../../../core/ports/index.ts';
import { DIALECTS } from '../../backends/dialects.ts';
import { compileDenied, isDenied } from '../../enumerate/denied.ts';
import { findBackends } from '../../io/backend/find-backends.ts';
import type { ContentSettings } from '../../io/settings.ts';
import { missedText } from '../../io/tool.ts';
import { searchedTrees } from './configured-indexes.ts';
import { type HostsSettings, type IndexHosts, openIndexHosts } from './hosts.ts';

export interface IndexSupervisorOptions {
  readonly content: ContentSettings;
  readonly hosts: HostsSettings;
  /** A lane for one run of the hosts, which close it. */
  readonly lane: () => MaintenanceLane;
  readonly report: (root: string, event: IndexHostEvent) => void;
  /** The hosts work. */
  readonly onReady: (roots: number) => void;
  /** There can be no host now, and why; told again when the reason is another one. */
  readonly onStandBy: (why: string) => void;
}

export interface IndexSupervisor extends Lifecycle {
  /** Empty while it stands by. */
  statuses(): readonly IndexStatus[];
}

const TRY_AGAIN_MS = 2_000;

/**
 * Keeps index hosts running. What is missing for them (a root, a place, a backend, the lock that somebody else has) is no
 * failure: it is told, and tried again now and then, because nothing but speed hangs on an index.
 */
export function createIndexSupervisor({ content, hosts: settings, lane, report, onReady, onStandBy }: IndexSupervisorOptions): IndexSupervisor {
  let hosts: IndexHosts | undefined;
  let backend: SearchBackend | undefined;
  let timer: NodeJS.Timeout | undefined;
  let attempt: Promise<void> = Promise.resolve();
  let isStopping = false;
  /** Of the attempt that is under way or has succeeded. */
  let inUse: MaintenanceLane | undefined;
  let toldWhy = '';

  async function open(): Promise<void> {
    const found = backend ?? (await indexedBackend(content));
    if (isStopping) return;
    if (typeof found === 'string') return standBy(found);
    // Looking for it starts processes: once is enough.
    backend = found;
    const obstacle = obstacleOf(content);
    if (obstacle !== undefined) return standBy(obstacle);
    const opened = openIndexHosts({ settings, trees: searchedTrees(content), backend, lane: openLane(), report });
    try {
      await opened.start();
    } catch (error) {
      return standBy(messageOf(error));
    }
    hosts = opened;
    toldWhy = '';
    onReady(opened.hosts.length);
  }

  /** Its start waits for Redis, as long as it takes; a stop ends that. */
  function openLane(): MaintenanceLane {
    const opened = lane();
    inUse = opened;
    return {
      ...opened,
      async start() {
        if (isStopping) throw new Error('the index host was stopped while it started');
        await opened.start();
      },
    };
  }

  function standBy(why: string): void {
    if (isStopping) return;
    if (why !== toldWhy) onStandBy(why);
    toldWhy = why;
    timer = setTimeout(again, TRY_AGAIN_MS);
  }

  function again(): void {
    attempt = open().catch((error: unknown) => standBy(messageOf(error)));
  }

  const life = lifecycle(
    async () => {
      isStopping = false;
      again();
      await attempt;
    },
    async () => {
      isStopping = true;
      clearTimeout(timer);
      await inUse?.stop();
      await attempt;
      await hosts?.stop();
      hosts = undefined;
    },
  );
  return { ...life, statuses: () => hosts?.hosts.map((host) => host.status()) ?? [] };
}

/** The backend that searches prefer, whose folding the index follows; else why there is none. */
async function indexedBackend({ binaries, searchPath }: ContentSettings): Promise<SearchBackend | string> {
  const looked = await findBackends({ names: binaries, searchPath, dialects: DIALECTS });
  const [preferred] = looked.found;
  if (preferred === undefined) return `there is no program that searches files: ${missedText(looked)}`;
  return preferred.backend.folding === 'UNKNOWN' ? `how ${preferred.backend.id} folds letters is not known` : preferred.backend;
}

function obstacleOf(content: ContentSettings): string | undefined {
  const { storageFallback, cacheRoot } = content.index;
  if (cacheRoot === null) return `there is no place for indexes${storageFallback === null ? '' : ` (${storageFallback})`}`;
  const { roots, deniedPatterns } = searchedTrees(content);
  const denied = compileDenied(deniedPatterns);
  const refused = roots.find((root) => isDenied(denied, root, true));
  if (refused !== undefined) return `${refused} is denied by tools.sandbox.denied_patterns`;
  return roots.length === 0 ? 'none of the directories to be indexed is there' : undefined;
}
