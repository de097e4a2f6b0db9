import { describe, expect, it } from 'vitest';
import { FILE_CAPABILITIES, type TaskManifest } from '../../../../src/contracts/index.ts';
import { parseRequest } from '../../../../src/executors/file/inputs.ts';
import { toPathBase } from '../../../../src/executors/file/paths.ts';

const BASES = [toPathBase({ id: 'main', path: '/base' })];
const VAULTED = `/base/.writ-vault/d-${'0'.repeat(40)}-1`;

function manifest(capability_id: string, inputs: Record<string, unknown>, rest: Partial<TaskManifest> = {}): TaskManifest {
  return { task_id: 't1', capability_id, inputs, constraints: {}, ...rest };
}

function parse(value: TaskManifest): ReturnType<typeof parseRequest> {
  return parseRequest(value, BASES, FILE_CAPABILITIES);
}

function refusalOf(value: TaskManifest): string {
  const parsed = parse(value);
  return parsed.ok ? 'ok' : `${parsed.error.error?.error_code}: ${parsed.error.error?.message}`;
}

describe('capabilities', () => {
  it('rejects every other capability_id', { tags: ['FE-06'] }, () => {
    for (const id of ['FILE_WRITE', 'file_move', '', 'FILE_MOVE ', 'toString', '__proto__', 'SEARCH_FILES']) {
      expect(refusalOf(manifest(id, { source_path: '/base/a', destination_path: '/base/b' }))).toMatch(/^UNSUPPORTED_CAPABILITY: /);
    }
  });

  it('rejects a capability that this executor was not given', () => {
    const parsed = parseRequest(manifest('FILE_COPY', { source_path: '/base/a', destination_path: '/base/b' }), BASES, new Set(['FILE_MOVE']));
    expect(parsed).toMatchObject({ ok: false, error: { error: { error_code: 'UNSUPPORTED_CAPABILITY' } } });
  });
});

describe('inputs', () => {
  it('needs source_path', { tags: ['FE-14'] }, () => {
    for (const id of ['FILE_MOVE', 'FILE_COPY'])
      expect(refusalOf(manifest(id, { destination_path: '/base/b' }))).toBe('EXECUTION_FAILED: inputs.source_path is required');
    expect(refusalOf(manifest('FILE_DELETE', {}, { constraints: { reversible: true } }))).toBe('EXECUTION_FAILED: inputs.source_path is required');
    for (const source_path of ['base/a', './a', 'a'])
      expect(refusalOf(manifest('FILE_MOVE', { source_path, destination_path: '/base/b' }))).toBe(
        `EXECUTION_FAILED: inputs.source_path must be absolute (begin with '/'): ${JSON.stringify(source_path)}`,
      );
  });

  it('needs destination_path for move and copy, and none for delete', { tags: ['FE-15'] }, () => {
    for (const id of ['FILE_MOVE', 'FILE_COPY'])
      expect(refusalOf(manifest(id, { source_path: '/base/a' }))).toBe('EXECUTION_FAILED: inputs.destination_path is required');
    expect(refusalOf(manifest('FILE_DELETE', { source_path: '/base/a' }, { constraints: { reversible: true } }))).toBe('ok');
  });

  it('refuses input fields that it does not know', () => {
    expect(refusalOf(manifest('FILE_MOVE', { source_path: '/base/a', destination_path: '/base/b', overwrite: true }))).toMatch(/does not know: "overwrite"/);
    expect(refusalOf(manifest('FILE_DELETE', { source_path: '/base/a', destination_path: '/base/b' }, { constraints: { reversible: true } }))).toMatch(
      /"destination_path"/,
    );
  });

  it('refuses source and destination that are one file after normalization', () => {
    expect(refusalOf(manifest('FILE_MOVE', { source_path: '/base/a', destination_path: '/base/./a' }))).toMatch(/same file/);
  });

  it('answers a path outside with EXECUTION_FAILED', { tags: ['FE-23'] }, () => {
    for (const bad of ['/etc/passwd', '/base2/x', '/base/../x', '/base', 'x', '/base/*']) {
      expect(refusalOf(manifest('FILE_MOVE', { source_path: bad, destination_path: '/base/b' }))).toMatch(/^EXECUTION_FAILED: inputs\.source_path /);
      expect(refusalOf(manifest('FILE_COPY', { source_path: '/base/a', destination_path: bad }))).toMatch(/^EXECUTION_FAILED: inputs\.destination_path /);
      expect(refusalOf(manifest('FILE_DELETE', { source_path: bad }, { constraints: { reversible: true } }))).toMatch(/^EXECUTION_FAILED: /);
    }
  });
});

