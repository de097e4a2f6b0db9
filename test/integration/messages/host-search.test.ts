import { once } from 'node:events';
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SearchQuery } from '../../../src/contracts/index.ts';
import type { SearchViewer } from '../../../src/core/ports/message-search.ts';
import { searchForHost, searchOnHost } from '../../../src/messages/serving/message-search.ts';
import type { MessageSearchOptions } from '../../../src/messages/serving/search-thread-keeper.ts';
import { smallMailbox } from '../../support/small-search.ts';

let box: ReturnType<typeof smallMailbox>;
let socketPath: string;
let closers: (() => unknown)[];
beforeEach(() => {
  box = smallMailbox();
  socketPath = path.join(path.dirname(box.file), 'search.sock');
  closers = [() => box.remove()];
});
afterEach(async () => {
  for (const close of closers.toReversed()) await close();
});

/** What others of the host ask, and what it has answered so far. */
async function host(options: Partial<MessageSearchOptions> = {}) {
  const done: string[] = [];
  const problems: unknown[] = [];
  const onEvent: MessageSearchOptions['onEvent'] = ({ event }) => {
    if (event === 'search.done') done.push(event);
  };
  const search = searchForHost({ file: box.file, onEvent, ...options }, (error) => problems.push(error));
  await search.start();
  closers.push(() => search.stop());
  return { search, done, problems };
}

function guest(options: Partial<MessageSearchOptions> = {}) {
  const search = searchOnHost({ file: box.file, ...options });
  closers.push(() => search.stop());
  return search;
}

/** Another program on the socket. */
async function listening(serve: (socket: Socket) => void): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    serve(socket);
  }).listen(socketPath);
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
}

const ASKED: readonly (readonly [SearchQuery, SearchViewer])[] = [
  [{ text: 'plan' }, null],
  [
    { text: 'plan', limit: 2, ranking: 'recency' },
    { project_id: 1, agent_id: 2 },
  ],
  [{ text: 'a"b (', explain: false }, null],
  [{ doc_kind: 'agent', text: 'plans' }, null],
  [{ text: 'no such word' }, null],
];

describe('the search of a host', () => {
  it('answers for other processes what they would answer themselves, page after page', async () => {
    const { search, done } = await host();
    const other = guest();
    for (const [query, viewer] of ASKED) expect(await other.search(query, viewer)).toEqual(await search.search(query, viewer));
    expect(done).toHaveLength(2 * ASKED.length);
    const first = await other.search({ text: 'plan', limit: 2 }, null);
    const second = await other.search({ text: 'plan', limit: 2, ...(first.next_cursor !== undefined && { cursor: first.next_cursor }) }, null);
    expect([...first.results, ...second.results].map(({ id }) => id)).toEqual(
      (await search.search({ text: 'plan', limit: 4 }, null)).results.map(({ id }) => id),
    );
    expect([await other.project('web', null), await other.product('Suite', null)]).toEqual([
      await search.project('web', null),
      await search.product('Suite', null),
    ]);
    expect(await other.project('none', null)).toEqual({ ok: true });
    expect(await Promise.all(ASKED.map(([query, viewer]) => other.search(query, viewer)))).toEqual(
      await Promise.all(ASKED.map(([query, viewer]) => search.search(query, viewer))),
    );
  });

  it('is not asked by those who have other settings: they answer themselves', async () => {
    const { done } = await host();
    const other = guest({ killSwitch: 'tantivy' });
    const { results, explain } = await other.search({ text: 'plan', explain: true }, null);
    expect([results.length, explain?.downgrade_reason]).toEqual([5, 'tantivy: messages.tantivy is false']);
    expect(done).toEqual([]);
  });

  it('may come and go: without it, also in the midst of a question, others answer themselves', async () => {
    const other = guest();
    expect((await other.search({ text: 'plan' }, null)).results).toHaveLength(5);
    const { search, done } = await host();
    await other.search({ text: 'plan' }, null);
    expect(done).toHaveLength(1);
    await search.stop();
    expect(existsSync(socketPath)).toBe(false);
    expect((await other.search({ text: 'plan' }, null)).results).toHaveLength(5);
    await listening((socket) => {
      socket.write('{"id":0}\n');
      socket.once('data', () => socket.destroy());
    });
    expect((await other.search({ text: 'plan' }, null)).results).toHaveLength(5);
  });

  it.each<readonly [string, (socket: Socket) => void]>([
    ['says nothing, as one that is stopped', () => undefined],
    ['speaks something else', (socket) => void socket.write('220 mail.example ESMTP\r\n')],
  ])('is not believed in when what listens there %s', async (_, serve) => {
    await listening(serve);
    expect((await guest().search({ text: 'plan' }, null)).results).toHaveLength(5);
  });

  it('takes the place of a socket that a killed process left', async () => {
    const dead = createServer().listen(`${socketPath}.old`);
    await once(dead, 'listening');
    renameSync(`${socketPath}.old`, socketPath);
    dead.close();
    expect((await guest().search({ text: 'plan' }, null)).results).toHaveLength(5);
    const { done, problems } = await host();
    await guest().search({ text: 'plan' }, null);
    expect([done.length, problems]).toEqual([1, []]);
  });

  it('is the first one that there is, and a second one takes nothing away', async () => {
    const first = await host();
    const second = await host();
    await second.search.stop();
    await guest().search({ text: 'plan' }, null);
    expect([first.done.length, second.done.length, second.problems]).toEqual([1, 0, []]);
  });

  it('is offered only where nobody else can enter, and works without', async () => {
    const directory = path.dirname(box.file);
    chmodSync(directory, 0o755);
    const { search, problems } = await host();
    expect(problems).toEqual([expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' })]);
    expect((await search.search({ text: 'plan' }, null)).results).toHaveLength(5);
    rmSync(socketPath, { force: true });
  });

  it('lets go whoever sends what is no question, and answers the others', async () => {
    const { done } = await host();
    const question = { id: 1, settings: '', op: 'search', query: { text: 'plan' }, viewer: null };
    const bad = [
      '',
      'no JSON',
      '[]',
      ...[{ op: 'drop' }, { query: { text: 7 } }, { viewer: 'root' }, { id: -1 }, { key: 'x' }].map((change) => JSON.stringify({ ...question, ...change })),
    ];
    for (const line of [...bad, 'x'.repeat(2 << 20)]) {
      const socket = connect(socketPath).on('error', () => undefined);
      await once(socket, 'data');
      const closed = new Promise((resolve) => socket.on('close', resolve));
      socket.resume().write(`${line}\n`);
      await closed;
    }
    expect((await guest().search({ text: 'plan' }, null)).results).toHaveLength(5);
    expect(done).toHaveLength(1);
  });
});
