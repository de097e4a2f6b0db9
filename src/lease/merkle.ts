import { hash } from 'node:crypto';

/** Merkle trees of SHA-256 as RFC 9162 section 2.1 has them. A leaf and a node are never hashed alike: that keeps a node from being shown as a leaf. */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
export const NODE_BYTES = 32;

/** Where a leaf stands, and what is needed to climb from it to the root. */
export interface MerklePath {
  /** Leaves of the tree. */
  readonly size: number;
  /** Counts from 0. */
  readonly index: number;
  /** Hashes of 32 bytes, the nearest to the leaf first. */
  readonly nodes: readonly Uint8Array[];
}

export interface MerkleTree {
  readonly root: Uint8Array;
  path(index: number): MerklePath;
}

function leafHash(entry: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([LEAF, entry]), 'buffer');
}

/** Room for one node, of which nothing is read twice. */
const pair = Buffer.concat([NODE, Buffer.alloc(2 * NODE_BYTES)]);

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  pair.set(left, NODE.length);
  pair.set(right, NODE.length + NODE_BYTES);
  return hash('sha256', pair, 'buffer');
}

/** @param entries one at least */
export function merkleTree(entries: readonly Uint8Array[]): MerkleTree {
  let level: readonly Uint8Array[] = entries.map(leafHash);
  const levels = [level];
  while (level.length > 1) {
    const below = level;
    // A last node without a sibling goes up as it is.
    level = Array.from({ length: Math.ceil(below.length / 2) }, (_, at) => {
      const [left = NODE, right] = [below[2 * at], below[2 * at + 1]];
      return right === undefined ? left : nodeHash(left, right);
    });
    levels.push(level);
  }
  const [root] = level;
  if (root === undefined) throw new RangeError('a tree has one leaf at least');
  return {
    root,
    path: (index) => ({ size: entries.length, index, nodes: levels.flatMap((nodes, height) => nodes[Math.floor(index / 2 ** height) ^ 1] ?? []) }),
  };
}

/** Hashes that the path of this leaf must have. */
export function pathLength({ size, index }: Pick<MerklePath, 'size' | 'index'>): number {
  let nodes = 0;
  for (let [at, last] = [index, size - 1]; last > 0; at >>= 1, last >>= 1) if (at % 2 === 1 || at < last) nodes += 1;
  return nodes;
}

/** Nodes of a tree by their names. */
export type Nodes = Map<number, Uint8Array>;

/** Where a path has led. */
export interface Climbed {
  readonly root: Uint8Array;
  /** Every node of the way and beside it. */
  readonly way: Nodes;
}

/** Climbs from an entry to the root (RFC 9162 section 2.1.3.2); `undefined` for a path that is none. */
export function climb(entry: Uint8Array, path: MerklePath): Climbed | undefined {
  return walk(entry, path, new Map()).climbed;
}

/**
 * Whether the path leads from the entry to the root of a tree of which nodes are known, exactly as `climb` would find it: what is
 * hashed below the first known node is added to them, what lies above it must be known itself.
 *
 * @param known nodes of ways that were climbed to one root
 */
export function leadsInto(entry: Uint8Array, path: MerklePath, known: Nodes): boolean {
  const { joins, way } = walk(entry, path, known);
  if (joins) for (const [name, node] of way) known.set(name, node);
  return joins;
}

/** @param known where the way meets a node of these it is not hashed on, but compared */
function walk(entry: Uint8Array, { size, index, nodes }: MerklePath, known: Nodes): { climbed?: Climbed; way: Nodes; joins: boolean } {
  const way: Nodes = new Map();
  if (index >= size || nodes.length !== pathLength({ size, index })) return { way, joins: false };
  let found: Uint8Array = leafHash(entry);
  let joins = false;
  let next = 0;
  let level = 0;
  for (let [at, last] = [index, size - 1]; last > 0; at >>= 1, last >>= 1, level += 1) {
    joins ||= isSame(found, known.get(nameOf(level, at)));
    if (!joins) way.set(nameOf(level, at), found);
    if (at % 2 === 0 && at === last) continue;
    const sibling = nodes[next] ?? NODE;
    next += 1;
    if (joins && !isSame(sibling, known.get(nameOf(level, at ^ 1)))) return { way, joins: false };
    if (joins) {
      found = known.get(nameOf(level + 1, at >> 1)) ?? NODE;
      continue;
    }
    // A copy: a piece of the token would keep all that was read with it in memory.
    way.set(nameOf(level, at ^ 1), new Uint8Array(sibling));
    found = at % 2 === 1 ? nodeHash(sibling, found) : nodeHash(found, sibling);
  }
  joins ||= isSame(found, known.get(nameOf(level, 0)));
  if (!joins) way.set(nameOf(level, 0), found);
  return { climbed: { root: found, way }, way, joins };
}

/** Places of one level. */
const WIDTH = 65_536;

function nameOf(level: number, at: number): number {
  return level * WIDTH + at;
}

function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0;
}
