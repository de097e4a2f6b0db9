import { readFileSync } from 'node:fs';

/** Bits of capabilities(7). */
export const CAPABILITIES = { dacOverride: 1n << 1n, dacReadSearch: 1n << 2n, fowner: 1n << 3n } satisfies Record<string, bigint>;

/** The effective capabilities of this process as bits; undefined where it cannot be told. */
export function effectiveCapabilities(): bigint | undefined {
  try {
    const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
    return effective === undefined ? undefined : BigInt(`0x${effective}`);
  } catch {
    return undefined;
  }
}
