import { describe, expect, it } from 'vitest';
import { isBelow, isSamePath } from '../../../src/core/absolute-paths.ts';
import { isWritError } from '../../../src/core/errors.ts';
import { checkPolicy, checkShape, lifetime } from '../../../src/kernel/grant.ts';

const base = { task_id: 't', capability_id: 'FILE_MOVE', inputs: { source_path: '/data/in/a', destination_path: '/data/out/a' }, constraints: {} };

function refusal(manifest: unknown): string {
  try {
    checkPolicy(checkShape(manifest).manifest);
  } catch (error) {
    if (isWritError(error)) return `${error.code} ${error.field ?? ''}`;
    throw error;
  }
  return 'fine';
}

describe('what a manifest may ask', () => {
  it.each<[string, unknown, string]>([
    ['a plain manifest', base, 'fine'],
    ['no manifest', undefined, 'INVALID_MANIFEST '],
    ['a list', [], 'INVALID_MANIFEST '],
    ['a task_id with a slash', { ...base, task_id: 'a/b' }, 'INVALID_MANIFEST task_id'],
    ['an unknown field', { ...base, lease: 'x' }, 'INVALID_MANIFEST '],
    ['an unknown constraint', { ...base, constraints: { force: true } }, 'INVALID_MANIFEST constraints'],
    ['an input that is no I-JSON', { ...base, inputs: { n: 2 ** 60 } }, 'INVALID_MANIFEST inputs.n'],
    ['an input that is too deep', { ...base, inputs: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }, 'INVALID_MANIFEST'],
    ['too many bytes', { ...base, inputs: { a: 'x'.repeat(254_000) } }, 'INVALID_MANIFEST '],
    ['an undo', { ...base, provenance: { undo_of: 'x' } }, 'LEASE_REFUSED provenance.undo_of'],
    ['a scope around both paths', { ...base, constraints: { scope: '/data' } }, 'fine'],
    ['a scope with a final slash', { ...base, constraints: { scope: '/data/' } }, 'fine'],
    ['the root as scope', { ...base, constraints: { scope: '/' } }, 'fine'],
    ['a scope around the source only', { ...base, constraints: { scope: '/data/in' } }, 'LEASE_REFUSED inputs.destination_path'],
    ['a scope around the destination only', { ...base, constraints: { scope: '/data/out' } }, 'LEASE_REFUSED inputs.source_path'],
    ['a scope that is a prefix of letters only', { ...base, constraints: { scope: '/dat' } }, 'LEASE_REFUSED inputs.source_path'],
    ['a scope that is relative', { ...base, constraints: { scope: 'data' } }, 'LEASE_REFUSED constraints.scope'],
    ['a scope that is a name', { ...base, constraints: { scope: 'user_documents' } }, 'LEASE_REFUSED constraints.scope'],
    ['a scope that climbs', { ...base, constraints: { scope: '/x/../data' } }, 'LEASE_REFUSED constraints.scope'],
    [
      'a path that climbs out',
      { ...base, inputs: { source_path: '/data/../etc/passwd' }, constraints: { scope: '/data' } },
      'LEASE_REFUSED inputs.source_path',
    ],
    ['a path that is the scope itself', { ...base, inputs: { source_path: '/data' }, constraints: { scope: '/data' } }, 'LEASE_REFUSED inputs.source_path'],
    ['a path with NUL', { ...base, inputs: { source_path: '/data/a\0' }, constraints: { scope: '/data' } }, 'LEASE_REFUSED inputs.source_path'],
    ['a path that is no text', { ...base, inputs: { source_path: ['/data/a'] }, constraints: { scope: '/data' } }, 'LEASE_REFUSED inputs.source_path'],
    ['bad paths without a scope, which only the executor judges', { ...base, inputs: { source_path: 'a' } }, 'fine'],
    ['a content search in its scope', { ...base, capability_id: 'CONTENT_SEARCH', inputs: { path: 'src/a' }, constraints: { scope: 'src' } }, 'fine'],
    [
      'a content search beside its scope',
      { ...base, capability_id: 'CONTENT_SEARCH', inputs: { path: 'srcs' }, constraints: { scope: 'src' } },
      'LEASE_REFUSED inputs.path',
    ],
    ['a content search of everything', { ...base, capability_id: 'CONTENT_SEARCH', inputs: {}, constraints: { scope: 'src' } }, 'LEASE_REFUSED inputs.path'],
    ['a scope for another kind of task', { ...base, capability_id: 'SEARCH_FILES', constraints: { scope: 'documents' } }, 'fine'],
  ])('judges %s', (_what, manifest, expected) => {
    expect(refusal(manifest)).toContain(expected);
  });

  it('hashes the manifest as it was handed in', () => {
    // printf '{"capability_id":"FILE_MOVE","constraints":{},"inputs":{},"task_id":"t"}' | sha256sum
    expect(checkShape({ ...base, inputs: {} }).manifestSha256).toBe('d0ff38b4b76cc35770ae022db08485cde12c0a233623531d1b30328fa58a6725');
  });
});

describe('paths', () => {
  it('are compared component by component after normalization', () => {
    expect([isBelow('/a//b/./c', '/a/b/'), isBelow('/ab/c', '/a'), isBelow('/a/b', '/a/b')]).toEqual([true, false, false]);
    expect([isSamePath('/a//b', '/a/./b/'), isSamePath('/a/b', '/a/B'), isSamePath('a', 'a'), isSamePath('/..', '/..')]).toEqual([true, false, false, false]);
  });
});

describe('the life of a lease', () => {
  it('follows the limits that the kernel has at that moment', () => {
    let limits = { ttl: 60, maxTtl: 3600 };
    const config = {
      issuer: 'k',
      audienceOf: () => undefined,
      get ttl() {
        return limits.ttl;
      },
      get maxTtl() {
        return limits.maxTtl;
      },
    };
    const options = { config, clock: { now: () => 0, monotonic: () => 0 } };
    expect(lifetime({ ttl: 3600 }, options)).toMatchObject({ seconds: 3600 });
    limits = { ttl: 30, maxTtl: 100 };
    expect(lifetime({}, options)).toMatchObject({ seconds: 30 });
    expect(() => lifetime({ ttl: 3600 }, options)).toThrow('a lease lives 1 to 100 whole seconds');
  });
});
