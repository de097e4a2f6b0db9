import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { SearchedTrees } from '../../../src/content-search/ngram-index/serving/configured-indexes.ts';
import type { HostsSettings } from '../../../src/content-search/ngram-index/serving/hosts.ts';
import type { IndexTaskKind } from '../../../src/contracts/index.ts';
import type { BackendKind, IndexReason, IndexState } from '../../../src/core/ports/index.ts';
import { processEntry } from '../../../src/core/process-entry.ts';
import { patient } from '../patience.ts';

export interface HostArgument {
  readonly settings: HostsSettings;
  readonly trees: SearchedTrees;
  readonly backend: BackendKind;
}

export type HostNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'state'; readonly state: IndexState; readonly reason: IndexReason | null }
  | { readonly kind: 'task'; readonly task: string; readonly outcome: string; readonly detail: string; readonly elapsedMs: number }
  | { readonly kind: 'veto'; readonly veto: string }
  | { readonly kind: 'failed' | 'not-started'; readonly text: string };

/** Everything as a server has it by default, but for speed: nothing is throttled, and changes are worked on at once. */
export function hostsSettings(cacheRoot: string, change: Partial<HostsSettings> = {}): HostsSettings {
  return {
    mode: 'on',
    cacheRoot,
    storageMode: 'sqlite',
    storageFallback: null,
    ngramK: 3,
    maxTokenizedBytes: 1_048_576,
    bloomTargetFpRate: 0.01,
    host: {
      mode: 'on',
      autoThresholdFiles: 0,
      autoThresholdBytes: 0,
      autoReevalCalls: 100,
      watch: true,
      retryOnFailure: false,
      checkpointOnShutdown: true,
      integrityCheck: 'on_open',
      integrityPeriodCalls: 200,
      idleBoostMs: 1_000,
    },
    globalIgnoreFile: '',
    lockTimeoutMs: patient(250),
    debounceMs: 20,
    shutdownTimeoutMs: patient(5_000),
    build: { timeoutMs: patient(300_000), maxCpuPercent: 100, throttleMs: 0, maxFiles: 0, maxBytes: 0 },
    maxDbBytes: 2 ** 30,
    maxIndexes: 10,
    pauses: { firstMs: 100, mostMs: 2_000, memoryMs: 600_000 },
    ...change,
  };
}

/** What is searched and indexed: one directory. */
export function treesOf(root: string, deniedPatterns: readonly string[]): SearchedTrees {
  return { roots: [root], indexRoots: [], allowedRoots: [root], deniedPatterns, globalIgnore: undefined };
}

/** Asks for a task, as people do. */
export interface HostAsk {
  readonly ask: IndexTaskKind;
}

export interface HostProcess {
  readonly pid: number;
  /** Everything that was told so far. */
  readonly news: readonly HostNews[];
  /** The state that was told last. */
  state(): IndexState;
  /** Resolves when it is in this state, now or later. */
  until(state: IndexState): Promise<void>;
  /** Resolves with the next news that fits, from now on. */
  next(fits: (news: HostNews) => boolean): Promise<HostNews>;
  /** Resolves with the first news that fits, told already or from now on. */
  told(fits: (news: HostNews) => boolean): Promise<HostNews>;
  /** Whether it has not ended. */
  isAlive(): boolean;
  ask(kind: IndexTaskKind): void;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an index host and waits until it answers. */
export async function startHost(argument: HostArgument): Promise<HostProcess> {
  // The long suite runs compiled.
  const isSource = import.meta.url.endsWith('.ts');
  const { file, execArgv } = processEntry(isSource ? new URL('./index-host-process.ts', import.meta.url) : new URL('./index-host-process.js', import.meta.url));
  const child: ChildProcess = fork(file, [JSON.stringify(argument)], { execArgv: [...execArgv], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const news: HostNews[] = [];
  const listeners = new Set<(one: HostNews) => void>();
  const ended = once(child, 'exit');
  let last: IndexState = 'ABSENT';
  child.on('message', (one: HostNews) => {
    news.push(one);
    if (one.kind === 'state') last = one.state;
    for (const listener of listeners) listener(one);
  });
  const next = (fits: (one: HostNews) => boolean): Promise<HostNews> =>
    new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error(`the index host ended; it had told ${JSON.stringify(news.slice(-5))}`));
      const listener = (one: HostNews): void => {
        if (!fits(one)) return;
        listeners.delete(listener);
        child.off('exit', gone);
        resolve(one);
      };
      listeners.add(listener);
      child.once('exit', gone);
    });
  const begun = await next(({ kind }) => kind === 'ready' || kind === 'not-started');
  if (begun.kind === 'not-started') {
    child.kill('SIGKILL');
    throw new Error(begun.text);
  }
  const end = async (how: () => void): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) how();
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    news,
    state: () => last,
    async until(state) {
      if (last !== state) await next((one) => one.kind === 'state' && one.state === state);
    },
    next,
    told: async (fits) => news.find(fits) ?? next(fits),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    ask(kind) {
      if (child.connected) child.send({ ask: kind } satisfies HostAsk);
    },
    kill: () => end(() => child.kill('SIGKILL')),
    stop: () => end(() => child.send('stop')),
  };
}
