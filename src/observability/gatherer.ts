import { withTimeout } from '../core/with-timeout.ts';
import { parseFamilies, renderExposition, type Source } from './exposition.ts';
import type { Metrics } from './metrics.ts';
import { type MetricsSource, metricsSources, removeDead } from './metrics-directory.ts';
import { TEXT_TYPE } from './metrics-socket.ts';
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
  /** Takes the sockets of dead processes away; never rejects. No scrape waits for it, and there is never more than one. */
  readonly sweep?: (directory: string) => Promise<void>;
}

export interface MetricsGatherer {
  /**
   * One exposition of all processes of the data directory. Takes no longer than one time-box for the others and one for
   * this process, whatever they do.
   */
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
}

const TIMEOUT_MS = 500;
/** More processes than a host has; a directory full of sockets is somebody's mistake. */
const MAX_SOURCES = 64;

/** The `/metrics` of an installation. Scrapes that come at the same time share one answer. */
export function createMetricsGatherer(options: GathererOptions): MetricsGatherer {
  const { directory, own, refresh, timeoutMs = TIMEOUT_MS, sweep = removeDead } = options;
  let running: Promise<string> | undefined;
  let sweeping = false;

  async function gather(): Promise<string> {
    const [, found] = await Promise.all([refresh(), others()]);
    const sources = found.filter((one) => typeof one === 'object');
    if (found.includes('dead')) sweepAside();
    own.set('writ_gather_sources', {}, sources.length);
    for (const one of found) if (typeof one === 'string' && one !== 'dead') own.inc('writ_gather_errors_total', { reason: one });
    return renderExposition([...(await ownSource()), ...sources]);
  }

  /** This process, unless its own figures take too long: the others are shown without it, and the next scrape counts it. */
  async function ownSource(): Promise<readonly Source[]> {
    const families = await withTimeout(own.families(), timeoutMs);
    if (families !== undefined) return [{ role: own.role, instance: 'api', families }];
    own.inc('writ_gather_errors_total', { reason: 'timeout' });
    return [];
  }

  function sweepAside(): void {
    if (sweeping) return;
    sweeping = true;
    void sweep(directory).finally(() => {
      sweeping = false;
    });
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
