import { WritError } from '../../core/errors.ts';
import { type AllowList, canonicalHost } from './addresses.ts';

/** Where a request goes, fixed by the binding. */
export interface Target {
  readonly secure: boolean;
  /** As in a URL: IPv6 in brackets. */
  readonly host: string;
  readonly port: number;
  /** The path, from its slash; placeholders still in it. */
  readonly path: string;
}

const URL_FORM = /^(https?):\/\/([^/?#@{}\s\\]+)(\/[^?#]*)?$/;
const AUTHORITY = /^(.*?)(?::(\d{1,5}))?$/;

/**
 * Reads `https://host[:port]/path`. User, query and fragment are refused, and so is any placeholder before the path; plain
 * HTTP only for a host that the binding allows.
 *
 * @throws WritError INVALID_CONFIG
 */
export function parseTarget(url: string, allow: AllowList, field: string): Target {
  const [, scheme, authority = '', path = '/'] = URL_FORM.exec(url) ?? [];
  if (scheme === undefined) {
    throw new WritError('INVALID_CONFIG', `${field} must be https://host[:port]/path, without user, query and fragment; only the path may have placeholders`, {
      field,
    });
  }
  const secure = scheme === 'https';
  const { host, port = secure ? 443 : 80 } = hostPort(authority, field);
  if (!secure && !allow.plain(host)) throw new WritError('INVALID_CONFIG', `${field} must be https: its host is not in allow`, { field });
  return { secure, host, port, path };
}

/** @throws WritError INVALID_CONFIG for anything but `host` or `host:port`. */
export function hostPort(text: string, field: string): { readonly host: string; readonly port: number | undefined } {
  const [, name = '', digits] = AUTHORITY.exec(text) ?? [];
  const host = canonicalHost(name, field);
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535 || String(port) !== digits))
    throw new WritError('INVALID_CONFIG', `${field} has no valid port`, { field });
  return { host, port };
}

/** Whether the binding's `hosts` name the target: an entry without a port is for the standard port of the scheme. */
export function namesTarget(hosts: readonly string[], target: Target, field: string): boolean {
  const standard = target.secure ? 443 : 80;
  return hosts.some((entry, index) => {
    const { host, port = standard } = hostPort(entry, `${field}.${index}`);
    return host === target.host && port === target.port;
  });
}
