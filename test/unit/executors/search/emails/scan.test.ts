import { describe, expect, it } from 'vitest';
import type { MailFolderScope, MessageSource, StoredMessage } from '../../../../../src/core/ports/index.ts';
import { createEmailsScan } from '../../../../../src/executors/search/emails/scan.ts';

const SCOPE: MailFolderScope = { kind: 'emails', store: 'eml', path: '/mail' };

/** A source of these messages, one buffer used for all of them. */
function sourceOf(messages: readonly (string | Partial<StoredMessage>)[]): MessageSource<MailFolderScope> {
  async function* all(): AsyncGenerator<StoredMessage> {
    const reused = Buffer.alloc(4096);
    for (const message of messages) {
      if (typeof message !== 'string') yield { storeId: undefined, receivedAt: undefined, raw: Buffer.alloc(0), ...message };
      else yield { storeId: undefined, receivedAt: undefined, raw: reused.subarray(0, reused.write(message)) };
    }
  }
  return { open: async () => ({ ok: true, messages: all() }) };
}

const noImap = { open: async () => ({ ok: false, code: 'SCOPE_UNAVAILABLE', message: 'no server' }) as const };

function search(messages: readonly (string | Partial<StoredMessage>)[], query: string, maxResults = 10) {
  return createEmailsScan({ folder: sourceOf(messages), imap: noImap })(SCOPE, { query, maxResults });
}

interface Mail {
  readonly received?: string;
  readonly id?: string;
  readonly head?: string;
  readonly body?: string;
}

const mail = ({ received = 'Mon, 1 Jan 2024 00:00:00 +0000', id = '<1@x>', head = '', body = 'needle' }: Mail = {}) =>
  `Received: from a by b; ${received}\nMessage-ID: ${id}\n${head}\n${body}`;

