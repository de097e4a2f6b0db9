import type { BackendJob, BackendKind, BackendProcess, SearchBackend } from '../../../src/core/ports/index.ts';

/** What a scripted backend answers to one job: records, and how it ends. */
export interface ScriptedAnswer {
  /** `path:1:text` and `path-1-text`, as `eventsOf` writes events. */
  readonly lines?: readonly string[];
  readonly code?: number;
  readonly stderr?: string;
  /** Does nothing until it is killed. */
  readonly hangs?: boolean;
}

export interface ScriptedBackend extends SearchBackend {
  /** The jobs that it was given, in order. */
  readonly jobs: readonly BackendJob[];
}

/** A backend whose answers are written down, for what no real backend does on demand. */
export function scriptedBackend(
  answer: (job: BackendJob) => ScriptedAnswer,
  { kind = 'ugrep', fuzzy = true }: { readonly kind?: BackendKind; readonly fuzzy?: boolean } = {},
): ScriptedBackend {
  const jobs: BackendJob[] = [];
  return {
    kind,
    id: `${kind}@0.0.0`,
    folding: 'ASCII',
    fuzzy,
    fileList: 'ARGV_CHUNKED',
    jobs,
    start: (job) => {
      jobs.push(job);
      return processOf(answer(job), job.query.offsets === true);
    },
  };
}

function processOf({ lines = [], code, stderr = '', hangs = false }: ScriptedAnswer, offsets: boolean): BackendProcess {
  let kill = (): void => undefined;
  const killed = new Promise<void>((resolve) => {
    kill = resolve;
  });
  const bytes = lines.map((line) => recordOf(line, offsets)).join('');
  return {
    stdout: (async function* () {
      if (hangs) await killed;
      else if (bytes !== '') yield Buffer.from(bytes);
    })(),
    ended: hangs
      ? killed.then(() => ({ code: null, signal: 'SIGKILL', stderr: '' }))
      : Promise.resolve({ code: code ?? (lines.length > 0 ? 0 : 1), signal: null, stderr }),
    kill: () => kill(),
  };
}

function recordOf(line: string, offsets: boolean): string {
  const [, path = '', number = '', mark = '', text = ''] = /^(.*?)[:-](\d+)([:-])(.*)$/s.exec(line) ?? [];
  return `./${path}\0${number}${mark}${offsets ? `0${mark}` : ''}${text}\n`;
}
