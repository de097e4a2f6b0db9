import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { ciFromLock, installTarball, packTarball } from './install.ts';
import { firstUse } from './use.ts';

/**
 * `npm run test:long -- package`: what `npm pack` gives is installed outside of the checkout in the two ways of
 * docs/operations.md, with its native modules compiled, and used for the first time as a stranger would.
 */
/** 200 MB. */
const LIMIT_MEBIBYTES = 190;
const { values } = parseArgs({ options: { evidence: { type: 'string', default: evidencePath('package') } } });
const startedAt = new Date();
const commit = revision();
const home = mkdtempSync(path.join(tmpdir(), 'writ-package-'));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

try {
  say('packing');
  const tarball = await packTarball(home);
  say(`installing ${tarball.file}: native modules are compiled, which takes minutes`);
  const installed = await installTarball(home, tarball.file);
  say('first use');
  const used = await firstUse(installed.directory);
  say('installing the packages of the lock file');
  const locked = await ciFromLock(home, tarball.file);

  const passed =
    installed.code === 0 &&
    locked.code === 0 &&
    locked.differ.length === 0 &&
    installed.mebibytes <= LIMIT_MEBIBYTES &&
    Object.values(used.checks).every(Boolean);
  const { directory: _, ...figures } = installed;
  const report = { passed, tarball: { ...tarball, file: path.basename(tarball.file) }, installed: figures, locked, used };
  writeEvidence(values.evidence, { suite: 'package', ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit });
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n${values.evidence}\n`);
  process.exitCode = passed ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
