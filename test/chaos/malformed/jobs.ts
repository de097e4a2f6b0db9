import type { Random } from '../../support/random.ts';

/** A job's hash in Redis, as a raw producer may write it: JSON text, or something that only looks like it. */
export interface HostileJob {
  readonly what: string;
  /** Text of the field `data`. */
  readonly data: string;
  /** Text of the field `opts`. */
  readonly opts: string;
}

/** What the good parts are made of. */
export interface Material {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly lease: string;
}

const HUGE = 'x'.repeat(300_000);
const LONG = 'y'.repeat(5_000);

/** Values that no field expects. As JSON text, because some cannot be JavaScript values. */
const ODD_VALUES: readonly string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1e400',
  '9007199254740993',
  '-9007199254740993',
  '1.5',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '[]',
  '[[]]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  JSON.stringify(LONG),
  '"../../etc/passwd"',
  '"wait"',
  '"{writ}:file:wait"',
  '"a\\u0000b"',
  '"\\ufeff"',
  '"\\u202e"',
];

/** Texts that are no JSON at all. */
const NO_JSON: readonly string[] = [
  '',
  ' ',
  '{',
  '{"v":1',
  "{'v':1}",
  'undefined',
  'NaN',
  '{"v":1,}',
  '\u0000',
  '{"v":1}{"v":1}',
  '<job/>',
  '\ud800',
  '{"v":1,"v":1',
  '[1,2',
];

const ODD_OPTIONS: readonly string[] = [
  '{}',
  '{"attempts":0}',
  '{"attempts":-5}',
  '{"attempts":1e9}',
  '{"attempts":"many"}',
  '{"backoff":{"type":"no-such","delay":-1}}',
  '{"delay":"soon"}',
  '{"removeOnComplete":"yes"}',
  '{"removeOnFail":-1}',
  '{"parent":{"id":"1","queue":"{writ}:file"}}',
  '{"repeat":{"every":0}}',
  '{"timestamp":"never"}',
  '{"stackTraceLimit":1000000}',
  '{"keepLogs":-1}',
  '{"__proto__":{"attempts":9}}',
];

type Make = (random: Random, material: Material, sign: number) => { readonly what: string; readonly data: string };

/** Families of bad jobs; each is bad in one respect, so that no family hides behind another. */
const FAMILIES: readonly Make[] = [
  (random) => ({ what: 'no JSON', data: random.pick(NO_JSON) }),
  (random) => ({ what: 'not an object', data: random.pick(ODD_VALUES) }),
  (random, material) => replaced(random, job(material), random.pick(['v', 'manifest', 'lease'])),
  (random, material) => inManifest(random, material, random.pick(['task_id', 'capability_id', 'inputs', 'constraints', 'provenance'])),
  (random, material) => ({ what: 'a field is missing', data: JSON.stringify(without(job(material), random.pick(['v', 'manifest']))) }),
  (random, material) => {
    const manifest = without(material.manifest, random.pick(['task_id', 'capability_id', 'inputs', 'constraints']));
    return { what: 'a field of the manifest is missing', data: JSON.stringify({ ...job(material), manifest }) };
  },
  (random, material) => ({
    what: 'an unknown field',
    data: JSON.stringify({ ...job(material), [random.pick(['V', 'Manifest', 'x', 'toString', '', '\u0000'])]: 1 }),
  }),
  (random, material) => nested(random, material),
  (random, material) => {
    // Into the job, the manifest, or an object of the manifest: always valid but for this one key.
    const text = JSON.stringify(job(material));
    const places = [...text.matchAll(/\{(?=")/g)].map(({ index }) => index + 1);
    const at = random.pick(places);
    const key = random.pick(['__proto__', 'constructor', 'prototype']);
    return { what: `a key ${key}`, data: `${text.slice(0, at)}"${key}":{"polluted":true},${text.slice(at)}` };
  },
  (_random, material) => ({
    what: 'far too large',
    data: JSON.stringify({ ...job(material), manifest: { ...material.manifest, inputs: { source_path: HUGE } } }),
  }),
  (random, material) => ({ what: 'a forged lease', data: JSON.stringify({ ...job(material), lease: forged(random, material.lease) }) }),
  (_random, material) => ({ what: 'no lease', data: JSON.stringify(without(job(material), 'lease')) }),
  (_random, material, sign) => {
    const manifest = { ...material.manifest, inputs: { source_path: `/somewhere/else/${sign}` } };
    return { what: "another manifest's lease", data: JSON.stringify({ ...job(material), manifest }) };
  },
];

/** The n-th hostile job. */
export function hostileJob(random: Random, material: Material, n: number): HostileJob {
  const family = FAMILIES[n % FAMILIES.length];
  if (!family) throw new Error('there are families');
  const made = family(random, material, n);
  return { ...made, opts: random.chance(0.3) ? random.pick(ODD_OPTIONS) : '{"attempts":1}' };
}

function job({ manifest, lease }: Material): Record<string, unknown> {
  return { v: 1, manifest, lease };
}

function without(object: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

const MARK = 'a mark that becomes a value';

/** The object's text with one field's value exchanged for an odd one. */
function replaced(random: Random, object: Record<string, unknown>, field: string): { what: string; data: string } {
  const data = JSON.stringify({ ...object, [field]: MARK }).replace(JSON.stringify(MARK), () => random.pick(ODD_VALUES));
  return { what: `${field} is odd`, data };
}

function inManifest(random: Random, material: Material, field: string): { what: string; data: string } {
  const manifest = replaced(random, { ...material.manifest }, field).data;
  return { what: `${field} is odd`, data: JSON.stringify({ ...job(material), manifest: MARK }).replace(JSON.stringify(MARK), () => manifest) };
}

function nested(random: Random, material: Material): { what: string; data: string } {
  const inputs = JSON.stringify({ source_path: MARK, extra: 1 }).replace(JSON.stringify(MARK), () => random.pick(ODD_VALUES));
  const manifest = JSON.stringify({ ...material.manifest, inputs: MARK }).replace(JSON.stringify(MARK), () => inputs);
  return { what: 'an input is odd', data: JSON.stringify({ ...job(material), manifest: MARK }).replace(JSON.stringify(MARK), () => manifest) };
}

function forged(random: Random, lease: string): string {
  const [header = '', payload = '', signature = ''] = lease.split('.');
  const at = random.integer(payload.length);
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return random.pick([
    '',
    '..',
    'a.b.c',
    `${header}.${payload}.`,
    `${header}..${signature}`,
    `${header}.${payload.slice(0, at)}${payload[at] === 'A' ? 'B' : 'A'}${payload.slice(at + 1)}.${signature}`,
    `${part({ alg: 'none', typ: 'writ-lease+jws', kid: 'x' })}.${payload}.`,
    `${part({ alg: 'HS256', typ: 'writ-lease+jws', kid: 'x' })}.${payload}.${signature}`,
    `${header}.${payload}.${signature}.${signature}`,
    `${header}.${payload}.${signature.split('').reverse().join('')}`,
    `${part({ alg: 'EdDSA', typ: 'writ-lease+jws', kid: '../../keys/kernel' })}.${payload}.${signature}`,
    LONG.slice(0, 4_096),
    '\u0000',
    `${lease}\n`,
  ]);
}
