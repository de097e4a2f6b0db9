import http from 'node:http';
import https from 'node:https';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { readSmallFile } from '../files/small-file.ts';

const MAX_AUTHORITY_FILE_BYTES = 1024 * 1024;

/** How connections of one binding are made and kept. */
export interface Trust {
  readonly authorities: SecureContext | undefined;
  readonly agents: { readonly secure: https.Agent; readonly plain: http.Agent };
}

export interface TrustKeeper {
  /** The authorities of now; connections that were made under other ones are not used again. A sentence when they cannot be read. */
  current(): Promise<Trust | string>;
  close(): void;
}

/** Keeps a bounded number of connections; the file of the authority is read anew for each request. */
export function trustKeeper(caFile: string | undefined, maxSockets: number): TrustKeeper {
  let text: string | undefined;
  let trust: Trust | undefined;

  function renew(next: string | undefined): Trust {
    close();
    const pool = { keepAlive: true, maxSockets, maxFreeSockets: 16, timeout: 10_000 };
    text = next;
    trust = {
      authorities: next === undefined ? undefined : createSecureContext({ ca: [...rootCertificates, next] }),
      agents: { secure: new https.Agent(pool), plain: new http.Agent(pool) },
    };
    return trust;
  }

  function close(): void {
    trust?.agents.secure.destroy();
    trust?.agents.plain.destroy();
    trust = undefined;
  }

  return {
    async current() {
      if (caFile === undefined) return trust ?? renew(undefined);
      const read = await readSmallFile(caFile, MAX_AUTHORITY_FILE_BYTES, false);
      if (!read.ok) return `the file of the certificate authority ${read.error}`;
      if (!read.value.includes('-----BEGIN CERTIFICATE-----')) return 'the file of the certificate authority holds no certificate in PEM form';
      return trust !== undefined && text === read.value ? trust : renew(read.value);
    },
    close,
  };
}
