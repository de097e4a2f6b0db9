import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { messagesOf, plantedWord } from '../../../../bench/search-executor/mail/message.ts';

const COUNT = 1200;
const messages = [...messagesOf(COUNT)];

describe('generated mail', () => {
  it('is the same each time', () => {
    const again = [...messagesOf(COUNT)];
    expect(again.every(({ raw }, index) => raw.equals(messages[index]?.raw ?? Buffer.alloc(0)))).toBe(true);
  });

  it('says the truth about what another MIME parser finds in it', async () => {
    const planted = messages.flatMap(({ raw, matches }, index) => (raw.includes(plantedWord(index)) || matches ? [index] : []));
    const sample = [...new Set([...planted, ...Array.from({ length: 150 }, (_, n) => n * 8)])];
    for (const index of sample) {
      const message = messages[index];
      if (message === undefined) throw new Error('no such message');
      const parsed = await PostalMime.parse(message.raw, { maxNestingDepth: 10 });
      const isThere = [parsed.subject, parsed.text].some((text) => text?.includes(plantedWord(index)));
      const hasTime = parsed.headers.some(({ key }) => key === 'received');
      expect({ index, matches: isThere && hasTime }).toEqual({ index, matches: message.matches });
      expect(parsed.text ?? parsed.html).not.toContain('\ufffd');
      expect(parsed.subject).not.toContain('\ufffd');
    }
    expect(messages.filter(({ matches }) => matches).length).toBeGreaterThan(5);
  });

  it('has one time of receipt per message, none for some, and no line that would begin another in an mbox', () => {
    const times = messages.map(({ receivedAt }) => receivedAt).filter((time) => time !== undefined);
    expect(new Set(times).size).toBe(times.length);
    expect(times.length).toBeLessThan(COUNT);
    expect(messages.some(({ raw }) => raw.includes('\nFrom '))).toBe(false);
  });

  it('has all charsets and transfer encodings, alternatives and attachments', () => {
    const all = Buffer.concat(messages.map(({ raw }) => raw)).toString('latin1');
    const marks = ['us-ascii', 'utf-8', 'iso-8859-1', 'windows-1252', 'iso-8859-2', 'koi8-r', 'shift_jis'].map((name) => `charset="${name}"`);
    for (const mark of [...marks, 'quoted-printable', 'base64', '8bit', 'multipart/alternative', 'multipart/mixed', 'attachment;', '=?koi8-r?B?']) {
      expect(all).toContain(mark);
    }
  });
});
