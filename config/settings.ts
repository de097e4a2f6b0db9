import { z } from 'zod';
import { type SettingKind, settingKinds } from './kinds.ts';
import { ConfigSchema } from './schema.ts';

/** One setting, as documents and error messages speak of it. */
export interface Setting {
  /** Dotted name, `redis.port`. */
  readonly key: string;
  readonly kind: SettingKind;
  readonly default: unknown;
  readonly description: string;
  /** What values are legal, for a reader; empty when any value of the kind is. */
  readonly range: string;
  /** How an entry of a table is written; empty for all other kinds. */
  readonly example: string;
}

export interface Section {
  readonly name: string;
  readonly description: string;
  readonly settings: readonly Setting[];
}

/** The part of JSON Schema that the settings use. */
interface Node {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** All sections in the order of the schema; a section inside a section is listed after it, with its dotted name. */
export function sections(): readonly Section[] {
  described ??= sectionsOf('', z.toJSONSchema(ConfigSchema, { io: 'input' }) as Node);
  return described;
}

/** All settings by dotted name. */
export function settingsByKey(): ReadonlyMap<string, Setting> {
  byKey ??= new Map(sections().flatMap((section) => section.settings.map((setting) => [setting.key, setting] as const)));
  return byKey;
}

/** Made once: the schema does not change, and every layer of settings asks. */
let described: readonly Section[] | undefined;
let byKey: ReadonlyMap<string, Setting> | undefined;

function sectionsOf(prefix: string, node: Node): Section[] {
  const children = Object.entries(node.properties ?? {}).map(([name, child]) => ({ key: prefix === '' ? name : `${prefix}.${name}`, child }));
  const settings = children.filter(({ child }) => child.properties === undefined).map(({ key, child }) => settingOf(key, child));
  const inner = children.filter(({ child }) => child.properties !== undefined).flatMap(({ key, child }) => sectionsOf(key, child));
  return settings.length === 0 ? inner : [{ name: prefix, description: node.description ?? '', settings }, ...inner];
}

function settingOf(key: string, node: Node): Setting {
  const example = String(node.examples?.[0] ?? '');
  return { key, kind: kindOf(key), default: node.default, description: node.description ?? '', range: rangeOf(node), example };
}

function kindOf(key: string): SettingKind {
  const kind = settingKinds().get(key);
  if (kind === undefined) throw new TypeError(`setting ${key} has no kind`);
  return kind;
}

function rangeOf(node: Node): string {
  if (node.enum !== undefined) return node.enum.map(String).join(' | ');
  if (node.minimum === undefined || node.maximum === undefined) return '';
  return node.maximum === Number.MAX_SAFE_INTEGER ? `${node.minimum} or more` : `${node.minimum} to ${node.maximum}`;
}
