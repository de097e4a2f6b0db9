import type { RevocationPayload } from '../contracts/index.ts';
import { type ErrorCode, isWritError, WritError } from '../core/errors.ts';
import type { Lifecycle } from '../core/lifecycle.ts';
import type { RevocationFeed } from '../core/ports/index.ts';
import { readRevocation, verifyRevocation } from './revocation.ts';
import type { Verifier } from './token.ts';

export interface RevocationMirrorOptions extends Verifier {
  /** `<data>/revocations.ndjson` */
  readonly path: string;
  /** Opens or creates the file of tokens at the path. */
  readonly open: (path: string) => Promise<TokenFile>;
  /** Told when the published log turns out to be damaged, with why, and when it is whole again. */
  readonly onDamage?: (problem: string | undefined) => void;
}

/**
 * An append-only file of tokens, one a line, that survives being torn anywhere: every write begins with a line feed, so
 * a half line of an earlier crash never joins the next token, and nothing is ever cut off, so that several processes of
 * one host may append. Readers skip what is no token.
 */
export interface TokenFile {
  /** All lines; `torn` tells that the last one has no end. */
  read(): Promise<{ readonly lines: readonly string[]; readonly torn: boolean }>;
  /** Durable when it resolves. */
  append(tokens: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * A worker's own copy of the revocation log: verified, fsynced, and never going back in number, so that losing Redis
 * does not bring a revoked lease back to life.
 */
export interface RevocationMirror extends Lifecycle {
  /** Number of the newest entry that is durable here; 0 when there is none. */
  readonly number: number;
  /** Why nothing new may run: the damage that the last exchange with the feed met. */
  readonly damage: string | undefined;
  isRevoked(jti: string): boolean;
  /** The signed entries from number `from` on, to publish them again. */
  entries(from?: number): readonly { readonly n: number; readonly token: string }[];
  /**
   * Takes tokens in the order of the log. Entries that are known are passed over; the first that does not verify or
   * leaves a gap ends the call with WritError STORAGE_UNAVAILABLE, those before it are kept.
   */
  accept(tokens: readonly string[]): Promise<void>;
  /**
   * Takes everything that was published before the call, and publishes what the feed has lost: afterwards the published
   * number is not below ours. Calls that overlap share one round trip.
   */
  catchUp(feed: RevocationFeed): Promise<void>;
}

/** What an exchange meets in a log that is damaged: an entry that does not verify, no list at all, another entry under one of our numbers. */
const DAMAGES: ReadonlySet<ErrorCode> = new Set(['STORAGE_UNAVAILABLE', 'INTERNAL', 'WRONG_STATE']);

/** `start` reads the copy; WritError STORAGE_UNAVAILABLE when it is damaged, because then its number cannot be told. */
export function createRevocationMirror({ path, open, onDamage = () => undefined, ...verifier }: RevocationMirrorOptions): RevocationMirror {
  const tokens: string[] = [];
  const revoked = new Set<string>();
  let file: TokenFile | undefined;
  let starting: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  let damage: string | undefined;

  async function load(): Promise<void> {
    file = await open(path);
    const { lines, torn } = await file.read();
    for (const [index, line] of lines.entries()) {
      const remembered = await recall(line);
      if (remembered !== undefined) remember(remembered, line);
      else if (index === lines.length - 1 && !torn) throw damaged(`line ${index + 1} is no entry of the log`);
    }
  }

  /** What a line of our own says. Its signature is checked again as long as its key is known. */
  async function recall(line: string): Promise<RevocationPayload | undefined> {
    const found = readRevocation(line);
    if (found === undefined || (await verifier.keyring.find(found.kid)) === undefined) return found?.entry;
    const verified = await verifyRevocation(line, verifier);
    return verified.ok ? verified.entry : undefined;
  }

  function remember(entry: RevocationPayload, token: string): void {
    // Two processes of one host may both have written the same entry.
    if (entry.n <= tokens.length) return;
    if (entry.n !== tokens.length + 1) throw damaged(`entry ${tokens.length + 1} is missing`);
    tokens.push(token);
    revoked.add(entry.jti);
  }

  function damaged(what: string): WritError {
    return new WritError('STORAGE_UNAVAILABLE', `the copy of the revocation log in ${path} is damaged (${what}): move it away, and it is fetched again`);
  }

  async function take(offered: readonly string[]): Promise<void> {
    const fresh: { entry: RevocationPayload; token: string }[] = [];
    let problem: string | undefined;
    for (const token of offered) {
      const verified = await verifyRevocation(token, verifier);
      const next = tokens.length + fresh.length + 1;
      if (!verified.ok) problem = `entry ${next} of the published revocation log is refused: ${verified.message}`;
      else if (verified.entry.n > next) problem = `the published revocation log has no entry ${next}`;
      if (problem !== undefined || !verified.ok) break;
      if (verified.entry.n === next) fresh.push({ entry: verified.entry, token });
    }
    if (fresh.length > 0) await opened().append(fresh.map(({ token }) => token));
    for (const { entry, token } of fresh) remember(entry, token);
    if (problem !== undefined) throw new WritError('STORAGE_UNAVAILABLE', problem);
  }

  async function exchange(feed: RevocationFeed): Promise<void> {
    try {
      const head = await feed.head();
      if (head > tokens.length) await take(await feed.read(tokens.length + 1));
      else if (head < tokens.length) await feed.publish(mirror.entries(head + 1));
      tell(undefined);
    } catch (error) {
      if (!isWritError(error) || !DAMAGES.has(error.code)) throw error;
      tell(error.message);
      throw new WritError('STORAGE_UNAVAILABLE', `nothing new runs: ${error.message}`, { cause: error });
    }
  }

  function tell(problem: string | undefined): void {
    if (problem === damage) return;
    damage = problem;
    onDamage(problem);
  }

  /** One change at a time, in the order of the calls. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  function opened(): TokenFile {
    if (file === undefined) throw new WritError('INTERNAL', 'the revocation mirror is not started');
    return file;
  }

  const mirror: RevocationMirror = {
    get number() {
      return tokens.length;
    },
    get damage() {
      return damage;
    },
    isRevoked: (jti) => revoked.has(jti),
    entries: (from = 1) => tokens.slice(from - 1).map((token, index) => ({ n: from + index, token })),
    accept: (offered) => inTurn(() => take(offered)),
    catchUp(feed) {
      // A caller that comes while an exchange runs needs the next one: the running one may have looked before.
      waiting ??= inTurn(() => {
        waiting = undefined;
        return exchange(feed);
      });
      return waiting;
    },
    start() {
      starting ??= load();
      return starting;
    },
    async stop() {
      await starting?.catch(() => undefined);
      await turn;
      await file?.close();
      file = undefined;
    },
    [Symbol.asyncDispose]: () => mirror.stop(),
  };
  return mirror;
}
