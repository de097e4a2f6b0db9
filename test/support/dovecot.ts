import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { ImapFlow } from 'imapflow';
import type { ImapScope } from '../../src/core/ports/index.ts';
import { dovecotConfig, type Owner } from './dovecot-config.ts';
import { type DovecotProcess, startDovecot } from './dovecot-process.ts';
import { freePorts } from './ports.ts';

/** A real Dovecot of one test file, with one user and the means to fill and hurt it. */
export interface TestDovecot extends AsyncDisposable {
  /** Ports on 127.0.0.1. */
  readonly ports: { readonly tls: number; readonly starttls: number };
  readonly directory: string;
  readonly password: string;
  /** Files of what the server proves itself with. */
  readonly identity: { readonly certificate: string; readonly key: string };
  /** The scope of a search in this server. */
  scope(wish?: Partial<ImapScope>): ImapScope;
  /** Puts a message into a mailbox, which is made when it is missing, and answers its UID. Line ends must be CRLF. */
  deliver(raw: Uint8Array | string, internalDate: Date, mailbox?: string): Promise<number>;
  /** Puts many messages into INBOX at once, as files of its Maildir. They become UIDs in any order. */
  drop(messages: readonly { readonly raw: string; readonly internalDate: Date }[]): Promise<void>;
  /** A logged-in client of our own, to look and to change. `stop` closes it. */
  client(): Promise<ImapFlow>;
  /** SIGKILL for the server and all of its processes; resolves when it is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const USER = 'ann';
/** Every character that a careless client would have to quote. */
const PASSWORD = 'a "b\\c %d é';

/** Starts a server in a temporary directory of its own. */
export async function startTestDovecot(): Promise<TestDovecot> {
  const owner = ownerOf();
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-dovecot-'));
  chmodSync(directory, 0o755);
  const server = path.join(directory, 'server');
  mkdirSync(path.join(server, 'mail'), { recursive: true });
  const { certificate, key } = selfSigned(server);
  writeFileSync(path.join(server, 'passwd'), `${USER}:{PLAIN}${PASSWORD}\n`);
  const passwordFile = path.join(directory, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });

  const [tls, starttls] = await freePorts(2);
  const ports = { tls: tls ?? 0, starttls: starttls ?? 0 };
  const config = path.join(server, 'dovecot.conf');
  writeFileSync(config, dovecotConfig({ directory: server, certificate, key, owner, ports }));
  giveTo(owner, server, 'mail', 'passwd', 'key.pem', 'cert.pem', 'dovecot.conf');
  const dovecot: DovecotProcess = await startDovecot(config, owner);

  const clients: ImapFlow[] = [];
  let filler: Promise<ImapFlow> | undefined;
  const known = new Set(['INBOX']);

  async function connect(): Promise<ImapFlow> {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: ports.tls,
      secure: true,
      auth: { user: USER, pass: PASSWORD },
      tls: { rejectUnauthorized: false },
      logger: false,
      disableAutoIdle: true,
    });
    // A server that is killed on purpose ends its clients; their calls reject, which is enough.
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  }

  const test: TestDovecot = {
    ports,
    directory,
    password: PASSWORD,
    identity: { certificate, key },
    scope: (wish = {}) => ({
      kind: 'emails',
      store: 'imap',
      host: '127.0.0.1',
      port: ports.tls,
      security: 'tls',
      user: USER,
      passwordFile,
      mailbox: 'INBOX',
      caFile: certificate,
      ...wish,
    }),
    async deliver(raw, internalDate, mailbox = 'INBOX') {
      filler ??= connect();
      const client = await filler;
      if (!known.has(mailbox)) await client.mailboxCreate(mailbox);
      known.add(mailbox);
      const appended = await client.append(mailbox, Buffer.from(raw), [], internalDate);
      if (appended === false || appended.uid === undefined) throw new Error(`the message was not appended to ${mailbox}`);
      return appended.uid;
    },
    async drop(messages) {
      filler ??= connect();
      // The first look makes the folders.
      await (await filler).mailboxOpen('INBOX', { readOnly: true });
      for (const [index, { raw, internalDate }] of messages.entries()) {
        const file = path.join(server, 'mail/Maildir/new', `1700000000.${index}.test`);
        writeFileSync(file, raw, { mode: 0o644 });
        utimesSync(file, internalDate, internalDate);
      }
    },
    client: connect,
    kill: () => dovecot.kill(),
    async stop() {
      for (const client of clients) client.close();
      // Not SIGTERM: Dovecot takes a second for it, and nothing of this server is wanted any more.
      await dovecot.kill();
      rmSync(directory, { recursive: true, force: true });
    },
    [Symbol.asyncDispose]: () => test.stop(),
  };
  return test;
}

/** Dovecot wants no mail of root: there it runs as nobody, elsewhere as whoever runs the test. */
function ownerOf(): Owner {
  const { uid, gid, username } = userInfo();
  if (uid !== 0) return { uid, gid, user: username, group: name('-gn'), drop: false };
  return { uid: Number(name('-u', 'nobody')), gid: Number(name('-g', 'nobody')), user: 'nobody', group: name('-gn', 'nobody'), drop: true };
}

function name(...question: readonly string[]): string {
  return execFileSync('id', question, { encoding: 'utf8' }).trim();
}

function giveTo({ drop, uid, gid }: Owner, directory: string, ...names: readonly string[]): void {
  if (!drop) return;
  for (const file of ['', ...names]) chownSync(path.join(directory, file), uid, gid);
}

/** A certificate for localhost and 127.0.0.1 that only its own file vouches for. */
export function selfSigned(directory: string, host = 'DNS:localhost,IP:127.0.0.1'): { certificate: string; key: string } {
  const certificate = path.join(directory, 'cert.pem');
  const key = path.join(directory, 'key.pem');
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=writ-test']
      .concat(['-addext', `subjectAltName=${host}`])
      .concat(['-keyout', key, '-out', certificate]),
    { stdio: 'ignore' },
  );
  chmodSync(key, 0o600);
  return { certificate, key };
}
