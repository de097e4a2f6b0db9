import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned, startTestDovecot, type TestDovecot } from '../../support/dovecot.ts';
import { freePorts } from '../../support/ports.ts';
import { startFakeServer } from './fake-server.ts';
import { readAll, refusal } from './read.ts';

let dovecot: TestDovecot;
beforeAll(async () => {
  dovecot = await startTestDovecot();
});
afterAll(() => dovecot.stop());

function file(name: string, text: string, mode = 0o600): string {
  const place = path.join(dovecot.directory, name);
  writeFileSync(place, text);
  chmodSync(place, mode);
  return place;
}

const UNAVAILABLE = 'SCOPE_UNAVAILABLE: ';

describe('a mailbox that cannot be opened is SCOPE_UNAVAILABLE', { tags: ['SE-67'] }, () => {
  it.each([
    ['missing', () => path.join(dovecot.directory, 'none'), 'cannot be read (ENOENT)'],
    ['a directory', () => dovecot.directory, 'is no regular file'],
    ['a FIFO that nobody writes to', () => fifo('fifo'), 'is no regular file'],
    ['readable by others', () => file('open', dovecot.password, 0o640), 'can be read or written by others than its owner: chmod 600 it'],
    ['empty', () => file('nothing', '\n'), 'is empty'],
    ['huge', () => file('huge', 'x'.repeat(5000)), 'is larger than 4096 bytes'],
  ])('because the password file is %s', async (_, passwordFile, why) => {
    expect(await refusal(dovecot.scope({ passwordFile: passwordFile() }))).toBe(`${UNAVAILABLE}the password file ${why}`);
  });

  it('because the file of the certificate authority is missing or holds no certificate', async () => {
    expect(await refusal(dovecot.scope({ caFile: '/nowhere/ca.pem' }))).toBe(`${UNAVAILABLE}the file of the certificate authority cannot be read (ENOENT)`);
    const caFile = file('ca.pem', 'no certificate');
    expect(await refusal(dovecot.scope({ caFile }))).toBe(`${UNAVAILABLE}the file of the certificate authority holds no certificate in PEM form`);
  });

  it('because the password or the user is wrong; the answer names neither', async () => {
    const passwordFile = file('wrong', 'hunter2\n');
    const sentence = `${UNAVAILABLE}the mail server refuses the user or the password`;
    expect(await refusal(dovecot.scope({ passwordFile }))).toBe(sentence);
    expect(await refusal(dovecot.scope({ passwordFile, security: 'starttls', port: dovecot.ports.starttls }))).toBe(sentence);
    expect(await refusal(dovecot.scope({ user: 'bob' }))).toBe(sentence);
  });

  it('because the mailbox does not exist', async () => {
    expect(await refusal(dovecot.scope({ mailbox: 'Nowhere' }))).toBe(`${UNAVAILABLE}the mailbox does not exist or may not be read`);
  });

  it('because nobody listens, or the host has no address', async () => {
    const [port] = await freePorts(1);
    expect(await refusal(dovecot.scope({ port: port ?? 0 }))).toBe(`${UNAVAILABLE}the mail server refuses connections`);
    expect(await refusal(dovecot.scope({ host: 'no.such.host.invalid' }))).toMatch(/^SCOPE_UNAVAILABLE: the host of the mail server /);
  });

  it.each(['tls', 'starttls'] as const)('because the certificate is not trusted or is for another host, over %s', async (security) => {
    const to = { security, port: dovecot.ports[security] };
    expect(await refusal(dovecot.scope({ ...to, caFile: '' }))).toBe(
      `${UNAVAILABLE}the certificate of the mail server is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    );
    mkdirSync(path.join(dovecot.directory, security));
    const { certificate } = selfSigned(path.join(dovecot.directory, security));
    expect(await refusal(dovecot.scope({ ...to, caFile: certificate }))).toMatch(/the certificate of the mail server is not trusted/);
    expect(await refusal(dovecot.scope({ ...to, host: '127.0.0.2' }))).toMatch(
      /^SCOPE_UNAVAILABLE: the (mail server refuses|certificate of the mail server is for another)/,
    );
  });

  it('because its certificate is for another host', async () => {
    mkdirSync(path.join(dovecot.directory, 'other'));
    const identity = selfSigned(path.join(dovecot.directory, 'other'), 'DNS:mail.example.com');
    await using server = await startFakeServer({ ...dovecot, identity }, 'tls', (socket) => socket.write('* OK hello\r\n'));
    const scope = dovecot.scope({ port: server.port, caFile: identity.certificate });
    expect(await refusal(scope)).toBe(`${UNAVAILABLE}the certificate of the mail server is for another host`);
    expect(server.heard()).toBe('');
  });

  it.each([
    ['offers no STARTTLS', '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hello\r\n'],
    ['says that we are logged in already', '* PREAUTH [CAPABILITY IMAP4rev1] hello\r\n'],
    ['says so and offers STARTTLS', '* PREAUTH [CAPABILITY IMAP4rev1 STARTTLS] hello\r\n'],
    ['takes STARTTLS and says more before TLS', '* OK [CAPABILITY IMAP4rev1 STARTTLS] hello\r\n'],
  ])('because a plain server %s; no secret is said', async (_, greeting) => {
    await using server = await startFakeServer(dovecot, 'plain', (socket) => {
      socket.write(greeting);
      socket.on('data', (bytes: Buffer) => {
        for (const [, tag, command] of bytes.toString().matchAll(/^(\w+) (\w+)/gm)) {
          socket.write(command === 'STARTTLS' ? `${tag} OK begin\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n` : `${tag} OK done\r\n`);
        }
      });
    });
    expect(await refusal(dovecot.scope({ port: server.port, security: 'starttls' }), { openMs: 5000 })).toMatch(/^SCOPE_UNAVAILABLE: the mail server/);
    expect(server.heard()).not.toMatch(/LOGIN|AUTHENTICATE|EXAMINE/);
  });

  it.each([
    ['says nothing', () => undefined],
    ['says nonsense', (socket: NodeJS.WritableStream) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n\0\u00ff* * *\r\n')],
    ['greets and then says nothing', (socket: NodeJS.WritableStream) => socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hello\r\n')],
    ['never ends a line', (socket: NodeJS.WritableStream) => socket.write('x'.repeat(100_000))],
  ])('because a TLS server %s', async (_, talk) => {
    await using server = await startFakeServer(dovecot, 'tls', talk);
    expect(await refusal(dovecot.scope({ port: server.port }), { connectMs: 300, openMs: 600 })).toBe(`${UNAVAILABLE}the mail server did not answer in time`);
  });

  it('because it answers only nonsense, and much of it', async () => {
    const line = `* ${'(('.repeat(5000)}\r\n`;
    await using server = await startFakeServer(dovecot, 'tls', (socket) => {
      const more = () => {
        while (socket.writable && socket.write(line));
      };
      socket.on('drain', more);
      more();
    });
    expect(await refusal(dovecot.scope({ port: server.port }), { connectMs: 400, openMs: 600 })).toBe(`${UNAVAILABLE}the mail server did not answer in time`);
  });

  it('but a changed password is good for the next search', async () => {
    const passwordFile = file('changing', 'wrong');
    expect(await refusal(dovecot.scope({ passwordFile }))).not.toBe('opened');
    writeFileSync(passwordFile, `${dovecot.password}\r\n`);
    expect(await readAll(dovecot.scope({ passwordFile }))).toEqual([]);
  });
});

function fifo(name: string): string {
  const place = path.join(dovecot.directory, name);
  execFileSync('mkfifo', [place]);
  return place;
}
