import { codeOf } from '../files/small-file.ts';

/** Sentences for what keeps a mailbox from being opened. The codes are those of Node.js and of imapflow. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'the host of the mail server is not known'],
  ['EAI_AGAIN', 'the host of the mail server could not be looked up'],
  ['ECONNREFUSED', 'the mail server refuses connections'],
  ['CONNECT_TIMEOUT', 'the mail server did not answer in time'],
  ['GREETING_TIMEOUT', 'the mail server did not answer in time'],
  ['UPGRADE_TIMEOUT', 'the mail server did not answer in time'],
  ['ETIMEOUT', 'the mail server did not answer in time'],
  ['ETIMEDOUT', 'the mail server did not answer in time'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of the mail server is for another host'],
  ['CERT_HAS_EXPIRED', 'the certificate of the mail server has expired'],
]);

/** Errors of the verification of certificates, as OpenSSL names them. */
const UNTRUSTED = /CERT|SIGNATURE|ISSUER|CRL/;

/**
 * Why the mailbox is not available, without any name: the text of a server is not ours to repeat.
 *
 * @param overdue the time for opening was over, so the error is only its consequence
 */
export function refusalOf(error: unknown, overdue: boolean): string {
  if (overdue) return 'the mail server did not answer in time';
  const facts = factsOf(error);
  if (facts.authenticationFailed) return 'the mail server refuses the user or the password';
  const code = codeOf(error);
  const known = SENTENCES.get(code);
  if (known !== undefined) return known;
  if (UNTRUSTED.test(code)) return `the certificate of the mail server is not trusted (${code})`;
  if (facts.tlsFailed) return 'the mail server offers no secure connection (STARTTLS)';
  if (facts.responseStatus === 'NO') return 'the mailbox does not exist or may not be read';
  return `the mail server could not be used (${code})`;
}

interface Facts {
  readonly authenticationFailed: boolean;
  readonly tlsFailed: boolean;
  readonly responseStatus: unknown;
}

/** What imapflow notes on its errors. */
function factsOf(error: unknown): Facts {
  const has = (name: string): unknown => (error instanceof Error ? Reflect.get(error, name) : undefined);
  return { authenticationFailed: has('authenticationFailed') === true, tlsFailed: has('tlsFailed') === true, responseStatus: has('responseStatus') };
}

/** Whether a server answered a command with NO: it understood, and will not or cannot. */
export function isNo(error: unknown): boolean {
  return factsOf(error).responseStatus === 'NO';
}
