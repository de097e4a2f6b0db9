import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { messageOf, WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';

/** PEM texts that belong together. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** The certificate of a server, read again whenever its files change. */
export interface CertificateFiles extends Lifecycle {
  /** Throws WritError INVALID_CONFIG when the files could not be used at the first look. */
  current(): CertificatePair;
  /** Told of every later pair. */
  onChange(listener: (pair: CertificatePair) => void): void;
  /** Looks at once, also when the files seem unchanged. */
  reload(): void;
}

export interface CertificateOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly lookEveryMs?: number;
  /** A pair was taken: whose it is, and until when it and those that lead to its CA are valid. */
  readonly onTaken?: (subject: string, validTo: Date) => void;
  /** The files changed into something that cannot be used; the last good pair stays. */
  readonly onRefused?: (error: unknown) => void;
}

const LOOK_EVERY_MS = 5000;

/**
 * Reads the files now, and after `start` looks every few seconds whether they were replaced. A pair that does not fit
 * together (half of a renewal) is refused, and looked at again when it changes.
 */
export function createCertificateFiles({ certFile, keyFile, lookEveryMs = LOOK_EVERY_MS, onTaken, onRefused }: CertificateOptions): CertificateFiles {
  const listeners: ((pair: CertificatePair) => void)[] = [];
  let seen = '';
  let pair: CertificatePair | undefined;

  function take(): CertificatePair {
    seen = stampOf(certFile, keyFile);
    const next = readPair(certFile, keyFile);
    pair = next;
    onTaken?.(new X509Certificate(next.cert).subject.replaceAll('\n', ', '), new Date(firstEnd(next.cert)));
    return next;
  }
  function reload(): void {
    try {
      const next = take();
      for (const listener of listeners) listener(next);
    } catch (error) {
      onRefused?.(error);
    }
  }
  function look(): void {
    if (stampOf(certFile, keyFile) !== seen) reload();
  }

  let timer: NodeJS.Timeout | undefined;
  return {
    ...lifecycle(
      () => {
        pair ?? take();
        timer = setInterval(look, lookEveryMs).unref();
      },
      () => clearInterval(timer),
    ),
    current: () => pair ?? take(),
    onChange: (listener) => void listeners.push(listener),
    reload,
  };
}

/** Changes with every replacement; links are followed, as secrets of containers are renewed by turning one. */
function stampOf(...files: readonly string[]): string {
  return files.map(stampOfOne).join(' ');
}

/** A directory that is closed to us, or is none any more, is a change like others: why, is said when the file is read. */
function stampOfOne(file: string): string {
  try {
    const { dev, ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${dev}:${ino}:${size}:${mtimeNs}`;
  } catch {
    return '-';
  }
}

function readPair(certFile: string, keyFile: string): CertificatePair {
  const pair = { cert: read(certFile, 'http.tls.cert_file'), key: read(keyFile, 'http.tls.key_file') };
  try {
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw refused('http.tls.cert_file', `${certFile} and ${keyFile} cannot be used together`, error);
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/** When the first of a chain ends, milliseconds since 1970. */
function firstEnd(chain: string): number {
  return Math.min(...(chain.match(CERTIFICATE) ?? [chain]).map((pem) => Date.parse(new X509Certificate(pem).validTo)));
}

function read(file: string, field: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw refused(field, `cannot read ${file}`, error);
  }
}

function refused(field: string, what: string, cause: unknown): WritError {
  return new WritError('INVALID_CONFIG', `${what}: ${messageOf(cause)}`, { field, cause });
}
