import { type Running, residentMib } from '../door/role-process.ts';
import type { ClientSaid, ClientWish } from './client-process.ts';
import { type Flatness, flatnessOf, type Sample } from './flatness.ts';

export interface Watched {
  readonly seconds: number;
  readonly tasksPerSecond: number;
  readonly api: Flatness;
  readonly client: Flatness;
  readonly over: NonNullable<ClientSaid['over']>;
}

const SAMPLE_MS = 50;

/** Has the client do its work, and samples it and the API meanwhile. */
export async function watched(
  wish: ClientWish,
  { api, client, tasks }: { readonly api: Running; readonly client: Running; readonly tasks: number },
): Promise<Watched> {
  const sizes = { api: [] as Sample[], client: [] as Sample[] };
  let done = 0;
  const sample = (): void => {
    sizes.api.push({ done, mib: residentMib(api.pid) });
    sizes.client.push({ done, mib: residentMib(client.pid) });
  };
  const begun = performance.now();
  const sampling = setInterval(sample, SAMPLE_MS);
  try {
    const over = await new Promise<NonNullable<ClientSaid['over']>>((resolve, reject) => {
      client.child.once('exit', (code) => reject(new Error(`the client ended with ${code}`)));
      client.child.on('message', (said: ClientSaid) => {
        done = said.done;
        if (said.over) resolve(said.over);
      });
      client.child.send(wish);
    });
    sample();
    const seconds = (performance.now() - begun) / 1000;
    return {
      seconds: Math.round(seconds * 10) / 10,
      tasksPerSecond: Math.round(tasks / seconds),
      api: flatnessOf(sizes.api, tasks),
      client: flatnessOf(sizes.client, tasks),
      over,
    };
  } finally {
    clearInterval(sampling);
    client.child.removeAllListeners('message');
  }
}
