import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { ServerTarget } from '../../src/adapters/redis/target.ts';

/** What the proxy is about to do, or has just done. */
export interface ProxyPoint {
  /** Of the proxy's connections, from 0. */
  readonly connection: number;
  /**
   * `open`: a client has come, nothing was said. `asked`: a command is here, Redis has not seen it. `done`: Redis has
   * answered it, the client has not heard. `told`: the client has its answer.
   */
  readonly moment: 'open' | 'asked' | 'done' | 'told';
  /** The command's name, in small letters; empty at `open`. */
  readonly command: string;
  /** Of the connection's commands, from 0. */
  readonly index: number;
}

/** `cut` ends the connection on both sides; a promise holds everything behind the point until it settles. */
export type ProxyFault = (point: ProxyPoint) => 'cut' | Promise<unknown> | undefined;

/** A door in front of a Redis server that goes wrong at a stated point, and nowhere else. */
export interface RedisProxy extends AsyncDisposable {
  readonly target: ServerTarget;
  /** Asked at every point; it lets everything pass until it is set. */
  fault: ProxyFault;
  /** Cuts every connection and refuses new ones. */
  shut(): Promise<void>;
  open(): Promise<void>;
}

let proxies = 0;

/** @param target of a server behind a unix socket */
export async function redisProxy(target: ServerTarget): Promise<RedisProxy> {
  if (!('path' in target)) throw new Error('the proxy stands before a unix socket');
  proxies += 1;
  const path = `${target.path}.${proxies}`;
  const pairs = new Set<() => void>();
  let connections = 0;
  let server: Server | undefined;

  const serve = async (client: Socket): Promise<void> => {
    const connection = connections;
    connections += 1;
    const redis = connect({ path: target.path });
    const names: string[] = [];
    const cut = (): void => {
      client.destroy();
      redis.destroy();
      pairs.delete(cut);
    };
    pairs.add(cut);
    for (const socket of [client, redis]) socket.on('error', cut).on('close', cut);
    const passes = async (moment: ProxyPoint['moment'], index: number): Promise<boolean> => {
      const verdict = proxy.fault({ connection, moment, command: names[index] ?? '', index });
      if (verdict === 'cut') cut();
      else await verdict;
      return !client.destroyed;
    };
    if (!(await passes('open', 0))) return;
    await Promise.all([
      eachValue(client, async (bytes, index) => {
        names.push(commandName(bytes));
        if (await passes('asked', index)) redis.write(bytes);
      }),
      eachValue(redis, async (bytes, index) => {
        if (!(await passes('done', index))) return;
        client.write(bytes);
        await passes('told', index);
      }),
    ]);
  };

  const proxy: RedisProxy = {
    target: { path, password: target.password },
    fault: () => undefined,
    async shut() {
      const closing = server;
      server = undefined;
      for (const cut of [...pairs]) cut();
      await new Promise<void>((settle) => (closing === undefined ? settle() : closing.close(() => settle())));
    },
    async open() {
      rmSync(path, { force: true });
      const opening = createServer((client) => void serve(client).catch(() => undefined));
      server = opening;
      await new Promise<void>((settle) => opening.listen(path, settle));
    },
    [Symbol.asyncDispose]: () => proxy.shut(),
  };
  await proxy.open();
  return proxy;
}

/** Calls `take` for each whole value of Redis' protocol, one after the other. */
async function eachValue(socket: Socket, take: (bytes: Buffer, index: number) => Promise<void>): Promise<void> {
  let rest = Buffer.alloc(0);
  let index = 0;
  try {
    for await (const chunk of socket) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = valueEnd(rest, 0); end !== undefined; end = valueEnd(rest, 0)) {
        const bytes = rest.subarray(0, end);
        rest = rest.subarray(end);
        await take(bytes, index);
        index += 1;
      }
    }
  } catch {
    // A socket that was cut.
  }
}

const LINE_END = '\r\n';

/** Where the value that begins at `at` ends; `undefined` while it is not all there. */
function valueEnd(data: Buffer, at: number): number | undefined {
  const line = data.indexOf(LINE_END, at);
  if (line < 0) return undefined;
  const next = line + LINE_END.length;
  const kind = String.fromCharCode(data[at] ?? 0);
  const count = Number(data.toString('latin1', at + 1, line));
  if (kind === '$') {
    const end = count < 0 ? next : next + count + LINE_END.length;
    return end > data.length ? undefined : end;
  }
  if (kind !== '*') return next;
  let end: number | undefined = next;
  for (let item = 0; item < count && end !== undefined; item += 1) end = valueEnd(data, end);
  return end;
}

/** A command is an array of strings: `*2`, `$4`, `ping`, … */
function commandName(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 200).split(LINE_END, 3)[2]?.toLowerCase() ?? '';
}
