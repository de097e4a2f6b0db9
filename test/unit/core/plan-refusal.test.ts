import { describe, expect, it } from 'vitest';
import { planRefusal } from '../../../src/core/plan-refusal.ts';

const fault = (code: string, details = {}) => ({ code, message: 'a step names a definition that does not exist', details });

describe('the refusal of an envelope', () => {
  it('has the code of the core and what it is about', () => {
    const { code, field, message } = planRefusal(fault('UNKNOWN_REF', { type: 'tool', ref: 'gone' }), []);
    expect([code, field]).toEqual(['INVALID_MANIFEST', 'envelope']);
    expect(message).toBe('UNKNOWN_REF: a step names a definition that does not exist {"type":"tool","ref":"gone"}');
  });

  it('has the place in the document as its field, where the core knows it', () => {
    const { field, message } = planRefusal(fault('MAX_STEPS_EXCEEDED', { limit: 30, at: 'payload.options.maxSteps' }), []);
    expect([field, message.endsWith(' {"limit":30}')]).toEqual(['payload.options.maxSteps', true]);
  });

  it('says which definition of this host was meant', () => {
    const refs = (category: string): string[] => (category === 'usecases' ? ['inbox.sort.run', 'files.archive'] : []);
    const said = (type: string, ref: string): string => planRefusal(fault('UNKNOWN_REF', { type, ref }), [], refs).message;
    expect(said('usecase', 'inbox.sort.rnu')).toMatch(/"inbox\.sort\.rnu"}; did you mean 'inbox\.sort\.run'\?$/);
    expect(said('tool', 'inbox.sort.run')).toMatch(/; a usecase has this name$/);
    expect(said('tool', 'inbox.sort.rnu')).toMatch(/"}$/);
    expect(said('usecase', 'something.else')).toMatch(/"}$/);
  });

  it('names the first fault of a document, and has them all', () => {
    const problems = [
      { field: 'header.id', message: 'must be text' },
      { field: 'steps', message: 'must be a list' },
    ];
    expect(planRefusal(fault('INVALID_CONTRACT'), problems)).toMatchObject({ field: 'header.id', message: 'must be text (INVALID_CONTRACT)', problems });
  });

  it.each(['writ.plan', 'writ.plans', 'writ.fan_out', 'writ.fan-out'])('tells whoever looks for %s what there is in its place', (ref) => {
    expect(planRefusal(fault('UNKNOWN_REF', { type: 'tool', ref }), []).message).toMatch(/^FAN_OUT_REFUSED: .*for_each/);
  });

  it('says what this host lacks', () => {
    expect(planRefusal(fault('REGISTRY_EMPTY'), []).message).toContain('registries of this host');
  });
});
