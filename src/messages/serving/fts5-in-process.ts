import { createThreadClient } from '../../adapters/threads/client.ts';
import { startProcess } from '../../adapters/threads/process.ts';
import { messageOf } from '../../core/errors.ts';
import type { EngineAnswer, MessageEngine } from '../../core/ports/message-engine.ts';

export interface Fts5ProcessData {
  readonly file: string;
}

/** What the process answers. */
export type Fts5Calls = Required<Pick<MessageEngine, 'find' | 'rows' | 'words'>>;

/**
 * FTS5 for a thread that has better things to do than to be ended for one expression: in a process of its own, which is ended
 * when it takes longer than `deadlineMs`.
 *
 * @param onProcess told the id of each process that starts, and 0 when it has ended
 */
export function createFts5InProcess(file: string, deadlineMs: number, onProcess: (pid: number) => void): MessageEngine & { close(): Promise<void> } {
  const client = createThreadClient<Fts5Calls>({
    launch() {
      const started = startProcess(import.meta.url, './fts5-thread', { file } satisfies Fts5ProcessData);
      onProcess(started.pid ?? 0);
      started.once('exit', () => onProcess(0));
      return started;
    },
    launchedBy: 'calls',
    code: 'INTERNAL',
    died: (cause) => new Error(`the process of FTS5 ended${cause === undefined ? '' : `: ${messageOf(cause)}`}`),
    keepsAlive: 'calls',
  });

  async function asked<T>(ask: () => Promise<EngineAnswer<T>>): Promise<EngineAnswer<T>> {
    await client.start();
    const end = { isLate: false };
    const limit = setTimeout(() => {
      end.isLate = true;
      void client.kill(new Error(`FTS5 took longer than ${deadlineMs} ms`));
    }, deadlineMs);
    try {
      return await ask();
    } catch (error) {
      return { ok: false, error: { kind: 'engine_error', message: messageOf(error), ...(end.isLate && { stage: 'deadline' as const }) } };
    } finally {
      clearTimeout(limit);
    }
  }

  return {
    name: 'fts5',
    tag: 'fts5',
    mode: 'lexical',
    find: (request) => asked(async () => client.call('find', request)),
    rows: (set) => asked(async () => client.call('rows', set)),
    words: (question) => asked(async () => client.call('words', question)),
    close: () => client.stop(),
  };
}
