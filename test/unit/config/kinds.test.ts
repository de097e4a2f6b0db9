import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { settingKinds } from '../../../config/kinds.ts';
import { ConfigSchema } from '../../../config/schema.ts';
import { settingsByKey } from '../../../config/settings.ts';

/** The kinds by other means: what JSON Schema says of the settings. */
type Node = z.core.JSONSchema.JSONSchema;
const KINDS: Readonly<Record<string, string>> = { array: 'list', object: 'table' };
const schema: Node = z.toJSONSchema(ConfigSchema, { io: 'input' });
const nodeOf = (key: string): Node => key.split('.').reduce((at, name) => at.properties?.[name] as Node, schema);
const kindOf = ({ type, items }: Node): string => ((items as Node | undefined)?.type === 'integer' ? 'integers' : (KINDS[String(type)] ?? String(type)));

describe('the kinds of settings', () => {
  it('are what JSON Schema says of them', () => {
    for (const [key, kind] of settingKinds()) expect([key, kind]).toEqual([key, kindOf(nodeOf(key))]);
  });

  it('are those of all settings, in the same order', () => {
    expect([...settingKinds().keys()]).toEqual([...settingsByKey().keys()]);
  });

  it('are of every kind that there is, so that each reader of the schema is shown', () => {
    expect(new Set(settingKinds().values())).toEqual(new Set(['string', 'integer', 'number', 'boolean', 'list', 'integers', 'table']));
  });
});
