import { z } from 'zod';
import { ConfigSchema } from './schema.ts';

/** `list` is an array of words, `integers` one of whole numbers, `table` maps ids of your own to words; all others are single values. */
export type SettingKind = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'integers' | 'table';

/**
 * What kind of value each setting has, by dotted name, in the order of `settingsByKey`. Read from the schema itself: every
 * start of a program with a flag asks, and the descriptions and ranges around it take thirty times as long to make.
 */
export function settingKinds(): ReadonlyMap<string, SettingKind> {
  kinds ??= new Map(kindsOf('', ConfigSchema));
  return kinds;
}

let kinds: ReadonlyMap<string, SettingKind> | undefined;

/** The settings of a section, then those of the sections in it. */
function kindsOf(prefix: string, section: z.ZodObject): [string, SettingKind][] {
  const children = Object.entries(section.shape).map(([name, child]) => ({ key: prefix === '' ? name : `${prefix}.${name}`, schema: plain(child) }));
  const settings = children.filter(({ schema }) => !(schema instanceof z.ZodObject));
  return [
    ...settings.map(({ key, schema }): [string, SettingKind] => [key, kindOf(key, schema)]),
    ...children.flatMap(({ key, schema }) => (schema instanceof z.ZodObject ? kindsOf(key, schema) : [])),
  ];
}

/** Without what says that it may be left out. */
function plain(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? plain(schema.unwrap()) : schema;
}

const KINDS: Readonly<Record<string, (schema: z.core.$ZodType) => SettingKind>> = {
  string: () => 'string',
  enum: () => 'string',
  boolean: () => 'boolean',
  number: (schema) => (isInteger(schema) ? 'integer' : 'number'),
  array: (schema) => (schema instanceof z.ZodArray && isInteger(schema.element) ? 'integers' : 'list'),
  record: () => 'table',
};

function kindOf(key: string, schema: z.core.$ZodType): SettingKind {
  const kind = KINDS[schema._zod.def.type]?.(schema);
  if (kind === undefined) throw new TypeError(`setting ${key} has no simple type`);
  return kind;
}

function isInteger(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodNumber && schema.isInt;
}
