import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDovecot, type TestDovecot } from '../../support/dovecot.ts';
import { startWire } from '../../support/dovecot-wire.ts';
import { readAll } from './read.ts';

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await startTestDovecot();
});
afterAll(() => dovecot.stop());

const note = (subject: string, body = 'body') => `From: a@example.com\r\nSubject: ${subject}\r\n\r\n${body}\r\n`;
const on = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000);

describe('a mailbox of an IMAP server', () => {
  it('is read over TLS, each message with its bytes, its INTERNALDATE and an id of UIDVALIDITY and UID', { tags: ['SE-15', 'SE-44', 'SE-50'] }, async () => {
    const mailbox = 'plain';
    const uids = [await dovecot.deliver(note('one'), on(5), mailbox), await dovecot.deliver(note('two', 'grün €'), on(-86_400), mailbox)];
    const client = await dovecot.client();
    const { uidValidity } = await client.mailboxOpen(mailbox, { readOnly: true });
    const read = await readAll(dovecot.scope({ mailbox }));
    expect(read).toEqual([
      { storeId: `${uidValidity}.${uids[0]}`, receivedAt: on(5).getTime(), text: note('one'), pieces: 1 },
      { storeId: `${uidValidity}.${uids[1]}`, receivedAt: on(-86_400).getTime(), text: Buffer.from(note('two', 'grün €')).toString('latin1'), pieces: 1 },
    ]);
    expect(await readAll(dovecot.scope({ mailbox }))).toEqual(read);
  });

  it('is read over STARTTLS just the same', async () => {
    const mailbox = 'starttls';
    await dovecot.deliver(note('one'), on(0), mailbox);
    const plain = await readAll(dovecot.scope({ mailbox, port: dovecot.ports.starttls, security: 'starttls' }));
    expect(plain).toEqual(await readAll(dovecot.scope({ mailbox })));
    expect(plain).toHaveLength(1);
  });

  it('may be empty', { tags: ['SE-58'] }, async () => {
    await (await dovecot.client()).mailboxCreate('empty');
    expect(await readAll(dovecot.scope({ mailbox: 'empty' }))).toEqual([]);
  });

  it.each(['Entwürfe', 'Входящие & 受信箱 😀', 'a "quoted" name', 'per%cent*star', 'sub.folder.of'])('may be called %s', async (mailbox) => {
    await dovecot.deliver(note(`in ${mailbox.length}`), on(0), mailbox);
    expect((await readAll(dovecot.scope({ mailbox }))).map(({ text }) => text)).toEqual([note(`in ${mailbox.length}`)]);
  });

  it('keeps its flags, and hears no command that could change anything', { tags: ['SE-03'] }, async () => {
    const mailbox = 'flags';
    await using wire = await startWire(dovecot);
    for (let n = 0; n < 3; n += 1) await dovecot.deliver(note(`${n}`), on(n), mailbox);
    await dovecot.deliver(note('large', 'x'.repeat(70_000)), on(9), mailbox);
    const scope = dovecot.scope({ mailbox, port: wire.port });
    expect(await readAll(scope, { plainBytes: 10_000, wholeBytes: 60_000, pieceBytes: 32_768 })).toHaveLength(4);

    const commands = wire.lines.map((line) => /^\w+ ((?:UID )?[A-Z]+)/.exec(line)?.[1]).filter((command) => command !== undefined);
    const harmless = new Set(['CAPABILITY', 'AUTHENTICATE', 'LOGIN', 'ID', 'NAMESPACE', 'LIST', 'LSUB', 'EXAMINE', 'FETCH', 'UID FETCH', 'LOGOUT']);
    expect(commands.filter((command) => !harmless.has(command))).toEqual([]);
    expect(commands).toContain('EXAMINE');
    const items = wire.lines.filter((line) => / FETCH /.test(line)).join(' ');
    expect(items).toContain('BODY.PEEK[]');
    expect(items).not.toMatch(/RFC822(?!\.SIZE)|BODY\[/);
    expect(wire.lines.join(' ')).not.toContain(dovecot.password);

    const client = await dovecot.client();
    expect(await client.status(mailbox, { messages: true, unseen: true, recent: true })).toMatchObject({ messages: 4, unseen: 4, recent: 4 });
  });

  it('gives a thousand messages in three commands', async () => {
    const dates = Array.from({ length: 1000 }, (_, n) => on(n * 61));
    await dovecot.drop(dates.map((internalDate, n) => ({ raw: note(`no ${n}`, 'lorem ipsum '.repeat(20)), internalDate })));
    await using wire = await startWire(dovecot);
    const read = await readAll(dovecot.scope({ port: wire.port }));
    expect(new Set(read.map(({ storeId }) => storeId)).size).toBe(1000);
    expect(new Map(read.map(({ text, receivedAt }) => [/no (\d+)/.exec(text)?.[1], receivedAt]))).toEqual(
      new Map(dates.map((date, n) => [String(n), date.getTime()])),
    );
    expect(wire.lines.filter((line) => / FETCH /.test(line))).toHaveLength(3);
  });
});
