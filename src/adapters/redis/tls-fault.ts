import { messageOf, WritError } from '../../core/errors.ts';

const UNKNOWN_CA = 'no CA that this side knows has signed the certificate of Redis: name the file with its CA in redis.tls.ca_file';
const REFUSED_US = 'Redis does not accept the certificate of this side: set redis.tls.cert_file and key_file to a pair whose CA Redis knows (tls-ca-cert-file)';
const NO_TLS = 'the other side does not speak TLS on this port: use its TLS port, or redis:// in redis.url';

/** What Node.js and OpenSSL call a failed handshake, and what a person can do about it. */
const FAULTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  CERT_UNTRUSTED: UNKNOWN_CA,
  CERT_SIGNATURE_FAILURE: UNKNOWN_CA,
  CERT_HAS_EXPIRED: 'the certificate of Redis has expired: renew it, and look at the clock of this host',
  CERT_NOT_YET_VALID: 'the certificate of Redis is not valid yet: look at the clocks of both hosts',
  CERT_REVOKED: 'the certificate of Redis was revoked: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of Redis is for another name: call Redis by a name that it carries, or say which in redis.tls.server_name',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: REFUSED_US,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: REFUSED_US,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: REFUSED_US,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: REFUSED_US,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: REFUSED_US,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/** REDIS_TLS with a sentence, when `error` says that the two sides cannot trust or understand each other; else nothing. */
export function tlsFault(error: unknown): WritError | undefined {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const sentence = FAULTS[code] ?? (code.startsWith('ERR_SSL_') ? 'the TLS handshake with Redis failed' : undefined);
  return sentence === undefined ? undefined : new WritError('REDIS_TLS', `${sentence} (${messageOf(error).split('\n', 1)[0]})`, { cause: error });
}
