/** What the settings, and the searches of a user, read of an environment, beside WRIT_SECTION__KEY. */
const READ = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'LOCALAPPDATA', 'TMPDIR', 'TEMP', 'TMP', 'SEARCH_ENGINE'];

/** What changes Node, its TLS or the clock on the wall, and cannot be changed within a process. */
const ALIKE = [
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_V8_COVERAGE',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'OPENSSL_CONF',
  'TZ',
];

/** The environment of this process as far as `loadConfig` and `userSurroundings` read it, for a process that runs a command for it. */
export function carriedEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): Record<string, string> {
  const named = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(named.filter(([name]) => name.startsWith('WRIT_') || READ.includes(name)));
}

/** What must be the same in that process already. */
export function fixedEnvironment(env: Readonly<Record<string, string | undefined>> = process.env): readonly string[] {
  return ALIKE.map((name) => env[name] ?? '');
}
