import type { Call } from '../command.ts';

/** `writ init`: a file of settings to edit, and keys. Running it again changes nothing. */
export async function runInit(call: Call): Promise<number> {
  const services = await call.services();
  const { configFile, configWritten, keys } = await services.initialise();
  const value = { data_dir: services.dataDir, config_file: configFile, config_written: configWritten, keys };
  await call.output.answer(value, () =>
    [
      configWritten ? `wrote ${configFile}` : `${configFile} is there already and was left alone`,
      ...keys.map(({ role, kid, privateFile }) => `made the ${role} key ${kid} in ${privateFile}`),
      '',
      'Next:',
      `  1. name the directories that file tasks may work in: [file.base_directories] in ${configFile}`,
      '  2. writ doctor        what this host can do',
      '  3. writ up            Redis, kernel and workers',
      '  4. writ push --help   hand in tasks',
    ].join('\n'),
  );
  return 0;
}
