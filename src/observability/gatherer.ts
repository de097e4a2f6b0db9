import { parseFamilies, renderExposition, type Source } from './exposition.ts';
import type { Metrics } from './metrics.ts';
import { type MetricsSource, metricsSources, removeDead, TEXT_TYPE } from './metrics-socket.ts';
import { readSocket, type SocketTrouble } from './read-socket.ts';

export interface GathererOptions {
  /** `<data>/metrics`. */
  readonly directory: string;
  /** The figures of the process that gathers. */
  readonly own: Metrics;
  /** Brings the own figures up to date; never rejects, takes its own time-box. */
  readonly refresh: () => Promise<void>;
  /** How long a process may take to answer, milliseconds. */
  readonly timeoutMs?: number;
}

export interface MetricsGatherer {
  /** One exposition of all processes of the data directory. Takes no longer than its time-boxes, whatever the others do. */
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
}

const TIMEOUT_MS = 500;
/** More processes than a host has; a directory full of sockets is somebody's mistake. */
const MAX_SOURCES = 64;

/** The `/metrics` of an installation. Scrapes that come at the same time share one answer. */
export function createMetricsGatherer({ directory, own, refresh, timeoutMs = TIMEOUT_MS }: GathererOptions): MetricsGatherer {
  let running: Promise<string> | undefined;

  async function gather(): Promise<string> {
    const [, found] = await Promise.all([refresh(), others()]);
    const sources = found.filter((one) => typeof one === 'object');
    if (found.includes('dead')) await removeDead(directory);
    own.set('writ_gather_sources', {}, sources.length);
    for (const one of found) if (typeof one === 'string' && one !== 'dead') own.inc('writ_gather_errors_total', { reason: one });
    return renderExposition([{ role: own.role, instance: 'api', families: await own.families() }, ...sources]);
  }

  async function others(): Promise<readonly (Source | SocketTrouble)[]> {
    const sources = (await metricsSources(directory)).slice(0, MAX_SOURCES);
    return Promise.all(sources.map((source) => ask(source, timeoutMs)));
  }

  return {
    async metrics() {
      running ??= gather().finally(() => {
        running = undefined;
      });
      return { type: TEXT_TYPE, text: await running };
    },
  };
}

async function ask(source: MetricsSource, timeoutMs: number): Promise<Source | SocketTrouble> {
  const answer = await readSocket(source.path, '/metrics.json', timeoutMs);
  if ('trouble' in answer) return answer.trouble;
  const families = parseFamilies(answer.text);
  return families === undefined ? 'malformed' : { role: source.role, instance: source.instance, families };
}
