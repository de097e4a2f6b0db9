import { configFiles } from './config-files.ts';
import { contractFiles } from './contract-files.ts';
import { contractBreaks } from './contracts/breaks.ts';
import { docsFiles } from './docs/files.ts';
import { type GeneratedFile, writeGenerated } from './generated.ts';
import { kernelFiles } from './kernel-files.ts';
import { lockFiles } from './lock/files.ts';
import { sbomFiles } from './lock/sbom.ts';
import { telemetryFiles } from './telemetry-files.ts';

/** `tsx scripts/write-generated.ts <what>`: writes committed files that are made from others. */
const WRITERS: Readonly<Record<string, () => GeneratedFile[] | Promise<GeneratedFile[]>>> = {
  config: () => [...configFiles(), ...telemetryFiles()],
  contracts: contractFiles,
  docs: docsFiles,
  kernel: kernelFiles,
  lock: lockFiles,
  sbom: sbomFiles,
};

/** What must not be written. */
const REFUSALS: Readonly<Record<string, (files: readonly GeneratedFile[]) => readonly string[]>> = { contracts: contractBreaks };

const what = process.argv[2] ?? '';
const files = await WRITERS[what]?.();
const refusals = files === undefined ? [] : (REFUSALS[what]?.(files) ?? []);
if (files === undefined) {
  process.stderr.write(`say what to write: ${Object.keys(WRITERS).join(', ')}\n`);
  process.exitCode = 2;
} else if (refusals.length > 0) {
  process.stderr.write(refusals.map((refusal) => `${refusal}\n`).join(''));
  process.exitCode = 1;
} else {
  const written = writeGenerated(files);
  process.stdout.write(written.length === 0 ? 'nothing to write\n' : written.map((name) => `wrote ${name}\n`).join(''));
}
