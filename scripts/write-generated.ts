import { configFiles } from './config-files.ts';
import { contractFiles } from './contract-files.ts';
import { type GeneratedFile, writeGenerated } from './generated.ts';
import { lockFiles } from './lock/files.ts';
import { sbomFiles } from './lock/sbom.ts';
import { telemetryFiles } from './telemetry-files.ts';

/** `tsx scripts/write-generated.ts <what>`: writes committed files that are made from others. */
const WRITERS: Readonly<Record<string, () => GeneratedFile[]>> = {
  config: () => [...configFiles(), ...telemetryFiles()],
  contracts: contractFiles,
  lock: lockFiles,
  sbom: sbomFiles,
};

const files = WRITERS[process.argv[2] ?? '']?.();
if (files === undefined) {
  process.stderr.write(`say what to write: ${Object.keys(WRITERS).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const written = writeGenerated(files);
  process.stdout.write(written.length === 0 ? 'nothing to write\n' : written.map((name) => `wrote ${name}\n`).join(''));
}