describe('SEARCH_EMAILS', () => {
  it.each([
    ['from', 'From: needle <a@x>\nTo: needle\nSubject: needle\n'],
    ['to', 'To: needle\nSubject: needle\n'],
    ['subject', 'Subject: =?utf-8?Q?nee?=\n =?utf-8?Q?dle?=\n'],
    ['body', 'X-Other: needle\nCc: needle\n'],
  ])('names the first matching field: %s', { tags: ['SE-42', 'SE-51'] }, async (field, head) => {
    const { hits } = await search([mail({ head })], 'needle');
    expect(hits).toMatchObject([{ match_field: field }]);
  });

  it.each(['From: Needle <a@x>\n', 'To: Needle\n', 'Subject: Needle\n', 'Subject: =?utf-8?Q?N?=\n =?utf-8?Q?eedle?=\n', '\nNeedle'])(
    'is case-sensitive: %j',
    { tags: ['SE-28'] },
    async (text) => {
      const counts = await Promise.all(['Needle', 'needle', 'NEEDLE'].map(async (query) => (await search([mail({ head: text, body: 'hay' })], query)).count));
      expect(counts).toEqual([1, 0, 0]);
    },
  );

  it('orders by time of receipt in UTC, then by id in code point order', { tags: ['SE-44'] }, async () => {
    const found = await search(
      [
        mail({ id: '<c@x>', received: 'Mon, 1 Jan 2024 01:00:00 +0100' }),
        mail({ id: '<b@x>', received: 'Mon, 1 Jan 2024 00:00:00 GMT' }),
        mail({ id: '<a@x>', received: 'Mon, 1 Jan 2024 00:00:01 +0000' }),
        mail({ id: '<d@x>', received: 'Sun, 31 Dec 2023 16:59:59 -0700' }),
      ],
      'needle',
    );
    expect(found.hits.map(({ id }) => id)).toEqual(['<d@x>', '<b@x>', '<c@x>', '<a@x>']);
  });

  it.each([
    ['no Received field', 'Date: Mon, 1 Jan 2024 00:00:00 +0000\n\nneedle'],
    ['a Received field without a date', 'Received: from a by b\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\nneedle'],
    ['an impossible date', 'Received: by b; Mon, 32 Jan 2024 00:00:00 +0000\n\nneedle'],
    ['a date without a zone', 'Received: by b; Mon, 1 Jan 2024 00:00:00\n\nneedle'],
    ['a good date only in a lower Received field', 'Received: by b; soon\nReceived: by a; Mon, 1 Jan 2024 00:00:00 +0000\n\nneedle'],
  ])('leaves out a message with %s', { tags: ['SE-45'] }, async (_, raw) => {
    expect(await search([raw], 'needle')).toEqual({ count: 0, hits: [] });
  });

  it('takes id and time of receipt from a store that has them', async () => {
    const found = await search([{ storeId: '7/42', receivedAt: 5, raw: Buffer.from('Subject: x\n\nneedle') }], 'needle');
    expect(found.hits).toEqual([{ id: '7/42', match_field: 'body', match_snippet: 'needle' }]);
  });

  it('gives messages of the same Message-ID ids of their own, the same in any order', { tags: ['SE-50', 'SE-61'] }, async () => {
    const messages = [
      mail({ body: 'needle 1' }),
      mail({ body: 'needle 2' }),
      mail({ body: 'needle 2' }),
      mail({ id: '<2@x>' }),
      mail({ id: '' }),
      mail({ id: '' }),
      mail({ id: 'sha256:0000' }),
      mail({ id: '<with space@x>' }),
    ];
    const forwards = await search(messages, 'needle');
    const backwards = await search(messages.toReversed(), 'needle');
    expect(backwards).toEqual(forwards);
    const ids = forwards.hits.map(({ id }) => id);
    expect(new Set(ids).size).toBe(messages.length);
    expect(ids).toContain('<2@x>');
    expect(ids).not.toContain('<1@x>');
    expect(ids).toEqual(ids.toSorted());
    expect(ids.filter((id) => /^<1@x> sha256:[0-9a-f]{64}$/.test(id))).toHaveLength(2);
    expect(ids.filter((id) => id.endsWith('.0000002'))).toHaveLength(2);
  });

  it('keeps the id of a message whatever the query: a namesake that does not match counts, too', { tags: ['SE-50'] }, async () => {
    const [withOther] = (await search([mail({ body: 'needle' }), mail({ body: 'other' })], 'needle')).hits;
    const [withBoth] = (await search([mail({ body: 'needle' }), mail({ body: 'other' })], 'e')).hits;
    expect(withOther?.id).toMatch(/^<1@x> sha256:/);
    expect([withOther?.id, (await search([mail({ body: 'other' }), mail({ body: 'needle' })], 'needle')).hits[0]?.id]).toContain(withOther?.id);
    expect(withBoth?.id).toMatch(/^<1@x> sha256:/);
  });

  it('cuts after the order and counts all matches, copies too', { tags: ['SE-59'] }, async () => {
    const messages = [...Array.from({ length: 5 }, () => mail()), mail({ id: '<0@x>', received: 'Mon, 1 Jan 2024 00:00:00 +0001' })];
    const found = await search(messages, 'needle', 3);
    expect(found.count).toBe(6);
    expect(found.hits.map(({ id }) => id.replace(/[0-9a-f]{64}/, 'H'))).toEqual(['<0@x>', '<1@x> sha256:H', '<1@x> sha256:H.0000002']);
  });

  it('says why a mailbox cannot be opened', { tags: ['SE-67'] }, async () => {
    const scan = createEmailsScan({ folder: sourceOf([]), imap: noImap });
    const scope = { kind: 'emails', store: 'imap', host: 'h', port: 1, security: 'tls', user: 'u', passwordFile: '/p', mailbox: 'INBOX', caFile: '' } as const;
    await expect(scan(scope, { query: 'x', maxResults: 1 })).rejects.toMatchObject({ code: 'SCOPE_UNAVAILABLE', message: 'no server' });
  });

  it('searches a message of 100 MB of attachments in little memory', async () => {
    const head = mail({
      head: 'Content-Type: multipart/mixed; boundary=b\n',
      body: '--b\n\nneedle\n--b\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n',
    });
    const line = Buffer.from(`${'QUJD'.repeat(19)}\n`.repeat(13_000));
    async function* raw() {
      yield Buffer.from(head);
      for (let i = 0; i < 100; i += 1) yield line;
      yield Buffer.from('--b--\n');
    }
    const before = process.memoryUsage().rss;
    const found = await search([{ raw: raw() }], 'needle');
    expect(found.hits).toEqual([{ id: '<1@x>', match_field: 'body', match_snippet: 'needle' }]);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  it('does not answer from a part of a text: more than 32 MiB of plain text are too many, and whose they are is said', async () => {
    async function* raw() {
      yield Buffer.from(mail());
      for (let i = 0; i < 33; i += 1) yield Buffer.alloc(1024 * 1024, 'text\n');
    }
    const limit = 'has more than 32 MiB of headers and plain text';
    await expect(search([{ raw: raw() }], 'needle')).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED', message: `a message ${limit}` });
    const place = () => 'the file "big.eml"';
    await expect(search([mail(), { raw: raw(), place }], 'needle')).rejects.toMatchObject({ message: `the file "big.eml" ${limit}` });
    await expect(search([{ raw: raw(), storeId: '7.12' }], 'needle')).rejects.toMatchObject({ message: `the message 7.12 ${limit}` });
  });
});