describe('constraints', () => {
  it('needs reversible to be literally true for a delete', { tags: ['FE-34'] }, () => {
    // The contract lets only booleans through; the executor does not rely on it.
    const asText: TaskManifest = JSON.parse(
      '{"task_id":"t","capability_id":"FILE_DELETE","inputs":{"source_path":"/base/a"},"constraints":{"reversible":"true"}}',
    );
    expect(refusalOf(asText)).toMatch(/^EXECUTION_FAILED: constraints\.reversible/);
    expect(refusalOf(manifest('FILE_DELETE', { source_path: '/base/a' }, { constraints: { reversible: false } }))).toMatch(
      /^EXECUTION_FAILED: constraints\.reversible/,
    );
    expect(refusalOf(manifest('FILE_DELETE', { source_path: '/base/a' }))).toMatch(/^EXECUTION_FAILED: constraints\.reversible/);
  });

  it('checks constraints.scope against both paths by component', () => {
    const at = (scope: string): string =>
      refusalOf(manifest('FILE_MOVE', { source_path: '/base/in/a', destination_path: '/base/in/b' }, { constraints: { scope } }));
    for (const scope of ['/base', '/base/in', '/base/in/', '/base/./in']) expect(at(scope)).toBe('ok');
    for (const scope of ['/base/i', '/base/out', '/'])
      expect(at(scope)).toBe(scope === '/' ? 'ok' : 'EXECUTION_FAILED: inputs.source_path lies outside constraints.scope');
    for (const scope of ['base', '/base/../base', '/base\0']) expect(at(scope)).toMatch(/constraints\.scope must be/);
    const half = manifest('FILE_MOVE', { source_path: '/base/in/a', destination_path: '/base/b' }, { constraints: { scope: '/base/in' } });
    expect(refusalOf(half)).toBe('EXECUTION_FAILED: inputs.destination_path lies outside constraints.scope');
  });
});

describe('undo requests', () => {
  it('may name a vault path as source of a move, outside of a scope too', () => {
    const undo = manifest(
      'FILE_MOVE',
      { source_path: VAULTED, destination_path: '/base/in/a' },
      { constraints: { scope: '/base/in' }, provenance: { undo_of: 't0' } },
    );
    expect(parse(undo)).toMatchObject({ ok: true, value: { undoOf: 't0', source: { inVault: true } } });
  });

  it('may not name one without undo_of, as destination, in a delete or in a copy', () => {
    expect(refusalOf(manifest('FILE_MOVE', { source_path: VAULTED, destination_path: '/base/a' }))).toMatch(/\.writ-/);
    expect(refusalOf(manifest('FILE_MOVE', { source_path: '/base/a', destination_path: VAULTED }, { provenance: { undo_of: 't0' } }))).toMatch(/\.writ-/);
    expect(refusalOf(manifest('FILE_DELETE', { source_path: VAULTED }, { constraints: { reversible: true }, provenance: { undo_of: 't0' } }))).toMatch(
      /\.writ-/,
    );
    expect(refusalOf(manifest('FILE_COPY', { source_path: VAULTED, destination_path: '/base/a' }, { provenance: { undo_of: 't0' } }))).toMatch(
      /takes back nothing/,
    );
  });
});
