import { LEASE_BUNDLE_TYP } from '../contracts/index.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { Ed25519 } from '../core/ports/index.ts';
import { fromBase64url, toBase64url } from './base64url.ts';
import type { SigningKey, VerifyKey } from './keys.ts';
import { climb, leadsInto, type MerklePath, merkleTree, NODE_BYTES, type Nodes, pathLength } from './merkle.ts';
import { type Checked, encodeHeader, refused, refuseSignature, signDetached, trustedKey, type Verifier } from './token.ts';

/**
 * Leases that were signed together (docs/leases.md, "Bundles"): `header.payload.path.signature`. The payload is that of a
 * single lease; the signature is one for all of them, over the root of a Merkle tree whose leaves are their payloads.
 */
const BUNDLED = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** Leases of one bundle. Bounds the path, and so what a stranger's token can cost. */
const MAX_BUNDLE = 512;
/** Before the hashes of a path: leaves of the tree, then the place among them, two bytes each, big-endian. */
const PLACE_BYTES = 4;

interface BundledParts {
  readonly header: string;
  readonly payload: string;
  readonly path: string;
  readonly signature: string;
}

/** A token in its four parts, when it has the shape of one. */
export function splitBundled(token: string): BundledParts | undefined {
  const [, header, payload, path, signature] = BUNDLED.exec(token) ?? [];
  if (header === undefined || payload === undefined || path === undefined || signature === undefined) return undefined;
  return { header, payload, path, signature };
}

/**
 * Signs payloads together, 512 of them at most: a token for each, in their order. The same payloads and key give the same tokens.
 *
 * @param payloads two at least, which are leases
 */
export async function signBundle(payloads: readonly object[], key: SigningKey, ed25519: Ed25519): Promise<readonly string[]> {
  if (payloads.length < 2 || payloads.length > MAX_BUNDLE) throw new RangeError(`a bundle has 2 to ${MAX_BUNDLE} leases`);
  const header = encodeHeader(LEASE_BUNDLE_TYP, key.kid);
  const parts = payloads.map((payload) => toBase64url(canonicalJson(payload)));
  const tree = merkleTree(parts.map(leafOf));
  const signature = await signDetached(header, rootText(tree.root, parts.length), key, ed25519);
  return parts.map((part, index) => `${header}.${part}.${encodePath(tree.path(index))}.${signature}`);
}

/** Checks header, key, path and signature; says nothing about the payload. Never throws on hostile input. */
export async function verifyBundled(parts: BundledParts, { keyring, ed25519 }: Verifier): Promise<Checked<{ key: VerifyKey }>> {
  const path = decodePath(parts.path);
  if (path === undefined) return refused(`the path is not one of a bundle of 2 to ${MAX_BUNDLE} leases`);
  const named = await trustedKey(parts.header, LEASE_BUNDLE_TYP, keyring);
  if (!named.ok) return named;
  const refusal = await bundleOf(parts, path, named.key, ed25519).refusal;
  return refusal === undefined ? named : refused(refusal);
}

/** The bundle that the path leads into: one that was met before, or a new one. */
function bundleOf({ header, payload, signature }: BundledParts, path: MerklePath, key: VerifyKey, ed25519: Ed25519): Bundle {
  const memory = memoryOf(ed25519);
  const name = `${header}.${signature}.${path.size}`;
  const met = memory.get(name);
  const entry = leafOf(payload);
  if (met !== undefined && met.publicKey === key.publicKey && leadsInto(entry, path, met.nodes)) return met;
  const climbed = climb(entry, path);
  if (climbed === undefined) return { publicKey: key.publicKey, nodes: new Map(), refusal: Promise.resolve('the path leads to no root') };
  const { root, way: nodes } = climbed;
  const signed = { header, payload: toBase64url(rootText(root, path.size)), signature };
  const bundle: Bundle = { publicKey: key.publicKey, nodes, refusal: refuseSignature(signed, key, ed25519) };
  remember(memory, name, bundle);
  return bundle;
}

/** A bundle that was met: nodes that lead to one root, and what is wrong with the signature over it. */
interface Bundle {
  /** Of the key under which it was judged. */
  readonly publicKey: Uint8Array;
  readonly nodes: Nodes;
  readonly refusal: Promise<string | undefined>;
}

/** Bundles that are remembered; each has at most 1,024 nodes, some 150 KB. */
const REMEMBERED = 32;
/** By who has calculated it: what one verifier found says nothing to another. */
const memories = new WeakMap<Ed25519, Map<string, Bundle>>();

/**
 * The leases of a bundle come together: its signature is calculated once, and of a way only what was not climbed before. Which
 * key is trusted is asked for each of them. What does not verify is forgotten.
 */
function memoryOf(ed25519: Ed25519): Map<string, Bundle> {
  const memory = memories.get(ed25519) ?? new Map<string, Bundle>();
  memories.set(ed25519, memory);
  return memory;
}

function remember(memory: Map<string, Bundle>, name: string, bundle: Bundle): void {
  memory.delete(name);
  memory.set(name, bundle);
  const [oldest] = memory.keys();
  if (memory.size > REMEMBERED && oldest !== undefined) memory.delete(oldest);
  const forget = (): void => {
    if (memory.get(name) === bundle) memory.delete(name);
  };
  bundle.refusal.then((refusal) => refusal !== undefined && forget(), forget);
}

function leafOf(payload: string): Uint8Array {
  return Buffer.from(payload, 'latin1');
}

/** What is signed for all leases of a bundle. */
function rootText(root: Uint8Array, size: number): string {
  return canonicalJson({ root: toBase64url(root), size, v: 1 });
}

function encodePath({ size, index, nodes }: MerklePath): string {
  const place = Buffer.alloc(PLACE_BYTES);
  place.writeUInt16BE(size, 0);
  place.writeUInt16BE(index, 2);
  return toBase64url(Buffer.concat([place, ...nodes]));
}

function decodePath(path: string): MerklePath | undefined {
  const bytes = fromBase64url(path);
  if (bytes === undefined || bytes.length < PLACE_BYTES) return undefined;
  const place = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [size, index] = [place.readUInt16BE(0), place.readUInt16BE(2)];
  if (size < 2 || size > MAX_BUNDLE || index >= size) return undefined;
  const count = pathLength({ size, index });
  if (bytes.length !== PLACE_BYTES + count * NODE_BYTES) return undefined;
  return { size, index, nodes: Array.from({ length: count }, (_, at) => bytes.subarray(PLACE_BYTES + at * NODE_BYTES, PLACE_BYTES + (at + 1) * NODE_BYTES)) };
}
