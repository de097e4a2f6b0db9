import { describe, expect, it } from 'vitest';
import { readHead } from '../../../../../src/executors/search/emails/head.ts';
import { bodyText, headerText } from '../../../../../src/executors/search/emails/match.ts';

function read(raw: string | Buffer) {
  const bytes = typeof raw === 'string' ? Buffer.from(raw) : raw;
  const head = readHead(bytes, 0, () => false);
  return { from: headerText(head, 'from'), to: headerText(head, 'to'), subject: headerText(head, 'subject'), body: bodyText(bytes, head) };
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the body of odd mail', () => {
  it.each<[string, string | Buffer, string]>([
    ['no MIME at all', 'Subject: x\n\nhello\n', 'hello\n'],
    ['CRLF line breaks, read as LF', 'Subject: x\r\n\r\nhello\r\nyou\r\n', 'hello\nyou\n'],
    ['a missing empty line: the first line that is no header begins the body', 'Subject: x\nhello body\nmore', 'hello body\nmore'],
    ['an unreadable Content-Type, which means plain text', 'Content-Type: nonsense\n\nhello', 'hello'],
    ['a Content-Type with comments and upper case', 'CONTENT-TYPE: (c) TEXT/(x)PLAIN ; (y) CHARSET = "ISO-8859-1" (z)\n\n\xe9', 'Ã©'],
    ['HTML only', 'Content-Type: text/html\n\n<p>hello</p>', ''],
    ['an attached text', 'Content-Disposition: attachment; filename=a.txt\n\nhello', ''],
    ['a disposition nobody knows, which is an attachment', 'Content-Disposition: secret\n\nhello', ''],
    ['base64 that is cut short', 'Content-Transfer-Encoding: base64\n\naGVsbG8gd29ybG', 'hello worl'],
    ['base64 with blanks, dashes and text after its end', 'Content-Transfer-Encoding: BASE64\n\naGVs-bG8\n gd29y_bGQ=\nfooter', 'hello world'],
    ['quoted-printable with broken escapes', 'Content-Transfer-Encoding: quoted-printable\n\na=3Db=3db=zz=4=  \nc=\r\nd=', 'a=b=b=zz=4cd'],
    ['NULs', 'Subject: x\n\na\0b', 'a\0b'],
    ['Latin-1 without a label', latin1('Subject: x\n\ngr\xfc\xdfe \x80'), 'grüße €'],
    ['Windows-1252', latin1('Content-Type: text/plain; charset=windows-1252\n\n\x93x\x94 \x80'), '“x” €'],
    ['a charset that nobody knows', latin1('Content-Type: text/plain; charset=x-klingon\n\n\xe9a'), 'éa'],
    ['Shift_JIS', Buffer.concat([latin1('Content-Type: text/plain; charset=Shift_JIS\n\n'), Buffer.from('93fa967b8cea', 'hex')]), '日本語'],
    ['cp932', Buffer.concat([latin1('Content-Type: text/plain; charset=cp932\n\n'), Buffer.from('93fa967b8cea', 'hex')]), '日本語'],
    ['ISO-2022-JP', latin1('Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BF|K\\8l\x1b(B'), '日本語'],
    ['broken UTF-8', latin1('Content-Type: text/plain; charset=utf-8\n\na\xffb'), 'a�b'],
    ['format=flowed', 'Content-Type: text/plain; format=flowed\n\nHello \nworld\n> a \n> b\n>> c\n-- \nsig', 'Hello world\n> a b\n>> c\n-- \nsig'],
    ['format=flowed with DelSp', 'Content-Type: text/plain; format=flowed; delsp=yes\n\nHel \nlo\n stuffed', 'Hello\nstuffed'],
    ['a boundary in sections of RFC 2231', 'Content-Type: multipart/mixed; boundary*0=a; boundary*1=b\n\n--ab\n\nhello\n--ab--', 'hello'],
    ['a multipart without a boundary', 'Content-Type: multipart/mixed\n\n--a\n\nhello', ''],
    ['text before and after the parts', 'Content-Type: multipart/mixed; boundary=a\n\nbefore\n--a\n\nhello\n--a--\nafter', 'hello'],
    ['blanks after delimiters', 'Content-Type: multipart/mixed; boundary=a\n\n--a \t\n\nhello\n--a--  \nafter', 'hello'],
    ['a delimiter that only begins like one', 'Content-Type: multipart/mixed; boundary=a\n\n--a\n\nhello\n--ab\nyou\n--a--', 'hello\n--ab\nyou'],
    ['a part without an empty line', 'Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/plain\n--a\n\nhello', '\nhello'],
    [
      'an inner multipart without an end',
      'Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--a\n\ntwo\n--a--',
      'one\ntwo',
    ],
    [
      'the same boundary inside of itself',
      'Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a--\n--a\n\ntwo',
      'one\ntwo',
    ],
    ['a digest, whose parts are messages', 'Content-Type: multipart/digest; boundary=a\n\n--a\n\nSubject: y\n\nhello\n--a--', ''],
    ['a forwarded message', 'Content-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a\nContent-Type: message/rfc822\n\nSubject: y\n\ntwo\n--a--', 'one'],
    ['alternatives', 'Content-Type: multipart/alternative; boundary=a\n\n--a\n\nplain\n--a\nContent-Type: text/html\n\n<b>html</b>\n--a--', 'plain'],
  ])('is right for %s', { tags: ['SE-42', 'SE-43'] }, (_, raw, body) => {
    expect(read(raw).body).toBe(body);
  });

  it('is found 1000 multiparts deep', () => {
    const depth = 1000;
    const open = Array.from({ length: depth }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`).join('');
    const close = Array.from({ length: depth }, (_, i) => `\n--b${depth - 1 - i}--`).join('');
    expect(read(`${open}\nhello${close}`).body).toBe('hello');
  });
});

describe('the headers of odd mail', () => {
  it.each<[string, string | Buffer, Partial<ReturnType<typeof read>>]>([
    ['folds keep their blanks', 'Subject: a\r\n  b\n\tc  \n\n', { subject: 'a  b\tc' }],
    ['names in any case, blanks before the colon', 'SUBJECT : a\nfRoM:b\n\n', { subject: 'a', from: 'b' }],
    ['several To fields', 'To: a\nTo: b\nFrom: c\nFrom: d\n\n', { to: 'a, b', from: 'c' }],
    [
      'neighbouring encoded words are joined, also within a character',
      'Subject: =?utf-8?q?=C3?= =?utf-8?q?=A9?= x =?utf-8?b?4oI=?=\n =?utf-8?b?rA==?=\n\n',
      { subject: 'é x €' },
    ],
    ['encoded words with a language and of Windows-1252', 'Subject: =?windows-1252*de?Q?=80_=93?=\n\n', { subject: '€ “' }],
    ['encoded words in quotes', 'From: "=?utf-8?Q?J=C3=B6rg?=" <j@x>\n\n', { from: '"Jörg" <j@x>' }],
    ['what only looks like an encoded word', 'Subject: =?utf-8?x?a?= =?a b?q?c?= =?\n\n', { subject: '=?utf-8?x?a?= =?a b?q?c?= =?' }],
    ['bytes of UTF-8', 'Subject: grüße\n\n', { subject: 'grüße' }],
    ['bytes of Latin-1', latin1('Subject: gr\xfc\xdfe\n\n'), { subject: 'grüße' }],
    ['NULs and control characters', 'Subject: a\0b\u0007\n\n', { subject: 'a\0b\u0007' }],
    ['a From line of a mailbox file', 'From a@b Mon Jan  1 00:00:00 2024\nSubject: a\n\n', { subject: 'a' }],
    ['a continuation of nothing', ' x\nSubject: a\n\n', { subject: 'a' }],
    ['no end', 'Subject: a', { subject: 'a', body: '' }],
    ['nothing at all', '', { subject: '', body: '' }],
  ])('are read: %s', { tags: ['SE-42'] }, (_, raw, expected) => {
    expect(read(raw)).toMatchObject(expected);
  });

  it('may be a megabyte long', () => {
    const long = 'x'.repeat(1024 * 1024);
    expect(read(`Subject: ${long}\nX-Y: ${' '.repeat(1024 * 1024)}y\n\n`).subject).toBe(long);
  });
});
