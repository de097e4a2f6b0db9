import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { licenceProblems, packagesByLicence } from '../../../scripts/lock/licences.ts';
import { type Lock, type LockedPackage, productionPackages, readLock } from '../../../scripts/lock/production.ts';
import { differencesOf, SBOM_FILE, type Sbom, sbomProblems } from '../../../scripts/lock/sbom.ts';

const lock = readLock();
const text = readFileSync(path.join(packageRoot(), SBOM_FILE), 'utf8');
const sbom = JSON.parse(text) as Sbom;

function lockWith(packages: Readonly<Record<string, LockedPackage>>): Lock {
  return { name: 'writ', version: '1.0.0', packages };
}

describe('the bill of materials', () => {
  it('names every package that is installed with Writ, with its hash, and no other', () => {
    expect(sbomProblems()).toEqual([]);
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(sbom.components.length).toBeGreaterThan(200);
  });

  it('is a document of CycloneDX 1.5, whose schema refuses one that is none', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
    expect(await validator.validate(text)).toBeNull();
    expect(await validator.validate(JSON.stringify({ ...sbom, components: [{ name: 'without a type' }] }))).not.toBeNull();
  });

  it('says nothing of the machine and the moment at which it was made', () => {
    expect(sbom).not.toHaveProperty('serialNumber');
    expect(sbom.metadata).not.toHaveProperty('timestamp');
    expect(text).not.toContain(packageRoot());
  });

  it('is found out when a package was changed, added or removed without it', () => {
    const [first, ...others] = productionPackages(lock);
    if (first === undefined) throw new Error('no packages');
    const [at, entry] = first;
    const id = `${at.replace('node_modules/', '')}@${entry.version}`;
    const rest = Object.fromEntries(others);
    expect(differencesOf(sbom, { ...lock, packages: { '': {}, ...rest } })).toEqual([`has ${id}, which is not installed`]);
    expect(differencesOf(sbom, { ...lock, packages: { ...lock.packages, [at]: { ...entry, integrity: 'sha512-AAAA' } } })).toEqual([
      `has another hash of ${id}`,
    ]);
    expect(differencesOf(sbom, { ...lock, packages: { ...lock.packages, 'node_modules/new': { version: '1.0.0' } } })).toEqual(['lacks new@1.0.0']);
    expect(differencesOf(sbom, { ...lock, version: '9.0.0' })).toEqual([`is of writ@${lock.version}`]);
  });
});

describe('licences of what is installed with Writ', () => {
  it('are all such as allow to pass it on', () => {
    expect(licenceProblems(lock)).toEqual([]);
    expect(packagesByLicence(lock).has('unknown')).toBe(false);
  });

  it.each([
    ['GPL-3.0-only', ['a@1.0.0 is under GPL-3.0-only, which is not in ALLOWED_LICENCES']],
    ['(GPL-3.0-only OR MIT)', []],
    [undefined, ['a@1.0.0 is under unknown, which is not in ALLOWED_LICENCES']],
  ])('of a package under %s', (license, problems) => {
    expect(licenceProblems(lockWith({ 'node_modules/a': { version: '1.0.0', ...(license === undefined ? {} : { license }) } }))).toEqual(problems);
  });

  it('of packages of development do not matter, and builds for other systems have that of their siblings', () => {
    const packages = {
      'node_modules/tool': { version: '1.0.0', dev: true, license: 'GPL-3.0-only' },
      'node_modules/b-linux-x64': { version: '1.0.0', license: 'MIT' },
      'node_modules/b-darwin-arm64': { version: '1.0.0' },
    };
    expect(licenceProblems(lockWith(packages))).toEqual([]);
  });
});
