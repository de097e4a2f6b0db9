import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../../src/core/canonical-json.ts';
import { manifestSha256, sha256Hex } from '../../../../../src/core/hash.ts';
import { jobOf, parseTask } from '../../../../../src/surfaces/shared/input/parse-task.ts';

const manifest = { task_id: 'a', capability_id: 'FILE_COPY', inputs: {}, constraints: {} };
const offer = (value: unknown) => parseTask({ kind: 'text', line: 4, text: typeof value === 'string' ? value : JSON.stringify(value) });

describe('one item of the input', () => {
  it('is a bare manifest, or a manifest with its lease', () => {
    expect(jobOf(JSON.stringify(manifest))).toEqual({ v: 1, manifest });
    expect(jobOf(JSON.stringify({ manifest, lease: 'x.y.z' }))).toEqual({ v: 1, manifest, lease: 'x.y.z' });
    expect(jobOf(JSON.stringify({ v: 1, manifest }))).toEqual({ v: 1, manifest });
  });

  it('has the hash of its manifest at once, as it is calculated of the manifest', () => {
    const rich = { ...manifest, inputs: { z: [1, { b: 'é', a: null }], a: 'x' }, provenance: { step: '1', ast_hash: 'h' } };
    for (const text of [JSON.stringify(rich), JSON.stringify({ lease: 'x.y.z', manifest: rich }), JSON.stringify({ manifest: rich, v: 1 }, undefined, 2)]) {
      const job = jobOf(text);
      expect(manifestSha256(job.manifest)).toBe(sha256Hex(canonicalJson(rich)));
      expect(manifestSha256(structuredClone(job.manifest))).toBe(manifestSha256(job.manifest));
    }
  });

  it('is told with line, code, field and a sentence when it is no task', () => {
    expect(offer({ ...manifest, task_id: '../x' })).toMatchObject({
      line: 4,
      code: 'INVALID_MANIFEST',
      field: 'task_id',
      message: expect.stringContaining('must be 1 to 128'),
    });
    expect(offer({ manifest: { ...manifest, inputs: 3 } })).toMatchObject({ code: 'INVALID_MANIFEST', field: 'manifest.inputs' });
    expect(offer({ v: 2, manifest })).toMatchObject({ code: 'INVALID_MANIFEST', field: 'v' });
    expect(offer({ ...manifest, extra: 1 })).toMatchObject({ code: 'INVALID_MANIFEST', field: 'extra', message: expect.stringContaining('is not known here') });
    expect(offer({ ...manifest, capability_id: 'FILE_CPY', extra: 1 })).toMatchObject({
      code: 'INVALID_MANIFEST',
      field: 'capability_id',
      problems: [{ field: 'capability_id', message: expect.stringContaining("did you mean 'FILE_COPY'?") }, { field: 'extra' }],
    });
    expect(offer('[1]')).toMatchObject({ code: 'INVALID_MANIFEST', message: expect.stringContaining('must be a JSON object') });
    expect(offer('{"task_id": ')).toMatchObject({ code: 'INVALID_MANIFEST', message: expect.stringContaining('not JSON') });
    expect(offer('{"task_id":"a","task_id":"b"}')).toMatchObject({ code: 'INVALID_MANIFEST', message: expect.stringContaining('same key twice') });
  });

  it('may not be larger than a job', () => {
    expect(offer({ ...manifest, inputs: { source_path: 'x'.repeat(300_000) } })).toMatchObject({
      code: 'INVALID_MANIFEST',
      field: 'manifest',
      message: expect.stringContaining('larger than'),
    });
  });
});
