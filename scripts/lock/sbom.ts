import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import { askProgramSync } from '../../src/adapters/processes/program.ts';
import type { GeneratedFile } from '../generated.ts';
import { type Lock, nameOf, productionPackages, readLock } from './production.ts';

/** CycloneDX 1.5, as far as it is read here. */
export interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: {
    readonly component: { readonly name: string; readonly version: string; readonly [key: string]: unknown };
    readonly [key: string]: unknown;
  };
  readonly components: readonly SbomComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly [key: string]: unknown;
}

interface SbomComponent {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly [key: string]: unknown;
}

export const SBOM_FILE = 'sbom.cdx.json';

/** The bill of materials of what is installed with Writ, made by npm from package-lock.json. */
export function sbomFiles(root = packageRoot()): GeneratedFile[] {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const made = JSON.parse(askProgramSync('npm', args, { cwd: root, stderr: 'ignore' }).stdout) as Sbom;
  return [{ path: SBOM_FILE, content: `${JSON.stringify(settled(made, readLock(root)), null, 1)}\n` }];
}

/**
 * Without what differs from one run or machine to the next: number and time of the run, npm's version, the directory's name;
 * and without what only development needs. npm's own `--omit dev` leaves out whatever development needs too (112 packages).
 */
function settled({ serialNumber: _, ...sbom }: Sbom, lock: Lock): object {
  const { timestamp: _time, tools: _tools, component, ...metadata } = sbom.metadata;
  const wanted = new Set(productionPackages(lock).map(([at, found]) => `${nameOf(at, found)}@${found.version}`));
  const components = sbom.components.filter((one) => wanted.has(one['bom-ref'])).sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => wanted.has(ref) || ref === component['bom-ref'])
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => wanted.has(id)) }));
  return { ...sbom, metadata: { ...metadata, component: { ...component, name: lock.name, type: 'application' } }, components, dependencies };
}

/** Where the committed bill and package-lock.json contradict each other; needs neither npm nor a network. */
export function sbomProblems(root = packageRoot()): string[] {
  const file = path.join(root, SBOM_FILE);
  if (!existsSync(file)) return [`${SBOM_FILE} is missing: npm run sbom`];
  return differencesOf(JSON.parse(readFileSync(file, 'utf8')) as Sbom, readLock(root)).map((what) => `${SBOM_FILE} ${what}: npm run sbom`);
}

export function differencesOf({ metadata, components }: Sbom, lock: Lock): string[] {
  const { name, version } = metadata.component;
  const own = name === lock.name && version === lock.version ? [] : [`is of ${name}@${version}`];
  const listed = new Map(components.map((component) => [component['bom-ref'], component]));
  const wanted = new Map(productionPackages(lock).map(([at, found]) => [`${nameOf(at, found)}@${found.version}`, found.integrity]));
  const wrong = [...wanted].flatMap(([id, integrity]) => {
    const component = listed.get(id);
    if (component === undefined) return [`lacks ${id}`];
    return integrity === undefined || hashOf(component) === integrity ? [] : [`has another hash of ${id}`];
  });
  return [...own, ...wrong, ...[...listed.keys()].filter((id) => !wanted.has(id)).map((id) => `has ${id}, which is not installed`)];
}

/** As a lock file writes it. */
function hashOf({ hashes = [] }: SbomComponent): string | undefined {
  const sha512 = hashes.find(({ alg }) => alg === 'SHA-512')?.content;
  return sha512 === undefined ? undefined : `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`;
}
