import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { climb, leadsInto, type MerklePath, merkleTree, type Nodes, pathLength } from '../../../src/lease/merkle.ts';

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

/** The leaves and roots that every implementation of Certificate Transparency is tested with. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map((text) => Buffer.from(text, 'hex'));
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const entriesOf = (size: number): Uint8Array[] => Array.from({ length: size }, (_, at) => Buffer.from(`entry ${at}`));
const place = fc.integer({ min: 1, max: 70 }).chain((size) => fc.record({ size: fc.constant(size), index: fc.integer({ min: 0, max: size - 1 }) }));

describe('a Merkle tree', () => {
  it.each(ROOTS.map((root, at) => [at + 1, root] as const))('of the first %i leaves of the test vectors has the root %s', (size, root) => {
    expect(hex(merkleTree(LEAVES.slice(0, size)).root)).toBe(root);
  });

  it('leads from every leaf to its root, whatever its size', () => {
    fc.assert(
      fc.property(place, ({ size, index }) => {
        const entries = entriesOf(size);
        const tree = merkleTree(entries);
        expect(hex(climb(entries[index] ?? Buffer.of(), tree.path(index))?.root)).toBe(hex(tree.root));
      }),
    );
  });

  it('leads nowhere else: another leaf, place, size or node is another root or no path', () => {
    fc.assert(
      fc.property(place, place, fc.nat(), (at, other, byte) => {
        const entries = entriesOf(at.size);
        const { root, path } = merkleTree(entries);
        const good = path(at.index);
        const entry = entries[at.index] ?? Buffer.of();
        const changed: [Uint8Array, MerklePath][] = [[Buffer.from('another'), good]];
        if (other.size !== at.size || other.index !== at.index) changed.push([entry, { ...good, ...other }]);
        const node = good.nodes[byte % Math.max(1, good.nodes.length)];
        if (node !== undefined) {
          const bent = Buffer.from(node);
          bent[byte % 32] = (bent[byte % 32] ?? 0) ^ 1;
          changed.push([entry, { ...good, nodes: good.nodes.map((one) => (one === node ? bent : one)) }]);
          changed.push([entry, { ...good, nodes: good.nodes.slice(1) }], [entry, { ...good, nodes: [...good.nodes, node] }]);
        }
        // A place in a tree of another size may have the same way; the size is signed beside the root.
        for (const [leaf, claim] of changed) if (claim.size === at.size) expect(hex(climb(leaf, claim)?.root)).not.toBe(hex(root));
      }),
    );
  });

  it('does not take an inner node for a leaf', () => {
    const entries = entriesOf(4);
    const { root, path } = merkleTree(entries);
    const leaf = (entry: Uint8Array): Buffer => createHash('sha256').update(Uint8Array.of(0)).update(entry).digest();
    const [a, b] = entries.map(leaf);
    const inner = Buffer.concat([Buffer.of(1), a ?? Buffer.of(), b ?? Buffer.of()]);
    const upper = path(0).nodes.slice(1);
    for (const entry of [inner, inner.subarray(1)]) expect(hex(climb(entry, { size: 2, index: 0, nodes: upper })?.root)).not.toBe(hex(root));
  });

  it('has a path of one length for each place', () => {
    expect([1, 2, 3, 4, 5, 500, 512].map((size) => [pathLength({ size, index: 0 }), pathLength({ size, index: size - 1 })])).toEqual([
      [0, 0],
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 1],
      [9, 7],
      [9, 9],
    ]);
  });
});

describe('nodes that are known', () => {
  it('change no answer, only the work', () => {
    const tampering = fc.record({ node: fc.nat({ max: 8 }), byte: fc.nat({ max: 31 }), really: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.array(fc.tuple(fc.nat(), tampering), { maxLength: 25 }), (size, asked) => {
        const entries = entriesOf(size);
        const tree = merkleTree(entries);
        const first = climb(entries[0] ?? Buffer.of(), tree.path(0));
        const known: Nodes = first?.way ?? new Map();
        for (const [at, { node, byte, really }] of asked) {
          const index = at % size;
          const path = tree.path(index);
          const bent = path.nodes.map((hash, n) => {
            const copy = Buffer.from(hash);
            if (really && n === node % path.nodes.length) copy[byte] = (copy[byte] ?? 0) ^ 1;
            return copy;
          });
          const claim = { ...path, nodes: bent };
          const entry = entries[index] ?? Buffer.of();
          const leads = hex(climb(entry, claim)?.root) === hex(tree.root);
          // What is not known yet may be climbed; what is known is never more than what a climb finds.
          if (leadsInto(entry, claim, known)) expect(leads).toBe(true);
          else expect(leads).toBe(false);
        }
      }),
    );
  });
});
