import type { ConnectionOptions } from 'node:tls';
import { ImapFlow, type ImapFlowOptions } from 'imapflow';
import type { ImapScope } from '../../core/ports/index.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { ImapLimits } from './limits.ts';
import { refusalOf } from './refusal.ts';
import type { ImapSecrets } from './secrets.ts';

/** An examined mailbox: it is open for reading only, and the server knows that. */
export interface ImapMailbox {
  readonly client: ImapFlow;
  readonly limits: ImapLimits;
  /** As it was when it was opened. */
  readonly opened: MailboxState;
  /** Examines it again. */
  examine(): Promise<MailboxState>;
}

/** A mailbox at one moment: how many messages it holds, and the generation of their UIDs. */
export interface MailboxState {
  readonly exists: number;
  readonly uidValidity: bigint;
}

/** Connects, logs in and examines the mailbox. Whatever goes wrong until here means: not available. */
export async function openMailbox(scope: ImapScope, secrets: ImapSecrets, limits: ImapLimits): Promise<Result<ImapMailbox, string>> {
  const client = new ImapFlow(connectionOptions(scope, secrets, limits));
  // Each call that an error ends rejects by itself; without a listener the event would end the process.
  client.on('error', () => undefined);
  let overdue = false;
  const timer = setTimeout(() => {
    overdue = true;
    client.close();
  }, limits.openMs);
  // imapflow counts on in its own object when messages arrive: what it was at this moment is copied.
  const examine = async (): Promise<MailboxState> => {
    const { exists, uidValidity } = await client.mailboxOpen(scope.mailbox, { readOnly: true });
    return { exists, uidValidity };
  };
  try {
    await client.connect();
    if (!client.secureConnection) throw new Error('the connection is not secure');
    return ok({ client, limits, opened: await examine(), examine });
  } catch (error) {
    client.close();
    return failed(refusalOf(error, overdue));
  } finally {
    clearTimeout(timer);
  }
}

/** Says goodbye to a server that is still there, and closes the connection either way. */
export async function closeMailbox({ client, limits }: ImapMailbox, politely: boolean): Promise<void> {
  if (politely && client.usable) {
    const timer = setTimeout(() => client.close(), limits.goodbyeMs);
    await client.logout().catch(() => undefined);
    clearTimeout(timer);
  }
  client.close();
}

const MiB = 1024 * 1024;

function connectionOptions(scope: ImapScope, { password, authorities }: ImapSecrets, limits: ImapLimits): ImapFlowOptions {
  return {
    host: scope.host,
    port: scope.port,
    ...(scope.security === 'tls' ? { secure: true } : { secure: false, doSTARTTLS: true }),
    auth: { user: scope.user, pass: password },
    tls: tlsOptions(authorities),
    // It would write to the standard output, which is the way to the parent here.
    logger: false,
    clientInfo: { name: 'writ' },
    // Nothing but what reading needs: no IDLE, no extensions that change answers, no compression that a server could blow up.
    disableAutoIdle: true,
    disableAutoEnable: true,
    disableIMAP4rev2: true,
    disableCompression: true,
    disableBinary: true,
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.connectMs,
    socketTimeout: limits.silenceMs,
    // A server that announces more than a message that it called small ends the search, not this process.
    maxLineLength: 8 * MiB,
    maxLiteralSize: 8 * MiB,
    maxResponseSize: 16 * MiB,
  };
}

/** `rejectUnauthorized` stands here so that no environment variable can switch the verification off. */
function tlsOptions(authorities: string[] | undefined): ConnectionOptions {
  return { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(authorities === undefined ? {} : { ca: authorities }) };
}
