import type { Worker } from 'node:worker_threads';
import { afterEach } from 'vitest';
import { createThreadClient, type ThreadClient, type ThreadOptions } from '../../../../src/adapters/threads/client.ts';
import { startThread } from '../../../../src/adapters/threads/thread-entry.ts';
import { messageOf } from '../../../../src/core/errors.ts';
import type { ScriptedCalls, ScriptedData } from './scripted-thread.ts';

type Client = ThreadClient<ScriptedCalls, string>;

const clients: Client[] = [];

/** Ends the clients of each test of the file that calls it: modules are shared between files, hooks are not. */
export function endClients(): void {
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.kill();
  });
}

export interface Rig {
  readonly client: Client;
  readonly launched: Worker[];
  readonly events: string[];
  readonly deaths: string[];
}

/** A client of the scripted thread, which is ended after the test, and what became of it. */
export function rig(data: ScriptedData = {}, options: Partial<ThreadOptions<string>> = {}): Rig {
  const [launched, events, deaths]: [Worker[], string[], string[]] = [[], [], []];
  const client = createThreadClient<ScriptedCalls, string, string>({
    launch() {
      const worker = startThread(import.meta.url, './scripted-thread', { workerData: data });
      launched.push(worker);
      return worker;
    },
    launchedBy: 'start',
    code: 'STORAGE_UNAVAILABLE',
    died: (cause, exitCode) => new Error(`died: ${cause === undefined ? exitCode : messageOf(cause)}`),
    absent: () => new Error('absent'),
    onEvent: (event) => events.push(event),
    onDeath: (error) => deaths.push(error.message),
    ...options,
  });
  clients.push(client);
  return { client, launched, events, deaths };
}
