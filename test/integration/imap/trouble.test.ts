import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDovecot, type TestDovecot } from '../../support/dovecot.ts';
import { startWire, type WireFaults } from '../../support/dovecot-wire.ts';
import { readAll } from './read.ts';

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await startTestDovecot();
});
afterAll(() => dovecot.stop());

const SMALL = { plainBytes: 10_000, wholeBytes: 20_000, pieceBytes: 8192 };
const note = (subject: string, body = 'body') => `From: a@example.com\r\nSubject: ${subject}\r\n\r\n${body}\r\n`;
const on = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);
const subjects = (read: readonly { readonly text: string }[]) => read.map(({ text }) => /Subject: (.*)\r/.exec(text)?.[1]);

async function fill(mailbox: string, count: number, body = 'body'): Promise<void> {
  for (let n = 0; n < count; n += 1) await dovecot.deliver(note(`${n}`, body), on(n), mailbox);
}

async function readThrough(mailbox: string, faults: WireFaults, limits = {}) {
  await using wire = await startWire(dovecot, faults);
  return await readAll(dovecot.scope({ mailbox, port: wire.port }), { ...SMALL, ...limits });
}

describe('while a mailbox is read', () => {
  it.each([
    ['the messages are listed', / FETCH 1:/],
    ['they are fetched', / UID FETCH .*BODY\.PEEK\[\]\)/],
  ])('messages that arrive and go before %s neither come twice nor damage the others', { tags: ['SE-68'] }, async (_, when) => {
    const mailbox = `arrivals ${when.source.length}`;
    await fill(mailbox, 4);
    let done = false;
    const read = await readThrough(mailbox, {
      async beforeLine(line) {
        if (done || !when.test(line)) return;
        done = true;
        const client = await dovecot.client();
        await client.mailboxOpen(mailbox);
        await client.messageDelete('2:3', { uid: true });
        await dovecot.deliver(note('late'), on(9), mailbox);
      },
    });
    expect(done).toBe(true);
    expect(subjects(read)).toEqual(['0', '3']);
  });

  it('a large message that goes before its bytes come was never there', async () => {
    const mailbox = 'large goes';
    await fill(mailbox, 2, 'x'.repeat(50_000));
    let done = false;
    const read = await readThrough(mailbox, {
      async beforeLine(line) {
        if (done || !/ UID FETCH 2 .*PEEK/.test(line)) return;
        done = true;
        const client = await dovecot.client();
        await client.mailboxOpen(mailbox);
        await client.messageDelete('2', { uid: true });
      },
    });
    expect(done).toBe(true);
    expect(subjects(read)).toEqual(['0']);
  });

  it('a flag that somebody sets meanwhile is not taken for a message', async () => {
    const mailbox = 'flags';
    await fill(mailbox, 3);
    const read = await readThrough(mailbox, {
      onAnswer: (bytes) => Buffer.from(bytes.toString('latin1').replace(/^\* 1 FETCH/m, '* 2 FETCH (UID 2 FLAGS (\\Seen))\r\n* 1 FETCH'), 'latin1'),
    });
    expect(subjects(read)).toEqual(['0', '1', '2']);
  });

  it('a connection that is cut ends the search without a result', { tags: ['SE-68'] }, async () => {
    const mailbox = 'cut';
    await fill(mailbox, 20, 'x'.repeat(5000));
    const cut: WireFaults = { onAnswer: (bytes) => (bytes.includes('Subject: ') ? 'cut' : bytes) };
    await expect(readThrough(mailbox, cut)).rejects.toMatchObject({ code: expect.stringMatching(/^(NoConnection|EConnectionClosed|ECONNRESET)$/) });
  });

  it('a server that falls silent in the midst of a message ends the search without a result', { tags: ['SE-68'] }, async () => {
    const mailbox = 'stall';
    await fill(mailbox, 3);
    const stall: WireFaults = { onAnswer: (bytes) => (bytes.includes('Subject: ') ? 'stall' : bytes) };
    await expect(readThrough(mailbox, stall, { silenceMs: 1000 })).rejects.toMatchObject({ code: expect.stringMatching(/^(NoConnection|ETIMEOUT)$/) });
  });

  it.each([
    ['a message is left out', /\* 2 FETCH \(UID 2 INTERNALDATE[\s\S]*?(?=\* 3)/],
    ['a line of the list is damaged', /(?<=\* 2 FETCH \(UID 2) RFC822.SIZE/],
    ['a message has no body', /(?<=\* 2 FETCH .*BODY\[\] )\{\d+\}\r\n[\s\S]*?(?=\)\r\n\* 3)/],
  ])('an answer in which %s is no answer', { tags: ['SE-68'] }, async (what, damage) => {
    const mailbox = `damaged ${what.length}`;
    await fill(mailbox, 3);
    let times = 0;
    const onAnswer = (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      if (!damage.test(text)) return bytes;
      times += 1;
      return Buffer.from(text.replace(damage, what.endsWith('body') ? 'NIL' : what.endsWith('damaged') ? ' (((' : ''), 'latin1');
    };
    await expect(readThrough(mailbox, { onAnswer })).rejects.toMatchObject({ code: 'IMAP_INCOMPLETE' });
    expect(times).toBeGreaterThan(0);
  });

  it('nonsense instead of answers ends the search without a result', { tags: ['SE-68'] }, async () => {
    const mailbox = 'nonsense';
    await fill(mailbox, 3);
    const onAnswer = (bytes: Buffer) => (bytes.includes('Subject: ') ? Buffer.from('\0)(* 9 {99999999999}\r\n'.repeat(100)) : bytes);
    await expect(readThrough(mailbox, { onAnswer }, { silenceMs: 1000 })).rejects.toMatchObject({ code: expect.stringMatching(/^(NoConnection|ETIMEOUT)$/) });
  });

  it('a search that has enough closes the connection', async () => {
    const { createImapSource } = await import('../../../src/adapters/imap/source.ts');
    const mailbox = 'enough';
    await fill(mailbox, 5);
    const opened = await createImapSource().open(dovecot.scope({ mailbox }));
    if (!opened.ok) throw new Error(opened.message);
    if (!(Symbol.asyncIterator in opened.messages)) throw new Error('a mailbox of a server is waited for');
    const messages = opened.messages[Symbol.asyncIterator]();
    expect((await messages.next()).done).toBe(false);
    await messages.return?.();
    expect((await messages.next()).done).toBe(true);
  });
});

it('a server that is killed in the midst ends the search without a result', { tags: ['SE-68'] }, async () => {
  await using own = await startTestDovecot();
  for (let n = 0; n < 20; n += 1) await own.deliver(note(`${n}`, 'x'.repeat(50_000)), on(n));
  const { createImapSource } = await import('../../../src/adapters/imap/source.ts');
  const opened = await createImapSource({ plainBytes: 1000, wholeBytes: 40_000, pieceBytes: 8192 }).open(own.scope());
  if (!opened.ok) throw new Error(opened.message);
  const read = (async () => {
    let count = 0;
    for await (const { raw } of opened.messages) {
      count += 1;
      if (count === 2) await own.kill();
      if (!(raw instanceof Uint8Array)) for await (const _ of raw);
    }
  })();
  await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^(NoConnection|EConnectionClosed|ECONNRESET|IMAP_CONNECTION_LOST)$/) });
});
