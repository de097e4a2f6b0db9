import ipaddr from 'ipaddr.js';
import { WritError } from '../../core/errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Which hosts and addresses a binding may reach although they are not public. */
export interface AllowList {
  /** Whether plain HTTP may be spoken to the host, given as in a URL. */
  plain(host: string): boolean;
  /** Why a host may not be reached at this address: a word for its range; `undefined` when it may. */
  refuses(host: string, address: string): string | undefined;
}

/** Ranges that an allowed host name opens. Link-local addresses (metadata of clouds) and the rest need a CIDR range of their own. */
const OPENED_BY_NAME: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);

/** Public by number, but the inside of a cloud's host: Azure's agent answers there. */
const NEVER_PUBLIC: ReadonlySet<string> = new Set(['168.63.129.16']);

const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * @param entries host names, addresses and CIDR ranges
 * @throws WritError INVALID_CONFIG for an entry that is none of them
 */
export function allowList(entries: readonly string[], field: string): AllowList {
  const hosts = new Set<string>();
  const ranges: [Address, number][] = [];
  for (const [index, entry] of entries.entries()) {
    const range = rangeOf(entry);
    if (range) ranges.push(range);
    else hosts.add(canonicalHost(entry, `${field}.${index}`));
  }
  const listed = (address: Address): boolean => ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));

  return {
    plain(host) {
      const literal = addressOf(unbracketed(host));
      return hosts.has(host) || (literal !== undefined && listed(literal));
    },
    refuses(host, text) {
      const address = addressOf(text);
      if (address === undefined) return 'no address';
      if (listed(address)) return undefined;
      const range = rangeName(address);
      return range === 'unicast' || (hosts.has(host) && OPENED_BY_NAME.has(range)) ? undefined : range;
    },
  };
}

/** The range of an address; `unicast` is the public internet. Every form that carries an IPv4 address inside IPv6 is a range of its own. */
function rangeName(address: Address): string {
  if (NEVER_PUBLIC.has(address.toString())) return 'reserved';
  const range = address.range();
  return address instanceof ipaddr.IPv6 && range === 'unicast' && !address.match(GLOBAL_UNICAST) ? 'reserved' : range;
}

/** Only the usual spellings: four decimal numbers, or hexadecimal groups without a zone. */
function addressOf(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return /^[0-9A-Fa-f:.]+$/.test(text) && text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

function rangeOf(entry: string): [Address, number] | undefined {
  const literal = addressOf(unbracketed(entry));
  if (literal) return [literal, literal.kind() === 'ipv4' ? 32 : 128];
  const slash = entry.lastIndexOf('/');
  const base = addressOf(entry.slice(0, Math.max(slash, 0)));
  const bits = entry.slice(slash + 1);
  if (base === undefined || !/^\d{1,3}$/.test(bits) || Number(bits) > (base.kind() === 'ipv4' ? 32 : 128)) return undefined;
  return [base, Number(bits)];
}

/** The host part of a URL without the brackets of an IPv6 address, as sockets want it. */
export function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/**
 * A host exactly as a URL has it: lower case, no user, no port, IPv6 in brackets. Other spellings of the same (octal,
 * hexadecimal, one number, full-width digits, a dot at the end) are refused, so that what is written is what is meant.
 *
 * @throws WritError INVALID_CONFIG
 */
export function canonicalHost(text: string, field: string): string {
  const url = URL.canParse(`https://${text}/`) ? new URL(`https://${text}/`) : undefined;
  if (url === undefined || url.hostname !== text || url.pathname !== '/' || text.endsWith('.')) {
    const hint = url !== undefined && url.hostname !== '' && url.hostname !== text ? ` (a URL has it as ${url.hostname})` : '';
    throw new WritError('INVALID_CONFIG', `${field} is not a host in its usual spelling${hint}`, { field });
  }
  return text;
}
