import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isWritError } from '../../../../src/core/errors.ts';
import { openApiDocument } from '../../../../src/surfaces/http/openapi/document.ts';
import { safeNext } from '../../../../src/surfaces/http/pages/next.ts';
import { checked, route } from '../../../../src/surfaces/http/route.ts';
import { ROUTES } from '../../../../src/surfaces/http/routes/table.ts';
import { createSessions } from '../../../../src/surfaces/http/security/sessions.ts';

describe('the way after a login', () => {
  it('stays on this server, whatever is asked for', () => {
    const parts = fc.constantFrom('/', '\\', '.', '..', '//', ':', '@', 'evil.example', '\t', '\n', '%2f', '%5c', '?', '#', 'https:', 'a');
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
        const to = safeNext(`/${pieces.join('')}`) ?? '/home';
        expect(new URL(to, 'http://writ.example:8377').origin).toBe('http://writ.example:8377');
        expect(to.startsWith('/') && !to.startsWith('//')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps a path of ours with its query', () => {
    expect(safeNext('/board/queue/file?status=failed&page=2')).toBe('/board/queue/file?status=failed&page=2');
  });
});

describe('sessions', () => {
  it('have room for a number only: finished ones go first, then the oldest', () => {
    const time = { ms: 0 };
    const sessions = createSessions({ clock: { now: () => time.ms, monotonic: () => time.ms }, lifeMs: 1000, max: 3 });
    const open = (endsInMs?: number) => sessions.open({ name: 'a', roles: ['read'], ...(endsInMs === undefined ? {} : { endsInMs }) });
    const [first, short, third] = [open(), open(10), open()];
    time.ms = 20;
    const fourth = open();
    expect([first, short, third, fourth].map((secret) => sessions.find(secret) !== undefined)).toEqual([true, false, true, true]);
    open();
    expect(sessions.find(first)).toBeUndefined();
    expect(sessions.size).toBe(3);
  });
});

describe('the field at fault', () => {
  const row = route({
    method: 'POST',
    path: '/x',
    operation: 'x',
    summary: 'x',
    tag: 'tasks',
    access: 'open',
    body: z.strictObject({ manifest: z.strictObject({ inputs: z.strictObject({ source: z.string() }) }), ttl: z.int().optional() }),
    responses: {},
    problems: ['INVALID_MANIFEST'],
    handle: async () => ({ status: 200 }),
  });
  const good = { inputs: { source: 'a' } };
  it.each([
    [{ manifest: { inputs: { source: 1 } } }, 'INVALID_MANIFEST', 'manifest.inputs.source'],
    [{ manifest: { inputs: { source: 'a', more: 1 } } }, 'INVALID_MANIFEST', 'manifest.inputs.more'],
    [{}, 'INVALID_MANIFEST', 'manifest'],
    [{ manifest: good, ttl: 'x' }, 'INVALID_ARGUMENT', 'ttl'],
    [{ manifest: good, surprise: 1 }, 'INVALID_ARGUMENT', 'surprise'],
    [undefined, 'INVALID_ARGUMENT', undefined],
  ])('of %j is %s %s', (body, code, field) => {
    let thrown: unknown;
    try {
      checked(row, 'body', row.body, body);
    } catch (error) {
      thrown = error;
    }
    expect(isWritError(thrown) && [thrown.code, thrown.field]).toEqual([code, field]);
  });
});

describe('the OpenAPI document', () => {
  it('has an operation for every row, each with a name of its own', () => {
    const operations = Object.values(openApiDocument(ROUTES).paths).flatMap((path) => Object.values(path).map((operation) => operation['operationId']));
    expect(operations.sort()).toEqual(ROUTES.map(({ operation }) => operation).sort());
    expect(new Set(operations).size).toBe(ROUTES.length);
  });

  it('is made when it is read, once', () => {
    const [row] = ROUTES;
    if (row === undefined) throw new Error('there are no routes');
    let looks = 0;
    const watched = Object.defineProperty({ ...row }, 'responses', {
      get: () => {
        looks += 1;
        return row.responses;
      },
    });
    const document = openApiDocument([watched]);
    expect(looks).toBe(0);
    const text = JSON.stringify(document);
    const once = looks;
    expect(once).toBeGreaterThan(0);
    expect([JSON.stringify(document), looks]).toEqual([text, once]);
  });

  it('refers only to what it has', () => {
    const text = JSON.stringify(openApiDocument(ROUTES));
    const has = openApiDocument(ROUTES)['components'] as { schemas: Record<string, unknown> };
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(references.length).toBeGreaterThan(0);
    for (const name of references) expect(Object.keys(has.schemas)).toContain(name);
  });
});
